/* Files that are written whole or not at all: written under another name in the same directory,
 * then moved. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Bytes of a path, its NUL included. */
enum { FILE_PATH = 4096 };

/* Whether a file can be written there; STATUS_FAILED says why not. Leaves no file. */
struct status file_check(const char *path);

/* Saves these bytes. Replaces an existing regular file; with `fresh` that is an error. */
struct status file_save(const char *path, const struct text *bytes, bool fresh);

/* Whether anything has that name. */
bool file_exists(const char *path);
