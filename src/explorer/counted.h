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

/* The most events that the user can name. */
enum { EXTRA_EVENTS = COUNTERS_MAX };

struct counted {
	struct event_plan
		*plan; /* NULL: no events are counted; each change gives the plan a new id, never 0
			*/
	int extra_count;
	char *extra[EXTRA_EVENTS]; /* owned */
	char why[200]; /* why the newest result has no counts; empty: it has counts, or there is no
			  result */
	uint32_t asked_id;    /* plan id of the last request for the present setting */
	uint32_t answered_id; /* plan id that the last result answered */
	struct counts counts; /* counts of the present setting: the newest, or from its cell */
	int first;	      /* the first event on screen */
};

void counted_start(struct session *session, const struct session_options *options);
void counted_end(struct session *session);
/* Call it when the machine is known. Begins to count its events. */
void counted_look(struct session *session);

/* Call these for a new setting, for the counts in its cell, after a request for it, and for a final
 * result. */
void counted_restart(struct session *session);
void counted_recall(struct session *session, const struct cell *cell);
void counted_asked(struct session *session);
void counted_take(struct session *session, const struct result *result);
void counted_forget(struct session *session);

/* Adds or removes an event; index is in extra[], -1: all. counted_check() says why an event cannot
 * be counted. */
struct status counted_check(const struct session *session, const char *name);
void counted_add(struct session *session, const char *name);
void counted_drop(struct session *session, int index);
/* Index of an event in the plan, or in extra[]; ignores case. -1: not found. */
int counted_index(const struct counted *counted, const char *name);
int counted_extra(const struct counted *counted, const char *name);

bool counted_there(const struct session *session); /* whether any event is counted */
bool counted_awaited(
	const struct session *session); /* whether the present plan has no result yet */
/* The model's value of each event, per element; NAN: the model has no value. */
void counted_model(const struct session *session, const struct explanation *explanation,
	double modelled[COUNTERS_MAX]);
/* Appends the command-line options that count the same events. */
void counted_format(const struct session *session, struct text *text);

int counted_lines(const struct session *session);
void counted_scroll(struct session *session, int first);
void counted_view(const struct session *session, struct view *view);
