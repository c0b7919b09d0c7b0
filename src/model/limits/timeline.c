#include "model/limits/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/limits/pipeline.h"

/* ROWS: the timeline has as many passes over the path as fit in ROWS rows, but at least two.
 * ROWS_MOST: a timeline of two passes has at most this many rows; a longer path has one pass. */
enum { ROWS = 400, ROWS_MOST = 4096 };
/* The cycles of a simulated run count as equal to the predicted cycles if they differ by at most
 * this share. The start and the end of a run of several hundred cycles are exact to a cycle. */
static const double EQUAL = 0.01;

/* ---- Limits that the run includes as gates and as the width of rename */

/* The operations whose rate a limit restricts (they pass the limit's gate in the simulation). */
enum holder {
	HOLDS_NONE,
	HOLDS_LOADS,
	HOLDS_VECTOR_LOADS,
	HOLDS_STORES,
	HOLDS_ACCESSES,
	HOLDS_OPERATIONS,
	HOLDS_FRONT
};

/* Limits that are not in this table are part of the simulated pipeline itself (ports, chain), or
 * slow down its rename stage if their resource is the pipeline. */
static const struct {
	enum limit_kind kind;
	enum holder holder;
} holders[] = {
	{ LIMIT_LOADS, HOLDS_LOADS },
	{ LIMIT_VECTOR_LOADS, HOLDS_VECTOR_LOADS },
	{ LIMIT_STORES, HOLDS_STORES },
	{ LIMIT_ADDRESSES, HOLDS_ACCESSES },
	{ LIMIT_COMPLEX, HOLDS_ACCESSES },
	{ LIMIT_SPLITS, HOLDS_ACCESSES },
	{ LIMIT_BANKS, HOLDS_LOADS },
	{ LIMIT_STORE_LINES, HOLDS_STORES },
	{ LIMIT_SCHEDULING, HOLDS_OPERATIONS },
	{ LIMIT_MEMORY_LATENCY, HOLDS_ACCESSES },
	{ LIMIT_MEMORY_LINES, HOLDS_ACCESSES },
	{ LIMIT_MISSES, HOLDS_ACCESSES },
	{ LIMIT_EVICTED, HOLDS_ACCESSES },
	{ LIMIT_WINDOW, HOLDS_ACCESSES },
	{ LIMIT_PAGE_WALKS, HOLDS_ACCESSES },
};

static enum holder holder_of(enum limit_kind kind)
{
	for (size_t i = 0; i < sizeof(holders) / sizeof(holders[0]); i++)
		if (holders[i].kind == kind)
			return holders[i].holder;
	return limit_rows[kind].resource == RESOURCE_PIPELINE ? HOLDS_FRONT : HOLDS_NONE;
}

/* If a limit is a mean over many accesses, accesses that need MEAN_SLACK cycles together may begin
 * at once. */
static const double MEAN_SLACK = 4;

static bool is_mean(enum limit_kind kind)
{
	return limit_rows[kind].resource == RESOURCE_MEMORY || kind == LIMIT_SPLITS ||
	       kind == LIMIT_BANKS || kind == LIMIT_STORE_LINES || kind == LIMIT_SCHEDULING;
}

/* What the simulation takes into account besides ports, rename width and dependence chain. */
struct pace {
	enum holder holder[PIPELINE_GATES];
	double cycles[PIPELINE_GATES]; /* cycles per path in which all operations that the limit
					  restricts pass its gate */
	bool mean[PIPELINE_GATES]; /* the limit is a mean, not a number of events in each cycle */
	double miss; /* additional cycles of each load on the loop-carried chain, because it misses
		      */
	double restart; /* number of rounds (passes over the path) of a dependence chain; 0: chains
			   do not begin again */
	bool chains_first; /* ports execute micro-ops of loop-carried chains before older micro-ops
			    */
	const struct limits *limits;
};

static bool holds(const struct pipeline *pipeline, int number, enum holder holder)
{
	const struct deps_node *node = &pipeline->graph.node[number];
	const struct insn *insn = &pipeline->loop->insn[pipeline->loop->path[node->step].insn];
	bool load = node->part == PART_LOAD, store = node->part == PART_STORE;

	switch (holder) {
	case HOLDS_LOADS: return load;
	case HOLDS_VECTOR_LOADS: return load && insn->vector;
	case HOLDS_STORES: return store;
	case HOLDS_ACCESSES: return load || store;
	case HOLDS_OPERATIONS: return node->part == PART_OPERATION && !insn->vector;
	case HOLDS_NONE:
	case HOLDS_FRONT: break;
	}
	return false;
}

static bool on_chain(const struct limits *limits, const struct deps_node *node)
{
	for (int i = 0; i < limits->chain.link_count; i++)
		if (limits->chain.link[i].step == node->step && limits->chain.link[i].load)
			return node->part == PART_LOAD;
	return false;
}

/* Sets the gates (limited rates) of each operation, and the additional latency of chained loads
 * that miss. */
static void adjust(struct pipeline *pipeline)
{
	const struct pace *pace = pipeline->rules->context;
	struct deps_graph *graph = &pipeline->graph;
	struct pipeline_rules *rules = pipeline->rules;

	for (int gate = 0; gate < rules->gate_count; gate++) {
		int count = 0;

		for (int i = 0; i < graph->node_count; i++) {
			if (!holds(pipeline, i, pace->holder[gate]) || pipeline->work[i].count == 0)
				continue;
			pipeline->work[i].gates |= (uint8_t)(1u << gate);
			count++;
		}
		rules->gate[gate].cycles = count ? pace->cycles[gate] / count : 0;
		rules->gate[gate].slack = pace->mean[gate] ? MEAN_SLACK : 0;
	}
	for (int i = 0; pace->chains_first && i < graph->node_count; i++)
		pipeline->work[i].urgent = pipeline_links(pace->limits, graph->node[i].step);
	for (int i = 0; pace->chains_first && i < graph->edge_count; i++)
		pipeline->work[graph->edge[i].to].urgent |=
			graph->edge[i].from == graph->edge[i].to;
	for (int i = 0; pace->miss > 0 && i < graph->edge_count; i++) {
		struct deps_edge *edge = &graph->edge[i];

		if (!edge->memory && on_chain(pace->limits, &graph->node[edge->from]))
			edge->weight += pace->miss;
		else if (edge->memory && on_chain(pace->limits, &graph->node[edge->to]))
			edge->weight -= pace->miss;
	}
	for (int i = 0; pace->miss > 0 && i < graph->node_count; i++)
		if (on_chain(pace->limits, &graph->node[i]))
			graph->node[i].latency += pace->miss;
}

/* Whether the prediction comes from the limit of chained loads that miss. */
static bool chain_misses(const struct limits *limits, const struct limit *by)
{
	return (by->kind == LIMIT_MEMORY_LATENCY || by->kind == LIMIT_PAGE_WALKS) &&
	       limits->chain.loads > 0 && by->cycles > limits->chain.cycles;
}

/* The kinds of simulated runs: misses of chained loads are a latency or a rate, and ports prefer
 * the oldest micro-op or micro-ops of the loop-carried chain. For a core that chooses ports at
 * rename, a further run comes first. */
enum { TRY_NO_MISSES = 1, TRY_CHAINS_FIRST = 2, TRIES = 4 };

/* Whether a simulation with the rules `try` can differ from the earlier simulations. */
static bool worth_trying(const struct limits *limits, int try)
{
	bool misses = chain_misses(limits, &limits->limit[limits->predicted_by]);

	return (try & TRY_NO_MISSES) || misses;
}

/* Returns the number of paths after which new chains begin. 0: never, or the path was
 * single-stepped and contains the starts of new chains itself. */
static double restart_of(const struct loop *loop, const struct limits *limits)
{
	return !loop->stepped && limits->restart > limits->elements
		       ? limits->restart / limits->elements
		       : 0;
}

static void fill_rules(const struct tally *tally, const struct limits *limits, int try,
	struct pace *pace, struct pipeline_rules *rules)
{
	bool misses = !(try & TRY_NO_MISSES);
	const struct limit *by = &limits->limit[limits->predicted_by];
	double front = 0, slots = tally->slots + tally->unlaminated;
	bool binds = tally->uarch->fact[EXTRA_BINDS_PORTS] > 0;

	*pace = (struct pace){ .chains_first = try & TRY_CHAINS_FIRST,
		.restart = restart_of(tally->loop, limits),
		.limits = limits };
	*rules = (struct pipeline_rules){ .ideal = !binds || (try & TRY_CHAINS_FIRST),
		.keep = true,
		.restart = pace->restart,
		.limits = limits,
		.most = 1000 * by->cycles,
		.adjust = adjust,
		.context = pace };
	if (by->kind == LIMIT_SCHEDULING && binds)
		return;
	if (misses)
		pace->miss = (by->cycles - limits->chain.cycles) / limits->chain.loads;
	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		enum holder holder = holder_of(limit->kind);

		if (!limit->known || limit->cycles < 0.5 * by->cycles || holder == HOLDS_NONE ||
			(limit->kind == LIMIT_SCHEDULING && binds))
			continue;
		if (holder == HOLDS_FRONT) {
			front = fmax(front, limit->cycles);
		} else if (rules->gate_count < PIPELINE_GATES &&
			   !(misses && limit_rows[limit->kind].resource == RESOURCE_MEMORY)) {
			pace->holder[rules->gate_count] = holder;
			pace->mean[rules->gate_count] = is_mean(limit->kind);
			pace->cycles[rules->gate_count++] = limit->cycles;
		}
	}
	if (front > 0 && slots / front < tally->uarch->width)
		rules->slots = slots / front;
}

struct run {
	struct pipeline_rules rules;
	struct pace pace;
};

static void start_run(const struct tally *tally, const struct limits *limits, int try,
	struct pipeline *pipeline, struct run *run)
{
	fill_rules(tally, limits, try, &run->pace, &run->rules);
	pipeline_open(pipeline, tally, &run->rules);
}

/* Simulates the loop by several rules, and keeps the run whose cycles are nearest to the
 * prediction. The caller frees the kept run with pipeline_close(). */
static void find_run(const struct tally *tally, const struct limits *limits,
	struct pipeline *pipeline, struct run *run)
{
	double predicted = limits->limit[limits->predicted_by].cycles, nearest = INFINITY;
	int best = TRY_NO_MISSES;

	for (int try = 0; try < TRIES; try++) {
		double gap;

		if (!worth_trying(limits, try))
			continue;
		start_run(tally, limits, try, pipeline, run);
		gap = fabs(pipeline->cycles / predicted - 1);
		if (gap <= EQUAL)
			return;
		if (gap < nearest) {
			nearest = gap;
			best = try;
		}
		pipeline_close(pipeline);
	}
	start_run(tally, limits, best, pipeline, run);
}

/* ---- The rows */

static int turn_of(const struct loop *loop, int step, int turn)
{
	return turn + (step == 0 || (loop->stepped && loop->path[step].insn == loop->path[0].insn));
}

/* Rounds a time: removes the small bias of loop counters (deps.c) and rounding errors. */
static double whole(double cycle)
{
	return fabs(cycle - rint(cycle)) < 1e-3 ? rint(cycle) : cycle;
}

static void add_op(
	struct timeline *timeline, struct timeline_row *row, int port, double start, double latency)
{
	timeline->op = memory_grow(timeline->op, (size_t)timeline->op_count, sizeof(*timeline->op));
	timeline->op[timeline->op_count++] =
		(struct timeline_op){ (uint8_t)port, start, start + fmax(latency, 1) };
	row->op_count++;
}

static void add_row(
	const struct pipeline *pipeline, struct timeline *timeline, int number, int turn)
{
	const struct tally *tally = pipeline->tally;
	int steps = pipeline->loop->path_count, step = number % steps, round = number / steps;
	int nodes = pipeline->graph.node_count;
	int insn = pipeline->loop->path[step].insn;
	const struct step_times *times = &pipeline->times[number];
	struct timeline_row row = { .insn = insn,
		.turn = turn,
		.kind = !tally->facts[insn].known      ? TIMELINE_UNKNOWN
			: tally->insn[insn].second > 0 ? TIMELINE_FUSED
						       : TIMELINE_NO_PORT,
		.renamed = times->renamed,
		.ready = times->renamed + 1,
		.done = times->renamed + 1,
		.op = timeline->op_count,
		.cause = -1 };

	for (int n = pipeline->step[step].first; n < pipeline->step[step + 1].first; n++) {
		const struct instance *instance = &pipeline->instance[round * nodes + n];
		const struct work *work = &pipeline->work[n];
		double latency = pipeline->graph.node[n].latency;

		if (work->apart < work->count && row.op_count == 0) {
			row.ready = whole(instance->arrived);
			if (instance->cause >= 0 && row.ready > row.renamed + 1)
				row.cause = instance->cause / nodes * steps +
					    pipeline->graph.node[instance->cause % nodes].step;
		}
		for (int i = 0; i < work->count; i++)
			add_op(timeline, &row, instance->port[i],
				whole(instance->renamed_at + (double)instance->begun[i]),
				i < work->apart ? 1 : latency);
		if (work->count > 0 && row.kind == TIMELINE_NO_PORT)
			row.kind = TIMELINE_WORK;
		row.done = fmax(row.done, whole(instance->start + latency));
	}
	for (int i = row.op; i < timeline->op_count; i++)
		row.done = fmax(row.done, timeline->op[i].end);
	row.retired = fmax(times->retired, row.done);
	/* The second instruction of a macro-fused pair retires with the first. */
	if (timeline->row_count > 0)
		row.retired = fmax(row.retired, timeline->row[timeline->row_count - 1].retired);
	/* If the instruction waited only for its own earlier micro-op, no cause of waiting is
	 * shown. */
	if (row.cause >= timeline->row_count)
		row.cause = -1;
	timeline->row =
		memory_grow(timeline->row, (size_t)timeline->row_count, sizeof(*timeline->row));
	timeline->row[timeline->row_count++] = row;
}

static void add_rows(
	const struct pipeline *pipeline, const struct limits *limits, struct timeline *timeline)
{
	const struct loop *loop = pipeline->loop;
	int steps = loop->path_count, passes, turn = -1;

	passes = ROWS / steps > 2 ? ROWS / steps : 2 * steps <= ROWS_MOST ? 2 : 1;
	passes = passes < pipeline->rounds ? passes : pipeline->rounds;
	for (int i = 0; i < passes * steps; i++) {
		turn = turn_of(loop, i % steps, turn);
		add_row(pipeline, timeline, i, turn);
		timeline->row[i].carried = limits->insn[timeline->row[i].insn].carried;
	}
}

static void refuse(struct timeline *timeline, const char *why)
{
	timeline->known = false;
	snprintf(timeline->why, sizeof(timeline->why), "%s", why);
}

/* Describes which parts of the prediction the simulation used as given, and why its cycles differ.
 */
static void describe(const struct tally *tally, const struct limit *by, const struct pace *pace,
	struct timeline *timeline)
{
	const char *name = limit_rows[by->kind].name;
	double rob = tally->uarch->fact[SIZE_ROB], scheduler = tally->uarch->fact[SIZE_SCHEDULER];
	enum holder holder = holder_of(by->kind);
	struct limit_words words = { "" };

	if (timeline->differs && pace->restart > 0)
		words_add(&words,
			"A new chain begins every %s iterations. The limit estimates how far "
			"chains overlap; the run simulates it.",
			words_number(pace->restart).text);
	else if (timeline->differs && timeline->cycles < timeline->predicted)
		words_add(&words, "The run has only a part of the cost of this limit: %s.", name);
	else if (timeline->differs && uarch_known(rob) && uarch_known(scheduler))
		words_add(&words,
			"The run has a reorder buffer of %.0f and a scheduler of %.0f entries; the "
			"limit assumes that they are large enough.",
			rob, scheduler);
	else if (timeline->differs)
		words_add(&words, "The run has a reorder buffer and a scheduler; the limit assumes "
				  "that they are large enough.");
	else if (pace->restart > 0)
		words_add(&words, "A new chain begins every %s iterations.",
			words_number(pace->restart).text);
	else if (pace->miss > 0)
		words_add(&words, "Each load of the chain waits %s cycles more: %s.",
			words_number(pace->miss).text, name);
	else if (holder == HOLDS_FRONT)
		words_add(&words, "The run renames at the predicted rate: %s.", name);
	else if (limit_rows[by->kind].resource == RESOURCE_MEMORY)
		words_add(&words, "Loads and stores pass at the predicted rate: %s.", name);
	snprintf(timeline->note, sizeof(timeline->note), "%s", words.text);
}

void timeline_make(const struct explanation *explanation, struct timeline *timeline)
{
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	struct tally tally = { .loop = loop,
		.uarch = limits->uarch,
		.turns = limits->turns,
		.elements = limits->elements };
	struct pipeline *pipeline;
	struct run run;
	const struct limit *by;

	timeline->known = false;
	timeline->row_count = timeline->op_count = 0;
	if (loop->path_count == 0 || !limits->uarch) {
		refuse(timeline, "the loop has no decoded instructions");
		return;
	}
	if (!uarch_known(limits->uarch->width) || limits->predicted_by < 0) {
		refuse(timeline, "the core model does not state the rename width");
		return;
	}
	by = &limits->limit[limits->predicted_by];
	pipeline = memory_new(1, sizeof(*pipeline));
	tally_open(&tally);
	find_run(&tally, limits, pipeline, &run);
	timeline->known = pipeline->cycles > 0;
	timeline->by = by->kind;
	timeline->cycles = pipeline->cycles / limits->turns;
	timeline->predicted = by->cycles / limits->turns;
	timeline->elements = limits->elements / limits->turns;
	timeline->differs = fabs(pipeline->cycles / by->cycles - 1) > EQUAL;
	describe(&tally, by, &run.pace, timeline);
	if (timeline->known)
		add_rows(pipeline, limits, timeline);
	else
		refuse(timeline, "the simulated pipeline reached no steady state");
	pipeline_close(pipeline);
	tally_close(&tally);
	free(pipeline);
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->row);
	free(timeline->op);
	*timeline = (struct timeline){ .known = false };
}

/* ---- Letters */

char timeline_port(int port)
{
	static const char letters[] = "0123456789abcdfghijklmnopqrstuvwxyz";

	return port >= 0 && port < (int)sizeof(letters) - 1 ? letters[port] : '?';
}

char timeline_letter(
	const struct timeline *timeline, const struct timeline_row *row, double from, double cycles)
{
	const double tiny = 1e-6, end = from + cycles - tiny;
	char letter = ' ';

	from -= tiny;
	if (row->kind == TIMELINE_FUSED || row->kind == TIMELINE_UNKNOWN)
		return ' ';
	if (row->renamed >= from && row->renamed < end)
		letter = 'D';
	for (int i = 0; i < row->op_count; i++) {
		const struct timeline_op *op = &timeline->op[row->op + i];

		if (op->start >= from && op->start < end)
			return timeline_port(op->port);
		if (op->start < from && op->end > from + 2 * tiny && letter == ' ')
			letter = 'e';
	}
	if (letter != ' ')
		return letter;
	if (floor(row->retired) >= from && floor(row->retired) < end)
		return 'R';
	if (from >= row->renamed && from < row->retired)
		return from + 2 * tiny < row->done ? '=' : '-';
	return ' ';
}
