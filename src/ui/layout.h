/* Computes the rectangle of each panel. layout_compute() is a pure function of the screen size and
 * the wanted panels.
 *
 * The top block has kernels, knobs and the figure side by side. The body is below it. The body
 * shows as many of its rows as fit, in the order of the table in panels.c. */
#pragma once

#include <stdbool.h>

#include "ui/canvas.h"

/* A smaller screen shows no panels, only AREA_LINE. */
enum { LAYOUT_MIN_WIDTH = 60, LAYOUT_MIN_HEIGHT = 16, LAYOUT_MAX = 32 };

enum area {
	AREA_HEADER, /* the first row */
	AREA_KERNELS,
	AREA_KNOBS,
	AREA_FIGURE, /* the top block, always shown */
	AREA_ABOUT,  /* next to the top block on a wide screen */
	AREA_BODY,   /* below: stacked, or in pairs on a wide screen */
	AREA_TALL,   /* below: in a column of its own on a wide screen, else like AREA_BODY */
	AREA_NOTICE, /* the last row but one */
	AREA_KEYS,   /* the last row */
	AREA_LINE,   /* the whole screen, if it is too small for panels */
};

struct layout_row {
	const char *name;
	enum area area;
	int min_width, min_height; /* of AREA_BODY and AREA_TALL, with the rule above */
	bool wanted;
	int best_height; /* of AREA_BODY: the height that shows everything; 0: it can use any height
			  */
	int place;	 /* of AREA_BODY: the rows that fit are shown in this order */
	bool extra; /* of AREA_BODY: omitted if another row would then get less than its comfortable
		       height */
	bool front; /* the user asked for this panel: it is the first row, with its best height if
		     * possible */
	bool alone; /* the panel gets all screen rows between the first and the last two */
	bool whole; /* of AREA_BODY: in front it has the whole width */
};

struct layout_item {
	const char *name; /* the name of the row */
	struct box at;
};

struct layout {
	int count;
	struct layout_item item[LAYOUT_MAX];
};

/* Fills the layout. `rows` are in order of importance. top_rows: the height that the top block can
 * use, its rule included. The first wanted AREA_BODY row always has a place if the screen has at
 * least the smallest size. */
void layout_compute(int width, int height, const struct layout_row *rows, int row_count,
	int top_rows, struct layout *layout);

/* The rectangle of a row; NULL: it has no place. */
const struct box *layout_find(const struct layout *layout, const char *name);
