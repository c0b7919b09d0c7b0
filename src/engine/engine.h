/* The engine as the layers above see it: requests in, results out.
 *
 * The shipped program has one engine, the worker (worker.h); screen tests bring a canned one. One
 * thread, the engine's user, calls all functions; the descriptor wakes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

/* How long and how well to measure. */
struct budget {
	double seconds;	       /* stop after this long (> 0) */
	unsigned quiet_wanted; /* stop as soon as there are this many quiet trials (1…TRIALS_MAX) */
	unsigned provisional; /* report one early result after this many trials; 0: no */
	unsigned patience; /* give up after this many trials when hardly any is quiet, for callers
			      that try again later; 0: continue */
	double precision; /* also stop once the relative standard error of the median is this small,
			     for working sets within the core's own caches; 0: do not */
	double warm_seconds; /* the longest walk to steady state, apart from `seconds`; 0:
				budget_warm() */
	double lap_seconds;  /* laps up to this long are walked completely before the trials
				(measure.h); 0: SETTLE_LAP */
	bool fresh; /* trials begin right after one pass over the working set, without a walk to
		       steady state: a bound on the speed of caches that others use too */
	unsigned placements; /* measure this many placements of the working set in memory, each for
				an equal part of the time; 0: one. Very small and very large working
				sets have one (working_sets.h) */
	unsigned fewest; /* make this many trials even after `seconds`, where each is a complete run
			    of the kernel; 0: one */
};

/* The longest walk to steady state: as long as the trials, and at least one short lap (measure.h)
 * in each placement. */
static inline double budget_warm(const struct budget *budget)
{
	const double least = 0.1 * (budget->placements > 1 ? budget->placements : 1);

	if (budget->warm_seconds > 0)
		return budget->warm_seconds;
	return budget->seconds > least ? budget->seconds : least;
}

struct request {
	uint64_t generation; /* results carry it; a newer submit supersedes an older one */
	uint32_t tag;	     /* the caller's own; results carry it */
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	uint64_t seed;
	double place;	/* 0…1: where in the data and in the ring to begin, for kernels that can
			   (struct kernel). Visits of a setting use different places, so that its
			   value is not that of one place */
	uint64_t shift; /* bytes, a multiple of 2 MiB: offset of the working set in its memory, so
			   that visits of a setting use different pages. Requests with equal shifts
			   share their data */
	struct budget budget;
	bool follows;	 /* wait for earlier requests instead of replacing them */
	bool background; /* a slice in the background: use other memory than the live setting where
			    they cannot share data */
	bool alone; /* first free the memory of all other working sets, for callers that will not
		       return to them: pages freed a moment ago are quick to get */
	struct counter_plan plan; /* events to count; id 0: none */
};

/* The most requests that wait in an engine. */
enum { REQUESTS_WAITING = 2 };

/* The result of one request. Plain data: copied whole. */
struct result {
	uint64_t generation;
	uint32_t tag;
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool final;	      /* no further result of this request follows */
	struct status status; /* not OK: not measured (the text says why), or cancelled: `trials`
				 may still hold some */
	struct trials trials; /* all of this request so far */
	struct run_facts facts;
	double preparing;     /* seconds before the trials began: memory, layout, the walk to steady
				 state */
	struct counts counts; /* of the request's plan; on a final result */
	double at;	      /* when the engine answered, by monotonic_seconds(); 0: not known */
};

struct engine {
	void *context;
	/* Takes a copy of the request. Replaces a waiting one and cancels the one under way, unless
	 * request->follows; then at most REQUESTS_WAITING wait. */
	void (*submit)(void *context, const struct request *request);
	/* Cancels all requests. One that had begun still gives a result, as cancelled. */
	void (*cancel)(void *context);
	/* The next result, if there is one. Never blocks. */
	bool (*take)(void *context, struct result *result);
	/* Becomes readable when take() has something; -1 when it always does at once. take() drains
	 * it. */
	int (*descriptor)(void *context);
	/* What is known of the machine so far. Filled in shortly after the start, as `known` says.
	 */
	const struct machine *(*machine)(void *context);
	/* How far what is under way is, where it takes long. NULL: an engine that never takes long.
	 */
	struct progress_seen (*progress)(void *context);
	/* Events by words, as counters_search(); pmu as there. NULL: an engine that counts nothing
	 * it was not asked for before. */
	size_t (*offers)(void *context, const char *words, const char *pmu,
		struct counter_offer *offers, size_t most);
	/* Whether an event of that name can be asked for, as counters_encode() says. NULL: as
	 * above. */
	struct status (*encodes)(void *context, const char *name);
	/* Of an engine that plays a recording: whether it holds this setting (v: values of the
	 * kernel's knobs). NULL: an engine that measures every setting. */
	bool (*holds)(void *context, const struct kernel *kernel, const int64_t *v);
};
