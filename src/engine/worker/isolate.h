/* Measures the user's own code in a child process on the core of the calling thread: own loops, and
 * loops generated from a file of the user. If the code crashes or hangs, the program continues: it
 * loses the sample and reports the reason. */
#pragma once

#include "engine/clock/clock.h"
#include "engine/worker/target.h"

struct isolate {
	const struct request *request; /* a request for a kernel whose field `isolated` is set */
	/* The prepared run of a generated loop; its memory must be one that child processes
	 * inherit. NULL: an own loop, which the child process loads and prepares. */
	const struct kernel_run *run;
	const struct clock *clock;
	const struct topology *topology; /* the topology of the machine with the measured core */
	const char *huge_note; /* the reason why the system has no huge pages; empty: it may have
				  huge pages */
	const atomic_bool *cancel;
	/* A function that is called once with an early result, if the request's budget asks for
	 * one. */
	target_answer *early;
	void *context;

	/* A function that the child process calls to make the trials of a prepared run. `answer`
	 * gets the early result. */
	void (*make_trials)(const void *visit, struct kernel_run *run, const atomic_bool *cancel,
		target_answer *answer, void *context, struct result *result);
	const void *visit;
};

/* A call of the user's loop counts as endless after ISOLATE_PATIENCE seconds plus
 * ISOLATE_PATIENCE_EACH seconds for each of its n elements. The slowest correct loop misses all
 * caches a few times for each element. */
#define ISOLATE_PATIENCE      2.0
#define ISOLATE_PATIENCE_EACH 1e-6

/* A sample whose calls all return ends after ISOLATE_SAMPLE seconds, plus ISOLATE_SAMPLE_EACH
 * seconds for each of its n elements, plus twice the time of its budget. On a busy machine, the
 * sample may take up to ISOLATE_BUSY times as long. A sample needs about 30 calls. */
#define ISOLATE_SAMPLE	    3.0
#define ISOLATE_SAMPLE_EACH 3e-6
#define ISOLATE_BUSY	    2.5

/* Makes the trials of one request and fills in its result, except `final`. isolate_measure()
 * returns within about 20 ms after *cancel is set. */
void isolate_measure(const struct isolate *isolate, struct result *result);
