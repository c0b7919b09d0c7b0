#include "model/program/program_loops.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/code/decode.h"
#include "model/program/function_graph.h"
#include "model/program/program_inside.h"

static int by_nesting(const void *a, const void *b)
{
	const struct program_loop *left = a, *right = b;

	if (left->depth != right->depth)
		return right->depth - left->depth;
	return left->begin < right->begin ? -1 : left->begin > right->begin;
}

/* Extends a loop by the addresses of one of its blocks. */
static void extend(const struct function_graph *graph, int block, struct program_loop *loop)
{
	int end = graph_block_end(graph, block);
	uint64_t begin = graph_address(graph, graph->block[block]),
		 after = graph_address(graph, end) + graph->flow[end].length;

	if (loop->end == 0 || begin < loop->begin)
		loop->begin = begin;
	if (after > loop->end)
		loop->end = after;
}

static void list_loops(const struct function_graph *graph, struct program_loops *loops)
{
	const struct loop_nest *nest = &graph->nest;
	struct program_loop *all = memory_new((size_t)nest->count + 1, sizeof(*all));

	for (int block = 0; block < graph->block_count; block++)
		if (nest->loop_of[block] >= 0)
			extend(graph, block, &all[nest->loop_of[block]]);
	loops->loop = memory_new((size_t)nest->count + 1, sizeof(*loops->loop));
	for (int i = 0; i < nest->count; i++) {
		int header = nest->loop[i].header;

		/* A cycle in the graph of nodes that only stand for jump tables has no
		 * instructions. */
		if (!nest->loop[i].innermost || all[i].end == 0)
			continue;
		all[i].header = header < graph->block_count
					? graph_address(graph, graph->block[header])
					: all[i].begin;
		all[i].depth = nest->loop[i].depth;
		all[i].nest = i;
		loops->loop[loops->count++] = all[i];
	}
	free(all);
	if (loops->count > 1)
		qsort(loops->loop, (size_t)loops->count, sizeof(*loops->loop), by_nesting);
}

void program_loops_find(struct program *program, const struct program_function *function,
	struct program_loops *loops)
{
	*loops = (struct program_loops){ .count = 0 };
	loops->graph = function_graph_new(program, function, &loops->cut);
	list_loops(loops->graph, loops);
}

void program_loops_free(struct program_loops *loops)
{
	function_graph_free(loops->graph);
	free(loops->loop);
	*loops = (struct program_loops){ .count = 0 };
}

int program_loops_count(struct program *program, const struct program_function *function)
{
	struct program_loops loops;
	int count;

	program_loops_find(program, function, &loops);
	count = loops.count;
	program_loops_free(&loops);
	return count;
}

size_t program_loops_called(struct program *program, const struct program_loops *loops,
	const struct program_function **called, size_t most)
{
	const struct function_graph *graph = loops->graph;
	size_t count = 0;

	for (int i = 0; i < graph->count && count < most; i++) {
		const struct flow *flow = &graph->flow[i];
		const struct program_function *to;
		bool known = false;

		if (flow->entry || !flow->target || graph_inside(graph, flow->target))
			continue;
		to = program_function_at(program, flow->target);
		for (size_t k = 0; k < count; k++)
			known |= called[k] == to;
		if (to && !known && to->address == flow->target &&
			program_loops_count(program, to) > 0)
			called[count++] = to;
	}
	return count;
}

static int by_address(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

uint64_t *program_loops_addresses(const struct program_loops *loops, size_t *count)
{
	const struct function_graph *graph = loops->graph;
	uint64_t *addresses = memory_new((size_t)graph->count + 1, sizeof(*addresses));

	*count = (size_t)graph->count;
	for (int i = 0; i < graph->count; i++)
		addresses[i] = graph_address(graph, i);
	if (!graph->ordered)
		qsort(addresses, *count, sizeof(*addresses), by_address);
	return addresses;
}

int program_loop_at(const struct program_loops *loops, uint64_t address)
{
	const struct function_graph *graph = loops->graph;

	for (int block = 0; block < graph->block_count; block++) {
		int end = graph_block_end(graph, block);

		if (address < graph_address(graph, graph->block[block]) ||
			address >= graph_address(graph, end) + graph->flow[end].length)
			continue;
		for (int i = 0; i < loops->count; i++)
			if (loops->loop[i].nest == graph->nest.loop_of[block])
				return i;
	}
	return -1;
}

/* ---- The instructions and the path of a loop */

/* Adds the instructions of the loop's blocks. index[] receives, for each instruction of the
 * function, its place in the loop. */
static struct status fill_insns(
	const struct function_graph *graph, int nest, struct loop *loop, int *index)
{
	int count = 0;

	for (int block = 0; block < graph->block_count; block++)
		if (graph->nest.loop_of[block] == nest)
			count += graph_block_end(graph, block) + 1 - graph->block[block];
	if (count > LOOP_MOST)
		return status_failed("the loop has %d instructions: at most %d can be explained",
			count, LOOP_MOST);
	loop_reserve(loop, count, count);
	for (int block = 0; block < graph->block_count; block++) {
		if (graph->nest.loop_of[block] != nest)
			continue;
		for (int i = graph->block[block]; i <= graph_block_end(graph, block); i++) {
			uint32_t place = graph->place[i];
			struct insn *to = &loop->insn[loop->insn_count];

			decode_insn(graph->code + place, graph->size - place,
				graph_address(graph, i), to);
			loop->unknown += !to->known;
			index[i] = loop->insn_count++;
		}
	}
	return status_ok();
}

/* The next node of the path inside the loop. The next block in memory is chosen if the loop
 * contains it, otherwise the target of the jump. */
static int next_node(const struct function_graph *graph, int nest, int node, bool *taken)
{
	for (int k = 0; k < 2; k++) {
		int next = graph->node[node].next[k];

		*taken = k == 1;
		if (next >= 0 && graph->nest.loop_of[next] == nest)
			return next;
	}
	return node; /* never: each node of a loop leads to another node of the loop */
}

static void add_steps(const struct function_graph *graph, int block, bool taken, const int *index,
	struct loop *loop)
{
	int end = graph_block_end(graph, block);

	for (int i = graph->block[block]; i <= end; i++)
		loop->path[loop->path_count++] = (struct loop_step){ .insn = (uint16_t)index[i],
			.taken = i == end && taken };
}

/* Follows the assumed path of a loop from its header until the path comes to a node again. In a
 * loop with one entry, the first repeated node of the path is the header. In a loop with several
 * entries, the path may repeat without the header: the nodes before the repeated part are then
 * removed. */
static void fill_path(
	const struct function_graph *graph, int nest, const int *index, struct loop *loop)
{
	/* For each node, 1 + the number of nodes before it on the path; 0: the path does not pass
	 * the node. */
	int *before = memory_new((size_t)graph->node_count, sizeof(*before)), first;
	int node = graph->nest.loop[nest].header;

	while (!before[node]) {
		const int *next = graph->node[node].next;
		bool taken;
		int to = next_node(graph, nest, node, &taken);

		before[node] = 1 + loop->path_count;
		if (node < graph->block_count) {
			add_steps(graph, node, taken, index, loop);
			loop->forks += next[0] >= 0 && next[1] >= 0 &&
				       graph->nest.loop_of[next[0]] == nest &&
				       graph->nest.loop_of[next[1]] == nest;
		}
		node = to;
	}
	first = before[node] - 1;
	loop->path_count -= first;
	memmove(loop->path, loop->path + first, (size_t)loop->path_count * sizeof(*loop->path));
	free(before);
}

struct status program_loop_fill(const struct program_loops *loops, int index, struct loop *loop)
{
	const struct function_graph *graph = loops->graph;
	int nest = loops->loop[index].nest,
	    *insns = memory_new((size_t)graph->count + 1, sizeof(*insns));
	struct status status;

	loop_clear(loop);
	status = fill_insns(graph, nest, loop, insns);
	if (status_is_ok(&status))
		fill_path(graph, nest, insns, loop);
	free(insns);
	if (!status_is_ok(&status))
		return status;
	if (loop->unknown == loop->insn_count)
		return status_failed("the decoder knows no instruction of the loop");
	loop->insns_per_element = loop->path_count / loop->elements;
	return status;
}
