/* Kernels that walk a ring of array elements in order: the walk, and the data in the ring.
 *
 * A call begins and ends at any iteration, and passes the end of the ring any number of times. A
 * hot loop asks for one straight piece after another, inside its own function, so that values
 * carried from one iteration to the next stay in registers across the end of the ring:
 *
 *     while ((turns = ring_piece(&walk->ring, &from)))
 *         … turns iterations, the first of them the ring's from-th …
 */
#pragma once

#include <stdint.h>

#include "base/random.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

struct ring {
	uint64_t left;	/* iterations to make */
	uint64_t room;	/* iterations to the end of the ring, 1…turns */
	uint64_t turns; /* iterations in the whole ring */
};

/* A call's walk of `elements`, from where the last one stopped. run->position counts iterations. */
static inline struct ring ring_begin(const struct kernel_run *run, uint64_t elements)
{
	uint64_t turns = run->ring / run->granule;

	return (struct ring){
		.left = elements / run->granule, .room = turns - run->position, .turns = turns
	};
}

/* Where the next call begins. */
static inline void ring_end(struct kernel_run *run, const struct ring *ring)
{
	run->position = ring->turns - ring->room;
}

/* How many iterations follow each other in memory from here on, and where they begin: the ring's
 * from-th iteration. 0: the call is done. */
KERNEL_BODY uint64_t ring_piece(struct ring *ring, uint64_t *from)
{
	uint64_t piece = ring->left < ring->room ? ring->left : ring->room;

	*from = ring->turns - ring->room;
	ring->left -= piece;
	ring->room -= piece;
	if (ring->room == 0)
		ring->room = ring->turns;
	return piece;
}

/* Random bits that belong to an index, so that a shorter array is the beginning of a longer one. */
static inline uint64_t ring_bits(uint64_t seed, uint64_t index)
{
	return random_next(&(struct random){ seed + index });
}

static inline uint32_t ring_word(uint64_t seed, uint64_t index)
{
	return (uint32_t)(ring_bits(seed, index) >> 32);
}

typedef void ring_put(struct kernel_run *run, uint64_t index);

/* The ring_put of ring_word(). */
static inline void ring_put_word(struct kernel_run *run, uint64_t index)
{
	((uint32_t *)(void *)run->memory)[index] = ring_word(run->seed, index);
}

/* Lays out `count` items of so many bytes, each by put(), except the first ones that an earlier
 * prepare() left. Sets layout.laid_out. Returns STATUS_CANCELLED once *work.cancel is set. */
static inline struct status ring_lay_out(
	struct kernel_run *run, uint64_t count, uint64_t bytes, ring_put *put)
{
	uint64_t i = run->layout.prepared / bytes;

	for (; i < count; i++) {
		if (i % 65536 == 0 && !kernel_goes_on(run, i, count))
			break;
		put(run, i);
	}
	run->layout.laid_out = (i < count ? i : count) * bytes;
	if (run->kernel->layout_nests && run->layout.prepared > run->layout.laid_out)
		run->layout.laid_out = run->layout.prepared;
	return i < count ? status_make(STATUS_CANCELLED, "stopped during the layout of data")
			 : status_ok();
}
