/* A change of the data of the user's own loop, for comparisons. */
#pragma once

#include <stdbool.h>

/* A change of an own loop's data, which leaves the loop's code and the number of elements as they
 * are. A comparison of the loop with changed and unchanged data shows what the data cost. */
struct own_change {
	bool ones;	/* true: each element of a floating-point array is 1.0 */
	bool ordered;	/* true: random whole numbers ascend, and permutations and lists are in the
			   order of addresses */
	unsigned shift; /* additional bytes from the start of a cache line to an array */
	unsigned apart; /* cache lines that are added to the distance of two consecutive arrays,
			   modulo the page size */
	unsigned spacing; /* additional bytes from one node of a list to the next */
};
