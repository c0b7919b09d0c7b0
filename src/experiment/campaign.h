/* What asks for one request after another until it knows enough: the probe, a core's windows, the
 * core that measures itself. Whoever carries one out (the command line, the explorer) knows no more
 * of it than stands here:
 *
 *     while (campaign_next(&campaign, now, &request))
 *         …submit, wait for the final result, campaign_accept(&campaign, now, &result)…
 *
 * To add one: a machine of states like probe.h, a row with CAMPAIGN_KIND() at the end of its file,
 * and its function that says how far it is. */
#ifndef SLX_EXPERIMENT_CAMPAIGN_H
#define SLX_EXPERIMENT_CAMPAIGN_H

#include <stdbool.h>

#include "engine/engine.h"

/* How far one is. The words are its own, and hold until the next call of it. */
struct campaign_state {
	double done;	   /* 0…1 */
	const char *stage; /* "caches"; NULL: it has none */
	const char *doing; /* "nop, 256 fillers"; empty: nothing */
	bool thinks; /* it works out what to ask for next, or what follows, in a thread of its own:
			when campaign_next() gives nothing, ask again in a moment */
	bool any;    /* something is measured */
	const char *why; /* why nothing is, where that was said; empty: it was not */
};

struct campaign_kind {
	bool (*next)(void *self, double now, struct request *request);
	void (*accept)(void *self, double now, const struct result *result);
	void (*lose)(void *self);
	void (*stop)(void *self, double now);
	void (*state)(const void *self, struct campaign_state *state);
	void (*release)(void *self);
};

/* One under way; both NULL: none. Copies are the same one. */
struct campaign {
	const struct campaign_kind *kind;
	void *self;
};

extern const struct campaign_kind campaign_probe, campaign_windows, campaign_characterise;

/* The row of a machine of states whose functions all begin with NAME_; NAME_state() is static
 * there. */
#define CAMPAIGN_KIND(name)                                                                 \
	static bool name##_kind_next(void *self, double now, struct request *request)       \
	{                                                                                   \
		return name##_next(self, now, request);                                     \
	}                                                                                   \
	static void name##_kind_accept(void *self, double now, const struct result *result) \
	{                                                                                   \
		name##_accept(self, now, result);                                           \
	}                                                                                   \
	static void name##_kind_lose(void *self)                                            \
	{                                                                                   \
		name##_lose(self);                                                          \
	}                                                                                   \
	static void name##_kind_stop(void *self, double now)                                \
	{                                                                                   \
		name##_stop(self, now);                                                     \
	}                                                                                   \
	static void name##_kind_state(const void *self, struct campaign_state *state)       \
	{                                                                                   \
		name##_state(self, state);                                                  \
	}                                                                                   \
	static void name##_kind_release(void *self)                                         \
	{                                                                                   \
		name##_free(self);                                                          \
	}                                                                                   \
	const struct campaign_kind campaign_##name = { .next = name##_kind_next,            \
		.accept = name##_kind_accept,                                               \
		.lose = name##_kind_lose,                                                   \
		.stop = name##_kind_stop,                                                   \
		.state = name##_kind_state,                                                 \
		.release = name##_kind_release }

/* The next request (generation and tag are the caller's); now in seconds of any steady clock.
 * False: nothing is left, a result is awaited, or it thinks. */
static inline bool campaign_next(
	const struct campaign *campaign, double now, struct request *request)
{
	return campaign->kind->next(campaign->self, now, request);
}

/* The final result of the last request. A cancelled one is asked for again. */
static inline void campaign_accept(
	const struct campaign *campaign, double now, const struct result *result)
{
	campaign->kind->accept(campaign->self, now, result);
}

/* The last request was taken back before it came to anything: it is asked for again. */
static inline void campaign_lose(const struct campaign *campaign)
{
	campaign->kind->lose(campaign->self);
}

/* Ends early: campaign_next() gives nothing any more, and what there is is analysed as it is: at
 * once, unless it thinks. */
static inline void campaign_stop(const struct campaign *campaign, double now)
{
	campaign->kind->stop(campaign->self, now);
}

static inline struct campaign_state campaign_state(const struct campaign *campaign)
{
	struct campaign_state state = { .doing = "", .why = "" };

	campaign->kind->state(campaign->self, &state);
	return state;
}

#endif
