/* Short measurements of a loop whose machine code is changed, such as a loop with added
 * instructions. */
#pragma once

#include "experiment/measurer.h"
#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

/* Whether changed loops of a setting can show what limits it: its core model is that of this core,
 * its branches always go the same way, and its data are in the core's own caches. STATUS_FAILED
 * gives the reason why not. `explanation` may be NULL. */
struct status changed_allowed(const struct setting *setting, const struct explanation *explanation);

/* One setting whose changed loops are measured. The caller of changed_measure() sets the members
 * before `result`, sets the other members to zero, and calls changed_free() at the end. */
struct changed {
	const struct measurer *measurer;
	const struct setting *setting;
	uint64_t seed;
	unsigned quiet; /* number of quiet (undisturbed) trials that end a measurement */
	struct result *result;
	int requests;
};

/* Measured cycles per element of a loop; lo and hi are quartiles. */
struct changed_point {
	double cpe, lo, hi;
	enum source from;
	bool contended; /* another process or hyper-thread disturbed most trials */
};

/* Measures the loop with a change. If other processes disturb the measurement, it is repeated, up
 * to `visits` times, and the least disturbed result counts. STATUS_FAILED: the loop could not be
 * changed or measured. STATUS_CANCELLED: the measurer stopped. */
struct status changed_measure(struct changed *changed, const struct code_change *change, int visits,
	struct changed_point *point);

/* Whether the loop takes one time, as the loop itself and as a copy of its code elsewhere: changed
 * loops are copies, so else they show nothing. STATUS_FAILED gives the reason why not; disturbed
 * measurements are not used. `copy` is the change that only copies the code. */
struct status changed_same(struct changed *changed, const struct code_change *copy);
/* Whether measurements of one loop show two speeds: at least two of them are much faster than the
 * median. Other processes only make a loop slower. `cpe` is in ascending order. STATUS_FAILED names
 * both speeds. Pure. */
struct status changed_steady(const double *cpe, int count);
void changed_free(struct changed *changed);
