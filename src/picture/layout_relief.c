/* The grid as a landscape: the ground's two near sides have names, the left corner the scale of
 * heights, the wall behind the caches' ends. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/layout_build.h"
#include "picture/relief.h"

/* Names along a near side of the ground, from one corner to the other: as many as keep clear of
 * each other. */
static void put_side(
	struct page *page, const struct relief *relief, const struct chart_axis *axis, bool rows)
{
	double widest = 0, size = 15;
	double across = relief->across / (axis->count - 1), down = relief->down / (axis->count - 1);
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

/* In the corner of the page, below its side; what is in brackets on a line of its own. */
static void put_side_title(
	struct page *page, const struct relief *relief, const char *title, bool rows)
{
	struct relief_point front = relief_project(relief, 1, 1, 0);
	double room = (rows ? front.x - PAGE_SIDE : LAYOUT_WIDTH - PAGE_SIDE - front.x) - 110, size;
	double x = rows ? PAGE_SIDE : LAYOUT_WIDTH - PAGE_SIDE;
	enum layout_anchor anchor = rows ? ANCHOR_LEFT : ANCHOR_RIGHT;
	const char *bracket = strstr(title, " (");
	char name[CHART_TEXT], rest[CHART_TEXT];

	snprintf(name, sizeof(name), "%.*s",
		bracket ? (int)(bracket - title) : (int)sizeof(name) - 1, title);
	metrics_fit(page->metrics, name, sizeof(name), SIZE_AXIS, SIZE_AXIS, true, room - 40);
	page_text(page, ROLE_AXIS, x, front.y + 2, anchor, SIZE_AXIS, true, INK_TEXT, name);
	if (!bracket)
		return;
	snprintf(rest, sizeof(rest), "%.*s", (int)strcspn(bracket + 2, ")"), bracket + 2);
	/* The first words say most. */
	if (page_width(page, rest, SIZE_LEAST, false) > room)
		rest[strcspn(rest, ",")] = '\0';
	size = metrics_fit(page->metrics, rest, sizeof(rest), 15, SIZE_LEAST, false, room);
	page_text(page, ROLE_AXIS, x, front.y + 20, anchor, size, false, INK_TEXT, rest);
}

static void line(
	struct page *page, struct relief_point from, struct relief_point to, double width, int ink)
{
	page_rule(page, ROLE_TICK, from.x, from.y, to.x, to.y, width, ink);
}

/* The scale of heights at the left corner, its lines on both walls. */
static void put_heights(struct page *page, const struct relief *relief)
{
	const struct scale *scale = &page->chart->z.scale;
	struct tick ticks[TICKS_MAX];
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

/* Each cache's end: a line up the wall behind the sizes, and its name above; what ends along the
 * other side likewise, on the other wall. */
static void put_marks(struct page *page, const struct relief *relief, bool across)
{
	const struct chart *chart = page->chart;
	struct place_item items[CHART_MARKS];
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
			(struct place_item){ top[count].y - SIZE_MARK, SIZE_MARK * LINE_STEP, 0 };
		page_rule(page, ROLE_MARK, top[count].x, top[count].y, top[count].x,
			relief_project(relief, x, y, 0).y, 1.4, INK_STATED)
			->dash = DASH_SHORT;
		count++;
	}
	if (count == 0)
		return;
	place_spread(items, count, top[0].y - 3 * SIZE_MARK, top[0].y + relief->height);
	for (int i = 0; i < count; i++) {
		double width = page_width(page, text[i], SIZE_MARK, false),
		       x = across ? top[i].x - 6 - width : top[i].x + 6;

		/* Beside the line, away from the back corner. */
		x = fmin(fmax(x, PAGE_SIDE), LAYOUT_WIDTH - PAGE_SIDE - width);
		page_text(page, ROLE_MARK, x, items[i].at + 0.36 * SIZE_MARK, ANCHOR_LEFT,
			SIZE_MARK, false, INK_STATED, text[i]);
		page_rule(page, ROLE_MARK, top[i].x, items[i].at, top[i].x, top[i].y, 1.2,
			INK_STATED);
	}
}

/* The highest point has its figure beside it, clear of all other words. */
static void put_calls(struct page *page, const struct relief *relief, double top)
{
	const struct chart *chart = page->chart;
	const struct box plot = page->layout->plot;
	struct place_field field = { .bounds = { plot.x + 8, top, plot.width - 8,
					     plot.y + plot.height - top } };

	for (int i = 0; i < page->layout->text_count; i++)
		place_add_box(&field, &page->layout->text[i].box);
	for (int i = 0; i < chart->call_count && i < 1; i++) {
		const struct chart_call *call = &chart->call[i];
		double value = chart->grid[(int)call->y * chart->x.count + (int)call->x];
		struct relief_point at = relief_project(relief, call->x / (chart->x.count - 1),
			call->y / (chart->y.count - 1), scale_place(&chart->z.scale, value));
		struct box box;

		if (!place_beside(&field, at.x, at.x, at.y - 6,
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
	place_free(&field);
}

void layout_relief(struct page *page)
{
	const struct chart *chart = page->chart;
	double top = page_head(page), bottom = page_foot(page) - 26, left = 0,
	       right = LAYOUT_WIDTH - PAGE_SIDE - 40;
	struct relief relief;

	for (int i = 0; i < chart->y.count; i++)
		left = fmax(left, page_width(page, chart->y.name[i], 15, false) + 9);

	top += SIZE_AXIS + 5;
	page_text(page, ROLE_AXIS, PAGE_SIDE, top, ANCHOR_LEFT, SIZE_AXIS, false, INK_TEXT,
		chart->z.title);
	top += 22;
	left = PAGE_SIDE + fmax(left, page_y_width(page, &chart->z, 0.4 * (bottom - top)) + 14);
	page->layout->plot = (struct box){ left, top, right - left, bottom - top };
	relief = relief_in(&page->layout->plot);
	put_heights(page, &relief);
	put_side(page, &relief, &chart->y, true);
	put_side(page, &relief, &chart->x, false);
	put_side_title(page, &relief, chart->y.title, true);
	put_side_title(page, &relief, chart->x.title, false);
	put_marks(page, &relief, false);
	put_marks(page, &relief, true);
	put_calls(page, &relief, top - 18);
}
