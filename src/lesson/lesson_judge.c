#include "lesson/lesson_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/units.h"
#include "lesson/expression.h"

const char *const lesson_verdict_names[] = { "undecided", "right", "wrong", "skipped", "kept" };

/* ---- what the machine has ---- */

static bool has_l2(const struct lesson_values *values)
{
	return !values->machine || machine_cache(values->machine, 2) > 0;
}

static bool has_l3(const struct lesson_values *values)
{
	return !values->machine || machine_cache(values->machine, 3) > 0;
}

static bool has_limits(const struct lesson_values *values)
{
	return !values->no_core;
}

static bool is_virtual(const struct lesson_values *values)
{
	return values->machine && values->machine->virtualised;
}

/* An emulator executes instructions one by one, so it has no ports and no caches. QEMU's emulated
 * processors have "TCG" or "QEMU" in their names. */
static bool is_emulated(const struct lesson_values *values)
{
	return values->machine &&
	       (strstr(values->machine->name, "TCG") || strstr(values->machine->name, "QEMU"));
}

static bool is_x86(const struct lesson_values *values)
{
	return values->machine && strcmp(values->machine->arch, "x86_64") == 0;
}

static bool is_arm(const struct lesson_values *values)
{
	return values->machine && strcmp(values->machine->arch, "aarch64") == 0;
}

static bool has_huge_pages(const struct lesson_values *values)
{
	return !values->machine || values->machine->huge_pages;
}

static const struct need {
	const char *name;
	bool (*holds)(const struct lesson_values *values);
} needs[] = {
	{ "l2", has_l2 },
	{ "l3", has_l3 },
	{ "limits", has_limits },
	{ "huge-pages", has_huge_pages },
	{ "virtual", is_virtual },
	{ "emulated", is_emulated },
	{ "x86-64", is_x86 },
	{ "aarch64", is_arm },
};

enum { NEEDS = sizeof(needs) / sizeof(*needs) };

size_t lesson_need_names(const char **names, size_t most)
{
	size_t count = 0;

	for (int i = 0; i < NEEDS && count < most; i++)
		names[count++] = needs[i].name;
	for (int i = 0; processor_features[i] && count < most; i++)
		names[count++] = processor_features[i];
	return count;
}

/* A recording may lack the processor's features. A recording without a list of processor features
 * counts as having every feature that a lesson's step needs. */
static bool holds(const char *name, const struct lesson_values *values)
{
	for (int i = 0; i < NEEDS; i++)
		if (strcmp(needs[i].name, name) == 0)
			return needs[i].holds(values);
	return !values->machine || !values->machine->processor.features[0] ||
	       processor_has(&values->machine->processor, name);
}

bool lesson_here(
	const struct lesson_step *step, const struct lesson_values *values, struct words *why)
{
	for (int i = 0; i < step->need_count; i++)
		if (!holds(step->need[i].words, values)) {
			if (why)
				*why = words_of("the step needs %s", step->need[i].words);
			return false;
		}
	for (int i = 0; i < step->unless_count; i++)
		if (holds(step->unless[i].words, values)) {
			if (why)
				*why = words_of(
					"this machine is, or has, %s", step->unless[i].words);
			return false;
		}
	return true;
}

/* ---- texts ---- */

/* Returns why the measured cycles that an expression names are doubtful, such as "contended"; NULL:
 * they are good, or the expression names no cycles. */
static const char *doubt_of(const struct expression_value *value, const char *inside, size_t length,
	const struct lesson_values *values)
{
	const struct sample *sample = length == 3 && memcmp(inside, "cpe", 3) == 0     ? values->now
				      : length == 5 && memcmp(inside, "A.cpe", 5) == 0 ? values->a
										       : NULL;

	return value->kind == VALUE_NUMBER && sample && sample->contended ? sample_doubt(sample)
									  : NULL;
}

bool lesson_fill(
	const struct lesson_text *from, const struct lesson_values *values, struct text *to)
{
	const char *words = from->words ? from->words : "";
	/* `holds`: the condition of the words around the present place; `shown`: the present words
	 * are shown. While a condition is not known, neither of its two texts is. */
	bool known = true, holds = false, decided = true, shown = true;
	int hole = 0;

	for (size_t i = 0; words[i];) {
		struct expression expression;
		enum hole_kind kind;
		const char *inside;
		size_t length;

		if (hole >= from->hole_count || from->hole[hole].offset != i) {
			if (shown)
				text_addn(to, words + i, 1);
			i += words[i] == '{' && words[i + 1] == '{' ? 2 : 1;
			continue;
		}
		kind = lesson_hole(words + i, from->hole[hole].length, &inside, &length);
		i += from->hole[hole++].length;
		if (kind == HOLE_ELSE || kind == HOLE_END) {
			shown = kind == HOLE_END || (decided && !holds);
			continue;
		}
		if (!shown)
			continue;
		expression = expression_read(inside, length, values);
		known &= expression.value.kind != VALUE_UNKNOWN;
		if (kind == HOLE_VALUE) {
			const char *doubt = doubt_of(&expression.value, inside, length, values);

			text_add(to, expression_words(&expression.value).text);
			if (doubt)
				text_addf(to, " (%s)", doubt);
			continue;
		}
		decided = expression.value.kind == VALUE_NUMBER;
		shown = holds = decided && expression.value.number != 0;
	}
	return known;
}

/* Bytes of a character. Every character counts as one column on screen, however many bytes it has.
 */
static size_t one_column(const void *context, const char *at, int *columns)
{
	size_t bytes = text_character(at);

	(void)context;
	*columns = 1;
	return bytes > 0 ? bytes : 1;
}

int lesson_lines(const char *text, int columns)
{
	struct text_wrap wrap = { .columns = columns, .cut_words = true, .columns_of = one_column };
	int lines = 0;

	while (*text) {
		text_line(&wrap, text, &text);
		lines++;
	}
	return lines;
}

/* ---- answers to choose from ---- */

/* Fills one answer to choose from: the option's text with measured values, and whether its
 * condition holds. */
static void fill_option(const struct lesson_option *option, const struct lesson_values *values,
	struct lesson_answer *answer)
{
	struct text text = { 0 };
	struct expression expression = expression_read(option->when, strlen(option->when), values);

	lesson_fill(&option->text, values, &text);
	text_copy_clean(answer->words, sizeof(answer->words), text_string(&text));
	text_free(&text);
	answer->right = option->when[0] && expression.value.kind == VALUE_NUMBER &&
			expression.value.number != 0;
}

static int choice_answers(const struct lesson_question *question,
	const struct lesson_values *values, struct lesson_answer *answer)
{
	int otherwise = -1, right = 0;
	bool known = true;

	for (int i = 0; i < question->option_count; i++) {
		const struct lesson_option *option = &question->option[i];

		fill_option(option, values, &answer[i]);
		right += answer[i].right;
		if (!option->when[0])
			otherwise = i;
		else
			known &= expression_read(option->when, strlen(option->when), values)
					 .value.kind == VALUE_NUMBER;
	}
	if (otherwise >= 0 && right == 0 && known)
		answer[otherwise].right = true;
	return question->option_count;
}

static bool valid(const struct sample *sample)
{
	return sample && sample->valid && sample->cpe > 0;
}

static int faster_answers(const struct lesson_question *question,
	const struct lesson_values *values, struct lesson_answer *answer)
{
	bool known = valid(values->now) && valid(values->a);
	double ratio = known ? values->now->cpe / values->a->cpe : NAN;
	/* As in the panel with B/A: values that differ by less than their spread are equal, and if
	 * they differ more, but their quartiles overlap, no measured value decides the question. */
	bool overlap = known && sample_overlap(values->now, values->a);
	double within = overlap ? fmax(question->within, SAMPLE_EQUAL_WITHIN) : question->within;
	bool same = ratio <= 1 + within && ratio >= 1 / (1 + within);

	snprintf(answer[0].words, sizeof(answer[0].words), "A is faster");
	snprintf(answer[1].words, sizeof(answer[1].words), "B, the present setting, is faster");
	snprintf(answer[2].words, sizeof(answer[2].words),
		"A and B are equally fast, within %g %% or the spread", 100 * question->within);
	answer[0].right = known && !same && ratio > 1;
	answer[1].right = known && !same && ratio < 1;
	answer[2].right = known && (same || overlap);
	return 3;
}

/* Limits that differ by less than this share count as equal. */
#define EQUAL_LIMITS 0.005

/* Offers the loop's hard limits as answers, in the fixed order of limit_rows.h, which does not give
 * away the highest limit. The binding limit is always one of the answers to choose from. A limit
 * that is equal to it is a right answer too. */
static int limit_answers(const struct lesson_values *values, struct lesson_answer *answer)
{
	const struct limits *limits = values->limits;
	int count = 0;

	if (!limits || limits->binding < 0)
		return 0;
	for (int kind = 0; kind < LIMIT_COUNT && count < LESSON_OPTIONS; kind++)
		for (int i = 0; i < limits->limit_count; i++) {
			bool binds = i == limits->binding;

			if ((int)limits->limit[i].kind != kind || !limits->limit[i].known ||
				!limits->limit[i].hard ||
				(count == LESSON_OPTIONS - 1 && !binds && i > limits->binding))
				continue;
			snprintf(answer[count].words, sizeof(answer[count].words), "%s",
				limit_rows[kind].name);
			answer[count++].right =
				limits->limit[i].cpe >= (1 - EQUAL_LIMITS) * limits->bound;
			break;
		}
	return count;
}

int lesson_answers(const struct lesson_step *step, const struct lesson_values *values,
	struct lesson_answer answer[LESSON_OPTIONS])
{
	memset(answer, 0, LESSON_OPTIONS * sizeof(*answer));
	switch (step->question.ask) {
	case ASK_CHOICE: return choice_answers(&step->question, values, answer);
	case ASK_FASTER: return faster_answers(&step->question, values, answer);
	case ASK_LIMIT: return limit_answers(values, answer);
	default: return 0;
	}
}

/* ---- judging ---- */

/* Finds the measured value, and its quartiles, with which the student's guess of a number is
 * compared. */
static void measure(const struct lesson_step *step, const struct lesson_values *values,
	struct lesson_judgement *judgement)
{
	const struct lesson_question *question = &step->question;
	struct expression_value value = { 0 };
	const struct sample *now = values->now;

	if (question->ask == ASK_KNEE) {
		value = expression_read("knee", 4, values).value;
	} else if (question->subject) {
		value = expression_read(question->subject, strlen(question->subject), values).value;
		/* Only the question for `cpe` has a spread: the quartiles of the present setting's
		 * sample. */
		if (valid(now) && strcmp(question->subject, "cpe") == 0) {
			judgement->lo = now->cpe_lo;
			judgement->hi = now->cpe_hi;
		}
	}
	if (value.kind != VALUE_NUMBER)
		return;
	judgement->measured = value.number;
	text_copy_clean(judgement->truth, sizeof(judgement->truth), expression_words(&value).text);
}

/* Whether a guessed number is within the tolerance of the range from the lower to the upper
 * quartile. */
static bool is_near(double guess, double within, const struct lesson_judgement *judgement)
{
	double lo = isfinite(judgement->lo) ? judgement->lo : judgement->measured,
	       hi = isfinite(judgement->hi) ? judgement->hi : judgement->measured;

	/* A guess exactly at the end of the tolerance is right, despite rounding errors. */
	return guess * (1 + within) >= lo * (1 - 1e-9) && guess <= hi * (1 + within) * (1 + 1e-9);
}

static void judge_number(const struct lesson_step *step, const struct lesson_guess *guess,
	struct lesson_judgement *judgement)
{
	if (!isfinite(judgement->measured) || !(judgement->measured > 0))
		return;
	judgement->ratio = guess->number / judgement->measured;
	judgement->verdict = is_near(guess->number, step->question.within, judgement)
				     ? VERDICT_RIGHT
				     : VERDICT_WRONG;
}

/* Finds the right limit: the guessed limit if it is equal to the binding limit, else the binding
 * limit. Names the other equal limits. */
static void find_limit(const struct lesson_answer *answer, int count,
	const struct lesson_values *values, int guessed, struct lesson_judgement *judgement)
{
	const struct limits *limits = values->limits;
	int equal = 0;

	for (int i = 0; i < count; i++)
		if (strcmp(answer[i].words, limit_rows[limits->limit[limits->binding].kind].name) ==
			0)
			judgement->right = i;
	if (guessed >= 0 && guessed < count && answer[guessed].right)
		judgement->right = guessed;
	if (judgement->right < 0)
		return;
	snprintf(judgement->truth, sizeof(judgement->truth), "%s", answer[judgement->right].words);
	for (int i = 0; i < count; i++) {
		size_t used = strlen(judgement->truth);

		if (answer[i].right && i != judgement->right)
			snprintf(judgement->truth + used, sizeof(judgement->truth) - used, "%s%s",
				equal++ ? ", " : "; equal: ", answer[i].words);
	}
}

/* Finds the one right answer by measured values; if none or several answers are right, the question
 * stays undecided. */
static void find_right(const struct lesson_step *step, const struct lesson_values *values,
	int guessed, struct lesson_judgement *judgement)
{
	struct lesson_answer answer[LESSON_OPTIONS];
	int count = lesson_answers(step, values, answer), right = 0;

	if (step->question.ask == ASK_LIMIT) {
		find_limit(answer, count, values, guessed, judgement);
		return;
	}
	for (int i = 0; i < count; i++)
		if (answer[i].right) {
			judgement->right = i;
			right++;
		}
	if (right != 1)
		judgement->right = -1;
	else
		snprintf(judgement->truth, sizeof(judgement->truth), "%s",
			answer[judgement->right].words);
}

/* Whether the right answer follows from the core model or the machine, and not from a measurement.
 */
static bool is_computed(const struct lesson_step *step)
{
	unsigned asked = lesson_asks_for(step);

	/* A number that hides nothing follows from facts of the machine, such as its line size. */
	if (!asked)
		return step->question.ask == ASK_NUMBER;
	return !(asked & ~(unsigned)(HIDDEN_LIMITS | HIDDEN_BINDING));
}

/* Returns why one of the samples that a question compares is doubtful, such as "contended"; NULL:
 * all samples are good. */
static const char *doubt(const struct lesson_step *step, const struct lesson_values *values)
{
	const char *words = valid(values->now) ? sample_doubt(values->now) : NULL;

	if (step->question.ask == ASK_LIMIT || step->question.ask == ASK_TEXT || is_computed(step))
		return NULL;
	if (!words && step->pinned.kernel && valid(values->a))
		words = sample_doubt(values->a);
	return words;
}

/* How near a guess of a number must be: "within 30 %", "within 2x"; "": the step asks for no
 * number. */
static struct words tolerance(const struct lesson_question *question)
{
	if (question->ask != ASK_NUMBER && question->ask != ASK_KNEE)
		return words_of("%s", "");
	return question->within < 1 ? words_of("within %.0f %%", 100 * question->within)
				    : words_of("within %gx", 1 + question->within);
}

static void say(const struct lesson_step *step, const struct lesson_guess *guess, bool early,
	struct lesson_judgement *judgement)
{
	struct words near = tolerance(&step->question);
	bool spread = isfinite(judgement->lo) && isfinite(judgement->hi);
	struct words measured = words_of("%s: %s%s.", judgement->computed ? "Computed" : "Measured",
		judgement->truth,
		spread ? words_of(" (quartiles %s to %s)", units_cycles(judgement->lo).text,
				 units_cycles(judgement->hi).text)
				 .text
		       : "");
	/* A guess of 32 may mean 32k. */
	bool bare = strstr(judgement->truth, "iB") &&
		    guess->text[strspn(guess->text, "0123456789")] == '\0';
	struct words words;

	if (judgement->verdict == VERDICT_KEPT)
		words = words_of("Not judged. Your answer: %.200s", guess->text);
	else if (!judgement->truth[0] || judgement->verdict == VERDICT_UNDECIDED)
		words = words_of("%s%.60s%s%s",
			guess->skipped ? "" : "Your guess: ", guess->skipped ? "" : guess->text,
			guess->skipped ? "" : ". ",
			early ? "Left before the value was measured."
			      : "No measured value decides the question.");
	else if (judgement->verdict == VERDICT_SKIPPED)
		words = words_of("%s. %s", guess->revealed ? "Shown" : "Skipped", measured.text);
	else if (judgement->verdict == VERDICT_RIGHT && strcmp(guess->text, judgement->truth) == 0)
		words = words_of("Right. %s", measured.text);
	else
		words = words_of("%s. Your guess: %.60s%s%s%s. %s",
			judgement->verdict == VERDICT_RIGHT ? "Right" : "No", guess->text,
			bare ? " bytes" : "",
			!*near.text			      ? ""
			: judgement->verdict == VERDICT_RIGHT ? ", "
							      : ", not ",
			near.text, measured.text);
	text_copy_clean(judgement->words, sizeof(judgement->words), words.text);
}

void lesson_judge(const struct lesson_step *step, const struct lesson_values *values,
	const struct lesson_guess *guess, struct lesson_judgement *judgement)
{
	*judgement = (struct lesson_judgement){
		.measured = NAN, .lo = NAN, .hi = NAN, .ratio = NAN, .right = -1
	};
	judgement->doubt = doubt(step, values);
	judgement->computed = is_computed(step);
	switch (step->question.ask) {
	case ASK_NUMBER:
	case ASK_KNEE:
		measure(step, values, judgement);
		if (!guess->skipped)
			judge_number(step, guess, judgement);
		break;
	case ASK_CHOICE:
	case ASK_FASTER:
	case ASK_LIMIT:
		find_right(step, values, guess->skipped ? -1 : guess->choice, judgement);
		if (!guess->skipped && judgement->right >= 0)
			judgement->verdict =
				guess->choice == judgement->right ? VERDICT_RIGHT : VERDICT_WRONG;
		break;
	case ASK_TEXT: judgement->verdict = VERDICT_KEPT; break;
	case ASK_NOTHING: break;
	}
	if (guess->skipped)
		judgement->verdict = VERDICT_SKIPPED;
	say(step, guess, values->early, judgement);
}
