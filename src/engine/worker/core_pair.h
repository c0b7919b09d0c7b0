/* The time that a cache line takes from one core to another. Two threads, each bound to one
 * processor, answer each other: each thread writes its own line as soon as it sees the other
 * thread's line change. Only one of the two threads reads the clock, so the clocks of two cores are
 * never compared. Half of a round trip is the time of one way. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"

/* PAIR_TRIPS: round trips of one trial. PAIR_TRIALS: the most trials of one visit, which uses one
 * pair of lines. */
enum { PAIR_TRIPS = 100, PAIR_TRIALS = 64 };

struct pair_trials {
	unsigned count;		/* number of undisturbed trials */
	unsigned rejected;	/* number of trials during which another thread ran on one of the
				   processors */
	double ns[PAIR_TRIALS]; /* time of one way in each undisturbed trial, nanoseconds */
};

/* Times round trips between processors a and b for about `seconds`. *trials receives the trials.
 * The calling thread only waits. Each visit (number `visit`) uses other lines, because the time
 * depends on the place of a line. STATUS_FAILED: no thread could be created, or a thread could not
 * be bound to its processor. */
struct status core_pair_visit(const struct topology *topology, int a, int b, unsigned visit,
	double seconds, struct pair_trials *trials);
