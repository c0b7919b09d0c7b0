#include "fakes.h"

#include "cli/bench.h"

/* An engine that is slow to lay data out, as far as the test lets it. */
struct slow_engine {
	struct request request;
	struct result results[2];
	int count, taken;
	bool held;	      /* nothing is answered before slow() was called */
	unsigned calls, over; /* with words, and with none */
	char words[BENCH_LINE];
	struct progress_seen seen;
};

static void slow_submit(void *context, const struct request *request)
{
	struct slow_engine *engine = context;

	engine->request = *request;
	for (int i = 0; i < engine->count; i++) {
		engine->results[i] = fake_result(request, 40, 1.5);
		engine->results[i].final = i + 1 == engine->count;
	}
}

static bool slow_take(void *context, struct result *result)
{
	struct slow_engine *engine = context;

	if ((engine->held && !engine->calls) || engine->taken == engine->count)
		return false;
	*result = engine->results[engine->taken++];
	return true;
}

static int slow_descriptor(void *context)
{
	(void)context;
	return -1;
}

static void slow_cancel(void *context)
{
	(void)context;
}

static void note(void *context, const char *words)
{
	struct slow_engine *engine = context;

	engine->calls += *words != '\0';
	if (*words)
		snprintf(engine->words, sizeof(engine->words), "%s", words);
	else
		engine->over++;
}

static struct progress_seen slow_progress(void *context)
{
	return ((struct slow_engine *)context)->seen;
}

static struct bench bench_on(struct slow_engine *engine, double slow_after)
{
	return (struct bench){
		.engine = { .context = engine,
			.submit = slow_submit,
			.cancel = slow_cancel,
			.take = slow_take,
			.descriptor = slow_descriptor,
			.progress = slow_progress },
		.slow = note,
		.context = engine,
		.slow_after = slow_after,
	};
}

static struct request a_request(void)
{
	struct request request = {
		.generation = 1, .kernel = &kernel_fold, .budget = { .seconds = 1 }
	};
	struct setting setting;

	setting_init(&setting, &kernel_fold);
	memcpy(request.v, setting.v, sizeof(request.v));
	request.v[FOLD_SIZE] = 3ll << 30;
	return request;
}

TEST(tells_what_is_prepared_and_takes_it_away_again)
{
	struct slow_engine engine = {
		.count = 1, .held = true, .seen = { .stage = STAGE_LAYING, .share = 0.43 }
	};
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls, 1);
	assert_int_equal(engine.over, 1);
	assert_string_equal(engine.words, "laying out 3 GiB: 43 %");
	free(result);
}

TEST(says_nothing_of_what_is_quick)
{
	struct slow_engine engine = { .count = 2 };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls + engine.over, 0);
	/* Complete runs would be one more for an early answer that nobody needs. */
	assert_int_equal(engine.request.budget.provisional, 0);
	free(result);
}

TEST(of_code_that_is_not_ours_an_early_answer_tells)
{
	static struct kernel own;
	struct slow_engine engine = { .count = 1, .held = true };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	own = kernel_fold;
	own.isolated = true;
	request.kernel = &own;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.request.budget.provisional, 1);
	assert_string_equal(engine.words, "preparing 3 GiB ...");
	engine = (struct slow_engine){ .count = 2 };
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls, 0);
	engine = (struct slow_engine){ .count = 1 };
	bench.slow = NULL;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.request.budget.provisional, 0);
	free(result);
}

TEST(a_caller_can_look_whether_the_answer_is_there)
{
	struct slow_engine engine = { .count = 2, .held = true };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	bench_submit(&bench, &request, result);
	assert_false(bench_answered(&bench));
	assert_int_equal(engine.request.generation, 1);
	/* An early answer alone is not the end. */
	engine.held = false;
	engine.count = 1;
	engine.results[0].final = false;
	assert_false(bench_answered(&bench));
	engine.count = 2;
	assert_true(bench_answered(&bench));
	assert_true(bench_answered(&bench));
	assert_true(bench_await(&bench));
	assert_true(result->final);
	assert_int_equal(engine.calls, 0);
	/* The answer to an earlier request is none to this one. */
	request.generation = 2;
	engine.taken = engine.count = 0;
	bench_submit(&bench, &request, result);
	engine.count = 1;
	assert_false(bench_answered(&bench));
	assert_int_equal(engine.taken, 1);
	free(result);
}

TEST(one_request_may_follow_another)
{
	struct slow_engine engine = { 0 };
	struct bench bench = bench_on(&engine, 0);
	struct request first = a_request(), second = a_request();
	struct result *result = malloc(2 * sizeof(*result));

	second.generation = 2;
	assert_false(bench_await(&bench));
	bench_submit(&bench, &first, &result[0]);
	assert_false(engine.request.follows);
	bench_submit(&bench, &second, &result[1]);
	assert_true(engine.request.follows);
	engine.results[0] = fake_result(&first, 40, 1.5);
	engine.results[1] = fake_result(&second, 40, 1.5);
	engine.count = 2;
	for (int i = 0; i < 2; i++) {
		assert_true(bench_await(&bench));
		assert_int_equal(result[i].generation, i + 1);
		assert_int_equal(engine.taken, i + 1);
	}
	assert_false(bench_await(&bench));
	assert_false(bench_answered(&bench));
	/* Nothing is under way: the next one follows none. */
	engine.count = 0;
	bench_submit(&bench, &first, &result[0]);
	assert_false(engine.request.follows);
	free(result);
}

RUN_TESTS()
