/* The slowest cycle of a graph that repeats: each node happens once a round, each edge leads
 * forward in a round or into a later round. Pure; deps.c makes such graphs of loops. */
#pragma once

struct cycle_edge {
	int from, to;
	double weight; /* from the start of one to the start of the other, at least */
	int distance;  /* rounds later; 0: the same one, and from < to */
};

struct cycle {
	double ratio; /* weight ÷ rounds; 0: no cycle weighs anything */
	int spans;    /* rounds it takes */
	int count;    /* its edges, in order: each begins where the previous one ends, and the last
			 leads to the first */
	int *edge;    /* memory for as many edges as there are nodes, from the caller */
};

/* Finds the cycle with the largest weight per round. Edges are in ascending order of `to`. */
void cycle_find(const struct cycle_edge *edges, int edge_count, int nodes, struct cycle *cycle);
