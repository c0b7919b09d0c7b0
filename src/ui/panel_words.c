/* Lines of text, words and titles, as several panels show them. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/diagram.h"
#include "lesson/lesson.h"
#include "ui/panels.h"

const char *panels_source(enum source source)
{
	switch (source) {
	case SOURCE_COUNTER: return "C counter";
	case SOURCE_REFERENCE: return "R reference clock";
	case SOURCE_STEPPED: return "S single-stepped";
	case SOURCE_TIME: return "T wall time";
	case SOURCE_MODEL: return "M model";
	case SOURCE_NONE: break;
	}
	return "no source";
}

const struct explanation *panels_outline(const struct view *view)
{
	return view->explanation ? view->explanation : view->outline;
}

struct words panels_iteration(const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;

	return diagram_iteration(limits->elements / limits->turns);
}

struct words panels_cause(
	const struct explanation *explanation, const char *before, const struct limit *limit)
{
	const struct words whole = diagram_cause(&explanation->limits, limit);
	const struct words each = panels_iteration(explanation);
	const char *count = strpbrk(each.text, "0123456789"); /* "4 elements" */

	if (strcmp(whole.text, limit->cause) == 0)
		return words_of("%s%s%s", before ? before : "", before ? ": " : "", limit->cause);
	if (!before)
		return words_of("%1$s\n%2$s (%3$s)\n%2$s", whole.text, limit->cause, count);
	return words_of("%1$s: %3$s\n%1$s: %2$s (%4$s)\n%1$s (%4$s): %2$s", before, limit->cause,
		whole.text, count);
}

struct words panels_core(const struct core *core)
{
	const char *end = strstr(core->title, " (");

	return words_of("%.*s", end ? (int)(end - core->title) : -1, core->title);
}

/* ---- lines ---- */

/* A text may contain several wordings (alternatives), separated by line feeds. Keeps only the first
 * wording that fits, or the last one if none fits. Returns whether the wording that was kept fits
 * in the width. */
static bool choose_fitting(struct box at, char *text)
{
	char *from = text, *end = strchr(text, '\n');
	bool fits;

	for (;; from = end + 1, end = strchr(from, '\n')) {
		if (end)
			*end = '\0';
		fits = canvas_fits(at, from, at.width);
		if (fits || !end)
			break;
	}
	if (from != text)
		memmove(text, from, strlen(from) + 1);
	return fits;
}

struct line *lines_put(struct lines *lines, int rank, enum style style, struct words words)
{
	struct line *line = &lines->line[lines->count];
	bool fits = choose_fitting(lines->at, words.text);

	line->rank = rank;
	line->style = style;
	line->tag = 0;
	line->words = words;
	line->rows = fits ? words.text[0] != '\0' : canvas_rows(lines->at, words.text);
	lines->count += line->words.text[0] && lines->count < LINES_MAX - 1;
	return line;
}

int lines_rows(const struct lines *lines)
{
	int rows = 0;

	for (int i = 0; i < lines->count; i++)
		rows += lines->line[i].rows;
	return rows;
}

void line_cut(const struct lines *lines, struct line *line, int rows)
{
	if (line->rows <= rows)
		return;
	panels_cut_clauses(lines->at, rows, line->words.text, sizeof(line->words.text));
	line->rows = canvas_rows(lines->at, line->words.text);
}

void lines_cut(struct lines *lines, int rows, int first)
{
	for (int i = 0; i < lines->count && lines_rows(lines) > rows; i++)
		line_cut(lines, &lines->line[i], i == 0 ? first : 1);
}

int lines_draw(const struct lines *lines, int y)
{
	for (int i = 0; i < lines->count; i++)
		if (y < lines->at.height)
			y += canvas_wrap(
				lines->at, y, lines->line[i].style, lines->line[i].words.text);
	return y;
}

void panels_fit_words(struct box at, int y, enum style style, struct words words)
{
	if (choose_fitting(at, words.text))
		canvas_put(at, 0, y, style, words.text);
}

int panels_first(int count, int rows, int chosen)
{
	return int_most(int_least(chosen - rows / 2, count - rows), 0);
}

void panels_arrows(struct box at, int top, enum style style, bool above, bool below)
{
	if (above)
		canvas_glyph(at, at.width - 1, top, style, GLYPH_UP);
	if (below)
		canvas_glyph(at, at.width - 1, at.height - 1, style, GLYPH_DOWN);
}

struct box panels_beside(struct box *at, int least, int most)
{
	enum { GAP = 2 };
	int width = int_most(int_least(at->width * 2 / 5, most), least);

	at->width -= width + GAP;
	return box_part(*at, at->width + GAP, 0, width, at->height);
}

void panels_cut(struct box at, int rows, char *text, size_t size)
{
	size_t length = strlen(text);

	while (canvas_rows(at, text) > rows && length > 0) {
		char *blank;

		text[length] = '\0';
		blank = strrchr(text, ' ');
		if (!blank)
			break; /* the text is a single word, which cannot be shortened to fewer
				  words: the canvas cuts it */
		length = (size_t)(blank - text);
		snprintf(blank, size - length, " …");
	}
}

/* Whole clauses replace a text only if they fill at least 1 / CLAUSES_LEAST of a row. A long clause
 * has CLAUSE_LONG characters. */
enum { CLAUSES_LEAST = 3, CLAUSE_LONG = 20 };

/* Whether a text may end before the punctuation mark text[end]. A comma does not end a text within
 * a list after a colon, such as "2 % L2, 1 % L3", nor before a number: a list such as "chain of 1
 * load, 2 additions" would be wrong without its end. Nor does it end a text in the first half of a
 * row. */
static bool ends_clause(const char *text, size_t end, int width)
{
	size_t begin = end;

	while (begin > 0 && !strchr(":;,", text[begin - 1]))
		begin--;
	return text[end + 1] == ' ' &&
	       (text[end] != ',' || !isdigit((unsigned char)text[end + 2])) &&
	       (text[end] != ',' || (end * 2 >= (size_t)width && (end - begin >= CLAUSE_LONG ||
									 !memchr(text, ':', end))));
}

void panels_cut_clauses(struct box at, int rows, char *text, size_t size)
{
	size_t kept = 0;

	if (canvas_rows(at, text) <= rows)
		return;
	for (size_t i = strcspn(text, ".,:;"); text[i]; i += 1 + strcspn(text + i + 1, ".,:;"))
		if (ends_clause(text, i, at.width) &&
			canvas_rows(at, words_of("%.*s", (int)i, text).text) <= rows)
			kept = i;
	if (kept * CLAUSES_LEAST >= (size_t)at.width)
		text[kept] = '\0';
	else
		panels_cut(at, rows, text, size);
}

/* ---- words ---- */

struct words panels_setting(const struct setting *setting, const struct setting *other)
{
	const struct kernel *kernel = setting->kernel;
	struct text text = { 0 };
	struct words words;
	bool versions = other && kernel->own && other->kernel->own &&
			strcmp(kernel->name, other->kernel->name) == 0;

	if (!versions && (!other || other->kernel != kernel))
		text_add(&text, kernel->own ? basename(kernel->name) : kernel->name);
	for (int i = 0; i < kernel->knob_count; i++) {
		const char *name = kernel->knobs[i].name;
		struct words value = setting_shown(&kernel->knobs[i], setting->v[i]);
		int k = other ? kernel_knob(other->kernel, name) : -1;

		if (k < 0 || strcmp(setting_shown(&other->kernel->knobs[k], other->v[k]).text,
				     value.text) != 0)
			text_addf(&text, "%s%s=%s", text.length ? " " : "", name, value.text);
	}
	/* Two versions of a file may have been compiled with different options alone. */
	if (versions && other->kernel != kernel && text.length == 0)
		text_add(&text, "version before");
	words = words_of("%s", text_string(&text));
	text_free(&text);
	return words;
}

struct words panels_a(const struct view *view)
{
	struct words setting = panels_setting(&view->a_setting, &view->setting);

	if (view->a_recording)
		return words_of("%s", view->a_recording);
	return words_of("%s%s", view->a_outdated ? "old version: " : "",
		setting.text[0] ? setting.text : "this setting");
}

struct words panels_replay(const struct view *view)
{
	return words_of(" REPLAY %s ", basename(view->replay));
}

const char *panels_state(const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *doubt = sample->valid ? sample_doubt(sample) : NULL;

	return sample->valid && sample->modes == 2 && (!doubt || sample->varies) ? "two modes"
	       : doubt								 ? doubt
										 : "";
}

const char *panels_marks(bool contended, bool unsettled)
{
	return contended && unsettled ? "  (× contended, ~ not settled)"
	       : contended	      ? "  (× contended)"
	       : unsettled	      ? "  (~ not settled)"
				      : "";
}

const char *panels_marks_short(bool contended, bool unsettled)
{
	return contended && unsettled ? "  (×, ~ doubtful)" : panels_marks(contended, unsettled);
}

struct ahead panels_ahead(const struct view *view)
{
	struct ahead ahead = { "", "" };

	if (!view->sample.valid && view->waiting > PANELS_PREPARING)
		progress_words(&view->ahead,
			(double)kernel_footprint(view->setting.kernel, view->setting.v), ahead.text,
			sizeof(ahead.text));
	progress_left_words(view->ahead_left, ahead.left, sizeof(ahead.left));
	return ahead;
}

/* ---- counted events ---- */

/* Returns the count of an event; NULL: the event is not counted yet. */
static const struct count *count_of(const struct view *view, int event)
{
	const struct counts *counts = &view->counters.counts;
	bool counted = event < counts->count && counts->event[event].state != COUNT_NONE;

	return counted ? &counts->event[event] : NULL;
}

bool shown_unavailable(const struct view *view, int event)
{
	const struct count *count = count_of(view, event);

	return count && !count_known(count);
}

const char *shown_mark(const struct view *view, int event)
{
	const struct count *count = count_of(view, event);

	return count && count->state == COUNT_SCALED ? "~" : "";
}

struct words shown_absence(const struct view *view, int event)
{
	char reason[300] = "";

	if (!count_of(view, event))
		return words_of(view->frozen || view->replay ? "not counted" : "counting…");
	if (shown_unavailable(view, event))
		count_words(count_of(view, event), reason, sizeof(reason));
	return words_of("%s%s", *reason ? "unavailable: " : "", reason);
}

/* ---- titles ---- */

void panels_rule(struct box at, const char *title, bool focused)
{
	enum style style = focused ? STYLE_FOCUS : STYLE_TITLE;
	struct words fitting = words_of("%s", title);
	int x = 2 * focused;

	choose_fitting(box_part(at, 0, 0, at.width - 1 - x, 1), fitting.text);
	if (focused)
		canvas_glyph(at, 0, 0, style, GLYPH_POINTER);
	x += canvas_put(box_part(at, 0, 0, at.width - 1, 1), x, 0, style, fitting.text) + 1;
	for (; x < at.width; x++)
		canvas_glyph(at, x, 0, STYLE_DIM, GLYPH_HLINE);
}

bool panels_named(const char *name, const char *panel)
{
	return name && panel && strcmp(name, panel) == 0;
}

/* Returns the ratio of the present value (B) to the pinned value (A), and doubts about both values.
 * Two values do not differ significantly if their quartiles overlap, or if the values are equal
 * within the noise. */
struct words panels_ratio(const struct view *view)
{
	const struct sample *a = &view->a, *b = &view->sample;
	const char *a_doubt = sample_doubt(a), *b_doubt = sample_doubt(b);
	double ratio = view->ratio;
	bool same = fabs(ratio - 1) < 0.005 || sample_overlap(a, b),
	     near = same && fabs(ratio - 1) < SAMPLE_EQUAL_WITHIN,
	     both = a_doubt && b_doubt && strcmp(a_doubt, b_doubt) == 0;
	struct words verdict, doubts, brief;

	/* The cycles of a branch and of an array element cannot be compared, because the amounts of
	 * work differ. */
	if (!view->a_comparable)
		return words_of("B/A  %s\nB/A  none: other elements",
			setting_incomparable(&view->a_setting, &view->setting).text);
	if (view->hidden & (HIDDEN_CPE | HIDDEN_A | HIDDEN_RATIO))
		return words_of("B/A  ?  hidden");
	if (!isfinite(ratio) || ratio <= 0)
		return words_of("B/A  -  B is not measured yet");
	verdict = same ? words_of(near ? "equal within the spread" : "uncertain: spreads overlap")
		       : words_of("B %s", units_versus(ratio).text);
	doubts = words_of("%s%s%s%s",
		both	  ? ", both "
		: a_doubt ? ", A "
			  : "",
		a_doubt ? a_doubt : "", b_doubt && !both ? ", B " : "",
		b_doubt && !both ? b_doubt : "");
	/* On a narrow screen, the doubt alone says that the ratio is uncertain. */
	brief = near		 ? words_of("equal%s", doubts.text)
		: !same		 ? words_of("%s%s", ratio < 1 ? "faster" : "slower", doubts.text)
		: doubts.text[0] ? words_of("%s", doubts.text + 2)
				 : words_of("uncertain");
	return words_of("B/A  %1$s  %2$s%3$s\nB/A  %1$s  %4$s%5$s%6$s", units_cycles(ratio).text,
		verdict.text, doubts.text, brief.text,
		doubts.text[0] ? words_of("\nB/A  %s  ", units_cycles(ratio).text).text : "",
		doubts.text[0] ? doubts.text + 2 : "");
}
