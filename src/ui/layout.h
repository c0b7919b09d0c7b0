/* Where everything stands: a pure function from the size of the screen and what is wanted to
 * rectangles.
 *
 * The top block holds kernels, knobs and the figure side by side; below it the body takes as many
 * of its rows as have room, in the order of the table that it is given (panels.c). */
#ifndef SLX_UI_LAYOUT_H
#define SLX_UI_LAYOUT_H

#include <stdbool.h>

#include "ui/canvas.h"

/* Below this size there is one line only. */
enum { LAYOUT_MIN_WIDTH = 60, LAYOUT_MIN_HEIGHT = 16, LAYOUT_MAX = 32 };

enum area {
	AREA_HEADER, /* the first row */
	AREA_KERNELS,
	AREA_KNOBS,
	AREA_FIGURE, /* the top block, always there */
	AREA_ABOUT,  /* beside them where the screen is wide */
	AREA_BODY,   /* below, stacked, or in pairs where the screen is wide */
	AREA_TALL, /* below, as a column of its own where the screen is wide, else like AREA_BODY */
	AREA_NOTICE, /* the last row but one */
	AREA_KEYS,   /* the last row */
	AREA_LINE,   /* the whole of a screen that is too small for panels */
};

struct layout_row {
	const char *name;
	enum area area;
	int min_width, min_height; /* of AREA_BODY and AREA_TALL, with the rule above */
	bool wanted;
	int best_height; /* of AREA_BODY: more is of no use to it; 0: it can use any height */
	int place;	 /* of AREA_BODY: those that have room stand in this order */
	bool extra; /* of AREA_BODY: left out where it would keep others from a height that suits
		       them */
	bool front; /* it was asked for: the first row, with its best height if it can be had */
	bool alone; /* it has the screen between the first row and the last two to itself */
	bool whole; /* of AREA_BODY: in front it has the whole width */
};

struct layout_item {
	const char *name; /* the row's */
	struct rectangle at;
};

struct layout {
	int count;
	struct layout_item item[LAYOUT_MAX];
};

/* Fills the layout. rows are in order of importance; top_rows is how many rows the top block would
 * like, its rule included. The first AREA_BODY row that is wanted has a place on every screen from
 * the smallest size on. */
void layout_compute(int width, int height, const struct layout_row *rows, int row_count,
	int top_rows, struct layout *layout);

/* The rectangle of a row, or NULL where it has none. */
const struct rectangle *layout_find(const struct layout *layout, const char *name);

#endif
