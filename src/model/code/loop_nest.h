/* The loops of a control flow graph, and how they are nested. Pure. */
#pragma once

#include <stdbool.h>

/* A node of a control flow graph: usually a basic block. Node 0 is the entry. */
struct graph_node {
	int next[2]; /* nodes that execution can reach from this node directly; -1: none */
};

struct nest_loop {
	int header; /* the node through which execution enters the loop */
	int parent; /* index of the loop directly around this loop; -1: this loop is outermost */
	int depth;  /* 1 for an outermost loop */
	bool innermost; /* the loop contains no other loop */
};

struct loop_nest {
	int count;
	struct nest_loop *loop; /* an inner loop has a higher index than the loops around it */
	int *loop_of;		/* for each node, the innermost loop that contains it; -1: none */
};

/* Finds the loops of a graph of `count` nodes (> 0). Nodes that cannot be reached belong to no
 * loop. Two back edges to one header node belong to one loop. If several nodes are entries of a
 * loop, the entry that a depth-first search reaches first is the loop's header. Without the edges
 * to its header, a loop falls apart into the loops inside it. Loops nested deeper than 64 levels
 * count as one loop. The caller frees the result with loop_nest_free().
 *
 * Source: P. Havlak, Nesting of Reducible and Irreducible Loops, ACM TOPLAS 19(4), 1997. For loops
 * with one entry, the algorithm finds the same loops as the method of dominators. */
void loop_nest_find(const struct graph_node *node, int count, struct loop_nest *nest);
void loop_nest_free(struct loop_nest *nest);
