/* The command language of keys, scripts and lessons. A command is a row of a table with its name,
 * arguments, help and functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct session;

struct command_row {
	const char *name; /* name of the command, one or two words: "pin swap" */
	/* A command that has no arguments and cannot fail has act(); any other command has run().
	 * The parameter `change` of run() is the session to change, or NULL. If `change` is NULL,
	 * run() changes nothing, and returns whether the command can run and would have an effect
	 * now. run() may write into the string `arguments`. */
	void (*act)(struct session *session);
	struct status (*run)(
		const struct session *session, struct session *change, char *arguments);
	/* Returns the reason why the explorer's command cannot run now; the command is then not
	 * called. If a command's function `refusal` is NULL, the command can always run, or run()
	 * returns the reason. */
	struct status (*refusal)(const struct session *session);
	/* Returns whether the command's act() would have an effect now; NULL: act() has an effect
	 * whenever the command is not refused. */
	bool (*useful)(const struct session *session);
	/* The message on screen if the user presses the command's key while useful() returns false.
	 */
	const char *useless;
	/* The text that a command's run() receives in place of the user's arguments; NULL: run()
	 * receives the user's arguments. */
	const char *given;
	/* The command's argument is the rest of the line after one blank, including all further
	 * blanks. */
	bool verbatim;
	/* The groups of numbers that the command shows (enum lesson_hidden): the command is refused
	 * while the open question of a lesson hides one of them. */
	unsigned shows;
	bool reverts; /* the command restores an earlier choice, like `undo`, so its own changes
			 cannot be undone */

	/* The fields `arguments`, `help` and `found` of a command are read from data/commands. */
	const char *arguments; /* the arguments as the help shows them: "KNOB=VALUE …"; "": no
				  arguments */
	const char *help;
	bool found; /* the find overlay offers this command, which is useful anywhere and needs no
		       arguments */
};

/* Returns the command with the longest name that begins the line; NULL: no command. *arguments
 * receives the text after the name. */
const struct command_row *command_of(const char *line, const char **arguments);

/* All commands of the explorer, in the order of the help screen. The last row of the table of
 * commands has a NULL name. */
const struct command_row *command_rows(void);
