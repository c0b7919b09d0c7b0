/* How often a walk misses each cache. The answer follows from the size of the working set, the
 * distance between accesses, and the sizes of lines and caches. Pure.
 *
 * A walk may read the same data again and again in the same order. Either a cache holds all of its
 * lines, or it holds none of them: the least recently used line leaves just before the walk needs
 * it again. After the first pass, the walk therefore has either no misses, or a miss for each line.
 * Measured examples (Granite Rapids, L1 of 48 KiB): 256 KiB at stride 24 miss. 128 KiB at stride 24
 * hit, because their lines are only 43 KiB. 64 KiB at stride 16 miss: their lines are only 32 KiB,
 * but they use only every other set.
 *
 * A walk may also visit small and large parts of its data in turn, for example in a search tree.
 * The most frequent parts stay in the cache as far as they fit. At least the accesses to all other
 * parts miss.
 *
 * Source: Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, chapter 6 (locality,
 * direct-mapped and set-associative caches, the memory mountain). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/machine/machine.h"
#include "kernels/kernel.h"

enum { MISSES_LEVELS = 3 }; /* L1 … L3 */

struct misses_level {
	double bytes; /* size of the cache; 0: no cache, or unknown */
	double held;  /* bytes of the cache that the walk needs to hit */
	bool fits;    /* held is at most bytes */
	bool edge; /* held and bytes are close: a few lines may behave differently from the rest */
	double each; /* misses per element after the first pass; NAN: unknown */
};

struct misses {
	bool known;
	char why[120]; /* the reason why misses are unknown */
	struct kernel_walk walk;
	double working_set;	     /* bytes that one pass covers */
	double line;		     /* bytes */
	double cache[MISSES_LEVELS]; /* bytes of L1 … L3, as in misses_find() */
	struct misses_level level[MISSES_LEVELS];
};

/* The misses of a walk over working_set bytes. walk: NULL for a user's own loop, whose walk is
 * unknown. cache: bytes of L1 … L3; 0: none or unknown. line: bytes of a line; 0: 64. */
void misses_find(const struct kernel_walk *walk, double working_set,
	const double cache[MISSES_LEVELS], double line, struct misses *misses);

/* Bytes that one pass of a described walk covers. */
double misses_working_set(
	const struct kernel *kernel, const int64_t *v, const struct kernel_walk *walk);

/* The share of a reach's lines that caches of `bytes` cannot hold. Parts with more frequent
 * accesses fill the caches first. */
double misses_reach_share(const struct kernel_walk *walk, int reach, double bytes);

/* The misses of a kernel, in the caches that the machine states. The kernel's knobs must describe
 * its walk (kernel->describe). */
void misses_of(const struct kernel *kernel, const int64_t *v, const struct machine *machine,
	struct misses *misses);

/* The smallest line of the machine's data caches, bytes; 0: unknown. */
double misses_line(const struct machine *machine);

/* Bytes of a cache that the walk needs to hit. These are the lines that it touches. With `sets`,
 * they include skipped lines that share a set with them: accesses an even number of lines apart use
 * only some sets. */
double misses_held(double working_set, double step, double line, bool sets);

/* Text returned by value: misses_words(…).text is valid to the end of the full expression. */
struct misses_text {
	char text[160];
};

/* The misses of a level as text: "one read in 4 is a miss: 0.25 lines for each". level: from 0. */
struct misses_text misses_words(const struct misses *misses, int level);

/* A note ("near the edge: 51 KiB in 48 KiB: some lines stay"), or an empty text. */
struct misses_text misses_note(const struct misses *misses, int level);

/* A what-if question about other caches. */
struct misses_whatif {
	bool asked;
	double factor[MISSES_LEVELS]; /* factor of the current size; 0: see bytes */
	double bytes[MISSES_LEVELS];  /* 0: the current size, times factor */
};

/* Parses "2x", "64k", "L2 4m", "L3 0.5x" or "off". Without a level, a factor applies to all levels,
 * and a size to L1. Earlier answers for other levels stay. Returns STATUS_USAGE for any other text.
 */
struct status misses_whatif_parse(const char *text, struct misses_whatif *whatif);

/* The question as text: "caches 2x as large", "L1 of 64 KiB", "L1 of 64 KiB, L2 2x as large";
 * empty: no question. */
struct misses_text misses_whatif_words(const struct misses_whatif *whatif);

/* Finds the misses of the same walk in the caches of the question. The caller has filled `misses`.
 */
void misses_if(
	const struct misses *misses, const struct misses_whatif *whatif, struct misses *then);
