/* The command language: what keys, scripts and lessons all use. A command is a row with its name,
 * arguments, help and functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct session;

enum {
	COMMAND_FOUND = 1,    /* offered by find: makes sense on its own, from anywhere */
	COMMAND_VERBATIM = 2, /* its argument is all that follows one blank, blanks included */
};

struct command_row {
	const char *name;      /* one or two words: "pin swap" */
	const char *arguments; /* as shown in help: "KNOB=VALUE …"; "" for none, [brackets] when
				  optional */
	const char *help;
	/* A command without arguments has act(), a command with arguments has run(). */
	struct status (*act)(struct session *session);
	struct status (*run)(struct session *session, const char *arguments);
	/* Why the command cannot run now; it is then not called. NULL: it always can. */
	struct status (*refusal)(const struct session *session);
	/* Whether the command would do anything now; NULL: whenever it is not refused. */
	bool (*useful)(const struct session *session);
	bool (*works)(const struct session *session, const char *arguments); /* with arguments */
	unsigned flags;							     /* COMMAND_ bits */
	const char *given; /* what run() and works() get in place of arguments; NULL: these */
};

/* Every command, in the order of help, ended by a NULL name. */
const struct command_row *command_rows(void);
