#include "model/memory/curve.h"

#include <math.h>

#include "base/stats.h"

/* Points on the same plateau differ by about this much even without any noise: lines that the
 * program's own data take away, sets that fill unevenly. */
static const double floor_noise = 0.01;

/* The share of a point's own quartile range that its median is taken to be off by: of independent
 * trials a median is far better than that, but a spell of disturbance holds for all trials of a
 * point. The narrower side counts, twice: one long tail is what disturbed trials leave beside a
 * median that they did not move. */
static const double quartiles_weigh = 0.4;

/* What a doubtful point's noise is multiplied by. */
static const double doubt = 2;

/* Octaves between points that count in full. */
static const double full_distance = 0.2;

/* Neighbours to either side that say how much points scatter here. */
enum { NEIGHBOURS = 4 };

/* From the median absolute deviation from the monotone curve to a standard deviation: 1.48 for
 * normal noise, and the monotone curve follows part of it. Found by trying, on level curves. */
static const double deviations = 1.9;

/* Pools adjacent violators: neighbouring blocks whose medians fall become one block. */
static void find_monotone(struct curve *curve)
{
	int start[CURVE_POINTS + 1], blocks = 0;
	double level[CURVE_POINTS], values[CURVE_POINTS];

	for (int i = 0; i < curve->count; i++) {
		start[blocks] = i;
		level[blocks++] = curve->y[i];
		while (blocks > 1 && level[blocks - 2] > level[blocks - 1]) {
			int count = 0;

			blocks--;
			for (int k = start[blocks - 1]; k <= i; k++)
				values[count++] = curve->y[k];
			level[blocks - 1] = stats_median(values, (size_t)count);
		}
	}
	start[blocks] = curve->count;
	for (int b = 0; b < blocks; b++)
		for (int i = start[b]; i < start[b + 1]; i++)
			curve->monotone[i] = level[b];
}

static double scatter_near(const struct curve *curve, int i)
{
	int from = i > NEIGHBOURS ? i - NEIGHBOURS : 0, to = i + NEIGHBOURS, count = 0;
	double values[2 * NEIGHBOURS + 1];

	if (to > curve->count - 1)
		to = curve->count - 1;
	for (int k = from; k <= to; k++)
		values[count++] = fabs(curve->y[k] - curve->monotone[k]);
	return deviations * stats_median(values, (size_t)count);
}

static void find_noise(const struct curve_point *points, struct curve *curve)
{
	for (int i = 0; i < curve->count; i++) {
		const struct curve_point *point = &points[curve->index[i]];
		double near = scatter_near(curve, i), own = 0, noise;

		if (point->lo > 0 && point->hi > point->cycles && point->cycles > point->lo)
			own = quartiles_weigh * 2 *
			      sqrt(log(point->hi / point->cycles) * log(point->cycles / point->lo));
		if (point->two_modes && point->mode_low > 0 && point->mode_high > point->mode_low)
			own = fmax(own, log(point->mode_high / point->mode_low) / 2);
		noise = sqrt(floor_noise * floor_noise + near * near + own * own);
		curve->noise[i] = point->doubtful ? doubt * noise : noise;
	}
}

static void find_weights(struct curve *curve)
{
	for (int i = 0; i < curve->count; i++) {
		double below = i > 0 ? curve->x[i] - curve->x[i - 1] : full_distance;
		double above = i + 1 < curve->count ? curve->x[i + 1] - curve->x[i] : full_distance;

		curve->weight[i] =
			fmin(1, (fmin(below, full_distance) + fmin(above, full_distance)) /
					(2 * full_distance));
	}
}

void curve_make(const struct curve_point *points, int count, struct curve *curve)
{
	curve->count = 0;
	for (int i = 0; i < count && curve->count < CURVE_POINTS; i++) {
		if (!(points[i].cycles > 0) || !isfinite(points[i].cycles) ||
			!(points[i].bytes > 0))
			continue;
		curve->index[curve->count] = i;
		curve->x[curve->count] = log2(points[i].bytes);
		curve->y[curve->count++] = log(points[i].cycles);
	}
	find_monotone(curve);
	find_noise(points, curve);
	find_weights(curve);
	for (int i = 0; i < curve->count; i++) {
		double reach = 2 * curve->noise[i], off = curve->y[i] - curve->monotone[i];

		curve->clean[i] = curve->monotone[i] + fmax(-reach, fmin(reach, off));
	}
}
