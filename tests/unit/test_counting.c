/* Counting, on a kernel and a processor made up for the test (counting_fakes.h), and on the real
 * one as far as it lets us. */
#include "counting_bench.h"

/* ---- values ---- */

TEST_WITH(counts_are_slopes_per_element, setup, teardown)
{
	plan_add(CYCLES, true);
	plan_add(INSTRUCTIONS, true);
	count();
	assert_int_equal(counts->id, 1);
	assert_int_equal(counts->count, 2);
	assert_int_equal(counts->groups, 1);
	assert_int_equal(counts->event[0].passes, 5);
	assert_string_equal(counts->why, "");
	assert_false(counts->direct);
	/* Not a trace of what each call costs. */
	check_count(0, COUNT_KNOWN, 3);
	check_count(1, COUNT_KNOWN, 5.5);
}

/* A loop that does more where it comes to its ring's end. */
static void call_ring(struct kernel_run *run, uint64_t elements)
{
	run->position += elements;
	call(run, elements + 8 * (run->position / run->ring));
	run->position %= run->ring;
}

static void rewind_ring(struct kernel_run *run)
{
	run->position = 0;
}

static uint64_t ring_footprint(const int64_t *v)
{
	return 4096;
}

static const struct kernel ring_loop = {
	.name = "ring", .call = call_ring, .rewind = rewind_ring, .footprint = ring_footprint
};

TEST_WITH(the_end_of_the_ring_is_not_counted, setup, teardown)
{
	static unsigned char memory[4096];

	plan_add_raw(1);
	for (int ring = 64; ring <= 6400; ring *= 10) {
		bench->run = (struct kernel_run){ .kernel = &ring_loop,
			.cursor = &bench->pmu,
			.ring = (uint64_t)ring,
			.granule = 8,
			.memory = memory };
		clock_calibrate(&bench->clock);
		measure_begin(&bench->measure, &bench->run, &bench->clock, 32 << 10, 1 << 20, 0.1,
			&bench->cancel);
		count();
		check_count(0, COUNT_KNOWN, 0.25);
	}
}

TEST_WITH(direct_reading_gives_the_same, setup, teardown)
{
	unsigned reads;

	bench->pmu.readable = true;
	plan_add(CYCLES, true);
	plan_add(INSTRUCTIONS, true);
	use();
	reads = bench->pmu.reads;
	count();
	assert_true(counts->direct);
	check_count(0, COUNT_KNOWN, 3);
	check_count(1, COUNT_KNOWN, 5.5);
	/* read() tells the times of each pass, before and after, and once that the clock's counter
	 * runs: nothing between. */
	assert_true(bench->pmu.reads - reads <= 2 * 5 + 1);
}

TEST_WITH(what_cannot_be_mapped_is_read, setup, teardown)
{
	bench->pmu.readable = true;
	bench->pmu.unmappable = true;
	plan_add(CYCLES, true);
	count();
	check_count(0, COUNT_KNOWN, 3);
	assert_false(counts->direct);
}

TEST(counters_extend_by_their_sign)
{
	assert_int_equal(group_extend(0, 5, 48), 5);
	/* Below zero: the kernel starts a counter so. */
	assert_int_equal(group_extend(UINT64_C(1) << 47, UINT64_C(1) << 47, 48), 0);
	assert_int_equal(group_extend(1000, (UINT64_C(1) << 48) - 1, 48), 999);
	assert_int_equal(group_extend(1000, (UINT64_C(1) << 32) - 1, 32), 999);
	/* Beyond its width stands nothing of it. */
	assert_int_equal(group_extend(0, UINT64_C(0xabcd) << 48 | 7, 48), 7);
	assert_int_equal(group_extend(1, UINT64_MAX, 64), 0);
	assert_int_equal(group_extend(1, 41, 0), 42);
	/* 32 bits are over after a second of cycles: the difference of two readings does not care.
	 */
	assert_int_equal(group_extend((UINT64_C(1) << 32) + 10, 5, 32) -
				 group_extend(0, (UINT64_C(1) << 31) - 1, 32),
		(UINT64_C(1) << 32) + 15 - ((UINT64_C(1) << 31) - 1));
}

/* On 32-bit counters that overflow between two readings, directly and by read(). */
TEST_WITH(a_counter_may_overflow_within_a_region, setup, teardown)
{
	bench->pmu.width = 32;
	bench->pmu.start = (UINT64_C(1) << 32) - 12000;
	bench->pmu.readable = true;
	plan_add(CYCLES, true);
	count();
	check_count(0, COUNT_KNOWN, 3);
	assert_true(counts->direct);
	bench->plan.id = 2;
	bench->pmu.readable = false;
	bench->pmu.start = UINT64_MAX - 12000;
	count();
	check_count(0, COUNT_KNOWN, 3);
}

/* ---- groups ---- */

TEST_WITH(more_events_than_counters_take_passes, setup, teardown)
{
	plan_clock();
	plan_add_raw(10);
	count();
	assert_int_equal(counts->count, 11);
	assert_int_equal(counts->groups, 3);
	for (int i = 1; i <= 10; i++)
		check_count(i, COUNT_KNOWN, 0.25 * i);
	/* One at a time, and none that others but pinned ones push aside: the kernel is never made
	 * to take turns. */
	assert_int_equal(bench->pmu.enabled_most, 1);
	for (int i = 0; i < PMU_OPEN; i++)
		if (bench->pmu.open[i].used && bench->pmu.open[i].leader == i)
			assert_true(bench->pmu.open[i].attributes.pinned);
}

/* The kernel lets in groups for all counters that there are; the NMI watchdog has one. */
TEST_WITH(a_group_that_never_runs_is_split, setup, teardown)
{
	bench->pmu.held = 1;
	plan_add_raw(7);
	count();
	/* What was learnt of the first is not tried again with each other: in only one group was
	 * one too many opened. */
	assert_int_equal(bench->pmu.closes, 1 + 1);
	assert_int_equal(counts->groups, 3);
	for (int i = 0; i < 7; i++)
		check_count(i, COUNT_KNOWN, 0.25 * (i + 1));
}

/* An event that only one counter can count, which others hold, says nothing of how many others fit.
 */
TEST_WITH(one_that_never_runs_leaves_the_others_together, setup, teardown)
{
	plan_add_raw(9);
	bench->pmu.event[bench->pmu.events - 9].bound =
		true; /* the first of them, which leads a group */
	count();
	assert_int_equal(counts->event[0].state, COUNT_HELD);
	for (int i = 1; i < 9; i++)
		check_count(i, COUNT_KNOWN, 0.25 * (i + 1));
	assert_int_equal(counts->groups, 2);
}

TEST_WITH(counters_held_by_others_are_told, setup, teardown)
{
	bench->pmu.held = 4;
	plan_clock();
	plan_add_raw(2);
	count();
	for (int i = 0; i < 3; i++)
		assert_int_equal(counts->event[i].state, COUNT_HELD);
	check_contains(counts->why, "others use the counters");
	assert_false(counting_cycles(bench->counting));
	/* They come back when the others have gone: looked for now and then, not each time. */
	bench->pmu.held = 0;
	count();
	assert_int_equal(counts->event[0].state, COUNT_HELD);
	for (int i = 0; i < 70; i++)
		use();
	count();
	check_count(0, COUNT_KNOWN, 3);
	assert_true(counting_cycles(bench->counting));
}

/* Others hold all counters half of the time. */
TEST_WITH(a_turn_with_others_is_scaled_and_said, setup, teardown)
{
	const struct count *counted;

	bench->pmu.held = 4;
	bench->pmu.turns = true;
	bench->measure.count.calls = 4; /* two of them are counted, whichever comes first */
	plan_add_raw(1);
	counted = &count()->event[0];
	assert_int_equal(counted->state, COUNT_SCALED);
	check_near((double)counted->share, 0.5, 0.1);
	check_near(counted->value, 0.25, 0.05);
	/* When the others have gone, it is whole again. */
	bench->pmu.held = 0;
	for (int i = 0; i < 70; i++)
		use();
	count();
	check_count(0, COUNT_KNOWN, 0.25);
}

TEST_WITH(software_events_stand_apart, setup, teardown)
{
	bench->pmu.readable = true;
	pmu_add(&bench->pmu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 2, 0, 1);
	plan_add("perf::PERF_COUNT_SW_PAGE_FAULTS", false);
	plan_add(CYCLES, true);
	count();
	assert_int_equal(counts->groups, 2);
	check_count(0, COUNT_KNOWN, 2);
	check_count(1, COUNT_KNOWN, 3);
	assert_true(counts->direct);
}

/* ---- what does not work ---- */

TEST_WITH(refusals_are_told_one_by_one, setup, teardown)
{
	static const int errors[] = { ENOENT, EINVAL, EBUSY, EOPNOTSUPP, EACCES, EPERM };

	plan_add(CYCLES, true);
	plan_add_raw(6);
	for (int i = 0; i < 6; i++)
		pmu_event(&bench->pmu, PERF_TYPE_RAW, 0x101 + (uint64_t)i)->error = errors[i];
	plan_add("skl::NO_SUCH_EVENT", false);
	plan_add("perf_raw::r999", false);
	plan_add(INSTRUCTIONS ":k", false);
	count();
	check_count(0, COUNT_KNOWN, 3);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(counts->event[1 + i].state, COUNT_REFUSED);
		assert_int_equal(counts->event[1 + i].error, errors[i]);
	}
	assert_int_equal(counts->event[7].state, COUNT_UNNAMED);
	assert_int_equal(counts->event[8].state, COUNT_REFUSED);
	assert_int_equal(counts->event[8].error, ENOENT);
	assert_int_equal(counts->event[9].state, COUNT_UNNAMED);
	assert_string_equal(counts->why, "");
}

TEST_WITH(what_stays_at_zero_is_silent, setup, teardown)
{
	pmu_add(&bench->pmu, PERF_TYPE_RAW, 1, 0, 0, 0); /* it does nothing */
	pmu_add(&bench->pmu, PERF_TYPE_RAW, 2, 0, 0, 9); /* this loop does not raise it */
	pmu_add(&bench->pmu, PERF_TYPE_RAW, 3, 0, 3,
		9); /* it must, and each call does, but no element */
	plan_add("perf_raw::r1", false);
	plan_add("perf_raw::r2", false);
	plan_add("perf_raw::r3", true);
	count();
	assert_int_equal(counts->event[0].state, COUNT_SILENT);
	check_count(1, COUNT_KNOWN, 0);
	assert_int_equal(counts->event[2].state, COUNT_SILENT);
	/* Another loop raises the first. From then on its zero is one. */
	pmu_event(&bench->pmu, PERF_TYPE_RAW, 1)->each = 2;
	count();
	check_count(0, COUNT_KNOWN, 2);
	pmu_event(&bench->pmu, PERF_TYPE_RAW, 1)->each = 0;
	count();
	check_count(0, COUNT_KNOWN, 0);
}

/* A counter of cycles that stands still is no clock. */
TEST_WITH(a_silent_clock_is_none, setup, teardown)
{
	struct pmu_event *cycles =
		pmu_event(&bench->pmu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	cycles->each = 0;
	cycles->call = cycles->stimulus = 0;
	plan_clock();
	assert_int_equal(count()->event[0].state, COUNT_SILENT);
	assert_false(counting_cycles(bench->counting));
}

/* A machine without counters: one attempt in all, whatever is asked for. */
TEST_WITH(without_counters_nothing_is_asked_twice, setup, teardown)
{
	refuse_all(ENOENT);
	plan_clock();
	plan_add_raw(8);
	count();
	assert_int_equal(counts->id, 1);
	assert_int_equal(counts->count, 0);
	assert_string_equal(
		counts->why, "the kernel finds no performance counters in this processor");
	assert_false(counting_cycles(bench->counting));
	count();
	bench->plan.id = 2;
	count();
	assert_int_equal(counts->id, 2);
	assert_int_equal(bench->pmu.opens, 1);
	assert_int_equal(bench->pmu.reads, 0);
	assert_int_equal(bench->pmu.moments, 0); /* nor was a loop run for it */
}

TEST_WITH(what_the_kernel_counts_itself_needs_no_counters, setup, teardown)
{
	refuse_all(ENOENT);
	pmu_add(&bench->pmu, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, 0, 1);
	plan_add(CYCLES, true);
	plan_add("perf::PERF_COUNT_SW_PAGE_FAULTS", false);
	plan_add("PERF_COUNT_SW_PAGE_FAULTS", false);
	plan_add("PERF_COUNT_HW_INSTRUCTIONS", false);
	plan_add("skl::UOPS_ISSUED:ANY", false);
	count();
	assert_int_equal(counts->count, 5);
	/* Not for want of that event. */
	assert_int_equal(counts->event[0].state, COUNT_REFUSED);
	assert_int_equal(counts->event[0].error, ENODEV);
	check_count(1, COUNT_KNOWN, 1);
	check_count(2, COUNT_KNOWN, 1);
	assert_int_equal(counts->event[3].error, ENODEV);
	assert_int_equal(counts->event[4].error, ENODEV);
}

TEST_WITH(who_forbids_counting_is_named, setup, teardown)
{
	tree_put("/proc/sys/kernel/perf_event_paranoid", "4\n");
	refuse_all(EACCES);
	plan_add(CYCLES, true);
	plan_add("perf::PERF_COUNT_SW_PAGE_FAULTS", false);
	count();
	assert_int_equal(counts->count, 0);
	check_contains(counts->why, "kernel.perf_event_paranoid is 4");
	assert_int_equal(bench->pmu.opens, 1);
}

TEST_WITH(a_container_forbids_it_otherwise, setup, teardown)
{
	tree_put("/proc/sys/kernel/perf_event_paranoid", "2\n");
	refuse_all(EPERM);
	plan_add(CYCLES, true);
	check_contains(count()->why, "the system forbids perf_event_open");
}

/* ---- several kinds of processors ---- */

static void put_hybrid(void)
{
	tree_load("counting", "a container forbids it otherwise");
}

TEST_WITH(hybrid_machines_are_asked_for_the_right_pmu, setup, teardown)
{
	put_hybrid();
	bench->pmu.events = 0;
	pmu_add(&bench->pmu, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES | UINT64_C(10) << 32, 2,
		0, 10);
	pmu_add(&bench->pmu, PERF_TYPE_HW_CACHE, 0x10000 | UINT64_C(10) << 32, 0.5, 0, 10);
	pmu_add(&bench->pmu, 10, 0x1c2, 4, 0, 10);
	plan_add(CYCLES, true);
	plan_add("perf::L1-DCACHE-LOAD-MISSES", false);
	plan_add("perf_raw::r1c2", false);
	bench->counting = counting_new(9, tree.root, &bench->kernel);
	count();
	check_count(0, COUNT_KNOWN, 2);
	check_count(1, COUNT_KNOWN, 0.5);
	check_count(2, COUNT_KNOWN, 4);
	assert_string_equal(counts->pmu, "cpu_atom");
}

static bool only_cycles(const struct pmu_event *event)
{
	return event->config == 0x11;
}

/* Big and little cores on Arm: a kernel that knows no PMU in the config of generic events takes the
 * architecture's number; and not every event can be read in user space. */
TEST_WITH(arm_events_are_asked_for_by_number, setup, teardown)
{
	tree_load("counting", "arm events are asked for by number");
	bench->pmu.events = 0;
	bench->pmu.wanted_config1 = 2;
	bench->pmu.reads_in_user = only_cycles;
	bench->pmu.readable = true;
	pmu_add(&bench->pmu, 9, 0x11, 2, 0, 10);
	pmu_add(&bench->pmu, 9, 0x08, 4, 0, 10);
	plan_clock();
	bench->counting = counting_new(4, tree.root, &bench->kernel);
	count();
	check_count(0, COUNT_KNOWN, 2);
	assert_true(counts->direct);
	assert_true(counting_cycles(bench->counting));
	bench->plan.id = 3;
	snprintf(bench->plan.event[0].name, sizeof(bench->plan.event[0].name), "perf_raw::r11");
	count();
	check_count(0, COUNT_KNOWN, 2);
	assert_true(counts->direct);
	bench->plan.id = 2;
	plan_add("perf_raw::r8", true);
	count();
	check_count(0, COUNT_KNOWN, 2);
	check_count(1, COUNT_KNOWN, 4);
	assert_false(counts->direct);
	assert_string_equal(counts->pmu, "armv8_cortex_a72");
}

RUN_TESTS()
