/* An event of the counters, as `slexplore events` shows it. */
#ifndef SLX_CLI_EVENT_H
#define SLX_CLI_EVENT_H

#include "model/counts/events.h"

/* What can be counted here, before the first event is written. Part of a report. */
struct event_survey {
	const char *words; /* searched for; NULL: the core's own events are listed */
	const char *pmu;   /* libpfm's name of the core's PMU; "": none */
	bool generic; /* the core is unknown, or its file names no events: those of the kernel */
	const char *doubt; /* what is wrong with the file that should name them; "": nothing */
	const char *why;   /* why there are no counters, one line; "": there are, or nobody tried */
	bool tried;	   /* they were opened on this machine */
	int lacking_count; /* roles that no event is there for */
	const enum event_role *lacking;
};

struct event_line {
	const char *role;  /* "ports p2 p3", "l1-misses"; "" in a search */
	const char *title; /* the same for people; likewise */
	const char *name;  /* as libpfm spells it */
	const char
		*state; /* "known", "refused" …; "": not tried, or there are no counters at all */
	const char *note; /* why it cannot be counted, or what is wrong with what is; "" */
	const char *help; /* libpfm's description; "": it has none */
};

#endif
