#include "ui/class_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/keys.h"
#include "ui/panels.h"
#include "ui/shapes.h"

/* LABEL_SHARE: largest share of the width for the names of guesses, in percent. COUNT: columns of a
 * number of students. MARK: columns of the words "(12 right)" after a right guess. BARS_MOST,
 * MACHINES_MOST: largest numbers of bars, and of rows for kinds of machines.
 * QUESTIONS_MOST: largest number of questions whose answers are counted in a row. */
enum {
	LABEL_SHARE = 45,
	COUNT = 5,
	MARK = 12,
	BARS_MOST = 20,
	MACHINES_MOST = 3,
	QUESTIONS_MOST = 40
};

/* ---- keys ---- */

/* The last row of the screen omits a key whose word is empty. */
static const struct class_key {
	int code;
	const char *key, *word;
	enum class_act act;
} keys[] = {
	{ 'n', "n", "next", CLASS_NEXT },
	{ 'r', "r", "reveal", CLASS_REVEAL },
	{ 'p', "p", "previous", CLASS_BACK },
	{ '.', ".", "blank", CLASS_BLANK },
	{ 'q', "q", "quit", CLASS_QUIT },
	{ KEYCODE_RIGHT, "", "", CLASS_NEXT },
	{ KEYCODE_DOWN, "", "", CLASS_NEXT },
	{ KEYCODE_PAGEDOWN, "", "", CLASS_NEXT },
	{ ' ', "", "", CLASS_NEXT },
	{ KEYCODE_LEFT, "", "", CLASS_BACK },
	{ KEYCODE_UP, "", "", CLASS_BACK },
	{ KEYCODE_PAGEUP, "", "", CLASS_BACK },
	{ KEYCODE_BACKSPACE, "", "", CLASS_BACK },
	{ KEYCODE_HOME, "", "", CLASS_FIRST },
	{ KEYCODE_END, "", "", CLASS_LAST },
	{ KEYCODE_ENTER, "", "", CLASS_REVEAL },
	{ KEYCODE_CONTROL_A + 'l' - 'a', "", "", CLASS_REDRAW },
	{ KEYCODE_F1 + 9, "", "", CLASS_QUIT },
};

enum class_act class_act_of(int code)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].code == code)
			return keys[i].act;
	return CLASS_NOTHING;
}

static void draw_keys(struct box at, const struct class_view *view)
{
	int x = 1;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && x < at.width; i++) {
		const char *word =
			keys[i].act == CLASS_REVEAL && view->revealed ? "hide" : keys[i].word;

		/* On a narrow screen, a word that does not fit is omitted. */
		if (!keys[i].word[0] || x + 2 + canvas_columns(at, word) > at.width)
			continue;
		x += canvas_put(at, x, 0, STYLE_KEY, keys[i].key) + 1;
		x += canvas_put(at, x, 0, STYLE_TEXT, word) + 3;
	}
}

/* ---- the parts of the screen ---- */

/* The smallest width in columns at which the row of questions has its whole label. */
enum { QUESTIONS_WIDE = 60 };

/* Draws how many students answered each question of the lesson on the screen, so that the teacher
 * sees how far the class is. On a narrow screen, the first questions are omitted until the present
 * question fits. */
static void draw_questions(struct box at, const struct class_view *view)
{
	struct words shown[QUESTIONS_MOST];
	const char *label = at.width >= QUESTIONS_WIDE ? "answers to step " : "step ";
	int count = 0, here = 0, from = 0, used = canvas_columns(at, label), x = 1;

	for (int i = 0, end; i < view->answers->count && count < QUESTIONS_MOST; i = end) {
		struct class_question question;

		end = class_question(view->answers, i, &question);
		if (strcmp(question.first->lesson, view->answers->answer[view->begin].lesson) != 0)
			continue;
		here = i == view->begin ? count : here;
		shown[count++] = words_of(" %d: %d ", question.first->step, question.students);
	}
	for (int i = 0; i <= here && i < count; i++)
		used += canvas_columns(at, shown[i].text) + 1;
	for (; from < here && 1 + used > at.width; from++)
		used -= canvas_columns(at, shown[from].text) + 1;
	x += canvas_put(at, x, 0, STYLE_DIM, label);
	for (int i = from; i < count && x + canvas_columns(at, shown[i].text) <= at.width; i++)
		x += canvas_put(at, x, 0, i == here ? STYLE_SELECTED : STYLE_DIM, shown[i].text) +
		     1;
}

static void draw_title(struct box at, const struct class_view *view)
{
	const struct answer *answer = &view->answers->answer[view->begin];
	struct words place = words_of("%s, step %d", answer->lesson, answer->step);
	int room = at.width - canvas_columns(at, place.text) - 4;

	canvas_put_right(at, at.width - 1, 0, STYLE_DIM, place.text);
	canvas_put(box_part(at, 1, 0, room, 1), 0, 0, STYLE_TITLE, answer->title);
}

/* Draws a value, and words next to the foot of its digits: "3.00 measured", "48 KiB measured". If
 * the value begins with a number that fits, this number has large digits. */
static void draw_value(struct box at, enum style style, const char *value, const char *words)
{
	size_t length = strspn(value, "0123456789.?");
	struct words number = words_of("%.*s", (int)length, value),
		     rest = words_of("%s%s%s", value + length, value[length] ? " " : "", words);
	int digits = length ? digits_fit(number.text, at.width, at.height) : 0,
	    x = digits ? digits_width(number.text, digits) + 2 : 0, rows;

	if (digits)
		digits_draw(at, 0, at.height - digits, digits, style, number.text);
	else
		rest = words_of("%s %s", value, words);
	at = box_part(at, x, 0, at.width - x, at.height);
	rows = canvas_rows(at, rest.text + strspn(rest.text, " "));
	canvas_wrap(
		at, int_most(at.height - rows, 0), STYLE_TEXT, rest.text + strspn(rest.text, " "));
}

/* Draws how many students answered, and the measured value after the teacher reveals it. */
static void draw_numbers(struct box at, const struct class_view *view,
	const struct class_students *students, const struct class_measured *measured)
{
	struct box left = box_part(at, 1, 0, at.width / 2 - 2, at.height),
		   right = box_part(at, at.width / 2, 0, at.width - at.width / 2 - 1, at.height);
	struct words usual = class_words(measured->usual);

	/* In a single row, words are omitted before numbers are cut. */
	if (at.height == 1) {
		panels_fit(left, 0, STYLE_FIGURE, "%1$d of %2$d answered\n%1$d of %2$d\n%1$d",
			students->done, students->all);
		if (!view->revealed)
			panels_fit(
				right, 0, STYLE_GOOD, "? measured: r reveals it\n? r reveals\n?");
		else if (canvas_fits(right, usual.text, right.width))
			panels_fit(right, 0, STYLE_GOOD,
				usual.text[0] ? "%1$s measured\n%1$s" : "not measured\n-",
				usual.text);
		else
			canvas_put(right, 0, 0, STYLE_GOOD, usual.text);
		return;
	}
	draw_value(left, STYLE_FIGURE, words_of("%d", students->done).text,
		words_of("of %d answered", students->all).text);
	if (!view->revealed)
		draw_value(right, STYLE_FIGURE, "?", "measured: r reveals it");
	else if (isfinite(measured->median))
		draw_value(right, STYLE_GOOD, usual.text, "measured");
	else
		draw_value(right, STYLE_GOOD, "",
			usual.text[0] ? words_of("measured: %s", usual.text).text
				      : "This question has no measured answer.");
}

/* ---- the histogram ---- */

/* A row of the histogram. */
struct bar {
	struct words words;
	int count;
	int right;   /* number of students whose guess was right, after the teacher reveals it */
	bool rule;   /* the measured value in place of a guess: a line between two guesses */
	bool missed; /* no student chose this answer, which the measurements of the class made the
			right one */
};

/* Fills at most `most` rows of the histogram. Returns their number. */
static int fill_bars(const struct class_view *view, int most, const struct class_measured *measured,
	int skipped, struct bar bars[BARS_MOST])
{
	double median = measured->median;
	struct class_guesses guesses = class_guesses_of(view->answers, view->begin, view->end);
	bool rule = view->revealed && guesses.numbers && isfinite(median);
	int count = 0;

	most = int_least(most, BARS_MOST) - (skipped > 0) - rule;
	class_guesses_join(&guesses, int_most(most, 1));
	for (int i = 0; i < guesses.count; i++) {
		const struct class_guess *guess = &guesses.guess[i];

		if (rule && median < guess->low) {
			bars[count++] = (struct bar){ .rule = true };
			rule = false;
		}
		rule &= !(median <= guess->high);
		bars[count++] = (struct bar){ .words = class_guess_words(guess),
			.count = guess->count,
			.right = view->revealed ? guess->right : 0 };
		bars[count - 1].missed = view->revealed && guess->choice && guess->count == 0 &&
					 strcmp(class_guess_words(guess).text,
						 class_words(measured->usual).text) == 0;
		if (guess->choice)
			bars[count - 1].words = words_of("%c) %.600s", 'a' + guess->choice - 1,
				class_guess_words(guess).text);
	}
	if (rule)
		bars[count++] = (struct bar){ .rule = true };
	if (skipped > 0)
		bars[count++] = (struct bar){ .words = words_of("skipped"), .count = skipped };
	class_guesses_free(&guesses);
	return count;
}

/* Returns the words after a bar. Each student's guess was judged by the measurement on the
 * student's machine, so one guess may be right for some students only. */
static struct words bar_words(const struct bar *bar)
{
	if (bar->right == 0)
		return words_of(bar->missed ? "%d  measured" : "%d", bar->count);
	return bar->right == bar->count ? words_of("%d  right", bar->count)
					: words_of("%d  (%d right)", bar->count, bar->right);
}

static int label_width(struct box at, const struct bar *bars, int count)
{
	int width = 6;

	for (int i = 0; i < count; i++)
		width = int_most(width, canvas_columns(at, bars[i].words.text));
	return int_least(width, at.width * LABEL_SHARE / 100);
}

/* Draws one bar of the histogram; a bar of `most` students is `longest` columns long. Parameter
 * `label`: columns of the label. */
static void draw_bar(
	struct box at, const struct bar *bar, int label, int longest, int most, const char *value)
{
	int thick = at.height > 1 ? at.height - 1 : 1,
	    length = most > 0 ? (bar->count * longest + most - 1) / most : 0;
	enum style style = bar->right ? STYLE_GOOD : STYLE_BAR;
	struct box words = box_part(at, 0, 0, label, thick);

	if (bar->rule) {
		for (int x = 0; x < at.width; x++)
			canvas_glyph(at, x, 0, STYLE_GOOD, GLYPH_LEVEL);
		canvas_put(at, label + 1, 0, STYLE_GOOD, value);
		return;
	}
	if (canvas_rows(words, bar->words.text) <= thick)
		canvas_wrap(words, 0, bar->right ? STYLE_GOOD : STYLE_FIGURE, bar->words.text);
	else
		canvas_put(words, 0, 0, bar->right ? STYLE_GOOD : STYLE_FIGURE, bar->words.text);
	for (int y = 0; y < thick; y++)
		for (int x = 0; x < length; x++)
			canvas_glyph(at, label + 1 + x, y, style, GLYPH_BAR8);
	length += label + 2;
	panels_fit(box_part(at, length, 0, at.width - length, 1), 0,
		bar->right ? STYLE_GOOD : STYLE_FIGURE, "%s\n%d", bar_words(bar).text, bar->count);
}

static void draw_histogram(struct box at, const struct class_view *view,
	const struct class_measured *measured, int skipped)
{
	struct bar bars[BARS_MOST];
	int count = fill_bars(view, at.height, measured, skipped, bars), most = 0, rows, label;
	struct words value = words_of(" measured: %s ", class_words(measured->usual).text);

	if (count == 0 || at.height < 1)
		return;
	rows = int_most(int_least(at.height / count, 4), 1);
	label = label_width(at, bars, count);
	for (int i = 0; i < count; i++)
		most = int_most(most, bars[i].count);
	for (int i = 0; i < count; i++)
		draw_bar(box_part(at, 0, i * rows, at.width, rows), &bars[i], label,
			int_most(at.width - label - COUNT - MARK, 1), most, value.text);
}

/* ---- the screen ---- */

/* Draws the values that each kind of machine measured. Returns the number of rows. */
static int draw_machines(struct box at, const struct class_measured *measured)
{
	int shown = int_least(measured->count, MACHINES_MOST), others = measured->others;

	for (int i = shown; i < measured->count; i++)
		others += measured->machine[i].count;
	for (int i = 0; i < shown; i++) {
		const struct class_machine *machine = &measured->machine[i];

		canvas_text(at, 1, i, machine->differs ? STYLE_WARN : STYLE_TEXT,
			"%s on %d × %s%s%s", class_machine_words(machine).text, machine->count,
			machine->name[0] ? machine->name : "an unknown machine",
			machine->differs ? "  (differs)" : "",
			machine->doubtful ? words_of("  (%d doubtful)", machine->doubtful).text
					  : "");
	}
	if (others)
		canvas_text(at, 1, shown, STYLE_DIM, "and %d on other machines", others);
	return shown + (others > 0);
}

static void draw_waiting(struct box at, const struct class_view *view)
{
	struct column column = { .at = box_part(at, 1, 1, at.width - 2, at.height - 3) };

	column_put(&column, STYLE_TITLE, "No answers yet");
	column_gap(&column);
	column_put(&column, STYLE_TEXT,
		"Each student runs a lesson, and records the answers in a file in this folder:");
	column_gap(&column);
	column_put(&column, STYLE_FIGURE, "slexplore lesson NAME --record %.200s%sSTUDENT.jsonl",
		view->folder,
		strlen(view->folder) > 0 && view->folder[strlen(view->folder) - 1] == '/' ? ""
											  : "/");
}

/* A screen of PROMPT_FROM rows has room for the words of the question, in at most PROMPT_MOST rows.
 */
enum { PROMPT_FROM = 20, PROMPT_MOST = 3 };

/* Draws the words of the question, if this machine has its lesson. Returns the number of rows, with
 * the empty row below them. */
static int draw_prompt(struct box at, const struct class_view *view)
{
	struct words prompt = class_prompt(&view->answers->answer[view->begin]);
	int rows = canvas_rows(at, prompt.text);

	if (!prompt.text[0])
		return 0;
	rows = int_least(rows, PROMPT_MOST);
	at.height = rows;
	canvas_wrap(at, 0, STYLE_TEXT, prompt.text);
	return rows + 1;
}

static void draw_question(struct box at, const struct class_view *view)
{
	struct class_students students = class_students_of(view->answers, view->begin, view->end);
	struct class_question question;
	struct class_measured measured;
	int digits = at.height >= 36   ? 7
		     : at.height >= 20 ? 5
		     : at.height >= 14 ? 3
				       : 1,
	    top = 3, foot;

	class_question(view->answers, view->begin, &question);
	class_measured_of(view->answers, view->begin, view->end, &measured);
	draw_title(box_part(at, 0, 0, at.width, 1), view);
	draw_questions(box_part(at, 0, 1, at.width, 1), view);
	if (at.height >= PROMPT_FROM)
		top += draw_prompt(box_part(at, 1, top, at.width - 2, at.height), view);
	draw_numbers(box_part(at, 0, top, at.width, digits), view, &students, &measured);
	top += digits + 1;
	foot = at.height - 2;
	if (students.missing.length)
		canvas_text(at, 1, --foot, STYLE_DIM, "not yet: %.500s",
			text_string(&students.missing));
	if (view->revealed && foot - top > 4 + MACHINES_MOST) {
		int rows = int_least(measured.count, MACHINES_MOST) +
			   (measured.count > MACHINES_MOST || measured.others);

		foot -= rows;
		draw_machines(box_part(at, 0, foot, at.width, rows), &measured);
		foot--;
	}
	draw_histogram(
		box_part(at, 1, top, at.width - 2, foot - top), view, &measured, question.skipped);
	text_free(&students.missing);
}

void class_draw(struct canvas *canvas, const struct class_view *view)
{
	struct box at = canvas_box(canvas);

	canvas_clear(canvas);
	canvas->region_count = 0;
	if (view->blank) {
		canvas_put(canvas_box(canvas), 1, canvas->height - 1, STYLE_DIM,
			"blank: any key shows the screen again, q quits");
		return;
	}
	if (view->begin < view->end)
		draw_question(at, view);
	else
		draw_waiting(at, view);
	if (view->message[0])
		canvas_put(box_part(at, 1, at.height - 2, at.width - 2, 1), 0, 0, STYLE_FIGURE,
			view->message);
	else if (view->trouble[0])
		canvas_put(box_part(at, 1, at.height - 2, at.width - 2, 1), 0, 0, STYLE_WARN,
			view->trouble);
	else if (view->answers->refused)
		canvas_text(box_part(at, 1, at.height - 2, at.width - 2, 1), 0, 0, STYLE_DIM,
			"ignored lines, which are not answers: %d", view->answers->refused);
	draw_keys(box_part(at, 0, at.height - 1, at.width, 1), view);
}
