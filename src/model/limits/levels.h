/* The share of the loop's memory accesses that each cache level and memory serve. Only the files
 * limits*.c include this header: other files include limits.h.
 *
 * If a loop accesses S bytes in random order, a cache of C bytes serves C/S of the accesses. If a
 * loop uses parts of its data with different frequency, each cache holds the lines that were used
 * last (model/memory/recency.h). The model of the caches assumes that no two cache levels hold the
 * same line. */
#pragma once

#include "model/limits/tally.h"

enum { L1, L2, L3, MEMORY, LEVELS };

struct level {
	const char *name;
	double share; /* share of the memory accesses that the cache level serves, from 0 to 1 */
	double latency, lines; /* load-to-use latency in cycles, and cache lines per cycle;
				  UARCH_UNKNOWN: unknown */
	bool measured; /* true: latency and lines per cycle are measured on the machine; otherwise
			  they come from the core's file */
};

/* Whether the loop waits for a cache line before it requests the next line. SLOW: a load waits for
 * the line of an earlier load. FAST: no load waits, so the loop comes back to a line sooner, and
 * other processes evict fewer lines from a shared L3. A loop whose loads do not wait therefore has
 * a larger part of L3. */
enum pace { SLOW, FAST };

/* Sets of kinds of reaches (parts of the kernel's data), with one bit for each value of enum
 * reach_way. A reach is a part of the kernel's data with its own frequency of accesses. If the
 * kernel describes no parts of its data (reaches), the sets of kinds of reaches are ignored. */
enum { WAYS_ALL = ~0, WAYS_WAITING = ~(1 << REACH_ORDERED) };

/* Returns the size of a cache level in bytes; L1 is level 0. 0: unknown. */
double levels_cache(const struct tally *tally, int level);

/* Whether the data do not fit the first-level cache. */
bool levels_spill(const struct tally *tally);

/* Returns the number of cache lines per element that the loop touches in parts of its data. `ways`
 * is a set of kinds of parts. */
double levels_lines(const struct tally *tally, int ways);

/* Computes the share of the accesses that each cache level and memory serve. `ways` is the set of
 * kinds of parts of the data whose accesses count. If the size of a level is unknown, adds an
 * unknown limit of kind `kind` and returns false. */
bool levels_spread(struct tally *tally, enum limit_kind kind, enum pace pace, int ways,
	struct level level[LEVELS]);

/* Notes whether the next limits are estimates: they depend on values that were measured once and
 * may change, or on the lines that a cache evicts. Limits that are estimates are soft: a loop may
 * run faster than a soft limit. */
void levels_note_estimate(struct tally *tally, const struct level level[LEVELS]);

/* Returns the first memory level from `first` on that serves accesses, but whose latency is
 * unknown. Returns NULL if the latencies of all memory levels are known. */
const struct level *levels_without(const struct level *level, int first);

/* Describes as text the share of the accesses that each cache level serves: "25 % L1, 75 % L2". */
struct limit_words levels_describe(const struct level *level);
