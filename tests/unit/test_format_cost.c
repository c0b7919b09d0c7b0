/* Costs of instructions made up, in every format. */
#include "csv.h"
#include "written.h"

#include "experiment/cost/cost.h"

static struct cost_report cost;

static const struct cost_value unknown = { NAN, NAN, NAN };

static const char *write_cost(const char *format)
{
	struct cost_insn *insn = cost.insn;

	cost = (struct cost_report){ .uarch = "zen4",
		.title = "AMD Zen 4",
		.cpe = { 4, 3.9, 4.1 },
		.cycles_from = SOURCE_REFERENCE,
		.model = 4,
		.count = 4,
		.complete = true,
		.contended = true,
		.seconds = 0.2 };
	assert_true(setting_read(&cost.setting, "mul-by"));
	insn[0] = (struct cost_insn){ .text = "imul ebx, edx",
		.cost = { 1, 0.99, 1.01 },
		.twice = { 1, 0.99, 1.01 },
		.later = { -0.004, -0.014, 0.006 },
		.saved = { 0.5, 0.4, 0.6 },
		.latency = 3,
		.model = 1,
		.contended = true };
	insn[1] = (struct cost_insn){ .text = "vfmadd231pd ymm0, ymm1, ymmword ptr [rdi+rax*8]",
		.offset = 4,
		.cost = { 3, 2.9, 3.1 },
		.twice = { 0, 0, 0 },
		.later = { 0.75, 0.7, 0.8 },
		.saved = unknown,
		.latency = 4,
		.model = 3,
		.why_saved = "the loop would access other addresses" };
	insn[2] = insn[1];
	insn[3] = (struct cost_insn){ .text = "jne 0x0",
		.offset = 12,
		.cost = unknown,
		.twice = unknown,
		.later = unknown,
		.saved = unknown,
		.latency = NAN,
		.model = NAN,
		.why_twice = "a jump decides which instruction runs next",
		.why_later = "a jump decides which instruction runs next",
		.why_saved = "a jump decides which instruction runs next" };
	prepare(format, &subject_cost);
	report_begin(&report);
	report_write(&report, &subject_cost, &cost);
	return end();
}

TEST(text_has_a_row_for_each_instruction_and_each_reason_once)
{
	char *text = memory_string(write_cost("text")), *rest;

	check_parts(text, "mul-by size=", "CPE      4.000 cycles per number", "reference",
		"  1 imul ebx, edx              1.00? 0.99 to 1.01      1.00   1.00   0.00   "
		"0.50\n",
		"  2 vfmadd231pd ymm0, ymm1,..  3.00  2.90 to 3.10      3.00   0.00   0.75      "
		"-\n",
		"  4 jne 0x0                       -                       -      -      -      "
		"-\n",
		"sum                        7.00\n", "at most: the costs add up to more",
		"not changed: a jump decides which instruction runs next (row 4)\n",
		"not removed: the loop would access other addresses (rows 2, 3)\n", "?: CONTENDED",
		"cost: cycles per element more");
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
	free(text);
}

TEST(a_missing_cost_explains_a_small_sum)
{
	static const char several[] = "the instruction writes several registers";
	struct cost_insn *insn = &cost.insn[1];
	char *text;

	write_cost("text");
	cost.cpe = (struct cost_value){ 6, 6, 6 };
	cost.count = 2;
	cost.insn[0].cost = (struct cost_value){ 0, -0.01, 0.01 };
	insn->cost = insn->twice = insn->later = unknown;
	memcpy(insn->why_twice, several, sizeof(several));
	memcpy(insn->why_later, several, sizeof(several));
	memcpy(insn->why_saved, several, sizeof(several));
	prepare("text", &subject_cost);
	report_begin(&report);
	report_write(&report, &subject_cost, &cost);
	text = memory_string(end());
	check_parts(text, "sum of known costs", "less: the known costs add up",
		"not changed: the instruction writes several registers (row 2)");
	assert_null(strstr(text, "jumps are not measured"));
	free(text);
}

TEST(csv_has_a_line_for_each_instruction)
{
	const char *text = write_cost("csv");
	int lines = 0;

	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 5);
	assert_string_equal(csv_at(text, 1, "text"), "imul ebx, edx");
	assert_string_equal(csv_at(text, 1, "cost"), "1");
	assert_string_equal(csv_at(text, 1, "later"), "-0.004");
	assert_string_equal(csv_at(text, 1, "cpe"), "4");
	assert_string_equal(csv_at(text, 1, "contended"), "true");
	assert_string_equal(csv_at(text, 1, "at_most"), "true");
	assert_string_equal(csv_at(text, 2, "saved"), "");
	assert_string_equal(csv_at(text, 2, "contended"), "false");
	assert_string_equal(
		csv_at(text, 4, "why_twice"), "a jump decides which instruction runs next");
}

TEST(json_has_the_loop_then_its_instructions)
{
	json_t *object;

	write_cost("json");
	object = record_at(0);
	assert_string_equal(string_at(object, "record"), "costs");
	assert_string_equal(string_at(object, "kernel"), "mul-by");
	check_near(json_number_value(json_object_get(object, "sum")), 7, 1e-9);
	json_decref(object);
	object = record_at(2);
	assert_true(json_is_true(json_object_get(object, "at_most")));
	assert_string_equal(string_at(object, "record"), "cost");
	check_near(json_number_value(json_object_get(object, "offset")), 4, 1e-9);
	check_contains(string_at(object, "why_saved"), "other addresses");
	assert_null(json_object_get(object, "saved"));
	json_decref(object);
}

RUN_TESTS()
