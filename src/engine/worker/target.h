/* The measured core with everything that a request needs: facts of the machine, the clock,
 * counters, working sets, load threads. One thread, bound to the core, uses it. */
#pragma once

#include <stdatomic.h>

#include "base/status.h"
#include "engine/clock/clock.h"
#include "engine/engine.h"
#include "engine/measure/measure.h"
#include "engine/memory/working_sets.h"

struct counting;
struct load_threads;

/* Zeroed before target_open(). target_close() accepts a zeroed one. */
struct target {
	struct machine machine;
	struct topology *topology;
	struct clock clock;
	struct counting *counting;    /* NULL until a core was chosen */
	struct load_threads *threads; /* the other cores; NULL until a core was chosen */
	struct working_sets sets;
	struct trials trials;
	struct settle settle;
	struct progress progress; /* of the request under way; any thread may look */
};

struct target_options {
	int cpu;	   /* the core to measure; -1: choose */
	int avoid_cpu;	   /* where the user interface is; -1: nowhere */
	int caller_thread; /* thread to move off the core when there is another; 0: none */
};

/* Chooses the core, binds the calling thread to it, calibrates the clock and reads the facts of the
 * machine, all but machine.known. STATUS_USAGE for a core that does not exist or is not allowed
 * here. */
struct status target_open(struct target *target, const struct target_options *options);

/* Called with each result; the last one is final. */
typedef void target_answer(void *context, const struct result *result);

/* Measures a request. *cancel ends it early; the result then holds the trials so far. */
void target_measure(struct target *target, const struct request *request, const atomic_bool *cancel,
	target_answer *answer, void *context);

/* Frees everything. */
void target_close(struct target *target);
