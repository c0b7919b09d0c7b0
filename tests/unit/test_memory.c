/* What is asked of the machine beyond the core's own caches, and what is made of the answers. */
#include "asked_memory.h"

/* The lines that L2 sends are measured first, in half of L2. */
static void ask_second(void)
{
	assert_true(next(64 << 10));
	assert_string_equal(request.kernel->name, "mountain");
	assert_int_equal(size_asked(), machine.cache[1].bytes / 2);
	accept(answer(2));
	check_near(probe.facts.l2_lines, 0.5, 1e-9);
	assert_false(next(64 << 10));
}

TEST(nothing_is_asked_for_what_stays_in_the_core)
{
	assert_false(next(32 << 10));
	ask_second();
	assert_false(next(128 << 10));
	/* L2 evicts some lines of a walk over more than a quarter of it. */
	assert_true(next((128 << 10) + 64));
	assert_string_equal(request.kernel->name, "latency");
	assert_true(request.budget.seconds > 0 && request.budget.quiet_wanted > 0);
}

/* 2 x 512K: 1 % of the nodes in L2 (12 cycles), the rest in L3, 46 cycles, in eight chains. The
 * fastest trial counts: neighbours slow the others. */
TEST(latency_is_that_of_the_level_alone)
{
	struct result *slowed;

	ask_second();
	assert_true(next(1 << 20));
	assert_true(request.budget.fresh);
	slowed = answer(300);
	assert_int_equal(chains_asked(), 8);
	slowed->trials.trial[7].cpe = (0.01 * 12 + 0.99 * 46) / 8;
	accept(slowed);
	check_near(probe.facts.l3_walk, 0.01 * 12 + 0.99 * 46, 1e-6);
	assert_false(probe.facts.l3.known);
	assert_true(next(1 << 20));
	assert_string_equal(request.kernel->name, "mountain");
	accept(answer(5));
	assert_true(probe.facts.l3.known);
	check_near(probe.facts.l3.latency, 46, 0.01);
	check_near(probe.facts.l3.lines, 0.2, 1e-9);
	/* Other processes evict lines before a slow walk returns to them. */
	assert_true(next(1 << 20));
	assert_int_equal(chains_asked(), 1);
	assert_false(request.budget.fresh);
	accept(answer(0.01 * 12 + 0.99 * 60));
	check_near(memory_latency(&probe.facts, 1 << 20), 60, 0.1);
	assert_false(next(1 << 20));
	/* Beyond L3 there is more to ask. */
	assert_true(next(64 << 20));
}

TEST(a_cancelled_step_is_asked_for_again)
{
	struct result cancelled = { .final = true,
		.status = status_make(STATUS_CANCELLED, "stopped") };

	ask_second();
	assert_true(next(1 << 20));
	accept(&cancelled);
	assert_true(next(1 << 20));
	assert_string_equal(request.kernel->name, "latency");
}

/* A value that was not in steady state is no input to a limit. */
TEST(what_did_not_settle_stays_unknown)
{
	for (int asked = 0; next(256 << 20); asked++) {
		struct result *result = answer(500);

		assert_true(asked < 90); /* it is not asked for for ever */

		for (unsigned i = 0; i < result->trials.count; i++)
			result->trials.trial[i].unsettled = true;
		accept(result);
	}
	assert_false(probe.facts.l3.known);
	assert_false(probe.facts.memory.known);
	check_near(probe.peak, 0, 0);
}

TEST(what_contradicts_itself_stays_unknown)
{
	while (next(1 << 20))
		accept(answer(1));
	assert_false(probe.facts.l3.known);
}

/* Walks over pages: as many as have a line each in half of L2. */
TEST(page_walks_are_measured)
{
	const struct memory_facts *facts = &probe.facts;

	begin(32 << 10, 512 << 10, 32 << 20);
	while (next(64 << 20))
		accept(!visits_pages()	     ? answer_of(1 << 20)
			: chains_asked() > 1 ? answer((double)size_asked() / (2 << 20))
					     : answer((double)size_asked() / (1 << 20)));
	check_near(facts->pages[0].pages, 2048, 0);
	check_near(facts->pages[1].pages, 4096, 0);
	check_near(facts->pages[2].pages, 0, 0);
	check_near(memory_page_cycles(facts, 2048, true), 8.125, 1e-9);
	check_near(memory_page_cycles(facts, 4096, false), 8.125, 1e-9);
	check_near(memory_page_cycles(facts, 2048 * sqrt(2), true), 1.5 * 8.125, 1e-9);
	check_near(memory_page_cycles(facts, 1 << 20, true), 16.25, 1e-9);
	check_near(memory_page_cycles(facts, 1024, true), 0, 0);
}

/* An L2 of 8 ways, walked again and again in one order: a set that gets more lines than ways keeps
 * none of them. */
TEST(sets_overflow_before_a_cache_is_full)
{
	const struct cache_size second = { .bytes = 1 << 20, .ways = 8 }, none = { .ways = 8 };

	check_near(cache_cyclic_missed(&second, 256 << 10), 0.0011, 1e-4);
	check_near(cache_cyclic_missed(&second, 512 << 10), 0.0511, 1e-4);
	check_near(cache_cyclic_missed(&second, 1 << 20), 0.5470, 1e-4);
	check_near(cache_cyclic_missed(&second, 64 << 20), 1, 1e-9);
	check_near(cache_cyclic_missed(&none, 4096), 1, 0);
}

TEST(lines_spread_evenly_over_the_sets_overflow_some_sets_first)
{
	const struct cache_size first = { .bytes = 48 << 10, .ways = 12 }, none = { .bytes = 0 };

	check_near(cache_even_missed(&first, 16 << 10), 0, 0);
	check_near(cache_even_missed(&first, 48 << 10), 0, 0);
	/* 784 lines over 64 sets: 16 sets with 13 lines. */
	check_near(cache_even_missed(&first, 49 << 10), 16 * 13 / 784.0, 1e-9);
	check_near(cache_even_missed(&first, 52 << 10), 1, 1e-9);
	check_near(cache_even_missed(&first, 256 << 10), 1, 0);
	check_near(cache_even_missed(&none, 4096), 1, 0);
}

/* A walk that skips every second line waits for each line; a step of a line and a half skips every
 * second time. */
/* Few loads of a line leave room for more lines in flight. */
TEST(more_loads_of_a_line_take_longer)
{
	struct memory_facts facts = { .memory = { .lines = 1 / 20.0 },
		.stream = { [MEMORY_POINTS - 1] = { 64 << 20, 1 / 11.0 } } };

	check_near(memory_read_cycles(&facts, 0.5), 11, 1e-9);
	check_near(memory_read_cycles(&facts, 2), 14, 1e-9);
	check_near(memory_read_cycles(&facts, 8), 20, 1e-9);
	check_near(memory_read_cycles(&facts, 16), 23, 1e-9);
	/* If one load of a line is slower, or not measured, all lines take as long as whole ones.
	 */
	facts.stream[MEMORY_POINTS - 1].lines = 1 / 30.0;
	check_near(memory_read_cycles(&facts, 1), 20, 1e-9);
	facts.stream[MEMORY_POINTS - 1].lines = 0;
	check_near(memory_read_cycles(&facts, 1), 20, 1e-9);
}

TEST(skipped_lines_are_measured_apart)
{
	const struct memory_facts *facts = &probe.facts;

	while (next(64 << 20)) {
		int stride = kernel_knob(request.kernel, "stride");

		accept(strcmp(request.kernel->name, "mountain") == 0 && request.v[stride] == 16
				? answer(26)
				: answer_of(1 << 20));
	}
	check_near(memory_step_cycles(facts, 64), memory_strided_cycles(facts), 1e-9);
	check_near(memory_step_cycles(facts, 128), 26, 1e-9);
	check_near(memory_step_cycles(facts, 4000), 26, 1e-9);
	check_near(memory_step_cycles(facts, 96), (26 + memory_strided_cycles(facts)) / 2, 1e-9);
}

/* Stores of 16 bytes that bypass the caches, 2.5 cycles each: their own reach asks for them, and so
 * do large data. */
TEST(stores_that_bypass_the_caches_are_measured)
{
	static const uint64_t reach[] = { 1 << 20, 64 << 20, KERNEL_REACH_PAST };

	for (int i = 0; i < 3; i++) {
		begin(32 << 10, 512 << 10, 32 << 20);
		while (next(reach[i]))
			accept(goes_past() ? answer(2.5) : answer_of(1 << 20));
		check_near(probe.facts.past_lines, i ? 0.1 : 0, 1e-9);
	}
}

/* The kernel window flushes data of 4 MiB from all caches, so its limits need the speed of memory.
 */
TEST(flushed_data_need_the_speed_of_memory)
{
	struct setting flushed, cached;

	assert_true(setting_read(&flushed, "window size=4m"));
	assert_true(setting_read(&cached, "window size=2m"));
	assert_true(kernel_reach(flushed.kernel, flushed.v) > (uint64_t)64 << 20);
	assert_int_equal(kernel_reach(cached.kernel, cached.v), 2 << 20);
}

/* Lines of flushed data come from memory, whose latency depends on the range: no cache answers in
 * between, so it is measured with flushed data too. */
TEST(the_latency_of_flushed_data_is_measured)
{
	int asked = 0;

	while (next((uint64_t)256 << 20)) {
		assert_string_not_equal(request.kernel->name, "window");
		accept(answer(1));
	}
	check_near(memory_flushed_latency(&probe.facts, 16 << 20), 0, 0);
	for (; next(UINT64_MAX); asked++) {
		assert_string_equal(request.kernel->name, "window");
		accept(answer(asked == 0 ? 900 : 500));
	}
	assert_int_equal(asked, 2);
	check_near(memory_flushed_latency(&probe.facts, 8 << 20), 500, 1e-9);
	check_near(memory_flushed_latency(&probe.facts, 16 << 20), 500, 1e-9);
	check_near(memory_flushed_latency(&probe.facts, 32 << 20), 700, 1e-9);
	check_near(memory_flushed_latency(&probe.facts, 64 << 20), 900, 1e-9);
	check_near(memory_flushed_latency(&probe.facts, 1 << 30), 900, 1e-9);
}

/* Without a third level, memory is behind the second: walks over twice its size, and reads. */
TEST(levels_that_are_not_there_are_not_measured)
{
	int asked = 0;

	begin(32 << 10, 512 << 10, 0);
	ask_second();
	for (; next(64 << 20); asked++) {
		if (visits_pages())
			assert_true(size_asked() >= 2048 * 4096);
		else
			assert_int_equal(size_asked(), 1 << 20);
		accept(answer(strcmp(request.kernel->name, "latency") != 0	     ? 1
			      : request.v[kernel_knob(request.kernel, "chains")] > 1 ? 30
										     : 300));
	}
	assert_int_equal(asked, 10);
	assert_false(probe.facts.l3.known);
	assert_true(probe.facts.memory.known && probe.facts.memory.latency > 300);
	check_near(probe.facts.parallel, probe.facts.memory.latency / 30, 1e-9);
	check_near(memory_strided_cycles(&probe.facts), 1, 1e-9);
	check_near(probe.facts.cache[2].bytes, 0, 0);
}

/* A read of memory is the peak, measured once, behind a last cache of common size. */
TEST(the_peak_is_measured_once)
{
	int64_t size = 0;

	while (next(64 << 20)) {
		bool peak = strcmp(request.kernel->name, "bandwidth") == 0;

		if (peak)
			size = size_asked();
		accept(answer(peak ? 10 : 100));
	}
	assert_int_equal(size, 64 << 20);
	check_near(probe.peak, 2.4, 1e-6);
	assert_false(next(UINT64_C(1) << 30));
}

/* Reads of one value of each line move more lines on some cores. */
TEST(the_peak_is_that_of_the_faster_reads)
{
	while (next(64 << 20))
		accept(answer(10));
	check_near(probe.peak, 64 * 3 / 10.0, 1e-6);
}

/* What a probe found of L3 and of memory is taken over, and not measured again. */
TEST(a_probe_answers_everything)
{
	struct probe_report *report = calloc(1, sizeof(*report));

	begin(48 << 10, 1 << 20, 4 << 20);
	assert_false(memory_probe_learn(&probe, report));
	report->hierarchy.level_count = 2;
	report->hierarchy.level[0] = (struct hierarchy_level){ .kind = LEVEL_CACHE,
		.number = 3,
		.cycles = 60,
		.lo = 55,
		.hi = 70,
		.bytes = 6 << 20,
		.bytes_lo = 5 << 20,
		.bytes_hi = 8 << 20,
		.stated = 4 << 20,
		.name = "L3" };
	report->hierarchy.level[1] = (struct hierarchy_level){
		.kind = LEVEL_MEMORY, .cycles = 400, .lo = 380, .hi = 420, .name = "memory"
	};
	report->band_count = 2;
	for (int i = 0; i < 2; i++) {
		struct probe_band *band = &report->band[i];

		snprintf(band->level, sizeof(band->level), "%s", report->hierarchy.level[i].name);
		band->lines[PROBE_READ] = i ? 0.05 : 0.2;
		band->point[PROBE_READ].sample = (struct sample){
			.valid = true, .cpe = 1.1, .cpe_lo = 1, .gbps = i ? 20 : 50
		};
	}
	assert_true(memory_probe_learn(&probe, report));
	/* What L2 sends is measured later, and changes nothing of the rest. */
	ask_second();
	assert_true(probe.facts.l3.known && probe.facts.memory.known);
	check_near(probe.facts.l3.latency, 60, 1e-9);
	check_near(probe.facts.l3.lines, 0.2, 1e-9);
	check_near(probe.facts.cache[2].bytes, 6 << 20, 1);
	check_near(probe.facts.cache[2].hi, 8 << 20, 1);
	assert_int_equal(probe.facts.cache[2].source, CACHE_MEASURED);
	check_near(probe.facts.memory.latency, 400, 1e-9);
	check_near(probe.peak, 22, 1e-9);
	/* Misses at a time and walks in address order are no part of the report. */
	while (next(UINT64_C(1) << 30)) {
		assert_true(chains_asked() == 32 || visits_pages() ||
			    strcmp(request.kernel->name, "mountain") == 0 || goes_past());
		accept(answer(10));
	}
	check_near(probe.facts.parallel, 40, 1e-9);
	/* All measured chains overlapped, so the number in the core's file counts if it is larger.
	 */
	check_near(memory_parallel(&probe.facts, 48), 48, 1e-9);
	check_near(memory_parallel(&probe.facts, UARCH_UNKNOWN), 40, 1e-9);
	check_near(memory_parallel(&(struct memory_facts){ .parallel = 20 }, 48), 20, 1e-9);
	check_near(memory_parallel(&(struct memory_facts){ 0 }, UARCH_UNKNOWN), 0, 1e-9);
	check_near(probe.facts.memory.latency, 400, 1e-9);
	free(report);
}

/* Only a reliable sample that differs from a prediction with values of memory asks for new values.
 */
TEST(values_that_drifted_are_measured_again)
{
	struct limits limits = { .predicted = 100,
		.limit = { { .kind = LIMIT_EVICTED, .known = true } },
		.limit_count = 1 };
	struct sample sample = { .valid = true, .cpe = 125 };

	assert_true(memory_probe_drifted(&limits, &sample, 0.2));
	sample.cpe = 75;
	assert_true(memory_probe_drifted(&limits, &sample, 0.2));
	sample.cpe = 115;
	assert_false(memory_probe_drifted(&limits, &sample, 0.2));
	sample.cpe = 125;
	sample.contended = true;
	assert_false(memory_probe_drifted(&limits, &sample, 0.2));
	sample.contended = false;
	/* Other limits count if lines come from L3 or memory. */
	limits.limit[0].kind = LIMIT_OVERLAP;
	assert_false(memory_probe_drifted(&limits, &sample, 0.2));
	limits.beyond[1] = 0.5;
	assert_true(memory_probe_drifted(&limits, &sample, 0.2));
	limits.beyond[1] = NAN;
	limits.limit[0] = (struct limit){ .kind = LIMIT_MEMORY_LATENCY, .hard = true };
	assert_false(memory_probe_drifted(&limits, &sample, 0.2));
	limits.predicted_by = -1;
	assert_false(memory_probe_drifted(&limits, &sample, 0.2));
}

/* Other programs change the speed of memory while a loop is measured, so the measurements before
 * and after it count alike, and the spread contains both. */
TEST(values_measured_again_have_a_spread)
{
	const struct memory_facts *facts = &probe.facts;
	struct memory_facts slow, fast;

	ask_all(64 << 20, 24 << 20);
	memory_probe_renew(&probe);
	ask_all(64 << 20, 2 << 20);
	slow = memory_quartiles(facts, 1);
	fast = memory_quartiles(facts, -1);
	check_near(fast.point[MEMORY_POINTS - 4].latency, 50, 1e-6);
	assert_true(slow.point[MEMORY_POINTS - 4].latency > 300);
	check_near(facts->point[MEMORY_POINTS - 4].latency,
		(fast.point[MEMORY_POINTS - 4].latency + slow.point[MEMORY_POINTS - 4].latency) / 2,
		1e-6);
	/* Reads in address order over 32 MiB: 2 and 8 cycles a line. */
	check_near(1 / facts->stream[MEMORY_POINTS - 2].lines, 5, 1e-6);
	check_near(1 / slow.stream[MEMORY_POINTS - 2].lines, 8, 1e-6);
	check_near(1 / fast.stream[MEMORY_POINTS - 2].lines, 2, 1e-6);
}

RUN_TESTS(.each_set_up = set_up)
