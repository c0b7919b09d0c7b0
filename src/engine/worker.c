/* See worker.h.
 *
 * Shared state and who may touch it: `lock` guards pending, running, results and ready; `cancel` and `machine.known`
 * are atomics; everything else belongs to the worker's thread once it runs. Nothing is locked while a trial runs. */
#include "engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/clock.h"
#include "engine/counting.h"
#include "engine/isolate.h"
#include "engine/measure.h"
#include "engine/store.h"
#include "engine/topology.h"
#include "kernels/place.h"

/* Above this a working set that was walked last is not brought into the caches once more: it takes as long as some trials. */
static const uint64_t warm_again = 4 << 20;

struct answer {
	struct answer *next;
	struct result result;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;      /* a request came, or it is time to stop, or (to waiters) the worker is ready */
	int pipe[2];
	struct worker_options options;
	int caller_thread, caller_cpu;

	bool stop, running, has_pending, ready;
	struct request pending;
	struct answer *first, *last;
	struct status start;      /* how the start went; valid once ready */
	atomic_bool cancel;
	struct machine machine;

	struct topology *topology;
	struct clock clock;
	struct counting *counting;        /* NULL until a core was chosen */
	struct store store;
	struct trials trials;
};

static void worker_wake_user(struct worker *worker)
{
	/* A full pipe is readable already: nothing is lost. */
	while (write(worker->pipe[1], "!", 1) < 0 && errno == EINTR)
		;
}

static void worker_answer(struct worker *worker, const struct result *result)
{
	struct answer *answer = malloc(sizeof(*answer));

	if (!answer)
		return;      /* the user asks again; there is no memory to say so with */
	answer->next = NULL;
	answer->result = *result;
	pthread_mutex_lock(&worker->lock);
	if (worker->last)
		worker->last->next = answer;
	else
		worker->first = answer;
	worker->last = answer;
	pthread_mutex_unlock(&worker->lock);
	worker_wake_user(worker);
}

static struct status beyond_memory(const struct machine *machine, uint64_t bytes)
{
	char asked[32], most[32];

	units_bytes_long(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, asked, sizeof(asked));
	units_bytes_long((int64_t)machine->memory_limit, most, sizeof(most));
	return status_make(STATUS_FAILED, "%s are more than half of this machine's free memory (%s)%s%s", asked, most,
		*machine->memory_note ? ": " : "", machine->memory_note);
}

/* Memory for a request with its data laid out: a run ready to be called. */
static struct status worker_prepare(struct worker *worker, const struct request *request, struct kernel_run *run,
	struct slot **slot)
{
	const struct need need = place_need(request->kernel, request->v);
	const struct store_request wanted = { .kernel = request->kernel, .v = request->v, .seed = request->seed,
		.place = request->place, .near = machine_cache(&worker->machine, 1), .background = request->background,
		.limit = worker->machine.memory_limit, .now = clock_seconds() };

	if (need.memory > wanted.limit)
		return beyond_memory(&worker->machine, need.memory);
	return store_lay(&worker->store, &wanted, &worker->cancel, run, slot);
}

static void worker_facts(const struct worker *worker, const struct kernel_run *run, const struct measure *measure,
	const struct slot *slot, struct run_facts *facts)
{
	*facts = (struct run_facts){
		.cpu = worker->machine.cpu, .bound = worker->machine.bound,
		.cycles_from = measure_source(measure), .ring = run->ring, .granule = run->granule, .bytes = run->bytes,
		.footprint = run->kernel->footprint(run->v), .call = measure->whole, .calls = measure->calls,
		.watched = worker->clock.watched,
	};
	facts->asked = (enum page_kind)kernel_asked(run->kernel, run->v, ASKS_PAGES);
	arena_tell(&slot->arena, run->base, facts->footprint, &slot->place, facts->asked, worker->machine.huge_note, facts);
}

static void learn(struct worker *worker, const struct trials *trials)
{
	double ghz, turns = measure_best_turns(trials, &ghz);

	clock_learn(&worker->clock, turns, ghz);
}

/* How often each group of events is counted: what fills slices is not looked at so closely. */
enum { PASSES = 9, PASSES_BACKGROUND = 3 };

static unsigned worker_passes(const struct request *request)
{
	return request->background ? PASSES_BACKGROUND : PASSES;
}

/* Up to how many bytes a working set is to be brought into the caches: what fits none is as cold after that as before, and of strides over
 * one size the first brings it for all. Where the system does not tell: a large last cache of today's cores. */
static uint64_t warm_most(struct worker *worker, const struct kernel_run *run, struct slot *slot)
{
	uint64_t last = machine_last_cache(&worker->machine);

	return store_walk(&worker->store, slot, run) ? warm_again : last ? last : 32 << 20;
}

/* Trials on a run that is laid out, with an early answer where one was asked for. */
static void worker_trials(struct worker *worker, const struct request *request, struct kernel_run *run,
	struct slot *slot, struct result *result)
{
	const struct budget *budget = &request->budget;
	struct trials *trials = &worker->trials;
	uint64_t first = machine_cache(&worker->machine, 1);
	struct measure_goal goal = { .quiet = budget->quiet_wanted, .patience = budget->patience, .fewest = budget->fewest };
	struct measure measure;

	/* First, since what finds out about events leaves other lines in the caches. */
	if (request->plan.id != 0)
		counting_use(worker->counting, &request->plan);
	/* Where the system does not tell: the smallest first cache of today's cores. Laying out and warming do not count against the time asked
	 * for: they depend on what came before. */
	measure_begin(&measure, run, &worker->clock, first ? first : 32 << 10, warm_most(worker, run, slot), budget_warm(budget),
		&worker->cancel);
	if (run->kernel->begin_at && !measure.rewind)
		run->kernel->begin_at(run, request->place);
	measure.cpu = worker->machine.bound ? worker->machine.cpu : -1;
	if (request->plan.id != 0 && counting_cycles(worker->counting))
		measure.counting = worker->counting;
	worker_facts(worker, run, &measure, slot, &result->facts);
	goal.until = clock_seconds() + budget->seconds;
	if (budget->provisional > 0) {
		goal.trials = budget->provisional;
		measure_trials(&measure, trials, &goal, &worker->cancel);
		if (!atomic_load(&worker->cancel)) {
			result->trials = *trials;
			result->facts.cycles_from = measure_source(&measure);
			worker_answer(worker, result);
		}
	}
	goal.trials = UINT_MAX;
	measure_trials(&measure, trials, &goal, &worker->cancel);
	learn(worker, trials);
	result->facts.cycles_from = measure_source(&measure);
	if (request->plan.id != 0)
		counting_measure(worker->counting, &measure, worker_passes(request), &worker->cancel, &result->counts);
	if (atomic_load(&worker->cancel))
		result->status = status_make(STATUS_CANCELLED, "stopped");
	else if (run->complete && run->kernel->proof)
		result->status = run->kernel->proof(run);
}

static void worker_early(void *context, const struct result *result)
{
	worker_answer(context, result);
}

/* Code that is not ours. */
static void worker_measure_apart(struct worker *worker, const struct request *request, struct result *result)
{
	const struct isolate isolate = { .request = request, .clock = &worker->clock, .machine = &worker->machine,
		.counting = request->plan.id ? worker->counting : NULL, .passes = worker_passes(request),
		.cancel = &worker->cancel, .early = request->budget.provisional ? worker_early : NULL, .context = worker };
	uint64_t bytes = request->kernel->footprint(request->v);

	if (bytes > worker->machine.memory_limit) {
		result->status = beyond_memory(&worker->machine, bytes);
	} else {
		/* What the plan's names mean, and which events fit together, is found out here: the child opens them for itself. */
		counting_use(worker->counting, &request->plan);
		isolate_measure(&isolate, result);
		counting_learn(worker->counting, &result->counts);
	}
	learn(worker, &result->trials);
	result->final = true;
	worker_answer(worker, result);
}

static void worker_measure(struct worker *worker, const struct request *request)
{
	struct result result = { .generation = request->generation, .tag = request->tag, .kernel = request->kernel };
	struct slot *slot;
	struct kernel_run run;

	memcpy(result.v, request->v, sizeof(result.v));
	if (request->kernel->isolated) {
		worker_measure_apart(worker, request, &result);
		return;
	}
	worker->trials.count = 0;
	memset(worker->trials.forgotten, 0, sizeof(worker->trials.forgotten));
	result.status = worker_prepare(worker, request, &run, &slot);
	if (status_is_ok(&result.status))
		worker_trials(worker, request, &run, slot, &result);
	result.trials = worker->trials;
	result.final = true;
	worker_answer(worker, &result);
}

/* Core, clock and what is known of the machine. */
static struct status worker_settle(struct worker *worker)
{
	struct machine *machine = &worker->machine;
	struct status status, bound;

	worker->topology = topology_load(&status);
	if (!worker->topology)
		return status;
	machine->processors = topology_processors(worker->topology);
	status = topology_choose(worker->topology, worker->options.cpu, worker->caller_cpu, &machine->cpu);
	if (!status_is_ok(&status))
		return status;
	if (worker->options.bind_caller)
		machine->apart = topology_keep_off(worker->topology, worker->caller_thread, machine->cpu);
	bound = topology_bind(worker->topology, machine->cpu);
	machine->bound = status_is_ok(&bound);
	if (!machine->bound) {
		memcpy(machine->bind_note, bound.text, sizeof(machine->bind_note) - 1);
		machine->cpu = sched_getcpu();
	}
	worker->store = (struct store){ .topology = worker->topology, .cpu = machine->cpu };
	worker->counting = counting_new(machine->cpu, "");
	machine->cache_count = topology_caches(worker->topology, machine->cpu, machine->cache);
	machine_identify(machine);
	clock_calibrate(&worker->clock);
	machine->tick_hz = worker->clock.hz;
	machine->tick_step = worker->clock.step;
	machine->watched = worker->clock.watched;
	memcpy(machine->clock_name, CLOCK_CHAIN_NAME, sizeof(CLOCK_CHAIN_NAME));
	return status_ok();
}

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct status start = worker_settle(worker);
	struct request request;

	pthread_mutex_lock(&worker->lock);
	worker->start = start;
	worker->ready = true;
	atomic_store(&worker->machine.known, status_is_ok(&start));
	pthread_cond_broadcast(&worker->wake);
	worker_wake_user(worker);
	while (!worker->stop) {
		if (!worker->has_pending) {
			pthread_cond_wait(&worker->wake, &worker->lock);
			continue;
		}
		request = worker->pending;
		worker->has_pending = false;
		worker->running = true;
		atomic_store(&worker->cancel, false);
		pthread_mutex_unlock(&worker->lock);
		if (status_is_ok(&start)) {
			worker_measure(worker, &request);
		} else {
			struct result result = { .generation = request.generation, .tag = request.tag,
				.kernel = request.kernel, .final = true, .status = start };

			memcpy(result.v, request.v, sizeof(result.v));
			worker_answer(worker, &result);
		}
		pthread_mutex_lock(&worker->lock);
		worker->running = false;
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

static void worker_release(struct worker *worker)
{
	struct answer *answer;

	counting_free(worker->counting);
	while ((answer = worker->first)) {
		worker->first = answer->next;
		free(answer);
	}
	store_free(&worker->store);
	topology_free(worker->topology);
	if (worker->pipe[0] >= 0) {
		close(worker->pipe[0]);
		close(worker->pipe[1]);
	}
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->lock);
	free(worker);
}

struct worker *worker_start(const struct worker_options *options, struct status *status)
{
	struct worker *worker = calloc(1, sizeof(*worker));
	sigset_t all, before;
	int error;

	if (!worker) {
		*status = status_make(STATUS_FAILED, "no memory for the worker");
		return NULL;
	}
	counters_begin();      /* while there is one thread */
	worker->options = *options;
	worker->caller_thread = (int)gettid();
	worker->caller_cpu = sched_getcpu();
	worker->machine.cpu = -1;
	worker->start = status_ok();
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->wake, NULL);
	if (pipe2(worker->pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
		*status = status_make(STATUS_FAILED, "no pipe for the worker: %s", strerror(errno));
		worker->pipe[0] = -1;
		worker_release(worker);
		return NULL;
	}
	/* Signals go to the caller's thread: a handler on the measured core would fall into trials. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&worker->thread, NULL, worker_main, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		*status = status_make(STATUS_FAILED, "no thread for the worker: %s", strerror(error));
		worker_release(worker);
		return NULL;
	}
	*status = status_ok();
	return worker;
}

struct status worker_wait_ready(struct worker *worker)
{
	struct status status;

	pthread_mutex_lock(&worker->lock);
	while (!worker->ready)
		pthread_cond_wait(&worker->wake, &worker->lock);
	status = worker->start;
	pthread_mutex_unlock(&worker->lock);
	return status;
}

void worker_stop(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	worker->stop = true;
	atomic_store(&worker->cancel, true);
	pthread_cond_broadcast(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	worker_release(worker);
}

static void worker_submit(void *context, const struct request *request)
{
	struct worker *worker = context;

	pthread_mutex_lock(&worker->lock);
	worker->pending = *request;
	worker->has_pending = true;
	if (worker->running)
		atomic_store(&worker->cancel, true);
	pthread_cond_broadcast(&worker->wake);
	pthread_mutex_unlock(&worker->lock);
}

static void worker_cancel(void *context)
{
	struct worker *worker = context;

	pthread_mutex_lock(&worker->lock);
	worker->has_pending = false;
	if (worker->running)
		atomic_store(&worker->cancel, true);
	pthread_mutex_unlock(&worker->lock);
}

static bool worker_take(void *context, struct result *result)
{
	struct worker *worker = context;
	struct answer *answer;
	char drain[64];

	pthread_mutex_lock(&worker->lock);
	answer = worker->first;
	if (answer) {
		worker->first = answer->next;
		if (!worker->first)
			worker->last = NULL;
	}
	/* Only an empty queue empties the pipe: a reader that takes one answer at a time is woken for the next. */
	if (!worker->first)
		while (read(worker->pipe[0], drain, sizeof(drain)) > 0)
			;
	pthread_mutex_unlock(&worker->lock);
	if (!answer)
		return false;
	*result = answer->result;
	free(answer);
	return true;
}

static int worker_descriptor(void *context)
{
	return ((struct worker *)context)->pipe[0];
}

static const struct machine *worker_machine(void *context)
{
	return &((struct worker *)context)->machine;
}

static size_t worker_offers(void *context, const char *words, const char *pmu, struct counter_offer *offers, size_t most)
{
	(void)context;
	return counters_search(words, pmu, offers, most);
}

static struct status worker_encodes(void *context, const char *name)
{
	(void)context;
	return counters_encode(name, NULL, NULL);
}

struct engine worker_engine(struct worker *worker)
{
	return (struct engine){
		.context = worker, .submit = worker_submit, .cancel = worker_cancel, .take = worker_take,
		.descriptor = worker_descriptor, .machine = worker_machine,
		.offers = worker_offers, .encodes = worker_encodes,
	};
}
