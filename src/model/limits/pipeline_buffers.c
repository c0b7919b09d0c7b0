/* The buffers of the simulated pipeline: the schedulers, in which micro-ops wait, and how many of
 * their entries a loop needs. */
#include "model/limits/pipeline.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/text.h"

/* Number of entries of the scheduler, if the core's data file does not state it. */
enum { SCHEDULER_UNKNOWN = 97 };

static int size_of(const struct uarch *uarch, enum uarch_fact fact, int unknown)
{
	return uarch_known(uarch->fact[fact]) ? (int)uarch->fact[fact] : unknown;
}

void pipeline_open_pools(struct pipeline *pipeline)
{
	const struct uarch *uarch = pipeline->tally->uarch;

	pipeline->of_port = size_of(uarch, SIZE_PORT_SCHEDULER, INT_MAX);
	/* A scheduler that has parts is simulated in pipeline_parts.c. */
	pipeline->hold =
		uarch->fact[EXTRA_SCHEDULER_PARTS] > 0
			? 0
			: (int)fmin(size_of(uarch, EXTRA_SCHEDULER_HOLD, 0), POOL_HOLD - 1);
	pipeline->pool[POOL_ALL].entries = size_of(uarch, SIZE_SCHEDULER, SCHEDULER_UNKNOWN);
	pipeline->pool[POOL_VECTOR].entries = size_of(uarch, SIZE_VECTOR_SCHEDULER, 0);
	pipeline->pool[POOL_VECTOR].queue = size_of(uarch, SIZE_VECTOR_QUEUE, 0);
}

/* Returns the port of an integer micro-op that can only go to one port; -1: the micro-op has other
 * ports, or uses vector registers. */
static int only_port(const struct work *work, int op)
{
	uint32_t ports = work->op[op].ports;

	return work->pool == POOL_ALL && ports && !(ports & (ports - 1)) ? ffs((int)ports) - 1 : -1;
}

bool pipeline_has_entries(const struct pipeline *pipeline, const struct work *work)
{
	const struct pool *pool = &pipeline->pool[work->pool];

	for (int i = 0; i < work->count; i++) {
		int p = only_port(work, i);

		if (p >= 0 && pipeline->alone[p] >= pipeline->of_port)
			return false;
	}
	return pool->waiting + work->count <= pool->entries + pool->queue;
}

void pipeline_enter(struct pipeline *pipeline, const struct work *work, int op)
{
	int port = only_port(work, op);

	if (port >= 0)
		pipeline->alone[port]++;
	pipeline->pool[work->pool].waiting++;
	pipeline->pool[work->pool].given++;
}

/* Removes `count` micro-ops, which have begun to execute, from their scheduler. The next micro-ops
 * of the queue in front of the scheduler enter it, so all ports check their queues again. */
static void leave(struct pipeline *pipeline, struct pool *pool, int count)
{
	bool queued = pool->waiting > pool->entries;

	pool->waiting -= count;
	pool->freed += count;
	for (int p = 0; queued && p < UARCH_PORTS; p++)
		if (pipeline->known[p] > 0) {
			pipeline->look_at[p] = -INFINITY;
			pipeline->awake |= UINT32_C(1) << p;
		}
}

void pipeline_leave(struct pipeline *pipeline, const struct waiting *op)
{
	struct pool *pool = &pipeline->pool[op->pool];
	int port = only_port(&pipeline->work[op->instance % pipeline->graph.node_count], op->op);

	if (port >= 0)
		pipeline->alone[port]--;
	if (pipeline->hold == 0)
		leave(pipeline, pool, 1);
	else
		pool->leaving[((int)pipeline->now + pipeline->hold) % POOL_HOLD]++;
}

bool pipeline_free_entries(struct pipeline *pipeline, double last)
{
	bool more = false;

	for (int k = 0; k < POOLS && pipeline->hold > 0; k++) {
		struct pool *pool = &pipeline->pool[k];

		for (double at = later(last + 1, pipeline->now - POOL_HOLD + 1);
			at <= pipeline->now; at++) {
			int *leaving = &pool->leaving[(int)at % POOL_HOLD];

			if (*leaving > 0)
				leave(pipeline, pool, *leaving);
			*leaving = 0;
		}
		for (int i = 0; i < POOL_HOLD; i++)
			more |= pool->leaving[i] > 0;
	}
	return more;
}

struct pipeline_need pipeline_needs(const struct tally *tally, double cycles)
{
	const struct uarch *uarch = tally->uarch;
	int rob = size_of(uarch, SIZE_ROB, 0), all = size_of(uarch, SIZE_SCHEDULER, 0),
	    vector = size_of(uarch, SIZE_VECTOR_SCHEDULER, all);
	struct pipeline_need need = { 0, 0 };
	struct deps_graph graph;
	double *start, waits = 0, vector_waits = 0, alone = 0, longest = 0;

	if (tally->loop->path_count == 0 || !(cycles > 0) || rob == 0 || all == 0)
		return need;
	deps_graph(tally->loop, uarch, tally->facts, &graph);
	start = memory_new((size_t)graph.node_count + 1, sizeof(*start));
	for (int i = 0, edge = 0; i < graph.node_count; i++) {
		const struct deps_node *node = &graph.node[i];
		double renamed = cycles * node->step / tally->loop->path_count, wait;

		start[i] = renamed;
		for (; edge < graph.edge_count && graph.edge[edge].to == i; edge++)
			if (graph.edge[edge].distance == 0 && !graph.edge[edge].memory)
				start[i] = later(start[i],
					start[graph.edge[edge].from] + graph.edge[edge].weight);
		wait = start[i] - renamed;
		longest = later(longest, wait + node->latency);
		if (!node->class || node->counts)
			continue;
		if (node->part != PART_LOAD &&
			tally->loop->insn[tally->loop->path[node->step].insn].vector)
			vector_waits += wait;
		else
			waits += wait;
		for (int k = 0; k < node->class->term_count && node->part == PART_OPERATION; k++)
			if (__builtin_popcount(node->class->term[k].ports) == 1)
				alone += wait;
	}
	if (!uarch_known(uarch->fact[SIZE_VECTOR_SCHEDULER]))
		waits += vector_waits;
	need.scheduler = later(waits / all, vector_waits / vector) / cycles;
	need.scheduler = later(
		need.scheduler, alone / cycles / size_of(uarch, SIZE_PORT_SCHEDULER, INT_MAX));
	need.rob = (tally->slots + tally->unlaminated) * longest / cycles / rob;
	free(start);
	deps_graph_free(&graph);
	return need;
}
