#include "model/memory/cache_size.h"

#include <math.h>

/* Sizes that caches are built with, as a multiple of a power of two, and how common they are: 48
 * KiB and 1.5 MiB are less common than 32 KiB and 1 MiB, 1.25 MiB is rare. The stated size is
 * usually true. An estimate is off by about a tenth: pages fall into a cache's sets by chance. */
static const struct {
	int times;
	double common;
} builds[] = { { 1, 1 }, { 3, 0.6 }, { 5, 0.3 } };
static const double stated_is_true = 4;
static const double estimate_off = 0.1;

/* Where the host maps small pages, those of a working set fall into a cache's sets by chance.
 * Beyond the first cache, whose sets are chosen within a page, some sets then overflow long before
 * the cache is full: in a cache of 8 ways that is 3/4 full every fourth access misses (Poisson: a
 * set of 6 pages in the mean has 8 others or more), at 5/8 every eighth. So the curve ends too
 * early, by up to this factor, and a larger stated size may be right. */
static const double early_most = 1.5, early_off = 0.25;

/* A busy sibling takes its part of the first cache. */
static const double shared_most = 1.25;

/* Number of the cache that cores share. */
enum { SHARED = 3 };

/* The likeliest size that a cache is built with in the range; else the estimate. The range is the
 * knee's own, and a little more: the program's own data take some lines. So the stated size decides
 * between sizes that the curve leaves open, and never against the curve. */
static double plausible(const struct hierarchy_level *level)
{
	double best = level->bytes, likeliest = -INFINITY;

	for (size_t b = 0; b < sizeof(builds) / sizeof(builds[0]); b++)
		for (double size = 1024.0 * builds[b].times; size <= level->bytes_hi * early_most;
			size *= 2) {
			bool stated = size == (double)level->stated,
			     early = stated && size > level->bytes;
			double off = log(size / level->bytes) / (early ? early_off : estimate_off),
			       likely = log(builds[b].common) - off * off / 2;

			if (size > level->bytes_hi *
					   (early ? level->number > 1 ? early_most : shared_most
						  : 1.04))
				continue;
			if (stated)
				likely += log(stated_is_true);
			if (size >= level->bytes_lo * 0.97 && likely > likeliest) {
				likeliest = likely;
				best = size;
			}
		}
	return best;
}

/* A shared cache may leave so little that it shows no level part. The last knee is then that of the
 * shared cache, and the end of the core's own cache is hidden in the climb. */
static bool is_hidden(const struct hierarchy_level *level, uint64_t shared)
{
	return level->number == SHARED - 1 && level->stated > 0 && shared > level->stated &&
	       (double)level->stated < level->bytes_lo * 0.97;
}

void cache_size(const struct plateau_knee *const knees[], int count, bool outermost,
	uint64_t shared, struct hierarchy_level *level)
{
	double corner = INFINITY;
	bool gradual = true;

	for (int i = 0; i < count; i++)
		gradual = gradual && knees[i]->gradual;
	level->bytes_lo = INFINITY;
	for (int i = 0; i < count; i++) {
		level->bytes_lo = fmin(level->bytes_lo, knees[i]->lo);
		corner = fmin(corner, knees[i]->corner);
		level->bytes_hi = fmax(level->bytes_hi, knees[i]->hi);
		if (gradual || !knees[i]->gradual)
			level->bytes = fmax(level->bytes, knees[i]->third);
	}
	/* A process has a part of a shared cache, and its slices come in any number: the size is
	 * not rounded. A core's own caches have the same size however much their latency varies. */
	level->unstable = gradual || (level->number > 2 && level->unstable);
	if (outermost && is_hidden(level, shared)) {
		/* From the end of the level part to half-way to memory. */
		level->bytes_hi = level->bytes_lo;
		level->bytes_lo = corner;
		level->bytes = sqrt(level->bytes_lo * level->bytes_hi);
	}
	if (level->number <= 2 && (!gradual || (level->stated > level->bytes_lo &&
						       level->stated < level->bytes_hi))) {
		level->bytes = plausible(level);
		level->bytes_hi = fmax(level->bytes_hi, level->bytes);
	}
}
