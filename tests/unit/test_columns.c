/* Columns of numbers, and the trials of recordings of both formats. */
#include "check.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "recording/columns.h"
#include "recording/trial_records.h"

static double again(double number, enum column_scale scale)
{
	struct text column = { 0 };
	double read[2] = { NAN, NAN };

	column_encode(&column, (double[]){ 2.5, number }, 2, scale);
	assert_int_equal(column_decode(text_string(&column), read, 2), 2);
	text_free(&column);
	return read[1];
}

TEST(six_digits_of_each_number_are_kept)
{
	static const double numbers[] = { 3, -0.001, 1e-9, 123456, 1e9, 0, 0.997537, 37.3342 };
	struct random random = { 1 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		assert_true(again(numbers[i], COLUMN_SMALLEST) == numbers[i]);
	for (int i = 0; i < 1000; i++) {
		double number = (double)(random_next(&random) % 900000 + 100000) *
				pow(10, (double)(random_next(&random) % 12) - 9);

		check_near(again(number, COLUMN_SMALLEST) / number, 1, 1e-6);
	}
	assert_true(isnan(again(NAN, COLUMN_SMALLEST)));
	assert_true(isnan(again(INFINITY, COLUMN_WHOLE)));
	check_near(again(0.12345678, COLUMN_LARGEST), 0.12346, 1e-9);
}

TEST(columns_are_as_the_manual_says)
{
	static const double numbers[] = { 16, 15, NAN, 1000, 1000, 15, 16 };
	struct text column = { 0 };
	double read[40], many[40];

	column_encode(&column, numbers, 7, COLUMN_WHOLE);
	assert_string_equal(text_string(&column), "AgCT.i7DADF");
	assert_int_equal(column_decode("BgCA", read, 4), 2);
	check_near(read[0], 1.6, 0);
	check_near(read[1], 1.6, 0);
	assert_int_equal(column_decode("A", read, 4), 0);
	/* An equal number may be 32 numbers before. */
	text_clear(&column);
	for (int i = 0; i < 40; i++)
		many[i] = i % 32 * 100;
	column_encode(&column, many, 40, COLUMN_WHOLE);
	assert_string_equal(text_string(&column) + column.length - 8, "////////");
	assert_int_equal(column_decode(text_string(&column), read, 40), 40);
	assert_memory_equal(read, many, sizeof(many));
	text_free(&column);
}

TEST(other_strings_are_no_columns)
{
	static const char *const wrong[] = { "", ".", "Q", "AA", "AQB", "AQw", "AQ!", "Ag", "AQg",
		"AQAAAA", "AggggggggggggggA", "Ai//////////f", "AQ\xc3\xa4" };
	double read[4];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(column_decode(wrong[i], read, 4), -1);
}

static void check_equal(const struct trial *a, const struct trial *b)
{
	const double x[] = { a->cpe, a->ghz, (double)a->watch, (double)a->turns, (double)a->check },
		     y[] = { b->cpe, b->ghz, (double)b->watch, (double)b->turns, (double)b->check };

	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++) {
		assert_int_equal(isnan(x[i]), isnan(y[i]));
		assert_true(isnan(x[i]) || fabs(x[i] / y[i] - 1) < 6e-6);
	}
	check_near((double)a->at, (double)b->at, 6e-6);
	assert_int_equal(a->fate, b->fate);
	assert_int_equal(a->place, b->place);
	assert_int_equal(a->unsettled, b->unsettled);
}

TEST(trials_are_read_as_they_were_written)
{
	static struct trials made, read;
	json_t *object = json_object();
	struct random random = { 7 };

	made.count = TRIALS_MAX;
	for (unsigned i = 0; i < made.count; i++)
		made.trial[i] = (struct trial){
			.cpe = i == 9 ? -0.5 : 1 + (double)random_below(&random, 1000000) / 1e6,
			.ghz = 3 + (double)random_below(&random, 1000000) / 1e6,
			.watch = 1,
			.turns = i % 2 ? 1.25F : NAN,
			.check = NAN,
			.at = (float)i / 100,
			.fate = i == 9 ? TRIAL_BROKEN : i % 7 == 0,
			.place = (uint8_t)(i / 3),
			.unsettled = i % 5 == 0
		};
	trials_set(object, &made);
	assert_null(json_object_get(object, "check"));
	assert_null(trials_get(object, &read));
	assert_int_equal(read.count, made.count);
	for (unsigned i = 0; i < made.count; i++)
		check_equal(&read.trial[i], &made.trial[i]);
	/* A sample has at most 600. */
	assert_non_null(trials_get(object, &read));
	json_decref(object);
}

static void check_read(const char *text, const char *why, unsigned count)
{
	static struct trials trials;
	json_t *object = json_loads(text, 0, NULL);
	const char *said;

	assert_non_null(object);
	trials.count = 0;
	said = trials_get(object, &trials);
	if (why)
		check_contains(said ? said : "", why);
	else
		assert_null(said);
	assert_int_equal(trials.count, count);
	json_decref(object);
}

TEST(trials_of_format_1_are_read)
{
	check_read("{\"trials\":[[3,4,1,null,0,0],[3,4,1,1,0.5,1,1.01,7]]}", NULL, 2);
	check_read("{\"trials\":[[3,4,1,1,0,0],[1e308,4,1,1,0,0]]}", "cycles above 0", 1);
	check_read("{\"trials\":[[-3,4,1,1,0,0]]}", "cycles above 0", 0);
	check_read("{\"trials\":[[1,2]]}", "a list of six to eight numbers", 0);
	check_read("{\"trials\":[[1,4,1,1,0,77]]}", "without a fate", 0);
	check_read("{\"trials\":[[1,4,1,1,0,0,1,1.5]]}", "a placement from 0 to 511", 0);
	check_read("{\"trials\":7,\"x\":[[1]]}", "without a list", 0);
	check_read("{\"x\":1}", "without a list", 0);
}

TEST(damaged_columns_are_refused)
{
	check_read("{\"cpe\":\"AWA\",\"ghz\":\"AWA\"}", NULL, 2);
	check_read("{\"cpe\":\"AWA\"}", "a clock frequency", 0);
	check_read("{\"cpe\":\"AWA\",\"ghz\":\"AW\"}", "differ in length", 0);
	check_read("{\"cpe\":\"AWA\",\"ghz\":\"A?A\"}", "expected columns", 0);
	check_read("{\"cpe\":\"AXA\",\"ghz\":\"AWA\"}", "cycles above 0", 0);
	check_read("{\"cpe\":\"AWA\",\"ghz\":\"AWA\",\"fate\":\"AQiB\"}", "without a fate", 1);
}

RUN_TESTS()
