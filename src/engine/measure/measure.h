/* A measurement: how many calls of one kernel a timed region makes, and the walk to steady state.
 * No thread, no I/O, no allocation; runs on the calling thread, which should be bound to its core.
 *
 * A trial (goal.c) makes the same number of calls on the half and on the whole of a stretch of
 * elements, with a fence after each call, and subtracts: the cost of a call then cancels. Beyond
 * the core's own caches, where calls are long, the whole alone counts.
 *
 * A trial of a walk beyond the core's own caches is true only if the caches hold the lines that
 * endless walking leaves there. measure_settle() walks untimed until the time of its pieces stops
 * drifting: for a lap where a lap is short, else until the first lines are no longer in any cache.
 */
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
	struct stretch time;  /* trials time these calls */
	struct stretch count; /* events are counted on these calls. Where possible, neither passes
				 the end of the ring, which executes extra instructions */
	double each;	      /* seconds an element took at the start, about */
	double lap;	      /* seconds that one pass over the working set takes, about */
	bool far;      /* the working set is larger than the core's own caches: its walk settles,
			  trials spread over a lap, and they must not drift */
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
	struct progress *progress; /* of complete runs; NULL (measure_begin()): not reported */
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

/* Laps up to this long, seconds, are walked completely before the first trial. */
#define SETTLE_LAP 0.1

/* A series drifts when its first and last third differ by more than this, relatively. */
#define SETTLE_DRIFT 0.03

enum { SETTLE_MARKS = 24 };

struct settle {
	uint64_t own_bytes; /* of the core's own caches: a working set that fits them needs one lap
			     */
	double seconds;	    /* the longest walk (> 0) */
	double lap;	    /* seconds: laps up to this long are walked completely; 0: SETTLE_LAP */
	double (*now)(void); /* seconds; NULL: the clock of the measure */
	/* Bytes after which a scattered walk no longer finds its first lines in any cache: the
	 * largest reuse distance at which lines were found again. Measured here, because the size
	 * of a shared cache does not say what part this process gets. 0: not measured yet. A walk
	 * whose oldest lines are still found goes on for twice as long. */
	double reach;
	/* Earlier states of the walk, for measuring `reach`. */
	unsigned marks;
	uint64_t marked[SETTLE_MARKS];
	struct kernel_run mark[SETTLE_MARKS];
};

/* Walks measure->run untimed until it is in steady state, settle->seconds have passed, or *cancel
 * is set. Sets measure->far, lap and drifts; may update settle->reach. Call it after
 * measure_begin(), before the first trial. Does nothing for runs that begin each call at the ring's
 * beginning, complete runs and cold kernels: measure->far stays false. */
void measure_settle(struct measure *measure, struct settle *settle, const atomic_bool *cancel);

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
