/* Programs in the explorer: found functions, their loops, and files that cannot be read. */
#include "check.h"

#include "made_elf.h"
#include "silent_engine.h"

#include "base/text.h"
#include "kernels/kernel.h"
#include "model/program/lines.h"

static struct session *session;
static struct view view;
static double now;

static void start(void)
{
	session = silent_session();
	now = 1;
	session_advance(session, now);
}

/* Runs a command, and lets the threads that it started end. */
static void act(const char *line)
{
	check_ok(session_command(session, line, now));
	do {
		usleep(200);
		session_advance(session, now += 0.05);
	} while (session_reads(session));
	session_view(session, now, &view);
}

/* Waits for the limits of the present setting. */
static void settle(void)
{
	for (int i = 0; i < 5000; i++) {
		session_advance(session, now += 0.05);
		session_view(session, now, &view);
		if (view.explanation)
			return;
		usleep(200);
	}
	fail_msg("no limits of %s", view.setting.kernel->name);
}

/* Opens bytes as a file. */
static void open_bytes(const void *bytes, size_t size)
{
	int fd = made_descriptor(bytes, size);

	act(words_of("open /proc/self/fd/%d", fd).text);
	close(fd);
}

static void check_function(const char *name, int loop)
{
	settle();
	assert_string_equal(view.setting.kernel->name, name);
	assert_int_equal(view.setting.v[0], loop);
	assert_int_equal(view.explanation->in_program, loop);
	assert_false(view.sample.valid);
	assert_true(view.explanation->limits.predicted > 0);
}

TEST(a_function_is_found_and_shown_with_its_limits_and_lines)
{
	static struct made_elf made;

	start();
	act("kernel mul-by");
	made_file(&made, MADE_LIBRARY, 0);
	open_bytes(made.bytes, made.size);
	assert_int_equal(view.screen.overlay, OVERLAY_FIND);
	/* The keys ( and ) are letters of the typed word here. */
	check_contains(view.screen.notice, " with loops");
	assert_null(strchr(view.screen.notice, ')'));
	check_contains(view.screen.found[0].label, "function sum");
	act("find ne");
	check_contains(view.screen.found[0].label, "function ");
	act("find sum");
	assert_string_equal(
		view.screen.found[0].command, words_of("function %#x", MADE_BASE + SUM).text);
	act("choose");
	assert_int_equal(view.screen.overlay, OVERLAY_NONE);
	check_contains(view.screen.notice, "functions with loops: ) next, ( previous");
	check_function("sum", 1);
	check_usage(session_command(session, "knob +1", now), "this function has one loop");
	/* A program is never run. */
	check_usage(session_command(session, "again", now),
		"slexplore does not run programs, so nothing is measured here");
	check_usage(session_command(session, "freeze", now),
		"slexplore does not run programs, so nothing is measured here");
	act("view ports");
	check_usage(session_command(session, "picture x.gp", now),
		"no picture of the probed pressure, because programs are not run; probe, "
		"windows, sweep, limits, timeline and graph have one");
	assert_int_equal(view.explanation->lines[0].line, LINE_SUM_LOOP);
	check_contains(view.remark, "made.c:12");
	/* The list of kernels has the function, and the way back. */
	assert_string_equal(view.function, "sum");
	act("function next");
	check_function(view.setting.kernel->name, 1);
	assert_string_not_equal(view.setting.kernel->name, "sum");
	act("function previous");
	check_function("sum", 1);
	check_usage(session_command(session, "function previous", now),
		"this is the first function with loops");
	check_usage(session_command(session, "pin", now), "there is no sample to pin yet");
	act("function");
	assert_string_equal(view.setting.kernel->name, "mul-by");
	act("undo");
	check_function("sum", 1);
	act("yank");
	check_contains(view.screen.text, "--function sum");
	session_free(session);
}

TEST(a_line_of_the_source_leads_to_its_loop)
{
	static struct made_elf made;

	start();
	made_file(&made, MADE_COMPRESSED, 0);
	open_bytes(made.bytes, made.size);
	act(words_of("function made.c:%d", LINE_SUM_LOOP).text);
	check_function("sum", 1);
	act("function same");
	assert_true(view.screen.notice_bad);
	check_contains(view.screen.notice, "2 functions fit");
	check_function("sum", 1);
	session_free(session);
}

TEST(a_damaged_program_changes_nothing)
{
	static struct made_elf made;

	start();
	made_file(&made, MADE_LIBRARY, 0);
	open_bytes(made.bytes, 40);
	assert_true(view.screen.notice_bad);
	check_contains(view.screen.notice, "cut off");
	assert_int_equal(view.screen.overlay, OVERLAY_NONE);
	check_usage(session_command(session, "function sum", now),
		"no program is open: open ./program opens one");
	check_usage(session_command(session, "function next", now),
		"no program is open: open ./program opens one");
	session_free(session);
}

RUN_TESTS()
