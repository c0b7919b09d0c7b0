/* The processors of this machine, and the placement of threads and memory on them. Only topology.c
 * uses hwloc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/machine.h"

struct topology;

/* Loads the topology by hwloc, which needs about 2 ms. Returns NULL and a status if the library
 * hwloc fails. */
struct topology *topology_load(struct status *status);
void topology_free(struct topology *topology);

/* The number of processors (hardware threads) that this process may use. */
int topology_processors(const struct topology *topology);

/* Checks the calling thread's affinity mask for processor `wanted`, with the same error as
 * topology_choose(). The check of the affinity mask lasts microseconds and needs no loaded
 * topology. */
struct status topology_check(int wanted);

/* Chooses the processor to measure. If `wanted` is not negative, it is the number of the processor
 * to measure. If processor `wanted` is not allowed, the status is STATUS_USAGE, and its text lists
 * the allowed processors. If `wanted` is -1, the function chooses the last core of the fastest
 * kind, but not processor 0 if there is another processor. The user interface runs on processor
 * `avoid`; its core is not chosen if there is a third processor. */
struct status topology_choose(const struct topology *topology, int wanted, int avoid, int *cpu);

/* Binds the calling thread to one processor. */
struct status topology_bind(const struct topology *topology, int cpu);

/* Moves another thread of this process off processor `cpu` and off the other hardware threads of
 * its core. The parameter `thread` is the system's id of the thread. Returns false if no other
 * processor exists to which the thread can move, or if the system refuses. */
bool topology_keep_off(const struct topology *topology, int thread, int cpu);

/* Lists up to `most` processors of this process, without the measured `cpu`. Load threads, which
 * work on other cores during a measurement, are placed in the order of the list. Processors of the
 * same kind as `cpu` come first in the list. Each core gets one load thread before any core gets a
 * second one. Among otherwise equal processors, those on the same memory node as `cpu` come first.
 * Returns the number of processors. */
int topology_others(const struct topology *topology, int cpu, int *others, int most);

/* Whether two processors are of one kind: on hybrid machines, cores differ. */
bool topology_same_kind(const struct topology *topology, int a, int b);

/* Checks whether memory may be put on a memory node, which is given by the system's number. The
 * text of STATUS_FAILED lists the nodes that this process may use. */
struct status topology_check_node(const struct topology *topology, int node);

/* The number of memory nodes that this process may use. */
int topology_nodes(const struct topology *topology);

/* One more than the largest number of a memory node that this process may use. */
int topology_node_end(const struct topology *topology);

/* The memory node of a processor; -1 on a machine with one node. */
int topology_node_of(const struct topology *topology, int cpu);

/* Sets a preferred node for memory that is not yet touched. If the preferred node is full, other
 * nodes supply memory. For memory node -1, no preferred node is set. */
struct status topology_bind_memory(
	const struct topology *topology, int node, void *memory, size_t bytes);

/* Returns the memory node of touched memory, judged by a few pages. The returned memory node is -1
 * if the node is unknown, or if the machine has one node. NODE_SEVERAL means that the pages are on
 * more than one node. */
enum { NODE_SEVERAL = -2 };
int topology_memory_node(const struct topology *topology, const void *memory, size_t bytes);

/* Lists the data caches that the processor uses, from L1. Returns their number. */
int topology_caches(
	const struct topology *topology, int cpu, struct machine_cache cache[MACHINE_CACHES]);

/* Lists up to `most` processors of this process in the order of the tree: by package, die, L3, core
 * and thread. Returns the number of processors. */
int topology_places(const struct topology *topology, struct processor_place *places, int most);
