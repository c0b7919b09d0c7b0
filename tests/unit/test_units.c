#include "check.h"
#include "table.h"

#include "base/units.h"

TEST(parses_numbers_and_sizes)
{
	static const struct {
		const char *text;
		bool suffix;
		int64_t value;
	} good[] = { { "0", false, 0 }, { "7", false, 7 }, { "007", false, 7 },
		{ "4096", true, 4096 }, { "32k", true, 32768 }, { "32K", true, 32768 },
		{ "64m", true, 64 << 20 }, { "1g", true, 1 << 30 },
		{ "2t", true, INT64_C(2) << 40 }, { "9223372036854775807", false, INT64_MAX },
		{ "9007199254740991k", true, INT64_MAX / 1024 * 1024 } };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int64_t value = -1;

		if (!units_parse(good[i].text, good[i].suffix, &value) || value != good[i].value)
			fail_msg("\"%s\" gave %lld", good[i].text, (long long)value);
	}
}

TEST(refuses_everything_else)
{
	struct table table;
	int64_t value = 42;

	table_open(&table, "units", "bad");
	while (table_next(&table, 1)) {
		char *text = table_unescape(table.field[0] + 1);

		text[strlen(text) - 1] = '\0'; /* the quotation marks */
		if (units_parse(text, true, &value))
			table_fail(&table, "this was taken for %lld", (long long)value);
	}
	assert_false(units_parse("32k", false, &value));
	assert_int_equal(value, 42);
}

TEST(writes_sizes_as_typed)
{
	struct table table;

	table_open(&table, "units", "sizes");
	while (table_next(&table, 3)) {
		int64_t bytes = strtoll(table.field[0], NULL, 10), again = -1;

		table_expect(&table, units_size(bytes).text, table.field[1]);
		table_expect(&table, units_size_long(bytes).text, table.field[2]);
		assert_int_equal(units_parse(table.field[1], true, &again), bytes >= 0);
		assert_true(again == (bytes < 0 ? -1 : bytes));
	}
}

TEST(figures_have_four_digits)
{
	struct table table;

	table_open(&table, "units", "values");
	while (table_next(&table, 2))
		table_expect(&table, units_value(table_number(&table, 0)).text, table.field[1]);
}

TEST(compares_two_values)
{
	assert_string_equal(units_versus(1.3).text, "is 1.30× slower");
	assert_string_equal(units_versus(1 / 9.996).text, "is 10.0× faster");
	assert_string_equal(units_versus(158.28).text, "is 158× slower");
	assert_string_equal(units_versus(1.006).text, "takes 0.6 % more");
	assert_string_equal(units_versus(0.95).text, "takes 5.0 % less");
	assert_string_equal(units_versus(0.9).text, "is 1.11× faster");
}

TEST(writes_three_digits_of_few_cycles)
{
	assert_string_equal(units_cycles(0.01432).text, "0.0143");
	assert_string_equal(units_cycles(0.001609).text, "0.00161");
	assert_string_equal(units_cycles(0.25).text, "0.250");
	assert_string_equal(units_cycles(0).text, "0.000");
}

TEST(writes_odd_sizes_short)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} rows[] = { { 0, "0" }, { 64, "64" }, { 50000, "50000" }, { 98304, "96k" },
		{ 999999, "999999" }, { 1000000, "976.5k" }, { 1023999, "999.9k" },
		{ 1024001, "1000k" }, { 1048577, "1.0m" }, { INT64_C(11955594) << 10, "11.4g" },
		{ INT64_C(11242) << 20, "10.9g" }, { INT64_C(9999) << 10, "9999k" },
		{ 0x2800 << 10, "10m" }, { (INT64_C(1) << 30) - 1, "1023m" },
		{ (INT64_C(1) << 40) + 1, "1.0t" }, { INT64_MAX, "8388607t" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(units_size_short(rows[i].bytes).text, rows[i].text);
}

RUN_TESTS()
