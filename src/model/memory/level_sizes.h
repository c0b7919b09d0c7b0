/* Finds the sizes of caches and data TLBs from the knees of several latency curves. */
#pragma once

#include "model/memory/hierarchy.h"

/* Fills bytes, bytes_lo, bytes_hi and unstable of a level. knees contains the knee at the end of
 * the level in each curve, at least one. The caller has set level->number and level->stated (the
 * size that the system states). Badly placed pages and other processes can only take space from a
 * cache, so the largest size in all curves is used. A gradual knee does not count if another curve
 * has a sharp knee. outermost is true if no curve shows a cache after this level. shared is the
 * size in bytes of the shared cache that the system states; 0: the system states no shared cache.
 */
void cache_size(const struct plateau_knee *const knees[], int count, bool outermost,
	uint64_t shared, struct hierarchy_level *level);

enum { TLBS_MAX = 4 };

/* Distance in bytes between the lines that a curve over pages reads. */
enum { TLB_PAGE = 4096 };

/* TLBs in ascending order of the bytes that they cover. In each level, kind, kinds, confidence and
 * unstable are set, cycles is the cost of a miss, and bytes is the size of the memory that the TLB
 * covers. */
struct tlbs {
	int count;
	struct hierarchy_level level[TLBS_MAX];
	bool sharp[TLBS_MAX]; /* true: the size of the TLB is the point where it begins to miss;
				 false: the point where a third of the accesses miss */
};

/* Finds the data TLBs. The caller has filled hierarchy->lines and hierarchy->pages. line is the
 * size of a cache line in bytes. */
void tlb_find(const struct hierarchy_input *input, const struct hierarchy *hierarchy, double line,
	struct tlbs *tlbs);
