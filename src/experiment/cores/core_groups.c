/* Groups of pairs of processors by their latency, and the names of these groups. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/cores/core_map.h"

/* A group is a hill in the density of the latencies over a logarithmic scale. BIN: width of a bin
 * of the scale. SIGMA: width, in bins, of the Gauss curve that each latency adds. VALLEY: two hills
 * are two groups if the lower hill is at least VALLEY times as high as the valley between them. */
#define BIN    0.01
#define SIGMA  5
#define VALLEY 3.0
enum { REACH = 3 * SIGMA, BINS = 2048 };

/* A hill of fewer pairs is noise, unless it has more pairs of a relation than each other hill. */
enum { PAIRS_LEAST = 3 };

struct density {
	int count;    /* number of bins */
	double first; /* the logarithm of the latency of bin 0, in nanoseconds */
	double height[BINS];
	int hill[BINS];	   /* number of the bin's hill; -1: none */
	double peak[BINS]; /* height of each hill */
	int hills;
};

static int bin_of(const struct density *density, double ns)
{
	int bin = (int)lround((log(ns) - density->first) / BIN);

	return bin < 0 ? 0 : bin >= density->count ? density->count - 1 : bin;
}

static bool has_value(const struct core_value *value)
{
	return value->trials > 0 && value->ns > 0;
}

static void fill_density(struct density *density, const struct core_map *map)
{
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < map->pairs; i++)
		if (has_value(&map->pair[i])) {
			least = fmin(least, map->pair[i].ns);
			most = fmax(most, map->pair[i].ns);
		}
	density->first = log(least) - (REACH + 1) * BIN;
	density->count = (int)(log(most / least) / BIN) + 2 * REACH + 4;
	density->count = density->count < BINS ? density->count : BINS;
	for (unsigned i = 0; i < map->pairs; i++)
		if (has_value(&map->pair[i])) {
			int middle = bin_of(density, map->pair[i].ns);

			for (int off = -REACH; off <= REACH; off++)
				if (middle + off >= 0 && middle + off < density->count)
					density->height[middle + off] +=
						exp(-0.5 * off * off / (SIGMA * SIGMA));
		}
}

static void rename_hill(struct density *density, int from, int to)
{
	for (int i = 0; i < density->count; i++)
		if (density->hill[i] == from)
			density->hill[i] = to;
}

/* Adds a bin to a hill next to it, or begins a hill. If the bin lies in a low valley between two
 * hills, joins the hills. The caller adds the highest bins first. */
static void add_bin(struct density *density, int bin)
{
	int left = bin > 0 ? density->hill[bin - 1] : -1;
	int right = bin + 1 < density->count ? density->hill[bin + 1] : -1;

	if (left < 0 && right < 0) {
		density->hill[bin] = density->hills;
		density->peak[density->hills++] = density->height[bin];
		return;
	}
	if (left >= 0 && right >= 0 && left != right) {
		int lower = density->peak[left] < density->peak[right] ? left : right;
		int higher = lower == left ? right : left;

		if (density->peak[lower] < VALLEY * density->height[bin])
			rename_hill(density, lower, higher);
		density->hill[bin] = higher;
		return;
	}
	density->hill[bin] = left >= 0 ? left : right;
}

static void find_hills(struct density *density)
{
	for (int i = 0; i < density->count; i++)
		density->hill[i] = -1;
	for (;;) {
		int highest = -1;

		for (int i = 0; i < density->count; i++)
			if (density->hill[i] < 0 && density->height[i] > 0 &&
				(highest < 0 || density->height[i] > density->height[highest]))
				highest = i;
		if (highest < 0)
			return;
		add_bin(density, highest);
	}
}

/* ---- from hills to groups ---- */

/* The number of pairs of a hill or group: all pairs, and the pairs of each relation. */
struct share {
	unsigned pairs, of[RELATIONS];
	double sum;  /* sum of the logarithms of the latencies */
	int becomes; /* index of the group to which the hill belongs */
};

static enum place_relation relation_of(const struct core_map *map, int i, int j)
{
	return place_relation(&map->place[i], &map->place[j]);
}

/* Whether a share has more pairs of a relation than each other share. */
static bool leads(const struct share *share, int count, int which, int relation)
{
	for (int i = 0; i < count; i++)
		if (i != which && share[i].of[relation] >= share[which].of[relation])
			return false;
	return share[which].of[relation] > 0;
}

static bool leads_any(const struct share *share, int count, int which)
{
	for (int relation = 0; relation < RELATIONS; relation++)
		if (leads(share, count, which, relation))
			return true;
	return false;
}

/* Sets share.becomes: hills with many pairs become groups, the fastest first; each other hill joins
 * the nearest group. Returns the number of groups. */
static int number_groups(struct share *share, int count)
{
	int groups = 0;

	for (int i = 0; i < count; i++)
		share[i].becomes = -1;
	while (groups < CORE_GROUPS) {
		int next = -1;

		for (int i = 0; i < count; i++)
			if (share[i].becomes < 0 && share[i].pairs > 0 &&
				(share[i].pairs >= PAIRS_LEAST || leads_any(share, count, i)) &&
				(next < 0 || share[i].sum / share[i].pairs <
						     share[next].sum / share[next].pairs))
				next = i;
		if (next < 0)
			break;
		share[next].becomes = groups++;
	}
	for (int i = 0; i < count; i++) {
		double nearest = INFINITY;
		int joins = 0;

		if (share[i].becomes >= 0 || share[i].pairs == 0)
			continue;
		for (int k = 0; k < count; k++) {
			double off = share[k].pairs == 0 ? INFINITY
							 : fabs(share[k].sum / share[k].pairs -
								   share[i].sum / share[i].pairs);

			if (k != i && share[k].becomes >= 0 && off < nearest) {
				nearest = off;
				joins = share[k].becomes;
			}
		}
		share[i].becomes = -2 - joins;
	}
	for (int i = 0; i < count; i++)
		if (share[i].becomes < -1)
			share[i].becomes = -2 - share[i].becomes;
	return groups;
}

static void add_pair(struct share *share, enum place_relation relation, double ns)
{
	share->pairs++;
	share->of[relation]++;
	share->sum += log(ns);
}

/* Computes the median and the quartiles of a group's pairs, and the median of their shortest
 * trials. A group of one pair has the quartiles of the pair's trials. */
static void summarise(struct core_map *map, int group)
{
	double *ns = memory_new(map->pairs, sizeof(*ns));
	double *least = memory_new(map->pairs, sizeof(*least));
	struct core_group *of = &map->group[group];
	size_t count = 0;

	for (unsigned i = 0; i < map->pairs; i++)
		if (map->pair[i].group == group) {
			least[count] = map->pair[i].least;
			ns[count++] = map->pair[i].ns;
		}
	of->least = stats_median(least, count);
	free(least);
	stats_sort(ns, count);
	of->pairs = (unsigned)count;
	of->ns = stats_quantile(ns, count, 0.5);
	of->lo = stats_quantile(ns, count, 0.25);
	of->hi = stats_quantile(ns, count, 0.75);
	for (unsigned i = 0; i < map->pairs && count == 1; i++)
		if (map->pair[i].group == group) {
			of->lo = map->pair[i].lo;
			of->hi = map->pair[i].hi;
		}
	free(ns);
}

/* ---- names ---- */

static const char *relation_name(const struct core_map *map, enum place_relation relation)
{
	bool dies = false, l3 = false, packages = false;

	for (int i = 0; i < map->count; i++) {
		l3 |= map->place[i].l3 >= 0;
		dies |= map->place[i].die != map->place[0].die &&
			map->place[i].package == map->place[0].package;
		packages |= map->place[i].package != map->place[0].package;
	}
	switch (relation) {
	case RELATION_CORE: return "threads of one core";
	case RELATION_L3: return "same L3";
	case RELATION_DIE:
		return !dies ? (l3 ? "other L3" : "other core")
		       : l3  ? "same die, other L3"
			     : "same die";
	case RELATION_PACKAGE:
		return dies	  ? (packages ? "same socket, other die" : "other die")
		       : l3	  ? (packages ? "same socket, other L3" : "other L3")
		       : packages ? "same socket"
				  : "other core";
	case RELATION_MACHINE: return "other socket";
	case RELATIONS: break;
	}
	return "";
}

static int block_of(int *block, int i)
{
	while (block[i] != i)
		i = block[i] = block[block[i]];
	return i;
}

/* Puts two processors into one block if their pair belongs to a group up to `group`. Returns
 * whether there are several blocks, in which nearly all pairs belong to these groups. Sets *least
 * and *most to the number of processors of the smallest and of the largest block. */
static bool forms_blocks(const struct core_map *map, int group, int *least, int *most)
{
	int *block = memory_new((size_t)map->count, sizeof(*block));
	int *size = memory_new((size_t)map->count, sizeof(*size));
	unsigned inside = 0, fast = 0;
	int blocks = 0;

	for (int i = 0; i < map->count; i++)
		block[i] = i;
	for (int i = 0; i < map->count; i++)
		for (int j = 0; j < i; j++)
			if (core_map_value(map, i, j)->group >= 0 &&
				core_map_value(map, i, j)->group <= group)
				block[block_of(block, i)] = block_of(block, j);
	for (int i = 0; i < map->count; i++) {
		size[block_of(block, i)]++;
		for (int j = 0; j < i; j++)
			if (core_map_value(map, i, j)->group >= 0 &&
				block_of(block, i) == block_of(block, j)) {
				inside++;
				fast += core_map_value(map, i, j)->group <= group;
			}
	}
	*least = map->count;
	*most = 0;
	for (int i = 0; i < map->count; i++)
		if (size[i]) {
			blocks++;
			*least = size[i] < *least ? size[i] : *least;
			*most = size[i] > *most ? size[i] : *most;
		}
	free(block);
	free(size);
	return blocks > 1 && *most > 2 && fast >= 0.9 * inside;
}

/* Names a group that has only some pairs of a relation. `faster`: the other pairs of the relation
 * are slower. */
static void name_part(struct core_map *map, int group, const char *relation, bool faster)
{
	char *name = map->group[group].name;
	size_t size = sizeof(map->group[group].name);
	int least, most;

	if (faster && forms_blocks(map, group, &least, &most) && least == most)
		snprintf(name, size, "%s, in blocks of %d processors", relation, least);
	else if (faster && forms_blocks(map, group, &least, &most))
		snprintf(name, size, "%s, in blocks of %d to %d processors", relation, least, most);
	else
		snprintf(name, size, "%s, %s pairs", relation, faster ? "faster" : "slower");
}

static void name_groups(struct core_map *map, const struct share *share, int count)
{
	for (int group = 0; group < count; group++) {
		char *name = map->group[group].name;
		size_t size = sizeof(map->group[group].name), used = 0;
		int most = 0, leader = 0;
		bool split = false;

		*name = '\0';
		for (int relation = 0; relation < RELATIONS; relation++) {
			const char *words = relation_name(map, (enum place_relation)relation);

			most = share[group].of[relation] > share[group].of[most] ? relation : most;
			if (!leads(share, count, group, relation) || used >= size)
				continue;
			used += (size_t)snprintf(
				name + used, size - used, "%s%s", used ? "; " : "", words);
		}
		for (int i = 0; i < count; i++) {
			leader = leads(share, count, i, most) ? i : leader;
			split |= i > group && share[i].of[most] >= PAIRS_LEAST;
		}
		if (!used)
			name_part(map, group, relation_name(map, (enum place_relation)most),
				group < leader);
		else if (split && leader == group &&
			 strcmp(name, relation_name(map, (enum place_relation)most)) == 0 &&
			 most != RELATION_CORE) {
			int smallest, largest;

			if (forms_blocks(map, group, &smallest, &largest))
				name_part(map, group, relation_name(map, (enum place_relation)most),
					true);
		}
	}
}

void core_map_group(struct core_map *map)
{
	struct density *density = memory_new(1, sizeof(*density));
	struct share *hills, share[CORE_GROUPS] = { 0 };

	map->group_count = 0;
	for (unsigned i = 0; i < map->pairs; i++)
		map->pair[i].group = -1;
	if (map->measured == 0) {
		free(density);
		return;
	}
	fill_density(density, map);
	find_hills(density);
	hills = memory_new((size_t)density->hills, sizeof(*hills));
	for (int i = 0; i < map->count; i++)
		for (int j = 0; j < i; j++) {
			const struct core_value *value = core_map_value(map, i, j);

			if (has_value(value))
				add_pair(&hills[density->hill[bin_of(density, value->ns)]],
					relation_of(map, i, j), value->ns);
		}
	map->group_count = number_groups(hills, density->hills);
	for (int i = 0; i < map->count; i++)
		for (int j = 0; j < i; j++) {
			struct core_value *value = core_map_value(map, i, j);

			if (!has_value(value))
				continue;
			value->group = hills[density->hill[bin_of(density, value->ns)]].becomes;
			add_pair(&share[value->group], relation_of(map, i, j), value->ns);
		}
	for (int group = 0; group < map->group_count; group++)
		summarise(map, group);
	name_groups(map, share, map->group_count);
	free(hills);
	free(density);
}
