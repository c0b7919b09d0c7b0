#include "experiment/setting/axis.h"

#include <math.h>

#include "experiment/setting/setting.h"

static const int64_t KIB = 1024, MIB = 1024 * 1024;
enum { EVERY_VALUE = 32, DENSE = 16 };

static int64_t knob_unit(const struct knob *knob)
{
	return knob->kind != KNOB_CHOICE && knob->multiple > 1 ? knob->multiple : 1;
}

static int64_t first_value(const struct knob *knob)
{
	int64_t unit = knob_unit(knob);

	return knob->kind == KNOB_CHOICE ? 0 : (knob->min + unit - 1) / unit * unit;
}

/* Where a slice over size begins and ends. Below a page an array is all loop overhead; a kernel
 * without a stride walks nodes, of which 1 KiB holds enough. The end is 64 MiB, or four times the
 * last cache so that the last plateau shows, and never over 256 MiB, which takes long to lay out.
 */
static void size_span(const struct kernel *kernel, int index, uint64_t last_cache,
	struct memory_limits memory_limits, int64_t *low, int64_t *high)
{
	const struct knob *knob = &kernel->knobs[index];
	int64_t start = kernel_axis(kernel, AXIS_STRIDE) >= 0 ? 4 * KIB : KIB;
	int64_t end = 64 * MIB, max = setting_max(knob, memory_limits);

	if (last_cache > (uint64_t)end / 4)
		end = last_cache < (uint64_t)(64 * MIB) ? 4 * (int64_t)last_cache : 256 * MIB;
	*high = end < max ? end : max;
	*low = knob->min > start ? knob->min : start;
	if (*low > *high)
		*low = *high;
}

static int add(const struct knob *knob, int64_t value, int64_t low, int64_t high, int64_t *values,
	int count, int room)
{
	value -= value % knob_unit(knob);
	if (count == room || value < low || value > high || (count && values[count - 1] >= value))
		return count;
	values[count] = value;
	return count + 1;
}

static int size_ladder(const struct knob *knob, int64_t start, int64_t low, int64_t high,
	bool halves, int64_t *values, int room)
{
	int64_t power = 1;
	int count = 0;

	while (power < start)
		power *= 2;
	for (; power <= high && count < room; power *= 2) {
		count = add(knob, power, low, high, values, count, room);
		if (halves)
			count = add(knob, power + power / 2, low, high, values, count, room);
	}
	if (count == 0)
		values[count++] = low;
	return count;
}

int axis_sizes(const struct kernel *kernel, int knob, uint64_t last_cache,
	struct memory_limits memory_limits, int64_t *values, int room)
{
	int64_t low, high;

	size_span(kernel, knob, last_cache, memory_limits, &low, &high);
	return size_ladder(&kernel->knobs[knob], low, low, high, true, values, room);
}

int axis_grid_sizes(const struct kernel *kernel, int knob, uint64_t last_cache,
	struct memory_limits memory_limits, int64_t *values, int room)
{
	int64_t low, high, start;

	size_span(kernel, knob, last_cache, memory_limits, &low, &high);
	start = low > 16 * KIB ? low : 16 * KIB;
	return size_ladder(&kernel->knobs[knob], start, low, high, false, values, room);
}

/* min, then multiples of the unit: one by one to the sixteenth, then `octave` in each doubling. */
static int steps(
	const struct knob *knob, int64_t max, int octave, int64_t *values, int room, bool *whole)
{
	int64_t unit = knob_unit(knob), step = first_value(knob) / unit, last = max / unit;
	int count = 0;

	*whole = true;
	while (step <= last) {
		int64_t power = 1;

		if (count == room) {
			*whole = false;
			break;
		}
		values[count++] = step * unit;
		if (step < DENSE) {
			step++;
			continue;
		}
		while (power <= step / 2)
			power *= 2;
		if (step > INT64_MAX / 2 - power)
			break;
		/* The next multiple of a part of this octave. */
		power = power / octave > 0 ? power / octave : 1;
		step = (step / power + 1) * power;
	}
	return count;
}

int axis_values(
	const struct knob *knob, struct memory_limits memory_limits, int64_t *values, int room)
{
	int64_t max = setting_max(knob, memory_limits);
	int64_t min = first_value(knob), unit = knob_unit(knob);
	bool whole;
	int count = 0;

	if ((max - min) / unit < EVERY_VALUE || knob->kind == KNOB_CHOICE) {
		for (int64_t value = min; value <= max && count < room; value += unit)
			values[count++] = value;
		return count;
	}
	for (int octave = 4; octave >= 1; octave /= 2) {
		count = steps(knob, max, octave, values, room, &whole);
		if (whole)
			break;
	}
	return count;
}

int axis_grid_strides(
	const struct knob *knob, struct memory_limits memory_limits, int64_t *values, int room)
{
	int64_t max = setting_max(knob, memory_limits), unit = knob_unit(knob);
	int count = 0;

	for (int64_t value = first_value(knob); value <= max && count < room && count < DENSE;
		value += unit)
		values[count++] = value;
	return count;
}

int axis_nearest(const int64_t *values, int count, int64_t value)
{
	double at = log2((double)(value > 0 ? value : 1)), nearest = INFINITY;
	int best = 0;

	for (int i = 0; i < count; i++) {
		double off = fabs(log2((double)(values[i] > 0 ? values[i] : 1)) - at);

		if (values[i] == value)
			return i;
		if (off < nearest) {
			nearest = off;
			best = i;
		}
	}
	return best;
}

static double log_of(int64_t value)
{
	return log2((double)(value > 0 ? value : 1));
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
