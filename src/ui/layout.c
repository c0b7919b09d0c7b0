/* Computes the rectangles of panels. */
#include "ui/layout.h"

#include <string.h>

enum {
	TOP_MIN = 8,	    /* smallest height of the top block: rule, large digits, spread, trials,
			       source, rates */
	PRESENT_MIN = 9,    /* smallest height of the setting and its value in presenter mode: knob,
			       setting, large digits, spread, limit, A, state */
	PRESENT_LESSON = 7, /* smallest height, in presenter mode, of the measured value above a
			       lesson: like PRESENT_MIN without A and the setting */
	BODY_MIN = 5, /* smallest height of the body (the area below the top block): rule, three
			 rows of bars, labels */
	WHOLE_COMFORT = 18, /* number of rows that is comfortable for a whole-width panel; if fewer
			       rows are available, the panel gets the whole body */
	OTHERS = 8,	    /* number of rows that a whole-width panel leaves to other panels */
	PAIR_WIDTH = 100,   /* smallest width at which the body may have two columns */
	VERY_WIDE = 150,    /* smallest width at which the body always has two columns */
	COLUMN_GAP = 2,
	COMFORT = 12,	  /* number of rows that is a comfortable height, also for a long list */
	LESSON_MIN = 11,  /* smallest height of a lesson next to the measured value */
	SMALL_WIDTH = 20, /* the smallest screen that shows the text of a lesson */
	SMALL_HEIGHT = 5,
	SMALL_NOTICE = 8, /* smallest height of a small screen with a row for messages */
	ANY_FIRST = 3,	  /* rows that a line of panels that can use any height gets first, before
			     other lines grow until their panels show everything */
};

/* The panels to place on the screen (each described by a struct layout_row), in order of
 * importance, and the layout with the panels placed so far. */
struct placing {
	const struct layout_row *rows;
	int row_count;
	struct layout *layout;
};

static void place(struct layout *layout, const char *name, struct box at)
{
	if (layout->count < LAYOUT_MAX && at.width > 0 && at.height > 0)
		layout->item[layout->count++] = (struct layout_item){ name, at };
}

/* Places the first panel of an area that has something to show. */
static void place_area(
	const struct placing *placing, enum area area, int x, int y, int width, int height)
{
	const struct layout_row *row = placing->rows, *end = row + placing->row_count;

	while (row < end && (row->area != area || !row->wanted))
		row++;
	if (row < end)
		place(placing->layout, row->name, (struct box){ x, y, width, height });
}

int layout_digits(int width, int height)
{
	return width >= 220 && height >= 80   ? 11
	       : width >= 150 && height >= 50 ? 7
	       : width >= 110 && height >= 36 ? 5
					      : 3;
}

/* Places the kernels, the knobs and the measured value. On a screen of at least 116 columns, also
 * places the text about the kernel.
 */
static void place_top(const struct placing *placing, int y, int width, int height, int digits)
{
	int gap = width >= 76 ? COLUMN_GAP : 1;
	int kernels = width >= 120 ? 20 : width >= 76 ? 16 : 13;
	int about = width >= 116 ? int_most(width - 116, 0) / 2 + 24 : 0;
	int rest, figure, knobs, x = kernels + gap;

	rest = width - kernels - 2 * gap - (about ? about + gap : 0);
	/* Digits of 11 rows need 68 columns, and their unit 12 more. */
	figure = int_least(rest / 2 + (width < 100), digits > 7 ? 80 : 46);
	knobs = int_least(rest - figure, 46);
	if (about)
		about = width - kernels - knobs - figure - 3 * gap;
	else
		figure = rest - knobs;
	place_area(placing, AREA_KERNELS, 0, y, kernels, height);
	place_area(placing, AREA_KNOBS, x, y, knobs, height);
	x += knobs + gap;
	place_area(placing, AREA_FIGURE, x, y, figure, height);
	place_area(placing, AREA_ABOUT, x + figure + gap, y, about, height);
}

/* Returns the columns of the measured value's panel next to a lesson. On a narrow screen there is
 * no panel of knobs: the lesson's panel shows the chosen knob. */
static int lesson_figure(int width)
{
	return width >= 220 ? 80 : width >= 100 ? 40 : 30;
}

static int lesson_knobs(int width)
{
	return width >= 116 ? 30 : 0;
}

int layout_lesson_width(int width)
{
	int knobs = lesson_knobs(width);

	return width - lesson_figure(width) - COLUMN_GAP - (knobs ? knobs + COLUMN_GAP : 0);
}

/* Places three panels in `inside` rows from row 1 on: a lesson, the knobs and the measured value. A
 * lesson that is too long for its place next to the measured value gets the whole width of the
 * screen, below one row with the measured value. Returns the number of rows below the lesson that
 * are still free. */
static int place_lesson(
	const struct placing *placing, const struct layout_row *lesson, int width, int inside)
{
	int figure = lesson_figure(width), knobs = lesson_knobs(width),
	    beside = layout_lesson_width(width), x = beside + COLUMN_GAP;
	int rows = int_most(lesson->best_height, LESSON_MIN + layout_digits(width, inside + 3) - 3);

	if (rows > inside) {
		inside--;
		rows = int_least(lesson->whole_height, inside);
		rows = inside - rows < BODY_MIN ? inside : rows;
		place_area(placing, AREA_LINE, 0, 1, width, 1);
		place(placing->layout, lesson->name, (struct box){ 0, 2, width, rows });
		return inside - rows;
	}
	rows = inside - rows < BODY_MIN ? inside : rows;
	place(placing->layout, lesson->name, (struct box){ 0, 1, beside, rows });
	if (knobs) {
		place_area(placing, AREA_KNOBS, x, 1, knobs, rows);
		x += knobs + COLUMN_GAP;
	}
	place_area(placing, AREA_FIGURE, x, 1, figure, rows);
	return inside - rows;
}

/* The panels of the body, the area below the top block, arranged in lines of `columns` panels side
 * by side. Each panel of the body is described by a struct layout_row. */
struct band {
	const struct layout_row *row[LAYOUT_MAX];
	int count, columns;
};

/* Panels side by side form a line. The numbers of screen rows that the panels of one line need. */
struct line {
	int least;
	int best; /* height at which all panels of the line show everything; 0: every panel of the
		     line can use any height */
	bool any; /* at least one panel of the line can use any height */
};

static struct line line_of(const struct band *band, int line)
{
	struct line needs = { 0 };

	for (int i = line * band->columns; i < band->count && i < (line + 1) * band->columns; i++) {
		needs.least = int_most(needs.least, band->row[i]->min_height);
		needs.best = int_most(needs.best, band->row[i]->best_height);
		needs.any |= band->row[i]->best_height == 0;
	}
	return needs;
}

/* Distributes up to `left` screen rows to the lines of panels, one by one. Each screen row goes to
 * the line of panels that has the fewest rows and can still grow; `room` limits the height of each
 * line. Returns the number of screen rows that no line of panels could use. */
static int grow(int *heights, const int *room, int lines, int left)
{
	for (; left > 0; left--) {
		int lowest = -1;

		for (int line = 0; line < lines; line++)
			if (heights[line] < room[line] &&
				(lowest < 0 || heights[line] < heights[lowest]))
				lowest = line;
		if (lowest < 0)
			break;
		heights[lowest]++;
	}
	return left;
}

/* Computes the number of screen rows that each line of panels gets. First each line gets its
 * minimum height. Then each line grows up to the height at which its panels show everything. The
 * remaining screen rows go to lines of panels that can use any height, then to all lines. */
static void share_height(const struct band *band, int height, int *heights)
{
	int lines = (band->count + band->columns - 1) / band->columns, left = height;
	int room[3][LAYOUT_MAX] = { 0 };

	for (int i = 0; i < lines; i++) {
		struct line line = line_of(band, i);
		int any = band->row[i * band->columns]->extra ? 0 : ANY_FIRST;

		left -= heights[i] = line.least;
		room[0][i] = line.best ? line.best : line.least + any;
		room[1][i] = line.any ? height : 0;
		room[2][i] = height;
	}
	if (lines == 1)
		heights[0] = height;
	for (int pass = 0; pass < 3 && lines > 1; pass++)
		left = grow(heights, room[pass], lines, left);
}

/* Computes the place of each panel of the body in a rectangle of the screen. If the last line has a
 * single panel, the panel fills the line. */
static void place_grid(struct layout *layout, const struct band *band, struct box at)
{
	int heights[LAYOUT_MAX] = { 0 }, y = at.y;

	share_height(band, at.height, heights);
	for (int i = 0; i < band->count; i++) {
		int line = i / band->columns, column = i % band->columns;
		int here = int_least(band->count - line * band->columns, band->columns);
		int width = (at.width - COLUMN_GAP * (here - 1)) / here;
		int x = column * (width + COLUMN_GAP);

		if (column == here - 1)
			width = at.width - x;
		place(layout, band->row[i]->name,
			(struct box){ at.x + x, y, width, heights[line] });
		if (column == here - 1)
			y += heights[line];
	}
}

/* Returns whether the minimum heights of the lines of panels fit into `height` rows of the screen.
 * A single line always fits. */
static bool fits(const struct band *band, int height)
{
	int used = 0;

	for (int line = 0; line * band->columns < band->count; line++)
		used += line_of(band, line).least;
	return band->count <= band->columns || used <= height;
}

/* Chooses the number of columns. A very wide screen has two columns; a wide screen has two columns
 * if a single column would omit panels. Returns whether all panels fit. */
static bool arrange(struct band *band, int width, int height)
{
	band->columns = 1;
	if (width >= VERY_WIDE || (width >= PAIR_WIDTH && !fits(band, height)))
		band->columns = 2;
	return fits(band, height);
}

/* Sorts the panels by their field `place` (the order on the screen), with a stable sort. */
static void sort_places(struct band *band)
{
	for (int i = 1; i < band->count; i++) {
		const struct layout_row *row = band->row[i];
		int at = i;

		for (; at > 0 && band->row[at - 1]->place > row->place; at--)
			band->row[at] = band->row[at - 1];
		band->row[at] = row;
	}
}

/* Returns whether each panel gets a comfortable height: the height at which it shows everything, or
 * COMFORT, whichever is smaller. */
static bool all_comfortable(const struct band *band, int width, int height)
{
	struct band comfortable = *band;
	struct layout_row copies[LAYOUT_MAX];

	for (int i = 0; i < band->count; i++) {
		struct layout_row *row = &copies[i];

		*row = *band->row[i];
		row->min_height = int_most(row->min_height, int_least(row->best_height, COMFORT));
		if (row->best_height == 0 && !row->extra)
			row->min_height += ANY_FIRST;
		comfortable.row[i] = row;
	}
	sort_places(&comfortable);
	return arrange(&comfortable, width, height);
}

/* Places a panel that the user asked for and that uses the whole width. The panel's height is at
 * most the height at which it shows everything, and leaves OTHERS rows to other panels. If this
 * height is less than WHOLE_COMFORT, the panel gets the whole body of the screen. Returns the part
 * of the rectangle that is left for other panels. */
static struct box place_whole(const struct placing *placing, struct box at)
{
	for (int i = 0; i < placing->row_count; i++) {
		const struct layout_row *row = &placing->rows[i];
		int height = int_least(row->best_height, at.height - OTHERS);

		if (!row->wanted || !row->front || !row->whole)
			continue;
		if (height < WHOLE_COMFORT)
			height = at.height;
		place(placing->layout, row->name, (struct box){ at.x, at.y, at.width, height });
		at.y += height;
		at.height -= height;
	}
	return at;
}

/* Places the body. On a wide screen, a tall panel gets a column at the right if all more important
 * panels still fit. */
static void place_body(const struct placing *placing, struct box at)
{
	struct band band = { .count = 0 };
	struct layout_row front;
	bool tall_placed = false;

	at = place_whole(placing, at);
	if (at.height < BODY_MIN)
		return;
	for (int i = 0; i < placing->row_count && band.count < LAYOUT_MAX; i++) {
		const struct layout_row *row = &placing->rows[i];
		int tall_width = int_most(row->min_width, at.width * 2 / 5);
		int left = at.width - tall_width - COLUMN_GAP;

		if (!row->wanted || (row->front && row->whole) ||
			(row->area != AREA_BODY && row->area != AREA_TALL) ||
			(band.count > 0 && row->min_width > at.width))
			continue;
		if (row->area == AREA_TALL && at.width >= PAIR_WIDTH && !row->front) {
			if (tall_placed || row->min_height > at.height || band.count == 0 ||
				!arrange(&band, left, at.height))
				continue;
			place(placing->layout, row->name,
				(struct box){
					at.x + left + COLUMN_GAP, at.y, tall_width, at.height });
			at.width = left;
			tall_placed = true;
			continue;
		}
		band.row[band.count++] = row;
		if (row->front && band.count == 1) {
			/* The panel that the user asked for gets the height at which it shows
			 * everything, but at most three fifths of the body. */
			front = *row;
			front.min_height = int_most(
				front.min_height, int_least(front.best_height, at.height * 3 / 5));
			band.row[0] = &front;
		}
		if (band.count > 1 &&
			(!arrange(&band, at.width, at.height) ||
				(row->extra && !all_comfortable(&band, at.width, at.height))))
			band.count--;
	}
	sort_places(&band);
	arrange(&band, at.width, at.height);
	place_grid(placing->layout, &band, at);
}

/* Places the brief panel and, below it, the panel that the user asked for, or else the first panel
 * of the body. The panel below the brief panel gets somewhat more rows, because a value needs fewer
 * rows than a curve. */
static void place_present(const struct placing *placing, int width, int inside)
{
	const struct layout_row *chosen = NULL;
	int top = int_most(inside * 3 / 5, PRESENT_MIN);

	for (int i = 0; i < placing->row_count; i++) {
		const struct layout_row *row = &placing->rows[i];
		bool body = row->area == AREA_BODY || row->area == AREA_TALL;

		if (row->wanted && body && (!chosen || row->front))
			chosen = row;
	}
	for (int i = 0; i < placing->row_count; i++)
		if (placing->rows[i].area == AREA_LESSON && placing->rows[i].wanted)
			chosen = &placing->rows[i];
	/* In presenter mode, the lesson gets the rows that its text needs, but the measured value
	 * keeps at least PRESENT_LESSON rows. */
	if (chosen && chosen->area == AREA_LESSON)
		top = int_most(int_least(top, inside - chosen->whole_height), PRESENT_LESSON);
	if (!chosen || inside - top < BODY_MIN)
		top = inside;
	place_area(placing, AREA_LINE, 0, 0, width, top);
	if (top < inside)
		place(placing->layout, chosen->name, (struct box){ 0, top, width, inside - top });
}

/* Places an open lesson on a screen that is too small for panels: the measured value in one row,
 * the text of the lesson, messages and keys. */
static void place_small_lesson(
	const struct placing *placing, const struct layout_row *lesson, int width, int height)
{
	int below = 1 + (height >= SMALL_NOTICE);

	place_area(placing, AREA_LINE, 0, 0, width, 1);
	place(placing->layout, lesson->name, (struct box){ 0, 1, width, height - 1 - below });
	if (below > 1)
		place_area(placing, AREA_NOTICE, 0, height - 2, width, 1);
	place_area(placing, AREA_KEYS, 0, height - 1, width, 1);
}

void layout_compute(int width, int height, const struct layout_row *rows, int row_count,
	int top_rows, bool present, struct layout *layout)
{
	const struct placing placing = { rows, row_count, layout };
	const struct layout_row *alone = NULL, *lesson = NULL;
	int inside = height - 3, digits = layout_digits(width, height), top;

	layout->count = 0;
	for (int i = 0; i < row_count; i++) {
		if (!alone && rows[i].alone && rows[i].wanted)
			alone = &rows[i];
		if (rows[i].area == AREA_LESSON && rows[i].wanted)
			lesson = &rows[i];
	}
	if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
		if (lesson && width >= SMALL_WIDTH && height >= SMALL_HEIGHT)
			place_small_lesson(&placing, lesson, width, height);
		else
			place_area(&placing, AREA_LINE, 0, 0, width, height);
		return;
	}
	if (present) {
		place_present(&placing, width, height - 2);
		place_area(&placing, AREA_NOTICE, 0, height - 2, width, 1);
		place_area(&placing, AREA_KEYS, 0, height - 1, width, 1);
		return;
	}
	/* Large digits get additional rows, so that the other lines of the top block keep their
	 * rows. */
	top = int_least(int_most(top_rows, 11) + digits - 3, int_most((inside + 1) / 2, TOP_MIN));
	top = int_least(top, inside - BODY_MIN);
	place_area(&placing, AREA_HEADER, 0, 0, width, 1);
	if (alone && !lesson) {
		place(layout, alone->name, (struct box){ 0, 1, width, inside });
	} else if (lesson) {
		top = inside - place_lesson(&placing, lesson, width, inside);
		place_body(&placing, (struct box){ 0, 1 + top, width, inside - top });
	} else {
		place_top(&placing, 1, width, top, digits);
		place_body(&placing, (struct box){ 0, 1 + top, width, inside - top });
	}
	place_area(&placing, AREA_NOTICE, 0, height - 2, width, 1);
	place_area(&placing, AREA_KEYS, 0, height - 1, width, 1);
}

const struct box *layout_find(const struct layout *layout, const char *name)
{
	for (int i = 0; i < layout->count; i++)
		if (strcmp(layout->item[i].name, name) == 0)
			return &layout->item[i].at;
	return NULL;
}
