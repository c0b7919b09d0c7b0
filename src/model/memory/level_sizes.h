/* The sizes of caches and data TLBs, by the knees of several curves of latency. Pure. */
#pragma once

#include "model/memory/hierarchy.h"

/* Fills the level's bytes, bytes_lo, bytes_hi and unstable from the knees (at least one) that end
 * it in each curve; number and stated are set. Badly placed pages and other users of a cache can
 * only take from it: of several curves the largest size is right, but for curves that climb
 * gradually where another does not. outermost: no curve shows a cache after it. shared: bytes of
 * the cache that cores share, as the system states it; 0: none. */
void cache_size(const struct plateau_knee *const knees[], int count, bool outermost,
	uint64_t shared, struct hierarchy_level *level);

enum { TLBS_MAX = 4 };

/* Curves over pages read one line in this many bytes. */
enum { TLB_PAGE = 4096 };

/* In ascending order of their reach. Set in each level: kind, cycles (cost of a miss) with range,
 * bytes (reach) with range, confidence, unstable, kinds. */
struct tlbs {
	int count;
	struct hierarchy_level level[TLBS_MAX];
	bool sharp[TLBS_MAX]; /* the reach ends where the TLB begins to miss; else where a third of
				 the accesses miss */
};

/* hierarchy: plateaus of lines and pages are filled. line: bytes of a cache line. */
void tlb_find(const struct hierarchy_input *input, const struct hierarchy *hierarchy, double line,
	struct tlbs *tlbs);
