/* The work of each node of the dependence graph: its micro-ops with their possible ports. */
#include "model/limits/pipeline.h"

#include <math.h>

static void add_terms(struct work *work, const struct uarch_class *class, bool load)
{
	for (int i = 0; class && class->executes && i < class->term_count; i++) {
		int count = (int)lrint(class->term[i].count);

		for (int k = 0; k < count && class->term[i].ports && work->count < PIPELINE_TERMS;
			k++) {
			work->op[work->count].ports = class->term[i].ports;
			work->op[work->count].cycles = class->term[i].cycles;
			work->op[work->count++].load = load;
		}
	}
}

static double serial_cycles(const struct work *work)
{
	double most = 0;

	for (int i = 1; i < work->count; i++) {
		double before = 0;

		for (int k = 0; k < i; k++)
			if (work->op[k].ports == work->op[i].ports)
				before += (double)work->op[k].cycles;
		most = fmax(most, floor(before / __builtin_popcount(work->op[i].ports)));
	}
	return most;
}

uint32_t pipeline_third_ports(const struct uarch *uarch)
{
	const struct uarch_class *store = uarch_find(uarch, "vstore", 0);

	return uarch->fact[EXTRA_THIRD_SOURCE] > 0 && store && store->term_count > 1
		       ? store->term[store->term_count - 1].ports
		       : 0;
}

bool pipeline_reads_third(const struct insn *insn)
{
	return insn->width >= 512 && insn_vector_sources(insn) >= 3;
}

/* Adds the micro-op by which an operation reads its third vector source. */
static void add_third(struct pipeline *pipeline, struct work *work, const struct insn *insn)
{
	uint32_t ports = pipeline_third_ports(pipeline->tally->uarch);

	if (!pipeline->rules->parts || !ports || work->count == 0 ||
		work->count == PIPELINE_TERMS || !pipeline_reads_third(insn))
		return;
	work->op[work->count].ports = ports;
	work->op[work->count].cycles = 1;
	work->op[work->count++].load = false;
}

static void prepare_node(struct pipeline *pipeline, int number)
{
	const struct tally *tally = pipeline->tally;
	const struct loop *loop = pipeline->loop;
	const struct deps_node *node = &pipeline->graph.node[number];
	const struct loop_step *step = &loop->path[node->step];
	const struct insn *insn = &loop->insn[step->insn];
	const struct insn_tally *times = &tally->insn[step->insn];
	const struct uarch_insn *fact = &tally->facts[step->insn];
	struct work *work = &pipeline->work[number];
	bool operation = node->part == PART_OPERATION;
	int accesses = 1;

	work->early = node->part == PART_STORE;
	work->first_out = -1;
	work->pool =
		insn->vector && node->part != PART_LOAD && pipeline->pool[POOL_VECTOR].entries > 0
			? POOL_VECTOR
			: POOL_ALL;
	if (times->second > 0)
		return;
	if (times->first > 0 && operation) {
		bool taken = node->step + 1 >= loop->path_count || step[1].taken;

		add_terms(work, taken && fact[1].taken ? fact[1].taken : fact[1].op, false);
	} else if (fact->eliminated && operation) {
		if (times->materialised > times->times / 2)
			add_terms(work, uarch_find(tally->uarch, "alu", insn->width), false);
		work->apart = work->count;
	} else if (operation && insn->flow == FLOW_BRANCH && fact->taken && step->taken) {
		add_terms(work, fact->taken, false);
	} else {
		if (node->part == PART_LOAD && insn->memory_count > 0 &&
			insn->memory[0].accesses > 1)
			accesses = insn->memory[0].accesses;
		for (int k = 0; k < accesses; k++)
			add_terms(work, node->class, node->part == PART_LOAD);
		if (operation)
			add_third(pipeline, work, insn);
		/* setcc combines flags before it combines its result with the register. */
		if (operation && !insn->vector && insn->kept != REG_NONE && work->count > 1 &&
			uarch_known(node->class->accumulate))
			work->apart = work->count - 1;
	}
	work->serial = operation ? serial_cycles(work) : 0;
	work->result = operation && !insn->vector && work->count == 1 && node->latency >= 1 &&
				       node->latency < PIPELINE_RESULTS &&
				       tally->uarch->fact[EXTRA_LATE_RESULTS] == LATE_RESULTS_BLOCK
			       ? (uint8_t)node->latency
			       : 0;
}

static void index_steps(struct pipeline *pipeline)
{
	const struct tally *tally = pipeline->tally;
	const struct deps_graph *graph = &pipeline->graph;
	int steps = pipeline->loop->path_count, node = 0;

	for (int s = 0; s <= steps; s++) {
		int number = pipeline->loop->path[s < steps ? s : 0].insn;
		const struct insn_tally *insn = &tally->insn[number];

		while (node < graph->node_count && graph->node[node].step < s)
			node++;
		pipeline->step[s].first = node;
		if (insn->second > 0 || insn->joins)
			continue;
		pipeline->step[s].slots = tally->facts[number].slots;
		pipeline->step[s].split = tally->facts[number].unlaminated;
	}
}

bool pipeline_begins_anew(const struct pipeline *pipeline, int edge, int round)
{
	double restart = pipeline->rules->restart;

	return restart > 0 && pipeline->ends[edge] &&
	       floor(round / restart) >
		       floor((round - pipeline->graph.edge[edge].distance) / restart);
}

bool pipeline_links(const struct limits *limits, int step)
{
	for (int i = 0; i < limits->chain.link_count; i++)
		if (limits->chain.link[i].step == step)
			return true;
	return false;
}

/* Finds the edges of the dependence graph on the loop-carried chain that begins again after some
 * elements. Counters do not begin again. */
static void find_ends(struct pipeline *pipeline)
{
	const struct deps_graph *graph = &pipeline->graph;

	for (int i = 0; i < graph->edge_count; i++) {
		const struct deps_edge *edge = &graph->edge[i];
		const struct deps_node *from = &graph->node[edge->from];

		pipeline->ends[i] = edge->distance > 0 && !from->counts &&
				    (pipeline_links(pipeline->rules->limits, from->step) ||
					    edge->from == edge->to);
	}
}

void pipeline_prepare(struct pipeline *pipeline)
{
	const struct deps_graph *graph = &pipeline->graph;
	int instances = pipeline->rounds * graph->node_count;

	for (int i = 0; i < instances; i++)
		pipeline->instance[i] =
			(struct instance){ .start = -1, .stored = -INFINITY, .cause = -1 };
	for (int i = 0; i < graph->node_count; i++)
		prepare_node(pipeline, i);
	if (pipeline->rules->restart > 0)
		find_ends(pipeline);
	if (pipeline->rules->adjust)
		pipeline->rules->adjust(pipeline);
	index_steps(pipeline);
	for (int i = graph->edge_count - 1; i >= 0; i--) {
		const struct deps_edge *edge = &graph->edge[i];

		pipeline->next_out[i] = pipeline->work[edge->from].first_out;
		pipeline->work[edge->from].first_out = i;
		pipeline->work[edge->to].linked |= edge->memory && edge->weight < 0;
		for (int r = edge->distance; r < pipeline->rounds; r++) {
			struct instance *to = &pipeline->instance[r * graph->node_count + edge->to];

			if (pipeline_begins_anew(pipeline, i, r))
				continue;
			to->waits++;
			to->stores += edge->memory;
		}
	}
}
