/* The interface between the engine and the layers above it: requests go in, results come out.
 *
 * The program has one engine, the worker (worker.h). Tests of screens use an engine with canned
 * results. Only one thread, the engine's user, calls the functions of the engine; `descriptor`
 * wakes this thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "engine/memory/code_buffer.h"
#include "engine/own/own_change.h"
#include "engine/progress.h"
#include "kernels/kernel.h"

/* Limits for the time and the quality of one measurement. */
struct budget {
	double seconds;	       /* stop making trials of the kernel after this many seconds (> 0) */
	unsigned quiet_wanted; /* stop making trials at this many quiet trials (1…TRIALS_MAX) */
	unsigned provisional; /* report one early result after this many trials of the kernel; 0: no
				 early result */
	unsigned patience;    /* stop after this many trials if few of them are quiet (undisturbed),
				 for callers that try again later; 0: never stop for this reason */
	double precision; /* also stop when the relative standard error of the median falls to this
			     value; only for working sets that fit the core's own caches; 0: never
			     stop for this reason */
	double warm_seconds; /* time limit, in seconds, for the untimed walk over the data before
				the trials, in addition to `seconds`; 0: budget_warm() gives the
				limit */
	double lap_seconds;  /* if one pass over the working set (a lap) takes at most this many
				seconds, it is completed before the trials; 0: SETTLE_LAP seconds */
	bool fresh; /* true: trials begin right after one pass over the working set, without a walk
		       over the data until the caches are in steady state. The measured value is a
		       bound on the speed of caches shared with other programs */
	unsigned
		placements; /* number of positions of the working set in memory, each measured for
			       an equal part of the time; 0: one position. Very small and very large
			       working sets have only one position in memory (working_sets.h) */
	unsigned fewest;    /* for complete runs of a kernel: number of trials to make even if they
			       last longer than `seconds`; 0: one trial */
};

/* Returns the time limit, in seconds, for the untimed walk that brings the caches to steady state.
 * By default the untimed walk before the trials may last as long as the trials, and at least 0.1 s
 * for each position in memory. */
static inline double budget_warm(const struct budget *budget)
{
	const double least = 0.1 * (budget->placements > 1 ? budget->placements : 1);

	if (budget->warm_seconds > 0)
		return budget->warm_seconds;
	return budget->seconds > least ? budget->seconds : least;
}

struct request {
	uint64_t generation; /* number of the request (its generation), copied into its results; a
				newer request replaces an older request */
	uint32_t tag; /* the request's tag: a number chosen by the caller, and copied into the
			 results */
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	uint64_t seed;
	double place; /* relative point, 0…1, at which the calls start in the kernel's data (and in
			 its ring), for kernels that support a starting point (struct kernel).
			 Repeated measurements of a setting start at different points of the data,
			 so no single point decides the measured value */
	uint64_t shift; /* offset of the working set in its memory, in bytes, a multiple of 2 MiB.
			   Measurements of a setting with different offsets of the working set use
			   different pages. Requests with equal offsets of the working set share
			   their data */
	struct budget budget;
	bool follows; /* true: this request waits for earlier requests instead of replacing them */
	bool background; /* true: the request is background work, such as a setting around the one
			    on screen. A background request uses separate memory if it cannot share
			    data with the live setting */
	bool alone; /* true: first free the memory of all other working sets, for callers that will
		       not use those sets again. Recently freed pages are quick to allocate */
	struct counter_plan plan;  /* events to count; if plan.id is 0, no events are counted */
	struct code_change change; /* a change of the loop's machine code, such as added
				      instructions, made before the trials */
	bool elsewhere; /* true: measure on another core than the one that the engine chose */
	struct own_change own_change; /* a change of the data of the user's own loop */
};

/* The maximum number of requests to measure that can wait in the engine. */
enum { REQUESTS_WAITING = 2 };

/* The result of one request. The result of a request is plain data and is copied as a whole. */
struct result {
	uint64_t generation;
	uint32_t tag;
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool final; /* true: this result is the last one of the request */
	/* if not OK, the setting was not measured (the text gives the reason), or the request was
	 * cancelled, and `trials` may hold some trials */
	struct status status;
	struct trials trials; /* all trials (timings) that this request has made so far */
	struct run_facts facts;
	double preparing; /* time before the trials, seconds: for memory, layout, and the walk to
			     steady state */
	/* counts of the events in the request's plan; set only in a final result */
	struct counts counts;
	double at; /* time at which the engine answered, by monotonic_seconds(); 0: unknown */
};

struct engine {
	void *context;
	/* Copies the request. A new request replaces waiting requests and cancels the running
	 * request, unless request->follows is set. A request with the flag `follows` waits for
	 * earlier requests. If REQUESTS_WAITING requests wait already, the new request replaces the
	 * newest waiting request. */
	void (*submit)(void *context, const struct request *request);
	/* Cancels all requests. A cancelled request that has begun still gives a result, marked as
	 * cancelled. */
	void (*cancel)(void *context);
	/* Gets the next result, if there is one. Never blocks. */
	bool (*take)(void *context, struct result *result);
	/* File descriptor that becomes readable when take() has a result; -1: take() always has its
	 * result at once. take() drains the descriptor. */
	int descriptor;
	/* Facts of the machine. The engine fills in the facts about the machine shortly after the
	 * start, then sets machine->known. */
	const struct machine *machine;
	/* Progress of long work. NULL: this engine never has long work whose progress it could
	 * report. */
	struct progress_seen (*progress)(void *context);
	/* Searches events by words, with the parameters of counters_search(). NULL: the engine
	 * plays a recording, and has counts only for the recorded events. */
	size_t (*offers)(
		const char *words, const char *pmu, struct counter_offer *offers, size_t most);
	/* Checks whether an event with this name can be counted, and gives the event's code (see
	 * counters_encode()). NULL: the engine plays a recording, in which it cannot check further
	 * events. */
	struct status (*encodes)(const char *name, struct counter_code *code);
	/* true: the engine makes the changes of machine code that requests ask for. false: it
	 * ignores them. */
	bool changes;
	/* For an engine that plays a recording: whether it holds this setting (v: values of the
	 * kernel's knobs). NULL: this engine measures every setting. */
	bool (*holds)(void *context, const struct kernel *kernel, const int64_t *v);
};
