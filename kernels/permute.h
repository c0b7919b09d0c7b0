/* A permutation of 0…count-1 that follows from a seed and is computed, not stored, either way: layouts of any size can be written in the order
 * of memory, and whoever checks them knows where everything stands.
 *
 * Multiplications by odd numbers and shifts against oneself permute the numbers of so many bits; what falls beyond the count goes round again. */
#ifndef SLX_KERNELS_PERMUTE_H
#define SLX_KERNELS_PERMUTE_H

#include <stdint.h>

#include "base/random.h"

enum { PERMUTE_ROUNDS = 3 };

struct permute {
	uint64_t count, mask;
	unsigned shift;                        /* at least half of the mask's bits: shifting so twice leaves nothing */
	uint64_t factor[PERMUTE_ROUNDS], inverse[PERMUTE_ROUNDS], add[PERMUTE_ROUNDS];
};

static inline struct permute permute_make(uint64_t count, uint64_t seed)
{
	struct permute permute = { .count = count, .mask = 1 };
	struct random random = { seed };
	unsigned bits = 1;

	for (; permute.mask < count - 1; bits++)
		permute.mask = permute.mask * 2 + 1;
	permute.shift = (bits + 1) / 2;
	for (int i = 0; i < PERMUTE_ROUNDS; i++) {
		uint64_t factor = random_next(&random) | 1, inverse = factor;

		/* Newton: each step doubles the bits that are right, of three. */
		for (int bit = 3; bit < 64; bit *= 2)
			inverse *= 2 - factor * inverse;
		permute.factor[i] = factor;
		permute.inverse[i] = inverse;
		permute.add[i] = random_next(&random);      /* 0 would stay where it is */
	}
	return permute;
}

/* Where index (below the count) goes. */
static inline uint64_t permute_there(const struct permute *permute, uint64_t index)
{
	do {
		for (int i = 0; i < PERMUTE_ROUNDS; i++) {
			index ^= index >> permute->shift;
			index = (index * permute->factor[i] + permute->add[i]) & permute->mask;
		}
		index ^= index >> permute->shift;
	} while (index >= permute->count);
	return index;
}

/* What went there. */
static inline uint64_t permute_back(const struct permute *permute, uint64_t index)
{
	do {
		index ^= index >> permute->shift;
		for (int i = PERMUTE_ROUNDS - 1; i >= 0; i--) {
			index = (index - permute->add[i]) * permute->inverse[i] & permute->mask;
			index ^= index >> permute->shift;
		}
	} while (index >= permute->count);
	return index;
}

#endif
