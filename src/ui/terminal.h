/* Finds the features of the terminal, for the command doctor and for the start of the explorer. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

struct terminal_facts {
	bool input, output; /* whether standard input and output are terminals */
	char term[32];	    /* $TERM; empty: not set */
	bool described;	    /* terminfo describes this terminal */
	bool database;	    /* a terminfo database exists; true if TERM is not set */
	bool addressable;   /* the terminal's cursor can be moved, so full-screen programs work */
	int colours;	    /* 0: none */
	bool utf8;	    /* the locale's character set */
	char charset[32];
	bool no_colour;	   /* $NO_COLOR is set and not empty */
	int width, height; /* 0: unknown */
};

void terminal_read(struct terminal_facts *facts);

/* Whether the locale's character set is UTF-8. */
bool terminal_is_utf8(void);

/* Checks that the explorer can open on this terminal. STATUS_USAGE: the explorer cannot open, and
 * the message has the reason. Pure. */
struct status terminal_usable(const struct terminal_facts *facts);
