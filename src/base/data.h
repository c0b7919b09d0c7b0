/* Data files: the defaults are compiled into the program; a file overrides.
 *
 * data_load("keys") looks in $SLEXPLORE_DATA, then in $XDG_CONFIG_HOME/slexplore (or
 * ~/.config/slexplore), then takes the compiled-in text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* One compiled-in file; the generated table (data.c's data_files) ends with a NULL name. */
struct data_file {
	const char *name; /* relative to data/: "keys", "uarch/zen3.uarch" */
	const char *text; /* NUL-terminated */
};

extern const struct data_file data_files[];

/* Loads a data file as a NUL-terminated string that the caller frees. origin (may be NULL) receives
 * a name for messages: the path, or "built-in NAME". STATUS_FAILED when an override cannot be read,
 * holds a NUL byte, or no such file exists at all. */
struct status data_load(const char *name, char **text, char origin[256]);

/* Any file, read likewise. */
struct status data_read(const char *path, char **text);

/* The names NAME of all data files DIRECTORY/NAME.EXTENSION: those in $SLEXPLORE_DATA, then the
 * user's, then the compiled-in ones; each once, sorted within a directory. Ends with NULL; the
 * caller frees with data_names_free(). */
char **data_names(const char *directory, const char *extension);
void data_names_free(char **names);

/* The path for a user's own file of that name: in $SLEXPLORE_DATA, else in the user's
 * configuration. False: neither is known. */
struct text;
bool data_own_path(const char *name, struct text *path);

/* Writes such a file completely or not at all, and makes its directories. An existing file is kept
 * under its name with "~" added; then *backup is set. path: receives the path. STATUS_FAILED says
 * what was refused. */
struct status data_own_save(const char *name, const char *text, struct text *path, bool *backup);

/* The compiled-in text of that name, or NULL. */
const char *data_built_in(const char *name);
