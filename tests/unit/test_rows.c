#include "check.h"

#include "base/rows.h"

static struct rows rows;

/* Begins a text and reads its first line. */
static void begin(const char *text)
{
	rows_begin(&rows, text, "FILE");
	assert_true(rows_next(&rows));
}

/* The line that the reader is at fails: the message names its number and each part; "" for none. */
static void check_failure(int line, const char *first, const char *second)
{
	struct status status = rows_end(&rows);
	char place[32];

	assert_int_equal(status.code, STATUS_FAILED);
	snprintf(place, sizeof(place), "FILE:%d: ", line);
	check_parts(status.text, place, first, second);
}

TEST(empty_lines_and_comments_are_skipped)
{
	begin("\n# comment\n \t\r\n  rest\ta # b \r\nlast");
	assert_int_equal(rows.line, 4);
	assert_string_equal(rows_word(&rows), "rest");
	assert_string_equal(rows_rest(&rows), "a # b");
	assert_string_equal(rows_word(&rows), "");
	assert_true(rows_next(&rows));
	assert_int_equal(rows.line, 5);
	assert_string_equal(rows_rest(&rows), "last");
	assert_false(rows_next(&rows));
	check_ok(rows_end(&rows));
	rows_begin(&rows, "one # two\n # three\n", "FILE");
	rows.inline_comments = true;
	assert_true(rows_next(&rows));
	assert_string_equal(rows_rest(&rows), "one");
	assert_false(rows_next(&rows));
	check_ok(rows_end(&rows));
}

TEST(lines_are_cut_into_words_fields_and_sections)
{
	char *part[3], name[8];

	begin("published rob |\tSkylake| 224 \r\na|b|c|d\na|\nx y\nx y z w\n[main]\n[ a]\n");
	assert_false(rows_section(&rows, name, sizeof(name)));
	assert_string_equal(rows_word(&rows), "published");
	assert_int_equal(rows_fields(&rows, part, 3), 3);
	assert_string_equal(part[0], "rob");
	assert_string_equal(part[1], "Skylake");
	assert_string_equal(part[2], "224");
	assert_int_equal(rows_fields(&rows, part, 3), 1);
	assert_string_equal(part[0], "");
	assert_string_equal(part[2], "");
	assert_true(rows_next(&rows));
	assert_int_equal(rows_fields(&rows, part, 3), 4);
	assert_string_equal(part[2], "c");
	assert_true(rows_next(&rows));
	assert_int_equal(rows_fields(&rows, part, 3), 2);
	assert_string_equal(part[1], "");
	assert_true(rows_next(&rows));
	assert_int_equal(rows_words(&rows, part, 3), 2);
	assert_string_equal(part[1], "y");
	assert_string_equal(part[2], "");
	assert_true(rows_next(&rows));
	assert_int_equal(rows_words(&rows, part, 3), 4);
	assert_string_equal(part[2], "z");
	assert_true(rows_next(&rows));
	assert_true(rows_section(&rows, name, sizeof(name)));
	assert_string_equal(name, "main");
	assert_true(rows_next(&rows));
	assert_false(rows_section(&rows, name, sizeof(name)));
	check_ok(rows_end(&rows));
	check_ok(rows_end(&rows)); /* once more does no harm */
}

TEST(a_section_is_a_word_in_brackets)
{
	static const char *const lines[][2] = { { "[a]", "a" }, { "[longer]", "long" },
		{ "[]", NULL }, { "a]", NULL }, { "xa]", NULL }, { "[ab", NULL },
		{ "[a b]", NULL } };

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char name[5] = "?";

		begin(lines[i][0]);
		assert_int_equal(rows_section(&rows, name, sizeof(name)), lines[i][1] != NULL);
		assert_string_equal(name, lines[i][1] ? lines[i][1] : "?");
		check_ok(rows_end(&rows));
	}
}

TEST(the_first_failure_ends_the_reading)
{
	begin("a\nb\n");
	assert_false(rows_fail(&rows, "no %s", "good"));
	assert_false(rows_fail(&rows, "later"));
	assert_false(rows_next(&rows));
	check_failure(1, "no good", "");
	rows_begin(&rows, "a\nb\n", "FILE");
	rows.lenient = true;
	assert_true(rows_next(&rows));
	rows_fail(&rows, "no good");
	assert_true(rows_next(&rows));
	assert_string_equal(rows_word(&rows), "b");
	assert_false(rows_next(&rows));
	check_failure(1, "no good", "");
	rows_load(&rows, "no such file");
	assert_false(rows_next(&rows));
	assert_int_equal(rows_end(&rows).code, STATUS_FAILED);
}

TEST(another_functions_failure_gets_the_place)
{
	struct status good = status_ok(), bad = status_usage("no knob \"x\"");

	begin("\nx\n");
	assert_true(rows_check(&rows, &good));
	assert_false(rows_check(&rows, &bad));
	check_failure(2, "no knob \"x\"", "");
}

TEST(bytes_that_are_no_text_fail)
{
	static const struct {
		const char *text, *byte;
	} row[] = {
		{ "ab\x1b", "byte 3" },
		{ "\xc3", "0xc3" },
		{ "a # \xff", "0xff" },
		{ "\xe2\x80\xae", "byte 1" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		rows_begin(&rows, row[i].text, "FILE");
		assert_false(rows_next(&rows));
		check_failure(1, row[i].byte, "UTF-8");
	}
	begin("5 µs …\n");
	check_ok(rows_end(&rows));
}

TEST(values_are_checked)
{
	static const char *const names[] = { "latency", "slots" };
	char name[6];
	double value;

	begin("a\n");
	assert_int_equal(rows_choice(&rows, "word", "slots", names, 2), 1);
	assert_true(rows_copy(&rows, "the title", "a b c", name, sizeof(name)));
	assert_string_equal(name, "a b c");
	assert_true(rows_name(&rows, "class", "a.b", ".-", name, sizeof(name)));
	assert_string_equal(name, "a.b");
	assert_true(rows_number(&rows, "width", "4.25", 4, 5, &value));
	check_near(value, 4.25, 0);
	assert_true(rows_number(&rows, "width", "4", 4, 5, &value));
	assert_true(rows_number(&rows, "width", "5", 4, 5, &value));
	assert_true(rows_copy(&rows, "the title", "12345", name, sizeof(name)));
	assert_true(rows_number(&rows, "width", "100000000000000000", 0, 1e18, &value));
	check_near(value, 1e17, 0);
	assert_int_equal(rows_choice(&rows, "word", "latncy", names, 2), -1);
	check_failure(1, "word \"latncy\"", "did you mean latency?");
	begin("a\n");
	assert_int_equal(rows_choice(&rows, "word", "qqq", names, 2), -1);
	check_failure(1, "word \"qqq\"", "one of latency, slots");
	begin("a\n");
	assert_false(rows_copy(&rows, "the title", "", name, sizeof(name)));
	check_failure(1, "the title", "missing");
	begin("a\n");
	assert_false(rows_copy(&rows, "the title", "longer", name, sizeof(name)));
	check_failure(1, "the title \"longer", "at most 5");
	begin("a\n");
	assert_false(rows_name(&rows, "class", "a+b", ".-", name, sizeof(name)));
	check_failure(1, "class \"a+b\"", ".-");
	begin("a\n");
	assert_false(rows_number(&rows, "width", "6", 4, 5, &value));
	check_failure(1, "width 6", "4 to 5");
	for (const char *const *word = (const char *const[]){ "", "-1", "1e3", ".5", "5.", "1.2.3",
		     "0x1", "1234567890123456789", "5.x", NULL };
		*word; word++) {
		begin("a\n");
		assert_false(rows_number(&rows, "width", *word, 0, 1000, &value));
		check_failure(1, *word, "decimal");
	}
}

TEST(a_number_may_end_before_its_word)
{
	static const struct {
		const char *word;
		size_t length;
		double value; /* -1: none */
	} row[] = { { "4.25x", 4, 4.25 }, { "4.25", 1, 4 }, { "12", 1, 1 }, { "5", 0, -1 },
		{ "4.25", 2, -1 }, { "", 0, -1 }, { "0.125", 5, 0.125 }, { "10.05", 5, 10.05 } };

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		double value = -1;

		if (rows_decimal(row[i].word, row[i].length, &value) != (row[i].value >= 0))
			fail_msg("%.*s", (int)row[i].length, row[i].word);
		if (row[i].value >= 0)
			check_near(value, row[i].value, 0);
	}
}

/* A message has room for 195 bytes of names. */
TEST(as_many_names_are_listed_as_fit)
{
	static const int lengths[][3] = { { 193, 0, 193 }, { 194, 0, 0 }, { 170, 23, 195 },
		{ 170, 24, 170 } };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char first[240] = "", second[240] = "";
		const char *const names[] = { first, second };
		struct status status;
		const char *list;

		memset(first, 'z', (size_t)lengths[i][0]);
		memset(second, 'z', (size_t)lengths[i][1]);
		begin("a\n");
		assert_false(rows_unknown(&rows, "word", "q", names, lengths[i][1] ? 2 : 1));
		status = rows_end(&rows);
		list = strstr(status.text, "one of ");
		assert_non_null(list);
		assert_int_equal(strlen(list + 7), lengths[i][2]);
	}
}

TEST(a_path_of_72_bytes_is_shown_whole)
{
	char path[74] = "", expected[100];

	memset(path, 'x', 72);
	snprintf(expected, sizeof(expected), "%s:1: bad", path);
	assert_string_equal(rows_status(path, 1, "bad").text, expected);
	memset(path, 'x', 73);
	path[3] = 'y';
	path[4] = 'z';
	snprintf(expected, sizeof(expected), "...%s:1: bad", path + 4);
	assert_string_equal(rows_status(path, 1, "bad").text, expected);
}

/* Of a long path the end is shown. */
TEST(a_place_keeps_the_end_of_its_path)
{
	char path[200];
	struct status status;

	memset(path, 'x', sizeof(path));
	strcpy(path + 180, "/mine.uarch");
	status = rows_status(path, 7, "bad %d", 1);
	assert_memory_equal(status.text, "...x", 4);
	check_contains(status.text, "/mine.uarch:7: bad 1");
}

RUN_TESTS()
