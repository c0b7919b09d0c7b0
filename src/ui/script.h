/* Scripts: files of commands that drive the explorer without a terminal. */
#pragma once

#include <stdio.h>

#include "ui/frontend.h"

/* A simulated clock, with which tests run scripts. */
struct script_clock {
	void *context;
	double (*now)(void *context); /* seconds */
	/* Waits until `seconds` have passed or the file descriptor (-1: none) becomes readable. */
	void (*pass)(void *context, double seconds, int descriptor);
};

/* Runs a file of commands without a terminal, so that a test can run every command and key.
 *
 * A line of a script is a command (explorer/command.h), empty, a comment ("# …"), or one of the
 * following. "key NAME" presses a key of data/keys. "type TEXT" presses the key of each character.
 * "click X Y" clicks a cell of the screen, counted from 0. "wheel up X Y" and "wheel down X Y" turn
 * the wheel there. "paste TEXT" pastes a text, in which "\\n" is a line feed.
 * "resize WxH" changes the size of the screen.
 * "wait" waits until all requested settings are measured.
 * "live" waits until the present setting has a final value, or cannot have a final value.
 * "figure" waits until the present setting has a value; a provisional value suffices.
 * "pass SECONDS" lets time pass, in tests with a simulated clock.
 * "dump" writes the screen as text, after a line "=== WxH".
 * "dump FILE" writes the screen as text into a file.
 * "panel NAME …" writes panels as text, each panel after a line "=== NAME, WxH".
 * "help" writes all commands, and also shows the help on the screen.
 *
 * Runs the script file ("-": standard input) until its end or until the command quit. If `clock` is
 * NULL, the script uses the machine's steady clock. STATUS_USAGE: a line is wrong, and the message
 * is "FILE:LINE: reason". STATUS_FAILED: a line of the script waited too long. */
struct status script_run(struct frontend *front, const struct engine *engine, const char *path,
	const struct script_clock *clock, FILE *out);
