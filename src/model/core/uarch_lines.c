/* Lines of words, as core models and tables of instructions are written. */
#include "model/core/uarch_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

void lines_begin(struct uarch_lines *lines, const char *text, const char *origin,
	const struct uarch_sources *sources)
{
	memset(lines, 0, sizeof(*lines));
	lines->origin = origin;
	lines->sources = sources;
	lines->next = text;
}

void lines_end(struct uarch_lines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

static struct status fail_at(const char *origin, int line, const char *format, va_list arguments)
{
	char reason[200];
	size_t length = strlen(origin);
	/* Of a long path the end tells more. */
	const char *dots = length > 72 ? "..." : "";

	vsnprintf(reason, sizeof(reason), format, arguments);
	text_cut_clean(reason, sizeof(reason));
	return status_make(STATUS_FAILED, "%s%s:%d: %s", dots,
		origin + (length > 72 ? length - 69 : 0), line, reason);
}

struct status lines_status(const char *origin, int line, const char *format, ...)
{
	va_list arguments;
	struct status status;

	va_start(arguments, format);
	status = fail_at(origin, line, format, arguments);
	va_end(arguments);
	return status;
}

bool lines_fail(struct uarch_lines *lines, const char *format, ...)
{
	va_list arguments;

	if (!status_is_ok(&lines->status))
		return false;
	va_start(arguments, format);
	lines->status = fail_at(lines->origin, lines->line, format, arguments);
	va_end(arguments);
	return false;
}

/* The length of the UTF-8 character at s, 0 when it is none (or a control character). */
static size_t character_length(const unsigned char *s, size_t room)
{
	size_t length = *s < 0x80		  ? 1
			: *s >= 0xc2 && *s < 0xe0 ? 2
			: *s >= 0xe0 && *s < 0xf0 ? 3
			: *s >= 0xf0 && *s < 0xf5 ? 4
						  : 0;

	if (length == 1 && ((*s < ' ' && *s != '\t' && *s != '\r') || *s == 0x7f))
		return 0;
	if (length > room)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static bool check_bytes(struct uarch_lines *lines, const char *line, size_t length)
{
	for (size_t i = 0, step; i < length; i += step) {
		step = character_length((const unsigned char *)line + i, length - i);
		if (!step)
			return lines_fail(lines, "byte %zu of the line is 0x%02x, which is no text",
				i + 1, (unsigned)(unsigned char)line[i]);
	}
	return true;
}

static bool read_tag(struct uarch_lines *lines, const char *tag)
{
	for (int i = 0; i < lines->sources->count; i++)
		if (strcmp(lines->sources->tag[i], tag) == 0) {
			lines->measured |= strcmp(tag, "measured") == 0;
			lines->tags |= UINT32_C(1) << i;
			return true;
		}
	return lines_fail(lines, "source \"%.24s\" is not in uarch/sources", tag);
}

/* Takes "[M,TD]" off the end. */
static bool read_tags(struct uarch_lines *lines)
{
	char *word = lines->words > 0 ? lines->word[lines->words - 1] : NULL;
	size_t length = word ? strlen(word) : 0;

	lines->tagged = false;
	lines->tags = 0;
	if (!length || (word[0] != '[' && word[length - 1] != ']'))
		return true;
	if (word[0] != '[' || length < 3 || word[length - 1] != ']')
		return lines_fail(lines,
			"\"%.24s\": sources are written [M] or [Ltd,TD], without blanks", word);
	word[length - 1] = '\0';
	word++;
	for (char *comma; (comma = strchr(word, ',')) != NULL; word = comma + 1) {
		*comma = '\0';
		if (!read_tag(lines, word))
			return false;
	}
	if (!read_tag(lines, word))
		return false;
	lines->tagged = true;
	lines->words--;
	return true;
}

static bool split(struct uarch_lines *lines)
{
	static const char blanks[] = " \t\r";
	char *at = lines->buffer + strspn(lines->buffer, blanks);

	lines->words = 0;
	lines->measured = false;
	while (*at) {
		if (lines->words == UARCH_WORDS)
			return lines_fail(lines, "more than %d words in a line", UARCH_WORDS);
		lines->word[lines->words++] = at;
		at += strcspn(at, blanks);
		if (*at)
			*at++ = '\0';
		at += strspn(at, blanks);
	}
	return !lines->sources || read_tags(lines);
}

bool lines_next(struct uarch_lines *lines)
{
	while (status_is_ok(&lines->status) && *lines->next) {
		const char *line = lines->next;
		size_t length = strcspn(line, "\n"), used;
		const char *comment;

		lines->next += length + (line[length] == '\n');
		lines->line++;
		if (!check_bytes(lines, line, length))
			return false;
		comment = memchr(line, '#', length);
		used = comment ? (size_t)(comment - line) : length;
		if (used + 1 > lines->room) {
			lines->room = used + 256;
			lines->buffer = memory_resize(lines->buffer, lines->room, 1);
		}
		memcpy(lines->buffer, line, used);
		lines->buffer[used] = '\0';
		if (!split(lines))
			return false;
		if (lines->words > 0 || lines->tagged)
			return true;
	}
	return false;
}

bool lines_join(struct uarch_lines *lines, int from, const char *what, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = from; i < lines->words; i++) {
		size_t length = strlen(lines->word[i]);

		if (used + length + 2 > size)
			return lines_fail(lines, "%s is longer than %zu bytes", what, size - 1);
		if (used)
			buffer[used++] = ' ';
		memcpy(buffer + used, lines->word[i], length + 1);
		used += length;
	}
	return true;
}

bool lines_decimal(const char *word, size_t length, double *value)
{
	double number = 0, place = 1;
	bool digits = false, point = false;

	if (length > 18)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (word[i] < '0' || word[i] > '9')
			return false;
		digits = true;
		number = number * 10 + (word[i] - '0');
		if (point)
			place *= 10;
	}
	*value = number / place;
	return digits && word[length - 1] != '.';
}

bool lines_number(struct uarch_lines *lines, const char *word, const char *what, double least,
	double most, double *value)
{
	static const char sign[] = "±";
	const char *spread = strstr(word, sign);
	size_t length = spread ? (size_t)(spread - word) : strlen(word);

	lines->spread = 0;
	if (spread && !lines->measured)
		return lines_fail(
			lines, "%s \"%.24s\": only what is [measured] has a spread", what, word);
	if (spread && !lines_decimal(
			      spread + strlen(sign), strlen(spread + strlen(sign)), &lines->spread))
		return lines_fail(
			lines, "%s \"%.24s\": a spread is a decimal number: 3±0.01", what, word);
	if (!lines_decimal(word, length, value))
		return lines_fail(lines, "%s \"%.24s\" is not a decimal number", what, word);
	if (!(*value >= least && *value <= most))
		return lines_fail(
			lines, "%s %.24s is out of range: %.15g to %.15g", what, word, least, most);
	return true;
}

bool lines_name(struct uarch_lines *lines, const char *word, const char *what, const char *more,
	char *name, size_t size)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < length; i++)
		if (!(word[i] >= 'a' && word[i] <= 'z') && !(word[i] >= 'A' && word[i] <= 'Z') &&
			!(word[i] >= '0' && word[i] <= '9') && !strchr(more, word[i]))
			return lines_fail(lines, "%s \"%.24s\": letters, digits%s%s only", what,
				word, *more ? " and " : "", more);
	if (length == 0 || length >= size)
		return lines_fail(lines, "%s \"%.40s\" is %s: 1 to %zu bytes", what, word,
			length ? "too long" : "empty", size - 1);
	memcpy(name, word, length + 1);
	return true;
}

void lines_names(
	const char *word, const char *const *names, size_t count, char *buffer, size_t size)
{
	char start[33];

	buffer[0] = '\0';
	snprintf(start, sizeof(start), "%.32s", word);
	nearest_names(start, names, count, buffer, size);
	if (!*buffer)
		for (size_t i = 0; i < count && strlen(buffer) + strlen(names[i]) + 8 < size; i++) {
			strcat(buffer, i ? ", " : "one of ");
			strcat(buffer, names[i]);
		}
}

bool lines_unknown(struct uarch_lines *lines, const char *what, const char *word,
	const char *const *names, size_t count)
{
	char near[80];

	lines_names(word, names, count, near, sizeof(near));
	return lines_fail(lines, "unknown %s \"%.24s\"%s%s", what, word, *near ? "; " : "", near);
}

struct status sources_load(struct uarch_sources *sources)
{
	struct uarch_lines lines;
	char origin[256], *text;
	struct status status = data_load("uarch/sources", &text, origin);

	memset(sources, 0, sizeof(*sources));
	if (!status_is_ok(&status))
		return status;
	lines_begin(&lines, text, origin, NULL);
	while (lines_next(&lines)) {
		int n = sources->count;

		if (n == UARCH_SOURCES) {
			lines_fail(&lines, "more than %d sources", UARCH_SOURCES);
			break;
		}
		if (!lines_name(&lines, lines.word[0], "source", "", sources->tag[n],
			    sizeof(sources->tag[n])) ||
			!lines_join(&lines, 1, "the text of a source", sources->text[n],
				sizeof(sources->text[n])))
			break;
		if (lines.words < 2)
			lines_fail(&lines, "source \"%s\" does not say what it stands for",
				sources->tag[n]);
		for (int i = 0; i < n; i++)
			if (strcmp(sources->tag[i], sources->tag[n]) == 0)
				lines_fail(
					&lines, "source \"%s\" stands here twice", sources->tag[n]);
		sources->count++;
	}
	status = lines.status;
	lines_end(&lines);
	free(text);
	return status;
}
