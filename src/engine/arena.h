/* Memory for working sets: reserved in one piece, aligned to 2 MiB, with huge pages where they may be had, on the
 * measured core's node, and touched before anyone times it. Grows without losing what is laid out in it. */
#ifndef SLX_ENGINE_ARENA_H
#define SLX_ENGINE_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/topology.h"

struct arena {
	unsigned char *memory;      /* NULL before the first arena_need() */
	uint64_t reserved;          /* bytes of address space */
	uint64_t touched;           /* bytes that have pages */
	char pages[16];             /* what the pages are: "4k", "huge", "mixed", "unknown" */
};

/* Sees to it that the first `bytes` are there and touched. `limit` is the most that will ever be asked for; where the
 * system grants so much address space, growing keeps the content, otherwise *kept is set to false and the content is
 * gone. STATUS_FAILED when memory is refused, STATUS_CANCELLED when *cancel was set on the way. */
struct status arena_need(struct arena *arena, uint64_t bytes, uint64_t limit, const struct topology *topology, int cpu,
	const atomic_bool *cancel, bool *kept);

/* Gives back pages beyond `bytes`, when there are very many; returns whether it did. */
bool arena_trim(struct arena *arena, uint64_t bytes);

void arena_free(struct arena *arena);

#endif
