/* Figures three rows high. */
#ifndef SLX_UI_DIGITS_H
#define SLX_UI_DIGITS_H

#include "ui/canvas.h"

enum { DIGITS_HEIGHT = 3 };

/* Columns that a figure of digits, '.' and '-' needs; 0 when it holds anything else. */
int digits_width(const char *figure);

void digits_draw(struct canvas *canvas, struct rectangle clip, int x, int y, enum style style,
	const char *figure);

#endif
