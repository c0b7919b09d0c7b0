/* A page of text on narrower screens. */
#include "check.h"

#include "base/text.h"
#include "ui/narrow.h"

static struct text fitted;

static const char *narrow(const char *page, int columns)
{
	text_clear(&fitted);
	narrow_page(page, columns, false, &fitted);
	return text_string(&fitted);
}

static int free_text(void **state)
{
	text_free(&fitted);
	return 0;
}

TEST(lines_of_a_paragraph_are_joined)
{
	static const char page[] =
		"AMD EPYC, family 1ah model 02h, virtual machine, core 1 at 4.12 GHz; up to 256\n"
		"MiB; 4k pages\n"
		"* The curve shows its end between 6.5 MiB and 9.2 MiB, as it does so often, "
		"here\n"
		"  and there.\n"
		"* 2\n"
		"(B/cycle, lines: reference clock; GB/s: timed; quartiles at most 0.0 % off)\n"
		"Lines\n";

	static const char list[] =
		"  reciprocal throughput of permute-two8.512: measured 0.9996 ±0.0024, zen4 0.5\n"
		"  latency of shuffle.512: measured 1.204 ±0.065, zen4 1\n";

	assert_string_equal(narrow(list, 60), list);
	assert_string_equal(narrow(page, 80), page);
	assert_string_equal(narrow(page, 60),
		"AMD EPYC, family 1ah model 02h, virtual machine, core 1 at 4.12 GHz; up to 256 "
		"MiB; 4k pages\n"
		"* The curve shows its end between 6.5 MiB and 9.2 MiB, as it does so often, "
		"here and there.\n"
		"* 2\n"
		"(B/cycle, lines: reference clock; GB/s: timed; quartiles at most 0.0 % off)\n"
		"Lines\n");
}

/* A table keeps its columns in line. */
TEST(a_table_loses_blanks_before_columns)
{
	static const char page[] = "level     size found      cycles\n"
				   "L1d       48 KiB           4.000\n"
				   "memory    6.5 to 9.2      507.00\n";

	assert_string_equal(narrow(page, 32), page);
	assert_string_equal(narrow(page, 28), "level   size found  cycles\n"
					      "L1d     48 KiB       4.000\n"
					      "memory  6.5 to 9.2  507.00\n");
	assert_string_equal(narrow(page, 20), "level   size found\n"
					      "L1d     48 KiB\n"
					      "memory  6.5 to 9.2\n"
					      "level   cycles\n"
					      "L1d      4.000\n"
					      "memory  507.00\n");
}

TEST(words_in_the_last_column_are_wrapped)
{
	assert_string_equal(narrow("class      latency    ports\n"
				   "lea-three  2.00 ±0.1  2*p0,p4,p5,p11 + p1,p2,p10\n"
				   "nop        -          none\n",
				    40),
		"class      latency    ports\n"
		"lea-three  2.00 ±0.1  2*p0,p4,p5,p11 +\n"
		"                      p1,p2,p10\n"
		"nop        -          none\n");
}

/* On a screen without the sign, a row is as wide as with it. */
TEST(a_sign_of_two_columns_keeps_the_columns)
{
	text_clear(&fitted);
	narrow_page("move  1.00 ±0.010  -\nand         -      -\n±: distance\n", 80, true, &fitted);
	assert_string_equal(
		text_string(&fitted), "move  1.00+-0.010  -\nand         -      -\n+-: distance\n");
}

/* Next to a long first cell, nothing fits: the other cells are below it. */
TEST(cells_follow_below_a_long_first_cell)
{
	assert_string_equal(narrow("size store-queue     64 ±0  store between two misses\n", 18),
		"size store-queue\n"
		"  64 ±0\n"
		"size store-queue\n"
		"  store between\n"
		"  two misses\n");
}

TEST(rows_without_common_columns_stay)
{
	static const char page[] = "a  bbbbbbbb\naaaaa  bbbb\n";

	assert_string_equal(narrow(page, 6), page);
}

/* Numbers are never wrapped. */
TEST(numbers_in_the_last_column_stay_in_a_row)
{
	assert_string_equal(narrow("size           read                copy\n"
				   "16k     60.29 222.8         63.69 235.4\n",
				    22),
		"size         read\n"
		"16k   60.29 222.8\n"
		"size         copy\n"
		"16k   63.69 235.4\n");
}

/* Columns that do not fit come below every few rows, not after all of them. */
TEST(the_rest_of_a_long_table_is_near)
{
	struct text page = { 0 };
	const char *first, *rest;

	text_add(&page, "class       each    slots\n");
	for (int i = 0; i < 12; i++)
		text_addf(&page, "class%02d  0.%02d000  1.%02d000\n", i, i, i);
	first = strstr(narrow(text_string(&page), 18), "class00  0.00000\n");
	assert_non_null(first);
	rest = strstr(first, "class00  1.00000\n");
	assert_non_null(rest);
	assert_true(rest < strstr(first, "class05  0.05000\n"));
	assert_non_null(strstr(rest, "class11  1.11000\n"));
	text_free(&page);
}

/* The end of a curve is the memory. */
TEST(a_curve_keeps_its_end)
{
	static const char page[] = " 508.0 |                ooo*\n"
				   "       |        oooxxxx\n"
				   " 4.000 |ooooooo\n"
				   "       +-------+-------+-------+\n"
				   "        4k      64k     1m      16m\n";

	assert_string_equal(narrow(page, 40), page);
	assert_string_equal(narrow(page, 28), " 508.0 |        o*\n"
					      "       |    o*xx\n"
					      " 4.000 |oooo\n"
					      "       +---+---+---+\n"
					      "        4k  64k 1m  16m \n");
}

RUN_TESTS(.tear_down = free_text)
