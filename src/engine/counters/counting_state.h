/* What counting knows and holds. For its own files: counting_plan.c fills it, counting.c reads
 * counters with it. */
#ifndef SLX_ENGINE_COUNTERS_COUNTING_STATE_H
#define SLX_ENGINE_COUNTERS_COUNTING_STATE_H

#include "engine/counters/counter_group.h"
#include "engine/counters/counting.h"
#include "engine/counters/pmu.h"

struct counting_event {
	struct counter_code code;
	enum count_state state; /* COUNT_NONE: it is open, or was not tried */
	int error;		/* of COUNT_REFUSED */
	bool moved;		/* it rose once, under the stimulus or in a measurement */
};

struct counting {
	const struct counting_kernel *kernel;
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

/* What the processor counts, not the kernel. */
bool counting_is_hardware(const struct counter_code *code);

/* Names become codes. What is not to be counted here at all gets its state. */
void counting_plan_name(struct counting *counting, const struct counter_plan *plan);

/* Opens all that has a code, in groups that run. */
void counting_plan_open(struct counting *counting);
void counting_plan_close(struct counting *counting);

/* In a child after fork(): opens the same groups for it, as the parent found them. */
void counting_plan_again(struct counting *counting);

/* Has trials' clock run, if there is one. */
void counting_plan_start_clock(struct counting *counting);

#endif
