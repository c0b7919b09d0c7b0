/* Where to look, and what is there: over the fits of knee_fit.c. */
#include "model/windows/knee_fit.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/stats.h"

/* What doubling goes on to, for two points. */
#define RISEN 1.5

/* What a rise must stand out of noise by to be believed, in what its levels are off; and the noise
 * with which knees are often named wrongly. */
#define BELIEVED   4.0
#define NOISE_MOST 0.17

/* A range wider than this says that nothing is known. */
enum { CLEAR_LEAST = 16 };
#define CLEAR_SHARE 0.2

/* Where the time grows like this power of the fillers, it is their own work. */
#define WORK 0.6

/* Nor is a ramp a rise where it goes on by this share of its own slope. */
#define STEEP_SHARE 0.33

/* With so many points, and no more noise than that, what rises and has no step as large as this
 * anywhere grows. */
enum { GROWN = 20 };
#define GROWN_NOISE 0.05
#define GROWN_STEP  1.2

/* Points in all; and round the knee on either side, more where they scatter. */
enum { ENOUGH = 44, ROUND = 4, ROUND_MOST = 10 };

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

/* ---- the knee ---- */

/* The middle of what is likely: each whole number between two points is as likely as their step. */
static double middle(const struct knee_curve *curve, const struct knee_fit *fit)
{
	double total = 0, sum = 0;

	if (fit->ramp)
		return floor((curve->point[fit->rise.a].x + curve->point[fit->rise.b].x) / 2);
	for (int pass = 0; pass < 2; pass++)
		for (int i = fit->first; i <= fit->last; i++) {
			double width = curve->point[i + 1].x - curve->point[i].x;
			double weight =
				width * exp(fit->step[fit->chosen].misfit - fit->step[i].misfit);

			if (!knee_fit_likely(fit, i))
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

/* Of the lower half of the points, which doubling begins with: what disturbs a point makes it
 * slower. */
static double base_of(const struct knee_curve *curve)
{
	double values[KNEE_POINTS];
	size_t count = ((size_t)curve->count + 1) / 2;

	for (size_t i = 0; i < count; i++)
		values[i] = curve->point[i].y;
	stats_sort(values, count);
	return values[count >= 5];
}

/* Half of the points agree, as well as those on one side of a rise do. */
static bool is_flat(const struct knee_curve *curve)
{
	double values[KNEE_POINTS];
	size_t count = (size_t)curve->count;

	for (size_t i = 0; i < count; i++)
		values[i] = curve->point[i].y;
	stats_sort(values, count);
	return stats_quantile(values, count, 0.75) < RISEN * stats_quantile(values, count, 0.25);
}

/* From this point to the last one the time grows as the fillers do. */
static bool grows_on(const struct knee_curve *curve, int from)
{
	const struct knee_point *last = &curve->point[curve->count - 1],
				*first = &curve->point[from];

	return first->x > 0 && log(last->y / first->y) > WORK * log(last->x / first->x);
}

/* Behind the ramp it is hardly less steep than on it. */
static bool climbs_on(const struct knee_curve *curve, const struct knee_rise *rise)
{
	const struct knee_point *a = &curve->point[rise->a], *b = &curve->point[rise->b],
				*last = &curve->point[curve->count - 1];
	double on = (rise->after - rise->before) / (b->x - a->x),
	       behind = (fmin(last->y, last[-1].y) - rise->after) / (last->x - b->x);

	return behind > STEEP_SHARE * on;
}

/* No rise but one that never ends. */
static bool is_work(const struct knee_curve *curve, const struct knee_fit *fit)
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

/* The last point of half as many fillers as the last one. */
static int half_way(const struct knee_curve *curve)
{
	int at = curve->count - 1;

	while (at > 0 && curve->point[at].x > curve->point[curve->count - 1].x / 2)
		at--;
	return at;
}

void knee_find(const struct knee_curve *curve, double most, struct knee *knee)
{
	const struct knee_point *point = curve->point, *last = &curve->point[curve->count - 1];
	struct knee_fit fit;
	bool rises, noisy;

	*knee = (struct knee){ .kind = KNEE_UNKNOWN,
		.x = NAN,
		.lo = NAN,
		.hi = NAN,
		.from = NAN,
		.to = NAN,
		.before = NAN,
		.after = NAN,
		.noise = NAN,
		.again = NAN };
	if (curve->count < 3)
		return;
	knee->before = base_of(curve);
	rises = knee_fit_make(curve, &fit);
	knee->noise = fit.noise;
	/* One point alone at the end may be disturbed. */
	if (!rises || is_work(curve, &fit) || fit.rise.b + 1 == curve->count) {
		bool up = last->y > RISEN * knee->before && last[-1].y > RISEN * knee->before;

		if (last->x < most && !up)
			return;
		knee->work =
			up && (grows_on(curve, half_way(curve)) || is_gradual(curve, fit.noise));
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
		!noisy && (fit.rise.above < KNEE_FEWEST ||
				  (!fit.ramp && knee->hi - knee->lo >
							fmax(CLEAR_LEAST, CLEAR_SHARE * knee->x)));
	if (noisy || knee->sparse)
		knee->kind = KNEE_UNCLEAR;
}

/* ---- where to look ---- */

/* The whole number nearest to `wanted` that is in lo … hi and not measured; false: all are. */
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

/* Doubling, until two points in a row are up. */
static bool next_double(const struct knee_curve *curve, double least, double most, double *x)
{
	const struct knee_point *last = &curve->point[curve->count - 1];
	double base = base_of(curve);

	if (curve->count >= 4 && last->y > RISEN * base && last[-1].y > RISEN * base)
		return false;
	if (last->x >= most)
		return false;
	*x = fmin(most, last->x < KNEE_FIRST ? fmax(KNEE_FIRST, least + 1) : 2 * last->x);
	return true;
}

/* Points round the knee that vouch for it, nearest first and on both sides in turn. */
static bool next_round(const struct knee_curve *curve, const struct knee_fit *fit, double least,
	double most, double *x)
{
	double at = middle(curve, fit), far = knee_reach(at);
	int wanted = (int)fmin(ROUND_MOST, ROUND + 40 * fit->noise);
	int below = 0, above = 0;

	for (int i = 0; i < curve->count; i++) {
		below += curve->point[i].x <= at && curve->point[i].x >= at - far;
		above += curve->point[i].x > at && curve->point[i].x <= at + far;
	}
	if (above < wanted && above <= below)
		for (double off = 1; off <= far; off *= 2)
			if (nearest_free(curve, at + off, at + 1, fmin(most, at + off), x))
				return true;
	if (below < wanted)
		for (double off = 1; off <= far; off *= 2)
			if (nearest_free(curve, at - off, fmax(least, at - off), at, x))
				return true;
	if (above < wanted)
		for (double off = 1; off <= far; off *= 2)
			if (nearest_free(curve, at + off, at + 1, fmin(most, at + off), x))
				return true;
	return false;
}

/* The middle of the gap that the step is in, most likely. */
static bool next_half(const struct knee_curve *curve, const struct knee_fit *fit, double *x)
{
	double most = 0;

	for (int i = fit->first; i <= fit->last; i++) {
		double width = curve->point[i + 1].x - curve->point[i].x;
		double weight = (width - 1) * exp(fit->best - fit->step[i].misfit);

		if (!knee_fit_likely(fit, i) || width < 2 || weight <= most)
			continue;
		most = weight;
		*x = floor(curve->point[i].x + width / 2);
	}
	return most > 0;
}

/* The widest gap in and round a ramp. */
static bool next_ramp(const struct knee_curve *curve, const struct knee_fit *fit, double least,
	double most, double *x)
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
	struct knee_fit fit;

	if (curve->count == 0) {
		*x = least;
		return true;
	}
	if (curve->count >= ENOUGH)
		return false;
	if (next_double(curve, least, most, x))
		return true;
	if (curve->count < 3 || !knee_fit_make(curve, &fit))
		return false;
	if (fit.ramp && next_ramp(curve, &fit, least, most, x))
		return true;
	if (!fit.ramp && next_half(curve, &fit, x))
		return true;
	return next_round(curve, &fit, least, most, x);
}
