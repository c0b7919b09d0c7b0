/* Memory for working sets: reserved in one piece, aligned to 2 MiB, of the pages and on the memory
 * node that are asked for where they may be had, and touched before anyone times it. Grows without
 * losing what is laid out in it. */
#ifndef SLX_ENGINE_MEMORY_ARENA_H
#define SLX_ENGINE_MEMORY_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "engine/measure/trials.h"

/* Memory comes in pieces of so many bytes: a huge page of most machines. */
enum { ARENA_PIECE = 2 << 20 };

struct arena_place {
	const struct topology *topology;
	int node;   /* where memory is wished; -1: anywhere */
	bool small; /* of the smallest pages there are; else of huge ones where they may be had */
};

struct arena {
	unsigned char *memory; /* NULL before the first arena_need() */
	uint64_t reserved;     /* bytes of address space */
	uint64_t touched;      /* bytes that have pages */
	unsigned char *order;  /* of each piece touched: log2 of the bytes of its pages,
				  ARENA_ORDER_HUGE for a whole one; 0 unknown */
	struct status bound;   /* whether it could be wished on a node */
	atomic_uint *progress; /* arena_need() leaves there how much it has touched, in thousandths;
				  NULL: nobody asks */
};

enum { ARENA_ORDER_HUGE = 21 };

/* Sees to it that the first `bytes` are there and touched. Address space is reserved for `limit`,
 * as far as the system grants it: up to there growing keeps the content, beyond *kept is set to
 * false and the content is gone. An arena keeps to the place that it was first given. STATUS_FAILED
 * when memory is refused, STATUS_CANCELLED when *cancel was set on the way. */
struct status arena_need(struct arena *arena, uint64_t bytes, uint64_t limit,
	const struct arena_place *place, const atomic_bool *cancel, bool *kept);

/* Gives back all pages beyond `bytes`, and keeps the address space. */
void arena_trim(struct arena *arena, uint64_t bytes);

/* Gives back the address space that has no pages: it no longer grows in place. */
void arena_tighten(struct arena *arena);

/* Whether a limit is set on the address space that this process may have (ulimit -v, -d): what one
 * arena keeps to grow in, nobody else gets. */
bool arena_addresses_limited(void);

/* Fills pages, pages_note, nodes, node and node_note for a working set of so many bytes from there.
 * asked: the kind of pages; huge_note: why the system has no huge ones, empty when it may have. */
void arena_tell(const struct arena *arena, uint64_t from, uint64_t bytes,
	const struct arena_place *place, enum page_kind asked, const char *huge_note,
	struct run_facts *facts);

void arena_free(struct arena *arena);

#endif
