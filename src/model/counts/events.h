/* What a core's counters say: each of its events has a role, so that what was counted stands beside
 * what the model says.
 *
 * The events of a core stand in its file (`pmu`, `event`; data/uarch/README.md); those that the
 * kernel names for every processor, for cores that have none, in data/events. To add a role: its
 * row in events.c, and where the model has a figure for it, its line in events_modelled(). */
#ifndef SLX_MODEL_COUNTS_EVENTS_H
#define SLX_MODEL_COUNTS_EVENTS_H

#include "engine/counters/counters.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

/* What each event of a counter plan means. */
struct event_plan {
	struct counter_plan counters;
	struct uarch_event meaning[COUNTERS_MAX]; /* as counters.event */
	bool generic;  /* the kernel's own names: this core has no events of its own in its file */
	int left_out;  /* that found no room */
	char why[244]; /* what is wrong with the file that should name them, which then goes unused;
			  "": nothing */
};

/* Fills a plan: the events of a core (NULL: those of data/events, also where its file names none)
 * in the order of the roles, so that cycles and instructions stand in the first pass, then `extra`
 * names; a name once. Where there are more than find room, the last of the core's are left out
 * before any extra one is. The id is the caller's to set, and must change whenever the plan does.
 */
void events_plan(const struct uarch *uarch, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* The same for this machine: its core is recognised and loaded, whichever core limits are asked
 * for. */
void events_plan_here(const struct machine *machine, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* What the model says an event counts, per element; NAN: it says nothing of it, or cannot as
 * something in the loop is unknown. Cycles are NAN as well: a prediction is no count. Micro-ops and
 * ports are those of the core that was asked about, and NAN where the event is another core's.
 * explanation may be NULL. */
double events_modelled(const struct uarch_event *meaning, const struct explanation *explanation);

/* Roles that a plan has no event for, in the order of the roles (stalled and extra never count as
 * lacking; dispatched stands in for ports). Returns how many. */
int events_lacking(const struct event_plan *plan, enum event_role roles[ROLE_COUNT]);

#endif
