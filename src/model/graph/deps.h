/* Builds the dependence graph of a loop, and finds the slowest cycle of the graph. The functions do
 * no input or output and keep no state.
 *
 * Results flow through registers, flags, and memory (from a store to a later load). A dependence
 * from one iteration to the next makes a cycle in the graph. Out-of-order execution cannot make an
 * iteration faster than a cycle of the graph. */
#pragma once

#include "model/code/loop.h"
#include "model/core/uarch.h"

enum { CHAIN_MAX = 512 };

/* One step (instruction) of the loop's path that lies on the slowest cycle of the graph. */
struct chain_link {
	uint16_t step; /* index of the step in the loop's path */
	float cycles;  /* processor cycles from this instruction's input on the slowest cycle to its
			  result */
	bool load, store, alu; /* whether the slowest cycle of the graph uses the load, the store
				  and the operation of the step */
};

struct chain {
	double cycles; /* cycles per path that the slowest cycle needs; 0: no dependence between
			  iterations */
	double spans;  /* number of passes through the path that one round of the slowest cycle
			  takes; >= 1 if the graph has a cycle */
	int link_count;
	struct chain_link link[CHAIN_MAX]; /* at most CHAIN_MAX links of the slowest cycle, in the
					      order of execution */
	double loads; /* loads per path whose address depends on the slowest cycle: each load waits
			 for the cache level or memory that holds its data */
	double load_cycles; /* part of `cycles` that the loads in `loads` need if they hit the
			       first-level cache */
	bool counts; /* the slowest cycle has only counters, and pointers that move by constants; it
			is chosen only if no other cycle is as slow */
	bool through_memory; /* the slowest cycle uses a value that is stored and then loaded */
	bool assumed; /* a load may depend on a store at an unknown address, but the graph assumes
			 that the load does not */
	int unknown; /* number of instructions without a known latency; an unknown latency counts as
			0, so that `cycles` stays a lower bound */
	const struct uarch_class *lacks; /* a class without a known latency on a cycle of the graph,
					    which may be slower than `cycles`; NULL: none */
};

/* Which loads count as renamed. A core can rename a load to the store that wrote its value. */
enum deps_renaming {
	RENAMES_NONE,
	RENAMES_PLAIN, /* only loads whose own address and whose store's address have no index.
			  slexplore's authors measured on Redwood Cove: with an index, 0 of 5 loops
			  were renamed; without an index, 11 of 17 loops */
	RENAMES_ALL
};

/* Finds the slowest cycle in the dependence graph of a loop. `facts` has the result of uarch_insn()
 * for each instruction of the loop. `renaming` says which loads the core is assumed to rename to
 * stores: a hard limit needs RENAMES_ALL, the fastest assumption. `miss` is the number of cycles
 * that a load on the cycle needs in addition to a first-level hit. chain->load_cycles does not
 * include these cycles. */
void deps_chain(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	enum deps_renaming renaming, double miss, struct chain *chain);

/* ---- The graph, for the pipeline simulation */

enum deps_part { PART_LOAD, PART_OPERATION, PART_STORE, PART_BASE };

/* A node of the dependence graph: a part of a step (instruction) that has its own start time. The
 * parts of an instruction that are nodes are loads, the operation, stores, and the update of the
 * base register. */
struct deps_node {
	int step; /* index of the step in the loop's path */
	enum deps_part part;
	const struct uarch_class *class; /* instruction class of this part of the step; NULL: the
					    part executes nothing */
	double latency;
	double slowed; /* cycles that the node takes longer because of one of its operands: a
			  `chain` row of the core says so */
	bool crossed;  /* an operand comes from a class from which results cross to the node's: see
			  struct uarch_class */
	bool counts;   /* the result of the node is a register plus a constant */
	int register_addend; /* register that holds the addend of a multiply-add; REG_NONE: no
				addend */
};

/* An edge of the graph, a dependence: the consumer starts at least `weight` cycles after the
 * producer starts. */
struct deps_edge {
	int from, to;
	int distance;	/* number of paths after which the consumer runs; 0: in the same path, and
			   then from < to */
	uint8_t reg;	/* the register that carries the value; REG_NONE: no register */
	bool address;	/* the value is part of a load's address */
	bool memory;	/* the edge leads from a store to a load that reads the stored bytes. The
			   weight of an edge from store to load is the forwarding latency minus the
			   load's latency; the edges from the load add the load's latency again */
	double weight;	/* minimum number of cycles from the producer's start to the consumer's
			   start: out + in */
	double out, in; /* `out`: latency of the producer; `in`: cycles that the consumer adds */
};

struct deps_graph {
	int node_count, edge_count;
	struct deps_node *node; /* nodes of the graph, in the order of the loop's path */
	struct deps_edge *edge; /* edges of the graph, in ascending order of `to`, the consumer */
};

/* Fills the dependence graph of a loop. The core is assumed to rename loads as in RENAMES_PLAIN.
 * deps_graph_free() frees the graph. */
void deps_graph(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	struct deps_graph *graph);
void deps_graph_free(struct deps_graph *graph);
