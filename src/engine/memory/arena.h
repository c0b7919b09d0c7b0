/* Memory for working sets: one reserved address range, aligned to 2 MiB. If possible, the memory
 * has the requested page size and memory node. All pages of an arena (memory for working sets) are
 * touched before any timing. An arena (memory for working sets) can grow without losing its
 * content. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "engine/measure/trials.h"

/* Memory is allocated in pieces of this many bytes: the size of a huge page on most machines. */
enum { ARENA_PIECE = 2 << 20 };

/* Reserves address space with zeroed memory, aligned to a piece of 2 MiB. The caller frees this
 * address space by munmap(). NULL: refused. */
unsigned char *arena_reserve(uint64_t bytes);

struct arena_place {
	const struct topology *topology;
	int node;   /* the preferred memory node; -1: any node */
	bool small; /* true: the smallest pages; false: huge pages where possible */
};

struct arena {
	unsigned char *memory; /* start of the address range; NULL before the first arena_need() */
	uint64_t reserved;     /* bytes of reserved address space */
	uint64_t touched;     /* number of bytes with allocated pages, from the start of the arena's
				 address range */
	unsigned char *order; /* log2 of the page size in bytes, for each touched piece;
				 ARENA_ORDER_HUGE: one huge page; 0: unknown */
	struct status bound;  /* result of binding the memory to the wanted memory node */
	atomic_uint *progress; /* progress variable for the touched share of the memory in
				  thousandths; NULL: the share is not reported */
};

enum { ARENA_ORDER_HUGE = 21 };

/* Makes sure that the first `bytes` bytes of the arena exist and are touched. The arena reserves
 * address space for `limit` bytes, or for fewer bytes if the system refuses. Growing an arena
 * within the reserved address space keeps the content. Growing an arena beyond the reserved space
 * loses the content and sets *kept to false. All calls for one arena pass the same `place` (kind of
 * pages and memory node). STATUS_FAILED: memory was refused. STATUS_CANCELLED: *cancel was set. */
struct status arena_need(struct arena *arena, uint64_t bytes, uint64_t limit,
	const struct arena_place *place, const atomic_bool *cancel, bool *kept);

/* Frees all pages of the arena beyond `bytes`, and keeps the address space. */
void arena_trim(struct arena *arena, uint64_t bytes);

/* Frees the part of the arena's address space that has no pages. After arena_tighten(), the arena
 * (memory for working sets) can no longer grow in place. */
void arena_tighten(struct arena *arena);

/* Whether the process has an address space limit (ulimit -v, -d). With an address space limit, the
 * space reserved by one arena reduces the space for all other arenas. */
bool arena_addresses_limited(void);

/* Fills the fields pages, pages_note, nodes, node and node_note of *facts, which describe the pages
 * and memory node of a working set. The working set has `bytes` bytes at offset `from`. The
 * parameter `asked` is the requested page size. The parameter `huge_note` is the reason why the
 * system has no huge pages; empty: the system may have huge pages. */
void arena_tell(const struct arena *arena, uint64_t from, uint64_t bytes,
	const struct arena_place *place, enum page_kind asked, const char *huge_note,
	struct run_facts *facts);

void arena_free(struct arena *arena);
