#include "base/data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A data file is some pages of text; anything larger is a mistake (a device, a wrong path). */
enum { DATA_LARGEST = 4 << 20 };

static struct status read_text(FILE *file, const char *path, struct text *text)
{
	char block[4096];
	size_t got;

	while ((got = fread(block, 1, sizeof(block), file)) > 0) {
		if (memchr(block, '\0', got))
			return status_make(STATUS_FAILED, "%s: holds a NUL byte; a text file is wanted", path);
		if (text->length + got > DATA_LARGEST)
			return status_make(STATUS_FAILED, "%s: larger than %d MiB, too large for a data file",
				path, DATA_LARGEST >> 20);
		text_addn(text, block, got);
	}
	if (ferror(file))
		return status_make(STATUS_FAILED, "%s: %s", path, strerror(errno));
	return status_ok();
}

/* Reads DIRECTORY/name; *found tells whether there is such a file. */
static struct status load_from(const char *directory, const char *name, char **text, char origin[256],
	bool *found)
{
	struct text path = { 0 }, bytes = { 0 };
	struct status status = status_ok();
	FILE *file;

	text_addf(&path, "%s/%s", directory, name);
	file = fopen(text_string(&path), "r");
	if (!file) {
		*found = errno != ENOENT && errno != ENOTDIR;
		if (*found)
			status = status_make(STATUS_FAILED, "%s: %s", text_string(&path), strerror(errno));
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

const char *data_built_in(const char *name)
{
	for (const struct data_file *file = data_files; file->name; file++)
		if (strcmp(file->name, name) == 0)
			return file->text;
	return NULL;
}

struct status data_load(const char *name, char **text, char origin[256])
{
	const char *own = getenv("SLEXPLORE_DATA"), *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME"), *built_in;
	struct text directory = { 0 };
	struct status status = status_ok();
	bool found = false;

	*text = NULL;
	if (own && *own) {
		status = load_from(own, name, text, origin, &found);
		if (found)
			return status;
	}
	/* A relative XDG_CONFIG_HOME is to be ignored: XDG Base Directory Specification. */
	if (config && *config == '/')
		text_addf(&directory, "%s/slexplore", config);
	else if (home && *home)
		text_addf(&directory, "%s/.config/slexplore", home);
	if (directory.length)
		status = load_from(text_string(&directory), name, text, origin, &found);
	text_free(&directory);
	if (found)
		return status;
	built_in = data_built_in(name);
	if (built_in) {
		*text = memory_string(built_in);
		if (origin)
			snprintf(origin, 256, "built-in %s", name);
		return status_ok();
	}
	return status_make(STATUS_FAILED, "no data file \"%s\": neither a file nor built in", name);
}
