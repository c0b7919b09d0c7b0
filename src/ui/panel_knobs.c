/* The kernel's knobs: name, value, allowed values. The chosen one is marked and shows a value being
 * typed. Below them: the chosen knob's help, and the kernel's remark on this setting. */
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

/* "add mul", or with the numbers that digits choose: "1 add  2 mul". */
static void choices(const struct knob *knob, bool numbered, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; knob->choices[i] && used < size; i++) {
		if (numbered)
			used += (size_t)snprintf(buffer + used, size - used, "%s%d %s",
				i ? "  " : "", i + 1, knob->choices[i]);
		else
			used += (size_t)snprintf(
				buffer + used, size - used, "%s%s", i ? " " : "", knob->choices[i]);
	}
}

/* Allowed values: "1…16", "16…256 by 16", "add mul"; brief if that is too long: "16…256",
 * "i32…f64". In a replay the recorded values: "4k, 32k, 512k", brief "4k…512k". */
static void hint_of(const struct view *view, int index, bool brief, char *buffer, size_t size)
{
	const struct knob *knob = &view->setting.kernel->knobs[index];
	int64_t max = setting_max(knob, view->memory_limits);
	char low[32], high[32];

	if (view->replay) {
		snprintf(buffer, size, "%s",
			brief ? view->recorded[index].ends : view->recorded[index].all);
		return;
	}

	if (knob->kind == KNOB_CHOICE && brief)
		snprintf(buffer, size, "%s…%s", knob->choices[0], knob->choices[max]);
	else if (knob->kind == KNOB_CHOICE)
		choices(knob, false, buffer, size);
	if (knob->kind == KNOB_CHOICE)
		return;
	setting_show_value(knob, knob->min, low, sizeof(low));
	setting_show_value(knob, max, high, sizeof(high));
	if (max >= KNOB_MAX_MEMORY / 2)
		snprintf(buffer, size, "from %s", low);
	else if (knob->multiple <= 1 || knob->kind != KNOB_COUNT || brief)
		snprintf(buffer, size, "%s…%s", low, high);
	else
		snprintf(buffer, size, "%s…%s by %lld", low, high, (long long)knob->multiple);
}

/* The columns of a row. */
struct columns {
	int name, value, hint; /* widths of the first two, start of the last */
};

/* The value in its row. Of a typed value that is too long, the end is visible. */
static void value_of(const struct view *view, int index, int room, char *buffer, size_t size)
{
	int length = (int)strlen(view->entry);

	if (index != view->knob || !view->entry[0])
		setting_show_value(
			&view->setting.kernel->knobs[index], view->setting.v[index], buffer, size);
	else if (length + 1 <= room)
		snprintf(buffer, size, "%s%c", view->entry, view->entry_refused ? '!' : '_');
	else
		snprintf(buffer, size, "…%s%c", view->entry + length - (room > 2 ? room - 2 : 0),
			view->entry_refused ? '!' : '_');
}

/* The words after a value that fit. Returns whether they list everything. */
static bool fit_hint(const struct canvas *canvas, const struct view *view, int index, int room,
	char *buffer, size_t size)
{
	hint_of(view, index, false, buffer, size);
	if (canvas_columns(canvas, buffer) <= room)
		return true;
	hint_of(view, index, true, buffer, size);
	if (canvas_columns(canvas, buffer) > room)
		buffer[0] = '\0';
	return false;
}

static void draw_knob(struct canvas *canvas, struct rectangle at, int row, int index,
	const struct columns *columns, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[index];
	bool chosen = index == view->knob, typing = chosen && view->entry[0];
	struct rectangle value_at = { at.x + columns->name, at.y, columns->value, at.height };
	enum style style =
		chosen && panels_named(view->focus, "knobs") ? STYLE_FOCUS : STYLE_FIGURE;
	char value[64], hint[96];

	value_of(view, index, columns->value, value, sizeof(value));
	if (typing)
		style = view->entry_refused ? STYLE_BAD : STYLE_SELECTED;
	if (chosen)
		canvas_glyph(canvas, at, 0, row,
			panels_named(view->focus, "knobs") ? STYLE_FOCUS : STYLE_DIM,
			GLYPH_POINTER);
	canvas_text(canvas, (struct rectangle){ at.x, at.y, columns->name - 1, at.height }, 2, row,
		chosen ? STYLE_FIGURE : STYLE_TEXT, knob->name);
	canvas_text_right(canvas, value_at, columns->value, row, style, value);
	fit_hint(canvas, view, index, at.width - columns->hint, hint, sizeof(hint));
	canvas_text(canvas, at, columns->hint, row, STYLE_DIM, hint);
}

/* The widest name and value, so that columns align. Names are never shortened; a value being typed
 * is. */
static void measure(
	const struct canvas *canvas, const struct view *view, int width, struct columns *columns)
{
	const struct kernel *kernel = view->setting.kernel;
	char value[64];

	*columns = (struct columns){ .name = 4, .value = 4 };
	for (int i = 0; i < kernel->knob_count; i++) {
		int name = canvas_columns(canvas, kernel->knobs[i].name);

		columns->name = name > columns->name ? name : columns->name;
	}
	columns->name += 3;
	for (int i = 0; i < kernel->knob_count; i++) {
		int used;

		value_of(view, i, width, value, sizeof(value));
		used = canvas_columns(canvas, value);
		columns->value = used > columns->value ? used : columns->value;
	}
	if (columns->value > width - columns->name)
		columns->value = width - columns->name;
	columns->hint = columns->name + columns->value + 2;
}

/* All choices in one row, or the range and its knob. */
static void draw_range(struct canvas *canvas, struct rectangle at, int row, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->knob];
	bool numbered = knob->kind == KNOB_CHOICE && !view->replay;
	char range[160], words[200] = "";

	if (numbered)
		choices(knob, true, range, sizeof(range));
	if (!numbered || canvas_columns(canvas, range) > at.width - 2)
		hint_of(view, view->knob, false, range, sizeof(range));
	if (knob->kind != KNOB_CHOICE)
		snprintf(words, sizeof(words), "%s: %s", knob->name, range);
	/* Omit the knob's name before cutting the end. */
	if (!words[0] || (canvas_columns(canvas, words) > at.width - 2 &&
				 canvas_columns(canvas, range) <= at.width - 2))
		snprintf(words, sizeof(words), "%s", range);
	canvas_text(canvas, at, 2, row, STYLE_DIM, words);
}

/* The kernel's remark at the bottom. If it does not fit, it uses all rows and is cut at a word.
 * Returns the rows used. */
static int draw_remark(struct canvas *canvas, struct rectangle at, int below, const char *text)
{
	struct rectangle words = { at.x + 2, at.y, at.width - 2, at.height };
	int need = canvas_wrap_rows(canvas, words.width, text);
	char remark[256];

	if (below <= 0)
		return 0;
	snprintf(remark, sizeof(remark), "%s", text);
	if (need > below) {
		words.x = at.x;
		words.width = at.width;
		panels_cut(canvas, words.width, below, remark, sizeof(remark));
		need = canvas_wrap_rows(canvas, words.width, remark);
	}
	canvas_wrap(canvas, words, at.height - need, STYLE_WARN, remark);
	return need;
}

/* Below the rows, in this order of priority: the allowed values unless the row lists them, the
 * remark, the knob's help. */
static void draw_below(struct canvas *canvas, struct rectangle at, int row,
	const struct columns *columns, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[view->knob];
	struct rectangle words = { at.x + 2, at.y, at.width - 2, at.height };
	int below = at.height - row, need = canvas_wrap_rows(canvas, words.width, knob->help);
	char hint[96];
	bool said =
		fit_hint(canvas, view, view->knob, at.width - columns->hint, hint, sizeof(hint));

	if (!said && below > 0)
		below--;
	if (view->remark)
		below -= draw_remark(canvas, at, below, view->remark);
	words.height = row + below + !said;
	if (!said)
		draw_range(canvas, at, words.height - 1, view);
	words.height -= !said;
	/* The help, if all of it fits after a blank row. */
	if (need < below) {
		canvas_wrap(canvas, words, words.height - need, STYLE_DIM, knob->help);
		/* Numbers of choices, if a row is left. */
		if (said && knob->kind == KNOB_CHOICE && need + 1 < below)
			draw_range(canvas, at, words.height - need - 1, view);
	}
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct kernel *kernel = view->setting.kernel;
	struct columns columns;
	/* One row is reserved for the allowed values. */
	int rows = kernel->knob_count < at.height ? kernel->knob_count : at.height - 1, first;

	if (kernel->knob_count == 0)
		return;
	measure(canvas, view, at.width, &columns);
	first = view->knob - rows / 2;
	if (first > kernel->knob_count - rows)
		first = kernel->knob_count - rows;
	if (first < 0)
		first = 0;
	for (int i = 0; i < rows; i++)
		draw_knob(canvas, at, i, first + i, &columns, view);
	draw_below(canvas, at, rows, &columns, view);
}

const struct panel panel_knobs = {
	.name = "knobs", .title = "knobs", .draw = draw, .focus = "knobs"
};
