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
	assert_string_equal(session_saved(session, "key"), "\n\na pin\n\nb  pin drop");
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
	assert_string_equal(look(100)->screen.notice, "theme light, saved for the next sessions");
	assert_false(session_command_works(session, "theme light"));
	/* The search chooses also what is set. */
	command("theme light", 100);
	assert_string_equal(look(100)->screen.notice, "theme light is set already");
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

static void answer_one(void)
{
	fake_answer(&fake, 60, 2);
}

/* Lets a session measure everything, and run the commands that wait for it. */
static const struct view *run_idle(void)
{
	return look(played(100, &(struct playing){ .took = 0.01, .answer = answer_one }));
}

static void start_with(const char *const *commands, int count)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	played_begin(&engine,
		(struct session_options){ .saved = true,
			.offer = true,
			.commands = commands,
			.command_count = count },
		&kernel_fold);
}

TEST(commands_at_the_start_wait_until_they_can_act)
{
	static const char *const commands[] = { "pin", "kernel odd", "pin setting fold acc=2",
		"view trials", "nonsense", "focus kernels" };

	start_with(commands, 6);
	assert_false(look(100)->pinned);
	run_idle();
	assert_ptr_equal(view.setting.kernel, &kernel_odd);
	assert_true(view.pinned);
	assert_ptr_equal(view.a_setting.kernel, &kernel_fold);
	assert_int_equal(view.a_setting.v[FOLD_ACC], 2);
	check_near(view.a.cpe, 2, 0.01);
	assert_string_equal(view.screen.front, "trials");
	assert_string_equal(view.screen.focus, "kernels");
}

TEST(a_command_of_the_user_ends_those_of_the_start)
{
	static const char *const commands[] = { "pin", "kernel odd" };

	start_with(commands, 2);
	command("knob acc", 100);
	run_idle();
	assert_ptr_equal(view.setting.kernel, &kernel_fold);
	assert_false(view.pinned);
}

TEST(the_last_setting_is_offered_and_opened_when_asked)
{
	start_with(NULL, 0);
	assert_string_equal(look(100)->screen.notice, "");
	session_command(session, "last", 100);
	check_contains(look(100)->screen.notice, "no last setting is saved");
	/* A session without a change leaves no last setting. */
	session_remember(session);
	assert_int_not_equal(access(path_of("settings"), F_OK), 0);
	command("set acc=3 size=64k", 100);
	command("view trials", 100);
	command("knob acc", 100);
	session_remember(session);
	played_end(state);

	start_with(NULL, 0);
	assert_string_equal(
		look(100)->screen.notice, "o opens the setting of last time: fold acc=3 size=64k");
	assert_int_equal(view.setting.v[FOLD_ACC], 1);
	command("last", 100);
	run_idle();
	assert_int_equal(view.setting.v[FOLD_ACC], 3);
	assert_int_equal(view.setting.v[FOLD_SIZE], 64 << 10);
	assert_string_equal(view.screen.front, "trials");
	assert_string_equal(view.setting.kernel->knobs[view.knob].name, "acc");
}

TEST(a_last_setting_with_other_commands_is_not_opened)
{
	static const char *const lines[] = { "kernel fold | record to x", "kernel ./x.c",
		"kernel fold | quit", "view /etc/passwd", "kernel fold | set acc=2 | picture x.svg",
		"|", "kernel nothing" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		write_settings(words_of("last %s\n", lines[i]).text);
		start_with(NULL, 0);
		assert_string_equal(look(100)->screen.notice, "");
		session_command(session, "last", 100);
		run_idle();
		check_contains(view.screen.notice, "does more than choose a kernel");
		assert_false(session_quit(session));
		played_end(state);
	}
	write_settings("last kernel fold | set acc=99\n");
	start_with(NULL, 0);
	command("last", 100);
	run_idle();
	assert_true(view.screen.notice_bad);
	assert_int_equal(view.setting.v[FOLD_ACC], 1);
}

TEST(the_command_line_is_printed_only_if_asked)
{
	struct text line = { 0 };

	start(false);
	assert_false(session_printed(session, &line));
	command("yank print", 100);
	assert_true(session_printed(session, &line));
	check_contains(text_string(&line), "slexplore explore fold ");
	command("yank print", 100);
	assert_false(session_printed(session, &line));
	text_free(&line);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_tear_down = remove_settings)
