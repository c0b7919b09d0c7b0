/* Computes how often the accesses of a loop to its data (a walk) miss each cache. The misses follow
 * from the size of the working set, the distance between accesses, and the sizes of lines and
 * caches.
 *
 * A walk may read the same data again and again in the same order. In a repeated walk, a cache
 * holds either all lines of the data or none, because the least recently used line leaves the cache
 * just before the walk needs that line again. After the first pass over the data, a repeated walk
 * therefore has either no misses, or a miss for each line. Three examples were measured on Granite
 * Rapids, whose L1 has 48 KiB. Reads of 256 KiB at stride 24 miss L1. Reads of 128 KiB at stride 24
 * hit L1, because they touch lines of only 43 KiB. Reads of 64 KiB at stride 16 miss L1: the
 * touched lines have only 32 KiB, but use only every other set of the cache.
 *
 * A walk may also visit small and large parts of its data in turn, for example in a search tree.
 * If a loop accesses parts of its data with different frequency, a cache holds the lines that were
 * used last (model/memory/recency.h).
 *
 * Source: Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, chapter 6 (locality,
 * direct-mapped and set-associative caches, the memory mountain). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "kernels/kernel.h"
#include "model/memory/cache_sizes.h"

struct misses_level {
	double bytes; /* size of the cache; 0: no cache, or unknown */
	double held;  /* bytes of cache that the loop needs to have no misses */
	bool fits; /* true: the cache is large enough, because the bytes that the loop needs (held)
		      are at most its size (bytes) */
	bool edge; /* true: the bytes that the loop needs (held) are close to the cache size
		      (bytes), so a few lines may hit although most miss, or miss although most hit
		    */
	double each; /* cache misses per element after the first pass over the data; NAN: unknown */
	bool crowded; /* true: the cache is large enough, but the places of lines in memory put
			 more lines into some of its sets than these hold */
	bool walked;  /* true: `each` follows from measured walks in address order, and not from the
			 size of the cache */
};

struct misses {
	bool known;
	char why[120]; /* if known is false, the reason why the misses of the loop's accesses are
			  unknown */
	struct kernel_walk walk;
	double working_set; /* bytes of data that one pass of the walk covers */
	double line;	    /* bytes of a cache line */
	struct cache_sizes caches;
	struct misses_level level[CACHE_LEVELS];
};

/* Computes the cache misses of a loop that accesses working_set bytes of data. The parameter walk
 * describes the order of the memory accesses; NULL: the order is unknown. If caches->line is 0, a
 * line has 64 bytes. */
void misses_find(const struct kernel_walk *walk, double working_set,
	const struct cache_sizes *caches, struct misses *misses);

/* Returns the number of bytes that one pass of the kernel over its data covers, at the setting v of
 * its knobs. */
double misses_working_set(
	const struct kernel *kernel, const int64_t *v, const struct kernel_walk *walk);

/* Computes the misses of a kernel. The kernel must have a function kernel->describe that describes
 * its memory accesses. */
void misses_of(const struct kernel *kernel, const int64_t *v, const struct cache_sizes *caches,
	struct misses *misses);

/* Takes misses from the limits of the loop, so that both say the same. In L2, some sets get more
 * lines than they hold. In L3, measured walks in address order found another number of lines than
 * its size suggests, because of prefetchers and of other processes. `beyond`: lines per element
 * that come from levels after L1, L2 and L3. */
void misses_take(struct misses *misses, const double beyond[CACHE_LEVELS]);

/* Returns n if lines at multiples of `step` bytes use only one in n sets of a cache. */
double misses_crowd(double step, double line);

/* Returns misses_crowd() for the distance between the cache lines that the kernel's accesses touch.
 */
double misses_walk_crowd(const struct kernel_walk *walk, double line);

/* Whether the places of pages in memory decide how many lines of the walk miss L2: it goes down
 * columns that use few sets. */
bool misses_by_placing(const struct kernel_walk *walk);

/* Returns the bytes of cache that repeated accesses need to have no misses: all lines that they
 * touch. Accesses an even number of lines apart use only some sets of the cache. If `sets` is true,
 * the result also counts the space of the unused sets. */
double misses_held(double working_set, double step, double line, bool sets);

/* Returns the misses of a cache level as text: "one read in 4 is a miss: 0.25 lines for each".
 * level is 0 for L1. */
struct words misses_words(const struct misses *misses, int level);

/* Returns a note on a cache level ("near the edge: 51 KiB in 48 KiB: some lines stay"), or an empty
 * text. */
struct words misses_note(const struct misses *misses, int level);

/* A user's question about the misses in caches of other sizes. */
struct misses_whatif {
	bool asked;
	double factor[CACHE_LEVELS]; /* new size of each cache divided by its current size; not
					 used if bytes[] is not 0 */
	double bytes[CACHE_LEVELS];  /* new size of each cache in bytes; 0: the new size is the
					 current size times factor */
};

/* Parses "2x", "64k", "L2 4m", "L3 0.5x" or "off". If the text names no level, a factor applies to
 * all levels, and a size applies to L1. Cache sizes from earlier calls, for other cache levels,
 * stay. Returns STATUS_USAGE if the question about other caches has another form. */
struct status misses_whatif_parse(const char *text, struct misses_whatif *whatif);

/* Returns the user's question about other cache sizes as text: "caches 2x as large", "L1 of 64
 * KiB", "L1 of 64 KiB, L2 2x as large". The text is empty if the user asked no question about other
 * caches. */
struct words misses_whatif_words(const struct misses_whatif *whatif);

/* Returns the cache sizes of the user's question: `caches` with the changed levels. */
struct cache_sizes misses_whatif_caches(
	const struct misses_whatif *whatif, const struct cache_sizes *caches);

/* Computes in `then` the misses of the same loop for the cache sizes in `whatif`. The caller has
 * filled `misses`. */
void misses_if(
	const struct misses *misses, const struct misses_whatif *whatif, struct misses *then);
