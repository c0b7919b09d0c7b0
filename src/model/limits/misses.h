/* How often a walk misses each cache: the textbook's question, answered from the size of the
 * working set, the distance between accesses, and the size of lines and caches. Pure.
 *
 * A walk that goes round and round the same data in the same order either finds all of its lines in
 * a cache or, once the least recently used line gives way, none of them: each is gone again when
 * the walk comes back to it. So the answer is 0 after the first pass, or every line that the walk
 * touches. Measured on this basis (Granite Rapids, L1 of 48 KiB): 256 KiB at stride 24 miss, 128
 * KiB do not, since their lines alone are 43 KiB; 64 KiB at stride 16 miss, although their lines
 * are 32 KiB, as they meet in every other set.
 *
 * Of a walk that meets small and large parts of its data by turns, down a tree for one, the parts
 * that are met most often stay, as far as they fit: what misses is at least the rest.
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
	double bytes; /* of the cache; 0: no cache, or unknown */
	double held;  /* bytes of the cache that the walk needs to hit */
	bool fits;    /* held is not above bytes */
	bool edge;    /* held and bytes are close: some lines stay that should leave, or leave that
			 should stay */
	double each;  /* misses per element after the first pass; NAN: unknown */
};

struct misses {
	bool known;
	char why[120]; /* the reason, where misses are unknown */
	struct kernel_walk walk;
	double working_set;	     /* bytes that a pass ranges over */
	double line;		     /* bytes */
	double cache[MISSES_LEVELS]; /* bytes of L1 … L3, as in misses_find() */
	struct misses_level level[MISSES_LEVELS];
};

/* The misses of a walk over working_set bytes. walk NULL: of an own loop, whose walk is unknown.
 * cache: bytes of L1 … L3, 0: none or unknown. line: bytes of their lines, 0: 64. */
void misses_find(const struct kernel_walk *walk, double working_set,
	const double cache[MISSES_LEVELS], double line, struct misses *misses);

/* Bytes that a pass of a described walk ranges over. */
double misses_working_set(
	const struct kernel *kernel, const int64_t *v, const struct kernel_walk *walk);

/* The share of a reach's lines that caches of `bytes` cannot hold, when more frequent parts stay
 * first. */
double misses_reach_share(const struct kernel_walk *walk, int reach, double bytes);

/* The misses of a kernel that its knobs alone describe (kernel->describe), in the caches that the
 * machine states. */
void misses_of(const struct kernel *kernel, const int64_t *v, const struct machine *machine,
	struct misses *misses);

/* The smallest line of the machine's data caches, bytes; 0: unknown. */
double misses_line(const struct machine *machine);

/* Bytes of a cache that the walk needs to hit: the lines that it touches. With `sets`, also the
 * skipped lines that share a set with them, where accesses are an even number of lines apart. */
double misses_held(double working_set, double step, double line, bool sets);

/* Words by value: misses_words(…).text is valid to the end of the full expression. */
struct misses_text {
	char text[160];
};

/* In words: "one read in 4 is a miss: 0.25 lines for each". level from 0. */
struct misses_text misses_words(const struct misses *misses, int level);

/* A note ("near the edge: 51 KiB in 48 KiB: some lines stay"), or an empty text. */
struct misses_text misses_note(const struct misses *misses, int level);

/* A what-if question about other caches. */
struct misses_whatif {
	bool asked;
	double factor[MISSES_LEVELS]; /* times the present size; 0: see bytes */
	double bytes[MISSES_LEVELS];  /* 0: the present size, times factor */
};

/* "2x", "64k", "L2 4m", "L3 0.5x", "off": without a level a factor is for all levels and a size for
 * L1. Earlier questions about other levels stay. STATUS_USAGE for any other text. */
struct status misses_whatif_parse(const char *text, struct misses_whatif *whatif);

/* In words: "caches 2x as large", "L1 of 64 KiB", "L1 of 64 KiB, L2 2x as large"; empty: nothing is
 * asked. */
struct misses_text misses_whatif_words(const struct misses_whatif *whatif);

/* The same walk in the caches of the question. `misses` is known. */
void misses_if(
	const struct misses *misses, const struct misses_whatif *whatif, struct misses *then);
