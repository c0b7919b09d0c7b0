/* Curves of latency over working-set size as machines have them, made up: caches with sets, TLBs,
 * noise, and what goes wrong. */
#pragma once

#include "check.h"

#include "base/random.h"
#include "model/memory/plateaus.h"

enum { CURVE_MOST = 400 };

/* One level: its latency and, but for memory, its size. Pages lie in its sets by chance where ways
 * are given (physically indexed): the first sets overflow before it is full; else it overflows at
 * once. */
struct made_level {
	double cycles, bytes;
	int ways;
};

struct generated {
	struct made_level level[8];
	int levels;
	double tlb_bytes, tlb_cycles; /* a miss of it costs that on top; 0: none */
	double memory_growth;  /* of the last level, per octave past the last cache: page walks */
	double noise;	       /* standard deviation of the logarithm, each point on its own */
	double drift;	       /* amplitude of a slow wave over the whole curve */
	double spikes;	       /* share of points that read 20 to 300 % too high */
	double two_modes;      /* share of points beyond the first cache that have two modes */
	double beginning, end; /* bytes */
	double octave;	       /* points */
};

struct made_curve {
	struct curve_point point[CURVE_MOST];
	int count;
};

static inline double made_uniform(struct random *random)
{
	return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double made_normal(struct random *random)
{
	return sqrt(-2 * log(made_uniform(random))) * cos(2 * M_PI * made_uniform(random));
}

/* The share of accesses that miss: sets that hold more lines than ways miss on all of them. */
static inline double made_misses(const struct made_level *level, double bytes)
{
	double mean, probability, kept = 0;

	if (level->ways == 0)
		return bytes <= level->bytes ? 0
					     : fmin(1, (bytes - level->bytes) / level->bytes * 12);
	mean = level->ways * bytes / level->bytes;
	probability = exp(-mean);
	/* Lines in sets that hold n of them: n p(n) ÷ mean is p(n - 1). Sets that are half overfull
	 * lose everything, as far as real curves tell. */
	for (int n = 0; n < level->ways; n++) {
		kept += probability;
		probability *= mean / (n + 1);
	}
	for (int n = level->ways; n < 8 * level->ways; n++) {
		double share = fmax(0, 1 - 2.2 * (double)(n + 1 - level->ways) / level->ways);

		kept += probability * share;
		probability *= mean / (n + 1);
	}
	return 1 - fmin(1, kept);
}

static inline double made_cycles(const struct generated *made, double bytes)
{
	double cycles = made->level[0].cycles,
	       reach = made->levels > 1 ? made->level[made->levels - 2].bytes : INFINITY;

	for (int i = 0; i + 1 < made->levels; i++)
		cycles += (made->level[i + 1].cycles - made->level[i].cycles) *
			  made_misses(&made->level[i], bytes);
	if (made->tlb_bytes > 0 && bytes > made->tlb_bytes)
		cycles += made->tlb_cycles * (1 - made->tlb_bytes / bytes);
	if (bytes > reach)
		cycles *= pow(1 + made->memory_growth, log2(bytes / reach));
	return cycles;
}

static inline void made_point(const struct generated *made, double bytes, struct random *random,
	struct curve_point *point)
{
	double position = log2(bytes / made->beginning) / log2(made->end / made->beginning);
	double cycles = made_cycles(made, bytes);

	cycles *= exp(made->noise * made_normal(random) + made->drift * sin(2 * M_PI * position));
	*point = (struct curve_point){ .bytes = bytes };
	if (made_uniform(random) < made->spikes) {
		cycles *= 1.2 + 1.8 * made_uniform(random);
		point->doubtful = made_uniform(random) < 0.5;
	}
	point->cycles = cycles;
	point->lo = cycles * exp(-made->noise * made_uniform(random));
	point->hi = cycles * exp(made->noise * made_uniform(random));
	if (made->levels > 2 && bytes > made->level[0].bytes &&
		made_uniform(random) < made->two_modes) {
		point->two_modes = true;
		point->mode_low = cycles * 0.8;
		point->mode_high = cycles * 1.6;
		point->share_low = 0.3 + 0.4 * made_uniform(random);
		point->cycles = point->share_low > 0.5 ? point->mode_low : point->mode_high;
		point->lo = point->mode_low;
		point->hi = point->mode_high;
	}
}

/* Points at even distances, and closer ones from `fine_from` to `fine_to` (0: none). */
static inline void made_fill(const struct generated *made, uint64_t seed, double fine_from,
	double fine_to, struct made_curve *curve)
{
	struct random random = { seed };
	double step = exp2(1 / (made->octave > 0 ? made->octave : 4)), fine = exp2(1.0 / 32);

	curve->count = 0;
	for (double at = made->beginning; at <= made->end * 1.001 && curve->count < CURVE_MOST;) {
		double bytes = floor(at / 64) * 64;

		if (curve->count == 0 || bytes > curve->point[curve->count - 1].bytes)
			made_point(made, bytes, &random, &curve->point[curve->count++]);
		at *= at >= fine_from && at < fine_to ? fine : step;
	}
}

#define KIB 1024.0
#define MIB 1048576.0
