/* A campaign: a long measurement (the probe, for example) that the command line and the explorer
 * carry out without knowing what it measures. The command line calls measure() with the bench's
 * measurer; the explorer runs it in a thread of its own (explorer/turns.h).
 *
 * To add one: a straight-line function NAME_measure(self, measurer), and a row with CAMPAIGN_KIND()
 * at the end of its file. */
#pragma once

#include <stdbool.h>

#include "experiment/measurer.h"

/* Notes of a report, one line each: work that could not be done, with the reason. */
struct notes {
	int count;
	char note[16][220];
};

/* Adds a note unless the list has it or is full. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How far a campaign is. The words are its own, and hold until it goes on. */
struct campaign_state {
	double done;	   /* 0…1 */
	const char *stage; /* "caches"; NULL: it has no stages */
	const char *doing; /* "nop, 256 fillers"; empty: nothing */
	bool any;	   /* something is measured */
	const char *why;   /* why there is no result; empty: unknown */
};

struct campaign_kind {
	/* Measures everything, or until the measurer stops, and then completes the report. Called
	 * once. */
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

/* Visits: the one scheduler of long measurements. A measurement has a list of cells; round by round
 * it visits the wanted cells, until each is known well enough or the time is over. Each visit is
 * one request. */

enum { VISITS_AHEAD = 2 };

/* The caller fills in everything before `position`, zeroes the rest, and calls visits_free(). */
struct visits {
	const struct measurer *measurer;
	void *context;
	unsigned count;	       /* of the cells; accept() may change it */
	const unsigned *order; /* in which a round visits them; NULL: 0, 1, … */
	bool repeat; /* a round visits a cell until it is no longer wanted, not only once */
	bool (*wanted)(void *context, unsigned cell); /* by this round */
	bool (*late)(void *context);		      /* the time for this round is over */
	void (*ask)(void *context, unsigned cell, struct request *request);
	/* The final result of a visit, and how long it took: seconds. */
	void (*accept)(void *context, unsigned cell, const struct result *result, double seconds);
	/* Called while a visit is under way, or before it where only one may be: time to print
	 * results. It must return soon after visits_due(). NULL: nothing to do. */
	void (*meanwhile)(void *context);

	unsigned position;
	struct visit {
		unsigned cell;
		double asked; /* when it was submitted, by the measurer's clock */
		struct result *result;
	} visit[VISITS_AHEAD];
	int oldest, under_way;
	double answered; /* when the last result came */
	unsigned made;	 /* visits so far, of all rounds */
};

/* One round over the cells. Returns when all of its visits are over, or the measurer has stopped.
 */
void visits_round(struct visits *visits);

/* For meanwhile(): whether the oldest visit needs attention; submits more visits where there is
 * room; waits for all that are under way. */
bool visits_due(const struct visits *visits);
void visits_submit(struct visits *visits);
void visits_drain(struct visits *visits);

void visits_free(struct visits *visits);

/* Where in memory and in the ring visit number n begins, 0…1: successive visits are spread evenly,
 * however many there are. */
double visits_place(double n);
