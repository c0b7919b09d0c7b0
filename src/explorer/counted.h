/* Events that are counted at the present setting: the running core's, and those that the user asked
 * for by name. Only counted.c writes a `struct counted`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/setting/cells.h"
#include "explorer/view.h"

struct session;
struct session_options;
struct text;

/* The most events that can be asked for by name. */
enum { EXTRA_EVENTS = COUNTERS_MAX };

struct counted {
	struct event_plan *plan; /* NULL: nothing is counted; each change gives it a new id, never 0
				  */
	int extra_count;
	char *extra[EXTRA_EVENTS]; /* owned */
	char why[200];	      /* why the newest result counted nothing; empty: it did, or there is
				 none */
	uint32_t asked_id;    /* of the plan in the last request for the present setting */
	uint32_t answered_id; /* of the plan that its last result answered */
	struct counts counts; /* of the present setting: the newest, or its cell's */
	int first;	      /* the first event on screen */
};

void counted_start(struct session *session, const struct session_options *options);
void counted_end(struct session *session);
/* The machine is known: counts its events. */
void counted_look(struct session *session);

/* Another setting; what its cell has counted; a request for it; a final result. */
void counted_restart(struct session *session);
void counted_recall(struct session *session, const struct cell *cell);
void counted_asked(struct session *session);
void counted_take(struct session *session, const struct result *result);
void counted_forget(struct session *session);

/* Counts one more event, or no more: the index in extra[], -1 for all. counted_check() gives the
 * reason why a name cannot be counted. */
struct status counted_check(const struct session *session, const char *name);
void counted_add(struct session *session, const char *name);
void counted_drop(struct session *session, int index);
/* The place of an event in the plan, or in extra[], upper or lower case; -1: it is not in it. */
int counted_index(const struct counted *counted, const char *name);
int counted_extra(const struct counted *counted, const char *name);

bool counted_there(const struct session *session);   /* something is counted */
bool counted_awaited(const struct session *session); /* the present plan has no result yet */
/* What the model says of each event, per element; NAN: nothing. */
void counted_model(const struct session *session, const struct explanation *explanation,
	double modelled[COUNTERS_MAX]);
/* Adds the options of a command line that counts the same events. */
void counted_format(const struct session *session, struct text *text);

int counted_lines(const struct session *session);
void counted_scroll(struct session *session, int first);
void counted_view(const struct session *session, struct view *view);
