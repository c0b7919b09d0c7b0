/* Finds places for labels: in a row without overlap, and next to lines without covering other
 * labels. Pure. Coordinates are in points, and y grows downwards. */
#pragma once

#include <stdbool.h>

struct box {
	double x, y, width, height; /* x, y: the upper left corner */
};

bool box_overlaps(const struct box *a, const struct box *b);
bool box_within(const struct box *inner, const struct box *outer);

/* Returns the length of the part of a line that lies inside the box. The end points of the line are
 * (x0, y0) and (x1, y1). */
double box_crossed(const struct box *box, double x0, double y0, double x1, double y1);

/* ---- in a row ---- */

struct labels_item {
	double wanted; /* the best position of the label's middle */
	double size; /* the label's size along the row, including the distance to the next label */
	double at;   /* the chosen position of the label's middle */
};

/* Moves overlapping labels apart so that the sum of squared moves is smallest. Keeps the order of
 * the labels. Keeps the labels between `low` and `high` if all labels fit between these limits. The
 * items must be in ascending order of `wanted`. */
void labels_spread(struct labels_item *items, int count, double low, double high);

/* ---- next to lines ---- */

struct labels_line {
	double x0, y0, x1, y1;
};

/* The obstacles for labels. The caller fills the struct with zeros first; labels_free() releases
 * its memory. */
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

/* Finds a place for a label of width × height above or below a horizontal stretch of a curve. The
 * stretch goes from x0 to x1 at height y; if x0 = x1, the stretch is a point. The label's place is
 * near the labelled stretch of the curve, and covers few lines. Returns false if every place covers
 * another label or leaves the bounds. The box `found` becomes an obstacle for later labels. */
bool labels_beside(struct labels_field *field, double x0, double x1, double y, double width,
	double height, struct box *found);
