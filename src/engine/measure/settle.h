/* Steady state: a trial of a walk beyond the core's own caches is true only if the caches hold what
 * endless walking would leave there. So the walk goes on untimed until the time of its pieces stops
 * drifting: a lap at least where a lap is short, and as far as an access finds nothing again where
 * a lap is long. Runs on the calling thread; no thread, no I/O, no allocation. */
#ifndef SLX_ENGINE_MEASURE_SETTLE_H
#define SLX_ENGINE_MEASURE_SETTLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

struct measure;

/* Laps up to this long, seconds, are walked whole before the first trial. */
#define SETTLE_LAP 0.1

/* What differs by less than this, relatively, between the first and the last third does not drift.
 */
#define SETTLE_DRIFT 0.03

enum { SETTLE_MARKS = 24 };

struct settle {
	uint64_t own_bytes; /* of the core's own caches: a working set inside them needs one lap, no
			       more */
	double seconds;	    /* the longest that settling may take (> 0) */
	double lap;	    /* laps up to this long, seconds, are walked whole; 0: SETTLE_LAP */
	double (*now)(void); /* seconds; NULL: the clock of the measure */
	/* Bytes that a scattered walk goes on until what it met first is gone from every cache: the
	 * largest reuse distance at which lines were found again. Measured here, since the stated
	 * size of a shared cache says nothing of this process's share. 0: not measured yet. A walk
	 * whose oldest lines are still found goes on for twice as long. */
	double reach;
	/* States of the walk to go back to, for measuring reach. */
	unsigned marks;
	uint64_t marked[SETTLE_MARKS];
	struct kernel_run mark[SETTLE_MARKS];
};

/* Walks measure->run untimed from where it is until it is in steady state, settle->seconds have
 * passed, or *cancel is set. Sets measure->far, lap and steady; may renew settle->reach. After
 * measure_begin(), before the first trial. Does nothing for runs that begin each call at the ring's
 * beginning, that are complete, or that are to miss (kernel->cold): measure->far stays false. */
void measure_settle(struct measure *measure, struct settle *settle, const atomic_bool *cancel);

#endif
