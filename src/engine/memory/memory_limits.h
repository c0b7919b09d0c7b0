/* Limits of memory and processors for this process. Settings are checked against them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What limits memory. */
enum memory_limits_bound {
	MEMORY_LIMITS_FREE,	 /* only the free memory */
	MEMORY_LIMITS_GROUP,	 /* the control group's limit, or that of a group it is in */
	MEMORY_LIMITS_ADDRESSES, /* the process' limit of address space: ulimit -v */
	MEMORY_LIMITS_DATA,	 /* its limit of data: ulimit -d */
};

/* 0: unknown, no upper end. */
struct memory_limits {
	uint64_t memory; /* bytes for all working sets together: half of the available memory */
	int processors;	 /* hardware threads that this process may use */
	int nodes;	 /* memory nodes likewise */
	enum memory_limits_bound bound; /* of memory */
};

#define MEMORY_LIMITS_UNKNOWN ((struct memory_limits){ 0 })

/* "half of this machine's free memory": the limit in words. */
const char *memory_limits_half(enum memory_limits_bound bound);

struct memory_limits_memory {
	uint64_t left; /* bytes that this process may still take; 0: none, or unknown */
	enum memory_limits_bound bound;
	uint64_t limit; /* bytes: the limit that bounds it; 0: none does */
};

/* Reads /proc and the control groups (versions 1 and 2) below root: "" for this machine, a tree of
 * their own in tests. */
struct memory_limits_memory memory_limits_memory(const char *root);

/* "the control group allows 1 GiB": what bounds it besides what is free; empty when nothing does.
 */
void memory_limits_words(const struct memory_limits_memory *memory, char *buffer, size_t size);
