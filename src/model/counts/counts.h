/* What was counted of an event plan, read by the events' meaning. Pure. */
#ifndef SLX_MODEL_COUNTS_COUNTS_H
#define SLX_MODEL_COUNTS_COUNTS_H

#include "model/counts/events.h"

/* Whether these counts are of this plan, and hold anything that may be shown. Either may be NULL.
 */
bool counts_any(const struct event_plan *plan, const struct counts *counts);

/* The count, per element, of the event that has a role of which a core has one; NAN: it is not in
 * the plan, or could not be counted. Either may be NULL. */
double counts_of(const struct event_plan *plan, const struct counts *counts, enum event_role role);

/* Takes newer counts in place of older ones. Of the same plan, those stay that the newer had no
 * time for: a slow loop is counted in parts. */
void counts_renew(struct counts *counts, const struct counts *newer);

/* Instructions a cycle, both counted; NAN. */
double counts_ipc(const struct event_plan *plan, const struct counts *counts);

/* Whether instructions per element, counted and in the code as read or stepped, differ by over 1 %:
 * then one of the two is wrong. False where either is NAN. A path that varies (struct loop) was
 * stepped over a sample of the data: 10 % there. */
bool counts_instructions_differ(double counted, double decoded, bool varies);

/* Instructions per element of the code, as read or stepped; NAN: there is no explanation, or it has
 * none. May be NULL. */
double counts_decoded(const struct explanation *explanation);

/* Whether one of the two must be wrong: they differ, and neither is an estimate. */
bool counts_instructions_doubtful(const struct event_plan *plan, const struct counts *counts,
	const struct explanation *explanation);

/* Whether cycles by the reference chain ÷ cycles counted are over 2 % from 1. False for NAN. */
bool counts_clocks_differ(double check);

/* The word that stands for a state in files: "known", "scaled", … */
const char *counts_state(enum count_state state);
/* Returns false when there is no such word. */
bool counts_state_find(const char *word, enum count_state *state);

/* An event's role as a core's file spells it: "l1-misses", "ports p2 p3", "stalled back end",
 * "extra". */
void counts_role(const struct uarch_event *meaning, char *buffer, size_t size);

#endif
