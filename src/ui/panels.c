/* The table of panels, and the functions that compose a frame. */
#include "ui/panels.h"

#include <stdio.h>
#include <string.h>

extern const struct panel panel_header, panel_kernels, panel_knobs, panel_figure, panel_about,
	panel_by_size, panel_limits, panel_ports, panel_counters, panel_code, panel_source,
	panel_by_stride, panel_mountain, panel_probe, panel_windows, panel_sweep, panel_trials,
	panel_notice, panel_line, panel_timeline, panel_graph, panel_lesson;

/* The panels in order of importance. If not all panels fit, panels at the end of the table are
 * omitted. The body (the area below the top block) shows its panels in the order of `place`, so
 * that the source is next to the machine code. Panels with extra = true are shown only if all
 * earlier panels in the table still have a comfortable height. */
static const struct {
	const struct panel *panel;
	struct layout_row row;
	const struct panel *beside; /* if the panel `beside` is in front, this panel is placed next
				       to that panel */
} table[] = {
	{ &panel_line, { NULL, AREA_LINE, 1, 1 } },
	{ &panel_header, { NULL, AREA_HEADER, 60, 1 } },
	{ &panel_lesson, { NULL, AREA_LESSON, 40, 8 } },
	{ &panel_kernels, { NULL, AREA_KERNELS, 13, 8 } },
	{ &panel_knobs, { NULL, AREA_KNOBS, 20, 8 } },
	{ &panel_figure, { NULL, AREA_FIGURE, 20, 8 } },
	{ &panel_about, { NULL, AREA_ABOUT, 20, 8 } },
	{ &panel_by_size, { NULL, AREA_BODY, 40, 5, .place = 1 } },
	{ &panel_limits, { NULL, AREA_BODY, 40, 7, .place = 2 } },
	{ &panel_ports, { NULL, AREA_BODY, 40, 6, .place = 3 } },
	{ &panel_code, { NULL, AREA_BODY, 40, 7, .place = 6 }, .beside = &panel_source },
	{ &panel_mountain, { NULL, AREA_TALL, 56, 10, .place = 9 } },
	{ &panel_probe, { NULL, AREA_BODY, 60, 8, .place = 10, .whole = true } },
	{ &panel_timeline, { NULL, AREA_BODY, 60, 6, .place = 10, .whole = true } },
	{ &panel_graph, { NULL, AREA_BODY, 60, 6, .place = 10, .whole = true } },
	{ &panel_windows, { NULL, AREA_BODY, 60, 8, .place = 10, .whole = true } },
	{ &panel_sweep, { NULL, AREA_BODY, 60, 8, .place = 10, .whole = true } },
	{ &panel_counters, { NULL, AREA_BODY, 40, 8, .place = 4, .extra = true } },
	{ &panel_by_stride, { NULL, AREA_BODY, 40, 8, .place = 5, .extra = true } },
	{ &panel_source, { NULL, AREA_BODY, 40, 8, .place = 7, .extra = true },
		.beside = &panel_code },
	{ &panel_trials, { NULL, AREA_BODY, 40, 7, .place = 8, .extra = true } },
	{ &panel_notice, { NULL, AREA_NOTICE, 60, 1 } },
	{ &panel_key_bar, { NULL, AREA_KEYS, 60, 1 } },
};

enum { PANELS = sizeof(table) / sizeof(table[0]) };

/* ---- the frame ---- */

/* Removes clauses at the end of a title until the title fits. The first clause always remains. */
static void cut_clauses(struct box at, int width, char *title)
{
	char *comma;

	while (!canvas_fits(at, title, width) && (comma = strrchr(title, ',')) != NULL)
		*comma = '\0';
}

static void draw_panel(struct box at, const struct panel *panel, const struct scene *scene)
{
	struct words title = panel->title_of ? panel->title_of(scene)
					     : words_of("%s", panel->title ? panel->title : "");

	if (title.text[0]) {
		bool focused = panels_named(scene->view->screen.focus, panel->focus);

		if (panel->clauses && !strchr(title.text, '\n'))
			cut_clauses(at, at.width - 1 - 2 * focused, title.text);
		panels_rule(at, title.text, focused);
		at = box_part(at, 0, 1, at.width, at.height - 1);
	}
	if (scene->view->hidden & panel->hides)
		canvas_wrap(at, 0, STYLE_DIM, PANELS_HIDDEN);
	else
		panel->draw(at, scene);
}

/* Lines that one notch of the wheel scrolls. */
enum { WHEEL_LINES = 3 };

/* Records a panel for the mouse, before its own regions: a click gives the arrow keys to the panel,
 * and the wheel scrolls its text. */
static void record_panel(struct box at, const struct panel *panel)
{
	struct words click = { "" }, up = { "" }, down = { "" };

	if (!at.canvas->mouse)
		return;
	if (panel->focus)
		click = words_of("focus %s", panel->focus);
	if (panel->scroll_command) {
		up = words_of("%s -%d", panel->scroll_command, WHEEL_LINES);
		down = words_of("%s +%d", panel->scroll_command, WHEEL_LINES);
	}
	canvas_region(at, click.text, up.text, down.text);
}

static const struct panel *overlay_of(const struct view *view)
{
	switch (view->screen.overlay) {
	case OVERLAY_HELP: return &panel_help;
	case OVERLAY_FIND: return &panel_find;
	case OVERLAY_TEXT: return view->screen.text_title[0] ? &panel_said : &panel_text;
	case OVERLAY_PAGE: return &panel_page;
	case OVERLAY_NONE: break;
	}
	return NULL;
}

/* Returns the number of rows that the top block can use: one row for each knob, and rows for the
 * knob's help and the kernel's remark. */
static int top_rows(const struct view *view)
{
	return int_most(1 + view->setting.kernel->knob_count + 4, 13);
}

/* Whether the screen has no panels. */
static bool is_small(const struct canvas *canvas)
{
	return canvas->width < LAYOUT_MIN_WIDTH || canvas->height < LAYOUT_MIN_HEIGHT;
}

/* Returns the box of an overlay, border included. Except on a small screen, the key bar remains
 * visible, because the key bar shows how to close the overlay. */
static struct box overlay_at(struct canvas *canvas, const struct panel *panel, bool replay)
{
	int most_rows = panel ? panel->most_rows : 0;
	bool small = is_small(canvas);
	int margin = canvas->width >= 112 ? (canvas->width - 108) / 2 : 0;
	/* On a small screen, the overlay begins below the REPLAY stamp, if stamp and overlay fit.
	 */
	int top = small ? replay && canvas->height > 3 : 1;
	int height = small ? canvas->height - top : canvas->height - 3;

	if (panel && panel->full)
		return box_part(canvas_box(canvas), 0, 0, canvas->width, canvas->height - 2);
	height = most_rows > 0 ? int_least(height, most_rows) : height;
	return box_part(canvas_box(canvas), margin, top, canvas->width - 2 * margin, height);
}

/* The part of an overlay below its title, or inside its frame. */
static struct box inside(struct box at, const struct panel *panel)
{
	if (panel && panel->full)
		return box_part(at, 0, 1, at.width, at.height - 1);
	return box_part(at, 2, 1, at.width - 4, at.height - 2);
}

static void draw_overlay(struct canvas *canvas, const struct scene *scene)
{
	const struct panel *panel = overlay_of(scene->view);
	struct box at = overlay_at(canvas, panel, scene->view->replay);

	if (!panel || at.width < 8 || at.height < 3)
		return;
	/* A mouse click outside the overlay closes the overlay. The key bar remains below the
	 * overlay. */
	canvas_region(box_part(canvas_box(canvas), 0, 0, canvas->width, canvas->height - 1),
		"close", "", "");
	canvas_region(at, "", "move up", "move down");
	canvas_fill(at, STYLE_TEXT);
	if (panel->full) {
		struct box below =
			box_part(canvas_box(canvas), 0, at.y + at.height, canvas->width, 1);

		panels_rule(at, scene->view->screen.page_title, false);
		struct words notice = words_of("%s", scene->view->screen.notice);

		/* On a small screen, the message had two rows, one of them below the page. */
		if (is_small(canvas)) {
			canvas_fill(below, STYLE_TEXT);
			panels_cut_clauses(below, 1, notice.text, sizeof(notice.text));
			canvas_put(below, 0, 0,
				scene->view->screen.notice_bad ? STYLE_BAD : STYLE_TEXT,
				notice.text);
		}
	} else {
		canvas_frame(at, STYLE_DIM,
			scene->view->replay && at.y == 0 ? "REPLAY"
			: panel == &panel_said		 ? scene->view->screen.text_title
							 : panel->title);
		/* A small screen has no key bar below the overlay. */
		if (is_small(canvas) && at.width > 20)
			canvas_put(at, at.width - 14, at.height - 1, STYLE_DIM, " Esc closes ");
	}
	panel->draw(inside(at, panel), scene);
}

bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys)
{
	const struct panel *panel = overlay_of(view);
	const struct scene scene = { .view = view, .keys = keys };

	if (!panel || !panel->scroll_end)
		return false;
	return view->screen.scroll >=
	       panel->scroll_end(inside(overlay_at(canvas, panel, view->replay), panel), &scene);
}

int panels_lesson_page(struct canvas *canvas, const struct view *view)
{
	const struct scene scene = { .view = view };
	struct box at;
	int title;

	if (!view->lesson.title || !panels_find(canvas, view, panel_lesson.name, &at))
		return 0;
	title = at.height > 1;
	at = box_part(at, 0, title, at.width, at.height - title);
	return panel_lesson.scroll_end(at, &scene) > 0 ? int_most(at.height - 3, 1) : 0;
}

int panels_page(struct canvas *canvas, const struct view *view)
{
	const struct panel *panel = overlay_of(view);
	int rows = inside(overlay_at(canvas, panel, view->replay), panel).height;

	return rows > 2 ? rows - 1 : 1;
}

/* Returns the index of a panel in the table, found by its name or by the name of its pane (the part
 * on which arrow keys act); -1: no such panel. */
static int index_of(const char *name, bool pane)
{
	for (int i = 0; i < PANELS; i++)
		if (panels_named(name, pane ? table[i].panel->focus : table[i].panel->name))
			return i;
	return -1;
}

/* Fills the rows of all panels, in the order of the table, as if no panel was in front. */
static void fill_rows(
	const struct canvas *canvas, const struct view *view, struct layout_row rows[PANELS])
{
	for (int i = 0; i < PANELS; i++) {
		const struct panel *panel = table[i].panel;
		struct layout_row *row = &rows[i];

		*row = table[i].row;
		row->name = panel->name;
		row->wanted = !panel->wanted || panel->wanted(view);
		row->best_height = panel->best_rows && row->wanted ? panel->best_rows(view)
								   : panel->fixed_rows;
		if (row->wanted && panel->rows_at) {
			row->best_height =
				panel->rows_at(canvas, view, layout_lesson_width(canvas->width));
			row->whole_height = panel->rows_at(canvas, view, canvas->width);
		}
		row->alone = panel->alone && panel->alone(view);
	}
}

/* Returns the row of a panel, given the panel in front; NULL: no panel is in front. */
static struct layout_row row_of(
	const struct layout_row rows[PANELS], int index, const struct panel *front)
{
	struct layout_row row = rows[index];

	row.front = table[index].panel == front;
	if (front && (row.front || table[index].beside == front))
		row.place = 0;
	return row;
}

/* Fills `first` with the indices of the panels that come before all other panels of the body: the
 * panel with index `front`, then the panels of the preset. Returns how many. */
static int first_in_body(const struct view *view, int front, int *first)
{
	int count = 0;

	if (front >= 0 && table[front].row.area >= AREA_BODY && table[front].row.area <= AREA_TALL)
		first[count++] = front;
	for (int i = 0; i < SCREEN_ORDER && view->screen.order[i]; i++) {
		int index = index_of(view->screen.order[i], false);

		if (index >= 0 && index != front)
			first[count++] = index;
	}
	return count;
}

/* Computes the rectangles of all panels of a frame from the panels' own rows. The panel with index
 * `front`, which the user asked for, is directly below the top block; the panels of the preset
 * follow. */
static void lay_out(const struct canvas *canvas, const struct view *view,
	const struct layout_row own[PANELS], int front, struct layout *layout)
{
	struct layout_row rows[PANELS];
	int first[1 + SCREEN_ORDER], firsts = first_in_body(view, front, first);
	int count = 0, body = 0;
	bool moved[PANELS] = { false };
	const struct panel *in_front = NULL;

	while (table[body].row.area != AREA_BODY)
		body++;
	if (firsts && first[0] == front && front != body)
		in_front = table[front].panel;
	for (int i = 0; i < firsts; i++)
		moved[first[i]] = true;
	for (int i = 0; i < PANELS; i++) {
		for (int k = 0; i == body && k < firsts; k++) {
			rows[count] = row_of(own, first[k], in_front);
			if (first[k] != front)
				rows[count].extra = false;
			rows[count++].place = 0;
		}
		if (!moved[i])
			rows[count++] = row_of(own, i, in_front);
	}
	layout_compute(canvas->width, canvas->height, rows, count, top_rows(view),
		view->screen.present, layout);
}

/* Computes the layout of the view. The focused panel is always visible, because arrow keys act only
 * on visible panels. */
static void lay_out_seen(
	const struct canvas *canvas, const struct view *view, struct layout *layout)
{
	int focused = index_of(view->screen.focus, true),
	    front = index_of(view->screen.front, false);
	/* If a panel came to the front by itself and is already on screen, the panels keep their
	 * places. */
	bool stays = view->screen.by_itself && !table[front].row.whole;
	struct layout_row rows[PANELS];

	fill_rows(canvas, view, rows);
	lay_out(canvas, view, rows, stays ? -1 : front, layout);
	if (stays && !layout_find(layout, table[front].panel->name))
		lay_out(canvas, view, rows, front, layout);
	/* Where the kernels and knobs have no panel of their own, the brief panel (panel_brief.c)
	 * shows them. */
	if (focused >= 0 && table[focused].row.area != AREA_KNOBS &&
		!layout_find(layout, panel_line.name) &&
		!layout_find(layout, table[focused].panel->name))
		lay_out(canvas, view, rows, focused, layout);
}

bool panels_find(struct canvas *canvas, const struct view *view, const char *name, struct box *at)
{
	const struct panel *overlay = overlay_of(view);
	const struct box *found;
	struct layout layout;

	if (overlay && panels_named(name, overlay->name)) {
		*at = overlay_at(canvas, overlay, view->replay);
		return true;
	}
	lay_out_seen(canvas, view, &layout);
	found = layout_find(&layout, name);
	if (found)
		*at = box_part(canvas_box(canvas), found->x, found->y, found->width, found->height);
	return found;
}

bool panels_focus_shown(struct canvas *canvas, const struct view *view)
{
	const char *focus = view->screen.focus;
	int focused = index_of(focus, true);
	struct box at;

	if (focused < 0 || panels_find(canvas, view, table[focused].panel->name, &at))
		return true;
	/* A lesson's panel shows the knob; on a small screen, the brief panel shows the kernel and
	 * the knob, but not in the single row above a lesson. */
	if (panels_named(focus, "knobs") && panels_find(canvas, view, panel_lesson.name, &at))
		return true;
	return (panels_named(focus, "kernels") || panels_named(focus, "knobs")) &&
	       panels_find(canvas, view, panel_line.name, &at) && at.height > 1;
}

const struct panel *panels_scrolled(const struct screen *screen, const char *command)
{
	/* If a diagram is in front, the keys that scroll the code scroll the diagram, up to its
	 * last row. */
	if (strcmp(screen->front, "timeline") == 0 || strcmp(screen->front, "graph") == 0)
		return NULL;
	for (int i = 0; i < PANELS; i++) {
		const struct panel *panel = table[i].panel;
		const char *scroll = panel->scroll_command;
		size_t length = scroll ? strlen(scroll) : 0;

		if (scroll && ((strncmp(command, scroll, length) == 0 && command[length] == ' ') ||
				      (panels_named(screen->focus, panel->focus) &&
					      strcmp(command, "move down") == 0)))
			return panel;
	}
	return NULL;
}

bool panels_scroll_back(struct canvas *canvas, const struct view *view, const struct panel *panel,
	char *back, size_t size)
{
	const struct scene scene = { .view = view };
	struct box at;
	int beyond;

	if (!panels_find(canvas, view, panel->name, &at))
		return false;
	/* The lines of the panel's text begin below the rule. */
	beyond = panel->first(view) -
		 panel->scroll_end(box_part(at, 0, 1, at.width, at.height - 1), &scene);
	snprintf(back, size, "%s -%d", panel->scroll_command, beyond);
	return beyond > 0;
}

bool panels_shown(const struct scene *scene, const char *name)
{
	return scene->layout && layout_find(scene->layout, name);
}

/* Draws the presenter's mark: arrows at both ends of a row, whose text gets the style of a chosen
 * value. */
static void draw_mark(struct canvas *canvas, const struct view *view)
{
	int row = int_least(view->screen.mark, canvas->height - 1) - 1;
	struct box at = canvas_box(canvas);

	if (row < 0)
		return;
	for (int x = 0; x < canvas->width; x++)
		canvas->cells[row * canvas->width + x].style = STYLE_SELECTED;
	/* The left arrow hides no letter of the row. The right arrow is always there, because
	 * colours alone do not carry the mark. */
	if (canvas->cells[row * canvas->width].character == L' ')
		canvas_glyph(at, 0, row, STYLE_SELECTED, GLYPH_POINTER);
	canvas_glyph(at, canvas->width - 1, row, STYLE_SELECTED, GLYPH_LEFT);
}

void panels_draw(struct canvas *canvas, const struct view *view, const struct keys *keys,
	const bool *works, const struct pressed *pressed)
{
	struct layout layout;
	struct scene scene = {
		.view = view, .keys = keys, .works = works, .pressed = pressed, .layout = &layout
	};

	canvas_clear(canvas);
	if (view->screen.blank) {
		canvas_put(canvas_box(canvas), 1, canvas->height - 1, STYLE_DIM,
			"blank: any key shows the screen again, q quits");
		return;
	}
	lay_out_seen(canvas, view, &layout);
	for (int i = 0; i < PANELS; i++) {
		const struct box *at = layout_find(&layout, table[i].panel->name);
		struct box box;

		if (!at)
			continue;
		box = box_part(canvas_box(canvas), at->x, at->y, at->width, at->height);
		record_panel(box, table[i].panel);
		draw_panel(box, table[i].panel, &scene);
	}
	draw_overlay(canvas, &scene);
	draw_mark(canvas, view);
}
