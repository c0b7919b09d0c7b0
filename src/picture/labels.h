/* Places for words: side by side without overlap, and beside lines without covering them. Pure; in
 * points, y downwards. */
#ifndef SLX_PICTURE_LABELS_H
#define SLX_PICTURE_LABELS_H

#include <stdbool.h>

struct box {
	double x, y, width, height; /* x, y: the upper left corner */
};

bool box_overlaps(const struct box *a, const struct box *b);
bool box_within(const struct box *inner, const struct box *outer);

/* How much of the line from x0, y0 to x1, y1 lies within the box. */
double box_crossed(const struct box *box, double x0, double y0, double x1, double y1);

/* ---- in a row ---- */

struct labels_item {
	double wanted; /* where its middle would be best */
	double size;   /* that it takes, its distance to the next included */
	double at;     /* where its middle goes */
};

/* Moves items that would overlap as little as possible (the squares of how far, in sum), keeping
 * their order and, if they fit at all, within low … high. They are in ascending order of `wanted`.
 */
void labels_spread(struct labels_item *items, int count, double low, double high);

/* ---- beside lines ---- */

struct labels_line {
	double x0, y0, x1, y1;
};

/* What is in the way. Owned by whoever fills it: place_clear() empties, place_free() ends. Zero to
 * begin with. */
struct labels_field {
	struct box bounds; /* of all that can be placed */
	int line_count, line_room;
	struct labels_line *line;
	int box_count, box_room;
	struct box *box; /* words: never covered */
};

void labels_free(struct labels_field *field);
void labels_add_line(struct labels_field *field, double x0, double y0, double x1, double y1);
void labels_add_box(struct labels_field *field, const struct box *box);

/* A place for a box of width × height: the best of those above and below the stretch from x0 to x1
 * at height y (a point where both are equal), near rather than far, with as little of the lines
 * behind it as can be. False where every one covers other words or leaves the bounds. The box that
 * was found is in the way of the next. */
bool labels_beside(struct labels_field *field, double x0, double x1, double y, double width,
	double height, struct box *found);

#endif
