/* Finds places for labels: in a row without overlap, and next to lines without covering other
 * labels. Pure. In points; y grows downwards. */
#pragma once

#include <stdbool.h>

struct box {
	double x, y, width, height; /* x, y: the upper left corner */
};

bool box_overlaps(const struct box *a, const struct box *b);
bool box_within(const struct box *inner, const struct box *outer);

/* The length of the part of the line from x0, y0 to x1, y1 inside the box. */
double box_crossed(const struct box *box, double x0, double y0, double x1, double y1);

/* ---- in a row ---- */

struct labels_item {
	double wanted; /* the best position of its middle */
	double size;   /* its size, including the distance to the next item */
	double at;     /* the chosen position of its middle */
};

/* Moves overlapping items apart with the smallest sum of squared distances. Keeps their order.
 * Stays within low … high if the items fit. The items must be in ascending order of `wanted`. */
void labels_spread(struct labels_item *items, int count, double low, double high);

/* ---- next to lines ---- */

struct labels_line {
	double x0, y0, x1, y1;
};

/* Obstacles for labels. Zero it first; labels_free() releases it. */
struct labels_field {
	struct box bounds; /* limits for all labels */
	int line_count;
	struct labels_line *line;
	int box_count;
	struct box *box; /* placed labels, which are never covered */
};

void labels_free(struct labels_field *field);
void labels_add_line(struct labels_field *field, double x0, double y0, double x1, double y1);
void labels_add_box(struct labels_field *field, const struct box *box);

/* Finds a place for a box of width × height above or below a stretch. The stretch goes from x0 to
 * x1 at height y; x0 = x1: a point. The place is near the stretch and covers few lines. Returns
 * false if every place covers a label or leaves the bounds. The found box becomes an obstacle. */
bool labels_beside(struct labels_field *field, double x0, double x1, double y, double width,
	double height, struct box *found);
