/* The measured core with all that a request needs there: what is known of the machine, its clock
 * and counters, memory with what is laid out in it, the other cores. Used by one thread, which is
 * bound to the core. */
#ifndef SLX_ENGINE_WORKER_STATION_H
#define SLX_ENGINE_WORKER_STATION_H

#include <stdatomic.h>

#include "base/status.h"
#include "engine/clock/clock.h"
#include "engine/engine.h"
#include "engine/measure/settle.h"
#include "engine/memory/store.h"

struct counting;
struct load_threads;

/* A zeroed one may be settled, or released. */
struct station {
	struct machine machine;
	struct topology *topology;
	struct clock clock;
	struct counting *counting;	   /* NULL until a core was chosen */
	struct load_threads *load_threads; /* the other cores; NULL until a core was chosen */
	struct store store;
	struct trials trials;
	struct settle settle;
	struct progress progress; /* of the request under way; any thread may look */
};

struct station_options {
	int cpu;	   /* the core to measure; -1: choose */
	int avoid_cpu;	   /* where the user interface is; -1: nowhere */
	int caller_thread; /* to be kept off the core, when there is another; 0: none */
};

/* Chooses the core and binds the calling thread to it; finds out about clock and machine, all but
 * machine.known. STATUS_USAGE for a core that does not exist or is not allowed here. */
struct status station_settle(struct station *station, const struct station_options *options);

/* Is called with each result; the last one is final. */
typedef void station_answer(void *context, const struct result *result);

/* Carries a request out. *cancel ends it early; what there is by then is answered. */
void station_measure(struct station *station, const struct request *request,
	const atomic_bool *cancel, station_answer *answer, void *context);

/* Frees everything. */
void station_release(struct station *station);

#endif
