/* What doctor finds: one check a thing that the machine allows, hinders or hides.
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
	char unit[16];
};

const char *check_state_name(enum check_state state); /* "ok", "note", "bad" */

/* For functions that make one: what was found, more of that, what to do about it, and a figure of
 * it. */
void check_found(struct check *check, enum check_state state, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_add(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
void check_advise(struct check *check, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void check_figure(struct check *check, double value, const char *unit);

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

/* How many checks there are; fills one. */
size_t check_count(void);
void check_make(size_t index, const struct examination *examination, struct check *check);

/* Whether this is a virtual machine. */
static inline bool check_virtual_machine(const struct examination *x)
{
	return x->environment.hypervisor == 1 || x->machine->virtualised;
}

/* Those about counters, in check_counters.c. */
void check_counters(const struct examination *x, struct check *check);
void check_reading(const struct examination *x, struct check *check);
void check_paranoid(const struct examination *x, struct check *check);
void check_watchdog(const struct examination *x, struct check *check);
void check_pmu(const struct examination *x, struct check *check);
void check_events(const struct examination *x, struct check *check);
