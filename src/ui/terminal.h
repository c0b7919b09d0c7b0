/* The abilities of the terminal, for doctor and for the start of the explorer. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

struct terminal_facts {
	bool input, output; /* whether standard input and output are terminals */
	char term[32];	    /* $TERM; empty: not set */
	bool described;	    /* terminfo knows it */
	bool database;	    /* any terminfo exists here; true while TERM is not set */
	bool addressable;   /* the cursor can be moved: full-screen programs work */
	int colours;	    /* 0: none */
	bool utf8;	    /* the locale's character set */
	char charset[32];
	bool no_colour;	   /* $NO_COLOR is set and not empty */
	int width, height; /* 0: unknown */
};

void terminal_read(struct terminal_facts *facts);

/* Whether the explorer can open there. STATUS_USAGE: the reason. Pure. */
struct status terminal_usable(const struct terminal_facts *facts);
