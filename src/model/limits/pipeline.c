/* Simulates a loop in an idealised pipeline. The pipeline renames a limited number of slots per
 * cycle, and binds each micro-op to a port at rename. Each port of the simulated pipeline executes
 * its oldest ready micro-op first. In the simulated pipeline, a limited number of micro-ops is in
 * flight.
 *
 * The port limit assumes the best assignment of micro-ops to ports. Some cores choose the port at
 * rename, before they know when each micro-op will be ready, so their choice can be worse. The rule
 * for choosing ports comes from Abel & Reineke, who found the rule in Intel cores ("uiCA", 2022).
 * The rule for choosing ports takes the port with the fewest waiting micro-ops, as counted in the
 * previous cycle. For every second slot of a cycle, the rule for choosing ports takes the second
 * best port. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "model/graph/deps.h"

/* Size of a simulation: OPERATIONS is about the number of simulated nodes, and a round is one pass
 * over the path. A simulation of the pipeline reaches a steady state, and needs about a
 * millisecond. */
enum {
	OPERATIONS = 5000,
	ROUNDS_LEAST = 6,
	ROUNDS_MOST = 400,
	QUEUE = 512,
	TERMS = 2 * UARCH_TERMS
};
/* Entries of the reorder buffer and of the scheduler, if the core's file does not state them. */
enum { ROB_UNKNOWN = 224, SCHEDULER_UNKNOWN = 97 };
/* The second best port is chosen only if its queue has fewer than SECOND_BEST micro-ops more than
 * that of the best port. */
enum { SECOND_BEST = 3 };
/* Two times in the simulation count as equal if they differ by less than SAME_TIME cycles. */
static const double SAME_TIME = 1e-3;
/* A port does not count as free in a cycle if it becomes free less than SLIVER cycles before the
 * end of the cycle. */
static const double SLIVER = 1e-6;

/* The work of one node of the dependence graph: its micro-ops, and the possible ports of each
 * micro-op. */
struct work {
	int count;
	int first_out; /* index of the first edge of the graph from the node; -1: the node has no
			  edge */
	bool apart;    /* the node's micro-ops are independent: they wait for no instruction, and no
			  instruction waits for them */
	bool early;  /* the node is a store: its value can be forwarded before the store is executed
		      */
	bool linked; /* the node is a load that has the value of a store as soon as the store has
			it, even if the load is executed late */
	struct {
		uint32_t ports;
		float cycles;
		bool load;
	} op[TERMS];
};

/* The state of one node of the graph in one round of the simulation, which is one pass over the
 * path. */
struct instance {
	uint8_t port[TERMS]; /* port to which each micro-op of the node is bound */
	int waits;	     /* number of producers of the node's inputs that have not started */
	int stores;    /* of the producers counted in `waits`, the number of stores that supply a
			  load's value; the load may be executed before these stores */
	double stored; /* cycle from which the load can have its value from a store */
	int left;      /* number of the node's micro-ops that have not started */
	double ready, start;
	bool renamed;
	double renamed_at;
};

/* A micro-op that waits in the queue of a port. */
struct waiting {
	int instance;
	float cycles;
};

struct pipeline {
	const struct tally *tally;
	const struct loop *loop;
	struct deps_graph graph;
	struct work *work; /* work of each node of the graph */
	int *next_out; /* index of the next edge from the same node, for each edge; -1: there is no
			  further edge */
	struct step {
		int first;    /* index of the first graph node of a step of the path */
		double slots; /* rename slots of the step (instruction); 0 for the second half of a
				 fused pair */
	} * step; /* one entry for each step of the path, and one more entry at the end */
	struct instance *instance;
	int rounds;
	double now;
	double free_at[UARCH_PORTS];
	double look_at[UARCH_PORTS]; /* cycle before which no micro-op in the queue of the port is
					ready */
	uint32_t awake; /* set of ports, one bit for each, whose queue must be checked at a known
			   time (look_at) */
	int count[UARCH_PORTS]; /* number of micro-ops in the queue of each port */
	int known[UARCH_PORTS]; /* number of micro-ops in the queue of each port whose inputs have
				   known times */
	struct waiting queue[UARCH_PORTS]
			    [QUEUE]; /* micro-ops that wait for each port, oldest first */
	int waiting, scheduler;
};

/* ---- The work of each node of the dependence graph */

static void add_terms(struct work *work, const struct uarch_class *class, bool load)
{
	for (int i = 0; class && class->executes && i < class->term_count; i++) {
		int count = (int)lrint(class->term[i].count);

		for (int k = 0; k < count && class->term[i].ports && work->count < TERMS; k++) {
			work->op[work->count].ports = class->term[i].ports;
			work->op[work->count].cycles = class->term[i].cycles;
			work->op[work->count++].load = load;
		}
	}
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
	if (times->second > 0)
		return;
	if (times->first > 0 && operation) {
		bool taken = node->step + 1 >= loop->path_count || step[1].taken || !loop->stepped;

		add_terms(work, taken && fact[1].taken ? fact[1].taken : fact[1].op, false);
	} else if (fact->eliminated && operation) {
		if (times->materialised > times->times / 2)
			add_terms(work, uarch_find(tally->uarch, "alu", insn->width), false);
		work->apart = true;
	} else if (operation && insn->flow == FLOW_BRANCH && fact->taken &&
		   (step->taken || !loop->stepped)) {
		add_terms(work, fact->taken, false);
	} else {
		if (node->part == PART_LOAD && insn->memory_count > 0 &&
			insn->memory[0].accesses > 1)
			accesses = insn->memory[0].accesses;
		for (int k = 0; k < accesses; k++)
			add_terms(work, node->class, node->part == PART_LOAD);
	}
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
		pipeline->step[s].slots =
			insn->second > 0 || insn->joins ? 0 : tally->facts[number].slots;
	}
}

/* ---- The simulation */

/* sooner() and later() are like fmin() and fmax() without handling of NAN. The compiler can inline
 * sooner() and later(). */
static double sooner(double a, double b)
{
	return a < b ? a : b;
}

static double later(double a, double b)
{
	return a > b ? a : b;
}

static void started(struct pipeline *pipeline, int number);

/* Starts a node if all its producers have started. The start time is `ready`, or the time when the
 * store has the value, if that time is later. */
static void start(struct pipeline *pipeline, int number, double ready)
{
	struct instance *instance = &pipeline->instance[number];

	if (instance->waits > 0 || instance->start >= 0)
		return;
	instance->start = instance->stored > -INFINITY &&
					  pipeline->work[number % pipeline->graph.node_count].linked
				  ? instance->stored
				  : later(instance->stored, ready);
	started(pipeline, number);
}

/* Starts a node that has no micro-op left to execute, or a store that can forward its value early.
 * A node is not started here if it is not renamed yet or waits for a producer. */
static void start_idle(struct pipeline *pipeline, int number)
{
	const struct instance *instance = &pipeline->instance[number];

	if (instance->renamed &&
		(instance->left == 0 || pipeline->work[number % pipeline->graph.node_count].early))
		start(pipeline, number, later(instance->ready, instance->renamed_at));
}

/* Whether all producers have started whose results a node's instance needs; an instance is the node
 * in one round. If all producers have started, instance->ready is final. */
static bool inputs_are_known(const struct instance *instance)
{
	return instance->waits - instance->stores <= 0;
}

/* Makes the ports that can execute an instance's micro-ops check their queues at the time when the
 * instance is ready. */
static void wake_ports(struct pipeline *pipeline, int number)
{
	const struct work *work = &pipeline->work[number % pipeline->graph.node_count];
	const struct instance *instance = &pipeline->instance[number];

	for (int i = 0; i < work->count; i++) {
		int p = instance->port[i];

		pipeline->known[p]++;
		pipeline->look_at[p] =
			sooner(pipeline->look_at[p], work->apart ? -INFINITY : instance->ready);
		pipeline->awake |= UINT32_C(1) << p;
	}
}

/* Reports the start time of a node's instance to the nodes that use its result. */
static void started(struct pipeline *pipeline, int number)
{
	const struct deps_graph *graph = &pipeline->graph;
	int node = number % graph->node_count, round = number / graph->node_count;

	for (int k = pipeline->work[node].first_out; k >= 0; k = pipeline->next_out[k]) {
		const struct deps_edge *edge = &graph->edge[k];
		struct instance *instance;
		double after = pipeline->instance[number].start + edge->weight;
		int to;

		if (round + edge->distance >= pipeline->rounds)
			continue;
		to = (round + edge->distance) * graph->node_count + edge->to;
		instance = &pipeline->instance[to];
		instance->waits--;
		if (edge->memory) {
			instance->stores--;
			instance->stored = later(instance->stored, after);
		} else {
			instance->ready = later(instance->ready, after);
			if (instance->renamed && inputs_are_known(instance) &&
				!pipeline->work[edge->to].apart)
				wake_ports(pipeline, to);
		}
		if (instance->waits == 0)
			start_idle(pipeline, to);
	}
}

/* Runs the oldest ready micro-op of a port. Returns false if no micro-op is ready; look_at is then
 * the time when the next micro-op is ready. */
static bool execute_one(struct pipeline *pipeline, int port)
{
	struct waiting *queue = pipeline->queue[port];
	double look_at = INFINITY;
	int left = pipeline->known[port];

	for (int i = 0; left > 0 && i < pipeline->count[port]; i++) {
		int number = queue[i].instance;
		struct instance *instance = number >= 0 ? &pipeline->instance[number] : NULL;

		if (instance && !inputs_are_known(instance))
			continue;
		left--;
		if (instance && instance->ready > pipeline->now + SAME_TIME) {
			look_at = sooner(look_at, instance->ready);
			continue;
		}
		pipeline->free_at[port] = later(pipeline->free_at[port], pipeline->now);
		pipeline->free_at[port] += (double)queue[i].cycles;
		pipeline->known[port]--;
		pipeline->count[port]--;
		memmove(&queue[i], &queue[i + 1],
			(size_t)(pipeline->count[port] - i) * sizeof(*queue));
		pipeline->waiting--;
		if (instance && --instance->left == 0) {
			instance->ready = pipeline->now;
			start(pipeline, number, pipeline->now);
		}
		return true;
	}
	pipeline->look_at[port] = look_at;
	if (look_at == INFINITY)
		pipeline->awake &= ~(UINT32_C(1) << port);
	return false;
}

/* Runs the micro-ops of one cycle on each port. A port runs one micro-op per cycle, or several
 * micro-ops if each needs less than a cycle. */
static void execute(struct pipeline *pipeline)
{
	double soon = pipeline->now + SAME_TIME, end = pipeline->now + 1 - SLIVER;
	int p;

	/* If a micro-op wakes a port with a higher number, the woken port still runs in the same
	 * cycle. */
	for (uint32_t left = pipeline->awake; left; left = pipeline->awake >> (p + 1) << (p + 1)) {
		p = ffs((int)left) - 1;
		while (pipeline->look_at[p] <= soon && pipeline->free_at[p] < end &&
			execute_one(pipeline, p))
			;
	}
}

/* Returns the port with the shortest queue; if queues are equal, the port with the highest number.
 * If second is true, returns the port with the second shortest queue, unless that queue is much
 * longer. */
static int choose(const int *counts, uint32_t ports, bool second)
{
	int best = -1, next = -1;

	for (int p = UARCH_PORTS - 1; p >= 0; p--) {
		if (!(ports >> p & 1))
			continue;
		if (best < 0 || counts[p] < counts[best]) {
			next = best;
			best = p;
		} else if (next < 0 || counts[p] < counts[next]) {
			next = p;
		}
	}
	return second && next >= 0 && counts[next] - counts[best] < SECOND_BEST ? next : best;
}

/* Binds the micro-ops of a graph node to execution ports. Returns false if the scheduler has too
 * few free entries for the node's micro-ops. */
static bool bind(struct pipeline *pipeline, int number, int *counts, int *loads, int slot)
{
	const struct work *work = &pipeline->work[number % pipeline->graph.node_count];
	struct instance *instance = &pipeline->instance[number];

	if (pipeline->waiting + work->count > pipeline->scheduler)
		return false;
	instance->renamed = true;
	instance->renamed_at = pipeline->now + 1;
	instance->left = work->apart ? 0 : work->count;
	instance->ready = later(instance->ready, pipeline->now + 1);
	for (int i = 0; i < work->count; i++) {
		int p = choose(work->op[i].load ? loads : counts, work->op[i].ports,
			!work->op[i].load && slot % 2 == 1);

		if (work->op[i].load)
			loads[p]++;
		if (pipeline->count[p] < QUEUE)
			pipeline->queue[p][pipeline->count[p]++] =
				(struct waiting){ work->apart ? -1 : number, work->op[i].cycles };
		instance->port[i] = (uint8_t)p;
		pipeline->waiting++;
	}
	if (work->apart || inputs_are_known(instance))
		wake_ports(pipeline, number);
	start_idle(pipeline, number);
	return true;
}

/* Returns the time when all micro-ops of a step of the path have started. Returns INFINITY if the
 * start time of some micro-op is not known yet. */
static double step_start(const struct pipeline *pipeline, int number)
{
	int steps = pipeline->loop->path_count, step = number % steps;
	int round = number / steps * pipeline->graph.node_count;
	double last = -INFINITY;

	for (int n = pipeline->step[step].first; n < pipeline->step[step + 1].first; n++) {
		double start = pipeline->instance[round + n].start;

		if (start < 0)
			return INFINITY;
		last = later(last, start);
	}
	return last;
}

/* Returns the next cycle in which a port may run a micro-op, or in which a step may retire (at time
 * `retires`). Because of rounding, the returned cycle may be too early, but never too late. */
static double next_event(const struct pipeline *pipeline, double retires)
{
	double next = retires;

	for (uint32_t left = pipeline->awake; left; left &= left - 1) {
		int p = ffs((int)left) - 1;
		double ready = pipeline->look_at[p] - 2 * SAME_TIME;

		next = sooner(next, later(ready, pipeline->free_at[p] - 1 + SLIVER / 2));
	}
	return later(ceil(next), pipeline->now + 1);
}

static double run(struct pipeline *pipeline)
{
	const struct uarch *uarch = pipeline->tally->uarch;
	const struct loop *loop = pipeline->loop;
	double rob = uarch_known(uarch->fact[SIZE_ROB]) ? uarch->fact[SIZE_ROB] : ROB_UNKNOWN,
	       width = uarch->width, credit = 0, from = 0, done = 0;
	int nodes = pipeline->graph.node_count, steps = loop->path_count,
	    total = pipeline->rounds * steps;
	int renamed = 0, retired = 0, warm = pipeline->rounds / 3, ports = uarch_port_count(uarch);
	double in_flight = 0, most = total * 64.0 + 4096;

	while (retired < total && pipeline->now < most) {
		int counts[UARCH_PORTS], loads[UARCH_PORTS], slot = 0;
		bool full = renamed == total;

		/* The steps (instructions) of the path retire in order, after all their micro-ops
		 * have started. The execution time of the micro-ops is ignored, because it affects
		 * only the reorder buffer, which is large. */
		while (retired < renamed && step_start(pipeline, retired) <= pipeline->now) {
			in_flight -= pipeline->step[retired++ % steps].slots;
			if (retired == warm * steps)
				from = pipeline->now;
			if (retired == total)
				done = pipeline->now;
		}
		execute(pipeline);
		for (int p = 0; p < ports; p++)
			counts[p] = loads[p] = pipeline->count[p];
		credit = sooner(credit + width, width);
		while (renamed < total && credit > 0 && !full) {
			int first = renamed / steps * nodes;
			const struct step *step = &pipeline->step[renamed % steps];
			double slots = step->slots;

			if (slots > credit + 1e-9 && slots <= width)
				break;
			full = in_flight + slots > rob;
			for (int n = first + step->first; n < first + step[1].first && !full; n++)
				full = !pipeline->instance[n].renamed &&
				       !bind(pipeline, n, counts, loads, slot);
			if (full)
				break;
			credit -= slots;
			in_flight += slots;
			slot += (int)slots;
			renamed++;
		}
		/* If rename stalls, nothing changes until a micro-op runs or a step retires, so the
		 * cycles until then are skipped. */
		if (full)
			pipeline->now = next_event(pipeline,
				retired < renamed ? step_start(pipeline, retired) : INFINITY);
		else
			pipeline->now++;
	}
	return retired == total && pipeline->rounds > warm
		       ? (done - from) / (pipeline->rounds - warm)
		       : 0;
}

/* Prepares the nodes, the edges from each node, and each node's instance in each round. */
static void prepare(struct pipeline *pipeline)
{
	const struct deps_graph *graph = &pipeline->graph;
	int instances = pipeline->rounds * graph->node_count;

	for (int i = 0; i < instances; i++)
		pipeline->instance[i] = (struct instance){ .start = -1, .stored = -INFINITY };
	for (int i = 0; i < graph->node_count; i++)
		prepare_node(pipeline, i);
	index_steps(pipeline);
	for (int i = graph->edge_count - 1; i >= 0; i--) {
		const struct deps_edge *edge = &graph->edge[i];

		pipeline->next_out[i] = pipeline->work[edge->from].first_out;
		pipeline->work[edge->from].first_out = i;
		pipeline->work[edge->to].linked |= edge->memory && edge->weight < 0;
		for (int r = edge->distance; r < pipeline->rounds; r++) {
			struct instance *to = &pipeline->instance[r * graph->node_count + edge->to];

			to->waits++;
			to->stores += edge->memory;
		}
	}
}

double pipeline_run(const struct tally *tally)
{
	const struct loop *loop = tally->loop;
	struct pipeline *pipeline = memory_new(1, sizeof(*pipeline));
	struct deps_graph *graph = &pipeline->graph;
	double cycles = 0, scheduler = tally->uarch->fact[SIZE_SCHEDULER];

	if (loop->path_count > 0 && uarch_known(tally->uarch->width))
		deps_graph(loop, tally->uarch, tally->facts, graph);
	if (graph->node_count > 0) {
		size_t nodes = (size_t)graph->node_count;
		double rounds = OPERATIONS / graph->node_count;

		pipeline->tally = tally;
		pipeline->loop = loop;
		pipeline->scheduler = uarch_known(scheduler) ? (int)scheduler : SCHEDULER_UNKNOWN;
		pipeline->rounds = (int)fmin(fmax(rounds, ROUNDS_LEAST), ROUNDS_MOST);
		pipeline->work = memory_new(nodes, sizeof(*pipeline->work));
		pipeline->next_out = memory_new((size_t)graph->edge_count + 1, sizeof(int));
		pipeline->step = memory_new((size_t)loop->path_count + 1, sizeof(*pipeline->step));
		pipeline->instance =
			memory_new((size_t)pipeline->rounds * nodes, sizeof(*pipeline->instance));
		prepare(pipeline);
		cycles = run(pipeline);
		free(pipeline->work);
		free(pipeline->next_out);
		free(pipeline->step);
		free(pipeline->instance);
	}
	deps_graph_free(graph);
	free(pipeline);
	return cycles;
}
