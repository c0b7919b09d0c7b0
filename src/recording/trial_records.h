/* The record "trials" of a recording: the trials of a sample, one column (columns.h) for each
 * member of struct trial. A column that has only the usual value is missing: 0 for "fate" and
 * "where", unknown for the others. "where" is twice the placement (the working set's offset in
 * memory), plus 1 if the caches were not in steady state.
 *
 * In format 1 of recordings, the record has the list "trials" instead, in which each trial is a
 * list [CPE, GHZ, WATCH, TURNS, AT, FATE, CHECK, WHERE]. */
#pragma once

#include "engine/measure/trials.h"

struct json_t;

/* Sets the columns of the trials in a record. */
void trials_set(struct json_t *object, const struct trials *trials);

/* Appends the trials of a record, of either format. Returns the reason why the record cannot be
 * used, or NULL. The record is untrusted: each number has bounds. */
const char *trials_get(const struct json_t *object, struct trials *trials);
