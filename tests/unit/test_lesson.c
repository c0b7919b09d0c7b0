#include "check.h"

#include "lesson/expression.h"
#include "lesson/lesson.h"
#include "lesson/lesson_judge.h"

static struct lesson *lesson;
static struct lesson_mistakes mistakes;

static void read(const char *text)
{
	lesson_free(lesson);
	lesson_mistakes_free(&mistakes);
	lesson = lesson_read(text, "name", "FILE", &mistakes);
}

static int done(void **state)
{
	(void)state;
	lesson_free(lesson);
	lesson_mistakes_free(&mistakes);
	lesson = NULL;
	return 0;
}

static void check_no_mistake(void)
{
	for (int i = 0; i < mistakes.count; i++)
		fail_msg("%d:%d: %s", mistakes.mistake[i].line, mistakes.mistake[i].column,
			mistakes.mistake[i].words);
}

#define HEAD "title T\nminutes 5\n"
#define BODY "step One\n  Text.\nsetting combine op=mul acc=1\n"

TEST(a_lesson_has_its_texts_settings_and_question)
{
	const struct lesson_step *step;

	read("title Chains\nminutes 15\nafter cycle clock\nsource A book\n\n# A comment\n"
	     "step One product\n  First line\n  and second.\n\n  New paragraph:\n      kept 1\n    "
	     "  "
	     "kept 2\n"
	     "setting combine op=mul type=f64 acc=1 size=16k\npin combine op=add acc=2\npanel "
	     "code\ndo "
	     "view ports\nneeds l3 avx2\nelse No effect here.\nhide limits\n"
	     "ask number cpe within 10%\n  How many?\nhint Think.\nexplain It takes {cpe} and "
	     "{{not\n  "
	     "this}.\n"
	     "step Same setting\n  Look.\n");
	check_no_mistake();
	assert_string_equal(lesson->title, "Chains");
	assert_int_equal(lesson->minutes, 15);
	assert_int_equal(lesson->after_count, 2);
	assert_int_equal(lesson->step_count, 2);
	step = &lesson->step[0];
	assert_string_equal(step->text.words,
		"First line and second.\n\nNew paragraph:\n    kept 1\n    kept 2");
	assert_string_equal(step->setting.kernel->name, "combine");
	assert_string_equal(step->pinned.kernel->name, "combine");
	assert_string_equal(step->panel, "code");
	assert_string_equal(step->command[0].words, "view ports");
	assert_int_equal(step->need_count, 2);
	assert_string_equal(step->otherwise.words, "No effect here.");
	assert_string_equal(step->question.prompt.words, "How many?");
	assert_string_equal(step->question.subject, "cpe");
	assert_true(fabs(step->question.within - 0.1) < 1e-9);
	assert_int_equal(step->explain.hole_count, 1);
	assert_int_equal(lesson_hides(step),
		HIDDEN_CPE | HIDDEN_CURVE | HIDDEN_RATIO | HIDDEN_LIMITS | HIDDEN_BINDING);
	assert_true(setting_equal(&lesson->step[1].setting, &step->setting));
	assert_int_equal(lesson_hides(&lesson->step[1]), 0);
}

/* Each mistake: a lesson, the place of its mistake, and words of the message. */
static const struct {
	const char *text;
	int line, column;
	const char *words;
} wrong[] = {
	{ "minutes 5\n" BODY, 1, 1, "title" },
	{ "title T\n" BODY, 1, 1, "minutes" },
	{ HEAD, 2, 1, "no step" },
	{ HEAD "stpe One\n" BODY, 3, 1, "did you mean step" },
	{ HEAD "  Text.\n" BODY, 3, 3, "before the first step" },
	{ "title T\nminutes x\n" BODY, 2, 9, "whole number" },
	{ HEAD BODY "title U\n", 6, 1, "before the first step" },
	{ HEAD BODY "setting combine acc=2\n", 6, 1, "a second setting" },
	{ HEAD "step One\n  T.\nsetting combnie\n", 5, 9, "combine" },
	{ HEAD "step One\n  T.\nsetting combine op=mul acc=77\n", 5, 28, "1 to 16" },
	{ HEAD "step One\n  T.\nsetting combine aac=7\n", 5, 17, "acc" },
	{ HEAD BODY "panel cod\n", 6, 7, "code" },
	{ HEAD BODY "do veiw code\n", 6, 4, "no command" },
	{ HEAD BODY "needs avx3\nelse T\n", 6, 7, "avx2" },
	{ HEAD BODY "needs avx2\n", 3, 1, "else" },
	{ HEAD BODY "else T\n", 6, 1, "no effect" },
	{ HEAD BODY "hide limits\n", 6, 1, "without a question" },
	{ HEAD BODY "show limits\n", 6, 1, "without a question" },
	{ HEAD BODY "show cpe\nask number cpe\nexplain T\n", 6, 1, "asks for" },
	{ HEAD BODY "ask nmber cpe\nexplain T\n", 6, 5, "number" },
	{ HEAD BODY
		"hide limits\nask chioce\n  Which?\noption a when cpe > 1\noption b otherwise\n",
		7, 5, "choice" },
	{ HEAD "step One\n  The limit is {limit}.\nsetting combine\nask number cpe\nexplain T\n", 4,
		16, "move it to explain" },
	{ HEAD BODY "ask number cpee\nexplain T\n", 6, 12, "cpe" },
	{ HEAD BODY "ask number cpe within 20\nexplain T\n", 6, 23, "20%" },
	{ HEAD BODY "ask number cpe\n", 6, 5, "explain" },
	{ HEAD BODY "ask number A.cpe / cpe\nexplain T\n", 6, 12, "pin" },
	{ HEAD BODY "ask faster\nexplain T\n", 6, 5, "pin" },
	{ HEAD BODY "explain a {if cpe < 2} b\n", 6, 11, "without {end}" },
	{ HEAD BODY "explain a {else} b {end}\n", 6, 11, "{if CONDITION}" },
	{ HEAD BODY "explain a {if cpe} b {end}\n", 6, 15, "condition" },
	{ HEAD BODY "ask number speedup\n  How much?\nexplain {speedup} {A.cpe}\n", 6, 12, "pin" },
	{ HEAD BODY "ask number cpe\nexplian T\n", 7, 1, "did you mean explain" },
	{ HEAD BODY "ask choice\noption a when cpe < 1\nexplain T\n", 6, 5, "two options" },
	{ HEAD BODY "ask choice\noption a when cpe <\noption b otherwise\nexplain T\n", 7, 20,
		"expected" },
	{ HEAD BODY "ask choice\noption a\noption b when cpe > 1\noption c otherwise\nexplain T\n",
		7, 9, "when" },
	{ HEAD BODY "ask choice\noption a when cpe\noption b otherwise\nexplain T\n", 7, 15,
		"no condition" },
	{ HEAD BODY "option a when cpe < 1\n", 6, 1, "ask choice" },
	{ HEAD BODY "ask knee size 4k\nexplain T\n", 6, 15, "range" },
	{ HEAD BODY "ask knee op 4k..64k\nexplain T\n", 6, 10, "no order" },
	{ HEAD BODY "ask knee size 64k..4k\nexplain T\n", 6, 10, "too short" },
	{ HEAD BODY "explain The value is {cpi}.\n", 6, 23, "cpe" },
	{ HEAD BODY "explain The value is {cpe.\n", 6, 22, "without" },
	{ HEAD BODY "explain {A.cpe}\n", 6, 9, "pin" },
	{ HEAD "step One\n  It is {cpe}.\nsetting combine\nask number cpe\nexplain T\n", 4, 9,
		"move it to explain" },
	{ HEAD "step One\n  T.\nask number cpe\nexplain T\n", 5, 5, "setting" },
	{ HEAD "step One\nsetting combine\n", 3, 1, "no text" },
	{ HEAD BODY "  A \033[31mred\033[0m word\n", 6, 5, "0x1b" },
	{ HEAD BODY "  A bad \xff byte\n", 6, 9, "0xff" },
};

TEST(a_mistake_has_line_and_column_and_says_what_would_be_right)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		const struct lesson_mistake *mistake;

		read(wrong[i].text);
		if (mistakes.count < 1)
			fail_msg("row %zu: no mistake found", i);
		mistake = &mistakes.mistake[0];
		if (mistake->line != wrong[i].line || mistake->column != wrong[i].column ||
			!strstr(mistake->words, wrong[i].words))
			fail_msg("row %zu: %d:%d: %s; expected %d:%d %s", i, mistake->line,
				mistake->column, mistake->words, wrong[i].line, wrong[i].column,
				wrong[i].words);
		/* A single mistake does not cause others. A line with two escapes has two mistakes.
		 */
		if (mistakes.count > 1 && !strstr(mistake->words, "0x1b"))
			fail_msg("row %zu: also %s", i, mistakes.mistake[1].words);
	}
}

TEST(every_mistake_of_a_file_is_reported)
{
	read("titel T\nminutes 5\nstep One\n  Text {cpee}.\nsetting combine acc=99\npanel x\nask "
	     "choice\noption a when cpe < \noption b otherwise\nexplain {l4.size}\n");
	assert_int_equal(mistakes.count, 7);
	for (int i = 1; i < mistakes.count; i++)
		assert_true(mistakes.mistake[i - 1].line <= mistakes.mistake[i].line);
}

/* ---- judging ---- */

static struct sample now = { .valid = true, .cpe = 0.75, .cpe_lo = 0.74, .cpe_hi = 0.76 },
		     a = { .valid = true, .cpe = 3, .cpe_lo = 2.9, .cpe_hi = 3.1 };
static struct limits limits = { .limit_count = 3,
	.limit = { { .kind = LIMIT_LATENCY, .known = true, .hard = true, .cpe = 0.75 },
		{ .kind = LIMIT_PORTS, .known = true, .hard = true, .cpe = 0.5 },
		{ .kind = LIMIT_DECODE, .known = true, .cpe = 0.3 } },
	.binding = 0,
	.bound = 0.75,
	.predicted = 0.75 };
static struct cache_sizes caches = { .level = { { .bytes = 49152 } }, .line = 64 };

static struct lesson_values values = { .now = &now, .a = &a, .limits = &limits, .caches = &caches };

TEST(expressions_use_measured_values)
{
	static const struct {
		const char *text, *words;
	} rows[] = {
		{ "cpe", "0.750" },
		{ "A.cpe", "3.00" },
		{ "speedup", "4.00" },
		{ "A.cpe - cpe * 2", "1.50" },
		{ "(A.cpe + cpe) / 3", "1.25" },
		{ "binding", "latency" },
		{ "limit.ports", "0.500" },
		{ "l1.size", "48 KiB" },
		{ "l1.size / line", "768" },
		{ "l2.size", "?" },
		{ "A.limit", "?" },
		{ "binding = latency", "1" },
		{ "binding != latency", "0" },
		{ "cpe < A.cpe / 2 and binding = ports", "0" },
		{ "cpe < A.cpe / 2 or binding = ports", "1" },
		{ "cpe about limit", "1" },
		{ "l1.size = 48k", "1" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct expression expression =
			expression_read(rows[i].text, strlen(rows[i].text), &values);

		if (!expression.ok)
			fail_msg("%s: %s", rows[i].text, expression.words);
		assert_string_equal(expression_words(&expression.value).text, rows[i].words);
	}
}

static const struct lesson_step *question(const char *ask)
{
	char text[600];

	snprintf(text, sizeof(text), HEAD BODY "pin combine acc=2\n%s\nexplain T\n", ask);
	read(text);
	check_no_mistake();
	return &lesson->step[0];
}

static struct lesson_judgement judgement;

static enum lesson_verdict verdict(const char *ask, const char *typed)
{
	const struct lesson_step *step = question(ask);
	struct lesson_guess guess;

	check_ok(lesson_guess_read(step, &values, typed, &guess));
	lesson_judge(step, &values, &guess, &judgement);
	assert_true(judgement.words[0] != '\0');
	return judgement.verdict;
}

TEST(a_guess_is_judged_by_the_measured_value)
{
	static const struct {
		const char *ask, *typed;
		enum lesson_verdict verdict;
	} rows[] = {
		{ "ask number cpe", "0.75", VERDICT_RIGHT },
		{ "ask number cpe", "0,8", VERDICT_RIGHT },
		{ "ask number cpe", ".75", VERDICT_RIGHT },
		{ "ask number l1.size", "48 KiB", VERDICT_RIGHT },
		{ "ask number l1.size", "48KB", VERDICT_RIGHT },
		{ "ask number l1.size", "0.1 M", VERDICT_WRONG },
		{ "ask number cpe", "0.95", VERDICT_WRONG },
		{ "ask number cpe within 2x", "0.4", VERDICT_RIGHT },
		{ "ask number cpe within 2x", "0.3", VERDICT_WRONG },
		{ "ask number speedup", "4", VERDICT_RIGHT },
		{ "ask number A.limit", "4", VERDICT_UNDECIDED },
		{ "ask faster", "b", VERDICT_RIGHT },
		{ "ask faster", "1", VERDICT_WRONG },
		{ "ask limit", "latency", VERDICT_RIGHT },
		{ "ask limit", "ports", VERDICT_WRONG },
		{ "ask number line / 8b within 1%", "8", VERDICT_RIGHT },
		{ "ask choice\noption half when cpe < A.cpe / 2\noption equal otherwise", "a",
			VERDICT_RIGHT },
		{ "ask choice\noption half when cpe > A.cpe\noption equal otherwise", "b",
			VERDICT_RIGHT },
		{ "ask choice\noption half when cpe > 0\noption equal when cpe < 9", "b",
			VERDICT_UNDECIDED },
		{ "ask choice\noption x when l2.size > 0\noption y otherwise", "b",
			VERDICT_UNDECIDED },
		{ "ask text", "because", VERDICT_KEPT },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (verdict(rows[i].ask, rows[i].typed) != rows[i].verdict)
			fail_msg("%s: %s is not %s", rows[i].ask, rows[i].typed,
				lesson_verdict_names[rows[i].verdict]);
}

TEST(settings_that_differ_by_less_than_their_spread_are_equally_fast)
{
	static const struct sample steady = { .valid = true,
		.cpe = 3.2,
		.cpe_lo = 3.18,
		.cpe_hi = 3.22 },
				   wide = { .valid = true, .cpe = 3.2, .cpe_lo = 3, .cpe_hi = 3.4 },
				   far = { .valid = true, .cpe = 3.6, .cpe_lo = 3, .cpe_hi = 4 };
	const struct sample *before = values.now;

	values.now = &steady;
	assert_int_equal(verdict("ask faster", "a"), VERDICT_RIGHT);
	values.now = &wide;
	assert_int_equal(verdict("ask faster", "c"), VERDICT_RIGHT);
	values.now = &far;
	assert_int_equal(verdict("ask faster", "a"), VERDICT_UNDECIDED);
	values.now = before;
}

TEST(an_answer_in_words_is_repeated)
{
	assert_int_equal(verdict("ask text", "because"), VERDICT_KEPT);
	assert_string_equal(judgement.words, "Not judged. Your answer: because");
}

TEST(a_guess_of_a_size_without_a_unit_is_told_as_bytes)
{
	assert_int_equal(verdict("ask number l1.size within 5%", "48k"), VERDICT_RIGHT);
	/* Perhaps 48k was meant. */
	assert_int_equal(verdict("ask number l1.size within 5%", "48"), VERDICT_WRONG);
	check_contains(judgement.words, "Your guess: 48 bytes, not within 5 %. ");
}

TEST(a_skipped_question_is_recorded_as_skipped_and_shows_the_value)
{
	const struct lesson_step *step = question("ask number cpe");
	struct lesson_guess guess = { .skipped = true };

	lesson_judge(step, &values, &guess, &judgement);
	assert_int_equal(judgement.verdict, VERDICT_SKIPPED);
	assert_string_equal(judgement.truth, "0.750");
	check_contains(judgement.words, "Skipped. Measured: 0.750");
	guess.revealed = true;
	lesson_judge(step, &values, &guess, &judgement);
	assert_int_equal(judgement.verdict, VERDICT_SKIPPED);
	check_contains(judgement.words, "Shown. Measured: 0.750");
	now.contended = true;
	lesson_judge(step, &values, &guess, &judgement);
	assert_string_equal(judgement.doubt, "contended");
	/* The size of a line does not depend on the sample. */
	lesson_judge(question("ask number line / 8b"), &values, &guess, &judgement);
	assert_null(judgement.doubt);
	now.contended = false;
}

TEST(a_guess_of_another_kind_is_refused_with_what_is_expected)
{
	struct lesson_guess guess;
	struct status status =
		lesson_guess_read(question("ask number cpe"), &values, "fast", &guess);

	assert_int_equal(status.code, STATUS_USAGE);
	check_parts(status.text, "fast", "number");
	status = lesson_guess_read(question("ask faster"), &values, "z", &guess);
	assert_int_equal(status.code, STATUS_USAGE);
	check_parts(status.text, "z", "a to c");
	status = lesson_guess_read(question("ask faster"), &values, "5", &guess);
	assert_int_equal(status.code, STATUS_USAGE);
	check_parts(status.text, "5", "a to c", "1 to 3");
}

TEST(equal_limits_are_both_right_answers)
{
	limits.limit[1].cpe = 0.7495;
	assert_int_equal(verdict("ask limit", "ports"), VERDICT_RIGHT);
	assert_int_equal(verdict("ask limit", "latency"), VERDICT_RIGHT);
	limits.limit[1].cpe = 0.5;
}

TEST(a_knee_is_half_way_between_two_levels)
{
	static const struct lesson_point curve[] = { { 16384, 4 }, { 32768, 4.1 }, { 49152, 5 },
		{ 65536, 13 }, { 131072, 16 }, { 262144, 16 } };
	double knee = curve_knee(curve, 6);

	assert_true(knee > 49152 && knee < 65536);
	assert_true(isnan(curve_knee(curve, 2)));
	values.curve = curve;
	values.curve_count = 6;
	assert_int_equal(verdict("ask knee size 16k..256k", "48k"), VERDICT_RIGHT);
	assert_int_equal(verdict("ask knee size 16k..256k", "256k"), VERDICT_WRONG);
	values.curve_count = 0;
}

TEST(texts_are_filled_with_values)
{
	struct text text = { 0 };

	read(HEAD BODY "pin combine\nexplain It takes {cpe}, {{A takes {A.cpe}; {l2.size}\n");
	check_no_mistake();
	assert_false(lesson_fill(&lesson->step[0].explain, &values, &text));
	assert_string_equal(text_string(&text), "It takes 0.750, {A takes 3.00; ?");
	text_free(&text);
	assert_int_equal(lesson_lines("one two\n\nthree", 5), 4);
}

static const char *filled(const char *explain)
{
	static char words[200];
	struct text text = { 0 };
	char file[600];

	snprintf(file, sizeof(file), HEAD BODY "pin combine\nexplain %s\n", explain);
	read(file);
	check_no_mistake();
	lesson_fill(&lesson->step[0].explain, &values, &text);
	snprintf(words, sizeof(words), "%s", text_string(&text));
	text_free(&text);
	return words;
}

TEST(a_sentence_with_a_condition_is_shown_only_if_the_condition_is_true)
{
	assert_string_equal(filled("x {if ratio < 1}yes {cpe}{else}no{end}."), "x yes 0.750.");
	assert_string_equal(filled("x {if ratio > 1}yes{else}no{end}."), "x no.");
	assert_string_equal(filled("x{if ratio > 1} yes{end}."), "x.");
	assert_string_equal(filled("x{if l2.size > 1} yes{else} no{end}."), "x.");
}

TEST(contended_cycles_are_marked_in_a_text)
{
	now.contended = true;
	assert_string_equal(filled("{cpe} and {A.cpe}."), "0.750 (contended) and 3.00.");
	now.contended = false;
	assert_string_equal(filled("{cpe} and {A.cpe}."), "0.750 and 3.00.");
}

RUN_TESTS(.tear_down = done)
