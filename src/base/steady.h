/* The clock for waiting and for telling how long something took; what is measured has its own
 * (engine/clock/clock.h). */
#ifndef SLX_BASE_STEADY_H
#define SLX_BASE_STEADY_H

/* Seconds of CLOCK_MONOTONIC. */
double steady_seconds(void);

#endif
