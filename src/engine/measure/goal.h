/* Makes trials until a sample is precise, or until more trials would not help. */
#pragma once

#include "engine/measure/measure.h"

/* When to stop making trials. */
struct measure_goal {
	unsigned quiet;	  /* stop at this many quiet trials. Beyond the core's own caches the trials
			     must also span a lap, if time allows, and must not drift */
	double precision; /* stop also when the relative standard error of the median falls to this
			     value, with at least QUIET_ENOUGH quiet trials. Only within the core's
			     own caches; 0: never */
	unsigned trials;  /* stop also at this total of trials; 0: no limit */
	unsigned patience; /* stop also when fewer than a tenth are quiet; checked at each multiple
			      of this number; 0: never */
	double until;	   /* stop also at this time, in seconds of clock_seconds() */
	unsigned fewest;   /* complete runs: make this many trials even after that time; 0: one */
};

/* Makes trials and appends them until one part of the goal is reached or *cancel is set. Unless
 * cancelled, makes at least three trials, or goal->fewest trials of a complete run. */
void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel);

/* Fills in the facts that the measurement knows; the rest is 0. */
struct run_facts measure_facts(const struct measure *measure);
