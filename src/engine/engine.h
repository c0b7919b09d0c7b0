/* What the session knows of the engine: requests in, results out.
 *
 * The shipped program has one engine, the worker (worker.h); screen tests bring a canned one. All
 * functions are called from one thread, the engine's user; the descriptor is how it is woken. */
#ifndef SLX_ENGINE_ENGINE_H
#define SLX_ENGINE_ENGINE_H

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
	double seconds;	       /* stop after this long, whatever was reached (> 0) */
	unsigned quiet_wanted; /* stop as soon as this many quiet trials are in (1…TRIALS_MAX) */
	unsigned provisional;  /* report once early after this many trials; 0: no */
	unsigned patience; /* give up after this many trials when hardly any is quiet: whoever asks
			      comes back when the spell is over; 0: stay */
	double precision;  /* also stop once the median's standard error is this small, relatively,
			      within the core's own caches; 0: do not */
	double warm_seconds; /* the longest that walking the placements to steady state may take,
				apart from `seconds`; 0: what suits those (budget_warm()) */
	double lap_seconds;  /* laps up to this long are walked whole before trials; of longer ones
				as much as matters (settle.h); 0: SETTLE_LAP */
	bool fresh; /* trials begin right after the working set was read once: a bound on how fast
		       its caches can be, where others use them too, and no steady state */
	unsigned placements; /* of the working set in memory, to be measured one after the other in
				equal parts of the time; 0: one. One all the same where the working
				set is so small or so large that its pages make no difference
				(store.h) */
	unsigned fewest; /* trials to make whatever the time, where each is a complete run of the
			    kernel; 0: one */
};

/* The bound on walking to steady state: as long as the trials may take, and long enough for a lap
 * that counts as short (settle.h) in each placement. */
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
	double place; /* 0…1: where in the memory that is laid out, and in the ring, to begin, for
			 kernels that can (struct kernel); 0: at the beginning. A setting's visits
			 take different ones, so that its figure is not that of one place */
	uint64_t shift; /* bytes, a multiple of 2 MiB: how far into its memory the working set lies,
			   so that visits of a setting meet other pages; requests with equal shifts
			   share what is laid out */
	struct budget budget;
	bool follows;	 /* begins when those before it are over, instead of taking their place */
	bool background; /* fills slices: uses memory apart from the live setting's where data
			    cannot be shared */
	bool alone; /* what other working sets hold is given back first: of memory that was there a
		       moment ago the system makes other pages quickly, and whoever asks comes back
		       for none of the others */
	struct counter_plan plan; /* what to count besides; id 0: nothing */
};

/* Requests that an engine keeps until it begins them. */
enum { REQUESTS_WAITING = 2 };

/* What one request gave. Plain data: copied whole, owned by whoever holds it. */
struct result {
	uint64_t generation;
	uint32_t tag;
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool final;	      /* no further result of this request follows */
	struct status status; /* not OK: could not be measured (the text says why), or cancelled:
				 then trials may still hold some */
	struct trials trials; /* all of this request so far */
	struct run_facts facts;
	double preparing;     /* seconds of it that went by before trials began: memory, layout, the
				 walk to steady state */
	struct counts counts; /* of the request's plan; on a final result */
	double at;	      /* when the engine answered, by monotonic_seconds(); 0: not known */
};

struct engine {
	void *context;
	/* Hands over a copy of the request. One not yet begun is replaced; one under way is
	 * cancelled. Neither, when request->follows; REQUESTS_WAITING wait at most. */
	void (*submit)(void *context, const struct request *request);
	/* Cancels whatever is pending or under way. Its result still comes, as cancelled, if it had
	 * begun. */
	void (*cancel)(void *context);
	/* The next result, if there is one. Never blocks. */
	bool (*take)(void *context, struct result *result);
	/* Becomes readable when take() has something; -1 when it always does at once. take() drains
	 * it. */
	int (*descriptor)(void *context);
	/* What is known of the machine so far. Filled in shortly after the start: `known` tells. */
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
	 * kernel's knobs). NULL: an engine that measures whatever it is asked. */
	bool (*holds)(void *context, const struct kernel *kernel, const int64_t *v);
};

#endif
