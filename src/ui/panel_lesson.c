/* Shows the step of the open lesson: its text, the question with its answers, the hint, the guess
 * and its judgement, and the explanation. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/panels.h"

/* The box of the lesson's panel for text, and the row in it where the next line of text goes. */
struct lesson_column {
	struct box at;
	int row;
	int first;  /* the first row of the text on screen */
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
	int row;

	column->row += column->row > 0 ? before : 0;
	row = column->row - column->first;
	if (column->draws && row < at.height)
		canvas_wrap(at, row, style, text);
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
		int row = int_most(column->row - column->first, 0), end;

		if (!lesson->judgement || lesson->judgement->right == i)
			paragraph(column, 0, 2, lesson->judgement ? STYLE_GOOD : STYLE_TEXT,
				words_of("%c) %s%s", 'a' + i, lesson->answer[i].words,
					!lesson->judgement	      ? ""
					: lesson->judgement->computed ? "  ◀ computed"
								      : "  ◀ measured")
					.text);
		end = int_least(column->row - column->first, column->at.height);
		if (column->draws && lesson->asks && row < end)
			canvas_clicked(box_part(column->at, 0, row, column->at.width, end - row),
				"guess %c", 'a' + i);
	}
}

/* Returns words for the kind of answer that the student can type, such as "a letter". */
static const char *expected(const struct view_lesson *lesson)
{
	return lesson->number ? "a number" : lesson->free_text ? "a sentence" : "a letter or digit";
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

/* The row that says which keys continue the lesson has this many columns or more for whole
 * sentences; else it has few words. */
enum { STATE_WIDE = 41 };

/* Returns what the key of the present step does, in few words: "a-c: answer", "Enter: next". */
static struct words brief_keys(const struct view_lesson *lesson)
{
	bool last = lesson->step + 1 == lesson->steps;

	return lesson->away && !lesson->asks	? words_of("L: the step")
	       : lesson->asks && lesson->number ? words_of("0-9: answer")
	       : lesson->asks && lesson->answer_count > 0
		       ? words_of("a-%c: answer", 'a' + lesson->answer_count - 1)
	       : lesson->asks	 ? words_of("Enter: answer")
	       : lesson->awaited ? words_of("%s", lesson->awaited)
				 : words_of("Enter: %s", last ? "answers" : "next");
}

/* Adds the row that says which key continues the lesson, on a narrow screen. `scroll`: the key that
 * scrolls a text with more rows than the screen, such as "  }: more"; empty: the text fits. */
static void add_brief_state(
	struct lesson_column *column, const struct view *view, const char *scroll)
{
	if (view->screen.guessing)
		paragraph(column, 0, 0, STYLE_SELECTED,
			words_of("Answer: %s_", view->screen.guess).text);
	else
		paragraph(column, 0, 0, STYLE_KEY,
			words_of("%s%s", brief_keys(&view->lesson).text, scroll).text);
}

/* Adds the row that says which key continues the lesson, such as "Enter: next step". */
static void add_state(struct lesson_column *column, const struct view *view, const char *scroll)
{
	const struct view_lesson *lesson = &view->lesson;
	bool last = lesson->step + 1 == lesson->steps;
	struct words more = words_of("%s%s", scroll, scroll[0] ? "." : "");

	if (column->at.width < STATE_WIDE)
		add_brief_state(column, view, scroll);
	else if (view->screen.guessing)
		paragraph(column, 1, 0, STYLE_SELECTED, panels_prompt(view).text);
	else if (lesson->away)
		paragraph(column, 1, 0, STYLE_KEY,
			words_of("L: this step's setting.%s%s",
				lesson->asks	  ? "  Enter: answer."
				: lesson->awaited ? ""
				: last		  ? "  Enter: your answers."
						  : "  Enter: next step.",
				more.text)
				.text);
	else if (lesson->asks)
		paragraph(column, 1, 0, STYLE_KEY,
			words_of("%s: answer.%s  L: panels.%s", answer_keys(lesson).text,
				lesson->has_hint && !lesson->hint ? "  H: hint." : "", more.text)
				.text);
	else if (lesson->awaited)
		paragraph(column, 1, 0, STYLE_WARN,
			words_of("%s%.60s%sWaiting for the measured value: %s.",
				lesson->guess ? "Your guess: " : "",
				lesson->guess ? lesson->guess : "", lesson->guess ? ". " : "",
				lesson->awaited)
				.text);
	else
		paragraph(column, 1, 0, STYLE_KEY,
			words_of("%s%s",
				last ? "Enter: your answers.  L: panels.  E: close."
				     : "Enter: next step.  L: panels.",
				more.text)
				.text);
}

static enum style style_of(const struct lesson_judgement *judgement)
{
	return judgement->verdict == VERDICT_RIGHT   ? STYLE_GOOD
	       : judgement->verdict == VERDICT_WRONG ? STYLE_BAD
						     : STYLE_TEXT;
}

/* If the panels show other numbers than the explanation, a row says why. */
static void add_change(struct lesson_column *column, const struct view *view)
{
	const struct view_lesson *lesson = &view->lesson;
	bool setting = lesson->judged_cpe > 0;

	if (setting || lesson->judged_a > 0)
		paragraph(column, 0, 0, STYLE_WARN,
			words_of("%s took %s cycles when you answered; now it takes %s.",
				setting ? "This setting" : "A",
				units_cycles(setting ? lesson->judged_cpe : lesson->judged_a).text,
				units_cycles(setting ? view->sample.cpe : view->a.cpe).text)
				.text);
	else if (lesson->changed)
		paragraph(column, 0, 0, STYLE_DIM,
			"The text has the values of your answer; the panels have new ones.");
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
			words_of("The measured value is doubtful (%s): e measures again.",
				judgement->doubt)
				.text);
	add_change(column, view);
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
			"The recording has no sample of this step's setting, so the step's text "
			"and question are left out.");
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
	add_state(&column, view, "");
	return 1 + column.row + (view->setting.kernel->knob_count > 0);
}

/* A panel of fewer rows has no title: its rows are for the lesson's text. */
enum { TITLE_FROM = 6, KNOB_FROM = 8 };

static struct words title_of(const struct scene *scene)
{
	const struct view_lesson *lesson = &scene->view->lesson;
	const struct box *at = scene->layout ? layout_find(scene->layout, "lesson") : NULL;

	if (at && at->height < TITLE_FROM)
		return words_of("%s", "");
	return words_of("%d of %d  %s", lesson->step + 1, lesson->steps,
		lesson->step_title ? lesson->step_title : lesson->title);
}

static bool wanted(const struct view *view)
{
	return view->lesson.title && !view->lesson.aside;
}

/* How the rows of the panel are used, from the first row: the text, the key that continues the
 * lesson, the chosen knob. */
struct plan {
	int text;  /* rows for the text */
	int whole; /* rows that the whole text needs */
	int state; /* rows for the key that continues the lesson */
	bool knob; /* the last row is the chosen knob */
	bool limit;
};

/* The keys that scroll the lesson's text: the words have equal lengths, so that the rows of the
 * panel do not change. */
enum { SCROLL_NONE, SCROLL_ON, SCROLL_BACK };
static const char *const scroll_keys[] = { "", "  }: more", "  {: back" };

static void plan_rows(struct box at, const struct scene *scene, struct plan *plan)
{
	const struct view *view = scene->view;

	*plan = (struct plan){ .knob = view->setting.kernel->knob_count > 0 &&
				       !panels_shown(scene, "knobs") && !view->screen.present &&
				       at.height >= KNOB_FROM,
		.limit = !panels_shown(scene, "figure") && !view->screen.present };
	/* If the text does not fit, the row of keys also names the key that scrolls the text. */
	for (int cut = 0; cut < 2; cut++) {
		struct lesson_column state = { .at = at },
				     text = { .at = at, .limit = plan->limit };

		add_state(&state, view, scroll_keys[cut ? SCROLL_ON : SCROLL_NONE]);
		plan->state = state.row;
		plan->text = int_most(at.height - state.row - plan->knob, 0);
		text.at.width -= 2 * cut;
		add_all(&text, view);
		plan->whole = text.row;
		if (plan->whole <= plan->text)
			return;
	}
}

/* Returns the first row of the text on screen if the text is scrolled to its end. */
static int scroll_end(struct box at, const struct scene *scene)
{
	struct plan plan;

	plan_rows(at, scene, &plan);
	return int_most(plan.whole - plan.text, 0);
}

static int first_shown(const struct view *view)
{
	return view->lesson.first;
}

/* A screen without a row for messages shows them in place of the last rows of the lesson. */
static void draw_message(struct box at, const struct scene *scene)
{
	const struct screen *screen = &scene->view->screen;
	int rows = int_least(canvas_rows(at, screen->notice), at.height);

	if (panels_shown(scene, "notice") || !screen->notice[0])
		return;
	at = box_part(at, 0, at.height - rows, at.width, rows);
	canvas_fill(at, STYLE_TEXT);
	canvas_wrap(at, 0, screen->notice_bad ? STYLE_BAD : STYLE_TEXT, screen->notice);
}

/* The last rows of a lesson's panel, with the next key and the chosen knob, are always visible. */
static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	struct lesson_column state, text;
	struct plan plan;
	int rows, end;
	bool cut;

	plan_rows(at, scene, &plan);
	cut = plan.whole > plan.text;
	end = int_most(plan.whole - plan.text, 0);
	text = (struct lesson_column){
		.at = box_part(at, 0, 0, at.width - 2 * cut, plan.text),
		.draws = true,
		.limit = plan.limit,
		.first = int_least(view->lesson.first, end),
	};
	add_all(&text, view);
	panels_arrows(box_part(at, 0, 0, at.width, plan.text), 0, STYLE_FOCUS, text.first > 0,
		text.first < end);
	rows = int_least(plan.whole + (plan.whole < plan.text), plan.text);
	state = (struct lesson_column){ .at = box_part(at, 0, rows, at.width, at.height - rows),
		.draws = true };
	add_state(&state, view,
		scroll_keys[!cut	       ? SCROLL_NONE
			    : text.first < end ? SCROLL_ON
					       : SCROLL_BACK]);
	if (plan.knob) {
		int x = canvas_put(at, 0, at.height - 1, STYLE_DIM, view->setting.kernel->name) + 1;

		panels_knob(box_part(at, x, at.height - 1, at.width - x, 1), view);
	}
	draw_message(at, scene);
}

const struct panel panel_lesson = {
	.name = "lesson",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.scroll_end = scroll_end,
	.first = first_shown,
	.scroll_command = "lesson scroll",
	.rows_at = rows_at,
};
