#include "model/graph/deps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/graph/cycle.h"
#include "model/graph/forwards.h"

/* A node of the dependence graph starts when all its inputs are available. The result of a node is
 * available after the node's latency. The weight of an edge is the producer's latency (`out`) plus
 * the cycles that the consumer adds (`in`). */

struct graph {
	const struct loop *loop;
	const struct uarch *uarch;
	const struct uarch_insn *facts;
	const struct uarch_class *locked; /* class of locked operations; NULL: the core has none */
	enum deps_renaming renaming;
	double miss;
	struct deps_node *node;
	struct deps_edge *edge;
	int nodes, edges;
	int last[REG_COUNT]; /* for each register: the node that wrote it last; -1: in this pass of
				the path, no node wrote the register yet */
	int *store_node; /* for each step and memory operand: the graph node of the store; -1: the
			    operand is not stored */
	bool *unknown;	 /* for each instruction: true if one of its latencies is not known */
	int unknown_count;
	bool assumed; /* true: a load may depend on a store at an unknown address, see struct chain
		       */
};

/* Number of cycles subtracted from the latency of loop counters, such as i += 1. If two cycles of
 * the graph are equally slow, the search therefore prefers the one without loop counters, which
 * explains more. counter_bias is above `gain`, and far below any difference of latencies. */
static const double counter_bias = 1e-6;

/* ---- Nodes and edges */

static int add_node(struct graph *graph, int step, enum deps_part part,
	const struct uarch_class *class, double latency)
{
	graph->node = memory_grow(graph->node, (size_t)graph->nodes, sizeof(*graph->node));
	graph->node[graph->nodes] = (struct deps_node){
		.step = step, .part = part, .class = class, .latency = latency
	};
	return graph->nodes++;
}

static struct deps_edge *add_edge(struct graph *graph, int from, int to, int distance)
{
	graph->edge = memory_grow(graph->edge, (size_t)graph->edges, sizeof(*graph->edge));
	graph->edge[graph->edges] =
		(struct deps_edge){ .from = from, .to = to, .distance = distance };
	return &graph->edge[graph->edges++];
}

/* Adds an edge from the last writer of the register `reg` to the node `to`. If the register was
 * last written in the previous pass through the path, begin_edges() fills in the writer. */
static void read_register(struct graph *graph, int reg, int to, bool address, double in)
{
	struct deps_edge *edge;

	if (reg <= REG_NONE || reg >= REG_COUNT)
		return;
	edge = add_edge(graph, graph->last[reg], to, graph->last[reg] < 0);
	edge->reg = (uint8_t)reg;
	edge->address = address;
	edge->in = in;
}

/* The latency of a class. A latency that the core file does not state counts as 0, so that the sum
 * of latencies stays a lower bound. */
static double latency_of(struct graph *graph, int insn, const struct uarch_class *class)
{
	if (class && uarch_known(class->latency))
		return class->latency;
	graph->unknown[insn] = true;
	return 0;
}

/* ---- One step */

/* Cycles that a dependence through the index of an address needs in addition to a dependence
 * through the base. */
static double index_extra(const struct graph *graph, const struct insn_memory *memory)
{
	const double *fact = graph->uarch->fact;
	bool scaled = memory->scale > 1 && uarch_known(fact[EXTRA_SCALED_INDEX]);

	return fmax(0, fact[scaled ? EXTRA_SCALED_INDEX : EXTRA_INDEX]);
}

/* Whether cores are expected to rename this load to its store. The address of a load that is
 * renamed to its store has no index. In a load that is renamed, the operation on the loaded value
 * must be a separate instruction or have a constant. Measured on Redwood Cove: the load of `add
 * [m],1` is renamed; the load of `add [m],reg` is not renamed. A load that shares a rename slot
 * with the following addition is not renamed to its store either. On Zen 5, only some cases of
 * loads that are renamed to stores were measured. */
static bool is_plain(const struct graph *graph, const struct insn *load, int operand)
{
	const struct uarch_insn *facts = &graph->facts[load - graph->loop->insn];

	return !load->memory[operand].index && !facts->joined && (!facts->op || load->immediate);
}

/* Store forwarding: cycles from the store's data to the loaded value, or UARCH_UNKNOWN. The
 * forwarding latency is the first fact in the list `facts` that applies and is known. The latency
 * of a locked operation is measured from memory to memory, so it contains the load. */
static double forward_latency(const struct graph *graph, const struct forward *forward,
	const struct insn *load, int operand)
{
	const struct insn *store = &graph->loop->insn[graph->loop->path[forward->step].insn];
	bool vector = load->vector || store->vector;
	bool renames = graph->renaming == RENAMES_ALL ||
		       (graph->renaming == RENAMES_PLAIN && is_plain(graph, load, operand) &&
			       !store->memory[forward->operand].index);
	/* Only a load that begins at the store's first byte is renamed. */
	const bool applies[] = { !forward->inside, load->vector != store->vector,
		vector && load->memory[operand].size > 32, vector,
		!vector && forward->same_start && renames, !vector };
	static const enum uarch_fact facts[] = { EXTRA_FORWARD_FAILS, EXTRA_FORWARD_MIXED,
		EXTRA_FORWARD_512, EXTRA_FORWARD_VECTOR, EXTRA_FORWARD_RENAMED, EXTRA_FORWARD };

	if (graph->locked && graph->facts[load - graph->loop->insn].op == graph->locked)
		return 0;
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (applies[i] && uarch_known(graph->uarch->fact[facts[i]]))
			return graph->uarch->fact[facts[i]];
	return UARCH_UNKNOWN;
}

static int add_load(struct graph *graph, int step, int operand, const struct forward *forward)
{
	int number = graph->loop->path[step].insn;
	const struct insn *insn = &graph->loop->insn[number];
	const struct insn_memory *memory = &insn->memory[operand];
	const struct uarch_class *class = graph->facts[number].load;
	double latency = graph->facts[number].known ? latency_of(graph, number, class) : 0;
	int node;

	if (insn->load_extends)
		latency += fmax(0, graph->uarch->fact[EXTRA_SIGN]);
	/* For a gather, some core files state the operation's latency from index to result. The
	 * latency of a gather's operation then contains the load's latency, which must not count
	 * twice. */
	if (memory->vector_index && graph->facts[number].op &&
		graph->facts[number].op->latency >= latency)
		latency = 0;
	node = add_node(graph, step, PART_LOAD, class, latency + graph->miss);
	read_register(graph, memory->base, node, true, 0);
	read_register(graph, memory->index, node, true, index_extra(graph, memory));
	if (forward->step >= 0) {
		double cycles = forward_latency(graph, forward, insn, operand);
		struct deps_edge *edge;

		/* When an edge from a store to a load is added, the node of the store may not exist
		 * yet. Until begin_edges() runs, `from` of an edge through memory is an index into
		 * store_node. */
		edge = add_edge(graph, forward->step * INSN_MEMORY + forward->operand, node,
			forward->distance);
		edge->memory = true;
		edge->in = fmax(0, cycles) - (latency + graph->miss);
		graph->unknown[number] |= !uarch_known(cycles);
	}
	return node;
}

static void write_register(struct graph *graph, int reg, int node)
{
	if (reg > REG_NONE && reg < REG_COUNT)
		graph->last[reg] = node;
}

/* Whether the instruction is an xchg of two registers, which counts as two independent moves. */
static bool swaps(const struct insn *insn)
{
	return insn->memory_count == 0 && insn->read_count == 2 && insn->write_count == 2 &&
	       strcmp(insn->mnemonic, "xchg") == 0;
}

static void add_swap(struct graph *graph, int step, const struct insn *insn,
	const struct uarch_class *class, double latency)
{
	int node[2];

	for (int i = 0; i < 2; i++) {
		node[i] = add_node(graph, step, PART_OPERATION, class, latency);
		read_register(graph, insn->reads[i], node[i], false, 0);
	}
	for (int i = 0; i < 2; i++)
		write_register(graph, insn->writes[i], node[insn->writes[i] == insn->reads[0]]);
}

static void read_operands(
	struct graph *graph, const struct insn *insn, int node, const int *loads, int load_count)
{
	for (int i = 0; i < insn->read_count; i++)
		read_register(graph, insn->reads[i], node, false, 0);
	for (int i = 0; i < load_count; i++)
		add_edge(graph, loads[i], node, 0);
}

/* Whether the instruction adds a constant to a register: add r,1 · inc r · lea r,[r+8] */
static bool counts(const struct insn *insn)
{
	if (insn->vector || insn->move ||
		(insn->memory_count > 0 && (!insn->address_only || insn->memory[0].index)))
		return false;
	return insn->address_only ||
	       (insn->read_count == 1 && (insn->immediate || !strcmp(insn->mnemonic, "inc") ||
						 !strcmp(insn->mnemonic, "dec")));
}

/* Whether an operation combines its result with the target that it keeps a part of, and the core
 * states the latency from the target: gathers, compressions and expansions. The node of such an
 * operation begins when it combines, so that its target is an input like any other. */
static bool combines(const struct insn *insn, const struct uarch_class *class)
{
	return class && insn->kept != REG_NONE && insn->accumulator == REG_NONE &&
	       uarch_known(class->latency) && uarch_known(class->accumulate);
}

/* Whether a register is the mask of a gather, which the gather clears. The next instruction need
 * not wait for the end of the gather: on Zen 5, a gather whose mask comes from the mask of the one
 * before takes no longer than one with a new mask (13.0 cycles for 16 values, which have a latency
 * of 28). */
static bool clears_mask(const struct insn *insn, int reg)
{
	return insn->memory_count > 0 && insn->memory[0].vector_index && insn->kept != REG_NONE &&
	       reg != insn->kept;
}

static void add_step(struct graph *graph, int step, const struct forward **forward)
{
	int number = graph->loop->path[step].insn, loads[INSN_MEMORY], load_count = 0,
	    operation = -1, base = -1;
	const struct insn *insn = &graph->loop->insn[number];
	const struct uarch_insn *facts = &graph->facts[number];
	bool result = insn->write_count > 0;
	double latency = 0;

	if (!insn->known)
		return;
	for (int k = 0; k < INSN_MEMORY; k++)
		if (insn_loads(insn, k))
			loads[load_count++] = add_load(graph, step, k, (*forward)++);
	if (facts->op && !facts->eliminated &&
		(uarch_known(facts->op->latency) || (result && insn->flow == FLOW_NONE)))
		latency = latency_of(graph, number, facts->op);
	graph->unknown[number] |= !facts->known && result;
	if (swaps(insn)) {
		add_swap(graph, step, insn, facts->op, latency);
		return;
	}
	/* A plain load or store needs no operation node. */
	if (facts->op || !facts->known || (load_count != 1 && result) ||
		(load_count && result && insn->read_count)) {
		operation = add_node(graph, step, PART_OPERATION, facts->op,
			combines(insn, facts->op) ? facts->op->accumulate : latency);
		graph->node[operation].register_addend =
			insn->kept != REG_NONE ? insn->kept : insn->accumulator;
		graph->node[operation].counts = counts(insn);
		read_operands(graph, insn, operation, loads, load_count);
		if (facts->op && uarch_known(facts->op->accumulate))
			read_register(graph, insn->kept, operation, false, 0);
		if (insn->address_only)
			for (int k = 0; k < insn->memory_count; k++) {
				read_register(graph, insn->memory[k].base, operation, false, 0);
				read_register(graph, insn->memory[k].index, operation, false, 0);
			}
	}
	for (int k = 0; k < INSN_MEMORY; k++) {
		int *node = &graph->store_node[step * INSN_MEMORY + k];

		if (!insn_stores(insn, k))
			continue;
		*node = add_node(graph, step, PART_STORE, facts->store, 0);
		if (operation >= 0)
			add_edge(graph, operation, *node, 0);
		else
			read_operands(graph, insn, *node, loads, load_count);
	}
	if (insn->writeback && insn->memory_count > 0) {
		base = add_node(graph, step, PART_BASE, facts->base,
			facts->base ? latency_of(graph, number, facts->base) : 0);
		read_register(graph, insn->memory[0].base, base, false, 0);
	}
	if (operation < 0 && load_count)
		operation = loads[0];
	for (int i = 0; operation >= 0 && i < insn->write_count; i++)
		if (!clears_mask(insn, insn->writes[i]))
			write_register(graph, insn->writes[i], operation);
	/* The list `writes` of an instruction omits the base register that a pre- or post-indexed
	 * access updates. */
	if (base >= 0)
		write_register(graph, insn->memory[0].base, base);
}

/* ---- The whole graph */

/* Returns the cycles that the second result of an instruction takes longer than the first, whose
 * latency the class states; 0: the edge does not carry a second result. The second result of a full
 * multiplication is the upper half of the product, and of a division the remainder: both are in
 * rdx, or the half is in the first destination of mulx. */
static double second_result(const struct graph *graph, const struct deps_node *from, int reg)
{
	static const struct {
		const char *class;
		enum uarch_fact later;
		bool in_first; /* the second result is in the first destination, not in rdx */
	} rows[] = { { "multiply-wide", EXTRA_MULTIPLY_HIGH, false },
		{ "multiply-copy", EXTRA_MULTIPLY_HIGH, true }, { "div", EXTRA_REMAINDER, false } };
	const struct insn *insn = &graph->loop->insn[graph->loop->path[from->step].insn];

	if (from->part != PART_OPERATION || !from->class)
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t length = strlen(rows[i].class);
		const char *name = from->class->name;

		if (strncmp(name, rows[i].class, length) != 0 ||
			(name[length] && name[length] != '.'))
			continue;
		if (reg != (rows[i].in_first ? insn->writes[0] : REG_GENERAL + 2))
			return 0;
		return fmax(graph->uarch->fact[rows[i].later], 0);
	}
	return 0;
}

/* The latency from a producer to a consumer: the producer's latency, unless the core has special
 * forwarding between the two classes. */
static double out_of(const struct graph *graph, const struct deps_node *from,
	const struct deps_node *to, const struct deps_edge *edge)
{
	bool addend = edge->reg != REG_NONE && edge->reg == to->register_addend;
	double cycles, slows;

	if (edge->memory)
		return 0;
	/* A multiply-add may read its addend late, at an unknown time. The producer's latency minus
	 * the consumer's latency is a lower bound in any case. */
	if (to->class && to->class->accumulate_unknown && addend) {
		graph->unknown[graph->loop->path[to->step].insn] = true;
		return from->latency - to->latency;
	}
	if (from->part == PART_OPERATION && to->part == PART_OPERATION && from->class &&
		from->class == to->class && addend && uarch_known(from->class->accumulate))
		return from->class->accumulate;
	cycles = uarch_chain(graph->uarch, from->class, to->class, &slows);
	/* A `chain` row of the core file (the latency between two classes) replaces the producer's
	 * own latency. The cycles of a cache miss still count in addition. */
	if (uarch_known(cycles) && from->latency > 0)
		return cycles + (from->part == PART_LOAD ? graph->miss : 0);
	return from->latency + second_result(graph, from, edge->reg);
}

/* The cycles by which a consumer reads an operand after its start: a consumer of two micro-ops may
 * combine flags first, or add a displacement to the base of an address, and read its other operands
 * in the second micro-op. Negative: an operation that combines needs its other operands before. */
static double read_after(
	const struct graph *graph, const struct deps_node *to, const struct deps_edge *edge)
{
	const struct insn *insn = &graph->loop->insn[graph->loop->path[to->step].insn];
	bool base = insn->address_only && insn->memory[0].base == edge->reg;

	if (to->part == PART_OPERATION && combines(insn, to->class))
		return edge->reg == insn->kept ? 0 : to->class->accumulate - to->class->latency;
	return to->part == PART_OPERATION && to->class && to->class->late > 0 &&
			       uarch_known(to->class->latency) && !edge->memory && !base &&
			       edge->reg != REG_FLAGS && edge->reg != REG_CARRY
		       ? to->class->latency - to->class->late
		       : 0;
}

/* Fills in the producers that were still unknown when their edges were added to the graph. Removes
 * edges without a producer. */
static void begin_edges(struct graph *graph)
{
	int kept = 0;

	for (int i = 0; i < graph->edges; i++) {
		struct deps_edge edge = graph->edge[i];

		if (edge.memory)
			edge.from = graph->store_node[edge.from];
		else if (edge.from < 0)
			edge.from = graph->last[edge.reg];
		if (edge.from >= 0)
			graph->edge[kept++] = edge;
	}
	graph->edges = kept;
}

/* Whether the node is a register copy that rename eliminates. The value of an eliminated copy then
 * comes directly from the instruction that produced the copied register. */
static bool copies(const struct graph *graph, const struct deps_node *node)
{
	int number = graph->loop->path[node->step].insn;

	return graph->facts[number].eliminated && graph->loop->insn[number].move;
}

/* For each node: if it is an eliminated copy, the node that produced the copied value. -1: the node
 * is no eliminated copy. */
static int *find_origins(const struct graph *graph)
{
	int *origin = memory_new((size_t)graph->nodes + 1, sizeof(*origin));

	memset(origin, -1, (size_t)graph->nodes * sizeof(*origin));
	for (int i = 0; i < graph->edges; i++)
		if (copies(graph, &graph->node[graph->edge[i].to]))
			origin[graph->edge[i].to] = graph->edge[i].from;
	for (int i = 0; i < graph->nodes; i++)
		for (int hops = 0; origin[i] >= 0 && origin[origin[i]] >= 0 && hops < graph->nodes;
			hops++)
			origin[i] = origin[origin[i]];
	return origin;
}

/* Whether a node whose operand crosses takes longer on each port on which it can execute. */
static bool crosses_always(const struct graph *graph, const struct deps_node *node)
{
	return node->class->term_count == 1 &&
	       !(node->class->term[0].ports & ~graph->uarch->crossing_ports);
}

/* Finds the nodes that take longer because of the class that produced one of their operands. */
static void find_slowed(struct graph *graph, const int *origin)
{
	for (int i = 0; i < graph->edges; i++) {
		const struct deps_edge *edge = &graph->edge[i];
		const struct deps_node *from =
			&graph->node[origin[edge->from] >= 0 ? origin[edge->from] : edge->from];
		struct deps_node *to = &graph->node[edge->to];
		double slows = 0;

		if (!edge->memory && !copies(graph, to) && from->part != PART_LOAD)
			uarch_chain(graph->uarch, from->class, to->class, &slows);
		to->slowed = fmax(to->slowed, slows);
		to->crossed |= !edge->memory && from->part == PART_OPERATION && from->class &&
			       to->class && from->class->crosses_from && to->class->crosses_to;
	}
}

/* Computes the weights of all edges of the graph. */
static void connect(struct graph *graph)
{
	int *origin;

	begin_edges(graph);
	origin = find_origins(graph);
	find_slowed(graph, origin);
	for (int i = 0; i < graph->nodes; i++)
		if (graph->node[i].crossed && crosses_always(graph, &graph->node[i]))
			graph->node[i].slowed += graph->uarch->crossing;
	for (int i = 0; i < graph->edges; i++) {
		struct deps_edge *edge = &graph->edge[i];
		const struct deps_node *from = &graph->node[edge->from],
				       *to = &graph->node[edge->to];

		edge->out = out_of(graph, from, to, edge);
		edge->in -= read_after(graph, to, edge);
		/* If a copy is eliminated, special forwarding from the producer of the copied value
		 * also applies to the consumer of the copy. */
		if (origin[edge->from] >= 0 && !edge->memory && !copies(graph, to) &&
			graph->node[origin[edge->from]].part != PART_LOAD) {
			from = &graph->node[origin[edge->from]];
			edge->out += out_of(graph, from, to, edge) - from->latency;
		}
		edge->out += edge->memory ? 0 : graph->node[edge->from].slowed;
		edge->weight =
			edge->out + edge->in - (graph->node[edge->from].counts ? counter_bias : 0);
	}
	free(origin);
}

/* Converts the nodes of the slowest cycle to links of the chain. The graph nodes of one step of the
 * path become one link of the chain. */
static void describe(const struct graph *graph, const struct cycle *cycle, struct chain *chain)
{
	int first = 0, last_step = -1;
	struct chain_link *link = NULL, ignored;

	chain->counts = true;
	/* The listed chain (slowest cycle) begins at an edge that comes from an earlier path. */
	while (first < cycle->count && graph->edge[cycle->edge[first]].distance == 0)
		first++;
	for (int i = 0; i < cycle->count; i++) {
		const struct deps_edge *into =
			&graph->edge[cycle->edge[(first + i) % cycle->count]];
		const struct deps_edge *next =
			&graph->edge[cycle->edge[(first + i + 1) % cycle->count]];
		const struct deps_node *node = &graph->node[into->to];

		if (node->step != last_step || into->distance > 0) {
			link = chain->link_count < CHAIN_MAX ? &chain->link[chain->link_count++]
							     : &ignored;
			*link = (struct chain_link){ .step = (uint16_t)node->step };
			last_step = node->step;
		}
		link->load |= node->part == PART_LOAD;
		link->store |= node->part == PART_STORE;
		link->alu |= node->part == PART_OPERATION || node->part == PART_BASE;
		link->cycles += (float)(into->in + next->out);
		chain->counts &= node->counts || node->part == PART_BASE;
		chain->cycles += into->in + into->out;
		chain->through_memory |= into->memory;
		if (node->part == PART_LOAD && into->address) {
			chain->loads++;
			chain->load_cycles += fmax(0, node->latency - graph->miss);
		}
	}
	chain->cycles /= cycle->spans;
	chain->spans = cycle->spans;
	chain->loads /= cycle->spans;
	chain->load_cycles /= cycle->spans;
}

static void build(struct graph *graph)
{
	size_t operands = (size_t)graph->loop->path_count * INSN_MEMORY;
	struct forward *forwards = memory_new(operands, sizeof(*forwards));
	const struct forward *forward = forwards;

	graph->store_node = memory_new(operands, sizeof(int));
	graph->unknown = memory_new((size_t)graph->loop->insn_count + 1, sizeof(bool));
	graph->locked = uarch_find(graph->uarch, "locked", 0);
	memset(graph->last, -1, sizeof(graph->last));
	memset(graph->store_node, -1, operands * sizeof(int));
	graph->assumed = forwards_find(graph->loop, uarch_stack_register(graph->uarch), forwards);
	for (int step = 0; step < graph->loop->path_count; step++)
		add_step(graph, step, &forward);
	connect(graph);
	for (int i = 0; i < graph->loop->insn_count; i++)
		graph->unknown_count += graph->unknown[i];
	free(forwards);
	free(graph->store_node);
	free(graph->unknown);
}

/* Latency that a class without a known latency gets in the search for cycles that need it: more
 * than a cycle of the graph takes without such a class. */
#define LATENCY_GUESS 1e4

/* Whether the weight of the edge lacks the latency of its producer. */
static bool lacks_latency(const struct graph *graph, const struct deps_edge *edge)
{
	const struct deps_node *from = &graph->node[edge->from];

	return !edge->memory && from->part != PART_STORE && from->class && edge->out <= 0 &&
	       !uarch_known(from->class->latency) &&
	       !graph->facts[graph->loop->path[from->step].insn].eliminated;
}

/* Returns a class without a known latency on a cycle of the graph; NULL: there is none. Changes the
 * weights of the edges. */
static const struct uarch_class *find_lacking(struct graph *graph, struct cycle *cycle)
{
	for (int i = 0; i < graph->edges; i++)
		if (lacks_latency(graph, &graph->edge[i]))
			graph->edge[i].weight += LATENCY_GUESS;
	cycle_find(graph->edge, graph->edges, graph->nodes, cycle);
	for (int i = 0; i < cycle->count; i++)
		if (lacks_latency(graph, &graph->edge[cycle->edge[i]]))
			return graph->node[graph->edge[cycle->edge[i]].from].class;
	return NULL;
}

void deps_chain(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	enum deps_renaming renaming, double miss, struct chain *chain)
{
	struct graph graph = {
		.loop = loop, .uarch = uarch, .facts = facts, .renaming = renaming, .miss = miss
	};
	struct cycle cycle;

	memset(chain, 0, sizeof(*chain));
	build(&graph);
	chain->assumed = graph.assumed;
	chain->unknown = graph.unknown_count;
	cycle.edge = memory_new((size_t)graph.nodes + 1, sizeof(int));
	cycle_find(graph.edge, graph.edges, graph.nodes, &cycle);
	if (cycle.count)
		describe(&graph, &cycle, chain);
	if (graph.unknown_count)
		chain->lacks = find_lacking(&graph, &cycle);
	free(cycle.edge);
	free(graph.node);
	free(graph.edge);
}

void deps_graph(const struct loop *loop, const struct uarch *uarch, const struct uarch_insn *facts,
	struct deps_graph *out)
{
	struct graph graph = {
		.loop = loop, .uarch = uarch, .facts = facts, .renaming = RENAMES_PLAIN
	};

	build(&graph);
	*out = (struct deps_graph){ graph.nodes, graph.edges, graph.node, graph.edge };
}

void deps_graph_free(struct deps_graph *graph)
{
	free(graph->node);
	free(graph->edge);
}
