/* Reads JSON records that a format wrote, and checks what holds for every record. */
#pragma once

#include "check.h"

#include <jansson.h>

#include "base/rows.h"
#include "recording/records.h"

/* Whether a word is one of a list with blanks between. */
static inline bool is_listed(const char *list, const char *word)
{
	char padded[1024], wanted[64];

	snprintf(padded, sizeof(padded), " %s ", list);
	snprintf(wanted, sizeof(wanted), " %s ", word);
	return strstr(padded, wanted);
}

/* Whether data/records or sample_fields has a field of a record. */
static inline bool is_known_field(const char *record, const char *key)
{
	const struct field *field = sample_fields;
	char *row[3] = { 0 };
	bool found = false, known;
	struct rows rows;

	rows_load(&rows, "records");
	while (!found && rows_next(&rows))
		found = rows_fields(&rows, row, 3) == 3 && strcmp(row[1], record) == 0;
	while (field->name && (strcmp(field->name, key) != 0 || field->no_json))
		field++;
	known = found &&
		(is_listed("v record id host more", key) || strcmp(row[0], "recordings") == 0 ||
			strcmp(record, "more") == 0 || is_listed(row[2], key) ||
			(strcmp(record, "sample") == 0 && field->name));
	rows_end(&rows);
	return known;
}

/* The record of a line, which may end in a newline. */
static inline json_t *parse(const char *line)
{
	size_t length = strcspn(line, "\n");
	json_error_t error;
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error), *value;
	const char *key;

	assert_true(length + 1 <= RECORD_MOST);
	if (!object)
		fail_msg("%s: \"%.*s\"", error.text, (int)length, line);
	json_object_foreach(object, key, value)
	{
		if (!is_known_field(json_string_value(json_object_get(object, "record")), key))
			fail_msg("data/records lacks %s: \"%.*s\"", key, (int)length, line);
	}
	return object;
}

static inline const char *string_at(const json_t *object, const char *key)
{
	const char *string = json_string_value(json_object_get(object, key));

	if (!string)
		fail_msg("no string \"%s\"", key);
	return string;
}

static inline double number_at(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_number(value))
		fail_msg("no number \"%s\"", key);
	return json_number_value(value);
}

/* Whether a value is the expected one; of an object only the expected members count, and null means
 * absent. */
static inline bool is_like(const json_t *value, const json_t *expected)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_null(expected))
		return !value || json_is_null(value);
	if (json_is_number(expected))
		return json_is_number(value) &&
		       fabs(json_number_value(value) - json_number_value(expected)) <=
			       1e-9 * fabs(json_number_value(expected));
	if (json_is_array(expected) && json_array_size(value) != json_array_size(expected))
		return false;
	json_array_foreach(
		expected, i, member) if (!is_like(json_array_get(value, i), member)) return false;
	json_object_foreach((json_t *)(uintptr_t)expected, key,
		member) if (!is_like(json_object_get(value, key), member)) return false;
	return json_is_array(expected) || json_is_object(expected) || json_equal(value, expected);
}

/* Checks members of an object: "{'record': 'sample', 'cpe': 4, 'modes': null}". */
static inline void check_members(const json_t *object, const char *expected)
{
	char *text = strdup(expected);
	json_t *wanted, *member;
	json_error_t error;
	const char *key;

	for (char *c = text; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	wanted = json_loads(text, 0, &error);
	if (!wanted)
		fail_msg("%s: %s", error.text, expected);
	json_object_foreach(wanted, key, member)
	{
		const json_t *value = json_object_get(object, key);
		char *is = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;

		if (!is_like(value, member))
			fail_msg("%s is %s", key, is ? is : "absent");
		free(is);
	}
	json_decref(wanted);
	free(text);
}
