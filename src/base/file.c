#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/gzip.h"
#include "base/monotonic.h"

static struct status cannot(const char *path, const char *why)
{
	return status_failed("%.150s cannot be written: %.60s", path, why);
}

bool file_exists(const char *path)
{
	struct stat about;

	return lstat(path, &about) == 0;
}

/* ---- reading */

/* Waits until a program has opened the pipe for writing. Returns false after FILE_WAIT_S seconds.
 * If the wait reads a byte, the byte goes to *first. */
static bool await_writer(int pipe, int *first)
{
	struct pollfd wait = { .fd = pipe, .events = POLLIN };
	double end = monotonic_seconds() + FILE_WAIT_S;
	unsigned char byte;

	/* Only reading tells a pipe without a writer (its end) from a writer that has written
	 * nothing yet. */
	while (poll(&wait, 1, 0) == 0 || !(wait.revents & POLLIN)) {
		ssize_t got = read(pipe, &byte, 1);

		if (got > 0)
			*first = byte;
		if (got > 0 || (got < 0 && errno == EAGAIN))
			return true;
		if (monotonic_seconds() > end)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return true;
}

/* Whether a device such as /dev/zero is open. /dev/null and terminals have an end. */
static bool is_endless(int descriptor, const struct stat *about)
{
	return S_ISCHR(about->st_mode) && !isatty(descriptor) && about->st_rdev != makedev(1, 3);
}

struct status file_check_input(void)
{
	struct stat about;

	if (fstat(STDIN_FILENO, &about) == 0 && is_endless(STDIN_FILENO, &about))
		return status_usage("standard input: a device, not a file");
	return status_ok();
}

/* Checks an opened file, and makes reading wait for bytes. For `first` see await_writer(). */
static struct status check_opened(const char *path, int descriptor, int *first)
{
	struct stat about;

	if (fstat(descriptor, &about) != 0)
		return status_unopened(path, errno);
	if (S_ISDIR(about.st_mode))
		return status_unopened(path, EISDIR);
	if (is_endless(descriptor, &about))
		return status_usage("%.200s: a device, not a file", path);
	if (S_ISFIFO(about.st_mode) && !await_writer(descriptor, first))
		return status_usage(
			"%.200s: no program opened this pipe for writing within %d seconds", path,
			FILE_WAIT_S);
	fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
	return status_ok();
}

/* Returns a stream of the opened file, or NULL and errno; then the caller closes the descriptor.
 * `first` is its first byte, or EOF if that was not read. */
static FILE *stream_of(int descriptor, int first)
{
	unsigned char byte;
	FILE *file;

	if (first == EOF && read(descriptor, &byte, 1) == 1)
		first = byte;
	if (first == GZIP_BYTE)
		return gzip_stream(descriptor);
	if (first != EOF && lseek(descriptor, 0, SEEK_SET) == 0)
		first = EOF;
	file = fdopen(descriptor, "r");
	/* Without memory, the byte of a pipe would be lost. */
	if (file && first != EOF && ungetc(first, file) == EOF)
		fatal("no memory for a pipe");
	return file;
}

struct status file_unread(const char *path)
{
	if (errno == EOVERFLOW)
		return status_usage("%.200s: the compressed bytes expand to more than %d times "
				    "their size; those of a recording "
				    "expand to 4 to 20 times",
			path, GZIP_EXPANSION);
	return errno == EBADMSG ? status_usage("%.200s: the compressed bytes are damaged", path)
				: status_failed("%.200s: %s", path, strerror(errno));
}

struct status file_open(const char *path, FILE **file)
{
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), first = EOF;
	struct status status = descriptor < 0 ? status_unopened(path, errno)
					      : check_opened(path, descriptor, &first);

	*file = status_is_ok(&status) ? stream_of(descriptor, first) : NULL;
	if (status_is_ok(&status) && !*file)
		status = status_unopened(path, errno);
	if (!*file && descriptor >= 0)
		close(descriptor);
	return status;
}

/* ---- writing */

/* The temporary file of this process; empty: none. A signal that ends the program removes it. */
static char temporary[FILE_PATH];
static atomic_int temporary_of; /* the process that has a temporary file; 0: none */

static void remove_temporary(void)
{
	if (atomic_load(&temporary_of) == getpid())
		unlink(temporary);
}

static void temporary_begin(const char *name)
{
	atomic_store(&temporary_of, 0);
	snprintf(temporary, sizeof(temporary), "%s", name);
	fatal_remover(remove_temporary);
	atomic_store(&temporary_of, getpid());
}

/* Removes the temporary file, unless it was renamed. */
static void temporary_end(const char *name)
{
	unlink(name);
	atomic_store(&temporary_of, 0);
}

/* Resolves symbolic links, so that writing the file keeps the link. If no file exists at the path,
 * the result is the path itself. */
static void follow(const char *path, char place[FILE_PATH])
{
	char *real = realpath(path, NULL);

	snprintf(place, FILE_PATH, "%s", real && strlen(real) < FILE_PATH - 32 ? real : path);
	free(real);
}

/* Creates a file with a new name in the directory of `place`, with default permissions. Returns the
 * descriptor, or -1. */
static int open_beside(const char *place, char name[FILE_PATH])
{
	const char *slash = strrchr(place, '/');
	int directory = slash ? (int)(slash - place) + 1 : 0, descriptor = -1;

	for (int number = 0; number < 100 && descriptor < 0; number++) {
		snprintf(name, FILE_PATH, "%.*s.slexplore-%ld-%d.tmp", directory, place,
			(long)getpid(), number);
		temporary_begin(name);
		descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (descriptor < 0 && errno != EEXIST)
			break;
	}
	if (descriptor < 0)
		atomic_store(&temporary_of, 0);
	return descriptor;
}

/* Resolves the path and creates a temporary file next to the target. */
static struct status begin(
	const char *path, char place[FILE_PATH], char name[FILE_PATH], int *descriptor)
{
	struct stat about;
	bool there;

	follow(path, place);
	there = stat(place, &about) == 0;
	if (there && S_ISDIR(about.st_mode))
		return cannot(path, "it is a directory");
	if (there && !S_ISREG(about.st_mode))
		return cannot(path, "it is not a regular file");
	if (there && access(place, W_OK) < 0)
		return cannot(path, strerror(errno));
	*descriptor = open_beside(place, name);
	return *descriptor < 0 ? cannot(path, strerror(errno)) : status_ok();
}

struct status file_check(const char *path)
{
	char place[FILE_PATH], name[FILE_PATH];
	int descriptor;
	struct status status = begin(path, place, name, &descriptor);

	if (status_is_ok(&status)) {
		close(descriptor);
		temporary_end(name);
	}
	return status;
}

static bool write_all(int descriptor, const struct text *bytes)
{
	size_t written = 0;

	while (written < bytes->length) {
		ssize_t some = TEMP_FAILURE_RETRY(
			write(descriptor, bytes->bytes + written, bytes->length - written));

		if (some <= 0)
			return false;
		written += (size_t)some;
	}
	return true;
}

/* Moves the temporary file to its final path. If `fresh` is true, no file may exist there, and
 * link() fails if a file exists. On a file system without hard links, the function checks for a
 * file first, and then renames. */
static bool move(const char *name, const char *place, bool fresh)
{
	if (!fresh)
		return rename(name, place) == 0;
	if (link(name, place) == 0)
		return true;
	if (errno == EEXIST || file_exists(place)) {
		errno = EEXIST;
		return false;
	}
	return rename(name, place) == 0;
}

struct status file_save(const char *path, const struct text *bytes, bool fresh)
{
	char place[FILE_PATH], name[FILE_PATH];
	int descriptor, reason;
	struct status status = begin(path, place, name, &descriptor);

	if (!status_is_ok(&status))
		return status;
	reason = write_all(descriptor, bytes) ? 0 : errno;
	/* After a power failure, the file must not be empty under its final name. */
	if (reason == 0 && fsync(descriptor) < 0 && errno != EINVAL && errno != EROFS)
		reason = errno;
	if (close(descriptor) < 0 && reason == 0)
		reason = errno;
	if (reason == 0 && !move(name, place, fresh))
		reason = errno;
	temporary_end(name);
	return reason ? cannot(path, strerror(reason)) : status;
}
