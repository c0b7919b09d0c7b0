/* The grid from above: a cell for each pair of values, its figure inside where it has room, the
 * scale of colours at the right. */
#include <math.h>
#include <stdio.h>

#include "picture/layout_build.h"

/* The scale of colours, with its labels. */
static const double RAMP_WIDTH = 20, RAMP_GAP = 26;
enum { RAMP_PARTS = 64 };

/* Figures in the cells: the largest size at which all have room; 0: none. */
static double cell_size(const struct page *page, double width, double height)
{
	const struct chart *chart = page->chart;
	int cells = chart->x.count * chart->y.count;
	double size = fmin(SIZE_TICK, height / 1.25);
	char text[16];

	for (int i = 0; i < cells; i++) {
		if (!isfinite(chart->grid[i]))
			continue;
		scale_figure(chart->grid[i], text, sizeof(text));
		while (size > 8 && page_width(page, text, size, false) > width - 4)
			size -= 0.5;
	}
	return size < 9 ? 0 : size;
}

static void put_cells(struct page *page)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;
	double width = plot.width / chart->x.count, height = plot.height / chart->y.count;
	double size = cell_size(page, width, height);

	for (int y = 0; y < chart->y.count && size > 0; y++) {
		for (int x = 0; x < chart->x.count; x++) {
			double value = chart->grid[y * chart->x.count + x];
			char text[20];

			if (!isfinite(value))
				continue;
			scale_figure(value, text, sizeof(text));
			page_text(page, ROLE_CELL, plot.x + (x + 0.5) * width,
				plot.y + (y + 0.5) * height + 0.36 * size, ANCHOR_MIDDLE, size,
				false,
				layout_shade(chart, value) > LAYOUT_LIGHT ? INK_ON_LIGHT
									  : INK_ON_DARK,
				text);
		}
	}
}

/* Names beside their rows: as many as have room. */
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

/* Where a cache ends, between two rows, with its name at the right; or where something ends between
 * two columns, with its name above. */
static void put_marks(struct page *page, bool across)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;
	struct place_item items[CHART_MARKS];
	int which[CHART_MARKS], count = 0;

	for (int i = 0; i < chart->mark_count; i++) {
		/* Behind the last step that is within it. */
		double place = floor(chart->mark[i].at + 1e-9) + 1;

		if (chart->mark[i].across != across || !(place > 0) ||
			place >= (across ? chart->x.count : chart->y.count))
			continue;
		which[count] = i;
		items[count++] =
			across ? (struct place_item){ plot.x + place * plot.width / chart->x.count,
				page_width(page, chart->mark[i].text, SIZE_MARK, false) + 14, 0 }
			       : (struct place_item){ plot.y + place * plot.height / chart->y.count,
					 SIZE_MARK * LINE_STEP, 0 };
	}
	place_spread(items, count, across ? plot.x : plot.y,
		across ? plot.x + plot.width : plot.y + plot.height);
	for (int i = 0; i < count; i++) {
		const char *text = chart->mark[which[i]].text;
		double at = items[i].at, wanted = items[i].wanted, right = plot.x + plot.width;
		struct layout_rule *rule;

		if (across) {
			rule = page_rule(page, ROLE_MARK, wanted, plot.y, wanted,
				plot.y + plot.height, 2, INK_TEXT);
			page_rule(page, ROLE_MARK, wanted, plot.y, at, plot.y - 8, 1.2, INK_STATED);
			page_text(page, ROLE_MARK, at, plot.y - 13, ANCHOR_MIDDLE, SIZE_MARK, false,
				INK_STATED, text);
		} else {
			rule = page_rule(
				page, ROLE_MARK, plot.x, wanted, right, wanted, 2, INK_TEXT);
			page_rule(page, ROLE_MARK, right, wanted, right + 12, at, 1.2, INK_STATED);
			page_text(page, ROLE_MARK, right + 16, at + 0.36 * SIZE_MARK, ANCHOR_LEFT,
				SIZE_MARK, false, INK_STATED, text);
		}
		rule->dash = DASH_SHORT;
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

/* Returns how wide its labels are. */
static double ramp_labels(
	const struct page *page, double height, struct tick ticks[TICKS_MAX], int *count)
{
	double widest = 0;

	*count = scale_ticks(&page->chart->z.scale, height, page_upwards, (void *)page, ticks);
	for (int i = 0; i < *count; i++)
		widest = fmax(widest, page_width(page, ticks[i].label, SIZE_TICK, false));
	return widest;
}

static void put_ramp(struct page *page, double x)
{
	const struct chart_axis *axis = &page->chart->z;
	const struct box plot = page->layout->plot;
	struct tick ticks[TICKS_MAX];
	int count;

	for (int i = 0; i < RAMP_PARTS; i++) {
		double height = plot.height / RAMP_PARTS;
		struct layout_area *area = page_area(page, x,
			plot.y + plot.height - (i + 1) * height, RAMP_WIDTH, height, INK_TEXT);

		area->share = (i + 0.5) / RAMP_PARTS;
		area->role = ROLE_TICK;
	}
	ramp_labels(page, plot.height, ticks, &count);
	for (int i = 0; i < count; i++) {
		double y = plot.y + plot.height * (1 - scale_place(&axis->scale, ticks[i].value));

		if (ticks[i].minor)
			continue;
		page_rule(page, ROLE_TICK, x + RAMP_WIDTH, y, x + RAMP_WIDTH + 5, y, 1, INK_DIM);
		page_text(page, ROLE_TICK, x + RAMP_WIDTH + 8, y + 0.36 * SIZE_TICK, ANCHOR_LEFT,
			SIZE_TICK, false, INK_TEXT, ticks[i].label);
	}
	page_text(page, ROLE_AXIS, LAYOUT_WIDTH - PAGE_SIDE, plot.y - 10, ANCHOR_RIGHT, SIZE_AXIS,
		false, INK_TEXT, axis->title);
}

void layout_heat(struct page *page)
{
	const struct chart *chart = page->chart;
	struct layout *layout = page->layout;
	double top = page_head(page), bottom = page_foot(page) - 58, left, right, ramp;
	struct tick ticks[TICKS_MAX];
	int count;

	top += SIZE_AXIS + 5;
	page_text(page, ROLE_AXIS, PAGE_SIDE, top, ANCHOR_LEFT, SIZE_AXIS, false, INK_TEXT,
		chart->y.title);
	top += 10;
	if (any_across(chart))
		top += SIZE_MARK * LINE_STEP + 2;
	left = PAGE_SIDE + page_y_width(page, &chart->y, bottom - top) + 10;
	ramp = LAYOUT_WIDTH - PAGE_SIDE - ramp_labels(page, bottom - top, ticks, &count) - 8 -
	       RAMP_WIDTH;
	right = ramp - RAMP_GAP - mark_width(page);
	layout->plot = (struct box){ left, top, right - left, bottom - top };
	put_row_names(page);
	page_x_axis(page, &chart->x, false);
	put_cells(page);
	put_marks(page, false);
	put_marks(page, true);
	put_ramp(page, ramp);
}
