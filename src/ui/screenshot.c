#include "ui/screenshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

/* The size of a cell in pixels, and the place of the text's base line in it. In most monospaced
 * fonts, a character is 0.6 times as wide as the font is high. */
enum { WIDTH = 9, HEIGHT = 18, BASE = 14, FONT = 15, MARGIN = 9 };

/* ---- characters as shapes ---- */

/* Blocks: each character as up to four rectangles in eighths of a cell: left, top, right, bottom. A
 * rectangle of size 0 ends the list of a character's rectangles. */
struct block {
	wchar_t character;
	unsigned char part[4][4];
};

static const struct block blocks[] = {
	{ L'▀', { { 0, 0, 8, 4 } } },
	{ L'▁', { { 0, 7, 8, 8 } } },
	{ L'▂', { { 0, 6, 8, 8 } } },
	{ L'▃', { { 0, 5, 8, 8 } } },
	{ L'▄', { { 0, 4, 8, 8 } } },
	{ L'▅', { { 0, 3, 8, 8 } } },
	{ L'▆', { { 0, 2, 8, 8 } } },
	{ L'▇', { { 0, 1, 8, 8 } } },
	{ L'█', { { 0, 0, 8, 8 } } },
	{ L'▌', { { 0, 0, 4, 8 } } },
	{ L'▐', { { 4, 0, 8, 8 } } },
	{ L'▘', { { 0, 0, 4, 4 } } },
	{ L'▝', { { 4, 0, 8, 4 } } },
	{ L'▖', { { 0, 4, 4, 8 } } },
	{ L'▗', { { 4, 4, 8, 8 } } },
	{ L'▞', { { 4, 0, 8, 4 }, { 0, 4, 4, 8 } } },
	{ L'▚', { { 0, 0, 4, 4 }, { 4, 4, 8, 8 } } },
	{ L'▛', { { 0, 0, 8, 4 }, { 0, 4, 4, 8 } } },
	{ L'▜', { { 0, 0, 8, 4 }, { 4, 4, 8, 8 } } },
	{ L'▙', { { 0, 0, 4, 4 }, { 0, 4, 8, 8 } } },
	{ L'▟', { { 4, 0, 8, 4 }, { 0, 4, 8, 8 } } },
};

/* Lines and symbols: each character as an SVG path in a cell, relative to its upper left corner. */
static const struct symbol {
	wchar_t character;
	bool stroke; /* the path is a line; false: the path is an area */
	const char *path;
} symbols[] = {
	{ L'│', true, "m4.5 0v18" },
	{ L'┊', true, "m4.5 1v3m0 3v3m0 3v3" },
	{ L'╭', true, "m4.5 18v-4.5q0-4.5 4.5-4.5" },
	{ L'╮', true, "m0 9q4.5 0 4.5 4.5v4.5" },
	{ L'╰', true, "m4.5 0v4.5q0 4.5 4.5 4.5" },
	{ L'╯', true, "m0 9q4.5 0 4.5-4.5v-4.5" },
	{ L'├', true, "m4.5 0v18m0-9h4.5" },
	{ L'┤', true, "m4.5 0v18m0-9h-4.5" },
	{ L'┬', true, "m0 9h9m-4.5 0v9" },
	{ L'┴', true, "m0 9h9m-4.5 0v-9" },
	{ L'┼', true, "m0 9h9m-4.5-9v18" },
	{ L'●', false, "m1.5 9a3 3 0 1 0 6 0a3 3 0 1 0-6 0z" },
	{ L'•', false, "m2.5 9a2 2 0 1 0 4 0a2 2 0 1 0-4 0z" },
	{ L'▲', false, "m4.5 5l4 8h-8z" },
	{ L'▼', false, "m4.5 13l4-8h-8z" },
	{ L'▸', false, "m2 5l5.5 4l-5.5 4z" },
	{ L'◂', false, "m7 5l-5.5 4l5.5 4z" },
	{ L'◀', false, "m8.5 4l-8 5l8 5z" },
};

/* The characters for shades, and the fraction of a cell that each character covers. */
static const struct {
	wchar_t character;
	const char *opacity;
} shades[] = { { L'░', "0.25" }, { L'▒', "0.5" }, { L'▓', "0.75" } };

enum { SHADES = sizeof(shades) / sizeof(shades[0]), SOLID = SHADES, LAYERS };

/* The SVG shapes of one style: areas of each opacity (the last one is solid), and lines. */
struct shapes {
	struct text area[LAYERS], line;
};

struct drawing {
	const struct canvas *canvas;
	const struct looks *looks;
	struct text *svg;
	struct shapes shapes[STYLE_COUNT];
};

static const struct canvas_cell *cell_at(const struct canvas *canvas, int x, int y)
{
	return &canvas->cells[(size_t)y * (size_t)canvas->width + (size_t)x];
}

/* Returns how many cells from (x, y) on, in the same row, have the same character and style. */
static int run_of(const struct canvas *canvas, int x, int y)
{
	const struct canvas_cell *first = cell_at(canvas, x, y), *cell = first;
	int count = 1;

	while (x + count < canvas->width && (++cell)->character == first->character &&
		cell->style == first->style)
		count++;
	return count;
}

static int shade_of(wchar_t character)
{
	for (int i = 0; i < SHADES; i++)
		if (shades[i].character == character)
			return i;
	return -1;
}

/* Adds a rectangle; all sizes are in eighths of a cell. */
static void add_area(struct text *path, int left, int top, int right, int bottom)
{
	double x = left * WIDTH / 8.0, y = top * HEIGHT / 8.0;

	text_addf(path, "M%g %gh%gv%gh%gz", x, y, (right - left) * WIDTH / 8.0,
		(bottom - top) * HEIGHT / 8.0, -(right - left) * WIDTH / 8.0);
}

/* Adds the points of a Braille pattern. */
static void add_points(struct text *path, int x, int y, unsigned pattern)
{
	/* For each bit of a Braille pattern: column and row of its point. */
	static const unsigned char place[8][2] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 1, 0 }, { 1, 1 },
		{ 1, 2 }, { 0, 3 }, { 1, 3 } };

	for (int i = 0; i < 8; i++)
		if (pattern >> i & 1)
			text_addf(path, "M%g %gh2v2h-2z", x * WIDTH + 1.5 + 4.5 * place[i][0],
				y * HEIGHT + 1.5 + 4.5 * place[i][1]);
}

/* Adds `count` equal characters from (x, y) on, if they are shapes. Returns whether they are. */
static bool add_shape(struct drawing *drawing, int x, int y, int count)
{
	const struct canvas_cell *cell = cell_at(drawing->canvas, x, y);
	struct shapes *shapes = &drawing->shapes[cell->style];
	wchar_t character = cell->character;
	int shade = shade_of(character);

	if (shade >= 0)
		add_area(&shapes->area[shade], 8 * x, 8 * y, 8 * (x + count), 8 * y + 8);
	if (character == L'─' || character == L'━')
		text_addf(character == L'─' ? &shapes->line : &shapes->area[SOLID],
			character == L'─' ? "M%d %dh%d" : "M%d %dv2h%dv-2z", x * WIDTH,
			y * HEIGHT + HEIGHT / 2 - (character == L'━'), count * WIDTH);
	if (shade >= 0 || character == L'─' || character == L'━')
		return true;
	for (int i = 0; character > 0x2800 && character <= 0x28ff && i < count; i++)
		add_points(&shapes->area[SOLID], x + i, y, (unsigned)character - 0x2800);
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (blocks[i].character != character)
			continue;
		for (int k = 0; k < 4 && blocks[i].part[k][3]; k++) {
			const unsigned char *part = blocks[i].part[k];
			bool whole = part[0] == 0 && part[2] == 8;

			/* If equal characters fill the whole width of their cells, one wide
			 * rectangle replaces them. */
			for (int n = 0; n < (whole ? 1 : count); n++)
				add_area(&shapes->area[SOLID], 8 * (x + n) + part[0],
					8 * y + part[1],
					8 * (x + n + (whole ? count - 1 : 0)) + part[2],
					8 * y + part[3]);
		}
		return true;
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (symbols[i].character != character)
			continue;
		for (int n = 0; n < count; n++)
			text_addf(symbols[i].stroke ? &shapes->line : &shapes->area[SOLID],
				"M%d %d%s", (x + n) * WIDTH, y * HEIGHT, symbols[i].path);
		return true;
	}
	return character >= 0x2800 && character <= 0x28ff;
}

/* ---- text and colours ---- */

static uint32_t foreground_of(const struct looks *looks, int style)
{
	const struct look *look = &looks->look[style];

	return theme_rgb(look->attributes & LOOK_REVERSE ? look->background : look->foreground);
}

static uint32_t background_of(const struct looks *looks, int style)
{
	const struct look *look = &looks->look[style];

	return theme_rgb(look->attributes & LOOK_REVERSE ? look->foreground : look->background);
}

/* Draws the backgrounds that differ from that of the screen. */
static void draw_backgrounds(struct drawing *drawing)
{
	const struct canvas *canvas = drawing->canvas;
	uint32_t screen = background_of(drawing->looks, STYLE_TEXT);

	for (int y = 0; y < canvas->height; y++)
		for (int x = 0, count; x < canvas->width; x += count) {
			uint32_t rgb = background_of(drawing->looks, cell_at(canvas, x, y)->style);

			for (count = 1; x + count < canvas->width; count++)
				if (background_of(drawing->looks,
					    cell_at(canvas, x + count, y)->style) != rgb)
					break;
			if (rgb != screen)
				text_addf(drawing->svg,
					"<path fill=\"#%06x\" d=\"M%d %dh%dv%dh%dz\"/>\n",
					(unsigned)rgb, x * WIDTH, y * HEIGHT, count * WIDTH, HEIGHT,
					-count * WIDTH);
		}
}

static void draw_shapes(struct drawing *drawing)
{
	for (int style = 0; style < STYLE_COUNT; style++) {
		struct shapes *shapes = &drawing->shapes[style];

		for (int i = 0; i < LAYERS; i++) {
			if (shapes->area[i].length)
				text_addf(drawing->svg, "<path class=\"s%d\"%s%s%s d=\"%s\"/>\n",
					style, i < SHADES ? " opacity=\"" : "",
					i < SHADES ? shades[i].opacity : "", i < SHADES ? "\"" : "",
					text_string(&shapes->area[i]));
			text_free(&shapes->area[i]);
		}
		if (shapes->line.length)
			text_addf(drawing->svg, "<path class=\"l%d\" d=\"%s\"/>\n", style,
				text_string(&shapes->line));
		text_free(&shapes->line);
	}
}

/* Adds a character of text, in the form that XML requires. */
static void add_character(struct text *text, wchar_t character)
{
	if (character == L'<')
		text_add(text, "&lt;");
	else if (character == L'&')
		text_add(text, "&amp;");
	else if (character == L'>')
		text_add(text, "&gt;");
	else
		text_addf(text, "%lc", (wint_t)character);
}

/* Returns the end of the text that begins at (x, y): before two blanks, a shape or another style.
 * Adds the text's characters, without a blank at its end. */
static int take_text(
	const struct drawing *drawing, const bool *shape, int x, int y, struct text *text)
{
	const struct canvas *canvas = drawing->canvas;
	int style = cell_at(canvas, x, y)->style, end = x;

	for (; x < canvas->width && !shape[x]; x++) {
		const struct canvas_cell *cell = cell_at(canvas, x, y);

		if (cell->character == L' ') {
			if (x > end)
				break; /* this is the second blank */
			continue;
		}
		if (cell->style != style)
			break;
		if (x > end)
			text_add(text, " ");
		/* The right half of a wide character has no character of its own. */
		if (cell->character)
			add_character(text, cell->character);
		end = x + 1;
	}
	return end;
}

/* Each SVG text element is as long as its cells are wide, so that the characters stay in their
 * columns with every font. */
static void draw_row(struct drawing *drawing, const bool *shape, int y)
{
	const struct canvas *canvas = drawing->canvas;

	for (int x = 0, end; x < canvas->width; x = end) {
		struct text text = { 0 };

		end = x + 1;
		if (shape[x] || cell_at(canvas, x, y)->character == L' ')
			continue;
		end = take_text(drawing, shape, x, y, &text);
		text_addf(drawing->svg,
			"<text class=\"s%d\" x=\"%d\" y=\"%d\" textLength=\"%d\">%s</text>\n",
			cell_at(canvas, x, y)->style, x * WIDTH, y * HEIGHT + BASE,
			(end - x) * WIDTH, text_string(&text));
		text_free(&text);
	}
}

static void write_styles(const struct drawing *drawing)
{
	for (int style = 0; style < STYLE_COUNT; style++) {
		unsigned rgb = (unsigned)foreground_of(drawing->looks, style),
			 attributes = drawing->looks->look[style].attributes;

		text_addf(drawing->svg, ".s%d{fill:#%06x%s%s%s}.l%d{stroke:#%06x;fill:none}\n",
			style, rgb, attributes & LOOK_BOLD ? ";font-weight:bold" : "",
			attributes & LOOK_UNDERLINE ? ";text-decoration:underline" : "",
			attributes & LOOK_DIM ? ";opacity:.7" : "", style, rgb);
	}
}

void screenshot_draw(
	const struct canvas *canvas, enum theme theme, const char *title, struct text *svg)
{
	const struct theme_wanted wanted = { .theme = theme };
	const struct ground ground = { .state = GROUND_UNKNOWN };
	struct looks looks;
	struct drawing drawing = { .canvas = canvas, .looks = &looks, .svg = svg };
	bool *shape = memory_new((size_t)canvas->width + 1, sizeof(*shape));
	int width = canvas->width * WIDTH + 2 * MARGIN,
	    height = canvas->height * HEIGHT + 2 * MARGIN;
	struct text words = { 0 };

	theme_choose(&looks, &wanted, 256, &ground);
	text_addf(svg,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d %d %d %d\" width=\"%d\" "
		"height=\"%d\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', "
		"'Liberation Mono', monospace\" font-size=\"%d\">\n",
		-MARGIN, -MARGIN, width, height, width, height, FONT);
	for (const char *c = title; *c; c++)
		add_character(&words, *c > 0 ? *c : '?');
	text_addf(svg, "<title>%s</title>\n<style>\n", text_string(&words));
	text_free(&words);
	write_styles(&drawing);
	text_addf(svg, "</style>\n<path fill=\"#%06x\" d=\"M%d %dh%dv%dh%dz\"/>\n",
		(unsigned)background_of(&looks, STYLE_TEXT), -MARGIN, -MARGIN, width, height,
		-width);
	draw_backgrounds(&drawing);
	for (int y = 0; y < canvas->height; y++) {
		for (int x = 0, count; x < canvas->width; x += count) {
			count = run_of(canvas, x, y);
			memset(shape + x, add_shape(&drawing, x, y, count), (size_t)count);
		}
		draw_row(&drawing, shape, y);
	}
	draw_shapes(&drawing);
	text_add(svg, "</svg>\n");
	free(shape);
}

/* ---- the file ---- */

struct status screenshot_save(const struct text *svg, char *path, size_t size)
{
	size_t length = strlen(path);
	struct status status = status_ok();

	if (*path && (length < 5 || strcmp(path + length - 4, ".svg") != 0))
		return status_usage("screenshot to %.100s: the name must end in .svg", path);
	if (*path)
		return file_save(path, svg, false);
	for (int number = 1; number < 10000; number++) {
		snprintf(path, size, "slexplore-screen-%d.svg", number);
		if (file_exists(path))
			continue;
		status = file_save(path, svg, true);
		if (status_is_ok(&status) || !file_exists(path))
			return status;
		/* The file exists: another process has just created a file with this number, so try
		 * the next number. */
	}
	return status_failed("this folder already has 10,000 pictures slexplore-screen-*.svg");
}
