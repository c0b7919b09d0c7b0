/* Shows port pressure in cycles per iteration. For each port, a bar shows the pressure with the
 * best assignment of micro-ops to ports. A mark on each port's bar shows the pressure if micro-ops
 * were split evenly among their ports. Execution units that are no ports, such as dividers, are
 * listed after the ports. If the micro-ops of a port are counted, a second bar shows the count.
 * Ports whose micro-ops one event counts together are shown as one. Counts of events that belong to
 * no port are shown next to the ports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/slack/slack.h"
#include "lesson/lesson.h"
#include "ui/panels.h"
#include "ui/port_events.h"

/* Widths in screen columns. COLUMN: smallest width, in columns, of the entry for a port whose
 * micro-ops are not counted. PAIR: smallest width of the entry for a port with a second bar, for
 * the counted micro-ops, below its bar. BRIEF: smallest width of the entry for a port with the
 * counted micro-ops as a number in the row of its bar. DIFFERENCE: width of a difference. BESIDE:
 * smallest width of the list of events that belong to no port. BAR_LEAST: smallest width of a bar.
 */
enum {
	COLUMN = 21,
	PAIR = 30,
	BRIEF = 29,
	DIFFERENCE = 7,
	BESIDE = 34,
	NAME_MOST = 12,
	BAR_LEAST = 3
};
enum { ENTRIES = UARCH_PORTS + 1 + COUNTERS_MAX };

/* An entry of the panel is a port, several ports whose micro-ops one event counts, or the heading
 * "units". */
struct entry {
	uint32_t ports; /* 0: a heading */
	char name[40];
	double pressure, naive; /* cycles per iteration from the core model: the sum over the
				   entry's ports */
	bool full;
	int event;	/* the event that counts this entry's micro-ops; -1: none */
	double counted; /* counted cycles per iteration; NAN: the count is unknown */
};

struct entries {
	int count, pairs; /* pairs: number of entries whose micro-ops are counted by an event */
	struct entry entry[ENTRIES];
	int names;    /* width of the longest name in columns */
	double scale; /* cycles per iteration of a bar that fills its column */
};

/* ---- ports ---- */

static struct words title_of(const struct scene *scene)
{
	const struct view *view = scene->view;
	struct words core = view->core ? panels_core(view->core) : (struct words){ "" },
		     each = panels_outline(view) ? panels_iteration(panels_outline(view))
						 : words_of("an iteration");

	if (view->foreign || view->nearest)
		return words_of("ports of %1$s, %2$s: cycles %3$s, M\n"
				"ports of %1$s, %2$s: cycles an iteration\nports of %1$s, %2$s, M",
			core.text, view->foreign ? "not this core" : "the nearest known",
			each.text);
	return words_of("ports: cycles %4$s, %1$s%2$sM %3$s\n"
			"ports: cycles an iteration, %1$s%2$sM %3$s\n"
			"ports: cycles an iteration, %1$s%2$sM\nports, %1$s%2$sM %3$s",
		port_events_of_ports(view) ? "C counted, " : "",
		view->slack && view->slack->count && status_is_ok(&view->slack->status)
			? "P probed, "
			: "",
		core.text, each.text);
}

static bool wanted(const struct view *view)
{
	return panels_outline(view) && view->core;
}

static void add(struct entries *entries, const struct view *view, uint32_t ports, int event)
{
	const struct limits *limits = &panels_outline(view)->limits;
	struct entry *entry = &entries->entry[entries->count];

	if (entries->count == ENTRIES)
		return;
	*entry = (struct entry){ .ports = ports,
		.event = event,
		.counted = event < 0 ? NAN : port_events_counted(view, event),
		.full = ports & limits->bottleneck };
	for (int i = 0; i < view->core->port_count; i++) {
		size_t used = strlen(entry->name);

		if (!(ports >> i & 1))
			continue;
		snprintf(entry->name + used, sizeof(entry->name) - used, "%s%s", used ? " " : "",
			view->core->port[i]);
		entry->pressure += limits->pressure[i];
		entry->naive += limits->naive[i];
	}
	entries->pairs += event >= 0;
	entries->count++;
}

/* An event can count the micro-ops of one port or of several. Returns the first event for which
 * `port` is the lowest counted port; -1: no such event. Sets *covered to all ports that are counted
 * by some event. */
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
	int count = int_least(panels_outline(view)->limits.port_count, view->core->port_count);
	bool units = false, pairs = port_events_of_ports(view);

	*entries = (struct entries){ 0 };
	for (int i = 0; i < 2 * count; i++) {
		int port = i % count, event = -1;
		uint32_t covered = 0;

		/* In the list of this panel, the execution units (dividers, for example) follow the
		 * ports. */
		if (view->core->unit[port] != (i >= count))
			continue;
		if (i < count && pairs)
			event = event_from(view, port, &covered);
		if (i >= count && !units)
			strcpy(entries->entry[entries->count++].name, "units");
		units = i >= count;
		if (event >= 0)
			add(entries, view, view->counters.plan->meaning[event].ports, event);
		else if (!(covered >> port & 1))
			add(entries, view, UINT32_C(1) << port, -1);
	}
}

static void measure(struct box at, const struct view *view, struct entries *entries)
{
	entries->names = 2;
	entries->scale = view->scales.ports.high;
	for (int i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->entry[i];

		if (!entry->ports)
			continue;
		entries->names = int_most(entries->names, canvas_columns(at, entry->name));
		entries->scale = fmax(
			entries->scale, fmax(fmax(entry->pressure, entry->naive), entry->counted));
	}
	entries->names = int_least(entries->names, NAME_MOST);
}

/* Draws the difference between count and model, "+0.12"; a difference above 10 % is highlighted. */
static void draw_difference(struct box at, int x, int y, const struct entry *entry)
{
	double difference = entry->counted - entry->pressure, size = fabs(difference),
	       large = fmax(0.1 * fmax(entry->counted, entry->pressure), 0.05);

	canvas_right(at, x, y, size > large ? STYLE_WARN : STYLE_DIM, size < 0.005 ? "=" : "%+.2f",
		difference);
}

static void draw_counted(struct box at, int x, int y, int bar, const struct entries *entries,
	const struct entry *entry, const struct view *view)
{
	canvas_text(at, x - 2, y, STYLE_DIM, "C");
	if (!isfinite(entry->counted)) {
		canvas_put(at, x, y, STYLE_DIM, shown_absence(view, entry->event).text);
		return;
	}
	port_events_bar(at, x, y, bar, entry->counted, entries->scale, STYLE_FIGURE, GLYPH_SHADE3);
	canvas_right(at, x + bar + PORT_EVENTS_FIGURE, y, STYLE_TEXT, "%s%.2f",
		shown_mark(view, entry->event), entry->counted);
	draw_difference(at, x + bar + PORT_EVENTS_FIGURE + DIFFERENCE, y, entry);
}

/* Draws the entry of one port (or of several with a common counter): the bar of the core model, and
 * below it the bar of the count. If `brief` is true, the count is only a number in the row of the
 * model's bar. */
static void draw_entry(struct box at, int y, const struct entries *entries, bool brief,
	const struct entry *entry, const struct view *view)
{
	bool letters = entries->pairs && !brief;
	bool difference = brief && at.width >= BRIEF + DIFFERENCE + 6;
	int tail = brief	    ? PORT_EVENTS_FIGURE + 4 + DIFFERENCE * difference
		   : entries->pairs ? DIFFERENCE
				    : 2;
	int room = at.width - 1 - 2 * letters - PORT_EVENTS_FIGURE - tail, mark, after;
	/* The values need their columns, so a long name of a unit is cut. */
	int names = int_least(entries->names, int_most(room - BAR_LEAST, 2)),
	    bar = int_most(room - names, BAR_LEAST), x = names + 1 + 2 * letters;
	double scale = entries->scale;

	if (!entry->ports) {
		canvas_put(at, 0, y, STYLE_DIM, entry->name);
		return;
	}
	after = x + bar + PORT_EVENTS_FIGURE;
	canvas_put(box_part(at, 0, 0, names, at.height), 0, y,
		entry->full ? STYLE_FIGURE : STYLE_TEXT, entry->name);
	if (letters)
		canvas_text(at, x - 2, y, STYLE_DIM, "M");
	port_events_bar(at, x, y, bar, entry->pressure, scale, entry->full ? STYLE_WARN : STYLE_BAR,
		GLYPH_BAR7);
	mark = scale > 0 ? (int)lround(entry->naive / scale * bar) - 1 : -1;
	/* A mark on a bar of a single cell would hide it. */
	if (fabs(entry->naive - entry->pressure) > 0.005 * scale &&
		mark >= (scale > 0 && entry->pressure > 0 && entry->pressure / scale * bar < 1.5))
		canvas_glyph(at, x + mark, y, STYLE_FOCUS, GLYPH_VLINE);
	canvas_right(at, after, y,
		entry->pressure > 0 ? entry->full ? STYLE_FIGURE : STYLE_TEXT : STYLE_DIM, "%.2f",
		entry->pressure);
	if (entry->full)
		canvas_text(at, after, y, STYLE_WARN, "◀");
	if (entry->event < 0)
		return;
	if (!brief) {
		draw_counted(at, x, y + 1, bar, entries, entry, view);
		return;
	}
	canvas_text(at, after + 2, y, STYLE_DIM, "C");
	canvas_right(at, after + 4 + PORT_EVENTS_FIGURE, y, STYLE_TEXT,
		isfinite(entry->counted) ? "%s%.2f" : "-", shown_mark(view, entry->event),
		entry->counted);
	if (difference && isfinite(entry->counted))
		draw_difference(at, at.width, y, entry);
}

/* Relative error of pressures and limits that a recording has rounded. */
#define EQUAL 1e-3

/* Whether the fullest port is the binding limit: the loop takes the cycles for which that port is
 * busy. Operations on ports that the core model does not know may bind while all known ports wait.
 */
static bool fullest_binds(const struct limits *limits)
{
	double fullest = 0;

	if (limits->binding < 0 ||
		limit_rows[limits->limit[limits->binding].kind].resource != RESOURCE_PORTS)
		return false;
	for (int i = 0; i < limits->port_count && i < UARCH_PORTS; i++)
		if (limits->bottleneck >> i & 1)
			fullest = fmax(fullest, limits->pressure[i]);
	return fullest >= (1 - EQUAL) * limits->bound * limits->elements / limits->turns;
}

/* Draws the legend for the marks on the ports' bars from column x, as far as it fits: "◀ fullest
 * │ split evenly". Returns the column behind it. */
static int draw_legend(struct box at, int x, int y, const struct limits *limits)
{
	bool binds = fullest_binds(limits), naive = false;
	const char *marks[2];

	for (int i = 0; i < limits->port_count && i < UARCH_PORTS; i++)
		naive |= fabs(limits->naive[i] - limits->pressure[i]) > 0.01;
	marks[0] = !limits->bottleneck ? "" : binds ? "◀ binds" : "◀ fullest";
	marks[1] = naive ? "│ split evenly" : "an even split is best";
	for (int i = 0; i < 2; i++)
		if (*marks[i] && canvas_fits(at, marks[i], at.width - x))
			x += canvas_text(at, x, y, STYLE_DIM, "%s", marks[i]) + 2;
	return x;
}

/* If no event of this panel is counted, returns the first of these events, so that the panel can
 * show why. Returns -1 if at least one event is counted, or if the panel has no event. */
static int event_uncounted(const struct view *view)
{
	const struct event_plan *plan = view->counters.plan;
	int first = -1;

	for (int i = plan->counters.count - 1; i >= 0; i--) {
		enum event_role role = plan->meaning[i].role;

		if (role != ROLE_PORTS && role != ROLE_DISPATCHED && role != ROLE_STALLED &&
			role != ROLE_LOADS && role != ROLE_STORES)
			continue;
		if (!shown_unavailable(view, i))
			return -1;
		first = i;
	}
	return first;
}

/* Returns one line with the reason why the micro-ops of the ports are not counted; the line is
 * empty if the reason is not known yet. */
static struct words why(const struct view *view)
{
	const struct view_counters *counters = &view->counters;
	int uncounted;

	if (!counters->plan)
		return words_of("%s", "");
	if (counters->why[0])
		return words_of("C unavailable: %s", counters->why);
	if (view->foreign)
		return words_of("C: counts of this core are not valid for another core's ports");
	if (view->frozen && counters->counts.count == 0)
		return words_of("C: frozen before the first count");
	uncounted = port_events_of_ports(view) ? -1 : event_uncounted(view);
	return uncounted < 0 ? words_of("%s", "")
			     : words_of("C %.300s", shown_absence(view, uncounted).text);
}

/* ---- the whole panel ---- */

/* The arrangement of ports and units in columns of similar length. If `brief` is true, the count of
 * a port is a number in the row of its bar. */
struct shape {
	bool brief;
	int columns, rows;
	int column[ENTRIES], row[ENTRIES];
	int shown; /* entries */
};

/* Arranges the ports and units in columns with `rows` rows, and sets the position of each. Returns
 * whether all entries fit. */
static bool flow(const struct entries *entries, int rows, struct shape *shape)
{
	int x = 0, y = 0;

	shape->rows = rows;
	for (int i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->entry[i];
		int lines = entry->event >= 0 && entry->ports && !shape->brief ? 2 : 1;

		if (y + lines > rows) {
			x++;
			y = 0;
		}
		if (x >= shape->columns || lines > rows)
			return false;
		shape->column[i] = x;
		shape->row[i] = y;
		y += lines;
	}
	return true;
}

static void fit(const struct entries *entries, int width, int height, struct shape *shape)
{
	int rows = int_most(height - 1, 1);
	bool fits = false;

	for (int pass = entries->pairs ? 0 : 1; pass < 2 && !fits; pass++) {
		int least = !entries->pairs ? COLUMN : pass ? BRIEF : PAIR;

		*shape = (struct shape){ .brief = entries->pairs && pass, .columns = 1 };
		while (!(fits = flow(entries, rows, shape)) &&
			(width + 2) / (shape->columns + 1) - 2 >= least)
			shape->columns++;
	}
	/* If not all ports fit in the panel, show as many ports as possible, with one row for each.
	 */
	shape->shown = fits ? entries->count : int_least(shape->columns * rows, entries->count);
	if (!fits)
		return;
	while (rows > 1 && flow(entries, rows - 1, shape))
		rows--;
	flow(entries, rows, shape);
}

/* Removes the entries with the least pressure, so that `count` entries are left. A small panel then
 * still shows the fullest ports, in their usual order. */
static void keep_fullest(struct entries *entries, int count)
{
	while (entries->count > count) {
		int least = entries->count - 1;

		/* If all entries (ports) below a heading are removed, the heading is removed too.
		 */
		for (int i = least; i >= 0 && entries->entry[least].ports; i--)
			if (entries->entry[i].ports &&
				entries->entry[i].pressure < entries->entry[least].pressure)
				least = i;
		entries->count--;
		memmove(&entries->entry[least], &entries->entry[least + 1],
			(size_t)(entries->count - least) * sizeof(entries->entry[0]));
	}
}

/* Draws the reason why the micro-ops of the ports are not counted. If the reason does not fit,
 * names the panel that shows the reason. */
static void draw_why(struct box at, struct words *words)
{
	static const char unavailable[] = "C unavailable: ";

	if (canvas_rows(at, words->text) > at.height &&
		strncmp(words->text, unavailable, strlen(unavailable)) == 0)
		strcpy(words->text + strlen(unavailable), "c says why");
	panels_cut(at, at.height, words->text, sizeof(words->text));
	canvas_wrap(at, 0, STYLE_DIM, words->text);
}

static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	struct words words = why(view);
	struct entries entries;
	struct port_events events;
	struct shape shape;
	int width, probed, hidden, x, y;

	if (!view->explanation) {
		canvas_put(at, 0, 0, STYLE_DIM, view->limits_note);
		return;
	}
	list(view, &entries);
	measure(at, view, &entries);
	port_events_find(view, &events);
	if (events.count && at.width >= COLUMN + 2 + BESIDE) {
		/* Two columns of ports with short bars are better than one column with long bars.
		 */
		int room = entries.count > at.height - 1 ? BESIDE
							 : int_most(at.width * 45 / 100, BESIDE);

		port_events_draw(box_part(at, at.width - room, 0, room, at.height), &events, view);
		at.width -= room + 2;
		events.count = 0;
	}
	/* The rows with the measured port pressure (panel_probed.c) are below the legend of the
	 * ports. */
	probed = probed_rows(view, at.width);
	probed = int_least(probed, int_most(at.height / 4, 1));
	fit(&entries, at.width, at.height - probed, &shape);
	hidden = entries.count - shape.shown;
	keep_fullest(&entries, shape.shown);
	if (entries.count > 0 && !entries.entry[entries.count - 1].ports)
		shape.shown = --entries.count;
	width = (at.width + 2) / shape.columns - 2;
	for (int i = 0; i < shape.shown; i++)
		draw_entry(box_part(at, shape.column[i] * (width + 2), 0, width, at.height),
			shape.row[i], &entries, shape.brief, &entries.entry[i], view);
	if (hidden) {
		x = canvas_text(at, 0, shape.rows, STYLE_DIM, "and %d less full", hidden);
		draw_legend(at, x + 2, shape.rows, &view->explanation->limits);
		probed_draw(box_part(at, 0, shape.rows + 1, at.width, at.height - shape.rows - 1),
			view);
		return;
	}
	y = shape.rows + (at.height - shape.rows > 2 + probed);
	if (at.height <= shape.rows)
		return;
	x = draw_legend(at, 0, y++, &view->explanation->limits) + 1;
	if (probed && y < at.height)
		y += probed_draw(box_part(at, 0, y, at.width, at.height - y), view);
	if (words.text[0] && y < at.height)
		draw_why(box_part(at, 0, y, at.width, at.height - y), &words);
	else if (words.text[0] && !probed && x < at.width / 2)
		draw_why(box_part(at, x, y - 1, at.width - x, 1), &words);
	else if (events.count && at.height - y > 3)
		port_events_draw(
			box_part(at, 0, y + 1, at.width, at.height - y - 1), &events, view);
}

static int best_rows(const struct view *view)
{
	struct entries entries;
	struct port_events events;
	int rows;

	if (!wanted(view))
		return 6;
	list(view, &entries);
	port_events_find(view, &events);
	rows = 1 + entries.count + entries.pairs + 2 + (why(view).text[0] != '\0') +
	       probed_rows(view, 60);
	return int_most(1 + port_events_rows(&events), rows);
}

const struct panel panel_ports = {
	.name = "ports",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
	.hides = HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES,
};
