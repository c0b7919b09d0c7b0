/* A campaign is a long measurement, such as the probe. The command line and the explorer run every
 * campaign through the same functions. The command line calls measure() with the bench's measurer.
 * The explorer calls measure() in a separate thread (explorer/turns.h).
 *
 * To add a campaign, write a function NAME_measure(self, measurer), and put CAMPAIGN_KIND() at the
 * end of its file. */
#pragma once

#include <stdbool.h>

#include "experiment/measurer.h"

/* The notes of a report. Each note is one line, which names an omitted part of the measurement and
 * the reason. */
struct notes {
	int count;
	char note[16][220];
};

/* Adds a note, unless the list is full or already contains the same note. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The progress of a campaign. The strings belong to the campaign, and are valid until the campaign
 * continues. */
struct campaign_state {
	double done;	   /* progress, from 0 to 1 */
	const char *stage; /* name of the current stage, such as "caches"; NULL: the campaign has no
			      stages */
	const char *doing; /* the current measurement, such as "nop, 256 fillers"; empty: nothing is
			      measured now */
	bool any;	   /* true if at least one value is measured */
	const char *why;   /* reason why the campaign has no result; empty: unknown */
};

struct campaign_kind {
	/* Measures until all values are known or the measurer stops, then completes the report.
	 * measure() is called once for each campaign. */
	void (*measure)(void *self, const struct measurer *measurer);
	void (*state)(const void *self, struct campaign_state *state);
	void (*release)(void *self);
};

/* A reference to a campaign; if both members are NULL, there is no campaign. Copies of the
 * reference refer to the same campaign. */
struct campaign {
	const struct campaign_kind *kind;
	void *self;
};

extern const struct campaign_kind campaign_probe, campaign_windows, campaign_characterise,
	campaign_sweep_table;

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

/* Visits are the scheduler of all long measurements. A measurement has a list of cells. Each round
 * visits the cells that still need trials, until each cell is precise enough or the time is over.
 * Each visit is one request to the engine. */

enum { VISITS_AHEAD = 2 };

/* The caller of visits_round() sets the members before `position`, sets all other members to zero,
 * and calls visits_free() at the end. */
struct visits {
	const struct measurer *measurer;
	void *context;
	unsigned count;	       /* number of cells to visit; accept() may change `count` */
	const unsigned *order; /* the order of the cells in a round; NULL: the cells 0, 1, 2, … */
	bool repeat; /* true: a round visits a cell until wanted() returns false; false: a round
			visits each cell once */
	bool (*wanted)(
		void *context, unsigned cell); /* returns whether this round must visit the cell */
	bool (*late)(void *context);	       /* returns whether the time for this round is over */
	void (*ask)(void *context, unsigned cell, struct request *request);
	/* The scheduler calls accept() with the final result of a visit, and the seconds that the
	 * visit took. */
	void (*accept)(void *context, unsigned cell, const struct result *result, double seconds);
	/* The scheduler calls meanwhile() during a visit, so that the campaign can print results.
	 * If the measurer allows only one request at a time, meanwhile() is called before the
	 * visit. meanwhile() must return soon after visits_due() is true. NULL: no function is
	 * called. */
	void (*meanwhile)(void *context);

	unsigned position;
	struct visit {
		unsigned cell;
		double asked; /* time at which the request was submitted, by the measurer's clock */
		struct result *result;
	} visit[VISITS_AHEAD];
	int oldest, under_way;
	double answered; /* time at which the last result arrived */
	unsigned made;	 /* number of visits in all rounds so far */
};

/* Does one round of visits over the cells. Returns when all visits of the round are over or the
 * measurer has stopped. */
void visits_round(struct visits *visits);

/* meanwhile() may call the functions visits_due(), visits_submit() and visits_drain(). visits_due()
 * returns whether the oldest visit has a result or must stop. visits_submit() submits visits up to
 * the measurer's limit. visits_drain() waits for all submitted visits. */
bool visits_due(const struct visits *visits);
void visits_submit(struct visits *visits);
void visits_drain(struct visits *visits);

void visits_free(struct visits *visits);

/* Returns the place (0…1) in memory and in the kernel's ring where visit number n begins. For any
 * number of visits, the places are spread evenly. */
double visits_place(double n);
