#include "model/memory/plateaus.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"

/* ---- The curve: logarithms, the noise of each point, and the monotone curve without the noise.
 *
 * The true latency never falls when the working set grows. If a measured curve falls, the cause is
 * noise, interference, or a point with two modes. Each point of a curve is compared with the best
 * monotone curve (least absolute deviations), so that noise can be recognised. */
struct curve {
	int count;
	int index[CURVE_POINTS]; /* index of each point of the curve in the array of all points;
				    points without positive cycles are skipped */
	double x[CURVE_POINTS];	 /* size in octaves: log2 of bytes */
	double y[CURVE_POINTS];	 /* natural logarithm of the latency in cycles */
	double monotone[CURVE_POINTS]; /* value at each point of the curve that never falls and is
					  closest to y (least absolute deviations) */
	double noise[CURVE_POINTS];  /* standard deviation of y, from the quartiles of the point and
					from nearby points; never 0 */
	double weight[CURVE_POINTS]; /* weight of each point: 1 if the points are far apart, less if
					the points are close. Ten close points around a knee are not
					ten times as much evidence as one point */
	double clean[CURVE_POINTS]; /* y with outliers limited: the distance from the monotone curve
				       is at most twice the noise */
};

/* Standard deviation of the points of one plateau without noise, as a share of the latency. The
 * program's own data occupy some lines, and cache sets fill unevenly. */
static const double floor_noise = 0.01;

/* The error of a point's median latency, as a share of its quartile range. Independent trials would
 * have a smaller error, but interference often lasts for all trials of a point. The geometric mean
 * of both sides of the range is used: interference makes one side long, but hardly moves the
 * median. */
static const double quartiles_weigh = 0.4;

/* Factor by which the noise of a doubtful point is increased. */
static const double doubt = 2;

/* If points are at least full_distance octaves apart, each point has the full weight. */
static const double full_distance = 0.2;

/* Number of points on each side of a point that are used to estimate its scatter. */
enum { NEIGHBOURS = 4 };

/* Factor from the median absolute deviation to a standard deviation. For normal noise, the factor
 * is 1.48. `deviations` is larger than 1.48 because the monotone curve follows part of the noise.
 * The value of `deviations` was found by experiments on flat curves. */
static const double deviations = 1.9;

/* Finds the monotone curve by the algorithm "pool adjacent violators": adjacent blocks with falling
 * medians become one block. */
static void find_monotone(struct curve *curve)
{
	int start[CURVE_POINTS + 1], blocks = 0;
	double level[CURVE_POINTS], values[CURVE_POINTS];

	for (int i = 0; i < curve->count; i++) {
		start[blocks] = i;
		level[blocks++] = curve->y[i];
		while (blocks > 1 && level[blocks - 2] > level[blocks - 1]) {
			size_t count = (size_t)(i + 1 - start[--blocks - 1]);

			memcpy(values, curve->y + i + 1 - count, count * sizeof(*values));
			level[blocks - 1] = stats_median(values, count);
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

/* Fills the noise, the weight and the clean value of each point. */
static void weigh(const struct curve_point *points, struct curve *curve)
{
	for (int i = 0; i < curve->count; i++) {
		const struct curve_point *point = &points[curve->index[i]];
		double near = scatter_near(curve, i), own = 0, noise;
		double below = i > 0 ? curve->x[i] - curve->x[i - 1] : full_distance;
		double above = i + 1 < curve->count ? curve->x[i + 1] - curve->x[i] : full_distance;
		double off = curve->y[i] - curve->monotone[i];

		if (point->lo > 0 && point->hi > point->cycles && point->cycles > point->lo)
			own = quartiles_weigh * 2 *
			      sqrt(log(point->hi / point->cycles) * log(point->cycles / point->lo));
		if (point->two_modes && point->mode_low > 0 && point->mode_high > point->mode_low)
			own = fmax(own, log(point->mode_high / point->mode_low) / 2);
		noise = (point->doubtful ? doubt : 1) *
			sqrt(floor_noise * floor_noise + near * near + own * own);
		curve->noise[i] = noise;
		curve->clean[i] = curve->monotone[i] + fmax(-2 * noise, fmin(2 * noise, off));
		curve->weight[i] =
			fmin(1, (fmin(below, full_distance) + fmin(above, full_distance)) /
					(2 * full_distance));
	}
}

/* Fills a curve from the first CURVE_POINTS points. The points of the curve must be in ascending
 * order of their working-set sizes. */
static void curve_make(const struct curve_point *points, int count, struct curve *curve)
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
	weigh(points, curve);
}

/* ---- Levels and knees ----
 *
 * The logarithm of the curve is divided by optimal partitioning. Each part of the curve has one of
 * two kinds:
 *
 * - a level: a straight line that is flat or rises slowly. A level is a plateau. A level rises, for
 * example, if a TLB misses more often as the working set grows. - a climb: points between plateaus,
 * which may rise in any form.
 *
 * The cost of a level is a fixed cost, plus the squared deviations of its points in units of each
 * point's noise. The cost of a climb is the same for each of its points. Dynamic programming finds
 * the partition with the lowest cost. No threshold in cycles is needed to recognise a plateau. A
 * noisy part of the curve needs more evidence for a plateau than a quiet part.
 *
 * The confidence in a knee follows from the costs of two partitions: the cheapest partition, and a
 * partition where a single level replaces both levels. The confidence in a plateau follows from its
 * cost and the cost of a climb over the same points. The difference of the costs of two partitions
 * is twice the logarithm of a ratio of likelihoods, with penalties as in BIC. Only half of the
 * difference of costs counts, because adjacent points share their noise. */
/* Fixed cost of a level, in units of the logarithm of the number of points: two parameters (begin
 * and height) and a margin. The slope of a level (a flat part of the curve) is one more parameter,
 * with the cost slope_price. */
static const double level_price = 2.5;
static const double slope_price = 1.5;
/* Cost of a point in a climb, the part of a latency curve between two plateaus. A point of a flat
 * part (level) of the curve costs 1 on average, by the definition of noise. */
static const double climb_price = 4.8;
/* Steepest slope of a flat part (level) of the curve: octaves of latency per octave of size. */
static const double steepest = 0.35;
/* Two adjacent flat parts (levels) are joined if the ratio of their latencies is below least_ratio.
 * Two flat parts (levels) that differ by fewer than least_errors standard errors are joined, too.
 * Nearly equal levels are joined, because the cheapest partition of a curve selects points that
 * exaggerate their difference. */
static const double least_ratio = 1.1;
static const double least_errors = 5;
/* The smallest flat part (level) of a curve that counts: number of points, sum of their weights,
 * and width in octaves. If the noise is higher, a level needs more points: one more point for each
 * noise_a_point of noise. */
enum { LEAST_POINTS = 3 };
static const double least_weight = 2.5;
static const double least_octaves = 0.45;
static const double noise_a_point = 0.045;
/* If the quartiles of a flat part (level) differ by more than the factor `steady`, the report shows
 * a range. */
static const double steady = 1.2;
/* If the latency of a curve is at least `over` times that of a plateau, the curve has left the
 * plateau. */
static const double over = 5;
static const double most_of_an_octave = 0.7;
/* The corner of a knee is the last point before the curve has risen by the share `leaving` of the
 * climb. In a TLB of six ways, the first page too many makes 7 of 97 accesses miss. With one page
 * too many, the latency rises by a tenth of the climb, or half as much if other processes run. */
static const double leaving = 0.04;

/* For each point of the curve: sums over all points before it. From the sums before two points, the
 * cost of the part of the curve between them is found in constant time. */
struct sums {
	double n, w, x, y, xx, xy, yy; /* n: sum of the weights of the curve's points; the other
					  fields are sums of w, w * x, w * y and so on */
};

/* A level: the points from first to last of the curve, and the line y = at + slope * (x - middle).
 */
struct level {
	int first, last;
	double cost;
	double gain; /* cost that the flat part (level) saves in comparison with a climb over the
			same points */
	double slope, at, middle;
};

struct partition {
	const struct curve *curve;
	double price, sloping;
	struct sums before[CURVE_POINTS + 1];
	int count;
	struct level level[CURVE_POINTS / LEAST_POINTS + 1];
};

static void add_up(struct partition *p)
{
	const struct curve *c = p->curve;

	p->before[0] = (struct sums){ 0 };
	for (int i = 0; i < c->count; i++) {
		struct sums *s = &p->before[i + 1];
		double w = c->weight[i] / (c->noise[i] * c->noise[i]);
		double x = c->x[i] - c->x[0], y = c->clean[i] - c->clean[0];

		*s = p->before[i];
		s->n += c->weight[i];
		s->w += w;
		s->x += w * x;
		s->y += w * y;
		s->xx += w * x * x;
		s->xy += w * x * y;
		s->yy += w * y * y;
	}
}

/* Returns the sum of the weights of the points from first to last. Close points have a lower
 * weight. */
static double weighed(const struct partition *p, int first, int last)
{
	return p->before[last + 1].n - p->before[first].n;
}

/* Returns a level over the points from first to last: flat or sloping, whichever has the lower
 * cost. */
static struct level level_over(const struct partition *p, int first, int last)
{
	const struct sums *a = &p->before[first], *b = &p->before[last + 1];
	double w = b->w - a->w, x = (b->x - a->x) / w, y = (b->y - a->y) / w;
	double xx = b->xx - a->xx - w * x * x, xy = b->xy - a->xy - w * x * y;
	double flat = fmax(0, b->yy - a->yy - w * y * y), sloped = INFINITY, slope = 0;
	struct level level = { .first = first,
		.last = last,
		.cost = flat + p->price,
		.at = y + p->curve->clean[0],
		.middle = x + p->curve->x[0] };

	if (xx > 0 && xy > 0) {
		slope = fmin(xy / xx, steepest * M_LN2);
		sloped =
			fmax(0, flat - 2 * slope * xy + slope * slope * xx) + p->price + p->sloping;
	}
	if (sloped < level.cost) {
		level.cost = sloped;
		level.slope = slope;
	}
	level.gain = climb_price * weighed(p, first, last) - level.cost;
	return level;
}

static bool long_enough(const struct partition *p, int first, int last)
{
	double points = weighed(p, first, last),
	       noise = sqrt(points / (p->before[last + 1].w - p->before[first].w));

	return last - first + 1 >= LEAST_POINTS && points >= least_weight + noise / noise_a_point &&
	       p->curve->x[last] - p->curve->x[first] >= least_octaves;
}

/* Finds the cheapest partition of the curve into levels and climbs, and stores the levels in order.
 */
static void cut(struct partition *p)
{
	int n = p->curve->count,
	    last[CURVE_POINTS]; /* last[i] is the last point of the flat part (level) that begins at
				   point i; if last[i] is i, point i belongs to a climb */
	double best[CURVE_POINTS +
		    1]; /* best[i] is the lowest cost of all points from point i on */

	best[n] = 0;
	for (int begin = n - 1; begin >= 0; begin--) {
		best[begin] = best[begin + 1] + climb_price * p->curve->weight[begin];
		last[begin] = begin;
		for (int end = begin + LEAST_POINTS - 1; end < n; end++) {
			double cost = long_enough(p, begin, end)
					      ? level_over(p, begin, end).cost + best[end + 1]
					      : INFINITY;

			if (cost < best[begin]) {
				best[begin] = cost;
				last[begin] = end;
			}
		}
	}
	for (int i = 0; i < n; i = last[i] + 1)
		if (last[i] > i)
			p->level[p->count++] = level_over(p, i, last[i]);
}

static double median_of(const struct curve *curve, const struct level *level)
{
	double values[CURVE_POINTS];
	size_t count = (size_t)(level->last + 1 - level->first);

	memcpy(values, curve->y + level->first, count * sizeof(*values));
	return stats_median(values, count);
}

/* Returns the latency at size x on the straight line that was fitted to a level. After the end of a
 * level (a flat part of the curve), its fitted line is flat. */
static double line_at(const struct curve *curve, const struct level *level, double x)
{
	double last = curve->x[level->last];

	return level->at + level->slope * (fmin(x, last) - level->middle);
}

/* Returns by how much the rise between two flat parts (levels) of the curve exceeds noise. The
 * standard error of the rise comes from the deviations of the points from the lines of both levels.
 * The deviations of the points do not depend on the place where the curve was divided into two
 * levels. */
static double rise_beyond_noise(
	const struct partition *p, const struct level *a, const struct level *b)
{
	const struct curve *curve = p->curve;
	double off[CURVE_POINTS], noise;
	int count = 0, from_a = a->last - a->first + 1, from_b = b->last - b->first + 1;

	for (int i = a->first; i <= b->last; i++)
		if (i <= a->last || i >= b->first)
			off[count++] = fabs(
				curve->y[i] - line_at(curve, i <= a->last ? a : b, curve->x[i]));
	noise = 1.48 * stats_median(off, (size_t)count);
	return median_of(curve, b) - median_of(curve, a) -
	       least_errors * noise * sqrt(1.0 / from_a + 1.0 / from_b);
}

static void join(struct partition *p, int i)
{
	double gain = fmax(p->level[i].gain, p->level[i + 1].gain);

	p->level[i] = level_over(p, p->level[i].first, p->level[i + 1].last);
	/* A wider flat part of the curve (level) is at least as certain as each of its parts. */
	p->level[i].gain = fmax(gain, p->level[i].gain);
	p->count--;
	memmove(&p->level[i + 1], &p->level[i + 2],
		(size_t)(p->count - i - 1) * sizeof(p->level[0]));
}

/* Joins adjacent flat parts (levels) of the curve if the rise between them is too small. If a curve
 * has more than PLATEAUS_MAX levels (flat parts), joins the closest levels. */
static void join_levels(struct partition *p)
{
	for (;;) {
		double least = INFINITY;
		int closest = -1;

		for (int i = 0; i + 1 < p->count; i++) {
			double rise = median_of(p->curve, &p->level[i + 1]) -
				      median_of(p->curve, &p->level[i]);

			if (rise >= log(least_ratio))
				rise = fmin(
					rise, log(least_ratio) + rise_beyond_noise(p, &p->level[i],
									 &p->level[i + 1]));
			if (rise < least) {
				least = rise;
				closest = i;
			}
		}
		if (closest < 0 || (least >= log(least_ratio) && p->count <= PLATEAUS_MAX))
			return;
		join(p, closest);
	}
}

/* Returns the confidence in a knee or plateau of the latency curve as a probability. `more` is the
 * additional cost of the alternative without this knee or plateau. */
static double confidence_from(double more)
{
	return 1 / (1 + exp(-more / 4));
}

/* Returns the first point of the curve where the monotone curve reaches the latency y. If the
 * monotone curve does not reach y, returns its last point. */
static int first_at(const struct curve *curve, double y)
{
	int i = 0;

	while (i < curve->count - 1 && curve->monotone[i] < y)
		i++;
	return i;
}

/* Returns the size in octaves where the monotone curve first reaches y, interpolated between two
 * points. */
static double crossing(const struct curve *curve, double y)
{
	int i = first_at(curve, y);

	if (i == 0 || curve->monotone[i] <= curve->monotone[i - 1])
		return curve->x[i];
	return curve->x[i - 1] +
	       (curve->x[i] - curve->x[i - 1]) *
		       fmin(1, (y - curve->monotone[i - 1]) /
				       (curve->monotone[i] - curve->monotone[i - 1]));
}

static void fill_knee(const struct partition *p, const struct level *a, const struct level *b,
	struct plateau_knee *knee)
{
	const struct curve *c = p->curve;
	double low = median_of(c, a), high = median_of(c, b), rise = high - low, past;
	double middle = crossing(c, low + rise / 2), quarter = crossing(c, low + rise / 4);
	int at = first_at(c, low + rise / 2), corner = b->first - 1;

	/* The pages of a working set may fall into cache sets by chance. If the pages fall badly,
	 * half of the accesses may miss although the working set is no larger than the cache. */
	past = crossing(
		c, fmax(low + 0.6 * rise, fmin(log((exp(low) + exp(high)) / 2), low + log(over))));
	knee->bytes = exp2(middle);
	knee->lo = exp2(fmin(quarter, c->x[at > 0 ? at - 1 : 0]));
	knee->hi = exp2(fmax(past, c->x[at]));
	knee->third = exp2(crossing(c, fmin(log((2 * exp(low) + exp(high)) / 3), low + log(over))));
	knee->gradual = middle - quarter > most_of_an_octave;
	while (corner > a->first &&
		c->monotone[corner] - line_at(c, a, c->x[corner]) > leaving * rise)
		corner--;
	knee->corner = exp2(c->x[corner]);
	knee->confidence =
		confidence_from(level_over(p, a->first, b->last).cost - a->cost - b->cost -
				climb_price * weighed(p, a->last + 1, b->first - 1));
}

static void fill_plateau(const struct curve_point *points, const struct partition *p,
	const struct level *level, struct plateau *plateau)
{
	const struct curve *curve = p->curve;
	double cycles[CURVE_POINTS], off[CURVE_POINTS], own[CURVE_POINTS];
	size_t count = 0, two = 0;

	for (int i = level->first; i <= level->last; i++, count++) {
		const struct curve_point *point = &points[curve->index[i]];

		cycles[count] = point->cycles;
		off[count] = curve->y[i] - line_at(curve, level, curve->x[i]);
		own[count] =
			point->lo > 0 && point->hi > point->lo ? log(point->hi / point->lo) : 0;
		two += point->two_modes;
	}
	stats_sort(cycles, count);
	stats_sort(off, count);
	plateau->first = curve->index[level->first];
	plateau->last = curve->index[level->last];
	plateau->from = points[plateau->first].bytes;
	plateau->to = points[plateau->last].bytes;
	plateau->cycles = stats_quantile(cycles, count, 0.5);
	plateau->lo = stats_quantile(cycles, count, 0.25);
	plateau->hi = stats_quantile(cycles, count, 0.75);
	plateau->unstable =
		stats_quantile(off, count, 0.75) - stats_quantile(off, count, 0.25) > log(steady) ||
		3 * two >= count || stats_median(own, count) > log(steady);
	plateau->confidence = confidence_from(level->gain);
}

void plateaus_find(const struct curve_point *points, int count, struct plateaus *plateaus)
{
	struct curve curve;
	struct partition p = { .curve = &curve };

	memset(plateaus, 0, sizeof(*plateaus));
	curve_make(points, count, &curve);
	if (curve.count == 0)
		return;
	add_up(&p);
	p.price = level_price * log(weighed(&p, 0, curve.count - 1) + 1);
	p.sloping = slope_price * log(weighed(&p, 0, curve.count - 1) + 1);
	if (curve.count > LEAST_POINTS)
		cut(&p);
	join_levels(&p);
	if (p.count == 0)
		p.level[p.count++] = level_over(&p, 0, curve.count - 1);
	plateaus->count = p.count;
	for (int i = 0; i < p.count; i++) {
		fill_plateau(points, &p, &p.level[i], &plateaus->plateau[i]);
		if (i > 0)
			fill_knee(&p, &p.level[i - 1], &p.level[i], &plateaus->knee[i - 1]);
	}
}

double plateaus_rise(const struct curve_point *points, int count)
{
	struct curve curve;
	double low, high;

	curve_make(points, count, &curve);
	if (curve.count < 4)
		return NAN;
	low = curve.monotone[0];
	high = curve.monotone[curve.count - 1];
	if (high - low < log(1.1) || high - low < 3 * curve.noise[0])
		return NAN;
	return exp2(curve.x[first_at(&curve, (low + high) / 2)]);
}
