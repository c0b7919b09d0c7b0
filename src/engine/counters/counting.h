/* Counting on the calling thread. Events are opened in groups that fit the available counters. Each
 * group is counted in its own pass over the same steady loop. Counts per element are slopes, like
 * times.
 *
 * Only user space is counted. Where the kernel allows it, an instruction reads the counters (rdpmc;
 * on AArch64 kernel.perf_user_access=1 is required). Otherwise read() reads them, outside the timed
 * regions. Between two clock readings this code opens, allocates and prints nothing. */
#pragma once

#include <stdatomic.h>

#include "engine/counters/counter_group.h"
#include "engine/counters/counters.h"
#include "engine/counters/pmu.h"

struct measure;

struct counting_event {
	struct counter_code code;
	enum count_state state; /* COUNT_NONE: the event is open, or was not tried */
	int error;		/* errno of COUNT_REFUSED */
	bool moved;		/* the event has risen, under the stimulus or in a measurement */
};

struct counting {
	const struct perf_calls *calls;
	int cpu;
	const char *root;
	bool probed; /* the fields pmu and none are set */
	struct pmu pmu;
	int none; /* errno that explains why hardware counters are not available; 0: available */
	char why[160]; /* the same reason in words */

	struct counter_plan plan;
	uint32_t open; /* id of the open plan; 0: no plan is open */
	struct counting_event event[COUNTERS_MAX];
	int most;      /* maximum number of events in a group: larger groups did not run */
	unsigned uses; /* requests since an event was found held by another program */
	int group_count;
	int first; /* the group that the next request begins with */
	struct counter_group group[COUNTERS_MAX];
	struct counter_group clock; /* core cycles, the clock of trials; count 0: not open */
	bool clock_runs;
};

/* Makes no system call; counting_use() makes the first one. cpu: the measured processor; it selects
 * the PMU of a hybrid machine. root: the directory of /proc and /sys, "" except in tests. calls:
 * &perf_calls_linux, except in tests. root and *calls must outlive the result. */
struct counting *counting_new(int cpu, const char *root, const struct perf_calls *calls);
void counting_free(struct counting *counting);

/* Opens the plan's events, unless a plan with this id is open. Does nothing if the id is 0. After
 * opening, it runs a short workload that raises most events, to find the events that stay at zero.
 * Opening needs a few milliseconds. Without counters, it makes one system call for each
 * counting_new(). */
void counting_use(struct counting *counting, const struct counter_plan *plan);

/* In a child after fork(): opens the same events for the calling thread, without the workload. Does
 * not call libpfm: another thread of the parent may have held its lock at the fork. */
void counting_use_in_child(struct counting *counting);

/* Updates the parent from a child's counts. Events that rose in the child are not silent. The next
 * child begins with the group that this child did not reach. */
void counting_learn(struct counting *counting, const struct counts *counts);

/* Whether core cycles are being counted. They can then be the clock of trials. */
bool counting_cycles(const struct counting *counting);

/* Core cycles of user space on this thread; only differences have a meaning. A direct read needs
 * less than 100 instructions. If another program has taken the counter, the value has no meaning
 * and counting_cycles() is false afterwards. */
uint64_t counting_read_cycles(struct counting *counting);

/* Counts every event over a measure that has begun (measure_begin()). Takes `passes` slopes for
 * each group, or fewer if passes are slow. Checks *cancel between passes. */
void counting_measure(struct counting *counting, struct measure *measure, unsigned passes,
	const atomic_bool *cancel, struct counts *counts);
