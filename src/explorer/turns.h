/* Runs a long measurement in its own thread. This thread and the explorer's thread run in turns.
 *
 * Ownership: while the measurement's thread runs, it owns the measurement and its report. At other
 * times the explorer's thread owns them. The explorer's thread lets the other thread run only
 * inside turns_next(), turns_accept() and turns_free(). There it waits, for microseconds, until the
 * measurement asks for its next request. Both threads run at the same time only during
 * measurer_compute(); no other thread may use the data of that computation. So the screen does not
 * depend on the speed of the threads.
 *
 *     while (turns_next(turns, now, &request))
 *     	…submit, wait for the final result, turns_accept(turns, now, &result)… */
#pragma once

#include <stdbool.h>

#include "experiment/campaign.h"

struct turns;

/* The thread begins at the first turns_next(). The campaign is borrowed. */
struct turns *turns_new(const struct campaign *campaign);

/* Ends the measurement at any point. NULL is allowed. */
void turns_free(struct turns *turns);

/* Fills the next request; the caller sets its generation and tag. now: in seconds of any steady
 * clock. Returns false while a result is awaited, while the measurement computes, and after its
 * end. */
bool turns_next(struct turns *turns, double now, struct request *request);

/* Gives the final result of the last request. Has no effect if no result is awaited. */
void turns_accept(struct turns *turns, double now, const struct result *result);

/* Call it after the last request was cancelled, or after its conditions changed. The measurement
 * chooses its next request again. */
void turns_lose(struct turns *turns);

/* Asks the measurement to end with its results so far. The next turns_next() ends it and gives no
 * request. */
void turns_stop(struct turns *turns);

/* Whether the measurement is computing in its thread. If so, call turns_next() again soon. */
bool turns_compute(const struct turns *turns);

/* Whether the measurement has ended. */
bool turns_over(const struct turns *turns);
