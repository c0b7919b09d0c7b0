/* Values of one knob: those that a slice or a grid shows, and those that a sweep lists. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"
#include "kernels/kernel.h"

/* Each fills at most `room` values, ascending and without repeats, all valid for the knob, and
 * returns how many (at least 1). last_cache: bytes, 0 unknown. */

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

/* The place of a value among others: at one of them, between two, or beyond an end. */
enum axis_where { AXIS_AT, AXIS_BETWEEN, AXIS_BEFORE, AXIS_BEYOND };

struct axis_place {
	enum axis_where where;
	int index;    /* of the value, of the one before, or of that end */
	double share; /* AXIS_BETWEEN: distance to the next one on a log scale, 0…1 */
};

/* The place of a value among ascending ones (count > 0). */
struct axis_place axis_find(const int64_t *values, int count, int64_t value);

/* The index of the value nearest on a log scale (count > 0). */
int axis_nearest(const int64_t *values, int count, int64_t value);

/* A knob's values in a sweep, "1,2,4" · "1..16" · "1..16:3" · "4k..64m*2", choices by name or "*"
 * for all. The list is allocated; the caller frees it. */
struct status axis_parse_list(const struct knob *knob, const char *text,
	struct memory_limits memory_limits, int64_t **values, size_t *count);
