#include "lesson/lesson_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lesson/expression.h"

enum { CURVE_MOST = 64 };

/* The measured values of a step, and the memory that they need. */
struct measured {
	struct lesson_values values;
	struct cache_sizes caches;
	struct sample now, a;
	struct limits limits, a_limits; /* copies without instructions */
	struct lesson_point curve[CURVE_MOST];
};

struct check {
	const struct lesson_source *source;
	struct lesson_mistakes *mistakes;
	struct measured *measured;
	struct lesson_checked counts;
};

static bool stopped(const struct check *check)
{
	return check->source->stopped && check->source->stopped(check->source->context);
}

/* ---- measuring ---- */

/* Lists the knob's values between the ends of a question for a knee: the same values as in the
 * explorer's curves. */
static int knee_values(
	const struct lesson_step *step, const struct machine *machine, int64_t values[CURVE_MOST])
{
	const struct lesson_question *question = &step->question;
	const struct kernel *kernel = step->setting.kernel;
	const struct knob *knob = &kernel->knobs[question->knob];
	struct memory_limits limits = machine_means(machine);
	int64_t all[4 * CURVE_MOST];
	int count, kept = 0;

	count = knob->axis == AXIS_SIZE
			? axis_sizes(kernel, question->knob, false, machine_last_cache(machine),
				  limits, all, 4 * CURVE_MOST)
			: axis_values(knob, limits, all, 4 * CURVE_MOST);
	for (int i = 0; i < count && kept < CURVE_MOST; i++)
		if (all[i] >= question->least && all[i] <= question->most)
			values[kept++] = all[i];
	return kept;
}

static struct status measure_one(struct check *check, const struct setting *setting,
	struct sample *sample, struct limits *kept, const struct limits **limits)
{
	const struct lesson_source *source = check->source;
	const struct limits *found = NULL;
	struct status status = setting_check(setting, machine_means(source->machine));

	if (status_is_ok(&status))
		status = source->measure(source->context, setting, sample, &found);
	*limits = NULL;
	if (status_is_ok(&status) && found) {
		*kept = *found;
		kept->insn = NULL;
		kept->insn_count = kept->insn_room = 0;
		*limits = kept;
	}
	return status;
}

static void measure_curve(struct check *check, const struct lesson_step *step)
{
	struct measured *measured = check->measured;
	const struct knob *knob = &step->setting.kernel->knobs[step->question.knob];
	int64_t values[CURVE_MOST];
	int count = knee_values(step, check->source->machine, values);

	measured->values.curve = measured->curve;
	measured->values.curve_bytes = knob->kind == KNOB_BYTES;
	measured->values.curve_count = 0;
	for (int i = 0; i < count && !stopped(check); i++) {
		struct setting setting = step->setting;
		struct sample sample = { 0 };
		const struct limits *limits;
		struct status status;

		setting.v[step->question.knob] = values[i];
		status = measure_one(check, &setting, &sample, &measured->limits, &limits);
		if (status_is_ok(&status) && sample.valid)
			measured->curve[measured->values.curve_count++] =
				(struct lesson_point){ (double)values[i], sample.cpe };
	}
}

/* Measures all settings of a lesson's step: its own, A, and the points of its curve. Returns
 * whether the settings could be measured; if not, reports the reason.
 */
static bool measure_step(struct check *check, const struct lesson_step *step)
{
	struct measured *measured = check->measured;
	struct lesson_values *values = &measured->values;
	struct status status;

	if (step->question.ask == ASK_KNEE && step->question.knob >= 0)
		measure_curve(check, step);
	status = measure_one(
		check, &step->setting, &measured->now, &measured->limits, &values->limits);
	if (!status_is_ok(&status)) {
		lesson_mistake(check->mistakes, step->setting_place.line,
			step->setting_place.column, "cannot be measured here: %s", status.text);
		return false;
	}
	values->now = &measured->now;
	if (step->pinned.kernel) {
		status = measure_one(
			check, &step->pinned, &measured->a, &measured->a_limits, &values->a_limits);
		if (!status_is_ok(&status)) {
			lesson_mistake(check->mistakes, step->pinned_place.line,
				step->pinned_place.column, "A cannot be measured here: %s",
				status.text);
			return false;
		}
		values->a = &measured->a;
	}
	measured->caches = check->source->caches(check->source->context);
	return true;
}

/* ---- texts ---- */

/* Reports the expressions in a lesson's text that have no value on this machine. */
static void check_values(struct check *check, const struct lesson_text *text)
{
	for (int i = 0; i < text->hole_count; i++) {
		const struct lesson_hole *hole = &text->hole[i];
		const char *words;
		size_t length;
		enum hole_kind kind =
			lesson_hole(text->words + hole->offset, hole->length, &words, &length);
		struct expression expression;

		if (kind == HOLE_ELSE || kind == HOLE_END)
			continue;
		expression = expression_read(words, length, &check->measured->values);
		if (expression.value.kind == VALUE_UNKNOWN)
			lesson_mistake(check->mistakes, hole->line, hole->column,
				"{%.*s} has no value here: add needs limits and else TEXT, or use "
				"another value",
				(int)(length < 60 ? length : 60), words);
	}
}

/* Returns the number of screen lines that a lesson's text needs, with an empty line before it. */
static int lines_of(const struct check *check, const struct lesson_text *text)
{
	struct text filled = { 0 };
	int lines;

	if (!text->words || !*text->words)
		return 0;
	lesson_fill(text, &check->measured->values, &filled);
	lines = lesson_lines(text_string(&filled), LESSON_COLUMNS);
	text_free(&filled);
	return 1 + lines;
}

/* Returns the number of screen lines of one answer to choose from, "a) WORDS", indented by two
 * columns. */
static int answer_lines(const struct lesson_answer *answer, const char *mark)
{
	return lesson_lines(words_of("a) %s%s", answer->words, mark).text, LESSON_COLUMNS - 2);
}

static void check_lines(
	struct check *check, const struct lesson_text *text, int lines, const char *what)
{
	if (lines > LESSON_LINES)
		lesson_mistake(check->mistakes, text->line, text->column,
			"%s need%s %d lines of %d columns, but a terminal of 80x24 has %d: shorten "
			"by %d",
			what, strstr(what, " and ") ? "" : "s", lines, LESSON_COLUMNS, LESSON_LINES,
			lines - LESSON_LINES);
}

/* Checks that the lesson's panel has rows for all its text, before the student answers and after.
 */
static void check_question_lines(struct check *check, const struct lesson_step *step)
{
	const struct lesson_guess skipped = { .skipped = true, .choice = -1 };
	struct lesson_answer answer[LESSON_OPTIONS];
	struct lesson_judgement judgement;
	int count = lesson_answers(step, &check->measured->values, answer), before, after;

	lesson_judge(step, &check->measured->values, &skipped, &judgement);
	after = before = lines_of(check, &step->question.prompt);
	before += lines_of(check, &step->text) + lines_of(check, &step->hint);
	for (int i = 0; i < count; i++)
		before += answer_lines(&answer[i], "");
	if (judgement.right >= 0)
		after += answer_lines(&answer[judgement.right], "  < measured");
	/* The line that judges a guess names the guess and the measured value. A doubtful
	 * measurement adds one line of text to the panel. */
	after += 2 + lesson_lines(
			     words_of("Right. Your guess: %s. %s", judgement.truth, judgement.words)
				     .text,
			     LESSON_COLUMNS);
	after += lines_of(check, &step->explain);
	check_lines(check, &step->text, before - 1, "the text, the question and the hint");
	check_lines(check, &step->explain, after - 1,
		"the question, the judgement and the explanation");
}

static void check_texts(struct check *check, const struct lesson_step *step, bool here)
{
	bool asks = here && step->question.ask != ASK_NOTHING;

	if (asks) {
		check_values(check, &step->explain);
		check_question_lines(check, step);
		return;
	}
	if (here)
		check_values(check, &step->text);
	check_lines(check, &step->text,
		lines_of(check, &step->text) + (here ? 0 : lines_of(check, &step->otherwise)) - 1,
		here ? "the text" : "the text and the text after else");
}

/* ---- questions ---- */

/* Reports that no single answer of the question is right here, with the reason and the measured
 * values. */
static void report_undecided(struct check *check, const struct lesson_step *step,
	const struct lesson_judgement *judgement)
{
	const struct lesson_question *question = &step->question;
	const struct lesson_values *values = &check->measured->values;
	struct lesson_answer answer[LESSON_OPTIONS];
	int count = lesson_answers(step, values, answer), right = 0;
	struct words why;

	for (int i = 0; i < count; i++)
		right += answer[i].right;
	if (question->ask == ASK_KNEE)
		why = words_of(
			"the curve over %d values of the knob has no knee", values->curve_count);
	else if (question->ask == ASK_NUMBER)
		why = words_of("%s has no value", question->subject ? question->subject : "it");
	else if (question->ask == ASK_LIMIT)
		why = words_of("no limit of this loop is known: add needs limits");
	else
		why = words_of("%s of the conditions hold%s", right > 1 ? "several" : "none",
			right == 1 ? "s" : "");
	lesson_mistake(check->mistakes, question->line, question->column,
		"the question cannot be decided here: %s; cpe is %s%s%s", why.text,
		units_cycles(values->now->cpe).text,
		values->a ? words_of(", A.cpe is %s", units_cycles(values->a->cpe).text).text : "",
		judgement->doubt ? words_of(" (%s)", judgement->doubt).text : "");
}

/* Checks that measured values decide the question of a lesson's step. The step is measured again
 * while the values decide no answer, or are doubtful. */
static bool check_question(struct check *check, const struct lesson_step *step)
{
	const struct lesson_guess skipped = { .skipped = true, .choice = -1 };
	struct lesson_judgement judgement = { 0 };
	bool decided = false;

	for (int i = 0; i < check->source->repeats && !stopped(check); i++) {
		if (!measure_step(check, step))
			return false;
		lesson_judge(step, &check->measured->values, &skipped, &judgement);
		decided = step->question.ask == ASK_TEXT || judgement.truth[0];
		if (decided && !judgement.doubt)
			break;
	}
	if (!decided && !stopped(check))
		report_undecided(check, step, &judgement);
	check->counts.questions++;
	check->counts.doubtful += decided && judgement.doubt;
	return true;
}

/* Checks a step. If the reader found a mistake in it (`mistaken`), the step's question and texts
 * are not checked, because their values could cause further mistakes. */
static void check_step(struct check *check, const struct lesson_step *step, bool mistaken)
{
	struct lesson_values *values = &check->measured->values;
	bool asks = step->question.ask != ASK_NOTHING, good = true, here;

	memset(check->measured, 0, sizeof(*check->measured));
	*values = (struct lesson_values){ .machine = check->source->machine,
		.caches = &check->measured->caches,
		.no_core = check->source->no_core };
	check->measured->caches = check->source->caches(check->source->context);
	check->counts.steps++;
	here = lesson_here(step, values, NULL);
	check->counts.elsewhere += !here;
	if (here && step->setting.kernel)
		good = asks && !mistaken ? check_question(check, step) : measure_step(check, step);
	/* If the step's setting has a mistake, which the reader has reported, the setting cannot be
	 * measured. */
	if (!step->setting.kernel && step->setting_place.line)
		good = false;
	if (good && !mistaken && !stopped(check))
		check_texts(check, step, here);
}

/* Returns whether the reader found a mistake in a step. */
static bool has_mistake(
	const struct lesson *lesson, int step, const struct lesson_mistakes *mistakes)
{
	int from = lesson->step[step].place.line,
	    to = step + 1 < lesson->step_count ? lesson->step[step + 1].place.line : 0;

	for (int i = 0; i < mistakes->count; i++)
		if (mistakes->mistake[i].line >= from && (!to || mistakes->mistake[i].line < to))
			return true;
	return false;
}

struct lesson_checked lesson_check(const struct lesson *lesson, const struct lesson_source *source,
	struct lesson_mistakes *mistakes)
{
	struct check check = { .source = source,
		.mistakes = mistakes,
		.measured = memory_new(1, sizeof(*check.measured)) };

	for (int i = 0; i < lesson->step_count && !stopped(&check); i++)
		check_step(&check, &lesson->step[i], has_mistake(lesson, i, mistakes));
	free(check.measured);
	lesson_mistakes_sort(mistakes);
	return check.counts;
}

void lesson_settings(
	const struct lesson *lesson, const struct machine *machine, struct setting_index *settings)
{
	for (int i = 0; i < lesson->step_count; i++) {
		const struct lesson_step *step = &lesson->step[i];
		int64_t values[CURVE_MOST];
		struct setting setting = step->setting;

		if (step->pinned.kernel)
			setting_index_add(settings, &step->pinned);
		if (!setting.kernel)
			continue;
		setting_index_add(settings, &setting);
		if (step->question.ask != ASK_KNEE || step->question.knob < 0)
			continue;
		for (int j = knee_values(step, machine, values) - 1; j >= 0; j--) {
			setting.v[step->question.knob] = values[j];
			setting_index_add(settings, &setting);
		}
	}
}
