/* What kernels that look keys up share: which keys, batch by batch, and whether what was found is
 * right.
 *
 * Keys that lookups ask for: of `keys` keys in a structure, 1, 3, 5 …, any is as likely as any
 * other; of what is not there, 0, 2, 4 …, too. Which it is follows from the lookup's number alone,
 * so that a walk begins anywhere; nothing of it waits for the lookup before. */
#pragma once

#include <stdint.h>

#include "base/random.h"
#include "kernels/kernel.h"

/* Lookups that count as the whole of the work: as many as in the article. */
#define ASKED_WHOLE ((uint64_t)16 << 20)

/* Keys that are made at once, ahead of the loop that looks them up: 2 KiB, which stay in the first
 * cache. */
enum { ASKED_BATCH = 256 };

/* Of them so many come of one turn of their loop; what is left over takes other code, which hardly
 * ever runs: kernel->batch. */
enum { ASKED_TURN = 4 };

struct asked {
	uint64_t seed;
	uint64_t keys;	/* < 2^32 */
	uint64_t there; /* of 2^32 lookups, those for keys that are there */
	uint64_t batch; /* keys that are made at once: asked_lay() */
};

static inline struct asked asked_make(uint64_t seed, uint64_t keys, int64_t percent)
{
	return (struct asked){ .seed = random_next(&(struct random){ seed }),
		.keys = keys,
		.there = ((uint64_t)percent << 32) / 100 };
}

/* The key of the lookup with that number. One round of mixing: enough that no predictor knows the
 * next. */
static inline uint64_t asked_key(const struct asked *asked, uint64_t number)
{
	uint64_t x = (asked->seed + number) * 0x9e3779b97f4a7c15u;

	x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9u;
	return 2 * ((x >> 32) * asked->keys >> 32) + ((x & UINT32_MAX) < asked->there);
}

/* The keys of `count` lookups from that one on, ASKED_TURN at a time: the model must not
 * take this loop for the one that looks the keys up. */
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

/* The key's number among those that are there, in their order. */
static inline uint64_t asked_rank(uint64_t key)
{
	return key >> 1;
}

/* The key with that number. */
static inline uint64_t asked_present(uint64_t rank)
{
	return 2 * rank + 1;
}

/* What lookups came to, as one number: how many found something, and the sum of the places where.
 */
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

/* ---- The walk through them */

/* Fills what follows from how many lookups there are at once: of the run all but its code, data
 * and walk. */
void asked_lay(struct kernel_run *run, struct asked *asked, uint64_t lookups, bool whole);

/* The next keys of a call that has *left to look up, and how many (ASKED_BATCH at most, a multiple
 * of run->granule): *left falls by as many. 0: no key is left, or the run is cancelled. */
uint64_t asked_next(
	struct kernel_run *run, const struct asked *asked, uint64_t *keys, uint64_t *left);

/* kernel->begin_at. */
void asked_begin_at(struct kernel_run *run, double share);

/* What lookups add up. */
struct asked_sum {
	const char *of;					  /* "places" */
	uint64_t (*value)(const void *in, uint64_t rank); /* what the key of that rank adds */
	const void *in;
};

/* How many lookups asked_verify() makes, and from which on: for who looks first whether they come
 * to an end. */
uint64_t asked_verified(const struct kernel_run *run, uint64_t *from);

/* kernel->verify and proof. */
struct status asked_verify(
	struct kernel_run *run, const struct asked *asked, const struct asked_sum *sum);
struct status asked_proof(
	struct kernel_run *run, const struct asked *asked, const struct asked_sum *sum);
