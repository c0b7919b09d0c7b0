#include "model/program/function_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Instructions */

/* Whether the jump or branch has a target inside the function. */
static bool leads_inside(const struct function_graph *graph, const struct flow *flow)
{
	return (flow->kind == FLOW_BRANCH || flow->kind == FLOW_JUMP) && flow->target &&
	       graph_inside(graph, flow->target);
}

/* Reads instructions from an offset to the end of the function, or to an instruction that was read
 * before. Nops after a jump only fill the space to the next instruction, and do not execute. */
static void sweep(struct function_graph *graph, uint32_t place)
{
	bool ended = false;

	while (place < graph->size && !graph->insn_at[place]) {
		struct flow flow =
			flow_read(graph->code + place, graph->size - place, graph->address + place);

		if (!flow.length) /* data between instructions: continue after one byte */
			flow = (struct flow){ .length = 1, .kind = FLOW_OTHER };
		if (ended && flow.nop)
			flow.kind = FLOW_OTHER;
		ended = flow_ends(&flow);
		if (graph->count == graph->room) {
			/* Instructions have 4 bytes on average. */
			graph->room = graph->room ? 2 * graph->room : 16 + (int)(graph->size / 4);
			graph->flow = memory_resize(
				graph->flow, (size_t)graph->room, sizeof(*graph->flow));
			graph->place = memory_resize(
				graph->place, (size_t)graph->room, sizeof(*graph->place));
		}
		graph->flow[graph->count] = flow;
		graph->place[graph->count++] = place;
		graph->insn_at[place] = graph->count;
		place += flow.length;
	}
}

/* Reads the instructions of the whole function. A jump may lead into the middle of an instruction,
 * if data before it were read as code. Such bytes are read twice. */
static void read_code(struct function_graph *graph)
{
	graph->insn_at = memory_new((size_t)graph->size + 1, sizeof(*graph->insn_at));
	sweep(graph, 0);
	graph->ordered = true;
	for (int i = 0; i < graph->count; i++) {
		uint64_t place = graph->flow[i].target - graph->address;

		if (!leads_inside(graph, &graph->flow[i]) || graph->insn_at[place])
			continue;
		graph->ordered = false;
		sweep(graph, (uint32_t)place);
	}
}

/* Largest number of bytes of code that are read of one function. The largest functions that
 * compilers make have less code than MOST_CODE bytes. */
enum { MOST_CODE = 4 << 20 };

/* Opens the function's code. Returns false if the file does not have the code of the function. */
static bool open_code(struct program *program, const struct program_function *function,
	struct function_graph *graph)
{
	size_t left;

	*graph = (struct function_graph){ .address = function->address };
	graph->code = program_bytes(program, function->address, &left);
	if (!graph->code)
		return false;
	if (left > function->size)
		left = (size_t)function->size;
	graph->size = left < MOST_CODE ? (uint32_t)left : MOST_CODE;
	return true;
}

/* ---- Blocks */

static void begin_block(struct function_graph *graph, uint64_t place)
{
	if (place < graph->size && graph->insn_at[place])
		graph->block_at[graph->insn_at[place] - 1] = 1;
}

/* Whether the instruction after this one in memory was found directly after it. */
static bool is_next(const struct function_graph *graph, int insn)
{
	uint64_t place = (uint64_t)graph->place[insn] + graph->flow[insn].length;

	return place < graph->size && graph->insn_at[place] == insn + 2;
}

/* Ends the code after calls that never return. After a call that never returns, only padding or
 * code to which jumps lead may follow. */
static void end_call(struct program *program, struct function_graph *graph, int insn)
{
	struct flow *flow = &graph->flow[insn];
	uint64_t place = (uint64_t)graph->place[insn] + flow->length;
	int next = place < graph->size ? graph->insn_at[place] - 1 : -1;

	if (flow->kind != FLOW_CALL || !flow->target || next < 0 ||
		!(graph->block_at[next] || graph->flow[next].nop) ||
		program_call_returns(program, flow->target))
		return;
	flow->kind = FLOW_OTHER;
	begin_block(graph, place);
}

static void number_block(struct function_graph *graph, int insn)
{
	if (!graph->block_at[insn])
		return;
	graph->block[graph->block_count++] = insn;
	graph->block_at[insn] = graph->block_count;
}

/* Numbers the basic blocks of a function. Earlier, find_tables() marked the instructions whose
 * addresses are in jump tables. */
static void number_blocks(struct program *program, struct function_graph *graph)
{
	for (int i = 0; i < graph->count; i++) {
		const struct flow *flow = &graph->flow[i];

		if (leads_inside(graph, flow))
			begin_block(graph, flow->target - graph->address);
		/* A block also begins where two sequences of instructions meet that were read from
		 * different offsets. */
		if (flow->kind == FLOW_BRANCH || flow_ends(flow) || !is_next(graph, i))
			begin_block(graph, (uint64_t)graph->place[i] + flow->length);
	}
	begin_block(graph, 0);
	for (int i = 0; i < graph->count; i++)
		end_call(program, graph, i);
	graph->block = memory_new((size_t)graph->count + 1, sizeof(*graph->block));
	for (int i = 0; graph->ordered && i < graph->count; i++)
		number_block(graph, i);
	for (uint32_t place = 0; !graph->ordered && place < graph->size; place++)
		if (graph->insn_at[place])
			number_block(graph, graph->insn_at[place] - 1);
}

/* Returns the index of the basic block that begins `place` bytes after the function's start; -1:
 * none. */
static int block_of(const struct function_graph *graph, uint64_t place)
{
	int insn = place < graph->size ? graph->insn_at[place] - 1 : -1;

	return insn < 0 ? -1 : graph->block_at[insn] - 1;
}

int graph_block_end(const struct function_graph *graph, int block)
{
	int insn = graph->block[block];

	while (insn + 1 < graph->count && !graph->block_at[insn + 1] && is_next(graph, insn))
		insn++;
	return insn;
}

static int add_node(struct function_graph *graph)
{
	if (graph->node_count == graph->node_room) {
		graph->node_room = graph->node_room ? 2 * graph->node_room : 64;
		graph->node =
			memory_resize(graph->node, (size_t)graph->node_room, sizeof(*graph->node));
	}
	graph->node[graph->node_count] = (struct graph_node){ { -1, -1 } };
	return graph->node_count++;
}

static void link_blocks(struct function_graph *graph)
{
	for (int block = 0; block < graph->block_count; block++) {
		int end = graph_block_end(graph, block), node = add_node(graph);
		const struct flow *flow = &graph->flow[end];

		if (!flow_ends(flow))
			graph->node[node].next[0] =
				block_of(graph, (uint64_t)graph->place[end] + flow->length);
		if (leads_inside(graph, flow))
			graph->node[node].next[1] = block_of(graph, flow->target - graph->address);
	}
}

/* ---- Jumps through tables */

/* A node of the graph has two successors, so a chain of nodes without instructions leads to the
 * many targets of a jump table. */
static void link_many(struct function_graph *graph, int node, const int *target, int count)
{
	for (int i = 0; i < count; i++) {
		int next = add_node(graph);

		graph->node[node].next[1] = next;
		graph->node[next].next[0] = target[i];
		node = next;
	}
}

/* Reads a table of targets. An entry of 4 bytes is a distance from the table, as compilers write
 * for a switch of position-independent code. An entry of 8 bytes in a jump table is an address. A
 * jump table ends at the first value that is not the address of an instruction of this function.
 * Returns the number of targets, at most `most`. */
static int read_table(struct program *program, const struct function_graph *graph, uint64_t table,
	size_t bytes, uint32_t *target, int most)
{
	size_t left;
	const uint8_t *at = program_bytes(program, table, &left);
	int count = 0;

	for (; at && left >= bytes && count < most; at += bytes, left -= bytes) {
		int64_t value = 0;
		int32_t relative;
		uint64_t place;

		if (bytes == 8) {
			memcpy(&value, at, bytes);
		} else {
			memcpy(&relative, at, bytes);
			value = (int64_t)table + relative;
		}
		place = (uint64_t)value - graph->address;
		if (place >= graph->size || !graph->insn_at[place])
			break;
		target[count++] = (uint32_t)place;
	}
	return count;
}

/* Finds the table of a jump. The table's address is in the nearest instruction before the jump that
 * names an address. Returns the number of targets; 0: no table was found. */
static int find_table(struct program *program, const struct function_graph *graph, int jump,
	uint32_t *target, int most)
{
	for (int i = jump; i >= 0; i--) {
		const struct flow *flow = &graph->flow[i];
		int count = flow->entry ? read_table(program, graph, flow->target, flow->entry,
						  target, most)
					: 0;

		if (count > 1)
			return count;
	}
	return 0;
}

enum { TABLE_MOST = 4096 };

/* Finds the targets of jumps through tables, and begins a basic block at each target. The result
 * has a list for each instruction: the number of targets, then their places; NULL: no table was
 * found. The result is NULL if the function has no jumps through tables. */
static uint32_t **find_tables(struct program *program, struct function_graph *graph)
{
	uint32_t **targets = NULL, *list = NULL;

	for (int i = 0; i < graph->count; i++) {
		int count;

		if (!graph->flow[i].table)
			continue;
		if (!targets) {
			targets = memory_new((size_t)graph->count + 1, sizeof(*targets));
			list = memory_new(TABLE_MOST, sizeof(*list));
		}
		count = find_table(program, graph, i, list, TABLE_MOST);
		if (count == 0)
			continue;
		targets[i] = memory_new((size_t)count + 1, sizeof(**targets));
		targets[i][0] = (uint32_t)count;
		memcpy(targets[i] + 1, list, (size_t)count * sizeof(*list));
		for (int k = 0; k < count; k++)
			begin_block(graph, list[k]);
	}
	free(list);
	return targets;
}

static void link_tables(struct function_graph *graph, uint32_t **targets, bool *unknown)
{
	int *orphan = memory_new((size_t)graph->block_count + 1, sizeof(*orphan)),
	    *list = memory_new(TABLE_MOST, sizeof(*list)), orphans = 0, shared = -1;
	bool *reached = memory_new((size_t)graph->block_count + 1, 1);

	for (int i = 0; i < graph->count; i++)
		for (uint32_t k = 1; targets[i] && k <= targets[i][0]; k++)
			reached[block_of(graph, targets[i][k])] = true;
	for (int block = 0; block < graph->block_count; block++)
		for (int k = 0; k < 2; k++)
			if (graph->node[block].next[k] >= 0)
				reached[graph->node[block].next[k]] = true;
	for (int block = 1; block < graph->block_count; block++)
		if (!reached[block] && !graph->flow[graph->block[block]].nop)
			orphan[orphans++] = block;
	for (int block = 0; block < graph->block_count; block++) {
		int end = graph_block_end(graph, block), count = 0;

		if (!graph->flow[end].table)
			continue;
		if (!targets[end] && orphans == 0) /* the jump leaves the function */
			continue;
		if (!targets[end]) { /* all indirect jumps without a known table share one chain of
					graph nodes */
			*unknown = true;
			if (shared < 0) {
				shared = add_node(graph);
				link_many(graph, shared, orphan, orphans);
			}
			graph->node[block].next[1] = shared;
			continue;
		}
		for (uint32_t k = 1; k <= targets[end][0]; k++)
			list[count++] = block_of(graph, targets[end][k]);
		link_many(graph, block, list, count);
	}
	free(orphan);
	free(list);
	free(reached);
}

/* ---- The graph */

/* Whether the function may have a loop: a jump backward, or a jump to an unknown place. */
static bool may_loop(const struct function_graph *graph)
{
	for (int i = 0; i < graph->count; i++)
		if (graph->flow[i].table ||
			(leads_inside(graph, &graph->flow[i]) &&
				graph->flow[i].target <= graph->address + graph->place[i]))
			return true;
	return false;
}

static void build_graph(struct program *program, struct function_graph *graph, bool *unknown)
{
	uint32_t **targets;

	graph->block_at = memory_new((size_t)graph->count + 1, sizeof(*graph->block_at));
	targets = find_tables(program, graph);
	number_blocks(program, graph);
	link_blocks(graph);
	if (targets) {
		link_tables(graph, targets, unknown);
		for (int i = 0; i < graph->count; i++)
			free(targets[i]);
		free(targets);
	}
	loop_nest_find(graph->node, graph->node_count, &graph->nest);
}

struct function_graph *function_graph_new(
	struct program *program, const struct program_function *function, bool *unknown)
{
	struct function_graph *graph = memory_new(1, sizeof(*graph));

	if (!open_code(program, function, graph))
		return graph;
	read_code(graph);
	if (may_loop(graph))
		build_graph(program, graph, unknown);
	return graph;
}

void function_graph_free(struct function_graph *graph)
{
	if (!graph)
		return;
	free(graph->flow);
	free(graph->place);
	free(graph->insn_at);
	free(graph->block);
	free(graph->block_at);
	free(graph->node);
	loop_nest_free(&graph->nest);
	free(graph);
}
