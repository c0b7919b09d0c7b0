#include "check.h"

#include "base/random.h"
#include "base/stats.h"

TEST(quantiles_are_linear_between_neighbours)
{
	const double sorted[] = { 1, 2, 4, 8 };

	check_near(stats_quantile(sorted, 4, 0), 1, 0);
	check_near(stats_quantile(sorted, 4, 1), 8, 0);
	check_near(stats_quantile(sorted, 4, 0.5), 3, 1e-12);
	check_near(stats_quantile(sorted, 4, 0.25), 1.75, 1e-12);
	check_near(stats_quantile(sorted, 1, 0.75), 1, 0);
	check_near(stats_quantile(sorted, 4, -1), 1, 0);
	check_near(stats_quantile(sorted, 4, 2), 8, 0);
	assert_true(isnan(stats_quantile(sorted, 0, 0.5)));
}

TEST(the_ends_do_not_use_the_values_next_to_them)
{
	const double sorted[] = { 1, INFINITY }, longer[] = { 1, 2, INFINITY };

	check_near(stats_quantile(sorted, 2, 0), 1, 0);
	check_near(stats_quantile(longer, 2, 1), 2, 0);
}

TEST(median_sorts_in_place)
{
	double values[] = { 3, 1, 2, INFINITY, -5 };

	check_near(stats_median(values, 5), 2, 0);
	for (int i = 1; i < 5; i++)
		assert_true(values[i - 1] <= values[i]);
	assert_true(isnan(stats_median(values, 0)));
}

/* `low` values around 1, the rest around `high`, each spread evenly by ±half. */
static void two_groups(double *values, size_t count, size_t low, double high, double half)
{
	struct random random = { 7 };

	for (size_t i = 0; i < count; i++) {
		double spread = ((double)random_below(&random, 2001) / 1000 - 1) * half;

		values[i] = (i < low ? 1.0 : high) + spread;
	}
	stats_sort(values, count);
}

TEST(two_modes_are_told_apart)
{
	struct stats_modes modes;
	double values[100];

	two_groups(values, 100, 60, 1.3, 0.01);
	assert_true(stats_two_modes(values, 100, &modes));
	check_near(modes.low, 1, 0.01);
	check_near(modes.high, 1.3, 0.01);
	check_near(modes.share_low, 0.6, 1e-12);
}

/* Two modes: each with a fifth of the values, a gap of more than 3 %, and more than twice the
 * interquartile range of either. */
TEST(modes_are_apart_from_a_fifth_three_percent_and_two_ranges_on)
{
	static const struct {
		int count[4];
		double value[4];
		double low, high; /* 0: no modes */
	} rows[] = {
		{ { 20, 80 }, { 1, 2 }, 1, 2 },
		{ { 80, 20 }, { 1, 2 }, 1, 2 },
		{ { 19, 81 }, { 1, 2 } },
		{ { 81, 19 }, { 1, 2 } },
		{ { 5, 16 }, { 1, 2 }, 1, 2 },
		{ { 4, 17 }, { 1, 2 } },
		{ { 17, 4 }, { 1, 2 } },
		/* the first of two equal gaps */
		{ { 20, 60, 20 }, { 1, 2, 3 }, 1, 2 },
		{ { 10, 10 }, { 100, 103 } },
		{ { 10, 10 }, { 100, 103.1 }, 100, 103.1 },
		{ { 10, 10 }, { -103.1, -100 }, -103.1, -100 },
		{ { 6, 3, 11 }, { 1, 2, 4 } },
		{ { 6, 3, 11 }, { 1, 2, 4.5 }, 1, 4.5 },
		{ { 11, 6, 3 }, { 1, 3, 4 } },
		{ { 11, 6, 3 }, { 0.5, 3, 4 }, 0.5, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stats_modes modes = { 0 };
		double values[101];
		size_t count = 0, low = 0;

		for (int k = 0; k < 4; k++)
			for (int n = 0; n < rows[i].count[k]; n++) {
				values[count++] = rows[i].value[k];
				low += rows[i].value[k] < rows[i].high;
			}
		values[count] = 1e9; /* not one of them */
		if (stats_two_modes(values, count, &modes) != (rows[i].high != 0))
			fail_msg("row %zu", i);
		check_near(modes.low, rows[i].low, 0);
		check_near(modes.high, rows[i].high, 0);
		if (rows[i].high != 0)
			check_near(modes.share_low, (double)low / (double)count, 1e-12);
	}
}

TEST(one_mode_is_not_split)
{
	struct stats_modes modes;
	double values[100];

	two_groups(values, 100, 100, 1, 0.2); /* one broad group */
	assert_false(stats_two_modes(values, 100, &modes));
	two_groups(values, 100, 50, 1.02, 0.0001); /* less than 3 % apart */
	assert_false(stats_two_modes(values, 100, &modes));
	two_groups(values, 100, 90, 2, 0.01); /* a tail of a tenth is no mode */
	assert_false(stats_two_modes(values, 100, &modes));
	two_groups(values, 19, 10, 2, 0.01); /* too few */
	assert_false(stats_two_modes(values, 19, &modes));
	two_groups(values, 20, 10, 2, 0.01);
	assert_true(stats_two_modes(values, 20, &modes));
	for (int i = 0; i < 100; i++)
		values[i] = 3;
	assert_false(stats_two_modes(values, 100, &modes));
}

/* Noise of five per cent about a line, from `first` to `last`. */
static void noisy_line(double *values, size_t count, double first, double last, uint64_t seed)
{
	struct random random = { seed };

	for (size_t i = 0; i < count; i++) {
		double noise = ((double)random_below(&random, 2001) / 1000 - 1) * 0.05;

		values[i] =
			(first + (last - first) * (double)i / (double)(count - 1)) * (1 + noise);
	}
}

TEST(a_trimmed_mean_leaves_out_the_ends)
{
	const double sorted[] = { -100, 1, 2, 3, 1000 };

	check_near(stats_trimmed_mean(sorted, 5, 0.2), 2, 1e-12);
	check_near(stats_trimmed_mean(sorted, 5, 0), 181.2, 1e-9);
	check_near(stats_trimmed_mean(sorted, 5, 0.5), 2, 1e-12);
	check_near(stats_trimmed_mean(sorted, 4, 0.5), 1.5, 1e-12);
	check_near(stats_trimmed_mean(sorted, 1, 0.4), -100, 0);
	assert_true(isnan(stats_trimmed_mean(sorted, 0, 0.1)));
}

TEST(drift_is_found_and_noise_is_none)
{
	double values[1000];
	int found = 0, wrong = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		noisy_line(values, 60, 100, 110, seed);
		found += stats_drift(values, 60, 0.03);
		noisy_line(values, 60, 100, 100, seed);
		wrong += stats_drift(values, 60, 0.03);
	}
	assert_true(found >= 190);
	assert_true(wrong <= 2);
	/* Downwards, and of more values than count. */
	noisy_line(values, 1000, 160, 100, 3);
	assert_true(stats_drift(values, 1000, 0.03));
	/* A trend that is certain, and too small to matter. */
	for (int i = 0; i < 100; i++)
		values[i] = 100 + 0.01 * i;
	assert_false(stats_drift(values, 100, 0.03));
	assert_true(stats_drift(values, 100, 0.003));
	/* Too few. */
	for (int i = 0; i < 8; i++)
		values[i] = i + 1;
	assert_false(stats_drift(values, 8, 0.03));
	assert_false(stats_drift(values, 0, 0.03));
}

/* Nine values have 36 pairs and a variance of 92: drift begins at a Mann-Kendall sum of 26. */
TEST(drift_begins_at_the_exact_sum_and_difference)
{
	static const struct {
		double value[9];
		bool drifts;
	} rows[] = {
		{ { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, true },
		{ { 2, 1, 4, 3, 6, 5, 9, 7, 8 }, true },  /* 26 */
		{ { 3, 1, 2, 6, 4, 5, 9, 7, 8 }, false }, /* 24 */
		{ { 2, 1, 4, 3, 6, 5, 9, 7, 7 }, false }, /* 25, one tie */
		{ { 1, 1, 3, 3, 6, 5, 10, 8, 7 }, true }, /* 26, two ties */
		{ { 100, 100, 100, 101, 101.5, 102, 103, 103, 103 }, false },
		{ { 100, 100, 100, 101, 101.5, 102, 103.01, 103.01, 103.01 }, true },
	};
	double longer[1600], block[900];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double down[9];

		for (int k = 0; k < 9; k++)
			down[k] = 300 - rows[i].value[k];
		if (stats_drift(rows[i].value, 9, 0.03) != rows[i].drifts ||
			stats_drift(down, 9, 0.003) != (rows[i].drifts || i == 5))
			fail_msg("row %zu", i);
	}
	/* The last 900 values count. */
	for (int i = 0; i < 1600; i++)
		longer[i] = i < 700 ? 2 : 1;
	assert_false(stats_drift(longer, 1600, 0.03));
	for (int i = 0; i < 900; i++)
		block[i] = i < 700 ? 2 : 1;
	assert_true(stats_drift(block, 900, 0.03));
}

/* A burst in the middle, as a neighbour leaves it, is no trend. */
TEST(a_burst_is_no_drift)
{
	double values[90];

	noisy_line(values, 90, 100, 100, 5);
	for (int i = 40; i < 50; i++)
		values[i] *= 3;
	assert_false(stats_drift(values, 90, 0.03));
}

RUN_TESTS()
