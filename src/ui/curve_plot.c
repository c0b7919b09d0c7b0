#include "ui/curve_plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/scale.h"

/* Number of columns to the left of the vertical axis. */
enum { MARGIN = 6 };

/* The horizontal axis, the number of filler instructions, ends at AFTER_KNEE times the knee of the
 * curve. Without a knee in the curve, the horizontal axis ends at FEWEST filler instructions or
 * more. */
#define AFTER_KNEE 1.35
#define FEWEST	   64.0

static const char kind_marks[PAGE_KINDS] = { 'o', 'o', 'x' };
static const enum style kind_styles[PAGE_KINDS] = { STYLE_A, STYLE_A, STYLE_B };

struct plot {
	struct box whole, at; /* whole: box of the plot with its axes; at: box of only the points */
	struct scale x, y;
};

/* Returns the column of the value x, relative to plot->at; -1 or less if the value is below the
 * axis. */
static int column_of(const struct plot *plot, double x)
{
	return (int)lround(scale_place(&plot->x, x) * (plot->at.width - 1));
}

static int row_of(const struct plot *plot, double y)
{
	return plot->at.height - 1 - (int)lround(scale_place(&plot->y, y) * (plot->at.height - 1));
}

/* ---- axes ---- */

static double column_extent(void *context, const char *label)
{
	return canvas_columns(*(struct box *)context, label) + 1.25;
}

static void draw_y_axis(const struct plot *plot)
{
	struct scale_tick ticks[SCALE_TICKS];
	int count = scale_ticks(&plot->y, plot->at.height - 1, NULL, NULL, ticks);

	canvas_text(plot->whole, 0, 0, STYLE_DIM, "cycles");
	for (int i = 0; i < count; i++) {
		/* On a linear axis, the label of the low end is in the row of the axis itself. */
		bool zero = plot->y.kind == SCALE_LINEAR && ticks[i].value <= plot->y.low;
		int row = zero ? plot->at.height : row_of(plot, ticks[i].value);

		canvas_put_right(plot->whole, MARGIN - 1, row + plot->at.y - plot->whole.y,
			STYLE_DIM, ticks[i].label);
	}
}

/* Draws the horizontal axis; each label begins at the column of its value. */
static void draw_x_axis(const struct plot *plot, int row)
{
	struct scale_tick ticks[SCALE_TICKS];
	struct box whole = plot->whole;
	int count = scale_ticks(&plot->x, plot->at.width - 1, column_extent, &whole, ticks),
	    free_from = 0;

	for (int i = 0; i < count; i++) {
		int width = canvas_columns(plot->at, ticks[i].label),
		    x = column_of(plot, ticks[i].value);

		x = int_least(x, plot->at.width - width);
		if (x < free_from)
			continue;
		canvas_put(plot->whole, MARGIN + x, row, STYLE_DIM, ticks[i].label);
		free_from = x + width + 1;
	}
}

static void draw_upright(const struct plot *plot, double x, enum style style, enum glyph glyph)
{
	int column = column_of(plot, x);

	for (int y = 0; y < plot->at.height && column >= 0 && column < plot->at.width; y++)
		canvas_glyph(plot->at, column, y, style, glyph);
}

/* ---- a probe ---- */

/* Finds the range of all measured values, with a margin above and below. Returns false if no point
 * of the curve has a measured value. */
static bool probe_range(const struct probe_report *report, struct plot *plot)
{
	double least = INFINITY, most = 0, from = (double)PROBE_SMALLEST;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < report->lines[kind].count; i++) {
			const struct sample *sample = &report->lines[kind].point[i].sample;
			bool modes = sample->modes == 2;

			if (!sample->valid)
				continue;
			least = fmin(least, modes ? sample->mode_low : sample->cpe);
			most = fmax(most, modes ? sample->mode_high : sample->cpe);
		}
	/* The scale of the plot must not change while the measurement adds points, so leave room
	 * for later points. */
	least /= 1.3;
	plot->y = (struct scale){ SCALE_LOG, least, fmax(1.3 * most, 100 * least) };
	plot->x = (struct scale){ .kind = SCALE_BYTES,
		.low = from,
		.high = fmax(2 * from, (double)report->options.max_size),
		.brief = true };
	return isfinite(least);
}

static void mark(
	const struct plot *plot, double bytes, double cycles, enum page_kind kind, enum style style)
{
	int x = column_of(plot, bytes), y = row_of(plot, cycles);
	char with[2] = { kind_marks[kind] };
	const struct canvas_cell *cell;

	if (x < 0 || x >= plot->at.width || y < 0 || y >= plot->at.height)
		return;
	cell = &plot->at.canvas->cells[(size_t)(plot->at.y + y) * (size_t)plot->at.canvas->width +
				       (size_t)(plot->at.x + x)];
	if ((cell->character == 'o' || cell->character == 'x' || cell->character == '*') &&
		cell->character != (wchar_t)with[0]) {
		with[0] = '*';
		style = STYLE_TEXT;
	}
	canvas_put(plot->at, x, y, style, with);
}

static void draw_probe_points(const struct plot *plot, const struct probe_report *report)
{
	for (int i = 0; i < PAGE_KINDS; i++)
		for (int k = 0; k < report->lines[i].count; k++) {
			const struct probe_point *point = &report->lines[i].point[k];
			const struct sample *sample = &point->sample;
			enum page_kind kind = (enum page_kind)i;

			if (sample->valid && sample->modes == 2) {
				mark(plot, point->x, sample->mode_low, kind, STYLE_WARN);
				mark(plot, point->x, sample->mode_high, kind, STYLE_WARN);
			} else if (sample->valid) {
				mark(plot, point->x, sample->cpe, kind, kind_styles[kind]);
			}
		}
}

/* Draws the names of the levels of caches and of TLBs, in two rows above the points, so that the
 * names do not overlap. */
static void draw_knees(const struct plot *plot, const struct hierarchy *hierarchy)
{
	int taken[2] = { MARGIN + 1, MARGIN + 1 };

	for (int pass = LEVEL_CACHE; pass <= LEVEL_TLB; pass++)
		for (int i = 0; i < hierarchy->level_count; i++) {
			const struct hierarchy_level *level = &hierarchy->level[i];
			int x = column_of(plot, level->bytes), row = pass == LEVEL_CACHE ? 0 : 1,
			    width, from;

			if ((int)level->kind != pass || x < 0 || x >= plot->at.width)
				continue;
			draw_upright(plot, level->bytes, STYLE_DIM, GLYPH_VLINE);
			/* The level's name ends at the vertical line, because the level is to the
			 * left of the line.
			 */
			width = canvas_columns(plot->at, level->name);
			from = MARGIN + x + 1 - width;
			if (row + 1 > plot->at.y - plot->whole.y)
				continue;
			from = int_most(from, taken[row]);
			if (from + width > plot->whole.width)
				continue;
			canvas_put(plot->whole, from, row,
				pass == LEVEL_CACHE ? STYLE_FIGURE : STYLE_DIM, level->name);
			taken[row] = from + width + 1;
		}
}

/* Draws the latency in cycles of each level (cache or memory) above the middle of its plateau. On
 * the logarithmic axis, the middle of a plateau is halfway between the ends of the previous level
 * and its own level. */
static void draw_levels(const struct plot *plot, const struct hierarchy *hierarchy)
{
	double before = plot->x.low;

	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *level = &hierarchy->level[i];
		double end = level->kind == LEVEL_MEMORY ? plot->x.high : level->bytes;
		double start = level->kind == LEVEL_MEMORY ? fmax(before, level->bytes_lo) : before;
		struct words words = words_of("%.*f", level->cycles < 99.95, level->cycles);
		int y = row_of(plot, level->hi) - 1, width = canvas_columns(plot->at, words.text),
		    x = column_of(plot, sqrt(start * end)) - width / 2;

		if (level->kind == LEVEL_TLB)
			continue;
		canvas_put(plot->at, int_most(int_least(x, plot->at.width - width), 0),
			y < 0 ? row_of(plot, level->lo) + 1 : y, STYLE_FIGURE, words.text);
		before = level->kind == LEVEL_CACHE ? level->bytes : before;
	}
}

void probe_plot_draw(struct box at, const struct probe_report *report)
{
	struct plot plot = { .whole = at };
	int above = at.height >= 8 ? 2 : 1;

	if (at.height < PROBE_PLOT_ROWS || at.width < CURVE_PLOT_COLUMNS)
		return;
	if (!probe_range(report, &plot)) {
		canvas_text(at, 0, at.height / 2, STYLE_DIM, "the curve grows from here");
		return;
	}
	plot.at = box_part(at, MARGIN, above, at.width - MARGIN, at.height - above - 1);
	draw_y_axis(&plot);
	for (int row = 0; row < plot.at.height; row++)
		canvas_glyph(at, MARGIN - 1, row + above, STYLE_DIM, GLYPH_VLINE);
	draw_x_axis(&plot, at.height - 1);
	draw_knees(&plot, &report->hierarchy);
	draw_probe_points(&plot, report);
	draw_levels(&plot, &report->hierarchy);
}

/* ---- windows ---- */

/* Returns how many filler instructions fill the buffer that the core model gives. One filler
 * instruction may use several entries of the buffer. Returns NAN if the core model does not know
 * the buffer. */
static double full_at(const struct windows_row *row)
{
	return buffers_full(row->fact, row->entries);
}

/* Finds the ranges of both axes of the plot. Returns false if no point of the curve is measured. */
static bool window_range(const struct windows_row *row, struct plot *plot)
{
	const struct knee *knee = &row->knee;
	double last = row->curve.count ? row->curve.point[row->curve.count - 1].x : 0,
	       end = fmax(last, FEWEST), top = 0;

	if (isfinite(knee->to)) {
		end = AFTER_KNEE * knee->to;
		if (full_at(row) > knee->to && full_at(row) < 2 * knee->to)
			end = fmax(end, 1.1 * full_at(row));
	}
	plot->x = (struct scale){ SCALE_LINEAR, 0, scale_ceiling(end), .whole = true };
	for (int i = 0; i < row->curve.count; i++)
		if (row->curve.point[i].x <= plot->x.high)
			top = fmax(top, row->curve.point[i].y);
	plot->y = (struct scale){ SCALE_LINEAR, 0, scale_ceiling(1.05 * top) };
	return row->curve.count > 0;
}

/* Draws a horizontal line at a number of cycles, with this number above the line. */
static void draw_level(const struct plot *plot, double cycles, double from, double to, bool right)
{
	int y = row_of(plot, cycles), first = column_of(plot, from),
	    last = column_of(plot, fmin(to, plot->x.high));
	struct words words = words_of("%.0f", cycles);

	if (!isfinite(cycles) || y < 0 || last <= first)
		return;
	for (int x = first; x <= last && x < plot->at.width; x++)
		canvas_glyph(plot->at, x, y, STYLE_DIM, GLYPH_HLINE);
	y = y > 0 ? y - 1 : y + 1;
	if (right)
		canvas_put_right(plot->at, last + 1, y, STYLE_FIGURE, words.text);
	else
		canvas_put(plot->at, first + 1, y, STYLE_FIGURE, words.text);
}

static void draw_range(const struct plot *plot, const struct knee *knee)
{
	int first = column_of(plot, knee->lo), last = column_of(plot, knee->hi);

	for (int x = first; last > first && x <= last; x++)
		for (int y = 0; y < plot->at.height; y++)
			canvas_glyph(plot->at, x, y, STYLE_DIM, GLYPH_SHADE1);
}

/* Draws the value of the measured knee, and the label of the core model's value. The text with the
 * knee's value ends at the knee's vertical line. The label of the core model's value begins at that
 * value's own line, or after the knee's text. Even if the lines of the knee and of the core model's
 * value are close, both texts have space. At the right edge of the plot, the label of the core
 * model's value moves to the left, if necessary beyond the knee's value. */
static void draw_names(const struct plot *plot, const struct windows_row *row)
{
	const struct knee *knee = &row->knee;
	bool found = isfinite(knee->x);
	int at_knee = found ? column_of(plot, knee->x) : -1, x, width, from = 0;
	struct words words;

	if (found) {
		words = words_of(knee->kind == KNEE_SHARP ? "%.0f" : "~%.0f", knee->x);
		from = int_most(
			MARGIN + at_knee + 1 - canvas_columns(plot->at, words.text), MARGIN + 1);
		canvas_put(plot->whole, from, 0, STYLE_FIGURE, words.text);
	}
	if (!(full_at(row) >= 0) || full_at(row) > plot->x.high)
		return;
	words = words_of(" M %.0f", row->entries);
	width = canvas_columns(plot->at, words.text);
	x = column_of(plot, full_at(row));
	if (found && x + width > from - MARGIN)
		x = int_most(x, at_knee + 1);
	if (x + width > plot->at.width)
		x = plot->at.width - width <= at_knee ? from - MARGIN - width - 1
						      : plot->at.width - width;
	canvas_put(plot->whole, MARGIN + x, 0, STYLE_DIM, words.text);
}

static void draw_window_points(const struct plot *plot, const struct windows_row *row)
{
	for (int i = 0; i < row->curve.count; i++) {
		const struct knee_point *point = &row->curve.point[i];

		if (point->x <= plot->x.high)
			canvas_text(plot->at, column_of(plot, point->x), row_of(plot, point->y),
				STYLE_A, "o");
	}
}

void window_plot_draw(struct box at, const struct windows_row *row, double here)
{
	const struct knee *knee = &row->knee;
	struct plot plot = { .whole = at };

	if (at.height < WINDOW_PLOT_ROWS || at.width < CURVE_PLOT_COLUMNS)
		return;
	if (!window_range(row, &plot)) {
		canvas_text(at, 0, at.height / 2, STYLE_DIM, "%s",
			row->state == WINDOWS_FAILED ? "no curve" : "the curve grows from here");
		return;
	}
	plot.at = box_part(at, MARGIN, 1, at.width - MARGIN, at.height - 3);
	draw_y_axis(&plot);
	for (int x = 0; x < plot.at.width; x++)
		canvas_glyph(at, MARGIN + x, at.height - 2, STYLE_DIM, GLYPH_HLINE);
	draw_x_axis(&plot, at.height - 1);
	if (isfinite(knee->x)) {
		draw_range(&plot, knee);
		draw_level(&plot, knee->before, 0, knee->from, false);
		draw_level(&plot, knee->after, knee->to, plot.x.high, true);
	} else {
		draw_level(&plot, knee->kind == KNEE_NONE && !knee->work ? knee->before : NAN, 0,
			plot.x.high, false);
	}
	if (full_at(row) >= 0 && full_at(row) <= plot.x.high)
		draw_upright(&plot, full_at(row), STYLE_DIM, GLYPH_DOT);
	if (isfinite(knee->x))
		draw_upright(&plot, knee->x, STYLE_FIGURE, GLYPH_VLINE);
	draw_names(&plot, row);
	draw_window_points(&plot, row);
	if (here >= 0 && here <= plot.x.high)
		canvas_glyph(
			at, MARGIN + column_of(&plot, here), at.height - 2, STYLE_HERE, GLYPH_UP);
}
