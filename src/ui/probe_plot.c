/* Points of 4k pages are o, of huge pages x, of both *; a point that has two modes stands at both.
 * Where something ends there is an upright line with its name on top, and over a plateau its
 * cycles. */
#include "ui/probe_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Columns left of the axis. */
enum { MARGIN = 6 };

/* The part of `at` that points stand in, and what it spans. */
struct plot {
	struct canvas *canvas;
	struct rectangle at;
	double least, most; /* cycles of the lowest and the highest row */
	double from, to;    /* bytes of the first and the last column */
};

static const char kind_marks[PAGE_KINDS] = { 'o', 'o', 'x' };
static const enum style kind_styles[PAGE_KINDS] = { STYLE_A, STYLE_A, STYLE_B };

static int column_of(const struct plot *plot, double bytes)
{
	return (int)lround(
		log(bytes / plot->from) / log(plot->to / plot->from) * (plot->at.width - 1));
}

static int row_of(const struct plot *plot, double cycles)
{
	return plot->at.height - 1 -
	       (int)lround(log(cycles / plot->least) / log(plot->most / plot->least) *
			   (plot->at.height - 1));
}

/* ---- axes ---- */

/* Everything measured, a little air above and below; false: nothing is. */
static bool find_range(const struct probe_report *report, struct plot *plot)
{
	plot->least = INFINITY;
	plot->most = 0;
	plot->from = (double)PROBE_SMALLEST;
	plot->to = fmax(2 * plot->from, (double)report->options.max_size);
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < report->lines[kind].count; i++) {
			const struct sample *sample = &report->lines[kind].point[i].sample;

			if (!sample->valid)
				continue;
			plot->least = fmin(
				plot->least, sample->modes == 2 ? sample->mode_low : sample->cpe);
			plot->most = fmax(
				plot->most, sample->modes == 2 ? sample->mode_high : sample->cpe);
		}
	/* Room for what is still to come while the curve grows, so that it does not jump about. */
	plot->least /= 1.3;
	plot->most = fmax(1.3 * plot->most, 100 * plot->least);
	return isfinite(plot->least);
}

static void draw_cycles_axis(const struct plot *plot, struct rectangle whole)
{
	static const double steps[] = { 1, 2, 5 };
	int last = whole.height;

	for (double power = 1; power <= plot->most; power *= 10)
		for (int s = 0; s < 3; s++) {
			double cycles = steps[s] * power;
			int row = row_of(plot, cycles) + plot->at.y - whole.y;
			char label[16];

			if (cycles < plot->least || cycles > plot->most || row > last - 2)
				continue;
			last = row;
			snprintf(label, sizeof(label), "%.0f", cycles);
			canvas_text_right(plot->canvas, whole, MARGIN - 1, row, STYLE_DIM, label);
		}
	for (int row = 0; row < plot->at.height; row++)
		canvas_glyph(plot->canvas, whole, MARGIN - 1, row + plot->at.y - whole.y, STYLE_DIM,
			GLYPH_VLINE);
}

static void draw_size_axis(const struct plot *plot, struct rectangle whole)
{
	int row = whole.height - 1, free_from = 0;

	canvas_text(plot->canvas, whole, 0, 0, STYLE_DIM, "cycles");
	for (double bytes = plot->from; bytes <= plot->to * 1.001; bytes *= 4) {
		int column = MARGIN + column_of(plot, bytes);
		char label[16];
		int width;

		units_bytes((int64_t)bytes, label, sizeof(label));
		width = canvas_columns(plot->canvas, label);
		column = column + width > whole.width ? whole.width - width : column;
		if (column < free_from + MARGIN)
			continue;
		canvas_text(plot->canvas, whole, column, row, STYLE_DIM, label);
		free_from = column + width + 1 - MARGIN;
	}
}

/* ---- points ---- */

static void mark(
	const struct plot *plot, double bytes, double cycles, enum page_kind kind, enum style style)
{
	int x = column_of(plot, bytes), y = row_of(plot, cycles);
	char with[2] = { kind_marks[kind] };
	const struct canvas_cell *cell;

	if (x < 0 || x >= plot->at.width || y < 0 || y >= plot->at.height)
		return;
	cell = &plot->canvas->cells[(size_t)(plot->at.y + y) * (size_t)plot->canvas->width +
				    (size_t)(plot->at.x + x)];
	if ((cell->character == 'o' || cell->character == 'x' || cell->character == '*') &&
		cell->character != (wchar_t)with[0]) {
		with[0] = '*';
		style = STYLE_TEXT;
	}
	canvas_text(plot->canvas, plot->at, x, y, style, with);
}

static void draw_points(const struct plot *plot, const struct probe_report *report)
{
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < report->lines[kind].count; i++) {
			const struct probe_point *point = &report->lines[kind].point[i];
			const struct sample *sample = &point->sample;

			if (!sample->valid)
				continue;
			if (sample->modes == 2) {
				mark(plot, point->x, sample->mode_low, (enum page_kind)kind,
					STYLE_WARN);
				mark(plot, point->x, sample->mode_high, (enum page_kind)kind,
					STYLE_WARN);
			} else {
				mark(plot, point->x, sample->cpe, (enum page_kind)kind,
					kind_styles[kind]);
			}
		}
}

/* ---- what was found ---- */

/* Names stand in the two rows above the points, where they keep clear of each other. */
static void draw_knees(
	const struct plot *plot, struct rectangle whole, const struct hierarchy *hierarchy)
{
	int taken[2] = { MARGIN + 1, MARGIN + 1 };

	for (int pass = LEVEL_CACHE; pass <= LEVEL_TLB; pass++)
		for (int i = 0; i < hierarchy->level_count; i++) {
			const struct hierarchy_level *level = &hierarchy->level[i];
			int x = column_of(plot, level->bytes), row = pass == LEVEL_CACHE ? 0 : 1,
			    width, from;

			if ((int)level->kind != pass || x < 0 || x >= plot->at.width)
				continue;
			for (int y = 0; y < plot->at.height; y++)
				canvas_glyph(plot->canvas, plot->at, x, y, STYLE_DIM, GLYPH_VLINE);
			/* It ends at the line: what it names is to the left. */
			width = canvas_columns(plot->canvas, level->name);
			from = MARGIN + x + 1 - width;
			if (row + 1 > plot->at.y - whole.y)
				continue;
			from = from < taken[row] ? taken[row] : from;
			if (from + width > whole.width)
				continue;
			canvas_text(plot->canvas, whole, from, row,
				pass == LEVEL_CACHE ? STYLE_FIGURE : STYLE_DIM, level->name);
			taken[row] = from + width + 1;
		}
}

/* Cycles of a level, above the middle of its plateau: half-way, on the logarithmic axis, from where
 * the level before it ends. */
static void draw_levels(const struct plot *plot, const struct hierarchy *hierarchy)
{
	double before = plot->from;

	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *level = &hierarchy->level[i];
		double end = level->kind == LEVEL_MEMORY ? plot->to : level->bytes;
		char words[24];
		int x, y, width;

		if (level->kind == LEVEL_TLB)
			continue;
		snprintf(words, sizeof(words), "%.*f", level->cycles < 99.95, level->cycles);
		width = canvas_columns(plot->canvas, words);
		x = column_of(plot, sqrt(fmax(before, level->kind == LEVEL_MEMORY ? level->bytes_lo
										  : before) *
					    end)) -
		    width / 2;
		y = row_of(plot, level->hi) - 1;
		x = x + width > plot->at.width ? plot->at.width - width : x;
		y = y < 0 ? row_of(plot, level->lo) + 1 : y;
		canvas_text(plot->canvas, plot->at, x < 0 ? 0 : x, y, STYLE_FIGURE, words);
		before = level->kind == LEVEL_CACHE ? level->bytes : before;
	}
}

void probe_plot_draw(struct canvas *canvas, struct rectangle at, const struct probe_report *report)
{
	struct plot plot = { .canvas = canvas };
	int above = at.height >= 8 ? 2 : 1;

	if (at.height < PROBE_PLOT_ROWS || at.width < PROBE_PLOT_COLUMNS)
		return;
	if (!find_range(report, &plot)) {
		canvas_text(canvas, at, 0, at.height / 2, STYLE_DIM, "the curve grows from here");
		return;
	}
	plot.at = (struct rectangle){ at.x + MARGIN, at.y + above, at.width - MARGIN,
		at.height - above - 1 };
	draw_cycles_axis(&plot, at);
	draw_size_axis(&plot, at);
	draw_knees(&plot, at, &report->hierarchy);
	draw_points(&plot, report);
	draw_levels(&plot, &report->hierarchy);
}
