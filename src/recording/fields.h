/* The fields of a sample. One table of fields is used for JSON, CSV, text, recordings, replay and
 * the manual.
 *
 * To add a field, add its member to struct run_facts or struct sample, its row to the table in
 * fields.c, and its unit and meaning to data/fields. tests/docs.sh checks that the manual describes
 * every field. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "engine/measure/trials.h"
#include "experiment/setting/setting.h"
#include "model/counts/counts.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"

struct json_t;

/* The sample of one setting, and the conditions of its measurement. */
struct record_sample {
	unsigned id;
	const char
		*machine; /* name of the machine that was measured; NULL: the record has no name */
	const struct setting *setting;
	const struct sample *sample;
	const struct run_facts *facts;
	uint64_t seed;
	const char *uarch; /* name of the core whose limits are given; NULL: no core */
	const struct explanation *explanation; /* explanation of the setting (its computed limits);
						  NULL: no explanation */
	const struct event_plan *events; /* the counted events; NULL: no counts were requested */
	const struct counts *counts;	 /* the counts of the events; NULL: no counts */
	const struct misses *misses,
		*whatif_misses; /* expected misses in this machine's caches, and in other caches
				   that the user named; NULL: not requested */
	const struct sample_ratios *sample_ratios; /* ratios such as instructions per element; NULL:
						      only the counts are available */
	const char *part;  /* for a point of a probe's curve: the part of the probe, such as
			      "latency"; NULL: no such point */
	const char *level; /* for a bandwidth measured by the probe: the cache level; NULL: no such
			      bandwidth */
	uint64_t x; /* x value of a point on the probe's curve, such as bytes of the working set */
	const char *sweep; /* name of the sweep; NULL: the sample belongs to no named sweep */
	double speedup;	   /* speedup over the sweep's baseline; NAN: no baseline */
	double published;  /* published value of the quantity that the sweep shows; NAN: none */
};

enum field_type {
	FIELD_REAL,   /* double */
	FIELD_INT,    /* int */
	FIELD_COUNT,  /* unsigned */
	FIELD_BYTES,  /* uint64_t */
	FIELD_FLAG,   /* bool */
	FIELD_WORD,   /* char[] */
	FIELD_NAME,   /* const char *; NULL: unavailable */
	FIELD_SOURCE, /* kind of value: an enum source, written as its word */
	FIELD_PAGES,  /* kind of value: an enum page_kind, written as its word */
	FIELD_KIND,   /* kind of value: an enum, written as its word in the field's `kinds` */
	FIELD_LIST,   /* misses for each cache level */
};

/* The struct (sample, facts, …) of which a field's value is a member. IN_ROW means struct
 * record_sample itself. */
enum field_owner { IN_NONE, IN_ROW, IN_SAMPLE, IN_FACTS, IN_RATIOS, IN_EXPLANATION };

/* The groups of CSV columns, in the order of the columns. */
enum field_group {
	FIELDS_HEAD,   /* CSV columns before the kernel and its knobs */
	FIELDS_PLACE,  /* further CSV columns before the kernel and its knobs */
	FIELDS_CURVE,  /* for a point of a probe: CSV columns that replace the kernel and its knobs
			*/
	FIELDS_VALUE,  /* CSV columns after the kernel and its knobs */
	FIELDS_SWEEP,  /* columns for a named sweep */
	FIELDS_RECORD, /* fields only in recordings, from which a replay computes the sample again
			*/
	FIELDS_GROUPS
};

struct field_value {
	bool known;
	double real;
	int64_t integer; /* value of an integer or a flag */
	const char *word;
	const struct misses *list;
};

struct field {
	const char *name; /* name of the field, which is the same in every format */
	enum field_group group;
	enum field_type type;
	enum field_owner owner;
	const char *old; /* the name of the field in older files; NULL: the name has not changed */
	size_t offset,
		size;  /* offset and size of the struct's member that holds the field's value */
	bool recorded; /* true: recordings contain the field, in a record "facts", "machine" or
			  "insn" */
	bool always;   /* true: recordings contain the field even if it has its default value */
	bool no_json;
	const char *const *kinds; /* for FIELD_KIND: the words of the enum; the last is NULL */
	int64_t absent;		  /* value of an integer field that is missing in a recording */
	double low,
		high;  /* bounds of a number in a recording; the lower bound of an integer is 0 */
	int64_t usual; /* default value; JSON omits the field if its value is the default */
	bool can_be_usual; /* true: the default value `usual` is valid, and smaller integers are
			    * written as `usual`
			    */
	/* Returns whether the field has a meaning for this sample; NULL: the field always has a
	 * meaning. */
	bool (*applies)(const struct record_sample *what);
	/* Computes the value of a field that is not a member of a struct (owner IN_NONE). */
	void (*get)(const struct record_sample *what, struct field_value *value);
};

/* The table of all fields of a sample. The last row of the table of fields has a NULL name. */
extern const struct field sample_fields[];

/* Store a word, a real number or an integer as the value of a recorded field. The value stays
 * unknown if `real` is not finite, `known` is false, or `word` is empty. */
void field_set_word(struct field_value *value, const char *word);
void field_set_real(struct field_value *value, double real);
void field_set_integer(struct field_value *value, bool known, int64_t integer);

/* Gets the value of a field. value->known is false if the value is unavailable or has no meaning
 * for this sample. */
void field_get(
	const struct field *field, const struct record_sample *what, struct field_value *value);

/* Returns the value of the field with this name; an unavailable real is NAN. */
struct field_value field_named(const char *name, const struct record_sample *what);

/* Sets the fields of one group of the table in a JSON object. */
void fields_json(struct json_t *object, enum field_group group, const struct record_sample *what);

/* Sets one field of the table in another kind of record, in which it has the same meaning. */
void field_json(struct json_t *object, const char *name, const struct record_sample *what);

/* Adds the value of a field in CSV. If the value of a field is unavailable, its cell in the CSV row
 * stays empty. */
void field_csv(const struct field *field, const struct record_sample *what, struct text *cell);

/* ---- The members of a struct in recordings. Only members of the struct with a known value are
 * written. A recorded value outside the bounds of its field is not read. A table of fields of one
 * struct ends with a NULL name. */

/* A recorded instruction of a loop, or several equal instructions in a row. */
struct recorded_insn {
	uint64_t offset; /* distance of the first instruction from the loop's beginning, in bytes */
	int times;	 /* number of instructions, usually 1 */
	unsigned bytes;	 /* length of each instruction */
	bool jumps, writes, fetches, no_instruction;
	char text[88]; /* text of the instruction; the target of a jump is given as a distance from
			  the loop's beginning */
	char source[64]; /* source line of a program's instruction, "FILE:LINE"; "": unknown */
	struct limit_insn facts;
};

extern const struct field machine_fields[]; /* table of fields for the members of struct machine */
/* table of fields for the members of struct slack_resource: the probed pressure on a port, for
 * example */
/* table of fields for the members of struct cost_insn: the cost of one instruction */
extern const struct field cost_fields[];
extern const struct field resource_fields[];
extern const struct field gap_fields[],
	cause_fields[]; /* tables of fields for the members of struct why_report and why_cause */
extern const struct field
	insn_fields[]; /* table of fields for the members of struct recorded_insn */

/* Writes the members of a struct to a record, or reads them from a record. If `all` is true,
 * fields_write() also writes members that only recordings contain. */
void fields_write(struct json_t *object, const struct field *table, const void *owner, bool all);
void fields_read(const struct json_t *object, const struct field *table, void *owner);
