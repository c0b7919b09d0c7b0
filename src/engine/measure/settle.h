/* Steady state: a trial of a walk beyond the core's own caches is true only if the caches hold what
 * endless walking leaves there. The walk goes on untimed until the time of its pieces stops
 * drifting: for a lap where a lap is short, else until lines met early are no longer found in any
 * cache. Runs on the calling thread; no thread, no I/O, no allocation. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

struct measure;

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
