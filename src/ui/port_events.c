#include "ui/port_events.h"

#include <math.h>
#include <string.h>

bool port_events_wanted(const struct view *view)
{
	/* A program's function is never run. */
	return view->counters.plan && view->counters.plan->counters.count > 0 &&
	       !view->counters.why[0] && !view->setting.kernel->function;
}

bool port_events_of_ports(const struct view *view)
{
	const struct event_plan *plan = view->counters.plan;

	if (!port_events_wanted(view) || !view->core ||
		(view->frozen && view->counters.counts.count == 0))
		return false;
	for (int i = 0; i < plan->counters.count; i++)
		if (plan->meaning[i].role == ROLE_PORTS &&
			strcmp(plan->meaning[i].core, view->core->name) == 0 &&
			!shown_unavailable(view, i))
			return true;
	return false;
}

double port_events_counted(const struct view *view, int event)
{
	const struct limits *limits = &panels_outline(view)->limits;
	const struct counts *counts = &view->counters.counts;

	if (event >= counts->count || !count_known(&counts->event[event]))
		return NAN;
	return counts->event[event].value * limits->elements /
	       (limits->turns > 0 ? limits->turns : 1);
}

void port_events_bar(struct box at, int x, int y, int width, double value, double scale,
	enum style style, enum glyph glyph)
{
	int length = scale > 0 && value > 0 ? int_most((int)lround(value / scale * width), 1) : 0;

	for (int i = 0; i < int_least(length, width); i++)
		canvas_glyph(at, x + i, y, style, glyph);
}

static void add_events(struct port_events *events, const struct view *view, bool stalls, bool seen)
{
	const struct event_plan *plan = view->counters.plan;

	for (int i = 0; i < plan->counters.count; i++) {
		enum event_role role = plan->meaning[i].role;
		bool work = role == ROLE_DISPATCHED || role == ROLE_LOADS || role == ROLE_STORES;

		if (shown_unavailable(view, i))
			continue;
		if (stalls ? role == ROLE_STALLED && (port_events_counted(view, i) >= 0.005) == seen
			   : work)
			events->event[events->count++] = i;
	}
}

void port_events_find(const struct view *view, struct port_events *events)
{
	const struct view_counters *counters = &view->counters;

	*events = (struct port_events){ 0 };
	if (!port_events_wanted(view) || counters->counts.count == 0 || view->foreign)
		return;
	for (int i = 0; i < counters->plan->counters.count; i++)
		if (counters->plan->meaning[i].role == ROLE_PORTS)
			return;
	add_events(events, view, false, false);
	events->work = events->count;
	add_events(events, view, true, true);
	add_events(events, view, true, false);
}

static const char *title_of(const struct view *view, int event)
{
	const struct uarch_event *meaning = &view->counters.plan->meaning[event];

	return meaning->role == ROLE_STALLED ? meaning->words : meaning->title;
}

/* Draws a group of events under a heading; the bars of each group have their own scale. Returns the
 * number of rows used. */
static int draw_group(struct box at, int y, const char *head, const int *events, int count,
	const struct view *view)
{
	int titles = 0, bar, from = y;
	double scale = 0;

	if (count == 0)
		return 0;
	canvas_put(at, 0, y++, STYLE_DIM, head);
	for (int i = 0; i < count; i++) {
		titles = int_most(titles, canvas_columns(at, title_of(view, events[i])));
		scale = fmax(scale, port_events_counted(view, events[i]));
	}
	titles = int_least(titles, at.width - PORT_EVENTS_FIGURE - 1);
	bar = at.width - titles - 1 - PORT_EVENTS_FIGURE;
	for (int i = 0; i < count; i++, y++) {
		double counted = port_events_counted(view, events[i]);

		canvas_put(box_part(at, 0, 0, titles, at.height), 0, y, STYLE_TEXT,
			title_of(view, events[i]));
		if (!isfinite(counted)) {
			canvas_put(
				at, titles + 1, y, STYLE_DIM, shown_absence(view, events[i]).text);
			continue;
		}
		port_events_bar(at, titles + 1, y, bar < 4 ? 0 : bar, counted, scale, STYLE_FIGURE,
			GLYPH_SHADE3);
		canvas_right(at, at.width, y, counted >= 0.005 ? STYLE_TEXT : STYLE_DIM, "%s%.2f",
			shown_mark(view, events[i]), counted);
	}
	return y - from;
}

int port_events_rows(const struct port_events *events)
{
	return events->count + (events->work > 0) + (events->count > events->work);
}

void port_events_draw(struct box at, const struct port_events *events, const struct view *view)
{
	int over = port_events_rows(events) - at.height, y;
	int stalls = int_most(events->count - events->work - (over > 0 ? over + 1 : 0), 0);

	y = draw_group(at, 0, "C an iteration, not by port", events->event, events->work, view);
	y += draw_group(
		at, y, "C cycles stalled an iteration", events->event + events->work, stalls, view);
	if (over > 0 && y < at.height)
		canvas_text(at, 0, y, STYLE_WARN, "and %d more: c shows all",
			events->count - events->work - stalls);
}
