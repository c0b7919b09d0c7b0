/* Data files: the defaults are compiled into the program; a file overrides.
 *
 * data_load("keys") looks in $SLEXPLORE_DATA, then in $XDG_CONFIG_HOME/slexplore (or
 * ~/.config/slexplore), then takes the compiled-in text. */
#ifndef SLX_BASE_DATA_H
#define SLX_BASE_DATA_H

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

/* Every data file DIRECTORY/NAME.EXTENSION there is, as NAME: those in $SLEXPLORE_DATA, then in the
 * user's configuration, then the compiled-in ones; each once, those of a directory in alphabetical
 * order. Ended by NULL; the caller frees with data_names_free(). */
char **data_names(const char *directory, const char *extension);
void data_names_free(char **names);

/* Where a file of one's own of that name belongs: in $SLEXPLORE_DATA, else in the user's
 * configuration. False: neither is known. */
struct text;
bool data_own_path(const char *name, struct text *path);

/* Writes it there, whole or not at all, and makes the directories that lead there. What stood there
 * before is put aside, its name ended by "~": then *aside is set. path: receives where.
 * STATUS_FAILED says what was refused. */
struct status data_own_save(
	const char *name, const char *text, struct text *path, bool *background_explain);

/* The compiled-in text of that name whatever files there are, or NULL. */
const char *data_built_in(const char *name);

#endif
