#include "base/text.h"

#include <ctype.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fatal.h"

/* Ends the program if memory was refused. */
static void *granted(void *memory, size_t count, size_t size)
{
	if (memory)
		return memory;
	if (count > SIZE_MAX / size)
		fatal("out of memory: %zu times %zu bytes are more than an address can count",
			count, size);
	fatal("out of memory: the system refused %zu bytes", count * size);
}

static size_t or_one(size_t count)
{
	return count ? count : 1;
}

void *memory_new(size_t count, size_t size)
{
	return granted(calloc(or_one(count), or_one(size)), count, or_one(size));
}

void *memory_resize(void *memory, size_t count, size_t size)
{
	return granted(reallocarray(memory, or_one(count), or_one(size)), count, or_one(size));
}

void *memory_grow(void *array, size_t count, size_t size)
{
	return count & (count - 1) ? array : memory_resize(array, 2 * count, size);
}

char *memory_string(const char *string)
{
	return granted(strdup(string), strlen(string) + 1, 1);
}

/* Blocks of MAPPED bytes are memory mappings of their own. The C library would raise this limit
 * when such a block is freed. The process keeps up to KEPT bytes that were freed: explanations free
 * and allocate some hundred KiB at each key, and new pages would cost more than the explanation. */
enum { MAPPED = 4 << 20, KEPT = 8 << 20 };

void memory_keep_together(void)
{
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED);
	mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

void memory_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static _Noreturn void text_refused(void)
{
	fatal("out of memory: the system refused memory for a text");
}

/* Makes room in a text for `more` bytes and the NUL. */
static void text_reserve(struct text *text, size_t more)
{
	size_t capacity = text->capacity ? text->capacity : 64;

	if (more >= SIZE_MAX / 2 - text->length)
		text_refused();
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
	va_list arguments;
	char *added;
	int length;

	va_start(arguments, format);
	length = vasprintf(&added, format, arguments);
	va_end(arguments);
	if (length < 0)
		text_refused();
	text_addn(text, added, (size_t)length);
	free(added);
}

struct words words_of(const char *format, ...)
{
	struct words words;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words.text, sizeof(words.text), format, arguments);
	va_end(arguments);
	return words;
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

/* Whether a character changes the direction of writing, or begins a line. A character of this kind
 * in a name from outside the program could hide other text on the line, or look like a line of the
 * program's. */
static bool moves_text(uint32_t c)
{
	return c == 0x2028 || c == 0x2029 || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

size_t text_character(const char *at)
{
	/* Smallest code point for each length in bytes. */
	static const uint32_t least[] = { 0, 0x20, 0xa0, 0x800, 0x10000 };
	const unsigned char *c = (const unsigned char *)at;
	size_t length = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	uint32_t value = length == 1 ? c[0] : c[0] & (0x7fu >> length);

	if ((c[0] >= 0x80 && c[0] < 0xc2) || c[0] > 0xf4 || c[0] == 0x7f)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (c[i] & 0x3f);
	}
	if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	return moves_text(value) ? 0 : length;
}

struct utf8 utf8_of(uint32_t code)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	struct utf8 utf8 = { "?" };
	int length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	if (code > 0x10ffff)
		return utf8;
	for (int i = length - 1; i > 0; i--, code >>= 6)
		utf8.bytes[i] = (char)(0x80 | (code & 0x3f));
	utf8.bytes[0] = (char)(lead[length] | code);
	utf8.bytes[length] = '\0';
	return text_character(utf8.bytes) ? utf8 : (struct utf8){ "?" };
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

void text_add_clean_lines(struct text *text, const char *string)
{
	struct text line = { 0 };

	while (*string) {
		size_t length = strcspn(string, "\n\t");

		text_clear(&line);
		text_addn(&line, string, length);
		text_add_clean(text, text_string(&line), length);
		text_addn(text, string + length, string[length] != '\0');
		string += length + (string[length] != '\0');
	}
	text_free(&line);
}

void text_copy_clean(char *buffer, size_t size, const char *string)
{
	struct text text = { 0 };

	text_add_clean(&text, string, size - 1);
	snprintf(buffer, size, "%s", text_string(&text));
	text_free(&text);
}

void text_cut_clean(char *buffer, size_t size)
{
	size_t end = strlen(buffer), start = end, wanted;
	unsigned char lead;

	while (start > 0 && ((unsigned char)buffer[start - 1] & 0xc0) == 0x80)
		start--;
	if (end + 1 < size || start == 0)
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
	/* `first` stands at the start of the first line: subtract its columns after its last line
	 * feed. */
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

/* Names longer than LONGEST bytes are never suggested for a mistyped word, because real names and
 * typing mistakes are short. */
enum { LONGEST = 48, SUGGESTIONS = 3, ALIKE = 6 };

static size_t least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Returns the edit distance of two words; swapping two neighbouring letters is one edit (optimal
 * string alignment). The lengths na and nb are at most LONGEST. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t edits[LONGEST + 1][LONGEST + 1];

	for (size_t i = 0; i <= na; i++) {
		for (size_t j = 0; j <= nb; j++) {
			size_t *now = &edits[i][j];

			*now = i == 0 ? j : i;
			if (i == 0 || j == 0)
				continue;
			*now = least_of(edits[i - 1][j], edits[i][j - 1]) + 1;
			*now = least_of(*now, edits[i - 1][j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				*now = least_of(*now, edits[i - 2][j - 2] + 1);
		}
	}
	return edits[na][nb];
}

/* The edit distance from the word that the user typed to a name; SIZE_MAX: the name is not similar
 * enough to be suggested. */
static size_t far_off(const char *wrong, const char *name)
{
	size_t typed = strlen(wrong), length = strlen(name), edits, allowed;

	if (typed == 0 || typed > LONGEST || length == 0 || length > LONGEST)
		return SIZE_MAX;
	if (typed <= length && strncasecmp(name, wrong, typed) == 0)
		return typed == length ? 0 : 1;
	if (typed > length && length >= 3 && strncasecmp(wrong, name, length) == 0)
		return 1;
	edits = distance(wrong, typed, name, length);
	/* Allow one edit in three letters, but fewer edits than the name has letters. */
	allowed = (typed > length ? typed : length) / 3;
	if (allowed == 0)
		allowed = 1;
	return edits <= allowed && edits < length ? edits + 1 : SIZE_MAX;
}

struct near_names nearest_names(const char *wrong, const char *const *names, size_t count)
{
	struct near_names near = { 0 };
	const char *best[ALIKE];
	size_t *off = memory_new(count, sizeof(*off)), found = 0;

	for (size_t i = 0; i < count; i++)
		off[i] = far_off(wrong, names[i]);
	/* Names at the same edit distance keep the given order. The nearest are all listed if they
	 * are few: "zen" is the beginning of five names. */
	for (size_t distance = 0; distance <= LONGEST; distance++) {
		size_t most = found == 0 ? ALIKE : SUGGESTIONS;

		for (size_t i = 0; i < count && found < most; i++)
			if (off[i] == distance)
				best[found++] = names[i];
	}
	free(off);
	for (size_t i = 0, used = 0; i < found; i++, used = strlen(near.text))
		snprintf(near.text + used, sizeof(near.text) - used, "%s%s",
			i == 0		 ? ""
			: i + 1 == found ? " or "
					 : ", ",
			best[i]);
	return near;
}

/* ---- other forms ---- */

void text_add_xml(struct text *text, const char *string)
{
	while (*string) {
		size_t length = *string == '\n' || *string == '\t' ? 1 : text_character(string);

		switch (length ? *string : '\0') {
		case '\0': text_add(text, "?"); break;
		case '<': text_add(text, "&lt;"); break;
		case '>': text_add(text, "&gt;"); break;
		case '&': text_add(text, "&amp;"); break;
		case '"': text_add(text, "&quot;"); break;
		default: text_addn(text, string, length);
		}
		string += length ? length : 1;
	}
}

void text_add_base64(struct text *text, const char *string)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strlen(string);

	for (size_t i = 0; i < length; i += 3) {
		size_t count = length - i < 3 ? length - i : 3;
		unsigned bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < count ? (unsigned char)string[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			text_addn(text, k <= count ? &letters[bits >> (18 - 6 * k) & 63] : "=", 1);
	}
}
