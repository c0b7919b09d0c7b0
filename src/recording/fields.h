/* The fields of a sample: one table drives JSON, CSV, text, recordings, replay and the manual.
 *
 * To add a field, add its member to struct run_facts or struct sample, its row to the table in
 * fields.c, and its unit and meaning to data/fields. tests/docs.sh checks that the manual has it.
 */
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

/* The sample of one setting, and its conditions of measurement. */
struct record_sample {
	unsigned id;
	const char *machine; /* NULL: absent */
	const struct setting *setting;
	const struct sample *sample;
	const struct run_facts *facts;
	uint64_t seed;
	const char *uarch;			     /* the core of the limits; NULL: no core */
	const struct explanation *explanation;	     /* NULL: none */
	const struct event_plan *events;	     /* NULL: no counts were requested */
	const struct counts *counts;		     /* NULL: no counts */
	const struct misses *misses, *whatif_misses; /* expected misses, in this machine's caches
							and in other caches; NULL: absent */
	const struct sample_ratios *sample_ratios;   /* NULL: only the counts are available */
	const char *part;  /* for a point of a probe's curve: the part of the probe; NULL: none */
	const char *level; /* for a probe's bandwidth: the cache level; NULL: none */
	uint64_t x;	   /* x value on that curve */
	const char *sweep; /* name of the sweep; NULL: none */
	double speedup;	   /* speedup over the sweep's baseline; NAN: none */
};

enum field_type {
	FIELD_REAL,   /* double */
	FIELD_INT,    /* int */
	FIELD_COUNT,  /* unsigned */
	FIELD_BYTES,  /* uint64_t */
	FIELD_FLAG,   /* bool */
	FIELD_WORD,   /* char[] */
	FIELD_NAME,   /* const char *; NULL: unavailable */
	FIELD_SOURCE, /* enum source, by its word */
	FIELD_PAGES,  /* enum page_kind, by its word */
	FIELD_LIST,   /* misses by cache level */
};

/* The struct that contains a field's member; IN_ROW: struct record_sample itself. */
enum field_owner { IN_NONE, IN_ROW, IN_SAMPLE, IN_FACTS, IN_RATIOS, IN_EXPLANATION };

/* The groups of CSV columns, in the order of the columns. */
enum field_group {
	FIELDS_HEAD,   /* before the kernel and its knobs */
	FIELDS_PLACE,  /* also before the kernel and its knobs */
	FIELDS_CURVE,  /* for a point of a probe: replaces kernel and knobs */
	FIELDS_VALUE,  /* after the kernel and its knobs */
	FIELDS_SWEEP,  /* for a named sweep */
	FIELDS_RECORD, /* only in recordings: facts to compute the sample from its trials again */
	FIELDS_GROUPS
};

struct field_value {
	bool known;
	double real;
	int64_t integer; /* also flags */
	const char *word;
	const struct misses *list;
};

struct field {
	const char *name; /* the same in every format */
	enum field_group group;
	enum field_type type;
	enum field_owner owner;
	const char *old;     /* the name in older files; NULL: none */
	size_t offset, size; /* of the member */
	bool recorded;	     /* recordings contain it, in a record "facts", "machine" or "insn" */
	bool always;	     /* recordings contain it even with its default value */
	bool no_json;
	int64_t absent; /* value of an integer that is missing in a recording */
	double low,
		high;  /* bounds of a number in a recording; the lower bound of an integer is 0 */
	int64_t usual; /* default value; JSON omits the field if its value is the default */
	bool can_be_usual; /* whether `usual` is valid; if so, smaller integers are reported as
			      `usual` */
	/* Whether the field has a meaning for this sample; NULL: always. */
	bool (*applies)(const struct record_sample *what);
	/* Computes a value that is not a member, for owner IN_NONE. */
	void (*get)(const struct record_sample *what, struct field_value *value);
};

/* The last row has a NULL name. */
extern const struct field sample_fields[];

/* Gets the value of a field; unknown if it is unavailable or does not apply. */
void field_get(
	const struct field *field, const struct record_sample *what, struct field_value *value);

/* Gets the value of the field with this name; an unavailable real is NAN. */
struct field_value field_named(const char *name, const struct record_sample *what);

/* Sets the JSON fields of a group. */
void fields_json(struct json_t *object, enum field_group group, const struct record_sample *what);

/* Sets one field in another kind of record, where it has the same meaning. */
void field_json(struct json_t *object, const char *name, const struct record_sample *what);

/* The value of a field in CSV; empty: unavailable. */
void field_csv(const struct field *field, const struct record_sample *what, struct text *cell);

/* ---- The members of a struct in recordings. Only known members are written. Members are read
 * within their bounds. A table ends with a NULL name. */

/* One instruction of a loop, or several equal instructions in a row. */
struct recorded_insn {
	uint64_t offset; /* offset of the first instruction from the loop's beginning, in bytes */
	int times;	 /* number of instructions, usually 1 */
	unsigned bytes;	 /* length of each instruction */
	bool jumps, writes, fetches, no_instruction;
	char text[88]; /* the target of a jump is given as its distance from the loop's beginning */
	struct limit_insn facts;
};

extern const struct field machine_fields[]; /* of struct machine */
extern const struct field insn_fields[];    /* of struct recorded_insn */

/* all: also writes members that only recordings contain. */
void fields_write(struct json_t *object, const struct field *table, const void *owner, bool all);
void fields_read(const struct json_t *object, const struct field *table, void *owner);
