/* The explorer: starts the worker and a session, and runs until the user quits, a signal arrives or
 * the input ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "experiment/setting/setting.h"

/* What the user opens next, by the command `open`. */
struct ui_next {
	bool asked;		/* the explorer ended because the user opens something else */
	struct replay *replay;	/* the recording to open, owned by the caller; NULL: this machine */
	struct setting setting; /* the setting on screen when the explorer ended; its kernel is NULL
				   for a loop in the user's own file */
	struct text commands;	/* commands to run at the start, one a line; owned by the caller */
	bool swapped;		/* the two recordings were exchanged: ui_options.swapped */
};

struct ui_options {
	struct setting setting; /* the first setting */
	const struct setting
		*compared; /* setting A, with which the first setting is compared; NULL: none */
	int cpu;	   /* the core to measure; -1: the worker chooses */
	uint64_t seed;
	const char *invocation; /* options ("--cpu 3") to repeat in the command line that the key y
				   shows; "": no options */
	const char *uarch; /* the name of the core model for predictions; NULL: the model of the
			      running core */
	const char *const
		*events; /* events to count in addition to the core's own, by their libpfm names */
	int event_count;
	struct replay *replay; /* the recording to replay, without a worker and without measuring;
				  NULL: no replay */
	const char *record;    /* the file of a recording that begins at the start of the explorer;
				  NULL: no recording */
	const char *const *commands; /* commands of the explorer to run at the start */
	int command_count;
	bool swapped;	      /* the explorer before exchanged the two recordings */
	bool offer;	      /* offer to open the last setting of the session before */
	struct ui_next *next; /* receives what the user opens next; NULL: the command `open` is
				 refused */
	char *recorded;	   /* buffer of 200 bytes for a sentence about the recording, written at the
			      end; NULL: not needed */
	bool saved;	   /* read and write the file of saved settings; scripts never do */
	bool mouse;	   /* use the mouse in this session, whatever the saved setting is */
	const char *theme; /* name of the theme in this session; NULL: the theme that the
			      environment variable SLEXPLORE_THEME names, else the saved one */
	bool ascii; /* the screen uses only ASCII characters; the default in a locale without UTF-8
		     */
	const char *script; /* run this script instead of opening the terminal; "-": standard input;
			       NULL: no script */
	FILE *out;	    /* the output of a script; NULL: standard output */
};

/* Runs the explorer on the terminal, or runs the script. Call setlocale() first. STATUS_USAGE: the
 * terminal allows no full-screen program (then nothing is written), the core is not available, or a
 * script line is wrong. STATUS_FAILED: nothing can be measured. The terminal is always restored. If
 * the status is OK, sets exit_status to 0, or to 128 + the number of the signal that ended the
 * program. */
struct status ui_run(const struct ui_options *options, int *exit_status);

/* The screen of a class: see class_view.h. */
struct ui_class_options {
	char *const *paths; /* files and folders of answers, at least one */
	int path_count;
	const char *theme; /* NULL: the theme that SLEXPLORE_THEME names, else that of the terminal
			    */
	bool ascii;
};

/* Follows the answers of a class on the terminal until the user quits. STATUS_USAGE: the terminal
 * allows no full-screen program, or a path cannot be read. If a signal ends the program, sets
 * exit_status to 128 + its number. */
struct status ui_class(const struct ui_class_options *options, int *exit_status);
