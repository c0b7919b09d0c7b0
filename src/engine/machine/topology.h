/* The processors of this machine, and the placement of threads and memory on them. Only topology.c
 * uses hwloc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"

struct topology;

/* Loads the topology; lasts about 2 ms. Returns NULL and a status if hwloc fails. */
struct topology *topology_load(struct status *status);
void topology_free(struct topology *topology);

/* The number of processors (hardware threads) that this process may use. */
int topology_processors(const struct topology *topology);

/* Checks the calling thread's affinity mask for processor `wanted`, with the same error as
 * topology_choose(). Lasts microseconds and needs no topology. */
struct status topology_check(int wanted);

/* Chooses the processor to measure. wanted >= 0: this processor, or STATUS_USAGE with a list of the
 * allowed ones. wanted = -1: the last core of the fastest kind. Processor 0 is avoided if there is
 * another. The core of `avoid` (the user interface) is avoided if there is a third. */
struct status topology_choose(const struct topology *topology, int wanted, int avoid, int *cpu);

/* Binds the calling thread to one processor. */
struct status topology_bind(const struct topology *topology, int cpu);

/* Moves another thread of this process (by kernel thread id) off that processor and its siblings.
 * Returns false if no other processor exists, or if the system refuses. */
bool topology_keep_off(const struct topology *topology, int thread, int cpu);

/* Lists up to `most` processors of this process, without the measured `cpu`. Load threads are
 * placed in this order. Processors of the same kind come first. Then each core gets one thread
 * before any core gets a second. Among equals, processors of the same memory node come first.
 * Returns the number of processors. */
int topology_others(const struct topology *topology, int cpu, int *others, int most);

/* Whether memory may be put on a node (the system's number). STATUS_FAILED lists the nodes that
 * this process may use. */
struct status topology_check_node(const struct topology *topology, int node);

/* The number of memory nodes that this process may use. */
int topology_nodes(const struct topology *topology);

/* The memory node of a processor; -1 on a machine with one node. */
int topology_node_of(const struct topology *topology, int cpu);

/* Sets a preferred node for memory that is not yet touched. When that node is full, other nodes
 * supply memory. Does nothing for node -1. */
struct status topology_bind_memory(
	const struct topology *topology, int node, void *memory, size_t bytes);

/* The node of touched memory, judged by a few pages. -1: unknown, or the machine has one node.
 * NODE_SEVERAL: on more than one node. */
enum { NODE_SEVERAL = -2 };
int topology_memory_node(const struct topology *topology, const void *memory, size_t bytes);

/* Lists the data caches that the processor uses, from L1. Returns their number. */
int topology_caches(
	const struct topology *topology, int cpu, struct machine_cache cache[MACHINE_CACHES]);
