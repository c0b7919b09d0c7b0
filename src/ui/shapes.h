/* Shapes that are larger or finer than a cell. First: points, two columns and four rows in each
 * cell. Draw lines and faces from back to front: a face removes the points behind it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/canvas.h"

struct dots {
	int width, height; /* in points: twice the columns, four times the rows */
	uint8_t *at;	   /* `height` rows: 0 for no point, else its style + 1 */
};

struct dots_point {
	double x, y; /* in points, from the upper left corner */
};

void dots_init(struct dots *dots, int columns, int rows);
void dots_free(struct dots *dots);

/* Draws a line. Points outside the rectangle are ignored. */
void dots_line(struct dots *dots, struct dots_point from, struct dots_point to, enum style style);
/* Removes the points inside a face with `count` corners, its edges included. */
void dots_hide(struct dots *dots, const struct dots_point *corner, int count);
bool dots_on(const struct dots *dots, int x, int y);

/* Draws the points into `clip`, with their upper left corner at (x, y). If the points of a cell
 * have several styles, the cell has the style `first` if it is among them, else the most frequent
 * style. */
void dots_show(const struct dots *dots, struct box clip, int x, int y, enum style first);

/* ---- digits three rows high ---- */

enum { DIGITS_HEIGHT = 3 };

/* Returns the columns of a number that consists of digits, '.' and '-'; 0: it has another
 * character. */
int digits_width(const char *figure);

void digits_draw(struct box clip, int x, int y, enum style style, const char *figure);
