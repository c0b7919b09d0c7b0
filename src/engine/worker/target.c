/* See station.h. */
#include "engine/worker/target.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "engine/counters/counting.h"
#include "engine/machine/topology.h"
#include "engine/measure/goal.h"
#include "engine/worker/isolate.h"
#include "engine/worker/load_threads.h"
#include "kernels/knob_rows.h"

/* The share of a circle by which steps of it never meet. */
static const double golden = 0.6180339887;

/* Memory of other cores that has not been needed for so many seconds is given back. */
static const double load_threads_idle = 10;

/* One request being carried out. */
struct visit {
	struct target *target;
	const struct request *request;
	struct kernel_need need;
	unsigned placement; /* which one is under way: 0, 1, … of the request's */
	double began;	    /* seconds, when it was begun */
	const atomic_bool *cancel;
	target_answer *answer;
	void *context;
};

static struct status beyond_memory(const struct machine *machine, uint64_t bytes)
{
	char asked[32], most[32];

	units_bytes_long(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, asked, sizeof(asked));
	units_bytes_long((int64_t)machine->memory_limit, most, sizeof(most));
	return status_failed(
		"%s are more than %s (%s)", asked, memory_limits_half(machine->memory_bound), most);
}

/* Memory for a request with its data laid out: a run ready to be called. */
static unsigned visit_placements(const struct visit *visit)
{
	const struct request *request = visit->request;
	unsigned places = placements_of(kernel_footprint(request->kernel, request->v),
		machine_cache(&visit->target->machine, 1));

	if (request->kernel->isolated || visit->need.processors > 1 ||
		request->budget.placements == 0)
		return 1;
	return request->budget.placements < places ? request->budget.placements : places;
}

/* Each placement begins elsewhere in the ring, too. */
static double place_of(const struct visit *visit)
{
	return fmod(visit->request->place + visit->placement * golden, 1);
}

static struct status prepare(
	const struct visit *visit, uint64_t limit, struct kernel_run *run, struct slot **slot)
{
	const struct request *request = visit->request;
	const struct working_set_request wanted = { .kernel = request->kernel,
		.v = request->v,
		.seed = request->seed,
		.place = place_of(visit),
		.shift = request->shift +
			 placement_shift(
				 kernel_footprint(request->kernel, request->v), visit->placement),
		.near = machine_cache(&visit->target->machine, 1),
		.background = request->background,
		.alone = request->alone,
		.limit = limit,
		.now = clock_seconds(),
		.progress = &visit->target->progress };

	return working_sets_lay(&visit->target->working_sets, &wanted, visit->cancel, run, slot);
}

/* Memory that each stream goes through: twice the last cache, within reason and what is left. */
static uint64_t stream_bytes(const struct machine *machine, const struct kernel_need *need)
{
	const uint64_t most = 256 << 20;
	uint64_t bytes = 2 * machine_last_cache(machine),
		 left = machine->memory_limit -
			(need->memory - (uint64_t)need->streams * STREAM_BYTES);

	bytes = bytes > most ? most : bytes;
	if (bytes > left / (uint64_t)need->streams)
		bytes = left / (uint64_t)need->streams;
	return bytes > STREAM_BYTES ? bytes / STREAM_BYTES * STREAM_BYTES : STREAM_BYTES;
}

/* Sends the others to work on their memory, where a request wants others; *limit becomes the bytes
 * that this thread's working sets may hold. */
static struct status gather(const struct visit *visit, uint64_t *limit)
{
	struct target *target = visit->target;
	const struct request *request = visit->request;
	const struct kernel_need *need = &visit->need;
	uint64_t set = kernel_footprint(request->kernel, request->v);
	struct load_threads_request wanted = { .kernel = request->kernel,
		.v = request->v,
		.seed = request->seed,
		.cores = need->cores - 1,
		.streams = need->streams,
		.now = clock_seconds() };

	*limit = target->machine.memory_limit;
	if (need->memory > *limit)
		return beyond_memory(&target->machine, need->memory);
	if (need->processors == 1) {
		/* What the others left behind stays for a while, where it is not in the way. */
		load_threads_give_back(target->load_threads, wanted.now,
			load_threads_held(target->load_threads) + set + ARENA_PIECE > *limit
				? 0
				: load_threads_idle);
		*limit -= load_threads_held(target->load_threads);
		return status_ok();
	}
	if (need->streams > 0)
		wanted.stream_bytes = stream_bytes(&target->machine, need);
	wanted.share =
		(*limit - (uint64_t)need->streams * wanted.stream_bytes) / (uint64_t)need->cores;
	wanted.limit = *limit - wanted.share;
	*limit = wanted.share;
	working_sets_shrink(&target->working_sets, *limit);
	return load_threads_gather(target->load_threads, &wanted, visit->cancel);
}

static void tell_facts(const struct visit *visit, const struct kernel_run *run,
	const struct measure *measure, const struct slot *slot, struct run_facts *facts)
{
	const struct target *target = visit->target;
	const struct kernel_need *need = &visit->need;

	*facts = (struct run_facts){
		.cpu = target->machine.cpu,
		.bound = target->machine.bound,
		.cycles_from = measure_source(measure),
		.ring = run->ring,
		.granule = run->granule,
		.bytes = run->bytes,
		.footprint = kernel_footprint(run->kernel, run->v),
		.call = measure->time.whole,
		.calls = measure->time.calls,
		.watched = measure->clock->watched,
		.far = measure->far,
		.cores = need->cores,
		.streams = need->streams,
		.others_gbps = need->processors > 1 ? NAN : 0,
	};
	if (getloadavg(&facts->load, 1) != 1)
		facts->load = NAN;
	facts->asked = (enum page_kind)kernel_asked(run->kernel, run->v, ASKS_PAGES);
	arena_tell(&slot->arena, slot->offset + run->layout.base, facts->footprint, &slot->place,
		facts->asked, target->machine.huge_note, facts);
}

static void learn(struct target *target, const struct trials *trials)
{
	double ghz, turns = trials_best_turns(trials, &ghz);

	clock_learn(&target->clock, turns, ghz);
}

/* How often each group of events is counted: what fills slices is not looked at so closely. */
enum { PASSES = 9, PASSES_BACKGROUND = 3 };

static unsigned passes_of(const struct request *request)
{
	return request->background ? PASSES_BACKGROUND : PASSES;
}

/* Trials on a run that is laid out, with an early answer where one was asked for. */
static void make_trials(
	const struct visit *visit, struct kernel_run *run, struct slot *slot, struct result *result)
{
	struct target *target = visit->target;
	const struct request *request = visit->request;
	const atomic_bool *cancel = visit->cancel;
	const struct budget *budget = &request->budget;
	struct clock clock = target->clock;
	struct trials *trials = &target->trials;
	uint64_t first = machine_cache(&target->machine, 1);
	struct measure_goal goal = { .quiet = budget->quiet_wanted,
		.precision = budget->precision,
		.patience = budget->patience,
		.fewest = budget->fewest };
	struct measure measure;

	/* What others here do to this core is no disturbance, but what was asked for. */
	clock.watched = clock.watched && visit->need.processors == 1;
	/* First, since what finds out about events leaves other lines in the caches. */
	if (request->plan.id != 0)
		counting_use(target->counting, &request->plan);
	/* Where the system does not tell: the smallest first cache of today's cores. Laying out and
	 * warming do not count against the time asked for: they depend on what came before. */
	progress_end(&target->progress);
	target->settle.own_bytes = machine_own_caches(&target->machine);
	target->settle.lap = budget->lap_seconds;
	target->settle.seconds = budget_warm(budget) / visit_placements(visit);
	measure_begin(&measure, run, &clock, first ? first : 32 << 10,
		budget->fresh ? UINT64_MAX : target->settle.own_bytes, budget_warm(budget), cancel);
	if (run->kernel->begin_at && !measure.rewind)
		run->kernel->begin_at(run, place_of(visit));
	if (!budget->fresh)
		measure_settle(&measure, &target->settle, cancel);
	measure.place = (uint8_t)((slot->offset + run->layout.base) / ARENA_PIECE);
	measure.progress = &target->progress;
	measure.cpu = target->machine.bound ? target->machine.cpu : -1;
	if (request->plan.id != 0 && counting_cycles(target->counting))
		measure.counting = target->counting;
	tell_facts(visit, run, &measure, slot, &result->facts);
	load_threads_count(target->load_threads);
	result->preparing += clock_seconds() - visit->began;
	goal.until = clock_seconds() + budget->seconds / visit_placements(visit);
	goal.quiet = (visit->placement + 1) * budget->quiet_wanted / visit_placements(visit);
	if (budget->provisional > 0 && visit->placement == 0) {
		goal.trials = budget->provisional;
		measure_trials(&measure, trials, &goal, cancel);
		if (!atomic_load(cancel)) {
			result->trials = *trials;
			result->facts.cycles_from = measure_source(&measure);
			visit->answer(visit->context, result);
		}
	}
	goal.trials = UINT_MAX;
	measure_trials(&measure, trials, &goal, cancel);
	load_threads_rest(target->load_threads);
	learn(target, trials);
	result->facts.cycles_from = measure_source(&measure);
	if (request->plan.id != 0 && visit->placement + 1 == visit_placements(visit))
		counting_measure(
			target->counting, &measure, passes_of(request), cancel, &result->counts);
	if (atomic_load(cancel))
		result->status = status_make(STATUS_CANCELLED, "stopped");
	else if (run->complete && run->kernel->proof)
		result->status = run->kernel->proof(run);
}

/* Code that is not ours. */
static void measure_apart(const struct visit *visit, struct result *result)
{
	struct target *target = visit->target;
	const struct request *request = visit->request;
	const struct isolate isolate = { .request = request,
		.clock = &target->clock,
		.machine = &target->machine,
		.counting = request->plan.id ? target->counting : NULL,
		.passes = passes_of(request),
		.cancel = visit->cancel,
		.early = request->budget.provisional ? visit->answer : NULL,
		.context = visit->context };
	uint64_t bytes = kernel_footprint(request->kernel, request->v);

	if (bytes > target->machine.memory_limit) {
		result->status = beyond_memory(&target->machine, bytes);
	} else {
		/* What the plan's names mean, and which events fit together, is found out here: the
		 * child opens them for itself. */
		counting_use(target->counting, &request->plan);
		isolate_measure(&isolate, result);
		counting_learn(target->counting, &result->counts);
	}
	learn(target, &result->trials);
}

/* Whatever runs beside it is there before the first trial, and gone after the last. */
static void measure_here(struct visit *visit, struct result *result)
{
	struct target *target = visit->target;
	struct status begun;
	struct slot *slot;
	struct kernel_run run;
	uint64_t limit;

	target->trials.count = 0;
	memset(target->trials.forgotten, 0, sizeof(target->trials.forgotten));
	visit->began = clock_seconds();
	result->status = gather(visit, &limit);
	if (status_is_ok(&result->status)) {
		result->status = prepare(visit, limit, &run, &slot);
		begun = load_threads_begin(target->load_threads);
		if (status_is_ok(&result->status))
			result->status = begun;
		if (status_is_ok(&result->status))
			make_trials(visit, &run, slot, result);
		while (status_is_ok(&result->status) &&
			++visit->placement < visit_placements(visit)) {
			visit->began = clock_seconds();
			result->status = prepare(visit, limit, &run, &slot);
			if (status_is_ok(&result->status))
				make_trials(visit, &run, slot, result);
		}
		if (visit->need.processors > 1)
			result->facts.others_gbps = load_threads_dismiss(target->load_threads);
	}
	result->trials = target->trials;
}

void target_measure(struct target *target, const struct request *request, const atomic_bool *cancel,
	target_answer *answer, void *context)
{
	struct result result = {
		.generation = request->generation, .tag = request->tag, .kernel = request->kernel
	};
	struct visit visit = { .target = target,
		.request = request,
		.need = kernel_need(request->kernel, request->v),
		.cancel = cancel,
		.answer = answer,
		.context = context };

	memcpy(result.v, request->v, sizeof(result.v));
	if (request->kernel->isolated)
		measure_apart(&visit, &result);
	else
		measure_here(&visit, &result);
	progress_end(&target->progress);
	result.final = true;
	answer(context, &result);
}

struct status target_open(struct target *target, const struct target_options *options)
{
	struct machine *machine = &target->machine;
	struct status status, bound;

	target->topology = topology_load(&status);
	if (!target->topology)
		return status;
	machine->processors = topology_processors(target->topology);
	machine->nodes = topology_nodes(target->topology);
	status = topology_choose(target->topology, options->cpu, options->avoid_cpu, &machine->cpu);
	if (!status_is_ok(&status))
		return status;
	/* While nobody is bound: what this process may use is seen by where its threads may be. */
	target->load_threads = load_threads_new(target->topology, machine->cpu);
	if (!target->load_threads)
		return status_failed("no memory for other cores");
	if (options->caller_thread)
		machine->apart =
			topology_keep_off(target->topology, options->caller_thread, machine->cpu);
	bound = topology_bind(target->topology, machine->cpu);
	machine->bound = status_is_ok(&bound);
	if (!machine->bound) {
		memcpy(machine->bind_note, bound.text, sizeof(machine->bind_note) - 1);
		machine->cpu = sched_getcpu();
	}
	target->working_sets =
		(struct working_sets){ .topology = target->topology, .cpu = machine->cpu };
	target->counting = counting_new(machine->cpu, "");
	machine->cache_count = topology_caches(target->topology, machine->cpu, machine->cache);
	machine_identify(machine);
	clock_calibrate(&target->clock);
	machine->tick_hz = target->clock.hz;
	machine->tick_step = target->clock.step;
	machine->watched = target->clock.watched;
	memcpy(machine->clock_name, CLOCK_CHAIN_NAME, sizeof(CLOCK_CHAIN_NAME));
	return status_ok();
}

void target_close(struct target *target)
{
	counting_free(target->counting);
	load_threads_free(target->load_threads);
	working_sets_free(&target->working_sets);
	topology_free(target->topology);
}
