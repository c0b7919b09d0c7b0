/* Curves of time over the fillers between two misses, made up: buffers that fill, the fillers' own
 * work, noise, and what goes wrong. */
#pragma once

#include "curves.h"

#include "model/windows/knee.h"

struct made_window {
	double latency; /* cycles of a miss */
	double width;	/* fillers a cycle */
	double knee;	/* the last number that overlaps; 0: nothing fills */
	double spread;	/* of the rise */
	double second;	/* half of the rise comes only here; 0: all at the first */
	double noise;	/* standard deviation of a point, relatively */
	double spikes;	/* share of points that read 20 to 120 % too high */
	double growth;	/* cycles of a filler, on top of all */
	double drift;	/* amplitude of a slow wave over the points in the order that they are asked
			   for */
};

static inline double made_step(double x, double knee, double spread)
{
	if (spread > 0)
		return fmin(1, fmax(0, (x - (knee - spread / 2)) / spread));
	return x > knee;
}

static inline double made_window_cycles(const struct made_window *made, double x)
{
	double share = made->knee > 0 ? made_step(x, made->knee, made->spread) : 0,
	       work = 2 * x / made->width;
	double window = made->knee > 0 ? made->knee : INFINITY, exposed;

	if (made->second > 0)
		share = 0.5 * share + 0.5 * made_step(x, made->second, 0);
	/* What of the fillers comes into the window only after the miss. */
	exposed = fmin(work, fmax(0, (2 * x - window) / made->width));
	return fmax(work, made->latency * (1 + share) + exposed) + made->growth * x;
}

static inline struct knee_point made_window_point(
	const struct made_window *made, struct random *random, int order, double x)
{
	double y = made_window_cycles(made, x), off = 1 + made->noise * made_normal(random);

	off = fmax(off, 0.3) * (1 + made->drift * sin(order * 0.37));
	if (made_uniform(random) < made->spikes)
		off *= 1.2 + made_uniform(random);
	y *= off;
	return (struct knee_point){
		.x = x, .y = y, .lo = y * (1 - made->noise), .hi = y * (1 + made->noise)
	};
}

/* Everything that is asked for, up to `most`. Returns how many points that was. */
static inline int made_search(const struct made_window *made, uint64_t seed, double most,
	struct knee_curve *curve, struct knee *knee)
{
	struct random random = { seed };
	double x;

	curve->count = 0;
	for (int order = 0; knee_next(curve, 0, most, &x); order++) {
		struct knee_point point = made_window_point(made, &random, order, x);

		assert_true(x >= 0 && x <= most && x == floor(x));
		assert_null(knee_at(curve, x));
		assert_true(knee_add(curve, &point));
	}
	knee_find(curve, most, knee);
	return curve->count;
}
