/* Projects a grid of heights as a relief. All pictures use this projection. Pure.
 *
 * The first row and column of the grid are at the back; the last row and column are in front. */
#pragma once

#include <stdbool.h>

struct relief_point {
	double x, y; /* y increases downwards */
};

struct relief {
	struct relief_point back;	   /* the back corner of the ground */
	struct relief_point columns, rows; /* vectors from `back` along two sides of the ground */
	double height; /* length of the greatest height in the picture, upwards */
};

/* A view from above the front corner: columns run to the left, rows to the right. The relief is as
 * large as the box allows. */
struct relief relief_from_corner(double x, double y, double width, double height);

/* A view from above the front side: columns run to the right, rows run to the front and to the
 * left. The relief fills a box with its upper left corner at 0, 0. */
struct relief relief_from_front(double width, double height);

/* Projects a point of the relief: x along the columns, y along the rows, z upwards, each 0…1. */
struct relief_point relief_project(const struct relief *relief, double x, double y, double z);

/* The quadrilateral between four neighbouring heights: its projected corners in order, and its mean
 * height. */
struct relief_facet {
	int column, row; /* column and row of the facet's first corner in the grid */
	struct relief_point corner[4];
	double z;
};

/* Fills `facet` with the facets of a grid of columns × rows heights (0…1, row by row; NAN:
 * unknown). Facets are ordered from back to front: draw each facet over the previous facets. A
 * facet with an unknown corner is omitted. `facet` needs room for (columns - 1) × (rows - 1)
 * facets. Returns the number of facets. */
int relief_facets(const struct relief *relief, const double *heights, int columns, int rows,
	struct relief_facet *facet);
