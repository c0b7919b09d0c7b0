#include "lesson/expression_names.h"

#include <math.h>

double lesson_width(const struct limits *limits)
{
	if (limits && limits->uarch)
		return limits->uarch->width > 0 ? limits->uarch->width : NAN;
	for (int i = 0; limits && i < limits->limit_count; i++)
		if (limits->limit[i].kind == LIMIT_WIDTH && limits->limit[i].cycles > 0 &&
			limits->slots > 0)
			return round(limits->slots / limits->limit[i].cycles * 100) / 100;
	return NAN;
}

double curve_knee(const struct lesson_point *point, int count)
{
	double low = NAN, high = NAN, middle, knee = NAN;
	int fewest = count + 1;

	if (count < 3)
		return NAN;
	for (int i = 0; i < count; i++) {
		if (!(point[i].cpe > 0 && point[i].at > 0))
			return NAN;
		low = fmin(low, point[i].cpe);
		high = fmax(high, point[i].cpe);
	}
	if (high < 1.25 * low)
		return NAN;
	middle = sqrt(low * high);
	/* A noisy curve may cross its middle value several times: the knee is the crossing with the
	 * fewest points on the wrong side. */
	for (int i = 1; i < count; i++) {
		int wrong = 0;

		for (int j = 0; j < count; j++)
			wrong += (point[j].cpe > middle) != (j >= i);
		if (wrong < fewest && point[i].cpe > point[i - 1].cpe) {
			double share = log(middle / point[i - 1].cpe) /
				       log(point[i].cpe / point[i - 1].cpe);

			fewest = wrong;
			share = fmin(fmax(share, 0), 1);
			knee = point[i - 1].at * pow(point[i].at / point[i - 1].at, share);
		}
	}
	return knee;
}

static double side_cpe(const struct expression_side *side)
{
	return side->sample && side->sample->valid ? side->sample->cpe : NAN;
}

static double side_ns(const struct expression_side *side)
{
	return side->sample && side->sample->valid ? side->sample->ns : NAN;
}

static double side_ghz(const struct expression_side *side)
{
	return side->sample && side->sample->valid ? side->sample->ghz : NAN;
}

static double side_gbps(const struct expression_side *side)
{
	return side->sample && side->sample->valid ? side->sample->gbps : NAN;
}

static double side_limit(const struct expression_side *side)
{
	return side->limits && side->limits->binding >= 0 ? side->limits->bound : NAN;
}

static double side_predicted(const struct expression_side *side)
{
	return side->limits && side->limits->predicted_by >= 0 ? side->limits->predicted : NAN;
}

static double side_instructions(const struct expression_side *side)
{
	return side->limits && side->limits->elements > 0 && side->limits->instructions > 0
		       ? side->limits->instructions / side->limits->elements
		       : NAN;
}

static double side_mispredicts(const struct expression_side *side)
{
	return side->limits ? side->limits->mispredicts : NAN;
}

static double ratio(const struct lesson_values *values)
{
	const struct expression_side now = { values->now, NULL }, a = { values->a, NULL };

	return side_cpe(&now) / side_cpe(&a);
}

static double speedup(const struct lesson_values *values)
{
	return 1 / ratio(values);
}

static double knee(const struct lesson_values *values)
{
	return curve_knee(values->curve, values->curve_count);
}

static double width(const struct lesson_values *values)
{
	return values->width > 0 ? values->width : lesson_width(values->limits);
}

static double tsc(const struct lesson_values *values)
{
	return values->machine && values->machine->tick_hz > 0 ? values->machine->tick_hz / 1e9
							       : NAN;
}

static double cache_size(const struct lesson_values *values, int level)
{
	double bytes = values->caches ? values->caches->level[level - 1].bytes : 0;

	return bytes > 0 ? bytes : NAN;
}

static double l1_size(const struct lesson_values *values)
{
	return cache_size(values, 1);
}

static double l2_size(const struct lesson_values *values)
{
	return cache_size(values, 2);
}

static double l3_size(const struct lesson_values *values)
{
	return cache_size(values, 3);
}

static double line(const struct lesson_values *values)
{
	return values->caches && values->caches->line > 0 ? values->caches->line : NAN;
}

const struct expression_name expression_names[] = {
	{ "cpe", HIDDEN_CPE, .of_side = side_cpe },
	{ "ns", HIDDEN_CPE, UNIT_NS, .of_side = side_ns },
	{ "gbps", HIDDEN_CPE, UNIT_GBPS, .of_side = side_gbps },
	{ "ghz", HIDDEN_CLOCK, UNIT_GHZ, .of_side = side_ghz },
	{ "limit", HIDDEN_LIMITS, .of_side = side_limit },
	{ "predicted", HIDDEN_LIMITS, .of_side = side_predicted },
	{ "binding", HIDDEN_BINDING, .word = true, .of_side = side_limit },
	{ "instructions", .of_side = side_instructions },
	{ "mispredictions", .of_side = side_mispredicts },
	{ "ratio", HIDDEN_CPE | HIDDEN_RATIO, .of_a = true, .of_all = ratio },
	{ "speedup", HIDDEN_CPE | HIDDEN_RATIO, .of_a = true, .of_all = speedup },
	{ "knee", HIDDEN_CPE | HIDDEN_CURVE, .knee = true, .of_all = knee },
	{ "width", .of_all = width },
	{ "tsc", .unit = UNIT_GHZ, .of_all = tsc },
	{ "l1.size", HIDDEN_CACHES, UNIT_BYTES, .of_all = l1_size },
	{ "l2.size", HIDDEN_CACHES, UNIT_BYTES, .of_all = l2_size },
	{ "l3.size", HIDDEN_CACHES, UNIT_BYTES, .of_all = l3_size },
	{ "line", .unit = UNIT_BYTES, .of_all = line },
};

enum { NAMES = sizeof(expression_names) / sizeof(*expression_names) };
_Static_assert((int)NAMES < (int)EXPRESSION_NAMES_MOST, "no room for all names");

const int expression_name_count = NAMES;
