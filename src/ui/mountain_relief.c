/* Draws the mountain as a relief: throughput over stride (to the right) and size (small sizes at
 * the back). The surface consists of lines, drawn with points that are finer than cells. Faces of
 * the surface are drawn from back to front, so that each face hides the lines behind it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/relief.h"
#include "base/scale.h"
#include "ui/mountain_relief.h"
#include "ui/panels.h"
#include "ui/shapes.h"

enum { LEFT = 6, RIGHT = 10, BELOW = 2, LEAST_WIDTH = 44, LEAST_HEIGHT = 10 };
enum { CELLS = VIEW_GRID_X * VIEW_GRID_Y };

/* The smallest distance between two neighbouring lines of the relief's surface, in points; closer
 * lines are omitted. On solid areas, the relief needs fewer lines, because the colours of the areas
 * already show the surface. */
static const double nearest = 3, nearest_solid = 7;

struct landscape {
	const struct view *view;
	const struct view_grid *grid;
	struct dots dots;
	struct relief relief;
	double height[CELLS]; /* height of each cell, 0…1, row by row; NAN: the cell is not measured
			       */
	double top;	      /* throughput, in GB/s, that is drawn with the relief's full height */
	int step_x, step_y;   /* draw every step-th line */
	bool solid; /* the facets of the surface are drawn as areas with the shade of their
		       throughput */
};

/* The scale of shades is logarithmic, so that large and small differences between plateaus are
 * visible. */
int mountain_shade(double gbps, double top)
{
	int below = (int)floor(2 * log2(top / gbps));

	return MOUNTAIN_SHADES - 1 - int_most(int_least(below, MOUNTAIN_SHADES - 1), 0);
}

bool mountain_at(const struct view_grid *grid)
{
	return grid->place_x.where == AXIS_AT && grid->place_y.where == AXIS_AT;
}

const char *mountain_level(const struct view_grid *grid, int y, bool first)
{
	static const char *const names[] = { "", "L1", "L2", "L3", "mem" };

	if (first && y > 0 && grid->level[y - 1] == grid->level[y])
		return "";
	return names[grid->level[y] <= GRID_MEMORY ? grid->level[y] : 0];
}

static bool known(const struct landscape *land, int x, int y)
{
	return isfinite(land->height[y * land->grid->nx + x]);
}

/* Returns the point on the screen for a stride, a size and a height. */
static struct dots_point point_at(const struct landscape *land, int x, int y, double height)
{
	struct relief_point point = relief_project(&land->relief, (double)x / (land->grid->nx - 1),
		(double)y / (land->grid->ny - 1), height);

	return (struct dots_point){ point.x, point.y };
}

static struct dots_point surface(const struct landscape *land, int x, int y)
{
	return point_at(land, x, y, land->height[y * land->grid->nx + x]);
}

/* The surface of the relief has a line for each stride and each size. Returns whether the surface's
 * line of this size or stride is drawn; the lines through the cursor always are. */
static bool line_shown(int index, int last, int step, int here, bool at)
{
	return index == 0 || index == last || index % step == 0 || (at && index == here);
}

static void draw_edge(struct landscape *land, int x0, int y0, int x1, int y1)
{
	const struct view_grid *grid = land->grid;
	bool along_x = y0 == y1, at = mountain_at(grid);
	bool here = at && (along_x ? y0 == grid->here_y : x0 == grid->here_x);
	double mean = sqrt(
		fmax((double)grid->gbps[y0][x0], 1e-9) * fmax((double)grid->gbps[y1][x1], 1e-9));

	if (along_x ? line_shown(y0, grid->ny - 1, land->step_y, grid->here_y, at)
		    : line_shown(x0, grid->nx - 1, land->step_x, grid->here_x, at))
		dots_line(&land->dots, surface(land, x0, y0), surface(land, x1, y1),
			here ? STYLE_HERE
			     : (enum style)((land->solid ? STYLE_FACET0 : STYLE_SHADE0) +
					    mountain_shade(mean, (double)grid->top)));
}

static void draw_facet(struct landscape *land, const struct relief_facet *facet)
{
	int x = facet->column, y = facet->row;
	struct dots_point corner[4];
	double product = 1;

	for (int i = 0; i < 4; i++) {
		corner[i] = (struct dots_point){ facet->corner[i].x, facet->corner[i].y };
		product *= fmax((double)land->grid->gbps[y + i / 2][x + i % 2], 1e-9);
	}
	if (land->solid)
		dots_fill(&land->dots, corner, 4,
			(enum style)(STYLE_SHADE0 +
				     mountain_shade(pow(product, 0.25), (double)land->grid->top)));
	else
		dots_hide(&land->dots, corner, 4);
	for (int i = 0; i < 2; i++) {
		draw_edge(land, x, y + i, x + 1, y + i);
		draw_edge(land, x + i, y, x + i, y + 1);
	}
}

/* Draws the vertical side of the relief, below the surface between two neighbouring cells at its
 * edge. */
static void draw_side(struct landscape *land, int x0, int y0, int x1, int y1)
{
	const struct dots_point corner[4] = { surface(land, x0, y0), surface(land, x1, y1),
		point_at(land, x1, y1, 0), point_at(land, x0, y0, 0) };

	if (!known(land, x0, y0) || !known(land, x1, y1))
		return;
	dots_hide(&land->dots, corner, 4);
	dots_line(&land->dots, corner[2], corner[3], STYLE_DIM);
	dots_line(&land->dots, corner[1], corner[2], STYLE_DIM);
	draw_edge(land, x0, y0, x1, y1);
}

/* Draws each pair of size and stride that is not measured yet as a single point on the ground of
 * the relief. */
static void draw_ground(struct landscape *land)
{
	for (int y = 0; y < land->grid->ny; y++)
		for (int x = 0; x < land->grid->nx; x++)
			if (!known(land, x, y)) {
				struct dots_point point = point_at(land, x, y, 0);

				dots_line(&land->dots, point, point, STYLE_DIM);
			}
}

static void draw_surface(struct landscape *land)
{
	const struct view_grid *grid = land->grid;
	struct relief_facet facets[CELLS];
	int count = relief_facets(&land->relief, land->height, grid->nx, grid->ny, facets);

	draw_ground(land);
	for (int i = 0; i < count; i++)
		draw_facet(land, &facets[i]);
	for (int y = 0; y + 1 < grid->ny; y++)
		draw_side(land, grid->nx - 1, y, grid->nx - 1, y + 1);
	for (int x = 0; x + 1 < grid->nx; x++)
		draw_side(land, x, grid->ny - 1, x + 1, grid->ny - 1);
}

/* column_of() and row_of() return the column and the row of a point in the panel. */
static int column_of(struct dots_point point)
{
	return LEFT + (int)lround(point.x) / 2;
}

static int row_of(struct dots_point point)
{
	return (int)lround(point.y) / 4;
}

/* Draws the throughput axis at the left corner. */
static void draw_height(struct box at, const struct landscape *land)
{
	int ground = row_of(point_at(land, 0, land->grid->ny - 1, 0)),
	    top = row_of(point_at(land, 0, land->grid->ny - 1, 1));

	for (int row = top; row <= ground; row++)
		canvas_glyph(at, LEFT - 1, row, STYLE_DIM, GLYPH_VLINE);
	canvas_right(at, LEFT - 1, top, STYLE_DIM, "%.5g", land->top);
	if (ground - top >= 6)
		canvas_right(at, LEFT - 1, (top + ground) / 2, STYLE_DIM, "%.5g", land->top / 2);
	canvas_right(at, LEFT - 1, ground, STYLE_DIM, "0");
	if (top > 0)
		canvas_text(at, 0, top - 1, STYLE_DIM, "GB/s");
}

/* Draws strides along the front edge, and marks the stride at which the slope ends. */
static void draw_strides(struct box at, const struct landscape *land)
{
	const struct view_grid *grid = land->grid;
	const struct knob *knob = &land->view->setting.kernel->knobs[grid->stride_knob];
	int y = at.height - BELOW, free = 0;

	canvas_put(at, 0, y + 1, STYLE_DIM, knob->name);
	for (int pass = 0; pass < 2; pass++) {
		/* The stride under the cursor is drawn first, because strides drawn later are
		 * omitted if they do not fit. */
		for (int i = 0; i < grid->nx; i++) {
			int x = column_of(point_at(land, i, grid->ny - 1, 0)), columns;
			bool here = mountain_at(grid) && i == grid->here_x;
			struct words value = setting_shown(knob, grid->x[i]);

			columns = canvas_columns(at, value.text);
			if (here != (pass == 0) || (pass && x < free) ||
				(pass && mountain_at(grid) &&
					abs(x - column_of(point_at(land, grid->here_x, grid->ny - 1,
							0))) <= columns))
				continue;
			canvas_put(at, x, y, here ? STYLE_HERE : STYLE_DIM, value.text);
			if (pass)
				free = x + columns + 1;
		}
	}
	if (grid->slope_end >= 0) {
		int x = column_of(point_at(land, grid->slope_end, grid->ny - 1, 0));

		canvas_glyph(at, x, y + 1, STYLE_BAR, GLYPH_UP);
		canvas_text(at, x + 2, y + 1, STYLE_DIM, "a line of %.0f bytes each", grid->line);
	}
}

/* Draws sizes along the right edge. The name of each cache is next to the smallest working-set size
 * for which this cache is the first that holds the set.
 */
static void draw_sizes(struct box at, const struct landscape *land)
{
	const struct view_grid *grid = land->grid;
	const struct knob *knob = &land->view->setting.kernel->knobs[grid->size_knob];
	bool taken[512] = { false };

	/* The size under the cursor is drawn first, then the first size of each cache, then the
	 * other sizes that fit. */
	for (int pass = 0; pass < 3; pass++)
		for (int y = 0; y < grid->ny; y++) {
			struct dots_point point = point_at(land, grid->nx - 1, y, 0);
			bool here = mountain_at(grid) && y == grid->here_y;
			int x = column_of(point) + 2, row = row_of(point);
			const char *level = mountain_level(grid, y, true);

			if (row < 0 || row >= at.height || row >= 512 || taken[row] ||
				(pass == 0) != here || (pass == 1 && !*level))
				continue;
			taken[row] = true;
			x += 1 + canvas_put(at, x, row, here ? STYLE_HERE : STYLE_DIM,
					 setting_shown(knob, grid->y[y]).text);
			if (here)
				level = mountain_level(grid, y, false);
			canvas_put(at, x, row, STYLE_TITLE, level);
		}
}

/* Marks the visible settings of size and stride whose values are doubtful (contended or not
 * settled). */
static void mark_doubtful(struct box at, const struct landscape *land)
{
	for (int y = 0; y < land->grid->ny; y++)
		for (int x = 0; x < land->grid->nx; x++) {
			struct dots_point point;

			if ((!land->grid->contended[y][x] && !land->grid->unsettled[y][x]) ||
				!known(land, x, y))
				continue;
			point = surface(land, x, y);
			if (dots_on(&land->dots, (int)lround(point.x), (int)lround(point.y)))
				canvas_mark(at, column_of(point), row_of(point), STYLE_WARN,
					land->grid->contended[y][x] ? GLYPH_TIMES : GLYPH_DRIFT);
		}
}

static int step_for(double apart, double least)
{
	int step = 1;

	while (step * apart < least)
		step++;
	return step;
}

bool mountain_relief_fits(struct box at)
{
	return at.width >= LEAST_WIDTH && at.height >= LEAST_HEIGHT;
}

bool mountain_relief(struct box at, const struct view *view)
{
	const struct view_grid *grid = &view->grid;
	struct landscape land = {
		.view = view, .grid = grid, .top = scale_ceiling((double)grid->top)
	};
	double least = at.canvas->solid ? nearest_solid : nearest;

	if (!mountain_relief_fits(at) || grid->nx < 2 || grid->ny < 2)
		return false;
	land.solid = at.canvas->solid;
	dots_init(&land.dots, at.width - LEFT - RIGHT, at.height - BELOW);
	land.relief = relief_from_front(land.dots.width - 1, land.dots.height - 1);
	for (int i = 0; i < grid->nx * grid->ny; i++) {
		double gbps = (double)grid->gbps[i / grid->nx][i % grid->nx];

		land.height[i] = gbps >= 0 ? gbps / land.top : NAN;
	}
	land.step_x = step_for(land.relief.columns.x / (grid->nx - 1), least);
	land.step_y =
		step_for(fmax(land.relief.rows.y, -land.relief.rows.x / 2) / (grid->ny - 1), least);
	draw_surface(&land);
	dots_show(&land.dots, at, LEFT, 0, STYLE_HERE);
	draw_height(at, &land);
	draw_strides(at, &land);
	draw_sizes(at, &land);
	mark_doubtful(at, &land);
	if (mountain_at(grid) && known(&land, grid->here_x, grid->here_y)) {
		struct dots_point point = surface(&land, grid->here_x, grid->here_y);

		canvas_mark(at, column_of(point), row_of(point), STYLE_HERE, GLYPH_HERE);
	}
	dots_free(&land.dots);
	return true;
}
