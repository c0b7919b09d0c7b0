/* Counting on the calling thread. Events are opened in groups that fit the available counters. Each
 * event group is counted in its own pass over the same steady loop. A count per element is a slope:
 * the difference of the counts of two lengths, divided by the difference of their elements.
 *
 * Only user space is counted. Where the kernel allows it, an instruction reads the counters (rdpmc;
 * on AArch64 kernel.perf_user_access=1 is required). If user space may not read the counters,
 * read(2) reads them, outside the timed regions. Between two clock readings, the counting code
 * opens, allocates and prints nothing. */
#pragma once

#include <stdatomic.h>

#include "engine/counters/counter_group.h"
#include "engine/counters/counters.h"
#include "engine/counters/pmu.h"

struct measure;

struct counting_event {
	struct counter_code code;
	enum count_state
		state; /* state of the event; COUNT_NONE: the event is open, or was not tried */
	int error;     /* errno of the refused event, in the state COUNT_REFUSED */
	bool moved;    /* true: the event's value has risen, under the test workload or in a
			  measurement */
};

struct counting {
	const struct perf_calls *calls;
	int cpu;
	const char *root;
	bool probed; /* true: the fields `pmu` and `none` of struct counting are set */
	struct pmu pmu;
	int none; /* errno that explains why hardware counters are not available; 0: counters are
		     available */
	char why[160]; /* reason why hardware counters are not available, in words */

	struct counter_plan plan;
	uint32_t open; /* id of the plan whose events are open; 0: no plan is open */
	struct counting_event event[COUNTERS_MAX];
	int most;      /* maximum number of events in a group: larger groups did not run */
	unsigned uses; /* number of requests since it was found that another program held the
			  counter of an event */
	int group_count;
	int first; /* index of the event group that the next request begins with */
	struct counter_group group[COUNTERS_MAX];
	struct counter_group clock; /* the event that counts core cycles, the clock of trials;
				       clock.count is 0: the event is not open */
	bool clock_runs;
};

/* counting_new() makes no system call; counting_use() makes the first one. The parameter `cpu` is
 * the measured processor, which selects the PMU of a hybrid machine. The parameter `root` of
 * counting_new() is the directory that contains /proc and /sys, "" except in tests. The parameter
 * `calls` (the system calls to use) is &perf_calls_linux, except in tests. *root and *calls must
 * outlive the returned object. */
struct counting *counting_new(int cpu, const char *root, const struct perf_calls *calls);
void counting_free(struct counting *counting);

/* Opens the plan's events, unless a plan with this id is open. counting_use() does nothing if the
 * plan's id is 0. After opening, counting_use() runs a short workload that raises most events, to
 * find the events that stay at zero. Opening needs a few milliseconds. If the machine has no
 * counters, counting_use() makes only one system call after each counting_new(). */
void counting_use(struct counting *counting, const struct counter_plan *plan);

/* In a child process after fork(): opens the parent's events for the calling thread, without the
 * short workload. The child process does not call libpfm: another thread of the parent may have
 * held libpfm's lock at the fork. */
void counting_use_in_child(struct counting *counting);

/* Updates the event states in the parent process from a child's counts. An event whose value rose
 * in a child process is not silent (COUNT_SILENT). The next child process begins with the first
 * group of events that the last child did not reach. */
void counting_learn(struct counting *counting, const struct counts *counts);

/* Whether core cycles are being counted, and can be the clock of trials. */
bool counting_cycles(const struct counting *counting);

/* Returns the core cycles of this thread in user space; only the difference of two readings has a
 * meaning. A direct read of the cycle counter needs less than 100 instructions. If another program
 * has taken the counter, the value has no meaning and counting_cycles() is false afterwards. */
uint64_t counting_read_cycles(struct counting *counting);

/* ---- for counting_passes.c */

/* Whether a hardware counter counts the event with this index in the plan. */
bool counting_is_hardware(const struct counting *counting, int event);

/* Starts the performance counter that trials use as their clock, if the counter is open. */
void counting_start_clock(struct counting *counting);

/* ---- counting_passes.c */

/* Counts every event on a measurement that measure_begin() has begun. counting_measure() makes
 * `passes` counting passes for each group of events, or fewer if passes are slow. Checks *cancel
 * between passes. */
void counting_measure(struct counting *counting, struct measure *measure, unsigned passes,
	const atomic_bool *cancel, struct counts *counts);
