/* Computes the rectangle of each panel. The result depends only on the screen size and the wanted
 * panels (a pure function). * The top block shows the kernels, the knobs and the measured value
 * side by side. The body is below the top block, and shows as many panels as fit. The table in
 * panels.c lists the panels in order of importance. */
#pragma once

#include <stdbool.h>

#include "ui/canvas.h"

/* A screen smaller than LAYOUT_MIN_WIDTH × LAYOUT_MIN_HEIGHT shows no panels, only the area
 * AREA_LINE. */
enum { LAYOUT_MIN_WIDTH = 60, LAYOUT_MIN_HEIGHT = 16, LAYOUT_MAX = 32 };

enum area {
	AREA_HEADER, /* the first row */
	AREA_KERNELS,
	AREA_KNOBS,
	AREA_FIGURE, /* the top block, always shown */
	AREA_ABOUT,  /* area next to the top block, only on a wide screen */
	AREA_BODY,   /* below the top block: panels are stacked, or in pairs on a wide screen */
	AREA_TALL, /* below the top block: a column of its own on a wide screen, else like AREA_BODY
		    */
	AREA_NOTICE, /* the last row but one */
	AREA_KEYS,   /* the last row */
	AREA_LINE,   /* area of the brief panel: the whole screen if it is too small for panels; the
			upper part in presenter mode */
	AREA_LESSON, /* area of a lesson: next to the measured value, in place of the list of
			kernels; in presenter mode, the lower part of the screen */
};

struct layout_row {
	const char *name;
	enum area area;
	int min_width,
		min_height; /* smallest size of a panel in AREA_BODY or AREA_TALL, rule included */
	bool wanted;
	int best_height; /* number of rows with which a panel of AREA_BODY shows everything; 0: the
			    panel can use any number of rows */
	/* For AREA_LESSON: number of rows with which the lesson's panel shows everything if it is
	 * as wide as the screen. */
	int whole_height;
	int place; /* order in AREA_BODY: panels that fit are shown in ascending order of `place` */
	bool extra; /* a panel of AREA_BODY that is omitted if it would leave another panel less
		       than that panel's comfortable height */
	bool front; /* the user asked for this panel: the panel is the first below the top block,
		       with best_height rows if possible */
	bool alone; /* the panel gets all screen rows between the first and the last two */
	bool whole; /* a panel of AREA_BODY that gets the whole width of the screen while it is in
		       front */
};

struct layout_item {
	const char *name; /* the name of the row */
	struct box at;
};

struct layout {
	int count;
	struct layout_item item[LAYOUT_MAX];
};

/* Returns the width of a panel of AREA_LESSON next to the measured value. */
int layout_lesson_width(int width);

/* Returns the number of rows of the large digits that a screen of this size has room for: 3, 5, 7
 * or 11. */
int layout_digits(int width, int height);

/* Computes the layout of panels. Parameter `rows`: the panels in order of importance. Parameter
 * `top_rows`: the number of screen rows that the top block can use, rule included. The first panel
 * of AREA_BODY that has something to show always has a place, unless the screen is smaller than the
 * minimum size. In presenter mode (`present`), only one panel is below the setting and its value.
 */
void layout_compute(int width, int height, const struct layout_row *rows, int row_count,
	int top_rows, bool present, struct layout *layout);

/* Returns the rectangle of the panel with this name; NULL: the panel has no place on the screen. */
const struct box *layout_find(const struct layout *layout, const char *name);
