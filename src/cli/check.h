/* What doctor finds: one check a thing that the machine allows, hinders or hides.
 *
 * To add one: write a function in check.c and its row in the table there. Pure: everything a check looks at is
 * in struct examination. */
#ifndef SLX_CLI_CHECK_H
#define SLX_CLI_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/terminal.h"
#include "engine/environment.h"
#include "engine/machine.h"
#include "engine/trials.h"

enum check_state {
	CHECK_OK,        /* as one would wish */
	CHECK_NOTE,      /* worth knowing; figures stay true */
	CHECK_BAD,       /* costs accuracy or a feature */
};

struct check {
	const char *name;           /* a word, stable: scripts look for it */
	enum check_state state;
	char finding[300];
	char advice[300];           /* what to do about it; empty: nothing */
	double value;               /* the finding as a figure; NAN: none */
	char unit[16];
};

/* Everything that was looked at. */
struct examination {
	struct environment environment;
	struct cpu_times before, after;      /* around the measurement, of the measured core */
	int counter_error;                   /* errno of opening a cycle counter; 0: there is one */
	const struct machine *machine;
	struct sample sample;                /* of a quick request; valid false: it failed */
	char failure[244];                   /* why it failed */
	char pages[16];                      /* that its working set got: "4k", "huge", "mixed"; empty: unknown */
	struct terminal_facts terminal;
	bool root;                           /* the effective user is root */
};

const char *check_state_name(enum check_state state);      /* "ok", "note", "bad" */

/* How many checks there are; fills one. */
size_t check_count(void);
void check_make(size_t index, const struct examination *examination, struct check *check);

#endif
