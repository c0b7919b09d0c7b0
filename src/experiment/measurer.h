/* The interface between a long measurement and the engine. The long measurement submits requests to
 * the measurer, and waits for each result. On the command line, the measurer gets results from the
 * worker thread (cli/bench.h). In the explorer, the measurer gets results from the explorer's own
 * loop (turns.h). In tests, the measurer gets results from a simulated machine. */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"

struct measurer {
	void *context;
	/* The largest number of requests to the engine that may be submitted at the same time: 1
	 * or 2. If `ahead` is 2, the worker starts the second request while this thread wakes up
	 * for the first result. */
	int ahead;
	/* Submits a copy of the request to measure; the measurer sets the generation of the copy.
	 * The engine starts a submitted request after all earlier requests. *result must stay valid
	 * until await() returns for this request. */
	void (*submit)(void *context, const struct request *request, struct result *result);
	/* Waits for the final result of the oldest request. Returns false if there is no result,
	 * because the request was cancelled before it began, or taken back. */
	bool (*await)(void *context);
	/* Returns whether await() would return at once. NULL: await() never returns at once. */
	bool (*answered)(void *context);
	/* Returns whether the long measurement must end now. Work of compute() may call it, too. */
	bool (*stopped)(void *context);
	/* Returns the seconds of a monotonic clock, which stands still while the measurement is
	 * paused. */
	double (*now)(void *context);
	/* Runs work(argument), which may take longer than one screen frame. Until work() returns,
	 * the views do not read the data that work() changes. Returns false if the result of work()
	 * is no longer needed; work() may then not have run. If `compute` is NULL, work() runs at
	 * once, in this thread. */
	bool (*compute)(void *context, void (*work)(void *argument), void *argument);
	/* watch() lets an outer measurement, such as characterise, follow an inner measurement,
	 * such as the probe. The inner measurement calls watch() with NULL before each request, and
	 * with each result. NULL: there is no outer measurement. */
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

/* Waits for the result of the oldest request, which is stored in *result. */
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
