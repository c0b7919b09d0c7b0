/* Reads the data of one argument of an own loop: its type, its length, its content and its place.
 */
#include "engine/own/own_reader.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SPACING_MAX = 1 << 20,
	STRING_MAX = 1 << 16,
	ALIGN_MAX = 4096 /* the alignment of the memory for all arrays */
};

static const char all_types[] = "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64";

static void take_list(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "list(n,64) or list(n,64,sequential)";
	char name[OWN_NAME];

	argument->content = OWN_LIST;
	reader_need(reader, '(', form);
	reader_take_count(reader, &argument->count);
	reader_need(reader, ',', form);
	if (reader_ok(reader) && (!reader_take_whole(reader, 8, SPACING_MAX, &argument->spacing) ||
					 argument->spacing % 8))
		reader_wrong(reader, "the spacing of nodes is a multiple of 8, from 8 to %d bytes",
			SPACING_MAX);
	if (reader_ok(reader) && reader_take(reader, ',')) {
		reader_take_name(reader, name);
		argument->sequential = strcmp(name, "sequential") == 0;
		if (!argument->sequential && strcmp(name, "random") != 0)
			reader_wrong(reader,
				"the third of a list is \"sequential\"; without it the order "
				"is random");
	}
	reader_need(reader, ')', form);
}

/* Reads a number that the element type of an array can hold. ".." ends a number. */
static void take_number(struct reader *reader, enum own_type type, struct own_value *value)
{
	const struct own_type_row *row = &own_types[type];
	const char *begin = reader_begin(reader), *dots = strstr(begin, "..");
	char text[64], *end;
	bool negative = *begin == '-', fits;

	snprintf(text, sizeof(text), "%.*s", dots ? (int)(dots - begin) : 63, begin);
	value->real = strtod(text, &end);
	if (end == text || !isfinite(value->real)) {
		reader_wrong(reader,
			"no data: write 7, -1.5, random(n), random(-9..9), random(n),sorted, "
			"zipf(n), 30%%, index or permutation");
		return;
	}
	reader->at = begin + (end - text);
	if (row->is_float)
		return;
	errno = 0;
	value->whole = negative ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
	fits = errno == 0 &&
	       (negative ? (int64_t)value->whole >= row->low : value->whole <= row->high);
	/* The number 1e3 counts as a whole number, too. */
	if (fits && begin + (end - text) < reader->at) {
		fits = value->real == floor(value->real) && value->real >= (double)row->low &&
		       value->real <= (double)row->high && fabs(value->real) < 0x1p63;
		value->whole = fits ? (uint64_t)(int64_t)value->real : 0;
	}
	if (!fits)
		reader_wrong(reader, "%s holds whole numbers from %" PRId64 " to %" PRIu64,
			row->name, row->low, row->high);
}

/* Returns whether the text in parentheses has "..": random(-9..9), not random(n). */
static bool has_range(const char *at)
{
	size_t length = strcspn(at, ")");

	return memmem(at, length, "..", 2) != NULL;
}

/* Reads the COUNT below which random whole numbers lie. A bound that depends on n is checked when n
 * is known. */
static void take_bound(struct reader *reader, struct own_argument *argument)
{
	const struct own_type_row *row = &own_types[argument->type];

	reader_take_count(reader, &argument->bound);
	if (!row->is_float && argument->bound.times == 0 &&
		(uint64_t)argument->bound.plus - 1 > row->high)
		reader_wrong(
			reader, "%s holds whole numbers below %" PRIu64, row->name, row->high + 1);
}

/* Reads random, random(COUNT) or random(LOW..HIGH). */
static void take_random(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "random(n), random(100) or random(-9..9)";
	const struct own_type_row *row = &own_types[argument->type];

	argument->content = OWN_RANGE;
	argument->first = (struct own_value){ 0, (uint64_t)row->low };
	argument->last = (struct own_value){ 1, row->high };
	if (!reader_take(reader, '('))
		return;
	if (!has_range(reader->at)) {
		argument->content = OWN_RANDOM;
		take_bound(reader, argument);
	} else {
		take_number(reader, argument->type, &argument->first);
		reader_need(reader, '.', form);
		reader_need(reader, '.', form);
		if (reader_ok(reader))
			take_number(reader, argument->type, &argument->last);
		if (reader_ok(reader) && argument->first.real >= argument->last.real)
			reader_wrong(reader, "the smaller number comes first: write %s", form);
	}
	reader_need(reader, ')', form);
}

/* Reads (COUNT) or (COUNT,SKEW) after the word zipf. */
static void take_zipf(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "zipf(n) or zipf(n,1.2)";

	argument->content = OWN_ZIPF;
	argument->skew = 1;
	reader_need(reader, '(', form);
	take_bound(reader, argument);
	if (reader_ok(reader) && reader_take(reader, ',')) {
		char *end;

		argument->skew = strtod(reader_begin(reader), &end);
		reader->at = end;
		if (end == reader->token || !(argument->skew > 0 && argument->skew <= 8))
			reader_wrong(
				reader, "the skew is a number above 0, at most 8: write %s", form);
	}
	reader_need(reader, ')', form);
}

static void take_content(struct reader *reader, struct own_argument *argument)
{
	const char *begin = reader_begin(reader);
	char name[OWN_NAME] = "";

	if (isalpha((unsigned char)*begin))
		reader_take_name(reader, name);
	if (strcmp(name, "random") == 0) {
		take_random(reader, argument);
	} else if (strcmp(name, "zipf") == 0) {
		take_zipf(reader, argument);
	} else if (strcmp(name, "index") == 0) {
		argument->content = OWN_INDEX;
	} else if (strcmp(name, "permutation") == 0) {
		argument->content = OWN_PERMUTATION;
		if (own_types[argument->type].is_float)
			reader_wrong(reader,
				"a permutation is of whole numbers, i32 say, not of %s",
				own_types[argument->type].name);
	} else {
		char *end;

		argument->share = strtod(begin, &end) / 100;
		reader->at = begin;
		if (end == begin || *end != '%') {
			take_number(reader, argument->type, &argument->first);
			return;
		}
		argument->content = OWN_SHARE;
		reader->token = begin;
		reader->at = end + 1;
		if (!(argument->share >= 0 && argument->share <= 1))
			reader_wrong(reader, "a share of ones is from 0%% to 100%%");
	}
}

/* Reads COUNT and lengths after the word strings: (n,5..20). */
static void take_strings(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "strings(n,5..20) or strings(n,8)";

	argument->content = OWN_STRINGS;
	reader_need(reader, '(', form);
	reader_take_count(reader, &argument->count);
	reader_need(reader, ',', form);
	if (reader_ok(reader) && !reader_take_whole(reader, 0, STRING_MAX, &argument->shortest))
		reader_wrong(reader, "a string has 0 to %d letters: write %s", STRING_MAX, form);
	argument->longest = argument->shortest;
	if (reader_ok(reader) && reader_take(reader, '.')) {
		reader_need(reader, '.', form);
		if (reader_ok(reader) && !reader_take_whole(reader, argument->shortest, STRING_MAX,
						 &argument->longest))
			reader_wrong(reader,
				"the longest string has %" PRId64 " to %d letters: write %s",
				argument->shortest, STRING_MAX, form);
	}
	reader_need(reader, ')', form);
}

/* Reads one word after a comma: the order of an array, or its place. */
static void take_property(struct reader *reader, struct own_argument *argument)
{
	char name[OWN_NAME];
	bool ordered = argument->content != OWN_NUMBER && argument->content != OWN_LIST &&
		       argument->content != OWN_STRINGS,
	     pointers = argument->content == OWN_LIST || argument->content == OWN_STRINGS;

	reader_take_name(reader, name);
	if (strcmp(name, "sorted") == 0 || strcmp(name, "reversed") == 0) {
		argument->order = name[0] == 's' ? OWN_SORTED : OWN_REVERSED;
		if (!ordered)
			reader_wrong(reader,
				"only random numbers have an order: write random(n),sorted");
	} else if (strcmp(name, "align") == 0) {
		reader_need(reader, '=', "align=64");
		if (reader_ok(reader) &&
			(!reader_take_whole(reader, 1, ALIGN_MAX, &argument->align) ||
				(argument->align & (argument->align - 1)) ||
				(pointers && argument->align < 8)))
			reader_wrong(reader, "align is a power of two from %d to %d bytes",
				pointers ? 8 : 1, ALIGN_MAX);
	} else if (strcmp(name, "offset") == 0) {
		reader_need(reader, '=', "offset=8");
		if (reader_ok(reader) &&
			(!reader_take_whole(reader, 0, ALIGN_MAX, &argument->offset) ||
				(pointers && argument->offset % 8)))
			reader_wrong(reader, "offset is %s from 0 to %d bytes",
				pointers ? "a multiple of 8" : "a number", ALIGN_MAX);
	} else {
		reader_wrong(
			reader, "after the comma comes sorted, reversed, align=64 or offset=8");
	}
}

void own_take_argument(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "f64[n], or f64[n]:1.0";
	char name[OWN_NAME];
	int type = 0;

	reader_take_name(reader, name);
	if (strcmp(name, "list") == 0 || strcmp(name, "strings") == 0) {
		if (name[0] == 'l')
			take_list(reader, argument);
		else
			take_strings(reader, argument);
		while (reader_ok(reader) && reader_take(reader, ','))
			take_property(reader, argument);
		return;
	}
	while (type < OWN_TYPES && strcmp(own_types[type].name, name) != 0)
		type++;
	if (type == OWN_TYPES) {
		reader_wrong(reader,
			"an argument is an array of one of %s, as %s, or list(n,64) or "
			"strings(n,8)",
			all_types, form);
		return;
	}
	argument->type = (enum own_type)type;
	argument->content = OWN_NUMBER;
	argument->first.real = own_types[type].is_float ? 1 : 0;
	reader_need(reader, '[', form);
	reader_take_count(reader, &argument->count);
	reader_need(reader, ']', form);
	if (reader_ok(reader) && reader_take(reader, ':'))
		take_content(reader, argument);
	while (reader_ok(reader) && reader_take(reader, ','))
		take_property(reader, argument);
}
