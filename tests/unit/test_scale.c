#include "check.h"
#include "table.h"

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

/* "4 KiB, 64 KiB, …": labels alone. */
static void labels(const struct scale *scale, double room, double label, char *buffer, size_t size)
{
	struct scale_tick ticks[SCALE_TICKS];
	int count = ticks_of(scale, room, label, ticks);
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < count; i++)
		if (!ticks[i].minor)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s",
				used ? ", " : "", ticks[i].label);
}

TEST(bytes_are_marked_at_powers_of_two)
{
	struct scale scale = scale_fit(SCALE_BYTES, 4096, 256 << 20);
	char words[400];

	labels(&scale, 500, 70, words, sizeof(words));
	assert_string_equal(words, "4 KiB, 64 KiB, 1 MiB, 16 MiB, 256 MiB");
	labels(&scale, 1000, 70, words, sizeof(words));
	assert_string_equal(
		words, "4 KiB, 16 KiB, 64 KiB, 256 KiB, 1 MiB, 4 MiB, 16 MiB, 64 MiB, 256 MiB");
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
	assert_string_equal(words, "2, 5, 10, 20, 50, 100, 200, 500");
	labels(&scale, 200, 60, words, sizeof(words));
	assert_string_equal(words, "10, 100");
}

TEST(linear_scales_begin_at_zero)
{
	struct scale scale = scale_fit(SCALE_LINEAR, 0.5, 3);
	char words[400];

	check_near(scale.low, 0, 0);
	check_near(scale.high, 3.5, 1e-9);
	labels(&scale, 400, 30, words, sizeof(words));
	assert_string_equal(words, "0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5");
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
	assert_string_equal(words, "1, 2, 3, 4");
}

static enum scale_kind kind_of(struct table *table)
{
	static const char *const kinds[] = { "linear", "log", "log2", "bytes", "steps" };

	return (enum scale_kind)table_choice(table, 0, kinds, 5);
}

/* Labels of scales made by hand, so that marks lie on both ends. */
TEST(labels_reach_both_ends_and_thin_out_when_room_is_short)
{
	struct table table;

	table_open(&table, "scale", "labels");
	while (table_next(&table, 3)) {
		struct scale_tick ticks[SCALE_TICKS];
		struct scale scale = { .kind = kind_of(&table) };
		char words[400];
		double n[7];

		table_numbers(&table, 1, n, 7);
		scale.low = n[0];
		scale.high = n[1];
		scale.whole = n[2] > 0;
		scale.brief = n[3] > 0;
		labels(&scale, n[4], n[5], words, sizeof(words));
		table_expect(&table, words, table.field[2]);
		assert_int_equal(ticks_of(&scale, n[4], n[5], ticks), (int)n[6]);
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
	struct table table;

	table_open(&table, "scale", "fitted");
	while (table_next(&table, 2)) {
		double n[4];
		struct scale scale;

		table_numbers(&table, 1, n, 4);
		scale = scale_fit(kind_of(&table), n[0], n[1]);
		assert_int_equal(scale.kind, kind_of(&table));
		if (fabs(scale.low - n[2]) > 1e-9 * fabs(n[2]) ||
			fabs(scale.high - n[3]) > 1e-9 * fabs(n[3]))
			table_fail(&table, "%g to %g", scale.low, scale.high);
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
	} rows[] = { { 0, "0" }, { 0.0423, "0.042" }, { 0.5, "0.50" }, { 4.996, "5.00" },
		{ 9.996, "10.0" }, { 57.14, "57.1" }, { 362.4, "362" }, { 99.96, "100" },
		{ NAN, "-" }, { INFINITY, "-" }, { 99.95, "100" }, { 9.995, "10.0" },
		{ 0.0995, "0.10" }, { -0.05, "-0.05" }, { -57.14, "-57.1" } };

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

TEST(a_scale_grows_at_once_and_never_shrinks)
{
	static const struct {
		double value, high;
	} rows[] = { { 3, 3 }, { 3.05, 3 }, { 1.5, 3 }, { 3.1, 4 }, { 0, 4 }, { NAN, 4 },
		{ INFINITY, 4 }, { 0.1, 4 }, { 21.3, 30 } };
	struct scale scale = { .kind = SCALE_LINEAR };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scale_widen(&scale, rows[i].value, rows[i].value);
		check_near(scale.low, 0, 0);
		check_near(scale.high, rows[i].high, 1e-9);
	}
}

TEST(a_logarithmic_scale_grows_at_both_ends)
{
	struct scale scale = { .kind = SCALE_LOG };

	scale_widen(&scale, 5, 14);
	check_near(scale.low, 2, 1e-9);
	check_near(scale.high, 20, 1e-9);
	scale_widen(&scale, 2.1, 19.9);
	check_near(scale.low, 2, 1e-9);
	check_near(scale.high, 20, 1e-9);
	scale_widen(&scale, 1, 300);
	check_near(scale.low, 0.5, 1e-9);
	check_near(scale.high, 500, 1e-9);
	scale_widen(&scale, 7, 7);
	check_near(scale.high, 500, 1e-9);
}

RUN_TESTS()
