/* The processors of this machine and where threads and memory stand on them. topology.c is the only file that
 * knows hwloc. */
#ifndef SLX_ENGINE_TOPOLOGY_H
#define SLX_ENGINE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine.h"

struct topology;

/* Loads the topology; takes about 2 ms. NULL and a status when the library refuses. */
struct topology *topology_load(struct status *status);
void topology_free(struct topology *topology);

/* Processors (hardware threads) that this process may use. */
int topology_processors(const struct topology *topology);

/* The same refusal as topology_choose() gives, as far as the calling thread's affinity tells it: in microseconds, before
 * a topology is loaded. */
struct status topology_check(int wanted);

/* The processor to measure: `wanted` when it is one of ours (STATUS_USAGE otherwise, naming those that are), or for
 * -1 the last core of the fastest kind: not processor 0 where there is another, and not that of `avoid` (the user
 * interface's) where there is a third. */
struct status topology_choose(const struct topology *topology, int wanted, int avoid, int *cpu);

/* Binds the calling thread to one processor. */
struct status topology_bind(const struct topology *topology, int cpu);

/* Keeps another thread of this process (by kernel thread id) off that processor and its siblings. Returns false when
 * there is no other processor, or when it is refused. */
bool topology_keep_off(const struct topology *topology, int thread, int cpu);

/* Binds memory not yet touched to the processor's node; silently does nothing on a machine of one node. */
void topology_bind_memory(const struct topology *topology, int cpu, void *memory, size_t bytes);

/* The data caches that the processor uses, from L1. Returns how many. */
int topology_caches(const struct topology *topology, int cpu, struct machine_cache cache[MACHINE_CACHES]);

#endif
