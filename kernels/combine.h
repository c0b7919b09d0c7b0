/* What combine's generated loops (combine_loops.awk) and combine.c share. */
#pragma once

#include <stdint.h>

enum { COMBINE_UNROLL = 16 };

/* Loops of one operation and stride form, by shape: separate ones first, unroll by unroll, each
 * with 1…unroll accumulators; then the reassociated ones from unroll 2 on (at unroll 1 the shapes
 * are the same loop). */
enum {
	COMBINE_SEPARATE = COMBINE_UNROLL * (COMBINE_UNROLL + 1) / 2,
	COMBINE_SHAPES = COMBINE_SEPARATE + COMBINE_UNROLL - 1
};

/* A walk round the array, in iterations of the loop; at and room move on with it. */
struct combine_walk {
	const void *at;	  /* the next element */
	uint64_t room;	  /* iterations from there to the end of the ring, > 0 */
	uint64_t left;	  /* iterations to make, > 0 */
	const void *base; /* the ring's first element */
	uint64_t ring;	  /* iterations in the ring */
	int64_t stride;	  /* bytes from one element to the next */
	union {
		int32_t i32;
		int64_t i64;
		float f32;
		double f64;
	} result; /* all elements read, combined */
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
