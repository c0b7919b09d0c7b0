/* Shapes that are not one character each. First: points finer than cells, two columns and four rows
 * in each cell. Draw lines and faces from back to front: a face removes the points behind it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/canvas.h"

struct dots {
	int width, height; /* in points: twice the columns, four times the rows */
	uint8_t *at;	   /* `height` rows: 0 for no point, else its style + 1 */
};

struct dots_point {
	double x, y; /* from the upper left corner */
};

void dots_init(struct dots *dots, int columns, int rows);
void dots_free(struct dots *dots);

/* Points outside are ignored. */
void dots_line(struct dots *dots, struct dots_point from, struct dots_point to, enum style style);
/* Removes the points inside a face with `count` corners, its edges included. */
void dots_hide(struct dots *dots, const struct dots_point *corner, int count);
bool dots_on(const struct dots *dots, int x, int y);

/* Shows the points from the corner (x, y) of the clip on. A cell whose points differ in style has
 * `first` if it is among them, else the most frequent style. */
void dots_show(const struct dots *dots, struct box clip, int x, int y, enum style first);

/* ---- digits three rows high ---- */

enum { DIGITS_HEIGHT = 3 };

/* Columns that a number of digits, '.' and '-' needs; 0 if it holds another character. */
int digits_width(const char *figure);

void digits_draw(struct box clip, int x, int y, enum style style, const char *figure);
