#include "fakes.h"

#include "experiment/setting/setting.h"

static const struct memory_limits MEMORY_LIMITS = { .memory = UINT64_C(1) << 30 };

static void check_list(
	const struct knob *knob, const char *text, size_t count, const int64_t *expected)
{
	int64_t *values;
	size_t got;

	check_ok(setting_parse_list(knob, text, MEMORY_LIMITS, &values, &got));
	assert_int_equal(got, count);
	for (size_t i = 0; i < count; i++)
		if (values[i] != expected[i])
			fail_msg("\"%s\": value %zu is %lld", text, i, (long long)values[i]);
	free(values);
}

#define CHECK_LIST(knob, text, ...)                                                  \
	check_list(knob, text, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
		(int64_t[]){ __VA_ARGS__ })

static void lists_of_numbers(void **state)
{
	const struct knob *acc = &fold_knobs[FOLD_ACC];

	(void)state;
	CHECK_LIST(acc, "7", 7);
	CHECK_LIST(acc, "1,2,4", 1, 2, 4);
	CHECK_LIST(acc, "4,2,4", 4, 2, 4);
	CHECK_LIST(acc, "1..5", 1, 2, 3, 4, 5);
	CHECK_LIST(acc, "3..3", 3);
	CHECK_LIST(acc, "1..16:3", 1, 4, 7, 10, 13, 16);
	CHECK_LIST(acc, "1..15:3", 1, 4, 7, 10, 13);
	CHECK_LIST(acc, "1..16*2", 1, 2, 4, 8, 16);
	CHECK_LIST(acc, "3..16*2,1,14..16", 3, 6, 12, 1, 14, 15, 16);
	CHECK_LIST(acc, "2..16:9223372036854775807", 2);
	CHECK_LIST(acc, "2..16*9223372036854775807", 2);
}

static void lists_of_sizes(void **state)
{
	const struct knob *size = &fold_knobs[FOLD_SIZE];

	(void)state;
	CHECK_LIST(size, "4k..64k*2", 4096, 8192, 16384, 32768, 65536);
	CHECK_LIST(size, "4k..12k:4k", 4096, 8192, 12288);
	CHECK_LIST(size, "4k..50k*4,1m", 4096, 16384, 1 << 20);
	/* A knob with multiples walks by them. */
	CHECK_LIST(&walk_knobs[WALK_SPACING], "16..64", 16, 32, 48, 64);
	CHECK_LIST(&walk_knobs[WALK_SPACING], "16..70:32", 16, 48);
}

static void lists_of_choices(void **state)
{
	(void)state;
	CHECK_LIST(&fold_knobs[FOLD_OP], "mul,add", 1, 0);
	CHECK_LIST(&fold_knobs[FOLD_OP], "*", 0, 1);
	CHECK_LIST(&walk_knobs[WALK_ORDER], "*", 0, 1, 2);
}

static void bad_lists_say_what_is_wrong(void **state)
{
	static const struct {
		const struct knob *knob;
		const char *text, *message;
	} rows[] = {
		{ &fold_knobs[FOLD_ACC], "",
			"acc=: an empty place in the list; write 1,2,4 or 1..16 or 1..16:3 or "
			"4k..64m*2" },
		{ &fold_knobs[FOLD_ACC], "1,,2",
			"acc=1,,2: an empty place in the list; write 1,2,4 or 1..16 or 1..16:3 or "
			"4k..64m*2" },
		{ &fold_knobs[FOLD_ACC], "1,2,",
			"acc=1,2,: an empty place in the list; write 1,2,4 or 1..16 or 1..16:3 or "
			"4k..64m*2" },
		{ &fold_knobs[FOLD_ACC], "1,x", "acc=x: a whole number from 1 to 16" },
		{ &fold_knobs[FOLD_ACC], "1..",
			"acc=1..: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR" },
		{ &fold_knobs[FOLD_ACC], "..4",
			"acc=..4: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR" },
		{ &fold_knobs[FOLD_ACC], "..",
			"acc=..: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR" },
		{ &fold_knobs[FOLD_ACC], "1..4:",
			"acc=1..4:: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR" },
		{ &fold_knobs[FOLD_ACC], "1..4:0", "acc=1..4:0: a step is at least 1" },
		{ &fold_knobs[FOLD_ACC], "1..4*1",
			"acc=1..4*1: a factor is a whole number from 2 up" },
		{ &fold_knobs[FOLD_ACC], "1..4*2*2",
			"acc=1..4*2*2: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH*FACTOR" },
		{ &fold_knobs[FOLD_ACC], "1..4..8", "acc=4..8: a whole number from 1 to 16" },
		{ &fold_knobs[FOLD_ACC], "8..4", "acc=8..4: write the smaller end first" },
		{ &fold_knobs[FOLD_ACC], "1..17", "acc=17: a whole number from 1 to 16" },
		{ &fold_knobs[FOLD_ACC], "0..4", "acc=0: a whole number from 1 to 16" },
		{ &fold_knobs[FOLD_ACC], "*", "acc=*: * is for choices; write a range: acc=1..16" },
		{ &fold_knobs[FOLD_OP], "add..mul",
			"op=add..mul: choices have no range; name them, or write * for all" },
		{ &fold_knobs[FOLD_OP], "add,sub", "op=sub: add or mul" },
		{ &fold_knobs[FOLD_SIZE], "4k..64m",
			"size=4k..64m: more than 100,000 values; take a larger step (:N) or a "
			"factor (*N)" },
		{ &fold_knobs[FOLD_SIZE], "4k..2g*2",
			"size=2g is beyond half of this machine's free memory (1 GiB)" },
		{ &walk_knobs[WALK_SPACING], "16..64:8",
			"spacing=24: a multiple of 16 from 16 to 256" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t *values = (int64_t *)&values;
		size_t count = 7;

		check_usage(setting_parse_list(
				    rows[i].knob, rows[i].text, MEMORY_LIMITS, &values, &count),
			rows[i].message);
		assert_null(values);
		assert_int_equal(count, 0);
	}
}

static void the_longest_list_is_a_hundred_thousand(void **state)
{
	int64_t *values;
	size_t count;

	(void)state;
	check_ok(setting_parse_list(
		&fold_knobs[FOLD_SIZE], "1000..100999", MEMORY_LIMITS, &values, &count));
	assert_int_equal(count, 100000);
	assert_int_equal(values[99999], 100999);
	free(values);
	assert_int_equal(setting_parse_list(&fold_knobs[FOLD_SIZE], "1000..100999,64",
				 MEMORY_LIMITS, &values, &count)
				 .code,
		STATUS_USAGE);
}

/* Whatever is typed: an answer, never a crash or a leak. */
static void any_string_is_answered(void **state)
{
	static const char letters[] = "0123456789.,:*kmgt-=x ";
	uint64_t random = 1;
	unsigned good = 0;

	(void)state;
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
		status = setting_parse_list(knob, text, MEMORY_LIMITS, &values, &count);
		if (status_is_ok(&status)) {
			good++;
			for (size_t i = 0; i < count; i++)
				assert_true(values[i] >= knob->min &&
					    values[i] <= setting_max(knob, MEMORY_LIMITS));
		} else {
			assert_true(status.text[0] != '\0');
		}
		free(values);
	}
	assert_true(good > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_numbers),
		cmocka_unit_test(lists_of_sizes),
		cmocka_unit_test(lists_of_choices),
		cmocka_unit_test(bad_lists_say_what_is_wrong),
		cmocka_unit_test(the_longest_list_is_a_hundred_thousand),
		cmocka_unit_test(any_string_is_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
