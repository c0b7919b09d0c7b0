/* The interface between the engine and the layers above it: requests go in, results come out.
 *
 * The program has one engine, the worker (worker.h). Screen tests use a canned engine. One thread,
 * the engine's user, calls all functions; the descriptor wakes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

/* Limits for the time and the quality of a measurement. */
struct budget {
	double seconds;	       /* stop after this many seconds (> 0) */
	unsigned quiet_wanted; /* stop at this many quiet trials (1…TRIALS_MAX) */
	unsigned provisional;  /* report one early result after this many trials; 0: no early result
				*/
	unsigned patience;     /* stop after this many trials if few are quiet, for callers that try
				  again later; 0: continue */
	double precision; /* also stop when the relative standard error of the median falls to this
			     value; only for working sets within the core's own caches; 0: never */
	double warm_seconds; /* the longest walk to steady state, in addition to `seconds`; 0:
				budget_warm() */
	double lap_seconds;  /* laps up to this length are walked completely before the trials
				(measure.h); 0: SETTLE_LAP */
	bool fresh; /* trials begin right after one pass over the working set, without a walk to
		       steady state. The result is a bound on the speed of caches shared with other
		       programs */
	unsigned placements; /* measure this many placements of the working set in memory, each for
				an equal part of the time; 0: one. Very small and very large working
				sets have only one (working_sets.h) */
	unsigned fewest;     /* for complete runs of a kernel: make this many trials even after
				`seconds`; 0: one */
};

/* Limit for the walk to steady state, seconds: as long as the trials, and at least one short lap
 * (measure.h) in each placement. */
static inline double budget_warm(const struct budget *budget)
{
	const double least = 0.1 * (budget->placements > 1 ? budget->placements : 1);

	if (budget->warm_seconds > 0)
		return budget->warm_seconds;
	return budget->seconds > least ? budget->seconds : least;
}

struct request {
	uint64_t generation; /* copied into the results; a newer submit replaces an older one */
	uint32_t tag;	     /* chosen by the caller; copied into the results */
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	uint64_t seed;
	double place; /* 0…1: starting point in the data and in the ring, for kernels that support
			 it (struct kernel). Visits of a setting start at different points, so that
			 no single point decides the value */
	uint64_t shift; /* offset of the working set in its memory, in bytes, a multiple of 2 MiB.
			   Visits of a setting then use different pages. Requests with equal offsets
			   share their data */
	struct budget budget;
	bool follows;	 /* wait for earlier requests instead of replacing them */
	bool background; /* a background slice: use separate memory if it cannot share data with the
			    live setting */
	bool alone; /* first free the memory of all other working sets, for callers that will not
		       return to them: recently freed pages are quick to get */
	struct counter_plan plan; /* events to count; id 0: none */
};

/* The maximum number of waiting requests. */
enum { REQUESTS_WAITING = 2 };

/* The result of one request. Plain data: copied as a whole. */
struct result {
	uint64_t generation;
	uint32_t tag;
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool final;	      /* this is the last result of the request */
	struct status status; /* not OK: not measured (the text gives the reason), or cancelled:
				 `trials` may still hold some trials */
	struct trials trials; /* all trials of this request so far */
	struct run_facts facts;
	double preparing;     /* seconds spent before the trials: memory, layout, the walk to steady
				 state */
	struct counts counts; /* of the request's plan; set in a final result */
	double at;	      /* time of the answer, by monotonic_seconds(); 0: unknown */
};

struct engine {
	void *context;
	/* Copies the request. Replaces waiting requests and cancels the running one, unless
	 * request->follows is set. Such a request waits; when REQUESTS_WAITING requests wait
	 * already, it replaces the newest of them. */
	void (*submit)(void *context, const struct request *request);
	/* Cancels all requests. A request that has begun still gives a result, marked as cancelled.
	 */
	void (*cancel)(void *context);
	/* Gets the next result, if there is one. Never blocks. */
	bool (*take)(void *context, struct result *result);
	/* Becomes readable when take() has a result; -1: take() always has its result at once.
	 * take() drains the descriptor. */
	int descriptor;
	/* Facts of the machine. The engine fills them in shortly after the start, then sets
	 * `known`. */
	const struct machine *machine;
	/* Progress of long work. NULL: this engine never has long work. */
	struct progress_seen (*progress)(void *context);
	/* Searches events by words, as counters_search() does; pmu as there. NULL: this engine
	 * counts only its recorded events. */
	size_t (*offers)(
		const char *words, const char *pmu, struct counter_offer *offers, size_t most);
	/* Whether an event of that name can be counted, and its code (see counters_encode()). NULL:
	 * as for offers. */
	struct status (*encodes)(const char *name, struct counter_code *code);
	/* For an engine that plays a recording: whether it holds this setting (v: values of the
	 * kernel's knobs). NULL: this engine measures every setting. */
	bool (*holds)(void *context, const struct kernel *kernel, const int64_t *v);
};
