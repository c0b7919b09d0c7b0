/* Port pressure in an iteration: a bar for the best assignment, and a mark where an even split by
 * hand would put it. Units, such as dividers, come after the ports. If ports are counted, a second
 * bar shows the count; ports with a common counter are one entry. Events that belong to no port are
 * next to them (event_rows.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/event_rows.h"
#include "ui/panels.h"

/* The narrowest column of ports, of pairs, of pairs in one row; columns of a difference, and of
 * events that belong to no port. */
enum { COLUMN = 21, PAIR = 30, BRIEF = 29, DIFFERENCE = 7, BESIDE = 34, NAME_MOST = 12 };
enum { ENTRIES = UARCH_PORTS + 1 + COUNTERS_MAX };

/* A port, ports with a common counter, or the heading "units". */
struct entry {
	uint32_t ports; /* 0: a heading */
	char name[40];
	double pressure, naive; /* M, cycles an iteration: the sum of its ports */
	bool full;
	int event;	/* the event that counts it, -1: none */
	double counted; /* C, cycles an iteration; NAN: unknown */
};

struct entries {
	int count, pairs; /* how many have an event */
	struct entry entry[ENTRIES];
	int names;    /* columns of the longest name */
	double scale; /* cycles of the longest bar */
};

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	char core[64] = "";

	if (view->core)
		panels_core(view->core, core, sizeof(core));
	if (view->foreign || view->nearest)
		snprintf(buffer, size, "ports of %s, %s, M", core,
			view->foreign ? "not this core" : "the nearest known");
	else if (shown_ports(view))
		snprintf(buffer, size, "ports: cycles an iteration, C counted, M %s", core);
	else
		snprintf(buffer, size, "ports: cycles an iteration, M %s", core);
}

static bool wanted(const struct view *view)
{
	return panels_outline(view) && view->core;
}

static void add(struct entries *entries, const struct view *view, uint32_t ports, int event)
{
	const struct limits *limits = &panels_outline(view)->limits;
	struct entry *entry = &entries->entry[entries->count];
	size_t used = 0;

	if (entries->count == ENTRIES)
		return;
	*entry = (struct entry){
		.ports = ports, .event = event, .counted = NAN, .full = ports & limits->bottleneck
	};
	for (int i = 0; i < view->core->port_count; i++) {
		if (!(ports >> i & 1) || used >= sizeof(entry->name))
			continue;
		used += (size_t)snprintf(entry->name + used, sizeof(entry->name) - used, "%s%s",
			used ? " " : "", view->core->port[i]);
		entry->pressure += limits->pressure[i];
		entry->naive += limits->naive[i];
	}
	entries->pairs += event >= 0;
	if (event >= 0)
		entry->counted = ports_counted(view, event);
	entries->count++;
}

/* The first event that counts each port; and the ports that some event counts. */
static int event_from(const struct view *view, int port, uint32_t *covered)
{
	const struct event_plan *plan = view->counters.plan;
	int found = -1;

	*covered = 0;
	for (int i = plan->counters.count - 1; i >= 0; i--) {
		uint32_t ports = plan->meaning[i].role == ROLE_PORTS ? plan->meaning[i].ports : 0;

		*covered |= ports;
		if (ports && !(ports & ((UINT32_C(1) << port) - 1)) && ports >> port & 1)
			found = i;
	}
	return found;
}

static void list(const struct view *view, struct entries *entries)
{
	int count = panels_outline(view)->limits.port_count;
	bool units = false, pairs = shown_ports(view);

	memset(entries, 0, sizeof(*entries));
	count = count > view->core->port_count ? view->core->port_count : count;
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < count; i++) {
			uint32_t covered = 0;
			int event = pairs && !pass ? event_from(view, i, &covered) : -1;

			if (view->core->unit[i] != (pass == 1))
				continue;
			if (pass && !units)
				snprintf(entries->entry[entries->count++].name,
					sizeof(entries->entry[0].name), "units");
			units = pass;
			if (event >= 0)
				add(entries, view, view->counters.plan->meaning[event].ports,
					event);
			else if (!(covered >> i & 1))
				add(entries, view, UINT32_C(1) << i, -1);
		}
	}
}

static void measure(const struct canvas *canvas, struct entries *entries)
{
	entries->names = 2;
	for (int i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->entry[i];
		int columns = canvas_columns(canvas, entry->name);

		if (!entry->ports)
			continue;
		entries->names = columns > entries->names ? columns : entries->names;
		entries->scale = fmax(
			entries->scale, fmax(fmax(entry->pressure, entry->naive), entry->counted));
	}
	if (entries->names > NAME_MOST)
		entries->names = NAME_MOST;
}

/* "+0.12"; highlighted if it is over a tenth. */
static void draw_difference(
	struct canvas *canvas, struct rectangle at, int x, int y, const struct entry *entry)
{
	double difference = entry->counted - entry->pressure,
	       larger = fmax(entry->counted, entry->pressure);
	char figure[24];

	snprintf(figure, sizeof(figure), "%+.2f", difference);
	if (fabs(difference) < 0.005)
		snprintf(figure, sizeof(figure), "=");
	canvas_text_right(canvas, at, x, y,
		fabs(difference) > 0.1 * larger && fabs(difference) > 0.05 ? STYLE_WARN : STYLE_DIM,
		figure);
}

static void draw_counted(struct canvas *canvas, struct rectangle at, int x, int y, int bar,
	const struct entries *entries, const struct entry *entry, const struct view *view)
{
	char words[120];

	canvas_text(canvas, at, x - 2, y, STYLE_DIM, "C");
	if (!isfinite(entry->counted)) {
		shown_absence(view, entry->event, words, sizeof(words));
		canvas_text(canvas, at, x, y, STYLE_DIM, words);
		return;
	}
	ports_bar(canvas, at, x, y, bar, entries->scale > 0 ? entry->counted / entries->scale : 0,
		STYLE_FIGURE, GLYPH_SHADE3);
	snprintf(words, sizeof(words), "%s%.2f", shown_mark(view, entry->event), entry->counted);
	canvas_text_right(canvas, at, x + bar + PORTS_FIGURE, y, STYLE_TEXT, words);
	draw_difference(canvas, at, x + bar + PORTS_FIGURE + DIFFERENCE, y, entry);
}

/* One entry: its bar, and the count below it, or after it if there is no room below. */
static void draw_entry(struct canvas *canvas, struct rectangle at, int y,
	const struct entries *entries, bool brief, const struct entry *entry,
	const struct view *view)
{
	bool letters = entries->pairs && !brief;
	int x = entries->names + 1 + 2 * letters, mark;
	bool difference = brief && at.width >= BRIEF + DIFFERENCE + 6;
	int tail = brief	    ? PORTS_FIGURE + 4 + DIFFERENCE * difference
		   : entries->pairs ? DIFFERENCE
				    : 2;
	int bar = at.width - x - PORTS_FIGURE - tail;
	double scale = entries->scale;
	char figure[32];

	if (!entry->ports) {
		canvas_text(canvas, at, 0, y, STYLE_DIM, entry->name);
		return;
	}
	bar = bar < 3 ? 3 : bar;
	canvas_text(canvas, (struct rectangle){ at.x, at.y, entries->names, at.height }, 0, y,
		entry->full ? STYLE_FIGURE : STYLE_TEXT, entry->name);
	if (letters)
		canvas_text(canvas, at, x - 2, y, STYLE_DIM, "M");
	ports_bar(canvas, at, x, y, bar, scale > 0 ? entry->pressure / scale : 0,
		entry->full ? STYLE_WARN : STYLE_BAR, GLYPH_SHADE4);
	mark = scale > 0 ? (int)lround(entry->naive / scale * bar) - 1 : -1;
	if (fabs(entry->naive - entry->pressure) > 0.005 * scale && mark >= 0)
		canvas_glyph(canvas, at, x + mark, y, STYLE_FOCUS, GLYPH_VLINE);
	snprintf(figure, sizeof(figure), "%.2f", entry->pressure);
	canvas_text_right(canvas, at, x + bar + PORTS_FIGURE, y,
		entry->pressure > 0 ? entry->full ? STYLE_FIGURE : STYLE_TEXT : STYLE_DIM, figure);
	if (entry->full)
		canvas_text(canvas, at, x + bar + PORTS_FIGURE, y, STYLE_WARN, "◀");
	if (brief && entry->event >= 0) {
		snprintf(figure, sizeof(figure), isfinite(entry->counted) ? "%s%.2f" : "-",
			shown_mark(view, entry->event), entry->counted);
		canvas_text(canvas, at, x + bar + PORTS_FIGURE + 2, y, STYLE_DIM, "C");
		canvas_text_right(canvas, at, x + bar + PORTS_FIGURE + 4 + PORTS_FIGURE, y,
			STYLE_TEXT, figure);
		if (difference && isfinite(entry->counted))
			draw_difference(canvas, at, at.width, y, entry);
	} else if (entry->event >= 0) {
		draw_counted(canvas, at, x, y + 1, bar, entries, entry, view);
	}
}

/* "◀ fullest │ split evenly by hand"; returns the columns used. */
static int draw_legend(
	struct canvas *canvas, struct rectangle at, int y, const struct limits *limits)
{
	bool binds = limits->binding >= 0 &&
		     limit_rows[limits->limit[limits->binding].kind].resource == RESOURCE_PORTS;
	bool naive = false;
	int x = 0;

	for (int i = 0; i < limits->port_count && i < UARCH_PORTS; i++)
		naive |= fabs(limits->naive[i] - limits->pressure[i]) > 0.01;
	if (limits->bottleneck)
		x += canvas_text(canvas, at, x, y, STYLE_DIM, binds ? "◀ binds" : "◀ fullest") + 3;
	if (naive)
		x += canvas_text(canvas, at, x, y, STYLE_DIM, "│ split evenly by hand");
	else
		x += canvas_text(canvas, at, x, y, STYLE_DIM, "the even split is best");
	return x;
}

/* None of the events of this panel is counted, although others are: the reason of the first one. */
static void why_no_event(const struct view *view, char *buffer, size_t size)
{
	const struct event_plan *plan = view->counters.plan;
	int first = -1;

	for (int i = plan->counters.count - 1; i >= 0; i--) {
		enum event_role role = plan->meaning[i].role;

		if (role != ROLE_PORTS && role != ROLE_DISPATCHED && role != ROLE_STALLED &&
			role != ROLE_LOADS && role != ROLE_STORES)
			continue;
		if (!shown_unavailable(view, i))
			return;
		first = i;
	}
	if (first >= 0)
		shown_absence(view, first, buffer, size);
	if (buffer[0]) {
		memmove(buffer + 2, buffer, size - 2);
		memcpy(buffer, "C ", 2);
		buffer[size - 1] = '\0';
	}
}

/* Why there is no count: one line; empty while it is not known. */
static void why(const struct view *view, char *buffer, size_t size)
{
	const struct view_counters *counters = &view->counters;

	buffer[0] = '\0';
	if (!counters->plan)
		return;
	if (counters->why[0])
		snprintf(buffer, size, "C unavailable: %s", counters->why);
	else if (view->foreign)
		snprintf(buffer, size,
			"C: counts of this core are not valid for another core's ports");
	else if (view->frozen && counters->counts.count == 0)
		snprintf(buffer, size, "C: frozen before it was counted");
	else if (!shown_ports(view))
		why_no_event(view, buffer, size);
}

/* ---- the whole ---- */

/* Puts the entries into columns of that many rows: sets the position of each. Returns whether all
 * fit. */
static bool flow(
	const struct entries *entries, bool brief, int columns, int rows, int *column, int *row)
{
	int x = 0, y = 0;

	for (int i = 0; i < entries->count; i++) {
		int lines =
			entries->entry[i].event >= 0 && entries->entry[i].ports && !brief ? 2 : 1;

		if (y + lines > rows) {
			x++;
			y = 0;
		}
		if (x >= columns || lines > rows)
			return false;
		column[i] = x;
		row[i] = y;
		y += lines;
	}
	return true;
}

/* Columns with rows as even as possible, in pairs if they fit. */
struct shape {
	bool brief;
	int columns, rows;
	int column[ENTRIES], row[ENTRIES];
	int shown; /* entries */
};

static void fit(const struct entries *entries, int width, int height, struct shape *shape)
{
	int rows = height > 1 ? height - 1 : 1;

	for (int pass = entries->pairs ? 0 : 1; pass < 2; pass++) {
		int least = !entries->pairs ? COLUMN : pass ? BRIEF : PAIR;

		shape->brief = entries->pairs && pass;
		shape->columns = 1;
		while (!flow(entries, shape->brief, shape->columns, rows, shape->column,
			       shape->row) &&
			(width + 2) / (shape->columns + 1) - 2 >= least)
			shape->columns++;
		shape->shown = entries->count;
		shape->rows = rows;
		if (!flow(entries, shape->brief, shape->columns, rows, shape->column, shape->row))
			continue;
		while (shape->rows > 1 && flow(entries, shape->brief, shape->columns,
						  shape->rows - 1, shape->column, shape->row))
			shape->rows--;
		flow(entries, shape->brief, shape->columns, shape->rows, shape->column, shape->row);
		return;
	}
	/* If they still do not fit: as many as possible, one line each. */
	shape->shown =
		shape->columns * rows < entries->count ? shape->columns * rows : entries->count;
}

/* If the reason does not fit, name the panel that shows it. */
static void draw_why(struct canvas *canvas, struct rectangle at, char *words, size_t size)
{
	static const char unavailable[] = "C unavailable: ";

	if (canvas_wrap_rows(canvas, at.width, words) > at.height &&
		strncmp(words, unavailable, strlen(unavailable)) == 0)
		strcpy(words + strlen(unavailable), "c says why");
	panels_cut(canvas, at.width, at.height, words, size);
	canvas_wrap(canvas, at, 0, STYLE_DIM, words);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct limits *limits = &panels_outline(view)->limits;
	int width, x, y;
	struct entries entries;
	struct beside beside;
	struct shape shape;
	char words[240];

	if (!view->explanation) {
		canvas_text(canvas, at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	list(view, &entries);
	measure(canvas, &entries);
	beside_find(view, &beside);
	if (beside.count && at.width >= COLUMN + 2 + BESIDE) {
		int room = at.width * 45 / 100;

		/* Two narrow columns of ports have priority over long bars. */
		if (room < BESIDE || entries.count > at.height - 1)
			room = BESIDE;

		beside_draw(canvas,
			(struct rectangle){ at.x + at.width - room, at.y, room, at.height },
			&beside, view);
		at.width -= room + 2;
		beside.count = 0;
	}
	fit(&entries, at.width, at.height, &shape);
	width = (at.width + 2) / shape.columns - 2;
	for (int i = 0; i < shape.shown; i++) {
		struct rectangle column = { at.x + shape.column[i] * (width + 2), at.y, width,
			at.height };

		draw_entry(canvas, column, shape.row[i], &entries, shape.brief, &entries.entry[i],
			view);
	}
	if (shape.shown < entries.count) {
		canvas_textf(canvas, at, 0, shape.rows, STYLE_WARN, "and %d more: v gives room",
			entries.count - shape.shown);
		return;
	}
	y = at.height - shape.rows > 2 ? shape.rows + 1 : shape.rows;
	if (at.height <= shape.rows)
		return;
	x = draw_legend(canvas, at, y++, limits) + 3;
	why(view, words, sizeof(words));
	if (words[0] && y < at.height)
		draw_why(canvas, (struct rectangle){ at.x, at.y + y, at.width, at.height - y },
			words, sizeof(words));
	else if (words[0] && x < at.width / 2)
		draw_why(canvas, (struct rectangle){ at.x + x, at.y + y - 1, at.width - x, 1 },
			words, sizeof(words));
	else if (beside.count && at.height - y > 3)
		beside_draw(canvas,
			(struct rectangle){ at.x, at.y + y + 1, at.width, at.height - y - 1 },
			&beside, view);
}

static int best_rows(const struct view *view)
{
	struct entries entries;
	struct beside beside;
	char words[240];
	int rows;

	if (!wanted(view))
		return 6;
	list(view, &entries);
	why(view, words, sizeof(words));
	beside_find(view, &beside);
	rows = 1 + entries.count + entries.pairs + 2 + (words[0] != '\0');
	return 1 + beside_rows(&beside) > rows ? 1 + beside_rows(&beside) : rows;
}

const struct panel panel_ports = {
	.name = "ports",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
};
