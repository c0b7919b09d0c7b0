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
	canvas_text(canvas, at, 0, y, STYLE_DIM, "from");
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

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	const struct view_grid *grid = &view->grid;
	float here = grid->gbps[grid->here_y][grid->here_x];
	const struct knob *knobs = view->setting.kernel->knobs;
	char figure[24], bytes[64], stride[64];

	snprintf(buffer, size, "mountain: GB/s over %s and %s", knobs[grid->size_knob].name,
		knobs[grid->stride_knob].name);
	if (!isfinite(here))
		return;
	panels_figure((double)here, figure, sizeof(figure));
	setting_format_value(&knobs[grid->size_knob], grid->y[grid->here_y], bytes, sizeof(bytes));
	setting_format_value(&knobs[grid->stride_knob], grid->x[grid->here_x], stride, sizeof(stride));
	snprintf(buffer, size, "mountain: %s GB/s at %s, %s %s", figure, bytes, knobs[grid->stride_knob].name, stride);
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
				first + i == view->grid.here_x ? STYLE_HERE : STYLE_DIM, value);
	}
}

static void draw_cell(struct canvas *canvas, struct rectangle at, const struct view_grid *grid, int x, int y,
	struct rectangle cell)
{
	float gbps = grid->gbps[y][x];
	bool here = x == grid->here_x && y == grid->here_y;

	for (int row = 0; row < cell.height; row++) {
		if (isfinite(gbps) && gbps > 0)
			draw_shade(canvas, at, cell.x, cell.y + row, cell.width, shade_of((double)gbps,
				(double)grid->top));
		else if (row == (cell.height - 1) / 2)
			canvas_glyph(canvas, at, cell.x + (cell.width - 1) / 2, cell.y + row, STYLE_DIM, GLYPH_DOT);
	}
	if (here)
		canvas_glyph(canvas, at, cell.x + (cell.width - 1) / 2, cell.y + (cell.height - 1) / 2, STYLE_HERE,
			GLYPH_HERE);
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
			first_y + y == grid->here_y ? STYLE_HERE : STYLE_DIM, label);
		for (int x = 0; x < shown_x; x++)
			draw_cell(canvas, at, grid, first_x + x, first_y + y, (struct rectangle){
				LABEL + 1 + x * width, 1 + y * height, width, height });
	}
	if (first_y > 0)
		canvas_glyph(canvas, at, LABEL, 1, STYLE_DIM, GLYPH_UP);
	if (first_y + shown_y < grid->ny)
		canvas_glyph(canvas, at, LABEL, shown_y * height, STYLE_DIM, GLYPH_DOWN);
	draw_legend(canvas, at, 1 + shown_y * height, (double)grid->top);
}

static bool wanted(const struct view *view)
{
	return view->grid.present;
}

const struct panel panel_mountain = {
	.name = "mountain", .title_of = title_of, .draw = draw, .wanted = wanted, .focus = FOCUS_COUNT,
};
