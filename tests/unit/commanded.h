/* A session of the explorer that commands drive, against an engine that need not answer.
 *
 * The fixtures are enter_directory() and leave_directory(), and start_fold() and played_end(). */
#pragma once

#include "played.h"

#include <dirent.h>
#include <unistd.h>

#include "explorer/command.h"

static const uint64_t LIMIT = UINT64_C(8) << 30;
static const struct memory_limits MEMORY_LIMITS = { .memory = UINT64_C(8) << 30 };

static inline void start(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .invocation = "--cpu 3" };

	session_free(session);
	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 1);
}

static inline int start_fold(void **state)
{
	start(&kernel_fold);
	return 0;
}

static inline void answer(double cpe)
{
	while (fake.request.background || !fake.pending) {
		if (fake.pending)
			fake_answer(&fake, 60, 1);
		session_advance(session, 2);
	}
	fake_answer(&fake, 60, cpe);
	session_advance(session, 1);
}

/* Runs a command that must succeed, after works() must have said so. */
static const struct view *run(const char *line)
{
	if (!session_command_works(session, line))
		fail_msg("\"%s\" does not work", line);
	check_ok(session_command(session, line, 1));
	return look(1);
}

/* A command that must be refused with that text, change nothing but the notice, and not work. */
static inline void refused(const char *line, const char *message)
{
	static struct view before;
	struct status status;

	/* A view keeps old entries of the find overlay after its last entry. */
	memset(&before, 0, sizeof(before));
	memset(&view, 0, sizeof(view));
	session_view(session, 1, &before);
	assert_false(session_command_works(session, line));
	status = session_command(session, line, 1);
	check_usage(status, message);
	look(1);
	assert_string_equal(view.screen.notice, message);
	assert_true(view.screen.notice_bad);
	memcpy(view.screen.notice, before.screen.notice, sizeof(view.screen.notice));
	view.screen.notice_bad = before.screen.notice_bad;
	view.screen.notice_until = before.screen.notice_until;
	/* Functions return parts of the misses, with any bytes between the members. */
	memcpy(&view.misses, &before.misses, sizeof(view.misses));
	assert_memory_equal(&view, &before, sizeof(view));
}

/* Commands may write files: into a directory that goes again. */
static char directory[] = "/tmp/slexplore-test-XXXXXX";

static inline int enter_directory(void **state)
{
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static inline int leave_directory(void **state)
{
	DIR *files = opendir(".");
	struct dirent *file;
	while (files && (file = readdir(files)))
		unlink(file->d_name);
	closedir(files);
	return chdir("/") == 0 ? rmdir(directory) : -1;
}
