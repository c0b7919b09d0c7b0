/* Caches that evict the line not used for longest, and reorder buffers that chains leave in order:
 * made-up parts of the data, so that every figure can be worked out by hand. */
#include "check.h"

#include <math.h>

#include "model/limits/retire.h"
#include "model/memory/recency.h"

/* A small part of 16 lines that is used 4 times per element, and a large one of 1,000 lines. */
static const struct kernel_walk two_parts = { .reaches = 2,
	.reach = { { .lines = 4, .range = 16 * 64.0 }, { .lines = 2, .range = 1016 * 64.0 } } };

TEST(a_cache_holds_what_its_age_touches)
{
	for (double age = 1; age < 2000; age *= 3) {
		double small = exp(-4 * age / 16), large = exp(-2 * age / 1000),
		       bytes = 64 * (16 * (1 - small) + 1000 * (1 - large));

		check_near(recency_age(&two_parts, bytes), age, age * 1e-6);
		check_near(recency_missed(&two_parts, 0, bytes, age), small, 1e-12);
		check_near(recency_missed(&two_parts, 1, bytes, age), large, 1e-12);
	}
}

TEST(data_that_fit_never_miss)
{
	double bytes = 1016 * 64;

	assert_true(isinf(recency_age(&two_parts, bytes)));
	check_near(recency_missed(&two_parts, 1, bytes, recency_age(&two_parts, bytes)), 0, 0);
}

/* If all lines are equally likely to be used, a cache serves its share of them, as any other cache
 * of its size does. */
TEST(equal_lines_miss_as_in_any_cache)
{
	const struct kernel_walk walk = { .reaches = 2,
		.reach = { { .lines = 1, .range = 6400 }, { .lines = 3, .range = 6400 } } };

	for (double bytes = 640; bytes < 6400; bytes += 640) {
		double age = recency_age(&walk, bytes);

		check_near(recency_missed(&walk, 0, bytes, age), 1 - bytes / 6400, 1e-6);
		check_near(recency_missed(&walk, 1, bytes, age), 1 - bytes / 6400, 1e-6);
	}
}

/* Lines that are read in order leave the cache before their next use, and take the space of other
 * lines. Lines that come again, few as they are, may all be kept. */
TEST(lines_in_order_take_space_and_are_never_found)
{
	struct kernel_walk walk = { .reaches = 2,
		.reach = { { .lines = 1, .range = 6400 },
			{ .lines = 1, .range = 64000, .way = REACH_ORDERED } } };
	double age = recency_age(&walk, 3200), alone;

	check_near(recency_missed(&walk, 1, 3200, age), 1, 0);
	check_near(age + 100 * (1 - exp(-age / 100)), 50, 1e-4);
	walk.reaches = 1;
	alone = recency_missed(&walk, 0, 3200, recency_age(&walk, 3200));
	assert_true(exp(-age / 100) > alone + 0.1);
	walk.reach[0].least = 4000;
	check_near(recency_missed(&walk, 0, 3200, recency_age(&walk, 3200)), 0.2, 1e-9);
}

TEST(chains_of_equal_length_share_the_buffer)
{
	struct retire retire = { .fixed = 100, .each = 50, .chains = 1, .window = 8 };

	check_near(retire_cycles(&retire), 100 / 8.0, 0.1);
	retire.window = 2.5;
	check_near(retire_cycles(&retire), 100 / 2.5, 1);
	/* A group of chains that begin together takes the time of one. */
	retire.chains = 4;
	check_near(retire_cycles(&retire), 100 / 2.5 / 4, 0.25);
	/* Chains leave one after the other, if their work takes longer than their loads. */
	retire.service = 400;
	check_near(retire_cycles(&retire), 400 / 4.0, 0.1);
	retire.service = 0;
	/* The chain that executes is in the buffer, however long it is. */
	retire.window = 0.1;
	check_near(retire_cycles(&retire), 100 / 4.0, 0.1);
}

/* The time of a group is that of its longest chain; with several groups in the buffer, it is
 * between that of the mean and that of the longest. */
TEST(a_long_chain_holds_up_shorter_ones)
{
	struct retire retire = {
		.fixed = 100, .each = 100, .further = 0.5, .chains = 1, .window = 1
	};
	double mean = 150, longest = 0, fewer = exp(-0.5), share = fewer;

	check_near(retire_cycles(&retire), mean, 3);
	/* The mean of the longest of eight: the sum of the chances that not all are shorter. */
	for (int more = 1; more < 20; more++) {
		longest += 100 * (1 - pow(fewer, 8));
		share *= 0.5 / more;
		fewer += share;
	}
	retire.chains = 8;
	check_near(retire_cycles(&retire), (100 + longest) / 8, 1);
	retire.chains = 1;
	retire.window = 8;
	assert_true(retire_cycles(&retire) > 1.1 * mean / 8);
	assert_true(retire_cycles(&retire) < (100 + longest) / 8);
}

RUN_TESTS()
