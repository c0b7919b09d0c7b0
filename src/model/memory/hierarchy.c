#include "model/memory/hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "model/memory/level_sizes.h"

enum { CACHES_MAX = 4 };

struct chain_cache {
	int plateau, knee; /* indices of the cache's plateau in the latency curve, and of the knee
			      where the cache ends, in chain->plateaus */
};

/* A latency curve of lines without the cost of the first-level TLB, and the cache or memory level
 * of each plateau. */
struct chain {
	struct plateaus plateaus;
	int cache_count;
	struct chain_cache cache[CACHES_MAX];
	int memory; /* index of the first plateau of memory; -1: no memory plateau */
};

struct found {
	struct tlbs tlbs;
	struct chain chain[PAGE_KINDS];
};

/* least_step: smallest ratio of the latencies of two adjacent levels. tlb_step: largest ratio of
 * the latencies after and before a step that a TLB can cause. */
static const double least_step = 1.35;
static const double tlb_step = 1.9;

/* Longest latency of a last-level cache, in nanoseconds and in cycles. If a level's latency is
 * longer than that of any last-level cache, the level is memory. Shared caches of large servers
 * need up to 80 ns, remote parts included. */
static const double slowest_cache_ns = 110;
static const double slowest_cache_cycles = 400;
/* If one curve is at least lower_least times as high as the curve of the other page kind, noise has
 * raised the higher curve. */
static const double lower_least = 1.08;
/* Shortest latency of memory, in nanoseconds and in cycles. */
static const double fastest_memory_ns = 50;
static const double fastest_memory_cycles = 180;

static bool slower_than(double cycles, double ghz, double ns, double otherwise)
{
	return ghz > 0 ? cycles / ghz > ns : cycles > otherwise;
}

/* ---- Caches: the curves without the cost of the first TLB */

/* A latency curve of loads of all lines, after the cost of first-level TLB misses is subtracted. */
struct cleaned {
	int count;
	struct curve_point point[CURVE_POINTS];
};

/* Subtracts the cost of first-level TLB misses from a latency curve. If accesses are in random
 * order, the share of TLB misses grows with the number of pages that the TLB does not cover. A miss
 * of the first-level TLB costs the same for all sizes. The cost of a page walk varies, because page
 * tables lie in different caches. is_a_tlbs() recognises the step of a page walk by its position,
 * because its height varies. */
static void without_tlb(const struct hierarchy_curve *curve, const struct tlbs *tlbs,
	enum page_kind kind, struct cleaned *cleaned)
{
	const struct hierarchy_level *tlb = &tlbs->level[0];

	cleaned->count = curve->count < PLATEAUS_POINTS ? 0
			 : curve->count < CURVE_POINTS	? curve->count
							: CURVE_POINTS;
	for (int i = 0; i < cleaned->count; i++) {
		struct curve_point *point = &cleaned->point[i];
		double off = 0;

		*point = curve->points[i];
		if (tlbs->count > 0 && tlb->kinds & (1u << kind) && point->bytes > tlb->bytes)
			off = fmin(
				point->cycles / 2, tlb->cycles * (1 - tlb->bytes / point->bytes));
		point->cycles -= off;
		point->lo = fmin(point->cycles, fmax(point->lo - off, point->lo / 2));
		point->hi -= off;
		if (point->two_modes) {
			point->mode_low = fmax(point->mode_low - off, point->mode_low / 2);
			point->mode_high -= off;
		}
	}
}

/* Whether a TLB explains a rise (knee) of the latency curve for loads of all lines. At a knee that
 * a TLB explains, the TLB no longer covers all pages, and the rise is not too high for a TLB. */
static bool is_a_tlbs(
	const struct found *found, const struct plateaus *plateaus, int i, enum page_kind kind)
{
	const struct plateau_knee *knee = &plateaus->knee[i];
	double rise = plateaus->plateau[i + 1].cycles - plateaus->plateau[i].cycles;

	for (int t = 0; t < found->tlbs.count; t++) {
		const struct hierarchy_level *tlb = &found->tlbs.level[t];

		if (tlb->kinds & (1u << kind) && tlb->bytes_hi > 0.8 * knee->corner &&
			tlb->bytes < 1.25 * knee->hi && rise < 1.6 * tlb->cycles)
			return true;
	}
	return false;
}

static bool holds(const struct plateau_knee *knee, uint64_t bytes)
{
	return (double)bytes > knee->lo / 1.1 && (double)bytes < knee->hi * 1.1;
}

/* Whether a small step of a curve may come from a TLB, although no curve of pages shows a TLB. The
 * step of the curve may come from a TLB only if the system states no cache whose size fits the
 * step, but states a cache at a later step. */
static bool is_beside(const struct hierarchy_input *input, const struct plateaus *plateaus, int i,
	int first, int number)
{
	uint64_t stated = input->machine ? machine_cache(input->machine, number) : 0;

	if (!stated || holds(&plateaus->knee[i], stated) ||
		plateaus->plateau[i + 1].cycles > tlb_step * plateaus->plateau[first].cycles)
		return false;
	for (int later = i + 1; later + 1 < plateaus->count; later++)
		if (holds(&plateaus->knee[later], stated))
			return true;
	return false;
}

/* Assigns the plateaus of a latency curve to cache levels and memory. The search for levels skips
 * knees of the curve that a TLB explains, and uncertain knees. A plateau is memory if its latency
 * is too long for a cache, or if the plateau follows the last cache that the system states. */
static void find_chain(
	const struct hierarchy_input *input, struct found *found, enum page_kind kind)
{
	struct chain *chain = &found->chain[kind];
	const struct plateaus *plateaus = &chain->plateaus;
	int stated = 0, last = plateaus->count - 1;

	chain->cache_count = 0;
	chain->memory = -1;
	for (int i = 0; input->machine && i < input->machine->cache_count; i++)
		if (input->machine->cache[i].level > stated)
			stated = input->machine->cache[i].level;
	for (int i = 0, first = 0; i <= last; i++) {
		const struct plateau *low = &plateaus->plateau[first];

		if (slower_than(low->cycles, input->ghz, slowest_cache_ns, slowest_cache_cycles) ||
			(stated > 0 && chain->cache_count == stated) ||
			(i == last && chain->cache_count > 0 &&
				slower_than(low->cycles, input->ghz, fastest_memory_ns,
					fastest_memory_cycles))) {
			chain->memory = first;
			return;
		}
		if (i == last || plateaus->knee[i].confidence < KNEE_SURE ||
			plateaus->plateau[i + 1].cycles < least_step * low->cycles ||
			is_a_tlbs(found, plateaus, i, kind) ||
			is_beside(input, plateaus, i, first, chain->cache_count + 1))
			continue;
		if (low->confidence >= PLATEAU_SURE && chain->cache_count < CACHES_MAX)
			chain->cache[chain->cache_count++] =
				(struct chain_cache){ .plateau = first, .knee = i };
		first = i + 1;
	}
}

/* Interpolates the cycles of a curve at a size, on a logarithmic scale. Returns INFINITY if the
 * size lies outside the curve. */
static double cycles_at(const struct cleaned *curve, double bytes)
{
	const struct curve_point *a = curve->point, *b = a + 1;

	if (curve->count < 2 || bytes < a->bytes || bytes > a[curve->count - 1].bytes)
		return INFINITY;
	for (; b->bytes < bytes; b++)
		a = b;
	return a->cycles *
	       pow(b->cycles / a->cycles, log(bytes / a->bytes) / log(b->bytes / a->bytes));
}

/* Lowers points of a curve to the curve of the other page kind, if that curve is lower. Pages of
 * one kind may share few cache sets, or another process may slow one measurement. Bad page
 * placement and other processes only add time, so the lower curve shows the cache. */
static void lower(struct cleaned *curve, const struct cleaned *other)
{
	for (int i = 0; i < curve->count; i++) {
		struct curve_point *point = &curve->point[i];
		double down = cycles_at(other, point->bytes) / point->cycles;

		/* If the difference is smaller than the factor lower_least, it is noise. */
		if (!(down > 0) || down > 1 / lower_least)
			continue;
		point->cycles *= down;
		point->lo *= down;
		point->hi *= down;
		point->two_modes = false;
	}
}

static void find_chains(const struct hierarchy_input *input, struct found *found)
{
	struct cleaned cleaned[PAGE_KINDS];

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		without_tlb(
			&input->lines[kind], &found->tlbs, (enum page_kind)kind, &cleaned[kind]);
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		struct cleaned lowered = cleaned[kind];

		if (!lowered.count)
			continue;
		if (kind != PAGES_AUTO)
			lower(&lowered, &cleaned[kind == PAGES_4K ? PAGES_HUGE : PAGES_4K]);
		plateaus_find(lowered.point, lowered.count, &found->chain[kind].plateaus);
		find_chain(input, found, (enum page_kind)kind);
	}
}

unsigned hierarchy_stated_line(const struct machine *machine)
{
	for (int i = 0; machine && i < machine->cache_count; i++)
		if (machine->cache[i].line)
			return machine->cache[i].line;
	return 0;
}

/* ---- Levels: latency and size of each level ---- */

/* SHARED is the level of the cache that cores share. If the range of the shared cache's measured
 * size is no wider than the ratio share_steady, one number describes the size. */
enum { SHARED = 3 };
static const double share_steady = 1.6;

/* memory_off: factor by which the memory latency of another run may lie outside the range of the
 * current run. If the range of the memory latency is wider than the factor memory_steady, the
 * latency is reported as unstable. */
static const double memory_off = 1.02, memory_steady = 1.07;

/* Curves in order of preference: with large pages, the TLB misses less often. */
static const enum page_kind by_worth[] = { PAGES_HUGE, PAGES_4K, PAGES_AUTO };

static const struct plateau_knee *knee_of(const struct chain *chain, int cache)
{
	return &chain->plateaus.knee[chain->cache[cache].knee];
}

/* Returns the index of the cache in another curve that ends at about the same size. Returns -1 if
 * no cache in the other curve ends at about this size. */
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

_Static_assert(CACHES_MAX + TLBS_MAX + 1 <= LEVELS_MAX, "room for caches, TLBs and memory");

static struct hierarchy_level *add_level(struct hierarchy *hierarchy, struct hierarchy_level level)
{
	struct hierarchy_level *added = &hierarchy->level[hierarchy->level_count++];

	*added = level;
	snprintf(added->name, sizeof(added->name),
		level.kind == LEVEL_MEMORY ? "memory"
		: level.kind == LEVEL_TLB  ? level.number ? "L%d DTLB" : "step"
		: level.number == 1	   ? "L1d"
					   : "L%d",
		(unsigned char)level.number);
	if (level.kind != LEVEL_TLB)
		added->entries = added->entries_lo = added->entries_hi = NAN;
	return added;
}

/* Two sizes of a cache agree if their ratio is below the factor `agreement`. */
static const double agreement = 1.12;

bool hierarchy_disagrees(const struct hierarchy_level *level)
{
	double stated = (double)level->stated;

	return stated > 0 &&
	       (stated > level->bytes_hi * agreement || stated < level->bytes_lo / agreement);
}

/* A point is near the end of a cache if it is at most this factor away from it. */
static const double near_end = 1.5;

/* Whether interference disturbed a measured point near the end of a cache. */
static bool end_is_doubtful(
	const struct hierarchy_input *input, const struct hierarchy_level *level)
{
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < input->lines[kind].count; i++) {
			const struct curve_point *point = &input->lines[kind].points[i];

			if (point->doubtful && point->bytes * near_end > level->bytes_lo &&
				point->bytes < level->bytes_hi * near_end)
				return true;
		}
	return false;
}

/* Marks the size of a core's own cache as uncertain if it is not the stated size, and the range of
 * the size contains the stated size, or interference disturbed the end of the cache. */
static void doubt_size(const struct hierarchy_input *input, struct hierarchy_level *level)
{
	double stated = (double)level->stated;

	if (level->number >= SHARED || level->bytes == stated ||
		!(end_is_doubtful(input, level) || (stated > 0 && !hierarchy_disagrees(level))))
		return;
	level->unstable = true;
	if (stated > 0 && !hierarchy_disagrees(level)) {
		level->bytes_lo = fmin(level->bytes_lo, stated);
		level->bytes_hi = fmax(level->bytes_hi, stated);
	}
}

/* Adds a cache from the leading curve, the latency curve in which most caches are visible. The
 * latency of the cache is that of the lowest plateau in all curves, because interference only adds
 * time. */
static void add_cache(const struct hierarchy_input *input, const struct found *found,
	const struct chain *leading, int number, struct hierarchy *hierarchy)
{
	const struct plateau_knee *knee = knee_of(leading, number - 1), *knees[PAGE_KINDS];
	const struct plateau *least = NULL;
	struct hierarchy_level *level;
	int count = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		const struct chain *chain = &found->chain[kind];
		int same = same_cache(chain, knee);
		/* In the curve for another page size, the cache that ends at the same size may have
		 * another number. The plateau of a cache that has another level in the other curve
		 * is not used. */
		const struct plateau *plateau =
			same == number - 1 ? &chain->plateaus.plateau[chain->cache[same].plateau]
					   : NULL;

		if (same >= 0)
			knees[count++] = knee_of(chain, same);
		if (plateau && (!least || plateau->cycles < least->cycles))
			least = plateau;
	}
	level = add_level(hierarchy,
		(struct hierarchy_level){ .kind = LEVEL_CACHE,
			.number = number,
			.cycles = least->cycles,
			.lo = least->lo,
			.hi = least->hi,
			.unstable = least->unstable,
			.confidence = fmin(least->confidence, knee->confidence),
			.stated = input->machine ? machine_cache(input->machine, number) : 0 });
	cache_size(knees, count, number == leading->cache_count,
		input->machine ? machine_cache(input->machine, SHARED) : 0, level);
	doubt_size(input, level);
}

/* Adds the shared cache if the curve shows no plateau for the shared cache, because the shared
 * cache ends soon after the core's own caches. The latency of the shared cache is taken from a
 * point of the curve after the own caches and before the end of the shared cache. */
static bool add_shared(
	const struct hierarchy_input *input, double before, struct hierarchy *hierarchy)
{
	const struct curve_point *point = NULL;

	for (int k = 0; k < PAGE_KINDS && !point; k++)
		point = hierarchy_nearest(
			&input->lines[by_worth[k]], sqrt(before * input->share.bytes));
	if (!point || !(input->share.bytes > before))
		return false;
	add_level(hierarchy, (struct hierarchy_level){ .kind = LEVEL_CACHE,
				     .number = SHARED,
				     .cycles = point->cycles,
				     .lo = point->lo,
				     .hi = point->hi,
				     .stated = machine_cache(input->machine, SHARED) });
	return true;
}

/* Replaces the size of the shared cache by the size that repeated measurements found. When this
 * function is called, the hierarchy contains only caches, L1 first. */
static void set_share(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	struct hierarchy_level *shared = &hierarchy->level[SHARED - 1];

	if (input->share.looks == 0 || !input->machine || !machine_cache(input->machine, SHARED) ||
		hierarchy->level_count < SHARED - 1)
		return;
	if (hierarchy->level_count < SHARED && !add_shared(input, shared[-1].bytes, hierarchy))
		return;
	shared->bytes = input->share.bytes;
	shared->bytes_lo = input->share.lo;
	shared->bytes_hi = input->share.hi;
	shared->looks = input->share.looks;
	shared->seconds = input->share.seconds;
	shared->unstable = shared->bytes_hi > share_steady * shared->bytes_lo;
}

/* Returns the size of the smallest page that the system granted. Some AArch64 systems use pages of
 * 16 or 64 KiB. The measurement of TLBs reads one line in each 4 KiB. If pages are larger, the
 * measurement touches each page several times, but still finds the bytes that the TLB covers. */
static double smallest_page(const struct hierarchy_input *input)
{
	static const enum page_kind kinds[] = { PAGES_4K, PAGES_AUTO };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int64_t bytes;

		if (input->got[kinds[i]] && units_parse(input->got[kinds[i]], true, &bytes) &&
			bytes >= TLB_PAGE)
			return (double)bytes;
	}
	return TLB_PAGE;
}

/* A size that is stated for a TLB explains a step whose range of sizes reaches this near to it, if
 * the step's size is not further from it than tlb_far. */
static const double tlb_near = 1.12, tlb_far = 1.5;

/* Returns the distance between a step and the stated size of a TLB, as a logarithm. Returns
 * INFINITY if the size does not explain the step. */
static double tlb_distance(const struct hierarchy_level *step, double stated)
{
	if (!(stated > 0) || stated < step->entries_lo / tlb_near ||
		stated > step->entries_hi * tlb_near ||
		fabs(log(step->entries / stated)) > log(tlb_far))
		return INFINITY;
	return fabs(log(step->entries / stated));
}

/* Numbers the steps that are TLBs. `steps` are in ascending order of size. A TLB without a stated
 * size is seen if its step disappears with huge pages, because only TLBs depend on the size of
 * pages. */
static void number_tlbs(
	const struct hierarchy_input *input, struct hierarchy_level *steps, int count)
{
	bool stated = input->tlb_stated[0] > 0 || input->tlb_stated[1] > 0;

	for (int i = 0, number = 0; i < count && !stated; i++)
		if (number < DTLBS && hierarchy_is_gone(&input->pages[PAGES_HUGE], &steps[i]))
			steps[i].number = ++number;
	for (int k = 0; k < DTLBS && stated; k++) {
		struct hierarchy_level *nearest = NULL;

		for (int i = 0; i < count; i++)
			if (steps[i].number == 0 &&
				tlb_distance(&steps[i], input->tlb_stated[k]) <
					(nearest ? tlb_distance(nearest, input->tlb_stated[k])
						 : INFINITY))
				nearest = &steps[i];
		if (nearest)
			nearest->number = k + 1;
	}
}

static void add_tlbs(
	const struct hierarchy_input *input, const struct found *found, struct hierarchy *hierarchy)
{
	struct hierarchy_level steps[TLBS_MAX];
	double page = smallest_page(input);
	int count = found->tlbs.count;

	for (int t = 0; t < count; t++) {
		struct hierarchy_level *level = &steps[t];

		*level = found->tlbs.level[t];
		level->lo = fmax(0, level->lo);
		level->entries = round(level->bytes / page);
		level->entries_lo = round(level->bytes_lo / page);
		level->entries_hi = round(level->bytes_hi / page);
	}
	number_tlbs(input, steps, count);
	for (int t = 0; t < count; t++)
		add_level(hierarchy, steps[t]);
}

/* Adds the memory level. Memory latency is measured with the largest working sets: from a quarter
 * of the maximum. Smaller working sets still hit the last cache. */
static void add_memory(
	const struct hierarchy_input *input, const struct found *found, struct hierarchy *hierarchy)
{
	for (int k = 0; k < PAGE_KINDS; k++) {
		const struct hierarchy_curve *curve = &input->lines[by_worth[k]];
		const struct chain *chain = &found->chain[by_worth[k]];
		const struct plateau *plateau;
		struct hierarchy_level level = { .kind = LEVEL_MEMORY };
		double cycles[CURVE_POINTS];
		size_t count = 0;

		if (chain->plateaus.count == 0 || chain->memory < 0)
			continue;
		plateau = &chain->plateaus.plateau[chain->memory];
		for (int i = plateau->first; i < curve->count && count < CURVE_POINTS; i++)
			if (curve->points[i].cycles > 0 &&
				curve->points[i].bytes >= curve->points[curve->count - 1].bytes / 4)
				cycles[count++] = curve->points[i].cycles;
		stats_sort(cycles, count);
		level.cycles = stats_quantile(cycles, count, 0.5);
		/* The points of the curve were measured at different times, so the lowest and the
		 * highest point show the range of the latency. */
		level.lo = stats_quantile(cycles, count, 0) / memory_off;
		level.hi = stats_quantile(cycles, count, 1) * memory_off;
		level.unstable = level.hi > memory_steady * level.lo;
		level.bytes = level.bytes_hi = INFINITY;
		level.bytes_lo = plateau->from;
		level.confidence = plateau->confidence;
		add_level(hierarchy, level);
		return;
	}
}

/* Returns the line size, if the curve of pairs rises at `rise` bytes: a power of two. A rise
 * elsewhere is noise, so the line size is then unknown (NAN). */
static double line_of(double rise)
{
	int exponent;

	return rise > 0 && frexp(rise, &exponent) == 0.5 ? rise : (double)NAN;
}

void hierarchy_find(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	struct found found = { 0 };
	const struct chain *leading =
		&found.chain[by_worth[0]]; /* the curve in which most caches are visible */
	double line;

	memset(hierarchy, 0, sizeof(*hierarchy));
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		plateaus_find(input->lines[kind].points, input->lines[kind].count,
			&hierarchy->lines[kind]);
		plateaus_find(input->pages[kind].points, input->pages[kind].count,
			&hierarchy->pages[kind]);
	}
	/* Two accesses to one line cost less than two accesses to two lines, so the curve of pairs
	 * shows the line size. */
	hierarchy->line = line_of(plateaus_rise(input->pairs.points, input->pairs.count));
	line = hierarchy->line > 0 ? hierarchy->line : hierarchy_stated_line(input->machine);
	if (!(line > 0))
		line = 64;
	tlb_find(input, hierarchy, line, &found.tlbs);
	find_chains(input, &found);
	for (int k = 1; k < PAGE_KINDS; k++)
		if (found.chain[by_worth[k]].cache_count > leading->cache_count)
			leading = &found.chain[by_worth[k]];
	for (int number = 1; number <= leading->cache_count; number++)
		add_cache(input, &found, leading, number, hierarchy);
	set_share(input, hierarchy);
	add_tlbs(input, &found, hierarchy);
	add_memory(input, &found, hierarchy);
	for (int i = 0; i < hierarchy->level_count; i++)
		hierarchy->level[i].ns =
			input->ghz > 0 ? hierarchy->level[i].cycles / input->ghz : NAN;
}

/* ---- Finding points of curves, and levels ---- */

const struct curve_point *hierarchy_nearest(const struct hierarchy_curve *curve, double bytes)
{
	const struct curve_point *nearest = NULL;

	for (int i = 0; i < curve->count; i++)
		if (!nearest || fabs(log(curve->points[i].bytes / bytes)) <
					fabs(log(nearest->bytes / bytes)))
			nearest = &curve->points[i];
	return nearest;
}

bool hierarchy_is_gone(const struct hierarchy_curve *curve, const struct hierarchy_level *tlb)
{
	return curve->count > 0 && curve->points[curve->count - 1].bytes >= 2 * tlb->bytes_hi &&
	       hierarchy_nearest(curve, 1.5 * tlb->bytes_hi)->cycles -
			       hierarchy_nearest(curve, 0.8 * tlb->bytes_lo)->cycles <
		       tlb->cycles / 4;
}

const struct hierarchy_level *hierarchy_level(
	const struct hierarchy *hierarchy, enum level_kind kind, int number)
{
	for (int i = 0; i < hierarchy->level_count; i++)
		if (hierarchy->level[i].kind == kind && hierarchy->level[i].number == number)
			return &hierarchy->level[i];
	return NULL;
}
