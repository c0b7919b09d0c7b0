#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct status cannot(const char *path, const char *why)
{
	return status_failed("%.150s cannot be written: %.60s", path, why);
}

bool file_exists(const char *path)
{
	struct stat about;

	return lstat(path, &about) == 0;
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
		descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (descriptor < 0 && errno != EEXIST)
			break;
	}
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
		unlink(name);
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
	if (link(name, place) == 0) {
		unlink(name);
		return true;
	}
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
	if (reason == 0 && move(name, place, fresh))
		return status;
	if (reason == 0)
		reason = errno;
	unlink(name);
	return cannot(path, strerror(reason));
}
