/* One JSON record: an object on one line of at most RECORD_MOST bytes, its newline included.
 *
 * A longer record continues in further lines, so that nothing is lost: its first line has "more",
 * the number of further lines. Each of these has "record":"more", the same id, the first line's
 * record as "of", and the fields that did not fit. A string or list that continues is appended to
 * what came before, the members of an object are added to it.
 *
 * jansson's own type is named here so that no header includes jansson. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/measure/trials.h"

struct json_t;

enum { RECORD_MOST = 1000 };

struct record_sample;

/* Where records go: to a file of lines, or (row not NULL) to a table. */
struct records {
	void *context;
	const char *host; /* in every record; NULL: in none */
	/* Takes one line with its newline; keeps it no longer than the call. */
	void (*line)(void *context, const char *line, size_t length);
	/* A table: takes a whole record; and a sample, with all fields that tables have. */
	void (*row)(void *context, const struct json_t *record);
	void (*sample)(void *context, const struct record_sample *sample);
};

/* ---- Writing. record_write() frees the record. */

/* A record with its version, name and id, and the host where records have one. */
struct json_t *record_new(const struct records *records, const char *name, unsigned id);

/* Sets a string without control characters; NULL: absent. A real that is not finite is absent:
 * unavailable is never 0. A flag is absent while false. */
void record_set_string(struct json_t *object, const char *key, const char *value);
void record_set_real(struct json_t *object, const char *key, double value);
/* KEY, KEY_lo and KEY_hi. */
void record_set_range(
	struct json_t *object, const char *key, double value, double low, double high);
void record_set_integer(struct json_t *object, const char *key, int64_t value);
void record_set_count(struct json_t *object, const char *key, uint64_t value);
void record_set_boolean(struct json_t *object, const char *key, bool value);
void record_set_flag(struct json_t *object, const char *key, bool value);

/* The same for a string that may be empty: then it is absent too. */
void record_set_words(struct json_t *object, const char *key, const char *value);
/* The word of a source; SOURCE_NONE: absent. */
void record_set_source(struct json_t *object, const char *key, enum source source);
void record_set_null(struct json_t *object, const char *key);
/* A string that only tables have. */
void record_set_cell(
	const struct records *records, struct json_t *object, const char *key, const char *value);

/* Sets an empty list or object, and returns it. */
struct json_t *record_list(struct json_t *object, const char *key);
struct json_t *record_object(struct json_t *object, const char *key);

/* Appends to a list. A real that is not finite is null: a list keeps its places. */
void record_append_real(struct json_t *list, double value);
void record_append_integer(struct json_t *list, int64_t value);
void record_append_string(struct json_t *list, const char *value);
/* The numbers of the bits that are set, as record_bits() reads them. */
void record_append_bits(struct json_t *list, uint32_t bits);

void record_write(const struct records *records, struct json_t *object);

/* Writes the record as often as necessary, each time with as many elements of the list as fit into
 * a line. Frees both. An empty list writes nothing. */
void record_write_list(
	const struct records *records, struct json_t *object, const char *key, struct json_t *list);

/* ---- Reading. Nothing is believed: every number has bounds, every string is cleaned. */

/* Adds what a "more" record continues. */
void record_join(struct json_t *whole, const struct json_t *more);

/* A string, cleaned and cut. Returns whether there is one; else the buffer is empty. */
bool record_string(const struct json_t *object, const char *key, char *buffer, size_t size);

/* A number between bounds, of a value and of a field; anything else reads as NAN. */
bool record_bounded(const struct json_t *value, double low, double high, double *number);
bool record_number(
	const struct json_t *object, const char *key, double low, double high, double *number);

/* A whole number; a missing one, or one out of bounds, reads as 0. */
bool record_integer(
	const struct json_t *object, const char *key, int64_t low, int64_t high, int64_t *number);
int64_t record_count(const struct json_t *object, const char *key, int64_t high);

bool record_flag(const struct json_t *object, const char *key);

/* The index of a word in a list that ends with NULL; -1: it is not there. */
int record_word(const struct json_t *object, const char *key, const char *const *words);

/* The bits below `count` that a list of small numbers names. */
uint32_t record_bits(const struct json_t *object, const char *key, int count);
