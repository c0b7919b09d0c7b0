/* Every pair of points is tried as the rise: what lies before the first should be low, what lies
 * after the second high, and what is between them on the way. What the points are off is counted in
 * noise, up to a bound, so that a disturbed point says little whatever it says; and far away one
 * way only: lower still before the rise is the base that grows, higher still after it another
 * buffer. The least misfit is the knee; all steps that are nearly as good are its range. */
#include "model/windows/knee_fit.h"

#include <math.h>
#include <stddef.h>

#include "base/stats.h"

/* The least rise that is one, over what is before: two misses that no longer overlap take twice as
 * long, the fillers' own work adds a tenth or two. And how far it must stand out of the noise of
 * both levels to be looked at. */
#define RISE 1.25
#define SEEN 1.5

/* With fewer points than FEWEST on one side it has to be plainer. And of several rises one counts
 * that is so large beside the largest. */
#define RISE_PLAIN   1.5
#define SEEN_PLAINLY 4.0
#define RISE_SHARE   0.4

/* What a point is off counts from OFF_FROM on, in noise, up to OFF_MOST; below that hardly. Noise
 * is at least SLACK of the rise itself: the base grows, and memory is not always as fast. Steps
 * whose misfit is within LIKELY of the best are as likely. */
#define OFF_FROM   1.5
#define OFF_MOST   4.0
#define OFF_LITTLE 0.05
#define SLACK	   0.1
#define LIKELY	   2.0

/* No point is better than that; of a few points nothing is known but their quartiles. */
#define NOISE_LEAST 0.008
#define NOISE_USUAL 0.03
enum { NOISE_POINTS = 6, NOISE_SURE = 16 };

/* A ramp has to fit better than a step by this, and to be this wide, to be called one. */
#define RAMP_BETTER 3.0
enum { SHARP_LEAST = 10 };
#define SHARP_SHARE 0.03

/* A ramp that begins where the time is so many times that of the first points is not the first
 * rise: fillers' own work goes on behind a knee. */
#define LATE 1.5

/* A level is that of the nearest points: so many if they are within REACH, and FEWEST wherever they
 * are. */
enum { NEAREST = 9, FEWEST = KNEE_FEWEST, REACH = 16 };
#define REACH_SHARE 0.05

/* Further up a ramp is looked for within this factor of the step. */
#define NEAR 2.5

double knee_reach(double x)
{
	return REACH + REACH_SHARE * x;
}

/* By what points are off the line through their neighbours, and by quartiles: a median of some nine
 * trials is off by about a third of their range. */
static double noise_of(const struct knee_curve *curve)
{
	double bends[KNEE_POINTS], ranges[KNEE_POINTS], noise = NOISE_LEAST, bend;
	size_t count = 0, of = 0;

	for (int i = 0; i < curve->count; i++) {
		const struct knee_point *point = &curve->point[i];

		if (point->hi >= point->lo && point->lo > 0)
			ranges[of++] = 0.3 * (point->hi - point->lo) / point->y;
		if (i > 0 && i + 1 < curve->count) {
			double share = (point->x - point[-1].x) / (point[1].x - point[-1].x);
			double line = point[-1].y + share * (point[1].y - point[-1].y);

			bends[count++] = fabs(point->y - line) / line /
					 sqrt(1 + share * share + (1 - share) * (1 - share));
		}
	}
	if (of > 0)
		noise = fmax(noise, stats_median(ranges, of));
	if (count < NOISE_POINTS)
		return fmax(noise, NOISE_USUAL);
	/* The lower third: a knee and a disturbed point bend the line at three places each. Of so
	 * many a normal one's is 0.43. */
	stats_sort(bends, count);
	bend = stats_quantile(bends, count, 1.0 / 3) / 0.43;
	return fmax(noise, count < NOISE_SURE ? fmin(bend, 3 * fmax(noise, NOISE_USUAL)) : bend);
}

/* The median of the points nearest to `edge` on its side: from there down (step -1) or up; and how
 * many those are. */
static double level_of(const struct knee_curve *curve, int edge, int step, size_t *count)
{
	double values[NEAREST], x = curve->point[edge].x;

	*count = 0;
	for (int i = edge; i >= 0 && i < curve->count && *count < NEAREST; i += step) {
		if (*count >= FEWEST && fabs(curve->point[i].x - x) > knee_reach(x))
			break;
		/* A further rise is none of this one's. */
		if (step > 0 && *count >= 1 && curve->point[i].x > KNEE_FIRST + x * NEAR)
			break;
		values[(*count)++] = curve->point[i].y;
	}
	return stats_median(values, *count);
}

static struct knee_rise try_rise(const struct knee_curve *curve, int a, int b, double noise)
{
	size_t below, above;
	struct knee_rise c = { .a = a,
		.b = b,
		.before = level_of(curve, a, -1, &below),
		.after = level_of(curve, b, 1, &above) };
	double from = curve->point[a].x, to = curve->point[b].x;

	c.above = (int)above;
	/* Of medians. */
	c.outstanding = (c.after - c.before) / (1.25 * noise *
						       sqrt(c.before * c.before / (double)below +
							       c.after * c.after / (double)above));
	if (c.after < (below < FEWEST ? RISE_PLAIN : RISE) * c.before ||
		c.outstanding < (below < FEWEST ? SEEN_PLAINLY : SEEN)) {
		c.misfit = INFINITY;
		return c;
	}
	for (int i = 0; i < curve->count; i++) {
		const struct knee_point *point = &curve->point[i];
		double want = i <= a   ? c.before
			      : i >= b ? c.after
				       : c.before + (c.after - c.before) * (point->x - from) /
							    (to - from);
		double off = (point->y - want) / fmax(noise * want, SLACK * (c.after - c.before));

		off = i <= a && from - point->x > knee_reach(from) ? fmax(0, off)
		      : i >= b && point->x - to > knee_reach(to)   ? fmax(0, -off)
								   : fabs(off);
		c.misfit +=
			OFF_LITTLE * fmin(off, OFF_MOST) + fmax(0, fmin(off, OFF_MOST) - OFF_FROM);
	}
	return c;
}

bool knee_fit_likely(const struct knee_fit *fit, int i)
{
	return isfinite(fit->step[i].misfit) && fit->step[i].misfit <= fit->best + LIKELY;
}

/* The first group of likely steps: of two buffers the one that fills first. */
static void choose(const struct knee_curve *curve, struct knee_fit *fit)
{
	double largest = 0;

	fit->first = fit->last = fit->chosen = fit->next = -1;
	for (int i = 0; i + 1 < curve->count; i++)
		if (knee_fit_likely(fit, i))
			largest = fmax(largest, fit->step[i].after - fit->step[i].before);
	for (int i = 0; i + 1 < curve->count; i++) {
		double x = curve->point[i].x;

		if (!knee_fit_likely(fit, i) ||
			fit->step[i].after - fit->step[i].before < RISE_SHARE * largest)
			continue;
		if (fit->first < 0)
			fit->first = fit->chosen = fit->last = i;
		else if (x > 1.3 * curve->point[fit->last + 1].x + KNEE_FIRST) {
			fit->next = i;
			return;
		} else {
			fit->last = i;
			if (fit->step[i].misfit < fit->step[fit->chosen].misfit)
				fit->chosen = i;
		}
	}
}

static double sharp_width(double x)
{
	return fmax(SHARP_LEAST, SHARP_SHARE * x);
}

/* A rise that takes its time. */
static struct knee_rise best_ramp(const struct knee_curve *curve, double noise)
{
	struct knee_rise best = { .misfit = INFINITY };
	size_t ignored;
	double first = curve->count > 0 ? level_of(curve, 0, 1, &ignored) : 0;

	for (int a = 0; a < curve->count; a++)
		for (int b = a + 3; b < curve->count &&
				    curve->point[b].x < NEAR * fmax(curve->point[a].x, KNEE_FIRST);
			b++) {
			struct knee_rise c;

			if (curve->point[b].x - curve->point[a].x <= sharp_width(curve->point[a].x))
				continue;
			c = try_rise(curve, a, b, noise);
			if (c.misfit < best.misfit && c.before <= LATE * first)
				best = c;
		}
	return best;
}

bool knee_fit_make(const struct knee_curve *curve, struct knee_fit *fit)
{
	struct knee_rise ramp;

	fit->noise = noise_of(curve);
	fit->best = INFINITY;
	for (int i = 0; i + 1 < curve->count; i++) {
		fit->step[i] = try_rise(curve, i, i + 1, fit->noise);
		fit->best = fmin(fit->best, fit->step[i].misfit);
	}
	choose(curve, fit);
	ramp = best_ramp(curve, fit->noise);
	fit->ramp = ramp.misfit + RAMP_BETTER < fit->best;
	fit->rise = fit->ramp ? ramp : fit->step[fit->chosen < 0 ? 0 : fit->chosen];
	return isfinite(fit->rise.misfit);
}
