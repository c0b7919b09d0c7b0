/* Counts per element next to the model's values: events that the user asked for, then the core's
 * own. Remarks above the table relate the counts to each other and name contradictions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "model/counts/counts.h"
#include "ui/event_rows.h"
#include "ui/panels.h"

/* Columns of a number, of quartiles, of the shortest title, and of the narrowest table column. */
enum {
	FIGURE = 7,
	FIGURE_WIDE = 9,
	QUARTILES = 19,
	TITLE_LEAST = 14,
	TITLE_MOST = 36,
	COLUMN = 38,
	REMARKS = 6
};

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	const struct counts *counts = &view->counters.counts;
	char core[64] = "";
	size_t used = (size_t)snprintf(buffer, size, "counters per element");

	if (counts->count == 0)
		return;
	used += (size_t)snprintf(buffer + used, size - used, ": C read %s",
		counts->direct ? "directly" : "by system call");
	if (counts->groups > 1)
		used += (size_t)snprintf(
			buffer + used, size - used, " in %d passes", counts->groups);
	if (!view->core || !view->explanation)
		return;
	panels_core(view->core, core, sizeof(core));
	snprintf(buffer + used, size - used, ", M %s%s", core,
		view->foreign	? ", not this core"
		: view->nearest ? ", the nearest"
				: "");
}

/* Next to other panels only if something was counted; in front also to show the reason. */
static bool wanted(const struct view *view)
{
	return view->counters.plan &&
	       (view->counters.counts.count > 0 || panels_named(view->front, "counters") ||
		       panels_named(view->focus, "counters"));
}

/* ---- remarks ---- */

struct remarks {
	int count, rows;
	struct {
		enum style style;
		char text[300];
	} remark[REMARKS];
};

static char *add(struct remarks *remarks, enum style style)
{
	remarks->remark[remarks->count].style = style;
	return remarks->remark[remarks->count++].text;
}

enum { TEXT = sizeof(((struct remarks *)NULL)->remark[0].text) };

/* Why counted and decoded instructions may differ. */
static void add_differ(struct remarks *remarks, const struct view *view)
{
	const struct view_counters *counters = &view->counters;
	const struct loop *loop = &view->explanation->loop;
	char counted[24], decoded[24];
	const char *suspect = "the loop runs code that was not decoded, or the counter is wrong";

	if (loop->stepped)
		suspect =
			"stepping is exact: doubt the counter, unless the loop takes another path "
			"at this size";
	else if (loop->unknown)
		suspect = "some bytes of the code are no instructions";
	else if (loop->forks)
		suspect = "the code was decoded as if no branch jumped, or the counter is "
			  "wrong";
	units_figure(counters->counted, counted, sizeof(counted));
	units_figure(counters->decoded, decoded, sizeof(decoded));
	snprintf(add(remarks, STYLE_BAD), TEXT,
		"contradiction: %s instructions counted C, %s in the code %s: %s", counted, decoded,
		loop->stepped ? "as stepped S" : "as read M", suspect);
}

/* "2.75 instructions a cycle · the reference chain agrees: 1.003 of its cycles" */
static void add_summary(struct remarks *remarks, const struct view *view)
{
	const struct view_counters *counters = &view->counters;
	char check[64] = "";
	bool differ = counts_clocks_differ(counters->check);

	if (isfinite(counters->check) && !differ)
		snprintf(check, sizeof(check), "cycles: R is %.3f of C, they agree",
			counters->check);
	if (isfinite(counters->ipc)) {
		snprintf(add(remarks, STYLE_FIGURE), TEXT, "%s instructions a cycle C%s%s",
			panels_number(counters->ipc).text, check[0] ? "  ·  " : "", check);
	} else if (check[0]) {
		snprintf(add(remarks, STYLE_TEXT), TEXT, "%s", check);
	}
	if (differ)
		snprintf(add(remarks, STYLE_WARN), TEXT,
			"cycles: the reference chain R is %.2f of the counter C; one of the "
			"two clocks is wrong",
			counters->check);
}

/* Remarks use at most half of the rows; if they need more, each one is cut to a row. */
static void find_remarks(const struct canvas *canvas, const struct view *view, int width,
	int height, struct remarks *remarks)
{
	const struct view_counters *counters = &view->counters;

	memset(remarks, 0, sizeof(*remarks));
	add_summary(remarks, view);
	if (counters->differ && view->explanation)
		add_differ(remarks, view);
	for (int i = 0; i < remarks->count; i++)
		remarks->rows += canvas_wrap_rows(canvas, width, remarks->remark[i].text);
	if (remarks->rows <= (height + 1) / 2)
		return;
	for (int i = 0; i < remarks->count; i++)
		panels_cut(canvas, width, 1, remarks->remark[i].text, TEXT);
	remarks->rows = remarks->count;
}

/* ---- the table ---- */

struct table {
	int count, order[COUNTERS_MAX]; /* indices in the plan */
	int rows, columns, width; /* of the visible part; columns are table columns side by side */
	int first, last;	  /* the first visible one; the last possible first one */
	int title, figure;	  /* their columns */
	bool quartiles, scaled;
};

/* Events that the user asked for, then the core's events that have counts. */
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

/* The end of a name distinguishes it, so a name that is too long loses its PMU first. */
static const char *title_in(
	const struct canvas *canvas, const struct event_plan *plan, int event, int width)
{
	const char *name = plan->counters.event[event].name, *colons = strstr(name, "::");

	if (plan->meaning[event].role != ROLE_EXTRA)
		return plan->meaning[event].title;
	return colons && canvas_columns(canvas, name) > width ? colons + 2 : name;
}

/* Everything except the remarks: `at` begins below them. */
static void measure(const struct canvas *canvas, const struct view *view, int width, int height,
	struct table *table)
{
	const struct view_counters *counters = &view->counters;
	int widest = TITLE_LEAST;
	bool spread = false; /* enough passes for quartiles */

	memset(table, 0, sizeof(*table));
	sort(view, table);
	table->rows = height > 2 ? height - 1 : 1;
	table->columns = 1;
	while (table->rows * table->columns < table->count &&
		(width + 2) / (table->columns + 1) - 2 >= COLUMN)
		table->columns++;
	if (table->rows * table->columns > table->count)
		table->rows = (table->count + table->columns - 1) / table->columns;
	table->last = table->count - table->rows * table->columns;
	table->last = table->last > 0 ? table->last : 0;
	table->first = counters->first < table->last ? counters->first : table->last;
	if (table->last > 0)
		width -= 2; /* for the scroll arrows */
	table->width = (width + 2) / table->columns - 2;
	for (int i = 0; i < table->count; i++) {
		int columns = canvas_columns(canvas, title_in(canvas, counters->plan,
							     table->order[i], TITLE_MOST - 1)) +
			      1;

		widest = columns > widest ? columns : widest;
		table->scaled |= shown_mark(view, table->order[i])[0] != '\0';
		spread |= counters->counts.event[table->order[i]].passes >= PANELS_QUARTILES_FROM;
	}
	widest = widest > TITLE_MOST ? TITLE_MOST : widest;
	table->figure = table->width >= widest + 3 * FIGURE_WIDE ? FIGURE_WIDE : FIGURE;
	table->quartiles = spread && table->width >= widest + 3 * FIGURE_WIDE + QUARTILES;
	table->title = table->width - 3 * table->figure - (table->quartiles ? QUARTILES : 0);
	table->title = table->title > widest ? widest : table->title;
}

/* "+0.125"; "=" if both are equal within the noise. */
static void draw_difference(
	struct canvas *canvas, struct rectangle at, int x, int y, double counted, double modelled)
{
	double difference = counted - modelled, larger = fmax(fabs(counted), fabs(modelled));
	char text[32];

	if (fabs(difference) <= 0.005 * larger || fabs(difference) < 0.0005) {
		canvas_text_right(canvas, at, x, y, STYLE_DIM, "=");
		return;
	}
	snprintf(text, sizeof(text), "%c%s", difference < 0 ? '-' : '+',
		panels_number(fabs(difference)).text);
	canvas_text_right(
		canvas, at, x, y, fabs(difference) > 0.1 * larger ? STYLE_WARN : STYLE_TEXT, text);
}

static void draw_row(struct canvas *canvas, struct rectangle at, int y, const struct table *table,
	int event, const struct view *view)
{
	const struct view_counters *counters = &view->counters;
	const struct uarch_event *meaning = &counters->plan->meaning[event];
	const struct count *count = &counters->counts.event[event];
	double modelled = counters->modelled[event];
	/* A title may use the columns of a model value that does not exist. */
	int x = table->title, title = x - 1 + (isfinite(modelled) ? 0 : table->figure);
	char figure[64], lo[24], words[200];

	shown_absence(view, event, words, sizeof(words));
	title = canvas_text(canvas, (struct rectangle){ at.x, at.y, title, at.height }, 0, y,
		meaning->role == ROLE_EXTRA ? STYLE_FIGURE : STYLE_TEXT,
		title_in(canvas, counters->plan, event, title));
	if (words[0]) {
		canvas_text(canvas, at, title > x ? title + 1 : x + 1, y, STYLE_DIM, words);
		return;
	}
	x += table->figure;
	units_figure(modelled, figure, sizeof(figure));
	if (isfinite(modelled))
		canvas_text_right(canvas, at, x, y, STYLE_TEXT, figure);
	units_figure(count->value, lo, sizeof(lo));
	snprintf(figure, sizeof(figure), "%s%s", shown_mark(view, event), lo);
	canvas_text_right(canvas, at, x += table->figure, y, STYLE_FIGURE, figure);
	x += table->figure;
	if (isfinite(modelled))
		draw_difference(canvas, at, x, y, count->value, modelled);
	if (!table->quartiles || count->passes < PANELS_QUARTILES_FROM)
		return;
	units_figure(count->lo, lo, sizeof(lo));
	snprintf(figure, sizeof(figure), "%s … %s", lo, panels_number(count->hi).text);
	canvas_text(canvas, at, x + 3, y, STYLE_DIM, figure);
}

static void draw_head(struct canvas *canvas, struct rectangle at, const struct table *table)
{
	int x = table->title;

	canvas_text(canvas, at, 0, 0, STYLE_DIM, "event");
	canvas_text_right(canvas, at, x += table->figure, 0, STYLE_DIM, "M");
	canvas_text_right(canvas, at, x += table->figure, 0, STYLE_DIM, "C");
	canvas_text_right(canvas, at, x += table->figure, 0, STYLE_DIM, "C-M");
	if (table->quartiles)
		canvas_text(canvas, at, x + 3, 0, STYLE_DIM, "quartiles");
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

/* Appends the events whose reason equals the first one's. */
static size_t list_alike(const struct view *view, int first, const char *before, char *buffer,
	size_t size, bool *told)
{
	const struct event_plan *plan = view->counters.plan;
	size_t used = 0;

	for (int i = first; i < plan->counters.count && used < size; i++) {
		if (!is_listed(view, i) || !same_reason(view, first, i))
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? ", " : before,
			plan->meaning[i].title);
		told[i] = true;
	}
	return used;
}

/* The core's events that are unavailable. With one common reason: "unavailable (stays at zero, even
 * where most events rise): loads, stores"; else each reason after its events, or no reasons if
 * there is no room. */
static void find_unavailable(const struct view *view, bool reasons, char *buffer, size_t size)
{
	int first = -1, count = view->counters.plan->counters.count;
	bool told[COUNTERS_MAX] = { false }, one = true;
	char reason[200], before[240];
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = count - 1; i >= 0; i--) {
		one &= !is_listed(view, i) || first < 0 || same_reason(view, first, i);
		first = is_listed(view, i) ? i : first;
	}
	for (int i = first; first >= 0 && i < count && used < size; i++) {
		if (told[i] || !is_listed(view, i))
			continue;
		count_words(&view->counters.counts.event[i], reason, sizeof(reason));
		snprintf(before, sizeof(before),
			used  ? reasons ? "; " : ", "
			: one ? "unavailable (%s): "
			      : "unavailable: ",
			reason);
		used += list_alike(view, i, before, buffer + used, size - used, told);
		if (!one && reasons && used < size)
			used += (size_t)snprintf(buffer + used, size - used, " (%s)", reason);
	}
}

/* Below the table, if there is room: the meaning of marks, and roles without an event. */
static void draw_foot(struct canvas *canvas, struct rectangle at, const struct table *table,
	const struct view *view)
{
	const struct event_plan *plan = view->counters.plan;
	enum event_role roles[ROLE_COUNT];
	int lacking = events_lacking(plan, roles), y = 0;
	char words[300];
	size_t used;

	if (table->scaled)
		y += canvas_wrap(canvas, at, y, STYLE_DIM,
			"~ an estimate: other events used the counter "
			"for part of the time");
	if (plan->generic)
		y += canvas_wrap(canvas, at, y, STYLE_DIM,
			"No events of this core are known: these are the "
			"kernel's generic ones.");
	if (lacking == 0)
		return;
	used = (size_t)snprintf(words, sizeof(words), "no event here for");
	for (int i = 0; i < lacking && used < sizeof(words); i++)
		used += (size_t)snprintf(words + used, sizeof(words) - used, "%s %s", i ? "," : "",
			role_title(roles[i]));
	canvas_wrap(canvas, at, y, STYLE_DIM, words);
}

/* The reason for an empty table. */
static void draw_absence(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	const char *why = view->counters.why;
	char words[300];
	int y;

	if (!why[0]) {
		canvas_text(canvas, at, 0, 0, STYLE_DIM,
			view->failure[0] ? "not measured"
			: view->frozen	 ? "frozen before it was counted"
					 : "counting…");
		return;
	}
	snprintf(words, sizeof(words), "C unavailable: %s", why);
	y = canvas_wrap(canvas, at, 0, STYLE_TEXT, words);
	if (!view->replay)
		canvas_wrap(canvas, at, y, STYLE_DIM,
			"slexplore doctor says what to change. All else works without counters: "
			"cycles come from the reference clock R.");
}

/* Remarks on top, the table, and unavailable events at the bottom. */
struct parts {
	struct remarks remarks;
	char unavailable[1200];
	int below; /* its rows: at most a third of the panel */
	struct table table;
};

static void find_parts(const struct canvas *canvas, const struct view *view, int width, int height,
	struct parts *parts)
{
	static const char elsewhere[] = "; slexplore events says why";
	int most = height / 3;

	find_remarks(canvas, view, width, height, &parts->remarks);
	height -= parts->remarks.rows;
	/* One row if the table is cut; without reasons if they do not fit. */
	for (int pass = 0; pass < 2; pass++, most = 1) {
		find_unavailable(view, true, parts->unavailable, sizeof(parts->unavailable));
		if (canvas_wrap_rows(canvas, width, parts->unavailable) > most) {
			find_unavailable(view, false, parts->unavailable,
				sizeof(parts->unavailable) - sizeof(elsewhere));
			if (!view->replay && canvas_columns(canvas, parts->unavailable) +
							     canvas_columns(canvas, elsewhere) <=
						     width * most)
				strcat(parts->unavailable, elsewhere);
		}
		panels_cut(canvas, width, most, parts->unavailable, sizeof(parts->unavailable));
		parts->below = parts->unavailable[0]
				       ? canvas_wrap_rows(canvas, width, parts->unavailable)
				       : 0;
		measure(canvas, view, width, height - parts->below, &parts->table);
		if (parts->table.last == 0)
			return;
	}
}

static int scroll_end(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	struct parts parts;

	find_parts(canvas, scene->view, at.width, at.height, &parts);
	return parts.table.last;
}

static void draw_table(struct canvas *canvas, struct rectangle at, const struct table *table,
	const struct view *view)
{
	for (int i = 0; i < table->count - table->first && i < table->rows * table->columns; i++) {
		struct rectangle column = { at.x + i / table->rows * (table->width + 2), at.y,
			table->width, at.height };

		if (i % table->rows == 0)
			draw_head(canvas, column, table);
		draw_row(canvas, column, 1 + i % table->rows, table, table->order[table->first + i],
			view);
	}
	if (table->first > 0)
		canvas_glyph(canvas, at, at.width - 1, 1, STYLE_FOCUS, GLYPH_UP);
	if (table->first < table->last)
		canvas_glyph(canvas, at, at.width - 1, table->rows, STYLE_FOCUS, GLYPH_DOWN);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct remarks *remarks;
	struct parts parts;
	int y = 0, used;

	if (view->counters.counts.count == 0) {
		draw_absence(canvas, at, view);
		return;
	}
	find_parts(canvas, view, at.width, at.height, &parts);
	remarks = &parts.remarks;
	for (int i = 0; i < remarks->count; i++)
		y += canvas_wrap(canvas, at, y, remarks->remark[i].style, remarks->remark[i].text);
	at.y += y;
	at.height -= y;
	draw_table(canvas, at, &parts.table, view);
	used = 1 + parts.table.rows;
	/* A blank row before it, if there is one. */
	used += used + parts.below < at.height;
	if (parts.below)
		used += canvas_wrap(canvas, at, used, STYLE_DIM, parts.unavailable);
	if (used < at.height)
		draw_foot(canvas,
			(struct rectangle){ at.x, at.y + used, at.width, at.height - used },
			&parts.table, view);
}

/* Rule, remark, headings, events, a blank row, unavailable events. */
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
};
