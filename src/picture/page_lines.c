/* Makes the layout of a chart of series over x. The names of the series are at the ends of the
 * lines. The names of cache sizes and other marks on the x axis are in a strip above the plot.
 * Labels of plateaus are next to the line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "picture/page.h"

enum { STRIP_ROWS = 3 };
/* LEADER: distance from the last point of a line to the line's name. NAMES_MOST: largest width of
 * the names of lines. */
static const double LEADER = 24, NAMES_MOST = 250;
/* STRIP_GAP: distance from the text of a knee to the plot. STRIP_BEYOND: largest distance that the
 * text of a knee may extend beyond the plot's sides. */
static const double STRIP_GAP = 16, STRIP_BEYOND = 30;

static const struct chart_point *last_point(const struct chart_series *series)
{
	for (int i = series->count - 1; i >= 0; i--)
		if (isfinite(series->point[i].y))
			return &series->point[i];
	return NULL;
}

/* ---- names of the series ---- */

struct names {
	int count;
	double size, width; /* text size of the names, and width of the longest name; width 0: there
			       are no names */
};

static struct names fit_names(const struct page *page, double height)
{
	const struct chart *chart = page->chart;
	struct names names = { .size = SIZE_LABEL };

	for (int i = 0; i < chart->series_count; i++)
		names.count += chart->series[i].name[0] && last_point(&chart->series[i]);
	for (; names.count && names.size > SIZE_LEAST - 2; names.size -= 0.5) {
		names.width = 0;
		for (int i = 0; i < chart->series_count; i++)
			names.width = fmax(names.width,
				page_width(page, chart->series[i].name, names.size, true));
		if (names.width <= NAMES_MOST && names.count * names.size * LINE_STEP <= height)
			break;
	}
	names.width = fmin(names.width, NAMES_MOST);
	return names;
}

struct end {
	int series;
	double x, y;
};

static int by_height(const void *a, const void *b)
{
	const struct end *one = a, *other = b;

	return one->y < other->y ? -1 : one->y > other->y ? 1 : one->series - other->series;
}

/* Adds a name to the right of each line. Moves names apart if lines end close together. */
static void put_names(struct page *page, const struct names *names, struct labels_field *field)
{
	const struct chart *chart = page->chart;
	const struct layout *layout = page->layout;
	struct end ends[CHART_SERIES];
	struct labels_item items[CHART_SERIES];
	double edge = layout->plot.x + layout->plot.width;
	int count = 0;

	for (int i = 0; i < chart->series_count; i++) {
		const struct chart_point *point = last_point(&chart->series[i]);

		if (!point || !chart->series[i].name[0])
			continue;
		ends[count++] = (struct end){ i, layout_x(layout, chart, point->x),
			layout_y(layout, chart, point->y) };
	}
	qsort(ends, (size_t)count, sizeof(*ends), by_height);
	for (int i = 0; i < count; i++)
		items[i] = (struct labels_item){ ends[i].y, names->size * LINE_STEP, 0 };
	labels_spread(items, count, layout->plot.y - names->size / 2,
		layout->plot.y + layout->plot.height + 6);
	for (int i = 0; i < count; i++) {
		double y = items[i].at, x = edge + LEADER;
		int ink = layout_ink(chart, ends[i].series);

		page_fit(page, ROLE_SERIES, x, y + 0.36 * names->size, ANCHOR_LEFT, names->size,
			names->size, true, ink, names->width, chart->series[ends[i].series].name);
		page_rule(page, ROLE_SERIES, edge + 4, ends[i].y, x - 4, y, 1.2, ink);
		/* If a curve ends before the right edge of the plot, draw a dotted line from its
		 * end to its name. */
		if (ends[i].x < edge - 6) {
			page_rule(page, ROLE_SERIES, ends[i].x + 6, ends[i].y, edge + 4, ends[i].y,
				1.0, ink)
				->dash = DASH_DOTS;
			labels_add_line(field, ends[i].x, ends[i].y, edge, ends[i].y);
		}
	}
}

/* ---- knees ---- */

/* The strip above the plot: the names of the marks on the x axis (cache sizes, for example), from
 * left to right. */
struct strip {
	int rows, count;
	double low; /* left limit of the text */
	double total;
	struct knee {
		const struct chart_mark *mark;
		double place, size;
		int row; /* -1: no row has space */
	} knee[CHART_MARKS];
};

static int by_place(const void *a, const void *b)
{
	const struct knee *one = a, *other = b;

	return one->place != other->place ? (one->place > other->place) * 2 - 1
					  : (one->mark > other->mark) * 2 - 1;
}

/* Above the plot is a strip of rows with the names of the marks on the x axis. Assigns the marks to
 * these rows in turn; the widths of the names determine the number of rows. */
static void plan_strip(const struct page *page, double width, struct strip *strip)
{
	const struct chart *chart = page->chart;
	double used[STRIP_ROWS] = { 0 };

	*strip = (struct strip){ 0 };
	for (int i = 0; i < chart->mark_count; i++) {
		const struct chart_mark *mark = &chart->mark[i];
		double place = scale_place(&chart->x.scale, mark->at),
		       size = page_width(page, mark->text, SIZE_MARK, false) + 14;

		if (!mark->text[0] || !(place >= 0) || place > 1)
			continue;
		strip->knee[strip->count++] = (struct knee){ mark, place, size, -1 };
		strip->total += size;
	}
	qsort(strip->knee, (size_t)strip->count, sizeof(*strip->knee), by_place);
	strip->rows = (int)fmin(ceil(strip->total / width), STRIP_ROWS);
	for (int i = 0; i < strip->count; i++) {
		struct knee *knee = &strip->knee[i];

		for (int k = 0; k < strip->rows && knee->row < 0; k++)
			if (used[(i + k) % strip->rows] + knee->size <= width)
				knee->row = (i + k) % strip->rows;
		if (knee->row >= 0)
			used[knee->row] += knee->size;
	}
}

/* Returns whether the names of marks above the plot need only one row, and this row fits next to
 * the title of the y axis. */
static bool shares_row(
	const struct page *page, const struct strip *strip, double left, double right)
{
	double free = PAGE_SIDE + page_width(page, page->chart->y.title, SIZE_AXIS, false) + 16;
	const struct knee *first = &strip->knee[0];

	return strip->rows == 1 && strip->total <= right + STRIP_BEYOND - free &&
	       left + (right - left) * first->place - first->size / 2 >= free;
}

static void put_strip(struct page *page, const struct strip *strip)
{
	const struct box plot = page->layout->plot;
	const double step = SIZE_MARK * LINE_STEP;

	for (int row = 0; row < strip->rows; row++) {
		struct labels_item items[CHART_MARKS];
		const struct chart_mark *marks[CHART_MARKS];
		int count = 0;

		for (int i = 0; i < strip->count; i++) {
			const struct knee *knee = &strip->knee[i];

			if (knee->row != row)
				continue;
			marks[count] = knee->mark;
			items[count++] = (struct labels_item){ plot.x + plot.width * knee->place,
				knee->size, 0 };
		}
		labels_spread(items, count, strip->low, plot.x + plot.width + STRIP_BEYOND);
		for (int i = 0; i < count; i++) {
			int ink = marks[i]->stated ? INK_STATED : INK_FOUND;
			double y = plot.y - STRIP_GAP - (strip->rows - 1 - row) * step;

			page_text(page, ROLE_MARK, items[i].at, y, ANCHOR_MIDDLE, SIZE_MARK, false,
				ink, marks[i]->text);
			/* Draw a line from the text of a knee to the knee's line in the plot. */
			if (row == strip->rows - 1)
				page_rule(page, ROLE_MARK, items[i].at, y + 5, items[i].wanted,
					plot.y, 1, ink);
		}
	}
}

/* Adds the vertical lines of marks (cache sizes, for example) in the plot, under the data. */
static void put_knee_lines(struct page *page, struct labels_field *field)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;

	for (int i = 0; i < chart->mark_count; i++) {
		const struct chart_mark *mark = &chart->mark[i];
		double place = scale_place(&chart->x.scale, mark->at),
		       x = plot.x + plot.width * place,
		       lo = fmax(scale_place(&chart->x.scale, mark->lo), 0),
		       hi = fmin(scale_place(&chart->x.scale, mark->hi), 1);

		if (!(place >= 0) || place > 1)
			continue;
		if (hi > lo)
			page_area(page, plot.x + lo * plot.width, plot.y, (hi - lo) * plot.width,
				plot.height, INK_GRID);
		page_rule(page, ROLE_MARK, x, plot.y, x, plot.y + plot.height, 1.2,
			mark->stated ? INK_STATED : INK_FOUND)
			->dash = mark->stated  ? DASH_SHORT
				 : mark->pages ? DASH_MIXED
					       : DASH_SOLID;
		labels_add_line(field, x, plot.y, x, plot.y + plot.height);
	}
}

/* ---- labels next to the lines ---- */

static void block_data(const struct page *page, struct labels_field *field)
{
	const struct chart *chart = page->chart;

	for (int i = 0; i < chart->series_count; i++) {
		const struct chart_series *series = &chart->series[i];
		double before_x = NAN, before_y = NAN;

		for (int k = 0; k < series->count; k++) {
			const struct chart_point *point = &series->point[k];
			double x = layout_x(page->layout, chart, point->x),
			       y = layout_y(page->layout, chart, point->y);

			if (isfinite(before_y) && isfinite(y) && chart->joined && !series->loose)
				labels_add_line(field, before_x, before_y, x, y);
			if (isfinite(y))
				labels_add_line(field, x - 4, y, x + 4, y);
			if (isfinite(y) && !chart->joined && chart->y.scale.low == 0)
				labels_add_line(field, x, y, x, layout_y(page->layout, chart, 0));
			if (isfinite(point->lo) && isfinite(point->hi))
				labels_add_line(field, x, layout_y(page->layout, chart, point->lo),
					x, layout_y(page->layout, chart, point->hi));
			before_x = x;
			before_y = y;
		}
	}
}

static void put_beside(struct page *page, enum layout_role role, double x0, double x1, double y,
	const char *text, int ink, struct labels_field *field)
{
	const double size = SIZE_LABEL;
	struct box box;

	if (!isfinite(x0) || !isfinite(y) ||
		!labels_beside(field, x0, x1, y, page_width(page, text, size, true) + 8,
			size * 1.06, &box))
		return;
	page_text(page, role, box.x + box.width / 2, box.y + METRICS_ABOVE * size + 0.03 * size,
		ANCHOR_MIDDLE, size, true, ink, text);
}

static void put_flats_and_calls(struct page *page, struct labels_field *field)
{
	const struct chart *chart = page->chart;
	const struct layout *layout = page->layout;
	const struct box plot = layout->plot;

	for (int i = 0; i < chart->flat_count; i++) {
		const struct chart_flat *flat = &chart->flat[i];
		double x0 = fmax(layout_x(layout, chart, flat->from), plot.x);
		double x1 = fmin(layout_x(layout, chart, flat->to), plot.x + plot.width);

		put_beside(page, ROLE_FLAT, x0, x1, layout_y(layout, chart, flat->y), flat->text,
			INK_TEXT, field);
	}
	for (int i = 0; i < chart->call_count; i++) {
		double x = layout_x(layout, chart, chart->call[i].x);

		put_beside(page, ROLE_CALL, x, x, layout_y(layout, chart, chart->call[i].y),
			chart->call[i].text,
			chart->call[i].series >= 0 ? layout_ink(chart, chart->call[i].series)
						   : INK_TEXT,
			field);
	}
}

void layout_lines(struct page *page)
{
	const struct chart *chart = page->chart;
	struct layout *layout = page->layout;
	double top = page_head(page), bottom = page_foot(page) - (chart->x.title[0] ? 58 : 34),
	       left, right;
	struct labels_field field = { 0 };
	struct names names;
	struct strip strip;

	top = page_title_above(page, top, &chart->y) + 14;
	left = PAGE_SIDE + page_y_width(page, &chart->y, bottom - top) + 10;
	/* Reserve some of the page's height for the names of marks (the strip) above the plot. */
	names = fit_names(page, bottom - top - (chart->mark_count ? 3 * SIZE_MARK : 0));
	right = page->layout->width - PAGE_SIDE - (names.count ? names.width + LEADER : 24);
	plan_strip(page, right - left, &strip);
	strip.low = left - STRIP_BEYOND;
	if (shares_row(page, &strip, left, right)) {
		strip.low = PAGE_SIDE + page_width(page, chart->y.title, SIZE_AXIS, false) + 16;
		top += STRIP_GAP - 14;
	} else if (strip.rows)
		top += (strip.rows - 1) * SIZE_MARK * LINE_STEP + SIZE_MARK + STRIP_GAP - 6;
	bottom -= page_lower_names(page, &chart->x, right - left);
	layout->plot = (struct box){ left, top, right - left, bottom - top };
	field.bounds = layout->plot;
	/* The label of the highest point may extend above the plot if no names of marks are there.
	 */
	if (!strip.rows) {
		field.bounds.y -= 10;
		field.bounds.height += 10;
	}
	put_knee_lines(page, &field);
	page_y_axis(page, &chart->y, true);
	page_x_axis(page, &chart->x, false);
	put_strip(page, &strip);
	put_names(page, &names, &field);
	block_data(page, &field);
	put_flats_and_calls(page, &field);
	labels_free(&field);
}

/* ---- bars ---- */

/* Makes the layout of horizontal bars. The name is to the left of the bar, the value is at its end,
 * and the cause is below in small letters. */

static const int inks[] = {
	[BAR_HARD] = INK_HARD,
	[BAR_BINDING] = INK_BINDING,
	[BAR_SOFT] = INK_SOFT,
	[BAR_UNKNOWN] = INK_DIM,
	[BAR_MEASURED] = INK_MEASURED,
};

static double widest(const struct page *page, bool names, double size)
{
	double most = 0;

	for (int i = 0; i < page->chart->bar_count; i++)
		most = fmax(most,
			page_width(page,
				names ? page->chart->bar[i].name : page->chart->bar[i].value_words,
				size, true));
	return most;
}

static void put_bar(struct page *page, const struct chart_bar *bar, double y, double height,
	double name_size, double value_room)
{
	const struct box plot = page->layout->plot;
	double thick = fmin(height * (bar->cause[0] ? 0.5 : 0.6), 24),
	       value_size = fmin(SIZE_LABEL, height * 0.55);
	double end = isfinite(bar->value)
			     ? plot.width * scale_place(&page->chart->x.scale, bar->value)
			     : 0,
	       line = y + thick / 2;
	bool bold = bar->kind == BAR_BINDING || bar->kind == BAR_MEASURED;
	struct words name = words_of("%s", bar->name);

	/* Even names that are not bold are cut to the width of bold letters, so that all names are
	 * cut alike.
	 */
	metrics_fit(page->metrics, name.text, CHART_TEXT, name_size, name_size, true,
		plot.x - 12 - PAGE_SIDE);
	page_text(page, ROLE_TICK, plot.x - 12, line + 0.36 * name_size, ANCHOR_RIGHT, name_size,
		bold, bar->kind == BAR_SOFT || bar->kind == BAR_UNKNOWN ? INK_DIM : INK_TEXT,
		name.text);
	if (isfinite(bar->value)) {
		page_area(page, plot.x, y, fmax(end, 1.5), thick, inks[bar->kind])->outlined =
			bar->kind == BAR_SOFT;
		if (isfinite(bar->lo) && isfinite(bar->hi) && bar->hi > bar->lo) {
			const struct scale *scale = &page->chart->x.scale;
			double lo = plot.x + plot.width * scale_place(scale, bar->lo),
			       hi = plot.x + plot.width * scale_place(scale, bar->hi);

			page_rule(page, ROLE_SERIES, lo, line, hi, line, 1.6, INK_TEXT);
			page_rule(page, ROLE_SERIES, lo, line - 6, lo, line + 6, 1.6, INK_TEXT);
			page_rule(page, ROLE_SERIES, hi, line - 6, hi, line + 6, 1.6, INK_TEXT);
			end = fmax(end, hi - plot.x);
		}
		page_text(page, ROLE_SERIES, plot.x + end + 9, line + 0.36 * value_size,
			ANCHOR_LEFT, value_size, bold,
			bar->kind == BAR_BINDING ? INK_BINDING : INK_TEXT, bar->value_words);
	}
	page_fit(page, ROLE_FLAT, plot.x + 1, isfinite(bar->value) ? y + thick + 13 : line + 4,
		ANCHOR_LEFT, 13, 11, false, INK_DIM, plot.width + value_room, bar->cause);
}

void layout_bars(struct page *page)
{
	const struct chart *chart = page->chart;
	struct layout *layout = page->layout;
	double top = page_head(page) + 14, bottom = page_foot(page) - 56;
	double name_size = SIZE_LABEL, value_room, left, height;

	while (name_size > SIZE_LEAST && widest(page, true, name_size) > 270)
		name_size -= 0.5;
	left = PAGE_SIDE + fmin(widest(page, true, name_size), 280) + 12;
	value_room = widest(page, false, SIZE_LABEL) + 14;
	layout->plot = (struct box){ left, top, page->layout->width - PAGE_SIDE - value_room - left,
		bottom - top };
	page_x_axis(page, &chart->x, true);
	page_rule(page, ROLE_TICK, left, top, left, bottom, 1.4, INK_DIM);
	height = (bottom - top) / (chart->bar_count > 0 ? chart->bar_count : 1);
	for (int i = 0; i < chart->bar_count; i++) {
		double used = fmin(height, 48),
		       y = top + i * height + (height - used) / 2 + 0.08 * used;

		put_bar(page, &chart->bar[i], y, used, fmin(name_size, used * 0.55), value_room);
	}
}
