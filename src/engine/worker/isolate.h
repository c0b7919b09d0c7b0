/* Measures own loops in a child process on the core of the calling thread. Whatever the code does,
 * the program goes on: the sample is lost and there is a message. */
#pragma once

#include "engine/clock/clock.h"
#include "engine/counters/counting.h"
#include "engine/engine.h"

struct isolate {
	const struct request *request; /* of a kernel with `isolated` set */
	const struct clock *clock;
	const struct machine *machine;
	struct counting *counting; /* that has opened the request's plan for this thread; NULL:
				      nothing is counted */
	unsigned passes;	   /* of each group of events */
	const atomic_bool *cancel;
	/* Called once for an early answer, when the request's budget asks for one. */
	void (*early)(void *context, const struct result *result);
	void *context;
};

/* Seconds after which a call counts as endless, and seconds more for each of n: the slowest honest
 * loop misses memory a few times for each element. */
#define ISOLATE_PATIENCE      2.0
#define ISOLATE_PATIENCE_EACH 1e-6

/* Makes one request's trials and fills its result but for `final`. Returns within some 20 ms when
 * *cancel is set. */
void isolate_measure(const struct isolate *isolate, struct result *result);
