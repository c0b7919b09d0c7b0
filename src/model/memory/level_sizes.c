#include "model/memory/level_sizes.h"

#include <math.h>

/* ---- Caches */

/* Sizes of real caches are 1, 3 or 5 times a power of two; `common` is the relative frequency of
 * such cache sizes. For example, 48 KiB and 1.5 MiB are less common than 32 KiB and 1 MiB; 1.25 MiB
 * is rare. stated_is_true is the weight of the size that the system states, which is usually true.
 * estimate_off is the relative error of an estimate, because pages fall into cache sets by chance.
 */
static const struct {
	int times;
	double common;
} builds[] = { { 1, 1 }, { 3, 0.6 }, { 5, 0.3 } };
static const double stated_is_true = 4;
static const double estimate_off = 0.1;

/* If the host of a virtual machine maps small pages, the pages of a working set fall into cache
 * sets by chance. The first-level cache is not affected, because its sets depend on the offset
 * within a page. In caches other than the first level, some sets overflow long before the cache is
 * full. For example, if the working set is 3/4 of a cache of 8 ways, every fourth access misses. By
 * the Poisson distribution, a set with 6 pages on average often gets more than 8 pages. If the
 * working set is 5/8 of the cache, every eighth access misses. The measured curve may therefore
 * rise too early by a factor of up to early_most, so a larger stated cache size may be right. */
static const double early_most = 1.5, early_off = 0.25;

/* A busy hyper-thread on the same core uses a part of the first-level cache, so the curve may rise
 * too early by a factor of up to shared_most. */
static const double shared_most = 1.25;

/* Level of the cache that cores share. */
enum { SHARED = 3 };

/* Returns the most common cache size in the range of the knee. If no common cache size lies in the
 * range of the knee, returns the estimate. The range of the knee is made slightly wider, because
 * the program's own data use some lines of the cache. The size that the system states only decides
 * between sizes that agree with the curve. */
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
	/* The size of a shared cache is not rounded, because a process uses only a part of a shared
	 * cache. In addition, a shared cache may have any number of slices. A core's own cache has
	 * a fixed size, even if its latency varies. */
	level->unstable = gradual || (level->number > 2 && level->unstable);
	/* The shared cache may hide the end of the core's own cache. A process may get so little of
	 * a shared cache that the curve has no flat part for the shared cache. If the shared cache
	 * has no flat part, the last knee of the curve belongs to the shared cache. */
	if (outermost && level->number == SHARED - 1 && level->stated > 0 &&
		shared > level->stated && (double)level->stated < level->bytes_lo * 0.97) {
		/* The range of the cache's size reaches from the end of the flat part of the curve
		 * to the first quarter of the rise. */
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

/* ---- TLBs */

/* The highest step of latency after the first-level cache in cycles, used if no curve of lines
 * shows a step. */
static const double first_cache_step = 16;

/* The share of the first-level cache that a busy hyper-thread on the same core leaves for this
 * process. If another hyper-thread uses the cache, the latency curve rises earlier. */
static const double sibling_leaves = 0.4;

/* Whether a cache, not a TLB, explains a rise (knee) of the latency curve that reads one line per
 * page. A measurement that reads one line in each of N pages touches N lines, which may fill a
 * cache. */
static bool is_a_caches(const struct hierarchy_input *input, const struct hierarchy *hierarchy,
	double line, const struct plateau_knee *knee, double rise)
{
	double bytes = knee->third / TLB_PAGE * line,
	       stated = input->machine ? (double)machine_cache(input->machine, 1) : 0;
	bool seen = false;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		const struct plateaus *lines = &hierarchy->lines[kind];

		seen = seen || lines->count > 1;
		for (int i = 0; i + 1 < lines->count; i++) {
			double step = lines->plateau[i + 1].cycles - lines->plateau[i].cycles;

			if (bytes > lines->knee[i].lo * (i == 0 ? sibling_leaves : 0.75) &&
				bytes < lines->knee[i].hi * 1.33 && rise < 1.8 * step &&
				rise > 0.4 * step)
				return true;
		}
	}
	/* If no curve of lines has a knee, use the size of the first-level cache that the system
	 * states. */
	return !seen && bytes > stated * 0.75 && bytes < stated * 1.33 && rise < first_cache_step;
}

/* When a TLB is full, its sets of W entries overflow one after the other. If the number of pages is
 * larger by the share 1 / W, all accesses miss. If W is four or more, a third of the accesses miss
 * when the number of pages is larger by a third of 1 / W. If the latency rises more slowly, the
 * rise begins before the TLB is full, for example because another process uses TLB entries. */
static const double fills_within = 1.25;
static const double third_within = 1.12;

/* Returns the size of the next point of the curve after `bytes`; if there is no further point,
 * returns `bytes`. The factor 1 + 1e-9 covers the rounding of logarithms. */
static double next_size(const struct hierarchy_curve *curve, double bytes)
{
	for (int i = 0; i < curve->count; i++)
		if (curve->points[i].bytes > bytes * (1 + 1e-9))
			return curve->points[i].bytes;
	return bytes;
}

static void add_tlb(struct tlbs *tlbs, const struct hierarchy_curve *curve,
	const struct plateaus *pages, int i, enum page_kind kind)
{
	const struct plateau_knee *knee = &pages->knee[i];
	const struct plateau *low = &pages->plateau[i], *high = &pages->plateau[i + 1];
	bool sharp =
		knee->hi < fills_within * knee->corner && knee->third < third_within * knee->corner;
	struct hierarchy_level tlb = { .kind = LEVEL_TLB,
		.cycles = high->cycles - low->cycles,
		.lo = high->lo - low->hi,
		.hi = high->hi - low->lo,
		.confidence = fmin(knee->confidence, low->confidence),
		.unstable = low->unstable || high->unstable || knee->gradual,
		.bytes_lo = knee->corner,
		.bytes_hi = sharp ? next_size(curve, knee->corner) : knee->hi,
		.bytes = sharp ? knee->corner : knee->third,
		.kinds = 1u << kind };
	int t = 0;

	while (t < tlbs->count &&
		(tlb.bytes > 1.4 * tlbs->level[t].bytes || tlbs->level[t].bytes > 1.4 * tlb.bytes))
		t++;
	if (t == TLBS_MAX)
		return;
	if (t == tlbs->count) {
		tlbs->count++;
	} else {
		/* If a TLB was already found with another page kind, the cost of a miss that was
		 * found first is kept. Page tables of large pages are smaller and lie in nearer
		 * caches, so their misses cost less. */
		const struct hierarchy_level *same = &tlbs->level[t];

		tlb.kinds |= same->kinds;
		tlb.cycles = same->cycles;
		tlb.lo = same->lo;
		tlb.hi = same->hi;
		/* Other processes only take TLB entries away, so the larger of two sizes is used.
		 * But a sharp rise of the latency is better evidence for a size than a gradual
		 * rise. */
		if (sharp < tlbs->sharp[t] ||
			(sharp == tlbs->sharp[t] && tlb.bytes <= same->bytes)) {
			tlbs->level[t].kinds = tlb.kinds;
			return;
		}
	}
	tlbs->level[t] = tlb;
	tlbs->sharp[t] = sharp;
}

/* A miss of the second TLB needs a page walk, so it costs more than a miss of the first TLB that
 * the second TLB answers. A step below this share of the first TLB's step is no TLB: caches that
 * other processes use cause such steps. */
static const double walk_least = 0.75;

/* Removes steps after the first TLB's step that are too small for a TLB. */
static void drop_cheap(struct tlbs *tlbs)
{
	int kept = tlbs->count > 0;

	for (int i = 1; i < tlbs->count; i++)
		if (tlbs->level[i].cycles >= walk_least * tlbs->level[0].cycles)
			tlbs->level[kept++] = tlbs->level[i];
	tlbs->count = kept;
}

void tlb_find(const struct hierarchy_input *input, const struct hierarchy *hierarchy, double line,
	struct tlbs *tlbs)
{
	static const enum page_kind kinds[] = { PAGES_4K, PAGES_AUTO, PAGES_HUGE };

	tlbs->count = 0;
	for (int k = 0; k < PAGE_KINDS; k++) {
		const struct plateaus *pages = &hierarchy->pages[kinds[k]];

		if (input->pages[kinds[k]].count < PLATEAUS_POINTS)
			continue;
		for (int i = 0; i + 1 < pages->count; i++) {
			double rise = pages->plateau[i + 1].cycles - pages->plateau[i].cycles;

			if (pages->knee[i].confidence >= KNEE_SURE &&
				pages->plateau[i].confidence >= PLATEAU_SURE &&
				!is_a_caches(input, hierarchy, line, &pages->knee[i], rise))
				add_tlb(tlbs, &input->pages[kinds[k]], pages, i, kinds[k]);
		}
	}
	for (int i = 1; i < tlbs->count; i++)
		for (int k = i; k > 0 && tlbs->level[k].bytes < tlbs->level[k - 1].bytes; k--) {
			struct hierarchy_level other = tlbs->level[k];

			tlbs->level[k] = tlbs->level[k - 1];
			tlbs->level[k - 1] = other;
		}
	drop_cheap(tlbs);
}
