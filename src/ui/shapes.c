#include "ui/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { ACROSS = 2, DOWN = 4 };

void dots_init(struct dots *dots, int columns, int rows)
{
	dots->width = columns > 0 ? columns * ACROSS : 0;
	dots->height = rows > 0 ? rows * DOWN : 0;
	dots->at = memory_new((size_t)dots->width * (size_t)dots->height + 1, 1);
}

void dots_free(struct dots *dots)
{
	free(dots->at);
	*dots = (struct dots){ 0 };
}

static uint8_t *place(const struct dots *dots, int x, int y)
{
	if (x < 0 || y < 0 || x >= dots->width || y >= dots->height)
		return NULL;
	return &dots->at[(size_t)y * (size_t)dots->width + (size_t)x];
}

bool dots_on(const struct dots *dots, int x, int y)
{
	const uint8_t *at = place(dots, x, y);

	return at && *at;
}

void dots_line(struct dots *dots, struct dots_point from, struct dots_point to, enum style style)
{
	double dx = to.x - from.x, dy = to.y - from.y;
	int steps = (int)ceil(fmax(fabs(dx), fabs(dy)));

	for (int i = 0; i <= steps; i++) {
		double share = steps ? (double)i / steps : 0;
		uint8_t *at = place(
			dots, (int)lround(from.x + share * dx), (int)lround(from.y + share * dy));

		if (at)
			*at = (uint8_t)(style + 1);
	}
}

/* Fills a triangle, row by row between its edges. */
static void hide_triangle(struct dots *dots, const struct dots_point *corner)
{
	int top = (int)lround(fmin(corner[0].y, fmin(corner[1].y, corner[2].y)));
	int bottom = (int)lround(fmax(corner[0].y, fmax(corner[1].y, corner[2].y)));

	for (int y = top < 0 ? 0 : top; y <= bottom && y < dots->height; y++) {
		double left = INFINITY, right = -INFINITY;

		for (int i = 0; i < 3; i++) {
			const struct dots_point *a = &corner[i], *b = &corner[(i + 1) % 3];
			double low = fmax(fmin(a->y, b->y), y - 0.5),
			       high = fmin(fmax(a->y, b->y), y + 0.5);

			if (low > high)
				continue;
			/* Find the interval that the edge covers in this row. */
			for (int end = 0; end < 2; end++) {
				double at = end ? high : low;
				double x = a->y == b->y ? (end ? b->x : a->x)
							: a->x + (at - a->y) / (b->y - a->y) *
									  (b->x - a->x);

				left = fmin(left, x);
				right = fmax(right, x);
			}
		}
		for (int x = (int)lround(left); right >= left && x <= (int)lround(right); x++) {
			uint8_t *at = place(dots, x, y);

			if (at)
				*at = 0;
		}
	}
}

void dots_hide(struct dots *dots, const struct dots_point *corner, int count)
{
	for (int i = 2; i < count; i++) {
		const struct dots_point triangle[3] = { corner[0], corner[i - 1], corner[i] };

		hide_triangle(dots, triangle);
	}
}

/* Returns the points of a cell, one bit each, row by row from the upper left. */
static unsigned cell_of(
	const struct dots *dots, int column, int row, enum style first, enum style *style)
{
	unsigned bits = 0, count[STYLE_COUNT] = { 0 }, most = 0;

	for (int y = 0; y < DOWN; y++) {
		for (int x = 0; x < ACROSS; x++) {
			const uint8_t *at = place(dots, column * ACROSS + x, row * DOWN + y);

			if (!at || !*at)
				continue;
			bits |= 1u << (y * ACROSS + x);
			count[*at - 1]++;
		}
	}
	for (int i = 0; i < STYLE_COUNT; i++) {
		if (count[i] > most) {
			most = count[i];
			*style = (enum style)i;
		}
	}
	if (count[first])
		*style = first;
	return bits;
}

/* ASCII characters as two by four points, rows from the top. If several characters are equally
 * similar to a cell, the first is used. */
static const struct {
	char character;
	unsigned char row[4]; /* 2: the left point, 1: the right one */
} shapes[] = {
	{ ' ', { 0, 0, 0, 0 } },
	{ '.', { 0, 0, 0, 2 } },
	{ '.', { 0, 0, 0, 1 } },
	{ '_', { 0, 0, 0, 3 } },
	{ '_', { 0, 0, 3, 3 } },
	{ '-', { 0, 3, 0, 0 } },
	{ '-', { 0, 0, 3, 0 } },
	{ '-', { 0, 3, 3, 0 } },
	{ '"', { 3, 0, 0, 0 } },
	{ '"', { 3, 3, 0, 0 } },
	{ '\'', { 2, 0, 0, 0 } },
	{ '\'', { 1, 0, 0, 0 } },
	{ '\'', { 2, 2, 0, 0 } },
	{ '\'', { 1, 1, 0, 0 } },
	{ '-', { 0, 2, 0, 0 } },
	{ '-', { 0, 1, 0, 0 } },
	{ '-', { 0, 0, 2, 0 } },
	{ '-', { 0, 0, 1, 0 } },
	{ ',', { 0, 0, 2, 2 } },
	{ ',', { 0, 0, 1, 1 } },
	{ '|', { 2, 2, 2, 2 } },
	{ '|', { 1, 1, 1, 1 } },
	{ '|', { 0, 2, 2, 2 } },
	{ '|', { 0, 1, 1, 1 } },
	{ '|', { 2, 2, 2, 0 } },
	{ '|', { 1, 1, 1, 0 } },
	{ '/', { 1, 1, 2, 2 } },
	{ '/', { 0, 1, 2, 2 } },
	{ '/', { 1, 1, 2, 0 } },
	{ '/', { 1, 2, 0, 0 } },
	{ '/', { 0, 0, 1, 2 } },
	{ '/', { 0, 1, 2, 0 } },
	{ '\\', { 2, 2, 1, 1 } },
	{ '\\', { 0, 2, 1, 1 } },
	{ '\\', { 2, 2, 1, 0 } },
	{ '\\', { 2, 1, 0, 0 } },
	{ '\\', { 0, 0, 2, 1 } },
	{ '\\', { 0, 2, 1, 0 } },
	{ '=', { 3, 0, 3, 0 } },
	{ '=', { 0, 3, 0, 3 } },
	{ '=', { 3, 0, 0, 3 } },
	{ ':', { 0, 2, 0, 2 } },
	{ ':', { 0, 1, 0, 1 } },
	{ '+', { 2, 3, 2, 2 } },
	{ '+', { 1, 3, 1, 1 } },
	{ '>', { 2, 1, 1, 2 } },
	{ '<', { 1, 2, 2, 1 } },
	{ 'r', { 3, 2, 2, 2 } },
	{ 'L', { 2, 2, 2, 3 } },
	{ 'J', { 1, 1, 1, 3 } },
	{ '7', { 3, 1, 1, 1 } },
	{ '#', { 3, 3, 3, 3 } },
	{ '#', { 0, 3, 3, 3 } },
	{ '#', { 3, 3, 3, 0 } },
};

static char shape_of(unsigned bits)
{
	unsigned fewest = 9;
	char character = ' ';

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		unsigned other = 0, apart;

		for (int row = 0; row < 4; row++)
			other |= (shapes[i].row[row] >> 1 | (shapes[i].row[row] & 1u) << 1)
				 << 2 * row;
		apart = (unsigned)__builtin_popcount(other ^ bits);
		if (apart < fewest) {
			fewest = apart;
			character = shapes[i].character;
		}
	}
	return character;
}

void dots_show(const struct dots *dots, struct box at, int x, int y, enum style first)
{
	for (int row = 0; row < dots->height / DOWN; row++) {
		for (int column = 0; column < dots->width / ACROSS; column++) {
			enum style style = STYLE_TEXT;
			unsigned bits = cell_of(dots, column, row, first, &style);

			if (bits)
				canvas_dots(at, x + column, y + row, style, bits, shape_of(bits));
		}
	}
}

/* ---- digits ---- */

/* Large digits from block elements. The ASCII twin is a seven-segment digit of underscores and
 * bars. */

/* Three rows of three cells: '#' full, '^' upper half, ' ' empty. A full stop has one column. */
static const char *const blocks[] = {
	"#^## #^^^",
	"^#  # ^^^",
	"^^##^^^^^",
	"^^# ^#^^^",
	"# #^^#  ^",
	"#^^^^#^^^",
	"#^^#^#^^^",
	"^^#  #  ^",
	"#^##^#^^^",
	"#^#^^#^^^",
};
static const char *const segments[] = {
	" _ | ||_|",
	"     |  |",
	" _  _||_ ",
	" _  _| _|",
	"   |_|  |",
	" _ |_  _|",
	" _ |_ |_|",
	" _   |  |",
	" _ |_||_|",
	" _ |_| _|",
};

int digits_width(const char *figure)
{
	int width = 0;

	for (; *figure; figure++) {
		if (*figure >= '0' && *figure <= '9')
			width += 4;
		else if (*figure == '.')
			width += 2;
		else
			return 0;
	}
	return width > 0 ? width - 1 : 0;
}

static void draw_cell(struct box at, int x, int y, enum style style, char cell)
{
	if (cell == ' ')
		return;
	if (at.canvas->ascii)
		canvas_text(at, x, y, style, "%c", cell);
	else
		canvas_glyph(at, x, y, style, cell == '#' ? GLYPH_BAR8 : GLYPH_UPPER_HALF);
}

void digits_draw(struct box at, int x, int y, enum style style, const char *figure)
{
	for (; *figure; figure++) {
		if (*figure == '.') {
			draw_cell(at, x, y + 2, style, at.canvas->ascii ? '.' : '^');
			x += 2;
		} else if (*figure >= '0' && *figure <= '9') {
			const char *shape = (at.canvas->ascii ? segments : blocks)[*figure - '0'];

			for (int i = 0; i < 9; i++)
				draw_cell(at, x + i % 3, y + i / 3, style, shape[i]);
			x += 4;
		}
	}
}
