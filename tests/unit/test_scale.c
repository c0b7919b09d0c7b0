#include "check.h"

#include "base/scale.h"

/* Every label takes this much. */
static double wide(void *context, const char *label)
{
	return *(double *)context;
}

static int ticks_of(
	const struct scale *scale, double room, double label, struct scale_tick ticks[SCALE_TICKS])
{
	return scale_ticks(scale, room, wide, &label, ticks);
}

/* "4 KiB|64 KiB|…": labels alone. */
static void labels(const struct scale *scale, double room, double label, char *buffer, size_t size)
{
	struct scale_tick ticks[SCALE_TICKS];
	int count = ticks_of(scale, room, label, ticks);
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < count; i++)
		if (!ticks[i].minor)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s",
				used ? "|" : "", ticks[i].label);
}

TEST(bytes_are_marked_at_powers_of_two)
{
	struct scale scale = scale_fit(SCALE_BYTES, 4096, 256 << 20);
	char words[400];

	labels(&scale, 500, 70, words, sizeof(words));
	assert_string_equal(words, "4 KiB|64 KiB|1 MiB|16 MiB|256 MiB");
	labels(&scale, 1000, 70, words, sizeof(words));
	assert_string_equal(words, "4 KiB|16 KiB|64 KiB|256 KiB|1 MiB|4 MiB|16 MiB|64 MiB|256 MiB");
}

/* One value alone. */
TEST(a_single_size_is_marked)
{
	struct scale scale = scale_fit(SCALE_BYTES, 16384, 16384);
	char words[400];

	labels(&scale, 600, 70, words, sizeof(words));
	assert_string_equal(words, "16 KiB");
}

TEST(cycles_are_marked_at_round_numbers)
{
	struct scale scale = scale_fit(SCALE_LOG, 5, 362);
	char words[400];

	check_near(scale.low, 2, 1e-9);
	check_near(scale.high, 500, 1e-9);
	labels(&scale, 400, 30, words, sizeof(words));
	assert_string_equal(words, "2|5|10|20|50|100|200|500");
	labels(&scale, 200, 60, words, sizeof(words));
	assert_string_equal(words, "10|100");
}

TEST(linear_scales_begin_at_zero)
{
	struct scale scale = scale_fit(SCALE_LINEAR, 0.5, 3);
	char words[400];

	check_near(scale.low, 0, 0);
	check_near(scale.high, 3.5, 1e-9);
	labels(&scale, 400, 30, words, sizeof(words));
	assert_string_equal(words, "0.0|0.5|1.0|1.5|2.0|2.5|3.0|3.5");
	/* Also where values hardly differ: they do hardly differ. */
	scale = scale_fit(SCALE_LINEAR, 98, 101);
	check_near(scale.low, 0, 0);
	assert_true(scale.high >= 101 && scale.high <= 120);
	scale = scale_fit(SCALE_LINEAR, -3, 5);
	assert_true(scale.low <= -3 && scale.high >= 5);
}

TEST(whole_numbers_have_no_halves)
{
	struct scale scale = { SCALE_LINEAR, 0.8, 4.2, true };
	char words[400];

	labels(&scale, 800, 20, words, sizeof(words));
	assert_string_equal(words, "1|2|3|4");
}

/* Labels of scales made by hand, so that marks lie on both ends. */
TEST(labels_reach_both_ends_and_thin_out_when_room_is_short)
{
	static const struct {
		struct scale scale;
		double room, label;
		const char *words;
		int count; /* of marks, with minor ones */
	} rows[] = {
		{ { SCALE_LINEAR, 0, 4, false, false }, 400, 100, "0|1|2|3|4", 5 },
		{ { SCALE_LINEAR, 0, 4, false, false }, 399, 100, "0|2|4", 3 },
		{ { SCALE_LINEAR, 0, 4, false, false }, 100, 60, "0", 1 },
		{ { SCALE_LINEAR, -0.3, 3.2, true, false }, 800, 20, "0|1|2|3", 4 },
		{ { SCALE_LOG, 1, 100, false, false }, 700, 20, "1|2|5|10|20|50|100", 19 },
		{ { SCALE_LOG, 1, 1e6, false, false }, 601, 100,
			"1|10|100|1000|10000|100000|1000000", 55 },
		{ { SCALE_LOG, 1, 1e6, false, false }, 600, 150, "1|100|10000|1000000", 55 },
		{ { SCALE_LOG, 1, 1e6, false, false }, 600, 250, "1|1000|1000000", 55 },
		{ { SCALE_LOG, 1e-3, 1, false, false }, 300, 80, "0.001|0.01|0.1|1", 28 },
		{ { SCALE_LOG, 1e-3, 1, false, false }, 300, 180, "0.01|1", 28 },
		{ { SCALE_LOG, 3, 4, false, false }, 600, 60, "3.0|3.2|3.4|3.6|3.8|4.0", 6 },
		{ { SCALE_LOG2, 1, 16, false, false }, 600, 60, "1|2|4|8|16", 5 },
		{ { SCALE_LOG2, 0.25, 4, false, false }, 600, 60, "1|2|4", 5 },
		{ { SCALE_LOG2, 5, 7, false, false }, 600, 60, "5|6|7", 3 },
		{ { SCALE_BYTES, 1, 4, false, false }, 600, 60, "1 B|2 B|4 B", 3 },
		{ { SCALE_BYTES, 1024, 65536, false, true }, 600, 150, "1k|4k|16k|64k", 7 },
		{ { SCALE_BYTES, 5120, 7168, false, false }, 600, 60,
			"5.4 KiB|5.9 KiB|6.3 KiB|6.8 KiB", 4 },
		{ { SCALE_STEPS, -0.5, 3.5, false, false }, 600, 60, "", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scale_tick ticks[SCALE_TICKS];
		char words[400];

		labels(&rows[i].scale, rows[i].room, rows[i].label, words, sizeof(words));
		assert_string_equal(words, rows[i].words);
		assert_int_equal(ticks_of(&rows[i].scale, rows[i].room, rows[i].label, ticks),
			rows[i].count);
	}
}

TEST(at_most_64_marks_are_made)
{
	const struct scale scales[] = { { .kind = SCALE_LOG, .low = 1, .high = 1e9 },
		{ .kind = SCALE_LOG2, .low = 1, .high = 0x1p70 } };

	for (int i = 0; i < 2; i++) {
		struct scale_tick ticks[SCALE_TICKS + 1] = { [SCALE_TICKS] = { .value = 7 } };

		assert_int_equal(ticks_of(&scales[i], 1e6, 1, ticks), SCALE_TICKS);
		check_near(ticks[SCALE_TICKS].value, 7, 0);
		check_near(ticks[SCALE_TICKS - 1].value, i ? 0x1p63 : 1e7, 1);
	}
}

TEST(scales_fit_their_values_exactly)
{
	static const struct {
		enum scale_kind kind;
		double least, most, low, high;
	} rows[] = {
		{ SCALE_LINEAR, -3, 5, -4, 6 },
		{ SCALE_LINEAR, -4, 6, -4, 7 },
		{ SCALE_LINEAR, -10, 4.8, -10, 7.5 },
		{ SCALE_LINEAR, 0, 50 / 1.03, 0, 50 },
		{ SCALE_LINEAR, 7, 7, 0, 8 },
		{ SCALE_LINEAR, 0, 0, 0, 0.2 },
		{ SCALE_LINEAR, -3, -3, -3, -2 },
		{ SCALE_LINEAR, NAN, 5, 0, 1.1 },
		{ SCALE_LINEAR, 5, NAN, 0, 1.1 },
		{ SCALE_LINEAR, 5, INFINITY, 0, 1.1 },
		{ SCALE_LINEAR, 5, 2, 0, 1.1 },
		{ SCALE_STEPS, 0, 4, -0.5, 4.5 },
		{ SCALE_STEPS, 2, 2, 1.5, 2.5 },
		{ SCALE_LOG, 105, 190, 100, 200 },
		{ SCALE_LOG, 2.1, 2, 0.5, 2 },
		{ SCALE_LOG, 2.1, 2.1, 2, 5 },
		{ SCALE_LOG, 5.25, 9, 5, 10 },
		{ SCALE_LOG, 2, 1000, 1, 2000 },
		{ SCALE_LOG2, 1, 0x1p50, 0.5, 0x1p51 },
		{ SCALE_BYTES, 4096, 0x1p62, 2048, 0x1p63 },
		{ SCALE_LOG2, 12, 12, 8, 18 },
		{ SCALE_LOG2, 0, 12, 8, 18 },
		{ SCALE_BYTES, 0, 0, 1 / 1.5, 1.5 },
		{ SCALE_LOG2, -5, -2, 1 / 1.5, 1.5 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scale scale = scale_fit(rows[i].kind, rows[i].least, rows[i].most);

		assert_int_equal(scale.kind, rows[i].kind);
		if (fabs(scale.low - rows[i].low) > 1e-9 * fabs(rows[i].low) ||
			fabs(scale.high - rows[i].high) > 1e-9 * fabs(rows[i].high))
			fail_msg("row %zu: %g to %g", i, scale.low, scale.high);
	}
}

/* Whatever the ends: labels keep clear of each other, ascend, and there is at least one unless
 * there is no room at all. */
TEST(labels_keep_clear)
{
	static const enum scale_kind kinds[] = { SCALE_LINEAR, SCALE_LOG, SCALE_LOG2, SCALE_BYTES };
	static const double ends[] = { 1e-3, 0.07, 0.9, 1, 3, 7.5, 33, 100, 4096, 49152, 1e6, 3e8,
		6e11 };
	const int end_count = sizeof(ends) / sizeof(ends[0]);

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (int i = 0; i < end_count; i++) {
			for (int j = i; j < end_count; j++) {
				bool whole = kinds[k] == SCALE_LOG2 || kinds[k] == SCALE_BYTES;
				struct scale scale = scale_fit(kinds[k], ends[i], ends[j]);
				struct scale_tick ticks[SCALE_TICKS];
				int count = ticks_of(&scale, 500, 60, ticks), marked = 0;
				double before = -INFINITY;

				if (whole && ends[i] < 3)
					continue; /* there are no halves of bytes */
				assert_true(scale.low < scale.high);
				assert_true(scale.low <= ends[i] * (1 + 1e-9) &&
					    scale.high >= ends[j] * (1 - 1e-9));
				for (int t = 0; t < count; t++) {
					double at = scale_place(&scale, ticks[t].value) * 500;

					if (ticks[t].minor)
						continue;
					marked++;
					if (!(at - before >= 59.9))
						fail_msg("%s at %g, %g after the one before, of "
							 "%g…%g",
							ticks[t].label, at, at - before, ends[i],
							ends[j]);
					before = at;
				}
				if (!marked)
					fail_msg("no mark on kind %d of %g…%g", (int)kinds[k],
						ends[i], ends[j]);
			}
		}
	}
}

TEST(places_run_from_end_to_end)
{
	struct scale log = { SCALE_LOG, 1, 100, false }, linear = { SCALE_LINEAR, -2, 2, false };

	check_near(scale_place(&log, 10), 0.5, 1e-12);
	check_near(scale_place(&log, 1000), 1.5, 1e-12);
	check_near(scale_place(&linear, 0), 0.5, 1e-12);
	assert_true(isnan(scale_place(&log, 0)));
	assert_true(isnan(scale_place(&linear, NAN)));
	log.kind = SCALE_LOG2;
	check_near(scale_place(&log, 10), 0.5, 1e-12);
	log.kind = SCALE_BYTES;
	check_near(scale_place(&log, 10), 0.5, 1e-12);
	linear.kind = SCALE_STEPS;
	check_near(scale_place(&linear, 1), 0.75, 1e-12);
}

TEST(knobs_that_grow_by_factors_are_logarithmic)
{
	static const double doubling[] = { 1, 2, 4, 8, 16 }, mixed[] = { 1, 2, 3, 4, 6, 8, 12, 16 };
	static const double even[] = { 1, 2, 3, 4, 5, 6, 7, 8 },
			    sizes[] = { 100, 200, 300, 400, 500, 1000, 1500, 2000 };
	static const double zero[] = { 0, 10, 100, 1000 };
	/* Most steps are factors of 1.3 or more, and the whole is a factor of 8 or more. */
	static const double eight[] = { 1, 2, 8 }, less[] = { 1, 2, 7.9 }, least[] = { 10, 13, 80 },
			    half[] = { 1, 1.1, 3, 9 };

	assert_int_equal(scale_choose(eight, 3), SCALE_LOG2);
	assert_int_equal(scale_choose(less, 3), SCALE_LINEAR);
	assert_int_equal(scale_choose(least, 3), SCALE_LOG2);
	assert_int_equal(scale_choose(half, 4), SCALE_LINEAR);

	assert_int_equal(scale_choose(doubling, 5), SCALE_LOG2);
	assert_int_equal(scale_choose(mixed, 8), SCALE_LOG2);
	assert_int_equal(scale_choose(even, 8), SCALE_LINEAR);
	assert_int_equal(scale_choose(sizes, 8), SCALE_LOG2);
	assert_int_equal(scale_choose(zero, 4), SCALE_LINEAR);
	assert_int_equal(scale_choose(doubling, 2), SCALE_LINEAR);
}

TEST(figures_have_three_digits)
{
	static const struct {
		double value;
		const char *words;
	} rows[] = {
		{ 0, "0" },
		{ 0.0423, "0.042" },
		{ 0.5, "0.50" },
		{ 4.996, "5.00" },
		{ 9.996, "10.0" },
		{ 57.14, "57.1" },
		{ 362.4, "362" },
		{ 99.96, "100" },
		{ NAN, "-" },
		{ INFINITY, "-" },
		{ 99.95, "100" },
		{ 9.995, "10.0" },
		{ 0.0995, "0.10" },
		{ -0.05, "-0.05" },
		{ -57.14, "-57.1" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(scale_figure(rows[i].value).text, rows[i].words);
}

TEST(axes_end_at_round_numbers)
{
	check_near(scale_ceiling(10.99), 15, 1e-9);
	check_near(scale_ceiling(50), 50, 1e-9);
	check_near(scale_ceiling(0.0301), 0.04, 1e-9);
	check_near(scale_ceiling(99), 100, 1e-9);
	check_near(scale_ceiling(0), 1, 0);
	check_near(scale_ceiling(NAN), 1, 0);
	check_near(scale_ceiling(INFINITY), 1, 0);
	check_near(scale_ceiling(-3), 1, 0);
	check_near(scale_ceiling(100), 100, 1e-9);
	for (double value = 0.001; value < 1e6; value *= 1.07)
		assert_true(scale_ceiling(value) >= value && scale_ceiling(value) <= value * 1.7);
}

RUN_TESTS()
