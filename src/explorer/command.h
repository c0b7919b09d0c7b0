/* The command language of keys, scripts and lessons. A command is a row with its name, arguments,
 * help and functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct session;

struct command_row {
	const char *name; /* one or two words: "pin swap" */
	/* A command without arguments that cannot fail has act(), another command has run().
	 * `change` is the same session, or NULL: then run() changes nothing, and returns whether
	 * the command can run and would have an effect now. It may cut up `arguments`. */
	void (*act)(struct session *session);
	struct status (*run)(
		const struct session *session, struct session *change, char *arguments);
	/* Why the command cannot run now; if it cannot, it is not called. NULL: no
	 * reason, or run() returns it. */
	struct status (*refusal)(const struct session *session);
	/* Whether act() would have an effect now; NULL: always, unless refused. */
	bool (*useful)(const struct session *session);
	const char *given; /* text that run() gets instead of the user's arguments; NULL: the
			      user's arguments */
	bool verbatim; /* its argument is the rest of the line after one blank, blanks included */

	/* From data/commands. */
	const char *arguments; /* as shown in help: "KNOB=VALUE …"; "" for none */
	const char *help;
	bool found; /* find offers this command: it is useful anywhere, without arguments */
};

/* All commands, in the order of the help screen. The last row has a NULL name. */
const struct command_row *command_rows(void);
