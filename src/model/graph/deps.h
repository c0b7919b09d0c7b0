/* The dependence graph of a loop, and its slowest cycle. Pure.
 *
 * Results flow through registers, flags, and memory (from a store to a later load). A dependence
 * from one iteration to the next makes a cycle in the graph. Out-of-order execution cannot make an
 * iteration faster than such a cycle. */
#pragma once

#include "model/code/loop.h"
#include "model/core/uarch.h"

enum { CHAIN_MAX = 512 };

/* One step on the slowest cycle. */
struct chain_link {
	uint16_t step;	       /* index into the loop's path */
	float cycles;	       /* cycles from the link's input to its result */
	bool load, store, alu; /* the parts of the step that the cycle uses */
};

struct chain {
	double cycles; /* cycles per path of the slowest cycle; 0: no dependence between iterations
			*/
	double spans;  /* number of paths that the cycle spans; >= 1 if there is a cycle */
	int link_count;
	struct chain_link link[CHAIN_MAX]; /* the first links, in the order of execution */
	double loads; /* loads per path whose address depends on the cycle: each waits for the cache
			 level or memory that holds its data */
	double load_cycles; /* the part of chain.cycles that these loads need if they hit the
			       first-level cache */
	bool counts; /* the cycle has only counters, and pointers that move by constants; chosen
			only if no other cycle is as slow */
	bool through_memory; /* the cycle uses a value that is stored and then loaded */
	bool assumed; /* a load may depend on a store at an unknown address: the graph assumes that
			 it does not */
	int unknown;  /* instructions without a known latency: it counts as 0, so that the bound
			 holds */
};

/* A core can rename a load to the store that wrote its value. This selects the loads to which that
 * applies. */
enum deps_renaming {
	RENAMES_NONE,
	RENAMES_PLAIN, /* loads where neither address has an index. Measured on Redwood Cove by
			  slexplore's authors: with an index, 0 of 5 loops were renamed; without
			  one, 11 of 17 were */
	RENAMES_ALL
};

/* Finds the slowest cycle. facts: the result of uarch_insn() for each instruction of the loop.
 * renaming: a hard limit needs the lowest bound, RENAMES_ALL. miss: extra cycles of a load whose
 * address depends on the cycle, beyond a first-level hit. load_cycles does not include them. */
void deps_chain(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	enum deps_renaming renaming, double miss, struct chain *chain);

/* ---- The graph, for the pipeline simulation */

enum deps_part { PART_LOAD, PART_OPERATION, PART_STORE, PART_BASE };

/* A part of a step with its own start time: its loads, its operation, its stores, or the update of
 * its base register. */
struct deps_node {
	int step; /* index into the loop's path */
	enum deps_part part;
	const struct uarch_class *class; /* the class of this part; NULL: nothing executes */
	double latency;
	bool counts;	     /* the result is a register plus a constant */
	int register_addend; /* the register of a multiply-add's addend; REG_NONE: no addend */
};

/* The consumer starts at least `weight` cycles after the producer starts. */
struct deps_edge {
	int from, to;
	int distance; /* how many paths later the consumer runs; 0: in the same path, then from < to
		       */
	uint8_t reg;  /* the register that carries the value; REG_NONE: no register */
	bool address; /* the value is part of a load's address */
	bool memory;  /* from a store to a load; the weight is the forwarding latency minus the
			 load's latency, which the load's own edges add again */
	double weight;	/* out + in */
	double out, in; /* latency of the producer; cycles that the consumer adds */
};

struct deps_graph {
	int node_count, edge_count;
	struct deps_node *node; /* in the order of the path */
	struct deps_edge *edge; /* in ascending order of `to` */
};

/* Fills the graph. It links the pairs of store and load that a core is expected to rename
 * (RENAMES_PLAIN). deps_graph_free() frees it. */
void deps_graph(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	struct deps_graph *graph);
void deps_graph_free(struct deps_graph *graph);

/* The slowest cycle of a graph. Each node occurs once per path. */
struct cycle {
	double ratio; /* weight ÷ distance; 0: no cycle has a weight */
	int spans;    /* number of paths that the cycle spans */
	int count;    /* number of edges; each edge begins where the previous one ends, and the last
			 leads back to the first */
	int *edge;    /* memory from the caller, with room for as many edges as there are nodes */
};

/* Finds the cycle with the largest weight per path. `edges` must be in ascending order of `to`. */
void cycle_find(const struct deps_edge *edges, int edge_count, int nodes, struct cycle *cycle);
