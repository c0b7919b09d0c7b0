/* How far the core looks ahead: the growing curve of the present filler, its knee in words next to
 * it, and below them the knees of all fillers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/windows/windows.h"
#include "ui/curve_plot.h"
#include "ui/panels.h"

/* Columns of the text next to the curve: the fewest, and the most that are useful. */
enum { BESIDE_LEAST = 29, BESIDE_MOST = 66, GAP = 2 };

/* Rows, with the rule, that show everything; rows that explain the filler; rows that show published
 * values. */
enum { BEST_ROWS = 35, ROOMY = 14 };

/* Columns of the table: the filler, what it fills, its knee. */
enum { FILLER = 12, TITLE = 20, KNEE = 24 };

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	const struct windows_report *report = view->windows;

	if (!report || !view->window)
		snprintf(buffer, size, "windows");
	else if (view->windowing)
		snprintf(buffer, size, "windows: %.0f %%%s%s", floor(100 * report->done),
			report->doing[0] ? ", " : "", report->doing);
	else
		snprintf(buffer, size, "windows: cycles%s%s over fillers between two misses, %s",
			view->window->cycles_from ? " " : "",
			(const char[]){ (char)view->window->cycles_from, '\0' },
			view->window->filler);
}

static const char *counts_of(const struct windows_row *row)
{
	return row->fact && strlen(row->fact->counts) <= 24 ? row->fact->counts : "fillers";
}

static enum style knee_style(const struct knee *knee)
{
	return knee->kind == KNEE_SHARP	    ? STYLE_FIGURE
	       : knee->kind == KNEE_UNCLEAR ? STYLE_WARN
	       : knee->kind == KNEE_UNKNOWN ? STYLE_DIM
					    : STYLE_TEXT;
}

/* "495 nops (494 to 496), sharp". */
static void put_knee(struct column *column, const struct windows_row *row)
{
	const struct knee *knee = &row->knee;
	const char *counts = counts_of(row);

	if (row->state == WINDOWS_FAILED)
		column_put(column, STYLE_BAD, "%s", row->why);
	else if (knee->kind == KNEE_SHARP && knee->hi > knee->lo)
		column_put(column, STYLE_FIGURE, "%.0f %s (%.0f to %.0f), sharp", knee->x, counts,
			knee->lo, knee->hi);
	else if (knee->kind == KNEE_SHARP)
		column_put(column, STYLE_FIGURE, "%.0f %s, sharp", knee->x, counts);
	else if (knee->kind == KNEE_SOFT)
		column_put(column, STYLE_TEXT, "about %.0f %s, soft", knee->x, counts);
	else if (knee->kind == KNEE_NONE)
		column_put(column, STYLE_TEXT, "no knee up to %.0f %s", row->most, counts);
	else if (knee->kind == KNEE_UNCLEAR && isfinite(knee->lo))
		column_put(column, STYLE_WARN, "unclear: from %.0f to %.0f %s", knee->lo, knee->hi,
			counts);
	else if (knee->kind == KNEE_UNCLEAR)
		column_put(column, STYLE_WARN, "unclear");
	else
		column_put(column, STYLE_DIM, "no knee yet: %d points", row->curve.count);
}

static void put_beside(
	struct column *column, const struct windows_report *report, const struct windows_row *row)
{
	char words[BUFFERS_WORDS];
	bool roomy = column->at.height >= ROOMY;

	column_put(column, STYLE_TITLE, "%s", row->fact ? row->fact->title : row->filler);
	put_knee(column, row);
	buffers_difference(&report->buffers, &row->knee, row->fact, row->entries, words);
	if (words[0])
		column_put(column, STYLE_TEXT, "%s", words);
	if (row->contended)
		column_put(column, STYLE_WARN, "another thread shared the core");
	if (isfinite(row->entries))
		column_put(column, STYLE_DIM, "M %.0f: %s%s", row->entries, report->core,
			report->options.foreign ? ", not this core" : "");
	if (row->fact &&
		literature_words(&report->buffers.published, row->fact->buffer, words,
			(size_t)(roomy				  ? (int)sizeof(words)
				 : column->at.width * 2 - 14 < 56 ? 56
								  : column->at.width * 2 - 14),
			NULL))
		column_put(column, STYLE_DIM, "elsewhere: %s", words);
	if (roomy && row->fact)
		column_put(column, STYLE_TEXT, "%s", row->fact->words);
}

/* ---- all of them ---- */

static void table_row(struct column *column, const struct windows_row *row, bool present)
{
	struct rectangle at = column->at;
	enum style style = present ? STYLE_HERE
			   : row->state == WINDOWS_WAITS || row->state == WINDOWS_FAILED
				   ? STYLE_DIM
				   : STYLE_TEXT;
	char knee[48], entries[16] = "";
	int x = 2;

	if (present)
		canvas_glyph(column->canvas, at, 0, column->row, style, GLYPH_POINTER);
	canvas_text(column->canvas, at, x, column->row, style, row->filler);
	x += FILLER;
	if (at.width >= 2 + FILLER + TITLE + KNEE + 6) {
		canvas_text(column->canvas, at, x, column->row, style,
			row->fact ? row->fact->title : "");
		x += TITLE;
	}
	buffers_knee(&row->knee, row->most, knee, sizeof(knee));
	if (row->state == WINDOWS_FAILED)
		snprintf(knee, sizeof(knee), "not here");
	canvas_text(column->canvas, (struct rectangle){ at.x, at.y, at.width - 6, at.height }, x,
		column->row, present ? style : knee_style(&row->knee), knee);
	if (isfinite(row->entries))
		snprintf(entries, sizeof(entries), "%.0f", row->entries);
	canvas_text_right(column->canvas, at, at.width, column->row, STYLE_DIM, entries);
	column->row++;
}

/* As many fillers as fit, around the present one. */
static void put_table(struct column *column, const struct windows_report *report,
	const struct windows_row *present)
{
	int room = column->at.height - column->row - 2, first = (int)(present - report->row), shown;

	if (room < 3 || report->count < 2)
		return;
	column->row++;
	canvas_text(column->canvas, column->at, 2, column->row, STYLE_DIM, "filler");
	canvas_text_right(
		column->canvas, column->at, column->at.width, column->row, STYLE_DIM, "M");
	if (column->at.width >= 2 + FILLER + TITLE + KNEE + 6)
		canvas_text(
			column->canvas, column->at, 2 + FILLER, column->row, STYLE_DIM, "fills");
	canvas_text(column->canvas, column->at,
		2 + FILLER + (column->at.width >= 2 + FILLER + TITLE + KNEE + 6 ? TITLE : 0),
		column->row, STYLE_DIM, "knee");
	column->row++;
	shown = report->count < room ? report->count : room;
	first -= shown / 2;
	first = first > report->count - shown ? report->count - shown : first < 0 ? 0 : first;
	for (int i = first; i < first + shown; i++)
		table_row(column, &report->row[i], &report->row[i] == present);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct windows_report *report = view->windows;
	const struct windows_row *row = view->window;
	struct column beside = { canvas, at, 0 };
	struct rectangle curve = at;
	int fillers;

	if (!report || !row)
		return;
	beside.at.width = at.width * 2 / 5;
	beside.at.width = beside.at.width < BESIDE_LEAST  ? BESIDE_LEAST
			  : beside.at.width > BESIDE_MOST ? BESIDE_MOST
							  : beside.at.width;
	curve.width = at.width - beside.at.width - GAP;
	if (curve.width < CURVE_PLOT_COLUMNS || at.height < WINDOW_PLOT_ROWS) {
		beside.at = at;
	} else {
		beside.at.x = at.x + curve.width + GAP;
		fillers = kernel_knob(view->setting.kernel, WINDOWS_FILLERS);
		window_plot_draw(
			canvas, curve, row, fillers < 0 ? -1 : (double)view->setting.v[fillers]);
	}
	put_beside(&beside, report, row);
	put_table(&beside, report, row);
}

static bool wanted(const struct view *view)
{
	return view->windows && view->window && panels_named(view->front, "windows");
}

static int best_rows(const struct view *view)
{
	(void)view;
	return BEST_ROWS;
}

const struct panel panel_windows = {
	.name = "windows",
	.title_of = title_of,
	.clauses = true,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
};
