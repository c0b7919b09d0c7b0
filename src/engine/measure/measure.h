/* A measurement: how many calls of one kernel run a timed region makes. No thread, no I/O, no
 * allocation; runs on the calling thread, which should be bound to its core.
 *
 * A trial (rounds.h) makes the same number of calls on the half and on the whole of a stretch of
 * elements, with a fence after each call, and takes the difference: the cost of a call then
 * cancels. Beyond the core's own caches, where calls are long, the whole alone counts. The
 * reference chain is timed in the same way right before and right after; the watch chain once
 * before, the watch loop before and after. */
#pragma once

#include <stdatomic.h>

#include "engine/clock/clock.h"
#include "engine/measure/trials.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

struct counting;

/* Two lengths; their difference gives the time of an element. */
struct stretch {
	uint64_t half, whole; /* elements of a call */
	unsigned calls;	      /* of each, in a region */
};

struct measure {
	struct kernel_run *run;
	const struct clock *clock;
	uint64_t half, whole; /* elements of the two timed calls */
	unsigned calls;	      /* of each, in a region */
	struct stretch count; /* events are counted on these. Where possible, neither call passes
				 the end of the ring, which takes extra instructions */
	double each;	      /* seconds an element took at the start, about */
	double lap;	      /* seconds that one pass over the working set takes, about */
	bool far;      /* the working set is larger than the core's own caches: its walk settles
			  (measure_settle()), trials spread over a lap, and they must not drift */
	bool drifts;   /* the walk did not reach steady state before the first trial */
	uint8_t place; /* placement in memory of the trials (struct trial) */
	bool rewind;   /* each call starts at the ring's beginning; otherwise where the last one
			  stopped */
	double begin;  /* seconds, when the first trial began */
	int cpu;       /* the processor the thread should be on; -1: any */
	/* Counts core cycles, which are then the clock of trials. measure_begin() sets NULL: the
	 * reference chain is the clock. Becomes NULL when the counter is lost; earlier trials are
	 * then converted to the reference chain. */
	struct counting *counting;
	struct progress
		*progress; /* progress of complete runs; NULL (measure_begin()): nobody asks */
};

/* The clock of the trials so far. */
static inline enum source measure_source(const struct measure *measure)
{
	return measure->counting ? SOURCE_COUNTER : SOURCE_REFERENCE;
}

/* Chooses the calls for a prepared run. first_cache: bytes of the first data cache. A working set
 * of up to warm_most bytes is read once first, for at most warm_seconds. */
void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel);

/* Chooses the calls again after the walk to steady state, in which an element takes `each` seconds.
 * Trials begin now. */
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

/* Makes the calls of one region of `count`, untimed, for a caller that counts events around them.
 */
void measure_region(struct measure *measure, uint64_t elements);
