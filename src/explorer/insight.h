/* The limits of the present setting: the core, the explanation and the advice. Only insight.c
 * writes a `struct insight` and the memory latencies. */
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

/* A setting that a background thread explains. */
struct background_explain {
	struct job *job; /* NULL: no thread runs */
	bool stale;	 /* the core or the memory has changed: discard the result */
	const struct explainer *explainer;
	struct setting setting;
	struct explain_question question; /* question about `setting` */
	struct explanation *explanation;  /* owned; NULL: not needed yet */
};

struct insight {
	const struct explainer *explainer; /* NULL: limits are unknown */
	bool looked;			   /* the search for the running core's model was done */
	enum uarch_match match;		   /* how well `running` fits the running core */
	char running[CORE_NAME], why[160];
	char wanted[256]; /* the core that the user chose, by name or by path of its file; empty:
			     the running core */
	bool nearest;	  /* the nearest core is used in place of the running one */
	char *adopted;	  /* text of the model that was measured on this machine; NULL: none */
	char adopted_name[CORE_NAME];
	bool loaded;
	struct core core;
	char note[300];		/* why there is no explanation */
	struct setting setting; /* setting of the explanation; kernel NULL: no explanation */
	struct explanation *explanation; /* in explain_cache, or `own`; during `reading`, the
					    previous explanation */
	struct explanation *own, *scratch;
	struct explain_cache
		*explain_cache;	     /* explanations of kernels that must be stepped through */
	struct explain_cache *quick; /* predictions only, for the other kernels */
	struct background_explain background_explain;
	bool reading; /* `setting` is not explained yet: it must stay unchanged for a moment first
		       */
	struct listing *listing;
	const char *function; /* the function and the kernel of the listing */
	const struct kernel *source_of;
	bool advised;	    /* `advice` is complete */
	double advice_due;  /* when the search continues; -INFINITY: as soon as the setting has
			       stayed unchanged long enough */
	bool advice_wanted; /* the user waits for the advice */
	struct advice advice;
	int code_first; /* the first line of code on screen */
};

void insight_start(struct session *session, const struct explainer *explainer, const char *uarch);
void insight_end(struct session *session);
/* Call it when the machine is known. Recognises its core. */
void insight_look(struct session *session);
/* Chooses the core to predict for. An empty name: the running core. STATUS_USAGE: there is no core
 * of that name. */
struct status insight_ask(struct session *session, const char *name);
void insight_take_nearest(struct session *session);
/* Uses this model text for the running core. */
struct status insight_adopt(struct session *session, const char *text, const char *name);

/* Explains the present setting, unless this was already done. */
void insight_renew(struct session *session);
/* Discards every explanation. Call it after the code, the core or the memory latencies have
 * changed. */
void insight_forget(struct session *session);
/* Explains another setting. NULL: no core model, or the code must be stepped through. The
 * explanation is valid until the next call. */
const struct explanation *insight_of(struct session *session, const struct setting *setting);

/* insight_lacks_memory() fills the next request for an L3 or memory latency that the model lacks;
 * false: no request. insight_memory() takes the result of the request, insight_learn() that of a
 * probe. */
bool insight_lacks_memory(struct session *session, struct request *request);
void insight_memory(struct session *session, const struct result *result);
void insight_learn(struct session *session, const struct probe_report *report);

/* When insight_advance() has code to read or advice to find; INFINITY: never. */
double insight_due(const struct session *session);
/* Reads code or finds advice, if due. Returns whether the view changed. */
bool insight_advance(struct session *session);
/* Whether a background thread is explaining. If so, call insight_advance() again soon. */
bool insight_thinks(const struct session *session);

/* Continues the search for advice. The search needs several calls, so that keys are handled between
 * them. Returns whether the search is complete. */
bool insight_advise(struct session *session);
void insight_want_advice(struct session *session, bool wanted);
/* Whether the search that the user waits for has ended, with or without advice. */
bool insight_advice_due(const struct session *session);
/* Whether the user would notice the time to explain the present setting. */
bool insight_slow(const struct session *session);

bool insight_ready(const struct session *session); /* whether there is an explanation */
bool insight_foreign(
	const struct session *session); /* whether the explanation is for another core */
/* The binding limit of the present setting; LIMIT_COUNT: unknown. */
enum limit_kind insight_binding(const struct session *session);

int insight_code_lines(const struct session *session);
void insight_scroll(struct session *session, int first);
void insight_view(const struct session *session, struct view *view);
