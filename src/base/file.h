/* Saves files completely or not at all: writes a temporary file in the same directory, then renames
 * it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* Maximum bytes of a path, including the NUL. */
enum { FILE_PATH = 4096 };

/* Checks whether a file can be written at the path. If the status is STATUS_FAILED, its text gives
 * the reason. Leaves no file. */
struct status file_check(const char *path);

/* Saves the bytes. An existing regular file is replaced; if `fresh` is true, an existing file is an
 * error. */
struct status file_save(const char *path, const struct text *bytes, bool fresh);

/* Opens a file of the user for reading. Refuses a device without an end, such as /dev/zero. Waits
 * at most FILE_WAIT_S seconds for the program that writes to a pipe. A file compressed by gzip is
 * read as its decompressed bytes. On failure, the file is NULL. */
enum { FILE_WAIT_S = 2 };
struct status file_open(const char *path, FILE **file);

/* The failure of a file for which ferror() is true, by errno. */
struct status file_unread(const char *path);

/* Refuses a device without an end as standard input, as file_open() does. */
struct status file_check_input(void);

/* Whether there is a file, a folder or a symbolic link at the path. */
bool file_exists(const char *path);
