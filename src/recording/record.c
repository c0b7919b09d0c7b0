#include "recording/record.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define RECORD_FORM (JSON_COMPACT | JSON_REAL_PRECISION(6))

/* Bytes that the first line of a long record reserves for the member "more". */
enum { MORE_BYTES = 10 };

static void *get_memory(size_t bytes)
{
	void *memory = malloc(bytes);

	return memory ? memory : memory_resize(NULL, bytes, 1);
}

void records_begin(void)
{
	json_set_alloc_funcs(get_memory, free);
}

/* ---- Writing */

static json_t *clean_string(const char *value)
{
	struct text text = { 0 };
	json_t *string;

	text_add_clean(&text, value, strlen(value));
	string = json_string(text_string(&text));
	text_free(&text);
	return string;
}

void record_set_string(json_t *object, const char *key, const char *value)
{
	if (value)
		json_object_set_new(object, key, clean_string(value));
}

void record_set_real(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(object, key, json_real(value));
}

void record_set_range(json_t *object, const char *key, double value, double low, double high)
{
	char name[40];

	record_set_real(object, key, value);
	snprintf(name, sizeof(name), "%s_lo", key);
	record_set_real(object, name, low);
	snprintf(name, sizeof(name), "%s_hi", key);
	record_set_real(object, name, high);
}

void record_set_integer(json_t *object, const char *key, int64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

void record_set_count(json_t *object, const char *key, uint64_t value)
{
	record_set_integer(object, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void record_set_boolean(json_t *object, const char *key, bool value)
{
	json_object_set_new(object, key, json_boolean(value));
}

void record_set_flag(json_t *object, const char *key, bool value)
{
	if (value)
		record_set_boolean(object, key, true);
}

void record_set_words(json_t *object, const char *key, const char *value)
{
	if (value && *value)
		record_set_string(object, key, value);
}

void record_set_source(json_t *object, const char *key, enum source source)
{
	if (source != SOURCE_NONE)
		record_set_string(object, key, source_name(source));
}

enum source record_source(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));
	/* The letters that stand for the values of enum source. */
	const char *source = "CRSTM";

	while (word && *source && strcmp(source_name((enum source) * source), word) != 0)
		source++;
	return word ? (enum source) * source : SOURCE_NONE;
}

void record_set_null(json_t *object, const char *key)
{
	json_object_set_new(object, key, json_null());
}

void record_set_cell(
	const struct records *records, json_t *object, const char *key, const char *value)
{
	if (records->row)
		record_set_string(object, key, value);
}

json_t *record_list(json_t *object, const char *key)
{
	json_object_set_new(object, key, json_array());
	return json_object_get(object, key);
}

json_t *record_object(json_t *object, const char *key)
{
	json_object_set_new(object, key, json_object());
	return json_object_get(object, key);
}

void record_append_real(json_t *list, double value)
{
	json_array_append_new(list, isfinite(value) ? json_real(value) : json_null());
}

void record_append_integer(json_t *list, int64_t value)
{
	json_array_append_new(list, json_integer((json_int_t)value));
}

void record_append_string(json_t *list, const char *value)
{
	json_array_append_new(list, clean_string(value));
}

void record_append_bits(json_t *list, uint32_t bits)
{
	for (int bit = 0; bit < 32; bit++)
		if (bits >> bit & 1)
			record_append_integer(list, bit);
}

json_t *record_new(const struct records *records, const char *name, unsigned id)
{
	json_t *object = json_object();

	record_set_integer(object, "v", 1);
	json_object_set_new(object, "record", json_string(name));
	record_set_integer(object, "id", id);
	if (records->host)
		record_set_string(object, "host", records->host);
	return object;
}

/* Returns the bytes that a JSON value needs in a line. */
static size_t value_bytes(const json_t *value)
{
	return json_dumpb(value, NULL, 0, RECORD_FORM | JSON_ENCODE_ANY);
}

/* Returns the bytes of a recording's line with its newline. */
static size_t line_bytes(const json_t *object)
{
	return value_bytes(object) + 1;
}

/* Writes a JSON record that fits into one line. */
static void write_line(const struct records *records, const json_t *object)
{
	char *line = json_dumps(object, RECORD_FORM);
	size_t length;

	if (line) {
		/* At the end of a line, the newline replaces the terminating NUL of the string. */
		length = strlen(line);
		line[length] = '\n';
		records->line(records->context, line, length + 1);
	}
	free(line);
}

/* Returns the bytes that a JSON member (key and value) needs in a line. */
static size_t member_bytes(const char *key, const json_t *value)
{
	return strlen(key) + 4 + value_bytes(value);
}

static bool is_head(const char *key)
{
	return strcmp(key, "v") == 0 || strcmp(key, "record") == 0 || strcmp(key, "id") == 0 ||
	       strcmp(key, "host") == 0;
}

/* The lines of a long JSON record under construction. */
struct lines {
	const struct records *records;
	const json_t *whole;
	json_t *list;
};

static json_t *add_line(struct lines *lines)
{
	const json_t *name = json_object_get(lines->whole, "record");
	json_t *line = record_new(lines->records,
		json_array_size(lines->list) ? "more" : json_string_value(name),
		(unsigned)json_integer_value(json_object_get(lines->whole, "id")));

	if (json_array_size(lines->list))
		json_object_set(line, "of", (json_t *)(uintptr_t)name);
	json_array_append_new(lines->list, line);
	return line;
}

static size_t room_in(const struct lines *lines, size_t index)
{
	size_t used = line_bytes(json_array_get(lines->list, index)) + (index ? 0 : MORE_BYTES);

	return used < RECORD_MOST ? RECORD_MOST - used : 0;
}

/* Returns the beginning of a string that needs at most `room` bytes in a line of the recording. A
 * string that is too long for a line is cut between characters. */
static json_t *string_beginning(const char *string, size_t room)
{
	size_t length = strlen(string);

	while (length > 1) {
		json_t *part;

		while (length > 1 && ((unsigned char)string[length] & 0xc0) == 0x80)
			length--;
		part = json_stringn(string, length);
		if (value_bytes(part) <= room)
			return part;
		json_decref(part);
		length = length * 3 / 4;
	}
	return json_stringn(string, length);
}

static void split_string(struct lines *lines, const char *key, const char *string)
{
	while (*string) {
		json_t *line = add_line(lines), *part;
		size_t room = room_in(lines, json_array_size(lines->list) - 1);

		part = string_beginning(string, room - strlen(key) - 4);
		string += json_string_length(part);
		json_object_set_new(line, key, part);
	}
}

/* Adds a line with an empty list or object `part` under `key` to a long record. *room receives the
 * bytes left in the line. */
static json_t *add_part(struct lines *lines, const char *key, json_t *part, size_t *room)
{
	json_object_set_new(add_line(lines), key, part);
	*room = room_in(lines, json_array_size(lines->list) - 1);
	return part;
}

/* Splits a JSON list or object that is too long for one line into several lines. */
static void split_members(struct lines *lines, const char *key, json_t *whole)
{
	void *next = json_object_iter(whole); /* NULL: `whole` is a list */
	json_t *part = NULL;
	size_t room = 0;

	for (size_t i = 0; next || i < json_array_size(whole); i++) {
		const char *name = next ? json_object_iter_key(next) : NULL;
		json_t *value = next ? json_object_iter_value(next) : json_array_get(whole, i);
		size_t bytes = name ? member_bytes(name, value) : value_bytes(value) + 1;

		if (!part || bytes > room)
			part = add_part(lines, key, name ? json_object() : json_array(), &room);
		if (name)
			json_object_set(part, name, value);
		else
			json_array_append(part, value);
		room -= bytes < room ? bytes : room;
		next = next ? json_object_iter_next(whole, next) : NULL;
	}
}

/* Puts a JSON member into the first line with enough room. If no line of the long record has enough
 * room for the member, adds lines. */
static void place_member(struct lines *lines, const char *key, json_t *value)
{
	size_t bytes = member_bytes(key, value), count = json_array_size(lines->list), i = 0;

	while (i < count && bytes > room_in(lines, i))
		i++;
	if (i == count)
		add_line(lines);
	if (bytes <= room_in(lines, i)) {
		json_object_set(json_array_get(lines->list, i), key, value);
		return;
	}
	json_array_remove(lines->list, i);
	if (json_is_string(value))
		split_string(lines, key, json_string_value(value));
	else
		split_members(lines, key, value);
}

static void write_long(const struct records *records, json_t *object)
{
	struct lines lines = { records, object, json_array() };
	const char *key;
	json_t *value;
	size_t i;

	add_line(&lines);
	json_object_foreach(object, key, value) if (!is_head(key)) place_member(&lines, key, value);
	record_set_integer(
		json_array_get(lines.list, 0), "more", (int64_t)json_array_size(lines.list) - 1);
	json_array_foreach(lines.list, i, value) write_line(records, value);
	json_decref(lines.list);
}

void record_write(const struct records *records, json_t *object)
{
	if (records->row)
		records->row(records->context, object);
	else if (line_bytes(object) <= RECORD_MOST)
		write_line(records, object);
	else
		write_long(records, object);
	json_decref(object);
}

void record_write_list(const struct records *records, json_t *object, const char *key, json_t *list)
{
	json_t *part = json_array(), *value;
	size_t i, room;

	if (records->row) {
		json_object_set_new(object, key, list);
		json_decref(part);
		record_write(records, object);
		return;
	}
	json_object_set_new(object, key, part);
	room = RECORD_MOST - line_bytes(object);
	json_array_foreach(list, i, value)
	{
		size_t bytes = value_bytes(value) + 1;

		if (json_array_size(part) && bytes > room) {
			write_line(records, object);
			json_array_clear(part);
			room = RECORD_MOST - line_bytes(object);
		}
		json_array_append(part, value);
		room -= bytes < room ? bytes : room;
	}
	if (json_array_size(part))
		write_line(records, object);
	json_decref(object);
	json_decref(list);
}

/* ---- Reading */

static void join_strings(json_t *whole, const char *key, const json_t *first, const json_t *rest)
{
	struct text text = { 0 };

	text_add(&text, json_string_value(first));
	text_add(&text, json_string_value(rest));
	json_object_set_new(whole, key, json_string(text_string(&text)));
	text_free(&text);
}

void record_join(json_t *whole, const json_t *more)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)more, key, value)
	{
		json_t *first = json_object_get(whole, key);

		if (is_head(key) || strcmp(key, "of") == 0)
			continue;
		if (!first)
			json_object_set(whole, key, value);
		else if (json_is_string(first) && json_is_string(value))
			join_strings(whole, key, first, value);
		else if (json_is_array(first) && json_is_array(value))
			json_array_extend(first, value);
		else if (json_is_object(first) && json_is_object(value))
			json_object_update(first, value);
	}
}

bool record_string(const json_t *object, const char *key, char *buffer, size_t size)
{
	const json_t *value = json_object_get(object, key);

	text_copy_clean(buffer, size, json_is_string(value) ? json_string_value(value) : "");
	return json_is_string(value);
}

bool record_bounded(const json_t *value, double low, double high, double *number)
{
	*number = json_is_number(value) ? json_number_value(value) : (double)NAN;
	if (*number >= low && *number <= high)
		return true;
	*number = NAN;
	return false;
}

bool record_number(const json_t *object, const char *key, double low, double high, double *number)
{
	return record_bounded(json_object_get(object, key), low, high, number);
}

bool record_integer(
	const json_t *object, const char *key, int64_t low, int64_t high, int64_t *number)
{
	const json_t *value = json_object_get(object, key);
	int64_t read = json_integer_value(value); /* 0: no integer */
	bool good = json_is_integer(value) && read >= low && read <= high;

	*number = good ? read : 0;
	return good;
}

int64_t record_count(const json_t *object, const char *key, int64_t high)
{
	int64_t number;

	return record_integer(object, key, 0, high, &number) ? number : 0;
}

bool record_flag(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

int record_word(const json_t *object, const char *key, const char *const *words)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (int i = 0; word && words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

uint32_t record_bits(const json_t *object, const char *key, int count)
{
	const json_t *list = json_object_get(object, key), *value;
	uint32_t bits = 0;
	size_t i;

	json_array_foreach(list, i, value)
	{
		json_int_t bit = json_is_integer(value) ? json_integer_value(value) : -1;

		if (bit >= 0 && bit < count)
			bits |= (uint32_t)1 << bit;
	}
	return bits;
}
