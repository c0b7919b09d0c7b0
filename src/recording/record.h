/* A JSON record is an object on one line of at most RECORD_MOST bytes, including the newline.
 *
 * A longer record continues in further lines. In the first line of a long record, "more" is the
 * number of further lines. Each further line of a long record has "record":"more", the same id, and
 * the fields that did not fit. In a further line of a long record, the member "of" is the name of
 * the record. The reader of a recording joins the parts of a continued string, list or object.
 *
 * record.h declares the type json_t of the library jansson itself, so that no header includes
 * jansson. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/measure/trials.h"

struct json_t;

enum { RECORD_MOST = 1000 };

struct record_sample;

/* The destination of records: a file of lines or, if `row` is not NULL, a table. */
struct records {
	void *context;
	const char *host; /* name of the host, written in every record; NULL: no name is written */
	/* A function that receives one line of the output with its newline. The line passed to the
	 * output function is valid only during the call. */
	void (*line)(void *context, const char *line, size_t length);
	/* For a table, row() receives a whole record, and sample() receives a sample with all table
	 * fields. */
	void (*row)(void *context, const struct json_t *record);
	void (*sample)(void *context, const struct record_sample *sample);
};

/* From this call on, a failed allocation of the JSON library ends the program with a message,
 * because a record would be incomplete. Call this function once, before any other function of this
 * file. */
void records_begin(void);

/* ---- Writing. record_write() frees the record that it writes. */

/* Makes a record with its version, name and id, and with the host if `records` has a host. */
struct json_t *record_new(const struct records *records, const char *name, unsigned id);

/* Sets one member of a JSON object. Control characters of a string are removed. A NULL string, a
 * real that is not finite, and a false flag add no member to the object. A missing member does not
 * mean 0, so an unavailable value never reads as 0. */
void record_set_string(struct json_t *object, const char *key, const char *value);
void record_set_real(struct json_t *object, const char *key, double value);
/* Sets the members KEY, KEY_lo and KEY_hi: a value and its quartiles. */
void record_set_range(
	struct json_t *object, const char *key, double value, double low, double high);
void record_set_integer(struct json_t *object, const char *key, int64_t value);
void record_set_count(struct json_t *object, const char *key, uint64_t value);
void record_set_boolean(struct json_t *object, const char *key, bool value);
void record_set_flag(struct json_t *object, const char *key, bool value);

/* Sets a string like record_set_string(), but an empty string sets no member. */
void record_set_words(struct json_t *object, const char *key, const char *value);
/* Sets a member to the word for a source of cycles, such as "counter". SOURCE_NONE sets no member.
 */
void record_set_source(struct json_t *object, const char *key, enum source source);
/* Returns the source of cycles whose word is the member's value; SOURCE_NONE: there is none. */
enum source record_source(const struct json_t *object, const char *key);
void record_set_null(struct json_t *object, const char *key);
/* Sets a string only if the destination is a table. */
void record_set_cell(
	const struct records *records, struct json_t *object, const char *key, const char *value);

/* Adds an empty JSON list or object to a record as the member `key`, and returns the list or
 * object. */
struct json_t *record_list(struct json_t *object, const char *key);
struct json_t *record_object(struct json_t *object, const char *key);

/* Appends to a list. In a list, a real that is not finite becomes null, so that later values keep
 * their positions. */
void record_append_real(struct json_t *list, double value);
void record_append_integer(struct json_t *list, int64_t value);
void record_append_string(struct json_t *list, const char *value);
/* Appends the numbers of all bits that are set in `bits`. record_bits() reads the list. */
void record_append_bits(struct json_t *list, uint32_t bits);

void record_write(const struct records *records, struct json_t *object);

/* Writes a list as several records. Each of these records has as many elements of the list as fit
 * into one line. Frees the object and the list. Writes no record if the list is empty. */
void record_write_list(
	const struct records *records, struct json_t *object, const char *key, struct json_t *list);

/* ---- Reading. The JSON input is untrusted, so every number has bounds, and every string is
 * cleaned. */

/* Adds the contents of a record "more" to the record that the record "more" continues. */
void record_join(struct json_t *whole, const struct json_t *more);

/* Reads a string, removes its control characters, and truncates it to the buffer. If the JSON value
 * is no string, returns false, and the buffer is empty. */
bool record_string(const struct json_t *object, const char *key, char *buffer, size_t size);

/* Reads a number between `low` and `high`, from a value or from a field. Any value other than a
 * number within the bounds reads as NAN. */
bool record_bounded(const struct json_t *value, double low, double high, double *number);
bool record_number(
	const struct json_t *object, const char *key, double low, double high, double *number);

/* Reads an integer between bounds. A missing number, or a number out of bounds, reads as 0. */
bool record_integer(
	const struct json_t *object, const char *key, int64_t low, int64_t high, int64_t *number);
int64_t record_count(const struct json_t *object, const char *key, int64_t high);

bool record_flag(const struct json_t *object, const char *key);

/* Returns the index of a JSON field's word in the list `words`, which ends with NULL; -1: the word
 * was not found. */
int record_word(const struct json_t *object, const char *key, const char *const *words);

/* Reads a list of numbers, and returns a word with a bit for each number below `count`. */
uint32_t record_bits(const struct json_t *object, const char *key, int count);
