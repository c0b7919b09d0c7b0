/* Values of the fields in the table of fields.c: read from structs, written as JSON, CSV and text,
 * and kept in recordings. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "kernels/knob_rows.h"
#include "recording/fields.h"
#include "recording/record.h"

void field_set_word(struct field_value *value, const char *word)
{
	value->known = word && *word;
	value->word = word;
}

void field_set_real(struct field_value *value, double real)
{
	value->known = isfinite(real);
	value->real = real;
}

void field_set_integer(struct field_value *value, bool known, int64_t integer)
{
	value->known = known;
	value->integer = integer;
}

static void read_member(const struct field *field, const char *owner, struct field_value *value)
{
	const void *member = owner + field->offset;

	switch (field->type) {
	case FIELD_REAL: field_set_real(value, *(const double *)member); break;
	case FIELD_INT: field_set_integer(value, true, *(const int *)member); break;
	case FIELD_COUNT: field_set_integer(value, true, *(const unsigned *)member); break;
	case FIELD_BYTES:
		field_set_integer(value, true,
			*(const uint64_t *)member > INT64_MAX
				? INT64_MAX
				: (int64_t) * (const uint64_t *)member);
		break;
	case FIELD_FLAG: field_set_integer(value, true, *(const bool *)member); break;
	case FIELD_WORD: field_set_word(value, member); break;
	case FIELD_NAME: field_set_word(value, *(const char *const *)member); break;
	case FIELD_SOURCE:
		if (*(const enum source *)member != SOURCE_NONE)
			field_set_word(value, source_name(*(const enum source *)member));
		break;
	case FIELD_PAGES: field_set_word(value, knob_pages[*(const enum page_kind *)member]); break;
	case FIELD_KIND: field_set_word(value, field->kinds[*(const int *)member]); break;
	case FIELD_LIST:
		value->list = *(const struct misses *const *)member;
		value->known = value->list && value->list->known;
		break;
	}
}

void field_get(
	const struct field *field, const struct record_sample *what, struct field_value *value)
{
	const void *const owners[] = { NULL, what, what->sample, what->facts, what->sample_ratios,
		what->explanation };

	*value = (struct field_value){ 0 };
	if (field->get)
		field->get(what, value);
	else if (owners[field->owner] && (!field->applies || field->applies(what)))
		read_member(field, owners[field->owner], value);
	if (value->known && field->can_be_usual && field->type != FIELD_FLAG &&
		field->type != FIELD_REAL && value->integer < field->usual)
		value->integer = field->usual;
}

struct field_value field_named(const char *name, const struct record_sample *what)
{
	const struct field *field = sample_fields;
	struct field_value value;

	while (strcmp(field->name, name) != 0)
		field++;
	field_get(field, what, &value);
	if (!value.known)
		value.real = NAN;
	return value;
}

static bool is_text(enum field_type type)
{
	return type == FIELD_WORD || type == FIELD_NAME || type == FIELD_SOURCE ||
	       type == FIELD_PAGES || type == FIELD_KIND;
}

/* ---- JSON */

static void put_value(json_t *object, const struct field *field, const struct field_value *value)
{
	if (is_text(field->type)) {
		record_set_string(object, field->name, value->word);
	} else if (field->type == FIELD_REAL) {
		record_set_real(object, field->name, value->real);
	} else if (field->type == FIELD_FLAG) {
		record_set_boolean(object, field->name, value->integer);
	} else if (field->type == FIELD_LIST) {
		json_t *list = json_array();

		for (int i = 0; i < CACHE_LEVELS; i++)
			record_append_real(list, value->list->level[i].each);
		json_object_set_new(object, field->name, list);
	} else {
		record_set_integer(object, field->name, value->integer);
	}
}

static bool is_usual(const struct field *field, const struct field_value *value)
{
	return field->type == FIELD_REAL ? value->real == (double)field->usual
					 : value->integer == field->usual;
}

static void put_field(json_t *object, const struct field *field, const struct record_sample *what)
{
	struct field_value value;

	field_get(field, what, &value);
	if (value.known && !(field->can_be_usual && is_usual(field, &value)))
		put_value(object, field, &value);
}

void fields_json(json_t *object, enum field_group group, const struct record_sample *what)
{
	for (const struct field *field = sample_fields; field->name; field++)
		if (field->group == group && !field->no_json)
			put_field(object, field, what);
}

void field_json(json_t *object, const char *name, const struct record_sample *what)
{
	for (const struct field *field = sample_fields; field->name; field++)
		if (strcmp(field->name, name) == 0)
			put_field(object, field, what);
}

/* ---- CSV and text */

void field_csv(const struct field *field, const struct record_sample *what, struct text *cell)
{
	struct field_value value;

	field_get(field, what, &value);
	if (!value.known)
		return;
	if (is_text(field->type)) {
		text_add(cell, value.word);
	} else if (field->type == FIELD_REAL) {
		text_addf(cell, "%.6g", value.real);
	} else if (field->type == FIELD_FLAG) {
		text_add(cell, value.integer ? "true" : "false");
	} else if (field->type == FIELD_LIST) {
		for (int i = 0; i < CACHE_LEVELS; i++) {
			double each = value.list->level[i].each;

			text_add(cell, i ? " " : "");
			if (isfinite(each))
				text_addf(cell, "%.6g", each);
			else
				text_add(cell, "-");
		}
	} else {
		text_addf(cell, "%" PRId64, value.integer);
	}
}

/* ---- Recordings */

void fields_write(json_t *object, const struct field *table, const void *owner, bool all)
{
	for (const struct field *field = table; field->name; field++) {
		struct field_value value = { 0 };

		if (!field->recorded || (!all && field->group == FIELDS_RECORD))
			continue;
		read_member(field, owner, &value);
		if (field->type == FIELD_REAL) {
			/* A missing field of a JSON record means the default value, so an unknown
			 * value is written as null. */
			if (value.known &&
				(field->always || !field->can_be_usual || !is_usual(field, &value)))
				put_value(object, field, &value);
			else if (!value.known && field->can_be_usual && !field->always)
				json_object_set_new(object, field->name, json_null());
		} else if (field->always ||
			   (value.known &&
				   (is_text(field->type) || value.integer != field->absent))) {
			put_value(object, field, &value);
		}
	}
}

static int64_t read_integer(const struct field *field, const json_t *object, const char *name)
{
	int64_t high = field->high < (double)INT64_MAX ? (int64_t)field->high : INT64_MAX, number;

	return record_integer(object, name, 0, high, &number) ? number : field->absent;
}

static void write_member(
	const struct field *field, const json_t *object, const char *name, void *member)
{
	int word;

	switch (field->type) {
	case FIELD_REAL:
		if (!record_number(object, name, field->low, field->high, member) &&
			(field->always || (field->can_be_usual && !json_object_get(object, name))))
			*(double *)member = (double)field->usual;
		break;
	case FIELD_INT: *(int *)member = (int)read_integer(field, object, name); break;
	case FIELD_COUNT: *(unsigned *)member = (unsigned)read_integer(field, object, name); break;
	case FIELD_BYTES: *(uint64_t *)member = (uint64_t)read_integer(field, object, name); break;
	case FIELD_FLAG: *(bool *)member = record_flag(object, name); break;
	case FIELD_WORD: record_string(object, name, member, field->size); break;
	case FIELD_SOURCE: *(enum source *)member = record_source(object, name); break;
	case FIELD_PAGES:
		word = record_word(object, name, knob_pages);
		*(enum page_kind *)member = word > 0 ? (enum page_kind)word : PAGES_AUTO;
		break;
	case FIELD_KIND:
		word = record_word(object, name, field->kinds);
		*(int *)member = word > 0 ? word : 0;
		break;
	case FIELD_NAME:
	case FIELD_LIST: break;
	}
}

void fields_read(const json_t *object, const struct field *table, void *owner)
{
	for (const struct field *field = table; field->name; field++) {
		bool old = field->old && !json_object_get(object, field->name);

		if (field->recorded)
			write_member(field, object, old ? field->old : field->name,
				(char *)owner + field->offset);
	}
}
