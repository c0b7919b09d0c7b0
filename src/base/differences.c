#include "base/differences.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"

/* ---- Mann–Whitney */

/* A value of one of the two sets, and twice its rank among the values of both sets. */
struct ranked {
	double value;
	int in_a;
	size_t twice;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

/* Sets the ranks of sorted values. Equal values get the mean of their ranks. Returns the sum of
 * t³ - t over the groups of t equal values. */
static double set_ranks(struct ranked *all, size_t count)
{
	double ties = 0;

	for (size_t i = 0, end; i < count; i = end) {
		double equal;

		for (end = i; end < count && !(all[end].value > all[i].value); end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].twice = i + end + 1;
		equal = (double)(end - i);
		ties += equal * equal * equal - equal;
	}
	return ties;
}

enum { EXACT_MOST = 30, TWICE_MOST = EXACT_MOST * (EXACT_MOST + 1) };

/* The exact probability: the share of all choices of count_a ranks whose sum is as far from the
 * mean as `twice_sum`, half of the sum of doubled ranks. */
static double exact(const struct ranked *all, size_t count, size_t count_a, size_t twice_sum)
{
	double(*ways)[TWICE_MOST + 1] = memory_new(count_a + 1, sizeof(*ways));
	size_t most = 0, twice_mean = count_a * (count + 1);
	double beyond = 0, sum = 0;

	ways[0][0] = 1;
	for (size_t i = 0; i < count; i++) {
		most += all[i].twice;
		for (size_t n = count_a; n-- > 0;)
			for (size_t s = 0; s + all[i].twice <= most; s++)
				ways[n + 1][s + all[i].twice] += ways[n][s];
	}
	for (size_t s = 0; s <= most; s++) {
		double distance = fabs((double)s - (double)twice_mean);

		sum += ways[count_a][s];
		if (distance >= fabs((double)twice_sum - (double)twice_mean))
			beyond += ways[count_a][s];
	}
	free(ways);
	return beyond / sum;
}

double differences_mann_whitney(const double *a, size_t count_a, const double *b, size_t count_b)
{
	size_t count = count_a + count_b, twice_sum = 0;
	struct ranked *all;
	double n, variance, ties, distance, probability;

	if (!count_a || !count_b)
		return NAN;
	all = memory_new(count, sizeof(*all));
	for (size_t i = 0; i < count; i++)
		all[i] = (struct ranked){ i < count_a ? a[i] : b[i - count_a], i < count_a, 0 };
	qsort(all, count, sizeof(*all), by_value);
	ties = set_ranks(all, count);
	for (size_t i = 0; i < count; i++)
		twice_sum += all[i].in_a ? all[i].twice : 0;
	n = (double)count;
	variance = (double)count_a * (double)count_b / 12 * (n + 1 - ties / (n * (n - 1)));
	distance = fabs((double)twice_sum - (double)count_a * (n + 1)) / 2 - 0.5;
	if (count <= EXACT_MOST)
		probability = exact(all, count, count_a, twice_sum);
	else if (variance > 0 && distance > 0)
		probability = erfc(distance / sqrt(2 * variance));
	else
		probability = 1;
	free(all);
	return probability;
}

/* ---- Holm */

static int by_place(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

void differences_holm(double *probability, size_t count)
{
	double **order = memory_new(count ? count : 1, sizeof(*order)), highest = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(probability[i]))
			order[known++] = &probability[i];
	qsort(order, known, sizeof(*order), by_place);
	for (size_t i = 0; i < known; i++) {
		double corrected = fmin(1, *order[i] * (double)(known - i));

		highest = fmax(highest, corrected);
		*order[i] = highest;
	}
	free(order);
}

/* ---- Clouds */

/* The ratio of the 90th percentile to the median of absolute deviations, for a normal distribution
 * (1.645 / 0.6745), and the largest ratio that is used: longer tails are taken as unusual values.
 */
static const double ratio_normal = 2.44, ratio_most = 6;

/* Few values give an uncertain spread. The limit for unusual values grows by this number divided by
 * the count of values; the number is from simulated sets of 5 to 50 normal values
 * (tests/unit/test_differences.c). */
static const double few = 8;

struct differences_cloud differences_cloud(
	const double *sorted, size_t count, double floor, size_t comparisons)
{
	struct differences_cloud cloud = { .count = count,
		.median = stats_quantile(sorted, count, 0.5),
		.lo = stats_quantile(sorted, count, 0.25),
		.hi = stats_quantile(sorted, count, 0.75) };
	double *deviation, spread, tail, ratio, shape, chance;

	if (!count)
		return cloud;
	deviation = memory_new(count, sizeof(*deviation));
	for (size_t i = 0; i < count; i++)
		deviation[i] = fabs(sorted[i] - cloud.median);
	spread = stats_median(deviation, count);
	tail = deviation[(count - 1) * 9 / 10];
	free(deviation);
	spread = fmax(spread, tail / ratio_most);
	cloud.mad = fmax(spread, floor);
	ratio = spread > 0 ? fmax(tail / spread, ratio_normal) : ratio_normal;
	shape = log(log(10) / log(2)) / log(ratio);
	chance = 0.05 / (double)(comparisons > count ? comparisons : count);
	cloud.usual = spread * pow(log(1 / chance) / log(2), 1 / shape) * (1 + few / (double)count);
	cloud.usual = fmax(cloud.usual, 4 * cloud.mad);
	return cloud;
}
