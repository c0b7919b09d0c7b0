#include "check.h"

#include <math.h>

#include "model/counts/counts.h"

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

TEST(what_is_counted_comes_before_what_is_modelled)
{
	struct explanation *explanation = explained(5, true, 0.5);
	static struct event_plan plan = { .counters = { .id = 3, .count = 2 },
		.meaning = { { .role = ROLE_INSTRUCTIONS }, { .role = ROLE_L3_MISSES } } };
	static struct counts counts = { .id = 3,
		.count = 2,
		.event = { { .state = COUNT_KNOWN, .value = 6 },
			{ .state = COUNT_KNOWN, .value = 0.25 } } };
	struct sample_ratios sample_ratios;

	sample_ratios_find(&sample, explanation, &plan, &counts, 0, &sample_ratios);
	check_near(sample_ratios.instructions, 6, 0);
	check_near(sample_ratios.cpi, 2, 1e-12);
	assert_int_equal(sample_ratios.instructions_from, SOURCE_COUNTER);
	/* 16 bytes in 4 ns. */
	check_near(sample_ratios.traffic, 4, 1e-12);
	assert_int_equal(sample_ratios.lines_from, SOURCE_COUNTER);
	assert_true(isnan(sample_ratios.peak) && isnan(sample_ratios.share));
	counts.event[0].state = COUNT_SILENT;
	counts.event[1].state = COUNT_HELD;
	sample_ratios_find(&sample, explanation, &plan, &counts, 16, &sample_ratios);
	check_near(sample_ratios.instructions, 5, 0);
	assert_int_equal(sample_ratios.instructions_from, SOURCE_STEPPED);
	check_near(sample_ratios.traffic, 8, 1e-12);
	assert_int_equal(sample_ratios.lines_from, SOURCE_MODEL);
	check_near(sample_ratios.share, 0.5, 1e-12);
	explanation->loop.stepped = false;
	sample_ratios_find(&sample, explanation, NULL, NULL, 16, &sample_ratios);
	assert_int_equal(sample_ratios.instructions_from, SOURCE_MODEL);
	assert_string_equal(sample_ratios_source(sample_ratios.instructions_from), "read");
	explained_free(explanation);
}

TEST(what_nobody_knows_stays_unknown)
{
	struct explanation *explanation = explained(5, true, 0.5);
	const struct sample none = { .valid = false };
	const struct uarch *core;
	struct sample_ratios sample_ratios;

	sample_ratios_find(&sample, NULL, NULL, NULL, 10, &sample_ratios);
	assert_true(isnan(sample_ratios.instructions) && isnan(sample_ratios.cpi) &&
		    isnan(sample_ratios.lines) && isnan(sample_ratios.traffic) &&
		    isnan(sample_ratios.share));
	assert_int_equal(sample_ratios.instructions_from, SOURCE_NONE);
	assert_int_equal(sample_ratios.lines_from, SOURCE_NONE);
	/* Not measured yet: the instructions are known all the same. */
	sample_ratios_find(&none, explanation, NULL, NULL, 10, &sample_ratios);
	check_near(sample_ratios.instructions, 5, 0);
	assert_true(isnan(sample_ratios.cpi) && isnan(sample_ratios.traffic));
	/* Another core's caches are not these. */
	explanation->foreign = true;
	sample_ratios_find(&sample, explanation, NULL, NULL, 10, &sample_ratios);
	assert_true(isnan(sample_ratios.traffic));
	/* Nor is anything known of the caches of a core without a model. */
	core = explanation->limits.uarch;
	explanation->foreign = false;
	explanation->limits.uarch = NULL;
	sample_ratios_find(&sample, explanation, NULL, NULL, 10, &sample_ratios);
	assert_true(isnan(sample_ratios.lines) && isnan(sample_ratios.traffic));
	check_near(sample_ratios.instructions, 5, 0);
	explanation->limits.uarch = core;
	explanation->status = status_failed("not read");
	sample_ratios_find(&sample, explanation, NULL, NULL, 10, &sample_ratios);
	assert_true(isnan(sample_ratios.instructions) && isnan(sample_ratios.lines));
	explained_free(explanation);
}

TEST(traffic_is_told_against_the_peak)
{
	struct sample_ratios sample_ratios;
	char words[120];

	sample_ratios_none(&sample_ratios);
	sample_ratios_traffic_words(&sample_ratios, false, words, sizeof(words));
	assert_string_equal(words, "");
	sample_ratios.traffic = 3.21;
	sample_ratios_traffic_words(&sample_ratios, false, words, sizeof(words));
	assert_string_equal(words, "3.210 GB/s from memory");
	sample_ratios.peak = 11.4;
	sample_ratios.share = 3.21 / 11.4;
	sample_ratios_traffic_words(&sample_ratios, false, words, sizeof(words));
	assert_string_equal(
		words, "3.210 GB/s from memory, 28 % of the 11.40 GB/s that one core reads here");
	sample_ratios_traffic_words(&sample_ratios, true, words, sizeof(words));
	assert_string_equal(words, "3.210 GB/s from memory, 28 % of peak");
	/* No loop uses more than all of the peak: the peak is of another moment. */
	sample_ratios.traffic = 12.3;
	sample_ratios.share = 12.3 / 11.4;
	for (int brief = 0; brief < 2; brief++) {
		sample_ratios_traffic_words(&sample_ratios, brief, words, sizeof(words));
		check_contains(words, "12.30 GB/s from memory");
		assert_null(strchr(words, '%'));
	}
	sample_ratios.traffic = 0.0006;
	sample_ratios.share = 0.0006 / 11.4;
	sample_ratios_traffic_words(&sample_ratios, true, words, sizeof(words));
	assert_string_equal(words, "0.001 GB/s from memory, 0.005 % of peak");
	/* Some misses are always counted. */
	sample_ratios.traffic = 0.0004;
	sample_ratios.share = 0.0004 / 11.4;
	sample_ratios_traffic_words(&sample_ratios, true, words, sizeof(words));
	assert_string_equal(words, "");
	sample_ratios.traffic = 0;
	sample_ratios_traffic_words(&sample_ratios, false, words, sizeof(words));
	assert_string_equal(words, "");
}

RUN_TESTS()
