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
	double least;	   /* the shortest trial of a visit, median of the visits: c2clat's value */
	unsigned trials, rejected, visits;
	int group;		 /* index in core_map.group; -1: no group */
	float *trial, *shortest; /* the values of the trials; the shortest trial of each visit */
};

/* Pairs of processors with about the same latency. */
struct core_group {
	char name[96];	   /* the parts of the machine that the pairs share: "same L3" */
	double ns, lo, hi; /* median and quartiles of the pairs' medians */
	unsigned pairs;	   /* number of pairs */
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

/* Copies the places. There must be at least two processors. */
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
 * A processor that differs from the others is slower in all its pairs. */
double core_map_processor(const struct core_map *map, int i);

/* A tour visits all pairs in an order whose every part covers the machine evenly: each processor
 * has about as many pairs as any other, on each level of the tree. So a tour that ends early is a
 * fair sample. A zeroed tour begins with the first pair. */
struct core_tour {
	unsigned step, at;
};

/* Finds the next pair of the tour; returns false at the end of the tour. */
bool core_tour_next(struct core_tour *tour, int count, int *i, int *j);
