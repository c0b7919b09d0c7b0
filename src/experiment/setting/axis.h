/* Which values of a knob a slice or a grid shows. Pure. */
#ifndef SLX_EXPERIMENT_SETTING_AXIS_H
#define SLX_EXPERIMENT_SETTING_AXIS_H

#include <stdint.h>

#include "engine/machine/machine.h"
#include "kernels/kernel.h"

/* Each fills at most room values, ascending and without repeats, all valid for the knob, and
 * returns how many (at least 1). last_cache (bytes) and means are 0 while unknown. */

/* Sizes: powers of two with a point half-way between (4k, 6k, 8k, 12k …) up to well beyond the last
 * cache. */
int axis_sizes(const struct kernel *kernel, int knob, uint64_t last_cache,
	struct memory_limits memory_limits, int64_t *values, int room);

/* Any other knob: every value when there are few; otherwise sixteen steps, then some each octave.
 */
int axis_values(
	const struct knob *knob, struct memory_limits memory_limits, int64_t *values, int room);

/* The two sides of the mountain: sizes doubling from 16k, strides from the first to the sixteenth.
 */
int axis_grid_sizes(const struct kernel *kernel, int knob, uint64_t last_cache,
	struct memory_limits memory_limits, int64_t *values, int room);
int axis_grid_strides(
	const struct knob *knob, struct memory_limits memory_limits, int64_t *values, int room);

/* Where a value stands among others: at one of them, between two, or beyond an end. */
enum axis_where { AXIS_AT, AXIS_BETWEEN, AXIS_BEFORE, AXIS_BEYOND };

struct axis_place {
	enum axis_where where;
	int index;    /* the value, the one before, or the one at that end */
	double share; /* AXIS_BETWEEN: how far the next one is on a log scale, 0…1 */
};

/* The place of a value among ascending ones (count > 0). */
struct axis_place axis_find(const int64_t *values, int count, int64_t value);

/* The index of the value nearest on a log scale (count > 0). */
int axis_nearest(const int64_t *values, int count, int64_t value);

#endif
