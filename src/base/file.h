/* Files that appear whole or not at all: written beside their place under another name, then moved
 * there. */
#ifndef SLX_BASE_FILE_H
#define SLX_BASE_FILE_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"

/* Bytes of a path, its end included. */
enum { FILE_PATH = 4096 };

/* Whether a file could be written there; STATUS_FAILED says why not. Leaves nothing. */
struct status file_check(const char *path);

/* Saves these bytes. A regular file that is there is replaced, unless `fresh`: then it is an error.
 */
struct status file_save(const char *path, const struct text *bytes, bool fresh);

/* Whether there is anything of that name. */
bool file_exists(const char *path);

#endif
