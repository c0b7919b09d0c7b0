/* The comment's grammar: see own_describe.h. A reader that goes from token to token; the first
 * error ends it. */
#include "engine/own/own_describe.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Numbers in counts: with n up to 2^30 nothing overflows. */
#define NUMBER_MAX (INT64_C(1) << 30)
enum {
	SPACING_MAX = 1 << 20,
	ARRAYS_DEFAULT = 16 << 10,
	N_DEFAULT = 16384,
	N_DEFAULT_BARE = 4096,
	N_DEFAULT_LEAST = 256
};

static const char example[] = "slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64)";

static const struct {
	const char *name;
	unsigned bytes;
	double low, high; /* what it holds, of whole numbers; both 0: any */
} types[OWN_TYPES] = {
	[OWN_I8] = { "i8", 1, -128, 127 },
	[OWN_U8] = { "u8", 1, 0, 255 },
	[OWN_I16] = { "i16", 2, -32768, 32767 },
	[OWN_U16] = { "u16", 2, 0, 65535 },
	[OWN_I32] = { "i32", 4, -2147483648.0, 2147483647.0 },
	[OWN_U32] = { "u32", 4, 0, 4294967295.0 },
	/* The largest doubles that convert. */
	[OWN_I64] = { "i64", 8, -9223372036854775808.0, 9223372036854774784.0 },
	[OWN_U64] = { "u64", 8, 0, 18446744073709549568.0 },
	[OWN_F32] = { "f32", 4, 0, 0 },
	[OWN_F64] = { "f64", 8, 0, 0 },
};

static const char all_types[] = "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64";

struct reader {
	const char *at, *end; /* of the comment's line */
	const char *word;     /* where the present word began */
	const char *origin;
	int line;
	struct status status;
	struct own_description *description;
	unsigned given; /* a bit for each word */
};

static bool is_float(enum own_type type)
{
	return types[type].low == 0 && types[type].high == 0;
}

static bool ok(const struct reader *reader)
{
	return status_is_ok(&reader->status);
}

/* The first error stays. What was read of the present word is shown. */
static __attribute__((format(printf, 2, 3))) void wrong(
	struct reader *reader, const char *format, ...)
{
	char why[200];
	const char *word_end = reader->at;
	va_list arguments;

	if (!ok(reader))
		return;
	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	/* Up to the next blank. */
	while (word_end < reader->end && !isspace((unsigned char)*word_end))
		word_end++;
	reader->status = status_usage("%.60s:%d: \"%.*s\": %s", reader->origin, reader->line,
		word_end - reader->word > 40 ? 40 : (int)(word_end - reader->word), reader->word,
		why);
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->end && isspace((unsigned char)*reader->at))
		reader->at++;
}

static bool take(struct reader *reader, char wanted)
{
	const char *before = reader->at;

	skip_blanks(reader);
	if (reader->at < reader->end && *reader->at == wanted) {
		reader->at++;
		return true;
	}
	reader->at = before;
	return false;
}

static void need(struct reader *reader, char wanted, const char *form)
{
	if (ok(reader) && !take(reader, wanted))
		wrong(reader, "a \"%c\" is missing; write %s", wanted, form);
}

/* A name of letters and digits; empty when there is none, or it is too long for any. */
static void take_name(struct reader *reader, char name[16])
{
	size_t length = 0;

	skip_blanks(reader);
	while (reader->at + length < reader->end && isalnum((unsigned char)reader->at[length]))
		length++;
	name[0] = '\0';
	if (length < 16)
		snprintf(name, 16, "%.*s", (int)length, reader->at);
	reader->at += length;
}

/* A whole number from low to high. */
static bool take_whole(struct reader *reader, int64_t *value)
{
	skip_blanks(reader);
	if (reader->at >= reader->end || !isdigit((unsigned char)*reader->at))
		return false;
	for (*value = 0; reader->at < reader->end && isdigit((unsigned char)*reader->at);
		reader->at++)
		if (*value <= NUMBER_MAX)
			*value = *value * 10 + (*reader->at - '0');
	return true;
}

static bool take_n(struct reader *reader)
{
	skip_blanks(reader);
	if (reader->at >= reader->end || *reader->at != 'n' ||
		(reader->at + 1 < reader->end && isalnum((unsigned char)reader->at[1])))
		return false;
	reader->at++;
	return true;
}

static int64_t greatest_common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* n has to be a multiple of this, too. */
static void need_multiple(struct reader *reader, int64_t multiple)
{
	struct own_description *description = reader->description;
	int64_t both =
		description->multiple / greatest_common(description->multiple, multiple) * multiple;

	if (both > OWN_N_MAX / 4)
		wrong(reader, "n would have to be a multiple of %" PRId64, both);
	else
		description->multiple = both;
}

static void take_count(struct reader *reader, struct own_count *count)
{
	static const char forms[] = "n, 2*n, n+1, n/2 or a number";
	int64_t number;

	*count = (struct own_count){ 1, 1, 0 };
	if (!ok(reader))
		return;
	if (take_whole(reader, &number)) {
		if (number < 1 || number > NUMBER_MAX)
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
		if (!take_whole(reader, &count->plus) || count->plus > NUMBER_MAX)
			wrong(reader, "after \"+\" comes a number; a count is %s", forms);
	} else if (take(reader, '*')) {
		if (!take_whole(reader, &count->times) || count->times < 1 ||
			count->times > NUMBER_MAX)
			wrong(reader, "after \"*\" comes a number from 1; a count is %s", forms);
	} else if (take(reader, '/')) {
		if (!take_whole(reader, &count->over) || count->over < 1 || count->over > 1 << 20)
			wrong(reader, "after \"/\" comes a number from 1 to %d; a count is %s",
				1 << 20, forms);
		else
			need_multiple(reader, count->over);
	}
	/* n÷2 nodes of 16 bytes and 3×n elements stay far below 2^63 bytes; what does not fit the
	 * memory is told later. */
}

static void take_list(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "list(n,64) or list(n,64,sequential)";
	char name[16];

	argument->content = OWN_LIST;
	need(reader, '(', form);
	take_count(reader, &argument->count);
	need(reader, ',', form);
	if (!ok(reader))
		return;
	if (!take_whole(reader, &argument->spacing) || argument->spacing < 8 ||
		argument->spacing % 8 || argument->spacing > SPACING_MAX)
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

static void take_number(struct reader *reader, struct own_argument *argument)
{
	char digits[40], *end;
	size_t length = 0;

	while (reader->at + length < reader->end && length < sizeof(digits) - 1 &&
		(isalnum((unsigned char)reader->at[length]) || strchr("+-.", reader->at[length])))
		length++;
	snprintf(digits, sizeof(digits), "%.*s", (int)length, reader->at);
	argument->content = OWN_NUMBER;
	argument->number = strtod(digits, &end);
	if (length == 0 || *end || !isfinite(argument->number)) {
		wrong(reader, "after \":\" comes a number, random(COUNT), index or permutation");
		return;
	}
	if (!is_float(argument->type) && (argument->number != floor(argument->number) ||
						 argument->number < types[argument->type].low ||
						 argument->number > types[argument->type].high))
		wrong(reader, "%s holds whole numbers from %.0f to %.0f",
			types[argument->type].name, types[argument->type].low,
			types[argument->type].high);
	reader->at += length;
}

static void take_content(struct reader *reader, struct own_argument *argument)
{
	const char *begin;
	char name[16];

	skip_blanks(reader);
	begin = reader->at;
	if (begin >= reader->end || !isalpha((unsigned char)*begin)) {
		take_number(reader, argument);
		return;
	}
	take_name(reader, name);
	if (strcmp(name, "random") == 0) {
		argument->content = OWN_RANDOM;
		need(reader, '(', "random(n), or random(100)");
		take_count(reader, &argument->bound);
		need(reader, ')', "random(n), or random(100)");
	} else if (strcmp(name, "index") == 0) {
		argument->content = OWN_INDEX;
	} else if (strcmp(name, "permutation") == 0) {
		argument->content = OWN_PERMUTATION;
		if (is_float(argument->type))
			wrong(reader, "a permutation is of whole numbers, i32 say, not of %s",
				types[argument->type].name);
	} else {
		reader->at = begin;
		take_number(reader, argument);
	}
}

static void take_argument(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "f64[n], or f64[n]:1.0";
	char name[16];
	int type = 0;

	*argument = (struct own_argument){ 0 };
	take_name(reader, name);
	if (strcmp(name, "list") == 0) {
		take_list(reader, argument);
		return;
	}
	while (type < OWN_TYPES && strcmp(types[type].name, name) != 0)
		type++;
	if (type == OWN_TYPES) {
		wrong(reader, "an argument is an array of one of %s, as %s, or list(n,64)",
			all_types, form);
		return;
	}
	argument->type = (enum own_type)type;
	argument->content = OWN_NUMBER;
	argument->number = is_float(argument->type) ? 1 : 0;
	need(reader, '[', form);
	take_count(reader, &argument->count);
	need(reader, ']', form);
	if (ok(reader) && take(reader, ':'))
		take_content(reader, argument);
}

static void take_cflags(struct reader *reader)
{
	struct own_description *description = reader->description;
	const char *begin, *end;

	skip_blanks(reader);
	begin = reader->at;
	if (begin < reader->end && *begin == '"') {
		begin++;
		end = memchr(begin, '"', (size_t)(reader->end - begin));
		if (!end) {
			wrong(reader, "the second quotation mark is missing");
			return;
		}
		reader->at = end + 1;
	} else {
		for (end = begin; end < reader->end && !isspace((unsigned char)*end);)
			end++;
		reader->at = end;
	}
	if (end - begin >= OWN_CFLAGS)
		wrong(reader, "at most %d characters", OWN_CFLAGS - 1);
	else
		snprintf(description->cflags, sizeof(description->cflags), "%.*s",
			(int)(end - begin), begin);
	description->has_cflags = true;
}

static void take_value(
	struct reader *reader, const char *name, int64_t low, int64_t high, int64_t *value)
{
	if (!take_whole(reader, value) || *value < low || *value > high)
		wrong(reader, "%s is a whole number from %" PRId64 " to %" PRId64, name, low, high);
}

/* One NAME=… with all that belongs to it. */
static void take_word(struct reader *reader)
{
	static const char *const names[] = { "a", "b", "c", "d", "elements", "n", "multiple",
		"cflags" };
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	struct own_description *description = reader->description;
	char name[16], near[64] = "";
	int64_t value = 0;
	size_t which = 0;

	reader->word = reader->at;
	take_name(reader, name);
	while (which < NAMES && strcmp(names[which], name) != 0)
		which++;
	if (which == NAMES) {
		nearest_names(name, names, NAMES, near, sizeof(near));
		wrong(reader, "%s%s%sthe words are a= b= c= d= elements= n= multiple= cflags=",
			*near ? "did you mean " : "", near, *near ? "? " : "");
		return;
	}
	need(reader, '=', which < OWN_ARGUMENTS ? "a=f64[n], say" : "NAME=VALUE");
	if (reader->given >> which & 1)
		wrong(reader, "%s is given twice", name);
	reader->given |= 1u << which;
	if (!ok(reader))
		return;
	if (which < OWN_ARGUMENTS) {
		take_argument(reader, &description->argument[which]);
	} else if (strcmp(name, "elements") == 0) {
		take_count(reader, &description->elements);
		if (description->elements.times == 0 || description->elements.plus)
			wrong(reader, "elements grow with n: n, 2*n or n/2");
	} else if (strcmp(name, "n") == 0) {
		take_value(reader, name, OWN_N_MIN, OWN_N_MAX, &description->n);
	} else if (strcmp(name, "multiple") == 0) {
		take_value(reader, name, 1, 1 << 20, &value);
		if (ok(reader))
			need_multiple(reader, value);
	} else {
		take_cflags(reader);
	}
	if (ok(reader) && reader->at < reader->end && !isspace((unsigned char)*reader->at))
		wrong(reader, "\"%.*s\" after it is not understood",
			reader->end - reader->at > 20 ? 20 : (int)(reader->end - reader->at),
			reader->at);
}

/* Where n begins: what the comment says, or what makes all arrays small enough for any first-level
 * cache, and no smaller than need be: loops that take many elements at once should turn often. */
static void choose_n(struct own_description *description)
{
	int64_t multiple = description->multiple * 2, n = description->n;

	if (n == 0)
		for (n = own_bytes(description, 1) ? N_DEFAULT : N_DEFAULT_BARE;
			n > N_DEFAULT_LEAST && own_bytes(description, n) > ARRAYS_DEFAULT;)
			n /= 2;
	n = (n + multiple - 1) / multiple * multiple;
	description->n = n;
}

struct status own_describe(
	const char *text, const char *origin, struct own_description *description)
{
	static const char mark[] = "slexplore:";
	struct reader reader = {
		.origin = origin, .line = 1, .status = status_ok(), .description = description
	};
	const char *counted = text;
	bool found = false;

	*description = (struct own_description){ .elements = { 1, 1, 0 }, .multiple = 1 };
	for (const char *at = text; (at = strstr(at, mark)) && ok(&reader);) {
		size_t length = strcspn(at, "\r\n");
		const char *close = memmem(at, length, "*/", 2);

		found = true;
		for (; counted < at; counted++)
			reader.line += *counted == '\n';
		reader.at = reader.word = at + sizeof(mark) - 1;
		reader.end = close ? close : at + length;
		for (skip_blanks(&reader); ok(&reader) && reader.at < reader.end;
			skip_blanks(&reader))
			take_word(&reader);
		at += sizeof(mark) - 1;
	}
	if (!found)
		return status_usage(
			"%.60s: no comment says what loop() works on; write one such as  /* %s */",
			origin, example);
	if (ok(&reader))
		choose_n(description);
	return reader.status;
}

int64_t own_count(const struct own_count *count, int64_t n)
{
	return count->times * n / count->over + count->plus;
}

unsigned own_type_bytes(enum own_type type)
{
	return types[type].bytes;
}

uint64_t own_argument_bytes(const struct own_argument *argument, int64_t n)
{
	uint64_t count, each;

	if (argument->content == OWN_NOTHING)
		return 0;
	count = (uint64_t)own_count(&argument->count, n);
	each = argument->content == OWN_LIST ? (uint64_t)argument->spacing
					     : own_type_bytes(argument->type);
	/* Counts reach 2^60, and the memory of no machine 2^62 bytes. */
	return count > (UINT64_C(1) << 60) / each ? UINT64_C(1) << 60 : count * each;
}

uint64_t own_bytes(const struct own_description *description, int64_t n)
{
	uint64_t bytes = 0;

	for (int i = 0; i < OWN_ARGUMENTS; i++)
		bytes += own_argument_bytes(&description->argument[i], n);
	return bytes;
}

struct status own_description_check(
	const struct own_description *description, const char *origin, int64_t n)
{
	for (int i = 0; i < OWN_ARGUMENTS; i++) {
		const struct own_argument *argument = &description->argument[i];
		int64_t most = 0;

		if (argument->content == OWN_RANDOM && !is_float(argument->type))
			most = own_count(&argument->bound, n) - 1;
		else if (argument->content == OWN_PERMUTATION)
			most = own_count(&argument->count, n) - 1;
		else
			continue;
		if ((double)most > types[argument->type].high)
			return status_usage("%.80s: at n=%" PRId64
					    " %c holds numbers up to %" PRId64
					    ", and %s only up to %.0f",
				origin, n, 'a' + i, most, types[argument->type].name,
				types[argument->type].high);
	}
	return status_ok();
}
