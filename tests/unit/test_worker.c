/* The worker with real measurements, of which only the protocol is asserted, never a time. */
#include "check.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "engine/measure/goal.h"
#include "engine/measure/measure.h"
#include "engine/memory/arena.h"
#include "engine/worker/worker.h"

/* Of each test with start and stop. */
static struct worker *worker;
static struct engine engine;
static struct result result; /* the last answer */

static int start(void **state)
{
	const struct worker_options options = { .cpu = -1 };
	struct status status;

	worker = worker_start(&options, &status);
	check_ok(status);
	check_ok(worker_wait_ready(worker));
	engine = worker_engine(worker);
	return 0;
}

static int stop(void **state)
{
	worker_stop(worker);
	return 0;
}

static struct request request_for(const char *kernel, const char *knob, int64_t value)
{
	struct request request = { .kernel = kernel_find(kernel),
		.seed = 1,
		.budget = { .seconds = 0.02, .quiet_wanted = 10 } };

	for (int i = 0; i < request.kernel->knob_count; i++)
		request.v[i] = request.kernel->knobs[i].initial;
	if (knob)
		request.v[kernel_knob(request.kernel, knob)] = value;
	return request;
}

/* Waits for the next answer; a lost one ends the test. */
static void await(void)
{
	struct pollfd wait = { .fd = engine.descriptor, .events = POLLIN };

	while (!engine.take(engine.context, &result))
		if (poll(&wait, 1, 600000) != 1)
			fail_msg("no answer within ten minutes");
}

static void submit(const struct request *request)
{
	engine.submit(engine.context, request);
}

/* Submits a request whose answer is final and good. */
static void measure_one(const struct request *request)
{
	submit(request);
	await();
	check_ok(result.status);
}

TEST_WITH(a_request_gives_trials, start, stop)
{
	const struct machine *machine = engine.machine;

	assert_true(atomic_load(&machine->known));
	assert_true(machine->processors >= 1);
	assert_true(machine->memory_limit > 0);
	assert_true(machine->tick_hz > 1e6);
	assert_true(strlen(machine->name) > 0);
	for (int k = 0; kernel_registry[k]; k++) {
		struct request request = request_for(kernel_registry[k]->name, NULL, 0);
		struct sample sample;

		request.generation = 100 + (uint64_t)k;
		request.tag = 7;
		measure_one(&request);
		assert_true(result.final);
		assert_int_equal(result.generation, 100 + k);
		assert_int_equal(result.tag, 7);
		assert_ptr_equal(result.kernel, request.kernel);
		assert_memory_equal(result.v, request.v, sizeof(result.v));
		assert_true(result.trials.count >= 3);
		assert_int_equal(
			result.facts.footprint, kernel_footprint(request.kernel, request.v));
		assert_true(result.facts.call > 0 && result.facts.calls > 0);
		assert_true(result.facts.on_cpu > 0 && result.facts.on_cpu <= 1);
		assert_false(result.facts.runnable < 1);
		sample_summarise(&result.trials, &result.facts, &sample);
		if (sample.valid)
			assert_true(sample.cpe > 0 && sample.cpe_lo <= sample.cpe &&
				    sample.cpe <= sample.cpe_hi);
	}
	assert_false(engine.take(engine.context, &result));
}

TEST_WITH(a_provisional_answer_comes_first, start, stop)
{
	struct request request = request_for("combine", NULL, 0);

	request.budget.provisional = 4;
	request.budget.quiet_wanted = 40;
	submit(&request);
	await();
	assert_false(result.final);
	assert_true(result.trials.count <= 4);
	await();
	assert_true(result.final);
	assert_true(result.trials.count >= 4);
}

/* Wherever a working set begins, what it holds is what verify() expects there. */
TEST_WITH(visits_begin_at_their_places, start, stop)
{
	for (int i = 0; i < 12; i++) {
		/* Something long first: short ones then have room to move. */
		struct request request = request_for("mountain", "size",
			i % 4 ? 256 << 10 << i % 4 : CHECK_REPEATS(20, 5) << 20);

		request.place = i * 0.09;
		measure_one(&request);
		assert_true(result.trials.count >= 3);
		assert_int_equal(result.facts.footprint, request.v[0]);
	}
}

/* Of a storm of requests the last is answered; those begun before are answered as cancelled or
 * done. */
TEST_WITH(the_latest_request_wins, start, stop)
{
	uint64_t last = 0;

	for (uint64_t generation = 1; generation <= 200; generation++) {
		struct request request =
			request_for("mountain", "stride", 1 + (int64_t)(generation % 64));

		request.generation = generation;
		request.budget.seconds = 0.5;
		request.budget.quiet_wanted = 600;
		if (generation == 200) {
			request.budget.seconds = 0.001;
			request.budget.quiet_wanted = 1;
		}
		submit(&request);
	}
	while (last < 200) {
		await();
		assert_true(result.generation > last);
		last = result.generation;
		if (!status_is_ok(&result.status))
			assert_int_equal(result.status.code, STATUS_CANCELLED);
	}
	check_ok(result.status);
}

TEST_WITH(a_request_that_follows_waits_for_its_turn, start, stop)
{
	struct request request = request_for("combine", NULL, 0);

	for (uint64_t g = 1; g <= 4; g++) {
		request.generation = g;
		request.follows = g % 2 == 0;
		submit(&request);
		if (request.follows)
			for (uint64_t expected = g - 1; expected <= g; expected++) {
				await();
				assert_int_equal(result.generation, expected);
				check_ok(result.status);
			}
	}
	/* Any other takes the place of both; cancelling drops the one that waits. */
	request.budget = (struct budget){ .seconds = 3600, .quiet_wanted = 1000000 };
	for (uint64_t g = 5; g <= 8; g++) {
		request.generation = g;
		request.follows = g % 2 == 0;
		submit(&request);
	}
	engine.cancel(engine.context);
	request.budget = (struct budget){ .seconds = 0.02, .quiet_wanted = 10 };
	request.generation = 9;
	submit(&request);
	do {
		await();
		assert_int_not_equal(result.generation % 2, 0);
		assert_int_equal(
			result.status.code, result.generation == 9 ? STATUS_OK : STATUS_CANCELLED);
	} while (result.generation != 9);
}

TEST_WITH(cancelling_ends_what_is_under_way, start, stop)
{
	struct request request = request_for("combine", NULL, 0);

	/* An hour, unless the first answer's cancel takes effect. */
	request.budget =
		(struct budget){ .seconds = 3600, .quiet_wanted = 1000000, .provisional = 3 };
	submit(&request);
	await();
	assert_false(result.final);
	engine.cancel(engine.context);
	await();
	assert_true(result.final);
	assert_int_equal(result.status.code, STATUS_CANCELLED);
	assert_true(result.trials.count >= 3);
}

/* Whether the core is quiet while this runs is not ours to say; either way it ends long before the
 * hour is over. */
TEST(patience_ends_what_finds_no_quiet)
{
	atomic_bool cancel = false;
	struct trials trials = { 0 };
	unsigned char *memory = aligned_alloc(2 << 20, 4 << 20);
	const struct kernel *list = kernel_find("list-length");
	struct kernel_run run = {
		.kernel = list, .memory = memory, .work.cancel = &cancel, .v = { 16384, 16, 0 }
	};
	struct measure_goal goal = { .quiet = 100, .trials = 1000000, .patience = 12 };
	struct measure measure;
	struct clock clock;
	unsigned quiet = 0;

	clock_calibrate(&clock);
	check_ok(kernel_prepare(&run));
	measure_begin(&measure, &run, &clock, 32768, 1 << 20, 0.1, &cancel);
	goal.until = clock_seconds() + 20;
	measure_trials(&measure, &trials, &goal, &cancel);
	for (unsigned i = 0; i < trials.count; i++)
		quiet += trials.trial[i].fate == TRIAL_QUIET;
	/* Out of patience, or content with a hundred quiet ones, or out of time. */
	assert_true(quiet * 10 < trials.count || quiet >= 100 || clock_seconds() >= goal.until);
	assert_true(trials.count >= 12);
	free(memory);
}

static uint64_t walked;

static uint64_t a_megabyte(const int64_t *v)
{
	return 1 << 20;
}

/* Takes a while, whatever computes it. */
static void count_walked(struct kernel_run *run, uint64_t elements)
{
	for (volatile uint64_t i = 0; i < elements; i++)
		walked++;
}

static void stay(struct kernel_run *run)
{
}

/* Parts that are met more often than others come to stand in the nearer caches by walking alone,
 * not by reading all. */
TEST(what_is_met_more_often_is_walked_beforehand)
{
	static struct settle settle;
	const struct kernel kernel = {
		.name = "walk", .footprint = a_megabyte, .call = count_walked, .rewind = stay
	};
	unsigned char *memory = aligned_alloc(2 << 20, 2 << 20);
	atomic_bool cancel = false;
	struct kernel_run run = { .kernel = &kernel,
		.memory = memory,
		.work.cancel = &cancel,
		.ring = 1 << 20,
		.granule = 1,
		.walk.lines = 8,
		.walk.reaches = 2,
		.walk.reach = { { .lines = 4, .range = 4096 }, { .lines = 4, .range = 1 << 20 } } };
	struct measure measure;
	struct clock clock;

	clock_calibrate(&clock);
	walked = 0;
	measure_begin(&measure, &run, &clock, 32768, 1 << 19, 3600, &cancel);
	settle.own_bytes = 1 << 19;
	settle.seconds = 3600;
	measure_settle(&measure, &settle, &cancel);
	assert_true(measure.far);
	assert_true(walked >= 1 << 19);
	free(memory);
}

static uint64_t small(const int64_t *v)
{
	return 16 << 10;
}

/* In the first cache both lengths are whole passes from the ring's beginning, where a kernel wants
 * that; what is counted never passes the ring's end. */
TEST(whole_passes_begin_where_the_ring_does)
{
	const struct kernel kernel = {
		.name = "passes", .footprint = small, .call = count_walked, .rewind = stay
	};
	unsigned char *memory = aligned_alloc(2 << 20, 2 << 20);
	atomic_bool cancel = false;
	struct kernel_run run = { .kernel = &kernel,
		.memory = memory,
		.work.cancel = &cancel,
		.ring = 4096,
		.granule = 4,
		.period = 4096,
		.passes = true };
	struct measure measure;
	struct clock clock;

	clock_calibrate(&clock);
	measure_begin(&measure, &run, &clock, 32768, 1 << 20, 0.01, &cancel);
	assert_true(measure.rewind);
	assert_int_equal(measure.time.half, run.ring);
	assert_int_equal(measure.time.whole, 2 * run.ring);
	assert_true(measure.count.whole < run.ring);
	/* Beyond it, its period. */
	measure_begin(&measure, &run, &clock, 8192, 1 << 20, 0.01, &cancel);
	assert_false(measure.rewind);
	assert_int_equal(measure.time.half % run.period, 0);
	free(memory);
}

/* Preparing a call of this kernel takes a second, as its clock says, and the call itself 1 µs. */
static void prepare_long(struct kernel_run *run, uint64_t elements)
{
	uint64_t begin = clock_ticks();

	while (clock_ticks() - begin < 2000)
		;
	run->excluded += (uint64_t)1e10;
}

TEST(long_preparations_of_calls_allow_few_calls_in_a_trial)
{
	const struct kernel kernel = {
		.name = "prepared", .footprint = small, .call = prepare_long, .rewind = stay
	};
	unsigned char *memory = aligned_alloc(2 << 20, 2 << 20);
	atomic_bool cancel = true;
	struct kernel_run run = { .kernel = &kernel,
		.memory = memory,
		.work.cancel = &cancel,
		.ring = 512,
		.granule = 1,
		.sets_up = true };
	struct measure measure;
	struct clock clock;

	clock_calibrate(&clock);
	measure_begin(&measure, &run, &clock, 32768, 1 << 20, 0.01, &cancel);
	assert_int_equal(measure.time.calls, 1);
	free(memory);
}

TEST_WITH(stopping_does_not_wait_for_the_end, start, stop)
{
	struct request request = request_for("combine", NULL, 0);

	request.budget = (struct budget){ .seconds = 3600, .quiet_wanted = 1000000 };
	submit(&request);
}

TEST_WITH(memory_beyond_the_machine_is_refused, start, stop)
{
	struct request request = request_for("mountain", "size", (int64_t)1 << 50);

	submit(&request);
	await();
	assert_true(result.final);
	assert_int_equal(result.status.code, STATUS_FAILED);
	check_contains(result.status.text, "half of this machine's free memory");
	/* And it goes on. */
	request = request_for("mountain", NULL, 0);
	measure_one(&request);
}

TEST(a_processor_that_is_not_ours_is_refused)
{
	const struct worker_options options = { .cpu = 1 << 20 };
	struct status status;
	struct request request = request_for("combine", NULL, 0);

	worker = worker_start(&options, &status);
	check_ok(status);
	status = worker_wait_ready(worker);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "--cpu 1048576: this process may use only processors ");
	engine = worker_engine(worker);
	assert_false(atomic_load(&engine.machine->known));
	submit(&request);
	await();
	assert_int_equal(result.status.code, STATUS_USAGE);
	worker_stop(worker);
}

TEST(the_next_worker_may_use_all_processors)
{
	const struct worker_options options = { .cpu = -1, .bind_caller = true };
	struct status status;
	int processors = 0;

	for (int i = 0; i < 2; i++) {
		worker = worker_start(&options, &status);
		check_ok(status);
		check_ok(worker_wait_ready(worker));
		engine = worker_engine(worker);
		if (i == 0)
			processors = engine.machine->processors;
		assert_int_equal(engine.machine->processors, processors);
		worker_stop(worker);
	}
}

static atomic_bool stuck, released;

static void never_return(struct kernel_run *run, uint64_t elements)
{
	atomic_store(&stuck, true);
	while (!atomic_load(&released))
		sched_yield();
}

/* Nobody can end a call of a kernel. The program ends all the same. */
TEST(a_worker_whose_kernel_does_not_return_is_left)
{
	const struct worker_options options = { .cpu = -1, .end_after = 0.01 };
	struct request request = request_for("matmul", NULL, 0);
	struct kernel endless = *request.kernel;
	struct status status;

	endless.call = never_return;
	request.kernel = &endless;
	worker = worker_start(&options, &status);
	check_ok(status);
	check_ok(worker_wait_ready(worker));
	engine = worker_engine(worker);
	submit(&request);
	while (!atomic_load(&stuck))
		sched_yield();
	assert_false(worker_stop(worker));
	atomic_store(&released, true);
	while (!worker_stop(worker))
		;
}

static double hold_the_start(const struct machine *machine)
{
	while (!atomic_load(&released))
		sched_yield();
	return 0;
}

/* hwloc reads a large topology for seconds. A user who quits during that time does not wait. */
TEST(a_worker_that_is_not_ready_is_left_at_once)
{
	const struct worker_options options = {
		.cpu = -1, .watch_turn = hold_the_start, .end_after = 60
	};
	double begin = monotonic_seconds();
	struct status status;

	atomic_store(&released, false);
	worker = worker_start(&options, &status);
	check_ok(status);
	assert_false(worker_stop(worker));
	assert_true(monotonic_seconds() - begin < 30);
	atomic_store(&released, true);
	while (!worker_stop(worker))
		;
}

TEST(growing_memory_keeps_its_content)
{
	struct status status;
	struct topology *topology = topology_load(&status);
	const struct arena_place place = { .topology = topology, .node = -1 };
	struct arena arena = { 0 };
	atomic_bool cancel = false;
	bool kept;

	check_ok(status);
	check_ok(arena_need(&arena, 1000, 64 << 20, &place, &cancel, &kept));
	assert_true(arena.touched >= 1000);
	assert_int_equal((uintptr_t)arena.memory % (2 << 20), 0);
	arena.memory[999] = 42;
	check_ok(arena_need(&arena, 32 << 20, 64 << 20, &place, &cancel, &kept));
	assert_true(kept);
	assert_int_equal(arena.memory[999], 42);
	/* Beyond what was reserved it starts anew, and says so. */
	check_ok(arena_need(&arena, 100 << 20, 100 << 20, &place, &cancel, &kept));
	assert_false(kept);
	arena_free(&arena);
	assert_null(arena.memory);
	atomic_store(&cancel, true);
	status = arena_need(&arena, 1000, 1000, &place, &cancel, &kept);
	assert_int_equal(status.code, STATUS_CANCELLED);
	atomic_store(&cancel, false);
	status = arena_need(&arena, (uint64_t)1 << 62, (uint64_t)1 << 62, &place, &cancel, &kept);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "of memory refused");
	arena_free(&arena);
	topology_free(topology);
}

/* The calls of a trial follow the rules: whole passes of a small ring, half and whole of a longer
 * one in the first cache, calls that go on where the last one stopped beyond it. */
TEST(calls_are_chosen_by_the_working_set)
{
	enum { MEMORY = 4 << 20 };
	static const int64_t sizes[] = { 512, 4096, 16384, 32768, 262144, 4194304 };
	unsigned char *memory = aligned_alloc(2 << 20, MEMORY);
	const struct kernel *latency = kernel_find("latency"), *list = kernel_find("list-length");
	atomic_bool cancel = false;
	struct clock clock;

	clock_calibrate(&clock);
	assert_true(clock.hz > 1e6 && clock.step > 0 && clock.overhead >= 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct kernel_run run = { .kernel = latency,
			.memory = memory,
			.work.cancel = &cancel,
			.v = { sizes[i], 16, 1, 1, 16384, 100, 0, 0, 1, 0 } };
		struct measure measure;

		check_ok(kernel_prepare(&run));
		measure_begin(&measure, &run, &clock, 32768, 1 << 20, 0.1, &cancel);
		assert_true(measure.time.half < measure.time.whole && measure.time.calls >= 1);
		assert_int_equal(measure.time.half % run.granule, 0);
		assert_int_equal(measure.rewind, sizes[i] <= 32768);
		/* Events are counted without passing the ring's end. */
		assert_true(measure.count.half < measure.count.whole && measure.count.half > 0 &&
			    measure.count.calls >= 1);
		if (measure.rewind && run.ring >= 8 * run.granule)
			assert_true(measure.count.whole < run.ring);
		if (sizes[i] > 32768)
			continue;
		/* A linked ring has no seam: one call of any length. */
		assert_int_equal(measure.time.calls, 1);
		assert_int_equal(measure.time.whole, 2 * measure.time.half);
		assert_true(measure.time.whole >= 2048);
	}
	/* A list that ends is walked whole and by half, however short it is. */
	for (size_t i = 0; i < 4; i++) {
		struct kernel_run run = { .kernel = list,
			.memory = memory,
			.work.cancel = &cancel,
			.v = { sizes[i], 16, 0 } };
		struct measure measure;

		check_ok(kernel_prepare(&run));
		measure_begin(&measure, &run, &clock, 32768, 1 << 20, 0.1, &cancel);
		assert_int_equal(measure.time.whole, run.ring);
		assert_int_equal(measure.time.half, run.ring / 2);
	}
	for (size_t i = 0; i < 4; i++) {
		const struct kernel *mountain = kernel_find("mountain");
		struct kernel_run run = { .kernel = mountain,
			.memory = memory,
			.work.cancel = &cancel,
			.v = { sizes[i] < 4096 ? 4096 : sizes[i], 1 } };
		struct measure measure;

		check_ok(kernel_prepare(&run));
		measure_begin(&measure, &run, &clock, 32768, 1 << 20, 0.1, &cancel);
		assert_true(measure.rewind);
		assert_true(measure.count.whole < run.ring);
		assert_int_equal(measure.count.whole % run.granule, 0);
		assert_int_equal(measure.count.half % run.granule, 0);
		if (run.ring >= 2048) {
			assert_int_equal(measure.time.whole, run.ring);
			assert_int_equal(measure.time.half, run.ring / 2);
			/* No two of eight calls end alike, so that no end is predicted. */
			if (measure.time.calls >= MEASURE_STEPS &&
				measure.count.calls >= MEASURE_STEPS)
				assert_int_equal(measure.step, run.granule);
		} else {
			assert_int_equal(measure.time.half % run.ring, 0);
			assert_true(measure.time.whole >= 2048);
		}
	}
	free(memory);
}

/* Stretches that stand for the rest are whole periods, which go on where the last one stopped; of a
 * complete run each trial is one call of the ring beside an empty one. */
TEST(stretches_stand_for_the_rest)
{
	enum { MEMORY = 4 << 20 };
	static const int64_t sizes[] = { 16, 40, 100, 300 };
	unsigned char *memory = aligned_alloc(2 << 20, MEMORY);
	const struct kernel *matmul = kernel_find("matmul");
	int whole = kernel_knob(matmul, "whole");
	atomic_bool cancel = false;
	struct clock clock;

	clock_calibrate(&clock);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct request request = request_for("matmul", "n", sizes[i]);

		for (request.v[whole] = 0; request.v[whole] <= 1; request.v[whole]++) {
			struct kernel_run run = {
				.kernel = matmul, .memory = memory, .work.cancel = &cancel
			};
			struct measure_goal goal = { .quiet = 600, .trials = 600, .fewest = 2 };
			static struct trials trials;
			struct measure measure;

			memcpy(run.v, request.v, sizeof(run.v));
			check_ok(kernel_prepare(&run));
			measure_begin(&measure, &run, &clock, 49152, 1 << 20, 0.1, &cancel);
			assert_true(
				measure.time.half < measure.time.whole && measure.time.calls >= 1);
			if (run.complete) {
				assert_int_equal(measure.time.half, 0);
				assert_int_equal(measure.time.whole, run.ring);
			} else {
				assert_false(measure.rewind);
				assert_true(measure.time.half > 0);
				assert_int_equal(measure.time.half % run.period, 0);
				assert_int_equal(measure.time.whole, 2 * measure.time.half);
			}
			/* The time is up before it begins: complete runs are as few as asked for.
			 */
			trials.count = 0;
			measure_trials(&measure, &trials, &goal, &cancel);
			assert_int_equal(trials.count, run.complete ? 2 : 3);
		}
	}
	/* A call that was ended early is no trial. */
	{
		struct request request = request_for("matmul", "n", 100);
		struct kernel_run run = {
			.kernel = matmul, .memory = memory, .work.cancel = &cancel
		};
		struct measure_goal goal = { .quiet = 600, .trials = 600 };
		static struct trials trials;
		struct measure measure;

		request.v[whole] = 1;
		memcpy(run.v, request.v, sizeof(run.v));
		check_ok(kernel_prepare(&run));
		measure_begin(&measure, &run, &clock, 49152, 1 << 20, 0.1, &cancel);
		atomic_store(&cancel, true);
		measure_trials(&measure, &trials, &goal, &cancel);
		assert_int_equal(trials.count, 0);
	}
	free(memory);
}

static struct status wrong_proof(struct kernel_run *run)
{
	return status_failed("wrong on purpose");
}

/* What came out of a complete run is looked at before its figure counts. */
TEST_WITH(a_wrong_result_has_no_figure, start, stop)
{
	struct kernel wrong = *kernel_find("matmul");
	struct request request = request_for("matmul", "n", 20);

	request.v[kernel_knob(request.kernel, "whole")] = 1;
	request.generation = 1;
	measure_one(&request);
	wrong.proof = wrong_proof;
	request.kernel = &wrong;
	request.generation = 2;
	submit(&request);
	await();
	assert_int_equal(result.status.code, STATUS_FAILED);
	assert_string_equal(result.status.text, "wrong on purpose");
	/* Stretches leave sums that nothing can be said of. */
	request.v[kernel_knob(request.kernel, "whole")] = 0;
	request.generation = 3;
	measure_one(&request);
}

static unsigned open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

/* What this machine allows is not ours to say; either way each event is told about, and nothing is
 * left open. */
TEST(a_plan_is_counted_or_a_reason_is_given)
{
	unsigned files = open_files();
	struct request request = request_for("combine", NULL, 0);

	start(NULL);
	request.plan = (struct counter_plan){ .id = 5,
		.count = 3,
		.cycles = 0,
		.event = { { "perf::PERF_COUNT_HW_CPU_CYCLES", true },
			{ "perf::PERF_COUNT_HW_INSTRUCTIONS", true },
			{ "perf::PERF_COUNT_SW_TASK_CLOCK", true } } };
	for (int i = 0; i < 3; i++) {
		request.background = i == 1;
		measure_one(&request);
		assert_int_equal(result.counts.id, 5);
		if (result.counts.count == 0) {
			assert_true(strlen(result.counts.why) > 0);
			assert_int_equal(result.facts.cycles_from, SOURCE_REFERENCE);
			continue;
		}
		assert_int_equal(result.counts.count, 3);
		for (int k = 0; k < 3; k++) {
			const struct count *count = &result.counts.event[k];

			assert_true(count->state != COUNT_NONE && count->state != COUNT_UNNAMED);
			if (count_known(count))
				assert_true(count->value > 0 && count->passes > 0 &&
					    count->passes <= (request.background ? 3 : 9));
		}
		assert_int_equal(result.facts.cycles_from,
			count_known(&result.counts.event[0]) ? SOURCE_COUNTER : SOURCE_REFERENCE);
	}
	/* Nothing is asked for: no event is counted, and the reference chain is the clock. */
	request.plan.id = 0;
	submit(&request);
	await();
	assert_int_equal(result.counts.id, 0);
	assert_int_equal(result.facts.cycles_from, SOURCE_REFERENCE);
	assert_true(engine.offers("cycles", NULL, NULL, 0) > 0);
	stop(NULL);
	assert_int_equal(open_files(), files);
}

static unsigned threads(void)
{
	DIR *directory = opendir("/proc/self/task");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2;
}

/* One that was joined may be listed a moment longer: who joins is woken before the kernel has taken
 * it away. */
static void await_threads(unsigned expected)
{
	const time_t patience = 600;
	time_t until = time(NULL) + patience;

	while (threads() != expected && time(NULL) < until)
		sched_yield();
	assert_int_equal(threads(), expected);
}

static void ask(struct request *request, const char *knob, int64_t value)
{
	request->v[kernel_knob(request->kernel, knob)] = value;
}

/* How fast others are is theirs to say; that they ran, and that they are gone, is ours. */
TEST_WITH(others_run_beside_the_measured_core, start, stop)
{
	int processors = engine.machine->processors;
	unsigned before = threads();
	struct sample sample;

	for (int round = 0; round < 6; round++) {
		struct request request = request_for("latency", "size", 1 << 20);
		int cores = round % 3 == 1   ? 1
			    : processors > 4 ? 4
					     : processors,
		    streams = round % 3 == 1 ? processors > 1 : 0;

		request.seed = 5;
		request.budget.provisional = 3;
		ask(&request, "cores", cores);
		ask(&request, "streams", streams);
		submit(&request);
		await();
		if (!result.final) {
			assert_true(cores + streams == 1 ? result.facts.others_gbps == 0
							 : isnan(result.facts.others_gbps));
			await();
		}
		check_ok(result.status);
		assert_int_equal(result.facts.cores, cores);
		assert_int_equal(result.facts.streams, streams);
		sample_summarise(&result.trials, &result.facts, &sample);
		if (cores + streams == 1) {
			assert_true(result.facts.others_gbps == 0);
			assert_true(isnan(sample.total_gbps));
		} else {
			/* NAN where one of them never got its core. */
			assert_false(result.facts.others_gbps < 0);
			assert_false(result.facts.watched);
			if (sample.valid && result.facts.others_gbps > 0)
				assert_true(sample.total_gbps > sample.gbps);
		}
		await_threads(before);
	}
}

/* Between trials, another core that writes to the same line has it alone. */
TEST_WITH(cores_that_write_to_one_line_have_no_bandwidth_together, start, stop)
{
	struct request request = request_for("sharing", NULL, 0);
	struct sample sample;

	if (engine.machine->processors < 2)
		skip();
	ask(&request, "cores", 2);
	for (int padding = 8; padding <= 256; padding += 248) {
		ask(&request, "padding", padding);
		submit(&request);
		do
			await();
		while (!result.final);
		check_ok(result.status);
		sample_summarise(&result.trials, &result.facts, &sample);
		if (padding == 8)
			assert_true(result.facts.others_gbps == 0 && isnan(sample.total_gbps));
		else
			assert_false(result.facts.others_gbps <= 0);
	}
}

TEST_WITH(more_cores_than_there_are_are_refused, start, stop)
{
	struct request request = request_for("latency", NULL, 0);

	ask(&request, "cores", engine.machine->processors + 1);
	submit(&request);
	await();
	assert_int_equal(result.status.code, STATUS_FAILED);
	check_contains(result.status.text, "this process may use ");
	ask(&request, "cores", 1 << 20);
	ask(&request, "size", 1 << 20);
	submit(&request);
	await();
	assert_int_equal(result.status.code, STATUS_FAILED);
	ask(&request, "cores", 1);
	measure_one(&request);
}

/* At any moment: while they lay out, while they run. */
TEST_WITH(cancelling_ends_the_others_too, start, stop)
{
	int processors = engine.machine->processors;
	unsigned cancelled = 0, before = threads();

	for (int round = 0; round < CHECK_REPEATS(20, 4); round++) {
		struct request request = request_for("latency", "size", 8 << 20);

		/* An hour, unless it is cancelled. */
		request.budget = (struct budget){
			.seconds = 3600, .quiet_wanted = 1000000, .provisional = 3
		};
		request.seed = (uint64_t)round;
		ask(&request, "cores", processors > 1 ? 2 : 1);
		ask(&request, "streams", processors > 2 ? 1 : 0);
		submit(&request);
		if (round % 2)
			await();
		engine.cancel(engine.context);
		/* What had not begun is never answered; the next request tells. */
		request.budget = (struct budget){ .seconds = 0.001, .quiet_wanted = 1 };
		request.generation = 1;
		submit(&request);
		do {
			await();
			cancelled += result.status.code == STATUS_CANCELLED;
		} while (result.generation != 1);
		check_ok(result.status);
		await_threads(before);
	}
	assert_true(cancelled > 0);
}

/* Bytes of this process in memory. */
static long resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all, pages;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld %ld", &all, &pages), 2);
	fclose(file);
	return pages * sysconf(_SC_PAGESIZE);
}

TEST(an_idle_worker_gives_its_memory_back)
{
	const struct worker_options options = { .cpu = -1, .rest_after = 0.001 };
	const long size = 64 << 20;
	struct request request = request_for("latency", "size", size);
	struct status status;
	long before;

	/* An emulator keeps the memory. */
	if (!CHECK_PATIENT)
		skip();
	worker = worker_start(&options, &status);
	check_ok(status);
	check_ok(worker_wait_ready(worker));
	engine = worker_engine(worker);
	before = resident();
	for (int i = 0; i < 2; i++) {
		measure_one(&request);
		assert_true(result.trials.count > 0);
		for (int k = 0; k < 60000 && resident() > before + size / 2; k++)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		assert_true(resident() < before + size / 2);
	}
	worker_stop(worker);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
/* The size of allocations that fail; 0: none. The sanitizers have their own malloc(). */
static atomic_size_t scarce;
void *__libc_malloc(size_t size);

void *malloc(size_t size)
{
	return scarce && size >= scarce ? NULL : __libc_malloc(size);
}

/* Allocations of at least the size of a result fail on every thread. Each request is answered, also
 * while earlier answers were not taken. */
TEST_WITH(without_memory_a_request_is_answered, start, stop)
{
	struct request request = request_for("combine", NULL, 0);

	request.tag = 1;
	measure_one(&request);
	scarce = sizeof(struct result);
	for (request.tag = 2; request.tag < 5; request.tag++) {
		measure_one(&request);
		assert_true(result.final);
		assert_int_equal(result.tag, request.tag);
	}
	for (request.tag = 5; request.tag < 8; request.tag++) {
		request.follows = request.tag > 5;
		submit(&request);
	}
	do {
		await();
	} while (result.tag < 7);
	scarce = 0;
	assert_true(result.final);
}
#endif

/* ---- the lengths of calls */

static uint64_t called[2][16];
static int call_count[2];

static void note_call(struct kernel_run *run, uint64_t elements)
{
	int whole = elements > 1024;

	called[whole][call_count[whole]++] = elements;
	run->result = 0;
}

/* The calls of both lengths are shorter by the same numbers of steps, so their difference is that
 * of the stretches. */
TEST(calls_of_a_stretch_end_at_different_elements)
{
	static const struct kernel kernel = { .name = "noted", .call = note_call };
	struct kernel_run run = { .kernel = &kernel, .granule = 4, .ring = 2048 };
	struct measure measure = {
		.run = &run, .step = 4, .time = { .half = 1024, .whole = 2048, .calls = 16 }
	};

	memset(call_count, 0, sizeof(call_count));
	measure_calls(&measure, measure.time.half, measure.time.calls);
	measure_calls(&measure, measure.time.whole, measure.time.calls);
	assert_int_equal(call_count[0], 16);
	assert_int_equal(call_count[1], 16);
	for (int i = 0; i < 16; i++) {
		assert_int_equal(called[1][i] - called[0][i], 1024);
		assert_int_equal(called[0][i] % run.granule, 0);
		for (int k = 1; k < MEASURE_STEPS && i + k < 16; k++)
			assert_true(called[0][i] != called[0][i + k]);
	}
}

RUN_TESTS()
