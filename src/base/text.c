#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void memory_refused(size_t bytes)
{
	fprintf(stderr, "slexplore: out of memory: %zu bytes were refused\n", bytes);
	exit(1);
}

void *memory_new(size_t count, size_t size)
{
	void *memory;

	if (count == 0 || size == 0)
		count = size = 1;
	memory = calloc(count, size);
	if (!memory)
		memory_refused(count > SIZE_MAX / size ? SIZE_MAX : count * size);
	return memory;
}

void *memory_resize(void *memory, size_t count, size_t size)
{
	void *resized;

	if (count == 0 || size == 0)
		count = size = 1;
	if (count > SIZE_MAX / size)
		memory_refused(SIZE_MAX);
	resized = realloc(memory, count * size);
	if (!resized)
		memory_refused(count * size);
	return resized;
}

char *memory_string(const char *string)
{
	size_t length = strlen(string) + 1;
	char *copy = memory_new(length, 1);

	memcpy(copy, string, length);
	return copy;
}

/* Makes room for `more` bytes and the NUL. */
static void text_reserve(struct text *text, size_t more)
{
	size_t capacity = text->capacity ? text->capacity : 64;

	if (more >= SIZE_MAX / 2 - text->length)
		memory_refused(SIZE_MAX);
	while (capacity < text->length + more + 1)
		capacity *= 2;
	if (capacity == text->capacity)
		return;
	text->bytes = memory_resize(text->bytes, capacity, 1);
	text->capacity = capacity;
}

void text_addn(struct text *text, const char *bytes, size_t length)
{
	text_reserve(text, length);
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_addn(text, string, strlen(string));
}

void text_addf(struct text *text, const char *format, ...)
{
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length >= 0) {
		text_reserve(text, (size_t)length);
		vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
		text->length += (size_t)length;
	}
	va_end(again);
}

void text_clear(struct text *text)
{
	text->length = 0;
	if (text->bytes)
		text->bytes[0] = '\0';
}

void text_free(struct text *text)
{
	free(text->bytes);
	*text = (struct text){ 0 };
}

const char *text_string(const struct text *text)
{
	return text->bytes ? text->bytes : "";
}

/* Characters that turn the direction of what follows, or end that: U+061C, U+200E, U+200F, U+202A
 * to 202E, U+2066 to 2069. With them a name from elsewhere could write over its neighbours on the
 * line. */
static bool turns_direction(const unsigned char *c)
{
	if (c[0] == 0xd8)
		return c[1] == 0x9c;
	if (c[0] != 0xe2)
		return false;
	return (c[1] == 0x80 && (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xaa && c[2] <= 0xae))) ||
	       (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

size_t text_character(const char *at)
{
	const unsigned char *c = (const unsigned char *)at;
	static const struct {
		unsigned char first, last, low, high, length;
	} rows[] = {
		{ 0x20, 0x7e, 0, 0, 1 },
		{ 0xc2, 0xc2, 0xa0, 0xbf, 2 },
		{ 0xc3, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (c[0] < rows[i].first || c[0] > rows[i].last)
			continue;
		if (rows[i].length > 1 && (c[1] < rows[i].low || c[1] > rows[i].high))
			return 0;
		for (size_t j = 2; j < rows[i].length; j++)
			if ((c[j] & 0xc0) != 0x80)
				return 0;
		return turns_direction(c) ? 0 : rows[i].length;
	}
	return 0;
}

void text_add_clean(struct text *text, const char *string, size_t most)
{
	size_t end = text->length + most;

	while (*string) {
		size_t length = text_character(string);

		if (text->length + (length ? length : 1) > end)
			break;
		if (length)
			text_addn(text, string, length);
		else
			text_add(text, "?");
		string += length ? length : 1;
	}
}

void text_cut_clean(char *buffer, size_t size)
{
	size_t end = strlen(buffer), start = end, wanted;
	unsigned char lead;

	if (end + 1 < size)
		return;
	while (start > 0 && ((unsigned char)buffer[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0)
		return;
	lead = (unsigned char)buffer[start - 1];
	wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (end - (start - 1) < wanted)
		buffer[start - 1] = '\0';
}

/* ---- word wrap */

static size_t one_column(const void *context, const char *at, int *columns)
{
	size_t length = text_character(at);

	(void)context;
	*columns = 1;
	return length ? length : 1;
}

size_t text_line(const struct text_wrap *wrap, const char *text, const char **next)
{
	text_columns *columns_of = wrap->columns_of ? wrap->columns_of : one_column;
	size_t fit = 0, blank = 0;
	int used = 0;

	while (text[fit] && text[fit] != '\n') {
		int columns;
		size_t bytes = columns_of(wrap->context, text + fit, &columns);

		if (text[fit] == ' ')
			blank = fit;
		used += columns;
		if (used > wrap->columns && (blank || wrap->cut_words)) {
			fit = blank ? blank : fit ? fit : bytes;
			break;
		}
		fit += bytes;
	}
	if (next)
		*next = text + fit + (text[fit] == '\n' ? 1 : strspn(text + fit, " "));
	return fit;
}

void text_print(FILE *out, int columns, const char *first, int indent, const char *words)
{
	/* The first line has less room: what `first` takes after its last line feed. */
	const char *last = strrchr(first, '\n');
	struct text_wrap wrap = { .columns = columns };

	fputs(first, out);
	for (const char *c = last ? last + 1 : first; *c; c++)
		wrap.columns -= ((unsigned char)*c & 0xc0) != 0x80;
	while (*words) {
		const char *line = words;

		fwrite(line, 1, text_line(&wrap, line, &words), out);
		wrap.columns = columns - indent;
		if (*words)
			fprintf(out, "\n%*s", indent, "");
	}
	fputc('\n', out);
}

/* ---- suggestions for mistyped names */

/* Names and typing mistakes are short; beyond this nothing is called near. */
enum { LONGEST = 48, SUGGESTIONS = 3 };

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edit distance with swapped neighbours as one edit (optimal string alignment); both at most
 * LONGEST. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t row[3][LONGEST + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *oldest = before;

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = lower(a[i - 1]) != lower(b[j - 1]);

			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + change);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]) && before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[nb];
}

static bool begins(const char *string, const char *with, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (lower(string[i]) != lower(with[i]))
			return false;
	return true;
}

/* How far a name is from what was typed, or SIZE_MAX when it is not near. */
static size_t far_off(const char *wrong, const char *name)
{
	size_t typed = strlen(wrong), length = strlen(name), edits, allowed;

	if (typed == 0 || typed > LONGEST || length == 0 || length > LONGEST)
		return SIZE_MAX;
	if (typed <= length && begins(name, wrong, typed))
		return typed == length ? 0 : 1;
	if (typed > length && length >= 3 && begins(wrong, name, length))
		return 1;
	edits = distance(wrong, typed, name, length);
	/* One slip in three letters, and never so many that the two share nothing. */
	allowed = (typed > length ? typed : length) / 3;
	if (allowed == 0)
		allowed = 1;
	return edits <= allowed && edits < length ? edits + 1 : SIZE_MAX;
}

static void append(char *buffer, size_t size, const char *string)
{
	size_t used = strlen(buffer), length = strlen(string);

	if (used + 1 >= size)
		return;
	if (length > size - used - 1)
		length = size - used - 1;
	memcpy(buffer + used, string, length);
	buffer[used + length] = '\0';
}

void nearest_names(
	const char *wrong, const char *const *names, size_t count, char *buffer, size_t size)
{
	const char *best[SUGGESTIONS];
	size_t score[SUGGESTIONS], found = 0;

	if (size == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		size_t off = far_off(wrong, names[i]), place;

		if (off == SIZE_MAX)
			continue;
		/* Kept in order of nearness; equals in the order given. */
		for (place = found; place > 0 && score[place - 1] > off; place--)
			;
		if (place == SUGGESTIONS)
			continue;
		if (found < SUGGESTIONS)
			found++;
		for (size_t j = found - 1; j > place; j--) {
			best[j] = best[j - 1];
			score[j] = score[j - 1];
		}
		best[place] = names[i];
		score[place] = off;
	}
	for (size_t i = 0; i < found; i++) {
		if (i)
			append(buffer, size, i + 1 == found ? " or " : ", ");
		append(buffer, size, best[i]);
	}
}
