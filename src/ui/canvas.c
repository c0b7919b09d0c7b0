/* A canvas of cells in memory, and functions that write text into the canvas. */
#include "ui/canvas.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const struct {
	wchar_t wide;
	char ascii;
} glyphs[] = {
#define GLYPH(name, wide, ascii) { wide, ascii },
	GLYPHS(GLYPH)
};

/* Table of the ASCII characters that replace other characters on an ASCII canvas. */
static const struct {
	wchar_t wide;
	const char *ascii;
} twins[] = { { L'…', ".." }, { L'×', "x" }, { L'±', "+-" }, { L'·', "-" }, { L'—', "-" },
	{ L'–', "-" }, { L'•', "o" }, { L'≤', "<=" }, { L'≥', ">=" }, { L'÷', "/" }, { L'µ', "u" },
	{ L'‘', "'" }, { L'’', "'" }, { L'“', "\"" }, { L'”', "\"" }, { L'→', "->" }, { L'█', "#" },
	{ L'▒', ":" }, { L'●', "@" }, { L'▲', "^" }, { L'▸', ">" }, { L'◂', "<" }, { L'▼', "v" },
	{ L'◀', "<-" }, { L'│', "|" } };

void canvas_init(struct canvas *canvas, int width, int height, bool ascii)
{
	*canvas = (struct canvas){ .ascii = ascii };
	for (int i = 0; i < GLYPH_COUNT; i++)
		canvas->glyphs[i] = !ascii && wcwidth(glyphs[i].wide) == 1
					    ? glyphs[i].wide
					    : (wchar_t)glyphs[i].ascii;
	canvas_resize(canvas, width, height);
}

void canvas_free(struct canvas *canvas)
{
	free(canvas->cells);
	free(canvas->region);
	canvas->cells = NULL;
	canvas->region = NULL;
	canvas->region_count = 0;
	canvas->width = canvas->height = 0;
}

void canvas_resize(struct canvas *canvas, int width, int height)
{
	canvas->width = width > 0 ? width : 0;
	canvas->height = height > 0 ? height : 0;
	canvas->cells = memory_resize(canvas->cells,
		(size_t)canvas->width * (size_t)canvas->height + 1, sizeof(*canvas->cells));
	canvas_clear(canvas);
}

void canvas_clear(struct canvas *canvas)
{
	canvas_fill(canvas_box(canvas), STYLE_TEXT);
	canvas->region_count = 0;
}

void canvas_region(struct box at, const char *click, const char *up, const char *down)
{
	struct canvas *canvas = at.canvas;
	struct region *region;

	if (!canvas->mouse)
		return;
	canvas->region = memory_grow(canvas->region, (size_t)canvas->region_count, sizeof(*region));
	region = &canvas->region[canvas->region_count++];
	*region = (struct region){ .x = at.x, .y = at.y, .width = at.width, .height = at.height };
	snprintf(region->click, sizeof(region->click), "%s", click);
	snprintf(region->up, sizeof(region->up), "%s", up);
	snprintf(region->down, sizeof(region->down), "%s", down);
}

const struct region *canvas_region_at(const struct canvas *canvas, int x, int y)
{
	for (int i = canvas->region_count - 1; i >= 0; i--) {
		const struct region *region = &canvas->region[i];

		if (x >= region->x && x < region->x + region->width && y >= region->y &&
			y < region->y + region->height)
			return region;
	}
	return NULL;
}

struct box canvas_box(struct canvas *canvas)
{
	return (struct box){ 0, 0, canvas->width, canvas->height, canvas };
}

struct box box_part(struct box at, int x, int y, int width, int height)
{
	return (struct box){ at.x + x, at.y + y, width, height, at.canvas };
}

/* One row of a box: its columns from `left` to before `right` lie inside the canvas. */
struct row {
	struct canvas_cell *cells; /* the canvas' row */
	int x, left, right;	   /* x: the column of the canvas at which the box begins */
};

static struct row row_of(struct box at, int y)
{
	const struct canvas *canvas = at.canvas;
	int top = int_most(-at.y, 0), bottom = int_least(canvas->height - at.y, at.height);

	if (y < top || y >= bottom)
		return (struct row){ 0 };
	return (struct row){ canvas->cells + (size_t)(at.y + y) * (size_t)canvas->width, at.x,
		int_most(-at.x, 0), int_least(canvas->width - at.x, at.width) };
}

/* Puts a character of one or two columns into a row. A character that is outside the row, in whole
 * or in part, is omitted. */
static inline void put(struct row row, int x, enum style style, wchar_t character, int columns)
{
	struct canvas_cell *cell;

	if (x < row.left || x + columns > row.right)
		return;
	cell = &row.cells[row.x + x];
	/* The other half of an overwritten wide character becomes a blank. */
	if (cell->character == 0 && x > row.left)
		cell[-1].character = L' ';
	if (x + columns < row.right && cell[columns].character == 0)
		cell[columns].character = L' ';
	*cell = (struct canvas_cell){ character, (uint8_t)style };
	if (columns == 2)
		cell[1] = (struct canvas_cell){ 0, (uint8_t)style };
}

/* Decodes one character of UTF-8. A control character becomes a blank; a byte that is not part of
 * an accepted character becomes U+FFFD. Returns the number of bytes of the character; 0 at the end
 * of the text. */
static size_t decode(const char *utf8, wchar_t *character)
{
	const unsigned char *s = (const unsigned char *)utf8;
	bool plain = s[0] >= ' ' && s[0] < 0x7f; /* a printable ASCII character, as most characters
						    are; this case must be fast */
	size_t length = plain ? 1 : text_character(utf8);

	if (length == 0) {
		*character = !s[0] ? 0 : s[0] < 0x80 ? L' ' : 0xfffd;
		return s[0] != 0;
	}
	*character = (wchar_t)(length == 1 ? s[0] : s[0] & (0x7fu >> length));
	for (size_t i = 1; i < length; i++)
		*character = *character << 6 | (s[i] & 0x3f);
	return length;
}

/* Writes to `out` the characters, at most 4, that show one character on this canvas. Returns the
 * number of columns of the replacement characters. */
static int shown(const struct canvas *canvas, wchar_t character, wchar_t out[4])
{
	int columns;

	if (character < 0x80) {
		out[0] = character;
		return 1;
	}
	columns = wcwidth(character);
	if (!canvas->ascii && columns >= 0 && columns <= 2) {
		out[0] = character;
		return columns;
	}
	for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++)
		if (twins[i].wide == character)
			return (int)mbstowcs(out, twins[i].ascii, 4);
	out[0] = L'?';
	return 1;
}

/* Returns how many columns the first `bytes` bytes of a string need. */
static int columns_of(const struct canvas *canvas, const char *utf8, size_t bytes)
{
	const char *end = utf8 + bytes;
	wchar_t character, out[4];
	int columns = 0;

	for (size_t used; utf8 < end && (used = decode(utf8, &character)) > 0; utf8 += used)
		columns += shown(canvas, character, out);
	return columns;
}

int canvas_columns(struct box at, const char *utf8)
{
	return columns_of(at.canvas, utf8, strlen(utf8));
}

/* A text has at most as many columns as bytes, so most texts need not be measured. */
static bool fits(const struct canvas *canvas, const char *utf8, size_t bytes, int columns)
{
	return (int)bytes <= columns || columns_of(canvas, utf8, bytes) <= columns;
}

bool canvas_fits(struct box at, const char *utf8, int columns)
{
	return fits(at.canvas, utf8, strlen(utf8), columns);
}

/* Draws at most `bytes` bytes of a string inside the box. Text that does not fit ends in an
 * ellipsis. */
static int draw(struct box at, int x, int y, enum style style, const char *utf8, size_t bytes)
{
	const char *end = utf8 + bytes;
	int room = at.width - x, start = x, tail = at.canvas->ascii ? 2 : 1;
	bool cut = !fits(at.canvas, utf8, bytes, room);
	struct row row = row_of(at, y);
	wchar_t character, out[4];

	if (room <= 0)
		return 0;
	tail = int_least(tail, room);
	for (size_t used; utf8 < end && (used = decode(utf8, &character)) > 0; utf8 += used) {
		int columns = shown(at.canvas, character, out);

		if (cut && x + columns > at.width - tail)
			break;
		/* A cell of the canvas holds one character, so combining marks, which have no
		 * column, are omitted. */
		if (columns == 2 && out[0] == character)
			put(row, x, style, character, 2);
		else
			for (int i = 0; i < columns; i++)
				put(row, x + i, style, out[i], 1);
		x += columns;
	}
	for (int i = 0; cut && i < tail; i++)
		put(row, x++, style, at.canvas->ascii ? L'.' : L'…', 1);
	return x - start;
}

int canvas_put(struct box at, int x, int y, enum style style, const char *utf8)
{
	return draw(at, x, y, style, utf8, strlen(utf8));
}

int canvas_put_right(struct box at, int x, int y, enum style style, const char *utf8)
{
	int from = x - canvas_columns(at, utf8);

	at.width = int_least(at.width, x);
	return canvas_put(at, int_most(from, 0), y, style, utf8);
}

void canvas_glyph(struct box at, int x, int y, enum style style, enum glyph glyph)
{
	put(row_of(at, y), x, style, at.canvas->glyphs[glyph], 1);
}

void canvas_mark(struct box at, int x, int y, enum style style, enum glyph glyph)
{
	const struct canvas *canvas = at.canvas;
	int column = at.x + x, row = at.y + y;
	enum style under = column >= 0 && row >= 0 && column < canvas->width && row < canvas->height
				   ? (enum style)canvas->cells[row * canvas->width + column].style
				   : STYLE_TEXT;

	if (under >= STYLE_AREA0)
		style = (enum style)(
			STYLE_AREA0 + (under - STYLE_AREA0) % (STYLE_FACET0 - STYLE_AREA0));
	canvas_glyph(at, x, y, style, glyph);
}

void canvas_dots(struct box at, int x, int y, enum style style, unsigned bits, char twin)
{
	/* The order of points in a Braille pattern: the upper three of the left column, the upper
	 * three of the right column, the fourth row. */
	static const unsigned char order[8] = { 0, 3, 1, 4, 2, 5, 6, 7 };
	unsigned pattern = 0;

	for (int i = 0; i < 8; i++)
		pattern |= (bits >> i & 1) << order[i];
	put(row_of(at, y), x, style, at.canvas->ascii ? (wchar_t)twin : (wchar_t)(0x2800 + pattern),
		1);
}

static size_t measure(const void *context, const char *at, int *columns)
{
	wchar_t character, out[4];
	size_t used = decode(at, &character);

	*columns = shown(context, character, out);
	return used;
}

/* Returns the bytes of the first line, and the text after it in *next. */
static size_t line_of(struct box at, const char *utf8, const char **next)
{
	struct text_wrap wrap = {
		.columns = at.width, .cut_words = true, .columns_of = measure, .context = at.canvas
	};
	size_t length = strnlen(utf8, (size_t)at.width + 1);

	/* Most texts fit on one line, whose width need not be measured. */
	if (length > (size_t)at.width || memchr(utf8, '\n', length))
		return text_line(&wrap, utf8, next);
	*next = utf8 + length;
	return length;
}

int canvas_wrap(struct box at, int y, enum style style, const char *utf8)
{
	int rows = 0;

	while (*utf8 && at.width > 0 && y + rows < at.height) {
		const char *line = utf8, *next;
		size_t length = line_of(at, line, &utf8);
		struct box cut = box_part(at, 0, 0, at.width - 2 - at.canvas->ascii, at.height);
		int row = y + rows++;

		/* If words are left, the last row ends with an ellipsis after a whole word, because
		 * a part of a number looks like a number. draw() cuts a word that is too long. */
		if (row == at.height - 1 && *utf8) {
			length = line_of(cut, line, &next);
			if (cut.width > 0 && isspace((unsigned char)line[length]))
				canvas_put(at, columns_of(at.canvas, line, length) + 1, row, style,
					"…");
			else
				length = strlen(line);
		}
		draw(at, 0, row, style, line, length);
	}
	return rows;
}

int canvas_rows(struct box at, const char *utf8)
{
	int rows = 0;

	for (; *utf8 && at.width > 0; rows++)
		line_of(at, utf8, &utf8);
	return rows;
}

void column_add(struct column *column, enum style style, const char *utf8)
{
	if (column->row >= column->at.height)
		column->cut = true;
	else
		column->row += canvas_wrap(column->at, column->row, style, utf8);
}

void column_gap(struct column *column)
{
	if (column->row > 0 && column->row + 2 < column->at.height)
		column->row++;
}

void canvas_frame(struct box at, enum style style, const char *title)
{
	int right = at.width - 1, bottom = at.height - 1;

	for (int x = 1; x < right; x++)
		for (int end = 0; end < 2; end++)
			canvas_glyph(at, x, end * bottom, style, GLYPH_HLINE);
	for (int y = 1; y < bottom; y++)
		for (int end = 0; end < 2; end++)
			canvas_glyph(at, end * right, y, style, GLYPH_VLINE);
	canvas_glyph(at, 0, 0, style, GLYPH_TOP_LEFT);
	canvas_glyph(at, right, 0, style, GLYPH_TOP_RIGHT);
	canvas_glyph(at, 0, bottom, style, GLYPH_BOTTOM_LEFT);
	canvas_glyph(at, right, bottom, style, GLYPH_BOTTOM_RIGHT);
	if (title && at.width > 6)
		canvas_text(box_part(at, 2, 0, at.width - 4, 1), 0, 0, STYLE_TITLE, " %s ", title);
}

/* canvas_fill() does not use put(), because every frame fills up to 40,000 cells and put() would be
 * too slow. */
void canvas_fill(struct box at, enum style style)
{
	int left = int_most(at.x, 0), right = int_least(at.x + at.width, at.canvas->width);
	int top = int_most(at.y, 0), bottom = int_least(at.y + at.height, at.canvas->height);

	for (int y = top; y < bottom && left < right; y++) {
		struct canvas_cell *row = &at.canvas->cells[(size_t)y * (size_t)at.canvas->width];

		/* If a wide character crosses the edge of the box, its half outside the box becomes
		 * a blank. */
		if (left > 0 && row[left].character == 0)
			row[left - 1].character = L' ';
		if (right < at.canvas->width && row[right].character == 0)
			row[right].character = L' ';
		for (int x = left; x < right; x++)
			row[x] = (struct canvas_cell){ L' ', (uint8_t)style };
	}
}

bool canvas_blank(struct box at)
{
	for (int y = 0; y < at.height; y++) {
		struct row row = row_of(at, y);

		for (int x = row.left; x < row.right; x++)
			if (row.cells[row.x + x].character != L' ')
				return false;
	}
	return true;
}

/* Prints a character as UTF-8: a first byte, then continuation bytes of six bits each. */
static void print_character(wchar_t character, FILE *file)
{
	uint32_t c = (uint32_t)character;
	int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	putc((int)(more ? (0xf80u >> more & 0xff) | c >> 6 * more : c), file);
	while (more-- > 0)
		putc((int)(0x80 | (c >> 6 * more & 0x3f)), file);
}

void canvas_print_part(struct box part, FILE *file)
{
	int left = int_most(part.x, 0), right = int_least(part.x + part.width, part.canvas->width);
	int bottom = int_least(part.y + part.height, part.canvas->height);

	for (int y = int_most(part.y, 0); y < bottom; y++) {
		const struct canvas_cell *row =
			&part.canvas->cells[(size_t)y * (size_t)part.canvas->width];
		int end = right;

		while (end > left && row[end - 1].character == L' ')
			end--;
		for (int x = left; x < end; x++)
			if (row[x].character)
				print_character(row[x].character, file);
		putc('\n', file);
	}
}

void canvas_print(struct canvas *canvas, FILE *file)
{
	canvas_print_part(canvas_box(canvas), file);
}
