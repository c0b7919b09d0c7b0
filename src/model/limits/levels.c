/* Which levels of memory serve the lines of a walk.
 *
 * Of accesses spread over S bytes at most C/S hit a level of C bytes. Levels fill from the fastest
 * on, as if no two levels held the same line: no arrangement hits more often. Of several reaches,
 * the one with the most frequent accesses is kept first. */
#include "model/limits/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A range whose lines take FAR_FROM_CACHE times the latency of the last cache is not in that cache.
 * Nor is a range that takes AS_FAR_AS_MEMORY of the latency of the largest range: a shared cache
 * may hold none of our lines. */
#define FAR_FROM_CACHE	 1.5
#define AS_FAR_AS_MEMORY 0.67

double levels_cache(const struct tally *tally, int level)
{
	const struct uarch_cache *cache = uarch_cache(tally->uarch, level + 1);

	if (tally->place->cache[level] > 0)
		return tally->place->cache[level];
	return cache && uarch_known(cache->bytes) ? cache->bytes : 0;
}

/* Bytes that lines come from. */
static double range_of(const struct tally *tally)
{
	return tally->place->range > 0 ? tally->place->range : tally->place->working_set;
}

bool levels_spill(const struct tally *tally)
{
	const struct limits_place *place = tally->place;
	double first = levels_cache(tally, L1);

	for (int i = 0; i < place->reaches; i++)
		if (first > 0 && place->reach[i].range > first)
			return true;
	return place->reaches == 0 && first > 0 &&
	       (range_of(tally) > first || place->far_range > first);
}

static bool meant(const struct limits_place *place, int reach, int ways)
{
	return ways >> place->reach[reach].way & 1;
}

double levels_lines(const struct tally *tally, int ways)
{
	const struct limits_place *place = tally->place;
	double lines = place->reaches == 0 ? place->lines : 0;

	for (int i = 0; i < place->reaches; i++)
		lines += meant(place, i, ways) ? place->reach[i].lines : 0;
	return lines;
}

/* The share of lines that caches of `bytes` together cannot hold. Of a walk inside a walk it is the
 * larger of the two shares: caches may hold all of one walk and nothing of the other. */
static double walk_beyond(const struct tally *tally, double bytes)
{
	const struct limits_place *place = tally->place;
	double near = fmax(1 - bytes / range_of(tally), 0), far = 0;

	if (place->far_lines > 0 && place->lines > 0)
		far = place->far_lines / place->lines * fmax(1 - bytes / place->far_range, 0);
	return fmax(near, far);
}

/* The lines come again: how much of a cache other data leave them is not known. */
static bool comes_again(const struct kernel_reach *reach)
{
	return reach->least > 0 && reach->least < reach->range;
}

/* The same for one reach: reaches with more frequent accesses come first. */
static double reach_beyond(const struct limits_place *place, int index, double bytes)
{
	double range = place->reach[index].range, before = 0;

	if (comes_again(&place->reach[index]))
		return fmax(1 - bytes / place->reach[index].least, 0);
	for (int i = 0; i < place->reaches; i++)
		if (place->reach[i].range < range)
			before = fmax(before, place->reach[i].range);
	if (!(range > before))
		return 0;
	return fmin(fmax((range - bytes) / (range - before), 0), 1);
}

bool levels_known(const struct level *level, bool lines)
{
	return (lines ? level->lines : level->latency) > 0;
}

static void begin(const struct tally *tally, struct level level[LEVELS])
{
	const struct limits_place *place = tally->place;
	const struct uarch_cache *first = uarch_cache(tally->uarch, 1),
				 *second = uarch_cache(tally->uarch, 2);

	level[L1] =
		(struct level){ .name = "L1", .latency = first ? first->latency : UARCH_UNKNOWN };
	level[L2] = (struct level){ .name = "L2",
		.latency = second ? second->latency : UARCH_UNKNOWN,
		.lines = second ? second->lines : UARCH_UNKNOWN };
	level[L3] = (struct level){ .name = "L3",
		.latency = place->l3.known ? place->l3.latency : UARCH_UNKNOWN,
		.lines = place->l3.known ? place->l3.lines : UARCH_UNKNOWN,
		.measured = true };
	level[MEMORY] = (struct level){ .name = "memory",
		.measured = true,
		.latency = place->memory.known ? place->memory.latency : UARCH_UNKNOWN,
		.lines = place->memory.known ? place->memory.lines : UARCH_UNKNOWN };
}

/* Raises the latency beyond the core's own caches to the one measured over a range that is no
 * larger. Where the last cache claims to hold even the largest measured range, that range counts as
 * memory, whose bandwidth is measured. */
static void raise_far(
	const struct limits_place *place, double range, double last, struct level level[LEVELS])
{
	double latency = 0, share = level[L3].share + level[MEMORY].share, cycles = 0,
	       most = place->point[MEMORY_POINTS - 1].bytes;
	double farthest = place->point[MEMORY_POINTS - 1].latency;
	bool far = most > 0 && range >= most && last > most;

	for (int i = 0; i < MEMORY_POINTS; i++)
		if (place->point[i].bytes > 0 && place->point[i].bytes <= range)
			latency = fmax(latency, place->point[i].latency);
	for (int i = L3; i <= MEMORY; i++)
		cycles += level[i].share * fmax(level[i].latency, 0);
	far = far || (last > most && farthest > 0 && share > 0 &&
			     fmax(latency, cycles / share) > AS_FAR_AS_MEMORY * farthest);
	if (!(latency * share > cycles) && !far)
		return;
	far = far || !levels_known(&level[L3], false) ||
	      latency > FAR_FROM_CACHE * level[L3].latency;
	/* No lower latency than the cache's, and no more lines a cycle than the nearer level. */
	if (far && !levels_known(&level[MEMORY], true))
		level[MEMORY].lines = level[L3].lines;
	if (latency * share > cycles)
		level[far ? MEMORY : L3].latency = latency;
	else if (far && level[L3].share > 0)
		level[MEMORY].latency = level[L3].latency;
	level[L3].share = far ? 0 : share;
	level[MEMORY].share = far ? share : 0;
}

/* index: the reach; -1: the whole walk where it has none. */
static bool spread(
	const struct tally *tally, int index, struct level level[LEVELS], const char **missing)
{
	const struct limits_place *place = tally->place;
	double bytes[LEVELS] = { levels_cache(tally, L1), levels_cache(tally, L2), place->cache[L3],
		INFINITY },
	       left = 1, together = 0;

	begin(tally, level);
	if (place->l3.known)
		bytes[L3] = fmax(bytes[L3], place->l3.bytes);
	for (int i = L1; i < LEVELS; i++) {
		/* A machine whose memory is measured and that states no L3 has none. */
		if (bytes[i] <= 0 && left > 0 && !(i == L3 && place->memory.known)) {
			*missing = level[i].name;
			return false;
		}
		together += bytes[i];
		level[i].share = fmax(left - (index < 0 ? walk_beyond(tally, together)
							: reach_beyond(place, index, together)),
			0);
		left -= level[i].share;
		if (left < 1e-12)
			left = 0;
	}
	if (index < 0)
		raise_far(place, range_of(tally), bytes[L3], level);
	else
		raise_far(place,
			comes_again(&place->reach[index]) ? place->reach[index].least
							  : place->reach[index].range,
			bytes[L3], level);
	return true;
}

bool levels_spread_reach(
	const struct tally *tally, int reach, struct level level[LEVELS], const char **missing)
{
	return spread(tally, reach, level, missing);
}

bool levels_spread(
	const struct tally *tally, int ways, struct level level[LEVELS], const char **missing)
{
	const struct limits_place *place = tally->place;
	double all = levels_lines(tally, ways), cycles[LEVELS] = { 0 };

	if (place->reaches == 0)
		return spread(tally, -1, level, missing);
	begin(tally, level);
	for (int k = 0; k < place->reaches; k++) {
		struct level one[LEVELS];

		if (!meant(place, k, ways))
			continue;
		if (!spread(tally, k, one, missing))
			return false;
		for (int i = L1; i < LEVELS && all > 0; i++) {
			double share = one[i].share * place->reach[k].lines / all;

			level[i].share += share;
			/* A level that serves nothing of a reach says nothing about its speed. */
			if (share > 0)
				level[i].lines = one[i].lines;
			/* One that is unknown makes the mean so. */
			cycles[i] +=
				share > 0 ? share * (levels_known(&one[i], false) ? one[i].latency
										  : (double)NAN)
					  : 0;
		}
	}
	for (int i = L1; i < LEVELS; i++)
		if (level[i].share > 0)
			level[i].latency =
				isnan(cycles[i]) ? UARCH_UNKNOWN : cycles[i] / level[i].share;
	return true;
}

void levels_add_missing(
	struct tally *tally, enum limit_kind kind, const struct level *level, const char *what)
{
	if (level->measured)
		limits_add_unknown(tally, kind, CAUSE_NOT_MEASURED, level->name, what);
	else
		limits_add_unknown(tally, kind, CAUSE_NOT_IN_FILE, level->name, what);
}

void levels_describe(const struct level *level, char *buffer, size_t size)
{
	*buffer = '\0';
	for (int i = L1; i < LEVELS; i++) {
		size_t length = strlen(buffer);
		double percent = level[i].share * 100;

		if (level[i].share >= 0.005 && length < size)
			snprintf(buffer + length, size - length, "%s%.0f %% %s", length ? ", " : "",
				percent, level[i].name);
	}
}
