#include "fakes.h"

#include "cli/bench.h"

/* An engine that is slow to lay data out, as far as the test lets it. */
struct slow_engine {
	struct request request;
	struct result results[2];
	int count, taken;
	bool held;                /* nothing is answered before slow() was called */
	unsigned calls;
	uint64_t bytes;
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

static void note(void *context, uint64_t bytes)
{
	struct slow_engine *engine = context;

	engine->calls++;
	engine->bytes = bytes;
}

static struct bench bench_on(struct slow_engine *engine, double slow_after)
{
	return (struct bench){
		.engine = { .context = engine, .submit = slow_submit, .cancel = slow_cancel, .take = slow_take,
			.descriptor = slow_descriptor },
		.slow = note, .context = engine, .slow_after = slow_after,
	};
}

static struct request a_request(void)
{
	struct request request = { .generation = 1, .kernel = &kernel_fold, .budget = { .seconds = 1 } };
	struct setting setting;

	setting_init(&setting, &kernel_fold);
	memcpy(request.v, setting.v, sizeof(request.v));
	request.v[FOLD_SIZE] = 3ll << 30;
	return request;
}

static void tells_once_that_preparing_takes_long(void **state)
{
	struct slow_engine engine = { .count = 1, .held = true };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	(void)state;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls, 1);
	assert_int_equal(engine.bytes, 3ll << 30);
	free(result);
}

static void says_nothing_once_measuring_has_begun(void **state)
{
	struct slow_engine engine = { .count = 2 };
	struct bench bench = bench_on(&engine, 0);
	struct request request = a_request();
	struct result *result = malloc(sizeof(*result));

	(void)state;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.calls, 0);
	/* How it knows: by an early answer, asked for where nobody else did. */
	assert_int_equal(engine.request.budget.provisional, 1);
	engine = (struct slow_engine){ .count = 1 };
	bench.slow = NULL;
	assert_true(bench_measure(&bench, &request, result));
	assert_int_equal(engine.request.budget.provisional, 0);
	free(result);
}

static void names_the_size(void **state)
{
	char *text;
	size_t size;
	struct cli cli = { .err = open_memstream(&text, &size) };

	(void)state;
	bench_preparing(&cli, 12241000000);
	fclose(cli.err);
	assert_string_equal(text, "preparing 11.4 GiB ...");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_once_that_preparing_takes_long),
		cmocka_unit_test(says_nothing_once_measuring_has_begun),
		cmocka_unit_test(names_the_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
