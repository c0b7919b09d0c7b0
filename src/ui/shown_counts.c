#include "ui/shown_counts.h"

#include <stdio.h>
#include <string.h>

bool shown_counting(const struct view *view)
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
