/* The mountain as a relief: throughput over stride (to the right) and size (away from the viewer
 * the smaller), as a surface of lines in points finer than cells. Drawn from back to front and from
 * left to right, each face hiding what stands behind it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/mountain.h"
#include "ui/panels.h"
#include "ui/shapes.h"

enum { LEFT = 6, RIGHT = 10, BELOW = 2, LEAST_WIDTH = 44, LEAST_HEIGHT = 10 };

/* Lines nearer to each other than this, in points, are left out. */
static const double nearest = 3;

/* The shares of width and height that depth takes. */
static const double depth_across = 0.30, depth_up = 0.45;

struct relief {
	const struct view *view;
	const struct view_grid *grid;
	struct dots dots;
	double across, back_x, back_y; /* points from one stride to the next, and from one size to
					  the one behind */
	double high;		       /* points of the highest throughput */
	double top;		       /* GB/s there */
	int step_x, step_y;	       /* every so many lines are drawn */
};

static double value_at(const struct relief *relief, int x, int y)
{
	return (double)relief->grid->gbps[y][x];
}

static bool known(const struct relief *relief, int x, int y)
{
	return isfinite(value_at(relief, x, y)) && value_at(relief, x, y) >= 0;
}

/* Where a throughput stands over a stride and a size. */
static struct dots_point point_at(const struct relief *relief, int x, int y, double gbps)
{
	double depth = relief->grid->ny - 1 - y;

	return (struct dots_point){ x * relief->across + depth * relief->back_x,
		relief->dots.height - 1 - depth * relief->back_y -
			gbps / relief->top * relief->high };
}

static struct dots_point surface(const struct relief *relief, int x, int y)
{
	return point_at(relief, x, y, value_at(relief, x, y));
}

static enum style style_of(const struct relief *relief, double gbps)
{
	return (enum style)(STYLE_SHADE0 + mountain_shade(gbps, (double)relief->grid->top));
}

/* Whether the line along a stride (of equal x), or along a size, is drawn; those through the cursor
 * always are, in its style. */
static bool line_shown(int index, int last, int step, int here, bool at)
{
	return index == 0 || index == last || index % step == 0 || (at && index == here);
}

static void draw_edge(struct relief *relief, int x0, int y0, int x1, int y1)
{
	const struct view_grid *grid = relief->grid;
	bool along_x = y0 == y1, at = mountain_at(grid);
	bool here = at && (along_x ? y0 == grid->here_y : x0 == grid->here_x);
	double mean =
		sqrt(fmax(value_at(relief, x0, y0), 1e-9) * fmax(value_at(relief, x1, y1), 1e-9));

	if (along_x ? line_shown(y0, grid->ny - 1, relief->step_y, grid->here_y, at)
		    : line_shown(x0, grid->nx - 1, relief->step_x, grid->here_x, at))
		dots_line(&relief->dots, surface(relief, x0, y0), surface(relief, x1, y1),
			here ? STYLE_HERE : style_of(relief, mean));
}

/* The face between four cells, of which (x, y) is the left one at the back. */
static void draw_face(struct relief *relief, int x, int y)
{
	struct dots_point corner[4];

	if (!known(relief, x, y) || !known(relief, x + 1, y) || !known(relief, x, y + 1) ||
		!known(relief, x + 1, y + 1))
		return;
	corner[0] = surface(relief, x, y);
	corner[1] = surface(relief, x + 1, y);
	corner[2] = surface(relief, x + 1, y + 1);
	corner[3] = surface(relief, x, y + 1);
	dots_hide(&relief->dots, corner, 4);
	draw_edge(relief, x, y, x + 1, y);
	draw_edge(relief, x, y, x, y + 1);
	draw_edge(relief, x + 1, y, x + 1, y + 1);
	draw_edge(relief, x, y + 1, x + 1, y + 1);
}

/* The side under the surface between two cells, down to the ground. */
static void draw_side(struct relief *relief, int x0, int y0, int x1, int y1)
{
	struct dots_point corner[4];

	if (!known(relief, x0, y0) || !known(relief, x1, y1))
		return;
	corner[0] = surface(relief, x0, y0);
	corner[1] = surface(relief, x1, y1);
	corner[2] = point_at(relief, x1, y1, 0);
	corner[3] = point_at(relief, x0, y0, 0);
	dots_hide(&relief->dots, corner, 4);
	dots_line(&relief->dots, corner[2], corner[3], STYLE_DIM);
	dots_line(&relief->dots, corner[1], corner[2], STYLE_DIM);
	draw_edge(relief, x0, y0, x1, y1);
}

/* The ground where nothing is measured yet: a point each. */
static void draw_ground(struct relief *relief)
{
	for (int y = 0; y < relief->grid->ny; y++)
		for (int x = 0; x < relief->grid->nx; x++)
			if (!known(relief, x, y)) {
				struct dots_point point = point_at(relief, x, y, 0);

				dots_line(&relief->dots, point, point, STYLE_DIM);
			}
}

static void draw_surface(struct relief *relief)
{
	const struct view_grid *grid = relief->grid;

	draw_ground(relief);
	for (int y = 0; y + 1 < grid->ny; y++)
		for (int x = 0; x + 1 < grid->nx; x++)
			draw_face(relief, x, y);
	for (int y = 0; y + 1 < grid->ny; y++)
		draw_side(relief, grid->nx - 1, y, grid->nx - 1, y + 1);
	for (int x = 0; x + 1 < grid->nx; x++)
		draw_side(relief, x, grid->ny - 1, x + 1, grid->ny - 1);
}

/* The column and row, within the panel, of a point of the picture. */
static int column_of(struct dots_point point)
{
	return LEFT + (int)lround(point.x) / 2;
}

static int row_of(struct dots_point point)
{
	return (int)lround(point.y) / 4;
}

/* Throughput at the left, from the ground of the nearest corner up. */
static void draw_height(struct canvas *canvas, struct rectangle at, const struct relief *relief)
{
	int ground = row_of(point_at(relief, 0, relief->grid->ny - 1, 0)),
	    top = row_of(point_at(relief, 0, relief->grid->ny - 1, relief->top));
	char label[24];

	for (int row = top; row <= ground; row++)
		canvas_glyph(canvas, at, LEFT - 1, row, STYLE_DIM, GLYPH_VLINE);
	snprintf(label, sizeof(label), "%.5g", relief->top);
	canvas_text_right(canvas, at, LEFT - 1, top, STYLE_DIM, label);
	if (ground - top >= 6) {
		snprintf(label, sizeof(label), "%.5g", relief->top / 2);
		canvas_text_right(canvas, at, LEFT - 1, (top + ground) / 2, STYLE_DIM, label);
	}
	canvas_text_right(canvas, at, LEFT - 1, ground, STYLE_DIM, "0");
	if (top > 0)
		canvas_text(canvas, at, 0, top - 1, STYLE_DIM, "GB/s");
}

/* Strides along the nearest edge, and where the slope ends. */
static void draw_strides(struct canvas *canvas, struct rectangle at, const struct relief *relief)
{
	const struct view_grid *grid = relief->grid;
	const struct knob *knob = &relief->view->setting.kernel->knobs[grid->stride_knob];
	int y = at.height - BELOW, free = 0;

	canvas_text(canvas, at, 0, y + 1, STYLE_DIM, knob->name);
	for (int pass = 0; pass < 2; pass++) {
		/* The cursor's own first. */
		for (int i = 0; i < grid->nx; i++) {
			int x = column_of(point_at(relief, i, grid->ny - 1, 0)), columns;
			bool here = mountain_at(grid) && i == grid->here_x;
			char value[64];

			setting_format_value(knob, grid->x[i], value, sizeof(value));
			columns = canvas_columns(canvas, value);
			if (here != (pass == 0) || (pass && x < free) ||
				(pass && mountain_at(grid) &&
					abs(x - column_of(point_at(relief, grid->here_x,
							grid->ny - 1, 0))) <= columns))
				continue;
			canvas_text(canvas, at, x, y, here ? STYLE_HERE : STYLE_DIM, value);
			if (pass)
				free = x + columns + 1;
		}
	}
	if (grid->slope_end >= 0) {
		char note[64];
		int x = column_of(point_at(relief, grid->slope_end, grid->ny - 1, 0));

		canvas_glyph(canvas, at, x, y + 1, STYLE_BAR, GLYPH_UP);
		snprintf(note, sizeof(note), "a line of %.0f bytes each", grid->line);
		canvas_text(canvas, at, x + 2, y + 1, STYLE_DIM, note);
	}
}

/* Sizes up the right edge, and the cache that each stays in, at the first of them. */
static void draw_sizes(struct canvas *canvas, struct rectangle at, const struct relief *relief)
{
	const struct view_grid *grid = relief->grid;
	const struct knob *knob = &relief->view->setting.kernel->knobs[grid->size_knob];
	bool taken[512] = { false };

	/* The cursor's own first, then where a cache begins, then the others. */
	for (int pass = 0; pass < 3; pass++) {
		for (int y = 0; y < grid->ny; y++) {
			struct dots_point point = point_at(relief, grid->nx - 1, y, 0);
			bool here = mountain_at(grid) && y == grid->here_y;
			int x = column_of(point) + 2, row = row_of(point);
			const char *level = mountain_level(grid, y, true);
			char value[64];

			if (row < 0 || row >= at.height || row >= 512 || taken[row] ||
				(pass == 0) != here || (pass == 1 && !*level))
				continue;
			taken[row] = true;
			setting_format_value(knob, grid->y[y], value, sizeof(value));
			x += 1 +
			     canvas_text(canvas, at, x, row, here ? STYLE_HERE : STYLE_DIM, value);
			if (here)
				level = mountain_level(grid, y, false);
			canvas_text(canvas, at, x, row, STYLE_TITLE, level);
		}
	}
}

/* Marks doubtful points of those that are not hidden. */
static void mark_doubtful(struct canvas *canvas, struct rectangle at, const struct relief *relief)
{
	for (int y = 0; y < relief->grid->ny; y++) {
		for (int x = 0; x < relief->grid->nx; x++) {
			struct dots_point point;

			if ((!relief->grid->contended[y][x] && !relief->grid->unsettled[y][x]) ||
				!known(relief, x, y))
				continue;
			point = surface(relief, x, y);
			if (dots_on(&relief->dots, (int)lround(point.x), (int)lround(point.y)))
				canvas_glyph(canvas, at, column_of(point), row_of(point),
					STYLE_WARN,
					relief->grid->contended[y][x] ? GLYPH_TIMES : GLYPH_DRIFT);
		}
	}
}

static int step_for(double apart)
{
	int step = 1;

	while (step * apart < nearest)
		step++;
	return step;
}

bool mountain_relief(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	const struct view_grid *grid = &view->grid;
	struct relief relief = {
		.view = view, .grid = grid, .top = scale_ceiling((double)grid->top)
	};

	if (at.width < LEAST_WIDTH || at.height < LEAST_HEIGHT || grid->nx < 2 || grid->ny < 2)
		return false;
	dots_init(&relief.dots, at.width - LEFT - RIGHT, at.height - BELOW);
	relief.back_x = (relief.dots.width - 1) * depth_across / (grid->ny - 1);
	relief.across = (relief.dots.width - 1) * (1 - depth_across) / (grid->nx - 1);
	relief.back_y = (relief.dots.height - 1) * depth_up / (grid->ny - 1);
	relief.high = (relief.dots.height - 1) * (1 - depth_up);
	relief.step_x = step_for(relief.across);
	relief.step_y = step_for(fmax(relief.back_y, relief.back_x / 2));
	draw_surface(&relief);
	dots_show(&relief.dots, canvas, at, LEFT, 0, STYLE_HERE);
	draw_height(canvas, at, &relief);
	draw_strides(canvas, at, &relief);
	draw_sizes(canvas, at, &relief);
	mark_doubtful(canvas, at, &relief);
	if (mountain_at(grid) && known(&relief, grid->here_x, grid->here_y)) {
		struct dots_point point = surface(&relief, grid->here_x, grid->here_y);

		canvas_glyph(canvas, at, column_of(point), row_of(point), STYLE_HERE, GLYPH_HERE);
	}
	dots_free(&relief.dots);
	return true;
}
