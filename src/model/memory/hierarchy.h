/* Finds the memory hierarchy of a machine from latency curves: caches, data TLBs, line size and
 * memory. Each level has a size, a latency, a confidence and a sentence. It also lists differences
 * from what the system states. Pure. */
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
	int number; /* number of the cache or TLB: 1, 2, … */
	double cycles, lo,
		hi; /* load-to-use latency with quartiles; of a TLB: the extra cost of a miss */
	double ns;  /* the latency in nanoseconds; NAN: unknown */
	double bytes, bytes_lo,
		bytes_hi; /* size and its range; INFINITY for memory; for a TLB its reach */
	double entries, entries_lo, entries_hi; /* for a TLB; otherwise NAN */
	double confidence;			/* 0…1 */
	bool unstable;				/* the size is uncertain: show the range */
	int looks; /* number of size measurements, and their total time; 0: the size comes from the
		      curve */
	double seconds;
	uint64_t stated; /* bytes that the system states; 0: nothing */
	unsigned kinds;	 /* for a TLB: page kinds whose curves show it, one bit for each enum
			    page_kind */
	char name[16];	 /* "L1d", "L2", "L3", "L1 DTLB", "memory" */
	char words[FINDING_TEXT]; /* "L1d: 4.0 cycles up to 48 KiB" */
};

/* Kinds up to FINDING_LINE_SIZE contradict the values that the system states. */
enum finding_kind {
	FINDING_CACHE_SIZE,
	FINDING_CACHE_MISSING,
	FINDING_CACHE_UNSTATED,
	FINDING_LINE_SIZE,
	FINDING_STEPS_STAY, /* steps that remain with huge pages */
	FINDING_STEPS_GONE,
	FINDING_PAGES, /* the system granted other pages than the program requested */
	FINDING_TWO_MODES
};

struct finding {
	enum finding_kind kind;
	bool disagreement; /* contradicts a value that the system states */
	char text[FINDING_TEXT];
};

/* A measured curve. Not measured yet: points is NULL or count is 0. */
struct hierarchy_curve {
	const struct curve_point *points;
	int count;
};

/* The part of the shared last cache that this process could use, measured several times. It
 * replaces the end of the curve, which is a single measurement. */
struct hierarchy_share {
	int looks;	      /* number of measurements; 0: not measured */
	double bytes, lo, hi; /* the median, and the likely range of the median in another run */
	double seconds;	      /* from the first measurement to the last */
};

struct hierarchy_input {
	const struct machine *machine;
	struct hierarchy_share share;
	double ghz; /* median core clock of the measurement; NAN: unknown */
	struct hierarchy_curve
		lines[PAGE_KINDS]; /* random order, by enum page_kind (PAGES_4K, PAGES_HUGE) */
	struct hierarchy_curve
		pages[PAGE_KINDS];    /* one line in each page of 4 KiB; bytes are pages * 4096 */
	const char *got[PAGE_KINDS];  /* pages that the system granted: "4k", "huge", "mixed",
					 "unknown"; NULL: not requested */
	struct hierarchy_curve pairs; /* for the line size: latency of two accesses, by the distance
					 in bytes between them */
};

struct hierarchy {
	struct plateaus lines[PAGE_KINDS],
		pages[PAGE_KINDS]; /* plateaus of each curve; count 0: no plateaus */
	int level_count;
	struct hierarchy_level level[LEVELS_MAX]; /* caches from L1, then TLBs, then memory */
	double line;				  /* bytes; NAN unknown */
	int finding_count;
	struct finding finding[FINDINGS_MAX];
};

/* Fills the hierarchy, except words and findings. */
void hierarchy_find(const struct hierarchy_input *input, struct hierarchy *hierarchy);

/* Call after hierarchy_find(): fills the words of each level, and the findings (hierarchy_text.c).
 */
void hierarchy_say(const struct hierarchy_input *input, struct hierarchy *hierarchy);

/* Whether the stated size lies outside the measured range. */
bool hierarchy_disagrees(const struct hierarchy_level *level);

/* Whether the size of a cache or TLB is approximate, so that its range must be shown. */
bool hierarchy_is_about(const struct hierarchy_level *level);

/* The curve's point nearest to a size. NULL: the curve is empty. */
const struct curve_point *hierarchy_nearest(const struct hierarchy_curve *curve, double bytes);

/* Line size in bytes that the system states. 0: unknown. */
unsigned hierarchy_stated_line(const struct machine *machine);

/* The cache or TLB with this number; memory has the number 0. NULL: not found. */
const struct hierarchy_level *hierarchy_level(
	const struct hierarchy *hierarchy, enum level_kind kind, int number);
