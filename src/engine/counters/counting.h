/* Counting on the calling thread: events opened in groups that fit the counters there are, one pass
 * over the same steady loop for each group, slopes as for time.
 *
 * Only user space is counted. A counter is read by an instruction where the kernel allows it
 * (rdpmc; AArch64 with kernel.perf_user_access=1), by read() otherwise, and then outside the timed
 * regions. Nothing is opened, allocated or printed between two clock readings. */
#pragma once

#include <stdatomic.h>

#include "engine/counters/counter_group.h"
#include "engine/counters/counters.h"
#include "engine/counters/pmu.h"

struct measure;

struct counting_event {
	struct counter_code code;
	enum count_state state; /* COUNT_NONE: it is open, or was not tried */
	int error;		/* of COUNT_REFUSED */
	bool moved;		/* it rose once, under the stimulus or in a measurement */
};

struct counting {
	const struct perf_calls *calls;
	int cpu;
	const char *root;
	bool probed; /* pmu and none are known */
	struct pmu pmu;
	int none;      /* why nothing that the processor counts can be had: an errno; 0: it can */
	char why[160]; /* the same for people */

	struct counter_plan plan;
	uint32_t open; /* the id of the plan that is open; 0: none */
	struct counting_event event[COUNTERS_MAX];
	int most;      /* events of a group: no more than this have been seen to run */
	unsigned uses; /* since some event was found held by others */
	int group_count;
	int first; /* the group whose turn it is */
	struct counter_group group[COUNTERS_MAX];
	struct counter_group clock; /* core cycles, for trials; count 0: none */
	bool clock_runs;
};

/* Opens nothing, and asks the system nothing before counting_use(). cpu: the measured processor,
 * which selects the PMU of a hybrid machine. root: the directory of /proc and /sys, "" but in
 * tests; kept. */
struct counting *counting_new(int cpu, const char *root);
/* The same with other system calls, which must outlive it: for tests. */
struct counting *counting_new_with(int cpu, const char *root, const struct perf_calls *calls);
void counting_free(struct counting *counting);

/* Opens the events of the plan, unless the plan of that id is open; nothing when its id is 0. The
 * first time it also runs a short workload that raises most events, to find those that stay at
 * zero. Takes some milliseconds once; without counters, one system call for each counting_new(). */
void counting_use(struct counting *counting, const struct counter_plan *plan);

/* In a child after fork(): opens the same events for the calling thread, without trying them. Does
 * not call libpfm, whose lock another thread of the parent may have held. */
void counting_use_in_child(struct counting *counting);

/* Takes the counts of a child: events that rose there are not silent, and the next child begins
 * where this one ended. */
void counting_learn(struct counting *counting, const struct counts *counts);

/* Whether core cycles are counted, and can be the clock of trials. */
bool counting_cycles(const struct counting *counting);

/* Core cycles of user space on this thread; only differences have a meaning. Takes less than 100
 * instructions where counters are read directly. When another program has taken the counter,
 * counting_cycles() is false afterwards and the value has no meaning. */
uint64_t counting_read_cycles(struct counting *counting);

/* Counts every event over a measure that has begun (measure_begin()): `passes` slopes for each
 * group, fewer where they take long. Checks *cancel between passes. */
void counting_measure(struct counting *counting, struct measure *measure, unsigned passes,
	const atomic_bool *cancel, struct counts *counts);
