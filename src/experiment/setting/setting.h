/* A setting has one value for each knob of a kernel. The functions of setting.h parse, check, step
 * and print settings, without side effects. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/machine/machine.h"
#include "kernels/kernel.h"

struct setting {
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
};

/* Sets every knob to its initial value. */
void setting_init(struct setting *setting, const struct kernel *kernel);

/* Finds the kernel named `name`. If no kernel has that name, the STATUS_USAGE message suggests the
 * nearest names. */
struct status setting_find_kernel(const char *name, const struct kernel **kernel);

/* Parses a knob's value as a user types it: "64k", "mul", "7". The STATUS_USAGE message names the
 * knob, the bad value and the allowed values. The memory limits replace the maximum values
 * KNOB_MAX_MEMORY and KNOB_MAX_CORES. */
struct status setting_parse_value(
	const struct knob *knob, const char *text, struct memory_limits limits, int64_t *value);

/* Finds the index of a kernel's knob by its name. If the kernel has no knob of that name, *knob is
 * -1, and the STATUS_USAGE message suggests the nearest names. */
struct status setting_find_knob(const struct kernel *kernel, const char *name, int *knob);

/* Splits "knob=values" into the knob's index and the text after "=". Returns STATUS_USAGE if the
 * text has no "=" or the knob is unknown. */
struct status setting_split(
	const struct kernel *kernel, const char *assignment, int *knob, const char **values);

/* Returns the STATUS_USAGE message for a knob that is given twice. */
struct status setting_twice(const struct knob *knob);

/* Parses "knob=value", and sets the knob to the value. For an unknown knob, the message suggests
 * the nearest names. Does not check whether the kernel allows the combination of knob values. */
struct status setting_assign(
	struct setting *setting, const char *assignment, struct memory_limits limits);

/* Reads a setting from words: "latency size=65536 order=random". Returns false if the kernel or a
 * knob does not exist. setting_read() also returns false if a value or the combination of values is
 * not allowed. */
bool setting_read(struct setting *setting, const char *words);

/* Sets the knob `width` to the widest accesses of this processor, which is the last choice that the
 * kernel allows. A kernel without this knob stays unchanged. */
void setting_widen(struct setting *setting);

/* Checks the range of each value, the combination of values, and the memory and processors that the
 * setting needs. */
struct status setting_check(const struct setting *setting, struct memory_limits limits);

/* Moves one knob by steps (+1, -1, …) within its range, then lets the kernel adjust the other
 * knobs. Skips values of the knob that the kernel allows in no combination with other knobs.
 * Returns whether the setting changed. */
bool setting_step(struct setting *setting, int knob, int steps, struct memory_limits limits);

/* setting_value() returns one value as a user types it: "32k", "mul". setting_shown() returns the
 * value for display: a long number of bytes is rounded down ("11.4g"), and a large count that is a
 * multiple of 1,024 has a suffix ("1g"). */
struct words setting_value(const struct knob *knob, int64_t value);
struct words setting_shown(const struct knob *knob, int64_t value);

/* Adds the kernel and the values of all knobs to the text, in the form of a command line: "combine
 * op=mul type=f64 …". */
void setting_format(const struct setting *setting, struct text *text);

bool setting_equal(const struct setting *a, const struct setting *b);

/* Why the cycles per element of two settings A and B have no ratio: the kernels count different
 * kinds of elements, which the text names. Empty: they have one. */
struct words setting_incomparable(const struct setting *a, const struct setting *b);

/* Returns whether users may type the knob's value with the suffix k, m or g. Sizes and counts with
 * a large maximum allow a suffix. */
bool setting_takes_suffix(const struct knob *knob);

/* Returns whether the knob's values are sets of compiler flags. */
bool setting_takes_flags(const struct knob *knob);

/* setting_unit() returns the distance between allowed values of a knob. setting_min() returns the
 * smallest allowed value. */
int64_t setting_unit(const struct knob *knob);
int64_t setting_min(const struct knob *knob);

/* Returns the largest value of a knob on this machine. If the machine's memory and number of cores
 * are unknown, a result of KNOB_MAX_CORES or more means that the knob has no upper limit. */
int64_t setting_max(const struct knob *knob, struct memory_limits limits);

/* Returns the allowed range of a knob in words: "1 to 16", "16 to 256, in steps of 16", "add or
 * mul". */
struct words setting_range(const struct knob *knob, struct memory_limits limits);

/* The axis functions choose values of one knob, for a slice, a grid or the list of a sweep. The
 * axis functions, which list values of a knob, have no side effects. */

/* Each axis function writes at most `room` valid values, ascending and without repeats. An axis
 * function returns the number of values that it wrote (at least 1). last_cache: bytes of the last
 * cache; 0: unknown. */

/* Lists sizes up to well beyond the last cache. For a slice, the sizes are powers of two and the
 * values half-way between them (4k, 6k, 8k, 12k …). For the grid of the memory mountain, the sizes
 * are powers of two from 16k. */
int axis_sizes(const struct kernel *kernel, int knob, bool grid, uint64_t last_cache,
	struct memory_limits limits, int64_t *values, int room);

/* If the largest value of a knob is more than AXIS_WIDE times the smallest one, its axis is
 * logarithmic. */
enum { AXIS_WIDE = 64 };
/* Lists values of a knob that is not a size. A knob with a short range gives every value. A knob
 * with a long range gives its sixteen smallest values, then 4, 2 or 1 values per doubling. A knob
 * with a logarithmic axis has no dense values at its beginning. */
int axis_values(const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* Lists a few values of a knob that is not a size: every value of a short range, or two values per
 * doubling of a long range. */
int axis_few(const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* Lists the strides of the memory mountain's grid: the sixteen smallest strides. */
int axis_grid_strides(
	const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* The position of a value in an ascending list: equal to a listed value, between two listed values,
 * or beyond an end of the list. */
enum axis_where { AXIS_AT, AXIS_BETWEEN, AXIS_BEFORE, AXIS_BEYOND };

struct axis_place {
	enum axis_where where;
	int index; /* index of the equal value, of the next smaller value, or of the nearer end of
		      the list */
	double share; /* AXIS_BETWEEN: position between the two values on a log scale, 0…1 */
};

/* Returns the position of a value in an ascending list (count > 0). */
struct axis_place axis_find(const int64_t *values, int count, int64_t value);

/* Returns the index of the listed value nearest to `value` on a log scale (count > 0). */
int axis_nearest(const int64_t *values, int count, int64_t value);

/* Parses a knob's values in a sweep: "1,2,4" · "1..16" · "1..16:3" · "4k..64m*2". Choices are
 * listed by name; "*" means all choices. axis_parse_list() allocates the list *values; the caller
 * frees the list. */
struct status axis_parse_list(const struct knob *knob, const char *text,
	struct memory_limits limits, int64_t **values, size_t *count);
