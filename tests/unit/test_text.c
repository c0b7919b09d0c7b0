#include "check.h"

#include "base/status.h"
#include "base/text.h"

TEST(status_carries_code_and_text)
{
	struct status status = status_usage("acc=%d: a whole number from %s", 17, "1 to 16");

	assert_false(status_is_ok(&status));
	assert_int_equal(status.code, STATUS_USAGE);
	assert_string_equal(status.text, "acc=17: a whole number from 1 to 16");
	status = status_ok();
	assert_true(status_is_ok(&status));
	assert_string_equal(status.text, "");
}

TEST(status_cuts_long_text)
{
	char longer[1000];
	struct status status;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	status = status_failed("%s", longer);
	assert_int_equal(strlen(status.text), sizeof(status.text) - 1);
}

TEST(status_never_ends_inside_a_character)
{
	char longer[1000] = "";

	/* Every alignment of a two-byte character against the end of the buffer. */
	for (int shift = 0; shift < 2; shift++) {
		struct status status;

		memset(longer, 'x', 2);
		longer[shift] = '\0';
		for (int i = 0; i < 300; i++)
			strcat(longer, "é");
		status = status_failed("%s", longer);
		assert_int_equal((strlen(status.text) - (size_t)shift) % 2, 0);
		longer[0] = '\0';
	}
}

TEST(status_is_one_line_without_escapes)
{
	struct status status = status_usage("no kernel \"%s\"", "a\nb\033[2J\177");

	assert_string_equal(status.text, "no kernel \"a?b?[2J?\"");
}

TEST(text_grows)
{
	struct text text = { 0 };

	assert_string_equal(text_string(&text), "");
	for (int i = 0; i < 1000; i++)
		text_addf(&text, "%d,", i % 10);
	assert_int_equal(text.length, 2000);
	assert_int_equal(strlen(text_string(&text)), 2000);
	text_clear(&text);
	assert_string_equal(text_string(&text), "");
	text_add(&text, "one");
	text_addn(&text, " two three", 4);
	text_add(&text, "");
	assert_string_equal(text_string(&text), "one two");
	text_free(&text);
	assert_null(text.bytes);
	assert_int_equal(text.capacity, 0);
}

TEST(text_adds_a_long_piece_at_once)
{
	struct text text = { 0 };
	char piece[5000];

	memset(piece, 'p', sizeof(piece) - 1);
	piece[sizeof(piece) - 1] = '\0';
	text_addf(&text, "<%s>", piece);
	assert_int_equal(text.length, 5001);
	assert_int_equal(text.bytes[5000], '>');
	text_free(&text);
}

TEST(cut_clean_takes_only_incomplete_characters)
{
	char whole[6];
	char room[8] = "aé€";

	memcpy(whole, "a\xc3\xa9\xe2\x82", 6);
	text_cut_clean(whole, sizeof(whole));
	assert_string_equal(whole, "aé");
	text_cut_clean(room, sizeof(room));
	assert_string_equal(room, "aé€");
	memcpy(whole, "ab\xe2\x82\xac", 6);
	text_cut_clean(whole, sizeof(whole));
	assert_string_equal(whole, "ab€");
}

TEST(clean_text_controls_no_terminal)
{
	struct text text = { 0 };

	text_add_clean(&text,
		"a\033[2J\x9b\xc2\x9b"
		"b\n",
		100);
	assert_string_equal(text_string(&text), "a?[2J???b?");
	text_clear(&text);
	/* Right to left, isolated, marked; an en dash and a Greek letter stay. */
	text_add_clean(&text, "x\xe2\x80\xaey\xe2\x81\xa6z\xe2\x80\x8f\xd8\x9c–λ", 100);
	assert_string_equal(text_string(&text), "x???y???z?????–λ");
	text_free(&text);
}

/* What text_print() prints. */
static void check_printed(
	int columns, const char *first, int indent, const char *words, const char *expected)
{
	char *printed = NULL;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	assert_non_null(out);
	text_print(out, columns, first, indent, words);
	fclose(out);
	assert_string_equal(printed, expected);
	free(printed);
}

TEST(words_wrap_at_blanks)
{
	check_printed(8, "", 0, "one two three", "one two\nthree\n");
	check_printed(7, "", 2, "one  two three", "one \n  two\n  three\n");
	check_printed(7, "", 2, "one two three", "one two\n  three\n");
	check_printed(8, "\n* ", 2, "one two", "\n* one\n  two\n");
	check_printed(8, "much longer ", 1, "a b", "much longer a\n b\n");
	check_printed(4, "", 0, "a muchlonger b", "a\nmuchlonger\nb\n");
	check_printed(6, "", 0, "µµµ µµ µ", "µµµ µµ\nµ\n");
	check_printed(8, "", 1, "a\nb", "a\n b\n");
	check_printed(8, "x: ", 1, "", "x: \n");
}

static size_t two_columns(const void *context, const char *at, int *columns)
{
	(void)at;
	*columns = *(const int *)context;
	return 1;
}

TEST(a_long_word_is_cut_where_asked)
{
	const int two = 2;
	struct text_wrap wrap = { .columns = 4, .cut_words = true };
	const char *next;

	assert_int_equal(text_line(&wrap, "muchlonger", &next), 4);
	assert_string_equal(next, "longer");
	wrap.columns_of = two_columns;
	wrap.context = &two;
	assert_int_equal(text_line(&wrap, "muchlonger", &next), 2);
	wrap.columns = 1;
	assert_int_equal(text_line(&wrap, "much", &next), 1);
	assert_string_equal(next, "uch");
	assert_int_equal(text_line(&wrap, "", &next), 0);
	assert_string_equal(next, "");
}

TEST(memory_is_zeroed_and_copied)
{
	int *numbers = memory_new(100, sizeof(*numbers));
	char *copy = memory_string("a name");

	for (int i = 0; i < 100; i++)
		assert_int_equal(numbers[i], 0);
	numbers = memory_resize(numbers, 1000, sizeof(*numbers));
	assert_int_equal(numbers[99], 0);
	assert_string_equal(copy, "a name");
	free(numbers);
	free(copy);
	free(memory_new(0, 8));
}

TEST(names_near_the_typed_one_are_offered)
{
	static const char *const names[] = { "combine", "list-length", "mountain", "latency",
		"bandwidth", "stores" };
	static const char *const rows[][2] = {
		{ "combin", "combine" },
		{ "cobmine", "combine" },
		{ "COMBINE", "combine" },
		{ "combined", "combine" },
		{ "list", "list-length" },
		{ "list_length", "list-length" },
		{ "mountian", "mountain" },
		{ "l", "list-length or latency" },
		{ "xyzzy", "" },
		{ "", "" },
		{ "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char near[128] = "";

		nearest_names(rows[i][0], names, 6, near, sizeof(near));
		assert_string_equal(near, rows[i][1]);
	}
}

TEST(offers_three_at_most_nearest_first)
{
	static const char *const alike[] = { "acce", "accd", "acc", "accf", "accg" };
	char buffer[64] = "try ", tiny[6] = "";

	nearest_names("acc", alike, 5, buffer, sizeof(buffer));
	assert_string_equal(buffer, "try acc, acce or accd");
	nearest_names("acc", alike, 5, tiny, sizeof(tiny));
	nearest_names("acc", alike, 0, tiny, sizeof(tiny));
	nearest_names("acc", alike, 5, tiny, 0);
	assert_string_equal(tiny, "acc, ");
}

RUN_TESTS()
