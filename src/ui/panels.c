/* The table of panels, and how a frame is composed. */
#include "ui/panels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/mountain_relief.h"

extern const struct panel panel_header, panel_kernels, panel_knobs, panel_figure, panel_about,
	panel_by_size, panel_ladder, panel_ports, panel_counters, panel_code, panel_source,
	panel_by_stride, panel_mountain, panel_probe, panel_windows, panel_strip, panel_notice,
	panel_key_bar, panel_line;

/* In order of importance: if room is scarce, later panels are omitted. The panels of the body are
 * shown in the order of their places, so that the source is next to the code. Extra panels are
 * shown only if all panels before them have a comfortable height. */
static const struct {
	const struct panel *panel;
	enum area area;
	int min_width, min_height;
	int place;
	bool extra, whole;
	const struct panel *beside; /* if that panel is in front, this one is next to it */
} table[] = {
	{ &panel_line, AREA_LINE, 1, 1 },
	{ &panel_header, AREA_HEADER, 60, 1 },
	{ &panel_kernels, AREA_KERNELS, 13, 8 },
	{ &panel_knobs, AREA_KNOBS, 20, 8 },
	{ &panel_figure, AREA_FIGURE, 20, 8 },
	{ &panel_about, AREA_ABOUT, 20, 8 },
	{ &panel_by_size, AREA_BODY, 40, 5, 1 },
	{ &panel_ladder, AREA_BODY, 40, 7, 2 },
	{ &panel_ports, AREA_BODY, 40, 6, 3 },
	{ &panel_code, AREA_BODY, 40, 7, 6, .beside = &panel_source },
	{ &panel_mountain, AREA_TALL, 56, 10, 9 },
	{ &panel_probe, AREA_BODY, 60, 8, 10, false, true },
	{ &panel_windows, AREA_BODY, 60, 8, 10, false, true },
	{ &panel_counters, AREA_BODY, 40, 8, 4, true },
	{ &panel_by_stride, AREA_BODY, 40, 8, 5, true },
	{ &panel_source, AREA_BODY, 40, 8, 7, true, .beside = &panel_code },
	{ &panel_strip, AREA_BODY, 40, 7, 8, true },
	{ &panel_notice, AREA_NOTICE, 60, 1 },
	{ &panel_key_bar, AREA_KEYS, 60, 1 },
};

enum { PANELS = sizeof(table) / sizeof(table[0]) };

struct number panels_number(double value)
{
	struct number number;

	units_figure(value, number.text, sizeof(number.text));
	return number;
}

const char *panels_source(enum source source)
{
	switch (source) {
	case SOURCE_COUNTER: return "C counter";
	case SOURCE_REFERENCE: return "R reference clock";
	case SOURCE_STEPPED: return "S single-stepped";
	case SOURCE_TIME: return "T wall time";
	case SOURCE_MODEL: return "M model";
	case SOURCE_NONE: break;
	}
	return "no source";
}

const struct explanation *panels_outline(const struct view *view)
{
	return view->explanation ? view->explanation : view->outline;
}

void panels_core(const struct core *core, char *buffer, size_t size)
{
	const char *more = strstr(core->title, " (");

	snprintf(buffer, size, "%.*s", more ? (int)(more - core->title) : (int)sizeof(core->title),
		core->title);
}

void panels_cut(const struct canvas *canvas, int width, int rows, char *text, size_t size)
{
	static const char ellipsis[] = " …";
	size_t length = strlen(text);

	while (canvas_wrap_rows(canvas, width, text) > rows && length > 0) {
		char *blank = NULL;

		text[length] = '\0';
		if (length > 0)
			blank = strrchr(text, ' ');
		if (!blank)
			break; /* a single word: the canvas cuts it */
		length = (size_t)(blank - text);
		snprintf(blank, size - length, "%s", ellipsis);
	}
}

/* Whether another setting has the same value for the knob of that name. */
static bool has_value(const struct setting *setting, const char *name, const char *value)
{
	char own[64];
	int index = kernel_knob(setting->kernel, name);

	if (index < 0)
		return false;
	setting_format_value(&setting->kernel->knobs[index], setting->v[index], own, sizeof(own));
	return strcmp(own, value) == 0;
}

void panels_setting(
	const struct setting *setting, const struct setting *other, char *buffer, size_t size)
{
	const struct kernel *kernel = setting->kernel;
	size_t used = 0;

	buffer[0] = '\0';
	if (other && kernel->own && other->kernel->own && other->kernel != kernel &&
		strcmp(kernel->name, other->kernel->name) == 0) {
		used = (size_t)snprintf(buffer, size, "version before");
	} else if (!other || other->kernel != kernel) {
		const char *slash = kernel->own ? strrchr(kernel->name, '/') : NULL;

		used = (size_t)snprintf(buffer, size, "%s", slash ? slash + 1 : kernel->name);
	}
	for (int i = 0; i < kernel->knob_count && used < size; i++) {
		char value[64];

		setting_format_value(&kernel->knobs[i], setting->v[i], value, sizeof(value));
		if (other && has_value(other, kernel->knobs[i].name, value))
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s=%s", used ? " " : "",
			kernel->knobs[i].name, value);
	}
}

void panels_replay(const struct view *view, char *buffer, size_t size)
{
	const char *slash = strrchr(view->replay, '/');

	snprintf(buffer, size, " REPLAY %s ", slash ? slash + 1 : view->replay);
}

const char *panels_state(const struct view *view)
{
	if (!view->sample.valid)
		return "";
	if (sample_doubt(&view->sample))
		return sample_doubt(&view->sample);
	return view->sample.modes == 2 ? "two modes" : "";
}

void panels_marks(bool contended, bool unsettled, char *buffer, size_t size)
{
	const char *words = contended && unsettled ? "  (× contended, ~ not settled)"
			    : contended		   ? "  (× contended)"
			    : unsettled		   ? "  (~ not settled)"
						   : "";

	snprintf(buffer, size, "%s", words);
}

bool panels_ahead(const struct view *view, char *buffer, size_t size, char left[40])
{
	char words[100] = "";

	if (!view->sample.valid && view->waiting > PANELS_PREPARING)
		progress_words(&view->ahead,
			(double)kernel_footprint(view->setting.kernel, view->setting.v), words,
			sizeof(words));
	progress_left_words(view->ahead_left, left, 40);
	if (*words)
		snprintf(buffer, size, "%s", words);
	return *words;
}

/* The rule above a panel with its title. The focused panel has a pointer before it. */
static void draw_rule(struct canvas *canvas, struct rectangle at, const char *title, bool focused)
{
	enum style style = focused ? STYLE_FOCUS : STYLE_TITLE;
	struct rectangle words = { at.x, at.y, at.width - 1, 1 };
	int x = 0;

	if (focused) {
		canvas_glyph(canvas, at, 0, 0, style, GLYPH_POINTER);
		x = 2;
	}
	x += canvas_text(canvas, words, x, 0, style, title) + 1;
	for (; x < at.width; x++)
		canvas_glyph(canvas, at, x, 0, STYLE_DIM, GLYPH_HLINE);
}

/* Removes clauses at the end of a title until it fits. The first clause remains. */
static void cut_clauses(const struct canvas *canvas, int width, char *title)
{
	char *comma;

	while (canvas_columns(canvas, title) > width && (comma = strrchr(title, ',')) != NULL)
		*comma = '\0';
}

static void draw_panel(struct canvas *canvas, const struct panel *panel, struct rectangle at,
	const struct scene *scene)
{
	char title[160];

	snprintf(title, sizeof(title), "%s", panel->title ? panel->title : "");
	if (panel->title_of)
		panel->title_of(scene, title, sizeof(title));
	if (title[0]) {
		bool focused = panels_named(scene->view->focus, panel->focus);

		if (panel->clauses)
			cut_clauses(canvas, at.width - 1 - 2 * focused, title);
		draw_rule(canvas, at, title, focused);
		at.y++;
		at.height--;
	}
	panel->draw(canvas, at, scene);
}

static const struct panel *overlay_of(const struct view *view)
{
	switch (view->overlay) {
	case OVERLAY_HELP: return &panel_help;
	case OVERLAY_FIND: return &panel_find;
	case OVERLAY_TEXT: return view->text_title[0] ? &panel_said : &panel_text;
	case OVERLAY_NONE: break;
	}
	return NULL;
}

/* The rows that the top block can use: one for each knob, then its help and the kernel's remark. */
static int top_rows(const struct view *view)
{
	int knobs = 1 + view->setting.kernel->knob_count + 4;

	return knobs > 13 ? knobs : 13;
}

/* The rectangle of an overlay, frame included. The key bar stays visible: it shows how to close it.
 */
static struct rectangle overlay_at(const struct canvas *canvas, int most_rows, bool replay)
{
	bool small = canvas->width < LAYOUT_MIN_WIDTH || canvas->height < LAYOUT_MIN_HEIGHT;
	int margin = canvas->width >= 112 ? (canvas->width - 108) / 2 : 0;
	int top = small ? replay && canvas->height > 3 : 1; /* below the stamp, if both fit */
	int height = small ? canvas->height - top : canvas->height - 3;

	if (most_rows > 0 && height > most_rows)
		height = most_rows;
	return (struct rectangle){ margin, top, canvas->width - 2 * margin, height };
}

static struct rectangle inside(struct rectangle at)
{
	return (struct rectangle){ at.x + 2, at.y + 1, at.width - 4, at.height - 2 };
}

static void draw_overlay(struct canvas *canvas, const struct scene *scene)
{
	const struct panel *panel = overlay_of(scene->view);
	struct rectangle at = overlay_at(canvas, panel ? panel->most_rows : 0, scene->view->replay);

	if (!panel || at.width < 8 || at.height < 3)
		return;
	canvas_fill(canvas, at, STYLE_TEXT);
	canvas_frame(
		canvas, at, STYLE_DIM, scene->view->replay && at.y == 0 ? "REPLAY" : panel->title);
	panel->draw(canvas, inside(at), scene);
}

bool panels_scrolled_out(struct canvas *canvas, const struct view *view, const struct keys *keys)
{
	const struct panel *panel = overlay_of(view);
	struct scene scene = { .view = view, .keys = keys };

	return panel && panel->scroll_end &&
	       view->scroll >= panel->scroll_end(
				       canvas, inside(overlay_at(canvas, 0, view->replay)), &scene);
}

int panels_page(const struct canvas *canvas, const struct view *view)
{
	int rows = inside(overlay_at(canvas, 0, view->replay)).height;

	return rows > 2 ? rows - 1 : 1;
}

bool panels_named(const char *name, const char *panel)
{
	return name && panel && strcmp(name, panel) == 0;
}

/* The panel in front; NULL: the first one of the body. */
static const struct panel *front_of(const struct view *view)
{
	for (int i = 0; i < PANELS; i++)
		if (panels_named(view->front, table[i].panel->name))
			return table[i].panel;
	return NULL;
}

/* The panel that the arrows act on. */
static const struct panel *focused_of(const struct view *view)
{
	for (int i = 0; i < PANELS; i++)
		if (panels_named(view->focus, table[i].panel->focus))
			return table[i].panel;
	return NULL;
}

/* Computes the layout with `front` before all other panels of the body. */
static void lay_out(const struct canvas *canvas, const struct view *view, const struct panel *front,
	struct layout *layout)
{
	struct layout_row rows[PANELS], first = { 0 };
	int count = 0, body = -1;

	for (int i = 0; i < PANELS; i++) {
		const struct panel *panel = table[i].panel;
		struct layout_row row = { .name = panel->name,
			.area = table[i].area,
			.min_width = table[i].min_width,
			.min_height = table[i].min_height,
			.wanted = !panel->wanted || panel->wanted(view),
			.best_height = panel->best_rows ? panel->best_rows(view) : 0,
			.place = front && table[i].beside == front ? 0 : table[i].place,
			.alone = panel->alone && panel->alone(view),
			.extra = table[i].extra,
			.whole = table[i].whole };

		if (body < 0 && row.area == AREA_BODY)
			body = count;
		else if (panel == front) {
			row.place = 0;
			row.front = true;
			first = row;
			continue;
		}
		rows[count++] = row;
	}
	if (first.name && first.wanted) {
		memmove(&rows[body + 1], &rows[body], (size_t)(count - body) * sizeof(rows[0]));
		rows[body] = first;
		count++;
	}
	layout_compute(canvas->width, canvas->height, rows, count, top_rows(view), layout);
}

/* The layout of the view. The focused panel is part of it, since arrows act only on visible panels.
 */
static void lay_out_seen(
	const struct canvas *canvas, const struct view *view, struct layout *layout)
{
	const struct panel *focused = focused_of(view);

	lay_out(canvas, view, front_of(view), layout);
	if (focused && !layout_find(layout, focused->name))
		lay_out(canvas, view, focused, layout);
}

bool panels_find(const struct canvas *canvas, const struct view *view, const char *name,
	struct rectangle *at)
{
	const struct panel *overlay = overlay_of(view);
	const struct rectangle *found;
	struct layout layout;

	if (overlay && strcmp(overlay->name, name) == 0) {
		*at = overlay_at(canvas, overlay->most_rows, view->replay);
		return true;
	}
	lay_out_seen(canvas, view, &layout);
	found = layout_find(&layout, name);
	if (found)
		*at = *found;
	return found;
}

/* Lines that a panel is scrolled beyond its last line; 0: none. */
static int lines_beyond(struct canvas *canvas, const struct view *view, const struct panel *panel)
{
	struct scene scene = { .view = view };
	const struct rectangle *found;
	struct rectangle at;
	struct layout layout;
	int beyond;

	lay_out_seen(canvas, view, &layout);
	found = layout_find(&layout, panel->name);
	if (!found)
		return 0;
	/* Below the rule. */
	at = (struct rectangle){ found->x, found->y + 1, found->width, found->height - 1 };
	beyond = panel->first(view) - panel->scroll_end(canvas, at, &scene);
	return beyond > 0 ? beyond : 0;
}

bool panels_scroll_back(struct canvas *canvas, const struct view *view, const char *command,
	char *back, size_t size)
{
	for (int i = 0; i < PANELS; i++) {
		const struct panel *panel = table[i].panel;
		const char *scroll = panel->scroll_command;
		size_t length = scroll ? strlen(scroll) : 0;
		int beyond;

		if (!scroll || ((strncmp(command, scroll, length) != 0 || command[length] != ' ') &&
				       !(panels_named(view->focus, panel->focus) &&
					       strcmp(command, "move down") == 0)))
			continue;
		beyond = lines_beyond(canvas, view, panel);
		if (beyond)
			snprintf(back, size, "%s -%d", scroll, beyond);
		return beyond;
	}
	return false;
}

bool panels_shown(const struct scene *scene, const char *name)
{
	return scene->layout && layout_find(scene->layout, name);
}

void panels_draw(
	struct canvas *canvas, const struct view *view, const struct keys *keys, const bool *works)
{
	struct layout layout;
	struct scene scene = { .view = view, .keys = keys, .works = works, .layout = &layout };

	canvas_clear(canvas);
	lay_out_seen(canvas, view, &layout);
	for (int i = 0; i < PANELS; i++) {
		const struct rectangle *at = layout_find(&layout, table[i].panel->name);

		if (at)
			draw_panel(canvas, table[i].panel, *at, &scene);
	}
	draw_overlay(canvas, &scene);
}
