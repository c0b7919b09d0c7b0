/* Performance counters: plans, results and available events. Plain data and libpfm4. counting.h
 * does the counting.
 *
 * Here an event is a name in libpfm's spelling: "skl::UOPS_ISSUED:ANY",
 * "perf::PERF_COUNT_HW_INSTRUCTIONS" or "perf_raw::r00c0". The layer above knows the meaning of
 * events (model/counts/events.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { COUNTER_NAME = 160, COUNTERS_MAX = 40 };

struct counter_event {
	char name[COUNTER_NAME];
	bool must; /* all code raises it (cycles, instructions, micro-ops): a value of 0 means that
		      it does not work */
};

/* The events to count while a kernel runs. Part of each request, by value. */
struct counter_plan {
	uint32_t id; /* chosen by the caller and copied to the results; 0: count nothing */
	int count;
	int cycles; /* index of the event that counts core cycles, the clock of trials if it works;
		       -1: none */
	struct counter_event event[COUNTERS_MAX];
};

/* Outcome of counting one event. */
enum count_state {
	COUNT_NONE = 0, /* not counted yet */
	COUNT_KNOWN,
	COUNT_SCALED, /* an estimate, scaled by enabled ÷ running: the event shared its counter with
			 other events */
	COUNT_SILENT, /* it opens but has never risen, even under the stimulus: it may not work here
		       */
	COUNT_UNNAMED, /* libpfm knows no such event name, or not in this form */
	COUNT_REFUSED, /* the kernel refuses the event: see `error` */
	COUNT_HELD,    /* it opens but never runs: the NMI watchdog or another profiler holds the
			  counters */
};

struct count {
	enum count_state state;
	double value, lo, hi; /* per element: median and quartiles of the passes; valid only if
				 known or scaled */
	float share;	      /* running time ÷ enabled time, 0…1 */
	unsigned passes;
	int error; /* errno of COUNT_REFUSED */
};

/* The results of a plan. */
struct counts {
	uint32_t id; /* id of the plan; 0: no plan */
	int count;   /* events, in the order of the plan; 0: counting is impossible, see `why` */
	int groups;  /* passes that are needed to count each event once; 1 if there are enough
			counters */
	int next; /* first pass of the next request, if this request had no time for all passes */
	bool direct;   /* counters are read without a system call */
	char why[160]; /* one line for the user: reason why no event was counted; "": some were
			  counted */
	char pmu[40];  /* the kernel's name of the PMU: "cpu"; on hybrid machines "cpu_core" or
			  similar */
	struct count event[COUNTERS_MAX];
};

bool count_known(const struct count *count); /* known or scaled: the value is valid */

/* The event's state in words: "stays at zero in a loop in which most events occur". COUNT_REFUSED
 * includes the reason from `error`. Empty only for COUNT_KNOWN. */
void count_words(const struct count *count, char *buffer, size_t size);

/* One event that libpfm knows, for lists and search. */
struct counter_offer {
	char name[COUNTER_NAME];
	char help[160]; /* libpfm's description, cut */
};

/* Finds events with every word in the name or description. words: separated by blanks, upper or
 * lower case; "" matches all events. Searches the kernel's events and the events of `pmu`, which a
 * core model names. If pmu is NULL or unknown to libpfm, it searches the events of the processor
 * that libpfm detects. Fills at most `most` offers; returns the number of matches. Needs 1 to 2 ms.
 * Any thread. */
size_t counters_search(
	const char *words, const char *pmu, struct counter_offer *offers, size_t most);

/* An encoded event: the fields of perf_event_attr. */
struct counter_code {
	uint32_t type;
	uint64_t config, config1, config2;
	bool beyond; /* counts events outside this machine's user space (kernel, guest): always
			refused */
};

/* Encodes a name, for any processor that libpfm knows. STATUS_USAGE: the text gives libpfm's reason
 * and the nearest names of the same PMU, and *code is 0. Any thread. */
struct status counters_encode(const char *name, struct counter_code *code);

/* Sets the environment variable that libpfm reads. Call it before other threads start, because they
 * may read the environment. The other functions initialise libpfm at their first call. */
void counters_begin(void);

/* The version of libpfm: "4.13". */
const char *counters_version(void);
