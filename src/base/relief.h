/* A grid of heights as a relief: the projection of all pictures. Pure.
 *
 * The first row and column are at the back, the last ones in front. */
#pragma once

#include <stdbool.h>

struct relief_point {
	double x, y; /* y downwards */
};

struct relief {
	struct relief_point back;	   /* the back corner of the ground */
	struct relief_point columns, rows; /* vectors from there along each side of the ground */
	double height;			   /* the greatest height, upwards */
};

/* Seen from above the front corner: columns run to the left, rows to the right. The relief is the
 * largest one in the box. */
struct relief relief_from_corner(double x, double y, double width, double height);

/* Seen from above the front side: columns run to the right, and rows recede to the right. The
 * relief fills a box with its upper left corner at 0, 0. */
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

/* The facets between columns × rows heights (0…1, NAN: unknown, row by row), from back to front, so
 * that each can be drawn over the previous ones. A facet with an unknown corner is omitted. `facet`
 * has room for (columns - 1) × (rows - 1). Returns the number of facets. */
int relief_facets(const struct relief *relief, const double *heights, int columns, int rows,
	struct relief_facet *facet);
