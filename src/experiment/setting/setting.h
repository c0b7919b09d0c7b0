/* A setting has one value for each knob of a kernel. These functions parse, check, step and print
 * settings, without side effects. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/machine/machine.h"
#include "kernels/kernel.h"

struct setting {
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
};

/* Sets every knob to its initial value. */
void setting_init(struct setting *setting, const struct kernel *kernel);

/* Finds the kernel of that name. STATUS_USAGE suggests the nearest names. */
struct status setting_find_kernel(const char *name, const struct kernel **kernel);

/* Parses a knob's value as a user types it: "64k", "mul", "7". STATUS_USAGE names the knob, the bad
 * value and the allowed values. The memory limits replace KNOB_MAX_MEMORY and KNOB_MAX_CORES. */
struct status setting_parse_value(
	const struct knob *knob, const char *text, struct memory_limits limits, int64_t *value);

/* Finds the index of a knob by its name. If the kernel has no such knob, *knob is -1, and
 * STATUS_USAGE suggests the nearest names. */
struct status setting_find_knob(const struct kernel *kernel, const char *name, int *knob);

/* Splits "knob=values" into the knob's index and the text after "=". STATUS_USAGE: the text has no
 * "=", or the knob is unknown. */
struct status setting_split(
	const struct kernel *kernel, const char *assignment, int *knob, const char **values);

/* Returns the STATUS_USAGE message for a knob that is given twice. */
struct status setting_twice(const struct knob *knob);

/* Assigns "knob=value". For an unknown knob, the message suggests the nearest names. Does not check
 * combinations. */
struct status setting_assign(
	struct setting *setting, const char *assignment, struct memory_limits limits);

/* Reads a setting from words: "latency size=65536 order=random". Returns false if the kernel or a
 * knob does not exist. Also returns false if a value or the combination is not allowed. */
bool setting_read(struct setting *setting, const char *words);

/* Checks each value's range, the combination, and its need of memory and processors. */
struct status setting_check(const struct setting *setting, struct memory_limits limits);

/* Moves one knob by steps (+1, -1, …) within its range, then lets the kernel adjust the other
 * knobs. Skips values that no combination allows. Returns whether the setting changed. */
bool setting_step(struct setting *setting, int knob, int steps, struct memory_limits limits);

/* setting_value(): one value as a user types it: "32k", "mul". setting_shown(): the same for
 * display, but a long number of bytes is rounded down ("11.4g"). */
struct setting_text {
	char text[64];
};
struct setting_text setting_value(const struct knob *knob, int64_t value);
struct setting_text setting_shown(const struct knob *knob, int64_t value);

/* Adds the kernel and every knob, in the form of a command line: "combine op=mul type=f64 …". */
void setting_format(const struct setting *setting, struct text *text);

bool setting_equal(const struct setting *a, const struct setting *b);

/* Whether users may type a value with k, m or g: for sizes, and for counts with a large maximum. */
bool setting_takes_suffix(const struct knob *knob);

/* setting_unit(): the distance between allowed values. setting_min(): the smallest value. */
int64_t setting_unit(const struct knob *knob);
int64_t setting_min(const struct knob *knob);

/* The largest value of a knob on this machine. If the limits are unknown, KNOB_MAX_CORES and above
 * mean no upper limit. */
int64_t setting_max(const struct knob *knob, struct memory_limits limits);

/* The allowed range in words: "1 to 16", "16 to 256, in steps of 16", "add or mul". */
struct setting_range {
	char text[160];
};
struct setting_range setting_range(const struct knob *knob, struct memory_limits limits);

/* Values of one knob, for a slice, a grid or the list of a sweep. Functions without side effects.
 */

/* Each function writes at most `room` valid values, ascending and without repeats. It returns their
 * number (at least 1). last_cache: bytes; 0: unknown. */

/* Sizes up to well beyond the last cache. For a slice: powers of two and the values half-way
 * between them (4k, 6k, 8k, 12k …). For the mountain's grid: powers of two from 16k. */
int axis_sizes(const struct kernel *kernel, int knob, bool grid, uint64_t last_cache,
	struct memory_limits limits, int64_t *values, int room);

/* Values of any other knob. A short range gives every value. A long range gives sixteen steps, then
 * 4, 2 or 1 values per octave. */
int axis_values(const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* Few values of any other knob: every value of a short range, else two values per doubling. */
int axis_few(const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* The strides of the mountain's grid: the first sixteen. */
int axis_grid_strides(
	const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* The place of a value in an ascending list: equal to a listed value, between two, or beyond an
 * end. */
enum axis_where { AXIS_AT, AXIS_BETWEEN, AXIS_BEFORE, AXIS_BEYOND };

struct axis_place {
	enum axis_where where;
	int index; /* index of the equal value, of the next smaller value, or of the nearer end */
	double share; /* AXIS_BETWEEN: position between the two values on a log scale, 0…1 */
};

/* The place of a value in an ascending list (count > 0). */
struct axis_place axis_find(const int64_t *values, int count, int64_t value);

/* The index of the listed value nearest to `value` on a log scale (count > 0). */
int axis_nearest(const int64_t *values, int count, int64_t value);

/* Parses a knob's values in a sweep: "1,2,4" · "1..16" · "1..16:3" · "4k..64m*2". Choices are
 * listed by name; "*" means all. The list is allocated; the caller frees it. */
struct status axis_parse_list(const struct knob *knob, const char *text,
	struct memory_limits limits, int64_t **values, size_t *count);
