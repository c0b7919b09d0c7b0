/* A grid as a landscape, seen from above one corner: the first row and column stand at the back,
 * the last ones in front. Pure. */
#ifndef SLX_PICTURE_RELIEF_H
#define SLX_PICTURE_RELIEF_H

#include "picture/place.h"

struct relief {
	double x, y; /* of the back corner at full height */
	double across,
		down;  /* a step along either side of the ground: so far sideways, so far down */
	double height; /* of the full height, on the page */
};

struct relief_point {
	double x, y;
};

/* The largest landscape in a box: its four outermost corners touch the box's sides. */
struct relief relief_in(const struct box *box);

/* x: along the columns, y: along the rows, z: upwards; all 0…1. The left corner is x = 1, y = 0,
 * the right one x = 0, y = 1. */
struct relief_point relief_project(const struct relief *relief, double x, double y, double z);

/* One quarter of neighbours: the corners on the page, in order round it, and the mean of their
 * heights. */
struct relief_facet {
	int column, row; /* of its first corner */
	struct relief_point corner[4];
	double z;
};

/* The facets between columns × rows heights (0…1, NAN: unknown, row by row), from the back to the
 * front, so that each may be drawn over those before. A facet with an unknown corner is left out.
 * `facet` has room for (columns - 1) × (rows - 1). Returns how many. */
int relief_facets(const struct relief *relief, const double *heights, int columns, int rows,
	struct relief_facet *facet);

#endif
