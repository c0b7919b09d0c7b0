/* Event plans: which events to count, by role, and what the model predicts for each. A core's
 * events come from its file (`pmu`, `event`; data/uarch/README.md); other cores use the kernel's
 * generic events in data/events. */
#pragma once

#include "engine/counters/counters.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

/* A counter plan and the meaning of each event. */
struct event_plan {
	struct counter_plan counters;
	struct uarch_event meaning[COUNTERS_MAX]; /* as counters.event */
	bool generic;				  /* generic events: this core's file has none */
	int left_out;				  /* events without room */
	char why[244]; /* the mistake in the file of events, which is then not used; "": none */
};

/* Fills a plan with a core's events (generic ones for NULL, or for a file without events) in the
 * order of the roles, so that cycles and instructions are in the first pass; then with `extra`
 * names. Each name comes once. If there is not enough room, the core's last events are left out
 * first. The caller sets the id, and changes it with every plan. */
void events_plan(const struct uarch *uarch, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* The same for the core of this machine, independent of the core model in use. */
void events_plan_here(const struct machine *machine, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* The count per element that the model predicts; NAN: unknown, and always for cycles. Micro-ops and
 * ports are NAN for an event of another core. explanation may be NULL. */
double events_modelled(const struct uarch_event *meaning, const struct explanation *explanation);

/* The roles without an event in the plan, and their number. Stalled and extra are never missing;
 * dispatched replaces ports. */
int events_lacking(const struct event_plan *plan, enum event_role roles[ROLE_COUNT]);
