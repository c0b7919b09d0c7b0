/* The size of blocks: the case study's rule on its machine and on others, and what makes blocks smaller. */
#include "check.h"

#include "model/block.h"

/* The case study's Itanium: 16 KiB, 96 KiB, 4 MiB; latencies such that the climb behind L2 is the highest, as it saw. */
static struct block_question itanium(void)
{
	return (struct block_question){
		.level_count = 4,
		.level = { { .name = "L1d", .bytes = 16 << 10, .latency = 2 }, { .name = "L2", .bytes = 96 << 10, .latency = 6 },
			{ .name = "L3", .bytes = 4 << 20, .latency = 24, .shared = true, .measured = true },
			{ .name = "memory", .latency = 120, .shared = true, .measured = true } },
		.blocks = 3, .bytes = 8, .least = 4, .most = 1000,
	};
}

static void three_blocks_share_a_cache(void **state)
{
	(void)state;
	assert_int_equal(block_fits(96 << 10, 3, 8), 64);
	assert_int_equal(block_fits(2 << 20, 3, 8), 295);
	assert_int_equal(block_fits(2 << 20, 3, 4), 418);
	assert_int_equal(block_fits(0, 3, 8), 0);
	assert_int_equal(block_fits(1024, 0, 8), 0);
}

static void the_case_study_gets_its_64(void **state)
{
	struct block_question question = itanium();
	struct block_advice advice;

	(void)state;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 64);
	assert_int_equal(advice.level, 1);
	assert_int_equal(advice.by, BLOCK_CACHE);
	check_near(advice.climb, 4, 1e-9);
	check_contains(advice.why, "three blocks of 64 x 64 8-byte elements fit L2 (96 KiB)");
	check_contains(advice.why, "the latency climbs most, from 6 to 24 cycles as measured");
}

/* Behind L1 where that is the higher step; never a cache that others share, however high the step behind it. */
static void the_level_is_where_latency_climbs_most(void **state)
{
	struct block_question question = itanium();
	struct block_advice advice;

	(void)state;
	question.level[1].latency = 10;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 0);
	assert_int_equal(advice.n, 26);      /* of fewer than 32 nothing is taken off */
	check_contains(advice.why, "fit L1d (16 KiB)");
	question = itanium();
	question.level[3].latency = 10000;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 1);
}

/* Where nobody measured what is behind the core's own caches, it is the last of them, and the words say so. */
static void without_latencies_the_last_own_cache_is_taken(void **state)
{
	struct block_question question = itanium();
	struct block_advice advice;

	(void)state;
	question.level[2].latency = 0;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 1);
	assert_int_equal(advice.n, 64);
	check_contains(advice.why, "the latency of L3 is not known here");
	question.level_count = 1;
	question.level[0].latency = NAN;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 0);
	question.level[0].bytes = 0;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 0);
	assert_int_equal(advice.level, -1);
}

static void pages_and_the_window_make_blocks_smaller(void **state)
{
	struct block_question question = itanium();
	struct block_advice advice;

	(void)state;
	question.level[1].bytes = 2 << 20;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);      /* 295, in steps of a cache line's elements */
	question.pages = 1;
	question.entries = 100;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 96);
	assert_int_equal(advice.by, BLOCK_PAGES);
	assert_int_equal(advice.fits, 295);
	check_contains(advice.why, "295 x 295 8-byte elements fit L2");
	check_contains(advice.why, "; but each row takes 1 page of the first TLB, which holds 100");
	/* Two matrices, rows of half a page. */
	question.pages = 2 * 0.5 * 2;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 32);
	assert_int_equal(advice.by, BLOCK_TURNS);
	check_contains(advice.why, "each row takes 2 pages of the first TLB, which holds 100; and of a little over 32 turns");
	/* Loops of four elements a turn have fewer turns. */
	question.turn = 4;
	question.level[0].bytes = 8 << 10;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 48);
	assert_int_equal(advice.by, BLOCK_PAGES);
	question.turn = 0;
	question.pages = 1;
	question.window = 85.3;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 80);
	assert_int_equal(advice.by, BLOCK_WINDOW);
	check_contains(advice.why, "only 85 elements of a sum");
	/* Wider ones bind nothing. */
	question.entries = 2000;
	question.window = 3000;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	assert_int_equal(advice.by, BLOCK_CACHE);
}

/* Where pages keep blocks small, a little less fits one of them into the cache before; much less is not worth it. */
static void what_pages_leave_may_fit_the_cache_before(void **state)
{
	struct block_question question = itanium();
	struct block_advice advice;

	(void)state;
	question.level[1].bytes = 2 << 20;
	question.level[0].bytes = 48 << 10;
	question.pages = 1;
	question.entries = 96;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 72);
	assert_int_equal(advice.by, BLOCK_NEAR);
	check_contains(advice.why, "each row takes 1 page of the first TLB, which holds 96; and of little less, 78 x 78, one block fits L1d (48 KiB)");
	/* Of half the bytes more fit than there are pages. */
	question.bytes = 4;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 96);
	assert_int_equal(advice.by, BLOCK_PAGES);
	/* 45 x 45 are few beside 96. */
	question.bytes = 8;
	question.level[0].bytes = 16 << 10;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 96);
	/* Without pages in the way the level itself is what counts. */
	question.level[0].bytes = 48 << 10;
	question.pages = 0;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	/* No level before the first. */
	question.pages = 3;
	question.level[0] = question.level[1];
	question.level_count = 1;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 32);
	assert_int_equal(advice.by, BLOCK_PAGES);
}

static void no_block_is_larger_than_the_matrix(void **state)
{
	struct block_question question = itanium();
	struct block_advice advice;

	(void)state;
	question.most = 50;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 50);
	assert_int_equal(advice.by, BLOCK_MOST);
	check_contains(advice.why, "the whole matrices fit it too");
	question = itanium();
	question.level[1].bytes = 100;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_blocks_share_a_cache),
		cmocka_unit_test(the_case_study_gets_its_64),
		cmocka_unit_test(the_level_is_where_latency_climbs_most),
		cmocka_unit_test(without_latencies_the_last_own_cache_is_taken),
		cmocka_unit_test(pages_and_the_window_make_blocks_smaller),
		cmocka_unit_test(what_pages_leave_may_fit_the_cache_before),
		cmocka_unit_test(no_block_is_larger_than_the_matrix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
