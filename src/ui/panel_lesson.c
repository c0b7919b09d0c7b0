/* Shows the step of the open lesson: its text, the question with its answers, the hint, the guess
 * and its judgement, and the explanation. */
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

/* The box of the lesson's panel for text, and the row in it where the next line of text goes. */
struct lesson_column {
	struct box at;
	int row;
	bool draws; /* true: text is drawn; false: only the number of its rows is counted */
	bool limit; /* true: the lesson's panel also shows the binding limit, because no other panel
		       on screen does */
};

/* Columns of the widest text: longer rows are hard to read. */
enum { TEXT_WIDEST = 88 };

/* Adds a paragraph, and `before` blank rows before it. */
static void paragraph(
	struct lesson_column *column, int before, int indent, enum style style, const char *text)
{
	struct box at = box_part(column->at, indent, 0,
		int_least(column->at.width, TEXT_WIDEST) - indent, column->at.height);

	column->row += column->row ? before : 0;
	if (column->draws && column->row < at.height)
		canvas_wrap(box_part(at, 0, column->row, at.width, at.height - column->row), 0,
			style, text);
	column->row += int_most(canvas_rows(at, text), 1);
}

/* Adds a text of the lesson, if there is one. */
static void add_text(struct lesson_column *column, enum style style, const char *text)
{
	if (text && *text)
		paragraph(column, 1, 0, style, text);
}

/* Adds the answers that the student can choose from; after the student has answered, only the right
 * one. */
static void add_answers(struct lesson_column *column, const struct view_lesson *lesson)
{
	for (int i = 0; i < lesson->answer_count; i++) {
		int row = column->row;

		if (!lesson->judgement || lesson->judgement->right == i)
			paragraph(column, 0, 2, lesson->judgement ? STYLE_GOOD : STYLE_TEXT,
				words_of("%c) %s%s", 'a' + i, lesson->answer[i].words,
					lesson->judgement ? "  ◀ measured" : "")
					.text);
		if (column->draws && lesson->asks && row < column->at.height)
			canvas_clicked(box_part(column->at, 0, row, column->at.width,
					       int_least(column->row, column->at.height) - row),
				"guess %c", 'a' + i);
	}
}

/* Returns words for the kind of answer that the student can type, such as "a letter". */
static const char *expected(const struct view_lesson *lesson)
{
	return lesson->number ? "a number" : lesson->free_text ? "a sentence" : "a letter";
}

/* Returns the keys that answer the question: "a, b or Enter", "digits or Enter". */
static struct words answer_keys(const struct view_lesson *lesson)
{
	int last = 'a' + lesson->answer_count - 1;

	return lesson->number		   ? words_of("digits or Enter")
	       : lesson->answer_count < 1  ? words_of("Enter")
	       : lesson->answer_count == 2 ? words_of("a, b or Enter")
	       : lesson->answer_count == 3 ? words_of("a, b, c or Enter")
					   : words_of("a to %c, or Enter", last);
}

struct words panels_prompt(const struct view *view)
{
	return words_of("Your answer, %s: %s_", expected(&view->lesson), view->screen.guess);
}

/* Adds the row that says which key continues the lesson, such as "Enter: next step". */
static void add_state(struct lesson_column *column, const struct view *view)
{
	const struct view_lesson *lesson = &view->lesson;
	bool last = lesson->step + 1 == lesson->steps;

	if (view->screen.guessing)
		paragraph(column, 1, 0, STYLE_SELECTED, panels_prompt(view).text);
	else if (lesson->away)
		paragraph(column, 1, 0, STYLE_KEY,
			words_of("L: this step's setting.%s", lesson->asks	? "  Enter: answer."
							      : lesson->awaited ? ""
							      : last ? "  Enter: your answers."
								     : "  Enter: next step.")
				.text);
	else if (lesson->asks)
		paragraph(column, 1, 0, STYLE_KEY,
			words_of("%s: answer.%s  L: panels.", answer_keys(lesson).text,
				lesson->has_hint && !lesson->hint ? "  H: hint." : "")
				.text);
	else if (lesson->awaited)
		paragraph(column, 1, 0, STYLE_WARN,
			words_of("%s: measured again before it judges your answer", lesson->awaited)
				.text);
	else
		paragraph(column, 1, 0, STYLE_KEY,
			last ? "Enter: your answers.  E: close the lesson."
			     : "Enter: next step.  L: panels.");
}

static enum style style_of(const struct lesson_judgement *judgement)
{
	return judgement->verdict == VERDICT_RIGHT   ? STYLE_GOOD
	       : judgement->verdict == VERDICT_WRONG ? STYLE_BAD
						     : STYLE_TEXT;
}

/* After the student's answer, the panel shows the explanation in place of the text before the
 * question. */
static void add_judgement(struct lesson_column *column, const struct view *view)
{
	const struct lesson_judgement *judgement = view->lesson.judgement;
	struct words limit = panels_limit(view);

	paragraph(column, 1, 0, style_of(judgement), judgement->words);
	if (judgement->doubt)
		paragraph(column, 0, 0, STYLE_WARN,
			words_of("The measurement is doubtful (%s): e measures again.",
				judgement->doubt)
				.text);
	if (column->limit && limit.text[0] && !view->lesson.away)
		paragraph(column, 0, 0, STYLE_DIM, limit.text);
}

static void add_all(struct lesson_column *column, const struct view *view)
{
	const struct view_lesson *lesson = &view->lesson;

	if (!lesson->judgement)
		add_text(column, STYLE_TEXT, lesson->text);
	if (lesson->absent)
		paragraph(column, 1, 0, STYLE_WARN,
			"The recording has no sample of this step's setting, so there is no "
			"question.");
	add_text(column, STYLE_FIGURE, lesson->prompt);
	add_answers(column, lesson);
	if (!lesson->judgement)
		add_text(column, STYLE_DIM, lesson->hint);
	if (lesson->judgement)
		add_judgement(column, view);
	add_text(column, STYLE_TEXT, lesson->explain);
}

static int rows_at(const struct canvas *canvas, const struct view *view, int width)
{
	struct canvas sized = *canvas;
	struct lesson_column column = { .at = { 0, 0, width, canvas->height, &sized } };

	add_all(&column, view);
	add_state(&column, view);
	return 1 + column.row + (view->setting.kernel->knob_count > 0);
}

static struct words title_of(const struct scene *scene)
{
	const struct view_lesson *lesson = &scene->view->lesson;

	return words_of("%d of %d  %s", lesson->step + 1, lesson->steps,
		lesson->step_title ? lesson->step_title : lesson->title);
}

static bool wanted(const struct view *view)
{
	return view->lesson.title && !view->lesson.aside;
}

/* The last rows of a lesson's panel, with the next key and the chosen knob, are always visible. */
static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct kernel *kernel = view->setting.kernel;
	struct lesson_column state = { .at = at }, text = { .at = at,
		.draws = true,
		.limit = !panels_shown(scene, "figure") && !view->screen.present };
	bool knob =
		kernel->knob_count > 0 && !panels_shown(scene, "knobs") && !view->screen.present;
	int rows;

	state.row = 0;
	add_state(&state, view);
	rows = at.height - state.row - knob;
	text.at.height = int_most(rows, 0);
	add_all(&text, view);
	rows = int_least(text.row + (text.row < rows), int_most(rows, 0));
	state = (struct lesson_column){ .at = box_part(at, 0, rows, at.width, at.height - rows),
		.draws = true };
	add_state(&state, view);
	if (knob) {
		int x = canvas_put(at, 0, at.height - 1, STYLE_DIM, kernel->name) + 1;

		panels_knob(box_part(at, x, at.height - 1, at.width - x, 1), view);
	}
}

const struct panel panel_lesson = {
	.name = "lesson",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.rows_at = rows_at,
};
