/* For kernels that read or write an array in order, again and again (a ring): where a call starts,
 * and the data in the array.
 *
 * A call may begin and end at any iteration, and may pass the end of the ring several times. A hot
 * loop requests one contiguous piece of the ring (the array that is passed again and again) after
 * another, inside its own function. Values that are carried from one iteration to the next
 * therefore stay in registers at the end of the array:
 *
 *     while ((turns = ring_piece(&walk->ring, &from)))
 *             … turns iterations, starting at iteration `from` of the ring … */
#pragma once

#include <stdint.h>

#include "base/random.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

struct ring {
	uint64_t left;	/* number of remaining iterations of the call */
	uint64_t room;	/* number of iterations from the present position to the end of the array,
			   1…turns */
	uint64_t turns; /* number of iterations in one pass over the whole array */
};

/* Prepares a call for `elements` elements, which starts at the element where the last call stopped.
 * run->position counts iterations. */
static inline struct ring ring_begin(const struct kernel_run *run, uint64_t elements)
{
	uint64_t turns = run->ring / run->granule;

	return (struct ring){
		.left = elements / run->granule, .room = turns - run->position, .turns = turns
	};
}

/* Stores the present position in run->position for the next call. */
static inline void ring_end(struct kernel_run *run, const struct ring *ring)
{
	run->position = ring->turns - ring->room;
}

/* Calls the loop of a run for `elements` elements. walk: a pointer to the loop's argument, which is
 * a struct with a member `ring`. */
#define RING_WALK(run, elements, walk)                                 \
	do {                                                           \
		(walk)->ring = ring_begin(run, elements);              \
		((void (*)(__typeof__(walk)))(run)->code.start)(walk); \
		ring_end(run, &(walk)->ring);                          \
	} while (0)

/* Returns the number of iterations in the next contiguous piece of the array, or 0 if the call has
 * made all its iterations. *from: the number of the first iteration of the piece. */
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

/* Returns random bits that depend only on the seed and the index. Because the bits do not depend on
 * the size, a shorter array is the beginning of a longer array. */
static inline uint64_t ring_bits(uint64_t seed, uint64_t index)
{
	return random_next(&(struct random){ seed + index });
}

static inline uint32_t ring_word(uint64_t seed, uint64_t index)
{
	return (uint32_t)(ring_bits(seed, index) >> 32);
}

typedef void ring_put(struct kernel_run *run, uint64_t index);

/* A function of type ring_put: writes ring_word() as element `index`. */
static inline void ring_put_word(struct kernel_run *run, uint64_t index)
{
	((uint32_t *)(void *)run->memory)[index] = ring_word(run->seed, index);
}

/* Lays out `count` items of `bytes` bytes: put() writes each item. Keeps the first items if an
 * earlier prepare() laid them out. Sets layout.laid_out. Returns STATUS_CANCELLED once *work.cancel
 * is set. */
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
