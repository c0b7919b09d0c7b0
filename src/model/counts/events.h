/* Event plans: the events to count, by role, and the count that the model predicts for each event.
 * The events of a core come from its file (`pmu`, `event`; data/uarch/README.md). Cores without
 * events in their file use the Linux kernel's generic events, which data/events lists. */
#pragma once

#include "engine/counters/counters.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

/* A plan of the hardware events to count, and the meaning of each event. */
struct event_plan {
	struct counter_plan counters;
	struct uarch_event meaning[COUNTERS_MAX]; /* role and title of each event, in the order of
						     counters.event */
	bool generic; /* true: the plan has generic events, because the core's file has no events */
	int left_out; /* number of events that did not fit into the plan */
	char why[STATUS_TEXT]; /* the mistake in the file data/events, which is then ignored; "": no
				  mistake */
};

/* Fills a plan of events to count with the events of a core, and then with the `extra` names. The
 * core's events follow the order of the roles, so that the first counting pass includes cycles and
 * instructions. If `uarch` is NULL, or the core's file has no events, the plan has generic events.
 * Each event name appears only once in the plan of events. If there are too many events for the
 * plan, the last events of the core's file do not fit. The caller sets the id of the plan, and
 * gives every plan another id. */
void events_plan(const struct uarch *uarch, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* Fills a plan like events_plan(), but for the core of this machine, not for the core model in use.
 */
void events_plan_here(const struct machine *machine, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* The count per element that the model predicts for an event. NAN: unknown; cycles are always NAN.
 * Predicted counts of micro-ops and of ports are NAN for an event of another core. `explanation`
 * may be NULL. */
double events_modelled(const struct uarch_event *meaning, const struct explanation *explanation);

/* Writes the roles (such as L1 misses) for which the plan has no event, and returns their number.
 * The roles "stalled" and "extra" are never missing; an event with the role "dispatched" replaces
 * "ports". */
int events_lacking(const struct event_plan *plan, enum event_role roles[ROLE_COUNT]);
