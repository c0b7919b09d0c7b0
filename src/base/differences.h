/* Differences between sets of measured values: whether two sets differ, and which value of a set is
 * unusual. All functions are pure, except that some change their array in place. */
#pragma once

#include <stddef.h>

/* Returns the two-sided probability of a difference in rank at least as large as that between the
 * sets a and b, if both sets have the same distribution. For at most 30 values in all, the
 * probability is exact, also with equal values. For more values, it is the normal approximation
 * with corrections for equal values and for continuity. NAN: a set is empty. Source of the test:
 * Mann and Whitney (1947), On a test of whether one of two random variables is stochastically
 * larger than the other. */
double differences_mann_whitney(const double *a, size_t count_a, const double *b, size_t count_b);

/* Corrects probabilities for many comparisons: after the correction, the probability that any of
 * the probabilities below a limit is due to chance is at most this limit. A probability that is NAN
 * stays NAN and does not count as a comparison. Source: Holm (1979), A simple sequentially
 * rejective multiple test procedure. */
void differences_holm(double *probability, size_t count);

/* The middle and the spread of a set of values, one for each machine. */
struct differences_cloud {
	size_t count;
	double median, lo, hi; /* median of the values; lo and hi are their quartiles */
	double mad;	       /* median absolute deviation from the median, at least the floor */
	double usual; /* deviation beyond which chance puts none of the compared values, with a
			 probability of 95 %; at least 4 × mad */
};

/* Describes ascending values. `floor` (> 0) is the least median absolute deviation that is used.
 * `comparisons` is the number of values that are compared in all, in this and in other sets. The
 * tail of the deviations is extrapolated with a Weibull distribution through their median and their
 * 90th percentile. The fit uses the 90th percentile so that up to a tenth of the values may be
 * unusual. */
struct differences_cloud differences_cloud(
	const double *sorted, size_t count, double floor, size_t comparisons);
