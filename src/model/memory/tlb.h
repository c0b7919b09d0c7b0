/* The data TLBs that curves over pages show: steps at N pages that no cache explains. Pure. */
#pragma once

#include "model/memory/hierarchy.h"

enum { TLBS_MAX = 4 };

/* Curves over pages read one line in this many bytes. */
enum { TLB_PAGE = 4096 };

/* In ascending order of their reach. Set in each level: kind, cycles (cost of a miss) with range,
 * bytes (reach) with range, confidence, unstable, kinds. */
struct tlbs {
	int count;
	struct hierarchy_level level[TLBS_MAX];
	bool sharp[TLBS_MAX]; /* the reach is where it begins to miss; else where a third of the
				 accesses miss */
};

/* hierarchy: plateaus of lines and pages are filled. line: bytes of a cache line. */
void tlb_find(const struct hierarchy_input *input, const struct hierarchy *hierarchy, double line,
	struct tlbs *tlbs);
