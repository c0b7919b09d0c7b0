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

/* Calls the kernel `calls` times on so many elements, with a fence after each call. */
static inline void measure_calls(const struct measure *measure, uint64_t elements, unsigned calls)
{
	struct kernel_run *run = measure->run;
	void (*call)(struct kernel_run *, uint64_t) = run->kernel->call;

	for (unsigned i = 0; i < calls; i++) {
		if (measure->rewind)
			kernel_rewind(run);
		call(run, elements);
		clock_fence();
	}
}

/* The calls of one region of `count`, untimed, for whoever counts around them. */
void measure_region(struct measure *measure, uint64_t elements);

#endif
