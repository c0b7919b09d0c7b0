/* How large a cache is, by where several curves of latency leave it. Pure. */
#pragma once

#include "model/memory/hierarchy.h"

/* Fills the level's bytes, bytes_lo, bytes_hi and unstable from the knees (at least one) that end
 * it in each curve; number and stated are set. Badly placed pages and other users of a cache can
 * only take from it: of several curves the largest size is right, but for curves that climb
 * gradually where another does not. outermost: no curve shows a cache after it. shared: bytes of
 * the cache that cores share, as the system states it; 0: none. */
void cache_size(const struct plateau_knee *const knees[], int count, bool outermost,
	uint64_t shared, struct hierarchy_level *level);
