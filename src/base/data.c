#include "base/data.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* A data file is some pages of text; anything larger is a mistake (a device, a wrong path). */
enum { DATA_LARGEST = 4 << 20 };

static struct status read_text(FILE *file, const char *path, struct text *text)
{
	char block[4096];
	size_t got;

	while ((got = fread(block, 1, sizeof(block), file)) > 0) {
		if (memchr(block, '\0', got))
			return status_failed("%s: contains a NUL byte: expected a text file", path);
		if (text->length + got > DATA_LARGEST)
			return status_failed("%s: larger than %d MiB, too large for a data file",
				path, DATA_LARGEST >> 20);
		text_addn(text, block, got);
	}
	if (ferror(file))
		return status_failed("%s: %s", path, strerror(errno));
	return status_ok();
}

/* Reads DIRECTORY/name; *found tells whether there is such a file. */
static struct status load_from(
	const char *directory, const char *name, char **text, char origin[256], bool *found)
{
	struct text path = { 0 }, bytes = { 0 };
	struct status status = status_ok();
	FILE *file;

	text_addf(&path, "%s/%s", directory, name);
	file = fopen(text_string(&path), "r");
	if (!file) {
		*found = errno != ENOENT && errno != ENOTDIR;
		if (*found)
			status = status_failed("%s: %s", text_string(&path), strerror(errno));
		text_free(&path);
		return status;
	}
	*found = true;
	status = read_text(file, text_string(&path), &bytes);
	fclose(file);
	if (status_is_ok(&status)) {
		*text = memory_string(text_string(&bytes));
		if (origin)
			snprintf(origin, 256, "%s", text_string(&path));
	}
	text_free(&bytes);
	text_free(&path);
	return status;
}

struct status data_read(const char *path, char **text)
{
	struct text bytes = { 0 };
	struct status status;
	FILE *file = fopen(path, "r");

	*text = NULL;
	if (!file)
		return status_failed("%.100s: %s", path, strerror(errno));
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

/* The directories in which files override, in order; an empty one is none. */
static void find_places(struct text place[PLACES])
{
	const char *own = getenv("SLEXPLORE_DATA"), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	memset(place, 0, PLACES * sizeof(*place));
	if (own && *own)
		text_add(&place[0], own);
	/* A relative XDG_CONFIG_HOME is to be ignored: XDG Base Directory Specification. */
	if (config && *config == '/')
		text_addf(&place[1], "%s/slexplore", config);
	else if (home && *home)
		text_addf(&place[1], "%s/.config/slexplore", home);
}

static void free_places(struct text place[PLACES])
{
	for (int i = 0; i < PLACES; i++)
		text_free(&place[i]);
}

bool data_own_path(const char *name, struct text *path)
{
	struct text place[PLACES];
	bool found = false;

	find_places(place);
	text_clear(path);
	for (int i = 0; i < PLACES && !found; i++)
		if (place[i].length > 0) {
			text_addf(path, "%s/%s", text_string(&place[i]), name);
			found = true;
		}
	free_places(place);
	return found;
}

/* As far as they can be made: writing says what could not. */
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

static struct status write_whole(const char *path, const char *text)
{
	FILE *file = fopen(path, "wx");
	bool good;

	if (!file)
		return status_failed("%.150s cannot be written: %.60s", path, strerror(errno));
	good = fputs(text, file) >= 0;
	good = fclose(file) == 0 && good;
	if (good)
		return status_ok();
	remove(path);
	return status_failed("%.150s cannot be written: %.60s", path, strerror(errno));
}

struct status data_own_save(const char *name, const char *text, struct text *path, bool *backup)
{
	struct text beside = { 0 }, old = { 0 };
	struct status status;

	*backup = false;
	if (!data_own_path(name, path))
		return status_failed("neither SLEXPLORE_DATA, XDG_CONFIG_HOME nor "
				     "HOME says where files of one's own are");
	make_directories(text_string(path));
	text_addf(&beside, "%s.%ld.tmp", text_string(path), (long)getpid());
	text_addf(&old, "%s~", text_string(path));
	status = write_whole(text_string(&beside), text);
	if (status_is_ok(&status))
		*backup = rename(text_string(path), text_string(&old)) == 0;
	if (status_is_ok(&status) && rename(text_string(&beside), text_string(path)) != 0) {
		status = status_failed(
			"%.150s cannot be written: %.60s", text_string(path), strerror(errno));
		remove(text_string(&beside));
	}
	text_free(&beside);
	text_free(&old);
	return status;
}

struct status data_load(const char *name, char **text, char origin[256])
{
	const char *built_in;
	struct text place[PLACES];
	struct status status = status_ok();
	bool found = false;

	*text = NULL;
	find_places(place);
	for (int i = 0; i < PLACES && !found; i++)
		if (place[i].length)
			status = load_from(text_string(&place[i]), name, text, origin, &found);
	free_places(place);
	if (found)
		return status;
	built_in = data_built_in(name);
	if (built_in) {
		*text = memory_string(built_in);
		if (origin)
			snprintf(origin, 256, "built-in %s", name);
		return status_ok();
	}
	return status_failed("no data file \"%s\": neither a file nor built in", name);
}

/* ---- names */

struct names {
	char **name;
	size_t count, room;
};

/* NAME of a file NAME.EXTENSION, unless it is there already. */
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
	if (names->count + 1 >= names->room) {
		names->room = names->room ? names->room * 2 : 32;
		names->name = memory_resize(names->name, names->room, sizeof(*names->name));
	}
	names->name[names->count++] = name;
}

static void add_directory(
	struct names *names, const char *place, const char *directory, const char *extension)
{
	struct text path = { 0 };
	struct dirent **entry;
	int count;

	text_addf(&path, "%s/%s", place, directory);
	count = scandir(text_string(&path), &entry, NULL, alphasort);
	text_free(&path);
	for (int i = 0; i < count; i++) {
		add_name(names, entry[i]->d_name, extension);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

char **data_names(const char *directory, const char *extension)
{
	struct names names = { 0 };
	struct text place[PLACES];
	size_t length = strlen(directory);

	find_places(place);
	for (int i = 0; i < PLACES; i++)
		if (place[i].length)
			add_directory(&names, text_string(&place[i]), directory, extension);
	free_places(place);
	for (const struct data_file *file = data_files; file->name; file++)
		if (strncmp(file->name, directory, length) == 0 && file->name[length] == '/')
			add_name(&names, file->name + length + 1, extension);
	if (!names.name)
		return memory_new(1, sizeof(*names.name));
	names.name[names.count] = NULL;
	return names.name;
}

void data_names_free(char **names)
{
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
}
