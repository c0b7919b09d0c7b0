/* Computes the memory limits of a walk that reads the same data again and again in the same order.
 * A cache then holds either all of these lines or none, because the least recently used line is
 * evicted just before the loop reaches it again (model/limits/misses.h). The limits are soft:
 * caches differ in which line they evict. */
#include "model/limits/tally.h"

#include <math.h>
#include <string.h>

#include "model/limits/misses.h"

enum { L1, L2, L3 };

/* Number of sets of L1: the bits of an address within a page of 4 KiB choose the set. ROWS_MOST:
 * the largest number of matrix rows whose accesses are compared. */
enum { SETS = 64, ROWS_MOST = 512 };

/* Texts about a limit do not list a cache level that supplies a smaller share of the lines. */
#define SHARE_LEAST 0.01

/* Returns the lines per cycle that L2 sends to L1: from the core's file, or measured. 0: unknown.
 * If the measured bandwidth of L2 is below that of L3, the measurement was disturbed, so L3's
 * bandwidth is used. */
static double second_lines(const struct tally *tally)
{
	const struct uarch_cache *cache = uarch_cache(tally->uarch, 2);
	const struct memory_facts *measured = &tally->place->measured;
	double skipped = tally->uarch->fact[EXTRA_SKIPPED_LINES];

	/* Some cores need longer for each line if the loop skips the lines between. */
	if (skipped > 0 && fmax(tally->place->walk.step, tally->place->walk.spacing) > LINE)
		return 1 / skipped;
	if (tally->uarch->fact[EXTRA_SUSTAINED_LINE] > 0)
		return 1 / tally->uarch->fact[EXTRA_SUSTAINED_LINE];
	return cache && cache->lines > 0
		       ? cache->lines
		       : fmax(measured->l2_lines, measured->l2_lines > 0 ? measured->l3.lines : 0);
}

/* Returns the latency of L3 for accesses to data that leave no line in L2; 0: unknown. */
static double third_latency(const struct memory_facts *measured)
{
	return measured->l3_walk > 0 ? measured->l3_walk : fmax(measured->l3.latency, 0);
}

static double known(const struct misses *misses, int level)
{
	double each = misses->level[level].each;

	return isnan(each) ? 0 : each;
}

/* Returns the cycles of an L2 miss if no prefetcher fetches the line, because each access lies on
 * another page. The elements of a line are read in several passes over the data; only the first
 * pass misses, and in it every access misses. The misses of all elements that fit the reorder
 * buffer together overlap. Returns 0 if prefetchers fetch the lines in time, or a number is
 * unknown. */
static double wait_of(const struct tally *tally, bool memory)
{
	const struct memory_facts *measured = &tally->place->measured;
	const struct kernel_walk *walk = &tally->place->walk;
	double rob = tally->uarch->fact[SIZE_ROB],
	       parallel = memory_parallel(measured, tally->uarch->fact[EXTRA_MISSES]),
	       most = parallel > 0 ? parallel : (double)INFINITY,
	       range = walk->far_lines > 0 ? walk->far_range : tally->place->working_set,
	       latency = memory ? memory_latency(measured, range) : third_latency(measured),
	       together;

	if (memory && !(latency > 0))
		latency = measured->memory.latency;
	if (!walk->apart || !uarch_known(rob) || !(tally->slots > 0))
		return 0;
	together = fmax(1, rob / tally->slots * tally->elements);
	return fmax(latency, 0) / fmin(together, most);
}

/* Returns the share of L2 misses that miss L3 too, if each access lies on another page. Other
 * processes evict lines from L3 at random until the loop comes back to a line. The time until the
 * loop reuses a line depends on the share of lines that L3 serves: three rounds of computing both
 * suffice. NAN: not measured. */
static double apart_missed(const struct tally *tally, const double beyond[3])
{
	const struct limits_place *place = tally->place;
	const struct kernel_walk *walk = &place->walk;
	double lines = second_lines(tally), near = wait_of(tally, false),
	       far = wait_of(tally, true), missed = 1, range = walk->far_range;

	if (!walk->apart || !(walk->far_lines > 0) || !(range > 0) || !(lines > 0) || !(near > 0) ||
		!(far > 0))
		return NAN;
	for (int round = 0; round < 3; round++) {
		double cycles = (beyond[L1] - beyond[L2]) / lines +
				beyond[L2] * (missed * far + (1 - missed) * near);

		missed = exp(-memory_fast_bytes(&place->measured, place->caches.level[L3].bytes,
				     range / LINE / walk->far_lines * cycles) /
			     range);
	}
	return missed;
}

/* Returns the cycles that lines from memory need, per pass through the loop's executed instructions
 * (path). */
static double far_cycles(const struct tally *tally, const double beyond[3])
{
	double each = wait_of(tally, true);

	return beyond[L3] * tally->elements * fmax(each, 0);
}

/* Adds the cycles to bring an element's lines into L1, if a cache is too small for the data and so
 * keeps no line until its next use. */
static void add_lines(struct tally *tally, const double beyond[3])
{
	const struct memory_facts *measured = &tally->place->measured;
	/* On some machines, a loop that reads one value of each line needs more cycles per line
	 * than a loop that reads all values, on others fewer. */
	double strided = memory_step_cycles(measured, tally->place->walk.step),
	       loads = (tally_all(tally->loads) + tally_all(tally->stores)) /
		       (tally->place->walk.lines * tally->elements),
	       far = tally->place->walk.step >= LINE && strided > 0
			     ? strided
			     : memory_read_cycles(measured, loads);
	const double served[] = { beyond[L1] - beyond[L2], beyond[L2] - beyond[L3], beyond[L3] },
		     line[] = { limits_second_cycles(tally, second_lines(tally)),
			     measured->l3.lines > 0 ? 1 / measured->l3.lines : 0, far };
	static const char *const names[] = { "L2", "L3", "memory" };
	struct limit_words words = { "" }, cost;
	double cycles = 0;

	for (int i = 0; i < 3; i++) {
		double each = fmax(line[i], i > 0 ? wait_of(tally, i == 2) : 0);

		if (!(served[i] > 0) || !(each > 0))
			continue;
		cycles += served[i] * tally->elements * each;
		if (served[i] < SHARE_LEAST * beyond[L1])
			continue;
		cost = words_number(each);
		words_add(&words, "%s%s from %s at %s cycle%s", *words.text ? ", " : "",
			words_number(served[i] * tally->elements / tally->turns).text, names[i],
			cost.text, strcmp(cost.text, "1") == 0 ? "" : "s");
	}
	limits_add(tally, LIMIT_EVICTED, cycles, "lines that are evicted before their next use: %s",
		words.text);
	/* The bandwidth of memory alone says too little if the loop reads one value of each line.
	 */
	if (measured->memory.known && served[2] > SHARE_LEAST * beyond[L1] &&
		tally->place->walk.step >= LINE && !(strided > 0))
		tally->limits->incomplete = true;
}

/* Adds the limit of loads that cannot begin while missing lines are written into L1. A loop with
 * many loads to general registers uses all load ports in every cycle, so an arriving line must keep
 * a load from beginning. */
static void add_fills(struct tally *tally, double lines)
{
	double each = tally->uarch->fact[EXTRA_LINE_FILL], cap = tally->uarch->fact[CAP_LOADS],
	       loads = tally->loads[ACCESS_GENERAL];

	if (!(each > 0) || !(cap > 0) || !(lines > 0) || tally->loads[ACCESS_VECTOR] > 0)
		return;
	limits_add(tally, LIMIT_EVICTED, loads / cap + lines * each,
		"%s loads, %s a cycle, which wait %s cycle%s for each of %s line%s that arrive%s",
		words_turn(tally, loads).text, words_number(cap).text, words_number(each).text,
		each == 1 ? "" : "s", words_turn(tally, lines).text, words_s(tally, lines),
		*words_s(tally, lines) ? "" : "s");
}

/* Adds the limit of loads that begin twice: their line comes from L2, so they begin again when it
 * has arrived, and take a load port each time. Prefetchers fetch the `lines` of a slower loop in
 * time. `missing` is the share of the loads whose lines L1 does not hold. */
static void add_missed_loads(struct tally *tally, double missing, double lines)
{
	const double *fact = tally->uarch->fact;
	double each = fact[EXTRA_MISSED_LOAD], cap = fact[CAP_LOADS],
	       loads = tally_all(tally->loads), missed = loads * missing,
	       cycles = (loads + (each - 1) * missed) / cap, slow = fact[EXTRA_PREFETCHED_LINE];

	if (!(each > 1) || !(cap > 0) || !(missed > 0))
		return;
	if (slow > 0)
		cycles = fmin(cycles, lines * slow);
	limits_add(tally, LIMIT_EVICTED, cycles,
		"%s load%s, %s a cycle; those whose line has not arrived begin again",
		words_turn(tally, loads).text, words_s(tally, loads), words_number(cap).text);
}

/* Returns the number of matrix rows whose accesses fit the reorder buffer together, in a loop that
 * moves down a column. */
static int rows_in_buffer(const struct tally *tally)
{
	double rob = tally->uarch->fact[SIZE_ROB];

	return uarch_known(rob) && tally->slots > 0
		       ? (int)fmin(rob / tally->slots * tally->elements, ROWS_MOST)
		       : 0;
}

/* Returns the set of L1 in which an access at `bytes` from the first access lies. The address bits
 * within a page choose the set. */
static int set_of(double bytes)
{
	return (int)(fmod(floor(bytes / LINE), SETS));
}

/* Returns the cycles for which a store waits for its line if L1 has evicted the line, or never
 * had it. If all matrix rows use the same few cache sets, each line is soon evicted again, so the
 * wait is longer than the latency of L2: the core file has the measured cycles, `again`. `beyond`
 * has the lines per element that miss L1, L2 and L3. 0: a latency is unknown. */
static double fetch_cycles(const struct tally *tally, const double beyond[3], double again)
{
	const struct limits_place *place = tally->place;
	const struct uarch_cache *second = uarch_cache(tally->uarch, 2);
	double near = (beyond[L1] - beyond[L2]) / beyond[L1],
	       third = (beyond[L2] - beyond[L3]) / beyond[L1],
	       latency = third_latency(&place->measured);

	if (again > 0 && misses_walk_crowd(&place->walk, LINE) > 1)
		return again;
	if (!second || !(second->latency > 0) || (third > 0 && !(latency > 0)))
		return 0;
	return near * second->latency + third * latency;
}

/* Adds the limit of loads and stores to rows that compete for few sets of L1. If the accesses in
 * the reorder buffer need more lines of a set than it has ways, a loaded line leaves L1 before the
 * store to it, and a prefetched line before the store that it is for. A store to a line that has
 * left L1 fetches the line again. Stores leave the store queue in order, so only stores to
 * different sets fetch their lines at the same time. */
static void add_conflicts(struct tally *tally, const double beyond[3])
{
	const struct limits_place *place = tally->place;
	const double *fact = tally->uarch->fact;
	double spacing = place->walk.spacing, columns = place->walk.lines, cycles,
	       changed = place->walk.changed, overwritten = place->walk.overwritten;
	int ways = (int)(place->caches.level[L1].bytes / (SETS * LINE)), fullest = 0,
	    rows = rows_in_buffer(tally), count[SETS] = { 0 }, least = SETS;

	if (!(spacing > 0) || ways < 1 || !(changed + overwritten > 0) || !(beyond[L1] > 0))
		return;
	for (int row = 0; row < rows; row++) {
		int set = set_of(row * spacing), different = 0;
		bool seen[SETS] = { false };

		fullest = count[set] + 1 > fullest ? count[set] + 1 : fullest;
		count[set]++;
		for (int next = row; next < row + ways; next++) {
			different += !seen[set_of(next * spacing)];
			seen[set_of(next * spacing)] = true;
		}
		least = different < least ? different : least;
	}
	if (fullest * columns <= ways)
		return;
	cycles = (changed * fetch_cycles(tally, beyond, fact[EXTRA_STORE_REFETCH]) +
			 overwritten * fetch_cycles(tally, beyond, fact[EXTRA_STORE_FETCH])) /
		 least;
	limits_add(tally, LIMIT_EVICTED, cycles * tally->elements + far_cycles(tally, beyond),
		"%s lines compete for a set of L1 with %d: each store fetches its line%s, %s at a "
		"time",
		words_number(fullest * columns).text, ways, changed > 0 ? " again" : "",
		words_number(least).text);
}

/* Adds the limit of accesses each of which lies on another page, if the TLBs do not cover the
 * pages. The page walks of independent accesses overlap as far as was measured. */
static void add_walks(struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double pages = walk->range / LINE,
	       each = memory_page_cycles(&tally->place->measured, pages, false);

	if (walk->apart && each > 0)
		limits_add(tally, LIMIT_PAGE_WALKS, walk->lines * tally->elements * each,
			"%s accesses to %.0f pages in turn: %s cycles each, as many page walks "
			"overlap",
			words_turn(tally, walk->lines * tally->elements).text, pages,
			words_number(each).text);
}

void limits_ordered(struct tally *tally)
{
	const struct limits_place *place = tally->place;
	const struct kernel_walk *walk = &place->walk;
	double *beyond = tally->limits->beyond,
	       touched = misses_held(place->working_set, walk->step, LINE, true),
	       fast = memory_stream_share(&place->measured, touched), missed;
	struct misses misses;

	if (walk->reaches > 0 || walk->scattered || !(walk->lines > 0))
		return;
	misses_find(walk, walk->far_lines > 0 ? walk->range : place->working_set, &place->caches,
		&misses);
	if (!misses.known || isnan(misses.level[L1].each) || isnan(misses.level[L2].each))
		return;
	/* If the machine has no L3, memory supplies the lines that L2 does not hold. */
	for (int i = L1; i <= L3; i++)
		beyond[i] =
			i == L3 && isnan(misses.level[L3].each) ? beyond[L2] : known(&misses, i);
	/* Prefetchers make accesses in address order fast, so L3 supplies more lines than its size
	 * suggests. */
	if (!walk->apart && isfinite(fast))
		beyond[L3] = fmin(beyond[L3], beyond[L2] * (1 - fast));
	missed = apart_missed(tally, beyond);
	if (isfinite(missed))
		beyond[L3] *= missed;
	tally->sampled = true;
	add_lines(tally, beyond);
	add_fills(tally, beyond[L1] * tally->elements);
	add_missed_loads(tally, fmin(beyond[L1] / walk->lines, 1), beyond[L1] * tally->elements);
	add_conflicts(tally, beyond);
	add_walks(tally);
	tally->sampled = false;
}
