/* A measurement: how many calls of one kernel a timed region makes, and the walk to steady state.
 * No thread, no I/O, no allocation; runs on the calling thread, which should be bound to its core.
 *
 * A stretch is a number of elements. A trial (goal.c) times calls on half a stretch and on the
 * whole stretch, with a fence after each call. It subtracts the two times, so the cost of a call
 * cancels. Beyond the core's own caches calls are long, and the trial uses only the time of the
 * whole stretch.
 *
 * Beyond the core's own caches, the caches must hold the same lines as in an endless walk. Only
 * then is a trial valid. measure_settle() walks untimed until the time of its pieces stops
 * drifting. A short lap is walked completely. A long lap is walked until its first lines have left
 * all caches. */
#pragma once

#include <stdatomic.h>

#include "engine/clock/clock.h"
#include "engine/measure/trials.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

struct counting;

/* Two lengths; the difference of their times gives the time of an element. */
struct stretch {
	uint64_t half, whole; /* elements of a call */
	unsigned calls;	      /* calls of each length in a timed region */
};

struct measure {
	struct kernel_run *run;
	const struct clock *clock;
	struct stretch time;  /* the calls that trials time */
	struct stretch count; /* events are counted on these calls. If possible, a call does not
				 pass the end of the ring, which executes extra instructions */
	double each;	      /* approximate seconds for an element at the start */
	double lap;	      /* approximate seconds for one pass over the working set */
	bool far; /* the working set is larger than the core's own caches: its walk must settle, its
		     trials span a lap and must not drift */
	bool drifts;   /* the walk did not reach steady state before the first trial */
	uint8_t place; /* placement of the trials in memory (struct trial) */
	bool rewind;  /* each call starts at the beginning of the ring; otherwise where the previous
			 call stopped */
	double begin; /* start of the first trial, seconds */
	int cpu;      /* the processor on which the thread should be; -1: any */
	/* Counts core cycles, which are then the clock of trials. NULL (set by measure_begin()):
	 * the reference chain is the clock. Becomes NULL when the counter is lost; earlier trials
	 * are then converted to the reference chain. */
	struct counting *counting;
	struct progress *progress; /* progress of complete runs; NULL (set by measure_begin()): not
				      reported */
};

/* The clock source of the trials so far. */
static inline enum source measure_source(const struct measure *measure)
{
	return measure->counting ? SOURCE_COUNTER : SOURCE_REFERENCE;
}

/* Chooses the calls for a prepared run. first_cache: bytes of the first data cache. A working set
 * of up to warm_most bytes is first read once, for at most warm_seconds. */
void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel);

/* Laps up to this length, in seconds, are walked completely before the first trial. */
#define SETTLE_LAP 0.1

/* A series drifts when its first and last third differ by more than this share. */
#define SETTLE_DRIFT 0.03

enum { SETTLE_MARKS = 24 };

struct settle {
	uint64_t own_bytes; /* size of the core's own caches: a working set that fits needs one lap
			     */
	double seconds;	    /* limit for the walk (> 0) */
	double lap; /* seconds: laps up to this length are walked completely; 0: SETTLE_LAP */
	double (*now)(void); /* seconds; NULL: the clock of the measure */
	/* After this many bytes, a scattered walk no longer finds its first lines in any cache. It
	 * is the largest reuse distance at which lines were still found. It is measured, because a
	 * process gets only part of a shared cache. 0: not measured yet. If the oldest lines are
	 * still found, the walk doubles its length. */
	double reach;
	/* Earlier states of the walk, for measuring `reach`. */
	unsigned marks;
	struct settle_mark {
		uint64_t walked; /* elements before this state */
		struct kernel_run run;
	} mark[SETTLE_MARKS];
};

/* Walks measure->run untimed until it is in steady state, settle->seconds have passed, or *cancel
 * is set. Sets measure->far, lap and drifts; may update settle->reach. Call it after
 * measure_begin(), before the first trial. Does nothing for complete runs, cold kernels, and runs
 * with measure->rewind: measure->far stays false. */
void measure_settle(struct measure *measure, struct settle *settle, const atomic_bool *cancel);

/* Calls the kernel `calls` times, each time on `elements` elements, with a fence after each call.
 */
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

/* Makes the calls of one region of `count`, untimed. The caller counts events around them. */
void measure_region(struct measure *measure, uint64_t elements);
