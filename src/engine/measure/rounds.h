/* Rounds of trials: the kernel timed once or twice between two readings of the reference chain and
 * the watch. */
#pragma once

#include "engine/measure/measure.h"

/* The most trials of a round. */
enum { ROUND_TRIALS = 2 };

struct chain_time {
	double slope; /* ticks a cycle */
	double total; /* ticks of both regions */
};

/* What was timed around the kernel, and how the system saw it. */
struct timed_round {
	struct chain_time before, after;
	uint64_t watch, turns; /* ticks; of turns the worse of before and after */
	struct clock_thread was, now;
};

struct rounds {
	struct measure *measure;
	double hz;		 /* ticks a second */
	unsigned stable;	 /* rounds in a row in which the clock was stable */
	struct timed_round last; /* `before` and `was` are those of the next round */
};

void rounds_begin(struct rounds *rounds, struct measure *measure);

/* Times one round and judges its trials, all but the watch (trials_classify()). Returns how many
 * trials it made, at most `most`. Sets measure->counting to NULL when the counter of cycles is
 * lost; the trials are then by the reference chain. */
unsigned rounds_make(struct rounds *rounds, unsigned most, struct trial trial[ROUND_TRIALS]);
