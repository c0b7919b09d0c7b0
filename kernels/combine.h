/* Shared by combine's generated loops (combine_loops.awk) and combine.c. */
#pragma once

#include <stdint.h>

enum { COMBINE_UNROLL = 16 };

/* Loops of one operation and stride form, by shape. First come the loops with separate
 * accumulators: for each unroll, 1…unroll accumulators. Then come the reassociated loops from
 * unroll 2 (at unroll 1 both are the same loop). */
enum {
	COMBINE_SEPARATE = COMBINE_UNROLL * (COMBINE_UNROLL + 1) / 2,
	COMBINE_SHAPES = COMBINE_SEPARATE + COMBINE_UNROLL - 1
};

/* A walk round the array, counted in iterations of the loop. The loop updates at and room. */
struct combine_walk {
	const void *at;	  /* the next element */
	uint64_t room;	  /* iterations from there to the end of the ring, > 0 */
	uint64_t left;	  /* remaining iterations of the call, > 0 */
	const void *base; /* the first element of the ring */
	uint64_t ring;	  /* iterations in the ring */
	int64_t stride;	  /* bytes from one element to the next */
	union {
		int32_t i32;
		int64_t i64;
		float f32;
		double f64;
	} result; /* the combined value of all elements read */
};

typedef void combine_loop(struct combine_walk *walk);

/* A loop, and its name. */
struct combine_row {
	combine_loop *loop;
	const char *name;
};

/* [op: add, mul][stride: one, any][shape] */
extern const struct combine_row combine_i32_loops[2][2][COMBINE_SHAPES],
	combine_i64_loops[2][2][COMBINE_SHAPES], combine_f32_loops[2][2][COMBINE_SHAPES],
	combine_f64_loops[2][2][COMBINE_SHAPES];
