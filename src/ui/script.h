/* Runs a file of commands without a terminal: a test can do what a key does.
 *
 * A line is a command (explorer/command.h), empty, a comment ("# …"), or one of
 * - key NAME: press a key of data/keys
 * - type TEXT: press the key of each character
 * - resize WxH: change the size of the screen
 * - wait: until all requested settings are measured
 * - live: until the present setting has a final value, or cannot have one
 * - figure: until the present setting has a value, also a provisional one
 * - pass SECONDS: let time pass (tests with a simulated clock)
 * - dump [FILE]: the screen as text, after a line "=== WxH" on the output, or alone in a file
 * - panel NAME …: the same of these panels alone, each after a line "=== NAME, WxH" */
#pragma once

#include <stdio.h>

#include "base/status.h"
#include "engine/engine.h"
#include "ui/frontend.h"

/* The time of a script: the steady clock, or a simulated one in tests. */
struct script_clock {
	void *context;
	double (*now)(void *context); /* seconds */
	/* Lets at most `seconds` pass; returns earlier if the descriptor (-1: none) becomes
	 * readable. */
	void (*pass)(void *context, double seconds, int descriptor);
};

extern const struct script_clock script_steady_clock;

/* Runs the file ("-": standard input) until its end or quit. STATUS_USAGE "FILE:LINE: reason": a
 * line is wrong. STATUS_FAILED: a wait timed out. */
struct status script_run(struct frontend *front, const struct engine *engine, const char *path,
	const struct script_clock *clock, FILE *out);
