#include "picture/page.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

double page_width(const struct page *page, const char *text, double size, bool bold)
{
	return metrics_width(page->metrics, text, size, bold);
}

/* The box of a text. */
static struct box page_box(const struct page *page, const char *text, double x, double y,
	double size, bool bold, enum layout_anchor anchor)
{
	double width = page_width(page, text, size, bold);

	return (struct box){ x - width * anchor / 2, y - METRICS_ABOVE * size, width,
		(METRICS_ABOVE + METRICS_BELOW) * size };
}

struct layout_text *page_text(struct page *page, enum layout_role role, double x, double y,
	enum layout_anchor anchor, double size, bool bold, int ink, const char *text)
{
	struct layout *layout = page->layout;
	struct layout_text *new;

	layout->text = memory_grow(layout->text, (size_t)layout->text_count, sizeof(*layout->text));
	new = &layout->text[layout->text_count];
	*new = (struct layout_text){ .role = role,
		.x = x,
		.y = y,
		.size = size,
		.anchor = anchor,
		.bold = bold,
		.ink = ink,
		.box = page_box(page, text, x, y, size, bold, anchor) };
	chart_print(new->text, "%s", text);
	layout->text_count += *text != '\0';
	return new;
}

void page_fit(struct page *page, enum layout_role role, double x, double y,
	enum layout_anchor anchor, double most, double least, bool bold, int ink, double room,
	const char *text)
{
	struct words words = words_of("%.*s", CHART_TEXT - 1, text);
	double size = metrics_fit(page->metrics, words.text, CHART_TEXT, most, least, bold, room);

	page_text(page, role, x, y, anchor, size, bold, ink, words.text);
}

double page_title_above(struct page *page, double top, const struct chart_axis *axis)
{
	page_text(page, ROLE_AXIS, PAGE_SIDE, top + SIZE_AXIS + 5, ANCHOR_LEFT, SIZE_AXIS, false,
		INK_TEXT, axis->title);
	return top + SIZE_AXIS + 5;
}

struct layout_rule *page_rule(struct page *page, enum layout_role role, double x0, double y0,
	double x1, double y1, double width, int ink)
{
	struct layout *layout = page->layout;
	struct layout_rule *new;

	layout->rule = memory_grow(layout->rule, (size_t)layout->rule_count, sizeof(*layout->rule));
	new = &layout->rule[layout->rule_count++];
	*new = (struct layout_rule){
		.role = role, .x0 = x0, .y0 = y0, .x1 = x1, .y1 = y1, .width = width, .ink = ink
	};
	return new;
}

struct layout_area *page_area(
	struct page *page, double x, double y, double width, double height, int ink)
{
	struct layout *layout = page->layout;
	struct layout_area *new;

	layout->area = memory_grow(layout->area, (size_t)layout->area_count, sizeof(*layout->area));
	new = &layout->area[layout->area_count++];
	*new = (struct layout_area){
		.role = ROLE_MARK, .box = { x, y, width, height }, .ink = ink, .share = -1
	};
	return new;
}

double page_head(struct page *page)
{
	const struct chart *chart = page->chart;
	const struct {
		const char *text;
		double below, size, least; /* the previous line */
		bool bold;
		int ink;
	} lines[] = {
		{ chart->title, 44, SIZE_TITLE, 18, true, INK_TEXT },
		{ chart->subtitle, 25, SIZE_SUBTITLE, SIZE_LEAST, false, INK_DIM },
		{ chart->after, 19, 13, 11, false, INK_DIM },
		{ chart->remark, 25, SIZE_LABEL, SIZE_LEAST, true, INK_TEXT },
	};
	double y = 0;

	if (chart->compact)
		return 4;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (i > 0 && !lines[i].text[0])
			continue;
		y += lines[i].below;
		page_fit(page, ROLE_HEAD, PAGE_SIDE, y, ANCHOR_LEFT, lines[i].size, lines[i].least,
			lines[i].bold, lines[i].ink, page->layout->width - 2 * PAGE_SIDE,
			lines[i].text);
	}
	return y + 9;
}

/* Adds a line at the bottom of the page, with a text on the left and a text on the right. */
static void foot_line(struct page *page, double y, const char *left, const char *right)
{
	double room = page->layout->width - 2 * PAGE_SIDE, size = SIZE_FOOT, gap = 18, left_room,
	       right_room;

	while (size > 9 &&
		page_width(page, left, size, false) + page_width(page, right, size, false) + gap >
			room)
		size -= 0.5;
	right_room = fmin(page_width(page, right, size, false), room * 0.55);
	left_room = room - gap - right_room;
	if (page_width(page, left, size, false) < left_room)
		right_room = room - gap - page_width(page, left, size, false);
	page_fit(page, ROLE_FOOT, PAGE_SIDE, y, ANCHOR_LEFT, size, size, false, INK_DIM, left_room,
		left);
	page_fit(page, ROLE_FOOT, page->layout->width - PAGE_SIDE, y, ANCHOR_RIGHT, size, size,
		false, INK_DIM, right_room, right);
}

double page_foot(struct page *page)
{
	const struct chart *chart = page->chart;

	if (chart->compact)
		return page->layout->height + 8;
	foot_line(page, page->layout->height - 29, chart->machine, chart->legend);
	foot_line(page, page->layout->height - 14, chart->made, chart->source);
	return page->layout->height - 46;
}

/* ---- axes ---- */

double page_across(void *context, const char *label)
{
	return page_width(context, label, SIZE_TICK, false) + 16;
}

double page_upwards(void *context, const char *label)
{
	(void)context, (void)label;
	return 1.6 * SIZE_TICK;
}

double page_y_width(struct page *page, const struct chart_axis *axis, double height)
{
	struct scale_tick ticks[SCALE_TICKS];
	int count = scale_ticks(&axis->scale, height, page_upwards, page, ticks);
	double widest = 0;

	for (int i = 0; i < count; i++)
		widest = fmax(widest, page_width(page, ticks[i].label, SIZE_TICK, false));
	for (int i = 0; axis->scale.kind == SCALE_STEPS && i < axis->count; i++)
		widest = fmax(widest, page_width(page, axis->name[i], SIZE_TICK, false));
	return widest;
}

void page_y_axis(struct page *page, const struct chart_axis *axis, bool grid)
{
	const struct box plot = page->layout->plot;
	struct scale_tick ticks[SCALE_TICKS];
	int count = scale_ticks(&axis->scale, plot.height, page_upwards, page, ticks);

	for (int i = 0; i < count; i++) {
		double y = plot.y + plot.height * (1 - scale_place(&axis->scale, ticks[i].value));

		if (ticks[i].minor) {
			page_rule(page, ROLE_TICK, plot.x - 4, y, plot.x, y, 0.8, INK_FAINT);
			continue;
		}
		if (grid)
			page_rule(
				page, ROLE_TICK, plot.x, y, plot.x + plot.width, y, 0.8, INK_GRID);
		page_text(page, ROLE_TICK, plot.x - 9, y + 0.36 * SIZE_TICK, ANCHOR_RIGHT,
			SIZE_TICK, false, INK_TEXT, ticks[i].label);
	}
}

/* How the names of an axis' steps are written: every `step`-th name, in turn in `rows` rows. */
struct step_names {
	double size, row; /* of the text; from row to row */
	int step, rows;
};
enum { NAME_ROWS = 3 };

/* If the names do not fit in a width, first makes the text smaller, then uses more rows, then omits
 * names. */
static struct step_names fit_step_names(
	struct page *page, const struct chart_axis *axis, double width)
{
	struct step_names names = { .size = SIZE_TICK, .step = 1, .rows = 1 };
	double widest = 0, each = width / axis->count;

	for (int i = 0; i < axis->count; i++)
		widest = fmax(widest, page_width(page, axis->name[i], SIZE_TICK, false));
	if (widest + 8 > each)
		names.size = fmax(SIZE_LEAST + 1, SIZE_TICK * (each - 8) / fmax(widest, 1));
	while (names.step * each < widest * names.size / SIZE_TICK + 8 && names.step < axis->count)
		names.step++;
	if (names.step <= NAME_ROWS) {
		names.rows = names.step;
		names.step = 1;
	}
	names.row = 1.2 * names.size;
	return names;
}

double page_lower_names(struct page *page, const struct chart_axis *axis, double width)
{
	struct step_names names;

	if (axis->scale.kind != SCALE_STEPS)
		return 0;
	names = fit_step_names(page, axis, width);
	return (names.rows - 1) * names.row;
}

/* Adds the names of an axis' steps. */
static void put_step_names(struct page *page, const struct chart_axis *axis, double y)
{
	const struct box plot = page->layout->plot;
	const struct step_names names = fit_step_names(page, axis, plot.width);

	for (int i = 0; i < axis->count; i += names.step)
		page_text(page, ROLE_TICK, plot.x + (i + 0.5) * plot.width / axis->count,
			y + i % names.rows * names.row, ANCHOR_MIDDLE, names.size, false, INK_TEXT,
			axis->name[i]);
}

void page_x_axis(struct page *page, const struct chart_axis *axis, bool grid)
{
	const struct box plot = page->layout->plot;
	double bottom = plot.y + plot.height, y = bottom + 22;
	struct scale_tick ticks[SCALE_TICKS];
	int count = scale_ticks(&axis->scale, plot.width, page_across, page, ticks);

	page_rule(page, ROLE_TICK, plot.x, bottom, plot.x + plot.width, bottom, 1.4, INK_DIM);
	if (axis->scale.kind == SCALE_STEPS)
		put_step_names(page, axis, y);
	for (int i = 0; i < count; i++) {
		double x = plot.x + plot.width * scale_place(&axis->scale, ticks[i].value);

		page_rule(page, ROLE_TICK, x, bottom, x, bottom + (ticks[i].minor ? 4 : 7), 1,
			INK_DIM);
		if (ticks[i].minor)
			continue;
		if (grid)
			page_rule(page, ROLE_TICK, x, plot.y, x, bottom, 0.8, INK_GRID);
		page_text(page, ROLE_TICK, x, y, ANCHOR_MIDDLE, SIZE_TICK, false, INK_TEXT,
			ticks[i].label);
	}
	page_text(page, ROLE_AXIS, plot.x + plot.width / 2,
		y + page_lower_names(page, axis, plot.width) + 23, ANCHOR_MIDDLE, SIZE_AXIS, false,
		INK_TEXT, axis->title);
}

/* ---- the data on the page ---- */

double layout_x(const struct layout *layout, const struct chart *chart, double x)
{
	return layout->plot.x + layout->plot.width * scale_place(&chart->x.scale, x);
}

double layout_y(const struct layout *layout, const struct chart *chart, double y)
{
	return layout->plot.y + layout->plot.height * (1 - scale_place(&chart->y.scale, y));
}

double layout_shade(const struct chart *chart, double value)
{
	double place = scale_place(&chart->z.scale, value);

	return isnan(place) ? NAN : fmin(fmax(place, 0), 1);
}

bool layout_crowded(const struct chart *chart)
{
	return chart->series_count > 6;
}

enum layout_dash layout_dash(int series)
{
	return (enum layout_dash)(series % DASH_COUNT);
}

enum layout_mark layout_mark(const struct chart *chart, int series)
{
	if (chart->series[series].loose)
		return MARK_CROSS;
	/* Do not use the last plotting symbol, because it is reserved for published points. */
	return chart->ordered ? MARK_DISC : (enum layout_mark)(series % (MARK_COUNT - 1));
}

int layout_ink(const struct chart *chart, int series)
{
	return chart->series[series].loose ? INK_TEXT : INK_SERIES + series;
}
