#include "model/windows/knee.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/stats.h"

const char *const knee_kind_names[] = { "unknown", "sharp", "soft", "none", "unclear" };
_Static_assert(
	sizeof(knee_kind_names) / sizeof(knee_kind_names[0]) == KNEE_KINDS, "a name for each kind");

bool knee_add(struct knee_curve *curve, const struct knee_point *point)
{
	int at = 0;

	if (!(point->y > 0) || !isfinite(point->y) || !isfinite(point->x))
		return false;
	while (at < curve->count && curve->point[at].x < point->x)
		at++;
	if (at == curve->count || curve->point[at].x != point->x) {
		if (curve->count == KNEE_POINTS)
			return false;
		memmove(curve->point + at + 1, curve->point + at,
			(size_t)(curve->count - at) * sizeof(curve->point[0]));
		curve->count++;
	}
	curve->point[at] = *point;
	return true;
}

const struct knee_point *knee_at(const struct knee_curve *curve, double x)
{
	for (int i = 0; i < curve->count; i++)
		if (curve->point[i].x == x)
			return &curve->point[i];
	return NULL;
}

/* ---- Fits: find the step or the ramp that fits the curve best.
 *
 * Each pair of points is tried as a rise. In the curve of time over filler instructions, points
 * before the rise should be low, points after it high, and points on it in between. Deviations of
 * points from the assumed rise count in units of noise, up to a bound, so that a disturbed point
 * has little weight. Far from the rise, only a deviation in one direction counts. A point far
 * before the rise may be lower, because the base (the time with few fillers) grows with the
 * fillers. A point far after the rise may be higher, because another buffer is full. The rise with
 * the smallest sum of deviations (misfit) is the knee. Steps between points that fit nearly as well
 * as the best step are the range of the knee. */

/* Number of filler instructions at which the search begins to double. When two numbers of fillers
 * are compared, a number below FIRST counts as FIRST. */
enum { FIRST = 8 };

/* If a level of the curve (the points before or after a rise) has fewer points than FEWEST, it may
 * be noise. */
enum { FEWEST = 3 };

struct rise {
	int a, b; /* indices of the last point before the rise and of the first point after the rise
		   */
	double before, after;
	double misfit; /* sum of the deviations of all points; INFINITY: the two points are no rise
			*/
	double outstanding; /* height of the rise, in units of the standard error of the levels
			       before and after the rise */
	int above; /* number of points from which the time level after the rise is computed */
};

struct fit {
	double noise;
	struct rise step[KNEE_POINTS]; /* a possible knee: the step between the points i and i + 1
					  of the curve */
	double best;	 /* smallest misfit (sum of deviations) of all possible knees; INFINITY: the
			    curve has no rise */
	int first, last; /* range of the first group of likely steps; `chosen` is the step of this
			    group with the smallest misfit */
	int chosen;
	int next; /* index of a likely step of the curve after the first group of likely steps; -1:
		     there is no such step */
	struct rise rise; /* the step of the curve that was chosen as the knee, or a gradual rise
			     (ramp) that fits better */
	bool ramp;
};

/* RISE: the smallest ratio of the time level after a rise to the level before. Two misses that no
 * longer overlap take twice as long. The time to execute the filler instructions adds only 10 to 20
 * %. SEEN: the height of the smallest rise that counts, in units of noise. */
#define RISE 1.25
#define SEEN 1.5

/* If the curve has fewer than FEWEST points before the rise, RISE_PLAIN and SEEN_PLAINLY are used
 * instead of RISE and SEEN. If the curve has several rises, a rise counts only if its height is at
 * least the share RISE_SHARE of the highest rise. */
#define RISE_PLAIN   1.5
#define SEEN_PLAINLY 4.0
#define RISE_SHARE   0.4

/* Deviations are in units of noise. The deviation of a point counts fully from OFF_FROM to
 * OFF_MOST; a deviation below OFF_FROM has the weight OFF_LITTLE. The noise of the curve is assumed
 * to be at least the share SLACK of the rise, because the base grows and memory times vary. A step
 * between two points is likely to be the knee if its misfit exceeds the best misfit by at most
 * LIKELY. */
#define OFF_FROM   1.5
#define OFF_MOST   4.0
#define OFF_LITTLE 0.05
#define SLACK	   0.1
#define LIKELY	   2.0

/* NOISE_LEAST: the smallest relative noise of a point. If fewer than NOISE_POINTS points have two
 * neighbours, the noise is estimated only from quartiles, and is at least NOISE_USUAL. */
#define NOISE_LEAST 0.008
#define NOISE_USUAL 0.03
enum { NOISE_POINTS = 6, NOISE_SURE = 16 };

/* A ramp (a gradual rise) must be wider than SHARP_LEAST filler instructions, and wider than
 * SHARP_SHARE of the fillers at its start. The misfit of a ramp (gradual rise) must be smaller than
 * that of the best step by RAMP_BETTER. */
#define RAMP_BETTER 3.0
enum { SHARP_LEAST = 10 };
#define SHARP_SHARE 0.03

/* After a knee, the time to execute the filler instructions still adds to the curve. If the time at
 * the beginning of a ramp is more than LATE times the first level, the ramp is not the first rise.
 */
#define LATE 1.5

/* A level of the curve is the median of the points nearest to a rise: up to NEAREST points within a
 * distance of REACH fillers, but at least FEWEST points. */
enum { NEAREST = 9, REACH = 16 };
#define REACH_SHARE 0.05

/* A gradual rise (ramp) ends at less than NEAR times the number of filler instructions at its
 * start. */
#define NEAR 2.5

static double reach_round(double x)
{
	return REACH + REACH_SHARE * x;
}

/* Estimates the noise of the curve's points in two ways. The first estimate of the noise uses the
 * quartiles: the error of the median of about nine trials is a third of the quartile range. The
 * second estimate of the noise uses the deviation of each point from the line between its two
 * neighbours. */
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
	/* The lower third of the deviations is used, because a knee and a disturbed point each
	 * change three deviations. For a normal distribution, a third of all deviations are below
	 * 0.43 standard deviations. */
	stats_sort(bends, count);
	bend = stats_quantile(bends, count, 1.0 / 3) / 0.43;
	return fmax(noise, count < NOISE_SURE ? fmin(bend, 3 * fmax(noise, NOISE_USUAL)) : bend);
}

/* Returns the median of the points nearest to `edge` on one side: to the left (step -1) or to the
 * right (step 1). *count receives the number of points used. */
static double level_of(const struct knee_curve *curve, int edge, int step, size_t *count)
{
	double values[NEAREST], x = curve->point[edge].x;

	*count = 0;
	for (int i = edge; i >= 0 && i < curve->count && *count < NEAREST; i += step) {
		if (*count >= FEWEST && fabs(curve->point[i].x - x) > reach_round(x))
			break;
		/* Points of a later rise of the curve do not belong to the level after the first
		 * rise. */
		if (step > 0 && *count >= 1 && curve->point[i].x > FIRST + x * NEAR)
			break;
		values[(*count)++] = curve->point[i].y;
	}
	return stats_median(values, *count);
}

static struct rise try_rise(const struct knee_curve *curve, int a, int b, double noise)
{
	size_t below, above;
	struct rise c = { .a = a,
		.b = b,
		.before = level_of(curve, a, -1, &below),
		.after = level_of(curve, b, 1, &above) };
	double from = curve->point[a].x, to = curve->point[b].x;

	c.above = (int)above;
	/* The standard error of a median is 1.25 times that of a mean. */
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

		off = i <= a && from - point->x > reach_round(from) ? fmax(0, off)
		      : i >= b && point->x - to > reach_round(to)   ? fmax(0, -off)
								    : fabs(off);
		c.misfit +=
			OFF_LITTLE * fmin(off, OFF_MOST) + fmax(0, fmin(off, OFF_MOST) - OFF_FROM);
	}
	return c;
}

static bool is_likely(const struct fit *fit, int i)
{
	return isfinite(fit->step[i].misfit) && fit->step[i].misfit <= fit->best + LIKELY;
}

/* A curve of cycles over the number of fillers may rise several times, once for each buffer of the
 * core that fills up. Of all rises of the curve, the function chooses the first, which belongs to
 * the smallest buffer. */
static void choose(const struct knee_curve *curve, struct fit *fit)
{
	double largest = 0;

	fit->first = fit->last = fit->chosen = fit->next = -1;
	for (int i = 0; i + 1 < curve->count; i++)
		if (is_likely(fit, i))
			largest = fmax(largest, fit->step[i].after - fit->step[i].before);
	for (int i = 0; i + 1 < curve->count; i++) {
		double x = curve->point[i].x;

		if (!is_likely(fit, i) ||
			fit->step[i].after - fit->step[i].before < RISE_SHARE * largest)
			continue;
		if (fit->first < 0)
			fit->first = fit->chosen = fit->last = i;
		else if (x > 1.3 * curve->point[fit->last + 1].x + FIRST) {
			fit->next = i;
			return;
		} else {
			fit->last = i;
			if (fit->step[i].misfit < fit->step[fit->chosen].misfit)
				fit->chosen = i;
		}
	}
}

/* Returns the gradual rise (ramp) that fits the curve best. A ramp is a rise of the curve over many
 * numbers of fillers. */
static struct rise best_ramp(const struct knee_curve *curve, double noise)
{
	struct rise best = { .misfit = INFINITY };
	size_t ignored;
	double first = curve->count > 0 ? level_of(curve, 0, 1, &ignored) : 0;

	for (int a = 0; a < curve->count; a++) {
		double from = curve->point[a].x, most = NEAR * fmax(from, FIRST);

		for (int b = a + 3; b < curve->count && curve->point[b].x < most; b++) {
			struct rise c;

			if (curve->point[b].x - from <= fmax(SHARP_LEAST, SHARP_SHARE * from))
				continue;
			c = try_rise(curve, a, b, noise);
			if (c.misfit < best.misfit && c.before <= LATE * first)
				best = c;
		}
	}
	return best;
}

static bool fit_curve(const struct knee_curve *curve, struct fit *fit)
{
	struct rise ramp;

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

/* ---- Finding the knee ---- */

/* The number of filler instructions is doubled until the times of two points are more than RISEN
 * times the base. */
#define RISEN 1.5

/* BELIEVED: height of the smallest rise, in units of noise, that is reported as a sharp or soft
 * knee. NOISE_MOST: if the relative noise of the curve is higher, the knees found are often wrong.
 */
#define BELIEVED   4.0
#define NOISE_MOST 0.17

/* If the range of a knee is wider than CLEAR_LEAST fillers and than the share CLEAR_SHARE of its
 * position, the position is unclear. */
enum { CLEAR_LEAST = 16 };
#define CLEAR_SHARE 0.2

/* If the time grows faster than the number of fillers to the power WORK, the time to execute the
 * fillers is the cause. */
#define WORK 0.6

/* If the slope of the curve after a ramp is more than STEEP_SHARE of the ramp's slope, the ramp
 * does not end and is no rise. */
#define STEEP_SHARE 0.33

/* A curve grows gradually if it has at least GROWN points, noise below GROWN_NOISE, and no step by
 * more than the factor GROWN_STEP. */
enum { GROWN = 20 };
#define GROWN_NOISE 0.05
#define GROWN_STEP  1.2

/* ENOUGH: largest number of points of one curve to measure. ROUND: number of points to measure on
 * each side of the knee; if the points are noisy, the number rises to ROUND_MOST. */
enum { ENOUGH = 44, ROUND = 4, ROUND_MOST = 10 };

/* Returns the median of the likely positions of the curve's knee. Each number of fillers between
 * two measured points is as likely as the rise between these points. */
static double middle(const struct knee_curve *curve, const struct fit *fit)
{
	double total = 0, sum = 0;

	if (fit->ramp)
		return floor((curve->point[fit->rise.a].x + curve->point[fit->rise.b].x) / 2);
	for (int pass = 0; pass < 2; pass++)
		for (int i = fit->first; i <= fit->last; i++) {
			double width = curve->point[i + 1].x - curve->point[i].x;
			double weight =
				width * exp(fit->step[fit->chosen].misfit - fit->step[i].misfit);

			if (!is_likely(fit, i))
				continue;
			if (pass == 0)
				total += weight;
			else if (sum + weight >= total / 2)
				return curve->point[i].x +
				       fmax(0, floor((total / 2 - sum) / weight * width - 1e-9));
			else
				sum += weight;
		}
	return curve->point[fit->last].x;
}

/* Stores the sorted times of the first `count` points in values. Returns `count`. */
static size_t sort_times(const struct knee_curve *curve, int count, double values[KNEE_POINTS])
{
	for (int i = 0; i < count; i++)
		values[i] = curve->point[i].y;
	stats_sort(values, (size_t)count);
	return (size_t)count;
}

/* Returns the base of the curve: the time of an iteration whose two misses overlap. The base is a
 * low value of the first half of the points, because interference can only slow a point. */
static double base_of(const struct knee_curve *curve)
{
	double values[KNEE_POINTS];
	size_t count = sort_times(curve, (curve->count + 1) / 2, values);

	return values[count >= 5];
}

/* Whether the quartiles of the times differ by less than the factor RISEN. */
static bool is_flat(const struct knee_curve *curve)
{
	double values[KNEE_POINTS];
	size_t count = sort_times(curve, curve->count, values);

	return stats_quantile(values, count, 0.75) < RISEN * stats_quantile(values, count, 0.25);
}

/* Whether the time of an iteration grows with the number of fillers from the point `from` to the
 * last point. */
static bool grows_on(const struct knee_curve *curve, int from)
{
	const struct knee_point *last = &curve->point[curve->count - 1],
				*first = &curve->point[from];

	return first->x > 0 && log(last->y / first->y) > WORK * log(last->x / first->x);
}

/* Whether the curve after a ramp (a gradual rise) is nearly as steep as the ramp. */
static bool climbs_on(const struct knee_curve *curve, const struct rise *rise)
{
	const struct knee_point *a = &curve->point[rise->a], *b = &curve->point[rise->b],
				*last = &curve->point[curve->count - 1];
	double on = (rise->after - rise->before) / (b->x - a->x),
	       after = (fmin(last->y, last[-1].y) - rise->after) / (last->x - b->x);

	return after > STEEP_SHARE * on;
}

/* Whether the only rise of the curve is a ramp (gradual rise) that does not end. A gradual rise
 * (ramp) that does not end is caused by the fillers' own work. */
static bool is_work(const struct knee_curve *curve, const struct fit *fit)
{
	const struct knee_point *last = &curve->point[curve->count - 1];

	return fit->ramp && (curve->point[fit->rise.b].x > 0.7 * last->x ||
				    grows_on(curve, fit->rise.b) || climbs_on(curve, &fit->rise));
}

static bool is_gradual(const struct knee_curve *curve, double noise)
{
	for (int i = 1; i < curve->count; i++)
		if (curve->point[i].y > GROWN_STEP * curve->point[i - 1].y)
			return false;
	return curve->count >= GROWN && noise < GROWN_NOISE;
}

void knee_find(const struct knee_curve *curve, double most, struct knee *knee)
{
	const struct knee_point *point = curve->point, *last = &curve->point[curve->count - 1];
	struct fit fit;
	bool rises, noisy;

	*knee = (struct knee){ .kind = KNEE_UNKNOWN };
	knee->x = knee->lo = knee->hi = knee->from = knee->to = NAN;
	knee->before = knee->after = knee->noise = knee->again = NAN;
	if (curve->count < 3)
		return;
	knee->before = base_of(curve);
	rises = fit_curve(curve, &fit);
	knee->noise = fit.noise;
	/* If only one point follows a rise, the rise may be noise. */
	if (!rises || is_work(curve, &fit) || fit.rise.b + 1 == curve->count) {
		bool up = last->y > RISEN * knee->before && last[-1].y > RISEN * knee->before;
		int half = curve->count - 1;

		if (last->x < most && !up)
			return;
		/* `half` becomes the index of the last point with at most half of the largest
		 * number of fillers. */
		while (half > 0 && point[half].x > last->x / 2)
			half--;
		knee->work = up && (grows_on(curve, half) || is_gradual(curve, fit.noise));
		knee->kind = knee->work || (!up && is_flat(curve)) ? KNEE_NONE : KNEE_UNCLEAR;
		return;
	}
	knee->before = fit.rise.before;
	knee->after = fit.rise.after;
	knee->from = point[fit.rise.a].x;
	knee->to = point[fit.rise.b].x;
	knee->again = fit.next >= 0 ? point[fit.next].x : (double)NAN;
	knee->lo = fit.ramp ? knee->from : point[fit.first].x;
	knee->hi = fit.ramp ? knee->to : fmax(knee->lo, point[fit.last + 1].x - 1);
	knee->x = fmin(fmax(middle(curve, &fit), knee->lo), knee->hi);
	knee->kind = fit.ramp ? KNEE_SOFT : KNEE_SHARP;
	noisy = fit.rise.outstanding < BELIEVED || fit.noise > NOISE_MOST;
	knee->sparse =
		!noisy && (fit.rise.above < FEWEST ||
				  (!fit.ramp && knee->hi - knee->lo >
							fmax(CLEAR_LEAST, CLEAR_SHARE * knee->x)));
	if (noisy || knee->sparse)
		knee->kind = KNEE_UNCLEAR;
}

/* ---- Choosing the next point to measure ---- */

/* Finds in *x the whole number from lo to hi that is nearest to `wanted` and was not measured yet.
 * Returns false if all numbers of fillers in the range were measured. */
static bool nearest_free(
	const struct knee_curve *curve, double wanted, double lo, double hi, double *x)
{
	for (double off = 0; off <= hi - lo; off++)
		for (int sign = -1; sign <= 1; sign += 2) {
			*x = wanted + sign * off;
			if (*x >= lo && *x <= hi && !knee_at(curve, *x))
				return true;
		}
	return false;
}

/* Finds the next number of fillers to measure by doubling the number. Returns false if the last two
 * measured times are above the base, or if the largest number of fillers is reached. */
static bool next_double(const struct knee_curve *curve, double least, double most, double *x)
{
	const struct knee_point *last = &curve->point[curve->count - 1];
	double base = base_of(curve);

	if (curve->count >= 4 && last->y > RISEN * base && last[-1].y > RISEN * base)
		return false;
	if (last->x >= most)
		return false;
	*x = fmin(most, last->x < FIRST ? fmax(FIRST, least + 1) : 2 * last->x);
	return true;
}

/* Finds the next number of fillers to measure near the knee, to confirm the knee. The points
 * nearest to the knee come first, on the side of the knee with fewer points. */
static bool next_round(
	const struct knee_curve *curve, const struct fit *fit, double least, double most, double *x)
{
	double at = middle(curve, fit), far = reach_round(at);
	int wanted = (int)fmin(ROUND_MOST, ROUND + 40 * fit->noise);
	int below = 0, above = 0;

	for (int i = 0; i < curve->count; i++) {
		below += curve->point[i].x <= at && curve->point[i].x >= at - far;
		above += curve->point[i].x > at && curve->point[i].x <= at + far;
	}
	for (int turn = 0; turn < 2; turn++) {
		bool up = (above <= below) == (turn == 0);

		if ((up ? above : below) >= wanted)
			continue;
		for (double off = 1; off <= far; off *= 2)
			if (up ? nearest_free(curve, at + off, at + 1, fmin(most, at + off), x)
			       : nearest_free(curve, at - off, fmax(least, at - off), at, x))
				return true;
	}
	return false;
}

/* Finds the next number of fillers to measure: the middle of the gap that most likely contains the
 * step. */
static bool next_half(const struct knee_curve *curve, const struct fit *fit, double *x)
{
	double most = 0;

	for (int i = fit->first; i <= fit->last; i++) {
		double width = curve->point[i + 1].x - curve->point[i].x;
		double weight = (width - 1) * exp(fit->best - fit->step[i].misfit);

		if (!is_likely(fit, i) || width < 2 || weight <= most)
			continue;
		most = weight;
		*x = floor(curve->point[i].x + width / 2);
	}
	return most > 0;
}

/* Finds the next number of fillers to measure: the middle of the widest gap in or near a ramp
 * (gradual rise). */
static bool next_ramp(
	const struct knee_curve *curve, const struct fit *fit, double least, double most, double *x)
{
	double from = curve->point[fit->rise.a].x, to = curve->point[fit->rise.b].x,
	       width = to - from, widest = 0;

	from = fmax(least, from - width / 2);
	to = fmin(most, to + width / 2);
	for (int i = 0; i + 1 < curve->count; i++) {
		double a = fmax(from, curve->point[i].x), b = fmin(to, curve->point[i + 1].x);

		if (b - a > widest) {
			widest = b - a;
			*x = floor((a + b) / 2);
		}
	}
	return widest > width / 8 && widest >= 2 && !knee_at(curve, *x);
}

bool knee_next(const struct knee_curve *curve, double least, double most, double *x)
{
	struct fit fit;

	if (curve->count == 0) {
		*x = least;
		return true;
	}
	if (curve->count >= ENOUGH)
		return false;
	if (next_double(curve, least, most, x))
		return true;
	if (curve->count < 3 || !fit_curve(curve, &fit))
		return false;
	return (fit.ramp ? next_ramp(curve, &fit, least, most, x) : next_half(curve, &fit, x)) ||
	       next_round(curve, &fit, least, most, x);
}
