/* Checks a result that a child process with the user's code wrote. The user's code may have
 * overwritten every byte of the result. */
#pragma once

#include "engine/engine.h"

/* Makes every value of the result valid for its type: texts end and have no control characters,
 * numbers of entries are in range, and a trial without a finite time becomes TRIAL_BROKEN. Counts
 * that do not belong to the request's plan of events are dropped. A result whose values are all
 * valid stays as it is. */
void handed_check(struct result *result, const struct request *request);
