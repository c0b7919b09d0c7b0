/* The explorer: starts the worker and a session, and runs until the user quits, a signal ends it,
 * or its input does. */
#ifndef SLX_UI_UI_H
#define SLX_UI_UI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "experiment/setting/setting.h"

struct ui_options {
	struct setting setting; /* where to start */
	int cpu;		/* the core to measure; -1: the worker chooses */
	uint64_t seed;
	const char *invocation; /* options that y must repeat ("--cpu 3"), or "" */
	const char *
		uarch; /* the core to predict for, by a name that is known; NULL: the running one */
	const char *const *events; /* to count besides the core's own, by names that libpfm has */
	int event_count;
	struct replay *replay; /* plays it: no worker is started, nothing is measured; NULL: none */
	const char *record;    /* a file to record to from the start; NULL: none */
	char *recorded; /* room for 200 bytes: what was being recorded in the end, in words; NULL:
			   nobody asks */
	bool ascii;	/* nothing beyond ASCII; chosen by itself where the locale is not UTF-8 */
	const char
		*script; /* run this file instead of a terminal; "-": standard input; NULL: none */
	FILE *out;	 /* where a script's dumps go; NULL: standard output */
};

/* Runs on the terminal, or through the script; setlocale() comes before. STATUS_USAGE when there is
 * no terminal that a full-screen program can use (nothing is written then), when the core cannot be
 * had, or when a script's line is wrong; STATUS_FAILED when nothing can be measured. The terminal
 * is then as before. exit_status is set when the status is OK: 0, or 128 + the number of the signal
 * that ended it. */
struct status ui_run(const struct ui_options *options, int *exit_status);

#endif
