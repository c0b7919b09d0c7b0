/* Trials until there are enough: when a sample is precise, and when more trials would not help. */
#pragma once

#include "engine/measure/measure.h"

/* When to stop making trials. */
struct measure_goal {
	unsigned quiet;	   /* stop at this many quiet trials. Beyond the core's own caches they must
			      also span a lap, where time allows, and must not drift */
	double precision;  /* or when the relative standard error of the median is this small, with
			      at least QUIET_ENOUGH quiet trials; 0: do not. Within the core's own
			      caches only */
	unsigned trials;   /* or at this many trials in all; 0: no limit */
	unsigned patience; /* or when fewer than a tenth are quiet, checked at each multiple of
			      this; 0: do not check */
	double until;	   /* or at this time, seconds of clock_seconds() */
	unsigned fewest;   /* of a complete run: make this many even after that time; 0: one */
};

/* Makes trials and appends them until one part of the goal is reached or *cancel is set. Makes at
 * least three unless cancelled; of a complete run goal->fewest. */
void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel);

/* The facts of a run that the measure knows; the rest is 0. */
struct run_facts measure_facts(const struct measure *measure);
