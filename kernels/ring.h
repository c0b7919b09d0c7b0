/* Walking a ring of iterations: a call begins and ends anywhere in it, and passes its end any
 * number of times.
 *
 * A hot loop asks for one straight piece after the other, inside its own function, so that what it
 * carries from one iteration to the next stays in registers over the ring's end:
 *
 *     while ((turns = ring_piece(&walk->ring, &from)))
 *         … turns iterations, the first of them the ring's from-th …
 */
#ifndef SLX_KERNELS_RING_H
#define SLX_KERNELS_RING_H

#include <stdint.h>

#include "kernels/kernel.h"

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

#endif
