/* Runs a long measurement in its own thread. The measurement's thread and the explorer's thread run
 * in turns.
 *
 * Ownership: while the measurement's thread runs, it owns the measurement and its report. While the
 * measurement's thread waits, the explorer's thread owns the measurement and its report. The
 * explorer's thread lets the other thread run only inside turns_next(), turns_accept() and
 * turns_free(). In turns_next(), turns_accept() and turns_free(), the explorer's thread waits a few
 * microseconds until the measurement requests, computes or ends. The explorer's thread and the
 * measurement's thread run at the same time only during measurer_compute(); then no other thread
 * may use the computation's data. Because the threads run in turns, the screen does not depend on
 * their speed.
 *
 *     while (turns_next(turns, now, &request))
 *     	…submit, wait for the final result, turns_accept(turns, now, &result)… */
#pragma once

#include <stdbool.h>

#include "experiment/campaign.h"

struct turns;

/* Creates the thread state for a campaign (long measurement), which is borrowed. The measurement's
 * thread starts at the first turns_next(). */
struct turns *turns_new(const struct campaign *campaign);

/* Ends the long measurement at once, and frees `turns`. `turns` may be NULL. */
void turns_free(struct turns *turns);

/* Fills the long measurement's next request; the caller sets the request's generation and tag.
 * `now` is in seconds of any steady clock. turns_next() returns false while a result is awaited,
 * while the measurement computes, and after the measurement's end. */
bool turns_next(struct turns *turns, double now, struct request *request);

/* Gives the measurement the final result of its last request. The call has no effect if the long
 * measurement awaits no result. */
void turns_accept(struct turns *turns, double now, const struct result *result);

/* Call turns_lose() after the last request was cancelled, or after the conditions of that request
 * changed. The long measurement then chooses its next request again. */
void turns_lose(struct turns *turns);

/* Asks the long measurement to end with its results so far. The next call of turns_next() ends the
 * measurement and fills no request. */
void turns_stop(struct turns *turns);

/* Whether the long measurement is computing in its own thread. While the long measurement computes,
 * call turns_next() again soon. */
bool turns_compute(const struct turns *turns);

/* Whether the measurement has ended. */
bool turns_over(const struct turns *turns);
