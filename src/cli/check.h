/* The checks of doctor: each reports one thing that the machine allows, hinders or hides.
 *
 * To add one: write a function in check.c and its row in the table there. Pure: everything a check
 * looks at is in struct examination. */
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
	CHECK_OK,   /* as one would wish */
	CHECK_NOTE, /* worth knowing; measured values stay true */
	CHECK_BAD,  /* costs accuracy or a feature */
};

struct check {
	const char *name; /* a word, stable: scripts look for it */
	enum check_state state;
	char finding[300];
	char advice[300]; /* what to do about it; empty: nothing */
	double value;	  /* the finding as a number; NAN: none */
	const char *unit; /* NULL where there is no value */
};

const char *check_state_name(enum check_state state); /* "ok", "note", "bad" */

/* A check with this finding; it has no value and no advice. */
struct check check_found(enum check_state state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same with the finding as a number. unit: a constant string. */
struct check check_measured(enum check_state state, double value, const char *unit,
	const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same check with advice. */
struct check check_advised(struct check check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends to the finding. */
void check_add(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Everything that was looked at. */
struct examination {
	struct environment environment;
	struct cpu_times before, after; /* around the measurement, of the measured core */
	int counter_error;		/* errno of opening a cycle counter; 0: there is one */
	struct pmu pmu;
	const struct event_plan *events; /* that the quick request was to count; NULL: unknown */
	struct counts counts;		 /* of it */
	const struct machine *machine;
	struct sample sample; /* of a quick request; valid false: it failed */
	char failure[244];    /* why it failed */
	char pages[16];	      /* that its working set got: "4k", "huge", "mixed"; empty: unknown */
	struct terminal_facts terminal;
	bool root; /* the effective user is root */
};

/* How many checks there are; makes one of them. */
size_t check_count(void);
struct check check_make(size_t index, const struct examination *examination);

/* Whether this is a virtual machine. */
static inline bool check_virtual_machine(const struct examination *x)
{
	return x->environment.hypervisor == 1 || x->machine->virtualised;
}

/* Checks of counters, in check_counters.c. */
struct check check_counters(const struct examination *x);
struct check check_reading(const struct examination *x);
struct check check_paranoid(const struct examination *x);
struct check check_watchdog(const struct examination *x);
struct check check_pmu(const struct examination *x);
struct check check_events(const struct examination *x);
