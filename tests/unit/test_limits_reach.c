/* Walks whose chained loads meet small and large parts of their data by turns: a kernel made up, on
 * a core made up, so that every figure can be worked out by hand. */
#include "base/random.h"
#include "loop_limits.h"
#include "model/memory/recency.h"

/* A line each, so that tests can leave lines out. */
static const char *const core[] = {
	"uarch odd A core for tests",
	"isa x86_64",
	"width 4 [M]",
	"ports a0 a1 l0 l1 [M]",
	"class move latency 0 ports none [M]",
	"class alu latency 1 ports a0,a1 [M]",
	"class branch ports a1 [M]",
	"class taken ports a1 [M]",
	"class load latency 4 ports l0,l1 [M]",
	"cap loads 2 [M]",
	"size rob 96 [M]",
	"size tlb1 16 [M]",
	"extra mispredict 20±2 [measured]",
	"extra tlb2 8 [M]",
	"extra misses 10 [M]",
	"cache 1 bytes 1024 latency 4 [M]",
	"cache 2 bytes 4096 latency 14 lines 0.5 [M]",
};
enum { CORE_LINES = sizeof(core) / sizeof(*core), CORE_NEEDED = 4 };

/* The core without so many of its lines, whichever. */
static struct uarch *core_without(struct random *random, int without)
{
	bool left_out[CORE_LINES] = { false };
	struct text text = { 0 };
	struct uarch *uarch;

	for (int i = 0; i < without; i++)
		left_out[CORE_NEEDED + random_below(random, CORE_LINES - CORE_NEEDED)] = true;
	for (int i = 0; i < CORE_LINES; i++)
		if (!left_out[i])
			text_addf(&text, "%s\n", core[i]);
	check_ok(uarch_parse(text_string(&text), "core", &uarch));
	text_free(&text);
	return uarch;
}

static int set_up(void **state)
{
	struct random random = { 1 };

	*state = core_without(&random, 0);
	return 0;
}

static int tear_down(void **state)
{
	uarch_free(*state);
	return 0;
}

/* Eight micro-ops an element: twelve elements in the reorder buffer. */
#define PLAIN                                                                                \
	"mov rax,[rsi]; add rbx,rax; add rbx,rcx; add rdx,rcx; add r8,rcx; add r9,rcx; add " \
	"rsi,rcx; cmp rsi,rdi; jne top"

/* Per element; -1: there is none, or it is not known. */
static double cpe_of(enum limit_kind kind)
{
	const struct limit *limit = find(kind);

	return limit && limit->known ? limit->cpe : -1;
}

/* Of PLAIN, per element; -1: there is none, or it is not known. */
static double latency_of(const struct uarch *uarch, const struct limits_place *place)
{
	limits_of_place(uarch, PLAIN, 1, place);
	return cpe_of(LIMIT_MEMORY_LATENCY);
}

/* A search tree of nodes that take a line each: level k holds 2^k of them. */
static struct limits_place tree(int levels)
{
	struct limits_place place = { .working_set = 64.0 * (double)(1 << levels),
		.walk.reaches = levels,
		.page = 4096,
		.measured.l3 = { .known = true, .latency = 50, .lines = 0.25 },
		.caches.level[2].bytes = 16384,
		.measured.memory = { .known = true, .latency = 300, .lines = 0.1 } };

	for (int i = 0; i < levels; i++)
		place.walk.reach[i] =
			(struct kernel_reach){ .lines = 1, .range = 64.0 * ((2 << i) - 1) };
	return place;
}

/* Returns the misses per element in a cache of `bytes` that evicts the line not used for longest.
 */
static double missed(const struct kernel_walk *walk, double bytes)
{
	double age = recency_age(walk, bytes), sum = 0;

	for (int i = 0; i < walk->reaches; i++)
		sum += walk->reach[i].lines * recency_missed(walk, i, bytes, age);
	return sum;
}

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
	check_contains(cause_of(LIMIT_LATENCY), "every element, and up to 10 of them overlap");
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
	/* Where those are a small part of it that is used often, they miss nothing, whatever the
	 * lines in order do. */
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

/* Whatever the core's file does not say, and whatever is not measured: a bound is never higher for
 * it. */
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
