#include "base/data.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

/* Largest data file, bytes. A file larger than this limit is a mistake, such as a device or a wrong
 * path. */
enum { DATA_LARGEST = 4 << 20 };

static struct status read_text(FILE *file, const char *path, struct text *text)
{
	char block[4096];
	size_t got;

	while ((got = fread(block, 1, sizeof(block), file)) > 0) {
		if (memchr(block, '\0', got))
			return status_usage("%s: contains a byte 0: expected a text file", path);
		if (text->length + got > DATA_LARGEST)
			return status_usage("%s: larger than %d MiB, too large for a data file",
				path, DATA_LARGEST >> 20);
		text_addn(text, block, got);
	}
	if (ferror(file))
		return status_failed("%s: %s", path, strerror(errno));
	return status_ok();
}

/* Reads a file that the command line does not name. */
static struct status read_unnamed(const char *path, char **text)
{
	struct status status = data_read(path, text);

	if (status.code == STATUS_USAGE)
		status.code = STATUS_FAILED;
	return status;
}

struct status data_read(const char *path, char **text)
{
	struct text bytes = { 0 };
	struct status status;
	struct stat about;
	FILE *file;

	*text = NULL;
	/* Opening a pipe would wait for its writer. */
	if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
		return status_usage("%.100s: not a regular file", path);
	file = fopen(path, "r");
	if (!file)
		return status_unopened(path, errno);
	status = read_text(file, path, &bytes);
	fclose(file);
	if (status_is_ok(&status))
		*text = memory_string(text_string(&bytes));
	text_free(&bytes);
	return status;
}

const char *data_built_in(const char *name)
{
	for (const struct data_file *file = data_files; file->name; file++)
		if (strcmp(file->name, name) == 0)
			return file->text;
	return NULL;
}

enum { PLACES = 2 };

/* Writes the path that a data file would have in a directory with the user's own data files. The
 * path is empty if the user has not set this directory. */
static void path_in(int place, const char *name, struct text *path)
{
	const char *own = getenv("SLEXPLORE_DATA"), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	text_clear(path);
	if (place == 0 && own && *own)
		text_addf(path, "%s/%s", own, name);
	/* The XDG Base Directory Specification says: ignore a relative XDG_CONFIG_HOME. */
	else if (place == 1 && config && *config == '/')
		text_addf(path, "%s/slexplore/%s", config, name);
	else if (place == 1 && home && *home)
		text_addf(path, "%s/.config/slexplore/%s", home, name);
}

bool data_own_path(const char *name, struct text *path)
{
	text_clear(path);
	for (int i = 0; i < PLACES && path->length == 0; i++)
		path_in(i, name, path);
	return path->length > 0;
}

struct status data_own_read(const char *name, char **text, struct text *path)
{
	struct stat about;

	*text = NULL;
	/* Opening a named pipe would wait for a writer, so check the kind of the file first. */
	if (!data_own_path(name, path) || stat(text_string(path), &about) != 0)
		return path->length == 0 || errno == ENOENT || errno == ENOTDIR
			       ? status_ok()
			       : status_failed("%s: %s", text_string(path), strerror(errno));
	if (!S_ISREG(about.st_mode))
		return status_failed("%s: not a regular file", text_string(path));
	return read_unnamed(text_string(path), text);
}

/* Makes the directories of a path. Errors in making a directory are ignored, because they are
 * reported when the file is written. */
static void make_directories(const char *path)
{
	char *name = memory_string(path);

	for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0777);
		*slash = '/';
	}
	free(name);
}

static struct status copy(const char *from, const char *to)
{
	struct text bytes = { 0 };
	char *text = NULL;
	struct status status = data_read(from, &text);

	if (status_is_ok(&status)) {
		text_add(&bytes, text);
		status = file_save(to, &bytes, false);
	}
	text_free(&bytes);
	free(text);
	return status;
}

struct status data_own_save(const char *name, const char *text, struct text *path, bool *backup)
{
	struct text old = { 0 }, bytes = { 0 };
	struct status status;

	if (backup)
		*backup = false;
	if (!data_own_path(name, path))
		return status_failed("no folder for your own files: set HOME, XDG_CONFIG_HOME or "
				     "SLEXPLORE_DATA");
	make_directories(text_string(path));
	status = file_check(text_string(path));
	if (status_is_ok(&status)) {
		text_addf(&old, "%s~", text_string(path));
		text_add(&bytes, text);
		/* The old file is copied, and keeps its name until the new file replaces it, so
		 * that a file with this name exists at every moment. */
		if (backup && file_exists(text_string(path)))
			status = copy(text_string(path), text_string(&old));
		if (backup && status_is_ok(&status))
			*backup = file_exists(text_string(path));
		if (status_is_ok(&status))
			status = file_save(text_string(path), &bytes, false);
	}
	text_free(&bytes);
	text_free(&old);
	return status;
}

struct status data_reachable(void)
{
	struct text path = { 0 };
	struct status status = status_ok();

	for (int i = 0; i < PLACES && status_is_ok(&status); i++) {
		path_in(i, ".", &path);
		if (path.length && access(text_string(&path), X_OK) != 0 && errno != ENOENT)
			status = status_failed("%.*s: %s: the files in this folder are not used",
				(int)path.length - 2, text_string(&path), strerror(errno));
	}
	text_free(&path);
	return status;
}

struct status data_load(const char *name, char **text, char origin[256])
{
	const char *built_in = data_built_in(name);
	struct text path = { 0 };
	struct status status;

	*text = NULL;
	for (int i = 0; i < PLACES; i++) {
		path_in(i, name, &path);
		/* A folder that the user may not enter counts as a folder without the file.
		 * data_reachable() reports a folder that cannot be entered. */
		if (path.length == 0 || access(text_string(&path), F_OK) != 0)
			continue;
		status = read_unnamed(text_string(&path), text);
		if (status_is_ok(&status) && origin)
			snprintf(origin, 256, "%s", text_string(&path));
		text_free(&path);
		return status;
	}
	text_free(&path);
	if (!built_in)
		return status_failed("there is no data file \"%s\", and none is built in", name);
	*text = memory_string(built_in);
	if (origin)
		snprintf(origin, 256, "built-in %s", name);
	return status_ok();
}

/* ---- names */

struct names {
	char **name;
	size_t count;
};

/* Adds NAME to the list of data files for a file NAME.EXTENSION, unless the list already has
 * NAME. */
static void add_name(struct names *names, const char *file, const char *extension)
{
	size_t length = strlen(file), behind = strlen(extension) + 1;
	char *name;

	if (file[0] == '.' || length <= behind || file[length - behind] != '.' ||
		strcmp(file + length - behind + 1, extension) != 0)
		return;
	name = memory_string(file);
	name[length - behind] = '\0';
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->name[i], name) == 0) {
			free(name);
			return;
		}
	names->name = memory_resize(names->name, names->count + 2, sizeof(*names->name));
	names->name[names->count++] = name;
}

static void add_directory(struct names *names, const char *path, const char *extension)
{
	struct dirent **entry;
	int count = scandir(path, &entry, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		add_name(names, entry[i]->d_name, extension);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

char **data_names(const char *directory, const char *extension)
{
	struct names names = { .name = memory_new(1, sizeof(char *)) };
	struct text path = { 0 };
	size_t length = strlen(directory);

	for (int i = 0; i < PLACES; i++) {
		path_in(i, directory, &path);
		if (path.length)
			add_directory(&names, text_string(&path), extension);
	}
	text_free(&path);
	for (const struct data_file *file = data_files; file->name; file++)
		if (strncmp(file->name, directory, length) == 0 && file->name[length] == '/')
			add_name(&names, file->name + length + 1, extension);
	names.name[names.count] = NULL;
	return names.name;
}

void data_names_free(char **names)
{
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
}
