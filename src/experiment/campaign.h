/* A campaign: a long measurement, such as the probe, that the command line and the explorer carry
 * out without knowing what it measures. The command line calls measure() with the bench's measurer;
 * the explorer runs it in a thread of its own (explorer/turns.h).
 *
 * To add one: a straight-line function NAME_measure(self, measurer), and a row with CAMPAIGN_KIND()
 * at the end of its file. */
#pragma once

#include <stdbool.h>

#include "experiment/measurer.h"

/* How far a campaign is. The words are its own, and hold until it goes on. */
struct campaign_state {
	double done;	   /* 0…1 */
	const char *stage; /* "caches"; NULL: it has no stages */
	const char *doing; /* "nop, 256 fillers"; empty: nothing */
	bool any;	   /* something is measured */
	const char *why;   /* why nothing is measured; empty: unknown */
};

struct campaign_kind {
	/* Measures everything, or until the measurer stops; then its report is complete as far as
	 * that is possible. Is called once. */
	void (*measure)(void *self, const struct measurer *measurer);
	void (*state)(const void *self, struct campaign_state *state);
	void (*release)(void *self);
};

/* One campaign; both NULL: none. Copies are the same one. */
struct campaign {
	const struct campaign_kind *kind;
	void *self;
};

extern const struct campaign_kind campaign_probe, campaign_windows, campaign_characterise;

/* The row of a kind, from NAME_measure(), NAME_state() (static) and NAME_free(). */
#define CAMPAIGN_KIND(name)                                                            \
	static void name##_kind_measure(void *self, const struct measurer *measurer)   \
	{                                                                              \
		name##_measure(self, measurer);                                        \
	}                                                                              \
	static void name##_kind_state(const void *self, struct campaign_state *state)  \
	{                                                                              \
		name##_state(self, state);                                             \
	}                                                                              \
	static void name##_kind_release(void *self)                                    \
	{                                                                              \
		name##_free(self);                                                     \
	}                                                                              \
	const struct campaign_kind campaign_##name = { .measure = name##_kind_measure, \
		.state = name##_kind_state,                                            \
		.release = name##_kind_release }

static inline struct campaign_state campaign_state(const struct campaign *campaign)
{
	struct campaign_state state = { .doing = "", .why = "" };

	campaign->kind->state(campaign->self, &state);
	return state;
}
