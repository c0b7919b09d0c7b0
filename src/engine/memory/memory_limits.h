/* Memory and processor limits of this process. The settings of kernels are checked against the
 * limits of memory and processors. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Cause of the memory limit. */
enum memory_limits_bound {
	MEMORY_LIMITS_FREE,	 /* the free memory */
	MEMORY_LIMITS_GROUP,	 /* the memory limit of this control group or of a parent group */
	MEMORY_LIMITS_ADDRESSES, /* the process' address space limit: ulimit -v */
	MEMORY_LIMITS_DATA,	 /* the process' data limit: ulimit -d */
};

/* A field of 0 means that the limit of memory or processors is unknown, and nothing is limited. */
struct memory_limits {
	uint64_t memory; /* memory limit for all working sets together, bytes: half of the available
			    memory */
	int processors;	 /* number of hardware threads that this process may use */
	int node_end;	 /* one more than the largest number of a memory node that this process may
			    use */
	enum memory_limits_bound bound; /* cause of the limit `memory` */
};

#define MEMORY_LIMITS_UNKNOWN ((struct memory_limits){ 0 })

/* The limit on memory in words: "half of this machine's free memory". */
const char *memory_limits_half(enum memory_limits_bound bound);

struct memory_limits_memory {
	uint64_t left; /* bytes that this process may still allocate; 0: no bytes, or unknown */
	enum memory_limits_bound bound;
	uint64_t limit; /* the binding limit, bytes; 0: only the free memory limits this process */
};

/* Reads /proc and the control groups (versions 1 and 2) below `root`. The parameter `root` is ""
 * for this machine; tests pass a directory with their own files. */
struct memory_limits_memory memory_limits_memory(const char *root);

/* The binding limit in words: "the control group allows 1 GiB". The text about the binding limit is
 * empty if only the free memory limits this process. */
void memory_limits_words(const struct memory_limits_memory *memory, char *buffer, size_t size);
