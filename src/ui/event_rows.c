#include "ui/event_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ui/panels.h"

/* Whether events are or will be counted: the plan has events, and counters are available. */
static bool shown_counting(const struct view *view)
{
	return view->counters.plan && view->counters.plan->counters.count > 0 &&
	       !view->counters.why[0];
}

bool shown_unavailable(const struct view *view, int event)
{
	const struct counts *counts = &view->counters.counts;

	return event < counts->count && counts->event[event].state != COUNT_NONE &&
	       !count_known(&counts->event[event]);
}

bool shown_ports(const struct view *view)
{
	const struct event_plan *plan = view->counters.plan;

	if (!shown_counting(view) || !view->core ||
		(view->frozen && view->counters.counts.count == 0))
		return false;
	for (int i = 0; i < plan->counters.count; i++)
		if (plan->meaning[i].role == ROLE_PORTS &&
			strcmp(plan->meaning[i].core, view->core->name) == 0 &&
			!shown_unavailable(view, i))
			return true;
	return false;
}

const char *shown_mark(const struct view *view, int event)
{
	const struct counts *counts = &view->counters.counts;

	return event < counts->count && counts->event[event].state == COUNT_SCALED ? "~" : "";
}

void shown_absence(const struct view *view, int event, char *buffer, size_t size)
{
	const struct counts *counts = &view->counters.counts;
	char words[160];

	buffer[0] = '\0';
	if (event >= counts->count || counts->event[event].state == COUNT_NONE) {
		snprintf(buffer, size, "%s",
			view->frozen || view->replay ? "not counted" : "counting…");
	} else if (shown_unavailable(view, event)) {
		count_words(&counts->event[event], words, sizeof(words));
		snprintf(buffer, size, "unavailable: %s", words);
	}
}

/* ---- events that belong to no port ---- */

double ports_counted(const struct view *view, int event)
{
	const struct limits *limits = &panels_outline(view)->limits;
	const struct counts *counts = &view->counters.counts;

	if (event >= counts->count || !count_known(&counts->event[event]))
		return NAN;
	return counts->event[event].value * limits->elements /
	       (limits->turns > 0 ? limits->turns : 1);
}

void ports_bar(struct canvas *canvas, struct rectangle at, int x, int y, int width, double share,
	enum style style, enum glyph glyph)
{
	int length = (int)lround(share * width);

	if (share > 0 && length == 0)
		length = 1;
	for (int i = 0; i < length && i < width; i++)
		canvas_glyph(canvas, at, x + i, y, style, glyph);
}

static void beside_add(struct beside *beside, const struct view *view, bool stalls, bool seen)
{
	const struct event_plan *plan = view->counters.plan;

	for (int i = 0; i < plan->counters.count; i++) {
		enum event_role role = plan->meaning[i].role;
		bool work = role == ROLE_DISPATCHED || role == ROLE_LOADS || role == ROLE_STORES;

		if (shown_unavailable(view, i))
			continue;
		if (stalls ? role == ROLE_STALLED && (ports_counted(view, i) >= 0.005) == seen
			   : work)
			beside->event[beside->count++] = i;
	}
}

void beside_find(const struct view *view, struct beside *beside)
{
	const struct view_counters *counters = &view->counters;

	memset(beside, 0, sizeof(*beside));
	if (!shown_counting(view) || counters->counts.count == 0 || view->foreign)
		return;
	for (int i = 0; i < counters->plan->counters.count; i++)
		if (counters->plan->meaning[i].role == ROLE_PORTS)
			return;
	beside_add(beside, view, false, false);
	beside->work = beside->count;
	beside_add(beside, view, true, true);
	beside_add(beside, view, true, false);
}

static const char *beside_title(const struct view *view, int event)
{
	const struct uarch_event *meaning = &view->counters.plan->meaning[event];

	return meaning->role == ROLE_STALLED ? meaning->words : meaning->title;
}

/* A group of events under a heading, with a scale of its own. Returns the rows used. */
static int draw_group(struct canvas *canvas, struct rectangle at, int y, const char *head,
	const int *events, int count, const struct view *view)
{
	int titles = 0, bar, from = y;
	double scale = 0;

	if (count == 0)
		return 0;
	canvas_text(canvas, at, 0, y++, STYLE_DIM, head);
	for (int i = 0; i < count; i++) {
		int columns = canvas_columns(canvas, beside_title(view, events[i]));

		titles = columns > titles ? columns : titles;
		scale = fmax(scale, ports_counted(view, events[i]));
	}
	titles = titles > at.width - PORTS_FIGURE - 1 ? at.width - PORTS_FIGURE - 1 : titles;
	bar = at.width - titles - 1 - PORTS_FIGURE;
	bar = bar < 4 ? 0 : bar;
	for (int i = 0; i < count; i++, y++) {
		double counted = ports_counted(view, events[i]);
		char words[200];

		canvas_text(canvas, (struct rectangle){ at.x, at.y, titles, at.height }, 0, y,
			STYLE_TEXT, beside_title(view, events[i]));
		if (!isfinite(counted)) {
			shown_absence(view, events[i], words, sizeof(words));
			canvas_text(canvas, at, titles + 1, y, STYLE_DIM, words);
			continue;
		}
		ports_bar(canvas, at, titles + 1, y, bar, scale > 0 ? counted / scale : 0,
			STYLE_FIGURE, GLYPH_SHADE3);
		snprintf(words, sizeof(words), "%s%.2f", shown_mark(view, events[i]), counted);
		canvas_text_right(
			canvas, at, at.width, y, counted >= 0.005 ? STYLE_TEXT : STYLE_DIM, words);
	}
	return y - from;
}

int beside_rows(const struct beside *beside)
{
	return beside->count + (beside->work > 0) + (beside->count > beside->work);
}

void beside_draw(struct canvas *canvas, struct rectangle at, const struct beside *beside,
	const struct view *view)
{
	int stalls = beside->count - beside->work, over = beside_rows(beside) - at.height, y;

	if (over > 0)
		stalls = stalls > over + 1 ? stalls - over - 1 : 0;
	y = draw_group(
		canvas, at, 0, "C an iteration, not by port", beside->event, beside->work, view);
	y += draw_group(canvas, at, y, "C cycles stalled an iteration",
		beside->event + beside->work, stalls, view);
	if (over > 0 && y < at.height)
		canvas_textf(canvas, at, 0, y, STYLE_WARN, "and %d more: c shows all",
			beside->count - beside->work - stalls);
}
