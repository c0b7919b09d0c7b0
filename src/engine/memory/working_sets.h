/* A cache of working sets: memory in which the data of kernels are already laid out. Each kind of
 * memory (page size, node) has its own slot in the cache of working sets. Background measurements
 * also have their own slot of memory if they cannot share the live measurement's data. All working
 * sets together stay within a memory limit. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "engine/memory/arena.h"
#include "engine/memory/code_buffer.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

enum { WORKING_SETS_MAX = 6 };

/* One entry of the cache: memory of one kind with the data of a working set. */
struct slot {
	struct arena arena;
	struct arena_place place;
	bool background;
	const struct kernel *kernel; /* kernel whose data the slot holds; NULL: no data */
	uint64_t layout, seed, prepared;
	uint64_t offset; /* offset of the slot's data in its arena (reserved memory), bytes */
	uint64_t turn;	 /* number of the last request that used this slot of memory; 0: the slot is
			    empty */
	double filled;	 /* last time, in seconds, when nearly all memory of the slot was in use */
};

/* To make an empty cache, set topology and cpu, and zero all other fields. */
struct working_sets {
	const struct topology *topology;
	int cpu; /* the processor that runs the kernels */
	uint64_t turn;
	struct slot slot[WORKING_SETS_MAX];
	struct code_buffer room; /* generated machine code of the kernel that ran last */
};

struct working_set_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	double place;	/* 0…1: relative start position within the data, for movable kernels */
	uint64_t shift; /* offset of the working set in its memory, to use other pages: bytes, a
			   multiple of ARENA_PIECE; 0 is used if the limit is too small for the
			   offset */
	uint64_t near;	/* bytes of the first-level cache: a working set that fits this cache always
			   starts at the beginning of the data */
	bool background; /* true: the request is a background measurement */
	bool alone;	 /* true: first free the memory of all other working sets */
	uint64_t limit;	 /* limit for the memory of all working sets together, bytes; at least the
			    bytes of this working set */
	double now;	 /* the current time, seconds */
	struct progress *progress; /* receives the progress; NULL: progress is not reported */
};

/* placements_of() returns the number of positions of the working set in memory that are worth
 * measuring. One position in memory is enough if the working set fits the first-level cache (`near`
 * bytes), whose index bits lie within the page offset. One position in memory is also enough if the
 * working set is so large that the effects of its many pages average out. */
enum { PLACEMENTS_MAX = 3 };
unsigned placements_of(uint64_t footprint, uint64_t near);

/* Returns, in bytes, how far the working set is shifted in memory for position 0, 1, …. Two
 * positions of a working set in memory never share a page. */
uint64_t placement_shift(uint64_t footprint, unsigned place);

/* Lays out and checks the data of a request. Afterwards *run is ready, and *slot holds its memory;
 * *run and *slot are valid until the next call. Data that earlier requests laid out are used again
 * if they match the new request. STATUS_FAILED: the system refused memory or a memory node.
 * STATUS_CANCELLED: *cancel was set. */
struct status working_sets_lay(struct working_sets *sets, const struct working_set_request *request,
	const atomic_bool *cancel, struct kernel_run *run, struct slot **slot);

/* Frees the least recently used working sets until the cache holds at most `limit` bytes. */
void working_sets_shrink(struct working_sets *sets, uint64_t limit);

/* Bytes of memory that the cache of working sets holds. */
uint64_t working_sets_held(const struct working_sets *sets);

void working_sets_free(struct working_sets *sets);
