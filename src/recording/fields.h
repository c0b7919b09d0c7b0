/* The fields of a sample: one table drives JSON, CSV, text, recordings, replay and the manual.
 *
 * To add a field: add its member to struct run_facts or struct sample where it is measured, and its
 * row to the table in fields.c. tests/docs.sh asks for its name in the manual. */
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
	const char *uarch;		       /* the core whose limits they are; NULL: none */
	const struct explanation *explanation; /* NULL: none */
	const struct event_plan *events;       /* NULL: nothing was to be counted */
	const struct counts *counts;	       /* NULL: nothing was counted */
	const struct misses *misses,
		*whatif_misses; /* expected misses, and those in other caches; NULL: absent */
	const struct sample_ratios *sample_ratios; /* NULL: the counts alone */
	const char *part;  /* of a probe, whose curve this is a point of; NULL: none */
	const char *level; /* of a probe's bandwidth; NULL: none */
	double x;	   /* on that curve */
	const char *sweep; /* the named sweep; NULL: none */
	double speedup;	   /* over that sweep's baseline; NAN: none */
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

/* The struct that has a field's member; IN_ROW: struct record_sample itself. */
enum field_owner { IN_NONE, IN_ROW, IN_SAMPLE, IN_FACTS, IN_RATIOS };

/* Columns of CSV are written a group at a time. */
enum field_group {
	FIELDS_HEAD,   /* before the kernel and its knobs */
	FIELDS_PLACE,  /* likewise */
	FIELDS_CURVE,  /* a point of a probe, in place of kernel and knobs */
	FIELDS_VALUE,  /* after them */
	FIELDS_SWEEP,  /* of a named sweep */
	FIELDS_RECORD, /* of recordings alone: how trials become a sample again */
	FIELDS_GROUPS
};

struct field_value {
	bool known;
	double real;
	int64_t integer; /* and flags */
	const char *word;
	const struct misses *list;
};

struct field {
	const char *name; /* in every format */
	const char *old;  /* a name that older files have; NULL: none */
	const char *unit; /* "": none */
	const char *help;
	enum field_group group;
	enum field_type type;
	enum field_owner owner;
	size_t offset, size; /* of its member */
	bool recorded;	     /* recordings have it: in a record "facts", "machine" or "insn" */
	bool always;	     /* recordings have it even with its default value */
	bool no_json;
	int64_t absent;	   /* the value of an integer that a recording lacks */
	double low, high;  /* bounds of a number in a recording; an integer's least is 0 */
	int64_t usual;	   /* JSON leaves it out while an integer is this or a flag is this */
	bool can_be_usual; /* whether `usual` counts; CSV has it as the least */
	/* Whether the field means anything of this sample; NULL: it always does. */
	bool (*applies)(const struct record_sample *what);
	/* Computes a value that is no member; owner IN_NONE. */
	void (*get)(const struct record_sample *what, struct field_value *value);
};

/* Ended by a NULL name. */
extern const struct field sample_fields[];

const char *field_type_name(enum field_type type);

/* Its value; unknown where it is unavailable or does not apply. */
void field_get(
	const struct field *field, const struct record_sample *what, struct field_value *value);

/* The same of the field of that name; a real that is unavailable is NAN. */
struct field_value field_named(const char *name, const struct record_sample *what);

/* Sets the fields of a group that JSON has. */
void fields_json(struct json_t *object, enum field_group group, const struct record_sample *what);

/* Sets one field of another record that has the same meaning there. */
void field_json(struct json_t *object, const char *name, const struct record_sample *what);

/* Its value as CSV has it; empty: unavailable. */
void field_csv(const struct field *field, const struct record_sample *what, struct text *cell);

/* ---- The members of a struct in recordings: the known ones are written, and read within their
 * bounds. A table ends with a NULL name. */

/* One instruction of a loop, or equal ones in a row. */
struct recorded_insn {
	uint64_t offset; /* of the first, in bytes from the loop's beginning */
	int times;	 /* most often 1 */
	unsigned bytes;	 /* of each */
	bool jumps, writes, fetches, no_instruction;
	char text[88]; /* a jump's target as its distance from the loop's beginning */
	struct limit_insn facts;
};

extern const struct field machine_fields[]; /* of struct machine */
extern const struct field insn_fields[];    /* of struct recorded_insn */

/* all: also members that only recordings have. */
void fields_write(struct json_t *object, const struct field *table, const void *owner, bool all);
void fields_read(const struct json_t *object, const struct field *table, void *owner);
