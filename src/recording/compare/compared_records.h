/* Reads the measured values of one JSON record. Used by compared_read.c. */
#pragma once

#include "recording/compare/compared.h"

struct json_t;

/* Whether slexplore writes records of this kind. */
bool compared_knows(const char *kind);

/* Returns the text of a member of a record; "": the record has no such text. */
const char *compared_word(const struct json_t *object, const char *key);

/* Returns whether the record is the first of a report, and so begins a run. A record "core" in a
 * recording has no field "seconds", and begins no report. */
bool compared_begins(const struct json_t *object, const char *kind);

/* Adds the values of a complete record of this source to the values to compare. Returns the group
 * in which the record's lines are counted. */
enum line_group compared_take(
	struct compared *compared, int source, const struct json_t *object, const char *kind);
