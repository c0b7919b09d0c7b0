/* The checks of doctor. Each check reports one property of the machine that affects measurements.
 *
 * To add one: write a function in check.c and its row in the table there, and its texts in
 * data/checks. The only input of a check is struct examination. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/counters/counters.h"
#include "engine/counters/pmu.h"
#include "engine/machine/environment.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "ui/terminal.h"

struct event_plan;

enum check_state {
	CHECK_OK,   /* no problem */
	CHECK_NOTE, /* useful to know; measured values remain correct */
	CHECK_BAD,  /* costs accuracy or a feature */
};

struct check {
	const char *name; /* a stable word that scripts can search for */
	enum check_state state;
	char finding[300];
	char advice[300]; /* how to fix the problem; empty: no advice */
	double value;	  /* the finding as a number; NAN: none */
	char unit[16];	  /* empty if there is no value */
};

const char *check_state_name(enum check_state state); /* "ok", "note", "bad" */

/* The input of all checks. */
struct examination {
	struct environment environment;
	struct cpu_times before, after; /* of the measured core, before and after the measurement */
	int counter_error; /* errno of opening a cycle counter; 0: it could be opened */
	struct pmu pmu;
	const struct event_plan *events; /* events requested in the quick request; NULL: unknown */
	struct counts counts;		 /* of the quick request */
	const struct machine *machine;
	struct sample sample;	   /* of a quick request; valid false: it failed */
	char failure[STATUS_TEXT]; /* why it failed */
	char pages[16]; /* page size of its working set: "4k", "huge", "mixed"; empty: unknown */
	struct terminal_facts terminal;
	bool root; /* the effective user is root */
};

/* check_count() returns the number of checks; check_make() runs one check. */
size_t check_count(void);
struct check check_make(size_t index, const struct examination *examination);
