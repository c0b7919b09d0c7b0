/* The core-to-core latencies of a machine: the time that a cache line takes from one processor to
 * another, for each pair of processors, and the groups of pairs with about the same time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/machine/machine.h"
#include "engine/worker/core_pair.h"

/* The latency of one pair of processors. Times are in nanoseconds for one way. */
struct core_value {
	double ns, lo, hi; /* median and quartiles of the undisturbed trials; NAN: no trial */
	double least;	   /* median over the visits of their shortest trials, to compare with the
			      program c2clat */
	unsigned trials, rejected, visits;
	int group;	 /* index in core_map.group; -1: no group */
	float *trial;	 /* nanoseconds of the trials */
	float *shortest; /* nanoseconds of the shortest trial of each visit */
};

/* Pairs of processors with about the same latency. */
struct core_group {
	char name[96]; /* the parts of the machine that the pairs share: "same L3" */
	double ns, lo,
		hi;	/* median and quartiles of the pairs' medians; of one pair: of its trials */
	double least;	/* median of the pairs' shortest trials (core_value.least) */
	unsigned pairs; /* number of pairs */
};

enum { CORE_GROUPS = 12 };

struct core_map {
	int count; /* number of processors */
	struct processor_place *place;
	struct core_value *pair;  /* see core_map_value() */
	unsigned pairs, measured; /* number of pairs, and of pairs with a value */
	int group_count;
	struct core_group group[CORE_GROUPS]; /* the fastest group comes first */
};

/* Returns an empty map of `count` (≥ 2) processors, with a copy of their places. */
struct core_map *core_map_new(const struct processor_place *places, int count);
void core_map_free(struct core_map *map); /* NULL: does nothing */

/* The value of the pair of processors with these indices, in either order (i ≠ j). */
struct core_value *core_map_value(const struct core_map *map, int i, int j);

/* Adds the trials of a visit to a pair. */
void core_map_add(struct core_map *map, int i, int j, const struct pair_trials *trials);

/* Finds the groups of pairs by their values alone, and names each group by the machine's tree. If a
 * group of fast pairs forms blocks of processors that the tree does not have, the group's name says
 * so. */
void core_map_group(struct core_map *map);

/* The median latency of a processor's pairs in the group that has most of its pairs; NAN: unknown.
 * This median shows a processor that is slower than the others in all its pairs. */
double core_map_processor(const struct core_map *map, int i);

/* A tour visits all pairs. Each part of a tour covers the machine evenly: on each level of the
 * tree, all processors have about the same number of pairs. A tour that ends early is therefore a
 * fair sample. A zeroed tour begins with the first pair. */
struct core_tour {
	unsigned step, at;
};

/* Finds the next pair of the tour; returns false at the end of the tour. */
bool core_tour_next(struct core_tour *tour, int count, int *i, int *j);
