/* What a core's counters say: each of its events has a role, so that what was counted stands beside
 * what the model says.
 *
 * The events of a core stand in its file (`pmu`, `event`; data/uarch/README.md); those that the
 * kernel names for every processor, for cores that have none, in data/events. To add a role: its
 * row in events.c, and where the model has a figure for it, its line in events_modelled(). */
#ifndef SLX_MODEL_COUNTS_EVENTS_H
#define SLX_MODEL_COUNTS_EVENTS_H

#include "engine/counters/counters.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

enum event_role {
	ROLE_CYCLES,	    /* "cycles" */
	ROLE_INSTRUCTIONS,  /* "instructions": retired */
	ROLE_UOPS,	    /* "uops": fused micro-ops, slots at rename */
	ROLE_UOPS_RETIRED,  /* "uops-retired" */
	ROLE_UOPS_EXECUTED, /* "uops-executed": begun on ports */
	ROLE_PORTS,	    /* "ports P…": micro-ops begun on one port, or on any of a group */
	ROLE_DISPATCHED, /* "dispatched WORDS": where there are no ports: "fp", "integer", "loads" …
			  */
	ROLE_LOADS,	 /* "loads" */
	ROLE_STORES,	 /* "stores" */
	ROLE_BRANCHES,	 /* "branches" */
	ROLE_MISPREDICTIONS, /* "mispredictions" */
	ROLE_L1_MISSES,	     /* "l1-misses": of data */
	ROLE_L2_MISSES,	     /* "l2-misses" */
	ROLE_L3_MISSES,	     /* "l3-misses" */
	ROLE_DTLB_MISSES,    /* "dtlb-misses": of the first level */
	ROLE_DTLB_WALKS,     /* "dtlb-walks": of the last level */
	ROLE_STALLED, /* "stalled WORDS": cycles in which nothing went on, and why: "back end",
			 "load queue full" */
	ROLE_EXTRA,   /* asked for by name; in no file */
	ROLE_COUNT
};

const char *role_name(enum event_role role);  /* "l1-misses" */
const char *role_title(enum event_role role); /* "L1 misses": for people */
enum event_role role_find(const char *name);  /* ROLE_COUNT: none */
bool role_must(enum event_role role);	      /* whatever runs raises it */
/* Whether each core has at most one event of it: all but ports, dispatched, stalled and extra. */
bool role_single(enum event_role role);

enum { EVENT_WORDS = 40, EVENT_TITLE = 64 };

/* One event of a core's file. */
struct uarch_event {
	enum event_role role;
	uint32_t ports;		 /* ROLE_PORTS: a bit for each of the core's ports */
	char words[EVENT_WORDS]; /* ROLE_DISPATCHED, ROLE_STALLED: what; else "" */
	char core[24]; /* in whose file it stands, and whose ports those are; "": in none */
	char name[COUNTER_NAME]; /* with its PMU */
	char title[EVENT_TITLE]; /* for people: "L1 misses", "p2 p3", "stalled: back end"; of an
				    extra one its name, cut */
	uint32_t tags;		 /* sources, as in struct uarch_class */
};

/* The events of a core, in the order of its file. */
int uarch_event_count(const struct uarch *uarch);
const struct uarch_event *uarch_event(const struct uarch *uarch, int index);
const char *uarch_pmu(const struct uarch *uarch); /* libpfm's name of its counters' PMU; "": none */

/* What each event of a counter plan means. */
struct event_plan {
	struct counter_plan counters;
	struct uarch_event meaning[COUNTERS_MAX]; /* as counters.event */
	bool generic;  /* the kernel's own names: this core has no events of its own in its file */
	int left_out;  /* that found no room */
	char why[244]; /* what is wrong with the file that should name them, which then goes unused;
			  "": nothing */
};

/* Fills a plan: the events of a core (NULL: those of data/events, also where its file names none)
 * in the order of the roles, so that cycles and instructions stand in the first pass, then `extra`
 * names; a name once. Where there are more than find room, the last of the core's are left out
 * before any extra one is. The id is the caller's to set, and must change whenever the plan does.
 */
void events_plan(const struct uarch *uarch, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* The same for this machine: its core is recognised and loaded, whichever core limits are asked
 * for. */
void events_plan_here(const struct machine *machine, const char *const *extra, int extra_count,
	struct event_plan *plan);

/* What the model says an event counts, per element; NAN: it says nothing of it, or cannot as
 * something in the loop is unknown. Cycles are NAN as well: a prediction is no count. Micro-ops and
 * ports are those of the core that was asked about, and NAN where the event is another core's.
 * explanation may be NULL. */
double events_modelled(const struct uarch_event *meaning, const struct explanation *explanation);

/* The title of one event, as its title says; of one without it, put together anew. uarch names
 * ports; may be NULL. */
void events_title(
	const struct uarch_event *meaning, const struct uarch *uarch, char *buffer, size_t size);

/* Roles that a plan has no event for, in the order of the roles (stalled and extra never count as
 * lacking; dispatched stands in for ports). Returns how many. */
int events_lacking(const struct event_plan *plan, enum event_role roles[ROLE_COUNT]);

/* Reads lines `event ROLE … = NAME [TAG]` alone, as data/events has them: at most `most`.
 * STATUS_FAILED with origin, line and reason for any other text. */
struct status events_parse(
	const char *text, const char *origin, struct uarch_event *event, int most, int *count);

#endif
