/* Parent process and child process share one memory mapping. The child process writes trials, facts
 * about the run, its status and the number of finished calls to the shared mapping. The parent
 * process checks the number of finished calls every LOOK_MS milliseconds. A byte on the child's
 * pipe announces an early result. A closed pipe means that the child process has ended. After the
 * end of the child process, the parent reads the trials from the shared mapping. */
#include "engine/worker/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/measure/line.h"
#include "engine/memory/arena.h"
#include "engine/own/own.h"
#include "engine/own/own_child.h"
#include "engine/worker/handed.h"

enum phase { PHASE_LOADING, PHASE_CALLING, PHASE_DONE };

struct shared {
	atomic_bool cancel, early;
	atomic_bool memory_out; /* set if a failure ends the child process while its memory is out
				 */
	_Atomic uint64_t calls;
	_Atomic int phase;
	struct result result;
};

/* STOP_MS: time in which a child must stop after cancellation, milliseconds. LOOK_MS: interval
 * between two checks by the parent, milliseconds. CLOSED_LOOK_MS: the interval after the child has
 * closed its pipe, because the child usually ends then. */
enum { STOP_MS = 20, LOOK_MS = 10, CLOSED_LOOK_MS = 1 };

/* Seconds for the calls of one try, with their setup(). */
static const double CHECK_SECONDS = 5e-3;
/* The first calls tell how long a call takes: this many, or fewer if they take longer than this. */
enum { FIRST_CALLS = 4 };
static const double FIRST_SECONDS = 0.05;
/* No further round begins after so many seconds. */
static const double CHECK_LATEST = 1;

/* ---- in the child ---- */

/* Data below this many bytes get small pages if the user asked for no page size. Small pages cost
 * nothing for small data, but a huge page of 2 MiB would have to be cleared at each request. */
enum { SMALL_DATA = 256 << 10 };

/* Gets zeroed memory for the data, with the pages that the setting asks for. All pages are touched
 * before any timing. Describes the pages in *facts. */
static struct status get_memory(const struct isolate *isolate, uint64_t bytes,
	const atomic_bool *cancel, struct arena *arena, struct run_facts *facts)
{
	const struct request *request = isolate->request;
	enum page_kind asked =
		(enum page_kind)kernel_asked(request->kernel, request->v, ASKS_PAGES);
	struct arena_place place = { .topology = isolate->topology,
		.node = -1,
		.small = asked == PAGES_4K || (asked == PAGES_AUTO && bytes < SMALL_DATA) };
	bool kept;
	struct status status = arena_need(arena, bytes, bytes, &place, cancel, &kept);

	if (status_is_ok(&status))
		arena_tell(arena, 0, bytes, &place, asked, isolate->huge_note, facts);
	return status;
}

/* Calls of at least this many seconds always meet other threads on the core. */
static const double LONG_CALL = 1e-3;

/* Returns the ticks of calls of the user's loop. The time of other threads on the core does not
 * count if the calls are long. It is not subtracted from short calls, because time that a
 * hypervisor takes may be subtracted too late, from the next call: only disturbed calls would then
 * seem fast. */
static double ticks_of(struct kernel_run *run, const struct clock *clock, uint64_t elements,
	int calls, bool is_long)
{
	struct clock_thread before = clock_thread(), after;
	double away;
	uint64_t begin, ticks;

	run->excluded = 0;
	begin = clock_ticks();
	for (int k = 0; k < calls; k++) {
		run->kernel->call(run, elements);
		clock_fence();
	}
	ticks = clock_ticks() - begin - run->excluded;
	after = clock_thread();
	if (!is_long)
		return (double)ticks;
	/* The time of other threads is not subtracted if calls of the loop are prepared (setup(),
	 * new data), because these threads may have run during the preparation, whose time is
	 * excluded already. */
	away = after.switches == before.switches || run->sets_up
		       ? 0
		       : after.at - before.at - (after.on - before.on);
	return (double)ticks - fmax(away, 0) * clock->hz;
}

/* Fails if the time of the user's loop does not depend on n: such a loop has no cycles per element.
 */
static struct status check_slope(struct kernel_run *run, const struct clock *clock)
{
	const double before = clock_seconds();
	/* The ticks of a call, and the seconds of a call with its setup(), which may take much
	 * longer. Short calls are repeated: one that another thread interrupts seems long. */
	double whole = INFINITY, each = INFINITY;

	for (int i = 0; i < FIRST_CALLS && (i == 0 || clock_seconds() - before < FIRST_SECONDS);
		i++) {
		const double start = clock_seconds();

		whole = fmin(whole, ticks_of(run, clock, run->ring, 1, false));
		each = fmin(each, fmax(clock_seconds() - start, 1e-9));
	}

	const bool is_long = whole / clock->hz >= LONG_CALL;
	/* Time several short calls together, because the clock advances in steps. Repeat the calls,
	 * because interruptions may slow some calls down. */
	int calls = (int)fmax(
		1, fmin(fmin(1000, 2e-5 * clock->hz / fmax(whole, 1)), CHECK_SECONDS / each));
	int tries = whole / clock->hz < 1e-4 && each * calls < CHECK_SECONDS ? 8 : 1;
	double longer[LINE_ROUNDS], half[LINE_ROUNDS];

	/* In each round, calls with n and with n / 2 alternate, so that a slow spell affects both
	 * lengths. On a busy machine, more rounds follow. */
	for (unsigned i = 0;
		i < LINE_FIRST || (i < LINE_ROUNDS && clock_seconds() - before < CHECK_LATEST);
		i++) {
		longer[i] = half[i] = INFINITY;
		for (int k = 0; k < tries; k++) {
			longer[i] =
				fmin(longer[i], ticks_of(run, clock, run->ring, calls, is_long));
			half[i] =
				fmin(half[i], ticks_of(run, clock, run->ring / 2, calls, is_long));
		}
		if (line_rises(half, longer, i + 1, clock->step))
			return status_ok();
	}
	return status_failed("%.100s: loop() takes the same time for n=%lld and n=%lld: does it "
			     "process n elements? A compiler removes a loop whose results are not "
			     "used. If neither is the cause, use a larger n",
		run->kernel->name, (long long)run->v[0], (long long)run->v[0] / 2);
}

struct announcement {
	atomic_bool *set;
	int pipe;
};

/* Announces the early result, which is in the shared mapping. */
static void announce(void *context, const struct result *result)
{
	const struct announcement *announcement = context;

	(void)result;
	atomic_store(announcement->set, true);
	(void)TEMP_FAILURE_RETRY(write(announcement->pipe, "!", 1));
}

/* Loads an own loop, lays out its data, and prepares *run. */
static struct status prepare(
	const struct isolate *isolate, struct shared *shared, struct kernel_run *run)
{
	const struct request *request = isolate->request;
	const struct own_description description =
		own_change_apply(own_description(request->kernel->own), &request->own_change);
	uint64_t bytes = own_data_bytes(&description, request->v[0]);
	struct code_buffer changed = { 0 };
	struct arena arena = { 0 };
	struct status status = get_memory(
		isolate, bytes ? bytes : 1, &shared->cancel, &arena, &shared->result.facts);

	if (!status_is_ok(&status))
		return status;
	*run = (struct kernel_run){ .kernel = request->kernel,
		.memory = arena.memory,
		.seed = request->seed,
		.work.cancel = &shared->cancel,
		.own_change = &request->own_change };
	memcpy(run->v, request->v, sizeof(run->v));
	own_child_limit_memory(&shared->memory_out);
	status = kernel_prepare(run);
	if (status_is_ok(&status) && request->change.write)
		status = code_buffer_change(
			&changed, &(struct code_buffer){ 0 }, &request->change, run);
	return status;
}

static struct status measure_in_child(
	const struct isolate *isolate, struct shared *shared, int early)
{
	struct announcement announcement = { &shared->early, early };
	struct kernel_run run;
	struct status status = status_ok();

	if (isolate->run)
		run = *isolate->run;
	else
		status = prepare(isolate, shared, &run);
	if (!status_is_ok(&status))
		return status;
	run.work.cancel = &shared->cancel;
	own_child_count(&shared->calls);
	atomic_store(&shared->phase, PHASE_CALLING);
	if (!isolate->run)
		status = check_slope(&run, isolate->clock);
	if (status_is_ok(&status))
		isolate->make_trials(isolate->visit, &run, &shared->cancel, announce, &announcement,
			&shared->result);
	return status;
}

static _Noreturn void child_main(
	const struct isolate *isolate, struct shared *shared, int early, int said)
{
	own_child_begin(early, said);
	shared->result.status = measure_in_child(isolate, shared, early);
	atomic_store(&shared->phase, PHASE_DONE);
	_exit(0);
}

/* ---- in the parent ---- */

/* Copies what the child process wrote, and checks the copy: the child process may still write. */
static void take(const struct isolate *isolate, const struct shared *shared, struct result *result)
{
	result->status = shared->result.status;
	result->trials = shared->result.trials;
	result->facts = shared->result.facts;
	result->counts = shared->result.counts;
	handed_check(result, isolate->request);
}

/* Returns the name of the measured code for messages. Generated loops have no names. */
static const char *name_of(const struct isolate *isolate)
{
	return isolate->run ? "its code" : isolate->request->kernel->name;
}

/* Returns the part of an own loop that runs in a phase, for messages. */
static const char *part_of(const struct kernel *kernel, int phase)
{
	if (!kernel->own)
		return "";
	return phase == PHASE_LOADING ? ": loading it" : ": loop()";
}

/* Returns the outcome of a child process that has ended with the wait status `how`. `told` is the
 * outcome that the child process wrote. */
static struct status ended(const struct isolate *isolate, const struct shared *shared, int how,
	struct own_said *said, const struct status *told)
{
	const struct kernel *kernel = isolate->request->kernel;
	const char *name = name_of(isolate);
	int phase = atomic_load(&shared->phase);
	bool loading = phase == PHASE_LOADING;
	struct words null = { "" };

	if (kernel->own && !loading && WTERMSIG(how) == SIGSEGV)
		null = own_call_words(own_description(kernel->own));
	if (WIFSIGNALED(how))
		return status_failed("%.100s %s%s%s%s%s", name,
			atomic_load(&shared->memory_out) ? own_child_memory_words : "",
			own_ended_by(WTERMSIG(how)).text,
			!kernel->own ? ""
			: loading    ? " while it was loaded"
				     : " in loop()",
			null.text, own_said_close(said).text);
	if (phase == PHASE_DONE)
		return *told;
	return status_failed("%.100s%s ended the process: exit(%d)%s", name, part_of(kernel, phase),
		WEXITSTATUS(how), own_said_close(said).text);
}

/* Returns the seconds for which a process has waited for a processor; 0: unknown. */
static double waited(pid_t process)
{
	char path[48];
	unsigned long long nanoseconds = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)process);
	file = fopen(path, "re");
	if (file && fscanf(file, "%*u %llu", &nanoseconds) != 1)
		nanoseconds = 0;
	if (file)
		fclose(file);
	return (double)nanoseconds * 1e-9;
}

/* The elements of a call. */
static double elements_of(const struct request *request)
{
	const struct own *own = request->kernel->own;

	return (double)(own ? own_elements(own, request->v[0]) : (uint64_t)request->v[0]);
}

/* Whether the trials of a sample take too long, `elapsed` seconds after their beginning. On a busy
 * machine, the child process may wait for a processor for most of the time. */
static bool is_endless(const struct request *request, pid_t child, double elapsed)
{
	double limit = ISOLATE_SAMPLE + ISOLATE_SAMPLE_EACH * elements_of(request) +
		       2 * (request->budget.seconds + budget_warm(&request->budget));

	return elapsed > limit &&
	       (elapsed > ISOLATE_BUSY * limit || elapsed - waited(child) > limit);
}

/* Waits until the child process ends, a call of the user's loop takes too long, or the request is
 * cancelled. */
static struct status wait_for(const struct isolate *isolate, struct shared *shared, pid_t child,
	int early, struct own_said *said, struct result *result)
{
	const char *name = name_of(isolate);
	double patience = ISOLATE_PATIENCE + ISOLATE_PATIENCE_EACH * elements_of(isolate->request);
	double began = clock_seconds(), since = began, stopping = INFINITY;
	struct pollfd wait = { .fd = early, .events = POLLIN };
	uint64_t calls = 0;
	int phase = PHASE_LOADING;

	for (;;) {
		double now;
		char byte;

		/* The user's code may write to the pipe, close it, or start a process that holds it
		 * open. */
		if (poll(&wait, 1, wait.fd < 0 ? CLOSED_LOOK_MS : LOOK_MS) > 0 &&
			read(early, &byte, 1) != 1)
			wait.fd = -1;
		own_said_read(said);
		if (own_child_over(child)) {
			int how = own_child_end(child, false);

			take(isolate, shared, result);
			return ended(isolate, shared, how, said, &result->status);
		}
		if (atomic_exchange(&shared->early, false)) {
			take(isolate, shared, result);
			result->status = status_ok();
			if (isolate->early && !atomic_load(isolate->cancel))
				isolate->early(isolate->context, result);
		}
		now = clock_seconds();
		if (atomic_load(&shared->calls) != calls || atomic_load(&shared->phase) != phase) {
			calls = atomic_load(&shared->calls);
			phase = atomic_load(&shared->phase);
			since = now;
		}
		if (atomic_load(isolate->cancel) && stopping == INFINITY) {
			atomic_store(&shared->cancel, true);
			stopping = now + STOP_MS * 1e-3;
		}
		if (now >= stopping) {
			own_child_end(child, true);
			return status_make(STATUS_CANCELLED, "stopped");
		}
		if (now - since > patience) {
			own_child_end(child, true);
			return status_failed("%.100s%s did not return within %.3g s", name,
				part_of(isolate->request->kernel, phase), patience);
		}
		if (is_endless(isolate->request, child, now - began)) {
			own_child_end(child, true);
			if (!isolate->request->kernel->own)
				return status_failed("%.100s is too slow: its calls took %.2g s",
					name, now - began);
			return status_failed(
				"%.100s: %llu calls of loop(), with setup() if the file has it, "
				"took %.2g s for %.3g elements each, and a sample needs more "
				"calls: use a smaller n",
				name, (unsigned long long)calls, now - began,
				elements_of(isolate->request));
		}
	}
}

void isolate_measure(const struct isolate *isolate, struct result *result)
{
	struct shared *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct own_said said = { .from = -1 };
	struct status status;
	int early[2], said_to;
	pid_t child;

	if (shared == MAP_FAILED || pipe2(early, O_CLOEXEC) != 0) {
		result->status =
			status_failed("no memory or pipe for a process: %s", strerror(errno));
		if (shared != MAP_FAILED)
			munmap(shared, sizeof(*shared));
		return;
	}
	(void)own_said_open(&said, &said_to);
	child = own_child_fork();
	if (child == 0)
		child_main(isolate, shared, early[1], said_to);
	close(early[1]);
	if (said_to >= 0)
		close(said_to);
	if (child > 0)
		own_child_began(child);
	if (child < 0) {
		result->status = status_failed(
			"no process for %.100s: %s", name_of(isolate), strerror(errno));
	} else {
		status = wait_for(isolate, shared, child, early[0], &said, result);
		take(isolate, shared, result);
		result->status = status;
		if (status_is_ok(&result->status) && atomic_load(isolate->cancel))
			result->status = status_make(STATUS_CANCELLED, "stopped");
	}
	(void)own_said_close(&said);
	close(early[0]);
	munmap(shared, sizeof(*shared));
}
