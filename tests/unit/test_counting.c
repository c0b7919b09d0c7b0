/* Counting, on a kernel and a processor made up for the test (counting_fakes.h), and on the real
 * one as far as it lets us. */
#include "check.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counting_fakes.h"

#include "base/text.h"
#include "engine/counters/counting.h"
#include "engine/measure/goal.h"
#include "engine/measure/measure.h"
#include "tree.h"

#define CYCLES	     "perf::PERF_COUNT_HW_CPU_CYCLES"
#define INSTRUCTIONS "perf::PERF_COUNT_HW_INSTRUCTIONS"

/* ---- what is measured: a loop that tells the processor how far it went ---- */

static volatile uint64_t spun;

static void call(struct kernel_run *run, uint64_t elements)
{
	/* Some time passes too. */
	for (uint64_t i = 0; i < elements; i++)
		spun = spun + 1;
	fake_run((struct pmu_fake *)(uintptr_t)run->cursor, elements);
}

static void rewind_nothing(struct kernel_run *run)
{
}

static const struct kernel loop = { .name = "loop", .call = call, .rewind = rewind_nothing };

struct bench {
	struct pmu_fake pmu;
	struct perf_calls kernel;
	struct counting *counting;
	struct counter_plan plan;
	struct kernel_run run;
	struct clock clock;
	struct measure measure;
	struct counts counts;
	atomic_bool cancel;
};

static struct bench *bench;
static const struct counts *counts; /* of the bench */

static int setup(void **state)
{
	bench = memory_new(1, sizeof(*bench));
	counts = &bench->counts;
	tree_begin(state);
	pmu_init(&bench->pmu);
	bench->kernel = pmu_kernel(&bench->pmu);
	bench->plan = (struct counter_plan){ .id = 1, .cycles = -1 };
	bench->run = (struct kernel_run){ .kernel = &loop, .cursor = &bench->pmu };
	bench->measure = (struct measure){ .run = &bench->run,
		.clock = &bench->clock,
		.time = { .half = 1000, .whole = 2000, .calls = 3 },
		.count = { .half = 1000, .whole = 2000, .calls = 3 },
		.rewind = true,
		.cpu = -1 };
	return 0;
}

static int teardown(void **state)
{
	counting_free(bench->counting);
	/* Nothing is left open or mapped. */
	assert_int_equal(pmu_open_count(&bench->pmu), 0);
	assert_int_equal(bench->pmu.maps, bench->pmu.unmaps);
	tree_end(state);
	free(bench);
	return 0;
}

static void plan_add(const char *name, bool must)
{
	struct counter_event *event = &bench->plan.event[bench->plan.count++];

	snprintf(event->name, sizeof(event->name), "%s", name);
	event->must = must;
}

/* Core cycles as the clock of trials. */
static void plan_clock(void)
{
	bench->plan.cycles = bench->plan.count;
	plan_add(CYCLES, true);
}

static void refuse_all(int error)
{
	for (int i = 0; i < bench->pmu.events; i++)
		bench->pmu.event[i].error = error;
}

/* Events of the processor's own: per element 0.25 and 0.5 and … */
static void plan_add_raw(int count)
{
	for (int i = 1; i <= count; i++) {
		char name[40];

		snprintf(name, sizeof(name), "perf_raw::r%x", 0x100 + i);
		pmu_add(&bench->pmu, PERF_TYPE_RAW, 0x100 + (uint64_t)i, 0.25 * i, (uint64_t)i,
			100);
		plan_add(name, false);
	}
}

static void use(void)
{
	if (!bench->counting)
		bench->counting = counting_new(0, tree.root, &bench->kernel);
	counting_use(bench->counting, &bench->plan);
}

static const struct counts *count(void)
{
	use();
	counting_measure(bench->counting, &bench->measure, 5, &bench->cancel, &bench->counts);
	return &bench->counts;
}

static void check_count(int event, enum count_state state, double value)
{
	if (counts->event[event].state != state)
		fail_msg("event %d is in state %d, not %d (error %d)", event,
			counts->event[event].state, state, counts->event[event].error);
	check_near(counts->event[event].value, value, 1e-9);
	check_near(counts->event[event].lo, value, 1e-9);
	check_near(counts->event[event].hi, value, 1e-9);
}

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
