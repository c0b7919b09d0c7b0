#include "base/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* The nearest mark (1, 2 or 5 times a power of ten) that is not above a value; and not below it. */
static double mark_below(double value)
{
	double power = pow(10, floor(log10(value) + 1e-9));

	return value * (1 + 1e-9) >= 5 * power	 ? 5 * power
	       : value * (1 + 1e-9) >= 2 * power ? 2 * power
						 : power;
}

static double mark_above(double value)
{
	double mark = mark_below(value);

	if (value <= mark * (1 + 1e-9))
		return mark;
	/* From 1 to 2, 2 to 5, 5 to 10: there is no mark between them. */
	return mark_below(2.6 * mark);
}

/* The step that divides a span into at most `count` parts: 1, 2 or 5 times a power of ten, or 2.5
 * if `whole` is false. */
static double step_of(double span, double count, bool whole)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	double least = span / count, power;

	if (whole && least < 1)
		return 1;
	power = pow(10, floor(log10(least) + 1e-9));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * power >= least * (1 - 1e-9) &&
			!(whole && steps[i] * power != floor(steps[i] * power)))
			return steps[i] * power;
	return 10 * power;
}

double scale_ceiling(double value)
{
	static const double steps[] = { 1, 1.5, 2, 3, 4, 5, 6, 8, 10 };
	double power;

	if (!(value > 0) || !isfinite(value))
		return 1;
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

static struct scale fit_linear(double least, double most)
{
	struct scale scale = { .kind = SCALE_LINEAR };
	bool from_zero = least >= 0;
	double span = from_zero ? most : most - least, step;

	if (!(span > 0))
		span = fabs(most) > 0 ? fabs(most) : 1;
	step = step_of(span, 5, false);
	scale.low = from_zero ? 0 : floor(least / step + 1e-9) * step;
	/* A margin, since a point at the end of a scale looks cut off; the end is at most half a
	 * step after the last mark. */
	scale.high = ceil((most + 0.03 * (most - scale.low)) / (step / 2) - 1e-9) * (step / 2);
	if (!(scale.high > scale.low))
		scale.high = scale.low + step;
	return scale;
}

struct scale scale_fit(enum scale_kind kind, double least, double most)
{
	struct scale scale = { .kind = kind, .low = least, .high = most };

	if (!isfinite(least) || !isfinite(most) || least > most)
		least = most = 1;
	if (kind == SCALE_LINEAR)
		return fit_linear(least, most);
	if (kind == SCALE_STEPS) {
		scale.low = least - 0.5;
		scale.high = most + 0.5;
		return scale;
	}
	least = least > 0 ? least : most > 0 ? most : 1;
	most = most > least ? most : least;
	if (kind == SCALE_LOG) {
		scale.low = mark_below(least / 1.05);
		scale.high = mark_above(most * 1.05);
		return scale;
	}
	/* A margin at both ends. */
	scale.low = most > least ? least * pow(least / most, 0.02) : least / 1.5;
	scale.high = most > least ? most * pow(most / least, 0.02) : most * 1.5;
	return scale;
}

enum scale_kind scale_choose(const double *values, int count)
{
	int by_factors = 0;

	if (count < 3 || !(values[0] > 0) || values[count - 1] < 8 * values[0])
		return SCALE_LINEAR;
	for (int i = 1; i < count; i++)
		by_factors += values[i] >= 1.3 * values[i - 1];
	return 2 * by_factors > count ? SCALE_LOG2 : SCALE_LINEAR;
}

static bool is_log(const struct scale *scale)
{
	return scale->kind == SCALE_LOG || scale->kind == SCALE_LOG2 || scale->kind == SCALE_BYTES;
}

double scale_place(const struct scale *scale, double value)
{
	if (!isfinite(value) || (is_log(scale) && !(value > 0)))
		return NAN;
	if (is_log(scale))
		return log(value / scale->low) / log(scale->high / scale->low);
	return (value - scale->low) / (scale->high - scale->low);
}

void scale_figure(double value, char *buffer, unsigned size)
{
	double magnitude = fabs(value);

	if (!isfinite(value))
		snprintf(buffer, size, "-");
	else if (magnitude >= 99.95 || magnitude == 0)
		snprintf(buffer, size, "%.0f", value);
	else if (magnitude >= 9.995)
		snprintf(buffer, size, "%.1f", value);
	else if (magnitude >= 0.0995)
		snprintf(buffer, size, "%.2f", value);
	else
		snprintf(buffer, size, "%.2g", value);
}

static int add(struct scale_tick *ticks, int count, double value, const char *label)
{
	if (count == SCALE_TICKS)
		return count;
	ticks[count] = (struct scale_tick){ .value = value, .minor = !*label };
	snprintf(ticks[count].label, sizeof(ticks[count].label), "%s", label);
	return count + 1;
}

/* Whether the labels do not overlap. */
static bool have_room(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	const struct scale_tick *ticks, int count)
{
	double end = -INFINITY;

	for (int i = 0; i < count; i++) {
		double middle = scale_place(scale, ticks[i].value) * room, half;

		if (ticks[i].minor)
			continue;
		half = extent(context, ticks[i].label) / 2;
		if (middle - half < end)
			return false;
		end = middle + half;
	}
	return true;
}

static int linear_ticks(const struct scale *scale, double parts, struct scale_tick *ticks)
{
	double step = step_of(scale->high - scale->low, parts, scale->whole);
	int count = 0, decimals = 0;

	while (decimals < 6 &&
		fabs(step * pow(10, decimals) - round(step * pow(10, decimals))) > 1e-6)
		decimals++;
	for (double at = ceil(scale->low / step - 1e-9);
		at * step <= scale->high * (1 + 1e-9) && count < SCALE_TICKS; at++) {
		char label[SCALE_LABEL];

		snprintf(label, sizeof(label), "%.*f", decimals, at * step + 0.0);
		count = add(ticks, count, at * step, label);
	}
	return count;
}

/* Labels 1, 2 and 5, or only 1, in each `decades`-th power of ten; the other marks are minor. */
static int decade_ticks(
	const struct scale *scale, int decades, bool halves, struct scale_tick *ticks)
{
	int count = 0;

	for (int power = (int)floor(log10(scale->low) + 1e-9); count < SCALE_TICKS; power++) {
		for (int digit = 1; digit < 10; digit++) {
			double value = digit * pow(10, power);
			bool marked = ((power % decades) + decades) % decades == 0 &&
				      (digit == 1 || (halves && (digit == 2 || digit == 5)));
			char label[SCALE_LABEL] = "";

			if (value < scale->low * (1 - 1e-9))
				continue;
			if (value > scale->high * (1 + 1e-9))
				return count;
			if (marked)
				snprintf(label, sizeof(label), "%.*f", power < 0 ? -power : 0,
					value);
			count = add(ticks, count, value, label);
		}
	}
	return count;
}

/* Powers of two whose exponent is a multiple of `each`; the others are minor. */
static int octave_ticks(const struct scale *scale, int each, struct scale_tick *ticks)
{
	int count = 0;

	for (int power = (int)ceil(log2(scale->low) - 1e-9);
		power <= log2(scale->high) + 1e-9 && count < SCALE_TICKS; power++) {
		char label[SCALE_LABEL] = "";

		if (power >= 0 && power % each == 0 && scale->kind == SCALE_BYTES && power < 62)
			(scale->brief ? units_bytes : units_bytes_long)(
				(int64_t)1 << power, label, sizeof(label));
		else if (power >= 0 && power % each == 0)
			snprintf(label, sizeof(label), "%.0f", pow(2, power));
		count = add(ticks, count, pow(2, power), label);
	}
	return count;
}

static int labelled(const struct scale_tick *ticks, int count)
{
	int labels = 0;

	for (int i = 0; i < count; i++)
		labels += !ticks[i].minor;
	return labels;
}

/* A range of less than a factor of two has few round marks: use equal steps with the same kind of
 * labels. */
static int narrow_ticks(const struct scale *scale, int parts, struct scale_tick *ticks)
{
	struct scale linear = { .low = scale->low,
		.high = scale->high,
		.whole = scale->kind == SCALE_LINEAR ? scale->whole : scale->kind != SCALE_LOG };
	int count = linear_ticks(&linear, parts, ticks);

	for (int i = 0; i < count && scale->kind == SCALE_BYTES; i++)
		units_bytes_long((int64_t)ticks[i].value, ticks[i].label, sizeof(ticks[i].label));
	return count;
}

int scale_ticks(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	struct scale_tick ticks[SCALE_TICKS])
{
	static const int octaves[] = { 1, 2, 4, 5, 10, 20 };
	int count = 0;

	if (scale->kind == SCALE_STEPS)
		return 0;
	if (scale->kind == SCALE_BYTES || scale->kind == SCALE_LOG2) {
		for (size_t i = 0; i < sizeof(octaves) / sizeof(octaves[0]); i++) {
			count = octave_ticks(scale, octaves[i], ticks);
			if (have_room(scale, room, extent, context, ticks, count))
				break;
		}
	} else if (scale->kind == SCALE_LOG) {
		for (int i = 0; i < 4; i++) {
			count = decade_ticks(scale, i ? i : 1, i == 0, ticks);
			if (have_room(scale, room, extent, context, ticks, count))
				break;
		}
	}
	/* A range that reaches only one power of two needs no second label. */
	if (scale->kind != SCALE_LINEAR &&
		labelled(ticks, count) >= (scale->kind == SCALE_LOG ? 2 : 1))
		return count;
	for (int parts = 8; parts >= 1; parts--) {
		count = narrow_ticks(scale, parts, ticks);
		if (have_room(scale, room, extent, context, ticks, count))
			break;
	}
	return count;
}
