/* Finds the slowest cycle of a dependence graph. */
#pragma once

#include "model/graph/deps.h"

/* The slowest cycle of a dependence graph. Each node of the dependence graph runs once per path. */
struct cycle {
	double ratio; /* cycles per path: sum of the weights ÷ sum of the distances; 0: no cycle has
			 a weight */
	int spans; /* number of passes through the path that one round of the slowest cycle takes */
	int count; /* number of edges of the graph's slowest cycle. Each edge of the cycle begins at
		      the node where the previous edge ends; the last edge leads back to the first
		    */
	int *edge; /* indices of the cycle's edges; the caller provides memory for as many edges as
		      the graph has nodes */
};

/* Finds the cycle of the graph with the largest weight per path. The array `edges` must be in
 * ascending order of `to`. */
void cycle_find(const struct deps_edge *edges, int edge_count, int nodes, struct cycle *cycle);
