/* Performance counters: what to count, what was counted, and the events that there are. Plain data
 * and libpfm4; the counting itself is in counting.h.
 *
 * Which events say what of a core is data of the layer above (model/counts/events.h); here an event
 * is a name that libpfm spells, as "skl::UOPS_ISSUED:ANY", "perf::PERF_COUNT_HW_INSTRUCTIONS" or
 * "perf_raw::r00c0". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { COUNTER_NAME = 160, COUNTERS_MAX = 40 };

struct counter_event {
	char name[COUNTER_NAME];
	bool must; /* all code raises it (cycles, instructions, micro-ops): at zero it does not
		      work */
};

/* What to count around a kernel. Part of each request, by value. */
struct counter_plan {
	uint32_t id; /* the caller's own; what was counted carries it. 0: count nothing */
	int count;
	int cycles; /* index of the event that counts core cycles: the clock of trials when it
		       works; -1: none */
	struct counter_event event[COUNTERS_MAX];
};

/* How counting one event went. */
enum count_state {
	COUNT_NONE = 0, /* not yet */
	COUNT_KNOWN,
	COUNT_SCALED,  /* the kernel took turns with other events: an estimate, scaled by enabled ÷
			  running */
	COUNT_SILENT,  /* it opens, and has never risen, even where most events do: whether it works
			  here is not known */
	COUNT_UNNAMED, /* libpfm has no event of that name, or not of that form */
	COUNT_REFUSED, /* the kernel refuses it: error says why */
	COUNT_HELD, /* it opens and never runs: others hold the counters (the NMI watchdog, another
		       profiler) */
};

struct count {
	enum count_state state;
	double value, lo, hi; /* per element: median and quartiles of the passes; meaningful when
				 known or scaled */
	float share;	      /* of the time that it was running while enabled, 0…1 */
	unsigned passes;
	int error; /* errno of COUNT_REFUSED */
};

/* What was counted of a plan. */
struct counts {
	uint32_t id; /* of the plan; 0: nothing was asked for */
	int count;   /* events, in the order of the plan; 0: none could be counted at all, and why
			says so */
	int groups;  /* passes that it took to count each once: one, where the counters suffice */
	int next;    /* the pass that the next request begins with, where all took too long for this
			one */
	bool direct; /* counters are read without a system call */
	char why[160]; /* one line for people: why there are none, "" when there are */
	char pmu[40];  /* the kernel's name of what counted: "cpu"; on machines of several kinds of
			  processors "cpu_core" */
	struct count event[COUNTERS_MAX];
};

bool count_known(const struct count *count); /* known or scaled: value may be shown */

/* In words for people what a state means for an event: "stays at zero, even where most events
 * rise". For COUNT_REFUSED with the reason of error. Never empty but for COUNT_KNOWN. */
void count_words(const struct count *count, char *buffer, size_t size);

/* One event that libpfm knows, for lists and search. */
struct counter_offer {
	char name[COUNTER_NAME];
	char help[160]; /* libpfm's description, cut */
};

/* Events whose name or description holds every one of the words (blank-separated, any case; "":
 * all): the kernel's, and those of `pmu`, which a core model names; where that is NULL, or libpfm
 * does not know it, of the processor that libpfm sees. Fills at most `most`; returns how many there
 * are in all. Takes a millisecond or two. Any thread. */
size_t counters_search(
	const char *words, const char *pmu, struct counter_offer *offers, size_t most);

/* The whole encoding: what perf_event_attr gets. */
struct counter_code {
	uint32_t type;
	uint64_t config, config1, config2;
	bool beyond; /* not (or not only) user space of this machine: always refused */
};

/* Encodes a name, for any processor that libpfm knows. STATUS_USAGE gives libpfm's reason and the
 * nearest names of the same PMU; *code is then 0. Any thread. */
struct status counters_encode(const char *name, struct counter_code *code);

/* Sets what libpfm reads from the environment. Call it before there are threads, which may read the
 * environment; everything else here does the rest when it is first called. */
void counters_begin(void);

/* "4.13": which libpfm this is. */
const char *counters_version(void);
