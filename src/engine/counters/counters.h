/* Performance counters: plans, results and available events. Plans (events to count) and results of
 * counting are plain data; the event names are from libpfm4. The functions in counting.h count the
 * events.
 *
 * In this file, an event is a name in libpfm's spelling: "skl::UOPS_ISSUED:ANY",
 * "perf::PERF_COUNT_HW_INSTRUCTIONS" or "perf_raw::r00c0". The layer of code above the engine knows
 * the meaning of events (model/counts/events.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { COUNTER_NAME = 160, COUNTERS_MAX = 40 };

struct counter_event {
	char name[COUNTER_NAME];
	bool must; /* all code raises this event (cycles, instructions, micro-ops): a value of 0
		      means that the event does not work */
};

/* The hardware events to count while a kernel runs. Each request to the engine contains a counter
 * plan: the events to count. */
struct counter_plan {
	uint32_t id; /* id of the plan of events, chosen by the caller and copied to the results; 0:
			no event is counted */
	int count;
	int cycles; /* index of the event that counts core cycles; if the event works, it is the
		       clock of trials; -1: the plan has no such event */
	struct counter_event event[COUNTERS_MAX];
};

/* Outcome of counting one event. */
enum count_state {
	COUNT_NONE = 0, /* the event is not counted yet */
	COUNT_KNOWN,
	COUNT_SCALED, /* an estimate, scaled by enabled time ÷ running time, because the event
			 shared its counter with other events */
	COUNT_SILENT, /* the event can be opened, but its count has never risen, even under the test
			 workload: the event may not work here */
	COUNT_UNNAMED, /* libpfm does not know this event name, or not in this form */
	COUNT_REFUSED, /* the operating system refuses the event: see `error` */
	COUNT_HELD,    /* the event can be opened but is never counted: the NMI watchdog or another
			  profiler holds the counters */
};

struct count {
	enum count_state state;
	double value, lo,
		hi;  /* median and quartiles of the event's count over the counting passes, per
			element; valid only in the states COUNT_KNOWN and COUNT_SCALED */
	float share; /* running time of the event ÷ its enabled time, 0…1 */
	unsigned passes;
	int error; /* errno of the refused event, in the state COUNT_REFUSED */
};

/* The results of a plan. */
struct counts {
	uint32_t id; /* id of the plan of events to which the counts belong; 0: no plan */
	int count; /* number of counted events, in the order of the plan; 0: counting is impossible,
		      see `why` */
	int groups; /* number of passes that count each event once; 1 if the processor has enough
		       counters for all events */
	int next; /* number of the counting pass (one group of events) that the next request begins
		     with, if this request had no time for all passes */
	bool direct;   /* true: an instruction reads the counters, without a system call */
	char why[160]; /* reason why no event was counted, one line for the user; empty: some events
			  were counted */
	char pmu[40];  /* the kernel's name of the performance monitoring unit (PMU): "cpu"; on
			  hybrid machines "cpu_core" or similar */
	struct count event[COUNTERS_MAX];
};

bool count_known(const struct count *count); /* whether the state is COUNT_KNOWN or COUNT_SCALED, in
						which the value is valid */

/* The event's state in words: "stays at zero in a loop in which most events occur". For
 * COUNT_REFUSED, the text includes the reason from `error`. The text of the event's state is empty
 * only for COUNT_KNOWN. */
void count_words(const struct count *count, char *buffer, size_t size);

/* One hardware event that libpfm knows, as shown in lists and search results. */
struct counter_offer {
	char name[COUNTER_NAME];
	char help[160]; /* libpfm's description of the event, cut to the size of this buffer */
};

/* Loads libpfm. STATUS_FAILED: libpfm is not installed, or cannot be used here. Any thread. */
struct status counters_ready(void);

/* Finds events with every word in the name or description. The words are separated by blanks, in
 * upper or lower case; an empty string matches all events. The function searches the events of
 * Linux itself and the events of `pmu`, a name from a core model. If pmu is NULL or unknown to
 * libpfm, counters_search() searches the events of the processor that libpfm detects.
 * counters_search() fills at most `most` entries of the list of found events, and returns the
 * number of matching events. A search for events lasts 1 to 2 ms. Any thread. */
size_t counters_search(
	const char *words, const char *pmu, struct counter_offer *offers, size_t most);

/* An encoded event: the fields of perf_event_attr. */
struct counter_code {
	uint32_t type;
	uint64_t config, config1, config2;
	bool beyond; /* the code asks for events outside this machine's user space (kernel, guest),
			which are always refused */
};

/* Encodes a name, for any processor that libpfm knows. If the status is STATUS_USAGE, its text
 * gives libpfm's reason and the nearest event names of the same PMU, and *code is 0. Any thread. */
struct status counters_encode(const char *name, struct counter_code *code);

/* Sets the environment variable that libpfm reads. Call counters_begin() before other threads
 * start, because other threads may read the environment. Each function of counters.h except
 * counters_begin() loads libpfm at its first call. */
void counters_begin(void);

/* The version of libpfm: "4.13". */
const char *counters_version(void);
