#include "lesson/class_report.h"

#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/document.h"
#include "lesson/class_guesses.h"
#include "lesson/lesson_class.h"
#include "picture/picture.h"

/* NUMBERS: largest number of guessed numbers in a chart. WORDS: largest number of guesses in words.
 * MARKS: largest number of marked kinds of machines. SHORT: bytes of a guess that fit next to its
 * bar. */
enum { NUMBERS = 60, WORDS = 8, MARKS = 4, SHORT = 44 };

/* The axis is logarithmic if the largest number exceeds the smallest number by more than this
 * factor. */
static const double LOGARITHMIC_FROM = 8;

/* Returns the scale of an axis of students: it has marks at whole numbers only. */
static struct scale scale_of_students(const struct class_guesses *guesses)
{
	struct scale scale = scale_fit(SCALE_LINEAR, 0, class_guesses_most(guesses));

	scale.whole = true;
	return scale;
}

/* ---- guesses that are numbers ---- */

/* Widens a range of numbers, so that it contains a value. */
static void widen(double value, double *least, double *most)
{
	*least = fmin(*least, value);
	*most = fmax(*most, value);
}

/* Marks the measured values: one mark for each kind of machine, as wide as the range of its values.
 */
static void add_marks(
	struct chart *chart, const struct class_measured *measured, double *least, double *most)
{
	for (int i = 0; i < measured->count && i < MARKS; i++) {
		const struct class_machine *machine = &measured->machine[i];
		struct chart_mark mark = { .at = (machine->low + machine->high) / 2,
			.lo = machine->low,
			.hi = machine->high };
		char name[CHART_NAME];

		if (!isfinite(machine->low))
			continue;
		widen(machine->low, least, most);
		widen(machine->high, least, most);
		text_copy_clean(name, sizeof(name), machine->name);
		chart_print(mark.text, "%d × %.38s", machine->count, name);
		text_cut_clean(mark.text, sizeof(mark.text));
		chart_add_mark(chart, &mark);
	}
}

static void add_numbers(struct chart *chart, struct class_guesses *guesses,
	const struct class_measured *measured, bool bytes)
{
	struct chart_series *wrong = chart_add_series(chart, "wrong"),
			    *right = chart_add_series(chart, "right");
	double least = INFINITY, most = 0;

	class_guesses_join(guesses, NUMBERS);
	for (int i = 0; i < guesses->count; i++) {
		const struct class_guess *guess = &guesses->guess[i];
		struct chart_point point = { .x = (guess->low + guess->high) / 2,
			.lo = NAN,
			.hi = NAN,
			.other = NAN,
			.other_y = NAN,
			.y = guess->count };

		chart_add_point(guess->right ? right : wrong, &point);
		widen(guess->low, &least, &most);
		widen(guess->high, &least, &most);
	}
	add_marks(chart, measured, &least, &most);
	chart->x.scale = scale_fit(bytes					  ? SCALE_BYTES
				   : most > LOGARITHMIC_FROM * least && least > 0 ? SCALE_LOG
										  : SCALE_LINEAR,
		least, most);
	chart->y.scale = scale_of_students(guesses);
	chart_print(chart->x.title, "guess");
	chart_print(chart->y.title, "students");
}

/* ---- guesses that are words ---- */

static void add_words(struct chart *chart, struct class_guesses *guesses)
{
	class_guesses_rank(guesses);
	class_guesses_join(guesses, WORDS);
	for (int i = 0; i < guesses->count; i++) {
		const struct class_guess *guess = &guesses->guess[i];
		struct chart_bar *bar = &chart->bar[chart->bar_count++];
		struct words words = class_guess_words(guess);

		*bar = (struct chart_bar){ .kind = guess->right ? BAR_MEASURED : BAR_HARD,
			.value = guess->count,
			.lo = NAN,
			.hi = NAN };
		/* Words that are too long for the name of a bar are also printed below the bar. */
		chart_print(bar->name, "%.47s", words.text);
		text_cut_clean(bar->name, sizeof(bar->name));
		if (strlen(words.text) > SHORT)
			chart_print(bar->cause, "%.199s", words.text);
		text_cut_clean(bar->cause, sizeof(bar->cause));
		chart_print(bar->value_words, "%d%s", guess->count, guess->right ? ", right" : "");
	}
	chart->x.scale = scale_of_students(guesses);
	chart_print(chart->x.title, "students");
}

struct chart *class_chart(const struct answers *answers, int begin, int end)
{
	struct class_guesses guesses = class_guesses_of(answers, begin, end);
	struct chart *chart = chart_new(guesses.numbers ? CHART_LINES : CHART_BARS);
	struct class_question question;
	struct class_measured measured;

	class_question(answers, begin, &question);
	class_measured_of(answers, begin, end, &measured);
	text_copy_clean(chart->title, sizeof(chart->title), question.first->title);
	chart_print(chart->subtitle, "%.64s, step %d: %d student%s, %d right, %d wrong, %d skipped",
		question.first->lesson, question.first->step, question.students,
		question.students == 1 ? "" : "s", question.right, question.wrong,
		question.skipped);
	if (*measured.usual)
		chart_print(chart->remark, "Measured: %.180s", class_words(measured.usual).text);
	if (guesses.numbers)
		add_numbers(chart, &guesses, &measured,
			strcmp(question.first->ask, "knee") == 0 && guesses.guess[0].high >= 1024);
	else
		add_words(chart, &guesses);
	chart_print(chart->made, "slexplore " PACKAGE_VERSION);
	chart_print(chart->source, "measured: on the students' machines");
	class_guesses_free(&guesses);
	return chart;
}

/* ---- the page ---- */

static void add_picture(struct document *page, const struct answers *answers, int begin, int end)
{
	struct status status = page->html ? picture_cairo_ready() : status_usage("no picture");
	struct text svg = { 0 };
	struct chart *chart;

	if (!status_is_ok(&status))
		return;
	chart = class_chart(answers, begin, end);
	status = picture_draw(PICTURE_SVG, chart, PICTURE_LIGHT, &svg);
	if (status_is_ok(&status))
		document_image(page, "The guesses of the class and the measured values",
			text_string(&svg));
	chart_free(chart);
	text_free(&svg);
}

static void add_question(struct document *page, const struct answers *answers, int begin, int end,
	const struct class_question *question)
{
	struct class_guesses guesses = class_guesses_of(answers, begin, end);
	struct class_measured measured;
	char title[96];

	class_measured_of(answers, begin, end, &measured);
	text_copy_clean(title, sizeof(title), question->first->title);
	document_section_marked(page,
		words_of("%s %d. %s", question->first->lesson, question->first->step, title).text,
		words_of("%d of %d right", question->right, question->students).text);
	document_question(page, class_prompt(question->first).text);
	document_fact(page, "Answers",
		words_of("%d right, %d wrong, %d skipped", question->right, question->wrong,
			question->skipped)
			.text);
	for (int i = 0; i < measured.count; i++) {
		const struct class_machine *machine = &measured.machine[i];

		document_fact(page, i == 0 ? "Measured" : "and",
			words_of("%s on %d × %s%s", class_machine_words(machine).text,
				machine->count,
				machine->name[0] ? machine->name : "an unknown machine",
				machine->differs ? " (differs from most)" : "")
				.text);
	}
	class_guesses_rank(&guesses);
	class_guesses_join(&guesses, NUMBERS);
	for (int i = 0; i < guesses.count && !page->html; i++)
		document_fact(page, class_guess_words(&guesses.guess[i]).text,
			words_of("%d%s", guesses.guess[i].count,
				guesses.guess[i].right ? ", right" : "")
				.text);
	add_picture(page, answers, begin, end);
	document_section_end(page);
	class_guesses_free(&guesses);
}

struct status class_report_save(const struct answers *answers, const char *path)
{
	static const char title[] = "The answers of the class";
	struct document page = { .html = document_is_html(path) };
	struct status status;

	document_heading(&page, 1, title);
	document_fact(&page, "Answers",
		words_of("%d, in %d file%s", answers->count, answers->files,
			answers->files == 1 ? "" : "s")
			.text);
	for (int begin = 0, end; begin < answers->count; begin = end) {
		struct class_question question;

		end = class_question(answers, begin, &question);
		add_question(&page, answers, begin, end, &question);
	}
	status = document_save(&page, title, path);
	document_free(&page);
	return status;
}
