/* Files that are written whole or not at all, and files that are opened for reading. */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"

/* These functions take the place of the C library's. */
static int saved, renamed_after; /* calls of fsync(); their number at the call of rename() */
static int fsync_error;		 /* an errno; 0: fsync() works */
static bool dies;		 /* fsync() ends the program by a signal */

int fsync(int descriptor)
{
	(void)descriptor;
	saved++;
	if (dies)
		raise(SIGTERM);
	errno = fsync_error;
	return fsync_error ? -1 : 0;
}

int rename(const char *from, const char *to)
{
	renamed_after = saved;
	return link(from, to) == 0 ? unlink(from) : -1;
}

/* Checks that the outcome is this failure, and that its text has the words. */
static void check_error(struct status outcome, enum status_code code, const char *words)
{
	assert_int_equal(outcome.code, code);
	if (!strstr(outcome.text, words))
		fail_msg("\"%s\" lacks \"%s\"", outcome.text, words);
}

static char folder[] = "/tmp/test-file-XXXXXX";

static int entries(void)
{
	FILE *list = popen("ls -A | wc -l", "r");
	int count = -1;

	assert_non_null(list);
	assert_int_equal(fscanf(list, "%d", &count), 1);
	pclose(list);
	return count;
}

TEST(a_file_is_on_the_disk_before_it_has_its_name)
{
	struct text bytes = { 0 };

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	text_add(&bytes, "words");
	check_ok(file_save("one", &bytes, false));
	assert_int_equal(renamed_after, 1);
	assert_int_equal(entries(), 1);
	text_free(&bytes);
}

TEST(a_failed_disk_is_named_and_leaves_no_file)
{
	struct text bytes = { 0 };

	text_add(&bytes, "words");
	fsync_error = EIO;
	check_error(file_save("two", &bytes, false), STATUS_FAILED, strerror(EIO));
	fsync_error = 0;
	assert_int_equal(entries(), 1);
	text_free(&bytes);
}

TEST(a_signal_leaves_no_file)
{
	struct text bytes = { 0 };
	pid_t child;
	int how;

	text_add(&bytes, "words");
	child = fork();
	if (child == 0) {
		fatal_catch();
		dies = true;
		file_save("two", &bytes, false);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM);
	assert_int_equal(entries(), 1);
	text_free(&bytes);
}

TEST(what_cannot_be_read_is_refused)
{
	FILE *file;

	check_error(file_open("none", &file), STATUS_USAGE, strerror(ENOENT));
	assert_null(file);
	check_error(file_open(".", &file), STATUS_USAGE, strerror(EISDIR));
	check_error(file_open("/dev/zero", &file), STATUS_USAGE, "a device");
	check_ok(file_open("/dev/null", &file));
	fclose(file);
	check_ok(file_open("one", &file));
	assert_int_equal(fgetc(file), 'w');
	fclose(file);
	assert_int_equal(unlink("one"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

RUN_TESTS()
