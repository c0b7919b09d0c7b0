#include "model/memory/plateaus.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"

/* ---- The curve: logarithms, the noise of each point, and the monotone curve without the noise.
 *
 * Latency never falls with working-set size: a fall is noise, a disturbance, or a point with two
 * modes. So single points are compared with the best monotone curve (least absolute deviations). */
struct curve {
	int count;
	int index[CURVE_POINTS]; /* of each in the given points; those without positive cycles are
				    left out */
	double x[CURVE_POINTS];	 /* octaves: log2 of bytes */
	double y[CURVE_POINTS];	 /* natural logarithm of cycles */
	double monotone[CURVE_POINTS]; /* of y: never falls, least absolute deviations */
	double noise[CURVE_POINTS]; /* standard deviation of y, by its quartiles and the points next
				       to it; never 0 */
	double weight[CURVE_POINTS]; /* 1 where points are a quarter of an octave apart, less where
					they are closer: ten points around a knee are no tenfold
					evidence for it */
	double clean[CURVE_POINTS]; /* y, no further from the monotone curve than twice the noise */
};

/* Points on the same plateau differ by about this much without noise: the program's own data use
 * lines, and sets fill unevenly. */
static const double floor_noise = 0.01;

/* The error of a median, as a share of its quartile range. Of independent trials it would be far
 * smaller, but a disturbance lasts for all trials of a point. The narrower side counts, twice:
 * disturbed trials leave one long tail and hardly move the median. */
static const double quartiles_weigh = 0.4;

/* Factor for the noise of a doubtful point. */
static const double doubt = 2;

/* Octaves between points that count in full. */
static const double full_distance = 0.2;

/* Points on either side that show the scatter. */
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

/* Uses the first CURVE_POINTS points, in ascending order. */
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
	find_noise(points, curve);
	find_weights(curve);
	for (int i = 0; i < curve->count; i++) {
		double reach = 2 * curve->noise[i], off = curve->y[i] - curve->monotone[i];

		curve->clean[i] = curve->monotone[i] + fmax(-reach, fmin(reach, off));
	}
}

/* ---- Levels and knees ----
 *
 * Optimal partitioning of the logarithm of the curve. Every stretch of points is either
 *
 * - a level: flat, or a straight line that rises slowly: a plateau whose accesses cost a little
 * more the further it goes, as where a TLB misses more and more; or
 * - a climb: anything that rises, however it does: points between plateaus.
 *
 * A level costs its squared deviations, in units of each point's own noise, and for being
 * there; a climb costs the same for each of its points. Dynamic programming finds the cheapest
 * partition of all, so no threshold in cycles decides what a plateau is, and a noisy part of the
 * curve has to show more than a quiet one.
 *
 * Confidence in a knee compares the partition with one where a single level takes the place of
 * both, and confidence in a plateau with one where its points climb: the difference of costs is
 * twice a logarithm of likelihoods, penalties included (as BIC does), and half of it is believed,
 * since neighbouring points share their disturbances.
 */
/* Cost of a level, in logarithms of the number of points: two parameters (begin and height) and a
 * margin. A slope is one more parameter. */
static const double level_price = 2.5;
static const double slope_price = 1.5;
/* Cost of a point in a climb. A point of a level costs 1 on average, by the definition of noise. */
static const double climb_price = 4.8;
/* Steepest slope of a level: octaves of latency per octave of size. */
static const double steepest = 0.35;
/* Levels closer than this factor are joined. So are levels that differ by fewer standard errors
 * than this: the cheapest partition selects points that exaggerate the difference. */
static const double least_ratio = 1.1;
static const double least_errors = 5;
/* The shortest level, and the noise that requires one more point. */
enum { LEAST_POINTS = 3 };
static const double least_weight = 2.5;
static const double least_octaves = 0.45;
static const double noise_a_point = 0.045;
/* A level whose middle half is wider than this is reported as a range. */
static const double steady = 1.2;
/* A curve this many times above a plateau is no longer part of it. */
static const double over = 5;
static const double most_of_an_octave = 0.7;
/* The corner: the curve has risen by this share of the climb. In a TLB of six ways the first page
 * too many makes 7 of 97 accesses miss: a tenth of the climb, and half of that next to other
 * processes. */
static const double leaving = 0.04;

/* Sums over the points before each, for the cost of any stretch at once. */
struct sums {
	double n, w, x, y, xx, xy, yy; /* n: of the points' weights alone */
};

/* A level: points first…last of the curve, and the line y = at + slope * (x - middle). */
struct level {
	int first, last;
	double cost;
	double gain; /* saving over a climb of the same points */
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

/* The number of points; close points count less. */
static double weighed(const struct partition *p, int first, int last)
{
	return p->before[last + 1].n - p->before[first].n;
}

/* The cheaper of flat and sloping, over first…last. */
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

/* The cheapest partition into levels with climbs between; fills levels, in order. */
static void cut(const struct partition *p, struct level *levels, int *count)
{
	int n = p->curve->count,
	    from[CURVE_POINTS +
		    1]; /* where the level that ends before i begins; -1: i - 1 climbs */
	double best[CURVE_POINTS + 1];

	best[0] = 0;
	for (int end = 1; end <= n; end++) {
		best[end] = best[end - 1] + climb_price * p->curve->weight[end - 1];
		from[end] = -1;
		for (int begin = 0; begin < end; begin++) {
			double cost;

			if (end - begin < LEAST_POINTS)
				break;
			if (!long_enough(p, begin, end - 1))
				continue;
			cost = best[begin] + level_over(p, begin, end - 1).cost;
			if (cost < best[end]) {
				best[end] = cost;
				from[end] = begin;
			}
		}
	}
	*count = 0;
	for (int end = n; end > 0; end = from[end] < 0 ? end - 1 : from[end])
		if (from[end] >= 0)
			levels[(*count)++] = level_over(p, from[end], end - 1);
	for (int i = 0; i < *count / 2; i++) {
		struct level other = levels[i];

		levels[i] = levels[*count - 1 - i];
		levels[*count - 1 - i] = other;
	}
}

static double median_of(const struct curve *curve, const struct level *level)
{
	double values[CURVE_POINTS];
	int count = 0;

	for (int i = level->first; i <= level->last; i++)
		values[count++] = curve->y[i];
	return stats_median(values, (size_t)count);
}

/* A level's line, and level beyond its end. */
static double line_at(const struct curve *curve, const struct level *level, double x)
{
	double last = curve->x[level->last];

	return level->at + level->slope * (fmin(x, last) - level->middle);
}

/* Rise from one level to the next beyond noise: the standard error of the difference, from the
 * deviations from both lines, which do not depend on where the curve was cut. */
static double rise_beyond_noise(
	const struct partition *p, const struct level *a, const struct level *b)
{
	const struct curve *curve = p->curve;
	double off[CURVE_POINTS], noise;
	int count = 0, from_a = a->last - a->first + 1, from_b = b->last - b->first + 1;

	for (int i = a->first; i <= a->last; i++)
		off[count++] = fabs(curve->y[i] - line_at(curve, a, curve->x[i]));
	for (int i = b->first; i <= b->last; i++)
		off[count++] = fabs(curve->y[i] - line_at(curve, b, curve->x[i]));
	noise = 1.48 * stats_median(off, (size_t)count);
	return median_of(curve, b) - median_of(curve, a) -
	       least_errors * noise * sqrt(1.0 / from_a + 1.0 / from_b);
}

static void join(struct partition *p, int i)
{
	double gain = fmax(p->level[i].gain, p->level[i + 1].gain);

	p->level[i] = level_over(p, p->level[i].first, p->level[i + 1].last);
	/* A wider level is at least as certain as both of its parts. */
	p->level[i].gain = fmax(gain, p->level[i].gain);
	p->count--;
	memmove(&p->level[i + 1], &p->level[i + 2],
		(size_t)(p->count - i - 1) * sizeof(p->level[0]));
}

/* Joins levels that rise too little, and the closest levels if there are too many. */
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

/* A confidence from the additional cost of the alternative. */
static double confidence_from(double more)
{
	return 1 / (1 + exp(-more / 4));
}

/* Octaves at which the monotone curve first reaches y, between points; *point: the point after it.
 */
static double crossing(const struct curve *curve, double y, int *point)
{
	int i = 0;

	while (i < curve->count - 1 && curve->monotone[i] < y)
		i++;
	*point = i;
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
	double low = median_of(c, a), high = median_of(c, b), rise = high - low, middle, quarter,
	       past;
	int at, ignored, corner = b->first - 1;

	middle = crossing(c, low + rise / 2, &at);
	quarter = crossing(c, low + rise / 4, &ignored);
	/* A cache whose pages lie in random sets may hold the whole working set where half of the
	 * accesses miss. */
	past = crossing(c,
		fmax(low + 0.6 * rise, fmin(log((exp(low) + exp(high)) / 2), low + log(over))),
		&ignored);
	knee->bytes = exp2(middle);
	knee->lo = exp2(fmin(quarter, c->x[at > 0 ? at - 1 : 0]));
	knee->hi = exp2(fmax(past, c->x[at]));
	knee->third = exp2(
		crossing(c, fmin(log((2 * exp(low) + exp(high)) / 3), low + log(over)), &ignored));
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
		cut(&p, p.level, &p.count);
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

bool plateaus_rise(const struct curve_point *points, int count, double *below, double *above)
{
	struct curve curve;
	double low, high;

	curve_make(points, count, &curve);
	if (curve.count < 4)
		return false;
	low = curve.monotone[0];
	high = curve.monotone[curve.count - 1];
	if (high - low < log(1.1) || high - low < 3 * curve.noise[0])
		return false;
	for (int i = 0; i < curve.count; i++)
		if (curve.monotone[i] > (low + high) / 2) {
			*below = i > 0 ? exp2(curve.x[i - 1]) : 0;
			*above = exp2(curve.x[i]);
			return true;
		}
	return false;
}
