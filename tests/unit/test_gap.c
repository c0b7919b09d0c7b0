/* What is said of a measurement and its limits. */
#include "check.h"

#include "experiment/advice/gap.h"
#include "experiment/diagram.h"

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
			(struct limit){ .kind = LIMIT_SCHEDULING, .known = true, .cpe = soft };
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

TEST(the_words_follow_from_the_distance)
{
	static const struct {
		double measured, soft;
		enum gap_kind kind;
		const char *words, *brief;
	} rows[] = {
		{ 1.029, 0, GAP_AT_LIMIT, "at the limit", "at it" },
		{ 0.971, 0, GAP_AT_LIMIT, "", "" },
		/* As little is nothing to explain by measurements, either (WHY_GAP). */
		{ 1.031, 0, GAP_ABOVE, "0.031 above the limit, at most 5 %: nothing to explain",
			"+0.031" },
		{ 1.051, 0, GAP_ABOVE, "0.051 (5 %) above the limit: no known effect explains it",
			"+0.051" },
		{ 1.5, 0, GAP_ABOVE, "0.500 (50 %) above the limit: no known effect explains it",
			"+0.500" },
		{ 1.5, 1.45, GAP_SOFT, "as predicted, by ", "at it" },
		{ 1.2, 1.45, GAP_ABOVE, "0.250 (17 %) below the prediction", "-0.250" },
		{ 2, 1.45, GAP_ABOVE,
			"0.550 (38 %) above the prediction: scheduling explains 0.450 of the "
			"1.000 above the limit",
			"+0.550" },
		/* A hundredth is no explanation. */
		{ 101, 2, GAP_ABOVE, "50 times the prediction: no known effect explains it",
			"+99.00" },
		/* Page walks of 6.7 cycles do not explain 228.9. */
		{ 229.9, 7.7, GAP_ABOVE, "explains 6.700 of the 228.9 above the limit", "+222.2" },
		{ 18.5, 18.2, GAP_SOFT, "as predicted, by scheduling", "at it" },
		{ 1.01, 1.45, GAP_AT_LIMIT, "at the limit", "at it" },
		{ 6, 0, GAP_ABOVE, "5.000 above the limit, 6.0 times the limit", "" },
		{ 20, 0, GAP_ABOVE, "19.00 above the limit, 20 times the limit", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(rows[i].measured, 1, rows[i].soft);
		check_contains(words(), rows[i].words);
		check_contains(gap.brief, rows[i].brief);
		assert_int_equal(gap.kind, rows[i].kind);
		check_near(gap.cycles, rows[i].measured - (gap.soft ? rows[i].soft : 1), 1e-9);
		if (gap.kind == GAP_SOFT)
			check_contains(gap.words, limit_rows[LIMIT_SCHEDULING].name);
	}
}

/* Page walks of 7 cycles do not cause a prediction of 767. */
TEST(most_of_the_cycles_give_the_name)
{
	begin(766.9, 4, 766.9);
	limits.limit[0] = (struct limit){
		.kind = LIMIT_PAGE_WALKS, .known = true, .adds = true, .cpe = 766.9
	};
	limits.limit[1] =
		(struct limit){ .kind = LIMIT_MEMORY_LATENCY, .known = true, .cpe = 759.9 };
	limits.predicted_by = 0;
	assert_int_equal(limits_main(&limits), 1);
	assert_string_equal(limits_predicted_by(&limits, 0).text, "memory-latency and page-walks");
	/* Where both rows show one number, the first name is enough. */
	limits.limit[1].cpe = 766.88;
	assert_string_equal(limits_predicted_by(&limits, 0).text, "memory-latency");
	limits.limit[1].cpe = 600;
	assert_string_equal(limits_predicted_by(&limits, 0).text, "memory-latency and page-walks");
	limits.limit[1].cpe = 300;
	assert_int_equal(limits_main(&limits), 0);
	assert_string_equal(limits_predicted_by(&limits, 0).text, "page-walks");
	assert_string_equal(limits_predicted(&limits).text, "766.9");
	limits.limit[2] = (struct limit){ .kind = LIMIT_MISPREDICTION };
	limits.limit_count = 3;
	assert_string_equal(limits_predicted(&limits).text, "at least 766.9");
	limits.predicted_by = -1;
	assert_int_equal(limits_main(&limits), -1);
	assert_string_equal(limits_predicted_by(&limits, 0).text, "");
}

/* The numbers of a cause are those of an iteration, which the unit says. */
TEST(a_cause_has_its_unit)
{
	struct limit limit = { .kind = LIMIT_LOADS };

	begin(1, 1, 0);
	limits.elements = 4;
	limits.turns = 1;
	snprintf(limit.cause, sizeof(limit.cause), "4 loads, 3 a cycle");
	assert_string_equal(diagram_cause(&limits, &limit).text,
		"4 loads, 3 a cycle (an iteration of 4 elements)");
	limits.elements = 1;
	assert_string_equal(diagram_cause(&limits, &limit).text, limit.cause);
	limits.elements = 4;
	snprintf(limit.cause, sizeof(limit.cause), "the store waits");
	assert_string_equal(diagram_cause(&limits, &limit).text, limit.cause);
}

/* An effect that adds little to another limit is not the only explanation. */
TEST(a_limit_that_adds_to_another_is_named_after_it)
{
	begin(20, 1, 10);
	limits.limit[2] = (struct limit){ .kind = LIMIT_OVERLAP, .known = true, .cpe = 9 };
	limits.limit_count = 3;
	check_contains(words(), ": scheduling explains 9.000 of the 19.00");
	limits.limit[1].adds = true;
	check_contains(words(), ": chain-overlap and scheduling explain 9.000 of the 19.00");
	sample.cpe = 10;
	check_contains(words(), "as predicted, by chain-overlap and scheduling");
	limits.limit[2].cpe = 3;
	check_contains(words(), "as predicted, by scheduling");
}

/* A prediction that depends on the measured speed of memory is as uncertain as that speed. */
TEST(a_difference_within_the_spreads_is_no_gap)
{
	begin(271, 4, 222);
	limits.limit[1].spread = 60;
	sample.cpe_lo = 260;
	sample.cpe_hi = 300;
	gap_find(&sample, &limits, NULL, false, &gap);
	assert_int_equal(gap.kind, GAP_SOFT);
	check_contains(words(), "49.00 (22 %) above the prediction, within the spreads, by ");
	assert_string_equal(gap.brief, "within the spread");
	sample.cpe_lo = 283;
	gap_find(&sample, &limits, NULL, false, &gap);
	assert_int_equal(gap.kind, GAP_ABOVE);
	sample.cpe = sample.cpe_lo = sample.cpe_hi = 160;
	gap_find(&sample, &limits, NULL, false, &gap);
	assert_int_equal(gap.kind, GAP_ABOVE);
}

TEST(an_unknown_limit_is_named)
{
	begin(1.5, 1, 0);
	limits.unknown = 2;
	check_contains(words(), "; 2 instructions are unknown to the core model");
	limits.unknown = 0;
	limits.limit[1] = (struct limit){ .kind = LIMIT_MEMORY_LINES };
	limits.limit_count = 2;
	check_contains(words(), limit_rows[LIMIT_MEMORY_LINES].name);
	check_contains(gap.words, " is not known here");
}

/* A large gap is not without a cause if a limit has no number but says what may be slow. */
TEST(a_large_gap_has_a_likely_cause)
{
	begin(1.2, 1, 0);
	limits.limit[1] = (struct limit){ .kind = LIMIT_SHARED, .cause = "9 cycles without L3" };
	limits.limit_count = 2;
	check_contains(words(), "; shared-l3 is not known here");
	begin(3, 1, 0);
	limits.limit[1] = (struct limit){ .kind = LIMIT_SHARED, .cause = "9 cycles without L3" };
	limits.limit_count = 2;
	check_contains(words(), "; likely shared-l3: 9 cycles without L3");
	assert_true(gap.likely);
	assert_null(strstr(gap.words, "no effect"));
	/* An effect that explains less than half of the gap is not its cause. */
	limits.limit[1].most = 0.9;
	check_contains(words(), ": no known effect explains it");
	assert_false(gap.likely);
	limits.limit[1].most = 1.1;
	check_contains(words(), "; likely shared-l3");
	/* Nothing shows that the code arrives late: the gap may have any other cause. */
	limits.limit[1].kind = LIMIT_ALIGNMENT;
	check_contains(words(), "; alignment is not known here");
	assert_null(strstr(gap.words, "likely"));
}

/* An effect that the loop shows is named before late code, which nothing in it shows. */
TEST(alignment_is_the_last_of_the_unknown_limits)
{
	begin(1.15, 1, 0);
	limits.limit[1] = (struct limit){ .kind = LIMIT_ALIGNMENT };
	limits.limit[2] = (struct limit){ .kind = LIMIT_ALIASING, .cause = "1 load" };
	limits.limit_count = 3;
	check_contains(words(), "above the limit; 4k-aliasing and alignment are not known here");
	sample.cpe = 2;
	check_contains(words(), "; likely 4k-aliasing: 1 load");
}

TEST(below_it_the_model_must_be_wrong)
{
	begin(0.9, 1, 0);
	check_contains(
		words(), "0.100 (10 %) below the limit: the core model or the clock is wrong here");
	assert_int_equal(gap.kind, GAP_BELOW);
	sample.cpe_hi = 1.2;
	check_contains(words(), "below the limit: within the quartiles, so the loop's speed may "
				"change within a trial");
	sample.cpe_hi = 0.95;
	check_contains(words(), "the core model or the clock is wrong here");
	sample.contended = true;
	check_contains(words(), "contended: the value may be wrong");
}

/* The core executes some operations early in some runs: such a measurement is below the limit, but
 * nothing is wrong. */
TEST(early_operations_are_no_error)
{
	begin(1.2, 2, 0);
	limits.limit[0].early = 1;
	check_contains(words(), "0.800 (40 %) below the usual latency");
	assert_int_equal(gap.kind, GAP_EARLY);
	assert_string_equal(gap.brief, "-0.800, early");
	begin(0.9, 2, 0);
	limits.limit[0].early = 1;
	check_contains(words(), "below the limit: the core model or the clock is wrong here");
	begin(2, 2, 0);
	limits.limit[0].early = 1;
	check_contains(words(), "at the limit");
}

TEST(a_disturbed_figure_says_so)
{
	begin(1.5, 1, 0);
	sample.contended = true;
	check_contains(words(), "0.500 (50 %) above the limit, but contended");
	sample.contended = false;
	sample.provisional = true;
	check_contains(words(), "(provisional)");
}

TEST(another_cores_limit_leaves_no_gap)
{
	begin(1.5, 1, 0);
	gap_find(&sample, &limits, "Intel Skylake", false, &gap);
	assert_int_equal(gap.kind, GAP_FOREIGN);
	check_parts(gap.words, "Intel Skylake", "not of this core");
	check_near(gap.cycles, 0, 0);
	/* One that stands in for this one has. */
	gap_find(&sample, &limits, "Intel Skylake", true, &gap);
	assert_int_equal(gap.kind, GAP_ABOVE);
	sample.cpe = 0.5;
	gap_find(&sample, &limits, "Intel Skylake", true, &gap);
	check_contains(gap.words, "below the limit: this core is faster than Intel Skylake");
}

/* Until memory is measured, the limits that are known are no prediction for data in memory. */
TEST(an_incomplete_prediction_has_no_gap)
{
	begin(16.1, 0.5, 0.95);
	limits.incomplete = true;
	check_contains(words(), "not measured: the prediction may be too low");
	assert_int_equal(gap.kind, GAP_NONE);
	assert_string_equal(gap.brief, "incomplete");
	assert_null(strstr(gap.words, "times"));
	/* At the limit, nothing is missing. */
	begin(0.505, 0.5, 0.95);
	limits.incomplete = true;
	assert_string_equal(words(), "at the limit");
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
