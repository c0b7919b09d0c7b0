#include "check.h"
#include "table.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Checks that the outcome is this failure, and that its text has the words. */
static void check_error(struct status outcome, enum status_code code, const char *words)
{
	assert_int_equal(outcome.code, code);
	if (!strstr(outcome.text, words))
		fail_msg("\"%s\" lacks \"%s\"", outcome.text, words);
}

TEST(a_failure_of_the_system_is_no_wrong_command_line)
{
	static const int refused[] = { EIO, EMFILE, ENFILE, ENOMEM, ENOSPC };
	static const int wrong[] = { ENOENT, EACCES, ELOOP, ENAMETOOLONG, ENOTDIR };

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		check_error(status_unopened("a", refused[i]), STATUS_FAILED, strerror(refused[i]));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_error(status_unopened("a", wrong[i]), STATUS_USAGE, strerror(wrong[i]));
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

/* The capacity doubles when the bytes and the NUL do not fit. */
TEST(text_has_room_for_the_nul)
{
	char bytes[64] = "";

	for (size_t length = 60; length < 66; length++) {
		struct text text = { 0 };

		text_addn(&text, bytes, length > 64 ? 64 : length);
		text_addn(&text, bytes, length > 64 ? length - 64 : 0);
		assert_int_equal(text.capacity, length < 64 ? 64 : 128);
		text_free(&text);
	}
}

/* UTF-8 of a printable character: its length. 0: invalid, a control, or a character that turns the
 * direction of writing. */
TEST(characters_have_their_length)
{
	static const struct {
		const char *bytes;
		size_t length;
	} rows[] = { { "\x1f", 0 }, { " ", 1 }, { "~", 1 }, { "\x7f", 0 }, { "\x80", 0 },
		{ "\xbf", 0 }, { "\xc1\xbf", 0 }, { "\xc2\x9f", 0 }, { "\xc2\xa0", 2 },
		{ "\xc2\x20", 0 }, { "\xdf\xbf", 2 }, { "\xe0\x9f\xbf", 0 }, { "\xe0\xa0\x80", 3 },
		{ "\xed\x9f\xbf", 3 }, { "\xed\xa0\x80", 0 }, { "\xed\xbf\xbf", 0 },
		{ "\xee\x80\x80", 3 }, { "\xef\xbf\xbf", 3 }, { "\xf0\x8f\xbf\xbf", 0 },
		{ "\xf0\x90\x80\x80", 4 }, { "\xf4\x8f\xbf\xbf", 4 }, { "\xf4\x90\x80\x80", 0 },
		{ "\xf5\x80\x80\x80", 0 }, { "\xd8\x9b", 2 }, { "\xd8\x9c", 0 }, { "\xd8\x9d", 2 },
		{ "\xe2\x80\x8d", 3 }, { "\xe2\x80\x8e", 0 }, { "\xe2\x80\x8f", 0 },
		{ "\xe2\x80\x90", 3 }, { "\xe2\x80\xa8", 0 }, { "\xe2\x80\xa9", 0 },
		{ "\xe2\x80\xaa", 0 }, { "\xe2\x80\xae", 0 }, { "\xe2\x80\xaf", 3 },
		{ "\xe2\x81\xa5", 3 }, { "\xe2\x81\xa6", 0 }, { "\xe2\x81\xa9", 0 },
		{ "\xe2\x81\xaa", 3 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (text_character(rows[i].bytes) != rows[i].length)
			fail_msg("row %zu: %zu", i, text_character(rows[i].bytes));
}

/* The bytes fill a buffer: incomplete characters at the end are removed. */
TEST(a_full_buffer_ends_with_a_whole_character)
{
	static const char *const rows[][2] = { { "ab", "ab" }, { "a\xc3", "a" },
		{ "a\xe2\x82", "a" }, { "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xe0\xa0\x80", "\xe0\xa0\x80" }, { "\xe0\xa0", "" }, { "a\xf0\x9f\x98", "a" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" }, { "\xc3\xa9", "\xc3\xa9" },
		{ "\x80\x80", "\x80\x80" }, { "\x80", "\x80" }, { "", "" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char before[10] = "\xf0\x80", *buffer = before + 2;

		strcpy(buffer, rows[i][0]);
		text_cut_clean(buffer, strlen(buffer) + 1);
		assert_memory_equal(before, "\xf0\x80", 2);
		assert_string_equal(buffer, rows[i][1]);
		strcpy(buffer, rows[i][0]);
		text_cut_clean(buffer, strlen(buffer) + 2);
		assert_string_equal(buffer, rows[i][0]);
	}
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
	text_add_clean(&text, "aéb", 3);
	text_add_clean(&text, "é", 1);
	text_add_clean(&text, "\n", 0);
	assert_string_equal(text_string(&text), "aé");
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
	check_printed(8, "x: ", 2, "aaaa bbb cc ddd", "x: aaaa\n  bbb cc\n  ddd\n");
}

static size_t two_columns(const void *context, const char *at, int *columns)
{
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
	free(memory_new(8, 0));
	free(memory_resize(NULL, 0, 8));
	free(memory_resize(NULL, 8, 0));
}

TEST(a_program_without_memory_ends)
{
	static const size_t counts[] = { SIZE_MAX / 2, SIZE_MAX / 2 + 1 };

	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		int status = 0;

		assert_true(child >= 0);
		if (child == 0) {
			if (!freopen("/dev/null", "w", stderr))
				_exit(3);
			free(i % 2 ? memory_new(counts[i / 2], 2)
				   : memory_resize(NULL, counts[i / 2], 2));
			_exit(2);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
	}
}

TEST(names_near_the_typed_one_are_offered)
{
	static const char *const names[] = { "combine", "list-length", "mountain", "latency",
		"bandwidth", "stores" };
	static const char *const rows[][2] = { { "combin", "combine" }, { "cobmine", "combine" },
		{ "COMBINE", "combine" }, { "combined", "combine" }, { "list", "list-length" },
		{ "list_length", "list-length" }, { "mountian", "mountain" },
		{ "l", "list-length or latency" }, { "xyzzy", "" }, { "", "" },
		{ "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
			"" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_string_equal(nearest_names(rows[i][0], names, 6).text, rows[i][1]);
	}
}

TEST(a_name_is_near_by_an_exact_number_of_edits)
{
	struct table table;

	table_open(&table, "text", "near");
	while (table_next(&table, 3)) {
		const char *name = table.field[1];

		table_expect(&table, nearest_names(table.field[0], &name, 1).text,
			table_yes(&table, 2) ? name : "");
	}
}

TEST(names_are_sorted_by_their_edits)
{
	/* Of "abcdef": itself, one that begins with it, one edit, two edits. */
	static const struct {
		const char *names[4], *offered;
	} rows[] = {
		{ { "abcdxy", "abcdefg", "abcdex", "?" }, "abcdefg, abcdex or abcdxy" },
		{ { "abcdxy", "abcdex", "abcdefg", "abcdef" }, "abcdef, abcdefg or abcdex" },
		{ { "abcdex", "abcdxy", "abcdef", "abcdefg" }, "abcdef, abcdefg or abcdex" },
		{ { "abcdef", "abcdxy", "abcdefg", "abcdex" }, "abcdef, abcdefg or abcdex" },
		{ { "abcdxy", "abcdyx", "abcdef", "abcdex" }, "abcdef, abcdex or abcdxy" },
		{ { "abcdxy", "abcdyx", "abcdzz", "abcdef" }, "abcdef, abcdxy or abcdyx" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(
			nearest_names("abcdef", rows[i].names, 4).text, rows[i].offered);
}

TEST(offers_three_at_most_nearest_first)
{
	static const char *const alike[] = { "acce", "accd", "acc", "accf", "accg" };

	assert_string_equal(nearest_names("acc", alike, 5).text, "acc, acce or accd");
	assert_string_equal(nearest_names("acc", alike, 0).text, "");
}

/* All names that a word begins are as near. */
TEST(equally_near_names_are_all_suggested)
{
	static const char *const names[] = { "zen1", "zen2", "zen3", "zen4", "zen5", "skylake" };

	assert_string_equal(nearest_names("zen", names, 6).text, "zen1, zen2, zen3, zen4 or zen5");
}

/* No text has this many bytes, so the message names none. */
TEST(a_text_without_memory_says_so)
{
	char said[200] = "";
	int ends[2], how;
	ssize_t length;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct text text = { 0 };

		dup2(ends[1], STDERR_FILENO);
		text_addn(&text, "", SIZE_MAX / 2);
		_exit(0);
	}
	close(ends[1]);
	for (size_t used = 0; (length = read(ends[0], said + used, sizeof(said) - 1 - used)) > 0;)
		used += (size_t)length;
	close(ends[0]);
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 1);
	check_contains(said, "out of memory");
	assert_null(strpbrk(said, "0123456789"));
}

RUN_TESTS()
