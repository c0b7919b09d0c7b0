/* Points finer than cells: eight to a cell, two abreast and four deep, for pictures that letters
 * are too coarse for. Lines and faces are drawn from back to front; what is drawn later hides what
 * is behind. Pure memory. */
#ifndef SLX_UI_SHAPES_H
#define SLX_UI_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "ui/canvas.h"

struct dots {
	int width, height; /* of points: twice the columns, four times the rows */
	uint8_t *at;	   /* height rows: 0 where there is none, else its style + 1 */
};

struct dots_point {
	double x, y; /* from the upper left corner */
};

void dots_init(struct dots *dots, int columns, int rows);
void dots_free(struct dots *dots);

/* What lies outside is left out. */
void dots_line(struct dots *dots, struct dots_point from, struct dots_point to, enum style style);
/* Takes away what stands inside a face of that many corners, its edges included. */
void dots_hide(struct dots *dots, const struct dots_point *corner, int count);
bool dots_on(const struct dots *dots, int x, int y);

/* Shows them from the corner (x, y) of the clip on. Where a cell holds points of several styles it
 * has that of `first` if it is among them, else that of the most. */
void dots_show(const struct dots *dots, struct canvas *canvas, struct rectangle clip, int x, int y,
	enum style first);

/* ---- digits three rows high ---- */

enum { DIGITS_HEIGHT = 3 };

/* Columns that a figure of digits, '.' and '-' needs; 0 when it holds anything else. */
int digits_width(const char *figure);

void digits_draw(struct canvas *canvas, struct rectangle clip, int x, int y, enum style style,
	const char *figure);

#endif
