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

/* Fills a triangle with a value, row by row between its edges. */
static void fill_triangle(struct dots *dots, const struct dots_point *corner, uint8_t value)
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
			/* Find the range of x that an edge of the polygon covers in this row of
			 * points. */
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
				*at = value;
		}
	}
}

static void fill(struct dots *dots, const struct dots_point *corner, int count, uint8_t value)
{
	for (int i = 2; i < count; i++) {
		const struct dots_point triangle[3] = { corner[0], corner[i - 1], corner[i] };

		fill_triangle(dots, triangle, value);
	}
}

void dots_hide(struct dots *dots, const struct dots_point *corner, int count)
{
	fill(dots, corner, count, 0);
}

void dots_fill(struct dots *dots, const struct dots_point *corner, int count, enum style style)
{
	fill(dots, corner, count, (uint8_t)(style + 1));
}

/* Returns the points of a cell: one bit for each point, row by row from the upper left point. */
static unsigned cell_of(
	const struct dots *dots, int column, int row, enum style first, enum style *style)
{
	unsigned bits = 0, count[STYLE_COUNT] = { 0 }, most = 0;

	for (int y = 0; y < DOWN; y++)
		for (int x = 0; x < ACROSS; x++) {
			const uint8_t *at = place(dots, column * ACROSS + x, row * DOWN + y);

			if (!at || !*at)
				continue;
			bits |= 1u << (y * ACROSS + x);
			count[*at - 1]++;
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

/* The shapes of ASCII characters in two columns and four rows of points. Each hexadecimal digit is
 * a row of two points, from the top row on; 2 is the left point, 1 is the right point. If several
 * characters are equally similar to a cell, the first character of the table is used. */
static const struct {
	char character;
	unsigned short rows;
} shapes[] = { { ' ', 0x0000 }, { '.', 0x0002 }, { '.', 0x0001 }, { '_', 0x0003 }, { '_', 0x0033 },
	{ '-', 0x0300 }, { '-', 0x0030 }, { '-', 0x0330 }, { '"', 0x3000 }, { '"', 0x3300 },
	{ '\'', 0x2000 }, { '\'', 0x1000 }, { '\'', 0x2200 }, { '\'', 0x1100 }, { '-', 0x0200 },
	{ '-', 0x0100 }, { '-', 0x0020 }, { '-', 0x0010 }, { ',', 0x0022 }, { ',', 0x0011 },
	{ '|', 0x2222 }, { '|', 0x1111 }, { '|', 0x0222 }, { '|', 0x0111 }, { '|', 0x2220 },
	{ '|', 0x1110 }, { '/', 0x1122 }, { '/', 0x0122 }, { '/', 0x1120 }, { '/', 0x1200 },
	{ '/', 0x0012 }, { '/', 0x0120 }, { '\\', 0x2211 }, { '\\', 0x0211 }, { '\\', 0x2210 },
	{ '\\', 0x2100 }, { '\\', 0x0021 }, { '\\', 0x0210 }, { '=', 0x3030 }, { '=', 0x0303 },
	{ '=', 0x3003 }, { ':', 0x0202 }, { ':', 0x0101 }, { '+', 0x2322 }, { '+', 0x1311 },
	{ '>', 0x2112 }, { '<', 0x1221 }, { 'r', 0x3222 }, { 'L', 0x2223 }, { 'J', 0x1113 },
	{ '7', 0x3111 }, { '#', 0x3333 }, { '#', 0x0333 }, { '#', 0x3330 } };

static char shape_of(unsigned bits)
{
	unsigned fewest = 9;
	char character = ' ';

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		unsigned other = 0, apart;

		for (int point = 0; point < 8; point++)
			other |= (shapes[i].rows >> (12 - point / 2 * 4 + 1 - point % 2) & 1u)
				 << point;
		apart = (unsigned)__builtin_popcount(other ^ bits);
		if (apart < fewest) {
			fewest = apart;
			character = shapes[i].character;
		}
	}
	return character;
}

/* The Unicode block elements for the filled quarters of a cell. Each bit of the index is
 * a quarter of a cell, row by row from the upper left quarter. */
static const enum glyph quarters[16] = { GLYPH_SHADE0, GLYPH_QUARTER1, GLYPH_QUARTER2,
	GLYPH_UPPER_HALF, GLYPH_QUARTER4, GLYPH_LEFT_HALF, GLYPH_QUARTER6, GLYPH_QUARTER7,
	GLYPH_QUARTER8, GLYPH_QUARTER9, GLYPH_RIGHT_HALF, GLYPH_QUARTER11, GLYPH_LOWER_HALF,
	GLYPH_QUARTER13, GLYPH_QUARTER14, GLYPH_BAR8 };

/* Draws a cell of the canvas that contains points of shaded areas. Returns false, and draws
 * nothing, if the cell contains no points of shaded areas. */
static bool show_area(
	const struct dots *dots, struct box at, int x, int y, int column, int row, enum style first)
{
	unsigned count[STYLE_COUNT] = { 0 }, lines = 0, filled = 0, set = 0, most = 0;
	int shade = -1;

	for (int i = 0; i < ACROSS * DOWN; i++) {
		const uint8_t *point =
			place(dots, column * ACROSS + i % ACROSS, row * DOWN + i / ACROSS);

		if (!point || !*point)
			continue;
		set++;
		count[*point - 1]++;
		filled |= 1u << (i / ACROSS / 2 * 2 + i % ACROSS);
		if (*point - 1 < STYLE_SHADE0 || *point - 1 > STYLE_SHADE7)
			lines |= 1u << i;
	}
	/* A cell without points of an area has the shade of its lines. */
	for (int i = STYLE_SHADE0; i < STYLE_COUNT; i++)
		if (count[i] > most && (i <= STYLE_SHADE7 || (shade < 0 && i >= STYLE_FACET0))) {
			most = count[i];
			shade = i <= STYLE_SHADE7 ? i - STYLE_SHADE0 : i - STYLE_FACET0;
		}
	if (shade < 0)
		return false;
	if (set < ACROSS * DOWN)
		canvas_glyph(at, x + column, y + row, (enum style)(STYLE_SHADE0 + shade),
			quarters[filled]);
	else if (lines)
		canvas_dots(at, x + column, y + row,
			(enum style)((count[first] ? STYLE_AREA0 : STYLE_FACET0) + shade), lines,
			shape_of(lines));
	else
		canvas_glyph(
			at, x + column, y + row, (enum style)(STYLE_AREA0 + shade), GLYPH_SHADE0);
	return true;
}

void dots_show(const struct dots *dots, struct box at, int x, int y, enum style first)
{
	for (int row = 0; row < dots->height / DOWN; row++)
		for (int column = 0; column < dots->width / ACROSS; column++) {
			enum style style = STYLE_TEXT;
			unsigned bits;

			if (at.canvas->solid && show_area(dots, at, x, y, column, row, first))
				continue;
			bits = cell_of(dots, column, row, first, &style);
			if (bits)
				canvas_dots(at, x + column, y + row, style, bits, shape_of(bits));
		}
}

/* ---- digits ---- */

/* Large digits consist of block elements, two pixels in each cell, one above the other. A digit of
 * three rows on an ASCII canvas has seven segments of underscores and vertical bars. */

/* Each digit is three rows of three cells: '#' is a full cell, '^' is an upper half, ' ' is empty.
 * A digit in this coarse form has five rows of three pixels. */
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
	"^^# ^^ ^ ",
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
	" _  _| . ",
};

/* Returns the index of the large shape for a character: 0 to 9 for digits, 10 for the question
 * mark. */
static int shape_index(char character)
{
	return character == '?' ? 10 : character - '0';
}

/* The sizes, in pixels, of the strokes of a digit that is stretched to a height. A cell has two
 * pixels, one above the other, and a pixel is about as high as wide. The first, third and fifth row
 * of pixels of a digit are strokes, and so are its first and third column. */
struct stretch {
	int stroke; /* pixels of a stroke, also of the gap between characters */
	int gap;    /* pixels between two strokes, one above the other */
	int middle; /* columns between two strokes side by side */
};

static struct stretch stretch_to(int rows)
{
	struct stretch stretch = { .stroke = 2 * rows / 5 };

	stretch.gap = (2 * rows - 3 * stretch.stroke) / 2;
	stretch.middle = int_most(stretch.stroke, stretch.gap - 1);
	return stretch;
}

static int width_of(const struct stretch *stretch, char character)
{
	return character == '.' ? stretch->stroke : 2 * stretch->stroke + stretch->middle;
}

int digits_width(const char *figure, int rows)
{
	const struct stretch stretch = stretch_to(rows);
	int width = 0;

	for (; *figure; figure++) {
		if (*figure != '.' && *figure != '?' && (*figure < '0' || *figure > '9'))
			return 0;
		width += width_of(&stretch, *figure) + stretch.stroke;
	}
	return width > 0 ? width - stretch.stroke : 0;
}

int digits_fit(const char *figure, int width, int height)
{
	int rows = digits_width(figure, DIGITS_HEIGHT) ? height : 0;

	/* Large digits never have four rows, because the corners of their strokes would not meet.
	 */
	while (rows >= DIGITS_HEIGHT && (rows == 4 || digits_width(figure, rows) > width))
		rows--;
	return rows >= DIGITS_HEIGHT ? rows : 0;
}

/* Returns whether a stretched character has a pixel at column x and row y of its pixels. */
static bool has_pixel(const struct stretch *stretch, char character, int x, int y)
{
	int stroke = stretch->stroke, period = stroke + stretch->gap;
	int row = y / period * 2 + (y % period >= stroke), column;
	char cell;

	if (character == '.')
		return y >= 2 * period && row == 4;
	column = x < stroke ? 0 : x < stroke + stretch->middle ? 1 : 2;
	cell = row < 5 ? blocks[shape_index(character)][row / 2 * 3 + column] : ' ';
	return row % 2 ? cell == '#' : cell != ' ';
}

static void draw_stretched(struct box at, int x, int y, int rows, enum style style, char character)
{
	const struct stretch stretch = stretch_to(rows);

	for (int row = 0; row < rows; row++)
		for (int column = 0; column < width_of(&stretch, character); column++) {
			bool upper = has_pixel(&stretch, character, column, 2 * row),
			     lower = has_pixel(&stretch, character, column, 2 * row + 1);

			if (upper || lower)
				canvas_glyph(at, x + column, y + row, style,
					(upper && lower) || at.canvas->ascii ? GLYPH_BAR8
					: upper				     ? GLYPH_UPPER_HALF
									     : GLYPH_BAR4);
		}
}

/* Draws a character of three rows on an ASCII canvas. */
static void draw_segments(struct box at, int x, int y, enum style style, char character)
{
	if (character == '.')
		canvas_put(at, x, y + 2, style, ".");
	for (int i = 0; character != '.' && i < 9; i++)
		if (segments[shape_index(character)][i] != ' ')
			canvas_text(at, x + i % 3, y + i / 3, style, "%c",
				segments[shape_index(character)][i]);
}

void digits_draw(struct box at, int x, int y, int rows, enum style style, const char *figure)
{
	const struct stretch stretch = stretch_to(rows);

	for (; *figure; figure++) {
		if (digits_width((char[]){ *figure, '\0' }, rows) == 0)
			continue;
		if (at.canvas->ascii && rows == DIGITS_HEIGHT)
			draw_segments(at, x, y, style, *figure);
		else
			draw_stretched(at, x, y, rows, style, *figure);
		x += width_of(&stretch, *figure) + stretch.stroke;
	}
}
