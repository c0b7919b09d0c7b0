/* The whole mountain from above: a cell for each size and stride, shaded by throughput. */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "ui/panels.h"

/* A shade spans a factor of √2, so that plateaus that differ by much and by little both show. */
enum { SHADES = 8, LABEL = 6, WIDEST_CELL = 5, TALLEST_CELL = 3 };

static int shade_of(double gbps, double top)
{
	int below = (int)floor(2 * log2(top / gbps));

	return below < 0 ? SHADES - 1 : below >= SHADES ? 0 : SHADES - 1 - below;
}

/* A shade by glyph as well as by style: two glyphs in turn give eight textures out of five. */
static void draw_shade(struct canvas *canvas, struct rectangle at, int x, int y, int width, int shade)
{
	static const enum glyph pair[SHADES][2] = {
		{ GLYPH_SHADE1, GLYPH_SHADE0 }, { GLYPH_SHADE1, GLYPH_SHADE1 }, { GLYPH_SHADE1, GLYPH_SHADE2 },
		{ GLYPH_SHADE2, GLYPH_SHADE2 }, { GLYPH_SHADE2, GLYPH_SHADE3 }, { GLYPH_SHADE3, GLYPH_SHADE3 },
		{ GLYPH_SHADE3, GLYPH_SHADE4 }, { GLYPH_SHADE4, GLYPH_SHADE4 },
	};

	for (int i = 0; i < width; i++)
		canvas_glyph(canvas, at, x + i, y, (enum style)(STYLE_SHADE0 + shade), pair[shade][i % 2]);
}

/* What is shown of a side: `shown` of `count` from `first`, around `here`. */
static void window(int count, int room, int here, int *first, int *shown)
{
	*shown = count < room ? count : room;
	*first = here - *shown / 2;
	if (*first > count - *shown)
		*first = count - *shown;
	if (*first < 0)
		*first = 0;
}

static void draw_legend(struct canvas *canvas, struct rectangle at, int y, double top)
{
	int each = (at.width - LABEL - 1) / SHADES, x = LABEL + 1;

	if (!(top > 0))
		return;
	if (each > 9)
		each = 9;
	canvas_text(canvas, at, 0, y, STYLE_DIM, "GB/s≥");
	for (int shade = SHADES - 1; shade >= 0 && each >= 6; shade--, x += each) {
		double from = top / pow(2, (SHADES - shade) / 2.0);
		char label[24];

		snprintf(label, sizeof(label), from >= 9.95 ? "%.0f" : "%.1f", from);
		if (shade == 0)
			snprintf(label, sizeof(label), "less");
		draw_shade(canvas, at, x, y, 2, shade);
		canvas_text(canvas, at, x + (each > 6 ? 3 : 2), y, STYLE_DIM, label);
	}
}

/* Whether the present setting is one of the cells, and whether it is not even between them. */
static bool is_at(const struct view_grid *grid)
{
	return grid->place_x.where == AXIS_AT && grid->place_y.where == AXIS_AT;
}

static bool is_off(const struct view_grid *grid)
{
	return grid->place_x.where >= AXIS_BEFORE || grid->place_y.where >= AXIS_BEFORE;
}

/* Whether a row or column is the present setting's, or one of the two that it lies between. */
static bool is_near(const struct axis_place *place, int index)
{
	return place->where <= AXIS_BETWEEN &&
		(index == place->index || (place->where == AXIS_BETWEEN && index == place->index + 1));
}

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	const struct view_grid *grid = &view->grid;
	float here = grid->gbps[grid->here_y][grid->here_x];
	const struct knob *knobs = view->setting.kernel->knobs;
	char figure[24], bytes[64], stride[64];
	size_t used;

	setting_show_value(&knobs[grid->size_knob], view->setting.v[grid->size_knob], bytes, sizeof(bytes));
	setting_show_value(&knobs[grid->stride_knob], view->setting.v[grid->stride_knob], stride, sizeof(stride));
	if (!is_at(grid)) {
		used = (size_t)snprintf(buffer, size, "mountain: here %s, %s %s%s", bytes,
			knobs[grid->stride_knob].name, stride, is_off(grid) ? ", off the grid" : "");
	} else if (!isfinite(here)) {
		used = (size_t)snprintf(buffer, size, "mountain: GB/s over %s and %s", knobs[grid->size_knob].name,
			knobs[grid->stride_knob].name);
	} else {
		panels_figure((double)here, figure, sizeof(figure));
		used = (size_t)snprintf(buffer, size, "mountain: %s GB/s at %s, %s %s", figure, bytes,
			knobs[grid->stride_knob].name, stride);
	}
	for (int i = 0; i < grid->nx * grid->ny && used < size; i++) {
		if (grid->contended[i / grid->nx][i % grid->nx]) {
			snprintf(buffer + used, size - used, "  (× contended)");
			break;
		}
	}
}

/* The value of each column, where it has room. */
static void draw_strides(struct canvas *canvas, struct rectangle at, const struct view *view, int first, int shown,
	int width)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->grid.stride_knob];
	int step = width >= 3 ? 1 : 2;

	canvas_text(canvas, at, 0, 0, STYLE_DIM, knob->name);
	for (int i = 0; i < shown; i++) {
		char value[64];

		setting_format_value(knob, view->grid.x[first + i], value, sizeof(value));
		if ((first + i) % step == 0)
			canvas_text(canvas, at, LABEL + 1 + i * width, 0,
				is_near(&view->grid.place_x, first + i) ? STYLE_HERE : STYLE_DIM, value);
	}
}

static void draw_cell(struct canvas *canvas, struct rectangle at, const struct view_grid *grid, int x, int y,
	struct rectangle cell)
{
	float gbps = grid->gbps[y][x];
	bool here = is_at(grid) && x == grid->here_x && y == grid->here_y;
	int middle = cell.x + (cell.width - 1) / 2;

	for (int row = 0; row < cell.height; row++) {
		if (isfinite(gbps) && gbps > 0)
			draw_shade(canvas, at, cell.x, cell.y + row, cell.width, shade_of((double)gbps,
				(double)grid->top));
		else if (row == (cell.height - 1) / 2)
			canvas_glyph(canvas, at, middle, cell.y + row, STYLE_DIM, GLYPH_DOT);
	}
	if (grid->contended[y][x] && isfinite(gbps))
		canvas_glyph(canvas, at, middle + 1, cell.y + (cell.height - 1) / 2, STYLE_WARN, GLYPH_TIMES);
	if (here)
		canvas_glyph(canvas, at, middle, cell.y + (cell.height - 1) / 2, STYLE_HERE, GLYPH_HERE);
}

/* The first row or column of the marker of a setting that is no cell: of a pair, the last one of its first cell. */
static int edge_of(const struct axis_place *place, int first, int shown, int each)
{
	if (place->where == AXIS_BEFORE)
		return 0;
	if (place->where == AXIS_BEYOND)
		return shown * each - 1;
	return (place->index - first) * each + (place->where == AXIS_BETWEEN ? each - 1 : (each - 1) / 2);
}

/* Marks at the edge for a setting that is no cell: two pointers where its size lies between two rows, an arrow
 * outwards where size or stride lies beyond. shown: the first cell shown, and how many; width and height are of
 * each. */
static void draw_edges(struct canvas *canvas, struct rectangle at, const struct view_grid *grid,
	struct rectangle shown, int width, int height)
{
	const struct axis_place *px = &grid->place_x, *py = &grid->place_y;
	int row = 1 + edge_of(py, shown.y, shown.height, height);
	int column = LABEL + 1 + edge_of(px, shown.x, shown.width, width);
	int right = LABEL + 1 + shown.width * width;

	if (is_at(grid))
		return;
	if (px->where == AXIS_BEFORE)
		canvas_glyph(canvas, at, LABEL, row, STYLE_HERE, GLYPH_LEFT);
	else if (px->where == AXIS_BEYOND)
		canvas_glyph(canvas, at, right < at.width ? right : at.width - 1, row, STYLE_HERE, GLYPH_POINTER);
	if (py->where >= AXIS_BEFORE)
		canvas_glyph(canvas, at, px->where >= AXIS_BEFORE ? LABEL : column, row, STYLE_HERE,
			py->where == AXIS_BEFORE ? GLYPH_UP : GLYPH_DOWN);
	else if (px->where != AXIS_BEFORE)
		canvas_glyph(canvas, at, LABEL, row, STYLE_HERE, GLYPH_POINTER);
	if (py->where == AXIS_BETWEEN && px->where != AXIS_BEFORE)
		canvas_glyph(canvas, at, LABEL, row + 1, STYLE_HERE, GLYPH_POINTER);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view_grid *grid = &scene->view->grid;
	const struct knob *sizes = &scene->view->setting.kernel->knobs[grid->size_knob];
	int width, height, first_x, shown_x, first_y, shown_y, rows = at.height - 2;

	if (grid->nx < 1 || grid->ny < 1 || rows < 1)
		return;
	window(grid->nx, (at.width - LABEL - 1) / 2, grid->here_x, &first_x, &shown_x);
	window(grid->ny, rows, grid->here_y, &first_y, &shown_y);
	width = (at.width - LABEL - 1) / shown_x;
	height = rows / shown_y;
	width = width > WIDEST_CELL ? WIDEST_CELL : width;
	height = height > TALLEST_CELL ? TALLEST_CELL : height;
	draw_strides(canvas, at, scene->view, first_x, shown_x, width);
	for (int y = 0; y < shown_y; y++) {
		char label[64];

		setting_format_value(sizes, grid->y[first_y + y], label, sizeof(label));
		canvas_text_right(canvas, at, LABEL - 1, 1 + y * height + (height - 1) / 2,
			is_near(&grid->place_y, first_y + y) ? STYLE_HERE : STYLE_DIM, label);
		for (int x = 0; x < shown_x; x++)
			draw_cell(canvas, at, grid, first_x + x, first_y + y, (struct rectangle){
				LABEL + 1 + x * width, 1 + y * height, width, height });
	}
	if (first_y > 0)
		canvas_glyph(canvas, at, LABEL, 1, STYLE_DIM, GLYPH_UP);
	if (first_y + shown_y < grid->ny)
		canvas_glyph(canvas, at, LABEL, shown_y * height, STYLE_DIM, GLYPH_DOWN);
	draw_edges(canvas, at, grid, (struct rectangle){ first_x, first_y, shown_x, shown_y }, width, height);
	draw_legend(canvas, at, 1 + shown_y * height, (double)grid->top);
}

static bool wanted(const struct view *view)
{
	return view->grid.present;
}

const struct panel panel_mountain = {
	.name = "mountain", .title_of = title_of, .draw = draw, .wanted = wanted, .focus = FOCUS_COUNT,
};
