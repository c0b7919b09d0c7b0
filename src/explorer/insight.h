/* The core model, and the explanation (limits) and advice for the present setting. Only insight.c
 * and insight_core.c write a `struct insight` and the session's memory latencies. */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"
#include "experiment/advice/advice.h"
#include "experiment/advice/explainer.h"
#include "experiment/listing.h"
#include "experiment/memory.h"
#include "experiment/probe/probe.h"
#include "experiment/published.h"
#include "explorer/view.h"

struct session;

/* A setting whose limits a background thread computes. */
struct background_explain {
	struct job *job; /* the background thread that computes limits; NULL: no thread runs */
	bool stale; /* true: the core model or the memory latencies have changed, so the thread's
		       result is discarded */
	const struct explainer *explainer;
	struct setting setting;
	struct explain_question question; /* question about `setting` */
	struct explanation *explanation;  /* the limits that the thread computes, owned; NULL: no
					     thread has started yet */
};

/* The user's choice of the core model that limits are computed for. `undo` restores it. */
struct core_choice {
	char wanted[256];    /* as in struct insight */
	bool nearest;	     /* as in struct insight */
	const char *adopted; /* as in struct insight */
};

struct insight {
	const struct explainer *explainer; /* functions that compute the limits of a setting; NULL:
					      the limits are unknown */
	bool looked;		/* true: the program has searched for the running core's model */
	enum uarch_match match; /* how well the core model `running` fits the core on which the
				   program runs */
	char running[CORE_NAME], why[160];
	/* The core that the user chose, by its name or by the path of its file; empty: the running
	 * core. */
	char wanted[256];
	bool nearest; /* the limits are computed for the nearest core in place of the running core
		       */
	/* Texts of all core models that were measured on this machine in this session; the command
	 * `undo` may return to any of them. */
	char **measured;
	int measured_count;
	/* The core model in `measured` that replaces the shipped model of the running core; NULL:
	 * none does. */
	const char *adopted;
	char adopted_name[CORE_NAME];
	bool loaded;
	bool fits; /* true: a match line of the loaded core model fits the running processor */
	struct core core;
	char note[300];		/* the reason why the limits of the present setting are not known */
	struct setting setting; /* the setting whose limits `explanation` holds; its kernel is NULL
				   if there is no explanation */
	/* The explanation (limits and decoded code) of the present setting: points to `own` or into
	 * explain_cache. While the kernel's code is being read (`reading`), `explanation` is the
	 * previous explanation. */
	struct explanation *explanation;
	struct explanation *own, *scratch;
	struct explain_cache *explain_cache; /* stored explanations (limits and code) of kernels
						whose code must be single-stepped */
	struct explain_cache *quick; /* stored predictions of cycles for kernels whose code need not
					be single-stepped */
	struct background_explain background_explain;
	/* true: `setting` has no explanation yet; the explanation begins when `setting` has stayed
	 * unchanged for a moment. */
	bool reading;
	/* true while `reading`: `explanation` has the limits of the present setting, but they are
	 * computed again, because a value of L3 or memory was measured again. */
	bool renewing;
	struct listing *listing;
	const char *function; /* the function that `listing` shows */
	const struct kernel *source_of;
	/* The published cycles of `setting`; not `is_published`: nothing is published. */
	struct published published;
	bool is_published;
	struct published_limits published_limits; /* limits with which the published cycles of the
						     setting are compared */
	bool limit_wanted;  /* a background thread is to compute the binding limit of A */
	bool a_limit_found; /* `a_limit` is the binding limit of A, computed by that thread */
	enum limit_kind a_limit;
	bool advised; /* `advice` is complete */
	/* Time at which the search for advice continues. -INFINITY: the search for advice begins as
	 * soon as the setting has stayed unchanged long enough. */
	double advice_due;
	bool advice_wanted; /* true: the user has asked for advice and waits for it */
	struct advice advice;
	/* The setting of the advice that the user followed last, until it is measured, and the
	 * measured CPE before it. The kernel is NULL: nothing is to be judged. */
	struct setting followed;
	double before_followed;
	double memory_at; /* time at which a value of L3 or memory was last measured */
	int code_first;	  /* index of the first line of machine code that the code panel shows */
	unsigned number; /* number of the present explanation (limits and code of the setting); each
			    new explanation has a new number, never 0 */
};

void insight_start(struct session *session, const struct explainer *explainer, const char *uarch);
void insight_end(struct session *session);
/* Call insight_look() when the machine is known. insight_look() recognises the machine's core. */
void insight_look(struct session *session);
/* Chooses the core for which limits are predicted. With an empty name, this is the core on
 * which the program runs. Returns STATUS_USAGE if there is no core of that name. */
struct status insight_ask(struct session *session, const char *name);
/* Loads a second copy of the core model with which limits are computed, for a long measurement
 * (campaign) that needs its own copy. The caller unloads the copy. Returns false if there is no
 * core model. */
bool insight_copy_core(const struct session *session, struct core *core);
/* Loads the core model that the program ships for the running core; the caller unloads it. Returns
 * false if the program ships no core model for the running core. */
bool insight_shipped_core(const struct session *session, struct core *core);
void insight_take_nearest(struct session *session);
/* Discards the core model, and all limits that were computed for that core. */
void insight_unload(struct insight *insight);
/* Waits for the background thread if it reads an own loop older than the newest one. Call
 * insight_spare_own() before another own loop is opened, which may take the place of an older one
 * in memory. */
void insight_spare_own(struct insight *insight, const struct kernel *newest);
/* Uses the core model in `text` for the running core. */
struct status insight_adopt(struct session *session, const char *text, const char *name);

/* Returns the present choice of the core model; insight_choose() returns to an earlier choice. */
struct core_choice insight_choice(const struct session *session);
void insight_choose(struct session *session, const struct core_choice *choice);

/* Computes the explanation (limits and code) of the present setting, unless it already exists. */
void insight_renew(struct session *session);
/* Discards every explanation. Call insight_forget() after the code or the core has changed. */
void insight_forget(struct session *session);
/* Call insight_refresh() after a latency of L3 or memory was measured. The limits of the present
 * setting are computed again. If this takes long, the screen shows the old limits until then. */
void insight_refresh(struct session *session);
/* Computes the limits (explanation) of a setting other than the present setting. Returns NULL if
 * there is no core model or the kernel's code must be single-stepped. The returned explanation
 * (limits of the other setting) is valid until the next call. */
const struct explanation *insight_of(struct session *session, const struct setting *setting);

/* insight_lacks_memory() fills the next request for an L3 or memory latency that the model lacks;
 * it returns false if no request is needed. insight_memory() takes the result of that request.
 * insight_learn() takes the latencies that a probe has measured. */
bool insight_lacks_memory(struct session *session, struct request *request);
void insight_memory(struct session *session, const struct result *result);
void insight_learn(struct session *session, const struct probe_report *report);

/* Returns the time at which insight_advance() next has code to read or advice to find; INFINITY:
 * never. */
double insight_due(const struct session *session);
/* Continues to read code or to search for advice if the time that insight_due() returned has
 * passed. Returns whether the view changed. */
bool insight_advance(struct session *session);
/* Whether a background thread is computing the limits of a setting. If a background thread is
 * computing limits, call insight_advance() again soon. */
bool insight_thinks(const struct session *session);

/* Continues the search for advice. The search for advice needs several calls, and the explorer
 * handles keys between the calls. Returns whether the search for advice is complete. */
bool insight_advise(struct session *session);
/* Remembers the present sample before the user follows the advice: see insight_doubt(). */
void insight_follow(struct session *session);

/* Call insight_doubt() after a setting was measured. If the measurement refutes the present advice,
 * insight_doubt() begins to search for other advice. If the user has followed advice, and its
 * setting is slower than the one before, insight_doubt() tells the user. */
void insight_doubt(struct session *session);
void insight_want_advice(struct session *session, bool wanted);
/* Whether the search for advice that the user waits for has ended, with or without advice. */
bool insight_advice_due(const struct session *session);
/* Whether computing the limits of the present setting takes so long that the user would notice the
 * delay. */
bool insight_slow(const struct session *session);

/* Whether the limits of the present setting are computed for a core other than the running core. */
bool insight_foreign(const struct session *session);
/* Returns the sizes of the caches for which the limits are computed. */
struct cache_sizes insight_caches(const struct session *session);
/* Returns the caches of the measured core, even if the limits on screen are for another core:
 * measured curves show the measured core's caches. */
struct cache_sizes insight_own_caches(const struct session *session);
/* Returns the binding limit of the present setting; LIMIT_COUNT: the binding limit is unknown. */
enum limit_kind insight_binding(const struct session *session);
/* Computes the binding limit of A, whose own loop is compiled. LIMIT_COUNT: unknown, or a
 * background thread computes the limit, which insight_take_limit() returns later. */
enum limit_kind insight_limit_of(struct session *session, const struct setting *setting);
/* Takes the binding limit of A that a background thread has computed. Returns false, and keeps
 * *limit, if there is none. */
bool insight_take_limit(struct session *session, enum limit_kind *limit);

int insight_code_lines(const struct session *session);
void insight_scroll(struct session *session, int first);
void insight_view(const struct session *session, struct view *view);
