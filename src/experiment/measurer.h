/* The engine as a long measurement uses it: it submits requests, and waits for each result. The
 * command line answers from the worker (cli/bench.h), the explorer from its own loop (turns.h), a
 * test from a made-up machine. */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"

struct measurer {
	void *context;
	/* Requests that may be under way at a time: 1 or 2. With 2 the worker begins the second
	 * while this thread is woken for the result of the first. */
	int ahead;
	/* Submits a copy of the request; its generation is the measurer's. The engine begins it
	 * after those under way. *result must stay in place until await() returns for it. */
	void (*submit)(void *context, const struct request *request, struct result *result);
	/* Waits for the final result of the oldest request. Returns false when there is none: the
	 * request was cancelled before it began, or taken back. */
	bool (*await)(void *context);
	/* Whether await() would return at once. NULL: it never would. */
	bool (*answered)(void *context);
	/* Whether the measurement must end now. */
	bool (*stopped)(void *context);
	/* Seconds of a steady clock; pauses do not count. */
	double (*now)(void *context);
	/* Runs work(argument), which takes longer than a frame. Until it returns, the views do not
	 * read the data that work() changes. Returns false when its result is no longer needed:
	 * work() may then not have run. NULL: it runs at once. */
	bool (*compute)(void *context, void (*work)(void *argument), void *argument);
	/* Watches a measurement inside another one: called with NULL before each request, and with
	 * each result. NULL: nobody watches. */
	void (*watch)(void *watcher, const struct result *result);
	void *watcher;
};

static inline void measurer_submit(
	const struct measurer *measurer, const struct request *request, struct result *result)
{
	if (measurer->watch)
		measurer->watch(measurer->watcher, NULL);
	measurer->submit(measurer->context, request, result);
}

/* Waits for the result of the oldest request, which *result is. */
static inline bool measurer_await(const struct measurer *measurer, const struct result *result)
{
	if (!measurer->await(measurer->context))
		return false;
	if (measurer->watch)
		measurer->watch(measurer->watcher, result);
	return true;
}

static inline bool measurer_measure(
	const struct measurer *measurer, const struct request *request, struct result *result)
{
	measurer_submit(measurer, request, result);
	return measurer_await(measurer, result);
}

static inline bool measurer_stopped(const struct measurer *measurer)
{
	return measurer->stopped(measurer->context);
}

static inline double measurer_now(const struct measurer *measurer)
{
	return measurer->now(measurer->context);
}

static inline bool measurer_compute(
	const struct measurer *measurer, void (*work)(void *argument), void *argument)
{
	if (measurer->compute)
		return measurer->compute(measurer->context, work, argument);
	work(argument);
	return true;
}
