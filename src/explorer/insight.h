/* What is known of the limits of the present setting: for which core, from which explanation, and
 * the advice. Only insight.c writes a `struct insight` and the memory latencies. */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"
#include "experiment/advice/advice.h"
#include "experiment/advice/explainer.h"
#include "experiment/listing.h"
#include "experiment/memory.h"
#include "experiment/probe/probe.h"
#include "explorer/view.h"

struct session;

/* A setting that is explained in a thread of its own. */
struct background_explain {
	struct job *job; /* NULL: none is */
	bool stale;	 /* the core or the memory has changed: its result is discarded */
	const struct explainer *explainer;
	struct setting setting;
	struct explain_question question; /* of that setting */
	struct explanation *explanation;  /* owned; NULL: none was needed yet */
};

struct insight {
	const struct explainer *explainer; /* NULL: limits are unknown */
	bool looked;			   /* the running core was looked for */
	enum uarch_match match;		   /* how well `running` fits the running core */
	char running[CORE_NAME], why[160];
	char wanted[256]; /* the core asked for, by name or by the path of its file; empty: the
			     running one */
	bool nearest;	  /* the nearest core is used in place of the running one */
	char *adopted;	  /* the text of the model that was measured here; NULL: none was */
	char adopted_name[CORE_NAME];
	bool loaded;
	struct core core;
	char note[300];			 /* why there is no explanation */
	struct setting setting;		 /* of the explanation; kernel NULL: none */
	struct explanation *explanation; /* of the cache, or own; while reading, the one before */
	struct explanation *own, *scratch;
	struct explain_cache *explain_cache; /* of kernels that are stepped through */
	struct explain_cache *quick;	     /* of others: predictions alone */
	struct background_explain background_explain;
	bool reading; /* `setting` is explained once it has stayed for a moment */
	struct listing *listing;
	const char *function; /* whose source the listing is, and of which kernel */
	const struct kernel *source_of;
	bool advised;	    /* `advice` is complete */
	double advice_due;  /* when the search goes on; -INFINITY: once the setting has stayed */
	bool advice_wanted; /* the user waits for it */
	struct advice advice;
	int code_first; /* the first line of code on screen */
};

void insight_start(struct session *session, const struct explainer *explainer, const char *uarch);
void insight_end(struct session *session);
/* The machine is known: recognises its core. */
void insight_look(struct session *session);
/* Predicts for another core from now on: empty, the running one. STATUS_USAGE: there is none of
 * that name. */
struct status insight_ask(struct session *session, const char *name);
void insight_take_nearest(struct session *session);
/* Takes a model's text for the running core's. */
struct status insight_adopt(struct session *session, const char *text, const char *name);

/* Explains the present setting, unless that is done. */
void insight_renew(struct session *session);
/* Discards every explanation: code, core or memory have changed. */
void insight_forget(struct session *session);
/* Explains another setting; NULL: unknown, or not without stepping through it. Valid until the next
 * question. */
const struct explanation *insight_of(struct session *session, const struct setting *setting);

/* The next request for a latency of L3 or memory that the model lacks; false: none. Its result, and
 * that of a probe. */
bool insight_lacks_memory(struct session *session, struct request *request);
void insight_memory(struct session *session, const struct result *result);
void insight_learn(struct session *session, const struct probe_report *report);

/* When insight_advance() has code to read or advice to find; INFINITY: never. */
double insight_due(const struct session *session);
/* Does it when it is due. Returns whether the view changed. */
bool insight_advance(struct session *session);
/* A thread explains: insight_advance() must be called again in a moment. */
bool insight_thinks(const struct session *session);

/* Continues the search for advice, which takes several calls, so that keys come between. Returns
 * whether it is found. */
bool insight_advise(struct session *session);
void insight_want_advice(struct session *session, bool wanted);
/* The wanted advice is found, or there is none. */
bool insight_advice_due(const struct session *session);
/* Explaining the present setting takes long enough to be noticed. */
bool insight_slow(const struct session *session);

bool insight_ready(const struct session *session);   /* there is an explanation */
bool insight_foreign(const struct session *session); /* it is not of the running core */
/* The binding limit of the present setting; LIMIT_COUNT: unknown. */
enum limit_kind insight_binding(const struct session *session);

int insight_code_lines(const struct session *session);
void insight_scroll(struct session *session, int first);
void insight_view(const struct session *session, struct view *view);
