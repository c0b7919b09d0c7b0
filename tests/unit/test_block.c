/* The size of blocks: the case study's rule on its machine and on others, and what makes blocks
 * smaller. */
#include "check.h"

#include "experiment/sweep/blocks.h"
#include "model/core/uarch.h"

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

static struct block_advice advice; /* of the last check */
static bool as_good;

/* The advice for the question: the size, and its reason. */
static void check_advice(const struct block_question *question, int64_t n, enum block_bound by)
{
	block_advise(question, &advice);
	assert_int_equal(advice.n, n);
	assert_int_equal(advice.by, by);
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

	block_advise(&question, &advice);
	assert_int_equal(advice.n, 64);
	assert_int_equal(advice.level, 1);
	assert_int_equal(advice.by, BLOCK_CACHE);
	check_parts(advice.why, "three blocks of 64 x 64 8-byte elements fit L2 (96 KiB)",
		"from 6 to 24 cycles as measured");
}

/* Behind L1 where that is the higher step; never a cache that others share, however high the step
 * behind it. */
TEST(the_level_is_where_latency_climbs_most)
{
	struct block_question question = itanium();

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

	question.level[1].bytes = 2 << 20;
	check_advice(&question, 288, BLOCK_CACHE); /* 295, in steps of a cache line's elements */
	question.entries = 100;
	question.pages = 1;
	check_advice(
		&question, 288, BLOCK_CACHE); /* gone along, rows are met one after the other */
	question.down = true;
	check_advice(&question, 96, BLOCK_PAGES);
	assert_int_equal(advice.fits, 295);
	check_parts(advice.why, "295 x 295 8-byte elements fit L2",
		"1 page of the first TLB, which holds 100");
	/* Two matrices, rows of half a page. */
	question.pages = 2 * 0.5 * 2;
	check_advice(&question, 32, BLOCK_TURNS);
	check_contains(advice.why, "2 pages of the first TLB, which holds 100");
	/* Loops of four elements a turn have fewer turns. */
	question.turn = 4;
	check_advice(&question, 48, BLOCK_PAGES);
	question.entries = 2000;
	check_advice(&question, 288, BLOCK_CACHE);
}

/* Shorter sums overlap, where the window reaches well into the next; and what they begin with is at
 * hand. */
TEST(the_window_makes_blocks_smaller)
{
	struct block_question question = itanium();

	question.level[1].bytes = 2 << 20;
	question.window = 85.3;
	check_advice(&question, 56, BLOCK_WINDOW);
	check_contains(advice.why, "85 elements of a sum");
	question.entries = 96;
	question.pages = 2;
	block_advise(&question, &advice);
	assert_int_equal(advice.n, 32);
	check_contains(advice.why, "each row takes 2 pages");
	/* A wider one binds nothing. */
	question.pages = 0;
	question.window = 3000;
	check_advice(&question, 288, BLOCK_CACHE);
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

	check_advice(&question, 56, BLOCK_NEAR);
	check_parts(advice.why, "three blocks of 295 x 295 8-byte elements fit L2 (2 MiB)",
		"one block of 56 x 56 stays in L1d (48 KiB)");
	/* A narrow screen shows only the beginning, which must be the reason for 56. */
	assert_int_equal(strncmp(advice.why, "one block of 56 x 56", 20), 0);
	/* Of half the bytes a line is worth half, and blocks that L2 holds are larger. */
	question.bytes = 4;
	check_advice(&question, 416, BLOCK_CACHE);
	/* Of 56 turns each end is mispredicted. */
	question = redwood_cove();
	question.turn = 1;
	check_advice(&question, 288, BLOCK_CACHE);
	/* Its pages have to fit the TLB as well. */
	question = redwood_cove();
	question.pages = 2.1;
	check_advice(&question, 288, BLOCK_CACHE);
	/* What lines cost must be known. */
	question = redwood_cove();
	question.level[1].lines = NAN;
	check_advice(&question, 288, BLOCK_CACHE);
	/* Rows that meet in few sets do not stay. */
	question = redwood_cove();
	question.meet = true;
	check_advice(&question, 288, BLOCK_CACHE);
	/* No level before the first, and no block smaller than there may be. */
	question = redwood_cove();
	question.level[0] = question.level[1];
	question.level_count = 1;
	check_advice(&question, 288, BLOCK_CACHE);
	question = redwood_cove();
	question.least = 60;
	check_advice(&question, 288, BLOCK_CACHE);
}

/* And so where pages keep blocks small: what they leave is in the cache before, or not. */
TEST(what_pages_leave_may_fit_the_cache_before)
{
	struct block_question question = redwood_cove();

	question.down = true;
	check_advice(&question, 56, BLOCK_NEAR);
	check_parts(advice.why, "1 page of the first TLB, which holds 96",
		"one block of 56 x 56 stays in L1d (48 KiB)");
	question.bytes = 4;
	check_advice(&question, 80, BLOCK_NEAR);
	/* 64 x 64 of these are in the first cache as they are. */
	question.turn = 2;
	check_advice(&question, 64, BLOCK_TURNS);
}

TEST(no_block_is_larger_than_the_matrix)
{
	struct block_question question = itanium();

	question.most = 50;
	check_advice(&question, 50, BLOCK_MOST);
	question = itanium();
	question.level[1].bytes = 100;
	check_advice(&question, 4, BLOCK_CACHE);
}

/* ---- the advised size for a kernel on a machine, next to the best one measured */

static const struct kernel *kernel;
static struct machine machine;

static void set(struct setting *setting, const char *form)
{
	kernel = kernel_find("matmul");
	setting_init(setting, kernel);
	check_ok(setting_assign(setting, form, MEMORY_LIMITS_UNKNOWN));
	memset(&machine, 0, sizeof(machine));
	machine.cache_count = 3;
	machine.cache[0].level = 1;
	machine.cache[0].bytes = 48 << 10;
	machine.cache[1].level = 2;
	machine.cache[1].bytes = 2 << 20;
	machine.cache[2].level = 3;
	machine.cache[2].bytes = 32 << 20;
}

TEST(sizes_alone_give_an_advice)
{
	struct setting setting;
	struct blocks_question question = { .setting = &setting };
	struct blocks blocks;
	struct blocks_text words;

	set(&setting, "form=blocked-transposed");
	question.caches = cache_sizes(&machine, NULL, false, NULL);
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.n, 288);
	words = blocks_words(&blocks, &setting, NULL);
	check_parts(words.text,
		"block=288 advised: three blocks of 295 x 295 8-byte elements fit L2 (2 MiB)",
		"the latency of L1d is not known here");
	/* Of half the bytes more fit. */
	check_ok(setting_assign(&setting, "type=f32", MEMORY_LIMITS_UNKNOWN));
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.n, 416);
	/* No blocks, no kernel with blocks, no caches. */
	set(&setting, "form=naive");
	assert_false(blocks_find(&question, &blocks));
	setting_init(&setting, kernel_find("mountain"));
	assert_false(blocks_find(&question, &blocks));
	set(&setting, "form=blocked");
	question.caches = (struct cache_sizes){ 0 };
	assert_false(blocks_find(&question, &blocks));
}

/* The advice for the setting with this word. */
static void check_explained(struct setting *setting, const struct explain_question *ask,
	const struct blocks_question *question, const char *word, int64_t n, enum block_bound by)
{
	struct explanation *explanation = (struct explanation *)question->explanation;
	struct blocks blocks;

	check_ok(setting_assign(setting, word, MEMORY_LIMITS_UNKNOWN));
	explain(ask, explanation);
	check_ok(explanation->status);
	assert_true(blocks_find(question, &blocks));
	assert_int_equal(blocks.advice.by, by);
	assert_int_equal(blocks.advice.n, n);
	advice = blocks.advice;
	as_good = blocks.as_good;
}

/* What the core's file knows: latencies, the window where one chain of sums binds, pages of rows
 * that are gone down. */
TEST(the_core_makes_blocks_smaller)
{
	struct explanation *explanation = explanation_new();
	struct uarch_choice core;
	struct setting setting;
	struct explain_question ask = { .seed = 1, .machine = &machine };
	const struct memory_facts facts = { .l3 = { .known = true, .latency = 75, .lines = 0.2 } };
	struct blocks_question question = {
		.setting = &setting, .explanation = explanation, .measured = &facts
	};

	set(&setting, "form=blocked-transposed");
	question.caches = cache_sizes(&machine, NULL, false, NULL);
	machine_identify(&machine);
	if (uarch_choose("redwood-cove", &machine, &core).code !=
		STATUS_OK) { /* of another instruction set */
		explanation_free(explanation);
		skip();
	}
	ask.kernel = kernel;
	ask.v = setting.v;
	ask.uarch = core.uarch;
	check_explained(&setting, &ask, &question, "form=blocked-transposed", 72, BLOCK_WINDOW);
	/* Four sums do not wait; of f32 more fit L2 than is worth to have in L1. */
	check_explained(&setting, &ask, &question, "acc=4", 56, BLOCK_NEAR);
	/* Blocks of 64 stay in L1 as well; blocks of 80 do not, and blocks of 32 end more lines. */
	assert_true(as_good);
	check_explained(&setting, &ask, &question, "block=80", 56, BLOCK_NEAR);
	assert_false(as_good);
	check_explained(&setting, &ask, &question, "block=32", 56, BLOCK_NEAR);
	assert_false(as_good);
	check_explained(&setting, &ask, &question, "block=64", 56, BLOCK_NEAR);
	struct blocks good = { .block.knob = kernel_knob(kernel, "block"), .as_good = true };
	check_contains(blocks_words(&good, &setting, NULL).text, "block=64: one block stays");
	/* Measurements decide where there are any. */
	check_contains(blocks_words(&good, &setting, &(struct blocks_measured){ .count = 2 }).text,
		"advised");
	check_explained(&setting, &ask, &question, "type=f32", 416, BLOCK_CACHE);
	check_contains(advice.why, "to 75 cycles as measured");
	check_ok(setting_assign(&setting, "type=f64", MEMORY_LIMITS_UNKNOWN));
	/* 96 entries of the first TLB, a row of 8,000 bytes on a page or two of its own each; half
	 * as many stay in L1. */
	check_explained(&setting, &ask, &question, "form=blocked", 56, BLOCK_NEAR);
	/* With columns outside, a block of each of the three matrices has its rows. */
	check_explained(&setting, &ask, &question, "order=jik", 32, BLOCK_PAGES);
	explanation_free(explanation);
	uarch_choice_free(&core);
}

/* Of how many matrices a block's rows lie on pages of their own, for each order; n = 1000, so a row
 * is a page and more. */
TEST(every_matrix_that_has_rows_takes_pages)
{
	static const struct {
		const char *form, *order;
		double pages;
		bool down;
	} tries[] = {
		{ "form=blocked", "order=ijk", 1, true },
		{ "form=blocked", "order=jik", 3, true },
		{ "form=blocked", "order=jki", 3, true },
		{ "form=blocked", "order=kji", 2, true },
		{ "form=blocked", "order=ikj", 1, false },
		{ "form=blocked", "order=kij", 2, false },
		{ "form=blocked-transposed", "order=ijk", 1, false },
		{ "form=blocked-transposed", "order=jik", 2, false },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		struct kernel_block block;
		struct setting setting;

		set(&setting, tries[i].form);
		check_ok(setting_assign(&setting, tries[i].order, MEMORY_LIMITS_UNKNOWN));
		assert_true(kernel->block(setting.v, &block));
		check_near(block.pages, tries[i].pages, 1e-9);
		assert_true(block.down == tries[i].down);
		assert_false(block.meet);
		/* 8,192 bytes from row to row. */
		check_ok(setting_assign(&setting, "n=1024", MEMORY_LIMITS_UNKNOWN));
		assert_true(kernel->block(setting.v, &block));
		assert_true(block.meet == !tries[i].down);
		/* Rows of 100 share pages: a fifth of one each. */
		check_ok(setting_assign(&setting, "n=100", MEMORY_LIMITS_UNKNOWN));
		assert_true(kernel->block(setting.v, &block));
		check_near(block.pages, tries[i].pages * 800 / 4096, 1e-9);
	}
}

static void measured(struct cells *cells, const struct setting *setting, int64_t block, double cpe)
{
	struct setting other = *setting;
	struct cell *cell;

	other.v[kernel_knob(kernel, "block")] = block;
	cell = cells_get(cells, &other, true);
	cell->sample = (struct sample){ .valid = true, .cpe = cpe, .cpe_lo = cpe, .cpe_hi = cpe };
}

TEST(the_best_measured_stands_beside_it)
{
	struct cells *cells = cells_new();
	struct setting setting;
	struct blocks_question question = { .setting = &setting };
	struct blocks_measured found;
	struct blocks blocks;

	set(&setting, "form=blocked-transposed");
	question.caches = cache_sizes(&machine, NULL, false, NULL);
	assert_true(blocks_find(&question, &blocks));
	measured(cells, &setting, 64, 1.2);
	blocks_look(&blocks, &setting, cells, MEMORY_LIMITS_UNKNOWN, &found);
	assert_int_equal(found.count, 1);
	assert_string_equal(blocks_finding(&blocks, &setting, &found).text, "block=288 advised");
	measured(cells, &setting, 128, 1.0);
	blocks_look(&blocks, &setting, cells, MEMORY_LIMITS_UNKNOWN, &found);
	assert_int_equal(found.best, 128);
	assert_string_equal(blocks_finding(&blocks, &setting, &found).text,
		"block=288 advised; best of 2 measured: 128");
	measured(cells, &setting, 288, 1.25);
	blocks_look(&blocks, &setting, cells, MEMORY_LIMITS_UNKNOWN, &found);
	assert_string_equal(blocks_finding(&blocks, &setting, &found).text,
		"block=288 advised; best of 3 measured: 128, where it takes 20.0 % less");
	measured(cells, &setting, 288, 0.9);
	blocks_look(&blocks, &setting, cells, MEMORY_LIMITS_UNKNOWN, &found);
	assert_string_equal(blocks_finding(&blocks, &setting, &found).text,
		"block=288 advised, and the best of 3 measured");
	cells_free(cells);
}

RUN_TESTS()
