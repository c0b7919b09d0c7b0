/* Lookups of keys, for the kernels that search a data structure. This file generates the keys of
 * each batch and checks the results.
 *
 * A data structure holds the odd keys 1, 3, 5 … and lacks the even keys 0, 2, 4 …. All odd keys are
 * equally likely, and so are all even keys. The number of a lookup determines its key. A series of
 * lookups can therefore begin at any lookup number, and no lookup waits for the previous lookup. */
#pragma once

#include <stdint.h>

#include "base/random.h"
#include "kernels/kernel.h"

/* Number of lookups in a trial with whole=1, as in the cited article. */
#define ASKED_WHOLE ((uint64_t)16 << 20)

/* Maximum number of keys in a batch. The code generates the keys of a batch before the loop looks
 * them up. A batch takes 2 KiB and stays in the first-level cache. */
enum { ASKED_BATCH = 256 };

/* Number of keys per iteration of the loop that generates keys. A second loop generates the last
 * keys of a batch, but rarely runs: see kernel->batch. */
enum { ASKED_TURN = 4 };

/* A kind of lookup. */
struct asked_kind {
	const char *adds; /* the word that error messages use for the values that lookups add up:
			     "places" */
	uint64_t (*value)(const struct kernel_run *run,
		uint64_t rank); /* returns the value of the key with rank `rank` */
	bool (*ends)(const struct kernel_run *run,
		uint64_t key); /* returns whether the search for the key ends, and follows no
				  pointer out of the present data */
};

struct asked {
	uint64_t seed;
	uint64_t keys;	/* number of keys in the data structure, < 2^32 */
	uint64_t there; /* number of lookups, out of 2^32, with a key that is in the data structure
			 */
	uint64_t batch; /* number of keys that are generated before the loop runs */
	const struct asked_kind *kind;
} __attribute__((may_alias));

/* Returns the struct asked (the lookups to make) of a run. run->kept begins with a struct asked;
 * the kernel's own data follow.
 */
static inline const struct asked *asked_of(const struct kernel_run *run)
{
	return (const struct asked *)(const void *)run->kept;
}

static inline struct asked asked_make(uint64_t seed, uint64_t keys, int64_t percent)
{
	return (struct asked){ .seed = random_next(&(struct random){ seed }),
		.keys = keys,
		.there = ((uint64_t)percent << 32) / 100 };
}

/* Returns the key of a lookup. One round of mixing is enough to hide the next key from branch
 * predictors and prefetchers. */
static inline uint64_t asked_key(const struct asked *asked, uint64_t number)
{
	uint64_t x = (asked->seed + number) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9u;
	return 2 * ((x >> 32) * asked->keys >> 32) + ((x & UINT32_MAX) < asked->there);
}

/* Generates the keys of `count` lookups, ASKED_TURN keys per iteration. Because the loop is
 * unrolled, the model does not confuse it with the loop that looks up keys. */
static inline void asked_fill(
	const struct asked *asked, uint64_t number, uint64_t *keys, uint64_t count)
{
	for (uint64_t i = 0; i + ASKED_TURN <= count;
		i += ASKED_TURN, number += ASKED_TURN, keys += ASKED_TURN) {
		keys[0] = asked_key(asked, number);
		keys[1] = asked_key(asked, number + 1);
		keys[2] = asked_key(asked, number + 2);
		keys[3] = asked_key(asked, number + 3);
	}
	for (uint64_t i = 0; i < count % ASKED_TURN; i++)
		keys[i] = asked_key(asked, number + i);
}

static inline int asked_is_there(uint64_t key)
{
	return key & 1;
}

/* Returns the rank of a key that is in the data structure. */
static inline uint64_t asked_rank(uint64_t key)
{
	return key >> 1;
}

/* Returns the key with rank `rank`. */
static inline uint64_t asked_present(uint64_t rank)
{
	return 2 * rank + 1;
}

/* The following functions pack the results of lookups into one number, and unpack them. The results
 * are the number of found keys and the sum of their values. */
static inline uint64_t asked_places(uint64_t result)
{
	return result & (((uint64_t)1 << 38) - 1);
}

static inline uint64_t asked_result(uint64_t found, uint64_t places)
{
	return found << 38 | asked_places(places);
}

static inline uint64_t asked_found(uint64_t result)
{
	return result >> 38;
}

/* ---- The walk */

/* Stores a struct asked in run->kept, and fills the fields of struct kernel_run except code, data
 * and walk. */
void asked_prepare(struct kernel_run *run, const struct asked_kind *kind, uint64_t keys,
	int64_t percent, int64_t at_once, bool whole);

/* Generates the next keys to look up, and returns the number of these keys: at most ASKED_BATCH,
 * and a multiple of run->granule. *left: the number of remaining lookups, which asked_next()
 * reduces. Returns 0 if no lookups are left or the run is cancelled. */
uint64_t asked_next(struct kernel_run *run, uint64_t *keys, uint64_t *left);

/* The callbacks begin_at(), verify() and proof() of kernels that look up keys. */
void asked_begin_at(struct kernel_run *run, double share);
struct status asked_verify(struct kernel_run *run);
struct status asked_proof(struct kernel_run *run);
