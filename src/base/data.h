/* Data files: the defaults are compiled into the program. A user's file with the same name
 * overrides the default.
 *
 * data_load("keys") searches $SLEXPLORE_DATA, then $XDG_CONFIG_HOME/slexplore (or
 * ~/.config/slexplore). If neither directory has the file, data_load() uses the compiled-in
 * text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* One compiled-in file. The table data_files is generated; its last entry has a NULL name. */
struct data_file {
	const char *name; /* relative to data/: "keys", "uarch/zen3.uarch" */
	const char *text; /* NUL-terminated */
};

extern const struct data_file data_files[];

/* Loads a data file as a NUL-terminated string that the caller frees. The parameter `origin` (may
 * be NULL) receives a name for messages: the path, or "built-in NAME". STATUS_FAILED: the user's
 * file cannot be read or contains a NUL byte, or no data file has this name. */
struct status data_load(const char *name, char **text, char origin[256]);

/* STATUS_FAILED: a folder for the user's own files exists and cannot be entered, for the reason in
 * the text. data_load() then works as if the folder were empty. */
struct status data_reachable(void);

/* Reads a file that the command line names, as a NUL-terminated string that the caller frees. For
 * other files, whose errors are STATUS_FAILED: data_load(). */
struct status data_read(const char *path, char **text);

/* The names NAME of all data files DIRECTORY/NAME.EXTENSION. The order of the names is: files in
 * $SLEXPLORE_DATA, the user's files, compiled-in files. Each name occurs once; names from one
 * directory are sorted. The list ends with NULL; the caller frees it with data_names_free(). */
char **data_names(const char *directory, const char *extension);
void data_names_free(char **names);

/* The path for a user's own file with this name: in $SLEXPLORE_DATA, otherwise in the user's
 * configuration directory. False: neither directory is known. */
struct text;
bool data_own_path(const char *name, struct text *path);

/* Reads the user's own file as a string that the caller frees. *text is NULL if there is no such
 * file, or if the file cannot be read; path receives the path. STATUS_FAILED: the file cannot be
 * read, or is a directory, a pipe or a device. */
struct status data_own_read(const char *name, char **text, struct text *path);

/* Writes the user's own file completely or not at all, and makes its directories. An existing file
 * is renamed to its name plus "~", and *backup is set; without `backup` (NULL), the existing file
 * is replaced. path receives the path. STATUS_FAILED: the
 * system refused a step of saving; the text names this step. */
struct status data_own_save(const char *name, const char *text, struct text *path, bool *backup);

/* The compiled-in text with this name, or NULL. */
const char *data_built_in(const char *name);
