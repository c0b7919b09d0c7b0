/* A campaign is a long measurement, such as the probe. The command line and the explorer run every
 * campaign through the same functions. The command line calls measure() with the bench's measurer.
 * The explorer calls it in a separate thread (explorer/turns.h).
 *
 * To add a campaign, write a function NAME_measure(self, measurer), and put CAMPAIGN_KIND() at the
 * end of its file. */
#pragma once

#include <stdbool.h>

#include "experiment/measurer.h"

/* Notes of a report. Each note is one line: an omitted part, with the reason. */
struct notes {
	int count;
	char note[16][220];
};

/* Adds a note, unless the list already has this note or is full. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The progress of a campaign. The strings belong to the campaign, and are valid until it continues.
 */
struct campaign_state {
	double done;	   /* 0…1 */
	const char *stage; /* "caches"; NULL: the campaign has no stages */
	const char *doing; /* "nop, 256 fillers"; empty: nothing */
	bool any;	   /* at least one value is measured */
	const char *why;   /* why there is no result; empty: unknown */
};

struct campaign_kind {
	/* Measures until everything is known or the measurer stops, then completes the report.
	 * Called once. */
	void (*measure)(void *self, const struct measurer *measurer);
	void (*state)(const void *self, struct campaign_state *state);
	void (*release)(void *self);
};

/* A reference to a campaign; both NULL: none. Copies refer to the same campaign. */
struct campaign {
	const struct campaign_kind *kind;
	void *self;
};

extern const struct campaign_kind campaign_probe, campaign_windows, campaign_characterise;

/* Defines campaign_NAME from NAME_measure(), NAME_state() (static) and NAME_free(). */
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

/* Visits: the scheduler of all long measurements. A measurement has a list of cells. Each round
 * visits the cells that still need trials, until each is precise enough or the time is over. Each
 * visit is one request. */

enum { VISITS_AHEAD = 2 };

/* The caller sets the members before `position`, zeroes the others, and calls visits_free() at the
 * end. */
struct visits {
	const struct measurer *measurer;
	void *context;
	unsigned count;	       /* number of cells; accept() may change it */
	const unsigned *order; /* the order of the cells in a round; NULL: 0, 1, … */
	bool repeat; /* true: a round visits a cell until wanted() is false; false: only once */
	bool (*wanted)(void *context, unsigned cell); /* whether this round must visit the cell */
	bool (*late)(void *context);		      /* the time for this round is over */
	void (*ask)(void *context, unsigned cell, struct request *request);
	/* Gets the final result of a visit, and the seconds that the visit took. */
	void (*accept)(void *context, unsigned cell, const struct result *result, double seconds);
	/* Called during a visit, so that the caller can print results. If the measurer allows only
	 * one request at a time, it is called before the visit. It must return soon after
	 * visits_due() is true. NULL: nothing to do. */
	void (*meanwhile)(void *context);

	unsigned position;
	struct visit {
		unsigned cell;
		double asked; /* time of submission, by the measurer's clock */
		struct result *result;
	} visit[VISITS_AHEAD];
	int oldest, under_way;
	double answered; /* time of the last result */
	unsigned made;	 /* number of visits in all rounds so far */
};

/* Does one round over the cells. Returns when all its visits are over or the measurer has stopped.
 */
void visits_round(struct visits *visits);

/* Functions for meanwhile(). visits_due() returns whether the oldest visit has a result or must
 * stop. visits_submit() submits visits up to the measurer's limit. visits_drain() waits for all
 * submitted visits. */
bool visits_due(const struct visits *visits);
void visits_submit(struct visits *visits);
void visits_drain(struct visits *visits);

void visits_free(struct visits *visits);

/* The place (0…1) in memory and in the ring where visit number n begins. The places of any number
 * of visits are spread evenly. */
double visits_place(double n);
