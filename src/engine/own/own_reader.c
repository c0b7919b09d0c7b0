#include "engine/own/own_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const own_word_names[WORDS] = { "elements", "n", "multiple", "cflags", "knob" };

int own_word_of(const char *name)
{
	int word = 0;

	while (word < WORDS && strcmp(own_word_names[word], name) != 0)
		word++;
	return word < WORDS ? word : -1;
}

bool reader_ok(const struct reader *reader)
{
	return status_is_ok(&reader->status);
}

void reader_wrong(struct reader *reader, const char *format, ...)
{
	const char *from;
	char why[230];
	va_list arguments;
	int length;

	if (!reader_ok(reader))
		return;
	/* If a token is missing at the end of the line, the error message names the place after the
	 * last word. */
	if (!*reader->token)
		while (reader->token > reader->word && strchr(BLANKS, reader->token[-1]))
			reader->at = --reader->token;
	from = reader->at > reader->token ? reader->at : reader->token;
	length = (int)(from - reader->word + (long)strcspn(from, " \t\v\f\r\n"));
	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	reader->status = status_usage("%.60s:%d:%d: \"%.*s\": %s", reader->origin, reader->line,
		reader->column + (int)(reader->token - reader->line_start),
		length > 40 ? 40 : length, reader->word, why);
}

const char *reader_begin(struct reader *reader)
{
	reader->at += strspn(reader->at, BLANKS);
	return reader->token = reader->at;
}

bool reader_take(struct reader *reader, char wanted)
{
	const char *at = reader->at + strspn(reader->at, BLANKS);

	if (*at != wanted)
		return false;
	reader->at = at + 1;
	return true;
}

void reader_need(struct reader *reader, char wanted, const char *form)
{
	if (!reader_ok(reader) || reader_take(reader, wanted))
		return;
	reader_begin(reader);
	reader_wrong(reader, "a \"%c\" is missing; write %s", wanted, form);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void reader_take_name(struct reader *reader, char name[OWN_NAME])
{
	size_t length = 0;

	for (reader_begin(reader); in_name(reader->at[length]);)
		length++;
	snprintf(name, OWN_NAME, "%.*s", length < OWN_NAME ? (int)length : 0, reader->at);
	reader->at += length;
}

bool reader_take_whole(struct reader *reader, int64_t low, int64_t high, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*reader_begin(reader)))
		return false;
	*value = strtoll(reader->at, &end, 10);
	if ((*end == 'k' || *end == 'm') && !in_name(end[1]) && *value <= NUMBER_MAX)
		*value <<= *end++ == 'k' ? 10 : 20;
	reader->at = end;
	return *value >= low && *value <= high;
}

static bool take_n(struct reader *reader)
{
	reader_begin(reader);
	return reader->at[0] == 'n' && !in_name(reader->at[1]) && reader_take(reader, 'n');
}

static int64_t greatest_common(int64_t a, int64_t b)
{
	return b ? greatest_common(b, a % b) : a;
}

void reader_need_multiple(struct reader *reader, int64_t multiple)
{
	int64_t *before = &reader->description->multiple,
		both = *before / greatest_common(*before, multiple) * multiple;

	if (both > OWN_N_MAX / 4)
		reader_wrong(reader, "n would have to be a multiple of %" PRId64, both);
	else
		*before = both;
}

void reader_take_count(struct reader *reader, struct own_count *count)
{
	static const char forms[] = "n, 2*n, n/2, n+1, 2*n+1 or a number";
	int64_t number;

	*count = (struct own_count){ 1, 1, 0 };
	if (!reader_ok(reader))
		return;
	if (isdigit((unsigned char)*reader_begin(reader))) {
		if (!reader_take_whole(reader, 1, NUMBER_MAX, &number))
			reader_wrong(
				reader, "a number in a count is from 1 to %" PRId64, NUMBER_MAX);
		if (*reader->at == 'n')
			reader_wrong(reader, "%" PRId64 " times n is written %" PRId64 "*n", number,
				number);
		if (!reader_take(reader, '*')) {
			*count = (struct own_count){ 0, 1, number };
			return;
		}
		if (!take_n(reader))
			reader_wrong(reader, "after \"*\" comes n; a count is %s", forms);
		count->times = number;
	} else if (!take_n(reader)) {
		reader_wrong(reader, "a count is %s", forms);
	} else if (reader_take(reader, '*')) {
		if (!reader_take_whole(reader, 1, NUMBER_MAX, &count->times))
			reader_wrong(
				reader, "after \"*\" comes a number from 1; a count is %s", forms);
	}
	if (reader_ok(reader) && reader_take(reader, '/')) {
		if (!reader_take_whole(reader, 1, OVER_MAX, &count->over))
			reader_wrong(reader,
				"after \"/\" comes a number from 1 to %d; a count is %s", OVER_MAX,
				forms);
		else
			reader_need_multiple(reader, count->over);
	}
	if (reader_ok(reader) && reader_take(reader, '+') &&
		!reader_take_whole(reader, 0, NUMBER_MAX, &count->plus))
		reader_wrong(reader, "after \"+\" comes a number; a count is %s", forms);
}
