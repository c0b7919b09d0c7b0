/* Follows files and folders of students' answers while students write them.
 *
 * A file is read again when its size, its time or its place on the disk changes: files grow,
 * shrink, vanish, and end in a line that is half written. The system reports changes at once
 * (inotify); on network folders it does not, so the files are also looked at twice a second. */
#pragma once

#include "recording/answers.h"

struct answers_follow;

/* Begins to follow files and folders. STATUS_USAGE: one of them cannot be read. The paths must stay
 * valid until answers_follow_free(). */
struct status answers_follow_new(
	char *const *paths, int path_count, struct answers_follow **follow);
void answers_follow_free(struct answers_follow *follow); /* NULL: does nothing */

/* Returns the descriptor that is readable while the system reports a change; -1: there is none. */
int answers_follow_descriptor(const struct answers_follow *follow);
/* Returns the seconds from `now` until the files must be looked at again. */
double answers_follow_next(const struct answers_follow *follow, double now);

/* Looks at the files, if that is due or a change was reported. Returns whether answers, or the
 * trouble with the files, changed. */
bool answers_follow_update(struct answers_follow *follow, double now);

/* Returns the answers of all files; valid until the next answers_follow_update(). The caller may
 * sort them. */
struct answers *answers_follow_all(struct answers_follow *follow);
/* Returns why a file or a folder could not be read at the last look; "": all could. */
const char *answers_follow_trouble(const struct answers_follow *follow);
