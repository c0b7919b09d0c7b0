/* The state of the measurement of a core model, for the files that choose and time its loops
 * (characterise*.c). */
#pragma once

#include <stdbool.h>

#include "experiment/characterise/characterise.h"
#include "experiment/characterise/recipes.h"

/* ITEMS: largest number of loops in all stages. MIX_BATCH: largest number of loops that mix
 * instruction classes in one batch. */
enum { ITEMS = 4096, MIX_BATCH = 48 };

/* Numbers of times (rounds) that all loops of a stage of the core's measurement are measured. The
 * first ROUNDS_ALL rounds measure every loop, so that each loop is measured at two different times.
 * After ROUNDS_ALL rounds, only loops with an imprecise value are measured again. After ROUNDS
 * rounds, only loops without a value are measured again. A loop that mixes instruction classes
 * needs one measurement, and gets ROUNDS_MIX rounds at most. */
enum { ROUNDS = 400, ROUNDS_ALL = 2, ROUNDS_MIX = 4 };

struct characterise {
	struct characterise_report report;
	struct characterise_options options;
	struct evaluation values;
	enum characterise_stage stage;
	double share, before; /* shares of the time limit for the current stage, and for all stages
				 before it */
	int round;
	int first, item_count;	       /* the current stage measures the loops items[first] to
					  items[item_count - 1] */
	struct loop_item items[ITEMS]; /* the loops to measure; entries before `first` are loops
					  from earlier stages that measure rename slots */
	int item;		       /* index of the current loop */
	bool endless; /* true: code of the user's recipes did not return, which took seconds */
	bool again;   /* true: add only loops that have no measured value yet */
	double begin;
	struct visits
		visits; /* the scheduler's state of the measurements of the loops in `items` */
	const struct campaign *inner; /* the inner measurement of caches (probe) or buffer sizes
					 (windows) that runs now; NULL: neither runs */
	double inner_done; /* progress of the inner measurement (caches or buffer sizes), from 0 to
			      1 */
	struct measured_mix next[MIX_BATCH]; /* the mixes of instruction classes that are measured
						in the current batch */
	int next_count;			     /* number of mixes in `next` */
};

/* ---- characterise_visits.c: measures the loops of a stage in rounds of visits. A visit is one
 * short measurement of a loop. */

/* Begins the measurement: sets the scheduler of visits, and the time at which the measurement
 * begins. */
void characterise_begin(struct characterise *run, const struct measurer *measurer);

bool characterise_stopped(const struct characterise *run);

/* Returns the seconds since the measurement began. */
double characterise_elapsed(const struct characterise *run);

/* Returns whether the loop has no value yet, but a later measurement may give a value. */
bool characterise_lacks(const struct characterise *run, const struct kernel *kernel);

/* Returns whether the time of this stage and of all earlier stages is over. */
bool characterise_late(void *context);

/* Adds the final result of one measurement of a loop to the report. */
void characterise_note(struct characterise *run, const struct result *result);

/* Measures loops of the stage round by round, until all values are known, the time is over, or
 * `rounds` rounds are done. */
void characterise_items(struct characterise *run, int rounds);
