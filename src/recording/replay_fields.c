#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "recording/replay_read.h"

bool field_string(const json_t *object, const char *key, char *buffer, size_t size)
{
	const json_t *value = json_object_get(object, key);
	struct text text = { 0 };

	buffer[0] = '\0';
	if (!json_is_string(value))
		return false;
	text_add_clean(&text, json_string_value(value), size - 1);
	snprintf(buffer, size, "%s", text_string(&text));
	text_free(&text);
	return true;
}

bool number_of(const json_t *value, double low, double high, double *number)
{
	*number = json_is_number(value) ? json_number_value(value) : (double)NAN;
	return *number >= low && *number <= high;
}

bool field_number(const json_t *object, const char *key, double low, double high, double *number)
{
	return number_of(json_object_get(object, key), low, high, number);
}

bool field_integer(
	const json_t *object, const char *key, int64_t low, int64_t high, int64_t *number)
{
	const json_t *value = json_object_get(object, key);

	*number = json_is_integer(value) ? json_integer_value(value) : 0;
	return json_is_integer(value) && *number >= low && *number <= high;
}

int64_t field_count(const json_t *object, const char *key, int64_t high)
{
	int64_t number;

	return field_integer(object, key, 0, high, &number) ? number : 0;
}

bool field_true(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

int field_word(const json_t *object, const char *key, const char *const *words)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (int i = 0; word && words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

uint32_t field_bits(const json_t *object, const char *key)
{
	const json_t *list = json_object_get(object, key), *value;
	uint32_t bits = 0;
	size_t i;

	json_array_foreach(list, i, value) if (json_is_integer(value) &&
					       json_integer_value(value) >= 0 &&
					       json_integer_value(value) < UARCH_PORTS) bits |=
		(uint32_t)1 << json_integer_value(value);
	return bits;
}
