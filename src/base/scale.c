#include "base/scale.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/units.h"

/* Returns the smallest round number >= value. A round number is one of `steps` times a power of
 * ten. If `whole` is true, the result is a whole number. */
static double round_number(double value, const double *steps, size_t count, bool whole)
{
	double power = pow(10, floor(log10(value) + 1e-9));

	for (size_t i = 0; i < count; i++) {
		double number = steps[i] * power;

		if (number * (1 + 1e-9) >= value && !(whole && number != floor(number)))
			return number;
	}
	return 10 * power;
}

/* Returns the largest tick mark of an axis that is <= value; marks are 1, 2 or 5 times a power of
 * ten. */
static double mark_below(double value)
{
	double power = pow(10, floor(log10(value) + 1e-9));

	return value * (1 + 1e-9) >= 5 * power	 ? 5 * power
	       : value * (1 + 1e-9) >= 2 * power ? 2 * power
						 : power;
}

static double mark_above(double value)
{
	static const double marks[] = { 1, 2, 5 };

	return round_number(value, marks, 3, false);
}

/* Returns the step between marks that divides a span into at most `count` parts: 1, 2, 2.5 or 5
 * times a power of ten. If `whole` is true, the step is a whole number. */
static double step_of(double span, double count, bool whole)
{
	static const double steps[] = { 1, 2, 2.5, 5 };

	return whole && span < count ? 1 : round_number(span / count, steps, 4, whole);
}

double scale_ceiling(double value)
{
	static const double steps[] = { 1, 1.5, 2, 3, 4, 5, 6, 8 };

	return value > 0 && isfinite(value) ? round_number(value, steps, 8, false) : 1;
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
	/* Add a margin: a point at the very end of a scale looks cut off. The end of the scale is
	 * at most half a step after the last mark. */
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
	/* Add a margin at both ends of the scale. */
	scale.low = most > least ? least * pow(least / most, 0.02) : least / 1.5;
	scale.high = most > least ? most * pow(most / least, 0.02) : most * 1.5;
	return scale;
}

void scale_widen(struct scale *scale, double least, double most)
{
	static const double OVER = 1.02;
	bool empty = !(scale->high > 0);

	if (!(least > 0) || !(most >= least) || !isfinite(most))
		return;
	if (scale->kind == SCALE_LINEAR) {
		if (most > scale->high * OVER)
			scale->high = scale_ceiling(most / OVER);
	} else if (empty || least < scale->low || most > scale->high) {
		/* Both ends of a logarithmic axis are tick marks, so values between the old ends
		 * need no margin. */
		struct scale fitted = scale_fit(scale->kind, least, most);

		scale->low = empty ? fitted.low : fmin(scale->low, fitted.low);
		scale->high = empty ? fitted.high : fmax(scale->high, fitted.high);
	}
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

struct scale_words scale_figure(double value)
{
	double magnitude = fabs(value);
	int decimals = magnitude >= 99.95 || magnitude == 0 ? 0 : magnitude >= 9.995 ? 1 : 2;
	struct scale_words words = { "-" };

	if (magnitude > 0 && magnitude < 0.0995)
		snprintf(words.text, sizeof(words.text), "%.2g", value);
	else if (isfinite(value))
		snprintf(words.text, sizeof(words.text), "%.*f", decimals, value);
	return words;
}

/* Adds a tick mark with a label to an axis. A mark of an axis with an empty label is minor: a short
 * line. */
static __attribute__((format(printf, 4, 5))) void add(
	struct scale_tick *ticks, int *count, double value, const char *format, ...)
{
	struct scale_tick *tick = &ticks[*count];
	va_list arguments;

	if (*count == SCALE_TICKS)
		return;
	va_start(arguments, format);
	vsnprintf(tick->label, sizeof(tick->label), format, arguments);
	va_end(arguments);
	tick->value = value;
	tick->minor = !*tick->label;
	++*count;
}

/* Whether all labels of an axis fit without overlap. */
static bool have_room(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	const struct scale_tick *ticks, int count)
{
	double end = -INFINITY;

	for (int i = 0; i < count; i++) {
		double middle = scale_place(scale, ticks[i].value) * room, half;

		if (ticks[i].minor)
			continue;
		half = extent ? extent(context, ticks[i].label) / 2 : 1;
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
		at * step <= scale->high * (1 + 1e-9) && count < SCALE_TICKS; at++)
		add(ticks, &count, at * step, "%.*f", decimals, at * step + 0.0);
	return count;
}

/* Adds tick marks at 1 to 9 times each power of ten. Labels are at 1 (with `halves` also at 2 and
 * 5) in every `decades`-th power of ten; all other marks are minor. */
static int decade_ticks(
	const struct scale *scale, int decades, bool halves, struct scale_tick *ticks)
{
	int count = 0;

	for (int power = (int)floor(log10(scale->low) + 1e-9); count < SCALE_TICKS; power++) {
		for (int digit = 1; digit < 10; digit++) {
			double value = digit * pow(10, power);
			bool marked = ((power % decades) + decades) % decades == 0 &&
				      (digit == 1 || (halves && (digit == 2 || digit == 5)));

			if (value < scale->low * (1 - 1e-9))
				continue;
			if (value > scale->high * (1 + 1e-9))
				return count;
			if (marked)
				add(ticks, &count, value, "%.*f", power < 0 ? -power : 0, value);
			else
				add(ticks, &count, value, "%s", "");
		}
	}
	return count;
}

/* Marks at powers of two. A mark of a logarithmic axis has no label if its exponent is not a
 * multiple of `each`. */
static int octave_ticks(const struct scale *scale, int each, struct scale_tick *ticks)
{
	int count = 0;

	for (int power = (int)ceil(log2(scale->low) - 1e-9);
		power <= log2(scale->high) + 1e-9 && count < SCALE_TICKS; power++) {
		int64_t bytes = power >= 0 && power < 62 ? (int64_t)1 << power : 0;

		if (power < 0 || power % each != 0)
			add(ticks, &count, pow(2, power), "%s", "");
		else if (scale->kind == SCALE_BYTES && bytes > 0)
			add(ticks, &count, pow(2, power), "%s",
				(scale->brief ? units_size(bytes) : units_size_long(bytes)).text);
		else
			add(ticks, &count, pow(2, power), "%.0f", pow(2, power));
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

/* Adds marks at equal steps, with labels in the form of the scale's kind. If the ends of an axis
 * differ by less than a factor of two, marks at powers of two or ten would be too few. */
static int narrow_ticks(const struct scale *scale, int parts, struct scale_tick *ticks)
{
	struct scale linear = { .low = scale->low,
		.high = scale->high,
		.whole = scale->kind == SCALE_LINEAR ? scale->whole : scale->kind != SCALE_LOG };
	int count = linear_ticks(&linear, parts, ticks);

	for (int i = 0; i < count && scale->kind == SCALE_BYTES; i++)
		snprintf(ticks[i].label, sizeof(ticks[i].label), "%.23s",
			units_size_long((int64_t)ticks[i].value).text);
	return count;
}

int scale_ticks(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	struct scale_tick ticks[SCALE_TICKS])
{
	static const int octaves[] = { 1, 2, 4, 5, 10, 20 };
	bool decades = scale->kind == SCALE_LOG;
	int count = 0, tries = decades ? 4 : scale->kind == SCALE_LINEAR ? 0 : 6;

	if (scale->kind == SCALE_STEPS)
		return 0;
	for (int i = 0; i < tries; i++) {
		count = decades ? decade_ticks(scale, i ? i : 1, i == 0, ticks)
				: octave_ticks(scale, octaves[i], ticks);
		if (have_room(scale, room, extent, context, ticks, count))
			break;
	}
	/* On a log2 axis one label is enough: the range may contain only one power of two. */
	if (tries > 0 && labelled(ticks, count) >= (decades ? 2 : 1))
		return count;
	for (int parts = 8; parts >= 1; parts--) {
		count = narrow_ticks(scale, parts, ticks);
		if (have_room(scale, room, extent, context, ticks, count))
			break;
	}
	return count;
}
