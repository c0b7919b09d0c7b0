#include "check.h"

#include "base/units.h"

TEST(parses_numbers_and_sizes)
{
	static const struct {
		const char *text;
		bool suffix;
		int64_t value;
	} good[] = {
		{ "0", false, 0 },
		{ "7", false, 7 },
		{ "007", false, 7 },
		{ "4096", true, 4096 },
		{ "32k", true, 32768 },
		{ "32K", true, 32768 },
		{ "64m", true, 64 << 20 },
		{ "1g", true, 1 << 30 },
		{ "2t", true, INT64_C(2) << 40 },
		{ "9223372036854775807", false, INT64_MAX },
		{ "9007199254740991k", true, INT64_MAX / 1024 * 1024 },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		int64_t value = -1;

		if (!units_parse(good[i].text, good[i].suffix, &value) || value != good[i].value)
			fail_msg("\"%s\" gave %lld", good[i].text, (long long)value);
	}
}

TEST(refuses_everything_else)
{
	static const char *const bad[] = {
		"",
		" ",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1.5m",
		"k",
		"32kk",
		"32kb",
		"32x",
		"0x10",
		"1e3",
		"1,2",
		"9223372036854775808",
		"9007199254740992k",
		"8388608t",
		"99999999999999999999999",
		"\xc3\xa9",
		"1_000",
	};
	int64_t value = 42;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (units_parse(bad[i], true, &value))
			fail_msg("\"%s\" was taken for %lld", bad[i], (long long)value);
	assert_false(units_parse("32k", false, &value));
	assert_int_equal(value, 42);
}

TEST(writes_sizes_as_typed)
{
	static const struct {
		int64_t bytes;
		const char *typed, *read;
	} rows[] = {
		{ 0, "0", "0 B" },
		{ 1000, "1000", "1000 B" },
		{ 1023, "1023", "1023 B" },
		{ 1024, "1k", "1 KiB" },
		{ 32768, "32k", "32 KiB" },
		{ 98304, "96k", "96 KiB" },
		{ 1536 * 1024, "1536k", "1.5 MiB" },
		{ 64 << 20, "64m", "64 MiB" },
		{ INT64_C(11) << 30 | 1 << 29, "11776m", "11.5 GiB" },
		{ INT64_C(3) << 40, "3t", "3 TiB" },
		{ INT64_C(5) << 50, "5120t", "5120 TiB" },
		{ (1 << 20) - 1, "1048575", "1 MiB" },
		{ 10000, "10000", "9.8 KiB" },
		{ 1048515, "1048515", "1023.9 KiB" },
		{ -2048, "-2k", "-2 KiB" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct units_text typed = units_size(rows[i].bytes);
		int64_t again = -1;

		assert_string_equal(typed.text, rows[i].typed);
		assert_string_equal(units_size_long(rows[i].bytes).text, rows[i].read);
		assert_int_equal(units_parse(typed.text, true, &again), rows[i].bytes >= 0);
		assert_true(again == (rows[i].bytes < 0 ? -1 : rows[i].bytes));
	}
}

TEST(figures_have_four_digits)
{
	static const struct {
		double value;
		const char *shown;
	} rows[] = {
		{ 0.752, "0.752" },
		{ 3, "3.000" },
		{ 12.345678, "12.35" },
		{ 163.21, "163.2" },
		{ 1024, "1024" },
		{ 0, "0.000" },
		{ 9.9994, "9.999" },
		{ 9.9996, "10.00" },
		{ 99.996, "100.0" },
		{ 999.96, "1000" },
		{ 999999, "999999" },
		{ 999.95, "1000" },
		{ 99.995, "100.0" },
		{ 9.9995, "10.00" },
		{ 1e6, "1.000e+06" },
		{ -1e6, "-1.000e+06" },
		{ 999999.4, "999999" },
		{ -0.5, "-0.500" },
		{ NAN, "-" },
		{ INFINITY, "-" },
		{ -INFINITY, "-" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(units_value(rows[i].value).text, rows[i].shown);
}

TEST(writes_odd_sizes_short)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 64, "64" },
		{ 50000, "50000" },
		{ 98304, "96k" },
		{ 999999, "999999" },
		{ 1000000, "976.5k" },
		{ 1023999, "999.9k" },
		{ 1024001, "1000k" },
		{ 1048577, "1.0m" },
		{ INT64_C(11955594) << 10, "11.4g" },
		{ (INT64_C(1) << 30) - 1, "1023m" },
		{ (INT64_C(1) << 40) + 1, "1.0t" },
		{ INT64_MAX, "8388607t" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(units_size_short(rows[i].bytes).text, rows[i].text);
}

RUN_TESTS()
