#include "lesson/lesson_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lesson/expression.h"

/* The most bytes of one text of a lesson, such as an explanation. */
enum { TEXT_MOST = 4000 };

/* ---- places and words of a line ---- */

int line_column(const struct lesson_reader *reader, const char *at)
{
	int column = 1;

	for (const char *c = reader->line; c < at; c++)
		column += ((unsigned char)*c & 0xc0) != 0x80;
	return column;
}

static void add_mistake(
	struct lesson_reader *reader, int line, int column, const char *format, va_list arguments)
{
	char words[240];

	vsnprintf(words, sizeof(words), format, arguments);
	text_cut_clean(words, sizeof(words));
	lesson_mistake(reader->mistakes, line, column, "%s", words);
}

void line_wrong(struct lesson_reader *reader, int column, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_mistake(reader, reader->number, column, format, arguments);
	va_end(arguments);
}

void line_wrong_at(struct lesson_reader *reader, struct lesson_place place, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_mistake(reader, place.line, place.column, format, arguments);
	va_end(arguments);
}

void line_blanks(struct lesson_reader *reader)
{
	reader->at += strspn(reader->at, " \t");
}

struct lesson_word line_word(struct lesson_reader *reader)
{
	struct lesson_word word = { "", 0 };
	size_t length;

	line_blanks(reader);
	word.column = line_column(reader, reader->at);
	length = strcspn(reader->at, " \t");
	snprintf(word.text, sizeof(word.text), "%.*s", (int)length, reader->at);
	text_cut_clean(word.text, sizeof(word.text));
	reader->at += length;
	return word;
}

struct lesson_place line_place(const struct lesson_reader *reader)
{
	const char *at = reader->at + strspn(reader->at, " \t");

	return (struct lesson_place){ reader->number, line_column(reader, at) };
}

char *line_rest(struct lesson_reader *reader, const char *expected)
{
	line_blanks(reader);
	if (!*reader->at)
		line_wrong(reader, line_column(reader, reader->at), "expected %s", expected);
	return *reader->at ? memory_string(reader->at) : NULL;
}

void line_nothing_more(struct lesson_reader *reader)
{
	struct lesson_word word = line_word(reader);

	if (word.text[0])
		line_wrong(reader, word.column, "unexpected \"%s\": the statement ends before it",
			word.text);
}

/* ---- texts ---- */

/* Returns what a hole of a text is, and its expression in *words and *length. */
enum hole_kind lesson_hole(const char *hole, size_t size, const char **words, size_t *length)
{
	static const char begin[] = "if ";

	*words = hole + 1;
	*length = size - 2;
	if (*length == 4 && memcmp(*words, "else", 4) == 0)
		return HOLE_ELSE;
	if (*length == 3 && memcmp(*words, "end", 3) == 0)
		return HOLE_END;
	if (*length <= strlen(begin) || memcmp(*words, begin, strlen(begin)) != 0)
		return HOLE_VALUE;
	*words += strlen(begin);
	*length -= strlen(begin);
	return HOLE_IF;
}

/* Reports a mistake in the expression of a hole, at a column of the present line. */
static bool check_hole(struct lesson_reader *reader, enum hole_kind kind, const char *words,
	size_t length, int column, int hole)
{
	struct expression expression;

	if (kind == HOLE_ELSE || kind == HOLE_END)
		return true;
	expression = expression_read(words, length, NULL);
	if (!expression.ok)
		line_wrong(reader, column + (int)expression.offset, "%s", expression.words);
	else if (expression.condition && kind == HOLE_VALUE)
		line_wrong(reader, hole,
			"a condition in a text: write {if CONDITION} words {else} words {end}");
	else if (!expression.condition && kind == HOLE_IF)
		line_wrong(reader, column, "no condition: compare values, as in {if ratio < 2}");
	else
		return true;
	return false;
}

/* Finds the expressions in braces in the part of a text that was read last, and reports their
 * mistakes. */
static void find_holes(
	struct lesson_reader *reader, struct lesson_text *text, size_t from, const char *at)
{
	const char *part = text->words + from;

	for (size_t i = 0; part[i]; i++) {
		const char *words;
		size_t length, inside;
		enum hole_kind kind;
		bool good;
		int column;

		if (part[i] != '{')
			continue;
		if (part[i + 1] == '{') {
			i++;
			continue;
		}
		length = strcspn(part + i, "}");
		column = line_column(reader, at + i);
		if (part[i + length] != '}') {
			line_wrong(reader, column,
				"\"{\" without \"}\" on this line: write {{ for a brace in the "
				"text");
			return;
		}
		kind = lesson_hole(part + i, length + 1, &words, &inside);
		good = check_hole(reader, kind, words, inside,
			line_column(reader, at + (words - part)), column);
		/* A wrong condition keeps its place, so that its {end} is no further mistake. */
		if ((good || kind == HOLE_IF) && text->hole_count < 100) {
			text->hole = memory_grow(
				text->hole, (size_t)text->hole_count, sizeof(*text->hole));
			text->hole[text->hole_count++] = (struct lesson_hole){ from + i, length + 1,
				reader->number, column };
		}
		i += length;
	}
}

/* Adds the rest of the line to a text. */
static void add_text(struct lesson_reader *reader, struct lesson_text *text, int deeper)
{
	size_t used = text->words ? strlen(text->words) : 0, length = strlen(reader->at), from;
	bool keep = deeper >= 2;
	const char *between = used == 0		     ? ""
			      : reader->paragraph    ? "\n\n"
			      : keep || reader->kept ? "\n"
						     : " ";

	if (used == 0) {
		text->line = reader->number;
		text->column = line_column(reader, reader->at);
	}
	if (used + length + (size_t)(keep ? deeper : 0) + 3 > TEXT_MOST) {
		line_wrong(reader, 1, "the text is longer than %d bytes: shorten it", TEXT_MOST);
		reader->target = NULL;
		return;
	}
	text->words = memory_resize(text->words, TEXT_MOST + 1, 1);
	from = used + (size_t)sprintf(text->words + used, "%s%*s", between, keep ? deeper : 0, "");
	memcpy(text->words + from, reader->at, length + 1);
	reader->paragraph = false;
	reader->kept = keep;
	find_holes(reader, text, from, reader->at);
}

void line_text(struct lesson_reader *reader, struct lesson_text *text)
{
	reader->target = text;
	reader->indent = -1;
	reader->paragraph = reader->kept = false;
	line_blanks(reader);
	if (*reader->at)
		add_text(reader, text, 0);
}

void line_indented(struct lesson_reader *reader)
{
	int indent = 0;

	for (; *reader->at == ' ' || *reader->at == '\t'; reader->at++)
		indent = *reader->at == '\t' ? indent / 8 * 8 + 8 : indent + 1;
	if (!reader->step) {
		line_wrong(reader, line_column(reader, reader->at),
			"text before the first step: write step TITLE before it");
		return;
	}
	if (!reader->target)
		return;
	if (reader->indent < 0)
		reader->indent = indent;
	add_text(reader, reader->target,
		indent - reader->indent > 40 ? 40 : indent - reader->indent);
}
