/* A measurer over a made-up machine: no thread, and time is a number. */
#pragma once

#include "check.h"

#include "experiment/measurer.h"

struct fake_measurer {
	/* Answers a request, and lets its time pass. */
	struct result (*answer)(void *context, const struct request *request);
	void *context;
	const double *now;
	bool stopped;
	struct request request[2]; /* under way, the oldest first */
	struct result *result[2];
	int under_way, most; /* now, and at most so far */
};

static inline void fake_measurer_submit(
	void *context, const struct request *request, struct result *result)
{
	struct fake_measurer *fake = context;

	assert_true(fake->under_way < 2);
	assert_true(request->budget.seconds > 0 && request->budget.quiet_wanted > 0);
	fake->request[fake->under_way] = *request;
	fake->result[fake->under_way++] = result;
	if (fake->under_way > fake->most)
		fake->most = fake->under_way;
}

static inline bool fake_measurer_await(void *context)
{
	struct fake_measurer *fake = context;

	assert_true(fake->under_way > 0);
	*fake->result[0] = fake->answer(fake->context, &fake->request[0]);
	fake->under_way--;
	fake->request[0] = fake->request[1];
	fake->result[0] = fake->result[1];
	return true;
}

static inline bool fake_measurer_answered(void *context)
{
	return false;
}

static inline bool fake_measurer_stopped(void *context)
{
	return ((const struct fake_measurer *)context)->stopped;
}

static inline double fake_measurer_now(void *context)
{
	return *((const struct fake_measurer *)context)->now;
}

static inline struct measurer fake_measurer(struct fake_measurer *fake, int ahead)
{
	return (struct measurer){ .context = fake,
		.ahead = ahead,
		.submit = fake_measurer_submit,
		.await = fake_measurer_await,
		.answered = fake_measurer_answered,
		.stopped = fake_measurer_stopped,
		.now = fake_measurer_now };
}
