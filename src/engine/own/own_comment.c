/* The reader of a loop's description takes one token at a time and stops at the first mistake. */
#include "engine/own/own_comment.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* The largest number in a COUNT: with this limit, no count overflows for n up to 2^30. */
#define NUMBER_MAX (INT64_C(1) << 30)
enum {
	OVER_MAX = 1 << 20,
	SPACING_MAX = 1 << 20,
	STRING_MAX = 1 << 16,
	ALIGN_MAX = 4096, /* the alignment of the memory for all arrays */
	ARRAYS_DEFAULT = 16 << 10,
	N_DEFAULT = 16384,
	N_DEFAULT_BARE = 4096,
	N_DEFAULT_LEAST = 256
};

static const char mark[] = "slexplore:";
static const char example[] = "slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64)";
static const char all_types[] = "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64";
static const char blanks[] = " \t\v\f\r";

/* The words of a description other than the names of arguments. */
enum word { WORD_ELEMENTS, WORD_N, WORD_MULTIPLE, WORD_CFLAGS, WORD_KNOB, WORDS };
static const char *const word_names[WORDS] = { "elements", "n", "multiple", "cflags", "knob" };

static int word_of(const char *name)
{
	int word = 0;

	while (word < WORDS && strcmp(word_names[word], name) != 0)
		word++;
	return word < WORDS ? word : -1;
}

struct reader {
	const char *at;	   /* position in the comment's line */
	const char *word;  /* start of the current word */
	const char *token; /* start of the current token: the place of a mistake */
	const char *line_start;
	const char *origin;
	int line;
	int column; /* column of line_start in the source file, from 1 */
	struct status status;
	struct own_description *description;
	unsigned arguments_given, words_given; /* the words of the description that were seen so
						  far: one bit for each */
};

static bool ok(const struct reader *reader)
{
	return status_is_ok(&reader->status);
}

/* Sets the reader's status, unless the status already holds an error. The error message about the
 * description shows the wrong word up to the next blank. */
static __attribute__((format(printf, 2, 3))) void wrong(
	struct reader *reader, const char *format, ...)
{
	const char *from;
	char why[230];
	va_list arguments;
	int length;

	if (!ok(reader))
		return;
	/* If a token is missing at the end of the line, the error message names the place after the
	 * last word. */
	if (!*reader->token)
		while (reader->token > reader->word && strchr(blanks, reader->token[-1]))
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

/* Skips blanks. The next token begins there. */
static const char *begin_token(struct reader *reader)
{
	reader->at += strspn(reader->at, blanks);
	return reader->token = reader->at;
}

static bool take(struct reader *reader, char wanted)
{
	const char *at = reader->at + strspn(reader->at, blanks);

	if (*at != wanted)
		return false;
	reader->at = at + 1;
	return true;
}

static void need(struct reader *reader, char wanted, const char *form)
{
	if (!ok(reader) || take(reader, wanted))
		return;
	begin_token(reader);
	wrong(reader, "a \"%c\" is missing; write %s", wanted, form);
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Reads a name of letters, digits and underscores from the description of an own loop's data. The
 * name is empty if the description has no name there, or one of OWN_NAME or more characters. */
static void take_name(struct reader *reader, char name[OWN_NAME])
{
	size_t length = 0;

	for (begin_token(reader); in_name(reader->at[length]);)
		length++;
	snprintf(name, OWN_NAME, "%.*s", length < OWN_NAME ? (int)length : 0, reader->at);
	reader->at += length;
}

/* Reads a whole number, such as 4096 or 4k. Returns false if the description has no number here, or
 * if the number is not from `low` to `high`. */
static bool take_whole(struct reader *reader, int64_t low, int64_t high, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*begin_token(reader)))
		return false;
	*value = strtoll(reader->at, &end, 10);
	if ((*end == 'k' || *end == 'm') && !in_name(end[1]) && *value <= NUMBER_MAX)
		*value <<= *end++ == 'k' ? 10 : 20;
	reader->at = end;
	return *value >= low && *value <= high;
}

static bool take_n(struct reader *reader)
{
	begin_token(reader);
	return reader->at[0] == 'n' && !in_name(reader->at[1]) && take(reader, 'n');
}

static int64_t greatest_common(int64_t a, int64_t b)
{
	return b ? greatest_common(b, a % b) : a;
}

/* Requires that the loop's parameter n is also a multiple of this number. */
static void need_multiple(struct reader *reader, int64_t multiple)
{
	int64_t *before = &reader->description->multiple,
		both = *before / greatest_common(*before, multiple) * multiple;

	if (both > OWN_N_MAX / 4)
		wrong(reader, "n would have to be a multiple of %" PRId64, both);
	else
		*before = both;
}

/* Reads a COUNT (a number of elements that may depend on n), such as 3*n or n/2. */
static void take_count(struct reader *reader, struct own_count *count)
{
	static const char forms[] = "n, 2*n, n+1, n/2 or a number";
	int64_t number;

	*count = (struct own_count){ 1, 1, 0 };
	if (!ok(reader))
		return;
	if (isdigit((unsigned char)*begin_token(reader))) {
		if (!take_whole(reader, 1, NUMBER_MAX, &number))
			wrong(reader, "a number in a count is from 1 to %" PRId64, NUMBER_MAX);
		if (!take(reader, '*'))
			*count = (struct own_count){ 0, 1, number };
		else if (take_n(reader))
			count->times = number;
		else
			wrong(reader, "after \"*\" comes n; a count is %s", forms);
	} else if (!take_n(reader)) {
		wrong(reader, "a count is %s", forms);
	} else if (take(reader, '+')) {
		if (!take_whole(reader, 0, NUMBER_MAX, &count->plus))
			wrong(reader, "after \"+\" comes a number; a count is %s", forms);
	} else if (take(reader, '*')) {
		if (!take_whole(reader, 1, NUMBER_MAX, &count->times))
			wrong(reader, "after \"*\" comes a number from 1; a count is %s", forms);
	} else if (take(reader, '/')) {
		if (!take_whole(reader, 1, OVER_MAX, &count->over))
			wrong(reader, "after \"/\" comes a number from 1 to %d; a count is %s",
				OVER_MAX, forms);
		else
			need_multiple(reader, count->over);
	}
}

/* ---- arguments */

static void take_list(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "list(n,64) or list(n,64,sequential)";
	char name[OWN_NAME];

	argument->content = OWN_LIST;
	need(reader, '(', form);
	take_count(reader, &argument->count);
	need(reader, ',', form);
	if (ok(reader) &&
		(!take_whole(reader, 8, SPACING_MAX, &argument->spacing) || argument->spacing % 8))
		wrong(reader, "the spacing of nodes is a multiple of 8, from 8 to %d bytes",
			SPACING_MAX);
	if (ok(reader) && take(reader, ',')) {
		take_name(reader, name);
		argument->sequential = strcmp(name, "sequential") == 0;
		if (!argument->sequential && strcmp(name, "random") != 0)
			wrong(reader, "the third of a list is \"sequential\"; without it the order "
				      "is random");
	}
	need(reader, ')', form);
}

/* Reads a number that the element type of an array can hold. ".." ends a number. */
static void take_number(struct reader *reader, enum own_type type, struct own_value *value)
{
	const struct own_type_row *row = &own_types[type];
	const char *begin = begin_token(reader), *dots = strstr(begin, "..");
	char text[64], *end;
	bool negative = *begin == '-', fits;

	snprintf(text, sizeof(text), "%.*s", dots ? (int)(dots - begin) : 63, begin);
	value->real = strtod(text, &end);
	if (end == text || !isfinite(value->real)) {
		wrong(reader, "here comes a number; write 7, -1.5, random(n), random(-9..9), "
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
		wrong(reader, "%s holds whole numbers from %" PRId64 " to %" PRIu64, row->name,
			row->low, row->high);
}

/* Returns whether the text in parentheses has "..": random(-9..9), not random(n). */
static bool has_range(const char *at)
{
	size_t length = strcspn(at, ")");

	return memmem(at, length, "..", 2) != NULL;
}

/* Reads random, random(COUNT) or random(LOW..HIGH). */
static void take_random(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "random(n), random(100) or random(-9..9)";
	const struct own_type_row *row = &own_types[argument->type];

	argument->content = OWN_RANGE;
	argument->first = (struct own_value){ 0, (uint64_t)row->low };
	argument->last = (struct own_value){ 1, row->high };
	if (!take(reader, '('))
		return;
	if (!has_range(reader->at)) {
		argument->content = OWN_RANDOM;
		take_count(reader, &argument->bound);
	} else {
		take_number(reader, argument->type, &argument->first);
		need(reader, '.', form);
		need(reader, '.', form);
		if (ok(reader))
			take_number(reader, argument->type, &argument->last);
		if (ok(reader) && argument->first.real >= argument->last.real)
			wrong(reader, "the smaller number comes first: write %s", form);
	}
	need(reader, ')', form);
}

/* Reads (COUNT) or (COUNT,SKEW) after the word zipf. */
static void take_zipf(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "zipf(n) or zipf(n,1.2)";

	argument->content = OWN_ZIPF;
	argument->skew = 1;
	need(reader, '(', form);
	take_count(reader, &argument->bound);
	if (ok(reader) && take(reader, ',')) {
		char *end;

		argument->skew = strtod(begin_token(reader), &end);
		reader->at = end;
		if (end == reader->token || !(argument->skew > 0 && argument->skew <= 8))
			wrong(reader, "the skew is a number above 0, at most 8: write %s", form);
	}
	need(reader, ')', form);
}

static void take_content(struct reader *reader, struct own_argument *argument)
{
	const char *begin = begin_token(reader);
	char name[OWN_NAME] = "";

	if (isalpha((unsigned char)*begin))
		take_name(reader, name);
	if (strcmp(name, "random") == 0) {
		take_random(reader, argument);
	} else if (strcmp(name, "zipf") == 0) {
		take_zipf(reader, argument);
	} else if (strcmp(name, "index") == 0) {
		argument->content = OWN_INDEX;
	} else if (strcmp(name, "permutation") == 0) {
		argument->content = OWN_PERMUTATION;
		if (own_types[argument->type].is_float)
			wrong(reader, "a permutation is of whole numbers, i32 say, not of %s",
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
			wrong(reader, "a share of ones is from 0%% to 100%%");
	}
}

/* Reads COUNT and lengths after the word strings: (n,5..20). */
static void take_strings(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "strings(n,5..20) or strings(n,8)";

	argument->content = OWN_STRINGS;
	need(reader, '(', form);
	take_count(reader, &argument->count);
	need(reader, ',', form);
	if (ok(reader) && !take_whole(reader, 0, STRING_MAX, &argument->shortest))
		wrong(reader, "a string has 0 to %d letters: write %s", STRING_MAX, form);
	argument->longest = argument->shortest;
	if (ok(reader) && take(reader, '.')) {
		need(reader, '.', form);
		if (ok(reader) &&
			!take_whole(reader, argument->shortest, STRING_MAX, &argument->longest))
			wrong(reader, "the longest string has %" PRId64 " to %d letters: write %s",
				argument->shortest, STRING_MAX, form);
	}
	need(reader, ')', form);
}

/* Reads one word after a comma: the order of an array, or its place. */
static void take_property(struct reader *reader, struct own_argument *argument)
{
	char name[OWN_NAME];
	bool ordered = argument->content != OWN_NUMBER && argument->content != OWN_LIST &&
		       argument->content != OWN_STRINGS,
	     pointers = argument->content == OWN_LIST || argument->content == OWN_STRINGS;

	take_name(reader, name);
	if (strcmp(name, "sorted") == 0 || strcmp(name, "reversed") == 0) {
		argument->order = name[0] == 's' ? OWN_SORTED : OWN_REVERSED;
		if (!ordered)
			wrong(reader, "only random numbers have an order: write random(n),sorted");
	} else if (strcmp(name, "align") == 0) {
		need(reader, '=', "align=64");
		if (ok(reader) && (!take_whole(reader, 1, ALIGN_MAX, &argument->align) ||
					  (argument->align & (argument->align - 1)) ||
					  (pointers && argument->align < 8)))
			wrong(reader, "align is a power of two from %d to %d bytes",
				pointers ? 8 : 1, ALIGN_MAX);
	} else if (strcmp(name, "offset") == 0) {
		need(reader, '=', "offset=8");
		if (ok(reader) && (!take_whole(reader, 0, ALIGN_MAX, &argument->offset) ||
					  (pointers && argument->offset % 8)))
			wrong(reader, "offset is %s from 0 to %d bytes",
				pointers ? "a multiple of 8" : "a number", ALIGN_MAX);
	} else {
		wrong(reader, "after the comma comes sorted, reversed, align=64 or offset=8");
	}
}

static void take_argument(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "f64[n], or f64[n]:1.0";
	char name[OWN_NAME];
	int type = 0;

	take_name(reader, name);
	if (strcmp(name, "list") == 0 || strcmp(name, "strings") == 0) {
		if (name[0] == 'l')
			take_list(reader, argument);
		else
			take_strings(reader, argument);
		while (ok(reader) && take(reader, ','))
			take_property(reader, argument);
		return;
	}
	while (type < OWN_TYPES && strcmp(own_types[type].name, name) != 0)
		type++;
	if (type == OWN_TYPES) {
		wrong(reader,
			"an argument is an array of one of %s, as %s, or list(n,64) or "
			"strings(n,8)",
			all_types, form);
		return;
	}
	argument->type = (enum own_type)type;
	argument->content = OWN_NUMBER;
	argument->first.real = own_types[type].is_float ? 1 : 0;
	need(reader, '[', form);
	take_count(reader, &argument->count);
	need(reader, ']', form);
	if (ok(reader) && take(reader, ':'))
		take_content(reader, argument);
	while (ok(reader) && take(reader, ','))
		take_property(reader, argument);
}

/* ---- knobs and flags */

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

	if (!take_whole(reader, low, NUMBER_MAX, &high)) {
		wrong(reader,
			"after \"..\" comes the last value, from %" PRId64 " to %" PRId64
			": write knob unroll=1..8",
			low, NUMBER_MAX);
	} else if (!take(reader, '*')) {
		knob->low = low;
		knob->high = high;
	} else if (low == 0 || !take_whole(reader, 2, NUMBER_MAX, &factor)) {
		wrong(reader, "a list by factors begins at 1 or more, and the factor is 2 or more: "
			      "write knob block=8..64*2");
	} else {
		for (int64_t value = low; value <= high && ok(reader); value *= factor) {
			struct units_text text = units_text("%" PRId64, value);
			const char *why = add_value(knob, text.text, strlen(text.text));

			if (why)
				wrong(reader, "%s", why);
		}
	}
}

/* Reads values that commas separate, such as 1,2,4 or float,double. */
static void take_values(struct reader *reader, struct own_knob *knob)
{
	do {
		size_t length = strcspn(begin_token(reader), ", \t\v\f\r");
		const char *why = add_value(knob, reader->at, length);

		if (why)
			wrong(reader, "%s; write knob width=1,2,4 or knob unroll=1..8", why);
		reader->at += length;
	} while (ok(reader) && take(reader, ','));
}

/* Reads NAME=VALUES after the word knob. */
static void take_knob(struct reader *reader)
{
	static const char form[] = "knob unroll=1..8 or knob width=1,2,4";
	struct own_description *description = reader->description;
	struct own_knob *knob = &description->knob[description->knobs];
	const char *begin;
	int64_t low;

	if (description->knobs == OWN_KNOBS) {
		wrong(reader, "this is one knob too many: a file has at most %d", OWN_KNOBS);
		return;
	}
	take_name(reader, knob->name);
	if (!isalpha((unsigned char)knob->name[0]))
		wrong(reader, "after knob comes a name of at most %d letters and digits: write %s",
			OWN_NAME - 1, form);
	/* Every own loop has a knob pages already. */
	if (word_of(knob->name) >= 0 || strcmp(knob->name, "pages") == 0)
		wrong(reader, "%s has a meaning already: choose another name", knob->name);
	for (int i = 0; i < description->knobs; i++)
		if (strcasecmp(knob->name, description->knob[i].name) == 0)
			wrong(reader, "a knob %s is already described", knob->name);
	need(reader, '=', form);
	if (!ok(reader))
		return;
	description->knobs++;
	begin = begin_token(reader);
	if (take_whole(reader, 0, NUMBER_MAX, &low) && strncmp(reader->at, "..", 2) == 0) {
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

/* Reads sets of flags that commas separate; a set in quotation marks may contain blanks. */
static void take_cflags(struct reader *reader)
{
	struct own_knob *cflags = &reader->description->cflags;

	snprintf(cflags->name, sizeof(cflags->name), "cflags");
	do {
		bool quoted = *begin_token(reader) == '"';
		const char *begin = reader->at + quoted, *why;
		size_t length = quoted ? strcspn(begin, "\"") : strcspn(begin, blanks);

		if (!quoted) {
			const char *quoted_next = strstr(begin, ",\"");
			size_t one = flags_length(begin);

			length = one < length ? one : length;
			if (quoted_next && quoted_next < begin + length)
				length = (size_t)(quoted_next - begin);
		} else if (!begin[length]) {
			wrong(reader, "the second quotation mark is missing");
			return;
		}
		why = add_value(cflags, length ? begin : " ", length ? length : 1);
		if (why)
			wrong(reader, "%s; write cflags=-O2,-O3", why);
		reader->at = begin + length + quoted;
	} while (ok(reader) && take(reader, ','));
}

/* ---- words */

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
		take_count(reader, &description->elements);
		if (description->elements.times == 0 || description->elements.plus)
			wrong(reader,
				"the number of elements must depend on n: write n, 2*n or n/2");
		break;
	case WORD_CFLAGS: take_cflags(reader); break;
	case WORD_KNOB: take_knob(reader); break;
	default:
		if (!take_whole(reader, low, high, &value))
			wrong(reader, "%s is a whole number from %" PRId64 " to %" PRId64,
				word_names[word], low, high);
		else if (word == WORD_N)
			description->n = value;
		else
			need_multiple(reader, value);
	}
}

/* Reads one NAME=VALUE, or knob NAME=VALUES. */
static void take_word(struct reader *reader)
{
	char name[OWN_NAME];
	int argument, word;
	unsigned *given, bit;

	reader->word = reader->at;
	take_name(reader, name);
	argument = argument_of(name);
	word = word_of(name);
	if (argument < 0 && word < 0) {
		struct near_names near = nearest_names(name, word_names, WORDS);

		wrong(reader,
			"%s%s%sthe words are a= b= c= to z= (arrays), elements= n= multiple= "
			"cflags= and knob",
			near.text[0] ? "did you mean " : "", near.text, near.text[0] ? "? " : "");
		return;
	}
	given = argument >= 0 ? &reader->arguments_given : &reader->words_given;
	bit = 1u << (argument >= 0 ? argument : word);
	if (*given & bit && word != WORD_KNOB)
		wrong(reader, "%s is given twice", name);
	*given |= bit;
	if (word != WORD_KNOB)
		need(reader, '=', argument >= 0 ? "a=f64[n], say" : "NAME=VALUE");
	if (!ok(reader))
		return;
	if (argument >= 0)
		take_argument(reader, &reader->description->argument[argument]);
	else
		take_value(reader, (enum word)word);
	if (ok(reader) && *reader->at && !strchr(blanks, *reader->at)) {
		begin_token(reader);
		wrong(reader, "\"%.*s\" after it is unknown: separate words by blanks",
			(int)strcspn(reader->at, blanks), reader->at);
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
	at = start + strspn(start, blanks);
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
	take_name(reader, name);
	reader->token = at;
	if (word_of(name) == WORD_KNOB
			? strchr(blanks, *reader->at) && *reader->at
			: *reader->at == '=' && (argument_of(name) >= 0 || word_of(name) >= 0))
		wrong(reader, "this line continues a description: begin it with \"%s\" too", mark);
}

/* Sets the initial n: the comment's n, or a default. The default of the loop's parameter n is
 * large, so that vector loops make many iterations. At the default n, the arrays should still fit
 * in any first-level cache. */
static void choose_n(struct own_description *description)
{
	int64_t multiple = description->multiple * 2, n = description->n;

	if (n == 0)
		for (n = own_bytes(description, 1) ? N_DEFAULT : N_DEFAULT_BARE;
			n > N_DEFAULT_LEAST && own_bytes(description, n) > ARRAYS_DEFAULT;)
			n /= 2;
	description->n = (int64_t)round_up((uint64_t)n, (uint64_t)multiple);
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
	for (; (at = strstr(at, mark)) && ok(&reader); at += sizeof(mark) - 1) {
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
		while (ok(&reader) && *begin_token(&reader))
			take_word(&reader);
		if (ok(&reader) && !close) {
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
	if (ok(&reader))
		choose_n(description);
	return reader.status;
}
