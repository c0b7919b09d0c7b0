/* Probed pressure made up, in every format. */
#include "csv.h"
#include "written.h"

#include "experiment/slack/slack.h"

static struct slack_report slack;

static const char *write_slack(const char *format)
{
	struct slack_resource *resource = slack.resource;

	slack = (struct slack_report){ .uarch = "zen4",
		.title = "AMD Zen 4",
		.elements = 1,
		.cycles = 4,
		.cycles_lo = 3.9,
		.cycles_hi = 4.1,
		.cycles_from = SOURCE_REFERENCE,
		.count = 4,
		.complete = true,
		.seconds = 0.2,
		.contradiction =
			"zen4.uarch:7: class imul has the ports alu2; the measured pressure "
			"fits alu1" };
	assert_true(setting_read(&slack.setting, "mul-by"));
	resource[0] = (struct slack_resource){ .name = "alu1",
		.kind = SLACK_EXACT,
		.line = "imul %r, %p, 3",
		.each = 1,
		.took = 1,
		.model = 0,
		.pressure = 3.5,
		.pressure_lo = 3.4,
		.pressure_hi = 3.6,
		.slack = 0.5,
		.slack_lo = 0.3,
		.slack_hi = 0.7 };
	resource[1] = resource[0];
	strcpy(resource[1].name, "width");
	resource[1].model = 3.5;
	for (int i = 2; i < 4; i++) {
		resource[i] = (struct slack_resource){ .kind = SLACK_FAILED,
			.why = "the loop leaves 0 vector registers free, and 2 are needed",
			.pressure = NAN,
			.slack = NAN,
			.took = NAN };
		snprintf(resource[i].name, sizeof(resource[i].name), "fp%d", i);
	}
	prepare(format, &subject_slack);
	report_begin(&report);
	report_write(&report, &subject_slack, &slack);
	return end();
}

TEST(text_marks_what_differs_and_says_each_reason_once)
{
	char *text = memory_string(write_slack("text")), *rest;

	check_parts(text, "mul-by size=", "cycles   4.000 an iteration", "reference",
		"alu1            3.50  3.40 to 3.60   exact         0.5   0.00 *  imul",
		"width           3.50  3.40 to 3.60   exact         0.5   3.50    imul",
		"not measured: fp2, fp3: the loop leaves 0 vector registers free",
		"*: differs from the core model of AMD Zen 4", "contradicted: zen4.uarch:7: class",
		"probed: cycles an iteration");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
	free(text);
}

TEST(csv_has_a_line_for_each_resource)
{
	const char *text = write_slack("csv");
	int lines = 0;

	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 5);
	assert_string_equal(csv_at(text, 1, "resource"), "alu1");
	assert_string_equal(csv_at(text, 1, "kind"), "exact");
	assert_string_equal(csv_at(text, 1, "pressure"), "3.5");
	assert_string_equal(csv_at(text, 1, "uarch"), "zen4");
	assert_string_equal(csv_at(text, 1, "filler"), "imul %r, %p, 3");
	assert_string_equal(csv_at(text, 3, "kind"), "unavailable");
	assert_string_equal(csv_at(text, 3, "pressure"), "");
	assert_string_equal(csv_at(text, 3, "contended"), "false");
}

TEST(json_has_the_loop_then_its_resources)
{
	json_t *object;

	write_slack("json");
	object = record_at(0);
	assert_string_equal(string_at(object, "record"), "slack");
	assert_string_equal(string_at(object, "kernel"), "mul-by");
	check_contains(string_at(object, "contradiction"), "class imul");
	json_decref(object);
	object = record_at(4);
	assert_string_equal(string_at(object, "record"), "resource");
	assert_string_equal(string_at(object, "kind"), "unavailable");
	check_contains(string_at(object, "why"), "vector registers");
	assert_null(json_object_get(object, "pressure"));
	json_decref(object);
}

RUN_TESTS()
