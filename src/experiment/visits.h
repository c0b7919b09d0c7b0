/* Visits: the one scheduler of long measurements. A measurement has a list of cells; round by round
 * it visits those that it wants, until each is known well enough or the time is over. Each visit is
 * one request. */
#pragma once

#include <stdbool.h>

#include "experiment/measurer.h"

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
	 * what is there. It must return soon after visits_due(). NULL: nothing to do. */
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
