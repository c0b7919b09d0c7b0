/* The commands that a session runs by itself at its start, one after another, each as soon as the
 * command can have an effect. */
#pragma once

#include <stdbool.h>

struct session;

struct opening {
	char **command; /* `count` commands, owned; NULL: none */
	int count, next;
	bool running; /* one of the commands for the session's start is running */
	bool waiting; /* the next command for the session's start waits for the engine or for the
			 limits */
};

/* Adds a command to the list of commands that the session runs by itself at its start. */
void opening_add(struct session *session, const char *command);
/* Discards the remaining commands of the session's start, unless one of them is running now. */
void opening_stop(struct session *session);
/* Whether a command for the session's start can run now, so that opening_advance() must be called
 * at once. */
bool opening_due(const struct session *session);
void opening_end(struct session *session);

/* Whether a command in the file of saved settings or in a lesson is safe to run, whoever wrote the
 * file: the command only changes what is on screen. */
bool opening_harmless(const char *command);
