/* Inside the limits: which levels of memory serve what a walk touches. Others read limits.h. */
#ifndef SLX_MODEL_LIMITS_LEVELS_H
#define SLX_MODEL_LIMITS_LEVELS_H

#include "model/limits/tally.h"

enum { L1, L2, L3, MEMORY, LEVELS };

struct level {
	const char *name;
	double share;	       /* of accesses, served here */
	double latency, lines; /* UARCH_UNKNOWN */
	bool measured;	       /* belongs to the machine, not to the core's file */
};

/* Which reaches are meant: a bit for each way. A walk without reaches has all of its lines whatever
 * is meant. */
enum { WAYS_ALL = ~0, WAYS_WAITING = ~(1 << REACH_ORDERED) };
#define WAYS(way) (1 << (way))

/* How the lines that the walk touches so spread over the levels; of reaches, latencies are the mean
 * of those that each of them meets. False: the size of a level that they may hit is not known;
 * *missing names it. */
bool levels_spread(
	const struct tally *tally, int ways, struct level level[LEVELS], const char **missing);

/* The same of one reach alone. */
bool levels_spread_reach(
	const struct tally *tally, int reach, struct level level[LEVELS], const char **missing);

/* Whether some of the data that the walk touches do not fit the first-level cache. */
bool levels_spill(const struct tally *tally);

/* Lines that an element touches so. */
double levels_lines(const struct tally *tally, int ways);

/* Whether such a figure of the level is known. */
bool levels_known(const struct level *level, bool lines);

/* Bytes of a core's own cache, from 0: this machine's, else those of the core's file; 0: unknown.
 */
double levels_cache(const struct tally *tally, int level);

/* Notes that a level has no such figure yet. */
void levels_add_missing(
	struct tally *tally, enum limit_kind kind, const struct level *level, const char *what);

/* "12 % L2, 86 % L3" */
void levels_describe(const struct level *level, char *buffer, size_t size);

#endif
