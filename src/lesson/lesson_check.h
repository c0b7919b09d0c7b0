/* Checks a lesson without a screen: each step can be measured here, each question can be decided
 * here, and the texts fit a terminal of 80 columns and 24 lines. */
#pragma once

#include "experiment/setting/cells.h"
#include "lesson/lesson_judge.h"

/* The source of the samples for the check of a lesson: the engine of this machine, or a recording.
 */
struct lesson_source {
	void *context;
	const struct machine *machine;
	bool no_core; /* there is no core model, so there are no limits */
	/* Measures a setting, and finds its limits (NULL: none), which are valid until the next
	 * call. A failure says why. */
	struct status (*measure)(void *context, const struct setting *setting,
		struct sample *sample, const struct limits **limits);
	/* Returns the sizes of the caches, which may have changed since the last call, because
	 * measurements of memory can correct them. */
	struct cache_sizes (*caches)(void *context);
	bool (*stopped)(void *context); /* returns true if the user stops the lesson's check; NULL:
					   the user cannot stop the check */
	int repeats; /* how often a step is measured at most until its values decide the question,
			from 1 */
};

/* Counts of a lesson's check. */
struct lesson_checked {
	int steps, questions;
	int elsewhere; /* steps that this machine cannot show, because it lacks something that the
			  step needs */
	int doubtful;  /* number of questions whose right answer comes from a doubtful sample,
			  contended or not settled */
};

/* Checks every step of a lesson, and adds its mistakes to `mistakes`. */
struct lesson_checked lesson_check(const struct lesson *lesson, const struct lesson_source *source,
	struct lesson_mistakes *mistakes);

/* Adds every setting that a lesson measures: of its steps, of A, and the points of its curves. */
void lesson_settings(
	const struct lesson *lesson, const struct machine *machine, struct setting_index *settings);
