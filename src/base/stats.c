#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), ascending);
}

double stats_quantile(const double *sorted, size_t count, double q)
{
	double place;
	size_t below;

	if (count == 0)
		return NAN;
	place = q * (double)(count - 1);
	if (place <= 0)
		return sorted[0];
	below = (size_t)place;
	if (below >= count - 1)
		return sorted[count - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *values, size_t count)
{
	stats_sort(values, count);
	return stats_quantile(values, count, 0.5);
}

double stats_trimmed_mean(const double *sorted, size_t count, double trim)
{
	size_t out = (size_t)(trim * (double)count);
	double sum = 0;

	if (count == 0)
		return NAN;
	if (2 * out >= count)
		out = (count - 1) / 2;
	for (size_t i = out; i < count - out; i++)
		sum += sorted[i];
	return sum / (double)(count - 2 * out);
}

bool stats_two_modes(const double *sorted, size_t count, struct stats_modes *modes)
{
	size_t least = (count + 4) / 5, split = 0;
	double widest = 0, low, high, range_low, range_high, range;
	const double *upper;

	if (count < 20)
		return false;
	/* To separate two groups of trials, find the widest gap between ascending values that
	 * leaves at least a fifth of the values on each side. */
	for (size_t i = least; i <= count - least; i++) {
		double gap = sorted[i] - sorted[i - 1];

		if (gap > widest) {
			widest = gap;
			split = i;
		}
	}
	if (split == 0)
		return false;
	upper = sorted + split;
	low = stats_quantile(sorted, split, 0.5);
	high = stats_quantile(upper, count - split, 0.5);
	range_low = stats_quantile(sorted, split, 0.75) - stats_quantile(sorted, split, 0.25);
	range_high = stats_quantile(upper, count - split, 0.75) -
		     stats_quantile(upper, count - split, 0.25);
	range = range_low > range_high ? range_low : range_high;
	if (widest <= 0.03 * fabs(low) || widest <= 2 * range)
		return false;
	modes->low = low;
	modes->high = high;
	modes->share_low = (double)split / (double)count;
	return true;
}

enum { DRIFT_GROUPS = 30, DRIFT_LEAST = 9, DRIFT_MOST = 900 };

/* Quantile of the normal distribution: about 0.5 % of all values lie above this quantile. */
static const double drift_z = 2.6;

/* Returns the median of at most DRIFT_MOST / 3 values, without changing the values. */
static double median_of(const double *values, size_t count)
{
	double copy[DRIFT_MOST / 3];

	memcpy(copy, values, count * sizeof(*copy));
	return stats_median(copy, count);
}

/* The Mann-Kendall statistic, in standard deviations of its distribution without a trend. */
static double mann_kendall(const double *values, size_t count)
{
	double n = (double)count, variance = n * (n - 1) * (2 * n + 5) / 18;
	long sum = 0;

	for (size_t i = 0; i + 1 < count; i++)
		for (size_t k = i + 1; k < count; k++)
			sum += (values[k] > values[i]) - (values[k] < values[i]);
	return (double)(sum - (sum > 0) + (sum < 0)) / sqrt(variance);
}

bool stats_drift(const double *values, size_t count, double least)
{
	double group[DRIFT_GROUPS], first, last;
	size_t groups;

	if (count < DRIFT_LEAST)
		return false;
	if (count > DRIFT_MOST) {
		values += count - DRIFT_MOST;
		count = DRIFT_MOST;
	}
	groups = count < DRIFT_GROUPS ? count : DRIFT_GROUPS;
	first = median_of(values, count / 3);
	last = median_of(values + count - count / 3, count / 3);
	if (!(fabs(last - first) > least * fabs(first)))
		return false;
	for (size_t i = 0; i < groups; i++) {
		size_t from = i * count / groups, to = (i + 1) * count / groups;

		group[i] = median_of(values + from, to - from);
	}
	return fabs(mann_kendall(group, groups)) > drift_z;
}
