/* Points are o; on either side of the knee a line at the level of cycles there, with its figure;
 * the knee an upright line with its figure on top, the range that it lies in behind it where that
 * is wider than a column; M the core model's entries, where so many fillers take all of them. */
#include "ui/window_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scale.h"
#include "base/units.h"

/* Columns left of the axis. */
enum { MARGIN = 6 };

/* What is shown beyond the knee, in parts of it; and fillers at least. */
#define BEYOND 1.35
#define FEWEST 64.0

struct plot {
	struct canvas *canvas;
	struct rectangle whole, at; /* all of it; what points stand in */
	double end, top;	    /* fillers of the last column, cycles of the highest row */
};

static int column_of(const struct plot *plot, double fillers)
{
	return (int)lround(fillers / plot->end * (plot->at.width - 1));
}

static int row_of(const struct plot *plot, double cycles)
{
	return plot->at.height - 1 - (int)lround(cycles / plot->top * (plot->at.height - 1));
}

/* Along the axis are fillers, of which some take several entries: where those of the core model are
 * full; NAN: it has none. */
static double full_at(const struct windows_row *row)
{
	return buffers_full(row->fact, row->entries);
}

/* False: nothing is measured. */
static bool find_range(const struct windows_row *row, struct plot *plot)
{
	const struct knee *knee = &row->knee;
	double last = row->curve.count ? row->curve.point[row->curve.count - 1].x : 0,
	       end = fmax(last, FEWEST), top = 0;

	if (isfinite(knee->to)) {
		end = BEYOND * knee->to;
		if (full_at(row) > knee->to && full_at(row) < 2 * knee->to)
			end = fmax(end, 1.1 * full_at(row));
	}
	plot->end = scale_ceiling(end);
	for (int i = 0; i < row->curve.count; i++)
		if (row->curve.point[i].x <= plot->end)
			top = fmax(top, row->curve.point[i].y);
	plot->top = scale_ceiling(1.05 * top);
	return row->curve.count > 0;
}

/* Of labels on the axis: at most five of them, at round numbers. */
static double step_of(double end)
{
	double power = pow(10, floor(log10(end / 5)));
	double step = end / 5 / power;

	return fmax(1, (step <= 1 ? 1 : step <= 2 ? 2 : step <= 5 ? 5 : 10) * power);
}

static void draw_axes(const struct plot *plot)
{
	static const char title[] = "cycles";
	int axis = plot->at.y - plot->whole.y + plot->at.height, free_from = 0;
	char label[24];

	canvas_text(plot->canvas, plot->whole, 0, 0, STYLE_DIM, title);
	for (int part = 1; part <= 2; part++) {
		snprintf(label, sizeof(label), "%.5g", plot->top * part / 2);
		canvas_text_right(plot->canvas, plot->whole, MARGIN - 1,
			row_of(plot, plot->top * part / 2) + plot->at.y - plot->whole.y, STYLE_DIM,
			label);
	}
	canvas_text_right(plot->canvas, plot->whole, MARGIN - 1, axis, STYLE_DIM, "0");
	for (int x = 0; x < plot->at.width; x++)
		canvas_glyph(plot->canvas, plot->whole, MARGIN + x, axis, STYLE_DIM, GLYPH_HLINE);
	for (double fillers = 0, step = step_of(plot->end); fillers <= plot->end; fillers += step) {
		int x, width;

		snprintf(label, sizeof(label), "%.0f", fillers);
		width = canvas_columns(plot->canvas, label);
		x = column_of(plot, fillers);
		x = x + width > plot->at.width ? plot->at.width - width : x;
		if (x < free_from)
			continue;
		canvas_text(plot->canvas, plot->whole, MARGIN + x, axis + 1, STYLE_DIM, label);
		free_from = x + width + 1;
	}
}

static void draw_upright(
	const struct plot *plot, double fillers, enum style style, enum glyph glyph)
{
	int x = column_of(plot, fillers);

	for (int y = 0; y < plot->at.height && x >= 0 && x < plot->at.width; y++)
		canvas_glyph(plot->canvas, plot->at, x, y, style, glyph);
}

/* A level from one column to another, its figure over it. */
static void draw_level(const struct plot *plot, double cycles, double from, double to, bool right)
{
	int y = row_of(plot, cycles), first = column_of(plot, from),
	    last = column_of(plot, fmin(to, plot->end));
	char words[24];

	if (!isfinite(cycles) || y < 0 || last <= first)
		return;
	for (int x = first; x <= last && x < plot->at.width; x++)
		canvas_glyph(plot->canvas, plot->at, x, y, STYLE_DIM, GLYPH_HLINE);
	snprintf(words, sizeof(words), "%.0f", cycles);
	y = y > 0 ? y - 1 : y + 1;
	if (right)
		canvas_text_right(plot->canvas, plot->at, last + 1, y, STYLE_FIGURE, words);
	else
		canvas_text(plot->canvas, plot->at, first + 1, y, STYLE_FIGURE, words);
}

static void draw_range(const struct plot *plot, const struct knee *knee)
{
	int first = column_of(plot, knee->lo), last = column_of(plot, knee->hi);

	for (int x = first; last > first && x <= last; x++)
		for (int y = 0; y < plot->at.height; y++)
			canvas_glyph(plot->canvas, plot->at, x, y, STYLE_DIM, GLYPH_SHADE1);
}

/* The knee's figure ends at its line; the model's begins at its own, so that both have room where
 * they are near. Where the edge comes too soon, it stands before that, or before the knee's figure.
 */
static void draw_names(const struct plot *plot, const struct windows_row *row)
{
	const struct knee *knee = &row->knee;
	char words[32];
	int x, width, from = 0;

	if (isfinite(knee->x)) {
		snprintf(words, sizeof(words), "%s%.0f", knee->kind == KNEE_SHARP ? "" : "~",
			knee->x);
		width = canvas_columns(plot->canvas, words);
		from = MARGIN + column_of(plot, knee->x) + 1 - width;
		from = from < MARGIN + 1 ? MARGIN + 1 : from;
		canvas_text(plot->canvas, plot->whole, from, 0, STYLE_FIGURE, words);
	}
	x = column_of(plot, full_at(row) > 0 ? full_at(row) : 0);
	if (full_at(row) >= 0 && full_at(row) <= plot->end) {
		if (isfinite(knee->x) && x <= column_of(plot, knee->x))
			x = column_of(plot, knee->x) + 1;
		snprintf(words, sizeof(words), " M %.0f", row->entries);
		width = canvas_columns(plot->canvas, words);
		if (x + width > plot->at.width)
			x = isfinite(knee->x) && plot->at.width - width <= column_of(plot, knee->x)
				    ? from - MARGIN - width - 1
				    : plot->at.width - width;
		canvas_text(plot->canvas, plot->whole, MARGIN + x, 0, STYLE_DIM, words);
	}
}

static void draw_points(const struct plot *plot, const struct windows_row *row)
{
	for (int i = 0; i < row->curve.count; i++) {
		const struct knee_point *point = &row->curve.point[i];

		if (point->x <= plot->end)
			canvas_text(plot->canvas, plot->at, column_of(plot, point->x),
				row_of(plot, point->y), STYLE_A, "o");
	}
}

void window_plot_draw(
	struct canvas *canvas, struct rectangle at, const struct windows_row *row, double here)
{
	const struct knee *knee = &row->knee;
	struct plot plot = { .canvas = canvas, .whole = at };

	if (at.height < WINDOW_PLOT_ROWS || at.width < WINDOW_PLOT_COLUMNS)
		return;
	if (!find_range(row, &plot)) {
		canvas_text(canvas, at, 0, at.height / 2, STYLE_DIM, "the curve grows from here");
		return;
	}
	plot.at = (struct rectangle){ at.x + MARGIN, at.y + 1, at.width - MARGIN, at.height - 3 };
	draw_axes(&plot);
	if (isfinite(knee->x)) {
		draw_range(&plot, knee);
		draw_level(&plot, knee->before, 0, knee->from, false);
		draw_level(&plot, knee->after, knee->to, plot.end, true);
	} else {
		draw_level(&plot, knee->kind == KNEE_NONE && !knee->work ? knee->before : NAN, 0,
			plot.end, false);
	}
	if (full_at(row) >= 0 && full_at(row) <= plot.end)
		draw_upright(&plot, full_at(row), STYLE_DIM, GLYPH_DOT);
	if (isfinite(knee->x))
		draw_upright(&plot, knee->x, STYLE_FIGURE, GLYPH_VLINE);
	draw_names(&plot, row);
	draw_points(&plot, row);
	if (here >= 0 && here <= plot.end)
		canvas_glyph(canvas, at, MARGIN + column_of(&plot, here), at.height - 2, STYLE_HERE,
			GLYPH_UP);
}
