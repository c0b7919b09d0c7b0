/* Bars that lie: a name at the left, the bar with its figure at its end, and the cause in small
 * letters under the bar. */
#include <math.h>
#include <stdio.h>

#include "picture/layout_build.h"

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
	char text[CHART_TEXT];
	double cause_size;

	snprintf(text, sizeof(text), "%s", bar->name);
	metrics_fit(page->metrics, text, sizeof(text), name_size, name_size, true,
		plot.x - 12 - PAGE_SIDE);
	page_text(page, ROLE_TICK, plot.x - 12, line + 0.36 * name_size, ANCHOR_RIGHT, name_size,
		bar->kind == BAR_BINDING || bar->kind == BAR_MEASURED,
		bar->kind == BAR_SOFT || bar->kind == BAR_UNKNOWN ? INK_DIM : INK_TEXT, text);
	if (isfinite(bar->value)) {
		page_area(page, plot.x, y, fmax(end, 1.5), thick, inks[bar->kind])->outlined =
			bar->kind == BAR_SOFT;
		if (isfinite(bar->lo) && isfinite(bar->hi) && bar->hi > bar->lo) {
			double lo =
				plot.x + plot.width * scale_place(&page->chart->x.scale, bar->lo);
			double hi =
				plot.x + plot.width * scale_place(&page->chart->x.scale, bar->hi);

			page_rule(page, ROLE_SERIES, lo, line, hi, line, 1.6, INK_TEXT);
			page_rule(page, ROLE_SERIES, lo, line - 6, lo, line + 6, 1.6, INK_TEXT);
			page_rule(page, ROLE_SERIES, hi, line - 6, hi, line + 6, 1.6, INK_TEXT);
			end = fmax(end, hi - plot.x);
		}
		page_text(page, ROLE_SERIES, plot.x + end + 9, line + 0.36 * value_size,
			ANCHOR_LEFT, value_size,
			bar->kind == BAR_BINDING || bar->kind == BAR_MEASURED,
			bar->kind == BAR_BINDING ? INK_BINDING : INK_TEXT, bar->value_words);
	}
	if (!bar->cause[0])
		return;
	snprintf(text, sizeof(text), "%s", bar->cause);
	cause_size = metrics_fit(
		page->metrics, text, sizeof(text), 13, 11, false, plot.width + value_room);
	page_text(page, ROLE_FLAT, plot.x + 1, isfinite(bar->value) ? y + thick + 13 : line + 4,
		ANCHOR_LEFT, cause_size, false, INK_DIM, text);
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
	layout->plot = (struct box){ left, top, LAYOUT_WIDTH - PAGE_SIDE - value_room - left,
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
