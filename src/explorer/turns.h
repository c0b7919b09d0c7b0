/* A long measurement in a thread of its own, which takes turns with the explorer's thread.
 *
 * Ownership: the measurement and its report belong to its thread while that runs, and to the
 * explorer's thread otherwise. The explorer's thread lets it run inside turns_next(),
 * turns_accept() and turns_free() alone, and waits there until it asks for its next request, which
 * takes it microseconds. Only while it computes (measurer_compute()) do both run: what it computes
 * with is then nobody else's. So every screen is the same however fast the threads are.
 *
 *     while (turns_next(turns, now, &request))
 *     	…submit, wait for the final result, turns_accept(turns, now, &result)…
 */
#pragma once

#include <stdbool.h>

#include "experiment/campaign.h"

struct turns;

/* Nothing begins before turns_next(). The campaign is borrowed. */
struct turns *turns_new(const struct campaign *campaign);

/* Ends the measurement, whatever it does. NULL is fine. */
void turns_free(struct turns *turns);

/* The next request, the generation and tag of which are the caller's; now in seconds of any steady
 * clock. Returns false when a result is awaited, it computes, or it is over. */
bool turns_next(struct turns *turns, double now, struct request *request);

/* The final result of the last request. Nothing happens where none is awaited. */
void turns_accept(struct turns *turns, double now, const struct result *result);

/* The last request was taken back, or something that it depends on has changed: the measurement
 * chooses its next one again. */
void turns_lose(struct turns *turns);

/* The measurement must end with what it has: turns_next() gives nothing any more, and ends it. */
void turns_stop(struct turns *turns);

/* It computes in its thread: turns_next() must be called again in a moment. */
bool turns_compute(const struct turns *turns);

/* It has come to its end. */
bool turns_over(const struct turns *turns);
