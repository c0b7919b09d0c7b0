/* Permutations of 0 … n-1 that need no memory, because both directions are computed. A layout in
 * random order can therefore be written from start to end, as fast as an ordered layout. Each place
 * in the layout can be computed directly.
 *
 * A permutation is a Feistel network over the bits of n. Numbers of n or more pass through the
 * network again (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Four rounds of
 * the network are enough to defeat prefetchers, but not for cryptography. */
#pragma once

#include <stdint.h>

#include "base/random.h"

enum { SHUFFLE_ROUNDS = 4 };

struct shuffle {
	uint64_t count;
	unsigned low; /* number of bits of the lower half of an index */
	uint64_t low_mask, high_mask;
	uint64_t key[SHUFFLE_ROUNDS];
};

/* Makes a permutation of 0 … count-1. count > 0. Different seeds give different permutations. */
static inline struct shuffle shuffle_make(uint64_t count, uint64_t seed)
{
	struct shuffle shuffle = { .count = count };
	struct random random = { seed };
	unsigned bits = 2;

	while (bits < 63 && (uint64_t)1 << bits < count)
		bits++;
	shuffle.low = bits / 2;
	shuffle.low_mask = ((uint64_t)1 << shuffle.low) - 1;
	shuffle.high_mask = ((uint64_t)1 << (bits - shuffle.low)) - 1;
	for (int i = 0; i < SHUFFLE_ROUNDS; i++)
		shuffle.key[i] = random_next(&random);
	return shuffle;
}

static inline uint64_t shuffle_mix(uint64_t half, uint64_t key)
{
	half = (half ^ key) * 0x9e3779b97f4a7c15u;
	return (half ^ half >> 32) * 0xbf58476d1ce4e5b9u >> 32;
}

/* Returns the place of `index` in the permutation (index < count). */
static inline uint64_t shuffle_to(const struct shuffle *shuffle, uint64_t index)
{
	do {
		uint64_t low = index & shuffle->low_mask, high = index >> shuffle->low;

		for (int i = 0; i < SHUFFLE_ROUNDS; i += 2) {
			low ^= shuffle_mix(high, shuffle->key[i]) & shuffle->low_mask;
			high ^= shuffle_mix(low, shuffle->key[i + 1]) & shuffle->high_mask;
		}
		index = high << shuffle->low | low;
	} while (index >= shuffle->count);
	return index;
}

/* Returns the index that has the place `index` in the permutation: the inverse of shuffle_to(). */
static inline uint64_t shuffle_from(const struct shuffle *shuffle, uint64_t index)
{
	do {
		uint64_t low = index & shuffle->low_mask, high = index >> shuffle->low;

		for (int i = SHUFFLE_ROUNDS; i > 0; i -= 2) {
			high ^= shuffle_mix(low, shuffle->key[i - 1]) & shuffle->high_mask;
			low ^= shuffle_mix(high, shuffle->key[i - 2]) & shuffle->low_mask;
		}
		index = high << shuffle->low | low;
	} while (index >= shuffle->count);
	return index;
}
