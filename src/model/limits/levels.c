#include "model/limits/levels.h"

#include <math.h>

#include "model/limits/misses.h"
#include "model/memory/recency.h"

static const char *const level_names[LEVELS] = { "L1", "L2", "L3", "memory" };

/* If memory serves a smaller share of the accesses beyond L2, the latency of memory cannot be
 * computed from the mean latency. */
#define MEMORY_LEAST 0.05

double levels_cache(const struct tally *tally, int level)
{
	return tally->place->caches.level[level].bytes;
}

/* Returns the bytes of the cache lines that the kernel's memory accesses touch. A kernel that reads
 * its data in steps larger than a cache line does not touch the lines between. */
static double range_of(const struct tally *tally)
{
	const struct limits_place *place = tally->place;

	return place->walk.range > 0
		       ? place->walk.range
		       : misses_held(place->working_set, place->walk.step, LINE, false);
}

bool levels_spill(const struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double first = levels_cache(tally, L1),
	       range = walk->reaches ? 0
				     : fmax(range_of(tally) * misses_walk_crowd(walk, LINE),
					       walk->far_range);

	for (int i = 0; i < walk->reaches; i++)
		range = fmax(range, walk->reach[i].range);
	return first > 0 && range > first;
}

static bool meant(const struct kernel_walk *walk, int reach, int ways)
{
	return ways >> walk->reach[reach].way & 1;
}

double levels_lines(const struct tally *tally, int ways)
{
	const struct limits_place *place = tally->place;
	double lines = place->walk.reaches == 0 ? place->walk.lines : 0;

	for (int i = 0; i < place->walk.reaches; i++)
		lines += meant(&place->walk, i, ways) ? place->walk.reach[i].lines : 0;
	return lines;
}

static void begin(const struct tally *tally, struct level level[LEVELS])
{
	const struct memory_level *far[LEVELS] = {
		[L3] = &tally->place->measured.l3, [MEMORY] = &tally->place->measured.memory
	};

	for (int i = L1; i < LEVELS; i++) {
		const struct uarch_cache *cache = far[i] ? NULL : uarch_cache(tally->uarch, i + 1);

		level[i] =
			(struct level){ level_names[i], 0, UARCH_UNKNOWN, UARCH_UNKNOWN, far[i] };
		if (cache || (far[i] && far[i]->known)) {
			level[i].latency = cache ? cache->latency : far[i]->latency;
			level[i].lines = cache ? cache->lines : far[i]->lines;
		}
	}
	/* The bound of memory is the faster of the two ways in which it was read. */
	if (level[MEMORY].lines > 0 && memory_read_cycles(&tally->place->measured, 1) > 0)
		level[MEMORY].lines = 1 / memory_read_cycles(&tally->place->measured, 1);
}

/* Sets the latencies of L3 and memory so that their mean is the measured mean over `range` bytes. A
 * measured mean also contains effects that depend on the range, such as page table walks. */
static void fit_mean(const struct memory_facts *measured, double range, struct level level[LEVELS])
{
	double mean = memory_latency(measured, range), near = fmax(level[L3].latency, 0),
	       share = level[L3].share + level[MEMORY].share;

	if (!(mean > 0) || !(share > 0))
		return;
	if (level[MEMORY].share > MEMORY_LEAST * share && near > 0)
		level[MEMORY].latency =
			fmax((mean * share - near * level[L3].share) / level[MEMORY].share, near);
	else {
		if (near > 0 && mean > near * (1 + MEMORY_LEAST))
			level[L3].name = "L3 and memory";
		level[L3].latency = level[MEMORY].latency = mean;
	}
}

/* Returns the bytes of L3 that serve random accesses to `range` bytes, if no access waits for
 * another access. The bytes of L3 and the time until the loop reuses a line depend on each other:
 * three rounds of computing both suffice. Returns NAN if reading memory in address order is not
 * measured. */
static double fast_bytes(const struct tally *tally, double range, const struct level *level)
{
	const struct memory_facts *measured = &tally->place->measured;
	double missed = 0, bytes = 0,
	       parallel = fmax(memory_parallel(measured, tally->uarch->fact[EXTRA_MISSES]), 1);

	for (int round = 0; round < 3; round++) {
		double access = missed * level[MEMORY].latency + (1 - missed) * level[L3].latency;

		bytes = memory_fast_bytes(
			measured, levels_cache(tally, L3), range / LINE * access / parallel);
		missed = exp(-bytes / range);
	}
	return bytes;
}

/* If the memory of this machine was measured and the system states no L3, the machine has no L3.
 * In other cases, a size of 0 bytes means that the size of the cache level is unknown. */
static bool size_known(
	struct tally *tally, enum limit_kind kind, const struct level *level, int number)
{
	if (levels_cache(tally, number) > 0 ||
		(number == L3 && tally->place->measured.memory.known))
		return true;
	limits_add_unknown(tally, kind, "size of the %s cache is not known", level[number].name);
	return false;
}

/* ---- Data without parts: each line is equally likely to be used next */

/* Changes the shares of L3 and memory for loads that do not wait for each other: such loads find
 * more of their lines in a shared L3. An L3 of C bytes evicts lines at random if other processes
 * use it too, so exp(-C/range) of random accesses miss it. */
static void spread_fast(const struct tally *tally, double range, struct level level[LEVELS])
{
	const struct memory_facts *measured = &tally->place->measured;
	double beyond = level[L3].share + level[MEMORY].share, missed,
	       crowd = misses_walk_crowd(&tally->place->walk, LINE);

	if (measured->l3_walk > 0)
		level[L3].latency = measured->l3_walk;
	missed = tally->place->walk.scattered ? exp(-fast_bytes(tally, range, level) / range)
					      : 1 - memory_stream_share(measured, range * crowd);
	if (isnan(missed) || !(beyond > 0))
		return;
	level[MEMORY].share = beyond * missed;
	level[L3].share = beyond - level[MEMORY].share;
}

/* For accesses that repeat in the same order, returns the share that misses the cache `level` and
 * the caches before it. The address alone selects the set of L1, so the lines are spread evenly
 * over its sets. Other processes evict cache lines from a shared L3 at random. */
static double missed_cyclic(
	const struct tally *tally, int level, double together, const struct level *third)
{
	const struct cache_size *second = &tally->place->caches.level[L2];
	double range = range_of(tally);

	if (level == L1)
		return cache_even_missed(&tally->place->caches.level[L1],
			range * misses_walk_crowd(&tally->place->walk, LINE));
	/* Without a measured latency of L3, accesses count as hits in L2 while the data fit L2. */
	if (level == L2 && (third->latency > 0 || range > together))
		return cache_cyclic_missed(second, range);
	return fmax(1 - together / range, 0);
}

/* Returns the share of the accesses that miss caches which lack the share `lacks` of the data, if
 * each pass visits a line `visits` times. Caches that evict the line whose last use was longest ago
 * hold the lines of the last part x of a pass: a share of 1 - (1 - x)^visits of the data. A line's
 * next visit misses if none of its visits lies in that part: (1 - x)^(visits - 1). Measured on Zen
 * 5 with L1 of 48 KiB and nodes of 16 bytes in random order: 12.54 and 15.05 cycles a load over 256
 * and 512 KiB, computed 12.56 and 15.10; equally likely lines would give 12.1 and 14.9. */
static double missed_repeated(double lacks, double visits)
{
	if (!(lacks > 0))
		return 0;
	return visits > 0 ? pow(lacks, fmax(1 - 1 / visits, 0)) : lacks;
}

/* Returns the share of the accesses that miss caches of `bytes` in total. If inner-loop accesses
 * repeat over a part of the data, the result is the larger of the inner loop's and the outer loop's
 * shares. The caches may hold all lines that the inner loop accesses and no line of the outer loop,
 * or the reverse. */
static double missed_of(const struct tally *tally, double bytes)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double far = 0;

	if (walk->far_lines > 0 && walk->lines > 0)
		far = walk->far_lines / walk->lines * fmax(1 - bytes / walk->far_range, 0);
	return fmax(missed_repeated(1 - bytes / range_of(tally), walk->visits), far);
}

static bool spread_whole(
	struct tally *tally, enum limit_kind kind, enum pace pace, struct level level[LEVELS])
{
	const struct limits_place *place = tally->place;
	double left = 1, together = 0, range = range_of(tally),
	       crowd = misses_walk_crowd(&place->walk, LINE);

	if (place->walk.flushed) {
		double flushed = memory_flushed_latency(&place->measured, place->working_set);

		level[MEMORY].share = 1;
		if (flushed > 0)
			level[MEMORY].latency = flushed;
		return true;
	}
	for (int i = L1; i < MEMORY; i++) {
		if (left > 0 && !size_known(tally, kind, level, i))
			return false;
		/* Some cores choose the sets of the second-level cache by a hash of the address, as
		 * Zen 4 does. */
		together += levels_cache(tally, i) / (i == L1 ? crowd : 1);
		level[i].share =
			fmax(left - (place->walk.visits == 1
						    ? missed_cyclic(tally, i, together, &level[L3])
						    : missed_of(tally, together)),
				0);
		left -= level[i].share;
		if (left < 1e-12)
			left = 0;
	}
	level[MEMORY].share = left;
	if (pace == FAST)
		spread_fast(tally, range, level);
	else
		fit_mean(&place->measured, range, level);
	return true;
}

/* ---- Data with several parts (reaches) */

/* Sets the latency of memory so that random loads over the whole working set have their measured
 * mean latency. */
static void fit_working_set(const struct tally *tally, struct level level[LEVELS])
{
	double range = range_of(tally), own = levels_cache(tally, L1) + levels_cache(tally, L2),
	       beyond = fmax(1 - own / range, 0);
	struct level whole[LEVELS] = { [L3] = level[L3], [MEMORY] = level[MEMORY] };

	whole[MEMORY].share = fmax(1 - (own + levels_cache(tally, L3)) / range, 0);
	whole[L3].share = beyond - whole[MEMORY].share;
	if (whole[MEMORY].share > MEMORY_LEAST * beyond)
		fit_mean(&tally->place->measured, range, whole);
	level[MEMORY].latency = whole[MEMORY].latency;
}

/* Returns the share of the accesses to a part of the data that miss caches of `bytes` in total,
 * which evict each line after `age` elements. `index` is the number of the part. Prefetchers make
 * reads in address order fast, so L3 supplies more of their lines than its size suggests. */
static double missed_part(
	const struct tally *tally, enum pace pace, int index, int level, double bytes, double age)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double missed = recency_missed(walk, index, bytes, age), fast;

	if (level != L3 || pace == SLOW || walk->reach[index].way != REACH_ORDERED)
		return missed;
	fast = memory_stream_share(&tally->place->measured, walk->reach[index].range);
	return isnan(fast) ? missed : fmin(missed, 1 - fast);
}

static bool spread_parts(struct tally *tally, enum limit_kind kind, enum pace pace, int ways,
	struct level level[LEVELS])
{
	const struct memory_facts *measured = &tally->place->measured;
	const struct kernel_walk *walk = &tally->place->walk;
	double all = levels_lines(tally, ways), left = 1, together = 0;

	if (pace == FAST && measured->l3_walk > 0)
		level[L3].latency = measured->l3_walk;
	if (pace == SLOW)
		fit_working_set(tally, level);
	for (int i = L1; i < MEMORY && all > 0; i++) {
		double bytes = levels_cache(tally, i), age, missed = 0,
		       fast = i == L3 && pace == FAST ? fast_bytes(tally, range_of(tally), level)
						      : (double)NAN;

		if (left > 0 && !size_known(tally, kind, level, i))
			return false;
		together += isnan(fast) ? bytes : fast;
		age = recency_age(walk, together);
		for (int k = 0; k < walk->reaches; k++)
			if (meant(walk, k, ways))
				missed += walk->reach[k].lines / all *
					  missed_part(tally, pace, k, i, together, age);
		if (missed < 1e-12)
			missed = 0;
		level[i].share = fmax(left - missed, 0);
		left -= level[i].share;
	}
	level[MEMORY].share = all > 0 ? left : 0;
	return true;
}

/* ---- All data */

void levels_note_estimate(struct tally *tally, const struct level level[LEVELS])
{
	/* A cache may keep a part of a repeated walk that is larger than it: 13.3 cycles a load
	 * were measured on Zen 5 over 256 KiB, where each load from L2 takes 14. */
	bool evicts = tally->place->walk.reaches > 0 || tally->place->walk.visits > 0;

	tally->sampled =
		level[L3].share > 0 || level[MEMORY].share > 0 || (evicts && level[L2].share > 0);
	for (int i = L1; i < L3; i++)
		tally->sampled |= tally->place->caches.level[i].source == CACHE_MEASURED;
}

bool levels_spread(struct tally *tally, enum limit_kind kind, enum pace pace, int ways,
	struct level level[LEVELS])
{
	begin(tally, level);
	return tally->place->walk.reaches == 0 ? spread_whole(tally, kind, pace, level)
					       : spread_parts(tally, kind, pace, ways, level);
}

const struct level *levels_without(const struct level *level, int first)
{
	for (int i = first; i < LEVELS; i++)
		if (level[i].share > 0 && !(level[i].latency > 0))
			return &level[i];
	return NULL;
}

struct limit_words levels_describe(const struct level *level)
{
	struct limit_words words = { "" };

	for (int i = L1; i < LEVELS; i++)
		if (level[i].share >= 0.005)
			words_add(&words, "%s%.0f %% %s", *words.text ? ", " : "",
				level[i].share * 100, level[i].name);
	return words;
}
