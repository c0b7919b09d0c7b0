/* Walks whose chained loads meet small and large parts of their data by turns: a kernel made up, on
 * a core made up, so that every figure can be worked out by hand. */
#include "reached_core.h"

TEST(each_load_costs_what_its_part_of_the_data_costs)
{
	struct limits_place place = tree(4);
	double first, own;

	/* 15 lines: 960 bytes are in L1. */
	check_near(latency_of(*state, &place), 16, 1e-9);
	assert_string_equal(
		cause_of(LIMIT_MEMORY_LATENCY), "4 loads one after the other: 4 in L1 at 4 cycles");
	assert_true(find(LIMIT_MEMORY_LATENCY)->hard);
	check_near(limits.beyond[0], 0, 0);
	/* 63 lines: L1 holds those used last. Other caches may choose better: no bound. */
	place = tree(6);
	first = missed(&place.walk, 1024);
	check_near(latency_of(*state, &place), 4 * (6 - first) + 14 * first, 1e-9);
	check_contains(cause_of(LIMIT_MEMORY_LATENCY), " in L2 at 14 cycles");
	assert_false(find(LIMIT_MEMORY_LATENCY)->hard);
	check_near(limits.beyond[0], first, 1e-9);
	check_near(limits.beyond[1], 0, 1e-12);
	place = tree(10);
	limits_of_place(*state, PLAIN, 1, &place);
	own = missed(&place.walk, 1024 + 4096);
	check_near(limits.beyond[1], own, 1e-9);
	check_near(limits.beyond[2], missed(&place.walk, 1024 + 4096 + 16384), 1e-9);
	check_contains(cause_of(LIMIT_MEMORY_LATENCY), " in memory at 300 cycles");
}

TEST(chains_at_once_share_the_time)
{
	struct limits_place place = tree(10);
	double alone;

	alone = latency_of(*state, &place);
	place.walk.chains = 16;
	check_near(latency_of(*state, &place), alone / 16, 1e-9);
	check_contains(cause_of(LIMIT_MEMORY_LATENCY), "; 16 chains at once");
	/* However many there are, the first cache waits for ten lines at a time. */
	check_near(cpe_of(LIMIT_MISSES), (alone - 4 * (10 - limits.beyond[0])) / 10, 1e-9);
	/* An iteration of several elements takes as many times that. */
	limits_of_place(*state, PLAIN, 4, &place);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), alone / 16, 1e-9);
}

TEST(what_begins_anew_overlaps_as_far_as_the_buffer_reaches)
{
	struct limits_place place = tree(10);
	double alone, together;

	alone = latency_of(*state, &place);
	place.walk.restart = 1;
	limits_of_place(*state, PLAIN, 1, &place);
	together = limits.overlap;
	assert_true(together >= 10 && together <= 13);
	/* Of twelve, the thirteenth waits for the first. */
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), alone / (floor(together) + 2), alone * 0.01);
	check_contains(cause_of(LIMIT_MEMORY_LATENCY), " more in the reorder buffer");
	check_contains(cause_of(LIMIT_LATENCY),
		"every element, and up to 10 elements overlap, so 1 chain in 12 waits");
	/* Of a longer chain, all but the 10 elements that overlap wait. */
	place.walk.restart = 40;
	limits_of_place(*state, PLAIN, 1, &place);
	check_contains(cause_of(LIMIT_LATENCY), "so 30 of 40 elements wait");
	/* No hard limit without the buffer's size. */
	place.walk.restart = 0;
	check_near(latency_of(*state, &place), alone, 1e-9);
}

/* Each wrong guess ends what overlaps: expected, no bound. */
TEST(a_wrong_guess_ends_the_overlap)
{
	struct limits_place place = tree(10);
	double alone, hard;

	alone = latency_of(*state, &place);
	place.walk.restart = 1;
	limits_of_place(*state, PLAIN, 1, &place);
	hard = limits.bound;
	place.walk.mispredicts = 5;
	limits_of_place(*state, PLAIN, 1, &place);
	check_near(limits.bound, hard, 1e-9);
	assert_false(find(LIMIT_MISPREDICTION)->hard);
	check_near(cpe_of(LIMIT_MISPREDICTION),
		alone * 5 / 6 + 5 * 20 +
			(cpe_of(LIMIT_PAGE_WALKS) > 0 ? cpe_of(LIMIT_PAGE_WALKS) - hard : 0),
		1e-6);
	check_contains(cause_of(LIMIT_MISPREDICTION), "chains that do not overlap");
	/* The core file states 20±2 cycles a misprediction. */
	check_near(find(LIMIT_MISPREDICTION)->spread, 5 * 2, 1e-9);
}

/* If the next address is guessed, loads do not wait for each other. A wrong guess waits for its
 * load, and the waits of all elements in the reorder buffer overlap. */
TEST(guessed_addresses_make_no_chain)
{
	struct limits_place place = tree(10);
	double alone, bound, together;

	alone = latency_of(*state, &place);
	for (int i = 0; i < place.walk.reaches; i++)
		place.walk.reach[i].way = REACH_GUESSED;
	limits_of_place(*state, PLAIN, 1, &place);
	assert_null(find(LIMIT_MEMORY_LATENCY));
	assert_true(cpe_of(LIMIT_MISSES) > 0);
	bound = limits.predicted;
	place.walk.mispredicts = 5;
	limits_of_place(*state, PLAIN, 1, &place);
	together = fmax(((struct uarch *)*state)->fact[SIZE_ROB] / limits.slots, 1);
	assert_true(together > 1);
	check_near(cpe_of(LIMIT_MISPREDICTION), bound + 5 * 20 + 5 * alone / 10 / together, 1e-6);
	check_contains(cause_of(LIMIT_MISPREDICTION), "after a load of ");
}

/* Operations between the loads are on the chain too, where it is carried from element to element.
 */
TEST(a_carried_chain_keeps_its_operations)
{
	struct limits_place place = { .working_set = 65536,
		.walk.reaches = 1,
		.walk.reach = { { 1, 65536, REACH_CHAINED } },
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 65536 };
	const char *walk = "mov rax,[rax]; add rax,rcx; cmp rax,rdx; jne top";
	double mean = (4 * 1024 + 14 * 4096 + 50 * (65536 - 5120)) / 65536.0;

	limits_of_place(*state, walk, 1, &place);
	check_near(cpe_of(LIMIT_LATENCY), 5, 1e-9);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), mean + 1, 1e-9);
	/* A walk without reaches says the same. */
	place = (struct limits_place){ .working_set = 65536,
		.walk.lines = 1,
		.walk.scattered = true,
		.measured.l3 = place.measured.l3,
		.caches = place.caches };
	limits_of_place(*state, walk, 1, &place);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), mean + 1, 1e-9);
}

/* Nothing depends on which part of the data is named first: none of the small one's lines come from
 * what counts as memory for the large one. */
TEST(the_order_of_the_parts_does_not_matter)
{
	const struct kernel_reach small = { 1, 2048, REACH_CHAINED },
				  large = { 1, 1 << 22, REACH_CHAINED };
	struct limits_place place = { .working_set = 1 << 22,
		.walk.reaches = 2,
		.walk.reach = { small, large },
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 1 << 20,
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 } };
	double lines, latency;

	limits_of_place(*state, PLAIN, 1, &place);
	lines = cpe_of(LIMIT_MEMORY_LINES);
	latency = cpe_of(LIMIT_MEMORY_LATENCY);
	assert_true(lines > 1 / 0.25 * 0.99 && latency > 50);
	place.walk.reach[0] = large;
	place.walk.reach[1] = small;
	limits_of_place(*state, PLAIN, 1, &place);
	check_near(cpe_of(LIMIT_MEMORY_LINES), lines, 1e-9);
	check_near(cpe_of(LIMIT_MEMORY_LATENCY), latency, 1e-9);
}

/* Walks of many elements a load have little of one each: it is told all the same. */
TEST(a_load_now_and_then_is_told)
{
	struct limits_place place = { .working_set = 1 << 20,
		.walk.reaches = 1,
		.walk.reach = { { 0.00195, 1 << 20, REACH_CHAINED } },
		.walk.restart = 1e6,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 1 << 24 };

	limits_of_place(*state, PLAIN, 1, &place);
	assert_string_equal(cause_of(LIMIT_MEMORY_LATENCY),
		"0.00195 loads one after the other: 0.00194 in L3 at 50 cycles");
}

/* Zen 4, measured: a line keeps loads to general registers waiting, but no loads of vectors. */
TEST(lines_that_arrive_keep_loads_waiting)
{
	struct limits_place place = { .working_set = 1 << 17, .walk = { .lines = 1, .step = 64 } };
	struct uarch *zen4;

	check_ok(uarch_load("zen4", "x86_64", &zen4));
	limits_of_place(zen4,
		"add rax,[rdi]; add rbx,[rdi+8]; add rcx,[rdi+16]; add rdx,[rdi+24]; "
		"add rsi,[rdi+32]; add r8,[rdi+40]; add rdi,64; cmp rdi,r9; jne top",
		1, &place);
	check_near(cycles_of(LIMIT_EVICTED), 6 / 3.0 + 1.15, 1e-9);
	check_contains(cause_of(LIMIT_EVICTED), "1.15 cycles for each of 1 line that arrives");
	limits_of_place(zen4,
		"addsd xmm0,[rdi]; addsd xmm1,[rdi+8]; addsd xmm2,[rdi+16]; addsd xmm3,[rdi+24]; "
		"add rdi,64; cmp rdi,r9; jne top",
		1, &place);
	check_near(cycles_of(LIMIT_EVICTED), 2, 1e-9);
	/* What fits the first cache waits for no line. */
	place.working_set = 1 << 14;
	limits_of_place(zen4, "add rax,[rdi]; add rdi,64; cmp rdi,r9; jne top", 1, &place);
	assert_null(find(LIMIT_EVICTED));
	uarch_free(zen4);
}

static uint64_t no_address(int turn, int insn, int operand)
{
	return 0;
}

/* Loads at random places of a gigabyte, each of which takes 300 cycles: twelve elements are in the
 * reorder buffer together. The next twelve are renamed in 24 cycles. */
TEST(misses_of_a_stepped_loop_are_simulated)
{
	struct limits_place place = { .working_set = 1 << 30,
		.walk = { .scattered = true, .lines = 1, .range = 1 << 30 },
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 } };
	struct loop loop;

	caches_of_core(*state, &place);
	assembly_loop(PLAIN, &loop);
	assembly_step(&loop, 48, no_address);
	limits_compute(&loop, *state, &place, &limits);
	check_near(cpe_of(LIMIT_WINDOW), -1, 0);
	for (int i = 0; i < loop.path_count; i++)
		loop.path[i].misses = loop.path[i].insn == 0;
	limits_compute(&loop, *state, &place, &limits);
	check_near(cpe_of(LIMIT_WINDOW), (300 + 96 / 4) / 12.0, 0.5);
	assert_false(find(LIMIT_WINDOW)->hard);
	loop_free(&loop);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
