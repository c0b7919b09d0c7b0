/* Private temporary folders for compiled own loops. own_folder_remove() or the end of the program
 * removes a folder. After a crash, the next program that makes a folder removes it. Functions that
 * remove folders allocate no memory, because memory may have run out. */
#pragma once

#include <sys/types.h>

#include "base/status.h"

/* The name of the compiled library in its folder. */
#define OWN_LIBRARY "own.so"

/* Makes an empty folder that only this user can read, in $TMPDIR, or in /tmp if TMPDIR is not set.
 * *folder receives its path, which stays valid until the program ends. The caller must not free it.
 */
struct status own_folder_make(const char **folder);

/* Removes a folder and everything in it. Does not follow symbolic links. */
void own_folder_remove(const char *folder);

/* Notes the child process whose compiler works in a folder; 0: none works there any more. At the
 * end of the program, the process gets SIGTERM, and must end its compiler before the folder is
 * removed: a compiler whose folder is gone writes to /tmp. */
void own_folder_used(const char *folder, pid_t process);

/* For a child process that has written to a folder: removes the folder if the program has removed
 * its folders since. */
void own_folder_finished(const char *folder);
