/* Runs a file of commands without a terminal: what a key does, a test can do.
 *
 * Lines are the command language (explorer/command.h), empty, comments ("# …"), or one of
 * - key NAME: press a key of data/keys
 * - type TEXT: press the key of each character
 * - resize WxH: another size of screen
 * - wait: until everything that was asked for is measured
 * - live: until the present setting has a figure that is not provisional, or cannot have one
 * - figure: until it has a figure, be it provisional
 * - pass SECONDS: let time pass (tests with a made-up clock)
 * - dump [FILE]: the screen as text: after a line "=== WxH" on the output, or alone into a file
 * - panel NAME …: the same of these panels alone, each after a line "=== NAME, WxH" */
#ifndef SLX_UI_SCRIPT_H
#define SLX_UI_SCRIPT_H

#include <stdio.h>

#include "base/status.h"
#include "engine/engine.h"
#include "ui/frontend.h"

/* Time for a script: the steady clock, or a made-up one in tests. */
struct script_clock {
	void *context;
	double (*now)(void *context); /* seconds */
	/* Lets time pass: at most that long, less when the descriptor (-1: none) becomes readable.
	 */
	void (*pass)(void *context, double seconds, int descriptor);
};

extern const struct script_clock script_steady_clock;

/* Runs the file ("-": standard input) up to its end or quit. STATUS_USAGE "FILE:LINE: reason" for a
 * line that cannot be run, STATUS_FAILED for one that waits in vain. */
struct status script_run(struct frontend *front, const struct engine *engine, const char *path,
	const struct script_clock *clock, FILE *out);

#endif
