/* Temporary folders of own loops. */
#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/own/own_folder.h"

static char base[64], abandoned[96], used[96], strange[96];

static void make_file(const char *folder, const char *name)
{
	char path[160];
	int file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(file >= 0);
	close(file);
}

/* Returns the id of a process that was reaped, so no process has this id. */
static pid_t ended_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return child;
}

/* Makes folders inside each other, each with a file, that their owner cannot open or move. */
static void make_deep(const char *folder, int depth)
{
	int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (int i = 0; i < depth; i++) {
		int inner;

		assert_int_equal(mkdirat(at, "d", 0700), 0);
		close(openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
		inner = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(inner >= 0);
		if (i > 0)
			fchmod(at, 0);
		close(at);
		at = inner;
	}
	fchmod(at, 0);
	close(at);
}

/* The folders are made before the first own_folder_make() of this process, which removes abandoned
 * folders. */
TEST(folders_of_killed_processes_are_removed)
{
	const char *folder;
	struct status status;
	char inner[128], link[96];

	snprintf(base, sizeof(base), "/tmp/test-own-folder-XXXXXX");
	assert_non_null(mkdtemp(base));
	snprintf(
		abandoned, sizeof(abandoned), "%s/slexplore-%d-abcdef", base, (int)ended_process());
	snprintf(used, sizeof(used), "%s/slexplore-%d-abcdef", base, (int)getppid());
	snprintf(strange, sizeof(strange), "%s/slexplore-notes", base);
	snprintf(inner, sizeof(inner), "%s/inner", abandoned);
	snprintf(link, sizeof(link), "%s/slexplore-%d-ghijkl", base, (int)ended_process());
	assert_int_equal(symlink("notes", link), 0);
	assert_int_equal(mkdir(abandoned, 0700), 0);
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(mkdir(used, 0700), 0);
	assert_int_equal(mkdir(strange, 0700), 0);
	make_file(abandoned, "own.so");
	make_file(inner, "file");
	setenv("TMPDIR", base, 1);
	status = own_folder_make(&folder);
	assert_true(status_is_ok(&status));
	assert_int_equal(access(folder, F_OK), 0);
	assert_int_equal(access(abandoned, F_OK), -1);
	assert_int_equal(faccessat(AT_FDCWD, link, F_OK, AT_SYMLINK_NOFOLLOW), -1);
	assert_int_equal(access(used, F_OK), 0);
	assert_int_equal(access(strange, F_OK), 0);
	make_file(folder, "own.so");
	make_deep(folder, 50);
	own_folder_remove(folder);
	assert_int_equal(access(folder, F_OK), -1);
}

/* An own loop may put a symbolic link or a FIFO in the place of its folder. */
TEST(what_replaces_a_folder_is_removed_and_not_followed)
{
	const char *folder;
	struct status status;
	char moved[96], library[128];

	snprintf(moved, sizeof(moved), "%s/moved", base);
	snprintf(library, sizeof(library), "%s/own.so", moved);
	for (int i = 0; i < 2; i++) {
		status = own_folder_make(&folder);
		assert_true(status_is_ok(&status));
		make_file(folder, "own.so");
		assert_int_equal(rename(folder, moved), 0);
		assert_int_equal(i == 0 ? symlink(moved, folder) : mkfifo(folder, 0600), 0);
		own_folder_remove(folder);
		assert_int_equal(faccessat(AT_FDCWD, folder, F_OK, AT_SYMLINK_NOFOLLOW), -1);
		assert_int_equal(access(library, F_OK), 0);
		own_folder_remove(moved);
	}
}

/* An own loop may remove its own permissions. Root needs none. */
TEST(a_folder_without_permissions_is_removed)
{
	int how;
	pid_t child;

	assert_int_equal(chmod(base, 0777), 0);
	child = fork();
	if (child == 0) {
		const char *folder;
		struct status status;

		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		status = own_folder_make(&folder);
		if (!status_is_ok(&status))
			_exit(3);
		make_file(folder, "own.so");
		make_deep(folder, 50);
		chmod(folder, 0);
		own_folder_remove(folder);
		_exit(access(folder, F_OK) == 0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

TEST(a_relative_folder_is_no_option)
{
	const char *folder;
	struct status status;

	assert_int_equal(chdir(base), 0);
	assert_int_equal(mkdir("-o", 0700), 0);
	setenv("TMPDIR", "-o", 1);
	status = own_folder_make(&folder);
	assert_true(status_is_ok(&status));
	assert_int_equal(strncmp(folder, "./-o/", 5), 0);
	own_folder_remove(folder);
	own_folder_remove(base);
	assert_int_equal(access(base, F_OK), -1);
}

RUN_TESTS()
