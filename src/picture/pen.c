/* Draws a page: background, areas, data, text. */
#include "picture/pen.h"

#include <math.h>
#include <stdlib.h>

#include "base/relief.h"
#include "base/text.h"

struct drawing {
	const struct pen *pen;
	const struct chart *chart;
	const struct layout *layout;
	enum picture_theme theme;
};

static struct pen_paint paint_of(const struct drawing *drawing, int ink)
{
	return (struct pen_paint){ palette_chart_ink(drawing->theme, drawing->chart, ink), 1 };
}

/* Returns the position of the point (x, y) of the chart's data on the page. */
static struct pen_point place_of(const struct drawing *drawing, double x, double y)
{
	return (struct pen_point){ layout_x(drawing->layout, drawing->chart, x),
		layout_y(drawing->layout, drawing->chart, y) };
}

static void draw_path(const struct drawing *drawing, const struct pen_point *points, int count,
	bool closed, const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	drawing->pen->path(drawing->pen->context, points, count, closed, stroke, fill);
}

static void draw_line(const struct drawing *drawing, double x0, double y0, double x1, double y1,
	const struct pen_stroke *stroke)
{
	const struct pen_point points[] = { { x0, y0 }, { x1, y1 } };

	draw_path(drawing, points, 2, false, stroke, NULL);
}

static void fill_box(const struct drawing *drawing, const struct box *box,
	const struct pen_paint *paint, const struct pen_stroke *stroke)
{
	const struct pen_point points[] = { { box->x, box->y }, { box->x + box->width, box->y },
		{ box->x + box->width, box->y + box->height }, { box->x, box->y + box->height } };

	draw_path(drawing, points, 4, true, stroke, paint);
}

/* ---- items of the layout ---- */

static void draw_area(const struct drawing *drawing, const struct layout_area *area)
{
	struct pen_paint paint = paint_of(drawing, area->ink);
	bool ramp = area->share >= 0;
	struct pen_stroke stroke = { paint, 1.4, DASH_SOLID };

	if (ramp) {
		paint.colour = palette_ramp(area->share);
		/* The stroke avoids visible seams between the parts of the colour scale. */
		stroke = (struct pen_stroke){ paint, 0.4, DASH_SOLID };
	} else if (area->outlined) {
		/* Without colour, a reader can still distinguish a light area with an outline from
		 * a solid bar. */
		paint.opacity = 0.22;
	}
	fill_box(drawing, &area->box, &paint, ramp || area->outlined ? &stroke : NULL);
}

static void draw_rules(const struct drawing *drawing, bool marks)
{
	for (int i = 0; i < drawing->layout->rule_count; i++) {
		const struct layout_rule *rule = &drawing->layout->rule[i];
		struct pen_stroke stroke = { paint_of(drawing, rule->ink), rule->width,
			rule->dash };

		if ((rule->role == ROLE_TICK) != marks)
			draw_line(drawing, rule->x0, rule->y0, rule->x1, rule->y1, &stroke);
	}
}

static void draw_texts(const struct drawing *drawing)
{
	for (int i = 0; i < drawing->layout->text_count; i++) {
		const struct layout_text *text = &drawing->layout->text[i];
		struct pen_paint paint = paint_of(drawing, text->ink),
				 page = paint_of(drawing, INK_PAGE);

		/* A label next to a curve may cover the vertical line of a mark (a cache size, for
		 * example), so lighten the line behind the label. */
		page.opacity = 0.75;
		if (drawing->chart->kind == CHART_LINES &&
			(text->role == ROLE_FLAT || text->role == ROLE_CALL))
			fill_box(drawing, &text->box, &page, NULL);
		drawing->pen->text(drawing->pen->context, text->x, text->y, text->anchor,
			text->size, text->bold, &paint, text->text);
	}
}

/* ---- series ---- */

static void draw_mark(const struct drawing *drawing, enum layout_mark mark, double x, double y,
	double radius, const struct pen_stroke *stroke, const struct pen_paint *fill)
{
	static const struct {
		int count;
		struct pen_point point[12];
	} shapes[MARK_COUNT] = {
		[MARK_SQUARE] = { 4, { { -.9, -.9 }, { .9, -.9 }, { .9, .9 }, { -.9, .9 } } },
		[MARK_DIAMOND] = { 4, { { 0, -1.3 }, { 1.3, 0 }, { 0, 1.3 }, { -1.3, 0 } } },
		[MARK_UP] = { 3, { { 0, -1.2 }, { 1.15, .85 }, { -1.15, .85 } } },
		[MARK_DOWN] = { 3, { { 0, 1.2 }, { 1.15, -.85 }, { -1.15, -.85 } } },
		[MARK_CROSS] = { 12,
			{ { -.4, -1.2 }, { .4, -1.2 }, { .4, -.4 }, { 1.2, -.4 }, { 1.2, .4 },
				{ .4, .4 }, { .4, 1.2 }, { -.4, 1.2 }, { -.4, .4 }, { -1.2, .4 },
				{ -1.2, -.4 }, { -.4, -.4 } } },
	};
	struct pen_point points[12];

	if (mark == MARK_DISC) {
		drawing->pen->disc(drawing->pen->context, x, y, radius, stroke, fill);
		return;
	}
	for (int i = 0; i < shapes[mark].count; i++)
		points[i] = (struct pen_point){ x + radius * shapes[mark].point[i].x,
			y + radius * shapes[mark].point[i].y };
	draw_path(drawing, points, shapes[mark].count, true, stroke, fill);
}

/* Draws the quartiles: a band behind a line, or bars at points without a line. */
static void draw_band(const struct drawing *drawing, int index)
{
	const struct chart *chart = drawing->chart;
	const struct chart_series *series = &chart->series[index];
	struct pen_point *points = memory_new((size_t)series->count * 2 + 1, sizeof(*points));
	struct pen_paint paint = paint_of(drawing, layout_ink(chart, index));

	paint.opacity = 0.25;
	for (int from = 0, to; from < series->count; from = to + 1) {
		int count = 0;

		/* Outline a part of the series without gaps: forward along one quartile, and back
		 * along the other quartile. */
		for (to = from; to < series->count && isfinite(series->point[to].lo) &&
				isfinite(series->point[to].hi);
			to++)
			points[count++] =
				place_of(drawing, series->point[to].x, series->point[to].hi);
		for (int i = to - 1; i >= from; i--)
			points[count++] =
				place_of(drawing, series->point[i].x, series->point[i].lo);
		if (to > from + 1)
			draw_path(drawing, points, count, true, NULL, &paint);
	}
	free(points);
}

static void draw_joined(const struct drawing *drawing, int index)
{
	const struct chart_series *series = &drawing->chart->series[index];
	struct pen_point *points = memory_new((size_t)series->count + 1, sizeof(*points));
	struct pen_stroke stroke = { paint_of(drawing, layout_ink(drawing->chart, index)),
		layout_crowded(drawing->chart) ? 1.8 : 2.6,
		drawing->chart->ordered ? DASH_SOLID : layout_dash(index) };
	int count = 0;

	for (int i = 0; i <= series->count; i++) {
		if (i < series->count && isfinite(series->point[i].y)) {
			points[count++] = place_of(drawing, series->point[i].x, series->point[i].y);
			continue;
		}
		if (count > 1)
			draw_path(drawing, points, count, false, &stroke, NULL);
		count = 0;
	}
	free(points);
}

static void draw_points(const struct drawing *drawing, int index)
{
	const struct chart *chart = drawing->chart;
	const struct chart_series *series = &chart->series[index];
	struct pen_paint page = paint_of(drawing, INK_PAGE),
			 paint = paint_of(drawing, layout_ink(chart, index));
	bool crowded = layout_crowded(chart);
	double radius = series->count > 90 ? 2.4 : series->count > 40 || crowded ? 3 : 4.2;
	enum layout_mark mark = layout_mark(chart, index);
	struct pen_stroke stroke = { paint, radius > 4 ? 2 : 1.5, DASH_SOLID },
			  thin = { paint, crowded ? 1 : 1.3, DASH_SOLID };
	struct pen_stroke stem = { { paint.colour, 0.45 }, 4, DASH_SOLID };

	for (int i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->point[i];
		struct pen_point at = place_of(drawing, point->x, point->y),
				 lo = place_of(drawing, point->x, point->lo),
				 hi = place_of(drawing, point->x, point->hi),
				 low = place_of(drawing, point->x, point->other),
				 high = place_of(drawing, point->x, point->other_y);
		double x = at.x;

		if (!isfinite(at.y))
			continue;
		/* If no line joins the points, a vertical line connects each point with its step on
		 * the x axis. */
		if (!chart->joined && chart->y.scale.low == 0)
			draw_line(drawing, x, place_of(drawing, 0, 0).y, x, at.y, &stem);
		if (isfinite(lo.y) && isfinite(hi.y)) {
			draw_line(drawing, x, lo.y, x, hi.y, &thin);
			/* Add end strokes to the bar of quartiles if the bar is longer than the
			 * mark. */
			if (lo.y - hi.y > 2 * radius) {
				draw_line(drawing, x - radius, lo.y, x + radius, lo.y, &thin);
				draw_line(drawing, x - radius, hi.y, x + radius, hi.y, &thin);
			}
		}
		if (isfinite(low.y) && isfinite(high.y)) {
			draw_line(drawing, x, low.y, x, high.y, &thin);
			draw_mark(drawing, mark, x, low.y, radius * 0.8, &stroke, &paint);
			draw_mark(drawing, mark, x, high.y, radius * 0.8, &stroke, &paint);
			continue;
		}
		draw_mark(
			drawing, mark, x, at.y, radius, &stroke, point->doubtful ? &page : &paint);
	}
}

static void draw_series(const struct drawing *drawing)
{
	const struct chart *chart = drawing->chart;

	for (int i = 0; i < chart->series_count && chart->joined && !layout_crowded(chart); i++)
		draw_band(drawing, i);
	for (int i = 0; i < chart->series_count && chart->joined; i++)
		if (!chart->series[i].loose)
			draw_joined(drawing, i);
	for (int i = 0; i < chart->series_count; i++)
		draw_points(drawing, i);
}

/* ---- grids ---- */

static void draw_cell(const struct drawing *drawing, const struct box *box, int cell)
{
	double shade = layout_shade(drawing->chart, drawing->chart->grid[cell]);
	struct pen_paint paint = { palette_ramp(shade), 1 }, page = paint_of(drawing, INK_PAGE),
			 grid = paint_of(drawing, INK_GRID);
	struct pen_stroke gap = { page, 1, DASH_SOLID },
			  cross = { paint_of(drawing, INK_FAINT), 1, DASH_SOLID };
	double cut = fmin(9, box->width / 3);
	const struct pen_point corner[] = { { box->x, box->y }, { box->x + cut, box->y },
		{ box->x, box->y + cut } };

	if (isnan(shade)) {
		/* A cell without a value is crossed out, and has no colour of the colour ramp. */
		fill_box(drawing, box, &grid, NULL);
		draw_line(drawing, box->x + 2, box->y + 2, box->x + box->width - 2,
			box->y + box->height - 2, &cross);
		return;
	}
	fill_box(drawing, box, &paint, &gap);
	/* Cut off a corner of a doubtful cell. */
	if (drawing->chart->doubtful[cell])
		draw_path(drawing, corner, 3, true, NULL, &page);
}

static void draw_heat(const struct drawing *drawing)
{
	const struct chart *chart = drawing->chart;
	const struct box plot = drawing->layout->plot;
	double width = plot.width / chart->x.count, height = plot.height / chart->y.count;

	for (int cell = 0; cell < chart->x.count * chart->y.count; cell++) {
		int x = cell % chart->x.count, y = cell / chart->x.count;
		struct box box = { plot.x + x * width, plot.y + y * height, width, height };

		draw_cell(drawing, &box, cell);
	}
}

/* Returns the position on the page of a point of the relief between two steps. */
static struct relief_point point_at(const struct drawing *drawing, const struct relief *relief,
	const double *heights, double column, double row)
{
	const struct chart *chart = drawing->chart;
	int left = (int)column < chart->x.count - 1 ? (int)column : chart->x.count - 2;
	int back = (int)row < chart->y.count - 1 ? (int)row : chart->y.count - 2;
	double x = column - left, y = row - back;
	const double *corner = &heights[back * chart->x.count + left];
	double z = (1 - y) * ((1 - x) * corner[0] + x * corner[1]) +
		   y * ((1 - x) * corner[chart->x.count] + x * corner[chart->x.count + 1]);

	return relief_project(relief, column / (chart->x.count - 1), row / (chart->y.count - 1), z);
}

/* The relief consists of facets between neighbouring values. Returns whether a mark (a cache size,
 * for example) at position `at` crosses the facet that begins at step `first`. A mark on an edge
 * belongs to the facet in front of the edge, because that facet would cover half of the mark. A
 * mark on the last edge belongs to the last facet, because no facet is in front of the last
 * edge. */
static bool runs_over(double at, int first, int count)
{
	return at >= first && at <= first + 1 && (at < first + 1 || first + 2 == count);
}

/* Draws the lines of all marks that cross one facet of the relief. */
static void draw_marks_across(const struct drawing *drawing, const struct relief *relief,
	const double *heights, const struct relief_facet *facet)
{
	const struct chart *chart = drawing->chart;
	struct pen_stroke stroke = { paint_of(drawing, INK_ON_DARK), 2.4, DASH_SOLID };

	for (int i = 0; i < chart->mark_count; i++) {
		const struct chart_mark *mark = &chart->mark[i];
		double at = mark->at, x = facet->column, y = facet->row;
		struct relief_point from, to;

		if (mark->across ? !runs_over(at, facet->column, chart->x.count)
				 : !runs_over(at, facet->row, chart->y.count))
			continue;
		from = point_at(
			drawing, relief, heights, mark->across ? at : x, mark->across ? y : at);
		to = point_at(drawing, relief, heights, mark->across ? at : x + 1,
			mark->across ? y + 1 : at);
		draw_line(drawing, from.x, from.y, to.x, to.y, &stroke);
	}
}

/* Draws a hollow dot on each corner of a facet with a doubtful value. A facet in front may cover a
 * part of the dot, and then draws the dot again. */
static void draw_doubts(const struct drawing *drawing, const struct relief_facet *facet)
{
	const struct chart *chart = drawing->chart;
	struct pen_paint page = paint_of(drawing, INK_PAGE);
	struct pen_stroke edge = { { palette_ink(PICTURE_LIGHT, INK_TEXT), 1 }, 1, DASH_SOLID };

	for (int k = 0; k < 4; k++) {
		int column = facet->column + (k == 1 || k == 2), row = facet->row + (k >= 2);

		if (chart->doubtful[row * chart->x.count + column])
			draw_mark(drawing, MARK_DISC, facet->corner[k].x, facet->corner[k].y, 2.6,
				&edge, &page);
	}
}

static void draw_relief(const struct drawing *drawing)
{
	const struct chart *chart = drawing->chart;
	int cells = chart->x.count * chart->y.count, count;
	const struct box *plot = &drawing->layout->plot;
	struct relief relief = relief_from_corner(plot->x, plot->y, plot->width, plot->height);
	struct relief_facet *facets = memory_new((size_t)cells + 1, sizeof(*facets));
	double *heights = memory_new((size_t)cells + 1, sizeof(*heights));
	struct pen_stroke edge = { { palette_ink(PICTURE_LIGHT, INK_TEXT), 0.55 }, 0.7,
		DASH_SOLID };

	for (int i = 0; i < cells; i++)
		heights[i] = layout_shade(chart, chart->grid[i]);
	count = relief_facets(&relief, heights, chart->x.count, chart->y.count, facets);
	for (int i = 0; i < count; i++) {
		struct pen_paint paint = { palette_ramp(facets[i].z), 1 };
		struct pen_point corners[4];

		for (int k = 0; k < 4; k++)
			corners[k] =
				(struct pen_point){ facets[i].corner[k].x, facets[i].corner[k].y };
		draw_path(drawing, corners, 4, true, &edge, &paint);
		draw_marks_across(drawing, &relief, heights, &facets[i]);
		draw_doubts(drawing, &facets[i]);
	}
	free(heights);
	free(facets);
}

void pen_draw(const struct pen *pen, const struct chart *chart, enum picture_theme theme)
{
	static void (*const kinds[])(const struct drawing *drawing) = {
		[CHART_LINES] = draw_series,
		[CHART_HEAT] = draw_heat,
		[CHART_RELIEF] = draw_relief,
		/* Bars and spans are rectangles (areas) of the page's layout. */
		[CHART_BARS] = NULL,
		[CHART_SPANS] = NULL,
	};
	struct layout *layout = layout_new(chart, &pen->metrics);
	struct drawing drawing = { pen, chart, layout, theme };
	struct pen_paint paint = paint_of(&drawing, INK_PAGE);
	const struct box page = { 0, 0, layout->width, layout->height };
	bool over = chart->kind == CHART_HEAT || chart->kind == CHART_BARS ||
		    chart->kind == CHART_SPANS;

	fill_box(&drawing, &page, &paint, NULL);
	draw_rules(&drawing, false);
	for (int i = 0; i < layout->area_count; i++)
		draw_area(&drawing, &layout->area[i]);
	/* Draw the lines of marks before curves and after cells, so that curves cover the lines and
	 * cells do not. */
	if (!over)
		draw_rules(&drawing, true);
	if (kinds[chart->kind])
		kinds[chart->kind](&drawing);
	if (over)
		draw_rules(&drawing, true);
	draw_texts(&drawing);
	layout_free(layout);
}
