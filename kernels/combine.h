/* Declarations shared by combine.c and the generated loops of the kernel combine
 * (combine_loops.awk). */
#pragma once

#include <stdint.h>

enum { COMBINE_UNROLL = 16 };

/* The numbers of loop functions for one operation (add, mul) and one kind of stride (1 or any).
 * COMBINE_SEPARATE: number of loops with separate accumulators; each unroll factor has loops with
 * 1…unroll accumulators. COMBINE_SHAPES: number of all loops. In a table of loops, the loops after
 * the first COMBINE_SEPARATE loops have shape=reassociated, from unroll 2. With unroll=1, the loops
 * with separate accumulators and the reassociated loops are equal. */
enum {
	COMBINE_SEPARATE = COMBINE_UNROLL * (COMBINE_UNROLL + 1) / 2,
	COMBINE_SHAPES = COMBINE_SEPARATE + COMBINE_UNROLL - 1
};

/* The state of a loop that passes the array again and again, counted in iterations of the loop. The
 * loop updates the fields `at` (the next element) and `room` (the number of iterations up to the
 * end of the array). */
struct combine_walk {
	const void *at;	  /* address of the next element */
	uint64_t room;	  /* number of iterations from `at` to the end of the array, > 0 */
	uint64_t left;	  /* number of remaining iterations of the call, > 0 */
	const void *base; /* address of the first element of the array */
	uint64_t ring;	  /* number of iterations in one pass over the array */
	int64_t stride;	  /* bytes from one element to the next */
	union {
		int32_t i32;
		int64_t i64;
		float f32;
		double f64;
	} result; /* the combined value of all elements read */
};

typedef void combine_loop(struct combine_walk *walk);

/* A loop function, and its name in the source. */
struct combine_row {
	combine_loop *loop;
	const char *name;
};

/* The loops of each data type, indexed by [operation: add, mul][stride: one, any][shape]. */
extern const struct combine_row combine_i32_loops[2][2][COMBINE_SHAPES],
	combine_i64_loops[2][2][COMBINE_SHAPES], combine_f32_loops[2][2][COMBINE_SHAPES],
	combine_f64_loops[2][2][COMBINE_SHAPES];
