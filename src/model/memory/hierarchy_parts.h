/* What hierarchy.c finds on the way, hierarchy_levels.c makes levels of, and hierarchy_words.c puts
 * into words. Internal to them. */
#ifndef SLX_MODEL_MEMORY_HIERARCHY_PARTS_H
#define SLX_MODEL_MEMORY_HIERARCHY_PARTS_H

#include "model/memory/hierarchy.h"

enum { PAGE = 4096, TLBS_MAX = 4, CACHES_MAX = 4 };

/* A step of the page curves that no cache explains. */
struct tlb {
	double reach, reach_lo, reach_hi; /* bytes */
	double cycles, lo, hi;		  /* what a miss costs on top */
	double confidence;
	bool unstable;
	bool sharp; /* the reach is where it begins to miss; else where a third of the accesses do
		     */
	unsigned kinds; /* of pages that it shows with: a bit each, by enum page_kind */
};

struct chain_cache {
	int plateau, knee; /* indices into the chain's plateaus */
};

/* A line curve without the TLBs' part of it, and what its plateaus stand for. */
struct chain {
	struct plateaus plateaus;
	int cache_count;
	struct chain_cache cache[CACHES_MAX];
	int memory; /* the first plateau that is memory's; -1: none */
};

struct found {
	struct plateaus plain[PAGE_KINDS]; /* of the line curves as they are */
	double line;			   /* bytes: measured, or stated, or the usual */
	unsigned stated_line;
	double page; /* bytes of the smallest pages that the system has */
	int tlb_count;
	struct tlb tlb[TLBS_MAX];
	struct chain chain[PAGE_KINDS];
};

/* Adds caches, TLBs and memory, without their words. */
void hierarchy_add_levels(const struct hierarchy_input *input, const struct found *found,
	struct hierarchy *hierarchy);

/* Fills each level's words, and the findings. */
void hierarchy_say(const struct hierarchy_input *input, const struct found *found,
	struct hierarchy *hierarchy);

#endif
