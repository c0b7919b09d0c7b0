/* The measurement itself: trials of one kernel run against the reference clock. No thread, no I/O,
 * no allocation; runs on the calling thread, which should be bound to its core.
 *
 * A trial makes the same number of calls on a half and on the whole of a stretch of elements, a
 * fence after each call, and takes the difference, so that what a call costs apart from its
 * elements cancels. Beyond the core's own caches, where calls are long, the whole alone counts. The
 * reference chain is timed the same way right before and right after; the watch chain once before,
 * the watch loop before and after. */
#ifndef SLX_ENGINE_MEASURE_MEASURE_H
#define SLX_ENGINE_MEASURE_MEASURE_H

#include <stdatomic.h>

#include "engine/clock/clock.h"
#include "engine/measure/trials.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

struct counting;

/* Two lengths whose difference gives what one element takes. */
struct stretch {
	uint64_t half, whole; /* elements of a call */
	unsigned calls;	      /* of each, in a region */
};

struct measure {
	struct kernel_run *run;
	const struct clock *clock;
	uint64_t half, whole; /* elements of the two timed calls */
	unsigned calls;	      /* of each, in a region */
	struct stretch
		count; /* what events are counted on: neither call passes the ring's end where that
			  can be had, since passing it takes instructions that no element does */
	double each;   /* seconds an element took when measuring began, about */
	double lap;    /* seconds that one pass over the working set takes, about */
	bool far; /* the working set is larger than the core's own caches: its walk settles, trials
		     spread over a lap, and they must not drift (measure_settle()) */
	bool drifts;   /* the walk did not come to steady state before the first trial */
	uint8_t place; /* which placement in memory trials are of (struct trial) */
	bool rewind;   /* each call starts at the ring's beginning; otherwise where the last one
			  stopped */
	double begin;  /* seconds, when the first trial began */
	int cpu;       /* the processor the thread should be on; -1: any */
	/* Counts core cycles: then they are the trials' clock. measure_begin() leaves it NULL: the
	 * reference chain is. Becomes NULL when the counter is lost on the way; the trials made so
	 * far are then by the reference chain too. */
	struct counting *counting;
	struct progress *progress; /* where complete runs leave how far they are; measure_begin()
				      leaves it NULL: nobody asks */
};

/* What the trials made so far are by. */
static inline enum source measure_source(const struct measure *measure)
{
	return measure->counting ? SOURCE_COUNTER : SOURCE_REFERENCE;
}

/* Chooses the calls for a prepared run and reads its working set once, as far as it fits the core's
 * own caches. first_cache: bytes of the first data cache; a working set of up to warm_most bytes is
 * read, in warm_seconds at most. */
void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel);

/* The walk was brought to steady state, in which an element takes so many seconds: chooses the
 * calls by that, and trials begin now. */
void measure_settled(struct measure *measure, double each);

/* When to stop making trials. */
struct measure_goal {
	unsigned quiet;	  /* this many quiet trials are in; of a working set beyond the core's own
			     caches they also span a lap, where   time allows, and do not drift */
	double precision; /* or the median's standard error is this small, relatively, with at least
			     QUIET_ENOUGH quiet trials; 0: no matter. Within the core's own caches
			     alone */
	unsigned trials;  /* this many trials in all are in */
	unsigned patience; /* at every multiple of this: fewer than a tenth of all are quiet; 0: no
			      matter */
	double until;	   /* the time is up: seconds of clock_seconds() */
	unsigned fewest;   /* of a complete run: so many are made all the same; 0: one */
};

/* Makes trials, appending to `trials`, until one part of the goal is reached or *cancel is set. At
 * least three are made unless cancelled, of a complete run goal->fewest. */
void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel);

/* The calls of one region of `count`, untimed, for whoever counts around them. */
void measure_region(struct measure *measure, uint64_t elements);

/* ---- quiet.c ---- */

/* What a trial's watch chain of so many links tells (struct trial): its ticks, and those of a cycle
 * by the reference chain. Pure. */
enum { MEASURE_WATCH_LINKS = 12288 };
float measure_watch(const struct clock *clock, double ticks, double cycle);

/* Tells quiet trials from contended ones by the watch chain, smoothed over neighbours: spells of
 * contention last much longer than a trial, and one reading is good to about 1 % only. Pure. */
void measure_classify(struct trials *trials);

/* What the watch loops took at their best in these trials, for clock_learn(), and the median core
 * clock; NAN when there are too few. Pure. */
double measure_best_turns(const struct trials *trials, double *ghz);

#endif
