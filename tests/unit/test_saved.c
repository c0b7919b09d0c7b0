/* The saved settings: the file, and what a session makes of it. */
#include "played.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "base/text.h"

static char directory[] = "/tmp/slexplore-saved-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void write_settings(const char *text)
{
	FILE *file = fopen(path_of("settings"), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void check_settings(const char *expected)
{
	char *text;

	check_ok(data_read(path_of("settings"), &text));
	assert_string_equal(text, expected);
	free(text);
}

static void start(bool saved)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	played_begin(&engine, (struct session_options){ .saved = saved }, &kernel_fold);
}

static int set_up(void **state)
{
	return mkdtemp(directory) && setenv("SLEXPLORE_DATA", directory, 1) == 0 ? 0 : 1;
}

static int tear_down(void **state)
{
	return rmdir(directory);
}

static int remove_settings(void **state)
{
	remove(path_of("settings"));
	return played_end(state);
}

TEST(a_session_without_a_file_writes_only_what_changes)
{
	start(true);
	assert_string_equal(session_saved(session, "mouse"), "");
	assert_string_equal(look(100)->screen.notice, "");
	assert_int_not_equal(access(path_of("settings"), F_OK), 0);
	command("mouse on", 100);
	assert_string_equal(session_saved(session, "mouse"), "on");
	check_settings("# Settings of slexplore. The explorer changes these lines, and keeps "
		       "comments.\nmouse on\n");
}

TEST(comments_and_other_lines_stay)
{
	write_settings("# mine\n mouse on\nkey a pin\n\nkey b  pin drop\nlast combine");
	start(true);
	assert_string_equal(session_saved(session, "mouse"), "on");
	assert_string_equal(session_saved(session, "key"), "a pin\nb  pin drop");
	/* Another explorer writes in between. */
	write_settings("# mine\n mouse on\nkey a pin\nlast list-length");
	command("mouse off", 100);
	check_settings("# mine\nkey a pin\nlast list-length\nmouse off\n");
}

TEST(a_theme_is_saved_and_changes_in_turn)
{
	start(true);
	assert_int_equal(session_theme(session), THEME_AUTO);
	command("theme light", 100);
	assert_int_equal(session_theme(session), THEME_LIGHT);
	assert_string_equal(look(100)->screen.notice, "theme light");
	assert_false(session_command_works(session, "theme light"));
	for (int i = 1; i <= THEME_COUNT; i++) {
		command("theme next", 100);
		assert_int_equal(session_theme(session), (THEME_LIGHT + i) % THEME_COUNT);
	}
	played_end(state);
	start(true);
	assert_int_equal(session_theme(session), THEME_LIGHT);
}

TEST(a_wrong_line_is_named_and_the_others_count)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "muose on\nmouse on\n",
			"settings:1: unknown setting \"muose\"; did you mean mouse?" },
		{ "mouse on\nmouse perhaps\n",
			"settings:2: unknown value of mouse \"perhaps\"; one of on, off" },
		{ "mouse on\n\nmouse\n", "settings:3: mouse is missing" },
		{ "mouse on\n\x01\n", "settings:2: byte 1 of the line is 0x01" },
		{ "mouse on\n[keys]\n", "settings:2: unknown setting \"[keys]\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		write_settings(rows[i].text);
		start(true);
		check_contains(look(100)->screen.notice, rows[i].message);
		assert_true(look(100)->screen.notice_bad);
		assert_string_equal(session_saved(session, "mouse"), "on");
		/* The wrong line stays in the file until the user mends it. */
		command("mouse off", 100);
		played_end(state);
	}
	check_settings("[keys]\nmouse off\n");
}

TEST(a_file_that_cannot_be_read_is_a_note_and_stays)
{
	assert_int_equal(mkfifo(path_of("settings"), 0600), 0);
	start(true);
	check_contains(look(100)->screen.notice, "settings: not a regular file");
	check_ok(session_command(session, "mouse on", 100));
	assert_string_equal(session_saved(session, "mouse"), "on");
	check_contains(look(100)->screen.notice, "mouse on for this session only");
	played_end(state);
	remove(path_of("settings"));

	write_settings("");
	assert_int_equal(truncate(path_of("settings"), 3), 0);
	start(true);
	check_contains(look(100)->screen.notice, "settings: contains a byte 0");
}

TEST(without_saved_settings_nothing_is_read_or_written)
{
	write_settings("mouse on\n");
	start(false);
	assert_string_equal(session_saved(session, "mouse"), "");
	session_choose(session, "mouse", "off");
	command("mouse on", 100);
	check_settings("mouse on\n");
	assert_string_equal(session_saved(session, "mouse"), "on");
	session_command(session, "mouse maybe", 100);
	check_contains(look(100)->screen.notice, "unknown value of mouse \"maybe\"");
	assert_string_equal(session_saved(session, "mouse"), "on");
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_tear_down = remove_settings)
