/* A grid of heights as a landscape: the projection that every picture of one shares. Pure.
 *
 * The first row and column lie at the back, the last ones in front. */
#ifndef SLX_BASE_RELIEF_H
#define SLX_BASE_RELIEF_H

#include <stdbool.h>

struct relief_point {
	double x, y; /* y downwards */
};

struct relief {
	struct relief_point back;	   /* the back corner of the ground */
	struct relief_point columns, rows; /* from there along the whole side of the ground */
	double height;			   /* of the full height, upwards */
};

/* Seen from above the front corner: columns run to the left, rows to the right. The largest one in
 * a box, whose sides its four outermost corners touch. */
struct relief relief_from_corner(double x, double y, double width, double height);

/* Seen from above the front side: columns run to the right, and rows recede to the right. It fills
 * a box whose upper left corner is 0, 0. */
struct relief relief_from_front(double width, double height);

/* x: along the columns, y: along the rows, z: upwards; all 0…1. */
struct relief_point relief_project(const struct relief *relief, double x, double y, double z);

/* The quadrilateral between four neighbouring heights: its projected corners in order, and the mean
 * of their heights. */
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
