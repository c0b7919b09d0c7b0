/* Times that rise with the number of elements, and times that lie on a straight line. */
#include "check.h"

#include <stdlib.h>

#include "engine/measure/line.h"
#include "engine/measure/measure.h"
#include "engine/measure/trials.h"

/* Judges times that a function of the number of elements gives. */
static struct line line_of(double (*ticks)(double elements), double n)
{
	static const double eighths[LINE_LENGTHS] = { 2, 4, 5, 6, 7, 8 };
	uint64_t elements[LINE_LENGTHS];
	double times[LINE_LENGTHS];

	for (int i = 0; i < LINE_LENGTHS; i++) {
		elements[i] = (uint64_t)(eighths[i] * n / 8);
		times[i] = ticks((double)elements[i]);
	}
	return line_judge(times, elements, 100);
}

/* A loop whose time does not rise is found in each round; interference hides a rise in some. */
TEST(times_that_rise_are_found_between_disturbed_calls)
{
	double half[LINE_ROUNDS], whole[LINE_ROUNDS];

	for (unsigned i = 0; i < LINE_ROUNDS; i++) {
		half[i] = 500 + (i % 3 ? 600 : 0);
		whole[i] = 1000 + (i % 4 == 1 ? 300 : 0);
	}
	assert_false(line_rises(half, whole, LINE_FIRST, 10));
	assert_false(line_rises(half, whole, LINE_ROUNDS - 1, 10));
	assert_true(line_rises(half, whole, LINE_ROUNDS, 10));
	for (unsigned i = 0; i < LINE_ROUNDS; i++)
		whole[i] = 500 + (i % 2 ? 900 : 0);
	assert_false(line_rises(half, whole, LINE_ROUNDS, 10));
	for (unsigned i = 0; i < LINE_ROUNDS; i++)
		half[i] = whole[i] / 2;
	assert_true(line_rises(half, whole, LINE_FIRST - 1, 10));
}

/* A busy machine made each of the first rounds of a loop without a slope 4 % longer with n. */
TEST(a_small_difference_of_few_rounds_is_no_rise)
{
	double half[LINE_ROUNDS], whole[LINE_ROUNDS];

	for (unsigned i = 0; i < LINE_ROUNDS; i++) {
		half[i] = 2000;
		whole[i] = i < LINE_FIRST ? 2080 : 2000;
	}
	assert_false(line_rises(half, whole, LINE_FIRST, 10));
	assert_false(line_rises(half, whole, LINE_ROUNDS, 10));
	/* Nor is one of the lowest times, which few rounds show. */
	half[LINE_ROUNDS - 1] = 1920;
	assert_false(line_rises(half, whole, LINE_ROUNDS, 10));
	/* Code around the loop takes most of the time: the lowest times of all rounds tell. */
	half[LINE_ROUNDS - 1] = 2000;
	for (unsigned i = 0; i < LINE_ROUNDS; i++)
		whole[i] = 2080;
	assert_true(line_rises(half, whole, LINE_ROUNDS, 10));
}

/* A loop without a slope, beside a thread that used the units of the core now and then. */
TEST(rounds_that_are_longer_by_chance_are_no_rise)
{
	const double half[LINE_FIRST] = { 28550, 28762, 29010, 36348, 27470 },
		     whole[LINE_FIRST] = { 33812, 32528, 34818, 35752, 33224 };
	double halves[LINE_ROUNDS], wholes[LINE_ROUNDS];

	assert_false(line_rises(half, whole, LINE_FIRST, 10));
	/* The lowest of many rounds differ by 13 %, or by 4 % while 14 of 25 rounds are longer. */
	for (int i = 0; i < LINE_ROUNDS; i++) {
		halves[i] = i == 3 ? 27582 : 38000;
		wholes[i] = i == 5 ? 31606 : 38000;
	}
	assert_false(line_rises(halves, wholes, LINE_ROUNDS, 10));
	for (int i = 0; i < LINE_ROUNDS; i++) {
		halves[i] = 31000 - (i == 3) * 6200;
		wholes[i] = 30000 + (i < 14) * 2000 - (i == 5) * 6240;
	}
	assert_false(line_rises(halves, wholes, LINE_ROUNDS, 10));
}

static double straight(double n)
{
	return 300 + n / 8;
}

static double square(double n)
{
	return n * n / 100;
}

static double with_logarithm(double n)
{
	return n * log2(n);
}

static double flat(double n)
{
	(void)n;
	return 500;
}

/* The end of a call is mispredicted from 1,100 elements on, and costs more from 1,400 on. */
static double stepped(double n)
{
	return straight(n) + 30 * (n >= 1100) + 40 * (n >= 1400);
}

static double far_stepped(double n)
{
	return straight(n) + 60 * (n >= 1900);
}

/* A step that no misprediction explains. */
static double torn(double n)
{
	return straight(n) + 1000 * (n >= 1100);
}

TEST(test_times_off_a_line)
{
	struct trials *quiet = calloc(1, sizeof(*quiet));
	struct run_facts made = { .cycles_from = SOURCE_REFERENCE, .call = 1, .calls = 1 };
	struct sample found;
	struct line line = line_of(straight, 2048);

	check_near(line.bend, 1, 1e-9);
	assert_int_equal(line.half, 1024);
	assert_int_equal(line.whole, 2048);
	assert_true(line_of(square, 1024).bend < 0.75);
	assert_true(line_of(with_logarithm, 1024).bend < 1 - LINE_BENT);
	check_near(line_of(flat, 1024).bend, 0, 1e-9);
	assert_true(line_of(torn, 2048).bend > 1 + LINE_BENT);
	/* Steps at the ends of calls are left out. */
	line = line_of(stepped, 2048);
	check_near(line.bend, 1, 1e-9);
	assert_int_equal(line.half, 1536);
	assert_int_equal(line.whole, 2048);
	line = line_of(far_stepped, 2048);
	check_near(line.bend, 1, 1e-9);
	assert_int_equal(line.half, 1024);
	assert_int_equal(line.whole, 1792);

	quiet->count = 60;
	for (unsigned i = 0; i < quiet->count; i++)
		quiet->trial[i] = (struct trial){ .cpe = 1, .ghz = 4, .fate = TRIAL_QUIET };
	made.bend = 1.03;
	sample_summarise(quiet, &made, &found);
	assert_null(sample_doubt(&found));
	made.bend = 0.5;
	sample_summarise(quiet, &made, &found);
	assert_string_equal(sample_doubt(&found), "not linear");
	/* Two nested loops over n; a short call with much work besides; a sort. */
	for (int i = 0; i < 3; i++) {
		found.bend = (const double[]){ 0.5, 1.4, 0.9 }[i];
		assert_int_equal(sample_grows(&found), i == 0);
	}
	free(quiet);
}

RUN_TESTS()
