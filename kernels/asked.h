/* Lookups of keys, for the kernels that search a data structure: the keys of each batch, and the
 * check of the results.
 *
 * A structure holds the keys 1, 3, 5 …; it lacks 0, 2, 4 …. All keys of a kind are equally likely.
 * The number of a lookup gives its key, so that a walk can begin anywhere and no lookup waits for
 * the one before. */
#pragma once

#include <stdint.h>

#include "base/random.h"
#include "kernels/kernel.h"

/* Lookups of a complete run: as many as in the article. */
#define ASKED_WHOLE ((uint64_t)16 << 20)

/* Keys that are made at once, before the loop looks them up: 2 KiB, which stay in the first cache.
 */
enum { ASKED_BATCH = 256 };

/* Keys that one turn of their loop makes. Other code makes the rest and hardly ever runs:
 * kernel->batch. */
enum { ASKED_TURN = 4 };

/* What a kernel looks up. */
struct asked_kind {
	const char *adds; /* the values that lookups add up: "places" */
	uint64_t (*value)(const struct kernel_run *run, uint64_t rank); /* of the key */
	bool (*ends)(const struct kernel_run *run, uint64_t key); /* the search ends in the data */
};

struct asked {
	uint64_t seed;
	uint64_t keys;	/* < 2^32 */
	uint64_t there; /* lookups of 2^32 whose key is there */
	uint64_t batch; /* keys that are made at once */
	const struct asked_kind *kind;
} __attribute__((may_alias));

/* run->kept begins with these lookups; the kernel's own data follow. */
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

/* The key of a lookup. One round of mixing is enough: no predictor guesses the next key. */
static inline uint64_t asked_key(const struct asked *asked, uint64_t number)
{
	uint64_t x = (asked->seed + number) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9u;
	return 2 * ((x >> 32) * asked->keys >> 32) + ((x & UINT32_MAX) < asked->there);
}

/* The keys of `count` lookups, ASKED_TURN at a time: the model must not confuse this loop with the
 * one that looks the keys up. */
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

/* The number of a key that is there, in the order of these keys. */
static inline uint64_t asked_rank(uint64_t key)
{
	return key >> 1;
}

/* The key with that number. */
static inline uint64_t asked_present(uint64_t rank)
{
	return 2 * rank + 1;
}

/* The result of lookups as one number: how many keys were found, and the sum of their values. */
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

/* Stores the lookups in the run, and fills the run except for its code, data and walk. */
void asked_prepare(struct kernel_run *run, const struct asked_kind *kind, uint64_t keys,
	int64_t percent, int64_t at_once, bool whole);

/* Makes the next keys of a call that has *left to look up, reduces *left, and returns their number:
 * ASKED_BATCH at most, a multiple of run->granule. 0: no key is left, or the run is cancelled. */
uint64_t asked_next(struct kernel_run *run, uint64_t *keys, uint64_t *left);

/* The callbacks. */
void asked_begin_at(struct kernel_run *run, double share);
struct status asked_verify(struct kernel_run *run);
struct status asked_proof(struct kernel_run *run);
