/* The size of blocks: the case study's rule on its machine and on others, and what makes blocks
 * smaller. */
#include "check.h"

#include "model/memory/block.h"

/* The case study's Itanium: 16 KiB, 96 KiB, 4 MiB; latencies such that the climb behind L2 is the
 * highest, as it saw. */
static struct block_question itanium(void)
{
	return (struct block_question){
		.level_count = 4,
		.level = { { .name = "L1d", .bytes = 16 << 10, .latency = 2 },
			{ .name = "L2", .bytes = 96 << 10, .latency = 6 },
			{ .name = "L3",
				.bytes = 4 << 20,
				.latency = 24,
				.shared = true,
				.measured = true },
			{ .name = "memory", .latency = 120, .shared = true, .measured = true } },
		.blocks = 3,
		.bytes = 8,
		.least = 4,
		.most = 1000,
	};
}

TEST(three_blocks_share_a_cache)
{
	assert_int_equal(block_fits(96 << 10, 3, 8), 64);
	assert_int_equal(block_fits(2 << 20, 3, 8), 295);
	assert_int_equal(block_fits(2 << 20, 3, 4), 418);
	assert_int_equal(block_fits(0, 3, 8), 0);
	assert_int_equal(block_fits(1024, 0, 8), 0);
}

TEST(the_case_study_gets_its_64)
{
	struct block_question question = itanium();
	struct block_advice advice;

	block_advise(&question, &advice);
	assert_int_equal(advice.n, 64);
	assert_int_equal(advice.level, 1);
	assert_int_equal(advice.by, BLOCK_CACHE);
	check_near(advice.climb, 4, 1e-9);
	check_contains(advice.why, "three blocks of 64 x 64 8-byte elements fit L2 (96 KiB)");
	check_contains(advice.why, "from 6 to 24 cycles as measured");
}

/* Behind L1 where that is the higher step; never a cache that others share, however high the step
 * behind it. */
TEST(the_level_is_where_latency_climbs_most)
{
	struct block_question question = itanium();
	struct block_advice advice;

	question.level[1].latency = 10;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 0);
	assert_int_equal(advice.n, 26); /* of fewer than 32 nothing is taken off */
	check_contains(advice.why, "fit L1d (16 KiB)");
	question = itanium();
	question.level[3].latency = 10000;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 1);
}

/* Where nobody measured what is behind the core's own caches, it is the last of them, and the words
 * say so. */
TEST(without_latencies_the_last_own_cache_is_taken)
{
	struct block_question question = itanium();
	struct block_advice advice;

	question.level[2].latency = 0;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 1);
	assert_int_equal(advice.n, 64);
	check_contains(advice.why, "L3");
	question.level_count = 1;
	question.level[0].latency = NAN;
	block_advise(&question, &advice);
	assert_int_equal(advice.level, 0);
	question.level[0].bytes = 0;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 0);
	assert_int_equal(advice.level, -1);
}

TEST(pages_make_blocks_smaller)
{
	struct block_question question = itanium();
	struct block_advice advice;

	question.level[1].bytes = 2 << 20;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288); /* 295, in steps of a cache line's elements */
	question.entries = 100;
	question.pages = 1;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288); /* gone along, rows are met one after the other */
	question.down = true;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 96);
	assert_int_equal(advice.by, BLOCK_PAGES);
	assert_int_equal(advice.fits, 295);
	check_contains(advice.why, "295 x 295 8-byte elements fit L2");
	check_contains(advice.why, "1 page of the first TLB, which holds 100");
	/* Two matrices, rows of half a page. */
	question.pages = 2 * 0.5 * 2;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 32);
	assert_int_equal(advice.by, BLOCK_TURNS);
	check_contains(advice.why, "2 pages of the first TLB, which holds 100");
	/* Loops of four elements a turn have fewer turns. */
	question.turn = 4;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 48);
	assert_int_equal(advice.by, BLOCK_PAGES);
	question.entries = 2000;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	assert_int_equal(advice.by, BLOCK_CACHE);
}

/* Shorter sums overlap, where the window reaches well into the next; and what they begin with is at
 * hand. */
TEST(the_window_makes_blocks_smaller)
{
	struct block_question question = itanium();
	struct block_advice advice;

	question.level[1].bytes = 2 << 20;
	question.window = 85.3;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 56);
	assert_int_equal(advice.by, BLOCK_WINDOW);
	check_contains(advice.why, "85 elements of a sum");
	question.entries = 96;
	question.pages = 2;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 32);
	check_contains(advice.why, "each row takes 2 pages");
	/* A wider one binds nothing. */
	question.pages = 0;
	question.window = 3000;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	assert_int_equal(advice.by, BLOCK_CACHE);
}

/* As Redwood Cove has them. */
static struct block_question redwood_cove(void)
{
	struct block_question question = itanium();

	question.level[0] = (struct block_level){ .name = "L1d", .bytes = 48 << 10, .latency = 5 };
	question.level[1] = (struct block_level){
		.name = "L2", .bytes = 2 << 20, .latency = 16, .lines = 0.83
	};
	question.level[2].latency = 75;
	question.entries = 96;
	question.mispredict = 20;
	question.pages = 1;
	question.turn = 4;
	return question;
}

/* One block in the cache before saves a line from L2 for eight elements of 8 bytes, and costs more
 * ends of lines. */
TEST(a_block_in_the_cache_before_may_save_more_than_it_costs)
{
	struct block_question question = redwood_cove();
	struct block_advice advice;

	block_advise(&question, &advice);
	assert_int_equal(advice.n, 56);
	assert_int_equal(advice.by, BLOCK_NEAR);
	check_contains(advice.why, "three blocks of 295 x 295 8-byte elements fit L2 (2 MiB)");
	check_contains(advice.why, "one block of 56 x 56 stays in L1d (48 KiB)");
	/* Of half the bytes a line is worth half, and blocks that L2 holds are larger. */
	question.bytes = 4;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 416);
	assert_int_equal(advice.by, BLOCK_CACHE);
	/* Of 56 turns each end is mispredicted. */
	question = redwood_cove();
	question.turn = 1;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	/* Its pages have to fit the TLB as well. */
	question = redwood_cove();
	question.pages = 2.1;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	/* What lines cost must be known. */
	question = redwood_cove();
	question.level[1].lines = NAN;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	/* Rows that meet in few sets do not stay. */
	question = redwood_cove();
	question.meet = true;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	/* No level before the first, and no block smaller than there may be. */
	question = redwood_cove();
	question.level[0] = question.level[1];
	question.level_count = 1;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
	question = redwood_cove();
	question.least = 60;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 288);
}

/* And so where pages keep blocks small: what they leave is in the cache before, or not. */
TEST(what_pages_leave_may_fit_the_cache_before)
{
	struct block_question question = redwood_cove();
	struct block_advice advice;

	question.down = true;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 56);
	assert_int_equal(advice.by, BLOCK_NEAR);
	check_contains(advice.why, "1 page of the first TLB, which holds 96");
	check_contains(advice.why, "one block of 56 x 56 stays in L1d (48 KiB)");
	question.bytes = 4;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 80);
	/* 64 x 64 of these are in the first cache as they are. */
	question.turn = 2;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 64);
	assert_int_equal(advice.by, BLOCK_TURNS);
}

TEST(no_block_is_larger_than_the_matrix)
{
	struct block_question question = itanium();
	struct block_advice advice;

	question.most = 50;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 50);
	assert_int_equal(advice.by, BLOCK_MOST);
	question = itanium();
	question.level[1].bytes = 100;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 4);
}

RUN_TESTS()
