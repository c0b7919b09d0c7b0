/* A small, fast random number generator with a seed. The same seed always gives the same layout.
 * Algorithm: splitmix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", 2014. */
#pragma once

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A uniform random number in 0…bound-1 (bound > 0). For bounds below 2^32 the bias is below bound ÷
 * 2^32. */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	if (bound <= UINT32_MAX)
		return ((random_next(random) >> 32) * bound) >> 32;
	return random_next(random) % bound;
}
