/* The live measurement: the sample of the present setting, pooled from the requests of the last
 * seconds, and when its next request is due. Only live.c writes a `struct live`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/setting/cells.h"
#include "explorer/view.h"

/* A trial of the strip, and when it ran. */
struct tick {
	double cpe, at;
	uint8_t fate;
};

/* How the trials of one request ended, including forgotten trials. */
struct tally {
	float at; /* time of the last trial, in seconds since changed_at */
	unsigned fate[TRIAL_FATES];
};

enum { TALLIES = 64 };

struct live {
	uint64_t request;  /* generation of the last request for this setting; 0: none yet */
	double changed_at; /* when the setting became the present one; NAN: before the first advance
			    */
	double asked_at;   /* when the last request went out */
	double due;	   /* when the next request is due */
	int step; /* step of the period: 0 is ten requests per second, higher steps are slower */
	struct sample steady; /* the sample at the first step; later samples are compared with it */
	double steady_since;  /* when the step began */
	bool made_up;	      /* the last request was contended: the next request follows soon */
	bool answered;	      /* a final result has come */
	bool failed;
	char failure[STATUS_TEXT];
	struct trials pool; /* trials of the last POOL_SECONDS; trial.at counts from changed_at */
	int tally_count;
	struct tally
		tallies[TALLIES]; /* tallies of the requests in the pool's time, oldest first */
	unsigned ticked;	  /* trials of the present request that are already on the strip */
	struct sample sample;
	struct sample quiet; /* the last good sample: see live_is_good() */
	double quiet_at; /* when `quiet` was measured, perhaps at an earlier visit of this setting
			  */
	struct run_facts facts;
	int tick_count, tick_first; /* ticks[] is a ring buffer */
	struct tick ticks[VIEW_STRIP];
	double ghz;	      /* last measured core clock, at any setting; NAN: none yet */
	enum source ghz_from; /* the source of the cycles of `ghz` */
};

/* live_begin() knows no time yet. The first session_advance() calls live_begin_at(). */
void live_begin(struct live *live);
void live_begin_at(struct live *live, double now);
/* Begins again, for another setting or for the same setting. */
void live_restart(struct live *live, double now);
/* Takes the sample of an earlier visit as the last quiet sample. */
void live_recall(struct live *live, const struct cell *cell);
/* live_budget() returns the budget of the next request. Call live_asked() after the request was
 * sent. */
const struct budget *live_budget(const struct live *live);
void live_asked(struct live *live, uint64_t generation, double now);
/* Takes a result of the last request, early or final. replayed: the result comes from a recording.
 * idle: the session has nothing else to measure. */
void live_take(
	struct live *live, const struct result *result, bool replayed, bool idle, double now);
/* Call them when the setting cannot be measured. live_fail() removes the sample, live_stop() keeps
 * it. */
void live_fail(struct live *live, const char *why);
void live_stop(struct live *live, const char *why);
/* Call it after a command: the rate returns to ten requests per second. */
void live_wake(struct live *live, double now);
void live_hasten(struct live *live, double now); /* the next request is due now */
/* Restarts the waiting time for the first sample, unless there is a sample. */
void live_wait_again(struct live *live, double now);

double live_period(const struct live *live); /* seconds between short requests */
/* Whether a sample is good enough to represent its setting later. */
bool live_is_good(const struct sample *sample);
void live_view(const struct live *live, double now, struct view *view);
