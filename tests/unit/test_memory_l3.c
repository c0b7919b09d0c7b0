/* How much of the last cache this process has, from walks that find it shared with others. */
#include "asked_memory.h"

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

/* If the largest walk does not settle, a smaller walk that reaches memory replaces it. */
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

RUN_TESTS(.each_set_up = set_up)
