#include "check.h"

#include <math.h>

#include "model/counts/pace.h"

static const struct sample sample = { .valid = true, .cpe = 12, .ns = 4, .ghz = 3 };

static struct explanation *explained(double instructions, bool stepped, double lines)
{
	struct explanation *explanation = explanation_new();
	struct uarch *uarch;

	check_ok(uarch_load("skylake", "x86_64", &uarch));
	explanation->status = status_ok();
	explanation->loop.insns_per_element = instructions;
	explanation->loop.stepped = stepped;
	explanation->limits.uarch = uarch;
	explanation->limits.beyond[2] = lines;
	return explanation;
}

static void explained_free(struct explanation *explanation)
{
	uarch_free((struct uarch *)explanation->limits.uarch);
	explanation_free(explanation);
}

static void what_is_counted_comes_before_what_is_modelled(void **state)
{
	struct explanation *explanation = explained(5, true, 0.5);
	static struct event_plan plan = { .counters = { .id = 3, .count = 2 },
		.meaning = { { .role = ROLE_INSTRUCTIONS }, { .role = ROLE_L3_MISSES } } };
	static struct counts counts = { .id = 3,
		.count = 2,
		.event = { { .state = COUNT_KNOWN, .value = 6 },
			{ .state = COUNT_KNOWN, .value = 0.25 } } };
	struct pace pace;

	(void)state;
	pace_find(&sample, explanation, &plan, &counts, 0, &pace);
	check_near(pace.instructions, 6, 0);
	check_near(pace.cpi, 2, 1e-12);
	assert_int_equal(pace.instructions_from, SOURCE_COUNTER);
	/* 16 bytes in 4 ns. */
	check_near(pace.traffic, 4, 1e-12);
	assert_int_equal(pace.lines_from, SOURCE_COUNTER);
	assert_true(isnan(pace.peak) && isnan(pace.share));
	counts.event[0].state = COUNT_SILENT;
	counts.event[1].state = COUNT_HELD;
	pace_find(&sample, explanation, &plan, &counts, 16, &pace);
	check_near(pace.instructions, 5, 0);
	assert_int_equal(pace.instructions_from, SOURCE_STEPPED);
	check_near(pace.traffic, 8, 1e-12);
	assert_int_equal(pace.lines_from, SOURCE_MODEL);
	check_near(pace.share, 0.5, 1e-12);
	explanation->loop.stepped = false;
	pace_find(&sample, explanation, NULL, NULL, 16, &pace);
	assert_int_equal(pace.instructions_from, SOURCE_MODEL);
	assert_string_equal(pace_source(pace.instructions_from), "read");
	explained_free(explanation);
}

static void what_nobody_knows_stays_unknown(void **state)
{
	struct explanation *explanation = explained(5, true, 0.5);
	const struct sample none = { .valid = false };
	const struct uarch *core;
	struct pace pace;

	(void)state;
	pace_find(&sample, NULL, NULL, NULL, 10, &pace);
	assert_true(isnan(pace.instructions) && isnan(pace.cpi) && isnan(pace.lines) &&
		    isnan(pace.traffic) && isnan(pace.share));
	assert_int_equal(pace.instructions_from, SOURCE_NONE);
	assert_int_equal(pace.lines_from, SOURCE_NONE);
	/* Not measured yet: the instructions are known all the same. */
	pace_find(&none, explanation, NULL, NULL, 10, &pace);
	check_near(pace.instructions, 5, 0);
	assert_true(isnan(pace.cpi) && isnan(pace.traffic));
	/* Another core's caches are not these. */
	explanation->foreign = true;
	pace_find(&sample, explanation, NULL, NULL, 10, &pace);
	assert_true(isnan(pace.traffic));
	/* Nor is anything known of the caches of a core without a model. */
	core = explanation->limits.uarch;
	explanation->foreign = false;
	explanation->limits.uarch = NULL;
	pace_find(&sample, explanation, NULL, NULL, 10, &pace);
	assert_true(isnan(pace.lines) && isnan(pace.traffic));
	check_near(pace.instructions, 5, 0);
	explanation->limits.uarch = core;
	explanation->status = status_make(STATUS_FAILED, "not read");
	pace_find(&sample, explanation, NULL, NULL, 10, &pace);
	assert_true(isnan(pace.instructions) && isnan(pace.lines));
	explained_free(explanation);
}

static void traffic_is_told_against_the_peak(void **state)
{
	struct pace pace;
	char words[120];

	(void)state;
	pace_none(&pace);
	pace_traffic_words(&pace, false, words, sizeof(words));
	assert_string_equal(words, "");
	pace.traffic = 3.21;
	pace_traffic_words(&pace, false, words, sizeof(words));
	assert_string_equal(words, "3.210 GB/s from memory");
	pace.peak = 11.4;
	pace.share = 3.21 / 11.4;
	pace_traffic_words(&pace, false, words, sizeof(words));
	assert_string_equal(
		words, "3.210 GB/s from memory, 28 % of the 11.40 GB/s that one core reads here");
	pace_traffic_words(&pace, true, words, sizeof(words));
	assert_string_equal(words, "3.210 GB/s from memory, 28 % of peak");
	pace.traffic = 0.0006;
	pace.share = 0.0006 / 11.4;
	pace_traffic_words(&pace, true, words, sizeof(words));
	assert_string_equal(words, "0.001 GB/s from memory, 0.005 % of peak");
	/* Some misses are always counted. */
	pace.traffic = 0.0004;
	pace.share = 0.0004 / 11.4;
	pace_traffic_words(&pace, true, words, sizeof(words));
	assert_string_equal(words, "");
	pace.traffic = 0;
	pace_traffic_words(&pace, false, words, sizeof(words));
	assert_string_equal(words, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_counted_comes_before_what_is_modelled),
		cmocka_unit_test(what_nobody_knows_stays_unknown),
		cmocka_unit_test(traffic_is_told_against_the_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
