/* Loops that read, write, update or copy an array, every place of it or one of so many: what kernels that measure throughput share.
 * Nothing is computed, so that nothing binds before the accesses do.
 *
 * A kernel fills in the constants in functions of its own, and names the body as what people read:
 *
 *	KERNEL_LOOP static void write_strided(struct stream_walk *walk) { stream_write(walk, 8, true, false); }
 *	…	run->code = (const void *)write_strided, run->function = "stream_write";
 *
 * width: bytes of an access: 8 or 16; on x86-64 32 (AVX2) and 64 (AVX-512) too. strided: places lie walk->stride bytes apart; otherwise
 * they follow each other. bypass, where not strided: stores go past the caches. An iteration is of STREAM_UNROLL places. */
#ifndef SLX_KERNELS_STREAM_H
#define SLX_KERNELS_STREAM_H

#include <stdbool.h>

#include "kernels/kernel.h"
#include "kernels/ring.h"
#if defined(__x86_64__)
#include "kernels/stream_x86.h"
#else
#include "kernels/stream_arm64.h"
#endif

enum { STREAM_UNROLL = 8, STREAM_WIDEST = 64 };

struct stream_walk {
	struct ring ring;                /* of iterations */
	unsigned char *a, *b;            /* what is read or written; b: what a copy writes */
	uint64_t stride;                 /* bytes from a place to the next, where strided */
	const unsigned char *value;      /* STREAM_WIDEST bytes: what is written; aligned to them */
	/* What the loads of the last iteration found; of an update only of its second half. */
	_Alignas(STREAM_WIDEST) unsigned char last[STREAM_UNROLL][STREAM_WIDEST];
};

typedef void stream_loop(struct stream_walk *walk);

/* Bytes from an iteration's first place to the next one's. */
KERNEL_BODY uint64_t stream_turn(const struct stream_walk *walk, const int width, const bool strided)
{
	return STREAM_UNROLL * (strided ? walk->stride : (uint64_t)width);
}

/* for (…; a += s)
 *	x = *a; */
KERNEL_BODY void stream_read(struct stream_walk *walk, const int width, const bool strided)
{
	uint64_t turns, from, s = walk->stride;

	while ((turns = ring_piece(&walk->ring, &from))) {
		STREAM_POINTERS(a, from * stream_turn(walk, width, strided));

		__asm__ volatile(
			STREAM_BEGIN
			STREAM_ALL(STREAM_LOAD)
			STREAM_ADVANCE("a")
			STREAM_AGAIN
			STREAM_ALL(STREAM_KEEP)
			STREAM_END
			: STREAM_MOVED(a), [turns] "+r"(turns)
			: STREAM_STRIDES, [last] "r"(walk->last), [width] "i"(width), [strided] "i"(strided), [bypass] "i"(0)
			: STREAM_CLOBBERS_ALL);
	}
}

/* for (…; a += s)
 *	*a = value; */
KERNEL_BODY void stream_write(struct stream_walk *walk, const int width, const bool strided, const bool bypass)
{
	uint64_t turns, from, s = walk->stride;

	while ((turns = ring_piece(&walk->ring, &from))) {
		STREAM_POINTERS(a, from * stream_turn(walk, width, strided));

		__asm__ volatile(
			STREAM_VALUE
			STREAM_BEGIN
			STREAM_ONE(STREAM_STORE)
			STREAM_ADVANCE("a")
			STREAM_AGAIN
			STREAM_END
			: STREAM_MOVED(a), [turns] "+r"(turns)
			: STREAM_STRIDES, [value] "r"(walk->value), [width] "i"(width), [strided] "i"(strided), [bypass] "i"(bypass)
			: STREAM_CLOBBERS_FOUR);
	}
}

/* for (…; a += s)
 *	x = *a, *a = value; */
KERNEL_BODY void stream_update(struct stream_walk *walk, const int width, const bool strided)
{
	uint64_t turns, from, s = walk->stride;

	while ((turns = ring_piece(&walk->ring, &from))) {
		STREAM_POINTERS(a, from * stream_turn(walk, width, strided));

		__asm__ volatile(
			STREAM_VALUE
			STREAM_BEGIN
			STREAM_FOUR(STREAM_UPDATE)
			STREAM_ADVANCE("a")
			STREAM_AGAIN
			STREAM_FOUR(STREAM_KEEP)
			STREAM_END
			: STREAM_MOVED(a), [turns] "+r"(turns)
			: STREAM_STRIDES, [value] "r"(walk->value), [last] "r"(walk->last), [width] "i"(width), [strided] "i"(strided),
			  [bypass] "i"(0)
			: STREAM_CLOBBERS_FOUR);
	}
}

/* for (…; a += s, b += s)
 *	*b = *a; */
KERNEL_BODY void stream_copy(struct stream_walk *walk, const int width, const bool strided, const bool bypass)
{
	uint64_t turns, from, s = walk->stride;

	while ((turns = ring_piece(&walk->ring, &from))) {
		STREAM_POINTERS(a, from * stream_turn(walk, width, strided));
		STREAM_POINTERS(b, from * stream_turn(walk, width, strided));

		__asm__ volatile(
			STREAM_BEGIN
			STREAM_FOUR(STREAM_COPY)
			STREAM_ADVANCE("a")
			STREAM_ADVANCE("b")
			STREAM_AGAIN
			STREAM_END
			: STREAM_MOVED(a), STREAM_MOVED(b), [turns] "+r"(turns)
			: STREAM_STRIDES, [width] "i"(width), [strided] "i"(strided), [bypass] "i"(bypass)
			: STREAM_CLOBBERS_FOUR);
	}
}

#endif
