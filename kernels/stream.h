/* Loops that read, write, update or copy an array, every place of it or one of so many: what
 * kernels that measure throughput share. Nothing is computed, so that nothing binds before the
 * accesses do.
 *
 * A kernel fills in the constants in functions of its own, and names the body as what people read:
 *
 *     KERNEL_LOOP static void write_strided(struct stream_walk *walk) { stream_write(walk, 8, true,
 * false); } …	run->code.start = (const void *)write_strided, run->code.name = "stream_write";
 *
 * width: bytes of an access: 8 or 16; on x86-64 32 (AVX2) and 64 (AVX-512) too. strided: places lie
 * walk->stride bytes apart; otherwise they follow each other. bypass, where not strided: stores go
 * past the caches. An iteration is of STREAM_UNROLL places. */
#ifndef SLX_KERNELS_STREAM_H
#define SLX_KERNELS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"
#if defined(__x86_64__)
#include "kernels/stream_x86.h"
#else
#include "kernels/stream_arm64.h"
#endif

enum { STREAM_UNROLL = 8, STREAM_WIDEST = 64 };

/* A call's walk round the places, as often as it takes. */
struct stream_walk {
	/* What the loads of the last iteration found; of accesses of 8 bytes in the second half
	 * alone. */
	_Alignas(STREAM_WIDEST) unsigned char found[STREAM_UNROLL][STREAM_WIDEST];
	unsigned char value[STREAM_WIDEST]; /* what is written */
	unsigned char *a, *b;		    /* what is read or written; b: what a copy writes */
	uint64_t stride;		    /* bytes from a place to the next, where strided */
	uint64_t turns;			    /* iterations to make (> 0) */
	uint64_t at, last; /* bytes into a (and b) where the first of them begins, and where the
			      ring's last one does; `at` is where the next call's begins when this
			      one is through */
};

typedef void stream_loop(struct stream_walk *walk);

#define STREAM_CONSTANTS(width_is, strided_is, bypass_is)                           \
	[width] "i"(width_is), [strided] "i"(strided_is), [bypass] "i"(bypass_is),  \
		[walk] "r"(walk), [value] "i"(offsetof(struct stream_walk, value)), \
		[found] "i"(offsetof(struct stream_walk, found))

/* for (; turns--; a = a == last ? first : a + 8 * s)
 *     x0 = a[0], x1 = a[s], … x7 = a[7 * s]; */
KERNEL_BODY void stream_read(struct stream_walk *walk, const int width, const bool strided)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at;

	__asm__ volatile(STREAM_BEGIN STREAM_EACH(STREAM_LOAD) STREAM_NEXT STREAM_MOVE_FAST("a")
				 STREAM_AGAIN STREAM_EACH(STREAM_KEEP) STREAM_END
			 : [a] "+r"(a), [turns] "+r"(turns)
			 : [first_a] "r"(first), [last] "r"(last), STREAM_STRIDES STREAM_FAST,
			 STREAM_CONSTANTS(width, strided, 0)
			 : STREAM_CLOBBERS);
	walk->at = (uint64_t)(a - first);
}

/* for (; turns--; a = a == last ? first : a + 8 * s)
 *     a[0] = value, a[s] = value, … a[7 * s] = value; */
KERNEL_BODY void stream_write(
	struct stream_walk *walk, const int width, const bool strided, const bool bypass)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at;

	__asm__ volatile(STREAM_VALUE("r8") STREAM_BEGIN STREAM_ONE(STREAM_STORE)
				 STREAM_NEXT STREAM_MOVE_FIT("a") STREAM_AGAIN STREAM_END
			 : [a] "+r"(a), [turns] "+r"(turns)
			 : [first_a] "r"(first), [last] "r"(last), STREAM_STRIDES,
			 STREAM_CONSTANTS(width, strided, bypass)
			 : STREAM_CLOBBERS);
	walk->at = (uint64_t)(a - first);
}

/* for (; turns--; a = a == last ? first : a + 8 * s)
 *     x0 = a[0], a[0] = value, x1 = a[s], a[s] = value, … x7 = a[7 * s], a[7 * s] = value; */
KERNEL_BODY void stream_update(struct stream_walk *walk, const int width, const bool strided)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at;

	__asm__ volatile(STREAM_VALUE("r12") STREAM_BEGIN STREAM_EACH(STREAM_UPDATE)
				 STREAM_NEXT STREAM_MOVE_FIT("a")
					 STREAM_AGAIN STREAM_EACH(STREAM_KEEP) STREAM_END
			 : [a] "+r"(a), [turns] "+r"(turns)
			 : [first_a] "r"(first), [last] "r"(last), STREAM_STRIDES,
			 STREAM_CONSTANTS(width, strided, 0)
			 : STREAM_CLOBBERS, STREAM_SPARE);
	walk->at = (uint64_t)(a - first);
}

/* for (; turns--; a = a == last ? first : a + 8 * s, and b likewise)
 *     b[0] = a[0], b[s] = a[s], … b[7 * s] = a[7 * s]; */
KERNEL_BODY void stream_copy(
	struct stream_walk *walk, const int width, const bool strided, const bool bypass)
{
	uint64_t s = walk->stride, turns = walk->turns;
	unsigned char *first = walk->a, *last = first + walk->last, *a = first + walk->at,
		      *b = walk->b + walk->at;

	__asm__ volatile(
		STREAM_BEGIN STREAM_EACH(STREAM_COPY) STREAM_NEXT STREAM_MOVE_FIT("a")
			STREAM_MOVE_FIT("b") STREAM_AGAIN STREAM_END
		: [a] "+r"(a), [b] "+r"(b), [turns] "+r"(turns)
		: [first_a] "r"(first), [first_b] "r"(walk->b), [last] "r"(last),
		STREAM_STRIDES, [width] "i"(width), [strided] "i"(strided), [bypass] "i"(bypass)
		: STREAM_CLOBBERS);
	walk->at = (uint64_t)(a - first);
}

#endif
