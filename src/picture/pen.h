/* A drawing interface, so that pen.c uses no library and tests can check the calls. Coordinates are
 * in points, from the upper left corner of a page of LAYOUT_WIDTH × LAYOUT_HEIGHT. */
#pragma once

#include <stdbool.h>

#include "picture/page.h"
#include "picture/palette.h"

struct pen_paint {
	struct colour colour;
	double opacity; /* 0…1 */
};

struct pen_stroke {
	struct pen_paint paint;
	double width;
	enum layout_dash dash;
};

struct pen_point {
	double x, y;
};

struct pen {
	void *context;
	struct metrics metrics; /* widths of the pen's font */
	void (*text)(void *context, double x, double y, enum layout_anchor anchor, double size,
		bool bold, const struct pen_paint *paint, const char *text);
	/* Draws a line through the points if `stroke` is not NULL. Fills the area that the points
	 * enclose if `fill` is not NULL. */
	void (*path)(void *context, const struct pen_point *points, int count, bool closed,
		const struct pen_stroke *stroke, const struct pen_paint *fill);
	void (*disc)(void *context, double x, double y, double radius,
		const struct pen_stroke *stroke, const struct pen_paint *fill);
};

/* Draws the whole page of the chart. */
void pen_draw(const struct pen *pen, const struct chart *chart, enum picture_theme theme);
