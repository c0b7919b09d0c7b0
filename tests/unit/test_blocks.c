/* The advised size of blocks for a kernel on a machine, beside the best that was measured. */
#include "check.h"

#include "experiment/sweep/blocks.h"
#include "model/core/uarch.h"

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
	struct blocks_question question = { .setting = &setting, .machine = &machine };
	struct blocks blocks;
	char words[520];

	set(&setting, "form=blocked-transposed");
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.n, 288);
	blocks_words(&blocks, &setting, NULL, words, sizeof(words));
	check_contains(words,
		"block=288 advised: three blocks of 295 x 295 8-byte elements fit L2 (2 MiB)");
	check_contains(words, "the latency of L1d is not known here");
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
	machine.cache_count = 0;
	assert_false(blocks_find(&question, &blocks));
}

/* What the core's file knows: latencies, the window where one chain of sums binds, pages of rows
 * that are gone down. */
TEST(the_core_makes_blocks_smaller)
{
	struct explanation *explanation = explanation_new();
	struct uarch_choice core;
	struct setting setting;
	struct explain_question ask = { .seed = 1, .machine = &machine };
	struct blocks_question question = { .setting = &setting,
		.machine = &machine,
		.explanation = explanation,
		.l3 = { .known = true, .latency = 75, .lines = 0.2, .bytes = 32 << 20 } };
	struct blocks blocks;

	set(&setting, "form=blocked-transposed");
	machine_identify(&machine);
	if (uarch_choose("redwood-cove", &machine, &core).code !=
		STATUS_OK) { /* of another instruction set */
		explanation_free(explanation);
		skip();
	}
	ask.kernel = kernel;
	ask.v = setting.v;
	ask.uarch = core.uarch;
	explain(&ask, explanation);
	check_ok(explanation->status);
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.by, BLOCK_WINDOW);
	assert_int_equal(blocks.advice.n, 72);
	/* Four sums do not wait; of f32 more fit L2 than is worth to have in L1. */
	check_ok(setting_assign(&setting, "acc=4", MEMORY_LIMITS_UNKNOWN));
	explain(&ask, explanation);
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.by, BLOCK_NEAR);
	assert_int_equal(blocks.advice.n, 56);
	check_ok(setting_assign(&setting, "type=f32", MEMORY_LIMITS_UNKNOWN));
	explain(&ask, explanation);
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.n, 416);
	check_contains(blocks.advice.why, "to 75 cycles as measured");
	check_ok(setting_assign(&setting, "type=f64", MEMORY_LIMITS_UNKNOWN));
	/* 96 entries of the first TLB, a row of 8,000 bytes on a page or two of its own each; half
	 * as many stay in L1. */
	check_ok(setting_assign(&setting, "form=blocked", MEMORY_LIMITS_UNKNOWN));
	explain(&ask, explanation);
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.by, BLOCK_NEAR);
	assert_int_equal(blocks.advice.n, 56);
	/* With columns outside, a block of each of the three matrices has its rows. */
	check_ok(setting_assign(&setting, "order=jik", MEMORY_LIMITS_UNKNOWN));
	explain(&ask, explanation);
	assert_true(blocks_find(&question, &blocks));
	assert_int_equal(blocks.advice.by, BLOCK_PAGES);
	assert_int_equal(blocks.advice.n, 32);
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
	struct blocks_question question = { .setting = &setting, .machine = &machine };
	struct blocks_measured found;
	struct blocks blocks;

	set(&setting, "form=blocked-transposed");
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
