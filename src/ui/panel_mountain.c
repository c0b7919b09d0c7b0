/* The text on the setting under the cursor when the mountain has the whole screen: its value, its
 * binding limit and its misses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/mountain_relief.h"
#include "ui/panels.h"

struct page {
	struct canvas *canvas;
	struct rectangle at;
	bool draw;
	int y;
};

/* A wrapped line: counted, and drawn if it fits. */
static void put(struct page *page, enum style style, const char *text)
{
	if (page->draw && page->y < page->at.height)
		canvas_wrap(page->canvas, page->at, page->y, style, text);
	page->y += canvas_wrap_rows(page->canvas, page->at.width, text);
}

static void figure_words(const struct view *view, char *buffer, size_t size)
{
	const struct sample *sample = &view->sample;
	char bytes[24];
	const char *state = panels_state(view);

	if (!sample->valid) {
		snprintf(buffer, size, "%s",
			view->failure[0] ? view->failure
			: view->frozen	 ? "no value: frozen"
					 : "measuring …");
		return;
	}
	units_figure(sample->bytes_per_cycle, bytes, sizeof(bytes));
	snprintf(buffer, size, "%s GB/s T, %s bytes a cycle; CPE %s (%s to %s), %s%s%s",
		panels_number(sample->gbps).text, bytes, panels_number(sample->cpe).text,
		panels_number(sample->cpe_lo).text, panels_number(sample->cpe_hi).text,
		panels_source(sample->cycles_from), *state ? "; " : "", state);
}

/* The binding limit, or why none is known. Empty: no reason is known either. */
static void limit_words(const struct view *view, char *buffer, size_t size)
{
	const struct explanation *explanation = view->explanation;
	const struct limits *limits = explanation ? &explanation->limits : NULL;

	if (!limits || !status_is_ok(&explanation->status) || limits->binding < 0) {
		snprintf(buffer, size, "%s", view->limits_note);
		return;
	}
	snprintf(buffer, size, "limit CPE %s, %s: %s", panels_number(limits->bound).text,
		limit_rows[limits->limit[limits->binding].kind].title,
		limits->limit[limits->binding].cause);
}

/* "L1 48 KiB: every read is a miss: 1 line for each (counted 0.98 C); in 96 KiB: none". Returns
 * false if the machine has no such cache. */
static bool misses_words_of(const struct view *view, int level, char *buffer, size_t size)
{
	const struct view_misses *misses = &view->misses;
	char bytes[32], words[160], note[120], counted[40] = "", other[240] = "";

	if (!(misses->now.level[level].bytes > 0))
		return false;
	units_bytes_long((int64_t)misses->now.level[level].bytes, bytes, sizeof(bytes));
	misses_words(&misses->now, level, words, sizeof(words));
	misses_note(&misses->now, level, note, sizeof(note));
	if (isfinite(misses->counted[level])) {
		snprintf(counted, sizeof(counted), "; counted %s C",
			panels_number(misses->counted[level]).text);
	}
	if (misses->whatif.asked &&
		misses->then.level[level].bytes != misses->now.level[level].bytes) {
		char larger[32], then[160];

		units_bytes_long((int64_t)misses->then.level[level].bytes, larger, sizeof(larger));
		misses_words(&misses->then, level, then, sizeof(then));
		snprintf(other, sizeof(other), "; if %s: %.150s", larger,
			strcmp(then, words) == 0 ? "the same" : then);
	}
	snprintf(buffer, size, "L%d %s: %s%s%s%s%s", level + 1, bytes, words, counted, other,
		*note ? "; " : "", note);
	return true;
}

/* "ridges as probed: L1 47 KiB, L2 2 MiB": only if the sizes differ from those in the lines about
 * misses. */
static void ridge_words(const struct view_grid *grid, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "ridges as the probe found them:");

	for (int i = 0; i < MISSES_LEVELS && used < size; i++) {
		char bytes[32];

		if (!(grid->cache[i] > 0))
			continue;
		units_bytes_short((int64_t)grid->cache[i], bytes, sizeof(bytes));
		used += (size_t)snprintf(buffer + used, size - used, " L%d %s", i + 1, bytes);
	}
}

/* The text, in as many rows as the rectangle has. Returns the rows that all of it needs. Draws only
 * if `draw`. */
static int mountain_words(
	struct canvas *canvas, struct rectangle at, const struct view *view, bool draw)
{
	struct page page = { canvas, at, draw, 0 };
	char words[640];

	/* The panel's title has the setting, too. */
	if (!draw || at.height > 2) {
		panels_setting(&view->setting, NULL, words, sizeof(words));
		put(&page, STYLE_FIGURE, words);
	}
	figure_words(view, words, sizeof(words));
	put(&page, view->sample.contended ? STYLE_WARN : STYLE_TEXT, words);
	limit_words(view, words, sizeof(words));
	if (*words)
		put(&page, STYLE_TEXT, words);
	if (!view->misses.now.known) {
		snprintf(words, sizeof(words), "misses: unavailable; %s", view->misses.now.why);
		put(&page, STYLE_DIM, words);
	}
	for (int i = 0; view->misses.now.known && i < MISSES_LEVELS; i++)
		if (misses_words_of(view, i, words, sizeof(words)))
			put(&page, view->misses.now.level[i].fits ? STYLE_DIM : STYLE_TEXT, words);
	if (view->grid.probed) {
		ridge_words(&view->grid, words, sizeof(words));
		put(&page, STYLE_DIM, words);
	}
	return page.y;
}

/* ---- the panel ---- */

/* The mountain: a shaded cell for each size and stride, or a relief (mountain_relief.c). If it has
 * the whole screen, the text on the cell under the cursor and the slices through it are next to it.
 */

enum {
	SHADES = MOUNTAIN_SHADES,
	LABEL = 9,
	NARROW_LABEL = 7,
	WIDE_FROM = 58,
	LEGEND_LABEL = 6,
	WIDEST_CELL = 7,
	TALLEST_CELL = 3
};

/* From this width on, text and slices are next to the picture; their widths; the fewest rows of a
 * slice and of the picture. */
enum {
	BESIDE_FROM = 108,
	BESIDE_LEAST = 42,
	BESIDE_MOST = 72,
	SLICE_ROWS = 9,
	PICTURE_ROWS = 11,
	GAP = 2
};

/* A shade is a glyph and a style: pairs of glyphs make eight textures out of five. */
static void draw_shade(
	struct canvas *canvas, struct rectangle at, int x, int y, int width, int shade)
{
	static const enum glyph pair[SHADES][2] = {
		{ GLYPH_SHADE1, GLYPH_SHADE0 },
		{ GLYPH_SHADE1, GLYPH_SHADE1 },
		{ GLYPH_SHADE1, GLYPH_SHADE2 },
		{ GLYPH_SHADE2, GLYPH_SHADE2 },
		{ GLYPH_SHADE2, GLYPH_SHADE3 },
		{ GLYPH_SHADE3, GLYPH_SHADE3 },
		{ GLYPH_SHADE3, GLYPH_SHADE4 },
		{ GLYPH_SHADE4, GLYPH_SHADE4 },
	};

	for (int i = 0; i < width; i++)
		canvas_glyph(canvas, at, x + i, y, (enum style)(STYLE_SHADE0 + shade),
			pair[shade][i % 2]);
}

/* The visible part of an axis: `shown` of `count` cells from `first`, around `here`. */
static void window(int count, int room, int here, int *first, int *shown)
{
	*shown = count < room ? count : room;
	*first = here - *shown / 2;
	if (*first > count - *shown)
		*first = count - *shown;
	if (*first < 0)
		*first = 0;
}

static void draw_legend(struct canvas *canvas, struct rectangle at, int y, double top)
{
	int each = (at.width - LEGEND_LABEL - 1) / SHADES, x = LEGEND_LABEL + 1;

	if (!(top > 0) || each < 6)
		return;
	if (each > 9)
		each = 9;
	canvas_text(canvas, at, 0, y, STYLE_DIM, "GB/s≥");
	for (int shade = SHADES - 1; shade >= 0; shade--, x += each) {
		double from = top / pow(2, (SHADES - shade) / 2.0);
		char label[24];

		snprintf(label, sizeof(label), from >= 9.95 ? "%.0f" : "%.1f", from);
		if (shade == 0)
			snprintf(label, sizeof(label), "less");
		draw_shade(canvas, at, x, y, 2, shade);
		canvas_text(canvas, at, x + (each > 6 ? 3 : 2), y, STYLE_DIM, label);
	}
}

/* Beyond the first or last cell of an axis. */
static bool mountain_off(const struct view_grid *grid)
{
	return grid->place_x.where >= AXIS_BEFORE || grid->place_y.where >= AXIS_BEFORE;
}

/* Whether the mountain has the whole screen: it is in front, and the arrows move on it. */
static bool mountain_whole(const struct view *view)
{
	return panels_named(view->front, "mountain") && panels_named(view->focus, "mountain") &&
	       view->grid.present;
}

/* Columns left of the cells: the size, and its cache if there is room. */
static int label_of(struct rectangle at)
{
	return at.width >= WIDE_FROM ? LABEL : NARROW_LABEL;
}

/* Whether a row or column belongs to the present setting, or is next to it. */
static bool is_near(const struct axis_place *place, int index)
{
	return place->where <= AXIS_BETWEEN &&
	       (index == place->index ||
		       (place->where == AXIS_BETWEEN && index == place->index + 1));
}

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	const struct view_grid *grid = &view->grid;
	float here = grid->gbps[grid->here_y][grid->here_x];
	const struct knob *knobs = view->setting.kernel->knobs;
	char bytes[64], stride[64];
	bool contended = false, unsettled = false;
	size_t used;

	setting_show_value(
		&knobs[grid->size_knob], view->setting.v[grid->size_knob], bytes, sizeof(bytes));
	setting_show_value(&knobs[grid->stride_knob], view->setting.v[grid->stride_knob], stride,
		sizeof(stride));
	if (!mountain_at(grid)) {
		used = (size_t)snprintf(buffer, size, "mountain: here %s, %s %s%s", bytes,
			knobs[grid->stride_knob].name, stride,
			mountain_off(grid) ? ", off the grid" : "");
	} else if (!isfinite(here)) {
		used = (size_t)snprintf(buffer, size, "mountain: GB/s over %s and %s",
			knobs[grid->size_knob].name, knobs[grid->stride_knob].name);
	} else {
		used = (size_t)snprintf(buffer, size, "mountain: %s GB/s T at %s, %s %s",
			panels_number((double)here).text, bytes, knobs[grid->stride_knob].name,
			stride);
	}
	for (int i = 0; i < grid->nx * grid->ny; i++) {
		contended |= grid->contended[i / grid->nx][i % grid->nx];
		unsettled |= grid->unsettled[i / grid->nx][i % grid->nx];
	}
	if (used < size)
		panels_marks(contended, unsettled, buffer + used, size - used);
}

/* The stride of each column, if it fits. */
static void draw_strides(struct canvas *canvas, struct rectangle at, const struct view *view,
	int first, int shown, int width)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->grid.stride_knob];
	int step = width >= 3 ? 1 : 2;

	canvas_text(canvas, at, 0, 0, STYLE_DIM, knob->name);
	for (int i = 0; i < shown; i++) {
		char value[64];

		setting_format_value(knob, view->grid.x[first + i], value, sizeof(value));
		if ((first + i) % step == 0)
			canvas_text(canvas, at, label_of(at) + 1 + i * width, 0,
				is_near(&view->grid.place_x, first + i) ? STYLE_HERE : STYLE_DIM,
				value);
	}
}

static void draw_cell(struct canvas *canvas, struct rectangle at, const struct view_grid *grid,
	int x, int y, struct rectangle cell)
{
	float gbps = grid->gbps[y][x];
	bool here = mountain_at(grid) && x == grid->here_x && y == grid->here_y;
	int middle = cell.x + (cell.width - 1) / 2;

	for (int row = 0; row < cell.height; row++) {
		if (isfinite(gbps) && gbps > 0)
			draw_shade(canvas, at, cell.x, cell.y + row, cell.width,
				mountain_shade((double)gbps, (double)grid->top));
		else if (row == (cell.height - 1) / 2)
			canvas_glyph(canvas, at, middle, cell.y + row, STYLE_DIM, GLYPH_DOT);
	}
	if ((grid->contended[y][x] || grid->unsettled[y][x]) && isfinite(gbps))
		canvas_glyph(canvas, at, middle + 1, cell.y + (cell.height - 1) / 2, STYLE_WARN,
			grid->contended[y][x] ? GLYPH_TIMES : GLYPH_DRIFT);
	if (here)
		canvas_glyph(
			canvas, at, middle, cell.y + (cell.height - 1) / 2, STYLE_HERE, GLYPH_HERE);
}

/* The first row or column of the marker for a setting between or beyond cells: between two cells,
 * the last one of the first cell. */
static int edge_of(const struct axis_place *place, int first, int shown, int each)
{
	if (place->where == AXIS_BEFORE)
		return 0;
	if (place->where == AXIS_BEYOND)
		return shown * each - 1;
	return (place->index - first) * each +
	       (place->where == AXIS_BETWEEN ? each - 1 : (each - 1) / 2);
}

/* Marks at the edge for a setting between or beyond cells: two pointers if its size is between two
 * rows, an arrow outwards if size or stride is beyond the last cell. shown: the first visible cell
 * and the number of cells; width and height are those of a cell. */
static void draw_edges(struct canvas *canvas, struct rectangle at, const struct view_grid *grid,
	struct rectangle shown, int width, int height)
{
	const struct axis_place *px = &grid->place_x, *py = &grid->place_y;
	int row = 1 + edge_of(py, shown.y, shown.height, height);
	int label = label_of(at), column = label + 1 + edge_of(px, shown.x, shown.width, width);
	int right = label + 1 + shown.width * width;

	if (mountain_at(grid))
		return;
	if (px->where == AXIS_BEFORE)
		canvas_glyph(canvas, at, label, row, STYLE_HERE, GLYPH_LEFT);
	else if (px->where == AXIS_BEYOND)
		canvas_glyph(canvas, at, right < at.width ? right : at.width - 1, row, STYLE_HERE,
			GLYPH_POINTER);
	if (py->where >= AXIS_BEFORE)
		canvas_glyph(canvas, at, px->where >= AXIS_BEFORE ? label : column, row, STYLE_HERE,
			py->where == AXIS_BEFORE ? GLYPH_UP : GLYPH_DOWN);
	else if (px->where != AXIS_BEFORE)
		canvas_glyph(canvas, at, label, row, STYLE_HERE, GLYPH_POINTER);
	if (py->where == AXIS_BETWEEN && px->where != AXIS_BEFORE)
		canvas_glyph(canvas, at, label, row + 1, STYLE_HERE, GLYPH_POINTER);
}

/* The end of the slope: from this stride on, each access touches its own cache line. */
static void draw_slope_end(struct canvas *canvas, struct rectangle at, const struct view_grid *grid,
	int first, int width, int y)
{
	int x = label_of(at) + 1 + (grid->slope_end - first) * width + (width - 1) / 2;
	char note[64];

	if (grid->slope_end < first)
		return;
	snprintf(note, sizeof(note), "a line of %.0f bytes each", grid->line);
	canvas_glyph(canvas, at, x, y, STYLE_BAR, GLYPH_UP);
	canvas_text(canvas, at, x + 2, y, STYLE_DIM, note);
}

/* The mountain from above. */
static void draw_cells(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	const struct view_grid *grid = &view->grid;
	const struct knob *sizes = &view->setting.kernel->knobs[grid->size_knob];
	int width, height, first_x, shown_x, first_y, shown_y, label = label_of(at),
							       rows = at.height - 2;

	if (rows < 1)
		return;
	window(grid->nx, (at.width - label - 1) / 2, grid->here_x, &first_x, &shown_x);
	window(grid->ny, rows, grid->here_y, &first_y, &shown_y);
	width = (at.width - label - 1) / shown_x;
	height = rows / shown_y;
	width = width > WIDEST_CELL ? WIDEST_CELL : width;
	height = height > TALLEST_CELL ? TALLEST_CELL : height;
	draw_strides(canvas, at, view, first_x, shown_x, width);
	for (int y = 0; y < shown_y; y++) {
		int row = 1 + y * height + (height - 1) / 2;
		char size[64];

		setting_format_value(sizes, grid->y[first_y + y], size, sizeof(size));
		canvas_text_right(canvas, at, label - 1, row,
			is_near(&grid->place_y, first_y + y) ? STYLE_HERE : STYLE_DIM, size);
		if ((int)strlen(size) + (int)strlen(mountain_level(grid, first_y + y, y > 0)) <
			label - 1)
			canvas_text(canvas, at, 0, row, STYLE_TITLE,
				mountain_level(grid, first_y + y, y > 0));
		for (int x = 0; x < shown_x; x++)
			draw_cell(canvas, at, grid, first_x + x, first_y + y,
				(struct rectangle){
					label + 1 + x * width, 1 + y * height, width, height });
	}
	if (first_y > 0)
		canvas_glyph(canvas, at, label, 1, STYLE_DIM, GLYPH_UP);
	if (first_y + shown_y < grid->ny)
		canvas_glyph(canvas, at, label, shown_y * height, STYLE_DIM, GLYPH_DOWN);
	draw_edges(canvas, at, grid, (struct rectangle){ first_x, first_y, shown_x, shown_y },
		width, height);
	if (shown_y * height + 2 < at.height && first_x + shown_x > grid->slope_end)
		draw_slope_end(canvas, at, grid, first_x, width, 1 + shown_y * height);
	draw_legend(canvas, at,
		at.height - 1 < 2 + shown_y * height ? at.height - 1 : 2 + shown_y * height,
		(double)grid->top);
}

static void draw_picture(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	if (view->grid.nx < 1 || view->grid.ny < 1)
		return;
	if (!view->grid.relief || !mountain_relief(canvas, at, view))
		draw_cells(canvas, at, view);
}

/* A slice through the cursor, under its title. */
static void draw_slice(struct canvas *canvas, struct rectangle at, const struct view *view,
	const struct view_slice *slice)
{
	char title[160];

	if (slice->knob < 0 || at.height < 4)
		return;
	slice_title(view, slice, title, sizeof(title));
	for (int x = canvas_text(canvas, at, 0, 0, STYLE_TITLE, title) + 1; x < at.width; x++)
		canvas_glyph(canvas, at, x, 0, STYLE_DIM, GLYPH_HLINE);
	slice_draw(
		canvas, (struct rectangle){ at.x, at.y + 1, at.width, at.height - 1 }, view, slice);
}

/* Slices in a rectangle: both, one above the other, if they fit. */
static void draw_slices(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	struct rectangle second = at;

	if (at.height < 2 * SLICE_ROWS) {
		if (at.height >= SLICE_ROWS)
			draw_slice(canvas, at, view, &view->by_size);
		return;
	}
	second.height = at.height / 2;
	second.y += at.height - second.height;
	at.height -= second.height;
	draw_slice(canvas, at, view, &view->by_size);
	draw_slice(canvas, second, view, &view->by_stride);
}

/* The whole screen: text and slices at the right if it is wide, else the text below. */
static void draw_whole(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	struct rectangle words = at, slices;
	int rows;

	if (at.width >= BESIDE_FROM) {
		words.width = at.width * 2 / 5;
		words.width = words.width < BESIDE_LEAST  ? BESIDE_LEAST
			      : words.width > BESIDE_MOST ? BESIDE_MOST
							  : words.width;
		words.x += at.width - words.width;
		at.width -= words.width + GAP;
		rows = mountain_words(canvas, words, view, true);
		slices = words;
		slices.y += rows + 1;
		slices.height -= rows + 1;
		draw_slices(canvas, slices, view);
		draw_picture(canvas, at, view);
		return;
	}
	rows = mountain_words(canvas, at, view, false);
	if (rows > at.height - PICTURE_ROWS)
		rows = at.height - PICTURE_ROWS;
	words.height = rows;
	words.y += at.height - rows;
	at.height -= rows;
	if (rows > 0)
		mountain_words(canvas, words, view, true);
	if (at.height >= PICTURE_ROWS + 2 * SLICE_ROWS) {
		slices = at;
		slices.height = SLICE_ROWS;
		slices.y += at.height - SLICE_ROWS;
		at.height -= SLICE_ROWS;
		draw_slice(canvas, slices, view, &view->by_size);
	}
	draw_picture(canvas, at, view);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	if (mountain_whole(scene->view))
		draw_whole(canvas, at, scene->view);
	else
		draw_picture(canvas, at, scene->view);
}

static bool wanted(const struct view *view)
{
	return view->grid.present;
}

const struct panel panel_mountain = {
	.name = "mountain",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.alone = mountain_whole,
	.focus = "mountain",
};
