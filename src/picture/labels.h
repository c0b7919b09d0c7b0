/* Places for labels: in a row without overlap, and next to lines without covering them. Pure. In
 * points, y downwards. */
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
	double wanted; /* the best place of its middle */
	double size;   /* its size with the distance to the next one */
	double at;     /* the chosen place of its middle */
};

/* Moves overlapping items apart by the smallest sum of squared distances. Keeps their order and, if
 * they fit, stays within low … high. The items are in ascending order of `wanted`. */
void labels_spread(struct labels_item *items, int count, double low, double high);

/* ---- beside lines ---- */

struct labels_line {
	double x0, y0, x1, y1;
};

/* Obstacles. Starts zeroed; labels_free() releases it. */
struct labels_field {
	struct box bounds; /* of all labels */
	int line_count, line_room;
	struct labels_line *line;
	int box_count, box_room;
	struct box *box; /* labels: never covered */
};

void labels_free(struct labels_field *field);
void labels_add_line(struct labels_field *field, double x0, double y0, double x1, double y1);
void labels_add_box(struct labels_field *field, const struct box *box);

/* Finds a place for a box of width × height above or below the stretch from x0 to x1 at height y (a
 * point if both are equal): near, and with few lines behind it. Returns false if every place covers
 * a label or leaves the bounds. The found box becomes an obstacle. */
bool labels_beside(struct labels_field *field, double x0, double x1, double y, double width,
	double height, struct box *found);
