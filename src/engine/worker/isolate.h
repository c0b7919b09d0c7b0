/* Measures the user's own loops in a child process on the core of the calling thread. If the loop
 * crashes or hangs, the program continues: it loses the sample and reports why. */
#pragma once

#include "engine/clock/clock.h"
#include "engine/counters/counting.h"
#include "engine/engine.h"

struct isolate {
	const struct request *request; /* for a kernel with `isolated` set */
	const struct clock *clock;
	const struct machine *machine;
	struct counting *counting; /* has opened the request's plan for this thread; NULL: no events
				      are counted */
	unsigned passes;	   /* number of times that each group of events is counted */
	const atomic_bool *cancel;
	/* Called once with an early result, if the request's budget asks for one. */
	void (*early)(void *context, const struct result *result);
	void *context;
};

/* A call that takes longer counts as endless: ISOLATE_PATIENCE seconds plus ISOLATE_PATIENCE_EACH
 * for each of n elements. The slowest correct loop misses memory a few times for each element. */
#define ISOLATE_PATIENCE      2.0
#define ISOLATE_PATIENCE_EACH 1e-6

/* Makes the trials of one request and fills in its result, except `final`. Returns within about 20
 * ms after *cancel is set. */
void isolate_measure(const struct isolate *isolate, struct result *result);
