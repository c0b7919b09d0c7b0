/* What is said of a measurement and its limits. */
#include "check.h"

#include "experiment/advice/gap.h"

static struct limits limits;
static struct sample sample;
static struct gap gap;

static void begin(double measured, double hard, double soft)
{
	memset(&limits, 0, sizeof(limits));
	limits.limit[0] =
		(struct limit){ .kind = LIMIT_PORTS, .known = true, .hard = true, .cpe = hard };
	limits.limit_count = 1;
	limits.bound = limits.predicted = hard;
	if (soft > 0) {
		limits.limit[1] =
			(struct limit){ .kind = LIMIT_SATURATION, .known = true, .cpe = soft };
		limits.limit_count = 2;
		limits.predicted = soft;
		limits.predicted_by = 1;
	}
	sample = (struct sample){ .valid = measured > 0, .cpe = measured };
}

static const char *words(void)
{
	gap_find(&sample, &limits, NULL, false, &gap);
	return gap.words;
}

TEST(within_three_percent_it_is_at_the_limit)
{
	begin(1.029, 1, 0);
	assert_string_equal(words(), "at the limit");
	assert_string_equal(gap.brief, "at it");
	assert_int_equal(gap.kind, GAP_AT_LIMIT);
	check_near(gap.cycles, 0.029, 1e-9);
	begin(0.971, 1, 0);
	words();
	assert_int_equal(gap.kind, GAP_AT_LIMIT);
	begin(1.031, 1, 0);
	words();
	assert_int_equal(gap.kind, GAP_ABOVE);
}

TEST(above_it_the_words_give_cycles_and_percent)
{
	begin(1.5, 1, 0);
	check_contains(words(), "0.500 (50 %) above: no effect that is known here explains it");
	assert_string_equal(gap.brief, "+0.500");
	limits.unknown = 2;
	check_contains(words(), "; 2 instructions are unknown to the core model");
	limits.unknown = 0;
	limits.limit[1] = (struct limit){ .kind = LIMIT_MEMORY_LINES };
	limits.limit_count = 2;
	check_contains(words(), limit_rows[LIMIT_MEMORY_LINES].title);
	check_contains(gap.words, "; not known here: ");
}

TEST(a_soft_effect_that_predicts_it_is_named)
{
	begin(1.5, 1, 1.45);
	check_contains(words(), "0.500 (50 %) above, ");
	check_contains(gap.words, limit_rows[LIMIT_SATURATION].title);
	check_contains(gap.words, ", explained by ");
	assert_int_equal(gap.kind, GAP_SOFT);
	/* Less than what it may cost, and more. */
	begin(1.2, 1, 1.45);
	check_contains(words(), " up to 1.450 is expected");
	assert_int_equal(gap.kind, GAP_ABOVE);
	begin(2, 1, 1.45);
	check_contains(words(), ", up to 1.450 explained by ");
	assert_int_equal(gap.kind, GAP_ABOVE);
}

TEST(a_large_gap_is_said_in_times)
{
	begin(6, 1, 1);
	check_contains(words(), "5.000 above, 6.0 times the limit");
	begin(20, 1, 1);
	check_contains(words(), "19.00 above, 20 times the limit");
}

TEST(below_it_the_model_must_be_wrong)
{
	begin(0.9, 1, 0);
	check_contains(words(),
		"0.100 (10 %) below the limit: the core model, or the clock, is wrong here");
	assert_int_equal(gap.kind, GAP_BELOW);
	/* Of caches and memory the limit was measured once: that may have changed. */
	limits.limit[0].kind = LIMIT_MEMORY_LATENCY;
	check_contains(words(), "(10 %) below the limit: the caches and memory answer faster now");
	sample.contended = true;
	check_contains(words(), "contended: the figure may be off");
}

TEST(a_disturbed_figure_says_so)
{
	begin(1.5, 1, 0);
	sample.contended = true;
	check_contains(words(), "0.500 (50 %) above, but contended");
	sample.contended = false;
	sample.provisional = true;
	check_contains(words(), "(provisional)");
}

TEST(another_cores_limit_leaves_no_gap)
{
	begin(1.5, 1, 0);
	gap_find(&sample, &limits, "Intel Skylake", false, &gap);
	assert_int_equal(gap.kind, GAP_FOREIGN);
	check_contains(gap.words, "Intel Skylake");
	check_contains(gap.words, "not this core");
	check_near(gap.cycles, 0, 0);
	/* One that stands in for this one has. */
	gap_find(&sample, &limits, "Intel Skylake", true, &gap);
	assert_int_equal(gap.kind, GAP_ABOVE);
	sample.cpe = 0.5;
	gap_find(&sample, &limits, "Intel Skylake", true, &gap);
	check_contains(gap.words, "below the limit: this core is faster than Intel Skylake");
}

TEST(nothing_to_compare_says_nothing)
{
	begin(0, 1, 0);
	assert_string_equal(words(), "");
	assert_int_equal(gap.kind, GAP_NONE);
	begin(1, 1, 0);
	limits.binding = -1;
	assert_string_equal(words(), "");
}

RUN_TESTS()
