/* The records of compared machines, kept for pictures and pages. The reader of compare
 * (compared.h) keeps each complete record once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct compared;
struct json_t;

struct kept_record {
	int source;	 /* index in compared.source */
	unsigned report; /* number of the report of its source that the record belongs to */
	int family;	 /* kind of this report; 0: the record belongs to no report */
	char kind[16];
	struct json_t *object;
};

/* Begins zeroed; ends with kept_free(). */
struct kept {
	bool by_file;		/* a unit is a file; false: a unit is a host */
	size_t count, left_out; /* left_out: number of records beyond the limit of kept records */
	struct kept_record *record;
	unsigned reports; /* number of reports so far */
	struct kept_last {
		unsigned report[5]; /* the last report of each family */
	} * last;		    /* one for each source */
	int last_count;
};

/* Keeps a record, with a reference to `object`. The reader calls this function for each complete
 * record. */
void kept_add(struct kept *kept, const struct compared *compared, int source, struct json_t *object,
	const char *kind);

/* Returns the next record of a kind of a unit (host or file); NULL: no further record. Set *at to 0
 * before the first call. If a unit has several reports of a kind, such as two probes, only records
 * of the last report are returned. The record is owned by `kept`. */
const struct json_t *kept_next(const struct kept *kept, const struct compared *compared, int unit,
	const char *kind, size_t *at);

/* Returns the last record of a kind; NULL: the unit has none. */
const struct json_t *kept_last(
	const struct kept *kept, const struct compared *compared, int unit, const char *kind);

/* Members of a record: text that is safe to print ("" if absent), a number (NAN if absent), a flag,
 * and the member of a nested object. */
struct kept_word {
	char text[320];
};
struct kept_word kept_word(const struct json_t *object, const char *key);
double kept_number(const struct json_t *object, const char *key);
bool kept_flag(const struct json_t *object, const char *key);
const struct json_t *kept_object(const struct json_t *object, const char *key);

void kept_free(struct kept *kept);
