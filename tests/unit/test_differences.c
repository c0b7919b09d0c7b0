#include "check.h"

#include "base/differences.h"
#include "base/random.h"
#include "base/stats.h"

TEST(small_sets_have_exact_probabilities)
{
	const double low[] = { 1, 2, 3 }, high[] = { 4, 5, 6 }, mixed[] = { 1.5, 2.5, 6.5 };
	double first[10], second[10];

	/* 2 of the 20 choices of three ranks are as far from the mean. */
	check_near(differences_mann_whitney(low, 3, high, 3), 0.1, 1e-12);
	check_near(differences_mann_whitney(high, 3, low, 3), 0.1, 1e-12);
	/* Ranks 2, 4 and 6: sum 12, 1.5 from the mean; 14 of 20 choices are as far. */
	check_near(differences_mann_whitney(mixed, 3, low, 3), 0.7, 1e-12);
	for (int i = 0; i < 10; i++) {
		first[i] = i;
		second[i] = 20 + i;
	}
	check_near(differences_mann_whitney(first, 10, second, 10), 2.0 / 184756, 1e-12);
}

TEST(equal_values_share_their_rank)
{
	const double one[] = { 1, 1, 1, 1 }, other[] = { 1, 1, 1 }, two[] = { 1, 1, 2, 2 };

	check_near(differences_mann_whitney(one, 4, other, 3), 1, 1e-12);
	/* Six of 15 choices of two of the ranks 2.5 (four times) and 5.5 (twice) hold no 5.5, one
	 * holds both: 7 of 15 are as far from the mean as both. */
	check_near(differences_mann_whitney(two + 2, 2, one, 4), 1.0 / 15, 1e-12);
}

TEST(many_values_use_the_normal_approximation)
{
	double one[40], other[40];

	for (int i = 0; i < 40; i++) {
		one[i] = i;
		other[i] = i + 0.5;
	}
	assert_true(differences_mann_whitney(one, 40, other, 40) > 0.8);
	for (int i = 0; i < 40; i++)
		other[i] = 40 + i;
	assert_true(differences_mann_whitney(one, 40, other, 40) < 1e-12);
	assert_true(isnan(differences_mann_whitney(one, 0, other, 40)));
}

TEST(holm_corrects_for_the_number_of_tests)
{
	double p[] = { 0.01, 0.04, NAN, 0.03 };

	differences_holm(p, 4);
	check_near(p[0], 0.03, 1e-12);
	check_near(p[1], 0.06, 1e-12);
	assert_true(isnan(p[2]));
	check_near(p[3], 0.06, 1e-12);
}

/* A normal number, from twelve uniform ones. */
static double normal(struct random *random)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random_below(random, 1000000) / 1e6;
	return sum;
}

TEST(identical_values_are_never_unusual)
{
	const double same[] = { 2, 2, 2, 2, 2, 2 };
	struct differences_cloud cloud = differences_cloud(same, 6, 0.01, 6);

	check_near(cloud.median, 2, 0);
	check_near(cloud.mad, 0.01, 0);
	check_near(cloud.usual, 0.04, 1e-12);
}

/* Returns the number of sets of normal values, 100 sets of `count` values, with an unusual value.
 */
static int unusual_sets(size_t count, struct random *random)
{
	double values[300];
	int sets = 0;

	for (int set = 0; set < 100; set++) {
		struct differences_cloud cloud;

		for (size_t i = 0; i < count; i++)
			values[i] = normal(random);
		stats_sort(values, count);
		cloud = differences_cloud(values, count, 1e-3, count);
		sets += cloud.median - values[0] > cloud.usual ||
			values[count - 1] - cloud.median > cloud.usual;
	}
	return sets;
}

TEST(normal_values_are_rarely_unusual)
{
	struct random random = { 7 };

	assert_true(unusual_sets(5, &random) <= 10);
	assert_true(unusual_sets(20, &random) <= 10);
	assert_true(unusual_sets(300, &random) <= 5);
}

TEST(a_tenth_of_odd_values_does_not_hide_itself)
{
	struct random random = { 8 };
	double values[100];
	struct differences_cloud cloud;

	for (int i = 0; i < 90; i++)
		values[i] = normal(&random);
	for (int i = 90; i < 100; i++)
		values[i] = 20 + normal(&random);
	stats_sort(values, 100);
	cloud = differences_cloud(values, 100, 1e-3, 100);
	assert_true(values[90] - cloud.median > cloud.usual);
	assert_true(cloud.hi < 3);
}

RUN_TESTS()
