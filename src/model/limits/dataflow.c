#include "model/limits/dataflow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/limits/tally.h"

/* The largest number of rows. */
enum { ROWS_MOST = 4096 };
/* An input counts as the one for which a node waits if it comes at most SAME_TIME cycles before the
 * node's start. */
static const double SAME_TIME = 1e-3;

/* The executed instructions that the dependence graph shows: `passes` passes over the first `steps`
 * steps of the path. */
struct shown {
	int passes, steps;
};

/* The path of a single-stepped loop has several iterations. The dependence graph of a
 * single-stepped loop shows the first two. */
static struct shown shown_of(const struct loop *loop)
{
	int turns = 0, steps = loop->path_count;

	if (!loop->stepped || loop->turns < 2)
		return (struct shown){ 2 * steps <= ROWS_MOST ? 2 : 1,
			steps < ROWS_MOST ? steps : ROWS_MOST };
	for (int s = 0; s < steps; s++)
		if (loop->path[s].insn == loop->path[0].insn && turns++ == 2)
			return (struct shown){ 1, s < ROWS_MOST ? s : ROWS_MOST };
	return (struct shown){ 1, steps < ROWS_MOST ? steps : ROWS_MOST };
}

/* Returns the link of the slowest loop-carried chain for a step of the path; NULL: the step is not
 * on the chain. */
static const struct chain_link *link_at(const struct limits *limits, int step)
{
	for (int i = 0; i < limits->chain.link_count; i++)
		if (limits->chain.link[i].step == step)
			return &limits->chain.link[i];
	return NULL;
}

static bool is_carried(const struct limits *limits, const struct deps_node *node)
{
	const struct chain_link *link = link_at(limits, node->step);

	return link && (node->part == PART_LOAD		  ? link->load
			       : node->part == PART_STORE ? link->store
							  : link->alu);
}

/* Rounds a time: removes the small bias of loop counters (deps.c) and rounding errors. */
static double whole(double cycle)
{
	return fabs(cycle - rint(cycle)) < SAME_TIME ? rint(cycle) : cycle;
}

/* Computes the start of each node (load, operation or store) in each pass over the path. Edges of
 * the graph lead to later nodes, or to later passes over the path. */
static double *start_nodes(const struct deps_graph *graph, int passes)
{
	double *start = memory_new((size_t)(passes * graph->node_count), sizeof(*start));
	int nodes = graph->node_count;

	for (int pass = 0; pass < passes; pass++)
		for (int i = 0; i < graph->edge_count; i++) {
			const struct deps_edge *edge = &graph->edge[i];
			double *to = &start[pass * nodes + edge->to];

			if (edge->distance <= pass)
				*to = fmax(
					*to, start[(pass - edge->distance) * nodes + edge->from] +
						     edge->weight);
		}
	return start;
}

static void add_rows(const struct tally *tally, const struct limits *limits,
	const struct shown *shown, struct dataflow *dataflow)
{
	const struct loop *loop = tally->loop;
	int turn = -1;

	dataflow->row_count = shown->passes * shown->steps;
	dataflow->row =
		memory_resize(dataflow->row, (size_t)dataflow->row_count, sizeof(*dataflow->row));
	for (int i = 0; i < dataflow->row_count; i++) {
		int step = i % shown->steps, insn = loop->path[step].insn;

		turn += step == 0 || (loop->stepped && insn == loop->path[0].insn);
		dataflow->row[i] = (struct dataflow_row){ .insn = insn,
			.turn = turn,
			.kind = !tally->facts[insn].known	? TIMELINE_UNKNOWN
				: tally->insn[insn].second > 0	? TIMELINE_FUSED
				: tally->facts[insn].eliminated ? TIMELINE_NO_PORT
								: TIMELINE_WORK,
			.carried = link_at(limits, step),
			.start = INFINITY };
	}
}

static void add_part(struct dataflow *dataflow, const struct dataflow_part *part)
{
	dataflow->part =
		memory_grow(dataflow->part, (size_t)dataflow->part_count, sizeof(*dataflow->part));
	dataflow->part[dataflow->part_count++] = *part;
}

/* Adds a dependence between two executed instructions, or merges it with an equal one. */
static void add_edge(struct dataflow *dataflow, const struct dataflow_edge *edge)
{
	for (int i = dataflow->edge_count - 1; i >= 0 && dataflow->edge[i].to == edge->to; i--)
		if (dataflow->edge[i].from == edge->from) {
			dataflow->edge[i].slack &= edge->slack;
			dataflow->edge[i].carried |= edge->carried;
			return;
		}
	dataflow->edge =
		memory_grow(dataflow->edge, (size_t)dataflow->edge_count, sizeof(*dataflow->edge));
	dataflow->edge[dataflow->edge_count++] = *edge;
}

/* Computes the times of the parts of each executed instruction, and adds the dependences between
 * instructions. */
static void add_times(const struct limits *limits, const struct deps_graph *graph,
	const double *start, const struct shown *shown, struct dataflow *dataflow)
{
	int nodes = graph->node_count;

	for (int pass = 0; pass < shown->passes; pass++) {
		for (int n = 0; n < nodes && graph->node[n].step < shown->steps; n++) {
			struct dataflow_row *row =
				&dataflow->row[pass * shown->steps + graph->node[n].step];
			double at = whole(start[pass * nodes + n]);

			row->start = fmin(row->start, at);
			row->end = fmax(row->end, at + graph->node[n].latency);
			add_part(dataflow, &(struct dataflow_part){ (int)(row - dataflow->row),
						   is_carried(limits, &graph->node[n]), at,
						   at + graph->node[n].latency });
		}
		for (int i = 0; i < graph->edge_count; i++) {
			const struct deps_edge *edge = &graph->edge[i];
			const struct deps_node *from = &graph->node[edge->from],
					       *to = &graph->node[edge->to];
			double at = whole(start[pass * nodes + edge->to]);
			struct dataflow_edge new = { .in = at, .memory = edge->memory };
			int source = pass - edge->distance;

			if (source < 0 || to->step >= shown->steps || from->step >= shown->steps)
				continue;
			new.from = source * shown->steps + from->step;
			new.to = pass * shown->steps + to->step;
			new.out =
				fmin(at, whole(start[source * nodes + edge->from] + edge->weight));
			new.slack = new.out < at - SAME_TIME;
			new.carried = !new.slack && dataflow->row[new.from].carried &&
				      dataflow->row[new.to].carried;
			/* The two instructions of a macro-fused pair are one operation. */
			if (new.from != new.to &&
				!(new.from + 1 == new.to &&
					dataflow->row[new.to].kind == TIMELINE_FUSED))
				add_edge(dataflow, &new);
		}
	}
	for (int i = 0; i < dataflow->row_count; i++)
		if (dataflow->row[i].start == INFINITY)
			dataflow->row[i].start = 0;
}

void dataflow_make(const struct explanation *explanation, struct dataflow *dataflow)
{
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	struct tally tally = { .loop = loop,
		.uarch = limits->uarch,
		.turns = limits->turns,
		.elements = limits->elements };
	struct deps_graph graph;
	struct shown shown;
	double *start;

	dataflow->row_count = dataflow->part_count = dataflow->edge_count = 0;
	dataflow->known = loop->path_count > 0 && limits->uarch;
	if (!dataflow->known) {
		snprintf(dataflow->why, sizeof(dataflow->why), "%s",
			"the loop has no decoded instructions");
		return;
	}
	dataflow->chain = limits->chain.cycles / limits->turns;
	dataflow->elements = limits->elements / limits->turns;
	shown = shown_of(loop);
	tally_open(&tally);
	deps_graph(loop, limits->uarch, tally.facts, &graph);
	start = start_nodes(&graph, shown.passes);
	add_rows(&tally, limits, &shown, dataflow);
	add_times(limits, &graph, start, &shown, dataflow);
	free(start);
	deps_graph_free(&graph);
	tally_close(&tally);
}

void dataflow_free(struct dataflow *dataflow)
{
	free(dataflow->row);
	free(dataflow->part);
	free(dataflow->edge);
	*dataflow = (struct dataflow){ .known = false };
}
