/* The measured core and everything that a request needs: machine facts, clock, counters, working
 * sets, load threads. Only one thread, which is bound to the measured core, uses a struct target.
 */
#pragma once

#include <stdatomic.h>

#include "base/status.h"
#include "engine/clock/clock.h"
#include "engine/engine.h"
#include "engine/measure/measure.h"
#include "engine/memory/working_sets.h"

struct counting;
struct load_threads;

/* Zero a target before target_open(). target_close() accepts a zeroed target. */
struct target {
	struct status
		opened; /* status that target_open() returned; the caller stores it in this field */
	struct machine machine;
	struct topology *topology;
	struct clock clock;
	struct counting *counting; /* counters of the measured core; NULL before a core is chosen */
	/* load threads on the other cores; NULL before a core is chosen */
	struct load_threads *threads;
	struct working_sets sets;
	struct code_buffer changed; /* the changed machine code of the last request with a change */
	struct settle settle;
	/* progress of the current request; any thread may read this field */
	struct progress progress;
};

/* Chooses the core, binds the calling thread to it, calibrates the clock, and reads the machine
 * facts except machine.known. The parameter `cpu` is the core to measure. If cpu is -1,
 * target_open() chooses a core, the quietest of some, but avoids avoid_cpu (-1: it avoids no core).
 * The parameter `caller_thread` is a thread to move off the measured core, if another core exists;
 * 0: no thread is moved. STATUS_USAGE: the core does not exist or is not allowed for this process.
 */
struct status target_open(struct target *target, int cpu, int avoid_cpu, int caller_thread);

/* A function that receives each result of a request to measure; the last result is final. */
typedef void target_answer(void *context, const struct result *result);

/* Measures a request. If *cancel is set, the measurement stops early, and the result holds the
 * trials made so far. If target->opened is a failure, the result holds only this status. */
void target_measure(struct target *target, const struct request *request, const atomic_bool *cancel,
	target_answer *answer, void *context);

/* Gives the memory of working sets and load threads back to the system. After the memory was given
 * back, the next request lays out its data again. */
void target_rest(struct target *target);

/* Frees everything. */
void target_close(struct target *target);
