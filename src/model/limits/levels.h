/* Which levels of memory serve the lines of a walk. For limits*.c alone. */
#pragma once

#include "model/limits/tally.h"

enum { L1, L2, L3, MEMORY, LEVELS };

struct level {
	const char *name;
	double share;	       /* of accesses, served here */
	double latency, lines; /* UARCH_UNKNOWN */
	bool measured;	       /* belongs to the machine, not to the core's file */
};

/* Ways of reaches, a bit for each. A walk without reaches has one way alone. */
enum { WAYS_ALL = ~0, WAYS_WAITING = ~(1 << REACH_ORDERED) };
#define WAYS(way) (1 << (way))

/* How the lines of these ways spread over the levels. Of several reaches a level's latency is the
 * mean over its accesses. False: the size of a level that they may hit is unknown; *missing names
 * the level. */
bool levels_spread(
	const struct tally *tally, int ways, struct level level[LEVELS], const char **missing);

/* The same of one reach alone. */
bool levels_spread_reach(
	const struct tally *tally, int reach, struct level level[LEVELS], const char **missing);

/* Whether some of the data that the walk touches do not fit the first-level cache. */
bool levels_spill(const struct tally *tally);

/* Lines of these ways that an element touches. */
double levels_lines(const struct tally *tally, int ways);

/* Whether the level's lines a cycle (or its latency) are known. */
bool levels_known(const struct level *level, bool lines);

/* Bytes of cache `level` (0: L1) of this machine, else of the core's file; 0: unknown. */
double levels_cache(const struct tally *tally, int level);

/* Adds a limit that is unknown, since a level's `what` is missing. */
void levels_add_missing(
	struct tally *tally, enum limit_kind kind, const struct level *level, const char *what);

/* "12 % L2, 86 % L3" */
void levels_describe(const struct level *level, char *buffer, size_t size);
