/* Trials until there are enough: when a sample is precise, and when more trials would not help. */
#ifndef SLX_ENGINE_MEASURE_GOAL_H
#define SLX_ENGINE_MEASURE_GOAL_H

#include "engine/measure/measure.h"

/* When to stop making trials. */
struct measure_goal {
	unsigned quiet;	  /* this many quiet trials are in; of a working set beyond the core's own
			     caches they also span a lap, where   time allows, and do not drift */
	double precision; /* or the median's standard error is this small, relatively, with at least
			     QUIET_ENOUGH quiet trials; 0: no matter. Within the core's own caches
			     alone */
	unsigned trials;  /* this many trials in all are in */
	unsigned patience; /* at every multiple of this: fewer than a tenth of all are quiet; 0: no
			      matter */
	double until;	   /* the time is up: seconds of clock_seconds() */
	unsigned fewest;   /* of a complete run: so many are made all the same; 0: one */
};

/* Makes trials, appending to `trials`, until one part of the goal is reached or *cancel is set. At
 * least three are made unless cancelled, of a complete run goal->fewest. */
void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel);

#endif
