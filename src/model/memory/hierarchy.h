/* The memory hierarchy of a machine, from curves of latency: caches, data TLBs, line size and
 * memory, each with a size, a latency, a confidence and a sentence; and disagreements with the
 * system. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/machine/machine.h"
#include "kernels/kernel.h"
#include "model/memory/plateaus.h"

enum { LEVELS_MAX = 10, FINDINGS_MAX = 16, FINDING_TEXT = 220 };

enum level_kind { LEVEL_CACHE, LEVEL_TLB, LEVEL_MEMORY };

struct hierarchy_level {
	enum level_kind kind;
	int number; /* of a cache or TLB: 1, 2, … */
	double cycles, lo,
		hi; /* load to use, with quartiles; of a TLB: the cost of a miss, on top */
	double ns;  /* the same in nanoseconds; NAN: unknown */
	double bytes, bytes_lo, bytes_hi;	/* its size, and the range that holds it; of memory
						   INFINITY; of a TLB its reach */
	double entries, entries_lo, entries_hi; /* of a TLB; else NAN */
	double confidence;			/* 0…1 */
	bool unstable;				/* the size is uncertain: show the range */
	int looks; /* looks that found its size, and their time; 0: the curve found it */
	double seconds;
	uint64_t stated;	  /* bytes that the system states; 0: nothing */
	unsigned kinds;		  /* of a TLB: pages that it shows with, a bit by enum page_kind */
	char name[16];		  /* "L1d", "L2", "L3", "L1 DTLB", "memory" */
	char words[FINDING_TEXT]; /* "L1d: 4.0 cycles up to 48 KiB" */
};

/* Kinds up to FINDING_LINE_SIZE disagree with what the system states. */
enum finding_kind {
	FINDING_CACHE_SIZE,
	FINDING_CACHE_MISSING,
	FINDING_CACHE_UNSTATED,
	FINDING_LINE_SIZE,
	FINDING_STEPS_STAY, /* with huge pages */
	FINDING_STEPS_GONE,
	FINDING_PAGES, /* others were granted than were requested */
	FINDING_TWO_MODES
};

struct finding {
	enum finding_kind kind;
	bool disagreement; /* with what the system states */
	char text[FINDING_TEXT];
};

/* A curve as measured; points NULL or count 0: not measured (yet). */
struct hierarchy_curve {
	const struct curve_point *points;
	int count;
};

/* The part of the shared last cache that this process had, by several looks. It replaces the end of
 * the curve, which is a single look. */
struct hierarchy_share {
	int looks; /* 0: none */
	double bytes, lo,
		hi;	/* the median, and the range that another run is likely to find it in */
	double seconds; /* from the first look to the last */
};

struct hierarchy_input {
	const struct machine *machine;
	struct hierarchy_share share;
	double ghz; /* median core clock of the measurement; NAN: unknown */
	struct hierarchy_curve
		lines[PAGE_KINDS]; /* random order, by enum page_kind (PAGES_4K, PAGES_HUGE) */
	struct hierarchy_curve
		pages[PAGE_KINDS];   /* one line in each page of 4 KiB; bytes are pages * 4096 */
	const char *got[PAGE_KINDS]; /* pages really got: "4k", "huge", "mixed", "unknown"; NULL:
					not asked for */
	struct hierarchy_curve
		pairs; /* two accesses bytes apart, over that distance: for the line size */
};

struct hierarchy {
	struct plateaus lines[PAGE_KINDS],
		pages[PAGE_KINDS]; /* plateaus of each curve; count 0: none */
	int level_count;
	struct hierarchy_level level[LEVELS_MAX]; /* caches from L1, then TLBs, then memory */
	double line, line_lo, line_hi;		  /* bytes; NAN unknown */
	int finding_count;
	struct finding finding[FINDINGS_MAX];
};

/* Fills all but words and findings. */
void hierarchy_find(const struct hierarchy_input *input, struct hierarchy *hierarchy);

/* Then fills each level's words, and the findings (hierarchy_text.c). */
void hierarchy_say(const struct hierarchy_input *input, struct hierarchy *hierarchy);

/* Whether the size that the system states lies outside the range that was found. */
bool hierarchy_disagrees(const struct hierarchy_level *level);

/* Whether a cache's or TLB's size is no more than about right: say its range, too. */
bool hierarchy_is_about(const struct hierarchy_level *level);

/* The curve's point nearest to a size; NULL: it has none. */
const struct curve_point *hierarchy_nearest(const struct hierarchy_curve *curve, double bytes);

/* Bytes of a line as the system states them; 0: it does not. */
unsigned hierarchy_stated_line(const struct machine *machine);

/* The cache of that number, or NULL; the memory; the first TLB. */
const struct hierarchy_level *hierarchy_cache(const struct hierarchy *hierarchy, int number);
const struct hierarchy_level *hierarchy_memory(const struct hierarchy *hierarchy);
const struct hierarchy_level *hierarchy_tlb(const struct hierarchy *hierarchy, int number);
