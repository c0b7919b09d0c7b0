#include "engine/measure/line.h"

#include <math.h>

#include "base/stats.h"

enum { ROUNDS = 25, TESTS = 3 };

double line_bend(const struct line_times *times, unsigned count, const uint64_t elements[3])
{
	double part[ROUNDS], median[3], near, far;

	if (count > ROUNDS)
		count = ROUNDS;
	for (int length = 0; length < 3; length++) {
		for (unsigned i = 0; i < count; i++)
			part[i] = length == 0	? times[i].quarter
				  : length == 1 ? times[i].half
						: times[i].whole;
		median[length] = stats_median(part, count);
	}
	near = (median[1] - median[0]) / (double)(elements[1] - elements[0]);
	far = (median[2] - median[1]) / (double)(elements[2] - elements[1]);
	return near > 0 && far > 0 ? near / far : 0;
}

static double ticks_of(const struct measure *measure, uint64_t elements)
{
	uint64_t begin;

	measure->run->excluded = 0;
	begin = clock_ticks();
	measure_calls(measure, elements, measure->time.calls);
	return (double)(clock_ticks() - begin - measure->run->excluded);
}

/* Times calls of three lengths in turn, and returns the ratio of the times per element of short and
 * long calls. */
static double test_bend(
	const struct measure *measure, const uint64_t elements[3], const atomic_bool *cancel)
{
	struct line_times times[ROUNDS];
	unsigned count = 0;

	while (count < ROUNDS && !atomic_load(cancel)) {
		times[count].quarter = ticks_of(measure, elements[0]);
		times[count].half = ticks_of(measure, elements[1]);
		times[count++].whole = ticks_of(measure, elements[2]);
	}
	return count < ROUNDS ? 0 : line_bend(times, count, elements);
}

double line_measure(const struct measure *measure, const atomic_bool *cancel)
{
	const uint64_t ring = measure->run->ring,
		       elements[3] = { measure->run->quarter, ring / 2, ring };
	double bend[TESTS];

	if (elements[0] == 0 || elements[0] >= elements[1] || measure->time.half != elements[1] ||
		measure->time.whole != elements[2])
		return 0;
	ticks_of(measure, elements[1]);
	/* Interference may falsify one test of proportional time, so two of three tests decide. */
	for (int test = 0; test < TESTS; test++) {
		bend[test] = test_bend(measure, elements, cancel);
		if (fabs(bend[0] - 1) <= LINE_BENT)
			return bend[0];
	}
	return stats_median(bend, TESTS);
}
