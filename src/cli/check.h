/* The checks of the subcommand doctor. Each check reports one property of the machine that affects
 * measurements.
 *
 * To add a check, write its function and its table row in check.c, and its texts in data/checks.
 * The only input of a check is a struct examination. */
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
	CHECK_OK,   /* the check found no problem */
	CHECK_NOTE, /* the finding is useful to know; measured values remain correct */
	CHECK_BAD,  /* the problem makes results less accurate or disables a feature */
};

struct check {
	const char *name; /* the name of the check, which stays the same in later versions, so that
			     scripts can search for it */
	enum check_state state;
	char finding[300];
	char advice[300]; /* how to fix the problem; empty: no advice */
	double value;	  /* the result of the check as a number; NAN: the result is not a number */
	char unit[16];	  /* unit of `value`; empty if `value` is NAN */
};

/* Returns the name of a check's state: "ok", "note" or "bad". */
const char *check_state_name(enum check_state state);

/* The input of all checks. */
struct examination {
	struct environment environment;
	/* CPU times of the measured core, before and after the measurement. */
	struct cpu_times before, after;
	/* errno of the attempt to open a cycle counter; 0: the counter could be opened. */
	int counter_error;
	struct pmu pmu;
	/* Events that the quick measurement of doctor counted; NULL: unknown. */
	const struct event_plan *events;
	struct counts counts; /* event counts of the quick measurement of doctor */
	const struct machine *machine;
	struct sample sample; /* result of the quick measurement of doctor; `sample.valid` is false
				 if the measurement failed */
	char failure[STATUS_TEXT]; /* why the quick measurement of doctor failed */
	/* Page size of the working set in the quick measurement of doctor: "4k", "huge", "mixed";
	 * empty: unknown. */
	char pages[16];
	struct terminal_facts terminal;
	bool root; /* the effective user of the program is root */
};

/* check_count() returns the number of checks; check_make() runs one check. */
size_t check_count(void);
struct check check_make(size_t index, const struct examination *examination);
