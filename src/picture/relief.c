#include "picture/relief.h"

#include <math.h>

/* The ground takes so much of the height, and is at most so deep for its width: seen from about 20
 * degrees above. */
static const double GROUND = 0.56, DEPTH = 0.36;

struct relief relief_in(const struct box *box)
{
	double ground = fmin(GROUND * box->height, DEPTH * box->width);

	return (struct relief){ .x = box->x + box->width / 2,
		.y = box->y,
		.across = box->width / 2,
		.down = ground / 2,
		.height = box->height - ground };
}

struct relief_point relief_project(const struct relief *relief, double x, double y, double z)
{
	return (struct relief_point){ relief->x + relief->across * (y - x),
		relief->y + relief->down * (x + y) + relief->height * (1 - z) };
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

	/* What is nearer has more steps from the back corner. */
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
