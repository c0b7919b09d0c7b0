/* The command language: what keys, scripts and lessons all speak. One table row a command.
 *
 *   kernel NAME · kernel next|previous        choose a kernel
 *   set KNOB=VALUE …                          set knobs
 *   knob next|previous · knob +N|-N           choose a knob; step the chosen one
 *   digit D · entry accept|drop|erase         type a value for the chosen knob
 *   focus next|previous|kernels|knobs|slices  what the arrows act on
 *   move up|down|left|right                   by focus: next kernel, knob, value, or along the slices
 *   pin · pin swap · pin drop                 the present result becomes A; A and B swap; forget A
 *   freeze · again                            stop and go on; measure everything anew
 *   find · find TEXT · find choose            look for a kernel, knob or command
 *   help · close · yank · quit                overlays; the command line that reopens this state; end
 */
#ifndef SLX_SESSION_COMMAND_H
#define SLX_SESSION_COMMAND_H

#include <stddef.h>

struct command_row {
	const char *name;
	const char *arguments;      /* as shown in help: "KNOB=VALUE …" */
	const char *help;
};

/* Every command, ended by a NULL name: for help, find and the manual. */
const struct command_row *command_rows(void);

#endif
