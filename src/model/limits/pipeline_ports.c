/* Chooses ports for the micro-ops of the simulated pipeline, and executes micro-ops on their ports.
 */
#include "model/limits/pipeline.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* A port is chosen in place of the best one only if its queue has fewer than SECOND_BEST micro-ops
 * more (BINDS), or fewer than IN_TURN (BINDS_IN_TURN). */
enum { SECOND_BEST = 3, IN_TURN = 4 };

static void started(struct pipeline *pipeline, int number);

/* Starts a node (a load, operation or store) if all its producers have started. The start time is
 * `ready`, or the time when the store has the value, if that time is later. The start time must not
 * be negative, because a negative time means that the node has not started. */
static void start(struct pipeline *pipeline, int number, double ready)
{
	struct instance *instance = &pipeline->instance[number];

	if (instance->waits > 0 || instance->start >= 0)
		return;
	instance->start = instance->stored > -INFINITY &&
					  pipeline->work[number % pipeline->graph.node_count].linked
				  ? later(instance->stored, 0)
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

/* Lets the ports that can execute an instance's micro-ops check their queues: for those that wait
 * for no instruction (`apart`) at once, for the others in the cycle when its inputs are available.
 */
static void wake_ports(struct pipeline *pipeline, int number, bool apart)
{
	const struct work *work = &pipeline->work[number % pipeline->graph.node_count];
	const struct instance *instance = &pipeline->instance[number];

	for (int i = apart ? 0 : work->apart; i < (apart ? work->apart : work->count); i++) {
		int p = instance->port[i];

		pipeline->known[p]++;
		pipeline->look_at[p] =
			sooner(pipeline->look_at[p], apart ? -INFINITY : instance->ready);
		pipeline->awake |= UINT32_C(1) << p;
	}
}

/* The cycles that a result takes longer because an operand crossed to the port that executes the
 * node. The weights of the edges contain them if all ports of the node are such ports. */
static double crossing(const struct pipeline *pipeline, int number)
{
	const struct uarch *uarch = pipeline->tally->uarch;
	int node = number % pipeline->graph.node_count;
	const struct work *work = &pipeline->work[node];

	return pipeline->graph.node[node].crossed && !pipeline->rules->ideal && work->count == 1 &&
			       (work->op[0].ports & ~uarch->crossing_ports) &&
			       uarch->crossing_ports >> pipeline->instance[number].port[0] & 1
		       ? uarch->crossing
		       : 0;
}

/* Passes the start time of an instance (a node in one round) to the nodes that use its result. */
static void started(struct pipeline *pipeline, int number)
{
	const struct deps_graph *graph = &pipeline->graph;
	int node = number % graph->node_count, round = number / graph->node_count;
	double begun = pipeline->instance[number].start, crossed = crossing(pipeline, number);

	for (int k = pipeline->work[node].first_out; k >= 0; k = pipeline->next_out[k]) {
		const struct deps_edge *edge = &graph->edge[k];
		struct instance *instance;
		double after = begun + edge->weight + (edge->memory ? 0 : crossed);
		int to;

		if (round + edge->distance >= pipeline->rounds ||
			pipeline_begins_anew(pipeline, k, round + edge->distance))
			continue;
		to = (round + edge->distance) * graph->node_count + edge->to;
		instance = &pipeline->instance[to];
		instance->waits--;
		if (edge->memory) {
			instance->stores--;
			instance->stored = later(instance->stored, after);
		} else {
			if (after > instance->ready)
				instance->cause = number;
			instance->ready = later(instance->ready, after);
			if (instance->renamed && inputs_are_known(instance))
				wake_ports(pipeline, to, false);
		}
		if (instance->waits == 0)
			start_idle(pipeline, to);
	}
}

/* Returns the time from which a waiting micro-op may pass all its gates; a gate models a limited
 * rate, such as loads per cycle. */
static double gates_open(const struct pipeline *pipeline, unsigned gates)
{
	double open = -INFINITY;

	for (int i = 0; gates; i++, gates >>= 1)
		if (gates & 1)
			open = later(open, pipeline->gate_at[i]);
	return open;
}

/* Returns the time at which a waiting micro-op can begin. The time of a micro-op without known
 * inputs is INFINITY. */
static double begins(const struct pipeline *pipeline, const struct waiting *waiting)
{
	const struct instance *instance = &pipeline->instance[waiting->instance];
	const struct pool *pool = &pipeline->pool[waiting->pool];
	double ready = -INFINITY, open = -INFINITY;

	if (!waiting->apart && !inputs_are_known(instance))
		return INFINITY;
	if (waiting->number >= pool->freed + pool->entries)
		return INFINITY;
	if (!waiting->apart)
		ready = instance->ready;
	if (waiting->gates)
		open = gates_open(pipeline, waiting->gates);
	/* If a gate (a rate such as loads per cycle) opens during the current cycle, the micro-op
	 * may still begin in this cycle. */
	if (open < pipeline->now + 1 - PIPELINE_SLIVER)
		open = -INFINITY;
	ready = later(ready, open);
	/* The small bias of loop counters (deps.c) must not make an operation begin a cycle
	 * earlier. */
	return ceil(ready) - ready < PIPELINE_SAME ? ceil(ready) : ready;
}

/* A result that comes at least so many cycles after the start of its operation (a multiplication)
 * keeps the port from an operation of one cycle whose result would come in the same cycle. Measured
 * on Golden Cove: a carried multiplication and three exchanges of bytes, all on one port, take 5
 * cycles, and 4 if the multiplication waits for no other one and so fills the gaps. Results after
 * two cycles (sums of three for an address) keep no port from others. */
enum { LATE_FROM = 3 };

/* Whether a late result of the port comes in the same cycle as that of a waiting micro-op. */
static bool is_blocked(const struct pipeline *pipeline, int port, const struct waiting *op)
{
	int cycle = (int)pipeline->now + 1;

	return pipeline->work[op->instance % pipeline->graph.node_count].result == 1 &&
	       pipeline->result_at[port][cycle % PIPELINE_RESULTS] == cycle;
}

/* Whether the port passes over a ready micro-op once, for the next one. Two chains on one port may
 * hinder each other in each round, or fall into step and never meet again: a processor, which
 * interrupts and misses disturb, is soon in step. Without disturbances, the simulation of 240 loops
 * of random integer operations on Golden Cove has a mean error of 2.1 %, and with them 1.8 %. */
static bool passes_over(struct pipeline *pipeline)
{
	enum { ONE_IN = 64 };

	if (pipeline->settled || pipeline->binds != BINDS_IN_TURN)
		return false;
	pipeline->random = pipeline->random * 1103515245 + 12345;
	return (pipeline->random >> 16) % ONE_IN == 0;
}

/* Lets the port `port` execute a micro-op that waits in the queue of the port `from`. */
static void begin(struct pipeline *pipeline, int from, int index, int port)
{
	struct waiting *queue = pipeline->queue[from], op = queue[index];
	struct instance *instance = &pipeline->instance[op.instance];
	double at = later(pipeline->free_at[port], pipeline->now);
	int late;

	if (pipeline->rules->ideal)
		at = later(at, begins(pipeline, &op));
	pipeline->free_at[port] = at + (double)op.cycles;
	late = pipeline->work[op.instance % pipeline->graph.node_count].result;
	if (late >= LATE_FROM)
		pipeline->result_at[port][((int)pipeline->now + late) % PIPELINE_RESULTS] =
			(int)pipeline->now + late;
	for (int i = 0; op.gates; i++, op.gates >>= 1)
		if (op.gates & 1)
			pipeline->gate_at[i] =
				later(pipeline->gate_at[i],
					pipeline->now - pipeline->rules->gate[i].slack) +
				pipeline->rules->gate[i].cycles;
	pipeline->known[from]--;
	pipeline->count[from]--;
	memmove(&queue[index], &queue[index + 1],
		(size_t)(pipeline->count[from] - index) * sizeof(*queue));
	pipeline_leave(pipeline, &op);
	instance->begun[op.op] = (float)(at - instance->renamed_at);
	if (op.apart)
		return;
	instance->latest = later(instance->latest, pipeline->rules->ideal ? at : pipeline->now);
	if (--instance->left == 0) {
		instance->arrived = instance->ready;
		instance->ready = later(instance->ready,
			instance->latest -
				pipeline->work[op.instance % pipeline->graph.node_count].serial);
		start(pipeline, op.instance, instance->ready);
	}
}

/* Lets a port execute the oldest ready micro-op of its queue. In a simulation with ideal
 * ports, times are fractions of a cycle, and the port takes the micro-op that can begin earliest.
 * Returns false if no micro-op is ready; look_at is then the time when the next micro-op is ready.
 */
static bool execute_one(struct pipeline *pipeline, int port)
{
	const struct waiting *queue = pipeline->queue[port];
	bool ideal = pipeline->rules->ideal;
	double look_at = INFINITY, soonest = INFINITY,
	       soon = pipeline->now + (ideal ? 1 - PIPELINE_SLIVER : PIPELINE_SAME),
	       free_at = later(pipeline->free_at[port], pipeline->now);
	int left = pipeline->known[port], best = -1, passed = -1;
	bool urgent = false;

	for (int i = 0;
		left > 0 && i < pipeline->count[port] && (soonest > free_at || (ideal && !urgent));
		i++) {
		double at = begins(pipeline, &queue[i]);

		if (at == INFINITY)
			continue;
		left--;
		if (!ideal && at <= soon && is_blocked(pipeline, port, &queue[i]))
			at = pipeline->now + 1;
		if (at > soon) {
			look_at = sooner(look_at, at);
		} else if (!ideal && passed < 0 && passes_over(pipeline)) {
			passed = i;
		} else if (later(at, free_at) < soonest - PIPELINE_SAME) {
			best = i;
			soonest = ideal ? later(at, free_at) : free_at;
			urgent = queue[i].urgent;
		}
		if (ideal && !urgent && queue[i].urgent &&
			later(at, free_at) < soonest + PIPELINE_SAME) {
			best = i;
			urgent = true;
			soonest = later(at, free_at);
		}
	}
	best = best < 0 ? passed : best;
	if (best >= 0) {
		begin(pipeline, port, best, port);
		return true;
	}
	pipeline->look_at[port] = look_at;
	if (look_at == INFINITY)
		pipeline->awake &= ~(UINT32_C(1) << port);
	return false;
}

/* Returns the next ready micro-op in a port's queue, starting at the index *index, and moves *index
 * past it. NULL: there is none. */
static const struct waiting *next_ready(const struct pipeline *pipeline, int port, int *index)
{
	double soon = pipeline->now + 1 - PIPELINE_SLIVER;

	if (pipeline->look_at[port] > soon)
		return NULL;
	for (; *index < pipeline->count[port]; ++*index)
		if (begins(pipeline, &pipeline->queue[port][*index]) <= soon)
			return &pipeline->queue[port][(*index)++];
	return NULL;
}

static uint32_t ports_of(const struct pipeline *pipeline, const struct waiting *op)
{
	return pipeline->work[op->instance % pipeline->graph.node_count].op[op->op].ports;
}

/* Returns the ports that could execute a ready micro-op. */
static uint32_t wanted_ports(const struct pipeline *pipeline)
{
	uint32_t wanted = 0;

	for (uint32_t left = pipeline->awake; left; left &= left - 1) {
		int port = ffs((int)left) - 1, index = 0;

		for (const struct waiting *op; (op = next_ready(pipeline, port, &index));)
			wanted |= ports_of(pipeline, op);
	}
	return wanted;
}

/* Lets an idle port execute the oldest ready micro-op that it can take from the queue of another
 * port. Returns false if no other queue has a suitable micro-op. In a simulation with ideal ports,
 * no port that could work is therefore idle. */
static bool take_over(struct pipeline *pipeline, int port)
{
	int oldest = INT_MAX, from = -1, place = -1;

	for (uint32_t left = pipeline->awake; left; left &= left - 1) {
		int p = ffs((int)left) - 1, index = 0;

		for (const struct waiting *op; (op = next_ready(pipeline, p, &index));)
			if (ports_of(pipeline, op) >> port & 1) {
				if (op->instance < oldest) {
					oldest = op->instance;
					from = p;
					place = index - 1;
				}
				break;
			}
	}
	if (from < 0)
		return false;
	pipeline->instance[oldest].port[pipeline->queue[from][place].op] = (uint8_t)port;
	begin(pipeline, from, place, port);
	return true;
}

/* Returns the port that is simulated next in this cycle, out of the ports `left`: the lowest one.
 * If the core limits how many micro-ops of several ports begin in a cycle (gates), returns the port
 * with the oldest micro-op, because otherwise the micro-ops of the highest ports would wait until
 * all others have begun. */
static int next_port(const struct pipeline *pipeline, uint32_t left)
{
	int first = ffs((int)left) - 1;

	for (left = pipeline->rules->gate_count ? left : 0; left; left &= left - 1) {
		int p = ffs((int)left) - 1;

		if (pipeline->count[p] > 0 &&
			(pipeline->count[first] == 0 || pipeline->queue[p][0].instance <
								pipeline->queue[first][0].instance))
			first = p;
	}
	return first;
}

void pipeline_execute(struct pipeline *pipeline)
{
	double end = pipeline->now + 1 - PIPELINE_SLIVER,
	       soon = pipeline->rules->ideal ? end : pipeline->now + PIPELINE_SAME;
	uint32_t done = 0;
	int p;

	/* If a micro-op makes another micro-op ready on a port that is simulated later in this
	 * cycle, that port still runs in the same cycle. */
	for (uint32_t left; (left = pipeline->awake & ~done);) {
		p = next_port(pipeline, left);
		done |= pipeline->rules->gate_count ? UINT32_C(1) << p : (UINT32_C(2) << p) - 1;
		while (pipeline->look_at[p] <= soon && pipeline->free_at[p] < end &&
			execute_one(pipeline, p))
			;
	}
	for (uint32_t left = pipeline->rules->ideal ? wanted_ports(pipeline) : 0; left;
		left &= left - 1) {
		p = ffs((int)left) - 1;
		while (pipeline->free_at[p] < end && take_over(pipeline, p))
			;
	}
}

/* Returns the port with the place `rank` among the ports by length of queue; 0: the shortest queue.
 * Of equal queues, the one of the port with the highest number comes first. If that queue is by
 * `longer` micro-ops longer than the shortest, returns the port with the longest queue that is not.
 */
static int choose(const int *counts, uint32_t ports, int rank, int longer)
{
	int port[UARCH_PORTS], count = 0;

	for (int p = UARCH_PORTS - 1; p >= 0; p--) {
		int i = count;

		if (!(ports >> p & 1))
			continue;
		for (; i > 0 && counts[port[i - 1]] > counts[p]; i--)
			port[i] = port[i - 1];
		port[i] = p;
		count++;
	}
	rank %= count;
	while (rank > 0 && counts[port[rank]] - counts[port[0]] >= longer)
		rank--;
	return port[rank];
}

/* Chooses a port for an integer or vector micro-op in a rename slot. */
static int choose_by_rule(
	const struct pipeline *pipeline, const int *counts, uint32_t ports, int slot)
{
	switch (pipeline->binds) {
	case BINDS_KNOWING: return choose(counts, ports, 0, 1);
	case BINDS_IN_TURN: return choose(counts, ports, slot, IN_TURN);
	default: return choose(counts, ports, slot % 2, SECOND_BEST);
	}
}

/* Returns the port of the set with the least work so far. In the long run, each port then has the
 * pressure that ports_balance() computes. */
static int choose_least(const double *work, uint32_t ports)
{
	int best = ffs((int)ports) - 1;

	for (uint32_t left = ports; left; left &= left - 1) {
		int p = ffs((int)left) - 1;

		best = work[p] < work[best] - PIPELINE_SAME ? p : best;
	}
	return best;
}

bool pipeline_bind(struct pipeline *pipeline, int number, int *counts, int *loads, int slot)
{
	const struct work *work = &pipeline->work[number % pipeline->graph.node_count];
	struct instance *instance = &pipeline->instance[number];
	struct pool *pool = &pipeline->pool[work->pool];

	if (!pipeline_has_entries(pipeline, work))
		return false;
	instance->renamed = true;
	instance->renamed_at = pipeline->now + 1;
	instance->left = work->count - work->apart;
	instance->ready = later(instance->ready, pipeline->now + 1);
	for (int i = 0; i < work->count; i++) {
		int p = pipeline->rules->ideal ? choose_least(pipeline->given, work->op[i].ports)
			: work->op[i].load
				? choose(loads, work->op[i].ports, 0, 1)
				: choose_by_rule(pipeline, counts, work->op[i].ports, slot);

		if (work->op[i].load)
			loads[p]++;
		else
			counts[p] += pipeline->binds == BINDS_KNOWING;
		pipeline->given[p] += (double)work->op[i].cycles;
		if (pipeline->count[p] < PIPELINE_QUEUE)
			pipeline->queue[p][pipeline->count[p]++] = (struct waiting){ number,
				work->op[i].cycles, pool->given, (uint8_t)i, i ? 0 : work->gates,
				(uint8_t)work->pool, i < work->apart, work->urgent };
		instance->port[i] = (uint8_t)p;
		pipeline_enter(pipeline, work, i);
	}
	wake_ports(pipeline, number, true);
	if (inputs_are_known(instance))
		wake_ports(pipeline, number, false);
	start_idle(pipeline, number);
	return true;
}
