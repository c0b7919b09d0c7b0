/* Counts of an event plan, by the roles of its events. Pure. */
#pragma once

#include "model/counts/events.h"

/* Whether these counts belong to this plan and have a known value. Both may be NULL. */
bool counts_any(const struct event_plan *plan, const struct counts *counts);

/* The count per element of a role that has one event; NAN: not in the plan, or not counted. Both
 * may be NULL. */
double counts_of(const struct event_plan *plan, const struct counts *counts, enum event_role role);

/* Replaces counts by newer ones. Counts of the same plan stay where the newer had no time: a slow
 * loop is counted in parts. */
void counts_renew(struct counts *counts, const struct counts *newer);

/* Instructions per cycle, both counted; NAN. */
double counts_ipc(const struct event_plan *plan, const struct counts *counts);

/* Whether counted and decoded instructions per element differ by more than 1 %, so that one is
 * wrong; 10 % for a path that varies (struct loop), because it was stepped over a sample of the
 * data. False for NAN. */
bool counts_instructions_differ(double counted, double decoded, bool varies);

/* Instructions per element of the code, read or stepped; NAN: unknown. explanation may be NULL. */
double counts_decoded(const struct explanation *explanation);

/* Whether counted or decoded instructions must be wrong: they differ, and the count is no estimate.
 */
bool counts_instructions_doubtful(const struct event_plan *plan, const struct counts *counts,
	const struct explanation *explanation);

/* Whether cycles by the reference chain differ from counted cycles by more than 2 %: `check` is
 * their ratio. False for NAN. */
bool counts_clocks_differ(double check);

/* The word of a state in files: "known", "scaled", … */
const char *counts_state(enum count_state state);
/* False: unknown word. */
bool counts_state_find(const char *word, enum count_state *state);

/* The role as core files spell it: "l1-misses", "ports p2 p3", "stalled back end", "extra". */
void counts_role(const struct uarch_event *meaning, char *buffer, size_t size);
