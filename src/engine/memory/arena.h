/* Memory for working sets: one reserved range, aligned to 2 MiB, with the pages and on the node
 * that are asked for where possible, touched before it is timed. Grows without losing its content.
 */
#pragma once

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
	int node;   /* the preferred node; -1: any */
	bool small; /* the smallest pages; else huge pages where possible */
};

struct arena {
	unsigned char *memory; /* NULL before the first arena_need() */
	uint64_t reserved;     /* bytes of address space */
	uint64_t touched;      /* bytes that have pages */
	unsigned char *order;  /* of each piece touched: log2 of the bytes of its pages,
				  ARENA_ORDER_HUGE for a whole one; 0 unknown */
	struct status bound;   /* whether binding to the node worked */
	atomic_uint *progress; /* receives the touched part in thousandths; NULL: nobody asks */
};

enum { ARENA_ORDER_HUGE = 21 };

/* Makes sure that the first `bytes` exist and are touched. Reserves address space for `limit`
 * bytes, as far as the system grants it: up to there growing keeps the content; beyond, *kept is
 * false and the content is gone. An arena keeps its first place. STATUS_FAILED: memory refused;
 * STATUS_CANCELLED: *cancel was set. */
struct status arena_need(struct arena *arena, uint64_t bytes, uint64_t limit,
	const struct arena_place *place, const atomic_bool *cancel, bool *kept);

/* Frees all pages beyond `bytes`, and keeps the address space. */
void arena_trim(struct arena *arena, uint64_t bytes);

/* Frees the address space without pages: the arena no longer grows in place. */
void arena_tighten(struct arena *arena);

/* Whether the process has a limit of address space (ulimit -v, -d): one arena's reserve is then
 * missing elsewhere. */
bool arena_addresses_limited(void);

/* Fills pages, pages_note, nodes, node and node_note for a working set of so many bytes from there.
 * asked: the kind of pages; huge_note: why the system has no huge ones, empty when it may have. */
void arena_tell(const struct arena *arena, uint64_t from, uint64_t bytes,
	const struct arena_place *place, enum page_kind asked, const char *huge_note,
	struct run_facts *facts);

void arena_free(struct arena *arena);
