/* The events counted at the present setting: the running core's events, and events that the user
 * named. Only counted.c writes a `struct counted`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/setting/cells.h"
#include "explorer/view.h"

struct session;
struct session_options;
struct text;

/* The largest number of events that the user can name. */
enum { EXTRA_EVENTS = COUNTERS_MAX };

struct counted {
	struct event_plan
		/* The events to count; NULL: no events are counted. Each change of the event plan
		   gives it a new id, which is never 0. */
		*plan;
	int extra_count;
	char *extra[EXTRA_EVENTS]; /* names of the counter events that the user added; each string
				      is owned */
	/* The reason why the newest result has no event counts; empty: it has counts, or there is
	 * no result. */
	char why[200];
	uint32_t asked_id; /* id of the event plan (list of events to count) in the last request for
			      the present setting */
	uint32_t answered_id; /* id of the event plan (list of events to count) whose counts the
				 last result has */
	/* Event counts of the present setting, from its newest result or from earlier measurements
	 * of it. */
	struct counts counts;
	/* The core model's value of each event for the present explanation; NAN: no value. */
	double modelled[COUNTERS_MAX];
	int first; /* index of the first event on screen, if the panel is too small for all events
		    */
};

void counted_start(struct session *session, const struct session_options *options);
void counted_end(struct session *session);
/* Call counted_look() when the machine is known. counted_look() begins to count the events of the
 * running core. */
void counted_look(struct session *session);

/* Call counted_restart() for a new setting and counted_recall() for the counts in the setting's
 * cell. Call counted_asked() after a request to measure the present setting, and counted_take() for
 * its final result. */
void counted_restart(struct session *session);
void counted_recall(struct session *session, const struct cell *cell);
void counted_asked(struct session *session);
void counted_take(struct session *session, const struct result *result);
void counted_forget(struct session *session);

/* counted_check() returns the reason if an event cannot be counted. counted_add() adds an event.
 * counted_drop() removes the event at `index` of extra[]; index -1 removes all events of
 * extra[]. */
struct status counted_check(const struct session *session, const char *name);
void counted_add(struct session *session, const char *name);
void counted_drop(struct session *session, int index);
/* counted_index() returns the index of an event in the plan, and counted_extra() its index in
 * extra[]. counted_index() and counted_extra() ignore case, and return -1 for an unknown event. */
int counted_index(const struct counted *counted, const char *name);
int counted_extra(const struct counted *counted, const char *name);

bool counted_there(const struct session *session); /* whether any event is counted */
bool counted_awaited(
	/* Whether no result for the present event plan has arrived yet. */
	const struct session *session);
/* Fills `modelled` with the core model's value of each event, per element; NAN: the model has no
 * value for that event. */
void counted_model(const struct session *session, const struct explanation *explanation,
	double modelled[COUNTERS_MAX]);
/* Fills counted.modelled. Call counted_renew() after the limits of the present setting were
 * computed again. */
void counted_renew(struct session *session);
/* Appends to `text` the command-line options that count the session's events. */
void counted_format(const struct session *session, struct text *text);

int counted_lines(const struct session *session);
void counted_scroll(struct session *session, int first);
void counted_view(const struct session *session, struct view *view);
