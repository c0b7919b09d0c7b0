/* The knobs of the kernel: name, value, what is allowed; the chosen one marked, a value being typed shown in
 * its place; below them the chosen knob's help and what the kernel remarks on this setting. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/panels.h"

/* A size of few digits that is no more than the true one: a limit of memory is seldom round. */
static void round_bytes(int64_t bytes, char *buffer, size_t size)
{
	static const char suffix[] = "kmgt";
	int64_t unit = 1024;
	int i = 0;

	units_bytes(bytes, buffer, size);
	if (strlen(buffer) <= 4)
		return;
	while (i < 3 && bytes / unit >= 1024) {
		unit *= 1024;
		i++;
	}
	snprintf(buffer, size, "%lld%c", (long long)(bytes / unit), suffix[i]);
}

static const char *choice_hint(const struct canvas *canvas, const struct knob *knob, int64_t value, int room,
	char *buffer, size_t size)
{
	size_t used = 0;
	int count = 0;

	buffer[0] = '\0';
	for (; knob->choices[count]; count++)
		if (used < size)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s", count ? " " : "",
				knob->choices[count]);
	/* Choices have numbers: digits take them. */
	if (canvas_columns(canvas, buffer) > room)
		snprintf(buffer, size, "%d of %d", (int)value + 1, count);
	return buffer;
}

/* What is allowed, as far as it fits: "1…16", "16…256 by 16", "add mul", "2 of 4". */
static const char *hint_of(const struct canvas *canvas, const struct knob *knob, int64_t value,
	uint64_t memory_limit, int room, char *buffer, size_t size)
{
	int64_t max = setting_max(knob, memory_limit);
	char low[32], high[32];

	if (knob->kind == KNOB_CHOICE)
		return choice_hint(canvas, knob, value, room, buffer, size);
	if (knob->kind == KNOB_BYTES) {
		units_bytes(knob->min, low, sizeof(low));
		round_bytes(max, high, sizeof(high));
	} else {
		snprintf(low, sizeof(low), "%lld", (long long)knob->min);
		snprintf(high, sizeof(high), "%lld", (long long)max);
	}
	snprintf(buffer, size, "%s…%s by %lld", low, high, (long long)knob->multiple);
	if (knob->multiple <= 1 || knob->kind != KNOB_COUNT || canvas_columns(canvas, buffer) > room)
		snprintf(buffer, size, "%s…%s", low, high);
	if (max >= KNOB_MAX_MEMORY / 2)
		snprintf(buffer, size, "from %s", low);
	return buffer;
}

static void draw_knob(struct canvas *canvas, struct rectangle at, int row, int index, int name_width,
	int value_width, const struct view *view)
{
	const struct knob *knob = &view->setting.kernel->knobs[index];
	bool chosen = index == view->knob, typing = chosen && view->entry[0];
	struct rectangle value_at = { at.x + 2 + name_width + 1, at.y, value_width, at.height };
	int hint_x = 2 + name_width + 1 + value_width + 2;
	char value[64], hint[96];

	setting_format_value(knob, view->setting.v[index], value, sizeof(value));
	if (typing)
		snprintf(value, sizeof(value), "%s_", view->entry);
	if (chosen)
		canvas_glyph(canvas, at, 0, row, view->focus == FOCUS_KNOBS ? STYLE_FOCUS : STYLE_DIM, GLYPH_POINTER);
	canvas_text(canvas, (struct rectangle){ at.x, at.y, 2 + name_width, at.height }, 2, row,
		chosen ? STYLE_FIGURE : STYLE_TEXT, knob->name);
	canvas_text_right(canvas, value_at, value_width, row,
		typing ? STYLE_SELECTED : chosen && view->focus == FOCUS_KNOBS ? STYLE_FOCUS : STYLE_FIGURE, value);
	hint_of(canvas, knob, view->setting.v[index], view->memory_limit, at.width - hint_x, hint, sizeof(hint));
	if (canvas_columns(canvas, hint) <= at.width - hint_x)
		canvas_text(canvas, at, hint_x, row, STYLE_DIM, hint);
}

/* The widest name and value, so that columns align. */
static void measure(const struct canvas *canvas, const struct view *view, int *name_width, int *value_width)
{
	const struct kernel *kernel = view->setting.kernel;
	char value[64];

	*name_width = 4;
	*value_width = 4;
	for (int i = 0; i < kernel->knob_count; i++) {
		int name = canvas_columns(canvas, kernel->knobs[i].name), columns;

		setting_format_value(&kernel->knobs[i], view->setting.v[i], value, sizeof(value));
		columns = canvas_columns(canvas, value);
		if (i == view->knob && view->entry[0] && (int)strlen(view->entry) + 1 > columns)
			columns = (int)strlen(view->entry) + 1;
		if (name > *name_width)
			*name_width = name;
		if (columns > *value_width)
			*value_width = columns;
	}
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct kernel *kernel = view->setting.kernel;
	int name_width, value_width, row = 0, first = 0, below;

	measure(canvas, view, &name_width, &value_width);
	if (name_width + value_width + 3 > at.width)
		name_width = at.width - value_width - 3;
	if (kernel->knob_count > at.height) {
		first = view->knob - at.height / 2;
		if (first > kernel->knob_count - at.height)
			first = kernel->knob_count - at.height;
		if (first < 0)
			first = 0;
	}
	for (int i = first; i < kernel->knob_count && row < at.height; i++)
		draw_knob(canvas, at, row++, i, name_width, value_width, view);
	/* The remark is about what was measured, so it comes first; neither is shown in part. */
	below = at.height - row;
	if (view->remark) {
		struct rectangle words = { at.x + 2, at.y, at.width - 2, at.height };
		int need = canvas_wrap_rows(canvas, words.width, view->remark);

		if (need <= below) {
			row += canvas_wrap(canvas, words, at.height - need, STYLE_WARN, view->remark);
			below -= need;
			at.height -= need;
		}
	}
	if (view->knob >= 0 && view->knob < kernel->knob_count && below >= 2) {
		struct rectangle words = { at.x + 2, at.y, at.width - 2, at.height };
		const char *help = kernel->knobs[view->knob].help;
		int need = canvas_wrap_rows(canvas, words.width, help);

		if (need < below)
			canvas_wrap(canvas, words, at.height - need, STYLE_DIM, help);
	}
}

const struct panel panel_knobs = { .name = "knobs", .title = "knobs", .draw = draw, .focus = FOCUS_KNOBS };
