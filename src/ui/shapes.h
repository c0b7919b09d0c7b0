/* Shapes that are larger or finer than a cell of the canvas. A cell has two columns and four rows
 * of points. The caller draws lines and faces from back to front, because a face removes the points
 * behind it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/canvas.h"

struct dots {
	int width, height; /* width and height in points: twice the number of columns, four times
			      the number of rows */
	uint8_t *
		at; /* `height` rows of `width` bytes: 0 for no point, else the point's style + 1 */
};

struct dots_point {
	double x, y; /* position in points, counted from the upper left corner */
};

void dots_init(struct dots *dots, int columns, int rows);
void dots_free(struct dots *dots);

/* Draws a line. Points outside the rectangle of points are ignored. */
void dots_line(struct dots *dots, struct dots_point from, struct dots_point to, enum style style);
/* Removes the points inside a polygon with `count` corners, and the points on its edges. */
void dots_hide(struct dots *dots, const struct dots_point *corner, int count);
/* Sets the points inside a polygon with `count` corners, and the points on its edges, in a style
 * from STYLE_SHADE0 on. */
void dots_fill(struct dots *dots, const struct dots_point *corner, int count, enum style style);
bool dots_on(const struct dots *dots, int x, int y);

/* Draws all points into the box `clip` of the canvas; the points' upper left corner is at (x, y).
 * If the points of a cell have several styles, the cell gets the style `first` if one point has it,
 * else the most frequent style. On a canvas with solid areas, a cell that a shade fills becomes an
 * area, with lines over it; a cell that shades fill in part has a block element. */
void dots_show(const struct dots *dots, struct box clip, int x, int y, enum style first);

/* ---- large digits ---- */

/* The smallest number of rows of large digits. */
enum { DIGITS_HEIGHT = 3 };

/* Returns how many columns a number needs in large digits of `rows` rows. Returns 0 if the number's
 * text `figure` has a character that is not a digit, '.' or '?'. */
int digits_width(const char *figure, int rows);

/* Returns the largest number of rows, from DIGITS_HEIGHT to `height`, at which the number fits in
 * `width` columns; 0: the number does not fit. */
int digits_fit(const char *figure, int width, int height);

void digits_draw(struct box clip, int x, int y, int rows, enum style style, const char *figure);
