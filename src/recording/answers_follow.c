#include "recording/answers_follow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/text.h"

/* PAUSE: seconds between two checks of the files. SETTLE: seconds from a reported change to the
 * next check, so that simultaneous changes need only one check. After a slow check, for example of
 * a network folder, the pause is REST times the duration of the check. */
static const double PAUSE = 0.5, SETTLE = 0.03, REST = 4;
/* FILES_MOST: largest number of followed files. BYTES_MOST: largest size of a file in bytes; one
 * student's answers to a lesson have about 5 KB. */
enum { FILES_MOST = 5000, BYTES_MOST = 16 << 20 };

struct followed_file {
	char *path; /* owned */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	bool seen; /* the last check found the file */
	struct answers answers;
};

struct answers_follow {
	char *const *paths;
	int path_count;
	int inotify; /* -1: not available */
	double due;  /* time of the next check, as in monotonic_seconds() */
	int file_count;
	struct followed_file *file; /* in the order in which the checks found them */
	struct answers all;
	char trouble[300];
};

static void free_file(struct followed_file *file)
{
	free(file->path);
	answers_free(&file->answers);
}

void answers_follow_free(struct answers_follow *follow)
{
	if (!follow)
		return;
	for (int i = 0; i < follow->file_count; i++)
		free_file(&follow->file[i]);
	free(follow->file);
	answers_free(&follow->all);
	if (follow->inotify >= 0)
		close(follow->inotify);
	free(follow);
}

/* Returns whether the path is a folder, or cannot be examined at present. */
static bool is_folder(const char *path)
{
	struct stat about;

	return stat(path, &about) != 0 || S_ISDIR(about.st_mode);
}

/* Asks the system to report changes of a folder, or of the folder that contains the file. */
static void watch(struct answers_follow *follow, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct words folder = is_folder(path) ? words_of("%s", path)
			      : slash	      ? words_of("%.*s", (int)(slash - path) + 1, path)
					      : words_of(".");

	if (follow->inotify >= 0)
		inotify_add_watch(follow->inotify, folder.text,
			IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO |
				IN_MOVED_FROM);
}

struct status answers_follow_new(char *const *paths, int path_count, struct answers_follow **made)
{
	struct answers_follow *follow;

	*made = NULL;
	for (int i = 0; i < path_count; i++)
		if (access(paths[i], R_OK) != 0)
			return status_usage("%.200s: %s", paths[i], strerror(errno));
	follow = memory_new(1, sizeof(*follow));
	*follow = (struct answers_follow){ .paths = paths,
		.path_count = path_count,
		.inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	for (int i = 0; i < path_count; i++)
		watch(follow, paths[i]);
	*made = follow;
	return status_ok();
}

int answers_follow_descriptor(const struct answers_follow *follow)
{
	return follow->inotify;
}

double answers_follow_next(const struct answers_follow *follow, double now)
{
	return follow->due > now ? follow->due - now : 0;
}

struct answers *answers_follow_all(struct answers_follow *follow)
{
	return &follow->all;
}

const char *answers_follow_trouble(const struct answers_follow *follow)
{
	return follow->trouble;
}

/* ---- a check of the files ---- */

static void report(struct answers_follow *follow, const char *path, const char *why)
{
	snprintf(follow->trouble, sizeof(follow->trouble), "%.200s: %s", path, why);
	text_cut_clean(follow->trouble, sizeof(follow->trouble));
}

static struct followed_file *find_file(struct answers_follow *follow, const char *path)
{
	for (int i = 0; i < follow->file_count; i++)
		if (strcmp(follow->file[i].path, path) == 0)
			return &follow->file[i];
	if (follow->file_count == FILES_MOST)
		return NULL;
	follow->file = memory_grow(follow->file, (size_t)follow->file_count, sizeof(*follow->file));
	follow->file[follow->file_count] = (struct followed_file){ .path = memory_string(path) };
	return &follow->file[follow->file_count++];
}

/* Reads a file again. O_NONBLOCK: if another program has replaced the file by a pipe, open() does
 * not wait for a writer. */
static bool read_again(struct answers_follow *follow, struct followed_file *file)
{
	int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *stream = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;

	if (!stream) {
		report(follow, file->path, strerror(errno));
		if (descriptor >= 0)
			close(descriptor);
		return false;
	}
	answers_free(&file->answers);
	answers_take(&file->answers, stream);
	fclose(stream);
	return true;
}

/* Checks a file, and reads it if it changed. Returns whether its answers may have changed. */
static bool check_file(struct answers_follow *follow, const char *path)
{
	struct followed_file *file;
	struct stat about;

	if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
		return false; /* the file vanished since the folder was listed, or is no file */
	file = find_file(follow, path);
	if (!file)
		return false;
	file->seen = true;
	if (file->inode == about.st_ino && file->device == about.st_dev &&
		file->size == about.st_size && file->changed.tv_sec == about.st_mtim.tv_sec &&
		file->changed.tv_nsec == about.st_mtim.tv_nsec)
		return false;
	if (about.st_size > BYTES_MOST) {
		report(follow, path, "longer than 16 MiB, so it is not read");
		return false;
	}
	/* Keep the state from before the read. If the file grows during the read, the next check
	 * reads the file again.
	 */
	file->inode = about.st_ino;
	file->device = about.st_dev;
	file->size = about.st_size;
	file->changed = about.st_mtim;
	return read_again(follow, file);
}

static bool check_folder(struct answers_follow *follow, const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool changed = false;

	if (!folder) {
		/* Keep the answers of a folder that cannot be read at present. */
		report(follow, path, strerror(errno));
		for (int i = 0; i < follow->file_count; i++)
			follow->file[i].seen |=
				strncmp(follow->file[i].path, path, strlen(path)) == 0;
		return false;
	}
	while ((entry = readdir(folder)))
		if (answers_is_name(entry->d_name))
			changed |= check_file(
				follow, words_of("%.300s/%.255s", path, entry->d_name).text);
	closedir(folder);
	return changed;
}

static bool forget_vanished(struct answers_follow *follow)
{
	int kept = 0, before = follow->file_count;

	for (int i = 0; i < before; i++)
		if (follow->file[i].seen)
			follow->file[kept++] = follow->file[i];
		else
			free_file(&follow->file[i]);
	follow->file_count = kept;
	return kept < before;
}

static void collect(struct answers_follow *follow)
{
	struct answers *all = &follow->all;
	size_t count = 0;

	for (int i = 0; i < follow->file_count; i++)
		count += (size_t)follow->file[i].answers.count;
	all->answer = memory_resize(all->answer, count + 1, sizeof(*all->answer));
	all->count = all->refused = 0;
	all->files = follow->file_count;
	for (int i = 0; i < follow->file_count; i++) {
		const struct answers *answers = &follow->file[i].answers;

		if (answers->count)
			memcpy(&all->answer[all->count], answers->answer,
				(size_t)answers->count * sizeof(*answers->answer));
		all->count += answers->count;
		all->refused += answers->refused;
	}
}

/* Reads the reports of changes, and returns whether there is a report. Their contents do not
 * matter, because every file is checked. */
static bool take_reports(const struct answers_follow *follow)
{
	char reports[4096];
	bool any = false;

	while (follow->inotify >= 0 && read(follow->inotify, reports, sizeof(reports)) > 0)
		any = true;
	return any;
}

bool answers_follow_update(struct answers_follow *follow, double now)
{
	struct words trouble = words_of("%s", follow->trouble);
	bool changed = false;
	double begin, lasted;

	if (take_reports(follow) && follow->due > now + SETTLE)
		follow->due = now + SETTLE;
	if (now < follow->due)
		return false;
	begin = monotonic_seconds();
	follow->trouble[0] = '\0';
	for (int i = 0; i < follow->file_count; i++)
		follow->file[i].seen = false;
	for (int i = 0; i < follow->path_count; i++)
		changed |= is_folder(follow->paths[i]) ? check_folder(follow, follow->paths[i])
						       : check_file(follow, follow->paths[i]);
	changed |= forget_vanished(follow);
	lasted = monotonic_seconds() - begin;
	follow->due = now + (REST * lasted > PAUSE ? REST * lasted : PAUSE);
	if (changed)
		collect(follow);
	return changed || strcmp(trouble.text, follow->trouble) != 0;
}
