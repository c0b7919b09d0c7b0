/* A canvas is a rectangle of cells in memory. Each cell has a wide character and a style. Panels
 * draw only on a canvas. The terminal (screen.h) shows a canvas, scripts print a canvas, and tests
 * compare a canvas with expected text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "base/text.h"

/* The style of a text or glyph says what it means, for example a warning. The theme maps each style
 * to colours and attributes. */
enum style {
	STYLE_TEXT,
	STYLE_DIM,
	STYLE_TITLE,
	STYLE_FIGURE,
	STYLE_FOCUS,
	STYLE_SELECTED,
	STYLE_KEY,
	STYLE_GOOD,
	STYLE_WARN,
	STYLE_BAD,
	STYLE_A,
	STYLE_B,
	STYLE_HERE,
	STYLE_BAR,
	/* The following styles are for bars and areas, never for text. */
	STYLE_BODY,   /* the inside of a bar */
	STYLE_SHADE0, /* eight shades, from the darkest */
	STYLE_SHADE1,
	STYLE_SHADE7 = STYLE_SHADE0 + 7,
	STYLE_AREA0, /* styles of a mark on an area of each shade; only for a canvas that shows
			areas as solid colours */
	STYLE_FACET0 = STYLE_AREA0 + 8, /* styles of thin lines on an area of each shade; only for a
					   canvas that shows areas as solid colours */
	STYLE_COUNT = STYLE_FACET0 + 8
};

/* Symbols that fill one cell. Each symbol has an ASCII twin: the character that replaces the symbol
 * on an ASCII canvas. A symbol must be one column wide. If wcwidth() reports another width (some
 * East Asian locales), the twin replaces the symbol. */
/* clang-format off */
#define GLYPHS(each) \
	each(HLINE, L'─', '-') each(LEVEL, L'━', '=') each(EDGE, L'┊', '.') each(VLINE, L'│', '|') \
	each(TOP_LEFT, L'╭', '+') each(TOP_RIGHT, L'╮', '+') \
	each(BOTTOM_LEFT, L'╰', '+') each(BOTTOM_RIGHT, L'╯', '+') \
	each(BAR1, L'▁', '.') each(BAR2, L'▂', '.') each(BAR3, L'▃', ':') each(BAR4, L'▄', ':') \
	each(BAR5, L'▅', '+') each(BAR6, L'▆', '+') each(BAR7, L'▇', '#') each(BAR8, L'█', '#') \
	each(SHADE0, L' ', ' ') each(SHADE1, L'░', '.') each(SHADE2, L'▒', ':') \
	each(SHADE3, L'▓', '*') each(SHADE4, L'█', '#') each(BODY, L'░', '|') \
	each(HERE, L'●', '@') each(POINTER, L'▸', '>') each(LEFT, L'◂', '<') \
	each(UP, L'▲', '^') each(DOWN, L'▼', 'v') \
	each(DOT, L'·', '.') each(BULLET, L'•', 'o') each(ELLIPSIS, L'…', '~') \
	each(TEE_RIGHT, L'├', '+') each(TEE_LEFT, L'┤', '+') each(TEE_DOWN, L'┬', '+') \
	each(TEE_UP, L'┴', '+') each(CROSS, L'┼', '+') \
	each(TIMES, L'×', 'x') each(DRIFT, L'~', '~') \
	each(UPPER_HALF, L'▀', '"') each(LEFT_HALF, L'▌', '#') each(LOWER_HALF, L'▄', '.') \
	each(RIGHT_HALF, L'▐', '#') each(QUARTER1, L'▘', '\'') each(QUARTER2, L'▝', '\'') \
	each(QUARTER4, L'▖', '.') each(QUARTER8, L'▗', '.') each(QUARTER6, L'▞', '/') \
	each(QUARTER9, L'▚', '\\') each(QUARTER7, L'▛', '#') each(QUARTER11, L'▜', '#') \
	each(QUARTER13, L'▙', '#') each(QUARTER14, L'▟', '#')
/* clang-format on */

enum glyph {
#define GLYPH_NAME(name, wide, ascii) GLYPH_##name,
	GLYPHS(GLYPH_NAME) GLYPH_COUNT
};

struct canvas_cell {
	wchar_t character; /* 0: this cell is the right half of a wide character */
	uint8_t style;
};

/* A part of the canvas that the mouse acts on. A panel records its regions, which the mouse acts
 * on, while it draws. If the regions for the mouse overlap, a click acts on the region recorded
 * last. */
struct region {
	int x, y, width, height; /* in cells of the canvas */
	char click[120];       /* the command that a mouse click on this region runs; empty: none */
	char up[48], down[48]; /* the commands that one notch of the mouse wheel runs over this
				  region; empty: none */
};

struct canvas {
	int width, height;
	bool ascii;
	bool mouse; /* panels record the regions that the mouse acts on, because the mouse is used
		     */
	int region_count;
	struct region *region;
	bool solid; /* areas are drawn as blanks with a background colour; false: as characters that
		       form a texture */
	wchar_t glyphs[GLYPH_COUNT]; /* for each glyph (symbol): the character that shows it on this
					canvas */
	struct canvas_cell *cells;   /* `height` rows of `width` cells */
};

/* A part of a canvas. */
struct box {
	int x, y, width, height;
	struct canvas *canvas;
};

static inline int int_least(int a, int b)
{
	return a < b ? a : b;
}

static inline int int_most(int a, int b)
{
	return a > b ? a : b;
}

void canvas_init(struct canvas *canvas, int width, int height, bool ascii);
void canvas_free(struct canvas *canvas);
void canvas_resize(struct canvas *canvas, int width, int height);
void canvas_clear(struct canvas *canvas);
struct box canvas_box(struct canvas *canvas); /* the whole canvas */

/* Records a box of the canvas as a region for the mouse, with the commands of a click and of the
 * wheel; "": no command. Does nothing if the mouse is not used. */
void canvas_region(struct box at, const char *click, const char *up, const char *down);
/* Like canvas_region(), but the command of a click is a printf format with arguments, and the wheel
 * has no commands. */
#define canvas_clicked(at, ...) \
	((at).canvas->mouse ? canvas_region(at, words_of(__VA_ARGS__).text, "", "") : (void)0)
/* Returns the region that a click on a cell acts on; NULL: there is none. */
const struct region *canvas_region_at(const struct canvas *canvas, int x, int y);

/* Returns a part of the box `at`; (x, y) is relative to the upper left corner of `at`. */
struct box box_part(struct box at, int x, int y, int width, int height);

/* All drawing functions clip to their box, and coordinates are relative to the box. Text is UTF-8.
 * An ASCII canvas replaces every non-ASCII character by a twin ("…" becomes "..", "×" becomes "x")
 * or by
 * '?'. Text that does not fit ends in an ellipsis. Each function returns the number of columns that
 * the text uses. */
int canvas_put(struct box at, int x, int y, enum style style, const char *utf8);
/* Like canvas_put(), but the text ends before column x of the box. */
int canvas_put_right(struct box at, int x, int y, enum style style, const char *utf8);
/* The same with a format. */
#define canvas_text(at, x, y, style, ...) canvas_put(at, x, y, style, words_of(__VA_ARGS__).text)
#define canvas_right(at, x, y, style, ...) \
	canvas_put_right(at, x, y, style, words_of(__VA_ARGS__).text)
/* Returns how many columns a text needs if no part of the text is cut. */
int canvas_columns(struct box at, const char *utf8);
/* Returns whether a text needs at most `columns` columns. Faster than canvas_columns(). */
bool canvas_fits(struct box at, const char *utf8, int columns);
/* Returns whether nothing is drawn in a box. */
bool canvas_blank(struct box at);
void canvas_glyph(struct box at, int x, int y, enum style style, enum glyph glyph);
/* Draws a glyph: in black or white if the cell belongs to a shaded area, else in the given style.
 */
void canvas_mark(struct box at, int x, int y, enum style style, enum glyph glyph);
/* Draws up to eight points in a cell: two columns and four rows of points. Each bit of `bits` is
 * one point; the lowest bit is the upper left point, and the order is row by row. The cell shows a
 * Braille pattern, or the character `twin` on an ASCII canvas. */
void canvas_dots(struct box at, int x, int y, enum style style, unsigned bits, char twin);
/* Draws text from row y on, and wraps the text at blanks. Returns the number of rows that the
 * wrapped text uses. If the text does not fit, the last row ends in an ellipsis. */
int canvas_wrap(struct box at, int y, enum style style, const char *utf8);
/* Returns how many rows a text needs if the text is wrapped at the width of the box. */
int canvas_rows(struct box at, const char *utf8);
/* A box that is filled from top to bottom with wrapped text. */
struct column {
	struct box at;
	int row;
	bool cut; /* some text did not fit */
};
void column_add(struct column *column, enum style style, const char *utf8);
#define column_put(column, style, ...) column_add(column, style, words_of(__VA_ARGS__).text)
/* Adds a blank row if the box still has a free row after the blank row. */
void column_gap(struct column *column);

/* Draws a frame along the edge of the box, with a title in its upper side (NULL: no title). */
void canvas_frame(struct box at, enum style style, const char *title);
/* Fills the box with blanks that have the style `style`. */
void canvas_fill(struct box at, enum style style);

/* Prints each row of the canvas as a line of UTF-8 text without trailing blanks. */
void canvas_print(struct canvas *canvas, FILE *file);
void canvas_print_part(struct box part, FILE *file);
