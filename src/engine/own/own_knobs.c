/* Reads the knobs and the sets of compiler flags in the description of an own loop. */
#include "engine/own/own_reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "engine/own/own_comment.h"

/* Adds a value to a list of values. Returns text about what is wrong with the value, or NULL. */
static const char *add_value(struct own_knob *knob, const char *value, size_t length)
{
	size_t used = 0;
	int count = 0;

	if (length == 0)
		return "a value of the list is empty";
	for (; knob->words[used]; used += strlen(knob->words + used) + 1, count++)
		if (strlen(knob->words + used) == length &&
			strncmp(knob->words + used, value, length) == 0)
			return "a value is twice in the list";
	if (count == OWN_VALUES)
		return "the list has too many values: write at most 32";
	if (used + length + 2 > OWN_WORDS)
		return "the list is too long: write at most 510 characters";
	memcpy(knob->words + used, value, length);
	memset(knob->words + used + length, 0, OWN_WORDS - used - length);
	return NULL;
}

/* Reads the part of a range after its first number: ..8 or ..64*2. */
static void take_range(struct reader *reader, struct own_knob *knob, int64_t low)
{
	int64_t high = 0, factor = 0;

	if (!reader_take_whole(reader, low, NUMBER_MAX, &high)) {
		reader_wrong(reader,
			"after \"..\" comes the last value, from %" PRId64 " to %" PRId64
			": write knob unroll=1..8",
			low, NUMBER_MAX);
	} else if (!reader_take(reader, '*')) {
		knob->low = low;
		knob->high = high;
	} else if (low == 0 || !reader_take_whole(reader, 2, NUMBER_MAX, &factor)) {
		reader_wrong(reader,
			"a list by factors begins at 1 or more, and the factor is 2 or more: "
			"write knob block=8..64*2");
	} else {
		for (int64_t value = low; value <= high && reader_ok(reader); value *= factor) {
			struct units_text text = units_text("%" PRId64, value);
			const char *why = add_value(knob, text.text, strlen(text.text));

			if (why)
				reader_wrong(reader, "%s", why);
		}
	}
}

/* Reads values that commas separate, such as 1,2,4 or float,double. */
static void take_values(struct reader *reader, struct own_knob *knob)
{
	do {
		size_t length = strcspn(reader_begin(reader), ", \t\v\f\r");
		const char *why = add_value(knob, reader->at, length);

		if (why)
			reader_wrong(reader, "%s; write knob width=1,2,4 or knob unroll=1..8", why);
		reader->at += length;
	} while (reader_ok(reader) && reader_take(reader, ','));
}

void own_take_knob(struct reader *reader)
{
	static const char form[] = "knob unroll=1..8 or knob width=1,2,4";
	struct own_description *description = reader->description;
	struct own_knob *knob = &description->knob[description->knobs];
	const char *begin;
	int64_t low;

	if (description->knobs == OWN_KNOBS) {
		reader_wrong(reader, "this is one knob too many: a file has at most %d", OWN_KNOBS);
		return;
	}
	reader_take_name(reader, knob->name);
	if (!isalpha((unsigned char)knob->name[0]))
		reader_wrong(reader,
			"after knob comes a name of at most %d letters and digits: write %s",
			OWN_NAME - 1, form);
	/* Every own loop has a knob pages already. */
	if (own_word_of(knob->name) >= 0 || strcmp(knob->name, "pages") == 0 ||
		strcmp(knob->name, "data") == 0)
		reader_wrong(reader, "%s has a meaning already: choose another name", knob->name);
	for (int i = 0; i < description->knobs; i++)
		if (strcasecmp(knob->name, description->knob[i].name) == 0)
			reader_wrong(reader, "a knob %s is already described", knob->name);
	reader_need(reader, '=', form);
	if (!reader_ok(reader))
		return;
	description->knobs++;
	begin = reader_begin(reader);
	if (reader_take_whole(reader, 0, NUMBER_MAX, &low) && strncmp(reader->at, "..", 2) == 0) {
		reader->at += 2;
		take_range(reader, knob, low);
	} else {
		reader->at = begin;
		take_values(reader, knob);
	}
}

/* Returns the length of a set of compiler flags: it ends at the end of the text, or at a comma
 * before a dash that does not belong to a word such as -Wl,-z,now. */
static size_t flags_length(const char *text)
{
	const char *word = text;
	char quote = '\0';
	size_t i;

	for (i = 0; text[i]; i++) {
		if (quote)
			quote = text[i] == quote ? '\0' : quote;
		else if (text[i] == '"' || text[i] == '\'')
			quote = text[i];
		else if (text[i] == ' ' || text[i] == '\t')
			word = text + i + 1;
		else if (text[i] == ',' && text[i + 1] == '-' &&
			 !(word[0] == '-' && word[1] == 'W' && word[2] && word[3] == ','))
			break;
	}
	return i;
}

struct status own_read_flags(const char *text, struct own_knob *cflags)
{
	*cflags = (struct own_knob){ .name = "cflags" };
	for (const char *at = text;;) {
		size_t length = flags_length(at);
		const char *why = add_value(cflags, length ? at : " ", length ? length : 1);

		if (why)
			return status_usage("cflags=%.60s: %s", text, why);
		if (!at[length])
			return status_ok();
		at += length + 1;
	}
}

struct status own_add_flags(const struct own_knob *given, struct own_knob *cflags)
{
	snprintf(cflags->name, sizeof(cflags->name), "cflags");
	for (const char *at = given->words; *at; at += strlen(at) + 1) {
		const char *known = cflags->words, *why = NULL;

		while (*known && strcmp(known, at) != 0)
			known += strlen(known) + 1;
		if (!*known)
			why = add_value(cflags, at, strlen(at));
		if (why)
			return status_usage("cflags=%.60s: %s", at, why);
	}
	return status_ok();
}

void own_take_cflags(struct reader *reader)
{
	struct own_knob *cflags = &reader->description->cflags;

	snprintf(cflags->name, sizeof(cflags->name), "cflags");
	do {
		bool quoted = *reader_begin(reader) == '"';
		const char *begin = reader->at + quoted, *why;
		size_t length = quoted ? strcspn(begin, "\"") : strcspn(begin, BLANKS);

		if (!quoted && !strchr("-,", *begin)) {
			reader_wrong(reader, "a set of options begins with \"-\"; write "
					     "cflags=-O2,-O3, or cflags=\"\" for none");
			return;
		}
		if (!quoted) {
			const char *quoted_next = strstr(begin, ",\"");
			size_t one = flags_length(begin);

			length = one < length ? one : length;
			if (quoted_next && quoted_next < begin + length)
				length = (size_t)(quoted_next - begin);
		} else if (!begin[length]) {
			reader_wrong(reader, "the second quotation mark is missing");
			return;
		}
		why = add_value(cflags, length ? begin : " ", length ? length : 1);
		if (why)
			reader_wrong(reader, "%s; write cflags=-O2,-O3", why);
		reader->at = begin + length + quoted;
	} while (reader_ok(reader) && reader_take(reader, ','));
}
