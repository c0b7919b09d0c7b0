/* Settings: one value for each knob of a kernel, parsed, checked, stepped and written. Pure. */
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

/* Every knob at its initial value. */
void setting_init(struct setting *setting, const struct kernel *kernel);

/* The kernel of that name, or STATUS_USAGE with the nearest names. */
struct status setting_find_kernel(const char *name, const struct kernel **kernel);

/* One value of one knob as a user types it: "64k", "mul", "7". STATUS_USAGE names the knob, the
 * bad value and the allowed values. The memory limits replace KNOB_MAX_MEMORY and KNOB_MAX_CORES.
 * */
struct status setting_parse_value(
	const struct knob *knob, const char *text, struct memory_limits limits, int64_t *value);

/* The index of the kernel's knob of that name, or STATUS_USAGE with the nearest names (and -1). */
struct status setting_find_knob(const struct kernel *kernel, const char *name, int *knob);

/* Splits "knob=values": the knob's index and the text after "=". STATUS_USAGE when the text is no
 * assignment, or for an unknown knob. */
struct status setting_split(
	const struct kernel *kernel, const char *assignment, int *knob, const char **values);

/* STATUS_USAGE for a knob that is given twice. */
struct status setting_twice(const struct knob *knob);

/* Assigns "knob=value". An unknown knob gets the nearest names. Does not check combinations. */
struct status setting_assign(
	struct setting *setting, const char *assignment, struct memory_limits limits);

/* Makes a setting of words: "latency size=65536 order=random". Returns false when the kernel or a
 * knob does not exist, or a value or the combination is not allowed. */
bool setting_read(struct setting *setting, const char *words);

/* Checks ranges and the combination, and its memory against the limits. */
struct status setting_check(const struct setting *setting, struct memory_limits limits);

/* Moves one knob by steps (+1, -1, …) within its range, then lets the kernel fit the others. Skips
 * a value that no combination allows. Returns whether anything changed. */
bool setting_step(struct setting *setting, int knob, int steps, struct memory_limits limits);

/* One value as a user would type it: "32k", "mul"; and for display: an odd number of bytes in few
 * digits, rounded down ("11.4g"). Both are valid to the end of the full expression. */
struct setting_text {
	char text[64];
};
struct setting_text setting_value(const struct knob *knob, int64_t value);
struct setting_text setting_shown(const struct knob *knob, int64_t value);

/* "combine op=mul type=f64 …": kernel and every knob, as a command line takes them. */
void setting_format(const struct setting *setting, struct text *text);

bool setting_equal(const struct setting *a, const struct setting *b);

/* Whether a value may be typed with k, m, g: sizes, and counts that go that far. */
bool setting_takes_suffix(const struct knob *knob);

/* The distance between allowed values, and the least value. */
int64_t setting_unit(const struct knob *knob);
int64_t setting_min(const struct knob *knob);

/* The largest value of a knob on this machine. If the limits are unknown, KNOB_MAX_CORES and
 * above mean no upper end. */
int64_t setting_max(const struct knob *knob, struct memory_limits limits);

/* The allowed range in words: "1 to 16", "16 to 256, in steps of 16", "add or mul". */
void setting_range(const struct knob *knob, struct memory_limits limits, char *buffer, size_t size);

/* Values of one knob, for a slice, a grid or the list of a sweep. Pure. */

/* Each fills at most `room` values, ascending and without repeats, all valid for the knob, and
 * returns how many (at least 1). last_cache: bytes, 0 unknown. */

/* Sizes up to well beyond the last cache. Of a slice: powers of two and the values half-way between
 * (4k, 6k, 8k, 12k …); of the mountain's grid: powers of two from 16k. */
int axis_sizes(const struct kernel *kernel, int knob, bool grid, uint64_t last_cache,
	struct memory_limits limits, int64_t *values, int room);

/* Any other knob: every value when there are few; otherwise sixteen steps, then some each octave.
 */
int axis_values(const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

/* The strides of the grid: the first sixteen. */
int axis_grid_strides(
	const struct knob *knob, struct memory_limits limits, int64_t *values, int room);

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
	struct memory_limits limits, int64_t **values, size_t *count);
