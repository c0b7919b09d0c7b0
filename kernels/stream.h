/* Reads all of a piece of memory in its order, as fast as one core gets it: what streams beside a measured core do. */
#ifndef SLX_KERNELS_STREAM_H
#define SLX_KERNELS_STREAM_H

#include <stddef.h>

#include "kernels/kernel.h"

/* The sum of `words`, a multiple of 8. Eight loads a line, and four sums: far more than any memory gives. */
static KERNEL_LOOP uint64_t stream_read(const uint64_t *from, size_t words)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i < words; i += 8) {
		a += from[i] + from[i + 4];
		b += from[i + 1] + from[i + 5];
		c += from[i + 2] + from[i + 6];
		d += from[i + 3] + from[i + 7];
	}
	return a + b + c + d;
}

#endif
