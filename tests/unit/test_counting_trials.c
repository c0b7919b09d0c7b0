/* Counting in the course of measurements: plans that are opened once, child processes, trials in
 * counted cycles; and counting by the real kernel. */
#include "counting_bench.h"

/* ---- ends and beginnings ---- */

TEST_WITH(cancelling_leaves_what_was_counted, setup, teardown)
{
	plan_add(CYCLES, true);
	atomic_store(&bench->cancel, true);
	count();
	assert_int_equal(counts->event[0].state, COUNT_NONE);
	assert_int_equal(counts->event[0].passes, 0);
	assert_string_equal(counts->why, "");
	atomic_store(&bench->cancel, false);
	count();
	check_count(0, COUNT_KNOWN, 3);
}

TEST_WITH(the_same_plan_is_opened_once, setup, teardown)
{
	unsigned opens;

	plan_clock();
	plan_add_raw(5);
	count();
	opens = bench->pmu.opens;
	for (int i = 0; i < 20; i++)
		count();
	assert_int_equal(bench->pmu.opens, opens);
	/* A plan of no id is none. */
	bench->plan.id = 0;
	use();
	assert_int_equal(bench->pmu.opens, opens);
	/* Another takes the place of the last. */
	bench->plan.id = 2;
	bench->plan.count = 1;
	use();
	assert_int_equal(pmu_open_count(&bench->pmu), 2);
}

TEST_WITH(a_child_opens_its_own, setup, teardown)
{
	unsigned opens, closes, before;

	bench->pmu.readable = true;
	plan_clock();
	plan_add_raw(5);
	use();
	before = pmu_open_count(&bench->pmu);
	opens = bench->pmu.opens;
	closes = bench->pmu.closes;
	bench->pmu.unmaps = bench->pmu.maps; /* a child has none of its parent's pages */
	counting_use_in_child(bench->counting);
	assert_int_equal(bench->pmu.closes - closes, before);
	assert_int_equal(bench->pmu.opens - opens, before);
	assert_int_equal(pmu_open_count(&bench->pmu), before);
	assert_true(counting_cycles(bench->counting));
	counting_measure(bench->counting, &bench->measure, 5, &bench->cancel, &bench->counts);
	check_count(0, COUNT_KNOWN, 3);
	check_count(5, COUNT_KNOWN, 1.25);
	assert_true(counts->direct);
}

TEST_WITH(what_a_child_saw_move_is_not_silent, setup, teardown)
{
	struct counts seen;

	pmu_add(&bench->pmu, PERF_TYPE_RAW, 1, 0, 0, 0);
	plan_add("perf_raw::r1", false);
	count();
	assert_int_equal(counts->event[0].state, COUNT_SILENT);
	seen = bench->counts;
	seen.event[0] = (struct count){ .state = COUNT_KNOWN, .value = 1, .lo = 1, .hi = 1 };
	counting_learn(bench->counting, &seen);
	count();
	check_count(0, COUNT_KNOWN, 0);
}

/* Stops everything with its first call. */
static void call_once(struct kernel_run *run, uint64_t elements)
{
	call(run, elements);
	atomic_store((atomic_bool *)(uintptr_t)run->work.cancel, true);
}

/* Children count slow loops in parts too, each where the one before it ended. */
TEST_WITH(the_next_child_goes_on_where_one_ended, setup, teardown)
{
	static const struct kernel stopping = {
		.name = "stopping", .call = call_once, .rewind = rewind_nothing
	};
	struct counts seen;

	plan_add_raw(7);
	assert_int_equal(count()->groups, 2);
	seen = bench->counts;
	assert_int_equal(seen.next, 0);
	seen.next = 1;
	counting_learn(bench->counting, &seen);
	bench->run.kernel = &stopping;
	bench->run.work.cancel = &bench->cancel;
	count();
	assert_int_equal(counts->event[0].state, COUNT_NONE);
	check_count(6, COUNT_KNOWN, 1.75);
	assert_int_equal(counts->next, 1);
	/* What a child's code has written over is not believed. */
	seen.next = 2;
	counting_learn(bench->counting, &seen);
	seen.next = -1;
	counting_learn(bench->counting, &seen);
	atomic_store(&bench->cancel, false);
	count();
	assert_int_equal(counts->next, 1);
}

/* ---- trials ---- */

static void use_clock(void)
{
	clock_calibrate(&bench->clock);
	plan_clock();
	use();
	assert_true(counting_cycles(bench->counting));
	bench->measure.counting = bench->counting;
}

TEST_WITH(trials_take_counted_cycles, setup, teardown)
{
	struct measure_goal goal = { .quiet = 600, .trials = 20, .until = clock_seconds() + 60 };
	static struct trials trials;
	unsigned good = 0;

	use_clock();
	trials.count = 0;
	measure_trials(&bench->measure, &trials, &goal, &bench->cancel);
	for (unsigned i = 0; i < trials.count; i++) {
		if (trials.trial[i].fate == TRIAL_BROKEN)
			continue;
		good++;
		check_near(trials.trial[i].cpe, 3, 1e-9);
		assert_true(trials.trial[i].check > 0);
		assert_true(trials.trial[i].ghz > 0);
	}
	assert_true(good > 0);
	assert_ptr_equal(bench->measure.counting, bench->counting);
}

TEST_WITH(a_lost_counter_leaves_the_reference, setup, teardown)
{
	struct measure_goal goal = { .quiet = 600, .trials = 10, .until = clock_seconds() + 60 };
	static struct trials trials;

	use_clock();
	trials.count = 0;
	measure_trials(&bench->measure, &trials, &goal, &bench->cancel);
	for (int i = 0; i < PMU_OPEN; i++)
		bench->pmu.open[i].pushed_out = true;
	goal.trials = 20;
	measure_trials(&bench->measure, &trials, &goal, &bench->cancel);
	assert_null(bench->measure.counting);
	assert_int_equal(measure_source(&bench->measure), SOURCE_REFERENCE);
	assert_int_equal(trials.count, 20);
	for (unsigned i = 0; i < trials.count; i++)
		if (trials.trial[i].fate != TRIAL_BROKEN)
			assert_false(trials.trial[i].check > 0);
	/* The next request has it again. */
	use();
	assert_true(counting_cycles(bench->counting));
}

/* ---- the real kernel ---- */

struct pages {
	unsigned char *memory;
	size_t count;
};

static void touch_fresh_pages(struct kernel_run *run, uint64_t elements)
{
	const struct pages *pages = run->cursor;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	madvise(pages->memory, pages->count * size, MADV_DONTNEED);
	for (uint64_t i = 0; i < elements; i++)
		((volatile unsigned char *)pages->memory)[i * size] = 1;
}

TEST(page_faults_are_counted_for_real)
{
	static const struct kernel touching = {
		.name = "touch", .call = touch_fresh_pages, .rewind = rewind_nothing
	};
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1 };
	int descriptor = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0ul);
	struct pages pages = { .count = 64 };
	struct kernel_run run = { .kernel = &touching, .cursor = &pages };
	struct measure measure = {
		.run = &run, .count = { .half = 32, .whole = 64, .calls = 1 }, .cpu = -1
	};
	struct counter_plan plan = { .id = 1,
		.count = 1,
		.cycles = -1,
		.event = { { .name = "perf::PERF_COUNT_SW_PAGE_FAULTS" } } };
	struct counting *counting;
	struct counts got;
	atomic_bool cancel = false;
	size_t size = pages.count * (size_t)sysconf(_SC_PAGESIZE);

	if (descriptor < 0)
		skip();
	close(descriptor);
	pages.memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages.memory != MAP_FAILED);
	madvise(pages.memory, size, MADV_NOHUGEPAGE);
	counting = counting_new(0, "", &perf_calls_linux);
	counting_use(counting, &plan);
	counting_measure(counting, &measure, 9, &cancel, &got);
	assert_int_equal(got.count, 1);
	assert_int_equal(got.event[0].state, COUNT_KNOWN);
	check_near(got.event[0].value, 1, 1e-9);
	counting_free(counting);
	munmap(pages.memory, size);
}

/* Where counters can be read without a system call, what that costs, in instructions that another
 * counter counts. */
TEST(a_direct_read_costs_under_100_instructions)
{
	enum { READS = 1000, MOST = 100 };
	const struct counter_plan plan = { .id = 1,
		.count = 2,
		.cycles = 0,
		.event = { { CYCLES, true }, { INSTRUCTIONS, true } } };
	struct perf_event_attr attributes = { .type = PERF_TYPE_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1 };
	struct counting *counting = counting_new(0, "", &perf_calls_linux);
	struct kernel_run run = { .kernel = &loop };
	struct measure measure = { .run = &run };
	atomic_bool cancel = true;
	struct counts got;
	uint64_t before, after, sum = 0;
	int descriptor;

	counting_use(counting, &plan);
	counting_measure(counting, &measure, 1, &cancel, &got);
	if (!counting_cycles(counting) || !got.direct) {
		printf("not read directly here: %s\n",
			got.why[0] ? got.why : "the kernel does not allow it");
		counting_free(counting);
		skip();
	}
	descriptor = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0ul);
	assert_true(descriptor >= 0);
	assert_int_equal(read(descriptor, &before, sizeof(before)), sizeof(before));
	for (int i = 0; i < READS; i++)
		sum += counting_read_cycles(counting);
	assert_int_equal(read(descriptor, &after, sizeof(after)), sizeof(after));
	close(descriptor);
	counting_free(counting);
	assert_true(sum > 0);
	printf("a direct read costs %.1f instructions\n", (double)(after - before) / READS);
	assert_true(after > before);
	assert_true(after - before < READS * MOST);
}

RUN_TESTS()
