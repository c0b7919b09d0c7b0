#include "experiment/cores/core_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"

/* Largest number of trials that a pair keeps. */
enum { TRIALS_KEPT = 32 * PAIR_TRIALS };

struct core_map *core_map_new(const struct processor_place *places, int count)
{
	struct core_map *map = memory_new(1, sizeof(*map));

	map->count = count;
	map->place = memory_new((size_t)count, sizeof(*map->place));
	memcpy(map->place, places, (size_t)count * sizeof(*map->place));
	map->pairs = (unsigned)count * (unsigned)(count - 1) / 2;
	map->pair = memory_new(map->pairs, sizeof(*map->pair));
	for (unsigned i = 0; i < map->pairs; i++)
		map->pair[i] = (struct core_value){
			.ns = NAN, .lo = NAN, .hi = NAN, .least = NAN, .group = -1
		};
	return map;
}

void core_map_free(struct core_map *map)
{
	if (!map)
		return;
	for (unsigned i = 0; i < map->pairs; i++) {
		free(map->pair[i].trial);
		free(map->pair[i].shortest);
	}
	free(map->pair);
	free(map->place);
	free(map);
}

struct core_value *core_map_value(const struct core_map *map, int i, int j)
{
	int low = i < j ? i : j, high = i < j ? j : i;

	return &map->pair[high * (high - 1) / 2 + low];
}

static float *grow(float *values, size_t count)
{
	values = realloc(values, count * sizeof(*values));
	if (!values)
		abort();
	return values;
}

void core_map_add(struct core_map *map, int i, int j, const struct pair_trials *trials)
{
	struct core_value *value = core_map_value(map, i, j);
	double sorted[TRIALS_KEPT], shortest = INFINITY;

	value->rejected += trials->rejected;
	if (trials->count == 0 || value->trials + trials->count > TRIALS_KEPT)
		return;
	map->measured += value->trials == 0;
	value->trial = grow(value->trial, value->trials + trials->count);
	value->shortest = grow(value->shortest, value->visits + 1);
	for (unsigned k = 0; k < trials->count; k++) {
		value->trial[value->trials++] = (float)trials->ns[k];
		shortest = fmin(shortest, trials->ns[k]);
	}
	value->shortest[value->visits++] = (float)shortest;
	for (unsigned k = 0; k < value->visits; k++)
		sorted[k] = value->shortest[k];
	value->least = stats_median(sorted, value->visits);
	for (unsigned k = 0; k < value->trials; k++)
		sorted[k] = value->trial[k];
	stats_sort(sorted, value->trials);
	value->ns = stats_quantile(sorted, value->trials, 0.5);
	value->lo = stats_quantile(sorted, value->trials, 0.25);
	value->hi = stats_quantile(sorted, value->trials, 0.75);
}

double core_map_processor(const struct core_map *map, int i)
{
	unsigned pairs[CORE_GROUPS] = { 0 };
	int group = 0;
	size_t count = 0;
	double *ns, median;

	for (int j = 0; j < map->count; j++)
		if (j != i && core_map_value(map, i, j)->group >= 0)
			pairs[core_map_value(map, i, j)->group]++;
	for (int k = 1; k < CORE_GROUPS; k++)
		group = pairs[k] > pairs[group] ? k : group;
	ns = memory_new((size_t)map->count, sizeof(*ns));
	for (int j = 0; j < map->count; j++)
		if (j != i && core_map_value(map, i, j)->group == group)
			ns[count++] = core_map_value(map, i, j)->ns;
	median = stats_median(ns, count);
	free(ns);
	return median;
}

/* ---- the tour ---- */

static unsigned reversed(unsigned value, int bits)
{
	unsigned result = 0;

	for (int bit = 0; bit < bits; bit++)
		result |= (value >> bit & 1) << (bits - 1 - bit);
	return result;
}

/* Returns distance number `step` of the tour, for indices of `bits` bits; 0: the tour is over.
 *
 * The pairs (i, i xor distance) of one distance use each processor once. Distances from 2^k to
 * 2^(k+1) - 1 lie on one level of the tree. The tour therefore takes one distance from each level
 * in turn, and in each level from all its parts in turn. */
static unsigned distance_of(unsigned step, int bits)
{
	for (unsigned turn = 0; turn < 1u << (bits - 1); turn++)
		for (int level = 0; level < bits; level++)
			if (turn < 1u << level && step-- == 0)
				return (1u << level) + reversed(turn, level);
	return 0;
}

bool core_tour_next(struct core_tour *tour, int count, int *i, int *j)
{
	int bits = 1;
	unsigned distance;

	while (1 << bits < count)
		bits++;
	for (; (distance = distance_of(tour->step, bits)); tour->step++, tour->at = 0)
		while (tour->at < (unsigned)count) {
			unsigned from = tour->at++, to = from ^ distance;

			if (from < to && to < (unsigned)count) {
				*i = (int)from;
				*j = (int)to;
				return true;
			}
		}
	return false;
}
