#include "engine/own/own_comment.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/own/own_reader.h"

enum { N_DEFAULT = 16384, N_DEFAULT_BARE = 4096, N_DEFAULT_LEAST = 256 };

static const char mark[] = "slexplore:";
static const char example[] = "slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64)";

/* Returns the number of the argument with this name, or -1. */
static int argument_of(const char *name)
{
	for (int i = 0; name[0] && !name[1] && i < OWN_ARGUMENTS; i++)
		if (name[0] == own_argument_name(i))
			return i;
	return -1;
}

/* Reads the value of a word that is no argument. */
static void take_value(struct reader *reader, enum word word)
{
	struct own_description *description = reader->description;
	int64_t low = word == WORD_N ? OWN_N_MIN : 1, high = word == WORD_N ? OWN_N_MAX : OVER_MAX,
		value;

	switch (word) {
	case WORD_ELEMENTS:
		reader_take_count(reader, &description->elements);
		if (description->elements.times == 0 || description->elements.plus)
			reader_wrong(reader,
				"the number of elements must depend on n: write n, 2*n or n/2");
		break;
	case WORD_CFLAGS: own_take_cflags(reader); break;
	case WORD_KNOB: own_take_knob(reader); break;
	default:
		if (!reader_take_whole(reader, low, high, &value))
			reader_wrong(reader, "%s is a whole number from %" PRId64 " to %" PRId64,
				own_word_names[word], low, high);
		else if (word == WORD_N)
			description->n = value, description->n_given = true;
		else
			reader_need_multiple(reader, value);
	}
}

/* Reads one NAME=VALUE, or knob NAME=VALUES. */
static void take_word(struct reader *reader)
{
	char name[OWN_NAME];
	int argument, word;
	unsigned *given, bit;

	reader->word = reader->at;
	reader_take_name(reader, name);
	argument = argument_of(name);
	word = own_word_of(name);
	if (argument < 0 && word < 0) {
		struct near_names near = nearest_names(name, own_word_names, WORDS);

		reader_wrong(reader,
			"%s%s%sthe words are a= b= c= to z= (arrays), elements= n= multiple= "
			"cflags= and knob",
			near.text[0] ? "did you mean " : "", near.text, near.text[0] ? "? " : "");
		return;
	}
	given = argument >= 0 ? &reader->arguments_given : &reader->words_given;
	bit = 1u << (argument >= 0 ? argument : word);
	if (*given & bit && word != WORD_KNOB)
		reader_wrong(reader, "%s is given twice", name);
	*given |= bit;
	if (word != WORD_KNOB)
		reader_need(reader, '=', argument >= 0 ? "a=f64[n], say" : "NAME=VALUE");
	if (!reader_ok(reader))
		return;
	if (argument >= 0)
		own_take_argument(reader, &reader->description->argument[argument]);
	else
		take_value(reader, (enum word)word);
	if (reader_ok(reader) && *reader->at && !strchr(BLANKS, *reader->at)) {
		reader_begin(reader);
		reader_wrong(reader, "\"%.*s\" after it is unknown: separate words by blanks",
			(int)strcspn(reader->at, BLANKS), reader->at);
	}
}

/* ---- the comment */

/* Returns whether the position is within a comment that ends with an asterisk and a slash. */
static bool in_block(const char *text, const char *at)
{
	bool inside = false;

	for (; text < at; text++) {
		if (strncmp(text, inside ? "*/" : "/*", 2) == 0) {
			inside = !inside;
			text++;
		}
	}
	return inside;
}

/* A user who continues a description in the next line of the same comment must begin that line with
 * "slexplore:" too. A continued description without "slexplore:" would be ignored, and loop() would
 * receive NULL. */
static void check_next(struct reader *reader, const char *text, const char *end)
{
	const char *start = end + strspn(end, "\r"), *at;
	char name[OWN_NAME];

	if (*start != '\n')
		return;
	start++;
	at = start + strspn(start, BLANKS);
	/* A line of code after the comment does not continue the description. */
	if (!in_block(text, start) && strncmp(at, "//", 2) != 0 && *at != '#')
		return;
	at += strspn(at, "*/#! \t");
	*reader = (struct reader){ .at = at,
		.word = at,
		.line_start = start,
		.origin = reader->origin,
		.line = reader->line + 1,
		.column = 1,
		.status = status_ok(),
		.description = reader->description,
		.arguments_given = reader->arguments_given,
		.words_given = reader->words_given };
	reader_take_name(reader, name);
	reader->token = at;
	if (own_word_of(name) == WORD_KNOB
			? strchr(BLANKS, *reader->at) && *reader->at
			: *reader->at == '=' && (argument_of(name) >= 0 || own_word_of(name) >= 0))
		reader_wrong(reader, "this line continues a description: begin it with \"%s\" too",
			mark);
}

/* The default of the loop's parameter n is large, so that vector loops make many iterations: a core
 * learns the end of a loop of 100 iterations, but not of 300, so the time per element of short
 * loops is not that of long ones. */
void own_choose_n(struct own_description *description, uint64_t bytes)
{
	int64_t n = description->n;

	if (!description->n_given)
		for (n = own_bytes(description, 1) ? N_DEFAULT : N_DEFAULT_BARE;
			n > N_DEFAULT_LEAST && own_bytes(description, n) > bytes;)
			n /= 2;
	description->n = (int64_t)round_up((uint64_t)n, (uint64_t)description->multiple * 2);
}

struct status own_describe(
	const char *text, const char *origin, struct own_description *description)
{
	struct reader reader = {
		.origin = origin, .line = 1, .status = status_ok(), .description = description
	};
	const char *counted = text, *at = text, *begin = text;
	struct text line = { 0 };

	*description = (struct own_description){ .elements = { 1, 1, 0 }, .multiple = 1 };
	for (; (at = strstr(at, mark)) && reader_ok(&reader); at += sizeof(mark) - 1) {
		size_t length = strcspn(at, "\r\n");
		const char *close = memmem(at, length, "*/", 2);

		for (; counted < at; counted++) {
			reader.line += *counted == '\n';
			begin = *counted == '\n' ? counted + 1 : begin;
		}
		text_clear(&line);
		text_addn(&line, at, close ? (size_t)(close - at) : length);
		reader.column = (int)(at - begin) + 1;
		reader.line_start = text_string(&line);
		reader.at = reader.word = reader.line_start + sizeof(mark) - 1;
		while (reader_ok(&reader) && *reader_begin(&reader))
			take_word(&reader);
		if (reader_ok(&reader) && !close) {
			struct reader next = reader;

			check_next(&next, text, at + length);
			reader.status = next.status;
		}
	}
	text_free(&line);
	if (!strstr(text, mark))
		return status_usage("%.60s: no comment says which data loop() uses; write, for "
				    "example,  /* %s */",
			origin, example);
	if (reader_ok(&reader))
		own_choose_n(description, OWN_BYTES_USUAL);
	return reader.status;
}
