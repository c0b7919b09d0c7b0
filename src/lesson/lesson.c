#include "lesson/lesson.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "lesson/expression.h"

/* The most mistakes of one lesson's file that are reported. */
enum { MISTAKES_MOST = 500 };

const char *const lesson_hidden_names[] = { "cpe", "curve", "ratio", "A", "limits", "binding",
	"clock", "caches", NULL };

const char *const lesson_panels[] = { "curves", "limits", "ports", "counters", "code", "source",
	"timeline", "graph", "mountain", "probe", "windows", "sweep", "trials", NULL };

/* ---- mistakes ---- */

void lesson_mistake(struct lesson_mistakes *mistakes, int line, int column, const char *format, ...)
{
	struct lesson_mistake *mistake;
	va_list arguments;

	if (mistakes->count >= MISTAKES_MOST)
		return;
	mistakes->mistake =
		memory_grow(mistakes->mistake, (size_t)mistakes->count, sizeof(*mistakes->mistake));
	mistake = &mistakes->mistake[mistakes->count++];
	mistake->line = line;
	mistake->column = column;
	va_start(arguments, format);
	vsnprintf(mistake->words, sizeof(mistake->words), format, arguments);
	va_end(arguments);
	text_cut_clean(mistake->words, sizeof(mistake->words));
}

/* Orders mistakes by their places. */
static int compare_mistakes(const void *a, const void *b)
{
	const struct lesson_mistake *left = a, *right = b;

	return left->line != right->line ? left->line - right->line : left->column - right->column;
}

void lesson_mistakes_sort(struct lesson_mistakes *mistakes)
{
	if (mistakes->count > 1)
		qsort(mistakes->mistake, (size_t)mistakes->count, sizeof(*mistakes->mistake),
			compare_mistakes);
}

void lesson_mistakes_free(struct lesson_mistakes *mistakes)
{
	free(mistakes->mistake);
	*mistakes = (struct lesson_mistakes){ 0 };
}

/* ---- memory ---- */

static void free_text(struct lesson_text *text)
{
	free(text->words);
	free(text->hole);
}

static void free_commands(struct lesson_command *command, int count)
{
	for (int i = 0; i < count; i++)
		free(command[i].words);
	free(command);
}

static void free_step(struct lesson_step *step)
{
	struct lesson_question *question = &step->question;

	free(step->title);
	free_text(&step->text);
	free_text(&step->hint);
	free_text(&step->explain);
	free_text(&step->otherwise);
	free(step->panel);
	free_commands(step->command, step->command_count);
	free_commands(step->need, step->need_count);
	free_commands(step->unless, step->unless_count);
	free_text(&question->prompt);
	free(question->subject);
	for (int i = 0; i < question->option_count; i++) {
		free_text(&question->option[i].text);
		free(question->option[i].when);
	}
}

void lesson_free(struct lesson *lesson)
{
	if (!lesson)
		return;
	for (int i = 0; i < lesson->step_count; i++)
		free_step(&lesson->step[i]);
	free(lesson->step);
	free(lesson->name);
	free(lesson->origin);
	free(lesson->title);
	free(lesson->source);
	free_commands(lesson->after, lesson->after_count);
	free(lesson);
}

/* ---- what a question hides ---- */

/* Adds the groups of numbers that an expression in a lesson's question uses. *now becomes true if
 * the expression also uses the present setting: then A is only the reference, and its values stay
 * visible. */
static void add_hidden(const char *words, unsigned *hidden, bool *now)
{
	struct expression expression = expression_read(words, strlen(words), NULL);

	*hidden |= expression.hidden;
	*now |= expression.uses_now || (expression.hidden & (HIDDEN_RATIO | HIDDEN_CURVE));
}

unsigned lesson_asks_for(const struct lesson_step *step)
{
	const struct lesson_question *question = &step->question;
	unsigned asked = 0;
	bool now = false;

	switch (question->ask) {
	case ASK_NUMBER:
		if (question->subject)
			add_hidden(question->subject, &asked, &now);
		break;
	case ASK_CHOICE:
		for (int i = 0; i < question->option_count; i++)
			add_hidden(question->option[i].when, &asked, &now);
		break;
	case ASK_FASTER: asked = HIDDEN_CPE | HIDDEN_A; break;
	case ASK_LIMIT: asked = HIDDEN_LIMITS | HIDDEN_BINDING; break;
	case ASK_KNEE:
		asked = HIDDEN_CPE | HIDDEN_CURVE;
		if (step->setting.kernel && question->knob >= 0 &&
			step->setting.kernel->knobs[question->knob].axis == AXIS_SIZE)
			asked |= HIDDEN_CACHES;
		break;
	case ASK_NOTHING:
	case ASK_TEXT: break;
	}
	return now ? asked & ~(unsigned)HIDDEN_A : asked;
}

unsigned lesson_hides(const struct lesson_step *step)
{
	enum lesson_ask ask = step->question.ask;
	unsigned asked = lesson_asks_for(step), hidden = asked | step->hidden;

	if (ask == ASK_NOTHING)
		return 0;
	/* The measured time is close to the highest limit, so each of them gives away the other.
	 * The name of the binding limit does not follow from the time. */
	if (hidden & HIDDEN_CPE)
		hidden |= HIDDEN_LIMITS | HIDDEN_BINDING;
	if (asked & HIDDEN_LIMITS && ask != ASK_LIMIT)
		hidden |= HIDDEN_CPE;
	hidden &= ~step->shown;
	/* If the present setting's time is hidden, so are curves, which contain it, and the ratio
	 * to A, from which it follows. */
	if (hidden & HIDDEN_CPE)
		hidden |= HIDDEN_CURVE | HIDDEN_RATIO;
	return hidden;
}
