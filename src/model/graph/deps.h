/* The dependence graph of a loop, and its slowest cycle. Pure.
 *
 * Results flow through registers, flags, and memory (a load from where a store of the path wrote
 * before). A dependence from one turn into the next makes a cycle; what a cycle takes in a turn, no
 * reordering can shorten. */
#ifndef SLX_MODEL_GRAPH_DEPS_H
#define SLX_MODEL_GRAPH_DEPS_H

#include "model/code/loop.h"
#include "model/core/uarch.h"

enum { CHAIN_MAX = 512 };

/* One step on the slowest cycle. */
struct chain_link {
	uint16_t step;	       /* index into the loop's path */
	float cycles;	       /* from its input to its result, on this cycle */
	bool load, store, alu; /* what of it the cycle goes through */
};

struct chain {
	double cycles; /* per path: the largest cycle ratio; 0: nothing is carried */
	double spans;  /* paths that the cycle spans (>= 1 when there is one) */
	int link_count;
	struct chain_link link[CHAIN_MAX]; /* in the order of execution, of one round; cut when
					      there are more */
	double loads; /* loads on it per path whose address hangs on the cycle: each waits for the
			 memory level it hits */
	double load_cycles; /* of chain.cycles, what those loads take in the first-level cache */
	bool counts; /* nothing but counters and pointers that move on by constants: of equally slow
			cycles the last choice */
	bool through_memory; /* some link goes from a store to a load */
	bool assumed; /* a load may read what a store of the loop wrote, and addresses are not
			 known: taken as apart */
	int unknown;  /* instructions without a known latency: taken as 0, so the bound still holds
		       */
};

/* Which loads are taken to be renamed to the stores that they read from, on a core that does it at
 * all. */
enum deps_renaming {
	RENAMES_NONE,
	RENAMES_PLAIN, /* where no index is part of either address. Redwood Cove: five loops of five
			  with an index were not, eleven of seventeen without one were (measured by
			  slexplore's authors) */
	RENAMES_ALL
};

/* Finds the slowest cycle. facts: what uarch_insn() says of each of the loop's instructions.
 * RENAMES_ALL gives the lowest bound, as a hard limit must. miss: cycles that a load whose address
 * depends on the cycle takes beyond those in the first-level cache (load_cycles leaves them out).
 */
void deps_chain(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	enum deps_renaming renaming, double miss, struct chain *chain);

/* ---- The graph itself, for those that run it */

enum deps_part { PART_LOAD, PART_OPERATION, PART_STORE, PART_BASE };

/* Something of a step that has a time of its own: its loads, its operation, its stores, the move of
 * its base register. */
struct deps_node {
	int step; /* of the path */
	enum deps_part part;
	const struct uarch_class *class; /* what executes; NULL: nothing */
};

struct cycle_edge;

struct deps_graph {
	int node_count, edge_count;
	struct deps_node *node; /* in the order of the path */
	bool *memory; /* by edge: from a store to a load; its weight is as if the load had just
			 begun */
	struct cycle_edge *edge; /* cycle.h: from the start of one to the start of the other, by
				    ascending `to` */
};

/* Fills the graph with the pairs of store and load that a core is expected to link (RENAMES_PLAIN).
 * deps_graph_free() ends it. */
void deps_graph(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	struct deps_graph *graph);
void deps_graph_free(struct deps_graph *graph);

#endif
