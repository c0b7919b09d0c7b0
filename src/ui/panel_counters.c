/* Shows counts per element next to the core model's values. Events that the user requested are
 * listed first, then the core's own events. Remarks above the table compare the counts and report
 * contradictions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "lesson/lesson.h"
#include "model/counts/counts.h"
#include "ui/panels.h"

/* Widths in screen columns: of a number, of the quartiles, of the shortest title, and of the
 * narrowest table column. */
enum {
	FIGURE = 7,
	FIGURE_WIDE = 9,
	QUARTILES = 19,
	TITLE_LEAST = 14,
	TITLE_MOST = 36,
	COLUMN = 38
};

static struct words title_of(const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct counts *counts = &view->counters.counts;
	struct words passes = { "" }, model = { "" };
	const char *element = view->setting.kernel->element;

	if (counts->count == 0)
		return words_of("counters per %s", element);
	if (counts->groups > 1)
		passes = words_of(" in %d passes", counts->groups);
	if (view->core && view->explanation)
		model = words_of(", M %s%s", panels_core(view->core).text,
			view->foreign	? ", not this core"
			: view->nearest ? ", the nearest"
					: "");
	return words_of("counters per %s: C read %s%s%s", element,
		counts->direct ? "directly" : "by system call", passes.text, model.text);
}

/* Next to other panels, the counters panel is shown only if an event was counted. If the user
 * brings the counters panel to the front, it always shows something, if only why no event was
 * counted. */
static bool wanted(const struct view *view)
{
	return view->counters.plan &&
	       (view->counters.counts.count > 0 || panels_named(view->screen.front, "counters") ||
		       panels_named(view->screen.focus, "counters"));
}

/* ---- remarks ---- */

/* Adds the reason why counted and decoded instructions may differ. */
static void add_differ(struct lines *remarks, const struct view *view)
{
	const struct loop *loop = &view->explanation->loop;
	const char *suspect =
		"either the loop runs code that was not decoded, or the counter is wrong";

	if (loop->stepped)
		suspect = "single-stepping is exact, so the counter is wrong, unless the loop "
			  "takes another path at this size";
	else if (loop->unknown)
		suspect = "some bytes of the code are not instructions";
	else if (loop->forks)
		suspect = "either a branch in the loop jumps, which decoding ignores, or the "
			  "counter is wrong";
	lines_add(remarks, 0, STYLE_BAD,
		"contradiction: %s instructions counted C, %s in the code %s: %s",
		units_value(view->counters.counted).text, units_value(view->counters.decoded).text,
		loop->stepped ? "as stepped S" : "as read M", suspect);
}

/* Adds a summary: "2.75 instructions a cycle C  ·  cycles: R is 1.003 of C, they agree". */
static void add_summary(struct lines *remarks, const struct view *view)
{
	const struct view_counters *counters = &view->counters;
	bool differ = counts_clocks_differ(counters->check);
	struct words check = { "" };

	if (isfinite(counters->check) && !differ)
		check = words_of("  ·  cycles: R is %.3f of C, they agree", counters->check);
	if (isfinite(counters->ipc))
		lines_add(remarks, 0, STYLE_FIGURE, "%s instructions a cycle C%s",
			units_value(counters->ipc).text, check.text);
	else
		lines_add(remarks, 0, STYLE_TEXT, "%s", check.text + strspn(check.text, " ·"));
	if (differ)
		lines_add(remarks, 0, STYLE_WARN,
			"cycles: the reference chain R is %.2f of the counter C; one of the two "
			"clocks is wrong",
			counters->check);
}

/* ---- the table ---- */

struct table {
	int count, order[COUNTERS_MAX]; /* indices in the plan */
	int rows, columns, width; /* size of the visible part of the table of events; `columns`:
				     number of events side by side in a row */
	int first, last; /* first: index of the first visible event; last: value of `first` when the
			    table is scrolled to its end */
	int title, figure; /* widths of the columns */
	bool quartiles, scaled;
};

/* Sorts the events: first the events that the user requested, then the core's events that have
 * counts. */
static void sort(const struct view *view, struct table *table)
{
	const struct event_plan *plan = view->counters.plan;

	for (int i = 0; i < plan->counters.count; i++)
		if (plan->meaning[i].role == ROLE_EXTRA)
			table->order[table->count++] = i;
	for (int i = 0; i < plan->counters.count; i++)
		if (plan->meaning[i].role != ROLE_EXTRA && !shown_unavailable(view, i))
			table->order[table->count++] = i;
}

/* Returns the title of a counter event, shortened if it needs more than `width` columns. The end of
 * an event's name is the most specific part, so a long name first loses the PMU at its start. */
static const char *title_in(struct box at, const struct event_plan *plan, int event, int width)
{
	const char *name = plan->counters.event[event].name, *colons = strstr(name, "::");

	if (plan->meaning[event].role != ROLE_EXTRA)
		return plan->meaning[event].title;
	return colons && canvas_columns(at, name) > width ? colons + 2 : name;
}

/* Computes the columns and rows of the table of counted events. `at` begins below the remarks. */
static void measure(struct box at, const struct view *view, struct table *table)
{
	const struct view_counters *counters = &view->counters;
	int widest = TITLE_LEAST, width = at.width;
	bool spread = false; /* enough passes for quartiles */

	*table = (struct table){ .rows = int_most(at.height - 1, 1), .columns = 1 };
	sort(view, table);
	while (table->rows * table->columns < table->count &&
		(width + 2) / (table->columns + 1) - 2 >= COLUMN)
		table->columns++;
	if (table->rows * table->columns > table->count)
		table->rows = (table->count + table->columns - 1) / table->columns;
	table->last = int_most(table->count - table->rows * table->columns, 0);
	table->first = int_least(counters->first, table->last);
	if (table->last > 0)
		width -= 2; /* for the scroll arrows */
	table->width = (width + 2) / table->columns - 2;
	for (int i = 0; i < table->count; i++) {
		int event = table->order[i];
		const char *title = title_in(at, counters->plan, event, TITLE_MOST - 1);

		widest = int_most(widest, 1 + canvas_columns(at, title));
		table->scaled |= shown_mark(view, event)[0] != '\0';
		spread |= counters->counts.event[event].passes >= PANELS_QUARTILES_FROM;
	}
	widest = int_least(widest, TITLE_MOST);
	table->figure = table->width >= widest + 3 * FIGURE_WIDE ? FIGURE_WIDE : FIGURE;
	table->quartiles = spread && table->width >= widest + 3 * FIGURE_WIDE + QUARTILES;
	table->title = int_least(
		widest, table->width - 3 * table->figure - (table->quartiles ? QUARTILES : 0));
}

/* Draws the difference between count and model, "+0.125"; draws "=" if both values are equal within
 * the noise. */
static void draw_difference(struct box at, int x, int y, double counted, double modelled)
{
	double difference = counted - modelled, larger = fmax(fabs(counted), fabs(modelled));

	if (fabs(difference) <= 0.005 * larger || fabs(difference) < 0.0005)
		canvas_right(at, x, y, STYLE_DIM, "=");
	else
		canvas_right(at, x, y, fabs(difference) > 0.1 * larger ? STYLE_WARN : STYLE_TEXT,
			"%c%s", difference < 0 ? '-' : '+', units_value(fabs(difference)).text);
}

static void draw_row(
	struct box at, int y, const struct table *table, int event, const struct view *view)
{
	const struct view_counters *counters = &view->counters;
	const struct uarch_event *meaning = &counters->plan->meaning[event];
	const struct count *count = &counters->counts.event[event];
	double modelled = counters->modelled[event];
	/* If the core model has no value, the event's title may use the columns of the value. */
	int x = table->title, title = x - 1 + (isfinite(modelled) ? 0 : table->figure);
	struct words absence = shown_absence(view, event);

	title = canvas_put(box_part(at, 0, 0, title, at.height), 0, y,
		meaning->role == ROLE_EXTRA ? STYLE_FIGURE : STYLE_TEXT,
		title_in(at, counters->plan, event, title));
	if (absence.text[0]) {
		canvas_put(at, title > x ? title + 1 : x + 1, y, STYLE_DIM, absence.text);
		return;
	}
	x += table->figure;
	if (isfinite(modelled))
		canvas_put_right(at, x, y, STYLE_TEXT, units_value(modelled).text);
	canvas_right(at, x += table->figure, y, STYLE_FIGURE, "%s%s", shown_mark(view, event),
		units_value(count->value).text);
	x += table->figure;
	if (isfinite(modelled))
		draw_difference(at, x, y, count->value, modelled);
	if (table->quartiles && count->passes >= PANELS_QUARTILES_FROM)
		canvas_text(at, x + 3, y, STYLE_DIM, "%s … %s", units_value(count->lo).text,
			units_value(count->hi).text);
}

static void draw_head(struct box at, const struct table *table)
{
	int x = table->title;

	canvas_text(at, 0, 0, STYLE_DIM, "event");
	canvas_right(at, x += table->figure, 0, STYLE_DIM, "M");
	canvas_right(at, x += table->figure, 0, STYLE_DIM, "C");
	canvas_right(at, x += table->figure, 0, STYLE_DIM, "C-M");
	if (table->quartiles)
		canvas_text(at, x + 3, 0, STYLE_DIM, "quartiles");
}

static bool same_reason(const struct view *view, int a, int b)
{
	const struct count *event = view->counters.counts.event;

	return event[a].state == event[b].state && event[a].error == event[b].error;
}

static bool is_listed(const struct view *view, int event)
{
	return view->counters.plan->meaning[event].role != ROLE_EXTRA &&
	       shown_unavailable(view, event);
}

/* Writes the core's unavailable events. If all unavailable events have the same reason, writes
 * "unavailable (stays at zero, even where most events rise): loads, stores". If events are
 * unavailable for different reasons, each reason is written after its events. If `reasons` is
 * false, omits the reasons why events are unavailable. */
static void find_unavailable(const struct view *view, bool reasons, struct text *text)
{
	const struct event_plan *plan = view->counters.plan;
	int first = -1, count = plan->counters.count;
	bool listed[COUNTERS_MAX] = { false }, one = true;
	char reason[200];

	text_clear(text);
	for (int i = count - 1; i >= 0; i--) {
		one &= !is_listed(view, i) || first < 0 || same_reason(view, first, i);
		first = is_listed(view, i) ? i : first;
	}
	for (int i = first; first >= 0 && i < count; i++) {
		if (listed[i] || !is_listed(view, i))
			continue;
		count_words(&view->counters.counts.event[i], reason, sizeof(reason));
		text_addf(text,
			text->length ? reasons ? "; " : ", "
			: one	     ? "unavailable (%s): "
				     : "unavailable: ",
			reason);
		for (int k = i; k < count; k++) {
			if (!is_listed(view, k) || !same_reason(view, i, k))
				continue;
			text_addf(text, "%s%s", k > i ? ", " : "", plan->meaning[k].title);
			listed[k] = true;
		}
		if (!one && reasons)
			text_addf(text, " (%s)", reason);
	}
}

/* Draws the last rows of the panel, if they fit: a legend of the marks, and purposes for which the
 * core has no event. */
static void draw_foot(struct box at, const struct table *table, const struct view *view)
{
	const struct event_plan *plan = view->counters.plan;
	enum event_role roles[ROLE_COUNT];
	int lacking = events_lacking(plan, roles);
	struct lines lines;
	struct words names = { "" };

	lines_begin(&lines, at);
	if (table->scaled)
		lines_add(&lines, 0, STYLE_DIM,
			"~ estimate: other events used the counter for part of the time");
	if (plan->generic)
		lines_add(&lines, 0, STYLE_DIM,
			"The core model has no events: these are the kernel's generic events.");
	for (int i = 0; i < lacking; i++)
		names = words_of("%s%s %s", names.text, i ? "," : "no event here for",
			event_roles[roles[i]].title);
	lines_put(&lines, 0, STYLE_DIM, names);
	lines_draw(&lines, 0);
}

/* Draws the reason why the table has no events. */
static void draw_absence(struct box at, const struct view *view)
{
	struct lines lines;

	lines_begin(&lines, at);
	if (view->counters.why[0])
		lines_add(&lines, 0, STYLE_TEXT, "C unavailable: %s", view->counters.why);
	else
		lines_add(&lines, 0, STYLE_DIM,
			view->failure[0] ? "not measured"
			: view->frozen	 ? "frozen before the first count"
					 : "counting…");
	if (!view->replay && view->counters.why[0])
		lines_add(&lines, 0, STYLE_DIM,
			"slexplore doctor says how to enable them. Everything else works without: "
			"cycles come from the reference clock R.");
	lines_draw(&lines, 0);
}

/* The parts of the panel: remarks, the table, and unavailable events at the bottom. */
struct parts {
	struct lines remarks;
	char unavailable[1200];
	int below; /* number of rows for unavailable events: at most a third of the panel */
	struct table table;
};

static void find_parts(struct box at, const struct view *view, struct parts *parts)
{
	static const char elsewhere[] = "; slexplore events says why";
	struct text unavailable = { 0 };
	int most = at.height / 3;

	lines_begin(&parts->remarks, at);
	add_summary(&parts->remarks, view);
	if (view->counters.differ && view->explanation)
		add_differ(&parts->remarks, view);
	/* The remarks above the table of events use at most half of the panel's rows. If the
	 * remarks above the table need more rows, each remark is cut to one row. */
	if (lines_rows(&parts->remarks) > (at.height + 1) / 2)
		lines_cut(&parts->remarks, 0, 1);
	at.height -= lines_rows(&parts->remarks);
	/* If the table of events does not fit, the list of unavailable events gets only one row. If
	 * the reasons why events are unavailable do not fit, omit the reasons. */
	for (int pass = 0; pass < 2; pass++, most = 1) {
		struct box rest = at;

		find_unavailable(view, true, &unavailable);
		if (canvas_rows(at, text_string(&unavailable)) > most) {
			find_unavailable(view, false, &unavailable);
			if (!view->replay && canvas_columns(at, text_string(&unavailable)) +
							     canvas_columns(at, elsewhere) <=
						     at.width * most)
				text_add(&unavailable, elsewhere);
		}
		snprintf(parts->unavailable, sizeof(parts->unavailable), "%s",
			text_string(&unavailable));
		panels_cut(at, most, parts->unavailable, sizeof(parts->unavailable));
		parts->below = canvas_rows(at, parts->unavailable);
		rest.height -= parts->below;
		measure(rest, view, &parts->table);
		if (parts->table.last == 0)
			break;
	}
	text_free(&unavailable);
}

static int scroll_end(struct box at, const struct scene *scene)
{
	struct parts parts;

	find_parts(at, scene->view, &parts);
	return parts.table.last;
}

static void draw_table(struct box at, const struct table *table, const struct view *view)
{
	for (int i = 0; i < table->count - table->first && i < table->rows * table->columns; i++) {
		struct box column = box_part(
			at, i / table->rows * (table->width + 2), 0, table->width, at.height);

		if (i % table->rows == 0)
			draw_head(column, table);
		draw_row(column, 1 + i % table->rows, table, table->order[table->first + i], view);
	}
	panels_arrows(box_part(at, 0, 0, at.width, table->rows + 1), 1, STYLE_FOCUS,
		table->first > 0, table->first < table->last);
}

static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	struct parts parts;
	int used;

	if (view->counters.counts.count == 0) {
		draw_absence(at, view);
		return;
	}
	find_parts(at, view, &parts);
	used = lines_draw(&parts.remarks, 0);
	at = box_part(at, 0, used, at.width, at.height - used);
	draw_table(at, &parts.table, view);
	used = 1 + parts.table.rows;
	/* Leave a blank row before the unavailable events, if a row is free. */
	used += used + parts.below < at.height;
	if (parts.below)
		used += canvas_wrap(at, used, STYLE_DIM, parts.unavailable);
	if (used < at.height)
		draw_foot(box_part(at, 0, used, at.width, at.height - used), &parts.table, view);
}

/* Returns the number of rows for the rule, a remark, the headings, the events, a blank row, and
 * unavailable events. */
static int best_rows(const struct view *view)
{
	int count = view->counters.plan ? view->counters.plan->counters.count : 0;

	return view->counters.counts.count ? 1 + 1 + 1 + count + 3 : 4;
}

static int first_shown(const struct view *view)
{
	return view->counters.first;
}

const struct panel panel_counters = {
	.name = "counters",
	.title_of = title_of,
	.clauses = true,
	.draw = draw,
	.wanted = wanted,
	.scroll_end = scroll_end,
	.first = first_shown,
	.scroll_command = "counters scroll",
	.best_rows = best_rows,
	.focus = "counters",
	.hides = HIDDEN_CPE,
};
