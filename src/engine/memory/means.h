/* How far this machine goes for this process: what settings are held against. */
#ifndef SLX_ENGINE_MEMORY_MEANS_H
#define SLX_ENGINE_MEMORY_MEANS_H

#include <stddef.h>
#include <stdint.h>

/* What stands in the way of more memory. */
enum means_bound {
	MEANS_FREE,	 /* nothing but what is free */
	MEANS_GROUP,	 /* the control group's limit, or that of a group it is in */
	MEANS_ADDRESSES, /* the process' limit of address space: ulimit -v */
	MEANS_DATA,	 /* its limit of data: ulimit -d */
};

/* 0: unknown, no upper end. */
struct means {
	uint64_t memory;	/* bytes of all working sets together: half of what may be had */
	int processors;		/* hardware threads that this process may use */
	int nodes;		/* memory nodes likewise */
	enum means_bound bound; /* of memory */
};

#define MEANS_UNKNOWN ((struct means){ 0 })

/* "half of this machine's free memory", "half of what the control group allows": what settings may
 * take, in words. */
const char *means_half(enum means_bound bound);

struct means_memory {
	uint64_t left; /* bytes that this process may still take; 0: none, or unknown */
	enum means_bound bound;
	uint64_t limit; /* bytes: the limit that bounds it; 0: none does */
};

/* Reads /proc and the control groups (versions 1 and 2) below root: "" for this machine, a tree of
 * their own in tests. */
struct means_memory means_memory(const char *root);

/* "the control group allows 1 GiB": what bounds it besides what is free; empty when nothing does.
 */
void means_words(const struct means_memory *memory, char *buffer, size_t size);

#endif
