/* A campaign is a long measurement, such as the probe. The command line and the explorer run every
 * campaign (long measurement) through the same functions. The command line calls a campaign's
 * function measure() with the measurer of cli/bench.h, which passes requests to the worker. The
 * explorer calls a campaign's function measure() in a separate thread (explorer/turns.h).
 *
 * To add a campaign (a long measurement), write a function NAME_measure(self, measurer), and put
 * CAMPAIGN_KIND() at the end of its file. */
#pragma once

#include <stdbool.h>

#include "experiment/measurer.h"

/* The notes of a report. Each note of a long measurement is one line, which names an omitted part
 * and the reason. */
struct notes {
	int count;
	char note[16][220];
};

/* Adds a note about an omitted part of the measurement, unless the list is full or already contains
 * the same note. */
void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The progress of a campaign. The strings belong to the campaign (a long measurement), and are
 * valid until the campaign continues. */
struct campaign_state {
	double done;	   /* progress, from 0 to 1 */
	const char *stage; /* name of the campaign's current stage, such as "caches"; NULL: the
			      campaign has no stages */
	const char *doing; /* the current measurement, such as "nop, 256 fillers"; empty: nothing is
			      measured now */
	bool any;	   /* true if at least one value is measured */
	const char *why;   /* reason why the long measurement has no result; empty: unknown */
};

struct campaign_kind {
	/* Runs the campaign: measures until all values are known or the measurer stops, then
	 * completes the report. measure() is called once for each campaign. If the explorer runs a
	 * complete campaign again (campaign_again()), a second call repeats what is doubtful. */
	void (*measure)(void *self, const struct measurer *measurer);
	void (*state)(const void *self, struct campaign_state *state);
	void (*release)(void *self);
};

/* A reference to a campaign (long measurement); if both members are NULL, there is no campaign.
 * Copies of a reference to a campaign refer to the same campaign. */
struct campaign {
	const struct campaign_kind *kind;
	void *self;
};

extern const struct campaign_kind campaign_probe, campaign_windows, campaign_characterise,
	campaign_sweep_table, campaign_slack, campaign_cost, campaign_why;

/* Defines campaign_NAME, the table of a campaign's functions, from NAME_measure(), NAME_state()
 * (static) and NAME_free(). */
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

/* The visits functions schedule the short measurements (visits) that make up every long
 * measurement. A long measurement has a list of cells: settings to measure, with their trials. Each
 * round of a long measurement visits the cells (settings) that still need trials, until each cell
 * is precise enough or the time is over. Each visit, a short measurement of one cell, is one
 * request to the engine. */

enum { VISITS_AHEAD = 2 };

/* The caller of visits_round() sets the members before `position`, sets all other members to zero,
 * and calls visits_free() at the end. */
struct visits {
	const struct measurer *measurer;
	void *context;
	unsigned count; /* number of cells (settings to measure); the function accept() may change
			   `count` */
	const unsigned *order; /* the order in which a round measures the cells (settings); NULL:
				  the cells 0, 1, 2, … */
	bool repeat; /* true: a round measures a cell again and again until wanted() returns false;
			false: once */
	bool (*wanted)(void *context,
		unsigned cell); /* returns whether this round must measure the cell (setting) */
	bool (*late)(void *context); /* returns whether the time for this round of measurements is
					over */
	void (*ask)(void *context, unsigned cell, struct request *request);
	/* The scheduler calls accept() with the final result of a visit (one measurement of a
	 * cell), and the seconds that it took. */
	void (*accept)(void *context, unsigned cell, const struct result *result, double seconds);
	/* The scheduler calls before_wait() before each wait for a result, so that the campaign can
	 * print earlier results. If the measurer allows several requests at a time, a visit is
	 * already under way during the call. before_wait() must return soon after visits_due() is
	 * true. NULL: no function is called. */
	void (*before_wait)(void *context);

	unsigned position;
	struct visit {
		unsigned cell;
		double asked; /* time at which the request was submitted, by the measurer's clock */
		struct result *result;
	} visit[VISITS_AHEAD];
	int oldest, under_way;
	double answered; /* time at which the last result of a measurement arrived */
	unsigned made;	 /* number of visits (measurements of a cell) in all rounds so far */
};

/* Makes one round of measurements of all cells (settings). Returns when all measurements of the
 * round are over or the measurer has stopped. */
void visits_round(struct visits *visits);

/* before_wait() may call the functions visits_due(), visits_submit() and visits_drain().
 * visits_due() returns whether the oldest submitted measurement has a result or must stop.
 * visits_submit() submits measurements of further cells, up to the measurer's limit. visits_drain()
 * waits for all submitted measurements of cells. */
bool visits_due(const struct visits *visits);
void visits_submit(struct visits *visits);
void visits_drain(struct visits *visits);

void visits_free(struct visits *visits);

/* Returns the position (0…1) in memory and in the kernel's ring of data at which visit number n, a
 * measurement of a setting, begins. For any number of visits (measurements of a setting), the
 * positions in memory are spread evenly. */
double visits_place(double n);
