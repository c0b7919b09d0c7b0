/* Arrays of random 32-bit numbers, of which a shorter one is the beginning of a longer one. */
#ifndef SLX_KERNELS_FILL_H
#define SLX_KERNELS_FILL_H

#include "base/random.h"
#include "kernels/kernel.h"

/* The number at that index of the array that belongs to the seed. */
static inline uint32_t fill_value(uint64_t seed, uint64_t index)
{
	struct random random = { seed + index };

	return (uint32_t)(random_next(&random) >> 32);
}

/* Fills run->memory with `count` of them, each with the bits of `set` set besides, from where
 * run->layout.prepared ends; sets run->layout.laid_out. STATUS_CANCELLED when run->work.cancel says
 * so. */
static inline struct status fill_words(struct kernel_run *run, uint64_t count, uint32_t set)
{
	uint32_t *words = (uint32_t *)(void *)run->memory;

	for (uint64_t i = run->layout.prepared / 4; i < count; i++) {
		if (i % 65536 == 0 && atomic_load_explicit(run->work.cancel, memory_order_relaxed))
			return status_make(STATUS_CANCELLED, "stopped while the array was filled");
		words[i] = fill_value(run->seed, i) | set;
	}
	run->layout.laid_out = count * 4 > run->layout.prepared ? count * 4 : run->layout.prepared;
	return status_ok();
}

#endif
