/* The saved settings: choices of the user that the explorer keeps from one session to the next, for
 * example the mouse. The saved settings are in the text file "settings" in the user's configuration
 * directory. A line of this file is the name of a saved setting and its value.
 *
 * To add a saved setting: add a row to the table in saved.c, and describe the row in the manual. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

struct session;

/* Largest number of saved settings, and largest size of a value in bytes, including the NUL. */
enum { SAVED_MOST = 16, SAVED_SIZE = 600 };

struct saved {
	bool kept; /* true: the file of saved settings is read at the start, and written after
		      changes */
	/* For each row of the table in saved.c: the value of the saved setting, or NULL. The value
	 * of a saved setting with several lines has as many lines as the file; its lines for other
	 * settings are empty. */
	char *value[SAVED_MOST];
	bool changed[SAVED_MOST]; /* the value was changed and must be written to the file of saved
				     settings */
};

/* Reads the file of saved settings if `kept` is true. If the file is unreadable or wrong, a notice
 * on screen names the first error, and all correct lines of the file are used. */
void saved_begin(struct session *session, bool kept);
void saved_end(struct session *session);

/* Changes a saved setting, such as "mouse", for this session and the next ones. saved_write() later
 * writes the change to the file of saved settings. The new value must not contain a line feed. */
void saved_set(struct session *session, const char *name, const char *value);

/* Writes all changed values. All other lines of the file of saved settings, also comments, remain.
 * If writing fails, the old file of saved settings remains complete. STATUS_FAILED: the system
 * refused to read or to write the file; the text names the file. */
struct status saved_write(struct session *session);

/* Runs a command "NAME VALUE" that changes a saved setting, by the rules of command_row.run: if
 * `change` is NULL, only checks the value. */
struct status saved_command(
	const struct session *session, struct session *change, const char *name, const char *value);
