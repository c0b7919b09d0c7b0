/* The search of the explorer, with all kernels, named sweeps and words of the field. */
#include "check.h"
#include "silent_engine.h"
#include "table.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/rows.h"
#include "explorer/command.h"

static struct session *session;
static struct view view;

static void start(void)
{
	session = silent_session();
	session_advance(session, 1);
}

static const struct view *search(const char *text)
{
	struct words line = words_of("find %s", text);

	check_ok(session_command(session, line.text, 1));
	session_view(session, 1, &view);
	return &view;
}

/* The first result is what an expert would open; tests/data/find has words and commands. */
TEST(the_fields_words_lead_to_what_answers_them)
{
	struct table table;

	start();
	table_open(&table, "find", "words");
	while (table_next(&table, 2))
		assert_string_equal(
			search(table.field[0])->screen.found[0].command, table.field[1]);
	session_free(session);
}

/* Each line of data/synonyms opens something that there is. */
TEST(every_word_opens_something)
{
	struct rows rows;
	char *field[3];
	int count = 0;

	start();
	rows_load(&rows, "synonyms");
	for (; rows_next(&rows); count++) {
		struct status status;

		assert_int_equal(rows_fields(&rows, field, 3), 3);
		if (strcmp(field[0], "-") == 0)
			continue;
		status = session_command_check(session, field[0]);
		if (strncmp(status.text, "unknown", 7) == 0 || strncmp(field[0], "kernel ", 7) == 0)
			assert_true(status.code == STATUS_OK || status.code == STATUS_IDLE);
	}
	check_ok(rows_end(&rows));
	assert_true(count > 50);
	session_free(session);
}

/* Whoever reads the name of a limit on the screen finds where it is explained. */
TEST(every_limit_is_found_by_its_name)
{
	start();
	for (int kind = 0; kind < LIMIT_COUNT; kind++)
		assert_true(search(limit_rows[kind].name)->screen.found_count > 0);
	check_contains(search("divider")->screen.found[0].label, "limit divider — Divide less");
	assert_string_equal(view.screen.found[0].command, "view limits");
	session_free(session);
}

/* A result that cannot be opened here says why, and so does choosing it. */
TEST(what_cannot_be_opened_comes_last_with_a_reason)
{
	int first = 0;

	start();
	search("core");
	while (!view.screen.found[first].why[0])
		first++;
	assert_true(first > 0 && first < view.screen.found_count);
	search("turbo");
	assert_string_equal(view.screen.found[0].command, "");
	check_contains(view.screen.found[0].label, "turbo — not here: ");
	check_usage(session_command(session, "choose", 1), view.screen.found[0].why);
	/* Of results with one reason, the first has it in its label. */
	search("core");
	for (int i = first + 1; i < view.screen.found_count; i++)
		assert_int_equal(
			view.screen.found[i].why[0] &&
				strcmp(view.screen.found[i].why, view.screen.found[i - 1].why) != 0,
			strstr(view.screen.found[i].label, "not here: ") != NULL);
	session_free(session);
}

/* Enter on a command with a wrong argument says what is wrong, and runs no other command. */
TEST(a_command_with_a_wrong_argument_comes_first)
{
	static const char *const wrong[] = { "kernel combin", "theme blue", "preset 9",
		"probe only foo", "lesson nosuch" };
	struct status status;

	start();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		search(wrong[i]);
		assert_string_equal(view.screen.found[0].command, wrong[i]);
		status = session_command(session, "choose", 1);
		assert_false(status_is_ok(&status));
	}
	session_free(session);
}

TEST(values_of_knobs_need_no_command)
{
	start();
	search("size=64k");
	assert_string_equal(view.screen.found[0].command, "set size=64k");
	/* Enter on a wrong value says what is wrong. */
	search("unroll=99");
	check_usage(session_command(session, "choose", 1),
		"unroll=99: use a whole number from 1 to 16");
	session_free(session);
}

/* The command mountain takes no arguments, so these are values of the kernel mountain. */
TEST(values_of_a_kernel_that_is_also_a_command)
{
	start();
	search("mountain size=1m stride=8");
	assert_string_equal(view.screen.found[0].command, "kernel mountain size=1m stride=8");
	check_ok(session_command(session, "choose", 1));
	session_view(session, 1, &view);
	assert_string_equal(view.setting.kernel->name, "mountain");
	assert_int_equal(view.setting.v[0], 1 << 20);
	assert_int_equal(view.setting.v[1], 8);
	session_free(session);
}

TEST(a_kernel_is_told_from_the_command_of_its_name)
{
	start();
	search("memory mountain");
	assert_string_equal(view.screen.found[0].command, "kernel mountain");
	check_contains(view.screen.found[0].label, "kernel mountain — ");
	assert_string_equal(view.screen.found[1].command, "mountain");
	search("mountain");
	for (int i = 0; i < view.screen.found_count; i++)
		if (strcmp(view.screen.found[i].command, "kernel mountain") == 0)
			check_contains(view.screen.found[i].label, "kernel mountain — ");
	session_free(session);
}

/* Enter runs a command whose arguments are optional. */
TEST(a_command_without_its_optional_arguments_is_complete)
{
	start();
	search("uarch zen4");
	check_ok(session_command(session, "choose", 1));
	assert_int_equal(session_command_check(session, "uarch zen4").code, STATUS_IDLE);
	search("uarch");
	assert_string_equal(view.screen.found[0].command, "uarch");
	check_ok(session_command(session, "choose", 1));
	assert_int_equal(session_command_check(session, "uarch").code, STATUS_IDLE);
	search("mouse");
	assert_string_not_equal(view.screen.found[0].command, "mouse");
	session_free(session);
}

TEST(a_core_model_is_found_by_its_name)
{
	static const char *const typed[] = { "zen4", "model zen4", "uarch zen4", "core zen4" };

	start();
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		search(typed[i]);
		check_contains(view.screen.found[0].label, "uarch zen4");
	}
	session_free(session);
}

/* Files of other records, such as answers to a lesson, are no recordings. */
TEST(only_recordings_are_offered_to_open)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "played.jsonl", "{\"v\":1,\"record\":\"recording\",\"id\":1}\n" },
		{ "answers.jsonl", "{\"record\":\"answer\",\"version\":1}\n" },
		{ "run.jsonl", "{\"v\":1,\"record\":\"sample\",\"id\":1}\n" },
	};
	char folder[] = "/tmp/slexplore-find-XXXXXX", before[4096];

	assert_non_null(getcwd(before, sizeof(before)));
	assert_true(mkdtemp(folder) && chdir(folder) == 0);
	start();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct words command = words_of("open %s", files[i].name),
			     part = words_of("recording %.4s", files[i].name);
		FILE *file = fopen(files[i].name, "w");
		bool offered = false;

		fputs(files[i].text, file);
		fclose(file);
		search(part.text);
		for (int k = 0; k < view.screen.found_count; k++)
			offered |= strcmp(view.screen.found[k].command, command.text) == 0;
		assert_int_equal(offered, i == 0);
		unlink(files[i].name);
	}
	session_free(session);
	assert_true(chdir(before) == 0 && rmdir(folder) == 0);
}

RUN_TESTS()
