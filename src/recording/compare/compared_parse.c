/* A parser for the JSON text that slexplore writes: no blanks, strings of printable ASCII
 * characters without escapes, and numbers of few digits. Any other text is left to jansson, whose
 * parser handles each byte on its own, and took two thirds of the time of a comparison. */
#include "recording/compare/compared_parse.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* DEPTH_MOST: levels of objects and lists in a value. KEY_MOST: bytes of a member's name. */
enum { DEPTH_MOST = 4, KEY_MOST = 64 };

struct parser {
	const char *at, *end;
};

static json_t *parse_value(struct parser *parser, int depth);

static bool next_is(const struct parser *parser, char byte)
{
	return parser->at < parser->end && *parser->at == byte;
}

static bool skip(struct parser *parser, char byte)
{
	if (!next_is(parser, byte))
		return false;
	parser->at++;
	return true;
}

/* Returns the first byte of the string in quotation marks, and sets *length; NULL: the string is
 * not plain. */
static const char *parse_string(struct parser *parser, size_t *length)
{
	const char *first;

	if (!skip(parser, '"'))
		return NULL;
	first = parser->at;
	while (parser->at < parser->end && *parser->at != '"') {
		if (*parser->at < ' ' || *parser->at > '~' || *parser->at == '\\')
			return NULL;
		parser->at++;
	}
	*length = (size_t)(parser->at - first);
	return skip(parser, '"') ? first : NULL;
}

/* Adds decimal digits to *number. Returns their number. */
static unsigned parse_digits(struct parser *parser, uint64_t *number)
{
	unsigned count = 0;

	while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9') {
		*number = *number * 10 + (uint64_t)(*parser->at++ - '0');
		count++;
	}
	return count;
}

/* Parses a number of at most 15 digits and a power of ten of at most 22. A double holds both
 * without rounding, so one multiplication or division rounds their product correctly. */
static json_t *parse_number(struct parser *parser)
{
	static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	enum { DIGITS_MOST = 15, POWER_MOST = 22 };
	bool is_negative = skip(parser, '-'), is_real = false, begins_zero = next_is(parser, '0');
	unsigned before, after = 0;
	uint64_t digits = 0;
	int64_t exponent = 0;
	double value;

	before = parse_digits(parser, &digits);
	if (!before || (begins_zero && before > 1))
		return NULL;
	if (skip(parser, '.')) {
		is_real = true;
		after = parse_digits(parser, &digits);
		if (!after)
			return NULL;
	}
	if (before + after > DIGITS_MOST)
		return NULL;
	if (skip(parser, 'e') || skip(parser, 'E')) {
		bool is_small = skip(parser, '-');
		uint64_t number = 0;
		unsigned count;

		is_real = true;
		if (!is_small)
			skip(parser, '+');
		count = parse_digits(parser, &number);
		if (!count || count > 3)
			return NULL;
		exponent = is_small ? -(int64_t)number : (int64_t)number;
	}
	if (!is_real)
		return json_integer(is_negative ? -(json_int_t)digits : (json_int_t)digits);
	exponent -= after;
	if (exponent < -POWER_MOST || exponent > POWER_MOST)
		return NULL;
	value = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
	return json_real(is_negative ? -value : value);
}

static json_t *parse_list(struct parser *parser, int depth)
{
	json_t *list = json_array();
	bool is_whole = skip(parser, '[') && skip(parser, ']');

	while (!is_whole && json_array_append_new(list, parse_value(parser, depth)) == 0) {
		is_whole = skip(parser, ']');
		if (!is_whole && !skip(parser, ','))
			break;
	}
	if (is_whole)
		return list;
	json_decref(list);
	return NULL;
}

/* Parses a member of an object. Returns false if the member is not plain. */
static bool parse_member(struct parser *parser, json_t *object, int depth)
{
	char key[KEY_MOST];
	size_t length;
	const char *first = parse_string(parser, &length);

	if (!first || length >= sizeof(key) || !skip(parser, ':'))
		return false;
	memcpy(key, first, length);
	key[length] = '\0';
	return json_object_set_new_nocheck(object, key, parse_value(parser, depth)) == 0;
}

static json_t *parse_object(struct parser *parser, int depth)
{
	json_t *object = json_object();
	bool is_whole = skip(parser, '{') && skip(parser, '}');

	while (!is_whole && parse_member(parser, object, depth)) {
		is_whole = skip(parser, '}');
		if (!is_whole && !skip(parser, ','))
			break;
	}
	if (is_whole)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *parse_word(struct parser *parser, const char *word, json_t *value)
{
	size_t length = strlen(word);

	if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0)
		return NULL;
	parser->at += length;
	return value;
}

/* Returns the next value; NULL: the value is not plain, or is no JSON value. */
static json_t *parse_value(struct parser *parser, int depth)
{
	const char *first;
	size_t length;

	if (parser->at == parser->end || depth >= DEPTH_MOST)
		return NULL;
	switch (*parser->at) {
	case '"':
		first = parse_string(parser, &length);
		return first ? json_stringn_nocheck(first, length) : NULL;
	case '{': return parse_object(parser, depth + 1);
	case '[': return parse_list(parser, depth + 1);
	case 't': return parse_word(parser, "true", json_true());
	case 'f': return parse_word(parser, "false", json_false());
	case 'n': return parse_word(parser, "null", json_null());
	default: return parse_number(parser);
	}
}

json_t *compared_parse(const char *bytes, size_t length, size_t *used)
{
	struct parser parser = { .at = bytes, .end = bytes + length };
	json_t *object = length && *bytes == '{' ? parse_value(&parser, 0) : NULL;
	json_error_t error;

	if (object) {
		*used = (size_t)(parser.at - bytes);
		return object;
	}
	object = json_loadb(bytes, length, JSON_DISABLE_EOF_CHECK, &error);
	*used = object ? (size_t)error.position : 0;
	return object;
}
