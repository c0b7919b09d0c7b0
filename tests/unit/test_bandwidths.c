#include "check.h"

#include "base/data.h"
#include "model/memory/bandwidths.h"

static void what_the_article_says_of_each_level_is_there(void **state)
{
	struct bandwidths bandwidths;
	char words[200];

	(void)state;
	bandwidths_load(&bandwidths);
	assert_true(bandwidths_words(&bandwidths, "L2", words, sizeof(words)));
	assert_string_equal(words, "Cannon Lake 0.75, Skylake server 1, Skylake 1, Haswell 0.5");
	assert_true(bandwidths_words(&bandwidths, "L3", words, sizeof(words)));
	assert_string_equal(words,
		"Cannon Lake 0.2-0.3, Skylake server about 0.1, Skylake 0.2-0.3, Haswell 0.2-0.3");
	assert_false(bandwidths_words(&bandwidths, "L1d", words, sizeof(words)));
	assert_string_equal(words, "");
}

static void every_row_of_the_shipped_file_is_read(void **state)
{
	struct bandwidths bandwidths;
	const char *text = data_built_in("bandwidths");
	int rows = 0;

	(void)state;
	bandwidths_load(&bandwidths);
	assert_non_null(text);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		rows += *line != '#' && *line != '\n';
		assert_non_null(strchr(line, '\n'));
	}
	assert_int_equal(bandwidths.count, rows);
	for (int i = 0; i < bandwidths.count; i++)
		assert_non_null(strstr(bandwidths.row[i].source, "Downs"));
}

static void words_end_where_room_does(void **state)
{
	struct bandwidths bandwidths;
	char words[12];

	(void)state;
	bandwidths_load(&bandwidths);
	assert_true(bandwidths_words(&bandwidths, "L2", words, sizeof(words)));
	assert_string_equal(words, "Cannon Lake");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_article_says_of_each_level_is_there),
		cmocka_unit_test(every_row_of_the_shipped_file_is_read),
		cmocka_unit_test(words_end_where_room_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
