#include "model/graph/cycle.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Smallest number of cycles by which relax() moves a start; a smaller gain is a rounding error. The
 * smallest gain that moves a start is far below any latency, and far above the rounding error of
 * long sums. */
static const double gain = 1e-7;

struct search {
	const struct deps_edge *edges;
	int edge_count, nodes;
	double *start; /* earliest start time of each graph node found so far, in processor cycles,
			  if one path lasts `ratio` cycles */
	int *parent;   /* for each node: the edge that determines its start; -1: no edge */
	int *mark; /* for each node of the graph: number of the last search that visited it; -1: not
		      visited */
};

/* Moves the start of the target of each edge to a later time if the edge requires it. `ratio` is
 * the length of a path in cycles. Returns whether a start moved. */
static bool relax(struct search *search, double ratio)
{
	bool moved = false;

	for (int i = 0; i < search->edge_count; i++) {
		const struct deps_edge *edge = &search->edges[i];
		double later = search->start[edge->from] + edge->weight - ratio * edge->distance;

		if (later > search->start[edge->to] + gain) {
			search->start[edge->to] = later;
			search->parent[edge->to] = i;
			moved = true;
		}
	}
	return moved;
}

/* Stores the cycle of parent edges through `node` in `cycle`, if it is slower than the slowest
 * cycle so far. */
static bool take_cycle(const struct search *search, int node, struct cycle *cycle)
{
	double weight = 0;
	int spans = 0, count = 0, at = node;

	do {
		const struct deps_edge *edge = &search->edges[search->parent[at]];

		weight += edge->weight;
		spans += edge->distance;
		count++;
		at = edge->from;
	} while (at != node);
	if (spans <= 0 || weight / spans <= cycle->ratio)
		return false;
	cycle->ratio = weight / spans;
	cycle->spans = spans;
	cycle->count = count;
	for (int i = count - 1; i >= 0; i--) {
		cycle->edge[i] = search->parent[at];
		at = search->edges[search->parent[at]].from;
	}
	return true;
}

/* Searches, among the parent edges (the edge of each node that determines its start), for a cycle
 * that is slower than the slowest one so far. Each node of the graph has at most one parent edge,
 * which determines its start. Returns whether a cycle of the graph was found that is slower than
 * the slowest one so far. */
static bool slower(struct search *search, struct cycle *cycle)
{
	bool found = false;

	memset(search->mark, -1, (size_t)search->nodes * sizeof(int));
	for (int i = 0; i < search->nodes; i++) {
		int at = i;

		while (search->mark[at] < 0) {
			search->mark[at] = i;
			if (search->parent[at] < 0)
				break;
			at = search->edges[search->parent[at]].from;
		}
		if (search->mark[at] == i && search->parent[at] >= 0)
			found |= take_cycle(search, at, cycle);
	}
	return found;
}

/* If the assumed cycles per path are enough, the start times of the nodes stop changing. If the
 * assumed cycles per path are too few, a cycle of the graph keeps moving the start times, and the
 * parent edges contain this cycle. The search then assumes the cycles per path of the graph cycle
 * that was found, until the start times stop changing. */
void cycle_find(const struct deps_edge *edges, int edge_count, int nodes, struct cycle *cycle)
{
	struct search search = { .edges = edges,
		.edge_count = edge_count,
		.nodes = nodes,
		.start = memory_new((size_t)nodes, sizeof(double)),
		.parent = memory_new((size_t)nodes, sizeof(int)),
		.mark = memory_new((size_t)nodes, sizeof(int)) };
	size_t bytes = (size_t)nodes * sizeof(int);

	*cycle = (struct cycle){ .edge = cycle->edge };
	memset(search.parent, -1, bytes);
	/* Without rounding errors, the nodes' start times stop changing after at most one sweep for
	 * each edge to a later path. The largest number of sweeps over all edges is limited,
	 * because rounding errors could make the search endless. */
	for (int sweep = 0; sweep < 2 * nodes + 16 && relax(&search, cycle->ratio); sweep++)
		if (slower(&search, cycle))
			memset(search.parent, -1, bytes);
	free(search.start);
	free(search.parent);
	free(search.mark);
}
