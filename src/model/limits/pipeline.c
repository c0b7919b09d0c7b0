/* Simulates a loop in an idealised pipeline. The pipeline renames a limited number of slots per
 * cycle, and binds each micro-op to a port at rename. Each port executes its oldest ready micro-op
 * first. A limited number of micro-ops is in flight. The cycles of a simulated run are the limit
 * `scheduling`; timeline.c shows a run.
 *
 * The port limit assumes the best assignment of micro-ops to ports. Some cores choose the port at
 * rename, before they know when each micro-op will be ready, so their choice can be worse. The rule
 * for choosing ports comes from Abel & Reineke, who found the rule in Intel cores ("uiCA", 2022).
 * The rule chooses the port with the fewest waiting micro-ops, as counted in the previous cycle.
 * For every second slot of a cycle, the rule chooses the second best port. On Golden Cove, which
 * has five ports for integers in place of four, the slots of a cycle take the ports in turn, from
 * the best to the worst: 240 loops of random integer operations are predicted with a mean error of
 * 2.3 %, and of 2.9 % with the rule for every second slot. Zen 4 is simulated best
 * with counts that include the same cycle, and without a second best port: 52 loops of C that
 * nothing was fitted to, each with three sets of options, are predicted with a mean error of 7 %,
 * and of 12 % with the best assignment. */
#include "model/limits/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/text.h"
#include "model/limits/rename.h"

/* Size of a simulation: OPERATIONS is about the number of simulated nodes, and a round is one pass
 * over the path. A simulation reaches a steady state, and needs about a millisecond. */
enum { OPERATIONS = 5000, ROUNDS_LEAST = 6, ROUNDS_MOST = 400 };
/* If chains begin again, a run has RESTARTS chains, in at most RESTART_ROUNDS_MOST rounds. */
enum { RESTARTS = 12, RESTART_ROUNDS_MOST = 6000 };
/* The front end of such cores is at most so many taken branches ahead of rename. Without the rate
 * of taken branches, the operations of chains would fill the queues of their ports. */
enum { AHEAD = 4 };
/* Number of entries of the reorder buffer, if the core's data file does not state it. */
enum { ROB_UNKNOWN = 224 };

/* How far the simulation of the pipeline has come. */
struct progress {
	int renamed, retired; /* number of steps (executed instructions) that are renamed, and of
				 steps that are retired */
	double credit, in_flight; /* number of free rename slots in this cycle; number of slots that
				     the steps in the reorder buffer occupy */
	double from, to; /* simulated time at the ends of the rounds (passes over the path) `warm`
			    and `until` */
	double branches; /* taken branches that the front end has supplied, and that are not renamed
			    yet */
	double done;	 /* latest time of a result */
	int wrong; /* number of the step (executed instruction) that is a mispredicted branch and
		      that rename waits for; -1: none */
	double resume; /* the cycle from which steps (executed instructions) are renamed again after
			  a mispredicted branch; INFINITY: unknown */
};

/* Returns the time when all work of a step (an executed instruction) has started; in an ideal run,
 * the time when all its results are available. Returns INFINITY if the time is not known yet. */
static double step_done(const struct pipeline *pipeline, int number)
{
	int steps = pipeline->loop->path_count, step = number % steps;
	int round = number / steps * pipeline->graph.node_count;
	double last = -INFINITY;

	for (int n = pipeline->step[step].first; n < pipeline->step[step + 1].first; n++) {
		double start = pipeline->instance[round + n].start;

		if (start < 0)
			return INFINITY;
		last = later(last,
			start + (pipeline->rules->ideal ? pipeline->graph.node[n].latency : 0));
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
		double ready = pipeline->look_at[p] - 2 * PIPELINE_SAME;

		next = sooner(next, later(ready, pipeline->free_at[p] - 1 + PIPELINE_SLIVER / 2));
	}
	return later(pipeline->rules->ideal ? floor(next) : ceil(next), pipeline->now + 1);
}

/* Retires the executed instructions (steps) whose work is done, in order. */
static void retire(struct pipeline *pipeline, struct progress *progress)
{
	int steps = pipeline->loop->path_count;

	for (; progress->retired < progress->renamed; progress->retired++) {
		double done = step_done(pipeline, progress->retired);

		if (done > pipeline->now)
			return;
		progress->done = later(progress->done, done);
		progress->in_flight -= pipeline->step[progress->retired % steps].slots;
		if (pipeline->times)
			pipeline->times[progress->retired].retired = pipeline->now;
		pipeline->settled |= progress->retired + 1 >= pipeline->warm * steps;
		if (progress->retired + 1 == pipeline->warm * steps)
			progress->from = pipeline->rules->ideal ? progress->done : pipeline->now;
		if (progress->retired + 1 == pipeline->until * steps)
			progress->to = pipeline->rules->ideal ? progress->done : pipeline->now;
	}
}

/* Returns the cycle from which the instructions after a mispredicted branch are renamed. INFINITY:
 * the mispredicted branch has not been executed yet. */
static double refilled(const struct pipeline *pipeline, int number)
{
	int steps = pipeline->loop->path_count, step = number % steps;
	int round = number / steps * pipeline->graph.node_count;
	double last = -INFINITY;

	for (int n = pipeline->step[step].first; n < pipeline->step[step + 1].first; n++) {
		double start = pipeline->instance[round + n].start;

		last = later(last, start < 0 ? INFINITY : start);
	}
	return last + pipeline->rules->refill;
}

/* Renames the instructions (steps) of one cycle. Returns whether rename stalls: a buffer is full,
 * or no instruction is left. */
static bool rename_steps(struct pipeline *pipeline, struct progress *progress)
{
	const struct loop *loop = pipeline->loop;
	int counts[UARCH_PORTS], loads[UARCH_PORTS];
	/* A long instruction of the cycle before may have taken slots of this one. */
	struct rename_cycle cycle = { .slots = later(pipeline->width - progress->credit, 0) };
	int nodes = pipeline->graph.node_count, steps = loop->path_count,
	    ports = uarch_port_count(pipeline->tally->uarch);
	const struct pipeline_rules *rules = pipeline->rules;
	bool ideal = rules->ideal;

	progress->resume = progress->wrong < 0 ? 0 : refilled(pipeline, progress->wrong);
	if (progress->resume > pipeline->now)
		return true;
	progress->wrong = -1;
	progress->resume = INFINITY;
	for (int p = 0; p < ports; p++)
		counts[p] = loads[p] = pipeline->count[p];
	while (progress->renamed < pipeline->rounds * steps && progress->credit > PIPELINE_SLIVER) {
		int first = progress->renamed / steps * nodes;
		const struct step *step = &pipeline->step[progress->renamed % steps];
		double slots = step->slots;

		/* With ideal ports, rename begins an instruction that does not fit into the cycle,
		 * and gives it slots of the next cycle. */
		if (!ideal && rules->slots == 0 &&
			!rename_takes(pipeline->tally->uarch, &cycle, slots, step->split))
			return false;
		if (progress->in_flight + slots > pipeline->rob)
			return true;
		if (pipeline->binds == BINDS_KNOWING && !ideal && progress->branches < 1 &&
			loop->path[progress->renamed % steps].taken)
			return false;
		for (int n = first + step->first; n < first + step[1].first; n++)
			if (!pipeline->instance[n].renamed &&
				!pipeline_bind(pipeline, n, counts, loads, (int)cycle.slots))
				return true;
		if (pipeline->times)
			pipeline->times[progress->renamed].renamed = pipeline->now;
		progress->credit -= slots;
		progress->in_flight += slots;
		rename_add(&cycle, slots, step->split);
		progress->renamed++;
		progress->branches -= loop->path[(progress->renamed - 1) % steps].taken;
		if (rules->refill > 0 && loop->path[(progress->renamed - 1) % steps].wrong) {
			progress->wrong = progress->renamed - 1;
			return false;
		}
	}
	return progress->renamed == pipeline->rounds * steps;
}

static double run(struct pipeline *pipeline)
{
	struct progress progress = { .wrong = -1, .resume = INFINITY };
	double width = pipeline->width, most = pipeline->rules->most, last = -1;
	double supplied = pipeline->tally->uarch->fact[CAP_TAKEN];
	int total = pipeline->rounds * pipeline->loop->path_count;

	if (!(supplied > 0))
		supplied = AHEAD;
	while (progress.retired < total && pipeline->now < total * 64.0 + 4096 + most) {
		bool full, leaving = pipeline_free_entries(pipeline, last);

		retire(pipeline, &progress);
		if (progress.retired == total)
			break;
		pipeline_execute(pipeline);
		progress.credit =
			sooner(progress.credit + (pipeline->now - last) * width, later(width, 1));
		progress.branches =
			sooner(progress.branches + (pipeline->now - last) * supplied, AHEAD);
		last = pipeline->now;
		full = rename_steps(pipeline, &progress);
		/* If rename stalls, nothing changes until a micro-op executes or an instruction
		 * retires, so the cycles until then are skipped. */
		if (full && !leaving)
			pipeline->now = next_event(
				pipeline, sooner(progress.resume,
						  progress.retired < progress.renamed
							  ? step_done(pipeline, progress.retired)
							  : INFINITY));
		else
			pipeline->now++;
	}
	return progress.retired < total
		       ? 0
		       : (progress.to - progress.from) / (pipeline->until - pipeline->warm);
}

void pipeline_open(
	struct pipeline *pipeline, const struct tally *tally, struct pipeline_rules *rules)
{
	const struct loop *loop = tally->loop;
	const struct uarch *uarch = tally->uarch;
	struct deps_graph *graph = &pipeline->graph;
	double rob = uarch->fact[SIZE_ROB];
	size_t nodes;

	*pipeline = (struct pipeline){ .tally = tally, .loop = loop, .rules = rules };
	if (loop->path_count > 0 && uarch_known(uarch->width))
		deps_graph(loop, uarch, tally->facts, graph);
	nodes = (size_t)graph->node_count;
	if (nodes == 0)
		return;
	if (uarch->fact[EXTRA_BINDS_PORTS] > 0)
		pipeline->binds = (enum binds)uarch->fact[EXTRA_BINDS_PORTS];
	pipeline->width = rules->slots > 0 ? rules->slots : uarch->width;
	pipeline->rob = uarch_known(rob) ? rob : ROB_UNKNOWN;
	pipeline_open_pools(pipeline);
	pipeline->rounds =
		(int)fmin(fmax(OPERATIONS / graph->node_count, ROUNDS_LEAST), ROUNDS_MOST);
	if (rules->restart > 0)
		pipeline->rounds = (int)fmin(RESTARTS * ceil(rules->restart), RESTART_ROUNDS_MOST);
	pipeline->warm = pipeline->rounds / 3;
	/* Near the end of a simulation, no later instruction competes for ports. */
	pipeline->until =
		pipeline->rounds -
		(rules->ideal || rules->parts || rules->gate_count ? pipeline->rounds / 6 : 0);
	pipeline->work = memory_new(nodes, sizeof(*pipeline->work));
	pipeline->next_out = memory_new((size_t)graph->edge_count + 1, sizeof(int));
	pipeline->ends = memory_new((size_t)graph->edge_count + 1, sizeof(bool));
	pipeline->step = memory_new((size_t)loop->path_count + 1, sizeof(*pipeline->step));
	pipeline->instance =
		memory_new((size_t)pipeline->rounds * nodes, sizeof(*pipeline->instance));
	if (rules->keep)
		pipeline->times = memory_new(
			(size_t)(pipeline->rounds * loop->path_count), sizeof(*pipeline->times));
	pipeline_prepare(pipeline);
	pipeline->cycles = rules->parts ? pipeline_run_parts(pipeline) : run(pipeline);
}

void pipeline_close(struct pipeline *pipeline)
{
	free(pipeline->work);
	free(pipeline->next_out);
	free(pipeline->ends);
	free(pipeline->step);
	free(pipeline->instance);
	free(pipeline->times);
	deps_graph_free(&pipeline->graph);
}

static double run_by(const struct tally *tally, struct pipeline_rules *rules)
{
	struct pipeline *pipeline = memory_new(1, sizeof(*pipeline));
	double cycles;

	pipeline_open(pipeline, tally, rules);
	cycles = pipeline->cycles;
	pipeline_close(pipeline);
	free(pipeline);
	return cycles;
}

double pipeline_run(const struct tally *tally, double restart, bool ideal)
{
	struct pipeline_rules rules = {
		.ideal = ideal, .restart = restart, .limits = tally->limits
	};

	return run_by(tally, &rules);
}

double pipeline_run_supplied(const struct tally *tally, double cycles)
{
	struct pipeline_rules rules = { .parts = true,
		.limits = tally->limits,
		.slots = cycles > 0 ? fmin(tally->slots / cycles, tally->uarch->width) : 0 };

	return run_by(tally, &rules);
}

double pipeline_run_refilled(const struct tally *tally, double refill)
{
	struct pipeline_rules rules = { .ideal = tally->uarch->fact[EXTRA_BINDS_PORTS] != BINDS &&
						 tally->uarch->fact[EXTRA_BINDS_PORTS] !=
							 BINDS_IN_TURN,
		.limits = tally->limits,
		.refill = refill };

	return run_by(tally, &rules);
}
