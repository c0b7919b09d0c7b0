/* The branch predictor on sequences whose predictability is known: loops, patterns, random and
 * correlated branches, jumps with several targets; and loops whose branches it counts. */
#include "check.h"

#include "base/random.h"
#include "kernels/kernel.h"
#include "model/limits/predictor.h"

enum { LONG = 20000 };

static struct predictor *predictor;
static struct random numbers;

static int set_up(void **state)
{
	predictor = predictor_new();
	numbers = (struct random){ 7 };
	return 0;
}

static int tear_down(void **state)
{
	predictor_free(predictor);
	return 0;
}

static bool chance(unsigned percent)
{
	return random_below(&numbers, 100) < percent;
}

/* Returns the share of mispredictions in the second half of LONG executions of a branch whose
 * directions follow a rule. */
static double share(bool (*taken)(int i))
{
	int wrong = 0;

	for (int i = 0; i < LONG; i++) {
		bool miss = predictor_branch(predictor, 0x401000, taken(i));

		wrong += i >= LONG / 2 && miss;
		predictor_branch(predictor, 0x401010, true);
	}
	return wrong / (LONG / 2.0);
}

static bool always(int i)
{
	return i >= 0;
}

static bool alternates(int i)
{
	return i % 2;
}

/* The branch at the end of a loop of 20 iterations. */
static bool loop_end(int i)
{
	return i % 20 != 19;
}

static bool even_chance(int i)
{
	(void)i;
	return chance(50);
}

static bool rare(int i)
{
	(void)i;
	return chance(5);
}

TEST(patterns_are_learnt)
{
	assert_true(share(always) == 0);
	assert_true(share(alternates) < 0.001);
	assert_true(share(loop_end) < 0.001);
}

TEST(random_branches_are_not)
{
	check_near(share(even_chance), 0.5, 0.02);
}

TEST(rare_branches_are_mispredicted_as_often_as_they_happen)
{
	check_near(share(rare), 0.05, 0.015);
}

/* A branch that repeats the direction of the random branch before it. */
TEST(correlated_branches_are_learnt)
{
	int wrong[2] = { 0, 0 };

	for (int i = 0; i < LONG; i++) {
		bool taken = chance(50), first = predictor_branch(predictor, 0x401000, taken),
		     second = predictor_branch(predictor, 0x401020, taken);

		wrong[0] += i >= LONG / 2 && first;
		wrong[1] += i >= LONG / 2 && second;
	}
	check_near(wrong[0] / (LONG / 2.0), 0.5, 0.02);
	assert_true(wrong[1] < LONG / 200);
}

/* Random branches that come again are learnt, up to the number that predictor_forgets() states. */
TEST(repeated_branches_are_learnt)
{
	enum { BRANCHES = 2000, PASSES = 12 };
	static bool taken[BRANCHES];
	int wrong = 0;

	for (int i = 0; i < BRANCHES; i++)
		taken[i] = chance(50);
	for (int pass = 0; pass < PASSES; pass++) {
		wrong = 0;
		for (int i = 0; i < BRANCHES; i++) {
			wrong += predictor_branch(predictor, 0x401000, taken[i]);
			predictor_branch(predictor, 0x401010, i < BRANCHES - 1);
		}
	}
	check_near((double)wrong / (BRANCHES / 2), predictor_forgets(BRANCHES / 2, false, 0), 0.02);
}

TEST(what_is_forgotten_rises_to_all)
{
	for (int indirect = 0; indirect < 2; indirect++) {
		double last = 0;

		for (double count = 1; count < 1e7; count *= 1.3) {
			double share = predictor_forgets(count, indirect, 0);

			assert_true(share >= last && share <= 1);
			last = share;
		}
		assert_true(last >= 1);
	}
	assert_true(predictor_forgets(5000, true, 0) > predictor_forgets(5000, false, 0));
	/* On a core with a known number, half of it remain. */
	check_near(predictor_forgets(19500, false, 19500), 0.5, 1e-9);
	assert_true(predictor_forgets(8192, false, 19500) < 0.1);
	assert_true(predictor_forgets(65536, false, 19500) > 0.95);
}

/* A jump with eight random targets is predicted once in eight; one with a pattern is learnt. */
TEST(jumps)
{
	int wrong[2] = { 0, 0 };

	for (int i = 0; i < LONG; i++) {
		bool random = predictor_jump(
			     predictor, 0x401000, 0x402000 + 64 * random_below(&numbers, 8)),
		     pattern =
			     predictor_jump(predictor, 0x403000, 0x404000 + 64 * (uint64_t)(i % 3));

		wrong[0] += i >= LONG / 2 && random;
		wrong[1] += i >= LONG / 2 && pattern;
	}
	check_near(wrong[0] / (LONG / 2.0), 7 / 8.0, 0.03);
	/* The random targets between are a part of the history, so the pattern is hard to see. */
	assert_true(wrong[1] < wrong[0]);
}

/* Calls of a loop of four instructions, one of which is a random branch: half of its executions are
 * mispredicted on fresh data, and none if one call is repeated. */
TEST(a_loop_is_counted_on_fresh_and_on_repeated_data)
{
	enum { ELEMENTS = 200, CALLS = 8 };
	static const struct insn insn[] = { { .address = 0x1000, .length = 4 },
		{ .address = 0x1004, .length = 2, .flow = FLOW_BRANCH },
		{ .address = 0x1006, .length = 4 },
		{ .address = 0x100a, .length = 2, .flow = FLOW_BRANCH } };
	struct loop_step step[] = { { .insn = 0 }, { .insn = 1, .taken = true }, { .insn = 2 },
		{ .insn = 3, .taken = true } };
	static const double half[2] = { 1000, 100 };
	struct loop_branches branches = { .elements = CALLS * ELEMENTS };
	struct loop loop;
	int marked = 0;

	branches.branch = calloc(2 * CALLS * ELEMENTS, sizeof(*branches.branch));
	for (int i = 0; i < CALLS * ELEMENTS; i++) {
		bool taken = chance(50), again = i % ELEMENTS < ELEMENTS - 1;

		branches.branch[branches.count++] = (struct loop_branch){
			.address = 0x1004, .target = taken ? 0x100a : 0x1006, .taken = taken
		};
		branches.branch[branches.count++] = (struct loop_branch){
			.address = 0x100a, .target = again ? 0x1000 : 0x100c, .taken = again
		};
		if (i == ELEMENTS - 1)
			branches.first = branches.count;
	}
	loop_init(&loop, 8, 8);
	loop_fill(&loop, insn, 4, step, 4);
	predictor_count(&branches, ELEMENTS, NULL, &loop);
	check_near(loop.fresh, 0.5, 0.04);
	/* Of about 1,500 counted elements, the quartiles of 0.5 are 0.67 * sqrt(750) away. */
	check_near(loop.fresh_spread, 0.67 * sqrt(loop.fresh / 1500), 0.002);
	assert_true(loop.learnt < 0.02);
	for (int i = 0; i < loop.path_count; i++)
		marked += loop.path[i].wrong;
	assert_true(marked <= 1);
	/* A call that is too long to be seen to its end is too long to be learnt, too. */
	branches.first = 0;
	predictor_count(&branches, 1e6, NULL, &loop);
	check_near(loop.learnt, loop.fresh, 1e-9);
	/* With the core's number, half of that number remain, with a wide spread; and all the same
	 * for a call that was seen to its end. */
	branches.first = 2 * ELEMENTS;
	predictor_count(&branches, 1000 / loop.fresh, half, &loop);
	check_near(loop.learnt, loop.fresh / 2, 1e-9);
	assert_true(loop.learnt_spread > loop.learnt / 2 && loop.learnt_spread < loop.learnt);
	predictor_count(&branches, 100 / loop.fresh, half, &loop);
	assert_true(loop.learnt < 0.001 && loop.learnt_spread < 0.001);
	free(branches.branch);
	loop_free(&loop);
}

/* Random branches with a more frequent direction are mispredicted as by a two-bit counter. */
TEST(a_frequent_direction_is_predicted_most_of_the_time)
{
	static const unsigned percent[] = { 10, 25, 50, 75 };
	unsigned counter = 0;

	for (size_t i = 0; i < sizeof(percent) / sizeof(*percent); i++) {
		int wrong = 0;

		for (int k = 0; k < LONG; k++) {
			bool taken = chance(percent[i]);

			wrong += taken != (counter >= 2);
			counter = taken ? counter + (counter < 3) : counter - (counter > 0);
		}
		check_near((double)wrong / LONG, kernel_mispredicted(percent[i] / 100.0), 0.02);
	}
}

RUN_TESTS(.each_set_up = set_up, .each_tear_down = tear_down)
