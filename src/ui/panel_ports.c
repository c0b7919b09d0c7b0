/* The pressure on each port in an iteration: a bar for the best assignment there is, and a mark where splitting every micro-op
 * evenly over its ports by hand would put it. Units, such as dividers, stand after the ports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

/* The narrowest column of ports; columns of a figure. */
enum { COLUMN = 21, FIGURE = 7 };

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	char core[64] = "";

	if (view->core)
		panels_core(view->core, core, sizeof(core));
	if (view->foreign || view->nearest)
		snprintf(buffer, size, "ports of %s, %s, M", core, view->foreign ? "not this core" : "the nearest known");
	else
		snprintf(buffer, size, "ports: cycles an iteration, M %s", core);
}

static bool wanted(const struct view *view)
{
	return panels_outline(view) && view->core;
}

/* What is drawn: ports, a divider of units, units. */
struct entries {
	int count, port[UARCH_PORTS + 1];      /* -1: the words "units" */
};

static void list(const struct view *view, struct entries *entries)
{
	int count = panels_outline(view)->limits.port_count;
	bool units = false;

	count = count > view->core->port_count ? view->core->port_count : count;
	entries->count = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < count; i++) {
			if (view->core->unit[i] != (pass == 1))
				continue;
			if (pass && !units)
				entries->port[entries->count++] = -1;
			units = pass;
			entries->port[entries->count++] = i;
		}
	}
}

static void draw_port(struct canvas *canvas, struct rectangle at, int y, int name_width, double scale, int port,
	const struct view *view)
{
	const struct limits *limits = &view->explanation->limits;
	double pressure = limits->pressure[port], naive = limits->naive[port];
	bool full = limits->bottleneck >> port & 1;
	int bar = at.width - name_width - 1 - FIGURE - 2, x = name_width + 1, length, mark;
	struct rectangle name_at = { at.x, at.y, name_width, at.height };
	char figure[24];

	canvas_text(canvas, name_at, 0, y, full ? STYLE_FIGURE : STYLE_TEXT, view->core->port[port]);
	if (bar < 3)
		bar = 3;
	length = scale > 0 ? (int)lround(pressure / scale * bar) : 0;
	if (pressure > 0 && length == 0)
		length = 1;
	for (int i = 0; i < length; i++)
		canvas_glyph(canvas, at, x + i, y, full ? STYLE_WARN : STYLE_BAR, GLYPH_SHADE4);
	mark = scale > 0 ? (int)lround(naive / scale * bar) - 1 : -1;
	if (fabs(naive - pressure) > 0.005 * scale && mark >= 0)
		canvas_glyph(canvas, at, x + mark, y, STYLE_FOCUS, GLYPH_VLINE);
	snprintf(figure, sizeof(figure), "%.2f", pressure);
	canvas_text_right(canvas, at, x + bar + FIGURE, y, pressure > 0 ? (full ? STYLE_FIGURE : STYLE_TEXT) : STYLE_DIM,
		figure);
	if (full)
		canvas_text(canvas, at, x + bar + FIGURE, y, STYLE_WARN, "◀");
}

/* "│ split evenly by hand   ◀ fullest" */
static void draw_legend(struct canvas *canvas, struct rectangle at, int y, const struct limits *limits)
{
	bool binds = limits->binding >= 0 && (limits->limit[limits->binding].kind == LIMIT_PORTS ||
		limits->limit[limits->binding].kind == LIMIT_DIVIDER);
	bool naive = false;
	int x = 0;

	for (int i = 0; i < limits->port_count && i < UARCH_PORTS; i++)
		naive |= fabs(limits->naive[i] - limits->pressure[i]) > 0.01;
	if (limits->bottleneck)
		x += canvas_text(canvas, at, x, y, STYLE_DIM, binds ? "◀ binds" : "◀ fullest") + 3;
	if (naive)
		canvas_text(canvas, at, x, y, STYLE_DIM, "│ split evenly by hand");
	else
		canvas_text(canvas, at, x, y, STYLE_DIM, "the even split is best");
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct limits *limits = &panels_outline(view)->limits;
	int columns = 1, rows, width, names = 2;
	struct entries entries;
	double scale = 0;

	if (!view->explanation) {
		canvas_text(canvas, at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	list(view, &entries);
	for (int i = 0; i < entries.count; i++) {
		int port = entries.port[i];

		if (port < 0)
			continue;
		scale = fmax(scale, fmax(limits->pressure[port], limits->naive[port]));
		if (canvas_columns(canvas, view->core->port[port]) > names)
			names = canvas_columns(canvas, view->core->port[port]);
	}
	rows = at.height > 1 ? at.height - 1 : 1;
	while (columns * rows < entries.count && (at.width + 2) / (columns + 1) - 2 >= COLUMN)
		columns++;
	width = (at.width + 2) / columns - 2;
	rows = (entries.count + columns - 1) / columns < rows ? (entries.count + columns - 1) / columns : rows;
	for (int i = 0; i < entries.count && i < rows * columns; i++) {
		struct rectangle column = { at.x + i / rows * (width + 2), at.y, width, at.height };

		if (entries.port[i] < 0)
			canvas_text(canvas, column, 0, i % rows, STYLE_DIM, "units");
		else
			draw_port(canvas, column, i % rows, names, scale, entries.port[i], view);
	}
	if (columns * rows < entries.count)
		canvas_textf(canvas, at, 0, rows, STYLE_WARN, "and %d more: v gives room", entries.count - columns * rows);
	else if (at.height > rows)
		draw_legend(canvas, at, at.height - rows > 2 ? rows + 1 : rows, limits);
}

static int best_rows(const struct view *view)
{
	struct entries entries;

	if (!wanted(view))
		return 6;
	list(view, &entries);
	return 1 + entries.count + 2;
}

const struct panel panel_ports = {
	.name = "ports", .title_of = title_of, .draw = draw, .wanted = wanted, .best_rows = best_rows, .focus = FOCUS_COUNT,
};
