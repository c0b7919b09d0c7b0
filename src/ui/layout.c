/* Computes the rectangles of panels. */
#include "ui/layout.h"

#include <string.h>

enum {
	TOP_MIN = 8,  /* rule, large digits, spread, trials, source, rates */
	BODY_MIN = 5, /* rule, three rows of bars, labels */
	WHOLE_COMFORT =
		18, /* rows of a whole-width panel; if fewer are left, it gets the full height */
	OTHERS = 8, /* rows that a whole-width panel leaves to other panels */
	PAIR_WIDTH = 100, /* from this width on the body may have two columns */
	VERY_WIDE = 150,  /* from this width on the body always has two columns */
	COLUMN_GAP = 2,
	COMFORT = 12,  /* a comfortable height, also for a long list */
	ANY_FIRST = 3, /* rows of a line without a best height, given before other lines get their
			  best height */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

static int most(int a, int b)
{
	return a > b ? a : b;
}

static void place(struct layout *layout, const char *name, int x, int y, int width, int height)
{
	if (layout->count < LAYOUT_MAX && width > 0 && height > 0)
		layout->item[layout->count++] =
			(struct layout_item){ name, { x, y, width, height } };
}

/* Places the first wanted row of an area. */
static void place_area(struct layout *layout, const struct layout_row *rows, int row_count,
	enum area area, struct box at)
{
	for (int i = 0; i < row_count; i++) {
		if (rows[i].area == area && rows[i].wanted) {
			place(layout, rows[i].name, at.x, at.y, at.width, at.height);
			return;
		}
	}
}

/* Places kernels, knobs and figure. From 116 columns on, it also places the text about the kernel.
 */
static void place_top(struct layout *layout, const struct layout_row *rows, int row_count, int y,
	int width, int height)
{
	int gap = width >= 76 ? COLUMN_GAP : 1;
	int kernels = width >= 120 ? 20 : width >= 76 ? 16 : 13;
	int about = width >= 116 ? most(width - 116, 0) / 2 + 24 : 0;
	int rest, figure, knobs, x = 0;

	rest = width - kernels - 2 * gap - (about ? about + gap : 0);
	figure = least(rest / 2 + (width < 100), 46);
	knobs = least(rest - figure, 46);
	if (about)
		about = width - kernels - knobs - figure - 3 * gap;
	else
		figure = rest - knobs;
	place_area(layout, rows, row_count, AREA_KERNELS, (struct box){ x, y, kernels, height });
	x += kernels + gap;
	place_area(layout, rows, row_count, AREA_KNOBS, (struct box){ x, y, knobs, height });
	x += knobs + gap;
	place_area(layout, rows, row_count, AREA_FIGURE, (struct box){ x, y, figure, height });
	x += figure + gap;
	if (about)
		place_area(
			layout, rows, row_count, AREA_ABOUT, (struct box){ x, y, about, height });
}

static int line_height(const struct layout_row *const *rows, int count, int columns, int line)
{
	int height = 0;

	for (int i = line * columns; i < count && i < (line + 1) * columns; i++)
		height = most(height, rows[i]->min_height);
	return height;
}

/* Returns the height that shows everything in a line; 0: one row of the line can use any height. */
static int line_best(const struct layout_row *const *rows, int count, int columns, int line)
{
	int best = 0;

	for (int i = line * columns; i < count && i < (line + 1) * columns; i++)
		best = most(best, rows[i]->best_height);
	return best;
}

static bool line_takes_any(const struct layout_row *const *rows, int count, int columns, int line)
{
	for (int i = line * columns; i < count && i < (line + 1) * columns; i++)
		if (rows[i]->best_height == 0)
			return true;
	return false;
}

/* Distributes up to `left` rows one by one. Each goes to the line with the smallest height that is
 * still below its maximum in `room`. Returns the number of rows left over. */
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

/* Computes the heights of the lines. First each line gets its minimum height, then up to its best
 * height. Remaining rows go to lines that can use any height, then to all lines. */
static void share_height(
	const struct layout_row *const *rows, int count, int columns, int height, int *heights)
{
	int lines = (count + columns - 1) / columns, left = height, room[LAYOUT_MAX] = { 0 };

	for (int line = 0; line < lines; line++) {
		left -= heights[line] = line_height(rows, count, columns, line);
		room[line] = line_best(rows, count, columns, line);
		if (room[line] == 0)
			room[line] = heights[line] + (rows[line * columns]->extra ? 0 : ANY_FIRST);
	}
	if (lines == 1) {
		heights[0] = height;
		return;
	}
	left = grow(heights, room, lines, left);
	for (int line = 0; line < lines; line++)
		room[line] = line_takes_any(rows, count, columns, line) ? height : 0;
	left = grow(heights, room, lines, left);
	for (int line = 0; line < lines; line++)
		room[line] = height;
	grow(heights, room, lines, left);
}

/* Puts rows into a rectangle, `columns` rows side by side in each line. A single row in the last
 * line fills that line. */
static void place_grid(struct layout *layout, const struct layout_row *const *rows, int count,
	int columns, struct box at)
{
	int heights[LAYOUT_MAX] = { 0 }, y = at.y;

	share_height(rows, count, columns, at.height, heights);
	for (int i = 0; i < count; i++) {
		int line = i / columns, column = i % columns;
		int here = least(count - line * columns, columns);
		int width = (at.width - COLUMN_GAP * (here - 1)) / here;
		int x = column * (width + COLUMN_GAP);

		if (column == here - 1)
			width = at.width - x;
		place(layout, rows[i]->name, at.x + x, y, width, heights[line]);
		if (column == here - 1)
			y += heights[line];
	}
}

/* Whether the rows fit. A single line always fits. */
static bool fits(const struct layout_row *const *rows, int count, int columns, int height)
{
	int used = 0;

	for (int line = 0; line * columns < count; line++)
		used += line_height(rows, count, columns, line);
	return count <= columns || used <= height;
}

/* Returns the number of columns: two on a very wide screen, and on a wide screen if a single column
 * would omit rows. */
static int columns_for(const struct layout_row *const *rows, int count, int width, int height)
{
	if (width < PAIR_WIDTH)
		return 1;
	return width >= VERY_WIDE || !fits(rows, count, 1, height) ? 2 : 1;
}

static bool all_fit(const struct layout_row *const *rows, int count, int width, int height)
{
	return fits(rows, count, columns_for(rows, count, width, height), height);
}

/* Sorts rows by their places, stably. */
static void sort_places(const struct layout_row **rows, int count)
{
	for (int i = 1; i < count; i++) {
		const struct layout_row *row = rows[i];
		int at = i;

		for (; at > 0 && rows[at - 1]->place > row->place; at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

/* Whether each row gets its best height or COMFORT, the smaller of the two. */
static bool all_comfortable(const struct layout_row *const *rows, int count, int width, int height)
{
	const struct layout_row *comfortable[LAYOUT_MAX];
	struct layout_row copies[LAYOUT_MAX];

	for (int i = 0; i < count; i++) {
		copies[i] = *rows[i];
		copies[i].min_height =
			most(rows[i]->min_height, least(rows[i]->best_height, COMFORT));
		if (rows[i]->best_height == 0 && !rows[i]->extra)
			copies[i].min_height += ANY_FIRST;
		comfortable[i] = &copies[i];
	}
	sort_places(comfortable, count);
	return all_fit(comfortable, count, width, height);
}

/* Places a front row that has the whole width. Its height is at most its best height, and leaves
 * OTHERS rows to other panels. If that is less than WHOLE_COMFORT, it gets the whole body. Returns
 * the rest of the rectangle. */
static struct box place_whole(
	struct layout *layout, const struct layout_row *rows, int row_count, struct box at)
{
	for (int i = 0; i < row_count; i++) {
		int height = least(rows[i].best_height, at.height - OTHERS);

		if (!rows[i].wanted || !rows[i].front || !rows[i].whole)
			continue;
		if (height < WHOLE_COMFORT)
			height = at.height;
		place(layout, rows[i].name, at.x, at.y, at.width, height);
		at.y += height;
		at.height -= height;
	}
	return at;
}

/* Places the body. On a wide screen a tall row gets a column at the right if all more important
 * rows still fit. */
static void place_body(
	struct layout *layout, const struct layout_row *rows, int row_count, struct box at)
{
	const struct layout_row *band[LAYOUT_MAX];
	struct layout_row front;
	int count = 0;
	bool tall_placed = false;

	at = place_whole(layout, rows, row_count, at);
	if (at.height < BODY_MIN)
		return;
	for (int i = 0; i < row_count && count < LAYOUT_MAX; i++) {
		int tall_width = most(rows[i].min_width, at.width * 2 / 5);
		int left = at.width - tall_width - COLUMN_GAP;

		if (!rows[i].wanted || (rows[i].front && rows[i].whole) ||
			(rows[i].area != AREA_BODY && rows[i].area != AREA_TALL) ||
			(count > 0 && rows[i].min_width > at.width))
			continue;
		if (rows[i].area == AREA_TALL && at.width >= PAIR_WIDTH && !rows[i].front) {
			if (tall_placed || rows[i].min_height > at.height || count == 0 ||
				!all_fit(band, count, left, at.height))
				continue;
			place(layout, rows[i].name, at.x + left + COLUMN_GAP, at.y, tall_width,
				at.height);
			at.width = left;
			tall_placed = true;
			continue;
		}
		band[count++] = &rows[i];
		if (rows[i].front && count == 1) {
			/* The front row gets its best height if another row still fits. */
			front = rows[i];
			front.min_height =
				most(front.min_height, least(front.best_height, at.height * 3 / 5));
			band[0] = &front;
		}
		if (count > 1 && (!all_fit(band, count, at.width, at.height) ||
					 (rows[i].extra && !all_comfortable(band, count, at.width,
								   at.height))))
			count--;
	}
	sort_places(band, count);
	if (count > 0)
		place_grid(layout, band, count, columns_for(band, count, at.width, at.height), at);
}

void layout_compute(int width, int height, const struct layout_row *rows, int row_count,
	int top_rows, struct layout *layout)
{
	int inside = height - 3, top;

	layout->count = 0;
	if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
		place_area(layout, rows, row_count, AREA_LINE, (struct box){ 0, 0, width, height });
		return;
	}
	for (int i = 0; i < row_count; i++) {
		if (!rows[i].alone || !rows[i].wanted)
			continue;
		place_area(layout, rows, row_count, AREA_HEADER, (struct box){ 0, 0, width, 1 });
		place(layout, rows[i].name, 0, 1, width, inside);
		place_area(layout, rows, row_count, AREA_NOTICE,
			(struct box){ 0, height - 2, width, 1 });
		place_area(layout, rows, row_count, AREA_KEYS,
			(struct box){ 0, height - 1, width, 1 });
		return;
	}
	top = least(most(top_rows, 11), most((inside + 1) / 2, TOP_MIN));
	top = least(top, inside - BODY_MIN);
	place_area(layout, rows, row_count, AREA_HEADER, (struct box){ 0, 0, width, 1 });
	place_top(layout, rows, row_count, 1, width, top);
	place_body(layout, rows, row_count, (struct box){ 0, 1 + top, width, inside - top });
	place_area(layout, rows, row_count, AREA_NOTICE, (struct box){ 0, height - 2, width, 1 });
	place_area(layout, rows, row_count, AREA_KEYS, (struct box){ 0, height - 1, width, 1 });
}

const struct box *layout_find(const struct layout *layout, const char *name)
{
	for (int i = 0; i < layout->count; i++)
		if (strcmp(layout->item[i].name, name) == 0)
			return &layout->item[i].at;
	return NULL;
}
