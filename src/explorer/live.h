/* The live measurement measures the present setting again and again, and pools the trials of the
 * last seconds into one sample. Only live.c writes a `struct live`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/setting/cells.h"
#include "explorer/view.h"

/* A trial on the strip chart, with its CPE, its time, and its fate: whether and why it was
 * discarded. */
struct tick {
	double cpe, at;
	uint8_t fate;
};

/* The number of trials of one request for each fate (used, or reason for discarding), including
 * trials that are no longer stored. */
struct tally {
	float at; /* time of the live request's last trial, in seconds since changed_at */
	unsigned fate[TRIAL_FATES];
};

enum { TALLIES = 64 };

struct live {
	/* Generation (number) of the last request for the present setting; 0: there was no request
	 * yet. */
	uint64_t request;
	/* Time at which the present setting was chosen; NAN: session_advance() was not called
	 * yet. */
	double changed_at;
	double asked_at; /* time at which the last request for the present setting was sent */
	double due;	 /* time at which the next request for the present setting is due */
	/* Step of the request rate. `step` sets the rate of live requests: at step 0, ten requests
	 * per second; at later steps, fewer requests. */
	int step;
	/* The sample that was measured at step 0, with which later samples are compared. */
	struct sample steady;
	double steady_since; /* time at which `step`, which sets the time between requests, last
				changed */
	/* The step of the next request: `step`, unless the last request was contended. */
	int next_step;
	/* The number of requests at the first step since the last command, less those at the last
	 * step. */
	int frequent;
	bool answered; /* true: a final result for the present setting has arrived */
	bool failed;
	char failure[STATUS_TEXT];
	struct trials
		pool; /* pool of trials of the last POOL_SECONDS; trial.at counts from changed_at */
	int tally_count;
	/* Tallies (numbers of used and of discarded trials) of the requests in the last
	 * POOL_SECONDS, oldest first. */
	struct tally tallies[TALLIES];
	/* Number of trials of the present request that are already on the strip chart. */
	unsigned ticked;
	struct sample sample;
	/* The last sample of the present setting that live_is_good() accepted. */
	struct sample quiet;
	/* Time at which the quiet sample was measured, perhaps when the user chose this setting
	 * earlier. */
	double quiet_at;
	struct run_facts facts;
	int tick_count, tick_first; /* ticks[] is a ring buffer */
	struct tick ticks[VIEW_STRIP];
	double ghz; /* last measured core clock of any setting; NAN: no clock was measured yet */
	enum source ghz_from; /* the source of the cycles (counter or clock) from which `ghz` was
				 computed */
};

/* live_begin() cannot store the start time, because its callers do not know the time. The first
 * session_advance() calls live_begin_at() with the time. */
void live_begin(struct live *live);
void live_begin_at(struct live *live, double now);
/* Begins the live measurement again, for another setting or for the same setting. */
void live_restart(struct live *live, double now);
/* Takes the sample of the setting's cell, from an earlier measurement, as the last quiet sample. */
void live_recall(struct live *live, const struct cell *cell);
/* Returns the sample of the present setting, or, while that is contended, the last quiet one. */
const struct sample *live_best(const struct live *live);
/* live_budget() returns the budget (limits of time and trials) of the next request. Call
 * live_asked() after the live request was sent. */
const struct budget *live_budget(const struct live *live);
void live_asked(struct live *live, uint64_t generation, double now);
/* Takes a provisional or the final result of the last live request. `replayed` is true if the
 * result comes from a recording. `idle` is true if the session has nothing else to measure. */
void live_take(
	struct live *live, const struct result *result, bool replayed, bool idle, double now);
/* Call live_fail() or live_stop() when the setting cannot be measured. live_fail() removes the
 * sample; live_stop() keeps the sample. */
void live_fail(struct live *live, const char *why);
void live_stop(struct live *live, const char *why);
/* Call live_wake() after a command. live_wake() sets the rate of requests to ten per second
 * again. */
void live_wake(struct live *live, double now);
/* Allows the next request for the present setting to be sent at once. */
void live_hasten(struct live *live, double now);
/* Restarts the waiting time for the first sample, unless a final result has arrived. */
void live_wait_again(struct live *live, double now);

/* Returns the number of seconds between two live requests, if the requests are short. */
double live_period(const struct live *live);
/* Whether a sample is precise and undisturbed enough to be shown when the user returns to its
 * setting. */
bool live_is_good(const struct sample *sample);
void live_view(const struct live *live, double now, struct view *view);
