/* The dependence graph of a loop, and its slowest cycle. Pure.
 *
 * Results flow through registers, flags, and memory (from a store of the path to a later load). A
 * dependence from one turn to the next makes a cycle; no reordering can shorten the cycles that it
 * takes per turn. */
#pragma once

#include "model/code/loop.h"
#include "model/core/uarch.h"

enum { CHAIN_MAX = 512 };

/* One step on the slowest cycle. */
struct chain_link {
	uint16_t step;	       /* index into the loop's path */
	float cycles;	       /* from its input to its result, on this cycle */
	bool load, store, alu; /* the nodes that the cycle goes through */
};

struct chain {
	double cycles; /* per path: the largest cycle ratio; 0: nothing is carried */
	double spans;  /* paths that the cycle spans (>= 1 when there is one) */
	int link_count;
	struct chain_link link[CHAIN_MAX]; /* in the order of execution, of one round; cut when
					      there are more */
	double loads; /* loads on it per path whose address depends on the cycle: each waits for the
			 memory level that it hits */
	double load_cycles; /* of chain.cycles, the part of these loads in the first-level cache */
	bool counts; /* only counters and pointers that move by constants: of equally slow cycles
			the last choice */
	bool through_memory; /* some link goes from a store to a load */
	bool assumed; /* a load may depend on a store of the loop whose address is unknown: they are
			 taken as apart */
	int unknown; /* instructions without a known latency: taken as 0, so that the bound holds */
};

/* Which loads count as renamed to the stores that they read from, on a core that does this. */
enum deps_renaming {
	RENAMES_NONE,
	RENAMES_PLAIN, /* where no index is part of either address. Redwood Cove: five loops of five
			  with an index were not, eleven of seventeen without one were (measured by
			  slexplore's authors) */
	RENAMES_ALL
};

/* Finds the slowest cycle. facts: of uarch_insn(), for each of the loop's instructions.
 * RENAMES_ALL gives the lowest bound, as a hard limit must. miss: cycles that a load whose address
 * depends on the cycle takes beyond those in the first-level cache (load_cycles leaves them out).
 */
void deps_chain(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	enum deps_renaming renaming, double miss, struct chain *chain);

/* ---- The graph itself, for the pipeline */

enum deps_part { PART_LOAD, PART_OPERATION, PART_STORE, PART_BASE };

/* A part of a step with a time of its own: its loads, its operation, its stores, the update of its
 * base register. */
struct deps_node {
	int step; /* of the path */
	enum deps_part part;
	const struct uarch_class *class; /* its class; NULL: nothing executes */
	double latency;
	bool counts;	     /* a register plus a constant */
	int register_addend; /* register of a multiply-add's addend; REG_NONE */
};

/* The consumer starts `weight` cycles after the producer starts, or later. */
struct deps_edge {
	int from, to;
	int distance;	/* paths later; 0: the same path, and from < to */
	uint8_t reg;	/* that carries the value; REG_NONE */
	bool address;	/* into the address of a load */
	bool memory;	/* from a store to a load; its weight is as if the load had just begun */
	double weight;	/* out + in */
	double out, in; /* the cycles of the producer; those that the consumer adds */
};

struct deps_graph {
	int node_count, edge_count;
	struct deps_node *node; /* in the order of the path */
	struct deps_edge *edge; /* by ascending `to` */
};

/* Fills the graph with the pairs of store and load that a core is expected to link (RENAMES_PLAIN).
 * deps_graph_free() ends it. */
void deps_graph(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	struct deps_graph *graph);
void deps_graph_free(struct deps_graph *graph);

/* The slowest cycle of a graph: each node occurs once a path. */
struct cycle {
	double ratio; /* weight ÷ distance; 0: no cycle weighs anything */
	int spans;    /* the paths that it takes */
	int count;    /* its edges, in order: each begins where the previous one ends, and the last
			 leads to the first */
	int *edge;    /* memory for as many edges as there are nodes, from the caller */
};

/* Finds the cycle with the largest weight per path. Edges are in ascending order of `to`. */
void cycle_find(const struct deps_edge *edges, int edge_count, int nodes, struct cycle *cycle);
