/* From plateaus to levels: what each answers in, and how large it is. */
#include <math.h>
#include <stdio.h>

#include "base/stats.h"
#include "model/memory/hierarchy_parts.h"

/* What caches are built with, as a multiple of a power of two, and how common that is: 48 KiB, 1.5
 * MiB and the like are less so than 32 KiB and 1 MiB, 1.25 MiB is rare. What the system states is
 * usually true. An estimate is off by about a tenth: pages lie in a cache's sets as chance will
 * have it. */
static const struct {
	int times;
	double common;
} builds[] = { { 1, 1 }, { 3, 0.6 }, { 5, 0.3 } };
static const double stated_is_true = 4;
static const double estimate_off = 0.1;

/* Where the host maps small pages, those of a working set fall into a cache's sets by chance.
 * Beyond the first cache, whose sets are chosen within a page, some sets then overflow long before
 * the cache is full: of a cache of 8 ways that is 3/4 full each fourth access misses (Poisson: a
 * set of 6 pages in the mean has 8 others or more), of 5/8 each eighth. So the curve ends too
 * early, by up to so much, and what the system states may be right although it lies beyond. */
static const double early_most = 1.5, early_off = 0.25;

/* And a busy sibling takes its part of the first cache. */
static const double shared_most = 1.25;

/* The cache that cores share. A range no wider than this, as a ratio, is a size. */
enum { SHARED = 3 };
static const double share_steady = 1.6;

/* Another run finds memory's latency so much beyond the range of this one's points; and a range
 * this wide is one that varies. */
static const double memory_off = 1.02, memory_steady = 1.07;

/* The likeliest size that a cache is built with, where one lies within the range; else the estimate
 * itself. The range is the knee's own, and a little on top: a working set shares its cache with
 * some lines of the program's. So what is stated decides between sizes that the curve leaves open,
 * and never against it. */
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

/* Which curve a figure is best taken from: large pages miss a TLB less. */
static const enum page_kind by_worth[] = { PAGES_HUGE, PAGES_4K, PAGES_AUTO };

static const struct plateau_knee *knee_of(const struct chain *chain, int cache)
{
	return &chain->plateaus.knee[chain->cache[cache].knee];
}

/* Which of another curve's caches ends at the same place, or -1. */
static int same_cache(const struct chain *chain, const struct plateau_knee *knee)
{
	double least = log(2);
	int nearest = -1;

	for (int i = 0; i < chain->cache_count; i++) {
		double off = fabs(log(knee_of(chain, i)->third / knee->third));

		if (off < least) {
			least = off;
			nearest = i;
		}
	}
	return nearest;
}

/* Of a shared cache so little may be left that it shows no level part. The knee that comes last is
 * then its own, and lies beyond the end of the core's own cache, which is hidden in the climb. */
static bool is_hidden(const struct hierarchy_level *level, uint64_t shared)
{
	return level->number == SHARED - 1 && level->stated > 0 && shared > level->stated &&
	       (double)level->stated < level->bytes_lo * 0.97;
}

/* Pages that lie badly in a cache's sets, and neighbours who share it, can only take from it: of
 * several curves the largest figure is right, but for those that climb gradually where another does
 * not. */
static void size_cache(const struct found *found, const struct plateau_knee *knee, int chain_count,
	uint64_t shared, struct hierarchy_level *level)
{
	const struct plateau_knee *knees[PAGE_KINDS];
	double corner = INFINITY;
	bool gradual = true;
	int count = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		int same = same_cache(&found->chain[kind], knee);

		if (same >= 0) {
			knees[count] = knee_of(&found->chain[kind], same);
			gradual = knees[count++]->gradual && gradual;
		}
	}
	level->bytes_lo = INFINITY;
	for (int i = 0; i < count; i++) {
		level->bytes_lo = fmin(level->bytes_lo, knees[i]->lo);
		corner = fmin(corner, knees[i]->corner);
		level->bytes_hi = fmax(level->bytes_hi, knees[i]->hi);
		if (gradual || !knees[i]->gradual)
			level->bytes = fmax(level->bytes, knees[i]->third);
	}
	/* What cores share is had in part, and its slices come in any number: nothing to be snapped
	 * to. A core's own caches have the same size however much their latency varies. */
	level->unstable = gradual || (level->number > 2 && level->unstable);
	if (level->number == chain_count && is_hidden(level, shared)) {
		/* Between where the curve leaves the level part and where it is half-way to memory.
		 */
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

static void set_latency(const struct plateau *plateau, double ghz, struct hierarchy_level *level)
{
	level->cycles = plateau->cycles;
	level->lo = plateau->lo;
	level->hi = plateau->hi;
	level->ns = ghz > 0 ? level->cycles / ghz : NAN;
	level->unstable = plateau->unstable;
}

static struct hierarchy_level *new_level(
	struct hierarchy *hierarchy, enum level_kind kind, int number)
{
	struct hierarchy_level *level;

	if (hierarchy->level_count == LEVELS_MAX)
		return NULL;
	level = &hierarchy->level[hierarchy->level_count++];
	*level = (struct hierarchy_level){ .kind = kind,
		.number = number,
		.ns = NAN,
		.entries = NAN,
		.entries_lo = NAN,
		.entries_hi = NAN };
	return level;
}

/* The curve that shows the most caches names them. */
static const struct chain *leading_chain(const struct found *found)
{
	const struct chain *most = NULL;

	for (int k = 0; k < PAGE_KINDS; k++) {
		const struct chain *chain = &found->chain[by_worth[k]];

		if (!most || chain->cache_count > most->cache_count)
			most = chain;
	}
	return most;
}

/* Of several curves' plateaus before the same knee the lowest: a neighbour can only slow it. */
static const struct plateau *fastest(
	const struct found *found, const struct plateau_knee *knee, int cache)
{
	const struct plateau *least = NULL;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		const struct chain *chain = &found->chain[kind];
		int same = same_cache(chain, knee);
		/* The same place may be the end of another cache there. */
		const struct plateau *plateau =
			same == cache ? &chain->plateaus.plateau[chain->cache[same].plateau] : NULL;

		if (plateau && (!least || plateau->cycles < least->cycles))
			least = plateau;
	}
	return least;
}

static void add_caches(
	const struct hierarchy_input *input, const struct found *found, struct hierarchy *hierarchy)
{
	const struct chain *chain = leading_chain(found);

	for (int i = 0; i < chain->cache_count; i++) {
		const struct plateau *plateau = fastest(found, knee_of(chain, i), i);
		struct hierarchy_level *level = new_level(hierarchy, LEVEL_CACHE, i + 1);

		if (!level)
			return;
		set_latency(plateau, input->ghz, level);
		level->stated = input->machine ? machine_cache(input->machine, i + 1) : 0;
		size_cache(found, knee_of(chain, i), chain->cache_count,
			input->machine ? machine_cache(input->machine, SHARED) : 0, level);
		level->confidence = fmin(plateau->confidence, knee_of(chain, i)->confidence);
		snprintf(level->name, sizeof(level->name), i == 0 ? "L1d" : "L%d",
			(unsigned char)(i + 1));
	}
}

/* The curve's point nearest to a size. */
static const struct curve_point *nearest_point(const struct hierarchy_curve *curve, double bytes)
{
	const struct curve_point *nearest = NULL;

	for (int i = 0; i < curve->count; i++)
		if (!nearest || fabs(log(curve->points[i].bytes / bytes)) <
					fabs(log(nearest->bytes / bytes)))
			nearest = &curve->points[i];
	return nearest;
}

/* Where the curve shows no level part for the shared cache, since it ends soon after the core's
 * own: what a walk takes between the two. */
static struct hierarchy_level *add_shared(
	const struct hierarchy_input *input, double before, struct hierarchy *hierarchy)
{
	const struct curve_point *point = NULL;
	struct hierarchy_level *level;

	for (int k = 0; k < PAGE_KINDS && !point; k++)
		point = nearest_point(
			&input->lines[by_worth[k]], sqrt(before * input->share.bytes));
	if (!point || !(input->share.bytes > before) ||
		!(level = new_level(hierarchy, LEVEL_CACHE, SHARED)))
		return NULL;
	level->cycles = point->cycles;
	level->lo = point->lo;
	level->hi = point->hi;
	level->ns = input->ghz > 0 ? level->cycles / input->ghz : NAN;
	level->stated = machine_cache(input->machine, SHARED);
	snprintf(level->name, sizeof(level->name), "L%d", SHARED);
	return level;
}

/* The size of the cache that cores share is what was found of it again and again. */
static void set_share(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	struct hierarchy_level *shared = NULL, *own = NULL;

	if (input->share.looks == 0 || !input->machine || !machine_cache(input->machine, SHARED))
		return;
	for (int i = 0; i < hierarchy->level_count; i++) {
		if (hierarchy->level[i].number == SHARED)
			shared = &hierarchy->level[i];
		if (hierarchy->level[i].number == SHARED - 1)
			own = &hierarchy->level[i];
	}
	if (!shared && own)
		shared = add_shared(input, own->bytes, hierarchy);
	if (!shared)
		return;
	shared->bytes = input->share.bytes;
	shared->bytes_lo = input->share.lo;
	shared->bytes_hi = input->share.hi;
	shared->looks = input->share.looks;
	shared->seconds = input->share.seconds;
	shared->unstable = shared->bytes_hi > share_steady * shared->bytes_lo;
}

static void add_tlbs(
	const struct hierarchy_input *input, const struct found *found, struct hierarchy *hierarchy)
{
	for (int t = 0; t < found->tlb_count; t++) {
		const struct tlb *tlb = &found->tlb[t];
		struct hierarchy_level *level = new_level(hierarchy, LEVEL_TLB, t + 1);

		if (!level)
			return;
		level->cycles = tlb->cycles;
		level->lo = fmax(0, tlb->lo);
		level->hi = tlb->hi;
		level->ns = input->ghz > 0 ? level->cycles / input->ghz : NAN;
		level->bytes = tlb->reach;
		level->bytes_lo = tlb->reach_lo;
		level->bytes_hi = tlb->reach_hi;
		level->entries = round(level->bytes / found->page);
		level->entries_lo = round(level->bytes_lo / found->page);
		level->entries_hi = round(level->bytes_hi / found->page);
		level->confidence = tlb->confidence;
		level->unstable = tlb->unstable;
		snprintf(level->name, sizeof(level->name), "L%d DTLB", (unsigned char)(t + 1));
	}
}

/* Memory's latency is what the largest working sets show, a quarter of the largest and up: smaller
 * ones still find lines in the last cache. */
static void add_memory(
	const struct hierarchy_input *input, const struct found *found, struct hierarchy *hierarchy)
{
	for (int k = 0; k < PAGE_KINDS; k++) {
		const struct hierarchy_curve *curve = &input->lines[by_worth[k]];
		const struct chain *chain = &found->chain[by_worth[k]];
		const struct plateau *plateau;
		struct hierarchy_level *level;
		double cycles[CURVE_POINTS];
		size_t count = 0;

		if (chain->plateaus.count == 0 || chain->memory < 0)
			continue;
		if (!(level = new_level(hierarchy, LEVEL_MEMORY, 0)))
			return;
		plateau = &chain->plateaus.plateau[chain->memory];
		set_latency(plateau, input->ghz, level);
		for (int i = plateau->first; i < curve->count && count < CURVE_POINTS; i++)
			if (curve->points[i].cycles > 0 &&
				curve->points[i].bytes >= curve->points[curve->count - 1].bytes / 4)
				cycles[count++] = curve->points[i].cycles;
		stats_sort(cycles, count);
		level->cycles = stats_quantile(cycles, count, 0.5);
		/* Each point is of another moment: all of them are the range that it varies in. */
		level->lo = stats_quantile(cycles, count, 0) / memory_off;
		level->hi = stats_quantile(cycles, count, 1) * memory_off;
		level->unstable = level->hi > memory_steady * level->lo;
		level->ns = input->ghz > 0 ? level->cycles / input->ghz : NAN;
		level->bytes = level->bytes_hi = INFINITY;
		level->bytes_lo = plateau->from;
		level->confidence = plateau->confidence;
		snprintf(level->name, sizeof(level->name), "memory");
		return;
	}
}

void hierarchy_add_levels(
	const struct hierarchy_input *input, const struct found *found, struct hierarchy *hierarchy)
{
	add_caches(input, found, hierarchy);
	set_share(input, hierarchy);
	add_tlbs(input, found, hierarchy);
	add_memory(input, found, hierarchy);
}
