/* Finds the features of the terminal, for the command doctor and for the start of the explorer. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

struct terminal_facts {
	bool input, output; /* whether standard input and output are terminals */
	char term[32];	    /* $TERM; empty: not set */
	bool described;	    /* terminfo describes this terminal */
	int error;	    /* errno if the system refused to read the description, otherwise 0 */
	bool database;	    /* a terminfo database exists; true if TERM is not set */
	bool addressable;   /* the terminal's cursor can be moved, so full-screen programs work */
	int colours;	    /* 0: none */
	bool utf8;	    /* the locale's character set */
	char charset[32];
	bool no_colour;	   /* $NO_COLOR is set and not empty */
	int width, height; /* 0: unknown */
};

/* Tries to allocate memory and to read a file. Returns the errno of the attempt that fails; 0: both
 * succeed. Call this function when ncurses fails, because ncurses does not say why. */
int terminal_refused(void);

void terminal_read(struct terminal_facts *facts);

/* Whether the locale's character set is UTF-8. */
bool terminal_is_utf8(void);

/* Checks that the explorer can open on this terminal. If the explorer cannot open, the message has
 * the reason. STATUS_USAGE: the terminal is not suitable; STATUS_FAILED: the system refused to read
 * its description. Pure. */
struct status terminal_usable(const struct terminal_facts *facts);
