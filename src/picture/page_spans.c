/* Makes the layout of rows of spans: the name of each row at the left, its spans over x, and links
 * from row to row. */
#include <math.h>

#include "picture/page.h"

/* Least height of a row: the height of the smallest text. */
static const double ROW_LEAST = SIZE_LEAST * 1.12;
/* Widest column of names. */
static const double NAMES_WIDEST = 300;

static double widest_name(const struct page *page, double size)
{
	double widest = 0;

	for (int i = 0; i < page->chart->y.count; i++)
		widest = fmax(widest, page_width(page, page->chart->y.name[i], size, false));
	return widest;
}

/* Adds a span (a part of an instruction's row) as a rectangle, and its word if the word fits. */
static void put_span(struct page *page, const struct chart_span *span, double height)
{
	static const struct {
		int ink;
		double share; /* of the row's height */
	} looks[] = {
		[SPAN_WAITS] = { INK_FAINT, 0.16 },
		[SPAN_WORKS] = { INK_HARD, 0.76 },
		[SPAN_CHAIN] = { INK_BINDING, 0.76 },
		[SPAN_FINISHED] = { INK_GRID, 0.16 },
	};
	const struct box plot = page->layout->plot;
	double from = layout_x(page->layout, page->chart, span->from),
	       to = fmax(layout_x(page->layout, page->chart, span->to), from),
	       high = looks[span->kind].share * height, y = plot.y + (span->row + 0.5) * height,
	       size = fmin(SIZE_TICK, height * 0.72);

	page_area(page, from, y - high / 2, to - from, high, looks[span->kind].ink);
	if (span->text[0] && page_width(page, span->text, size, true) + 2 <= to - from)
		page_text(page, ROLE_CALL, (from + to) / 2, y + 0.36 * size, ANCHOR_MIDDLE, size,
			true, span->kind == SPAN_CHAIN ? INK_PAGE : INK_ON_LIGHT, span->text);
}

/* Adds the line of a dependence: down from the end of one instruction's bar, and to the right to
 * the start of the dependent instruction's bar. */
static void put_link(struct page *page, const struct chart_link *link, double height)
{
	const struct box plot = page->layout->plot;
	double x = layout_x(page->layout, page->chart, link->out),
	       to = layout_x(page->layout, page->chart, link->in),
	       top = plot.y + (link->from + 0.5) * height,
	       bottom = plot.y + (link->to + 0.5) * height;
	double width = link->chain ? 2.4 : 1.1;
	int ink = link->chain ? INK_BINDING : link->slack ? INK_FAINT : INK_DIM;

	page_rule(page, ROLE_MARK, x, top, x, bottom, width, ink)->dash =
		link->slack ? DASH_SHORT : DASH_SOLID;
	if (to > x)
		page_rule(page, ROLE_MARK, x, bottom, to, bottom, width, ink)->dash =
			link->slack ? DASH_SHORT : DASH_SOLID;
}

void layout_spans(struct page *page)
{
	const struct chart *chart = page->chart;
	struct layout *layout = page->layout;
	double top = page_head(page) + 6, bottom = page_foot(page) - 56, height, size, left;
	int rows = chart->y.count > 0 ? chart->y.count : 1;

	height = fmax(fmin((bottom - top) / rows, 34), ROW_LEAST);
	size = fmax(fmin(SIZE_TICK, height / 1.12), SIZE_LEAST);
	while (size > SIZE_LEAST && widest_name(page, size) > NAMES_WIDEST)
		size -= 0.5;
	left = PAGE_SIDE + fmin(widest_name(page, size), NAMES_WIDEST) + 12;
	layout->plot = (struct box){ left, top, page->layout->width - PAGE_SIDE - 12 - left,
		fmax(bottom - top, rows * height) };
	page_x_axis(page, &chart->x, true);
	for (int i = 0; i < chart->y.count; i++)
		page_fit(page, ROLE_TICK, left - 8, top + (i + 0.5) * height + 0.36 * size,
			ANCHOR_RIGHT, size, SIZE_LEAST, false, INK_TEXT, left - 8 - PAGE_SIDE,
			chart->y.name[i]);
	for (int i = 0; i < chart->span_count; i++)
		put_span(page, &chart->span[i], height);
	for (int i = 0; i < chart->link_count; i++)
		put_link(page, &chart->link[i], height);
}
