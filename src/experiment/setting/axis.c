
#include "base/text.h"
#include "base/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/setting/setting.h"

static const int64_t KIB = 1024, MIB = 1024 * 1024;
enum { EVERY_VALUE = 32, DENSE = 16, FEW = 8, WIDE = AXIS_WIDE };

static int64_t first_value(const struct knob *knob)
{
	int64_t unit = setting_unit(knob);

	return (setting_min(knob) + unit - 1) / unit * unit;
}

/* Computes the first and the last size of a slice, a curve over one knob of the kernel. The size
 * axis of kernels over arrays starts at 4 KiB, because smaller arrays measure mostly loop overhead.
 * Kernels without a knob for the stride walk nodes, and their size axis starts at 1 KiB. The last
 * size on the axis is 64 MiB, or four times the last cache if that is more, so that memory's
 * plateau is visible. The last size on the axis never exceeds 256 MiB, because larger layouts of
 * data in memory take long. */
static void size_span(const struct kernel *kernel, int index, uint64_t last_cache,
	struct memory_limits limits, int64_t *low, int64_t *high)
{
	const struct knob *knob = &kernel->knobs[index];
	int64_t start = kernel_axis(kernel, AXIS_STRIDE) >= 0 ? 4 * KIB : KIB;
	int64_t end = 64 * MIB, max = setting_max(knob, limits);

	if (last_cache > (uint64_t)end / 4)
		end = last_cache < (uint64_t)(64 * MIB) ? 4 * (int64_t)last_cache : 256 * MIB;
	*high = end < max ? end : max;
	*low = knob->min > start ? knob->min : start;
	if (*low > *high)
		*low = *high;
}

/* Lists the powers of two, in units of the knob, from `start`. If `halves` is true, the axis also
 * has the values half-way between two powers of two. */
static int ladder(const struct knob *knob, int64_t start, int64_t low, int64_t high, bool halves,
	int64_t *values, int room)
{
	int64_t unit = setting_unit(knob), power = 1;
	int count = 0;

	while (power * unit < start)
		power *= 2;
	for (; power <= high / unit && count < room; power *= 2)
		for (int half = 0; half <= halves; half++) {
			int64_t value = unit * (power + half * (power / 2));

			if (count < room && value >= low && value <= high &&
				(!count || values[count - 1] < value))
				values[count++] = value;
		}
	if (count == 0)
		values[count++] = low;
	return count;
}

int axis_sizes(const struct kernel *kernel, int knob, bool grid, uint64_t last_cache,
	struct memory_limits limits, int64_t *values, int room)
{
	int64_t low, high;

	size_span(kernel, knob, last_cache, limits, &low, &high);
	return ladder(&kernel->knobs[knob], grid && low < 16 * KIB ? 16 * KIB : low, low, high,
		!grid, values, room);
}

/* Lists multiples of the knob's unit: each of the first sixteen, then `octave` values per doubling.
 * If a knob's last value is more than WIDE times its first value, its axis is logarithmic, so that
 * each doubling has at most `octave` values. Returns room + 1 if the axis has more than `room`
 * values.
 */
static int steps(const struct knob *knob, int64_t max, int octave, int64_t *values, int room)
{
	int64_t unit = setting_unit(knob), step = first_value(knob) / unit, last = max / unit;
	bool wide = last / WIDE > (step > 0 ? step : 1);

	for (int count = 0; step <= last; count++) {
		int64_t power = 1;

		if (count == room)
			return room + 1;
		values[count] = step * unit;
		while (power <= step / 2)
			power *= 2;
		if (step > INT64_MAX / 2 - power)
			return count + 1;
		/* Between a power of two and its double, all steps from one listed value to the
		 * next have the same size. */
		power = (wide || step >= DENSE) && power > octave ? power / octave : 1;
		step = (step / power + 1) * power;
		if (step > last)
			return count + 1;
	}
	return 0;
}

/* Lists the multiples of the knob's unit up to `max`. */
static int multiples(const struct knob *knob, int64_t max, int64_t *values, int room)
{
	int count = 0;

	for (int64_t value = first_value(knob); value <= max && count < room;
		value += setting_unit(knob))
		values[count++] = value;
	return count;
}

int axis_values(const struct knob *knob, struct memory_limits limits, int64_t *values, int room)
{
	int64_t max = setting_max(knob, limits);
	int count = 0;

	if ((max - first_value(knob)) / setting_unit(knob) < EVERY_VALUE ||
		knob->kind == KNOB_CHOICE)
		return multiples(knob, max, values, room);
	for (int octave = 4; octave >= 1; octave /= 2) {
		count = steps(knob, max, octave, values, room);
		if (count <= room)
			return count;
	}
	return room;
}

int axis_few(const struct knob *knob, struct memory_limits limits, int64_t *values, int room)
{
	int64_t max = setting_max(knob, limits);
	int count = knob->min <= 0;

	if (knob->kind == KNOB_CHOICE || (max - knob->min) / setting_unit(knob) < FEW)
		return multiples(knob, max, values, room);
	values[0] = knob->min;
	return count + ladder(knob, 1, knob->min, max, true, values + count, room - count);
}

int axis_grid_strides(
	const struct knob *knob, struct memory_limits limits, int64_t *values, int room)
{
	return multiples(knob, setting_max(knob, limits), values, room < DENSE ? room : DENSE);
}

static double log_of(int64_t value)
{
	return log2((double)(value > 0 ? value : 1));
}

int axis_nearest(const int64_t *values, int count, int64_t value)
{
	int best = 0;

	for (int i = 0; i < count; i++) {
		if (values[i] == value)
			return i;
		if (fabs(log_of(values[i]) - log_of(value)) <
			fabs(log_of(values[best]) - log_of(value)))
			best = i;
	}
	return best;
}

struct axis_place axis_find(const int64_t *values, int count, int64_t value)
{
	struct axis_place place = { AXIS_BETWEEN, 0, 0 };
	double step;

	while (place.index + 1 < count && values[place.index + 1] <= value)
		place.index++;
	if (values[place.index] == value) {
		place.where = AXIS_AT;
	} else if (values[0] > value) {
		place.where = AXIS_BEFORE;
	} else if (place.index == count - 1) {
		place.where = AXIS_BEYOND;
	} else {
		step = log_of(values[place.index + 1]) - log_of(values[place.index]);
		place.share = step > 0 ? (log_of(value) - log_of(values[place.index])) / step : 0.5;
	}
	return place;
}

/* ---- lists of values for a sweep ---- */

/* LIST_LONGEST: a list with more values for one knob is probably a typing mistake. ITEM_LONGEST:
 * most characters of one item of the list. */
enum { LIST_LONGEST = 100000, ITEM_LONGEST = 63 };

struct list {
	const struct knob *knob;
	const char *whole; /* the list as the user typed it, for messages */
	struct memory_limits limits;
	int64_t *values;
	size_t count;
};

static struct status refuse(const struct list *list, const char *typed, const char *why)
{
	return status_usage("%s=%.60s: %s", list->knob->name, typed, why);
}

static struct status list_add(struct list *list, int64_t value)
{
	if (list->count == LIST_LONGEST)
		return refuse(list, list->whole,
			"more than 100,000 values; take a larger step (:N) or a factor (*N)");
	list->values = memory_grow(list->values, list->count, sizeof(*list->values));
	list->values[list->count++] = value;
	return status_ok();
}

/* Adds the values of "LOW..HIGH", "LOW..HIGH:STEP" or "LOW..HIGH*FACTOR". Modifies the string
 * `item`; `shown` is an unmodified copy for messages. */
static struct status list_range(struct list *list, char *item, const char *shown)
{
	static const char format[] = "a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR";
	const struct knob *knob = list->knob;
	char *high_text = strstr(item, ".."), *by;
	int64_t low, high, step = setting_unit(knob);
	bool times = false;
	struct status status;

	if (knob->kind == KNOB_CHOICE)
		return refuse(list, shown, "choices have no range; name them, or write * for all");
	*high_text = '\0';
	high_text += 2;
	by = strpbrk(high_text, ":*");
	if (by) {
		times = *by == '*';
		*by++ = '\0';
		if (!units_parse(by, setting_takes_suffix(knob) && !times, &step))
			return refuse(list, shown, format);
		if (times ? step < 2 : step < 1)
			return refuse(list, shown,
				times ? "a factor is a whole number from 2 up"
				      : "a step is at least 1");
	}
	if (!*item || !*high_text)
		return refuse(list, shown, format);
	status = setting_parse_value(knob, item, list->limits, &low);
	/* HIGH is only an upper limit, and need not be one of the listed values. */
	if (status_is_ok(&status) && (!units_parse(high_text, setting_takes_suffix(knob), &high) ||
					     high > setting_max(knob, list->limits)))
		status = setting_parse_value(knob, high_text, list->limits, &high);
	if (!status_is_ok(&status))
		return status;
	if (low > high)
		return refuse(list, shown, "write the smaller end first");
	if (times && low == 0)
		return refuse(list, shown, "0 times a factor stays 0: begin at 1 or more");
	for (int64_t value = low;;) {
		status = setting_parse_value(
			knob, setting_value(knob, value).text, list->limits, &value);
		if (status_is_ok(&status))
			status = list_add(list, value);
		if (!status_is_ok(&status))
			return status;
		if (times ? value > high / step : value > high - step)
			return status_ok();
		value = times ? value * step : value + step;
	}
}

static struct status list_item(struct list *list, const char *start, size_t length)
{
	char item[ITEM_LONGEST + 1], shown[ITEM_LONGEST + 1];
	struct status status = status_ok();
	int64_t value;

	if (length == 0)
		return refuse(list, list->whole,
			"an empty value in the list; write 1,2,4 or 1..16 or 1..16:3 or 4k..64m*2");
	if (length > ITEM_LONGEST)
		return status_usage(
			"%s=%.40s: neither a value nor a range", list->knob->name, start);
	snprintf(item, sizeof(item), "%.*s", (int)length, start);
	memcpy(shown, item, length + 1);
	if (list->knob->kind == KNOB_CHOICE && strcmp(item, "*") == 0) {
		for (int i = 0; list->knob->choices[i] && status_is_ok(&status); i++)
			status = list_add(list, i);
		return status;
	}
	if (strcmp(item, "*") == 0) {
		const struct knob *knob = list->knob;
		int64_t most = setting_max(knob, (struct memory_limits){ .processors = 2 });
		struct words range = words_of("4k..64m*2");

		if (knob->kind != KNOB_BYTES)
			range = words_of("%s..%s", setting_value(knob, knob->min).text,
				setting_value(knob, most).text);
		return status_usage("%s=*: * is for choices; write a range: %s=%s", knob->name,
			knob->name, range.text);
	}
	if (strstr(item, ".."))
		return list_range(list, item, shown);
	status = setting_parse_value(list->knob, item, list->limits, &value);
	return status_is_ok(&status) ? list_add(list, value) : status;
}

/* Returns the length of a knob's choice at the beginning of the text, before a comma or the end,
 * and sets the choice's index. A choice may itself contain commas, as compiler flags do, so the
 * longest choice that fits the text counts. Returns 0 if the text begins with no choice. */
static size_t choice_length(const struct knob *knob, const char *text, int64_t *index)
{
	size_t longest = 0;

	for (int i = 0; knob->kind == KNOB_CHOICE && knob->choices[i]; i++) {
		size_t length = strlen(knob->choices[i]);

		if (length <= longest || strncmp(knob->choices[i], text, length) != 0 ||
			(text[length] != ',' && text[length]))
			continue;
		longest = length;
		*index = i;
	}
	return longest;
}

struct status axis_parse_list(const struct knob *knob, const char *text,
	struct memory_limits limits, int64_t **values, size_t *count)
{
	struct list list = { .knob = knob, .whole = text, .limits = limits };
	struct status status;

	do {
		int64_t choice;
		size_t length = choice_length(knob, text, &choice);

		if (length) {
			status = list_add(&list, choice);
		} else {
			length = strcspn(text, ",");
			status = list_item(&list, text, length);
		}
		text += length;
	} while (status_is_ok(&status) && *text++);
	if (!status_is_ok(&status)) {
		free(list.values);
		list.values = NULL;
		list.count = 0;
	}
	*values = list.values;
	*count = list.count;
	return status;
}
