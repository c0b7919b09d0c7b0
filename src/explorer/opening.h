/* The opening: commands that a session runs at its start, one after another, each as soon as it can
 * have an effect. */
#pragma once

#include <stdbool.h>

struct session;

struct opening {
	char **command; /* `count` commands, owned; NULL: none */
	int count, next;
	bool running; /* a command of the opening is run now */
	bool waiting; /* the next command waits for the engine or for the limits */
};

/* Adds a command to those that are run from now on. */
void opening_add(struct session *session, const char *command);
/* Discards the remaining commands, unless one of them runs now. */
void opening_stop(struct session *session);
/* Whether opening_advance() must be called at once. */
bool opening_due(const struct session *session);
void opening_end(struct session *session);
