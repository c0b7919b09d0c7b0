/* Whether the time of a loop is proportional to its elements. A trial takes the difference of the
 * times for a ring of data and for half a ring as the time of half a ring's elements. The
 * difference is wrong if the time is not on a straight line: a loop over few elements never reaches
 * the speed of a long one, and a quadratic loop has no time per element at all. */
#pragma once

#include "engine/measure/measure.h"

/* If the times per element of short and long calls differ by more than this share, time is not
 * proportional to the elements. Repeated tests of straight loops differed by up to 3 % on a core
 * with a busy hyper-thread. */
#define LINE_BENT 0.05

/* Times of calls on three numbers of elements, in any unit. */
struct line_times {
	double quarter, half, whole;
};

/* Returns the bend of a line through the medians of `count` times: the slope from elements[0] to
 * elements[1], divided by the slope from elements[1] to elements[2]. 1: a straight line. 0: the
 * times do not rise, so there is no slope. */
double line_bend(const struct line_times *times, unsigned count, const uint64_t elements[3]);

/* Times calls of three lengths in turn, and returns their bend: if a first test shows a bend, the
 * median of three tests. Returns 0 if the run has no third length (run->quarter), or if its trials
 * do not time half a ring and a ring: larger data are timed over whole rings. A test whether the
 * time is proportional to the elements takes about as long as 25 trials. */
double line_measure(const struct measure *measure, const atomic_bool *cancel);
