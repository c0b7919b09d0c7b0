/* A cache of working sets in memory with their data. Sets are kept apart by the memory that they
 * ask for (pages, node), and a background set from the live one where they cannot share data;
 * together they stay within a limit. */
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

/* Memory of one kind with the data of a working set. */
struct slot {
	struct arena arena;
	struct arena_place place;
	bool background;
	const struct kernel *kernel; /* NULL: nothing */
	uint64_t layout, seed, prepared;
	uint64_t offset; /* offset of the data in the arena, bytes */
	uint64_t turn;	 /* turn of the last request for it; 0: never */
	double filled;	 /* seconds, when nearly all of it was last used */
};

/* Zeroed but for topology and cpu, it is ready and empty. */
struct working_sets {
	const struct topology *topology;
	int cpu; /* the processor that calls the runs */
	uint64_t turn;
	struct slot slot[WORKING_SETS_MAX];
	struct code_buffer room; /* generated code of the last run */
};

struct working_set_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	double place;	 /* 0…1: where in the data to begin, for kernels that are movable */
	uint64_t shift;	 /* offset of the working set in its memory, bytes, a multiple of
			    ARENA_PIECE, for other pages; 0 where memory does not suffice */
	uint64_t near;	 /* bytes of the first cache: a working set that fits always begins at the
			    beginning */
	bool background; /* a slice in the background */
	bool alone;	 /* free all other sets first */
	uint64_t limit;	 /* bytes for all sets together, and at least this working set */
	double now;	 /* seconds */
	struct progress *progress; /* progress; NULL: nobody asks */
};

/* How many placements of a working set are worth measuring. One where it fits the first cache
 * (`near` bytes), whose sets depend on addresses within a page, and one where it is so large that
 * the effects of its pages average out. */
enum { PLACEMENTS_MAX = 3 };
unsigned placements_of(uint64_t footprint, uint64_t near);

/* The shift of placement 0, 1, …: no two share a page. */
uint64_t placement_shift(uint64_t footprint, unsigned place);

/* Lays out and checks the data of a request: *run is ready to be called and *slot holds its memory,
 * until the next call. Data of earlier requests are used again where they fit. STATUS_FAILED:
 * memory or a node refused; STATUS_CANCELLED: *cancel was set. */
struct status working_sets_lay(struct working_sets *sets, const struct working_set_request *request,
	const atomic_bool *cancel, struct kernel_run *run, struct slot **slot);

/* Frees the least recently used sets until at most so many bytes are held. */
void working_sets_shrink(struct working_sets *sets, uint64_t limit);

/* Bytes that are held. */
uint64_t working_sets_held(const struct working_sets *sets);

void working_sets_free(struct working_sets *sets);
