/* Makes trials until a sample is precise, or until more trials would not help. */
#pragma once

#include "engine/measure/measure.h"

/* When to stop making trials. */
struct measure_goal {
	unsigned quiet; /* the goal of making trials: stop at this many quiet (undisturbed) trials.
			   For a working set larger than the core's own caches, the trials must also
			   span a whole pass over it (lap), if time allows, and their times must not
			   drift */
	double precision; /* stop also when the relative standard error of the median falls to this
			     value, with at least QUIET_ENOUGH quiet trials. `precision` is used
			     only if the working set fits the core's own caches; 0: never stop for
			     precision */
	unsigned trials; /* stop also if the total number of trials reaches this number; 0: no limit
			  */
	unsigned patience; /* stop also if fewer than a tenth of the trials are quiet; checked
			      whenever the number of trials is a multiple of `patience`; 0: never
			      checked */
	double until;	   /* stop also at this time, in seconds of clock_seconds() */
	unsigned fewest; /* for complete runs: number of trials to make even after the time `until`;
			    0: one trial */
};

/* Makes trials of the kernel and appends them until one part of the goal is reached or *cancel is
 * set. If the measurement is not cancelled, measure_trials() makes at least three trials, or
 * goal->fewest trials of a complete run. */
void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel);

/* Returns the facts about a run that the measurement knows; all other facts are 0. */
struct run_facts measure_facts(const struct measure *measure);
