/* The pinned thread: takes requests, measures, answers. One for each program.
 *
 * It loads the topology, chooses and binds its core, calibrates the clock (all off the caller's
 * path), then waits for requests. Each answer is put on a queue and a byte on a pipe. */
#pragma once

#include "base/status.h"
#include "engine/engine.h"

struct worker;

struct worker_options {
	int cpu;	  /* the core to measure; -1: choose */
	bool bind_caller; /* move the calling thread off the measured core (and its sibling) when
			     there is another */
};

/* Starts the worker. Returns NULL and a status when no thread or pipe can be created.
 * worker_wait_ready(), or the first result, reports a core that cannot be used. */
struct worker *worker_start(const struct worker_options *options, struct status *status);

/* Blocks until the worker has its core and clock. STATUS_USAGE for a core that does not exist or is
 * not allowed here. */
struct status worker_wait_ready(struct worker *worker);

/* Cancels, waits for the thread (which looks at the flag between trials), frees everything. */
void worker_stop(struct worker *worker);

/* The worker seen as an engine; valid until worker_stop(). */
struct engine worker_engine(struct worker *worker);
