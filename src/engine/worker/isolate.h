/* Measuring code that is not ours, in a child process of its own, on the core that the calling
 * thread is bound to. Whatever the code does, it costs this sample and brings a message. */
#ifndef SLX_ENGINE_WORKER_ISOLATE_H
#define SLX_ENGINE_WORKER_ISOLATE_H

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

/* A call of the code that is not back after this many seconds, and this many more for each of n,
 * never is. The slowest that an honest loop does with an element is a few misses of memory. */
#define ISOLATE_PATIENCE      2.0
#define ISOLATE_PATIENCE_EACH 1e-6

/* Makes one request's trials and fills its result but for `final`. Returns within some 20 ms when
 * *cancel is set. */
void isolate_measure(const struct isolate *isolate, struct result *result);

#endif
