#include "engine/own/own_data.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "base/units.h"

/* The largest number in a COUNT: with this limit, no count overflows for n up to 2^30. */
#define NUMBER_MAX (INT64_C(1) << 30)
enum {
	OVER_MAX = 1 << 20,
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
	double low, high; /* range of a type for whole numbers; low and high are 0: a floating-point
			     type */
} types[OWN_TYPES] = {
	[OWN_I8] = { "i8", 1, -128, 127 },
	[OWN_U8] = { "u8", 1, 0, 255 },
	[OWN_I16] = { "i16", 2, -32768, 32767 },
	[OWN_U16] = { "u16", 2, 0, 65535 },
	[OWN_I32] = { "i32", 4, -2147483648.0, 2147483647.0 },
	[OWN_U32] = { "u32", 4, 0, 4294967295.0 },
	/* The upper bounds are the largest doubles that convert to 64-bit integers without
	   overflow. */
	[OWN_I64] = { "i64", 8, -9223372036854775808.0, 9223372036854774784.0 },
	[OWN_U64] = { "u64", 8, 0, 18446744073709549568.0 },
	[OWN_F32] = { "f32", 4, 0, 0 },
	[OWN_F64] = { "f64", 8, 0, 0 },
};

static const char all_types[] = "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64";

static bool is_float(enum own_type type)
{
	return types[type].low == 0 && types[type].high == 0;
}

/* ---- the comment's grammar: the reader takes one token at a time and stops at the first error */

struct reader {
	const char *at;	  /* position in the comment's line */
	const char *word; /* start of the current word */
	const char *origin;
	int line;
	struct status status;
	struct own_description *description;
	unsigned given; /* the words of the description line seen so far: one bit for each word */
};

static const char blanks[] = " \t\v\f\r";

static bool ok(const struct reader *reader)
{
	return status_is_ok(&reader->status);
}

/* Sets the reader's status, unless the status already holds an error. The error message about the
 * description shows the wrong word up to the next blank. */
static __attribute__((format(printf, 2, 3))) void wrong(
	struct reader *reader, const char *format, ...)
{
	int length = (int)(reader->at - reader->word + (long)strcspn(reader->at, blanks));
	char why[200];
	va_list arguments;

	if (!ok(reader))
		return;
	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	reader->status = status_usage("%.60s:%d: \"%.*s\": %s", reader->origin, reader->line,
		length > 40 ? 40 : length, reader->word, why);
}

static const char *skip_blanks(struct reader *reader)
{
	return reader->at += strspn(reader->at, blanks);
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
	if (ok(reader) && !take(reader, wanted))
		wrong(reader, "a \"%c\" is missing; write %s", wanted, form);
}

/* Reads a name of letters and digits from the description of an own loop's data. The read name is
 * empty if there is no name, or if it has 16 or more characters. */
static void take_name(struct reader *reader, char name[16])
{
	size_t length = 0;

	for (skip_blanks(reader); isalnum((unsigned char)reader->at[length]);)
		length++;
	snprintf(name, 16, "%.*s", length < 16 ? (int)length : 0, reader->at);
	reader->at += length;
}

/* Reads a whole number. Returns false if the description has no number here, or if the number is
 * not from `low` to `high`. */
static bool take_whole(struct reader *reader, int64_t low, int64_t high, int64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*skip_blanks(reader)))
		return false;
	*value = strtoll(reader->at, &end, 10);
	reader->at = end;
	return *value >= low && *value <= high;
}

static bool take_n(struct reader *reader)
{
	skip_blanks(reader);
	return reader->at[0] == 'n' && !isalnum((unsigned char)reader->at[1]) && take(reader, 'n');
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
	if (isdigit((unsigned char)*skip_blanks(reader))) {
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

static void take_list(struct reader *reader, struct own_argument *argument)
{
	static const char form[] = "list(n,64) or list(n,64,sequential)";
	char name[16];

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

static void take_number(struct reader *reader, struct own_argument *argument)
{
	double low = types[argument->type].low, high = types[argument->type].high;
	char *end;

	argument->content = OWN_NUMBER;
	argument->number = strtod(reader->at, &end);
	if (end == reader->at || !isfinite(argument->number))
		wrong(reader, "after \":\" comes a number, random(COUNT), index or permutation");
	else if (!is_float(argument->type) &&
		 !(argument->number == floor(argument->number) && argument->number >= low &&
			 argument->number <= high))
		wrong(reader, "%s holds whole numbers from %.0f to %.0f",
			types[argument->type].name, low, high);
	reader->at = end;
}

static void take_content(struct reader *reader, struct own_argument *argument)
{
	const char *begin = skip_blanks(reader);
	char name[16] = "";

	if (isalpha((unsigned char)*begin))
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
	bool quoted = *skip_blanks(reader) == '"';
	const char *begin = reader->at + quoted;
	size_t length = strcspn(begin, quoted ? "\"" : blanks);

	if (quoted && !begin[length])
		wrong(reader, "the second quotation mark is missing");
	else if (length >= OWN_CFLAGS)
		wrong(reader, "at most %d characters", OWN_CFLAGS - 1);
	else
		snprintf(description->cflags, sizeof(description->cflags), "%.*s", (int)length,
			begin);
	description->has_cflags = true;
	if (ok(reader))
		reader->at = begin + length + quoted;
}

/* Reads one NAME=VALUE. */
static void take_word(struct reader *reader)
{
	static const char *const names[] = { "a", "b", "c", "d", "elements", "n", "multiple",
		"cflags" };
	enum { ELEMENTS = OWN_ARGUMENTS, N, MULTIPLE, CFLAGS, NAMES };
	struct own_description *description = reader->description;
	char name[16];
	int64_t value = 0;
	size_t which = 0;

	reader->word = reader->at;
	take_name(reader, name);
	while (which < NAMES && strcmp(names[which], name) != 0)
		which++;
	if (which == NAMES) {
		struct near_names near = nearest_names(name, names, NAMES);

		wrong(reader, "%s%s%sthe words are a= b= c= d= elements= n= multiple= cflags=",
			near.text[0] ? "did you mean " : "", near.text, near.text[0] ? "? " : "");
		return;
	}
	need(reader, '=', which < OWN_ARGUMENTS ? "a=f64[n], say" : "NAME=VALUE");
	if (reader->given >> which & 1)
		wrong(reader, "%s is given twice", name);
	reader->given |= 1u << which;
	if (!ok(reader))
		return;
	if (which < OWN_ARGUMENTS)
		take_argument(reader, &description->argument[which]);
	if (which == ELEMENTS) {
		take_count(reader, &description->elements);
		if (description->elements.times == 0 || description->elements.plus)
			wrong(reader,
				"the number of elements must depend on n: write n, 2*n or n/2");
	}
	if (which == N || which == MULTIPLE) {
		int64_t low = which == N ? OWN_N_MIN : 1, high = which == N ? OWN_N_MAX : OVER_MAX;

		if (!take_whole(reader, low, high, &value))
			wrong(reader, "%s is a whole number from %" PRId64 " to %" PRId64, name,
				low, high);
		else if (which == N)
			description->n = value;
		else
			need_multiple(reader, value);
	}
	if (which == CFLAGS)
		take_cflags(reader);
	if (*reader->at && !strchr(blanks, *reader->at))
		wrong(reader, "\"%.20s\" after it is unknown", reader->at);
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
	static const char mark[] = "slexplore:";
	struct reader reader = {
		.origin = origin, .line = 1, .status = status_ok(), .description = description
	};
	const char *counted = text, *at = text;
	struct text line = { 0 };

	*description = (struct own_description){ .elements = { 1, 1, 0 }, .multiple = 1 };
	for (; (at = strstr(at, mark)) && ok(&reader); at += sizeof(mark) - 1) {
		size_t length = strcspn(at, "\r\n");
		const char *close = memmem(at, length, "*/", 2);

		for (; counted < at; counted++)
			reader.line += *counted == '\n';
		text_clear(&line);
		text_addn(&line, at, close ? (size_t)(close - at) : length);
		reader.at = reader.word = text_string(&line) + sizeof(mark) - 1;
		while (ok(&reader) && *skip_blanks(&reader))
			take_word(&reader);
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

int64_t own_count(const struct own_count *count, int64_t n)
{
	return count->times * n / count->over + count->plus;
}

uint64_t own_argument_bytes(const struct own_argument *argument, int64_t n)
{
	uint64_t count, each;

	if (argument->content == OWN_NOTHING)
		return 0;
	count = (uint64_t)own_count(&argument->count, n);
	each = argument->content == OWN_LIST ? (uint64_t)argument->spacing
					     : types[argument->type].bytes;
	/* Limit each argument to 2^60 bytes: the sum of four arguments then cannot overflow. */
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

/* ---- in memory */

/* The arrays of an own loop start at different offsets in a page, 17 cache lines apart. At equal
 * offsets, a load from one array and a store to another array could share their low 12 address bits
 * (4K aliasing), and the load would wait for the store. */
enum { PAGE = 4096, LINE = 64, APART = 17 * LINE };

/* Returns the offset of argument `index` in memory, if the arguments before it end at `end`. */
static uint64_t place(const struct own_change *change, uint64_t end, int index)
{
	uint64_t at = round_up(end, LINE), apart = APART + (uint64_t)change->apart * LINE;

	return at + (((uint64_t)index * apart - at) % PAGE + PAGE) % PAGE + change->shift;
}

struct own_description own_change_apply(
	const struct own_description *description, const struct own_change *change)
{
	struct own_description changed = *description;

	if (!change)
		return changed;
	changed.change = *change;
	for (int i = 0; i < OWN_ARGUMENTS; i++) {
		struct own_argument *argument = &changed.argument[i];

		if (argument->content == OWN_LIST) {
			argument->spacing += change->spacing;
			argument->sequential |= change->ordered;
		} else if (argument->content != OWN_NOTHING && change->ones &&
			   is_float(argument->type)) {
			argument->content = OWN_NUMBER;
			argument->number = 1;
		}
	}
	return changed;
}

uint64_t own_data_bytes(const struct own_description *description, int64_t n)
{
	uint64_t end = 0;

	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (description->argument[i].content != OWN_NOTHING)
			end = place(&description->change, end, i) +
			      own_argument_bytes(&description->argument[i], n);
	return end;
}

/* Stores a number as an array element. take_number() has checked that the number fits the type.
 * Storing array elements requires a little-endian machine, such as x86-64 and AArch64 Linux. */
static void put(unsigned char *memory, enum own_type type, uint64_t index, double number)
{
	float narrow = type == OWN_F32 ? (float)number : 0;
	uint64_t whole = is_float(type) ? 0
			 : number < 0	? (uint64_t)(int64_t)number
					: (uint64_t)number;
	const void *from = type == OWN_F64   ? (const void *)&number
			   : type == OWN_F32 ? (const void *)&narrow
					     : &whole;

	memcpy(memory + index * types[type].bytes, from, types[type].bytes);
}

/* Stores a whole number as an array element. A stored whole number wraps if the element type is too
 * narrow: an 8-bit index counts to 255 and restarts at 0. */
static void put_whole(unsigned char *memory, enum own_type type, uint64_t index, uint64_t number)
{
	if (is_float(type))
		put(memory, type, index, (double)number);
	else
		memcpy(memory + index * types[type].bytes, &number, types[type].bytes);
}

/* Sattolo's shuffle: one cycle through all elements; every cycle through all elements is equally
 * likely. */
static void shuffle(unsigned char *memory, unsigned bytes, uint64_t count, struct random *random)
{
	for (uint64_t i = count; i-- > 1;) {
		unsigned char *mine = memory + i * bytes,
			      *other = memory + random_below(random, i) * bytes, kept[8];

		memcpy(kept, mine, bytes);
		memcpy(mine, other, bytes);
		memcpy(other, kept, bytes);
	}
}

/* Fills an array with the numbers of a random array or of a permutation, in ascending order. A
 * permutation becomes the cycle 1, 2, 3 … 0. */
static void make_ordered(unsigned char *memory, const struct own_argument *argument, int64_t n)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n);
	double bound = argument->content == OWN_RANDOM ? (double)own_count(&argument->bound, n) : 0;

	for (uint64_t i = 0; i < count; i++) {
		double random = (double)i * bound / (double)count;

		if (argument->content == OWN_PERMUTATION)
			put_whole(memory, argument->type, i, (i + 1) % count);
		else if (is_float(argument->type))
			put(memory, argument->type, i, random);
		else
			put_whole(memory, argument->type, i, (uint64_t)random);
	}
}

static void make_array(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n), bound = 0;
	enum own_type type = argument->type;

	if (argument->content == OWN_NUMBER) {
		for (uint64_t i = 0; argument->number != 0 && i < count; i++)
			put(memory, type, i, argument->number);
		return;
	}
	if (argument->content == OWN_RANDOM)
		bound = (uint64_t)own_count(&argument->bound, n);
	for (uint64_t i = 0; i < count; i++) {
		if (argument->content != OWN_RANDOM)
			put_whole(memory, type, i, i);
		else if (!is_float(type))
			put_whole(memory, type, i, random_below(random, bound));
		else /* The number has 24 random bits, because a float then never rounds up to the
			bound */
			put(memory, type, i,
				(double)(random_next(random) >> 40) * 0x1p-24 * (double)bound);
	}
	if (argument->content == OWN_PERMUTATION)
		shuffle(memory, types[type].bytes, count, random);
}

/* Inserts each node of a linked list after a random earlier node: every order is then equally
 * likely. The first node in memory is always the head of the linked list. */
static void make_list(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n),
		 spacing = (uint64_t)argument->spacing;

	*(void **)(void *)memory = NULL;
	for (uint64_t i = 1; i < count; i++) {
		uint64_t earlier = argument->sequential ? i - 1 : random_below(random, i);
		void **before = (void **)(void *)(memory + earlier * spacing),
		     **node = (void **)(void *)(memory + i * spacing);

		*node = *before;
		*before = node;
	}
}

void own_data_make(struct own_data *data, const struct own_description *description, int64_t n,
	int64_t shorter, uint64_t seed, void *memory)
{
	struct random random = { seed };
	uint64_t end = 0;

	*data = (struct own_data){ 0 };
	for (int i = 0; i < OWN_ARGUMENTS; i++) {
		const struct own_argument *argument = &description->argument[i];
		unsigned char *at;
		int64_t kept;

		if (argument->content == OWN_NOTHING)
			continue;
		end = place(&description->change, end, i);
		at = (unsigned char *)memory + end;
		end += own_argument_bytes(argument, n);
		data->argument[i] = at;
		if (description->change.ordered &&
			(argument->content == OWN_RANDOM || argument->content == OWN_PERMUTATION)) {
			make_ordered(at, argument, n);
			continue;
		}
		if (argument->content != OWN_LIST) {
			make_array(at, argument, n, &random);
			continue;
		}
		make_list(at, argument, n, &random);
		kept = shorter ? own_count(&argument->count, shorter) : 0;
		if (kept == 0 || kept == own_count(&argument->count, n))
			continue;
		data->cut[i] = (void **)(void *)at;
		for (int64_t node = 1; node < kept; node++)
			data->cut[i] = *data->cut[i];
		data->next[0][i] = *data->cut[i];
	}
}
