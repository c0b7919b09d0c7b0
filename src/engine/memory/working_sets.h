/* Working sets in memory with what is laid out in them. They are kept apart by what is asked of
 * their memory (pages, node), and a background's from the live setting's where the two cannot
 * share; all together stay within a limit. */
#ifndef SLX_ENGINE_MEMORY_WORKING_SETS_H
#define SLX_ENGINE_MEMORY_WORKING_SETS_H

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

/* One working set in memory and what is laid out in it. */
struct slot {
	struct arena arena;
	struct arena_place place;
	bool background;
	const struct kernel *kernel; /* NULL: nothing */
	uint64_t layout, seed, prepared;
	uint64_t offset; /* bytes into the arena at which it is laid out */
	uint64_t turn;	 /* of the store, when it was last asked for; 0: never */
	double filled;	 /* seconds, when nearly all of it was last needed */
};

/* A zeroed one with topology and cpu set is ready, and holds nothing. */
struct working_sets {
	const struct topology *topology;
	int cpu; /* whoever calls the runs is on */
	uint64_t turn;
	struct slot slot[WORKING_SETS_MAX];
	struct code_buffer room; /* code of the run that was laid out last */
};

struct working_set_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	double place; /* 0…1: where in what is laid out to begin, for kernels that are movable */
	uint64_t shift; /* bytes, a multiple of ARENA_PIECE, from the beginning of its memory to the
			   working set: other pages; 0 where so much memory is not available */
	uint64_t near;	/* bytes of the first cache: what fits it always begins at the beginning */
	bool background; /* fills slices beside the live setting */
	bool alone;	 /* nothing else is kept */
	uint64_t limit;	 /* bytes that the store may hold; less only where this working set alone is
			    more */
	double now;	 /* seconds */
	struct progress *progress; /* where to leave how far it is; NULL: nobody asks */
};

/* How many placements of a working set are worth measuring: one where it fits the first cache
 * (`near` bytes), whose sets are chosen by addresses within a page, and one where it is so large
 * that the effects of its pages average out. */
enum { PLACEMENTS_MAX = 3 };
unsigned placements_of(uint64_t footprint, uint64_t near);

/* The shift of the place-th of them (0, 1, …): all of their pages differ. */
uint64_t placement_shift(uint64_t footprint, unsigned place);

/* Memory for a request with its data laid out and checked: *run is ready to be called, and *slot
 * holds it, until the next call. What others left in the same memory is used again where it can be.
 * STATUS_FAILED: memory or a node refused; STATUS_CANCELLED: *cancel was set. */
struct status working_sets_lay(struct working_sets *working_sets,
	const struct working_set_request *request, const atomic_bool *cancel,
	struct kernel_run *run, struct slot **slot);

/* Gives back what was not asked for the longest until no more than so many bytes are held. */
void working_sets_shrink(struct working_sets *working_sets, uint64_t limit);

/* Bytes that are held. */
uint64_t working_sets_held(const struct working_sets *working_sets);

void working_sets_free(struct working_sets *working_sets);

#endif
