#include "engine/own/own_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/text.h"

/* A folder's name is NAME-PID-XXXXXX. PID, the number of the process, shows whether the folder is
 * still in use. */
#define NAME "slexplore"

/* The folders of this process. Entries are never removed from the list, so other threads read it
 * without a lock. */
static struct entry {
	struct entry *next;
	atomic_bool there;
	atomic_int user; /* the process whose compiler works in the folder; 0: none */
	char path[];
} * _Atomic entries;

static atomic_int owner; /* the process that made the folders; 0: no folder was made */

/* The program may end on one thread while another thread makes a folder. */
static atomic_int making; /* number of threads that make a folder and add it to the list */

/* Whether the folders were removed; then no folder is made any more. Child processes share it. */
static atomic_bool not_shared, *closed = &not_shared;

/* MAKING_MS: maximum time to wait for a folder that is being made. USING_MS: the same for the end
 * of a compiler. */
enum { MAKING_MS = 200, USING_MS = 1000 };

/* ---- removing folders, without allocating memory */

/* An entry of the system call getdents64(2). */
struct listed {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char kind;
	char name[];
};

/* DEPTH_MOST: depth of folders that are emptied at once. PASSES_MOST: how often a folder is
 * emptied. WAITS_MOST: how often, after 1 ms, a folder that should be empty is emptied again. */
enum { DEPTH_MOST = 8, PASSES_MOST = 10000, WAITS_MOST = 50 };

/* Moves a folder that lies too deep to the top. Returns whether it was moved. */
static bool lift(int folder, const char *name, int top)
{
	static atomic_uint number;
	char fresh[32];

	snprintf(fresh, sizeof(fresh), ".lifted-%u", atomic_fetch_add(&number, 1));
	return renameat(folder, name, top, fresh) == 0;
}

/* Removes the contents of an open folder. Folders that are DEPTH_MOST levels
 * deep are moved to the folder `top`. Returns whether a folder was moved. */
static bool empty(int folder, int depth, int top)
{
	_Alignas(struct listed) char bytes[4096];
	bool lifted = false;
	long length;

	/* The user's code may have removed its own permission to change the folder. */
	fchmod(folder, 0700);
	while ((length = syscall(SYS_getdents64, folder, bytes, sizeof(bytes))) > 0) {
		const struct listed *entry;

		for (long at = 0; at < length; at += entry->length) {
			int inner;

			entry = (const struct listed *)(const void *)(bytes + at);
			if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
				continue;
			if (unlinkat(folder, entry->name, 0) == 0 ||
				unlinkat(folder, entry->name, AT_REMOVEDIR) == 0)
				continue;
			/* A folder that its owner cannot write to can be neither opened nor moved.
			 */
			fchmodat(folder, entry->name, 0700, AT_SYMLINK_NOFOLLOW);
			if (depth == DEPTH_MOST) {
				lifted |= lift(folder, entry->name, top);
				continue;
			}
			inner = openat(folder, entry->name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (inner >= 0) {
				lifted |= empty(inner, depth + 1, top);
				close(inner);
			}
			unlinkat(folder, entry->name, AT_REMOVEDIR);
		}
	}
	return lifted;
}

/* Removes the library of a folder that cannot be opened. The names of other files are unknown, so
 * they stay. */
static void remove_library(int parent, const char *name)
{
	char path[PATH_MAX];
	struct stat about;

	/* A symbolic link may lead to a folder of the user. */
	if (fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(about.st_mode))
		return;
	if (snprintf(path, sizeof(path), "%s/" OWN_LIBRARY, name) < (int)sizeof(path))
		unlinkat(parent, path, 0);
}

static void remove_at(int parent, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int top = openat(parent, name, flags);

	/* The user's code may have removed its own permission to read the folder. */
	if (top < 0 && errno == EACCES && fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		top = openat(parent, name, flags);
	/* The user's code may have put a symbolic link or a file in the place of the folder. */
	if (top < 0 && unlinkat(parent, name, 0) != 0)
		remove_library(parent, name);
	for (int i = 0, waits = 0; i < PASSES_MOST; i++) {
		bool lifted = top >= 0 && empty(top, 0, top);

		if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || top < 0 ||
			(errno != ENOTEMPTY && errno != EEXIST))
			break;
		/* A killed process of the compiler may finish a last system call. */
		if (!lifted && waits++ == WAITS_MOST)
			break;
		if (!lifted)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		lseek(top, 0, SEEK_SET);
	}
	if (top >= 0)
		close(top);
}

void own_folder_remove(const char *folder)
{
	remove_at(AT_FDCWD, folder);
	for (struct entry *entry = atomic_load(&entries); entry; entry = entry->next)
		if (strcmp(entry->path, folder) == 0)
			atomic_store(&entry->there, false);
}

void own_folder_used(const char *folder, pid_t process)
{
	for (struct entry *entry = atomic_load(&entries); entry; entry = entry->next)
		if (strcmp(entry->path, folder) == 0)
			atomic_store(&entry->user, process);
}

/* Ends the compiler that works in a folder, and waits for its end. Another thread may wait for the
 * same process. */
static void end_user(struct entry *entry)
{
	pid_t process = atomic_load(&entry->user);

	if (process <= 0 || waitpid(process, NULL, WNOHANG) != 0)
		return;
	kill(process, SIGTERM);
	for (int i = 0; i < USING_MS && waitpid(process, NULL, WNOHANG) == 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

void own_folder_finished(const char *folder)
{
	if (atomic_load(closed))
		own_folder_remove(folder);
}

/* Lets child processes see changes of *closed. Without memory, they do not see them. */
static void share_closed(void)
{
	atomic_bool *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED)
		closed = shared;
}

/* A child process that calls exit() must not remove the folders of its parent. */
static void remove_all(void)
{
	if (atomic_load(&owner) != getpid())
		return;
	atomic_store(closed, true);
	/* The wait has a limit, because a crash may have interrupted the thread that makes a
	 * folder.
	 */
	for (int i = 0; i < MAKING_MS && atomic_load(&making) > 0; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	for (struct entry *entry = atomic_load(&entries); entry; entry = entry->next)
		if (atomic_load(&entry->there)) {
			end_user(entry);
			/* Another thread may remove the folder at the same time, and end first. */
			remove_at(AT_FDCWD, entry->path);
			atomic_store(&entry->there, false);
		}
}

/* ---- folders left after a crash */

/* Whether a process of this user made the folder, or what an own loop put in its place, and has
 * ended. Regular files with such a name are not removed. */
static bool is_abandoned(int parent, const char *name)
{
	struct stat about;
	int process, end = 0;

	if (sscanf(name, NAME "-%d-%*6[A-Za-z0-9]%n", &process, &end) != 1 || !end || name[end] ||
		process <= 0)
		return false;
	return fstatat(parent, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(about.st_mode) &&
	       about.st_uid == geteuid() && kill(process, 0) != 0 && errno == ESRCH;
}

/* Removes the folders of this user's processes that ended without removing them. */
static void sweep(const char *base)
{
	DIR *list = opendir(base);

	for (struct dirent *entry; list && (entry = readdir(list));)
		if (is_abandoned(dirfd(list), entry->d_name))
			remove_at(dirfd(list), entry->d_name);
	if (list)
		closedir(list);
}

/* ---- making */

/* Makes the folder of an entry, whose path ends with XXXXXX, and adds the entry to the list.
 * Returns 0, or an errno. */
static int make_and_add(struct entry *entry)
{
	int error = 0;

	atomic_fetch_add(&making, 1);
	if (atomic_load(closed)) {
		error = ECANCELED;
	} else if (!mkdtemp(entry->path)) {
		error = errno;
	} else {
		atomic_init(&entry->there, true);
		atomic_init(&entry->user, 0);
		entry->next = atomic_load(&entries);
		while (!atomic_compare_exchange_weak(&entries, &entry->next, entry))
			;
	}
	atomic_fetch_sub(&making, 1);
	return error;
}

struct status own_folder_make(const char **folder)
{
	const char *base = getenv("TMPDIR");
	struct entry *entry;
	size_t bytes;
	int error;

	*folder = NULL;
	if (!base || !*base)
		base = "/tmp";
	if (atomic_exchange(&owner, getpid()) != getpid()) {
		share_closed();
		atexit(remove_all);
		fatal_remover(remove_all);
		sweep(base);
	}
	bytes = strlen(base) + 48;
	entry = memory_new(1, sizeof(*entry) + bytes);
	/* "./" before a relative path keeps programs from reading "-name" as an option. */
	snprintf(entry->path, bytes, "%s%s/" NAME "-%d-XXXXXX", base[0] == '/' ? "" : "./", base,
		(int)getpid());
	error = make_and_add(entry);
	if (error) {
		free(entry);
		return status_failed(
			"no folder for a compiled loop in %.120s: %s", base, strerror(error));
	}
	*folder = entry->path;
	return status_ok();
}
