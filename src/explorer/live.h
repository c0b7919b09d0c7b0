/* The live measurement: the sample of the present setting, pooled from the requests of the last
 * seconds, and when its next request is due. Only live.c writes a `struct live`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "experiment/setting/cells.h"
#include "explorer/view.h"

/* A trial of the strip, and when it was made. */
struct tick {
	double cpe, at;
	uint8_t fate;
};

/* How the trials of one request ended, including those that it forgot. */
struct tally {
	float at; /* of its last trial, seconds from changed_at */
	unsigned fate[TRIAL_FATES];
};

enum { TALLIES = 64 };

struct live {
	uint64_t request;  /* generation of the last request for this setting; 0: none yet */
	double changed_at; /* when it became the present setting; NAN: before the first advance */
	double asked_at;   /* when the last request went out */
	double due;	   /* when the next may go out */
	int step;	   /* of the period: 0 is ten a second, more is slower */
	struct sample steady; /* the sample at the first step: the next ones are compared with it */
	double steady_since;  /* when the step began */
	bool made_up;	      /* the last request was contended: the next one follows soon */
	bool answered;	      /* a final result has come */
	bool failed;
	char failure[244];
	struct trials pool; /* of the last POOL_SECONDS; trial.at counts from changed_at */
	int tally_count;
	struct tally tallies[TALLIES]; /* of the requests in that time, oldest first */
	unsigned ticked; /* trials of the present request that are on the strip already */
	struct sample sample;
	struct sample quiet; /* the last one that was neither contended nor provisional */
	double quiet_at;     /* when it was made, perhaps at an earlier visit of this setting */
	struct run_facts facts;
	int tick_count, tick_first; /* a ring */
	struct tick ticks[VIEW_STRIP];
	double ghz;	      /* core clock last seen at any setting, NAN: none yet … */
	enum source ghz_from; /* … and the source of its cycles */
};

/* At first there is no time; the first advance gives it. */
void live_begin(struct live *live);
void live_begin_at(struct live *live, double now);
/* Another setting, or the same one measured again. */
void live_restart(struct live *live, double now);
/* Takes the sample of an earlier visit. */
void live_recall(struct live *live, const struct cell *cell);
/* The budget of the next request; a request went out. */
const struct budget *live_budget(const struct live *live);
void live_asked(struct live *live, uint64_t generation, double now);
/* A result of the last request, early or final. replayed: it comes from a recording. idle: nothing
 * else is to be measured. */
void live_take(
	struct live *live, const struct result *result, bool replayed, bool idle, double now);
/* The setting cannot be measured; live_stop() keeps the sample. */
void live_fail(struct live *live, const char *why);
void live_stop(struct live *live, const char *why);
/* A command came: ten requests a second again. */
void live_wake(struct live *live, double now);
void live_hasten(struct live *live, double now); /* the next request is due now */
/* The wait for the first sample begins again, unless there is one. */
void live_wait_again(struct live *live, double now);

double live_period(const struct live *live); /* seconds between short requests */
/* Whether a sample may represent its setting later. */
bool live_is_good(const struct sample *sample);
void live_view(const struct live *live, double now, struct view *view);
