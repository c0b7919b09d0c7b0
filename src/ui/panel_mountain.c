/* If the mountain has the whole screen, text describes the setting under the cursor: its value,
 * binding limit and cache misses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "lesson/lesson.h"
#include "ui/mountain_relief.h"
#include "ui/panels.h"

/* Adds the measured value with its quartiles and its source, or the reason why there is no value.
 */
static void add_value(struct lines *lines, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *state = panels_state(view);

	if (!sample->valid)
		lines_add(lines, 0, STYLE_TEXT, "%s",
			view->failure[0] ? view->failure
			: view->frozen	 ? "no value: frozen"
					 : "measuring …");
	else
		lines_add(lines, 0, sample->contended ? STYLE_WARN : STYLE_TEXT,
			"%s GB/s T, %s bytes a cycle; CPE %s (%s to %s), %s%s%s",
			units_value(sample->gbps).text, units_value(sample->bytes_per_cycle).text,
			units_value(sample->cpe).text, units_value(sample->cpe_lo).text,
			units_value(sample->cpe_hi).text, panels_source(sample->cycles_from),
			*state ? "; " : "", state);
}

/* Adds the limit with which the measured value is compared, or the reason why no limit is known. */
static void add_limit(struct lines *lines, const struct view *view)
{
	const struct explanation *explanation = view->explanation;
	const struct limits *limits = explanation ? &explanation->limits : NULL;
	const bool soft = view->gap.soft && limits && limits->predicted_by >= 0;
	const struct limit *limit;

	if (!limits || !status_is_ok(&explanation->status) || limits->binding < 0) {
		lines_add(lines, 0, STYLE_TEXT, "%s", view->limits_note);
		return;
	}
	limit = &limits->limit[soft ? limits_main(limits) : limits->binding];
	lines_put(lines, 0, STYLE_TEXT,
		panels_cause(explanation,
			words_of("%s CPE %s%s, %s",
				soft || *limits_at_least(limits) ? "predicted" : "limit",
				limits_at_least(limits),
				units_value(soft ? limits->predicted : limit->cpe).text,
				limit_rows[limit->kind].name)
				.text,
			limit));
}

/* Adds a line with the expected and counted misses of one cache level. Example: "L1 48 KiB: every
 * read is a miss: 1 line for each (counted 0.98 C); in 96 KiB: none". Adds nothing if the machine
 * has no cache of this level. */
static void add_misses(struct lines *lines, const struct view_misses *misses, int level)
{
	const struct misses *now = &misses->now;
	double bytes = now->level[level].bytes, other_bytes = misses->then.level[level].bytes;
	struct words words = misses_words(now, level), note = misses_note(now, level);
	struct words counted = { "" }, other = { "" };

	if (!(bytes > 0))
		return;
	if (isfinite(misses->counted[level]))
		counted = words_of("; counted %s C", units_value(misses->counted[level]).text);
	if (misses->whatif.asked && other_bytes != bytes) {
		struct words then = misses_words(&misses->then, level);

		other = words_of("; if %s: %.150s", units_size_long((int64_t)other_bytes).text,
			strcmp(then.text, words.text) == 0 ? "the same" : then.text);
	}
	lines_add(lines, 0, now->level[level].fits ? STYLE_DIM : STYLE_TEXT, "%s: %s%s%s%s%s",
		cache_words(&now->caches, level).text, words.text, counted.text, other.text,
		*note.text ? "; " : "", note.text);
}

/* Returns the text about the setting under the cursor. */
static struct lines mountain_words(struct box at, const struct view *view, bool setting)
{
	struct lines lines;

	lines_begin(&lines, at);
	if (setting)
		lines_add(&lines, 0, STYLE_FIGURE, "%s", panels_setting(&view->setting, NULL).text);
	add_value(&lines, view);
	add_limit(&lines, view);
	if (!view->misses.now.known)
		lines_add(&lines, 0, STYLE_DIM, "misses: unavailable; %s", view->misses.now.why);
	for (int i = 0; view->misses.now.known && i < CACHE_LEVELS; i++)
		add_misses(&lines, &view->misses, i);
	return lines;
}

/* ---- the panel ---- */

/* Draws the mountain: a shaded cell for each size and stride, or a relief (mountain_relief.c). If
 * the mountain has the whole screen, the panel also shows text about the cell under the cursor, and
 * slices through that cell. */

enum {
	SHADES = MOUNTAIN_SHADES,
	LABEL = 9,
	NARROW_LABEL = 7,
	WIDE_FROM = 58,
	LEGEND_LABEL = 6,
	WIDEST_CELL = 8,
	TALLEST_CELL = 4
};

/* BESIDE_FROM: smallest width at which text and slices are next to the picture. BESIDE_LEAST,
 * BESIDE_MOST: smallest and largest width of the text next to the mountain. SLICE_ROWS,
 * PICTURE_ROWS: smallest number of rows of a slice and of the picture. */
enum { BESIDE_FROM = 108, BESIDE_LEAST = 42, BESIDE_MOST = 72, SLICE_ROWS = 9, PICTURE_ROWS = 11 };

/* Draws one of the mountain's shades (levels of throughput) as an area, or as characters on
 * terminals with few colours. On a canvas without solid areas, five characters, combined in pairs,
 * make eight textures for the mountain's shades. */
static void draw_shade(struct box at, int x, int y, int width, int shade)
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
		if (at.canvas->solid)
			canvas_glyph(at, x + i, y, (enum style)(STYLE_AREA0 + shade), GLYPH_SHADE0);
		else
			canvas_glyph(at, x + i, y, (enum style)(STYLE_SHADE0 + shade),
				pair[shade][i % 2]);
}

static void draw_legend(struct box at, int y, double top)
{
	int each = (at.width - LEGEND_LABEL - 1) / SHADES, x = LEGEND_LABEL + 1;

	if (!(top > 0) || each < 6)
		return;
	each = int_least(each, 9);
	canvas_text(at, 0, y, STYLE_DIM, "GB/s≥");
	for (int shade = SHADES - 1; shade >= 0; shade--, x += each) {
		double from = top / pow(2, (SHADES - shade) / 2.0);
		bool solid = at.canvas->solid;
		int label = solid ? x + 1 : x + (each > 6 ? 3 : 2);

		draw_shade(at, x, y, solid ? each : 2, shade);
		canvas_text(at, label, y, solid ? (enum style)(STYLE_AREA0 + shade) : STYLE_DIM,
			shade ? "%.*f" : "less", from < 9.95, from);
	}
}

/* Returns whether the present setting is beyond the first or last cell of an axis. */
static bool mountain_off(const struct view_grid *grid)
{
	return grid->place_x.where >= AXIS_BEFORE || grid->place_y.where >= AXIS_BEFORE;
}

/* Returns whether the mountain has the whole screen: the mountain is in front, and the arrow keys
 * move its cursor. */
static bool mountain_whole(const struct view *view)
{
	return panels_named(view->screen.front, "mountain") &&
	       panels_named(view->screen.focus, "mountain") && view->grid.present;
}

/* Returns the number of screen columns to the left of the mountain's cells. To the left of each row
 * of cells, the panel shows the size, and the cache that holds this size if there is room. */
static int label_of(struct box at)
{
	return at.width >= WIDE_FROM ? LABEL : NARROW_LABEL;
}

/* Returns whether a row or column of the mountain's cells belongs to the present setting, or is
 * next to it.
 */
static bool is_near(const struct axis_place *place, int index)
{
	return place->where <= AXIS_BETWEEN &&
	       (index == place->index ||
		       (place->where == AXIS_BETWEEN && index == place->index + 1));
}

static struct words title_of(const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct view_grid *grid = &view->grid;
	double here = (double)grid->gbps[grid->here_y][grid->here_x];
	const struct knob *knobs = view->setting.kernel->knobs, *size = &knobs[grid->size_knob],
			  *stride = &knobs[grid->stride_knob];
	struct words bytes = setting_shown(size, view->setting.v[grid->size_knob]),
		     elements = setting_shown(stride, view->setting.v[grid->stride_knob]);
	bool contended = false, unsettled = false;
	struct words what;
	const char *marks;

	for (int i = 0; i < grid->nx * grid->ny; i++) {
		contended |= grid->contended[i / grid->nx][i % grid->nx];
		unsettled |= grid->unsettled[i / grid->nx][i % grid->nx];
	}
	marks = panels_marks(contended, unsettled);
	if (!mountain_at(grid))
		what = words_of("mountain: here %s, %s %s%s", bytes.text, stride->name,
			elements.text, mountain_off(grid) ? ", off the grid" : "");
	else if (!isfinite(here))
		what = words_of("mountain: GB/s over %s and %s", size->name, stride->name);
	else
		what = words_of("mountain: %s GB/s T at %s, %s %s", units_value(here).text,
			bytes.text, stride->name, elements.text);
	return marks[0] ? words_of("%1$s%2$s\n%1$s%3$s\n%1$s", what.text, marks,
				  panels_marks_short(contended, unsettled))
			: what;
}

/* Above each column of the mountain's cells, draws the stride of the column if it fits. */
static void draw_strides(struct box at, const struct view *view, int first, int shown, int width)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->grid.stride_knob];
	int step = width >= 3 ? 1 : 2;

	canvas_put(at, 0, 0, STYLE_DIM, knob->name);
	for (int i = 0; i < shown; i++)
		if ((first + i) % step == 0)
			canvas_put(at, label_of(at) + 1 + i * width, 0,
				is_near(&view->grid.place_x, first + i) ? STYLE_HERE : STYLE_DIM,
				setting_shown(knob, view->grid.x[first + i]).text);
}

static void draw_cell(struct box at, const struct view_grid *grid, int x, int y, struct box cell)
{
	float gbps = grid->gbps[y][x];
	int middle = cell.x + (cell.width - 1) / 2, row = cell.y + (cell.height - 1) / 2;

	if (!(gbps > 0) || !isfinite(gbps))
		canvas_glyph(at, middle, row, STYLE_DIM, GLYPH_DOT);
	else
		for (int i = 0; i < cell.height; i++)
			draw_shade(at, cell.x, cell.y + i, cell.width,
				mountain_shade((double)gbps, (double)grid->top));
	if ((grid->contended[y][x] || grid->unsettled[y][x]) && isfinite(gbps))
		canvas_mark(at, middle + 1, row, STYLE_WARN,
			grid->contended[y][x] ? GLYPH_TIMES : GLYPH_DRIFT);
	if (!mountain_at(grid) || x != grid->here_x || y != grid->here_y)
		return;
	canvas_mark(at, middle, row, STYLE_HERE, GLYPH_HERE);
	/* On solid areas, two pointers next to the mark show the present setting, because a single
	 * mark is hard to find. */
	if (cell.width >= 3 && at.canvas->solid) {
		canvas_mark(at, middle - 1, row, STYLE_HERE, GLYPH_POINTER);
		canvas_mark(at, middle + 1, row, STYLE_HERE, GLYPH_LEFT);
	}
}

/* If the present size or stride is between two cells of the mountain, or beyond the last cell, a
 * marker shows its place. Returns the row or column in which the marker of the present size or
 * stride is drawn. Between two cells, the marker is in the last row or column of the first cell. */
static int edge_of(const struct axis_place *place, int first, int shown, int each)
{
	if (place->where == AXIS_BEFORE)
		return 0;
	if (place->where == AXIS_BEYOND)
		return shown * each - 1;
	return (place->index - first) * each +
	       (place->where == AXIS_BETWEEN ? each - 1 : (each - 1) / 2);
}

/* Draws marks at the edge of the mountain for a size or stride between two cells or beyond the last
 * cell. Two pointers at the left edge mean that the present size is between two rows. An arrow that
 * points away from the mountain means that the present size or stride is beyond the last cell.
 * Parameter `shown`: the first visible cell of the mountain, and the number of visible cells.
 * Parameters `width` and `height`: the size of a cell on the screen. */
static void draw_edges(
	struct box at, const struct view_grid *grid, struct box shown, int width, int height)
{
	const struct axis_place *px = &grid->place_x, *py = &grid->place_y;
	int row = 1 + edge_of(py, shown.y, shown.height, height);
	int label = label_of(at), column = label + 1 + edge_of(px, shown.x, shown.width, width);
	int right = label + 1 + shown.width * width;

	if (mountain_at(grid))
		return;
	if (px->where == AXIS_BEFORE)
		canvas_glyph(at, label, row, STYLE_HERE, GLYPH_LEFT);
	else if (px->where == AXIS_BEYOND)
		canvas_glyph(at, int_least(right, at.width - 1), row, STYLE_HERE, GLYPH_POINTER);
	if (py->where >= AXIS_BEFORE)
		canvas_glyph(at, px->where >= AXIS_BEFORE ? label : column, row, STYLE_HERE,
			py->where == AXIS_BEFORE ? GLYPH_UP : GLYPH_DOWN);
	else if (px->where != AXIS_BEFORE)
		canvas_glyph(at, label, row, STYLE_HERE, GLYPH_POINTER);
	if (py->where == AXIS_BETWEEN && px->where != AXIS_BEFORE)
		canvas_glyph(at, label, row + 1, STYLE_HERE, GLYPH_POINTER);
}

/* Marks the stride at which the mountain's slope ends. At the marked stride and above, each access
 * touches a cache line of its own. */
static void draw_slope_end(struct box at, const struct view_grid *grid, int first, int width, int y)
{
	int x = label_of(at) + 1 + (grid->slope_end - first) * width + (width - 1) / 2;

	if (grid->slope_end < first)
		return;
	canvas_glyph(at, x, y, STYLE_BAR, GLYPH_UP);
	canvas_text(at, x + 2, y, STYLE_DIM, "a line of %.0f bytes each", grid->line);
}

/* Draws the mountain from above. If an axis does not fit, only the part of the axis around the
 * cursor is drawn.
 */
static void draw_cells(struct box at, const struct view *view)
{
	const struct view_grid *grid = &view->grid;
	const struct knob *sizes = &view->setting.kernel->knobs[grid->size_knob],
			  *strides = &view->setting.kernel->knobs[grid->stride_knob];
	int label = label_of(at), room = at.width - label - 1, rows = at.height - 2;
	int shown_x = int_least(grid->nx, room / 2), shown_y = int_least(grid->ny, rows);
	int first_x = panels_first(grid->nx, shown_x, grid->here_x),
	    first_y = panels_first(grid->ny, shown_y, grid->here_y);
	int width, height, below;

	if (rows < 1)
		return;
	width = int_least(room / shown_x, WIDEST_CELL);
	height = int_least(rows / shown_y, TALLEST_CELL);
	below = 1 + shown_y * height;
	draw_strides(at, view, first_x, shown_x, width);
	for (int y = 0; y < shown_y; y++) {
		int row = 1 + y * height + (height - 1) / 2;
		const char *level = mountain_level(grid, first_y + y, y > 0);
		struct words size = setting_value(sizes, grid->y[first_y + y]);

		canvas_put_right(at, label - 1, row,
			is_near(&grid->place_y, first_y + y) ? STYLE_HERE : STYLE_DIM, size.text);
		if ((int)strlen(size.text) + (int)strlen(level) < label - 1)
			canvas_put(at, 0, row, STYLE_TITLE, level);
		for (int x = 0; x < shown_x; x++) {
			struct box cell =
				box_part(at, label + 1 + x * width, 1 + y * height, width, height);

			draw_cell(at, grid, first_x + x, first_y + y,
				(struct box){
					label + 1 + x * width, 1 + y * height, width, height });
			canvas_clicked(cell, "set %s=%s %s=%s", sizes->name, size.text,
				strides->name, setting_value(strides, grid->x[first_x + x]).text);
		}
	}
	if (first_y > 0)
		canvas_glyph(at, label, 1, STYLE_DIM, GLYPH_UP);
	if (first_y + shown_y < grid->ny)
		canvas_glyph(at, label, shown_y * height, STYLE_DIM, GLYPH_DOWN);
	draw_edges(at, grid, (struct box){ first_x, first_y, shown_x, shown_y }, width, height);
	if (below + 1 < at.height && first_x + shown_x > grid->slope_end)
		draw_slope_end(at, grid, first_x, width, below);
	draw_legend(at, int_least(at.height - 1, below + 1), (double)grid->top);
}

static void draw_picture(struct box at, const struct view *view)
{
	bool legend;

	if (view->grid.nx < 1 || view->grid.ny < 1)
		return;
	/* A relief drawn with solid areas needs a legend of its shades; a relief of lines only
	 * needs its axis of heights. */
	legend = view->grid.relief && at.canvas->solid;
	if (!view->grid.relief ||
		!mountain_relief(box_part(at, 0, 0, at.width, at.height - legend), view))
		draw_cells(at, view);
	else if (legend)
		draw_legend(at, at.height - 1, (double)view->grid.top);
}

/* Draws a slice through the cell under the cursor, with the slice's title above. */
static void draw_slice(struct box at, const struct view *view, const struct view_slice *slice)
{
	if (slice->knob < 0 || at.height < 4)
		return;
	panels_rule(at, slice_title(view, slice).text, false);
	slice_draw(box_part(at, 0, 1, at.width, at.height - 1), view, slice);
}

/* Draws the slices over size and stride in a box, one above the other. If only one slice fits in
 * the box, draws only one slice. */
static void draw_slices(struct box at, const struct view *view)
{
	int first = at.height < 2 * SLICE_ROWS ? at.height : at.height - at.height / 2;

	if (at.height >= SLICE_ROWS)
		draw_slice(box_part(at, 0, 0, at.width, first), view, &view->by_size);
	/* If the box has no rows left for the slice over stride, nothing is drawn. */
	draw_slice(box_part(at, 0, first, at.width, at.height - first), view, &view->by_stride);
}

/* Draws the mountain on the whole screen. On a wide screen, text and slices are at the right; on a
 * narrow screen, the text is below the picture. */
static void draw_whole(struct box at, const struct view *view)
{
	bool wide = at.width >= BESIDE_FROM;
	struct box slices = wide ? panels_beside(&at, BESIDE_LEAST, BESIDE_MOST) : at;
	struct lines words = mountain_words(slices, view, true);
	int rows = lines_rows(&words);

	if (wide) {
		lines_draw(&words, 0);
		draw_slices(box_part(slices, 0, rows + 1, slices.width, slices.height - rows - 1),
			view);
		draw_picture(at, view);
		return;
	}
	rows = int_most(int_least(rows, at.height - PICTURE_ROWS), 0);
	at.height -= rows;
	/* If the panel has few rows, the text omits the setting, because the panel's title also
	 * shows the setting. */
	words = mountain_words(box_part(at, 0, at.height, at.width, rows), view, rows > 2);
	lines_draw(&words, 0);
	if (at.height >= PICTURE_ROWS + 2 * SLICE_ROWS) {
		at.height -= SLICE_ROWS;
		draw_slice(box_part(at, 0, at.height, at.width, SLICE_ROWS), view, &view->by_size);
	}
	draw_picture(at, view);
}

static void draw(struct box at, const struct scene *scene)
{
	if (mountain_whole(scene->view))
		draw_whole(at, scene->view);
	else
		draw_picture(at, scene->view);
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
	.hides = HIDDEN_CPE | HIDDEN_CURVE,
};
