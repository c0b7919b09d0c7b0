/* The command language: what keys, scripts and lessons all speak. One table row a command.
 *
 * - kernel NAME [KNOB] · kernel next|previous: choose a kernel (and the knob to turn)
 * - kernel PATH [cflags=FLAGS]: open an own loop: ./mine.c, ./mine.S
 * - set KNOB=VALUE …: set knobs
 * - knob NAME · knob next|previous · knob +N|-N: choose a knob; step the chosen one
 * - digit D · entry accept|drop|erase: type a value for the chosen knob
 * - focus next|previous|kernels|knobs|slices|code|counters|mountain: what the arrows act on
 * - move up|down|left|right: by focus: next kernel, knob, value, along the slices, lines of code,
 * over the mountain
 * - remedy: turn the knob that lowers the predicted CPE most
 * - view NAME · view next · code +N|-N: what comes first below the knobs; scroll the code
 * - counters · counters scroll +N|-N: what was counted to the front, or away; scroll it
 * - mountain · relief: the mountain to the front, or away; as a relief, or as cells
 * - whatif [2x|64k|L2 4m|off]: what the walk would miss in other caches
 * - event NAME · event drop [NAME]: count one more event; no more
 * - uarch NAME · uarch · uarch nearest: the core to predict for: another one, this one, the nearest
 * known
 * - pin · pin swap · pin drop: the present result becomes A; A and B swap; forget A
 * - freeze · again: stop and go on; measure everything anew
 * - record · record to FILE: write what is measured to a file, or end that
 * - probe · probe only PART … · probe stop: the memory hierarchy, measured beside; end that
 * - picture [light|dark] [FILE]: a picture of what is in front: FILE.svg, .png, .pdf or .gp
 * - find · find TEXT · choose: look for a kernel, knob or command; take what is marked
 * - help · close · yank · quit: overlays; the command line that reopens this state; end
 */
#ifndef SLX_EXPLORER_COMMAND_H
#define SLX_EXPLORER_COMMAND_H

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
	struct status (*run)(struct session *session, const char *arguments, double now);
	/* Whether run() would do anything now; NULL: always. */
	bool (*works)(const struct session *session, const char *arguments);
	unsigned flags;	   /* COMMAND_ bits */
	const char *given; /* what run() and works() get in place of arguments; NULL: these */
};

/* Every command, in the order of help, ended by a NULL name. */
const struct command_row *command_rows(void);

/* The row that a line (single blanks between words) would run, NULL: none; arguments is what
 * follows its name. */
const struct command_row *command_of(const char *line, const char **arguments);

#endif
