#include "base/rows.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

static const char blanks[] = " \t\r";

void rows_begin(struct rows *rows, const char *text, const char *origin)
{
	*rows = (struct rows){ .next = text };
	snprintf(rows->origin, sizeof(rows->origin), "%s", origin);
}

void rows_load(struct rows *rows, const char *name)
{
	char *text, origin[256] = "";
	struct status status = data_load(name, &text, origin);

	rows_begin(rows, status_is_ok(&status) ? text : "", origin);
	rows->loaded = text;
	rows->status = status;
}

/* Copies a line into the buffer, without the comment and the blanks at the line's end. Returns
 * false if the line is not valid UTF-8 text. */
static bool take_line(struct rows *rows, const char *line, size_t length)
{
	const char *comment = rows->inline_comments ? memchr(line, '#', length) : NULL;

	if (length + 1 > rows->capacity) {
		rows->capacity = length + 256;
		rows->buffer = memory_resize(rows->buffer, rows->capacity, 1);
	}
	rows->at = rows->buffer;
	*rows->at = '\0';
	for (size_t i = 0, bytes; i < length; i += bytes) {
		bool plain = (line[i] >= ' ' && line[i] <= '~') || line[i] == '\t' ||
			     (line[i] == '\r' && i + 1 == length);

		bytes = plain ? 1 : text_character(line + i);
		if (bytes == 0)
			return rows_fail(rows,
				"byte %zu of the line is 0x%02x: expected UTF-8 text", i + 1,
				(unsigned)(unsigned char)line[i]);
	}
	if (comment)
		length = (size_t)(comment - line);
	while (length > 0 && strchr(blanks, line[length - 1]))
		length--;
	memcpy(rows->buffer, line, length);
	rows->buffer[length] = '\0';
	rows->at += strspn(rows->at, blanks);
	return true;
}

bool rows_next(struct rows *rows)
{
	while (*rows->next && (rows->lenient || status_is_ok(&rows->status))) {
		const char *line = rows->next;
		size_t length = strcspn(line, "\n");

		rows->next += length + (line[length] == '\n');
		rows->line++;
		if (take_line(rows, line, length) && *rows->at && *rows->at != '#')
			return true;
	}
	return false;
}

struct status rows_end(struct rows *rows)
{
	free(rows->loaded);
	free(rows->buffer);
	rows->loaded = rows->buffer = rows->at = NULL;
	return rows->status;
}

/* ---- parts of a line */

bool rows_section(const struct rows *rows, char *name, size_t size)
{
	size_t length = strlen(rows->at);

	if (length < 3 || rows->at[0] != '[' || rows->at[length - 1] != ']' ||
		strpbrk(rows->at, blanks))
		return false;
	snprintf(name, size, "%.*s", (int)length - 2, rows->at + 1);
	return true;
}

char *rows_word(struct rows *rows)
{
	char *word = rows->at;

	rows->at += strcspn(rows->at, blanks);
	if (*rows->at)
		*rows->at++ = '\0';
	rows->at += strspn(rows->at, blanks);
	return word;
}

char *rows_rest(struct rows *rows)
{
	char *rest = rows->at;

	rows->at += strlen(rows->at);
	return rest;
}

int rows_words(struct rows *rows, char *word[], int most)
{
	int count = 0;
	char *end = rows->at + strlen(rows->at);

	while (count < most && *rows->at)
		word[count++] = rows_word(rows);
	for (int i = count; i < most; i++)
		word[i] = end;
	return *rows->at ? most + 1 : count;
}

int rows_fields(struct rows *rows, char *field[], int most)
{
	int count = 0;
	char *row = rows_rest(rows);

	for (int i = 0; i < most; i++)
		field[i] = rows->at;
	while (row && count < most) {
		char *bar = strchr(row, '|'), *end = bar ? bar : row + strlen(row);

		row += strspn(row, blanks);
		while (end > row && strchr(blanks, end[-1]))
			end--;
		*end = '\0';
		field[count++] = row;
		row = bar ? bar + 1 : NULL;
	}
	return row ? most + 1 : count;
}

/* ---- failures */

static struct status fail_at(const char *origin, int line, const char *format, va_list arguments)
{
	enum { ORIGIN = 72 };
	char reason[222];
	size_t length = strlen(origin);
	/* In an error message, a path that is too long loses its start, because the end identifies
	 * the file. */
	bool cut = length > ORIGIN;

	vsnprintf(reason, sizeof(reason), format, arguments);
	text_cut_clean(reason, sizeof(reason));
	return status_failed("%s%s:%d: %s", cut ? "..." : "",
		cut ? origin + length - ORIGIN + 3 : origin, line, reason);
}

struct status rows_status(const char *origin, int line, const char *format, ...)
{
	va_list arguments;
	struct status status;

	va_start(arguments, format);
	status = fail_at(origin, line, format, arguments);
	va_end(arguments);
	return status;
}

bool rows_fail(struct rows *rows, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (status_is_ok(&rows->status))
		rows->status = fail_at(rows->origin, rows->line, format, arguments);
	va_end(arguments);
	return false;
}

bool rows_check(struct rows *rows, const struct status *status)
{
	return status_is_ok(status) || rows_fail(rows, "%s", status->text);
}

bool rows_unknown(struct rows *rows, const char *what, const char *word, const char *const *names,
	size_t count)
{
	char unknown[64];
	struct status status;

	snprintf(unknown, sizeof(unknown), "unknown %s", what);
	status = status_unknown(unknown, word, names, count, NULL);
	return rows_check(rows, &status);
}

/* ---- values */

int rows_choice(
	struct rows *rows, const char *what, const char *word, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0)
			return i;
	rows_unknown(rows, what, word, names, (size_t)count);
	return -1;
}

bool rows_copy(struct rows *rows, const char *what, const char *word, char *to, size_t size)
{
	size_t length = strlen(word);

	if (length == 0)
		return rows_fail(rows, "%s is missing", what);
	if (length >= size)
		return rows_fail(rows, "%s \"%.40s…\" has %zu bytes: expected at most %zu", what,
			word, length, size - 1);
	memcpy(to, word, length + 1);
	return true;
}

bool rows_name(struct rows *rows, const char *what, const char *word, const char *more, char *to,
	size_t size)
{
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(more, *c))
			return rows_fail(rows, "%s \"%.40s\": expected letters, digits%s%s only",
				what, word, *more ? " and " : "", more);
	return rows_copy(rows, what, word, to, size);
}

bool rows_decimal(const char *word, size_t length, double *value)
{
	double number = 0, place = 1;
	size_t whole = strspn(word, "0123456789"), all = whole;

	if (all < length && word[all] == '.')
		all += 1 + strspn(word + all + 1, "0123456789");
	if (length > 18 || whole == 0 || all < length || (length > 0 && word[length - 1] == '.'))
		return false;
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '.')
			continue;
		number = number * 10 + (word[i] - '0');
		if (i > whole)
			place *= 10;
	}
	*value = number / place;
	return length > 0;
}

bool rows_number(struct rows *rows, const char *what, const char *word, double least, double most,
	double *value)
{
	if (!rows_decimal(word, strlen(word), value))
		return rows_fail(rows, "%s \"%.24s\": expected a decimal number", what, word);
	if (!(*value >= least && *value <= most))
		return rows_fail(rows, "%s %.24s is out of range: expected %.15g to %.15g", what,
			word, least, most);
	return true;
}
