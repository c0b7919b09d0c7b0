/* The sizes of caches and data TLBs, from the knees of several latency curves. Pure. */
#pragma once

#include "model/memory/hierarchy.h"

/* Fills bytes, bytes_lo, bytes_hi and unstable of a level. knees: the end of the level in each
 * curve, at least one. The caller has set number and stated. Badly placed pages and other users can
 * only take space from a cache, so the largest size of all curves is right. A gradual knee does not
 * count if another curve has a sharp knee. outermost: no curve shows a cache after this level.
 * shared: bytes of the shared cache that the system states; 0: none. */
void cache_size(const struct plateau_knee *const knees[], int count, bool outermost,
	uint64_t shared, struct hierarchy_level *level);

enum { TLBS_MAX = 4 };

/* Curves over pages read one line in this many bytes. */
enum { TLB_PAGE = 4096 };

/* TLBs in ascending order of their reach. Each level has: kind, cycles (cost of a miss) with range,
 * bytes (reach) with range, confidence, unstable, kinds. */
struct tlbs {
	int count;
	struct hierarchy_level level[TLBS_MAX];
	bool sharp[TLBS_MAX]; /* true: the reach ends where the TLB begins to miss; false: where a
				 third of the accesses miss */
};

/* Finds the TLBs. hierarchy: its plateaus of lines and pages are filled. line: bytes of a cache
 * line. */
void tlb_find(const struct hierarchy_input *input, const struct hierarchy *hierarchy, double line,
	struct tlbs *tlbs);
