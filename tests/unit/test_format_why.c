/* Causes of a gap made up, in every format. */
#include "csv.h"
#include "written.h"

#include "experiment/why/why.h"

/* `model`: the cycles that the core model predicts with the change of the first cause. */
static const char *write_cause(const char *format, double saved, double model)
{
	struct why_report why = { .uarch = "zen4",
		.limit = 4,
		.predicted = 5,
		.binding = "latency",
		.predicted_by = "page-walks",
		.cpe = 9,
		.cpe_lo = 8.9,
		.cpe_hi = 9.1,
		.cycles_from = SOURCE_REFERENCE,
		.moved = NAN,
		.gap = 4,
		.together = 3,
		.rest = 1,
		.complete = true,
		.count = 3 };

	assert_true(setting_read(&why.setting, "matmul n=1024"));
	why.cause[0] = (struct why_cause){ .name = "cache sets",
		.with = "pad=8",
		.kind = WHY_CAUSE,
		.cycles = saved,
		.share = fmin(saved / 4, 1),
		.work = isfinite(model),
		.model = model };
	why.cause[1] = (struct why_cause){ .name = "order of access",
		.with = "order=ikj",
		.kind = WHY_FAILED,
		.why = "no memory, or nearly none" };
	/* A pair that was not compared has no record. */
	why.cause[2] = (struct why_cause){ .name = "page size", .with = "pages=huge" };
	return write_whole(format, &subject_why, &why);
}

static const char *write_saved(const char *format, double saved)
{
	return write_cause(format, saved, NAN);
}

static const char *write_why(const char *format)
{
	return write_saved(format, 3);
}

TEST(text_is_the_report)
{
	check_parts(write_why("text"), "matmul n=1024", "gap        4.000 (80 %)",
		"cache sets          75 %    3.000", "unexplained         25 %",
		"not compared:", "no memory", "no time to compare: page size");
}

TEST(a_change_that_saves_more_than_the_gap_says_so)
{
	assert_null(strstr(write_why("text"), "more cycles than the gap"));
	check_parts(write_saved("text", 4.9), "100 %    4.900", "more cycles than the gap");
}

/* Another order saves 4.0 cycles. The core model predicts 1.5 of them. */
TEST(cycles_that_the_prediction_contains_are_said)
{
	check_contains(write_cause("text", 4, 3.5),
		"cache sets: The prediction already contains 1.500 of these cycles.");
	assert_null(strstr(write_why("text"), "already contains"));
}

/* Clearly below the prediction is not as predicted. */
TEST(a_loop_faster_than_its_prediction_says_so)
{
	struct why_report why = { .limit = 4,
		.predicted = 10,
		.binding = "latency",
		.predicted_by = "dense-branches",
		.cpe = 7.5,
		.cpe_lo = 7.4,
		.cpe_hi = 7.6,
		.known = true,
		.moved = NAN,
		.gap = 3.5,
		.complete = true };
	const char *text;

	assert_true(setting_read(&why.setting, "alignment branches=jump16"));
	text = write_whole("text", &subject_why, &why);
	check_parts(text, "gap        2.500 (25 %) below the prediction by dense-branches",
		"3.500 above the");
	assert_null(strstr(text, "as predicted"));
	why.cpe = 9.8;
	check_parts(write_whole("text", &subject_why, &why), "as predicted by dense-branches");
}

TEST(csv_has_a_line_for_each_pair)
{
	const char *text = write_why("csv");

	assert_string_equal(csv_at(text, 1, "cause"), "cache sets");
	assert_string_equal(csv_at(text, 1, "kind"), "cause");
	assert_string_equal(csv_at(text, 1, "share"), "0.75");
	assert_string_equal(csv_at(text, 1, "gap"), "4");
	assert_string_equal(csv_at(text, 1, "changed_predicted"), "");
	assert_string_equal(csv_at(text, 2, "kind"), "failed");
	assert_string_equal(csv_at(text, 2, "why"), "no memory, or nearly none");
}

TEST(json_has_the_gap_then_its_causes)
{
	json_t *object;

	write_why("json");
	object = record_at(0);
	assert_string_equal(string_at(object, "record"), "gap");
	assert_string_equal(string_at(object, "predicted_by"), "page-walks");
	check_near(json_number_value(json_object_get(object, "unexplained")), 1, 1e-9);
	json_decref(object);
	object = record_at(1);
	assert_string_equal(string_at(object, "record"), "cause");
	assert_string_equal(string_at(object, "with"), "pad=8");
	check_near(json_number_value(json_object_get(object, "saved")), 3, 1e-9);
	json_decref(object);
}

RUN_TESTS()
