#include "model/code/loop_nest.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DEEPEST = 64 };

/* A region: graph nodes whose loops are still to be found, order[begin] to order[end - 1]. The
 * nodes of a region are those of one loop, or all nodes of the graph if `loop` is -1. */
struct region {
	int begin, end, loop;
};

struct search {
	const struct graph_node *node;
	int *number;  /* for each node its place in a depth-first order; -1: not reached */
	int *order;   /* the graph's nodes, sorted so that the nodes of a region are together */
	int *sorted;  /* the nodes of one region, sorted so that nodes that reach each other are
			 together */
	bool *header; /* for each node, whether the node is the header of a loop that was found */
	/* Tarjan's algorithm: the time at which each node was met (0: not yet), and the earliest
	 * node that it reaches. The other members are the next edge of the node to follow, and
	 * whether the node waits on the stack. */
	int *met, *low, *way, *path, *stack;
	bool *waits;
	int time, stacked;
	struct region *region;
	size_t region_count;
	struct loop_nest *nest;
};

static int *numbers(int count, int value)
{
	int *list = memory_new((size_t)count + 1, sizeof(*list));

	for (int i = 0; value != 0 && i <= count; i++)
		list[i] = value;
	return list;
}

/* Lists the nodes in the order in which a depth-first search reaches them. Returns their number. */
static int number_nodes(struct search *search)
{
	int deep = 0, reached = 0;

	search->path[deep++] = 0;
	search->number[0] = reached;
	search->order[reached++] = 0;
	while (deep > 0) {
		int node = search->path[deep - 1], next;

		if (search->way[node] == 2) {
			search->way[node] = 0;
			deep--;
			continue;
		}
		next = search->node[node].next[search->way[node]++];
		if (next < 0 || search->number[next] >= 0)
			continue;
		search->number[next] = reached;
		search->order[reached++] = next;
		search->path[deep++] = next;
	}
	return reached;
}

/* Adds a loop that consists of nodes of a region, sorted[from] to sorted[to - 1]. */
static void add_loop(struct search *search, const struct region *around, int from, int to)
{
	struct loop_nest *nest = search->nest;
	int depth = around->loop < 0 ? 1 : nest->loop[around->loop].depth + 1;

	if (around->loop >= 0)
		nest->loop[around->loop].innermost = false;
	nest->loop = memory_grow(nest->loop, (size_t)nest->count, sizeof(*nest->loop));
	nest->loop[nest->count] = (struct nest_loop){ -1, around->loop, depth, true };
	for (int i = from; i < to; i++) {
		int node = search->sorted[i];

		nest->loop_of[node] = nest->count;
		search->met[node] = search->way[node] = 0;
	}
	if (depth < DEEPEST) {
		search->region =
			memory_grow(search->region, search->region_count, sizeof(*search->region));
		search->region[search->region_count++] = (struct region){ from, to, nest->count };
	}
	nest->count++;
}

static void meet(struct search *search, int node, int *deep)
{
	search->met[node] = search->low[node] = ++search->time;
	search->stack[search->stacked++] = node;
	search->waits[node] = true;
	search->path[(*deep)++] = node;
}

/* Finds sets of nodes of a region that reach each other, from one node on. Sets of nodes that reach
 * each other are written to sorted[*end] and after. Source: R. Tarjan, SIAM Journal on Computing
 * 1(2), 1972. */
static void find_sets(struct search *search, const struct region *region, int first, int *end)
{
	int deep = 0;

	meet(search, first, &deep);
	while (deep > 0) {
		int node = search->path[deep - 1], next, from = *end;
		const int *edges = search->node[node].next;
		bool turns = (edges[0] == node || edges[1] == node) && !search->header[node];

		if (search->way[node] < 2) {
			next = edges[search->way[node]++];
			/* Edges that leave the searched region, or that lead to the headers of
			 * loops, do not count. */
			if (next < 0 || search->nest->loop_of[next] != region->loop ||
				search->header[next])
				continue;
			if (!search->met[next])
				meet(search, next, &deep);
			else if (search->waits[next] && search->met[next] < search->low[node])
				search->low[node] = search->met[next];
			continue;
		}
		deep--;
		if (deep > 0 && search->low[node] < search->low[search->path[deep - 1]])
			search->low[search->path[deep - 1]] = search->low[node];
		if (search->low[node] != search->met[node])
			continue;
		do {
			next = search->stack[--search->stacked];
			search->waits[next] = false;
			search->sorted[(*end)++] = next;
		} while (next != node);
		if (*end - from > 1 || turns)
			add_loop(search, region, from, *end);
	}
}

/* Chooses the header of the loop that contains the entry `node`: the entry that the depth-first
 * search reached first. */
static void choose_header(struct search *search, int node)
{
	struct nest_loop *loop = &search->nest->loop[search->nest->loop_of[node]];

	if (loop->header < 0 || search->number[node] < search->number[loop->header])
		loop->header = node;
}

/* Finds the loops of a region that no other loop of the region contains. */
static void search_region(struct search *search, struct region region)
{
	struct loop_nest *nest = search->nest;
	int first_loop = nest->count, end = region.begin;

	for (int i = region.begin; i < region.end; i++)
		if (!search->met[search->order[i]] &&
			nest->loop_of[search->order[i]] == region.loop)
			find_sets(search, &region, search->order[i], &end);
	memcpy(search->order + region.begin, search->sorted + region.begin,
		(size_t)(region.end - region.begin) * sizeof(*search->order));
	for (int i = region.begin; i < region.end; i++) {
		int node = search->order[i];

		for (int k = 0; k < 2; k++) {
			int next = search->node[node].next[k];

			if (next >= 0 && nest->loop_of[next] >= first_loop &&
				nest->loop_of[next] != nest->loop_of[node])
				choose_header(search, next);
		}
		if (node == 0 && nest->loop_of[0] >= first_loop)
			choose_header(search, 0);
	}
	for (int i = first_loop; i < nest->count; i++)
		search->header[nest->loop[i].header] = true;
}

void loop_nest_find(const struct graph_node *node, int count, struct loop_nest *nest)
{
	struct search search = { .node = node, .nest = nest };

	*nest = (struct loop_nest){ .loop_of = numbers(count, -1) };
	search.number = numbers(count, -1);
	search.order = numbers(count, 0);
	search.sorted = numbers(count, 0);
	search.met = numbers(count, 0);
	search.low = numbers(count, 0);
	search.way = numbers(count, 0);
	search.path = numbers(count, 0);
	search.stack = numbers(count, 0);
	search.header = memory_new((size_t)count, sizeof(*search.header));
	search.waits = memory_new((size_t)count, sizeof(*search.waits));
	search_region(&search, (struct region){ 0, number_nodes(&search), -1 });
	while (search.region_count > 0)
		search_region(&search, search.region[--search.region_count]);
	free(search.number);
	free(search.order);
	free(search.sorted);
	free(search.met);
	free(search.low);
	free(search.way);
	free(search.path);
	free(search.stack);
	free(search.header);
	free(search.waits);
	free(search.region);
}

void loop_nest_free(struct loop_nest *nest)
{
	free(nest->loop);
	free(nest->loop_of);
	*nest = (struct loop_nest){ 0 };
}
