/* Makes the layout of a heat map: a cell for each pair of x and y, and the colour scale at the
 * right. A cell shows its value as text if the text fits. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/relief.h"
#include "base/text.h"
#include "picture/page.h"

/* RAMP_WIDTH: width of the colour scale. RAMP_GAP: distance of the colour scale from the cells.
 * RAMP_PARTS: number of parts of the colour scale. */
static const double RAMP_WIDTH = 20, RAMP_GAP = 26;
enum { RAMP_PARTS = 64 };

/* Returns the largest text size at which all values fit into their cells; 0: the values do not fit.
 */
static double cell_size(const struct page *page, double width, double height)
{
	const struct chart *chart = page->chart;
	int cells = chart->x.count * chart->y.count;
	double size = fmin(SIZE_TICK, height / 1.25);

	for (int i = 0; i < cells; i++)
		while (isfinite(chart->grid[i]) && size > 8 &&
			page_width(page, scale_figure(chart->grid[i]).text, size, false) >
				width - 4)
			size -= 0.5;
	return size < 9 ? 0 : size;
}

static void put_cells(struct page *page)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;
	double width = plot.width / chart->x.count, height = plot.height / chart->y.count;
	double size = cell_size(page, width, height);

	for (int cell = 0; cell < chart->x.count * chart->y.count && size > 0; cell++) {
		int x = cell % chart->x.count, y = cell / chart->x.count;
		double value = chart->grid[cell];

		if (isfinite(value))
			page_text(page, ROLE_CELL, plot.x + (x + 0.5) * width,
				plot.y + (y + 0.5) * height + 0.36 * size, ANCHOR_MIDDLE, size,
				false,
				layout_shade(chart, value) > LAYOUT_LIGHT ? INK_ON_LIGHT
									  : INK_ON_DARK,
				scale_figure(value).text);
	}
}

/* Adds the names of the rows; if not all names fit, omits names. */
static void put_row_names(struct page *page)
{
	const struct chart_axis *axis = &page->chart->y;
	const struct box plot = page->layout->plot;
	double height = plot.height / axis->count,
	       size = fmin(SIZE_TICK, fmax(SIZE_LEAST, height / 1.1));
	int step = (int)ceil(size * 1.1 / height - 1e-9);

	for (int i = 0; i<axis->count; i += step> 0 ? step : 1)
		page_text(page, ROLE_TICK, plot.x - 8, plot.y + (i + 0.5) * height + 0.36 * size,
			ANCHOR_RIGHT, size, false, INK_TEXT, axis->name[i]);
}

/* Adds a mark between two rows where a cache ends, with the cache's name at the right. If `across`
 * is true, adds the marks between two columns, with their names above. */
static void put_marks(struct page *page, bool across)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;
	struct labels_item items[CHART_MARKS];
	int which[CHART_MARKS], count = 0;

	for (int i = 0; i < chart->mark_count; i++) {
		/* The line for a cache size lies between the rows of sizes up to the cache size and
		 * the rows of larger sizes. */
		const struct chart_mark *mark = &chart->mark[i];
		double step = floor(mark->at + 1e-9) + 1,
		       steps = across ? chart->x.count : chart->y.count;

		if (mark->across != across || !(step > 0) || step >= steps)
			continue;
		which[count] = i;
		items[count].wanted = across ? plot.x + step * plot.width / steps
					     : plot.y + step * plot.height / steps;
		items[count++].size = across ? page_width(page, mark->text, SIZE_MARK, false) + 14
					     : SIZE_MARK * LINE_STEP;
	}
	labels_spread(items, count, across ? plot.x : plot.y,
		across ? plot.x + plot.width : plot.y + plot.height);
	for (int i = 0; i < count; i++) {
		const char *text = chart->mark[which[i]].text;
		double at = items[i].at, wanted = items[i].wanted, right = plot.x + plot.width;

		if (across) {
			page_rule(page, ROLE_MARK, wanted, plot.y, wanted, plot.y + plot.height, 2,
				INK_TEXT)
				->dash = DASH_SHORT;
			page_rule(page, ROLE_MARK, wanted, plot.y, at, plot.y - 8, 1.2, INK_STATED);
			page_text(page, ROLE_MARK, at, plot.y - 13, ANCHOR_MIDDLE, SIZE_MARK, false,
				INK_STATED, text);
		} else {
			page_rule(page, ROLE_MARK, plot.x, wanted, right, wanted, 2, INK_TEXT)
				->dash = DASH_SHORT;
			page_rule(page, ROLE_MARK, right, wanted, right + 12, at, 1.2, INK_STATED);
			page_text(page, ROLE_MARK, right + 16, at + 0.36 * SIZE_MARK, ANCHOR_LEFT,
				SIZE_MARK, false, INK_STATED, text);
		}
	}
}

static double mark_width(const struct page *page)
{
	const struct chart *chart = page->chart;
	double widest = 0;

	for (int i = 0; i < chart->mark_count; i++)
		if (!chart->mark[i].across && chart->mark[i].at > -0.5 &&
			chart->mark[i].at < chart->y.count - 0.5)
			widest = fmax(widest,
				page_width(page, chart->mark[i].text, SIZE_MARK, false) + 18);
	return widest;
}

static bool any_across(const struct chart *chart)
{
	for (int i = 0; i < chart->mark_count; i++)
		if (chart->mark[i].across)
			return true;
	return false;
}

static void put_ramp(struct page *page, double x)
{
	const struct chart_axis *axis = &page->chart->z;
	const struct box plot = page->layout->plot;
	struct scale_tick ticks[SCALE_TICKS];
	int count = scale_ticks(&axis->scale, plot.height, page_upwards, page, ticks);

	for (int i = 0; i < RAMP_PARTS; i++) {
		double height = plot.height / RAMP_PARTS;
		struct layout_area *area = page_area(page, x,
			plot.y + plot.height - (i + 1) * height, RAMP_WIDTH, height, INK_TEXT);

		area->share = (i + 0.5) / RAMP_PARTS;
		area->role = ROLE_TICK;
	}
	for (int i = 0; i < count; i++) {
		double y = plot.y + plot.height * (1 - scale_place(&axis->scale, ticks[i].value));

		if (ticks[i].minor)
			continue;
		page_rule(page, ROLE_TICK, x + RAMP_WIDTH, y, x + RAMP_WIDTH + 5, y, 1, INK_DIM);
		page_text(page, ROLE_TICK, x + RAMP_WIDTH + 8, y + 0.36 * SIZE_TICK, ANCHOR_LEFT,
			SIZE_TICK, false, INK_TEXT, ticks[i].label);
	}
	page_text(page, ROLE_AXIS, page->layout->width - PAGE_SIDE, plot.y - 10, ANCHOR_RIGHT,
		SIZE_AXIS, false, INK_TEXT, axis->title);
}

void layout_heat(struct page *page)
{
	const struct chart *chart = page->chart;
	struct layout *layout = page->layout;
	double top = page_head(page), bottom = page_foot(page) - 58, left, right, ramp;

	top = page_title_above(page, top, &chart->y) + 10;
	if (any_across(chart))
		top += SIZE_MARK * LINE_STEP + 2;
	left = PAGE_SIDE + page_y_width(page, &chart->y, bottom - top) + 10;
	ramp = page->layout->width - PAGE_SIDE - page_y_width(page, &chart->z, bottom - top) - 8 -
	       RAMP_WIDTH;
	right = ramp - RAMP_GAP - mark_width(page);
	bottom -= page_lower_names(page, &chart->x, right - left);
	layout->plot = (struct box){ left, top, right - left, bottom - top };
	put_row_names(page);
	page_x_axis(page, &chart->x, false);
	put_cells(page);
	put_marks(page, false);
	put_marks(page, true);
	put_ramp(page, ramp);
}

/* ---- relief ---- */

/* Makes the layout of a relief. The names of steps are along the two front sides of the ground. The
 * height scale is at the left corner, and the ends of caches are on the back walls. */

/* Adds the names of sizes or strides along a front side of the relief's ground; if not all names
 * fit, omits names. */
static void put_side(
	struct page *page, const struct relief *relief, const struct chart_axis *axis, bool rows)
{
	double widest = 0, size = 15;
	double across = relief->rows.x / (axis->count - 1),
	       down = relief->rows.y / (axis->count - 1);
	int step = 1;

	for (int i = 0; i < axis->count; i++)
		widest = fmax(widest, page_width(page, axis->name[i], size, false));
	while (step < axis->count && step * across < widest + 8 && step * down < size)
		step++;
	for (int i = 0; i < axis->count; i++) {
		double place = (double)i / (axis->count - 1);
		struct relief_point at = rows ? relief_project(relief, 1, place, 0)
					      : relief_project(relief, place, 1, 0);
		double out = rows ? -1 : 1;

		page_rule(page, ROLE_TICK, at.x, at.y, at.x + 4 * out, at.y + 4, 1, INK_DIM);
		if (i % step == 0)
			page_text(page, ROLE_TICK, at.x + 7 * out, at.y + 21,
				rows ? ANCHOR_RIGHT : ANCHOR_LEFT, size, false, INK_TEXT,
				axis->name[i]);
	}
}

/* Adds the title of a front side of the relief in the page's corner below the side. Text in
 * brackets is on a second line.
 */
static void put_side_title(
	struct page *page, const struct relief *relief, const char *title, bool rows)
{
	struct relief_point front = relief_project(relief, 1, 1, 0);
	double room = (rows ? front.x - PAGE_SIDE : page->layout->width - PAGE_SIDE - front.x) -
		      110,
	       x = rows ? PAGE_SIDE : page->layout->width - PAGE_SIDE;
	enum layout_anchor anchor = rows ? ANCHOR_LEFT : ANCHOR_RIGHT;
	const char *bracket = strstr(title, " (");
	struct words rest;

	page_fit(page, ROLE_AXIS, x, front.y + 2, anchor, SIZE_AXIS, SIZE_AXIS, true, INK_TEXT,
		room - 40,
		words_of("%.*s", bracket ? (int)(bracket - title) : CHART_TEXT, title).text);
	if (!bracket)
		return;
	rest = words_of("%.*s", (int)strcspn(bracket + 2, ")"), bracket + 2);
	/* If the text in brackets is too long, keep only the words before the first comma. */
	if (page_width(page, rest.text, SIZE_LEAST, false) > room)
		rest.text[strcspn(rest.text, ",")] = '\0';
	page_fit(page, ROLE_AXIS, x, front.y + 20, anchor, 15, SIZE_LEAST, false, INK_TEXT, room,
		rest.text);
}

static void line(
	struct page *page, struct relief_point from, struct relief_point to, double width, int ink)
{
	page_rule(page, ROLE_TICK, from.x, from.y, to.x, to.y, width, ink);
}

/* Adds the height scale at the relief's left corner, with horizontal lines on both back walls. */
static void put_heights(struct page *page, const struct relief *relief)
{
	const struct scale *scale = &page->chart->z.scale;
	struct scale_tick ticks[SCALE_TICKS];
	int count = scale_ticks(scale, relief->height, page_upwards, page, ticks);

	for (int i = 0; i < count; i++) {
		double z = scale_place(scale, ticks[i].value);
		struct relief_point left = relief_project(relief, 1, 0, z),
				    back = relief_project(relief, 0, 0, z);

		if (ticks[i].minor)
			continue;
		line(page, left, back, 0.8, INK_GRID);
		line(page, back, relief_project(relief, 0, 1, z), 0.8, INK_GRID);
		line(page, (struct relief_point){ left.x - 6, left.y }, left, 1, INK_DIM);
		page_text(page, ROLE_TICK, left.x - 10, left.y + 0.36 * SIZE_TICK, ANCHOR_RIGHT,
			SIZE_TICK, false, INK_TEXT, ticks[i].label);
	}
	line(page, relief_project(relief, 1, 0, 0), relief_project(relief, 1, 0, 1), 1.2, INK_DIM);
	line(page, relief_project(relief, 0, 0, 0), relief_project(relief, 0, 0, 1), 0.8, INK_GRID);
	line(page, relief_project(relief, 0, 1, 0), relief_project(relief, 0, 1, 1), 0.8, INK_GRID);
	line(page, relief_project(relief, 1, 0, 0), relief_project(relief, 1, 1, 0), 1.2, INK_DIM);
	line(page, relief_project(relief, 1, 1, 0), relief_project(relief, 0, 1, 0), 1.2, INK_DIM);
}

/* Marks the end of each cache: a line up the back wall behind the sizes, with the cache's name
 * above. If `across` is set, adds the marks between columns, on the other back wall. */
static void put_ridges(struct page *page, const struct relief *relief, bool across)
{
	const struct chart *chart = page->chart;
	struct labels_item items[CHART_MARKS];
	struct relief_point top[CHART_MARKS];
	const char *text[CHART_MARKS];
	int count = 0;

	for (int i = 0; i < chart->mark_count; i++) {
		double place = chart->mark[i].at / ((across ? chart->x.count : chart->y.count) - 1);
		double x = across ? place : 0, y = across ? 0 : place;

		if (chart->mark[i].across != across || !(place >= 0) || place > 1)
			continue;
		top[count] = relief_project(relief, x, y, 1);
		text[count] = chart->mark[i].text;
		items[count] =
			(struct labels_item){ top[count].y - SIZE_MARK, SIZE_MARK * LINE_STEP, 0 };
		page_rule(page, ROLE_MARK, top[count].x, top[count].y, top[count].x,
			relief_project(relief, x, y, 0).y, 1.4, INK_STATED)
			->dash = DASH_SHORT;
		count++;
	}
	if (count == 0)
		return;
	labels_spread(items, count, top[0].y - 3 * SIZE_MARK, top[0].y + relief->height);
	for (int i = 0; i < count; i++) {
		double width = page_width(page, text[i], SIZE_MARK, false),
		       x = across ? top[i].x - 6 - width : top[i].x + 6;

		/* Put the cache's name next to its line, on the side away from the back corner. */
		x = fmin(fmax(x, PAGE_SIDE), page->layout->width - PAGE_SIDE - width);
		page_text(page, ROLE_MARK, x, items[i].at + 0.36 * SIZE_MARK, ANCHOR_LEFT,
			SIZE_MARK, false, INK_STATED, text[i]);
		page_rule(page, ROLE_MARK, top[i].x, items[i].at, top[i].x, top[i].y, 1.2,
			INK_STATED);
	}
}

/* Adds the label of the highest point at a place where the label covers no other label. */
static void put_calls(struct page *page, const struct relief *relief, double top)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;
	struct labels_field field = { .bounds = { plot.x + 8, top, plot.width - 8,
					      plot.y + plot.height - top } };

	for (int i = 0; i < page->layout->text_count; i++)
		labels_add_box(&field, &page->layout->text[i].box);
	for (int i = 0; i < chart->call_count && i < 1; i++) {
		const struct chart_call *call = &chart->call[i];
		double value = chart->grid[(int)call->y * chart->x.count + (int)call->x];
		struct relief_point at = relief_project(relief, call->x / (chart->x.count - 1),
			call->y / (chart->y.count - 1), scale_place(&chart->z.scale, value));
		struct box box;

		if (!labels_beside(&field, at.x, at.x, at.y - 6,
			    page_width(page, call->text, SIZE_LABEL, true) + 4, SIZE_LABEL * 1.04,
			    &box))
			continue;
		page_rule(page, ROLE_CALL, at.x, at.y - 2,
			fmin(fmax(at.x, box.x), box.x + box.width),
			box.y < at.y ? box.y + box.height + 1 : box.y, 1.2, INK_TEXT);
		page_text(page, ROLE_CALL, box.x + box.width / 2,
			box.y + METRICS_ABOVE * SIZE_LABEL, ANCHOR_MIDDLE, SIZE_LABEL, true,
			INK_TEXT, call->text);
	}
	labels_free(&field);
}

void layout_relief(struct page *page)
{
	const struct chart *chart = page->chart;
	double top = page_head(page), bottom = page_foot(page) - 26, left = 0,
	       right = page->layout->width - PAGE_SIDE - 40;
	struct relief relief;

	for (int i = 0; i < chart->y.count; i++)
		left = fmax(left, page_width(page, chart->y.name[i], 15, false) + 9);

	top = page_title_above(page, top, &chart->z) + 22;
	left = PAGE_SIDE + fmax(left, page_y_width(page, &chart->z, 0.4 * (bottom - top)) + 14);
	page->layout->plot = (struct box){ left, top, right - left, bottom - top };
	relief = relief_from_corner(left, top, right - left, bottom - top);
	put_heights(page, &relief);
	put_side(page, &relief, &chart->y, true);
	put_side(page, &relief, &chart->x, false);
	put_side_title(page, &relief, chart->y.title, true);
	put_side_title(page, &relief, chart->x.title, false);
	put_ridges(page, &relief, false);
	put_ridges(page, &relief, true);
	put_calls(page, &relief, top - 18);
}
