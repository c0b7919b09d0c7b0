/* A worker that really measures, and requests to it. */
#pragma once

#include "check.h"

#include <poll.h>

#include "engine/worker/worker.h"

/* Of each test with start and stop. */
static struct worker *worker;
static struct engine engine;
static struct result result; /* the last answer */

static inline int start(void **state)
{
	const struct worker_options options = { .cpu = -1 };
	struct status status;

	worker = worker_start(&options, &status);
	check_ok(status);
	check_ok(worker_wait_ready(worker));
	engine = worker_engine(worker);
	return 0;
}

static inline int stop(void **state)
{
	worker_stop(worker);
	return 0;
}

static inline struct request request_for(const char *kernel, const char *knob, int64_t value)
{
	struct request request = { .kernel = kernel_find(kernel),
		.seed = 1,
		.budget = { .seconds = 0.02, .quiet_wanted = 10 } };

	for (int i = 0; i < request.kernel->knob_count; i++)
		request.v[i] = request.kernel->knobs[i].initial;
	if (knob)
		request.v[kernel_knob(request.kernel, knob)] = value;
	return request;
}

/* Waits for the next answer; a lost one ends the test. */
static inline void await(void)
{
	struct pollfd wait = { .fd = engine.descriptor, .events = POLLIN };

	while (!engine.take(engine.context, &result))
		if (poll(&wait, 1, 600000) != 1)
			fail_msg("no answer within ten minutes");
}

static inline void submit(const struct request *request)
{
	engine.submit(engine.context, request);
}

/* Submits a request whose answer is final and good. */
static inline void measure_one(const struct request *request)
{
	submit(request);
	await();
	check_ok(result.status);
}
