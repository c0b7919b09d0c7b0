#include "fakes.h"
#include "table.h"

#include "experiment/setting/setting.h"
#include "explorer/view.h"
#include "kernels/knob_rows.h"

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

TEST(sizes_have_a_point_between_powers)
{
	int64_t values[VIEW_SLICE];
	int count = axis_sizes(
		&kernel_fold, FOLD_SIZE, false, 2 << 20, MEMORY_LIMITS, values, VIEW_SLICE);

	CHECK_VALUES(values, 6, 4096, 6144, 8192, 12288, 16384, 24576);
	assert_int_equal(values[count - 1], 64 << 20);
	/* A kernel without a stride starts smaller. */
	axis_sizes(&kernel_walk, WALK_SIZE, false, 2 << 20, MEMORY_LIMITS, values, VIEW_SLICE);
	CHECK_VALUES(values, 3, 1024, 1536, 2048);
}

TEST(sizes_end_beyond_the_last_cache)
{
	static const struct {
		uint64_t cache, limit;
		int64_t last;
	} rows[] = { { 0, LIMIT, 64 << 20 }, { 16 << 20, LIMIT, 64 << 20 },
		{ 32 << 20, LIMIT, 128 << 20 }, { UINT64_C(1) << 40, LIMIT, 256 << 20 },
		{ 32 << 20, 100 << 20, 96 << 20 }, { 0, 0, 64 << 20 }, { 0, 5000, 4096 },
		{ 0, 8192, 8192 }, { 0, 3000, 3000 }, { 20 << 20, LIMIT, 64 << 20 },
		{ 24 << 20, LIMIT, 96 << 20 }, { 63 << 20, LIMIT, 192 << 20 },
		{ 64 << 20, LIMIT, 256 << 20 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t values[VIEW_SLICE];
		int count = axis_sizes(&kernel_fold, FOLD_SIZE, false, rows[i].cache,
			(struct memory_limits){ .memory = rows[i].limit }, values, VIEW_SLICE);

		assert_true(count > 0 && count <= VIEW_SLICE);
		assert_int_equal(values[count - 1], rows[i].last);
	}
}

/* A stride that is the first knob counts too; values are multiples of the unit, and none is
 * repeated. */
TEST(sizes_are_multiples_and_fill_no_more_than_the_room)
{
	static const struct knob knobs[] = { KNOB_ROW_COUNT(
						     "stride", "", 1, 64, 0, .axis = AXIS_STRIDE),
		KNOB_ROW_BYTES("size", "", 5000, KNOB_MAX_MEMORY, 0, .axis = AXIS_SIZE,
			.multiple = 4096) };
	static const struct kernel strided = { .name = "s", .knobs = knobs, .knob_count = 2 };
	int64_t values[5] = { [4] = -1 };
	int count = axis_sizes(&strided, 1, false, 0, MEMORY_LIMITS, values, 4);

	CHECK_VALUES(values, count, 8192, 12288, 16384, 24576);
	assert_int_equal(values[4], -1);
	count = axis_sizes(&strided, 1, true, 0, MEMORY_LIMITS, values, 4);
	CHECK_VALUES(values, count, 16384, 32768, 65536, 131072);
	count = axis_sizes(&kernel_fold, FOLD_SIZE, false, 0, MEMORY_LIMITS, values, 3);
	CHECK_VALUES(values, count, 4096, 6144, 8192);
	assert_int_equal(values[3], 131072);
}

TEST(strides_are_dense_then_sparse)
{
	int64_t values[VIEW_SLICE];
	int count = axis_values(&fold_knobs[FOLD_STRIDE], MEMORY_LIMITS, values, VIEW_SLICE);

	CHECK_VALUES(values, count, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24,
		28, 32, 40, 48, 56, 64);
}

/* All values of 32; more are thinned to fit the room: four, two or one in each doubling. */
TEST(more_than_32_values_are_thinned_to_the_room)
{
	static const struct {
		int64_t min, max, multiple;
		int room, count;
		int64_t last[4];
	} rows[] = {
		{ 1, 32, 0, 48, 32, { 29, 30, 31, 32 } },
		{ 1, 33, 0, 48, 20, { 20, 24, 28, 32 } },
		{ 5, 36, 0, 48, 32, { 33, 34, 35, 36 } },
		{ 5, 37, 0, 48, 16, { 20, 24, 28, 32 } },
		{ 1, 200, 0, 48, 26, { 112, 128, 160, 192 } },
		{ 0, 200, 0, 48, 27, { 112, 128, 160, 192 } },
		{ 9, 512, 16, 48, 32, { 464, 480, 496, 512 } },
		{ 9, 530, 16, 48, 20, { 320, 384, 448, 512 } },
		{ 9, 544, 16, 48, 20, { 320, 384, 448, 512 } },
		{ 1, 64, 0, 24, 24, { 40, 48, 56, 64 } },
		{ 1, 64, 0, 23, 20, { 24, 32, 48, 64 } },
		{ 1, 64, 0, 20, 20, { 24, 32, 48, 64 } },
		{ 1, 64, 0, 19, 18, { 15, 16, 32, 64 } },
		{ 1, 64, 0, 18, 18, { 15, 16, 32, 64 } },
		{ 1, 64, 0, 17, 17, { 14, 15, 16, 32 } },
		{ 1, 40, 0, 48, 21, { 24, 28, 32, 40 } },
		{ 1, 31, 0, 8, 8, { 5, 6, 7, 8 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct knob knob = KNOB_ROW_COUNT(
			"n", "", rows[i].min, rows[i].max, 0, .multiple = rows[i].multiple);
		int64_t values[50] = { 0 };
		int count = axis_values(&knob, MEMORY_LIMITS, values, rows[i].room);

		if (count != rows[i].count)
			fail_msg("row %zu: %d values", i, count);
		check_values(values + count - 4, 4, rows[i].last, 4);
		assert_int_equal(values[rows[i].room], 0);
	}
	assert_int_equal(
		axis_grid_strides(&fold_knobs[FOLD_STRIDE], MEMORY_LIMITS, (int64_t[5]){ 0 }, 5),
		5);
}

TEST(few_values_are_all_shown)
{
	int64_t values[VIEW_SLICE];
	int count = axis_values(&fold_knobs[FOLD_ACC], MEMORY_LIMITS, values, VIEW_SLICE);

	assert_int_equal(count, 16);
	count = axis_values(&walk_knobs[WALK_SPACING], MEMORY_LIMITS, values, VIEW_SLICE);
	assert_int_equal(count, 16);
	assert_int_equal(values[1], 32);
	count = axis_values(&walk_knobs[WALK_ORDER], MEMORY_LIMITS, values, VIEW_SLICE);
	CHECK_VALUES(values, count, 0, 1, 2);
}

TEST(wide_ranges_still_fit)
{
	const struct knob wide = {
		.name = "n", .kind = KNOB_COUNT, .min = 0, .max = INT64_MAX - 1
	};
	const struct knob odd = {
		.name = "n", .kind = KNOB_COUNT, .min = 5, .max = 100000, .multiple = 8
	};
	int64_t values[VIEW_SLICE];
	int count;

	for (int room = 1; room <= VIEW_SLICE; room++) {
		count = axis_values(&wide, MEMORY_LIMITS, values, room);
		assert_true(count >= 1 && count <= room);
		for (int i = 1; i < count; i++)
			assert_true(values[i] > values[i - 1]);
	}
	count = axis_values(&odd, MEMORY_LIMITS, values, VIEW_SLICE);
	assert_int_equal(values[0], 8);
	for (int i = 0; i < count; i++) {
		int64_t value;

		check_ok(setting_parse_value(
			&odd, setting_value(&odd, values[i]).text, MEMORY_LIMITS, &value));
	}
}

TEST(the_grid_doubles_from_16k)
{
	int64_t values[VIEW_GRID_Y];
	int count = axis_sizes(
		&kernel_fold, FOLD_SIZE, true, 32 << 20, MEMORY_LIMITS, values, VIEW_GRID_Y);

	assert_int_equal(count, 14);
	assert_int_equal(values[0], 16384);
	assert_int_equal(values[13], 128 << 20);
	count = axis_sizes(&kernel_fold, FOLD_SIZE, true, 0,
		(struct memory_limits){ .memory = 9000 }, values, VIEW_GRID_Y);
	assert_true(count >= 1 && values[0] <= 9000);
	count = axis_grid_strides(&fold_knobs[FOLD_STRIDE], MEMORY_LIMITS, values, VIEW_GRID_X);
	assert_int_equal(count, 16);
	assert_int_equal(values[15], 16);
}

TEST(nearest_is_on_a_log_scale)
{
	const int64_t values[] = { 1, 4, 16, 64 };

	assert_int_equal(axis_nearest(values, 4, 4), 1);
	assert_int_equal(axis_nearest(values, 4, 9), 2);
	assert_int_equal(axis_nearest(values, 4, 7), 1);
	assert_int_equal(axis_nearest(values, 4, 8), 1); /* as near as the next */
	assert_int_equal(axis_nearest(values, 4, 0), 0);
	assert_int_equal(axis_nearest(values, 4, INT64_MAX), 3);
}

TEST(a_value_is_at_between_or_beyond)
{
	const int64_t values[] = { 16, 32, 64, 128 }, below[] = { -2, 0, 4 };
	struct axis_place place = axis_find(values, 4, 64);

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
	place = axis_find(below, 3, -1);
	assert_int_equal(place.where, AXIS_BETWEEN);
	check_near(place.share, 0.5, 0);
	check_near(axis_find(below, 3, 2).share, 0.5, 1e-12);
	assert_int_equal(axis_find(values, 1, 17).where, AXIS_BEYOND);
}

/* ---- lists, as a sweep takes them ---- */

static const struct memory_limits LIST_LIMITS = { .memory = UINT64_C(1) << 30 };

static void check_list(
	const struct knob *knob, const char *text, size_t count, const int64_t *expected)
{
	int64_t *values;
	size_t got;

	check_ok(axis_parse_list(knob, text, LIST_LIMITS, &values, &got));
	assert_int_equal(got, count);
	for (size_t i = 0; i < count; i++)
		if (values[i] != expected[i])
			fail_msg("\"%s\": value %zu is %lld", text, i, (long long)values[i]);
	free(values);
}

#define CHECK_LIST(knob, text, ...)                                                  \
	check_list(knob, text, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
		(int64_t[]){ __VA_ARGS__ })

TEST(lists_of_numbers)
{
	const struct knob *acc = &fold_knobs[FOLD_ACC];

	CHECK_LIST(acc, "7", 7);
	CHECK_LIST(acc, "1,2,4", 1, 2, 4);
	CHECK_LIST(acc, "4,2,4", 4, 2, 4);
	CHECK_LIST(acc, "1..5", 1, 2, 3, 4, 5);
	CHECK_LIST(acc, "3..3", 3);
	CHECK_LIST(acc, "1..16:3", 1, 4, 7, 10, 13, 16);
	CHECK_LIST(acc, "1..15:3", 1, 4, 7, 10, 13);
	CHECK_LIST(acc, "1..16*2", 1, 2, 4, 8, 16);
	CHECK_LIST(acc, "1..3:1", 1, 2, 3);
	CHECK_LIST(acc, "000000000000000000000000000000000000000000000000000000000000007", 7);
	CHECK_LIST(acc, "3..16*2,1,14..16", 3, 6, 12, 1, 14, 15, 16);
	CHECK_LIST(acc, "2..16:9223372036854775807", 2);
	CHECK_LIST(acc, "2..16*9223372036854775807", 2);
}

TEST(lists_of_sizes)
{
	const struct knob *size = &fold_knobs[FOLD_SIZE];

	CHECK_LIST(size, "4k..64k*2", 4096, 8192, 16384, 32768, 65536);
	CHECK_LIST(size, "4k..12k:4k", 4096, 8192, 12288);
	CHECK_LIST(size, "4k..50k*4,1m", 4096, 16384, 1 << 20);
	/* A knob with multiples walks by them. */
	CHECK_LIST(&walk_knobs[WALK_SPACING], "16..64", 16, 32, 48, 64);
	CHECK_LIST(&walk_knobs[WALK_SPACING], "16..70:32", 16, 48);
}

TEST(lists_of_choices)
{
	CHECK_LIST(&fold_knobs[FOLD_OP], "mul,add", 1, 0);
	CHECK_LIST(&fold_knobs[FOLD_OP], "*", 0, 1);
	CHECK_LIST(&walk_knobs[WALK_ORDER], "*", 0, 1, 2);
}

static const struct knob placed_cores = {
	.name = "cores", .kind = KNOB_COUNT, .min = 0, .max = KNOB_MAX_CORES
};

TEST(bad_lists_say_what_is_wrong)
{
	struct table table;

	table_open(&table, "axis", "bad lists");
	while (table_next(&table, 3)) {
		const struct knob *knob = fake_knob(table.field[0]);
		int64_t *values = (int64_t *)&values;
		size_t count = 7;

		check_usage(axis_parse_list(knob ? knob : &placed_cores, table.field[1],
				    LIST_LIMITS, &values, &count),
			table.field[2]);
		assert_null(values);
		assert_int_equal(count, 0);
	}
}

TEST(the_longest_list_is_a_hundred_thousand)
{
	int64_t *values;
	size_t count;

	check_ok(axis_parse_list(
		&fold_knobs[FOLD_SIZE], "1000..100999", LIST_LIMITS, &values, &count));
	assert_int_equal(count, 100000);
	assert_int_equal(values[99999], 100999);
	free(values);
	assert_int_equal(axis_parse_list(&fold_knobs[FOLD_SIZE], "1000..100999,64", LIST_LIMITS,
				 &values, &count)
				 .code,
		STATUS_USAGE);
}

/* Whatever is typed: an answer, never a crash or a leak. */
TEST(any_string_is_answered)
{
	static const char letters[] = "0123456789.,:*kmgt-=x ";
	uint64_t random = 1;
	unsigned good = 0;

	for (int round = 0; round < 20000; round++) {
		char text[24];
		size_t length = (size_t)(random >> 60), count;
		const struct knob *knob =
			round % 3 ? &fold_knobs[FOLD_ACC] : &walk_knobs[WALK_SIZE];
		int64_t *values;
		struct status status;

		for (size_t i = 0; i < length; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			text[i] = letters[(random >> 33) % (sizeof(letters) - 1)];
		}
		random = random * 6364136223846793005u + 1442695040888963407u;
		text[length] = '\0';
		status = axis_parse_list(knob, text, LIST_LIMITS, &values, &count);
		if (status_is_ok(&status)) {
			good++;
			for (size_t i = 0; i < count; i++)
				assert_true(values[i] >= knob->min &&
					    values[i] <= setting_max(knob, LIST_LIMITS));
		} else {
			assert_true(status.text[0] != '\0');
		}
		free(values);
	}
	assert_true(good > 100);
}

RUN_TESTS()
