/* Follows files and folders of students' answers while students write them.
 *
 * A file is read again when its size, its modification time or its inode changes. Files may grow,
 * shrink or vanish, and the last line may be incomplete. The system reports changes at once
 * (inotify), but not in network folders. So the files are also checked twice a second. */
#pragma once

#include "recording/answers.h"

struct answers_follow;

/* Begins to follow files and folders. STATUS_USAGE: one of them cannot be read. The paths must stay
 * valid until answers_follow_free(). */
struct status answers_follow_new(
	char *const *paths, int path_count, struct answers_follow **follow);
void answers_follow_free(struct answers_follow *follow); /* NULL: does nothing */

/* Returns the descriptor that is readable while the system reports a change; -1: the system reports
 * no changes. */
int answers_follow_descriptor(const struct answers_follow *follow);
/* Returns the seconds from `now` until the next check of the files. `now`: monotonic_seconds(). */
double answers_follow_next(const struct answers_follow *follow, double now);

/* Checks the files if a check is due. If the system reported a change, the next check is due soon.
 * Returns whether the answers or the text of answers_follow_trouble() changed. */
bool answers_follow_update(struct answers_follow *follow, double now);

/* Returns the answers of all files; valid until the next answers_follow_update(). The caller may
 * sort them. */
struct answers *answers_follow_all(struct answers_follow *follow);
/* Returns why the last check could not read a file or a folder; "": all files were read. */
const char *answers_follow_trouble(const struct answers_follow *follow);
