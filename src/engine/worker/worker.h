/* The worker is a thread that is bound to its core, takes requests, measures, and answers. Each
 * program has one worker thread that measures.
 *
 * After its start the worker loads the topology, chooses a core, binds itself to it, and calibrates
 * the clock. worker_start() does not wait for this preparation. After its preparation, the worker
 * waits for requests to measure. The worker puts each result (answer) on a queue, and writes a byte
 * to a pipe. */
#pragma once

#include "base/status.h"
#include "engine/clock/clock.h"
#include "engine/engine.h"

struct worker;

struct worker_options {
	int cpu; /* the core to measure; -1: the worker chooses a core */
	/* Returns what the core model says of this machine's core if one thread uses it alone. The
	 * worker's thread calls this function once. NULL: unknown. */
	struct clock_alone (*alone)(const struct machine *machine);
	double rest_after; /* seconds without a request after which the worker gives its memory
			      back; 0: a minute */
	double end_after;  /* seconds that worker_stop() waits; 0: two seconds */
	bool bind_caller;  /* true: move the calling thread off the measured core and its
			      hyper-thread sibling, if another core exists, until worker_stop() */
};

/* Starts the worker. Returns NULL and a status if the worker's thread or pipe cannot be created. If
 * the core to measure is unusable, worker_wait_ready() or the first result reports it later. */
struct worker *worker_start(const struct worker_options *options, struct status *status);

/* Blocks until the worker has its core and clock. STATUS_USAGE: the core does not exist or is not
 * allowed for this process. */
struct status worker_wait_ready(struct worker *worker);

/* Cancels all requests, waits for the worker's thread to end, and frees everything. The worker
 * checks between calls of the kernel whether its request was cancelled. Returns false if a call
 * does not return in time, or if the worker is not ready yet: then the worker's thread goes on
 * until the program ends, nothing is freed, and worker_stop() may be called again. */
bool worker_stop(struct worker *worker);

/* The worker's engine interface; valid until worker_stop(). */
struct engine worker_engine(struct worker *worker);
