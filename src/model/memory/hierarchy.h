/* Finds the memory hierarchy of a machine from latency curves: caches, data TLBs, line size and
 * memory. Each level has a size, a latency, a confidence and a sentence. A list of findings shows
 * differences from the values that the system states. */
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
	int number;	       /* number of the cache or TLB, counted from the core: 1, 2, …; 0: a
				  step of the curve of pages that no known TLB explains */
	double cycles, lo, hi; /* load-to-use latency in cycles with quartiles; for a TLB, the
				  additional cycles of a miss */
	double ns;	       /* latency of the level in nanoseconds; NAN: unknown */
	double bytes, bytes_lo, bytes_hi;	/* size in bytes and range of the size; INFINITY for
						   memory; for a TLB, the bytes that its entries cover */
	double entries, entries_lo, entries_hi; /* number of entries of a TLB and its range; NAN for
						   caches and memory */
	double confidence; /* probability from 0 to 1 that the cache or TLB exists */
	bool unstable; /* true: the size of the cache or TLB is uncertain, so its range is shown */
	int looks;     /* number of separate measurements of the size; 0: the size comes from the
			  latency curve */
	double seconds;
	uint64_t stated; /* size in bytes that the system states; 0: the system states no size */
	unsigned kinds;	 /* for a TLB, the page kinds whose curves show the TLB: one bit for each
			    value of enum page_kind */
	char name[16]; /* name of the level: "L1d", "L2", "L3", "L1 DTLB", "memory"; "step": a step
			  of the curve of pages that no known TLB explains */
	char words[FINDING_TEXT]; /* sentence about the cache, TLB or memory: "L1d: 4.0 cycles up to
				     48 KiB" */
};

/* Kinds of findings. A finding of a kind up to FINDING_LINE_SIZE contradicts a value that the
 * system states. */
enum finding_kind {
	FINDING_CACHE_SIZE,
	FINDING_CACHE_MISSING,
	FINDING_CACHE_UNSTATED,
	FINDING_LINE_SIZE,
	FINDING_STEPS_STAY, /* rises of the latency curve that a TLB causes, and that remain with
			       huge pages */
	FINDING_STEPS_GONE,
	FINDING_PAGES, /* the system granted pages of another kind than the program requested */
	FINDING_TWO_MODES
};

struct finding {
	enum finding_kind kind;
	bool disagreement; /* the finding contradicts a value that the system states */
	char text[FINDING_TEXT];
};

/* A measured latency curve. If the curve is not measured yet, points is NULL or count is 0. */
struct hierarchy_curve {
	const struct curve_point *points;
	int count;
};

/* The part of the shared last cache that this process could use, measured several times. The size
 * measured several times replaces the size from the latency curve, which is a single measurement.
 */
struct hierarchy_share {
	int looks;	      /* number of measurements of the shared cache; 0: not measured */
	double bytes, lo, hi; /* median of the measured sizes in bytes, and the likely range of this
				 median in another run */
	double seconds;	      /* seconds from the first measurement to the last */
};

struct hierarchy_input {
	const struct machine *machine;
	struct hierarchy_share share;
	/* Entries of the first and second data TLB for pages of 4 KiB, by the processor or its core
	   model; 0: not stated. A step of the curve of pages is called a TLB only if it has a
	   stated size. If no size is stated, it must disappear with huge pages. */
	double tlb_stated[DTLBS];
	double ghz; /* median core clock in GHz during the measurement; NAN: unknown */
	struct hierarchy_curve lines[PAGE_KINDS]; /* curves of loads of all lines in random order,
						     one for each enum page_kind */
	struct hierarchy_curve pages[PAGE_KINDS]; /* curves of loads of one line in each page of 4
						     KiB; bytes are the number of pages * 4096 */
	const char
		*got[PAGE_KINDS]; /* kind of pages that the system granted: "4k", "huge", "mixed",
				     "unknown"; NULL: pages of this kind were not requested */
	struct hierarchy_curve pairs; /* curve for the line size: latency of two accesses, by the
					 distance in bytes between the accesses */
};

struct hierarchy {
	struct plateaus lines[PAGE_KINDS],
		pages[PAGE_KINDS]; /* plateaus of each latency curve; if count is 0, the curve has
				      no plateaus */
	int level_count;
	struct hierarchy_level
		level[LEVELS_MAX]; /* all levels found: caches from L1, then TLBs, then memory */
	double line;		   /* measured size of a cache line in bytes; NAN: unknown */
	int finding_count;
	struct finding finding[FINDINGS_MAX];
};

/* Fills the hierarchy, except the words of the levels and the findings. */
void hierarchy_find(const struct hierarchy_input *input, struct hierarchy *hierarchy);

/* Call this function after hierarchy_find(): it fills the words of each level, and the findings
 * (hierarchy_text.c). */
void hierarchy_say(const struct hierarchy_input *input, struct hierarchy *hierarchy);

/* Whether the size that the system states lies outside the measured range. */
bool hierarchy_disagrees(const struct hierarchy_level *level);

/* Whether the size of a cache or TLB is approximate. If the size is approximate, the range of the
 * size must be shown. */
bool hierarchy_is_about(const struct hierarchy_level *level);

/* Returns the point of a curve whose size is nearest to `bytes`. Returns NULL if the latency curve
 * is empty. */
const struct curve_point *hierarchy_nearest(const struct hierarchy_curve *curve, double bytes);

/* Whether the step of a TLB is absent in `curve`, although the curve extends well beyond the step.
 */
bool hierarchy_is_gone(const struct hierarchy_curve *curve, const struct hierarchy_level *tlb);

/* Returns the size of a cache line in bytes that the system states. Returns 0 if the system states
 * no line size. */
unsigned hierarchy_stated_line(const struct machine *machine);

/* Returns the level of kind `kind` with the number `number`; memory has the number 0. Returns NULL
 * if no such level of the memory hierarchy was found. */
const struct hierarchy_level *hierarchy_level(
	const struct hierarchy *hierarchy, enum level_kind kind, int number);
