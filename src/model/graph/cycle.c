#include "model/graph/cycle.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/text.h"

/* Smaller gains are rounding: far below any latency, far above the rounding of thousands of sums.
 */
static const double gain = 1e-7;

struct search {
	const struct cycle_edge *edges;
	int edge_count, nodes;
	double *start; /* earliest start of each node so far, a round taking `ratio` */
	int *parent;   /* the edge that start came by; -1 */
	int *mark;     /* the walk that came by a node last */
};

/* Moves starts later along every edge once, in order: one pass follows every path that leads
 * forward. */
static bool relax(struct search *search, double ratio)
{
	bool moved = false;

	for (int i = 0; i < search->edge_count; i++) {
		const struct cycle_edge *edge = &search->edges[i];
		double later = search->start[edge->from] + edge->weight - ratio * edge->distance;

		if (later > search->start[edge->to] + gain) {
			search->start[edge->to] = later;
			search->parent[edge->to] = i;
			moved = true;
		}
	}
	return moved;
}

/* Takes the cycle of parents through `node`, if it is slower than the present one. */
static bool take(const struct search *search, int node, struct cycle *cycle)
{
	double weight = 0;
	int spans = 0, count = 0, at = node;

	do {
		const struct cycle_edge *edge = &search->edges[search->parent[at]];

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

/* Looks through the graph of parents, where every node has one at most, for its cycles. */
static bool slower(struct search *search, struct cycle *cycle)
{
	bool found = false;

	for (int i = 0; i < search->nodes; i++)
		search->mark[i] = -1;
	for (int i = 0; i < search->nodes; i++) {
		int at = i;

		while (search->mark[at] < 0) {
			search->mark[at] = i;
			if (search->parent[at] < 0)
				break;
			at = search->edges[search->parent[at]].from;
		}
		if (search->mark[at] == i && search->parent[at] >= 0)
			found |= take(search, at, cycle);
	}
	return found;
}

/* Starts as early as edges allow settle when a round takes long enough. While it takes less, some
 * cycle keeps moving them, and is then among the parents: its own ratio is the next to try, until
 * all settle. */
void cycle_find(const struct cycle_edge *edges, int edge_count, int nodes, struct cycle *cycle)
{
	size_t room = (size_t)(nodes > 0 ? nodes : 1);
	struct search search = { .edges = edges,
		.edge_count = edge_count,
		.nodes = nodes,
		.start = memory_new(room, sizeof(double)),
		.parent = memory_new(room, sizeof(int)),
		.mark = memory_new(room, sizeof(int)) };

	cycle->ratio = 0;
	cycle->spans = cycle->count = 0;
	for (int i = 0; i < nodes; i++)
		search.parent[i] = -1;
	/* Starts settle within one sweep for each carried edge of a path; the bound guards against
	 * rounding. */
	for (int sweep = 0; sweep < 2 * nodes + 16 && relax(&search, cycle->ratio); sweep++)
		if (slower(&search, cycle))
			for (int i = 0; i < nodes; i++)
				search.parent[i] = -1;
	free(search.start);
	free(search.parent);
	free(search.mark);
}
