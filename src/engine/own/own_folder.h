/* Private temporary folders for compiled own loops. A folder is removed when it is not needed any
 * more, when the program ends, and, after a crash, by the next program that makes a folder.
 * Functions that remove folders allocate no memory, because memory may have run out. */
#pragma once

#include "base/status.h"

/* The name of the compiled library in its folder. */
#define OWN_LIBRARY "own.so"

/* Makes an empty folder in $TMPDIR (/tmp) that only this user can read. *folder receives its path,
 * which stays valid. */
struct status own_folder_make(const char **folder);

/* Removes a folder and everything in it. Does not follow symbolic links. */
void own_folder_remove(const char *folder);
