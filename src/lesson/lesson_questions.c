/* The questions of a lesson's file, and the checks of a complete step. */
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "lesson/expression.h"
#include "lesson/lesson_reader.h"

/* Default tolerances. A guessed knee may be wrong by a factor of 2, because the sizes of caches are
 * often powers of two. */
#define WITHIN_NUMBER 0.2
#define WITHIN_FASTER 0.05
#define WITHIN_KNEE   1.0

/* ---- questions ---- */

static const char *const ask_names[] = { "number", "choice", "faster", "limit", "knee", "text" };

enum { ASKS = sizeof(ask_names) / sizeof(*ask_names) };

/* Reads "within 20%" or "within 2x" at the end of the line. */
static void read_within(struct lesson_reader *reader, struct lesson_question *question)
{
	struct lesson_word word = line_word(reader);
	size_t length;
	double number;
	char unit;

	if (!word.text[0])
		return;
	if (strcmp(word.text, "within") != 0) {
		line_wrong(reader, word.column,
			"unexpected \"%s\": expected within N%% or within Nx", word.text);
		return;
	}
	word = line_word(reader);
	length = strlen(word.text);
	unit = length > 0 ? word.text[length - 1] : '\0';
	if (length < 2 || !strchr("%x", unit) || !rows_decimal(word.text, length - 1, &number) ||
		(unit == '%' ? number <= 0 || number > 100 : number <= 1 || number > 10))
		line_wrong(reader, word.column,
			"tolerance \"%s\": expected one such as 20%% (up to 100%%) or 2x (up to "
			"10x)",
			word.text);
	else
		question->within = unit == '%' ? number / 100 : number - 1;
	line_nothing_more(reader);
}

/* Reads the expression that is asked for, up to "within" or the end of the line. */
static void read_subject(struct lesson_reader *reader, struct lesson_question *question)
{
	const char *within;
	size_t length;
	struct expression expression;

	line_blanks(reader);
	within = strstr(reader->at, " within");
	length = within ? (size_t)(within - reader->at) : strlen(reader->at);
	question->subject_line = reader->number;
	question->subject_column = line_column(reader, reader->at);
	if (length == 0) {
		line_wrong(reader, question->subject_column,
			"expected what to ask for, such as cpe, ratio or A.cpe / cpe");
		return;
	}
	expression = expression_read(reader->at, length, NULL);
	if (!expression.ok)
		line_wrong(reader, line_column(reader, reader->at + expression.offset), "%s",
			expression.words);
	else if (expression.condition || expression.value.word)
		line_wrong(reader, question->subject_column,
			"\"%.*s\" is no number: ask limit asks for the binding limit", (int)length,
			reader->at);
	else {
		question->subject = memory_resize(NULL, length + 1, 1);
		memcpy(question->subject, reader->at, length);
		question->subject[length] = '\0';
	}
	reader->at += length;
}

/* Stores the words "KNOB LEAST..MOST" of a question for a knee until the step's setting, and so its
 * kernel, is known. */
static void read_knee(struct lesson_reader *reader, struct lesson_question *question)
{
	struct lesson_word knob = line_word(reader), range = line_word(reader);

	question->subject_line = reader->number;
	question->subject_column = knob.column;
	if (!range.text[0] || !strstr(range.text, "..")) {
		line_wrong(reader, range.column,
			"expected a knob and its range, such as: ask knee size 4k..1m");
		return;
	}
	question->subject = memory_string(words_of("%s %s", knob.text, range.text).text);
}

void read_ask(struct lesson_reader *reader)
{
	struct lesson_question *question = &reader->step->question;
	struct lesson_word word;
	int kind = 0;

	question->line = reader->number;
	word = line_word(reader);
	question->column = word.column;
	while (kind < ASKS && strcmp(ask_names[kind], word.text) != 0)
		kind++;
	if (kind == ASKS) {
		line_wrong(reader, word.column, "%s",
			status_unknown("unknown question", word.text, ask_names, ASKS, NULL).text);
		/* A question of an unknown kind counts as free text, so that its words and options
		 * cause no further mistakes. */
		question->ask = ASK_TEXT;
		reader->unknown = true;
		line_text(reader, &question->prompt);
		return;
	}
	question->ask = (enum lesson_ask)(kind + 1);
	question->knob = -1;
	question->within = question->ask == ASK_KNEE	 ? WITHIN_KNEE
			   : question->ask == ASK_FASTER ? WITHIN_FASTER
							 : WITHIN_NUMBER;
	if (question->ask == ASK_NUMBER)
		read_subject(reader, question);
	if (question->ask == ASK_KNEE)
		read_knee(reader, question);
	if (question->ask == ASK_NUMBER || question->ask == ASK_KNEE || question->ask == ASK_FASTER)
		read_within(reader, question);
	else
		line_nothing_more(reader);
	reader->at += strlen(reader->at);
	line_text(reader, &question->prompt);
}

/* Finds the last occurrence of a keyword in the line; `word` is the keyword with the blanks around
 * it. */
static char *last_word(char *line, const char *word)
{
	char *found = NULL;

	for (char *at = strstr(line, word); at; at = strstr(at + 1, word))
		found = at;
	return found;
}

void read_option(struct lesson_reader *reader)
{
	struct lesson_question *question = &reader->step->question;
	struct lesson_option *option;
	struct expression expression;
	char *when, *otherwise;
	const char *condition;

	line_blanks(reader);
	reader->target = NULL;
	if (reader->unknown)
		return;
	if (question->ask != ASK_CHOICE) {
		line_wrong(reader, 1, "an option without its question: write ask choice before it");
		return;
	}
	if (question->option_count == LESSON_OPTIONS) {
		line_wrong(reader, 1, "more than %d options", LESSON_OPTIONS);
		return;
	}
	when = last_word((char *)reader->at, " when ");
	otherwise = last_word((char *)reader->at, " otherwise");
	if (otherwise && otherwise[strlen(" otherwise")])
		otherwise = NULL;
	if (!when && !otherwise) {
		line_wrong(reader, line_column(reader, reader->at + strlen(reader->at)),
			"expected \"when CONDITION\" or \"otherwise\" after the option's text");
		return;
	}
	option = &question->option[question->option_count++];
	condition = otherwise ? "" : when + strlen(" when ");
	condition += strspn(condition, " \t");
	option->line = reader->number;
	option->column = line_column(reader, otherwise ? otherwise + 1 : condition);
	option->when = memory_string(condition);
	expression = expression_read(condition, strlen(condition), NULL);
	if (!otherwise && !expression.ok)
		line_wrong(reader, line_column(reader, condition + expression.offset), "%s",
			expression.words);
	else if (!otherwise && !expression.condition)
		line_wrong(reader, option->column,
			"\"%.40s\" is no condition: compare values, as in cpe < A.cpe / 2",
			condition);
	*(otherwise ? otherwise : when) = '\0';
	if (!*reader->at)
		line_wrong(reader, line_column(reader, reader->at), "the option has no text");
	line_text(reader, &option->text);
	reader->target = NULL;
}

/* ---- checks of a complete step ---- */

static struct lesson_place place_of(const struct lesson_question *question)
{
	return (struct lesson_place){ question->line, question->column };
}

/* Reports, once in a step, that the step has no setting A. */
static void check_a(struct lesson_reader *reader, struct lesson_place place)
{
	if (reader->step->pinned_place.line || reader->without_a || reader->misspelt)
		return;
	reader->without_a = true;
	line_wrong_at(reader, place, "the step has no setting A: add pin KERNEL KNOB=VALUE");
}

/* Checks that each {if} of a text has its {end}, that {else} is between them, and that none is
 * inside another. */
static void check_conditions(struct lesson_reader *reader, const struct lesson_text *text)
{
	enum hole_kind open = HOLE_END;
	int last = 0;

	for (int i = 0; text->words && i < text->hole_count; i++) {
		const struct lesson_hole *hole = &text->hole[i];
		const char *words;
		size_t length;
		enum hole_kind kind =
			lesson_hole(text->words + hole->offset, hole->length, &words, &length);

		if (kind == HOLE_VALUE)
			continue;
		if (kind == HOLE_IF ? open != HOLE_END
				    : open == HOLE_END || (kind == HOLE_ELSE && open == HOLE_ELSE))
			line_wrong_at(reader, (struct lesson_place){ hole->line, hole->column },
				"expected {if CONDITION} words {else} words {end}, one after the "
				"other");
		open = kind;
		last = i;
	}
	if (open != HOLE_END)
		line_wrong_at(reader,
			(struct lesson_place){ text->hole[last].line, text->hole[last].column },
			"{if} without {end}");
}

/* Checks the expressions in a lesson's text: values of A need the statement `pin`, and a text shown
 * before the answer must not show what the question asks for. */
static void check_holes(
	struct lesson_reader *reader, const struct lesson_text *text, unsigned hidden, bool knee)
{
	check_conditions(reader, text);
	for (int i = 0; text->words && i < text->hole_count; i++) {
		const struct lesson_hole *hole = &text->hole[i];
		struct lesson_place place = { hole->line, hole->column };
		const char *words;
		size_t length;
		enum hole_kind kind =
			lesson_hole(text->words + hole->offset, hole->length, &words, &length);
		struct expression expression;

		if (kind == HOLE_ELSE || kind == HOLE_END)
			continue;
		expression = expression_read(words, length, NULL);
		if (expression.hidden & hidden)
			line_wrong_at(reader, place,
				"{%.*s} is on the screen before the answer: move it to explain",
				(int)length, words);
		if (expression.uses_a)
			check_a(reader, place);
		if (expression.uses_knee && !knee)
			line_wrong_at(reader, place, "only a step with ask knee has a knee");
	}
}

static void check_uses(struct lesson_reader *reader, const char *words, struct lesson_place place)
{
	struct expression expression = expression_read(words, strlen(words), NULL);

	if (expression.ok && expression.uses_a)
		check_a(reader, place);
	if (expression.ok && expression.uses_knee && reader->step->question.ask != ASK_KNEE)
		line_wrong_at(reader, place, "only a step with ask knee has a knee");
}

/* Finds the knob and the two values of "KNOB LEAST..MOST", which a question for a knee names, in
 * the step's kernel. */
static void resolve_knee(struct lesson_reader *reader)
{
	struct lesson_question *question = &reader->step->question;
	const struct kernel *kernel = reader->step->setting.kernel;
	struct lesson_place place = { question->subject_line, question->subject_column };
	char *knob = question->subject, *least, *most;
	struct status status;

	if (!knob || !kernel)
		return;
	least = strchr(knob, ' ');
	*least++ = '\0';
	most = strstr(least, "..");
	*most = '\0';
	status = setting_find_knob(kernel, knob, &question->knob);
	if (status_is_ok(&status) && kernel->knobs[question->knob].kind == KNOB_CHOICE)
		status = status_usage("knob %s has no order: expected one with numbers", knob);
	if (status_is_ok(&status))
		status = setting_parse_value(&kernel->knobs[question->knob], least,
			MEMORY_LIMITS_UNKNOWN, &question->least);
	if (status_is_ok(&status))
		status = setting_parse_value(&kernel->knobs[question->knob], most + 2,
			MEMORY_LIMITS_UNKNOWN, &question->most);
	if (status_is_ok(&status) && question->most < 4 * question->least)
		status = status_usage(
			"the range %s..%s is too short for a knee: the last value must "
			"be at least 4 times the first",
			least, most + 2);
	if (!status_is_ok(&status)) {
		line_wrong_at(reader, place, "%s", status.text);
		question->knob = -1;
	}
	*most = '.';
	least[-1] = ' ';
}

static void check_options(struct lesson_reader *reader)
{
	const struct lesson_question *question = &reader->step->question;
	int otherwise = 0;

	if (question->option_count < 2)
		line_wrong_at(reader, place_of(question), "a choice needs at least two options");
	for (int i = 0; i < question->option_count; i++) {
		const struct lesson_option *option = &question->option[i];
		struct lesson_place place = { option->line, option->column };

		check_uses(reader, option->when, place);
		if (!option->when[0] && otherwise++)
			line_wrong_at(reader, place,
				"a second \"otherwise\": only one option can have it");
	}
}

static void check_question(struct lesson_reader *reader)
{
	struct lesson_step *step = reader->step;
	struct lesson_question *question = &step->question;
	unsigned hidden = lesson_hides(step);
	bool knee = question->ask == ASK_KNEE;

	if (reader->unknown)
		return;
	if (question->ask == ASK_NOTHING) {
		if (reader->hide.line)
			line_wrong_at(reader, reader->hide,
				"hide without a question: hidden values appear with the answer");
		if (reader->show.line)
			line_wrong_at(reader, reader->show,
				"show without a question: all values are shown");
		return;
	}
	if (step->shown & (lesson_asks_for(step) | step->hidden))
		line_wrong_at(reader, reader->show,
			"the statement show names values that the question asks for, or values in "
			"the statement hide");
	if (!step->setting.kernel && step->setting_place.line == 0 && !reader->misspelt)
		line_wrong_at(reader, place_of(question),
			"a question needs a setting to measure: add "
			"setting KERNEL KNOB=VALUE to the step");
	if (!step->explain.words && !reader->misspelt)
		line_wrong_at(reader, place_of(question),
			"a question needs an explanation: add explain TEXT to the step");
	if (question->ask == ASK_FASTER)
		check_a(reader, place_of(question));
	if (question->ask == ASK_NUMBER && question->subject)
		check_uses(reader, question->subject,
			(struct lesson_place){ question->subject_line, question->subject_column });
	if (question->ask == ASK_CHOICE)
		check_options(reader);
	check_holes(reader, &question->prompt, hidden, knee);
	for (int i = 0; i < question->option_count; i++)
		check_holes(reader, &question->option[i].text, hidden, knee);
}

void check_step(struct lesson_reader *reader)
{
	struct lesson_step *step = reader->step;
	bool knee = step->question.ask == ASK_KNEE;
	unsigned hidden;

	if (knee)
		resolve_knee(reader);
	hidden = lesson_hides(step);
	check_question(reader);
	check_holes(reader, &step->text, hidden, knee);
	check_holes(reader, &step->hint, hidden, knee);
	check_holes(reader, &step->explain, 0, knee);
	check_holes(reader, &step->otherwise, 0, knee);
}

const char *lesson_usual_prompt(enum lesson_ask ask)
{
	return ask == ASK_FASTER  ? "Which setting is faster, A or B?"
	       : ask == ASK_LIMIT ? "Which limit binds?"
				  : NULL;
}
