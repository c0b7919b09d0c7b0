/* A measurement: how many calls of one kernel a timed region makes, and the untimed walk that
 * brings the caches to steady state. A measurement runs on the calling thread, which should be
 * bound to its core. Measuring code starts no thread, does no I/O, and allocates no memory.
 *
 * A stretch is a number of consecutive elements that one call of the kernel processes. A trial
 * (goal.c) times calls on half a stretch of elements and on the whole stretch, with a fence after
 * each call. A trial subtracts the time for half a stretch of elements from that for the whole
 * stretch, so the cost of a call cancels. For a working set larger than the core's own caches,
 * calls are long, and a trial uses only the time of the whole stretch.
 *
 * For a working set larger than the core's own caches, a trial is valid only if the caches hold the
 * same lines as in an endless walk. measure_settle() walks the working set untimed until the times
 * of the walk's pieces stop drifting. A short pass over the working set (lap) is walked completely
 * before the trials. If a pass over the working set is long, it is walked until its first lines
 * have left all caches. */
#pragma once

#include <stdatomic.h>

#include "engine/clock/clock.h"
#include "engine/measure/trials.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

struct counting;

/* Two lengths of a call; the difference of their times gives the time of an element. */
struct stretch {
	uint64_t half, whole; /* number of elements of a call on half a stretch, and of a call on
				 the whole stretch */
	unsigned calls;	      /* number of kernel calls of each length in a timed region */
};

/* Number of different lengths of the calls on one stretch. */
enum { MEASURE_STEPS = 8 };

struct measure {
	struct kernel_run *run;
	const struct clock *clock;
	struct stretch time; /* the calls that trials time */
	/* the kernel calls on which events are counted. If possible, a counted call does not pass
	 * the end of the data (the ring), because extra instructions run there */
	struct stretch count;
	double each;	  /* approximate time of an element at the start, seconds */
	double preparing; /* approximate time of the preparation of a call (setup(), fresh data),
			     which is not part of `each`, seconds */
	double lap;	  /* approximate time of a lap (one pass over the working set), seconds */
	bool far;      /* true: the working set is larger than the core's own caches, so it must be
			  walked to steady state, and its trials span a whole pass and must not drift */
	bool drifts;   /* true: the untimed walk over the data did not reach steady state before the
			  first trial */
	uint8_t place; /* position of the working set in memory during the trials (struct trial) */
	bool rewind;   /* true: each call of the kernel starts at the beginning of the ring of data;
			  false: each call starts where the previous call stopped */
	/* Each call is shorter than the stretch by another number of steps of this number of
	 * elements, the same for both lengths. If the calls of one length were all alike, some
	 * cores would predict the end of its loop, and mispredict that of the other length: on Zen
	 * 5, two chains of additions took 0.478 or 0.507 cycles, and not 0.500. 0: all calls of a
	 * length are alike. */
	uint64_t step;
	double begin; /* time at which the first trial started, seconds */
	int cpu;      /* the processor on which the thread should run; -1: any processor */
	/* Hardware counter of core cycles, which times the trials. NULL (set by measure_begin()):
	 * the reference chain of dependent instructions is the clock of trials. The field
	 * `counting` becomes NULL when the counter is lost; earlier trials are then converted to
	 * cycles of the reference chain of dependent instructions. */
	struct counting *counting;
	struct progress *progress; /* progress of complete runs; NULL (set by measure_begin()):
				      progress is not reported */
};

/* Returns the clock source of the trials so far. */
static inline enum source measure_source(const struct measure *measure)
{
	return measure->counting ? SOURCE_COUNTER : SOURCE_REFERENCE;
}

/* Chooses the number and length of the kernel calls for a prepared run. The parameter `first_cache`
 * is the size of the first-level data cache, bytes. A working set of up to warm_most bytes is first
 * read once into the caches, for at most warm_seconds. */
void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel);

/* If one pass over the working set (lap) takes at most this many seconds, it is walked completely
 * before the first trial. */
#define SETTLE_LAP 0.1

/* A series of times drifts only if the medians of its first third and its last third differ by more
 * than this share. */
#define SETTLE_DRIFT 0.03

enum { SETTLE_MARKS = 24 };

struct settle {
	uint64_t own_bytes; /* size of the core's own caches, bytes; a working set that fits these
			       caches needs only one lap */
	double seconds;	    /* time limit, in seconds, for the untimed walk over the data before the
			       trials (> 0) */
	double lap; /* if one pass over the working set (lap) takes at most this many seconds, it is
		       walked completely; 0: SETTLE_LAP seconds */
	double (*now)(void); /* function that returns the time in seconds; NULL: the measurement's
				own clock is used */
	/* The largest reuse distance, in bytes, at which a scattered walk still found its lines in
	 * a cache. After a walk over as many bytes as `reach` says, the first lines of the walk are
	 * no longer in any cache. The reuse distance is measured, because a process gets only part
	 * of a shared cache. 0: the reuse distance is not measured yet. If the oldest lines of the
	 * walk are still found in a cache, the walk doubles its length. */
	double reach;
	/* Saved positions of the walk over the data, for measuring `reach`, the reuse distance that
	 * a cache covers. */
	unsigned marks;
	struct settle_mark {
		uint64_t walked; /* number of elements that the walk over the data had processed at
				    this saved position */
		struct kernel_run run;
	} mark[SETTLE_MARKS];
};

/* Calls the kernel of measure->run untimed until the caches are in steady state, settle->seconds
 * have passed, or *cancel is set. From the times of the calls before the first trial, sets
 * measure->far, measure->lap and measure->drifts; may update settle->reach. Call measure_settle()
 * after measure_begin(), before the first trial. measure_settle() does nothing for complete runs,
 * cold kernels, and runs with measure->rewind; measure->far then stays false. */
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
		call(run, elements - measure->step * (i * 5 % MEASURE_STEPS));
		clock_fence();
	}
}

/* Makes the kernel calls of one region of measure->count without timing them. The caller counts
 * events around this function. */
void measure_region(struct measure *measure, uint64_t elements);
