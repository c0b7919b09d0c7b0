/* The monotonic clock, for waits and elapsed times. Measurements use engine/clock/clock.h instead.
 */
#pragma once

#include <time.h>

/* Seconds of CLOCK_MONOTONIC. */
static inline double monotonic_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
