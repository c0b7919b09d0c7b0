/* The calls that a trial times: how many, on how many elements, after which untimed walk. Kernels
 * of this file take long by themselves. */
#include "real_worker.h"

#include "engine/measure/goal.h"
#include "engine/measure/measure.h"

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

/* Always takes a while. */
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
