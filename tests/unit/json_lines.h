/* Reads JSON records that a format wrote, and checks what holds for every record. */
#pragma once

#include "check.h"

#include <jansson.h>

#include "recording/records.h"

/* The record of a line, which may end in a newline. */
static inline json_t *parse(const char *line)
{
	size_t length = strcspn(line, "\n");
	json_error_t error;
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);

	assert_true(length + 1 <= RECORD_MOST);
	if (!object)
		fail_msg("%s: \"%.*s\"", error.text, (int)length, line);
	if (record_unlisted(object))
		fail_msg("record_kinds lacks %s: \"%.*s\"", record_unlisted(object), (int)length,
			line);
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
