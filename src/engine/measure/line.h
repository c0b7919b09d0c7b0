/* Whether the time of a loop is proportional to its elements. A trial takes the difference of the
 * times for a ring of data and for half a ring as the time of half a ring's elements. The
 * difference is wrong if the time is not on a straight line: a loop over few elements never reaches
 * the speed of a long one, and a quadratic loop has no time per element at all.
 *
 * A call also takes some cycles more from a certain length on: the branch predictor learns the end
 * of a short call, but not the end of a long one. If such a step lies between the two lengths of a
 * trial, the trial times other lengths, which both lie on the same side of the step. */
#pragma once

#include "engine/measure/measure.h"

/* If the times per element of short and long calls differ by more than this share, time is not
 * proportional to the elements. Repeated tests of straight loops differed by up to 3 % on a core
 * with a busy hyper-thread. */
#define LINE_BENT 0.05

/* The longest steps of the time of a call that the end of the call may cause, seconds: about six
 * mispredictions. Measured on Zen 5 with 512-bit loops of 128 to 256 iterations: 24 ns. */
#define LINE_STEP 40e-9

/* Numbers of elements of the timed calls, in ascending order: run->shorter, half the ring among
 * them, and the ring. */
enum { LINE_LENGTHS = RUN_SHORTER + 2, LINE_HALF = 1, LINE_WHOLE = LINE_LENGTHS - 1 };

struct line {
	/* The time per element of shorter calls, divided by that of longer calls. 1: a straight
	 * line. 0: the times do not rise, or were not measured. */
	double bend;
	uint64_t half, whole; /* the lengths of the calls that trials should time */
};

/* Judges the times of one call of each length. `step` is the longest step that the end of a call
 * may cause, in the unit of the times. Pure. */
struct line line_judge(
	const double ticks[LINE_LENGTHS], const uint64_t elements[LINE_LENGTHS], double step);

/* Rounds of calls of half the elements and of all elements: LINE_FIRST rounds decide as a rule,
 * LINE_ROUNDS in any case. */
enum { LINE_FIRST = 5, LINE_ROUNDS = 25 };

/* Whether a loop takes longer for all elements than for half of them, by its times in `count`
 * rounds. A loop with a smaller difference does not use n. `step` is the step of the clock. Pure.
 */
bool line_rises(const double *half, const double *whole, unsigned count, double step);

/* Times calls of all lengths in turn, and chooses the lengths that trials should time: changes
 * measure->time and measure->count. If a first test shows a bend, the median of three tests
 * decides. Returns the bend. Returns 0 if the run has no further lengths (run->shorter), or if its
 * trials do not time half a ring and a ring: larger data are timed over whole rings. */
double line_choose(struct measure *measure, const atomic_bool *cancel);
