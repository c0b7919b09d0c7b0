/* The monotonic clock, for waits and elapsed times. Measurements use engine/clock/clock.h instead.
 */
#pragma once

#include <time.h>

/* Reads a clock of the system, in seconds. Ends the program with a message if the system refuses:
 * without a clock, no wait would end. */
double clock_read(clockid_t clock);

/* Seconds of CLOCK_MONOTONIC. */
static inline double monotonic_seconds(void)
{
	return clock_read(CLOCK_MONOTONIC);
}
