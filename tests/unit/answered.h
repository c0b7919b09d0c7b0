/* A session whose requests are answered with values that depend on the setting alone. */
#pragma once

#include "played.h"

static const uint64_t LIMIT = UINT64_C(8) << 30;

static inline void start(const struct kernel *kernel, uint64_t memory_limit)
{
	struct engine engine = fake_init(&fake, memory_limit);

	played_begin(
		&engine, (struct session_options){ .seed = 5, .invocation = "--cpu 3" }, kernel);
}

static inline double figure_of(const struct request *request)
{
	return 1 + (double)(request->v[FOLD_SIZE] % 1000003) / 1e6 +
	       (double)request->v[FOLD_STRIDE];
}

static inline void answer_one(void)
{
	fake_answer(&fake, 60, figure_of(&fake.request));
}

/* Lets time pass until nothing is wanted or the deadline comes; each request takes `took` seconds.
 */
static inline double run_on(double now, double until, double took)
{
	return now < until ? played(now,
				     &(struct playing){
					     .took = took, .answer = answer_one, .until = until })
			   : now;
}

/* As run_on(), until everything is measured. */
static inline double run_idle(double now)
{
	now = run_on(now, now + 1000, 0.004);
	assert_true(session_idle(session));
	return now;
}
