/* What is asked of the machine beyond the core's own caches, and what is made of the answers. */
#include "check.h"

#include <math.h>

#include "experiment/memory.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"

static struct machine machine_of_caches(uint64_t l1, uint64_t l2, uint64_t l3)
{
	struct machine machine = { .cache_count = l3 ? 3 : 2, .memory_limit = (uint64_t)4 << 30 };

	machine.cache[0] = (struct machine_cache){ 1, l1, 64, 8 };
	machine.cache[1] = (struct machine_cache){ 2, l2, 64, 8 };
	machine.cache[2] = (struct machine_cache){ 3, l3, 64, 8 };
	return machine;
}

static struct machine machine;
static struct memory_probe probe;
static struct request request;

static void begin(uint64_t l1, uint64_t l2, uint64_t l3)
{
	machine = machine_of_caches(l1, l2, l3);
	memory_probe_init(&probe);
}

static int set_up(void **state)
{
	begin(32 << 10, 512 << 10, 32 << 20);
	return 0;
}

/* Whether something is missing for a working set of so many bytes; the request then asks for it. */
static bool next(uint64_t bytes)
{
	return memory_probe_next(&probe, &machine, bytes, 1, &request);
}

static void accept(const struct result *result)
{
	memory_probe_accept(&probe, &machine, 12, result);
}

static int64_t size_asked(void)
{
	return request.v[kernel_axis(request.kernel, AXIS_SIZE)];
}

/* An answer whose trials all say the same. */
static struct result *answer(double cpe)
{
	static struct result result;

	memset(&result, 0, sizeof(result));
	result.kernel = request.kernel;
	result.final = true;
	result.facts = (struct run_facts){ .cycles_from = SOURCE_REFERENCE, .bytes = 8 };
	result.trials.count = 60;
	for (int i = 0; i < 60; i++)
		result.trials.trial[i] =
			(struct trial){ .cpe = cpe, .ghz = 3, .watch = 1, .turns = 1 };
	return &result;
}

static int64_t chains_asked(void)
{
	int knob = kernel_knob(request.kernel, "chains");

	return knob < 0 ? 0 : request.v[knob];
}

/* Whether the walk that is asked for visits a line of each page. */
static bool visits_pages(void)
{
	int knob = kernel_knob(request.kernel, "stride");

	return knob >= 0 && request.v[knob] > 4096;
}

/* Whether stores are asked for that bypass the caches. */
static bool goes_past(void)
{
	int knob = kernel_knob(request.kernel, "stores");

	return knob >= 0 && request.v[knob] > 0;
}

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

/* A machine of which this process has `held` bytes of L3: random walks take 50 cycles in L3 and 400
 * in memory, 4 in L1 and 12 in L2. */
static struct result *answer_of(double held)
{
	const double size = (double)size_asked(), own1 = (double)machine.cache[0].bytes,
		     own2 = (double)machine.cache[1].bytes, own = own1 + own2;
	double near = fmin(held / (size - own), 1), far = near * 50 + (1 - near) * 400;

	/* Several chains are fast: L3 keeps all that they visit. */
	if (chains_asked() == 8)
		far = 50;
	if (chains_asked() > 0)
		return answer(far / (double)chains_asked());
	/* A walk in address order takes 2 cycles per line in L3, 10 in memory. */
	if (strcmp(request.kernel->name, "mountain") == 0)
		return answer(10 - 8 * fmin(4 * held / size, 1));
	return answer(10);
}

static void ask_all(uint64_t bytes, double held)
{
	for (int asked = 0; next(bytes); asked++) {
		assert_true(asked < 40);
		accept(answer_of(held));
	}
}

/* A last cache of 32 MiB is shared with other guests: what this process has of it is found from the
 * walks, and so is what memory takes, although the largest walk still hits L3. */
TEST(the_size_of_l3_is_what_the_walks_show)
{
	static const double held[] = { 1 << 20, 3 << 20, 7 << 20, 12 << 20, 20 << 20 };

	for (size_t i = 0; i < sizeof(held) / sizeof(*held); i++) {
		const struct cache_size *size = &probe.facts.cache[2];

		begin(32 << 10, 512 << 10, 32 << 20);
		ask_all(64 << 20, held[i]);
		assert_int_equal(size->source, CACHE_MEASURED);
		check_near(size->bytes, held[i], 0.03 * held[i]);
		check_near(probe.facts.memory.latency, 400, 4);
		assert_true(probe.facts.memory.known);
	}
}

/* A walk in address order is faster than other processes evict its lines: it has four times as much
 * of L3 as a walk that waits for each line. */
TEST(a_fast_walk_has_more_of_l3)
{
	const struct memory_facts *facts = &probe.facts;

	begin(32 << 10, 512 << 10, 32 << 20);
	ask_all(64 << 20, 2 << 20);
	check_near(facts->cache[2].bytes, 2 << 20, 0.06 * (1 << 20));
	check_near(memory_strided_cycles(facts), 9, 1e-9);
	check_near(memory_stream_share(facts, 8 << 20), 1, 1e-9);
	/* The largest range is taken for memory, so its lines from L3 are not seen. */
	check_near(memory_stream_share(facts, 16 << 20), 3.0 / 7, 1e-9);
	check_near(memory_stream_share(facts, sqrt(8 * 16) * (1 << 20)), 5.0 / 7, 1e-9);
	check_near(memory_stream_share(facts, 64 << 20), 0, 1e-9);
	check_near(memory_stream_share(facts, 1 << 20), 1, 1e-9);
	check_near(memory_fast_bytes(facts, 2 << 20, 0), 8 << 20, 1);
	/* A walk that comes back later finds less: from 2 cycles for each line of 8 MiB to 450
	 * cycles for two lines of 4 MiB. */
	check_near(memory_fast_bytes(facts, 2 << 20, 1e9), 2 << 20, 1);
	check_near(
		memory_fast_bytes(facts, 2 << 20,
			sqrt(131072 * 2.0 * 32768 * (facts->l3.latency + facts->memory.latency))),
		5 << 20, 1e-3 * (1 << 20));
	/* Without a difference between L3 and memory, nothing is known. */
	begin(32 << 10, 512 << 10, 32 << 20);
	ask_all(64 << 20, 64 << 20);
	assert_true(isnan(memory_stream_share(facts, 8 << 20)));
	assert_true(isnan(memory_fast_bytes(facts, 1 << 20, 0)));
}

/* If the largest walk does not settle, a smaller walk that reaches memory stands for it. */
TEST(memory_is_known_without_the_largest_walk)
{
	begin(32 << 10, 512 << 10, 32 << 20);
	while (next(64 << 20)) {
		struct result *result = answer_of(2 << 20);

		for (unsigned i = 0; chains_asked() == 1 && size_asked() == 64 << 20 && i < 60; i++)
			result->trials.trial[i].unsettled = true;
		accept(result);
	}
	check_near(probe.facts.point[MEMORY_POINTS - 1].latency, 0, 0);
	check_near(probe.facts.memory.latency, 400, 4);
	check_near(probe.facts.cache[2].bytes, 2 << 20, 0.06 * (1 << 20));
	assert_true(probe.facts.memory.known && probe.facts.parallel > 1);
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

/* The quartiles of all values move together: latencies grow, lines per cycle and sizes shrink. */
TEST(slow_quartiles_are_slow)
{
	const struct memory_facts facts = { .cache[2] = { 8, 4, 16, CACHE_MEASURED },
		.l3 = { .known = true, .latency = 50, .lines = 0.5 },
		.memory = { .known = true, .latency = 400, .lines = 0.1 },
		.point = { { 1 << 20, 60, 54, 72 }, { 4 << 20, 300, 270, 330 } },
		.flushed = { { 16 << 20, 500, 450, 560 } },
		.spread = { .l3_latency = 0.2, .memory_lines = 0.25 } };
	struct memory_facts slow = memory_quartiles(&facts, 1), fast = memory_quartiles(&facts, -1);

	check_near(slow.l3.latency, 60, 1e-9);
	check_near(fast.l3.latency, 40, 1e-9);
	check_near(slow.l3.lines, 0.5, 0);
	check_near(slow.memory.lines, 0.08, 1e-9);
	check_near(slow.point[0].latency, 72, 0);
	check_near(fast.point[1].latency, 270, 0);
	check_near(slow.flushed[0].latency, 560, 0);
	check_near(fast.flushed[0].latency, 450, 0);
	/* The latency of memory has the spread of the largest range. */
	check_near(slow.memory.latency, 440, 1e-9);
	check_near(slow.cache[2].bytes, 4, 0);
	check_near(fast.cache[2].bytes, 16, 0);
}

/* If this process has all of L3, the size is the one that the system states. */
TEST(a_size_that_is_confirmed_is_not_measured)
{
	begin(32 << 10, 512 << 10, 32 << 20);
	ask_all(64 << 20, 32 << 20);
	check_near(probe.facts.cache[2].bytes, 0, 0);
	check_near(probe.facts.memory.latency, 400, 120);
}

/* A process that has next to nothing of L3 has a small size with a range from zero. */
TEST(l3_that_others_fill_is_small)
{
	const struct cache_size *size = &probe.facts.cache[2];

	begin(32 << 10, 512 << 10, 32 << 20);
	ask_all(64 << 20, 10 << 10);
	assert_int_equal(size->source, CACHE_MEASURED);
	check_near(size->lo, 0, 0);
	assert_true(size->bytes > 0 && size->bytes < 64 << 10);
	/* Without any hit, the measured latencies show no more than that L3 is small. */
	begin(32 << 10, 512 << 10, 32 << 20);
	ask_all(64 << 20, 0);
	assert_int_equal(size->source, CACHE_MEASURED);
	check_near(size->lo, 0, 0);
	assert_true(size->bytes > 0 && size->hi < 512 << 10);
}

/* Walks beyond the working set are not made, unless memory shows in a smaller one. */
TEST(only_the_ranges_that_are_needed_are_walked)
{
	int64_t most = 0;

	begin(48 << 10, 2 << 20, (uint64_t)480 << 20);
	while (next((uint64_t)30 << 20)) {
		most = size_asked() > most ? size_asked() : most;
		accept(answer_of(400 << 20));
	}
	assert_int_equal(most, 32 << 20);
	assert_false(probe.facts.memory.known);
	begin(48 << 10, 2 << 20, (uint64_t)480 << 20);
	while (next((uint64_t)30 << 20)) {
		most = size_asked() > most ? size_asked() : most;
		accept(answer_of(16 << 20));
	}
	assert_int_equal(most, 256 << 20);
	assert_true(probe.facts.memory.known);
	check_near(probe.facts.cache[2].bytes, 16 << 20, 1 << 20);
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
