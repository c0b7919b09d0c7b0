/* The processors of this machine and the places of threads and memory on them. topology.c is the
 * only file that knows hwloc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"

struct topology;

/* Loads the topology; takes about 2 ms. NULL and a status when the library refuses. */
struct topology *topology_load(struct status *status);
void topology_free(struct topology *topology);

/* Processors (hardware threads) that this process may use. */
int topology_processors(const struct topology *topology);

/* The same refusal as topology_choose() gives, as far as the calling thread's affinity shows it: in
 * microseconds, before a topology is loaded. */
struct status topology_check(int wanted);

/* The processor to measure: `wanted` when it is one of ours (STATUS_USAGE otherwise, naming those
 * that are), or for -1 the last core of the fastest kind: not processor 0 where there is another,
 * and not that of `avoid` (the user interface's) where there is a third. */
struct status topology_choose(const struct topology *topology, int wanted, int avoid, int *cpu);

/* Binds the calling thread to one processor. */
struct status topology_bind(const struct topology *topology, int cpu);

/* Keeps another thread of this process (by kernel thread id) off that processor and its siblings.
 * Returns false when there is no other processor, or when it is refused. */
bool topology_keep_off(const struct topology *topology, int thread, int cpu);

/* The other processors of this process, at most `most` of them, in the order in which to put
 * threads next to one that measures on `cpu`: of the same kind first, a core each before a second
 * thread of any core, and those of the same memory node first among equals. Returns how many. */
int topology_others(const struct topology *topology, int cpu, int *others, int most);

/* Whether memory may be put on a node, by the system's number: STATUS_FAILED names those that this
 * process may use. */
struct status topology_check_node(const struct topology *topology, int node);

/* How many memory nodes this process may use. */
int topology_nodes(const struct topology *topology);

/* The memory node of a processor; -1 on a machine of one node. */
int topology_node_of(const struct topology *topology, int cpu);

/* Wishes memory that is not yet touched on a node: other nodes serve where it has none left. Does
 * nothing for node -1. */
struct status topology_bind_memory(
	const struct topology *topology, int node, void *memory, size_t bytes);

/* Where touched memory is: its node; -1 when the system does not tell, or has one only;
 * NODE_SEVERAL: on more than one. Looks at a few pages. */
enum { NODE_SEVERAL = -2 };
int topology_memory_node(const struct topology *topology, const void *memory, size_t bytes);

/* The data caches that the processor uses, from L1. Returns how many. */
int topology_caches(
	const struct topology *topology, int cpu, struct machine_cache cache[MACHINE_CACHES]);
