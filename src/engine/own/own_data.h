/* The memory that an own loop works on: its arguments laid out for one n. */
#pragma once

#include <stddef.h>

#include "engine/own/own_describe.h"

struct own_data {
	void *argument[OWN_ARGUMENTS]; /* a, b, c, d; NULL where not described */
	/* Where a list ends when the loop is called with the shorter n: the node. NULL: it ends
	 * where it always does. */
	void **cut[OWN_ARGUMENTS];
	void *next[2][OWN_ARGUMENTS]; /* of that node: [0] whole, [1] cut, which is NULL */
};

/* Bytes of memory that laying out takes: own_bytes() and what keeps the arguments apart. */
uint64_t own_data_bytes(const struct own_description *description, int64_t n);

/* Lays out everything for n into zeroed memory, aligned to a page. shorter (< n; 0: none) is a
 * second count that the loop will be called with: lists can then be cut to it. The same seed gives
 * the same data. */
void own_data_make(struct own_data *data, const struct own_description *description, int64_t n,
	int64_t shorter, uint64_t seed, void *memory);

/* Lists as for the shorter count, or whole again: the same instructions either way, for who counts
 * them. */
static inline void own_data_shorten(struct own_data *data, bool shorten)
{
	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (data->cut[i])
			*data->cut[i] = data->next[shorten][i];
}
