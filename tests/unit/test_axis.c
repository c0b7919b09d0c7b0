#include "fakes.h"

#include "experiment/setting/axis.h"
#include "experiment/setting/setting.h"
#include "explorer/view.h"

static const uint64_t LIMIT = UINT64_C(8) << 30;
static const struct memory_limits MEMORY_LIMITS = { .memory = UINT64_C(8) << 30 };

static void check_values(const int64_t *values, int count, const int64_t *expected, int wanted)
{
	assert_int_equal(count, wanted);
	for (int i = 0; i < count; i++)
		if (values[i] != expected[i])
			fail_msg("value %d is %lld, not %lld", i, (long long)values[i],
				(long long)expected[i]);
}

#define CHECK_VALUES(values, count, ...)                        \
	check_values(values, count, (int64_t[]){ __VA_ARGS__ }, \
		(int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)))

static void sizes_have_a_point_between_powers(void **state)
{
	int64_t values[VIEW_SLICE];
	int count = axis_sizes(&kernel_fold, FOLD_SIZE, 2 << 20, MEMORY_LIMITS, values, VIEW_SLICE);

	(void)state;
	CHECK_VALUES(values, 6, 4096, 6144, 8192, 12288, 16384, 24576);
	assert_int_equal(values[count - 1], 64 << 20);
	/* A kernel without a stride starts smaller. */
	axis_sizes(&kernel_walk, WALK_SIZE, 2 << 20, MEMORY_LIMITS, values, VIEW_SLICE);
	CHECK_VALUES(values, 3, 1024, 1536, 2048);
}

static void sizes_end_beyond_the_last_cache(void **state)
{
	static const struct {
		uint64_t cache, limit;
		int64_t last;
	} rows[] = {
		{ 0, LIMIT, 64 << 20 },
		{ 16 << 20, LIMIT, 64 << 20 },
		{ 32 << 20, LIMIT, 128 << 20 },
		{ UINT64_C(1) << 40, LIMIT, 256 << 20 },
		{ 32 << 20, 100 << 20, 96 << 20 },
		{ 0, 0, 64 << 20 },
		{ 0, 5000, 4096 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t values[VIEW_SLICE];
		int count = axis_sizes(&kernel_fold, FOLD_SIZE, rows[i].cache,
			(struct memory_limits){ .memory = rows[i].limit }, values, VIEW_SLICE);

		assert_true(count > 0 && count <= VIEW_SLICE);
		assert_int_equal(values[count - 1], rows[i].last);
	}
}

static void strides_are_dense_then_sparse(void **state)
{
	int64_t values[VIEW_SLICE];
	int count = axis_values(&fold_knobs[FOLD_STRIDE], MEMORY_LIMITS, values, VIEW_SLICE);

	(void)state;
	CHECK_VALUES(values, count, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24,
		28, 32, 40, 48, 56, 64);
}

static void few_values_are_all_shown(void **state)
{
	int64_t values[VIEW_SLICE];
	int count = axis_values(&fold_knobs[FOLD_ACC], MEMORY_LIMITS, values, VIEW_SLICE);

	(void)state;
	assert_int_equal(count, 16);
	count = axis_values(&walk_knobs[WALK_SPACING], MEMORY_LIMITS, values, VIEW_SLICE);
	assert_int_equal(count, 16);
	assert_int_equal(values[1], 32);
	count = axis_values(&walk_knobs[WALK_ORDER], MEMORY_LIMITS, values, VIEW_SLICE);
	CHECK_VALUES(values, count, 0, 1, 2);
}

static void wide_ranges_still_fit(void **state)
{
	const struct knob wide = {
		.name = "n", .kind = KNOB_COUNT, .min = 0, .max = INT64_MAX - 1
	};
	const struct knob odd = {
		.name = "n", .kind = KNOB_COUNT, .min = 5, .max = 100000, .multiple = 8
	};
	int64_t values[VIEW_SLICE];
	int count;

	(void)state;
	for (int room = 1; room <= VIEW_SLICE; room++) {
		count = axis_values(&wide, MEMORY_LIMITS, values, room);
		assert_true(count >= 1 && count <= room);
		for (int i = 1; i < count; i++)
			assert_true(values[i] > values[i - 1]);
	}
	count = axis_values(&odd, MEMORY_LIMITS, values, VIEW_SLICE);
	assert_int_equal(values[0], 8);
	for (int i = 0; i < count; i++) {
		char typed[32];
		int64_t value;

		setting_format_value(&odd, values[i], typed, sizeof(typed));
		check_ok(setting_parse_value(&odd, typed, MEMORY_LIMITS, &value));
	}
}

static void the_grid_doubles_from_16k(void **state)
{
	int64_t values[VIEW_GRID_Y];
	int count = axis_grid_sizes(
		&kernel_fold, FOLD_SIZE, 32 << 20, MEMORY_LIMITS, values, VIEW_GRID_Y);

	(void)state;
	assert_int_equal(count, 14);
	assert_int_equal(values[0], 16384);
	assert_int_equal(values[13], 128 << 20);
	count = axis_grid_sizes(&kernel_fold, FOLD_SIZE, 0,
		(struct memory_limits){ .memory = 9000 }, values, VIEW_GRID_Y);
	assert_true(count >= 1 && values[0] <= 9000);
	count = axis_grid_strides(&fold_knobs[FOLD_STRIDE], MEMORY_LIMITS, values, VIEW_GRID_X);
	assert_int_equal(count, 16);
	assert_int_equal(values[15], 16);
}

static void nearest_is_on_a_log_scale(void **state)
{
	const int64_t values[] = { 1, 4, 16, 64 };

	(void)state;
	assert_int_equal(axis_nearest(values, 4, 4), 1);
	assert_int_equal(axis_nearest(values, 4, 9), 2);
	assert_int_equal(axis_nearest(values, 4, 7), 1);
	assert_int_equal(axis_nearest(values, 4, 0), 0);
	assert_int_equal(axis_nearest(values, 4, INT64_MAX), 3);
}

static void a_value_is_at_between_or_beyond(void **state)
{
	const int64_t values[] = { 16, 32, 64, 128 };
	struct axis_place place = axis_find(values, 4, 64);

	(void)state;
	assert_int_equal(place.where, AXIS_AT);
	assert_int_equal(place.index, 2);
	place = axis_find(values, 4, 48);
	assert_int_equal(place.where, AXIS_BETWEEN);
	assert_int_equal(place.index, 1);
	check_near(place.share, 0.585, 0.001);
	place = axis_find(values, 4, 8);
	assert_int_equal(place.where, AXIS_BEFORE);
	assert_int_equal(place.index, 0);
	place = axis_find(values, 4, INT64_MAX);
	assert_int_equal(place.where, AXIS_BEYOND);
	assert_int_equal(place.index, 3);
	assert_int_equal(axis_find(values, 1, 16).where, AXIS_AT);
	assert_int_equal(axis_find(values, 1, 17).where, AXIS_BEYOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_a_point_between_powers),
		cmocka_unit_test(sizes_end_beyond_the_last_cache),
		cmocka_unit_test(strides_are_dense_then_sparse),
		cmocka_unit_test(few_values_are_all_shown),
		cmocka_unit_test(wide_ranges_still_fit),
		cmocka_unit_test(the_grid_doubles_from_16k),
		cmocka_unit_test(nearest_is_on_a_log_scale),
		cmocka_unit_test(a_value_is_at_between_or_beyond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
