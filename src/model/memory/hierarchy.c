#include "model/memory/hierarchy.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "model/memory/hierarchy_parts.h"

/* Fewer points claim nothing. */
enum { LEAST_POINTS = 8 };

/* Knees and plateaus less sure than these are passed over. */
static const double sure_knee = 0.6;
static const double sure_plateau = 0.5;

/* The next cache, or memory, is at least so much slower: a smaller step is something else's. One up
 * to the second figure may be a TLB's. */
static const double least_step = 1.35;
static const double tlb_step = 1.9;

/* The slowest that a last-level cache answers: what is slower is memory, whatever it looks like.
 * Shared caches of large servers take up to 80 ns, remote parts of them included. */
static const double slowest_cache_ns = 110;
static const double slowest_cache_cycles = 400;
/* A curve that lies so many times above the other kind's is the one that was disturbed. */
static const double lower_least = 1.08;
/* The fastest that memory answers. */
static const double fastest_memory_ns = 50;
static const double fastest_memory_cycles = 180;

static bool slower_than(double cycles, double ghz, double ns, double otherwise)
{
	return ghz > 0 ? cycles / ghz > ns : cycles > otherwise;
}

/* ---- TLBs: what the page curves show */

/* Where no curve shows what a step out of the first cache costs: less than this, cycles. */
static const double first_cache_step = 16;

/* Whether that many lines fill the first cache as the system states it, and the step is no higher
 * than one out of it. */
static bool is_stated_caches(const struct hierarchy_input *input, double bytes, double rise)
{
	double stated = input->machine ? (double)machine_cache(input->machine, 1) : 0;

	return bytes > stated * 0.75 && bytes < stated * 1.33 && rise < first_cache_step;
}

/* What a busy sibling leaves of the first cache: the step out of it then comes as early. */
static const double sibling_leaves = 0.4;

/* Of N pages one line each is walked: that many lines fill a cache too. */
static bool is_a_caches(const struct hierarchy_input *input, const struct found *found,
	const struct plateau_knee *knee, double rise)
{
	double bytes = knee->third / PAGE * found->line;
	bool seen = false;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		const struct plateaus *lines = &found->plain[kind];

		seen = seen || lines->count > 1;
		for (int i = 0; i + 1 < lines->count; i++) {
			double step = lines->plateau[i + 1].cycles - lines->plateau[i].cycles;

			if (bytes > lines->knee[i].lo * (i == 0 ? sibling_leaves : 0.75) &&
				bytes < lines->knee[i].hi * 1.33 && rise < 1.8 * step &&
				rise > 0.4 * step)
				return true;
		}
	}
	return !seen && is_stated_caches(input, bytes, rise);
}

/* From where a TLB is full its sets of W entries overflow one after the other, until at 1 / W more
 * all accesses miss: a third of them do at a third of the way, for W of four or more. What takes
 * longer begins to miss before it is full, as beside others who take entries. */
static const double fills_within = 1.25;
static const double third_within = 1.12;

/* The size of the first point beyond one, which a logarithm has been taken of, or that itself. */
static double next_size(const struct hierarchy_curve *curve, double bytes)
{
	for (int i = 0; i < curve->count; i++)
		if (curve->points[i].bytes > bytes * (1 + 1e-9))
			return curve->points[i].bytes;
	return bytes;
}

static void add_tlb(struct found *found, const struct hierarchy_curve *curve,
	const struct plateaus *pages, int i, enum page_kind kind)
{
	const struct plateau_knee *knee = &pages->knee[i];
	const struct plateau *low = &pages->plateau[i], *high = &pages->plateau[i + 1];
	bool sharp =
		knee->hi < fills_within * knee->corner && knee->third < third_within * knee->corner;
	struct tlb tlb = { .cycles = high->cycles - low->cycles,
		.lo = high->lo - low->hi,
		.hi = high->hi - low->lo,
		.confidence = fmin(knee->confidence, low->confidence),
		.unstable = low->unstable || high->unstable || knee->gradual,
		.reach_lo = knee->corner,
		.reach_hi = sharp ? next_size(curve, knee->corner) : knee->hi,
		.reach = sharp ? knee->corner : knee->third,
		.sharp = sharp };

	tlb.kinds = 1u << kind;
	for (int t = 0; t < found->tlb_count; t++) {
		struct tlb *same = &found->tlb[t];

		if (tlb.reach > 1.4 * same->reach || same->reach > 1.4 * tlb.reach)
			continue;
		/* The same, seen with other pages. A neighbour can only take entries away, so that
		 * the larger figure is right, but for a climb that is blurred where the other is
		 * not. */
		if (tlb.sharp > same->sharp ||
			(tlb.sharp == same->sharp && tlb.reach > same->reach)) {
			tlb.kinds |= same->kinds;
			/* What a miss costs is of the kind of pages that was looked at first:
			 * tables of large pages are smaller, and nearer. */
			tlb.cycles = same->cycles;
			tlb.lo = same->lo;
			tlb.hi = same->hi;
			*same = tlb;
		} else {
			same->kinds |= tlb.kinds;
		}
		return;
	}
	if (found->tlb_count < TLBS_MAX)
		found->tlb[found->tlb_count++] = tlb;
}

static void find_tlbs(
	const struct hierarchy_input *input, const struct hierarchy *hierarchy, struct found *found)
{
	static const enum page_kind kinds[] = { PAGES_4K, PAGES_AUTO, PAGES_HUGE };

	for (int k = 0; k < PAGE_KINDS; k++) {
		const struct plateaus *pages = &hierarchy->pages[kinds[k]];

		if (input->pages[kinds[k]].count < LEAST_POINTS)
			continue;
		for (int i = 0; i + 1 < pages->count; i++) {
			double rise = pages->plateau[i + 1].cycles - pages->plateau[i].cycles;

			if (pages->knee[i].confidence >= sure_knee &&
				pages->plateau[i].confidence >= sure_plateau &&
				!is_a_caches(input, found, &pages->knee[i], rise))
				add_tlb(found, &input->pages[kinds[k]], pages, i, kinds[k]);
		}
	}
	for (int i = 1; i < found->tlb_count; i++)
		for (int k = i; k > 0 && found->tlb[k].reach < found->tlb[k - 1].reach; k--) {
			struct tlb other = found->tlb[k];

			found->tlb[k] = found->tlb[k - 1];
			found->tlb[k - 1] = other;
		}
}

/* ---- Caches: what is left of the curves once the first TLB's part is taken off */

/* Random accesses to more pages than a TLB holds miss it as often as their page is not among those
 * held. The first TLB only: missing it costs the same everywhere, while a page walk depends on
 * where the page tables are, and its step is told by its place (is_a_tlbs()). */
static void without_tlb(const struct hierarchy_curve *curve, const struct found *found,
	enum page_kind kind, struct curve_point *points)
{
	for (int i = 0; i < curve->count; i++) {
		struct curve_point *point = &points[i];
		const struct tlb *tlb = &found->tlb[0];
		double off = 0;

		*point = curve->points[i];
		if (found->tlb_count > 0 && tlb->kinds & (1u << kind) && point->bytes > tlb->reach)
			off = fmin(
				point->cycles / 2, tlb->cycles * (1 - tlb->reach / point->bytes));
		point->cycles -= off;
		point->lo = fmin(point->cycles, fmax(point->lo - off, point->lo / 2));
		point->hi -= off;
		if (point->two_modes) {
			point->mode_low = fmax(point->mode_low - off, point->mode_low / 2);
			point->mode_high -= off;
		}
	}
}

/* Whether a knee of the line curve is where a TLB's reach ends, and no higher than that explains.
 */
static bool is_a_tlbs(
	const struct found *found, const struct plateaus *plateaus, int i, enum page_kind kind)
{
	const struct plateau_knee *knee = &plateaus->knee[i];
	double rise = plateaus->plateau[i + 1].cycles - plateaus->plateau[i].cycles;

	for (int t = 0; t < found->tlb_count; t++) {
		const struct tlb *tlb = &found->tlb[t];

		if (tlb->kinds & (1u << kind) && tlb->reach_hi > 0.8 * knee->corner &&
			tlb->reach < 1.25 * knee->hi && rise < 1.6 * tlb->cycles)
			return true;
	}
	return false;
}

static bool holds(const struct plateau_knee *knee, uint64_t bytes)
{
	return (double)bytes > knee->lo / 1.1 && (double)bytes < knee->hi * 1.1;
}

/* Without page curves: a small step where the system states no cache, before one where it does, may
 * be a TLB's as well. */
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

/* Which plateaus stand for which level: knees that are a TLB's, or that nobody can be sure of, are
 * passed over; and what is too slow for a cache, or comes after as many of them as the system
 * states, is memory. */
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
			(stated > 0 && chain->cache_count == stated)) {
			chain->memory = first;
			break;
		}
		if (i == last) {
			if (slower_than(low->cycles, input->ghz, fastest_memory_ns,
				    fastest_memory_cycles) &&
				chain->cache_count > 0)
				chain->memory = first;
			break;
		}
		if (plateaus->knee[i].confidence < sure_knee ||
			plateaus->plateau[i + 1].cycles < least_step * low->cycles ||
			is_a_tlbs(found, plateaus, i, kind) ||
			is_beside(input, plateaus, i, first, chain->cache_count + 1))
			continue;
		if (low->confidence >= sure_plateau && chain->cache_count < CACHES_MAX)
			chain->cache[chain->cache_count++] =
				(struct chain_cache){ .plateau = first, .knee = i };
		first = i + 1;
	}
}

/* A line curve without the first TLB's part. */
struct cleaned {
	int count;
	struct curve_point point[CURVE_POINTS];
};

/* What a curve shows at a size between its points, on a logarithmic scale; INFINITY outside them.
 */
static double cycles_at(const struct cleaned *curve, double bytes)
{
	const struct curve_point *a, *b;
	int i = 1;

	if (curve->count < 2 || bytes < curve->point[0].bytes ||
		bytes > curve->point[curve->count - 1].bytes)
		return INFINITY;
	while (i < curve->count - 1 && curve->point[i].bytes < bytes)
		i++;
	a = &curve->point[i - 1];
	b = &curve->point[i];
	return a->cycles *
	       pow(b->cycles / a->cycles, log(bytes / a->bytes) / log(b->bytes / a->bytes));
}

/* Where the memory of one kind of pages happens to fall into few sets of a cache, or a neighbour
 * came by, the curve of the other kind is the one that shows the cache: both can only slow. */
static void lower(struct cleaned *curve, const struct cleaned *other)
{
	for (int i = 0; i < curve->count; i++) {
		struct curve_point *point = &curve->point[i];
		double down = cycles_at(other, point->bytes) / point->cycles;

		/* What noise alone makes is left alone. */
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
	static const enum page_kind other[PAGE_KINDS] = {
		[PAGES_AUTO] = PAGES_AUTO, [PAGES_4K] = PAGES_HUGE, [PAGES_HUGE] = PAGES_4K
	};
	struct cleaned cleaned[PAGE_KINDS], lowered;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		struct hierarchy_curve curve = input->lines[kind];

		if (curve.count > CURVE_POINTS)
			curve.count = CURVE_POINTS;
		cleaned[kind].count = curve.count < LEAST_POINTS ? 0 : curve.count;
		if (cleaned[kind].count)
			without_tlb(&curve, found, (enum page_kind)kind, cleaned[kind].point);
	}
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		if (!cleaned[kind].count)
			continue;
		lowered = cleaned[kind];
		if (other[kind] != (enum page_kind)kind)
			lower(&lowered, &cleaned[other[kind]]);
		plateaus_find(lowered.point, lowered.count, &found->chain[kind].plateaus);
		find_chain(input, found, (enum page_kind)kind);
	}
}

/* ---- Lines */

/* Two accesses that fall into one line cost less than two that do not: the first distance at which
 * they cost more. */
static void find_line(const struct hierarchy_curve *pairs, struct hierarchy *hierarchy)
{
	if (!plateaus_rise(pairs->points, pairs->count, &hierarchy->line_lo, &hierarchy->line_hi))
		hierarchy->line_lo = hierarchy->line_hi = NAN;
	hierarchy->line = hierarchy->line_hi;
}

static unsigned stated_line(const struct machine *machine)
{
	for (int i = 0; machine && i < machine->cache_count; i++)
		if (machine->cache[i].line)
			return machine->cache[i].line;
	return 0;
}

/* "4k", or "16k" or "64k" on some systems of AArch64: a walk of one line in each 4 KiB then touches
 * each page several times, and what it finds is as far as the TLB reaches all the same. */
static double smallest_page(const struct hierarchy_input *input)
{
	static const enum page_kind kinds[] = { PAGES_4K, PAGES_AUTO };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int64_t bytes;

		if (input->got[kinds[i]] && units_parse(input->got[kinds[i]], true, &bytes) &&
			bytes >= PAGE)
			return (double)bytes;
	}
	return PAGE;
}

void hierarchy_find(const struct hierarchy_input *input, struct hierarchy *hierarchy)
{
	struct found found;

	memset(hierarchy, 0, sizeof(*hierarchy));
	memset(&found, 0, sizeof(found));
	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		plateaus_find(input->lines[kind].points, input->lines[kind].count,
			&hierarchy->lines[kind]);
		plateaus_find(input->pages[kind].points, input->pages[kind].count,
			&hierarchy->pages[kind]);
		found.plain[kind] = hierarchy->lines[kind];
	}
	find_line(&input->pairs, hierarchy);
	found.stated_line = stated_line(input->machine);
	found.line = hierarchy->line > 0 ? hierarchy->line
		     : found.stated_line ? found.stated_line
					 : 64;
	found.page = smallest_page(input);
	find_tlbs(input, hierarchy, &found);
	find_chains(input, &found);
	hierarchy_add_levels(input, &found, hierarchy);
	hierarchy_say(input, &found, hierarchy);
}

static const struct hierarchy_level *level_of(
	const struct hierarchy *hierarchy, enum level_kind kind, int number)
{
	for (int i = 0; i < hierarchy->level_count; i++)
		if (hierarchy->level[i].kind == kind && hierarchy->level[i].number == number)
			return &hierarchy->level[i];
	return NULL;
}

const struct hierarchy_level *hierarchy_cache(const struct hierarchy *hierarchy, int number)
{
	return level_of(hierarchy, LEVEL_CACHE, number);
}

const struct hierarchy_level *hierarchy_memory(const struct hierarchy *hierarchy)
{
	return level_of(hierarchy, LEVEL_MEMORY, 0);
}

const struct hierarchy_level *hierarchy_tlb(const struct hierarchy *hierarchy, int number)
{
	return level_of(hierarchy, LEVEL_TLB, number);
}
