/* Limits that need measured values of L3 and memory: walks that are fast, lines that compete for
 * few sets of L1, and chains that begin again. */
#include "check.h"

#include <math.h>

#include "experiment/setting/setting.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

static struct uarch_choice core;
static struct explanation *explanation;

/* A machine with 32 MiB of L3. A walk that waits for each line has 1 MiB of it, a walk in address
 * order 8 MiB. */
static struct machine machine = { .cache_count = 3,
	.cache = { { 1, 32 << 10, 64 }, { 2, 1 << 20, 64 }, { 3, 32 << 20, 64 } } };
static struct memory_facts facts = { .cache[2] = { 1 << 20, 0, 2 << 20, CACHE_MEASURED },
	.l2_lines = 0.5,
	.l3 = { .known = true, .latency = 80, .lines = 0.5 },
	.memory = { .known = true, .latency = 600, .lines = 0.1 },
	.l3_walk = 50,
	.parallel = 20,
	.pages = { { 2048, 20, 2 }, { 4096, 40, 6 }, { 8192, 80, 14 } },
	.stream = { { 4 << 20, 0.5 }, { 8 << 20, 0.5 }, { 16 << 20, 1 / 6.0 },
		[MEMORY_POINTS - 1] = { 64 << 20, 0.1 } } };

static int set_up(void **state)
{
	machine_identify(&machine);
	if (strcmp(machine.arch, "x86_64") == 0)
		check_ok(uarch_choose("zen4", &machine, &core));
	explanation = explanation_new();
	return 0;
}

static int tear_down(void **state)
{
	explanation_free(explanation);
	uarch_choice_free(&core);
	return 0;
}

/* Cycles per element of a limit of the setting "KERNEL knob=value …"; 0: there is no such limit. */
static double limit_at(const char *words, enum limit_kind kind)
{
	struct setting setting;
	struct explain_question question = { .uarch = core.uarch,
		.machine = &machine,
		.seed = 1,
		.measured = facts,
		.v = setting.v };

	assert_true(setting_read(&setting, words));
	question.kernel = setting.kernel;
	explain(&question, explanation);
	for (int i = 0; i < explanation->limits.limit_count; i++)
		if (explanation->limits.limit[i].kind == kind)
			return explanation->limits.limit[i].cpe;
	return 0;
}

/* Stores to random places wait 20 at a time, and L3 serves a part of them: 8 MiB of L3 if the
 * stores soon come back to a line, less in a larger range, and 1 MiB in the largest. */
TEST_WITH(random_accesses_overlap_as_measured, set_up, tear_down)
{
	static const double mib[] = { 8, 64, 1024 };

	if (!core.uarch)
		skip();
	for (int i = 0; i < 3; i++) {
		double range = mib[i] / 2 * (1 << 20), own = ((1 << 20) + (32 << 10)) / range,
		       cycles[2], limit;
		char words[64];

		for (int l3 = 0; l3 < 2; l3++) {
			double far = exp(-(l3 ? 8 << 20 : 1 << 20) / range);

			/* A part of the accesses hits L2, in 14 cycles. */
			cycles[l3] = ((1 - own) * (600 * far + 50 * (1 - far)) + own * 14) / 20;
		}
		snprintf(words, sizeof(words), "scatter-stores size=%.0fm", mib[i]);
		limit = limit_at(words, LIMIT_MISSES);
		assert_true(limit > cycles[1] - 0.1 && limit < cycles[0] + 0.1);
		if (i != 1)
			check_near(limit, cycles[i == 0], 0.1);
	}
}

/* Two chains whose next misses do not fit the reorder buffer together: two misses take as long as
 * two chained loads, one after the other, and most lines come from memory. */
TEST_WITH(a_window_that_holds_one_miss_does_not_walk_fast, set_up, tear_down)
{
	double chained, misses;

	if (!core.uarch)
		skip();
	chained = limit_at("window size=16m fillers=1500", LIMIT_MEMORY_LATENCY);
	misses = limit_at("window size=16m fillers=1500", LIMIT_MISSES);
	assert_true(chained > 400);
	check_near(misses / chained, 2, 0.05);
	assert_true(explanation->limits.beyond[2] > 0.7 * explanation->limits.beyond[0]);
	limit_at("latency size=16m", LIMIT_MEMORY_LATENCY);
	assert_true(explanation->limits.beyond[2] > 0.7 * explanation->limits.beyond[0]);
}

/* 1 MiB of L3 for loads that wait, and 8 MiB for walks in order: the mountain's rows are of walks.
 */
TEST(the_level_of_a_row_follows_walks_in_order)
{
	const struct cache_sizes caches = {
		.level = { { .bytes = 32 << 10 }, { .bytes = 1 << 20 },
			{ .bytes = 1 << 20, .source = CACHE_MEASURED } }
	};

	assert_int_equal(cache_level_in_order(&caches, &facts, 32 << 10), 1);
	assert_int_equal(cache_level_in_order(&caches, &facts, 1 << 20), 2);
	assert_int_equal(cache_level_in_order(&caches, &facts, 8 << 20), 3);
	assert_int_equal(cache_level_in_order(&caches, &facts, 64 << 20), CACHE_LEVELS + 1);
	assert_int_equal(cache_level_in_order(&(struct cache_sizes){ 0 }, &facts, 4096), 0);
}

/* Lines of a fast walk in address order come from L3 as far as the measured walks show. */
TEST_WITH(a_fast_walk_finds_lines_in_l3, set_up, tear_down)
{
	if (!core.uarch)
		skip();
	check_near(limit_at("mountain size=8m stride=8", LIMIT_EVICTED), 2, 1e-6);
	check_near(explanation->limits.beyond[2], 0, 1e-9);
	check_near(limit_at("mountain size=16m stride=8", LIMIT_EVICTED), 6, 1e-6);
	check_near(explanation->limits.beyond[2], 0.5, 1e-9);
	/* The misses of L3 say the same as the limits. */
	check_near(explanation->misses.level[2].each, 0.5, 1e-9);
	check_contains(misses_words(&explanation->misses, 2).text,
		"about 0.5 misses per read: walks in this order");
	check_near(limit_at("mountain size=64m stride=8", LIMIT_EVICTED), 10, 1e-6);
}

/* Cores learn other numbers of branches from loop to loop, so a part that is learnt has a spread.
 */
TEST_WITH(learnt_branches_of_a_kernel_have_a_spread, set_up, tear_down)
{
	const struct limits *limits = &explanation->limits;

	if (!core.uarch)
		skip();
	assert_true(limit_at("mispredict size=4k random=100", LIMIT_MISPREDICTION) > 0);
	assert_int_equal(limits->limit[limits->predicted_by].kind, LIMIT_MISPREDICTION);
	assert_true(limits->limit[limits->predicted_by].spread >
		    0.1 * (limits->predicted - limits->bound));
	limit_at("mispredict size=1m random=100", LIMIT_MISPREDICTION);
	assert_true(limits->limit[limits->predicted_by].spread < 0.01 * limits->predicted);
}

/* Without a measurement of reads of one value a line, a prediction for such reads is incomplete. */
TEST_WITH(reads_of_a_value_a_line_need_their_own_measurement, set_up, tear_down)
{
	double lines = facts.stream[MEMORY_POINTS - 1].lines;

	if (!core.uarch)
		skip();
	limit_at("mountain size=256m stride=16", LIMIT_EVICTED);
	assert_false(explanation->limits.incomplete);
	facts.stream[MEMORY_POINTS - 1].lines = 0;
	limit_at("mountain size=256m stride=16", LIMIT_EVICTED);
	assert_true(explanation->limits.incomplete);
	limit_at("mountain size=256m stride=1", LIMIT_EVICTED);
	assert_false(explanation->limits.incomplete);
	facts.stream[MEMORY_POINTS - 1].lines = lines;
}

/* Checks a limit of a walk down columns. The lines from memory come 20 at a time; L3 still has a
 * part of them. */
static void check_columns(const char *words, double near)
{
	const double far = 600 / 20.0 / 8;
	double limit = limit_at(words, LIMIT_EVICTED);

	if (!(limit > near && limit < near + far))
		fail_msg("%s: %.3f instead of %.3f to %.3f", words, limit, near, near + far);
	assert_true(explanation->limits.beyond[2] > 0 && explanation->limits.beyond[2] < 1 / 8.0);
}

/* The end of a search is mispredicted, so the chains of two searches do not overlap. */
TEST_WITH(searches_of_long_lists_do_not_overlap, set_up, tear_down)
{
	const struct limits *limits = &explanation->limits;

	if (!core.uarch)
		skip();
	assert_true(limit_at("list-lookup size=16k form=simple", LIMIT_LATENCY) < 3.5);
	assert_int_equal(limits->limit[limits->predicted_by].kind, LIMIT_MISPREDICTION);
	check_near(limits->predicted, 4, 0.2);
}

/* A core may guess the address of each load of a chain that goes backward through its data. */
TEST_WITH(foreseen_chains_are_no_bound, set_up, tear_down)
{
	if (!core.uarch)
		skip();
	check_near(limit_at("latency size=256k order=backward", LIMIT_LATENCY), 4, 1e-9);
	assert_int_not_equal(
		explanation->limits.limit[explanation->limits.binding].kind, LIMIT_LATENCY);
	limit_at("latency size=16k order=backward", LIMIT_LATENCY);
	assert_int_equal(
		explanation->limits.limit[explanation->limits.binding].kind, LIMIT_LATENCY);
}

static const struct limit *binding(void)
{
	return &explanation->limits.limit[explanation->limits.binding];
}

/* Zen 5: operations on integers in vectors take two cycles in a chain, or one. Branches that are
 * not taken and waiting vector operations leave two misses in flight. */
TEST_WITH(buffers_and_chains_of_zen5, set_up, tear_down)
{
	if (!core.uarch)
		skip();
	uarch_choice_free(&core);
	check_ok(uarch_choose("zen5", &machine, &core));
	check_near(limit_at("window size=256k filler=both", LIMIT_LATENCY), 36, 1e-9);
	assert_int_equal(binding()->kind, LIMIT_LATENCY);
	check_near(binding()->early, 18, 1e-9);
	check_contains(binding()->cause, "at times 18");
	limit_at("combine op=add type=f64", LIMIT_LATENCY);
	assert_int_equal(binding()->kind, LIMIT_LATENCY);
	check_near(binding()->early, 0, 0);
	check_near(limit_at("window size=64m filler=branch fillers=100", LIMIT_WINDOW), 0, 0);
	assert_true(limit_at("window size=64m filler=jump fillers=100", LIMIT_WINDOW) > 1000);
	check_near(limit_at("window size=64m filler=wait-vector fillers=165", LIMIT_WINDOW), 0, 0);
	assert_true(
		limit_at("window size=64m filler=wait-vector fillers=166", LIMIT_WINDOW) > 1000);
}

/* The kernel window flushes data of 4 MiB from all caches before each pass over them. */
TEST_WITH(flushed_data_come_from_memory, set_up, tear_down)
{
	if (!core.uarch)
		skip();
	check_near(limit_at("window size=4m fillers=4", LIMIT_MEMORY_LATENCY), 600, 1);
	assert_true(limit_at("window size=2m fillers=4", LIMIT_MEMORY_LATENCY) < 100);
	facts.flushed[0] = (struct memory_point){ 16 << 20, 400, 390, 410 };
	check_near(limit_at("window size=4m fillers=4", LIMIT_MEMORY_LATENCY), 400, 1);
	facts.flushed[0] = (struct memory_point){ 0 };
}

/* A limit is as wide as the measured value that gives it: ±10 % of the 10 cycles of a line from
 * memory. Data in the first cache have no spread. */
TEST_WITH(limits_of_memory_have_the_spread_of_its_measurement, set_up, tear_down)
{
	const struct limits *limits = &explanation->limits;

	if (!core.uarch)
		skip();
	facts.spread.stream[MEMORY_POINTS - 1] = 0.1;
	check_near(limit_at("mountain size=1g stride=8", LIMIT_EVICTED), 10, 0.01);
	assert_int_equal(limits->limit[limits->predicted_by].kind, LIMIT_EVICTED);
	check_near(limits->limit[limits->predicted_by].spread, (10 * 1.1 - 10 * 0.9) / 2, 0.01);
	check_contains(limits_predicted(limits).text, "±");
	assert_null(strstr(limits_predicted(limits).text, "uncertain"));
	facts.spread.stream[MEMORY_POINTS - 1] = 0.7;
	limit_at("mountain size=1g stride=8", LIMIT_EVICTED);
	check_contains(limits_predicted(limits).text, "uncertain (±");
	limit_at("mountain size=16k stride=8", LIMIT_LOADS);
	check_near(limits->limit[limits->predicted_by].spread, 0, 0);
	facts.spread.stream[MEMORY_POINTS - 1] = 0;
}

/* Where the pages of a random walk lie decides how many of its lines crowd the sets of an L2 that
 * is large enough for all. */
TEST_WITH(lines_that_crowd_sets_of_l2_by_chance_have_a_spread, set_up, tear_down)
{
	const struct limits *limits = &explanation->limits;

	if (!core.uarch)
		skip();
	limit_at("latency size=512k", LIMIT_MEMORY_LATENCY);
	assert_true(limits->limit[limits->predicted_by].spread > 0.02 * limits->predicted);
	limit_at("latency size=128k", LIMIT_MEMORY_LATENCY);
	assert_true(limits->limit[limits->predicted_by].spread < 0.001 * limits->predicted);
}

/* Rows 8 KiB apart have all their lines in one set of L1, which holds eight: each store fetches its
 * line again. Rows of another length use more sets, or all. */
TEST_WITH(rows_that_share_sets_of_l1_are_slow, set_up, tear_down)
{
	double again;

	if (!core.uarch)
		skip();
	again = core.uarch->fact[EXTRA_STORE_REFETCH];
	check_columns("matmul n=1024", again);
	check_columns("matmul n=1280", again / 2);
	check_columns("matmul n=1152", again / 4);
	/* Rows below a page too: two sets, and lines that L2 holds. */
	check_near(limit_at("matmul n=256", LIMIT_EVICTED), again / 2, 1e-6);
	/* Rows that share a set for eight rows only: a line returns from L2 and stays. */
	check_columns("matmul n=1025", 15 / 16.0 * 14);
	check_columns("matmul n=1000", 15 / 8.0 * 2);
	assert_true(limit_at("matmul n=257", LIMIT_EVICTED) < 9);
	/* Without a store, a line need not stay. */
	assert_true(limit_at("matmul n=1024 form=reordered order=ijk", LIMIT_EVICTED) < again / 5);
	/* Nor need it where the store is to one place: 15.2 cycles were measured, not 52. */
	assert_true(limit_at("matmul n=512 order=ijk", LIMIT_EVICTED) < again / 5);
}

/* A small matrix comes again before other processes evict it from L3, a large one does not. */
TEST_WITH(columns_that_come_again_soon_are_in_l3, set_up, tear_down)
{
	double small;

	if (!core.uarch)
		skip();
	limit_at("matmul n=700", LIMIT_EVICTED);
	small = explanation->limits.beyond[2];
	limit_at("matmul n=1400", LIMIT_EVICTED);
	assert_true(small < 0.7 * explanation->limits.beyond[2]);
}

/* A chain of additions overlaps with the next one, but not as far as the limit allows. */
TEST_WITH(chains_that_begin_again_overlap_in_part, set_up, tear_down)
{
	double overlap;

	if (!core.uarch)
		skip();
	overlap = limit_at("matmul n=64 form=transposed", LIMIT_OVERLAP);
	assert_true(overlap > limit_at("matmul n=64 form=transposed", LIMIT_LATENCY));
	assert_true(overlap < 3);
	assert_true(overlap < limit_at("matmul n=128 form=transposed", LIMIT_OVERLAP));
	/* The code between short chains takes its slots, and a part of its delay. */
	check_near(limit_at("matmul n=16 form=transposed", LIMIT_OVERLAP), 1 + 6.33 / 16, 0.01);
	/* Long chains hardly overlap, and are not simulated. */
	check_near(limit_at("matmul n=1000 form=transposed", LIMIT_OVERLAP), 0, 0);
	/* A new sum in each iteration: the code between two sums takes its time too. */
	assert_true(
		limit_at("matmul n=32 form=blocked-transposed block=4 acc=4", LIMIT_OVERLAP) > 1.5);
}

/* Loads from more pages than the TLBs hold: chained, or as many at a time as overlap. */
TEST_WITH(page_walks_overlap_as_measured, set_up, tear_down)
{
	if (!core.uarch)
		skip();
	check_near(limit_at("latency size=16640k stride=4160", LIMIT_PAGE_WALKS), 40, 0.1);
	check_near(limit_at("latency size=16640k stride=4160 chains=4", LIMIT_PAGE_WALKS), 10, 0.1);
	check_near(limit_at("latency size=16640k stride=4160 chains=16", LIMIT_PAGE_WALKS), 6, 0.1);
	/* Two columns of 1448 rows lie on 2896 pages, in the middle of 2048 and 4096. */
	check_near(limit_at("matmul n=1448", LIMIT_PAGE_WALKS), 2 * 4, 0.01);
	check_near(limit_at("matmul n=800", LIMIT_PAGE_WALKS), 0, 0);
	/* The second TLB covers the pages of smaller walks: 7 cycles more than the 14 of L2. */
	check_near(limit_at("latency size=4m stride=4160", LIMIT_PAGE_WALKS), 14 + 7, 0.01);
}

static const char *cause_at(const char *words, enum limit_kind kind)
{
	limit_at(words, kind);
	for (int i = 0; i < explanation->limits.limit_count; i++)
		if (explanation->limits.limit[i].kind == kind &&
			!explanation->limits.limit[i].known)
			return explanation->limits.limit[i].cause;
	return "";
}

/* An effect whose size is not known is named, with the cycles that it may take. */
TEST_WITH(effects_without_a_number_are_named, set_up, tear_down)
{
	if (!core.uarch)
		skip();
	/* 8 MiB of 16 MiB come from L3 in 2 cycles; from memory, all take 10. */
	check_contains(cause_at("mountain size=16m stride=8", LIMIT_SHARED),
		"10 cycles if other processes");
	assert_string_equal(cause_at("mountain size=64m stride=8", LIMIT_SHARED), "");
	assert_string_equal(cause_at("mountain size=256k stride=8", LIMIT_SHARED), "");
	check_contains(cause_at("sharing cores=2", LIMIT_MOVING), "2 cores write to one line");
	assert_string_equal(cause_at("sharing cores=2 padding=64", LIMIT_MOVING), "");
	check_contains(cause_at("atomic cores=2", LIMIT_MOVING), "2 cores write to one line");
	assert_string_equal(cause_at("atomic cores=2 lines=own", LIMIT_MOVING), "");
	check_contains(cause_at("matmul n=64 form=transposed", LIMIT_MISPREDICTION),
		"last branch of each chain of 64 iterations");
	/* 3.5 cycles on Zen 4, whose multiplications alone take 2. */
	check_contains(cause_at("mul-by form=squares", LIMIT_SCHEDULING),
		"split evenly, operations take 3 cycles");
}

/* A search that ends later than the predictor expects does not end the overlap of searches. */
TEST_WITH(a_wrong_path_that_is_the_next_search_is_useful, set_up, tear_down)
{
	static const char *const settings[] = { "hash-lookup size=64m load=50",
		"hash-lookup size=64m load=200" };
	/* Mispredictions of a search for a key that is there: with half a key for each bucket, a
	 * quarter of the searches; with two keys, the share of the buckets that are not empty. */
	const double wrong[] = { 0.25, 1 - exp(-2) };

	if (!core.uarch)
		skip();
	for (int i = 0; i < 2; i++) {
		double cycles = limit_at(settings[i], LIMIT_MISPREDICTION);

		if (!status_is_ok(&explanation->status))
			skip();
		/* A misprediction costs 19 cycles, and up to 7 more if what follows it misses the
		 * first TLB. */
		cycles -= limit_at(settings[i], LIMIT_OVERLAP);
		assert_true(cycles > wrong[i] * 19 - 0.1 && cycles < wrong[i] * (19 + 7) + 0.1);
		assert_true(limit_at(settings[i], LIMIT_OVERLAP) >
			    limit_at(settings[i], LIMIT_MEMORY_LATENCY));
	}
}

/* Stores at many places in turn wait for their lines from memory, 6 at a time; prefetchers follow
 * stores at few places. */
TEST_WITH(stores_at_many_places_wait, set_up, tear_down)
{
	double many, bound;

	if (!core.uarch)
		skip();
	many = limit_at("radix-sort size=64m", LIMIT_MISSES);
	if (!status_is_ok(&explanation->status))
		skip();
	/* Each of four passes stores 16 numbers to a line. */
	bound = limit_at("radix-sort size=64m", LIMIT_STORE_LINES);
	check_near(many, bound + 4 / 16.0 * 600 / 6, 0.1);
	/* L3 serves all lines of 8 MiB. */
	assert_true(limit_at("radix-sort size=8m", LIMIT_MISSES) < bound + 0.1);
	assert_true(limit_at("radix-sort size=64m bits=4", LIMIT_MISSES) < bound);
	check_near(limit_at("radix-sort size=64m step=count", LIMIT_MISSES), 0, 0.1);
	/* How many lines memory serves is not known without reads in address order. */
	assert_false(explanation->limits.incomplete);
	facts.stream[MEMORY_POINTS - 1].lines = 0;
	limit_at("radix-sort size=64m", LIMIT_MISSES);
	assert_true(explanation->limits.incomplete);
	limit_at("radix-sort size=512k", LIMIT_MISSES);
	assert_false(explanation->limits.incomplete);
	facts.stream[MEMORY_POINTS - 1].lines = 0.1;
}

/* Before each pass, a sort copies the places of all digits: 4,096 lines for 2,048 numbers. */
TEST_WITH(a_sort_of_few_numbers_copies_many_places, set_up, tear_down)
{
	double lines;

	if (!core.uarch)
		skip();
	lines = limit_at("radix-sort size=16k bits=16", LIMIT_MEMORY_LINES);
	if (!status_is_ok(&explanation->status))
		skip();
	assert_true(lines > 2 * 2 * 4096 / 2048.0 / core.uarch->cache[1].lines);
	assert_true(limit_at("radix-sort size=16k bits=8", LIMIT_MEMORY_LINES) < 1);
}

/* A mispredicted branch of a search waits for the load before it, also in the first cache. */
TEST_WITH(mispredicted_branches_wait_for_loads, set_up, tear_down)
{
	double cycles;

	if (!core.uarch)
		skip();
#ifdef __SANITIZE_ADDRESS__
	skip(); /* The sanitizer adds loops of its own to those of the kernel. */
#endif
	cycles = limit_at("hash-lookup size=16k", LIMIT_MISPREDICTION);
	if (!status_is_ok(&explanation->status))
		skip();
	assert_true(cycles >
		    explanation->limits.bound + explanation->place.walk.mispredicts * (19 + 8));
	assert_true(cycles <
		    explanation->limits.bound + explanation->place.walk.mispredicts * (19 + 80));
}

RUN_TESTS()
