/* Simulates a loop on a core whose integer scheduler has several parts, and wakes consumers early.
 *
 * Each part of the scheduler has its own ports, and starts its oldest operations that seem ready.
 * An operation seems ready when its producers could have started: the scheduler assumes that an
 * operation starts as soon as its inputs are available. If the producer waits for a port at that
 * time, the consumer takes a cycle of its port in vain, and tries again. The core thus loses cycles
 * of ports if many integer operations compete and depend on each other.
 *
 * Measured on Zen 5 with 60 loops: 24 operations take 4.3 cycles without dependences, and 6.9 if
 * each second operation needs the result of the previous one. With a third of nops, the same pairs
 * take no longer than rename. Three parts explain the loops best (5.5 % mean error; one part 10 %,
 * ports chosen at rename 12 %). The rule that selects consumers before their producers have
 * started is known from Brown, Stark and Patt, "Select-Free Instruction Scheduling Logic", 2001.
 *
 * An operation keeps its entry of the scheduler for some cycles after it has started: the entries
 * that wait are fewer than the scheduler has.
 *
 * Rename binds each vector micro-op to a port: to the one for which the fewest micro-ops wait. Only
 * the oldest vector micro-ops compete for the ports, because further ones wait in a queue in front
 * of the scheduler. Measured on Zen 5 with 60 loops of random vector operations, of 16 to 48
 * instructions: 5.1 % mean error, and 6.2 % with the best ports. */
#include "model/limits/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* ENTRIES: the most entries of the integer scheduler. WAITING: the most micro-ops that wait for
 * other ports. STEPS_RETIRED: the most steps that retire per cycle. HOLD_MOST: more
 * cycles than an entry stays in use after its micro-op has started. */
enum { ENTRIES = 256, WAITING = 1024, STEPS_RETIRED = 16, HOLD_MOST = 16 };

/* A micro-op that waits for a port. */
struct entry {
	int instance, op; /* the instance of its node, and the number of the micro-op in the node */
	int place;	  /* its entry in the integer scheduler; -1: another scheduler */
	int next;	  /* the next entry of the same list of sleepers; -1: none */
	uint32_t ports;	  /* the ports that it can use */
	double ready;	  /* its scheduler selects it from this cycle on, or later */
};

/* The micro-ops of a part that do not sleep, oldest first, as numbers of entries. */
struct queue {
	int entry[ENTRIES + WAITING], count;
};

/* The time at which the inputs of an instance are available, if it is known. */
struct known {
	double time;  /* -1: unknown; INFINITY: unknown until `blocker` starts. With `early`, the
			 true time can be later. */
	double cycle; /* the cycle in which `time` was computed. Without it, long rows of copies
			 take exponential time. */
	int blocker;  /* an instance that has micro-ops and has not started */
};

struct parts {
	struct pipeline *pipeline;
	uint32_t ports;		    /* the ports of the integer scheduler */
	uint32_t part[UARCH_PORTS]; /* the ports of each part */
	int count, entries;	    /* number of parts, number of entries of all parts */
	bool used[ENTRIES]; /* whether an entry is in use; entry e belongs to part e % count */
	int hold, leaving[HOLD_MOST]; /* cycles that an entry stays in use after its micro-op has
					 started; the number of entries that are free again in each
					 of the next cycles: the cycle modulo HOLD_MOST is the
					 index. Their places take other micro-ops at once. */
	int free;		      /* number of entries that are not in use */
	int *first_in;		      /* for each node: its first edge; one more entry at the end */
	/* The micro-ops that wait for a port, and a list of the unused entries. */
	struct entry entry[ENTRIES + WAITING];
	int unused, others;		     /* others: micro-ops that wait for other ports */
	struct queue queue[UARCH_PORTS + 1]; /* of each part; queue[count]: of all other ports */
	/* A micro-op sleeps while an instance that it needs has not started. `sleeper` is the list
	 * of each instance. `woken` are the micro-ops whose instance has started in this cycle. */
	int *sleeper, woken;
	/* For each instance: the time of its last micro-op (negative: not started), the time of its
	 * rename (negative: not renamed), and the number of its micro-ops that have not started. */
	double *start, *renamed;
	int *left;
	struct known *known[2];	  /* for each instance; [1] with `early` */
	double busy[UARCH_PORTS]; /* time until which each port is busy */
	double work[UARCH_PORTS]; /* cycles that each port has executed */
	uint32_t vector_ports;	  /* the ports of vector micro-ops, if rename binds them to ports */
	/* Number of micro-ops bound to each port, and the same number in the previous cycle. */
	int bound[UARCH_PORTS], counted[UARCH_PORTS];
	int vectors, vectors_most; /* sum of `bound`, and its limit */
};

static const struct work *work_of(const struct parts *parts, int instance)
{
	return &parts->pipeline->work[instance % parts->pipeline->graph.node_count];
}

/* Whether the consumers of an instance are selected before the instance has started: it takes one
 * cycle, and waits for an integer port. */
static bool wakes_early(const struct parts *parts, int instance)
{
	const struct deps_graph *graph = &parts->pipeline->graph;

	return !(work_of(parts, instance)->op[0].ports & ~parts->ports) &&
	       graph->node[instance % graph->node_count].latency <= 1;
}

static double inputs(struct parts *parts, int instance, bool early);

/* Returns the time of an instance without micro-ops, which has its result with its inputs. */
static double idle_time(struct parts *parts, int instance, bool early)
{
	double time = inputs(parts, instance, early);

	if (!early && time < INFINITY)
		parts->start[instance] = time;
	return time;
}

/* Returns the time at which an instance starts, as far as it is known. INFINITY: `*blocker` must
 * start first. */
static double start_time(struct parts *parts, int instance, bool early, int *blocker)
{
	double time = parts->start[instance];

	if (time >= 0)
		return time;
	if (work_of(parts, instance)->count == 0) {
		time = idle_time(parts, instance, early);
		*blocker = parts->known[early][instance].blocker;
	} else if (early && wakes_early(parts, instance)) {
		time = inputs(parts, instance, false);
		*blocker = parts->known[false][instance].blocker;
	} else {
		time = INFINITY;
		*blocker = instance;
	}
	return time;
}

/* Computes the time at which all inputs of an instance are available. */
static void find_inputs(struct parts *parts, int instance, bool early)
{
	const struct pipeline *pipeline = parts->pipeline;
	int nodes = pipeline->graph.node_count, node = instance % nodes, round = instance / nodes;
	struct known *known = &parts->known[early][instance];

	known->cycle = pipeline->now;
	known->time = parts->renamed[instance] + 1;
	for (int e = parts->first_in[node]; e < parts->first_in[node + 1] && known->time < INFINITY;
		e++) {
		const struct deps_edge *edge = &pipeline->graph.edge[e];
		int from = (round - edge->distance) * nodes + edge->from;

		if (round >= edge->distance)
			known->time = fmax(known->time,
				start_time(parts, from, early, &known->blocker) + edge->weight);
	}
}

/* Returns the time at which all inputs of an instance are available. INFINITY: a producer has not
 * started. If `early` is true, a producer that waits for an integer port counts as started as soon
 * as its own inputs are available; a time after this cycle is then the earliest possible time. */
static double inputs(struct parts *parts, int instance, bool early)
{
	const struct known *known = &parts->known[early][instance];
	double now = parts->pipeline->now;

	if (known->time == INFINITY
			? parts->start[known->blocker] >= 0
			: known->time < (early ? now + PIPELINE_SAME : 0) && known->cycle < now)
		find_inputs(parts, instance, early);
	return known->time;
}

/* Returns the port of the set that has executed the least. */
static int idlest_port(const struct parts *parts, uint32_t ports)
{
	int best = ffs((int)ports) - 1;

	for (uint32_t left = ports & (ports - 1); left; left &= left - 1) {
		int p = ffs((int)left) - 1;

		if (parts->work[p] < parts->work[best])
			best = p;
	}
	return best;
}

/* Starts a micro-op on one of `*idle`, the ports that are free in this cycle. Returns whether it
 * has started. A micro-op that is selected before its inputs are available occupies its port for a
 * cycle in vain. */
static bool start(struct parts *parts, const struct entry *entry, uint32_t *idle)
{
	double now = parts->pipeline->now, cycles;
	int port = idlest_port(parts, entry->ports & *idle);
	bool ready = inputs(parts, entry->instance, false) < now + PIPELINE_SAME;

	cycles = ready ? (double)work_of(parts, entry->instance)->op[entry->op].cycles : 1;
	parts->busy[port] = fmax(parts->busy[port], now) + cycles;
	parts->work[port] += cycles;
	if (ready && !(entry->ports & ~parts->vector_ports)) {
		parts->bound[port]--;
		parts->vectors--;
	}
	if (parts->busy[port] >= now + 1 - PIPELINE_SAME)
		*idle &= ~(UINT32_C(1) << port);
	return ready;
}

/* Moves the sleepers of an instance, which has started, to the woken micro-ops. */
static void wake(struct parts *parts, int instance)
{
	for (int e = parts->sleeper[instance], next; e >= 0; e = next) {
		next = parts->entry[e].next;
		parts->entry[e].next = parts->woken;
		parts->woken = e;
	}
	parts->sleeper[instance] = -1;
}

/* Takes a micro-op that has started out of its scheduler. */
static void leave(struct parts *parts, int number)
{
	struct entry *entry = &parts->entry[number];

	if (--parts->left[entry->instance] == 0) {
		parts->start[entry->instance] = parts->pipeline->now;
		wake(parts, entry->instance);
	}
	if (entry->place >= 0) {
		parts->used[entry->place] = false;
		parts->leaving[((int)parts->pipeline->now + parts->hold) % HOLD_MOST]++;
	} else {
		parts->others--;
	}
	entry->next = parts->unused;
	parts->unused = number;
}

/* Starts the micro-ops of a queue that seem ready, oldest first, and removes them. */
static void start_queue(struct parts *parts, struct queue *queue, uint32_t ports)
{
	double now = parts->pipeline->now;
	uint32_t idle = 0;
	int kept = 0;

	for (int p = 0; p < UARCH_PORTS; p++)
		if (parts->busy[p] < now + 1 - PIPELINE_SAME)
			idle |= UINT32_C(1) << p;
	idle &= ports;
	for (int i = 0; i < queue->count; i++) {
		const struct entry *entry = &parts->entry[queue->entry[i]];

		if (entry->ready < now + PIPELINE_SAME && entry->ports & idle &&
			start(parts, entry, &idle))
			leave(parts, queue->entry[i]);
		else
			queue->entry[kept++] = queue->entry[i];
	}
	queue->count = kept;
}

/* Finds when the micro-ops of a queue seem ready. Removes those that sleep. */
static void find_ready(struct parts *parts, struct queue *queue, bool early)
{
	int kept = 0;

	for (int i = 0; i < queue->count; i++) {
		struct entry *entry = &parts->entry[queue->entry[i]];
		int *sleeper;

		if (entry->ready < parts->pipeline->now + PIPELINE_SAME)
			entry->ready = inputs(parts, entry->instance, early);
		if (entry->ready < INFINITY) {
			queue->entry[kept++] = queue->entry[i];
		} else {
			sleeper = &parts->sleeper[parts->known[early][entry->instance].blocker];
			entry->ready = 0;
			entry->next = *sleeper;
			*sleeper = queue->entry[i];
		}
	}
	queue->count = kept;
}

static bool is_older(const struct entry *a, const struct entry *b)
{
	return a->instance < b->instance || (a->instance == b->instance && a->op < b->op);
}

/* Inserts a micro-op into its queue, by age. */
static void insert(struct parts *parts, int number)
{
	const struct entry *entry = &parts->entry[number];
	struct queue *queue =
		&parts->queue[entry->place >= 0 ? entry->place % parts->count : parts->count];
	int i = queue->count++;

	for (; i > 0 && is_older(entry, &parts->entry[queue->entry[i - 1]]); i--)
		queue->entry[i] = queue->entry[i - 1];
	queue->entry[i] = number;
}

/* Frees the entries whose micro-ops have started long enough ago. */
static void free_entries(struct parts *parts)
{
	int *leaving = &parts->leaving[(int)parts->pipeline->now % HOLD_MOST];

	parts->free += *leaving;
	*leaving = 0;
}

/* Starts the micro-ops of one cycle. All parts select their micro-ops at the same time. */
static void execute(struct parts *parts)
{
	for (int i = 0; i <= parts->count; i++)
		find_ready(parts, &parts->queue[i], i < parts->count);
	for (int i = 0; i <= parts->count; i++)
		start_queue(
			parts, &parts->queue[i], i < parts->count ? parts->part[i] : UINT32_MAX);
	for (int e = parts->woken, next; e >= 0; e = next) {
		next = parts->entry[e].next;
		insert(parts, e);
	}
	parts->woken = -1;
}

/* Returns the port of the set for which the fewest vector micro-ops waited in the previous cycle.
 * Of equal ports, the one to which rename has bound the fewest micro-ops in this cycle.
 */
static uint32_t bind(struct parts *parts, uint32_t ports)
{
	int best = ffs((int)ports) - 1;

	for (uint32_t left = ports; left; left &= left - 1) {
		int p = ffs((int)left) - 1;

		if (parts->counted[p] < parts->counted[best] ||
			(parts->counted[p] == parts->counted[best] &&
				parts->bound[p] < parts->bound[best]))
			best = p;
	}
	parts->bound[best]++;
	parts->vectors++;
	return UINT32_C(1) << best;
}

/* Whether a micro-op can take a place of the integer scheduler: the place is free, and its part has
 * a port for the micro-op. */
static bool can_take(const struct parts *parts, int place, uint32_t ports)
{
	return !parts->used[place] && parts->part[place % parts->count] & ports;
}

/* Whether `count` micro-ops for these ports find a place in the integer scheduler. */
static bool have_places(const struct parts *parts, uint32_t ports, int count)
{
	for (int place = 0; count > 0 && place < parts->entries; place++)
		count -= can_take(parts, place, ports);
	return count <= 0;
}

/* Puts a micro-op into the lowest place of the integer scheduler that it can take, or among all
 * others. */
static void enter(struct parts *parts, int instance, int op, bool integer)
{
	int number = parts->unused, place = 0;
	uint32_t ports = work_of(parts, instance)->op[op].ports;

	while (integer && !can_take(parts, place, ports))
		place++;
	if (integer) {
		parts->used[place] = true;
		parts->free--;
	} else {
		parts->others++;
	}
	parts->unused = parts->entry[number].next;
	parts->entry[number] = (struct entry){ .instance = instance,
		.op = op,
		.place = integer ? place : -1,
		.ports = ports && !(ports & ~parts->vector_ports) ? bind(parts, ports) : ports };
	insert(parts, number);
}

/* Renames a step (an executed instruction). Returns false if the integer scheduler lacks entries.
 */
static bool rename_step(struct parts *parts, int number)
{
	struct pipeline *pipeline = parts->pipeline;
	int steps = pipeline->loop->path_count, round = number / steps * pipeline->graph.node_count;
	int first = round + pipeline->step[number % steps].first,
	    end = round + pipeline->step[number % steps + 1].first, integer = 0, all = 0;

	for (int n = first; n < end; n++)
		for (int i = 0; i < work_of(parts, n)->count; i++, all++)
			integer += !(work_of(parts, n)->op[i].ports & ~parts->ports);
	if (parts->vector_ports && parts->vectors > parts->vectors_most)
		return false;
	if (integer > parts->free || parts->others + all - integer > WAITING)
		return false;
	/* A division has a port in one part only, so places of all parts may be too few for it. */
	for (int n = first; n < end; n++)
		for (int i = 0; i < work_of(parts, n)->count; i++) {
			uint32_t ports = work_of(parts, n)->op[i].ports;

			if (!(ports & ~parts->ports) && !have_places(parts, ports, integer))
				return false;
		}
	for (int n = first; n < end; n++) {
		const struct work *work = work_of(parts, n);

		parts->renamed[n] = pipeline->now;
		parts->left[n] = work->count;
		for (int i = 0; i < work->count; i++)
			enter(parts, n, i, !(work->op[i].ports & ~parts->ports));
	}
	return true;
}

/* Whether the results of a step (an executed instruction) are available. */
static bool step_is_done(struct parts *parts, int number)
{
	const struct pipeline *pipeline = parts->pipeline;
	int steps = pipeline->loop->path_count, nodes = pipeline->graph.node_count,
	    round = number / steps * nodes;

	for (int n = round + pipeline->step[number % steps].first;
		n < round + pipeline->step[number % steps + 1].first; n++) {
		double at = parts->start[n];

		if (at < 0 && work_of(parts, n)->count == 0)
			at = idle_time(parts, n, false);
		if (at < 0 || at + pipeline->graph.node[n % nodes].latency >
				      pipeline->now + PIPELINE_SAME)
			return false;
	}
	return true;
}

static double simulate(struct parts *parts)
{
	struct pipeline *pipeline = parts->pipeline;
	int steps = pipeline->loop->path_count, total = pipeline->rounds * steps, renamed = 0,
	    retired = 0;
	double credit = 0, in_flight = 0, from = 0, to = 0;

	for (; retired < pipeline->until * steps && pipeline->now < total * 64.0 + 4096;
		pipeline->now++) {
		for (int i = 0;
			i < STEPS_RETIRED && retired < renamed && step_is_done(parts, retired);
			i++, retired++) {
			in_flight -= pipeline->step[retired % steps].slots;
			from = retired + 1 == pipeline->warm * steps ? pipeline->now : from;
			to = retired + 1 == pipeline->until * steps ? pipeline->now : to;
		}
		memcpy(parts->counted, parts->bound, sizeof(parts->counted));
		execute(parts);
		free_entries(parts);
		credit = fmin(credit + pipeline->width, fmax(pipeline->width, 1));
		for (; renamed < total && credit > PIPELINE_SAME; renamed++) {
			double slots = pipeline->step[renamed % steps].slots;

			if (in_flight + slots > pipeline->rob || !rename_step(parts, renamed))
				break;
			credit -= slots;
			in_flight += slots;
		}
	}
	return retired < pipeline->until * steps ? 0
						 : (to - from) / (pipeline->until - pipeline->warm);
}

/* Divides the ports of the simplest integer operation among the parts, in turn. */
static void divide(struct parts *parts)
{
	const struct uarch *uarch = parts->pipeline->tally->uarch;
	const struct uarch_class *alu = uarch_find(uarch, "alu", 0),
				 *vector = uarch_find(uarch, "vlogic", 0);
	int k = 0;

	parts->count = (int)fmin(fmax(uarch->fact[EXTRA_SCHEDULER_PARTS], 1), UARCH_PORTS);
	parts->entries = parts->pipeline->pool[POOL_ALL].entries;
	parts->entries = parts->entries < ENTRIES ? parts->entries : ENTRIES;
	parts->free = parts->entries;
	parts->hold = (int)fmin(fmax(uarch->fact[EXTRA_SCHEDULER_HOLD], 0), HOLD_MOST - 1);
	parts->ports = alu && alu->term_count > 0 ? alu->term[0].ports : 0;
	if (uarch->fact[EXTRA_BINDS_VECTORS] > 0 && vector && vector->term_count > 0) {
		parts->vector_ports = vector->term[0].ports;
		parts->vectors_most = (int)uarch->fact[EXTRA_BINDS_VECTORS];
	}
	for (uint32_t left = parts->ports; left; left &= left - 1)
		parts->part[k++ % parts->count] |= left & -left;
}

double pipeline_run_parts(struct pipeline *pipeline)
{
	const struct deps_graph *graph = &pipeline->graph;
	int instances = pipeline->rounds * graph->node_count, e = 0;
	struct parts *parts = memory_new(1, sizeof(*parts));
	double cycles;

	parts->pipeline = pipeline;
	divide(parts);
	parts->first_in = memory_new((size_t)graph->node_count + 1, sizeof(int));
	parts->start = memory_new((size_t)instances, sizeof(double));
	parts->renamed = memory_new((size_t)instances, sizeof(double));
	parts->left = memory_new((size_t)instances, sizeof(int));
	parts->sleeper = memory_new((size_t)instances, sizeof(int));
	for (int early = 0; early < 2; early++)
		parts->known[early] = memory_new((size_t)instances, sizeof(struct known));
	for (int i = 0; i < instances; i++) {
		parts->start[i] = parts->renamed[i] = parts->sleeper[i] = -1;
		parts->known[0][i] = parts->known[1][i] = (struct known){ -1, -1, -1 };
	}
	for (int i = 0; i < ENTRIES + WAITING; i++)
		parts->entry[i].next = i + 1;
	parts->woken = -1;
	for (int n = 0; n <= graph->node_count; n++) {
		while (e < graph->edge_count && graph->edge[e].to < n)
			e++;
		parts->first_in[n] = e;
	}
	cycles = parts->ports ? simulate(parts) : 0;
	free(parts->first_in);
	free(parts->start);
	free(parts->renamed);
	free(parts->left);
	free(parts->sleeper);
	free(parts->known[0]);
	free(parts->known[1]);
	free(parts);
	return cycles;
}
