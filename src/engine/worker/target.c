#include "engine/worker/target.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/counters/counting.h"
#include "engine/machine/environment.h"
#include "engine/machine/topology.h"
#include "engine/measure/goal.h"
#include "engine/measure/line.h"
#include "engine/own/own.h"
#include "engine/worker/isolate.h"
#include "engine/worker/load_threads.h"
#include "engine/worker/quietest.h"
#include "kernels/knob_rows.h"

/* The fractional part of the golden ratio: its multiples modulo 1 spread evenly and never repeat.
 */
static const double golden = 0.6180339887;

/* Load threads' memory that was not used for this many seconds is freed. */
static const double load_threads_idle = 10;

/* A request to measure, and its state while it is measured. */
struct visit {
	struct target *target;
	const struct request *request;
	struct kernel_need need;
	int cpu; /* the processor that runs the kernel */
	/* number of the working set's current position in memory, from 0, and number of positions
	 */
	unsigned placement, placements;
	double began; /* time at which measuring at the current position in memory began, seconds */
	const atomic_bool *cancel;
	target_answer *answer;
	void *context;
};

static struct status beyond_memory(const struct machine *machine, uint64_t bytes)
{
	return status_failed("%s are more than %s (%s)",
		units_size_long(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes).text,
		memory_limits_half(machine->memory_bound),
		units_size_long((int64_t)machine->memory_limit).text);
}

static unsigned placements(const struct visit *visit)
{
	const struct request *request = visit->request;
	unsigned most = placements_of(kernel_footprint(request->kernel, request->v),
		machine_cache(&visit->target->machine, 1));

	if (request->kernel->isolated || visit->need.processors > 1 ||
		request->budget.placements == 0)
		return 1;
	return request->budget.placements < most ? request->budget.placements : most;
}

/* Returns the starting point in the kernel's ring of data: another point for each position in
 * memory. */
static double place_of(const struct visit *visit)
{
	return fmod(visit->request->place + visit->placement * golden, 1);
}

/* Lays out the data of a request and prepares *run for calls. */
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

	struct status status =
		working_sets_lay(&visit->target->sets, &wanted, visit->cancel, run, slot);

	if (visit->need.cores > 1)
		run->shared = load_threads_shared(visit->target->threads);
	return status;
}

/* Returns the bytes that each load thread that streams reads: twice the size of the last cache, but
 * at most 256 MiB, and at most its part of the remaining memory. */
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

/* Starts the load threads if the request needs them. Sets *limit to the bytes that this thread's
 * working sets may hold. */
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
		/* Keep the load threads' memory for a while, unless this request needs that memory.
		 */
		load_threads_give_back(target->threads, wanted.now,
			load_threads_held(target->threads) + set + ARENA_PIECE > *limit
				? 0
				: load_threads_idle);
		*limit -= load_threads_held(target->threads);
		return status_ok();
	}
	if (need->streams > 0)
		wanted.stream_bytes = stream_bytes(&target->machine, need);
	wanted.share =
		(*limit - (uint64_t)need->streams * wanted.stream_bytes) / (uint64_t)need->cores;
	wanted.limit = *limit - wanted.share;
	*limit = wanted.share;
	working_sets_shrink(&target->sets, *limit);
	return load_threads_gather(target->threads, &wanted, visit->cancel);
}

/* Whether the bandwidth of the load threads counts. Cores that write to one line slow each other
 * down only while all of them run: between the timed regions of a trial, a load thread has the line
 * alone, so its bandwidth would be too high. */
static bool others_count(const struct visit *visit)
{
	const struct request *request = visit->request;

	return visit->need.processors > 1 &&
	       !(request->kernel->shares_line && request->kernel->shares_line(request->v));
}

static struct run_facts facts_of(
	const struct visit *visit, const struct measure *measure, const struct slot *slot)
{
	const struct machine *machine = &visit->target->machine;
	const struct kernel_run *run = measure->run;
	struct run_facts facts = measure_facts(measure);

	facts.cpu = visit->cpu;
	facts.bound = machine->bound;
	facts.cores = visit->need.cores;
	facts.streams = visit->need.streams;
	facts.others_gbps = others_count(visit) ? NAN : 0;
	if (getloadavg(&facts.load, 1) != 1)
		facts.load = NAN;
	facts.on_cpu = facts.runnable = NAN;
	facts.asked = (enum page_kind)kernel_asked(run->kernel, run->v, ASKS_PAGES);
	if (slot)
		arena_tell(&slot->arena, slot->offset + run->layout.base, facts.footprint,
			&slot->place, facts.asked, machine->huge_note, &facts);
	return facts;
}

/* Describes, after the trials, how much other threads ran at the same time. `before`: the data on
 * this thread before the trials. */
static void describe_others(
	const struct visit *visit, const struct clock_thread *before, struct run_facts *facts)
{
	struct clock_thread after = clock_thread();
	double seconds = after.at - before->at;

	/* Load threads of the request itself run on other cores. */
	if (visit->need.processors > 1 || !(seconds > 0))
		return;
	facts->on_cpu = fmin(1, (after.on - before->on) / seconds);
	facts->runnable = environment_runnable("");
}

static void learn(struct target *target, const struct trials *trials)
{
	double ghz, turns = trials_best_turns(trials, &ghz);

	clock_learn(&target->clock, turns, ghz);
}

/* Number of times that each group of events is counted; background measurements need less
 * precision. */
enum { PASSES = 9, PASSES_BACKGROUND = 3 };

/* Measures an own loop on the other data: on fresh data if its trials had repeated data, and on
 * repeated data if they had fresh data. The trials after a change of the data are not used, because
 * the branch predictor may still learn. `made` has the trials on the data that the setting chooses,
 * fresh or repeated: if other processes disturbed them, disturbed trials on the other data are
 * comparable. */
static void measure_other_data(struct measure *measure, double seconds, const struct trials *made,
	struct run_facts *facts, const atomic_bool *cancel)
{
	struct kernel_run *run = measure->run;
	struct counting *counting = measure->counting;
	/* This code runs in a child process, where another thread may have held the lock of
	 * malloc() at the fork. */
	struct trials trials = { .count = 0 };
	struct sample sample, main;
	bool sets_up = run->sets_up;

	sample_summarise(made, facts, &main);
	run->fresh = !run->fresh;
	run->sets_up = true;
	measure->counting = NULL;
	for (int i = 0; i < 2; i++) {
		struct measure_goal goal = { .quiet = QUIET_ENOUGH,
			.until = clock_seconds() + (i == 0 ? seconds / 8 : seconds) };

		trials.count = 0;
		measure_trials(measure, &trials, &goal, cancel);
	}
	sample_summarise(&trials, facts, &sample);
	if (sample.valid && (main.contended || !sample.contended) && !atomic_load(cancel))
		*(run->fresh ? &facts->cpe_fresh : &facts->cpe_repeated) = sample.cpe;
	measure->counting = counting;
	run->sets_up = sets_up;
	run->fresh = !run->fresh;
}

/* Makes trials on a prepared run, with an early result if the request asks for one. The parameter
 * `slot` is NULL in a child process, which has its own memory and sets result->facts.pages itself.
 */
static void make_trials(
	const struct visit *visit, struct kernel_run *run, struct slot *slot, struct result *result)
{
	struct target *target = visit->target;
	const struct request *request = visit->request;
	const atomic_bool *cancel = visit->cancel;
	const struct budget *budget = &request->budget;
	struct counting *counting = request->plan.id != 0 ? target->counting : NULL;
	unsigned count = visit->placements;
	bool fresh = budget->fresh && slot;
	struct clock clock;
	uint64_t first = machine_cache(&target->machine, 1);
	double bend;
	struct measure measure;
	struct run_facts facts;
	struct clock_thread before;
	struct measure_goal goal = { .quiet = (visit->placement + 1) * budget->quiet_wanted / count,
		.precision = slot ? budget->precision : 0,
		.patience = budget->patience,
		.fewest = budget->fewest };

	clock_find_window(&target->clock);
	clock = target->clock;
	/* Load threads of the request itself slow this core down: this slowdown is not contention.
	 */
	clock.watched = clock.watched && visit->need.processors == 1;
	/* Open the hardware events first, because trying events changes the contents of the caches.
	 */
	if (counting && slot)
		counting_use(counting, &request->plan);
	else if (counting)
		counting_use_in_child(counting);
	/* The time for layout and warm-up does not count against the requested time, because it
	 * depends on earlier requests. 32 KiB is the smallest first-level data cache of current
	 * cores. */
	progress_end(&target->progress);
	target->settle.own_bytes = machine_own_caches(&target->machine);
	target->settle.lap = budget->lap_seconds;
	target->settle.seconds = budget_warm(budget) / count;
	measure_begin(&measure, run, &clock, first ? first : 32 << 10,
		fresh ? UINT64_MAX : target->settle.own_bytes, budget_warm(budget), cancel);
	if (run->kernel->begin_at && !measure.rewind)
		run->kernel->begin_at(run, place_of(visit));
	if (!fresh)
		measure_settle(&measure, &target->settle, cancel);
	if (slot)
		measure.place = (uint8_t)((slot->offset + run->layout.base) / ARENA_PIECE);
	measure.progress = &target->progress;
	measure.cpu = target->machine.bound ? visit->cpu : -1;
	/* Counters cannot leave out the work that sets up each call. */
	if (run->sets_up)
		counting = NULL;
	bend = line_choose(&measure, cancel);
	if (counting && counting_cycles(counting))
		measure.counting = counting;
	facts = facts_of(visit, &measure, slot);
	facts.bend = bend;
	if (!slot) {
		memcpy(facts.pages, result->facts.pages, sizeof(facts.pages));
		memcpy(facts.pages_note, result->facts.pages_note, sizeof(facts.pages_note));
		facts.nodes = result->facts.nodes;
		facts.node = result->facts.node;
	}
	result->facts = facts;
	load_threads_count(target->threads);
	result->preparing += clock_seconds() - visit->began;
	before = clock_thread();
	goal.until = before.at + budget->seconds / count;
	if (budget->provisional > 0 && visit->placement == 0) {
		goal.trials = budget->provisional;
		measure_trials(&measure, &result->trials, &goal, cancel);
		goal.trials = 0;
		result->facts.cycles_from = measure_source(&measure);
		if (!atomic_load(cancel))
			visit->answer(visit->context, result);
	}
	measure_trials(&measure, &result->trials, &goal, cancel);
	load_threads_rest(target->threads);
	describe_others(visit, &before, &result->facts);
	learn(target, &result->trials);
	result->facts.cycles_from = measure_source(&measure);
	if (run->draws && !request->background)
		measure_other_data(
			&measure, budget->seconds, &result->trials, &result->facts, cancel);
	if (counting && visit->placement + 1 == count)
		counting_measure(counting, &measure,
			request->background ? PASSES_BACKGROUND : PASSES, cancel, &result->counts);
	if (atomic_load(cancel))
		result->status = status_make(STATUS_CANCELLED, "stopped");
	else if (run->complete && run->kernel->proof)
		result->status = run->kernel->proof(run);
}

static void make_trials_in_child(const void *parents, struct kernel_run *run,
	const atomic_bool *cancel, target_answer *answer, void *context, struct result *result)
{
	struct visit visit = *(const struct visit *)parents;

	visit.placements = 1;
	visit.cancel = cancel;
	visit.answer = answer;
	visit.context = context;
	make_trials(&visit, run, NULL, result);
}

/* Compiles an own loop for the knob values of the request, unless that has been done before. */
static struct status compile(const struct visit *visit)
{
	const struct request *request = visit->request;
	struct status status;

	progress_begin(&visit->target->progress, STAGE_COMPILING, 0, 0);
	status = own_build(request->kernel->own, request->v, visit->cancel, NULL);
	progress_end(&visit->target->progress);
	return status;
}

/* Prepares the run of a loop that was generated from a file of the user. Returns memory for
 * munmap(), which child processes inherit; NULL: no memory. */
static void *prepare_generated(
	const struct visit *visit, struct kernel_run *run, struct status *status)
{
	const struct request *request = visit->request;
	uint64_t bytes = kernel_footprint(request->kernel, request->v);
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED) {
		*status = status_failed("no memory for a loop: %s", strerror(errno));
		return NULL;
	}
	*run = (struct kernel_run){
		.kernel = request->kernel, .memory = memory, .seed = request->seed
	};
	memcpy(run->v, request->v, sizeof(run->v));
	*status = code_buffer_prepare(&visit->target->sets.room, run);
	return memory;
}

/* Measures the user's own code in a child process. */
static void measure_apart(const struct visit *visit, struct result *result)
{
	struct target *target = visit->target;
	const struct request *request = visit->request;
	struct kernel_run run;
	struct isolate isolate = { .request = request,
		.clock = &target->clock,
		.topology = target->topology,
		.huge_note = target->machine.huge_note,
		.cancel = visit->cancel,
		.early = request->budget.provisional ? visit->answer : NULL,
		.context = visit->context,
		.make_trials = make_trials_in_child,
		.visit = visit };
	uint64_t bytes = kernel_footprint(request->kernel, request->v);
	void *memory = NULL;

	if (bytes > target->machine.memory_limit)
		result->status = beyond_memory(&target->machine, bytes);
	else if (request->kernel->own)
		result->status = compile(visit);
	else if ((memory = prepare_generated(visit, &run, &result->status)))
		isolate.run = &run;
	if (status_is_ok(&result->status)) {
		/* Find the codes and groups of the plan's events in the parent process. The child
		 * process opens the events for itself. */
		counting_use(target->counting, &request->plan);
		isolate_measure(&isolate, result);
		counting_learn(target->counting, &result->counts);
	}
	if (memory)
		munmap(memory, bytes);
	learn(target, &result->trials);
}

/* Measures a request in this process. The load threads on other cores are ready before the first
 * trial, and end after the last trial. */
static void measure_here(struct visit *visit, struct result *result)
{
	struct target *target = visit->target;
	struct status *status = &result->status;
	struct slot *slot;
	struct kernel_run run;
	uint64_t limit;

	visit->began = clock_seconds();
	visit->placements = placements(visit);
	*status = gather(visit, &limit);
	for (; status_is_ok(status) && visit->placement < visit->placements; visit->placement++) {
		if (visit->placement > 0)
			visit->began = clock_seconds();
		*status = prepare(visit, limit, &run, &slot);
		if (status_is_ok(status) && visit->request->change.write)
			*status = code_buffer_change(&visit->target->changed,
				&visit->target->sets.room, &visit->request->change, &run);
		if (visit->placement == 0) {
			struct status begun = load_threads_begin(target->threads);

			if (status_is_ok(status))
				*status = begun;
		}
		if (status_is_ok(status))
			make_trials(visit, &run, slot, result);
	}
	if (visit->placement > 0 && visit->need.processors > 1) {
		double gbps = load_threads_dismiss(target->threads, &result->facts.on_cpu);

		result->facts.others_gbps = others_count(visit) ? gbps : 0;
	}
}

/* Moves this thread to another core, if the request asks for one. */
static struct status move(struct visit *visit)
{
	struct target *target = visit->target;

	visit->cpu = target->machine.cpu;
	if (!visit->request->elsewhere)
		return status_ok();
	if (!target->machine.bound || visit->need.processors > 1 ||
		topology_others(target->topology, target->machine.cpu, &visit->cpu, 1) < 1)
		return status_failed("no other core is free for this measurement");
	return topology_bind(target->topology, visit->cpu);
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
	result.status = status_is_ok(&target->opened) ? move(&visit) : target->opened;
	if (!status_is_ok(&result.status))
		;
	else if (request->kernel->isolated)
		measure_apart(&visit, &result);
	else
		measure_here(&visit, &result);
	if (visit.cpu != target->machine.cpu && status_is_ok(&target->opened))
		(void)topology_bind(target->topology, target->machine.cpu);
	progress_end(&target->progress);
	result.final = true;
	answer(context, &result);
}

struct status target_open(struct target *target, int cpu, int avoid_cpu, int caller_thread)
{
	struct machine *machine = &target->machine;
	struct status status, bound;

	target->topology = topology_load(&status);
	if (!target->topology)
		return status;
	machine->processors = topology_processors(target->topology);
	machine->places = memory_new((size_t)machine->processors, sizeof(*machine->places));
	if (topology_places(target->topology, machine->places, machine->processors) !=
		machine->processors) {
		free(machine->places);
		machine->places = NULL;
	}
	machine->node_end = topology_node_end(target->topology);
	status = topology_choose(target->topology, cpu, avoid_cpu, &machine->cpu);
	if (!status_is_ok(&status))
		return status;
	if (cpu < 0)
		machine->cpu = quietest_core(target->topology, machine->cpu);
	/* Call load_threads_new() before any thread is bound: the threads' affinity shows which
	 * processors this process may use. */
	target->threads = load_threads_new(target->topology, machine->cpu);
	if (!target->threads)
		return status_failed("no memory for the threads on other cores");
	if (caller_thread)
		machine->apart = topology_keep_off(target->topology, caller_thread, machine->cpu);
	bound = topology_bind(target->topology, machine->cpu);
	machine->bound = status_is_ok(&bound);
	if (!machine->bound) {
		memcpy(machine->bind_note, bound.text, sizeof(machine->bind_note) - 1);
		machine->cpu = sched_getcpu();
	}
	target->sets = (struct working_sets){ .topology = target->topology, .cpu = machine->cpu };
	target->counting = counting_new(machine->cpu, "", &perf_calls_linux);
	machine->cache_count = topology_caches(target->topology, machine->cpu, machine->cache);
	machine_identify(machine);
	clock_calibrate(&target->clock);
	machine->tick_hz = target->clock.hz;
	machine->tick_step = target->clock.step;
	machine->watched = target->clock.watched;
	memcpy(machine->clock_name, CLOCK_CHAIN_NAME, sizeof(CLOCK_CHAIN_NAME));
	return status_ok();
}

void target_rest(struct target *target)
{
	if (target->threads)
		load_threads_give_back(target->threads, clock_seconds(), 0);
	working_sets_free(&target->sets);
	code_buffer_free(&target->changed);
	target->settle = (struct settle){ 0 };
	memory_give_back();
}

void target_close(struct target *target)
{
	counting_free(target->counting);
	load_threads_free(target->threads);
	working_sets_free(&target->sets);
	code_buffer_free(&target->changed);
	topology_free(target->topology);
	free(target->machine.places);
	target->machine.places = NULL;
}
