/* Walks on a core made up: what each cache, TLB and memory costs, and what is not known. */
#include "reached_core.h"

/* What is next in memory costs lines, and nobody waits for it. */
TEST(ordered_lines_cost_bandwidth_alone)
{
	struct limits_place place = { .working_set = 1 << 20,
		.walk.reaches = 2,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 16384,
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 },
		.walk.reach = {
			{ 0.25, 1 << 20, REACH_CHAINED }, { 0.5, 1 << 20, REACH_ORDERED } } };
	/* Of the chained loads, each level has its share; no cache keeps a line that is read in
	 * order until the next pass. */
	const double chained = 0.25, ordered = 0.5, first = missed(&place.walk, 1024) - ordered,
		     second = missed(&place.walk, 5120) - ordered,
		     third = missed(&place.walk, 21504) - ordered,
		     wait = 14 * (first - second) + 50 * (second - third) + 300 * third;

	assert_true(first < chained && third < second && second < first);
	check_near(latency_of(*state, &place), 4 * (chained - first) + wait, 1e-6);
	check_near(cpe_of(LIMIT_MEMORY_LINES),
		(first - second) / 0.5 + (second - third) / 0.25 + (third + ordered) / 0.1, 1e-6);
	check_near(limits.beyond[2], third + ordered, 1e-9);
	/* The others may miss as they stand in the reorder buffer: one in 32 micro-ops. */
	check_near(cpe_of(LIMIT_MISSES), wait / 3, 1e-6);
	/* If the random accesses use a small part of the data often, they miss no line. Lines in
	 * order do not change that. */
	place.walk.reach[0].range = 512;
	place.walk.reach[0].lines = 100;
	place.walk.reach[0].way = REACH_FREE;
	limits_of_place(*state, PLAIN, 1, &place);
	assert_null(find(LIMIT_MISSES));
	assert_null(find(LIMIT_MEMORY_LATENCY));
}

/* A cache may keep few lines that come again, however much else goes through it. */
TEST(lines_that_come_again_may_all_be_kept)
{
	struct limits_place place = { .working_set = 1 << 20,
		.walk.reaches = 2,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 16384,
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 },
		.walk.reach = { { 0.25, 1 << 20, REACH_CHAINED, 16384 },
			{ 0.5, 1 << 20, REACH_ORDERED, 0 } } };

	check_near(latency_of(*state, &place),
		0.25 * (4 * 1024 + 14 * 4096 + 50 * (16384 - 5120)) / 16384, 1e-6);
	/* Of the others none is kept. */
	check_near(limits.beyond[2], 0.5, 1e-9);
	/* What loads over so many bytes take says nothing of fewer. */
	place.measured.point[0] = (struct memory_point){ 1 << 18, 200, 200, 200 };
	check_near(latency_of(*state, &place),
		0.25 * (4 * 1024 + 14 * 4096 + 50 * (16384 - 5120)) / 16384, 1e-6);
	place.walk.reach[0].least = 1 << 10;
	check_near(latency_of(*state, &place), 0.25 * 4, 1e-6);
}

/* The mean over a range of bytes is measured: the latencies of L3 and of memory add up to it. */
TEST(the_measured_mean_is_kept)
{
	struct limits_place place = { .working_set = 1 << 20,
		.walk.lines = 1,
		.walk.scattered = true,
		.measured = { .l3 = { .known = true, .latency = 50, .lines = 0.25 },
			.memory = { .known = true, .latency = 300, .lines = 0.1 },
			.point = { { .bytes = 1 << 19, .latency = 200 },
				{ .bytes = 1 << 21, .latency = 400 } } },
		.caches.level[2] = { 1 << 18, 1 << 17, 1 << 19, CACHE_MEASURED } };
	const double own = (4 * 1024 + 14 * 4096) / 1048576.0, far = 1 - 5120 / 1048576.0;
	const char *walk = "mov rax,[rax]; cmp rax,rdx; jne top";

	/* In the middle of the two ranges, on a scale of powers of two. */
	limits_of_place(*state, walk, 1, &place);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), own + far * 300, 1e-9);
	check_contains(cause_of(LIMIT_MEMORY_LATENCY), "% memory");
	assert_false(find(LIMIT_MEMORY_LATENCY)->hard);
	check_near(limits.beyond[2], 1 - (5120.0 + (1 << 18)) / (1 << 20), 1e-9);
	place.working_set = 1 << 19;
	limits_of_place(*state, walk, 1, &place);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY),
		(4 * 1024 + 14 * 4096 + 200 * (524288 - 5120)) / 524288.0, 1e-9);
	/* Outside the ranges, each level has its own latency. */
	place.working_set = 1 << 22;
	limits_of_place(*state, walk, 1, &place);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY),
		(4 * 1024 + 14 * 4096 + 50.0 * (1 << 18) + 300.0 * ((1 << 22) - 5120 - (1 << 18))) /
			(1 << 22),
		1e-9);
	/* Where nearly all is in L3, the mean is the latency of L3. */
	place.working_set = 1 << 20;
	place.caches.level[2].bytes = 1 << 20;
	limits_of_place(*state, walk, 1, &place);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), own + far * 300, 1e-9);
	check_near(limits.beyond[2], 0, 0);
}

/* What the core's file says is hard; what depends on the last cache or on a measured size is not.
 */
TEST(what_was_sampled_is_soft)
{
	struct limits_place place = { .working_set = 4096,
		.walk.lines = 1,
		.walk.scattered = true,
		.measured = { .l3 = { .known = true, .latency = 50, .lines = 0.25 } },
		.caches.level[2].bytes = 1 << 24 };
	const char *walk = "mov rax,[rax]; cmp rax,rdx; jne top";

	limits_of_place(*state, walk, 1, &place);
	assert_true(find(LIMIT_MEMORY_LATENCY)->hard);
	place.caches.level[1] = (struct cache_size){ 3072, 3000, 3100, CACHE_MEASURED };
	limits_of_place(*state, walk, 1, &place);
	assert_false(find(LIMIT_MEMORY_LATENCY)->hard);
	assert_int_equal(limits.limit[limits.binding].kind, LIMIT_LATENCY);
	place.working_set = 1 << 16;
	place.caches.level[1] = (struct cache_size){ 0 };
	limits_of_place(*state, walk, 1, &place);
	assert_false(find(LIMIT_MEMORY_LATENCY)->hard);
	assert_false(find(LIMIT_MEMORY_LINES)->hard);
}

/* Of chained loads those wait for the second TLB that the first does not reach; others wait for
 * nobody. */
TEST(page_walks_are_those_of_chained_loads)
{
	/* 16 pages are 64 KiB. */
	struct limits_place place = { .working_set = 1 << 20,
		.walk.reaches = 3,
		.page = 4096,
		.walk.reach = { { 1, 4096, REACH_CHAINED }, { 2, 1 << 20, REACH_CHAINED },
			{ 5, 1 << 20, REACH_FREE } },
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 1 << 24 };
	double beyond = 2 * (1 - 65536.0 / (1 << 20));

	limits_of_place(*state, PLAIN, 1, &place);
	check_near(cpe_of(LIMIT_PAGE_WALKS),
		fmax(cpe_of(LIMIT_MEMORY_LATENCY), cpe_of(LIMIT_MEMORY_LINES)) + 8 * beyond, 1e-9);
	assert_string_equal(cause_of(LIMIT_PAGE_WALKS),
		"the other limits, and 63 % of chained loads miss the first TLB: +15 cycles an "
		"iteration");
	assert_false(find(LIMIT_PAGE_WALKS)->hard);
	place.walk.chains = 5;
	limits_of_place(*state, PLAIN, 1, &place);
	check_near(cpe_of(LIMIT_PAGE_WALKS),
		fmax(cpe_of(LIMIT_MISSES), cpe_of(LIMIT_MEMORY_LINES)) + 8 * beyond / 5, 1e-9);
	/* If each element begins a chain, those of 12 elements fit the reorder buffer, and so do
	 * their walks. Measured on Zen 5, three loads in a chain over 4 MiB: 3.8 cycles; 14.1 with
	 * walks one after the other. */
	place.walk.chains = 1;
	place.walk.restart = 1;
	limits_of_place(*state, PLAIN, 1, &place);
	check_contains(cause_of(LIMIT_PAGE_WALKS), "miss the first TLB: +1.25 cycles an iteration");
	place.walk.restart = 0;
	place.walk.reach[1].range = 65536;
	limits_of_place(*state, PLAIN, 1, &place);
	assert_null(find(LIMIT_PAGE_WALKS));
}

/* If each load reads another page, and the pages repeat in the same order, the first TLB keeps none
 * of them. Measured on Zen 5, whose first TLB has 96 entries: 11.0 cycles at 128 and 700 pages. */
TEST(a_tlb_keeps_none_of_more_pages_than_entries)
{
	static const char chase[] = "mov rax,[rax]; cmp rax,rdx; jne top";
	struct limits_place place = { .working_set = 128 << 10,
		.walk = { .lines = 1,
			.scattered = true,
			.visits = 1,
			.spacing = 4160,
			.range = 64 * 31 },
		.page = 4096 };

	limits_of_place(*state, chase, 1, &place);
	assert_non_null(strstr(cause_of(LIMIT_PAGE_WALKS), "100 % of loads"));
	place.walk.spacing = 64;
	limits_of_place(*state, chase, 1, &place);
	assert_non_null(strstr(cause_of(LIMIT_PAGE_WALKS), "50 % of loads"));
}

/* Whether the limit of ports of PLAIN is hard, on a core with this line for additions. */
static bool ports_are_hard(const char *alu)
{
	const struct limits_place place = { .working_set = 64 };
	struct text text = { 0 };
	struct uarch *uarch;
	bool hard;

	for (int i = 0; i < CORE_LINES; i++)
		text_addf(&text, "%s\n", strncmp(core[i], "class alu", 9) == 0 ? alu : core[i]);
	check_ok(uarch_parse(text_string(&text), "core", &uarch));
	text_free(&text);
	limits_of_place(uarch, PLAIN, 1, &place);
	hard = find(LIMIT_PORTS)->hard;
	uarch_free(uarch);
	return hard;
}

/* A search in measured mixes may give a class of several micro-ops a port too many, so a loop may
 * beat the limit of these ports. */
TEST(inferred_ports_of_several_micro_ops_are_no_bound)
{
	assert_true(ports_are_hard("class alu latency 1 ports a0,a1 [measured]"));
	assert_true(ports_are_hard("class alu latency 1 ports a0,a1 + a0 [M]"));
	assert_false(ports_are_hard("class alu latency 1 ports a0,a1 + a0 [measured]"));
}

/* A machine that has no third level, and whose memory is measured. */
TEST(memory_may_be_behind_the_second_level)
{
	struct limits_place place = tree(10);

	place.measured.l3.known = false;
	place.caches.level[2].bytes = 0;
	limits_of_place(*state, PLAIN, 1, &place);
	assert_true(cpe_of(LIMIT_MEMORY_LATENCY) > 300);
	check_near(limits.beyond[2], missed(&place.walk, 1024 + 4096), 1e-9);
	check_near(limits.beyond[1], limits.beyond[2], 1e-9);
}

TEST(what_is_missing_is_named)
{
	struct limits_place place = tree(10);

	place.measured.l3.known = place.measured.memory.known = false;
	place.caches.level[2].bytes = 16384;
	limits_of_place(*state, PLAIN, 1, &place);
	assert_false(find(LIMIT_MEMORY_LATENCY)->known);
	assert_string_equal(
		cause_of(LIMIT_MEMORY_LATENCY), "L3 latency of this machine not measured yet");
}

/* A fact that the core file does not state, or that is not measured, never raises a hard limit. */
TEST(fewer_facts_never_raise_a_hard_limit)
{
	struct random random = { 31 };

	for (int round = 0; round < CHECK_REPEATS(600, 120); round++) {
		struct limits_place place = tree(1 + (int)random_below(&random, 14)), less;
		const char *source =
			round % 2 ? PLAIN
				  : "mov rax,[rax]; add rax,rcx; zork rax; cmp rax,rdx; jne top";
		struct uarch *thin = core_without(&random, (int)random_below(&random, 6));
		double bound;

		for (int i = 0; i < place.walk.reaches; i++)
			place.walk.reach[i].way = (enum reach_way)random_below(&random, 4);
		place.walk.chains = (double)random_below(&random, 4);
		place.walk.restart = (double)random_below(&random, 3);
		place.walk.mispredicts = (double)random_below(&random, 3);
		place.measured.point[0] = (struct memory_point){ .bytes = 8192,
			.latency = (double)random_below(&random, 500) };
		limits_of_place(*state, source, 1, &place);
		bound = limits.bound;
		less = place;
		less.measured.l3.known = random_below(&random, 4) > 0;
		less.measured.memory.known = random_below(&random, 4) > 0;
		less.measured.point[0].latency *= random_below(&random, 2);
		/* Without a third level that is known to be there, what is behind the second is
		 * memory: that is another machine. */
		less.caches.level[2].bytes = 16384;
		limits_of_place(thin, source, 1, &less);
		if (limits.bound > bound + 1e-9)
			fail_msg("round %d: %.3f instead of %.3f (%s)", round, limits.bound, bound,
				limits.limit[limits.binding].cause);
		for (int i = 0; i < limits.limit_count; i++)
			assert_true(*limits.limit[i].cause &&
				    (!limits.limit[i].known || isfinite(limits.limit[i].cycles)));
		uarch_free(thin);
	}
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
