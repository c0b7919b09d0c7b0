/* The worker with real measurements, of which only the protocol is asserted, never a time. */
#include "real_worker.h"

#include <dirent.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"

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

static struct clock_alone hold_the_start(const struct machine *machine)
{
	while (!atomic_load(&released))
		sched_yield();
	return (struct clock_alone){ 0 };
}

/* hwloc reads a large topology for seconds. A user who quits during that time does not wait. */
TEST(a_worker_that_is_not_ready_is_left_at_once)
{
	const struct worker_options options = {
		.cpu = -1, .alone = hold_the_start, .end_after = 60
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

RUN_TESTS()
