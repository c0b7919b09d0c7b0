/* Statistics of small sets of trials. All functions are pure, except that some sort in place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sorts in place, ascending. Values must not be NaN. */
void stats_sort(double *values, size_t count);

/* The quantile q (0…1) of ascending values, interpolated linearly. NAN when count is 0. */
double stats_quantile(const double *sorted, size_t count, double q);

/* Median of values in any order; sorts them in place. NAN when count is 0. */
double stats_median(double *values, size_t count);

/* The mean of ascending values without the share `trim` (0…0.5) at each end. NAN when count is 0.
 */
double stats_trimmed_mean(const double *sorted, size_t count, double trim);

/* Whether ascending values have two separate modes: two groups with a gap between them. Each of the
 * two groups has at least a fifth of the values. The gap between the groups exceeds 3 % of the
 * lower group's median, and twice the interquartile range of each group. If the result is true, low
 * and high are the groups' medians, and share_low is the lower group's share of all values (0…1).
 * Fewer than 20 values never have two modes. */
struct stats_modes {
	double low, high, share_low;
};
bool stats_two_modes(const double *sorted, size_t count, struct stats_modes *modes);

/* Whether measured values drift: whether they have a trend, in the order of measurement. A drift
 * needs two conditions. In a drift, the medians of the first and the last third of the values
 * differ by more than `least` (relative, > 0). In a drift, the Mann-Kendall test also finds a trend
 * at z > 2.6. The Mann-Kendall test gives a false alarm for about 1 in 100 series without a trend.
 * For the Mann-Kendall test, long series are first reduced to the medians of 30 successive groups.
 * Fewer than 9 values never drift. Of more than 900 values only the last 900 are used. Source of
 * the test: Mann (1945), Nonparametric tests against trend; Kendall (1975). */
bool stats_drift(const double *values, size_t count, double least);
