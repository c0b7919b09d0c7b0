/* Statistics of small sets of trials. All functions are pure except where they sort in place. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Sorts in place, ascending. Values must not be NaN. */
void stats_sort(double *values, size_t count);

/* The quantile (0…1) of ascending values, linear between neighbours. NAN when count is 0. */
double stats_quantile(const double *sorted, size_t count, double q);

/* Median of values in any order; sorts them in place. NAN when count is 0. */
double stats_median(double *values, size_t count);

/* The mean of ascending values without that share (0…0.5) at either end. NAN when count is 0. */
double stats_trimmed_mean(const double *sorted, size_t count, double trim);

/* Two separate modes in ascending values: a gap between two groups, each of which holds at least a
 * fifth of the values, wider than 3 % of the lower median and than twice the wider group's quartile
 * range. On true, fills low and high with the groups' medians and share with the lower group's part
 * of all values (0…1). Fewer than 20 values never split. */
struct stats_modes {
	double low, high, share_low;
};
bool stats_two_modes(const double *sorted, size_t count, struct stats_modes *modes);

/* Whether values, in the order in which they were measured, drift: the median of the last third
 * differs from that of the first third by more than `least` (relative, > 0), and the Mann-Kendall
 * test rejects the absence of a trend at z > 2.6 (once in 100 for values without one). Long series
 * are reduced to the medians of 30 successive groups first. Fewer than 9 values never drift; of
 * more than 900 the last 900 count. Source of the test: Mann (1945), Nonparametric tests against
 * trend; Kendall (1975). */
bool stats_drift(const double *values, size_t count, double least);
