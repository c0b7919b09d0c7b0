#include "base/relief.h"

#include <math.h>

/* The corner view is about 20 degrees above the ground. GROUND is the ground's share of the
 * picture's height. DEPTH is the ground's maximum depth ÷ its width. DEPTH_ACROSS and DEPTH_UP are
 * the shares of width and height that show the depth in the front view. */
static const double GROUND = 0.56, DEPTH = 0.36, DEPTH_ACROSS = 0.30, DEPTH_UP = 0.45;

struct relief relief_from_corner(double x, double y, double width, double height)
{
	double ground = fmin(GROUND * height, DEPTH * width);

	return (struct relief){ .back = { x + width / 2, y + height - ground },
		.columns = { -width / 2, ground / 2 },
		.rows = { width / 2, ground / 2 },
		.height = height - ground };
}

struct relief relief_from_front(double width, double height)
{
	return (struct relief){ .back = { width * DEPTH_ACROSS, height * (1 - DEPTH_UP) },
		.columns = { width * (1 - DEPTH_ACROSS), 0 },
		.rows = { -width * DEPTH_ACROSS, height * DEPTH_UP },
		.height = height * (1 - DEPTH_UP) };
}

struct relief_point relief_project(const struct relief *relief, double x, double y, double z)
{
	return (struct relief_point){ relief->back.x + x * relief->columns.x + y * relief->rows.x,
		relief->back.y + x * relief->columns.y + y * relief->rows.y - z * relief->height };
}

static bool facet_at(const struct relief *relief, const double *heights, int columns, int rows,
	int column, int row, struct relief_facet *facet)
{
	static const int round[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };

	*facet = (struct relief_facet){ .column = column, .row = row };
	for (int i = 0; i < 4; i++) {
		int at_x = column + round[i][0], at_y = row + round[i][1];
		double z = heights[at_y * columns + at_x];

		if (!isfinite(z))
			return false;
		facet->z += z / 4;
		facet->corner[i] = relief_project(
			relief, (double)at_x / (columns - 1), (double)at_y / (rows - 1), z);
	}
	return true;
}

int relief_facets(const struct relief *relief, const double *heights, int columns, int rows,
	struct relief_facet *facet)
{
	int count = 0;

	/* Facets with more steps from the back corner are further in front. */
	for (int steps = 0; steps <= columns - 2 + rows - 2; steps++) {
		for (int row = 0; row <= rows - 2 && row <= steps; row++) {
			int column = steps - row;

			if (column <= columns - 2 && facet_at(relief, heights, columns, rows,
							     column, row, &facet[count]))
				count++;
		}
	}
	return count;
}
