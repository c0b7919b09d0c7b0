/* How far the result of an instruction reaches: whether an address, a branch, memory or a division
 * depends on it. If no address, branch, memory or division depends on an instruction's result, the
 * instruction can be removed from a loop. The loop then computes other values, but accesses the
 * same memory in the same order. Pure. */
#pragma once

#include "model/code/decode.h"

enum reach {
	REACH_NOTHING,
	REACH_ADDRESS,	/* an address depends on the result */
	REACH_CONTROL,	/* a branch depends on the result */
	REACH_MEMORY,	/* the loop stores a value that depends on the result */
	REACH_DIVISION, /* a division depends on the result, and a divisor could be zero */
};

/* Follows the result of instruction `from` of the function's innermost loop through registers, in
 * the loop and in the rest of the function, along all paths. The function returns the first use of
 * the result that it finds: an address, a branch, a store or a division. Values in memory are not
 * followed: a store in the loop ends the search, and a store outside the loop counts as a result of
 * the function. */
enum reach reach_find(const struct decoded_function *function, int from);
