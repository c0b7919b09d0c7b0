#include "engine/own/own_data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/units.h"

const struct own_type_row own_types[OWN_TYPES] = {
	[OWN_I8] = { "i8", 1, false, INT8_MIN, INT8_MAX },
	[OWN_U8] = { "u8", 1, false, 0, UINT8_MAX },
	[OWN_I16] = { "i16", 2, false, INT16_MIN, INT16_MAX },
	[OWN_U16] = { "u16", 2, false, 0, UINT16_MAX },
	[OWN_I32] = { "i32", 4, false, INT32_MIN, INT32_MAX },
	[OWN_U32] = { "u32", 4, false, 0, UINT32_MAX },
	[OWN_I64] = { "i64", 8, false, INT64_MIN, INT64_MAX },
	[OWN_U64] = { "u64", 8, false, 0, UINT64_MAX },
	[OWN_F32] = { "f32", 4, true, 0, 0 },
	[OWN_F64] = { "f64", 8, true, 0, 0 },
};

static bool is_float(enum own_type type)
{
	return own_types[type].is_float;
}

struct words own_call_words(const struct own_description *description)
{
	struct words words = words_of("loop(n");
	int omitted = -1;

	for (int i = 0; i < OWN_ARGUMENTS; i++) {
		char name = own_argument_name(i);

		if (description->argument[i].content == OWN_NOTHING) {
			omitted = omitted < 0 ? i : omitted;
			continue;
		}
		if (omitted >= 0)
			return words_of(
				": its comment has the word %c=, but not %c=; the arguments after "
				"n are a=, b=, c= and so on in order, so %c is NULL",
				name, own_argument_name(omitted), own_argument_name(omitted));
		words = words_of("%s, %c", words.text, name);
	}
	return words_of(", which is called as %s)", words.text);
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
	each = argument->content == OWN_LIST	  ? (uint64_t)argument->spacing
	       : argument->content == OWN_STRINGS ? sizeof(void *) + (uint64_t)argument->longest + 1
						  : own_types[argument->type].bytes;
	/* Limit each argument to 2^59 bytes: the sum of all arguments then cannot overflow. */
	return count > (UINT64_C(1) << 59) / each ? UINT64_C(1) << 59 : count * each;
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

		if ((argument->content == OWN_RANDOM || argument->content == OWN_ZIPF) &&
			!is_float(argument->type))
			most = own_count(&argument->bound, n) - 1;
		else if (argument->content == OWN_PERMUTATION)
			most = own_count(&argument->count, n) - 1;
		else
			continue;
		if (most > 0 && (uint64_t)most > own_types[argument->type].high)
			return status_usage("%.80s: at n=%" PRId64
					    " the array %c holds numbers up to %" PRId64
					    ", but its type %s only up to %" PRIu64,
				origin, n, own_argument_name(i), most,
				own_types[argument->type].name, own_types[argument->type].high);
	}
	return status_ok();
}

/* ---- in memory */

/* The arrays of an own loop start at different offsets in a page, 17 cache lines apart. At equal
 * offsets, a load from one array and a store to another array could share their low 12 address bits
 * (4K aliasing), and the load would wait for the store. */
enum { PAGE = 4096, LINE = 64, APART = 17 * LINE };

/* Returns the offset of argument `index` in memory, if the arguments before it end at `end`. */
static uint64_t place(const struct own_description *description, uint64_t end, int index)
{
	const struct own_change *change = &description->change;
	const struct own_argument *argument = &description->argument[index];
	uint64_t at = round_up(end, argument->align ? (uint64_t)argument->align : LINE),
		 apart = APART + (uint64_t)change->apart * LINE, shift = (uint64_t)change->shift;

	if (!argument->align || change->apart)
		at += ((uint64_t)index * apart - at) % PAGE;
	/* Pointers stay at addresses that are multiples of their size. */
	if (argument->content == OWN_LIST || argument->content == OWN_STRINGS)
		shift -= shift % sizeof(void *);
	return at + (uint64_t)argument->offset + shift;
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
			argument->first.real = 1;
		} else if (change->ordered &&
			   (argument->content == OWN_RANDOM || argument->content == OWN_RANGE ||
				   argument->content == OWN_ZIPF ||
				   argument->content == OWN_PERMUTATION)) {
			argument->order = OWN_SORTED;
		}
	}
	return changed;
}

uint64_t own_data_bytes(const struct own_description *description, int64_t n)
{
	uint64_t end = 0;

	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (description->argument[i].content != OWN_NOTHING)
			end = place(description, end, i) +
			      own_argument_bytes(&description->argument[i], n);
	return end;
}

/* Stores a value as an array element. A whole number wraps if the element type is too narrow: an
 * 8-bit index counts to 255 and restarts at 0. Storing array elements requires a little-endian
 * machine, such as x86-64 and AArch64 Linux. */
static void put(
	unsigned char *memory, enum own_type type, uint64_t index, const struct own_value *value)
{
	float narrow = type == OWN_F32 ? (float)value->real : 0;
	const void *from = type == OWN_F64   ? (const void *)&value->real
			   : type == OWN_F32 ? (const void *)&narrow
					     : (const void *)&value->whole;

	memcpy(memory + index * own_types[type].bytes, from, own_types[type].bytes);
}

static struct own_value whole_value(uint64_t number)
{
	return (struct own_value){ (double)number, number };
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

/* Returns a random fraction in units of 2^-64. In a sorted array, the random fraction of each
 * element comes from its own part of the range, so that the values ascend or descend. */
static uint64_t draw(
	const struct own_argument *argument, uint64_t i, uint64_t count, struct random *random)
{
	uint64_t number = random_next(random);
	double position;

	if (argument->order == OWN_AS_MADE)
		return number;
	position = argument->order == OWN_SORTED ? (double)i : (double)(count - 1 - i);
	position = (position + (double)(number >> 11) * 0x1p-53) / (double)count;
	return (uint64_t)(fmin(position, 0x1.fffffffffffffp-1) * 0x1p64);
}

/* Returns the whole number below `bound` that a fraction chooses; bound 0 stands for 2^64. */
static uint64_t below(uint64_t fraction, uint64_t bound)
{
	if (bound == 0)
		return fraction;
	if (bound <= UINT32_MAX)
		return ((fraction >> 32) * bound) >> 32;
	/* The upper 64 bits of the product of two 64-bit numbers. */
	return (fraction >> 32) * (bound >> 32) +
	       (((fraction & UINT32_MAX) * (bound >> 32)) >> 32) +
	       (((fraction >> 32) * (bound & UINT32_MAX)) >> 32);
}

/* The integral of x^-skew, and its inverse. */
static double zipf_area(double x, double skew)
{
	return fabs(skew - 1) < 1e-6 ? log(x) : (pow(x, 1 - skew) - 1) / (1 - skew);
}

static double zipf_place(double area, double skew)
{
	return fabs(skew - 1) < 1e-6 ? exp(area) : pow(1 + area * (1 - skew), 1 / (1 - skew));
}

/* Returns a whole number below `bound`: number k is (k + 1)^-skew times as frequent as 0. Source:
 * Hoermann and Derflinger, "Rejection-inversion to generate variates from monotone discrete
 * distributions", 1996. A sorted array takes the first random number without rejection, so the
 * frequencies of its smallest values are up to 10 % off. */
static uint64_t zipf(const struct own_argument *argument, uint64_t fraction, uint64_t bound,
	struct random *random)
{
	double skew = argument->skew, low = zipf_area(1.5, skew) - 1,
	       high = zipf_area((double)bound + 0.5, skew);

	for (;; fraction = random_next(random)) {
		double area = low + (double)(fraction >> 11) * 0x1p-53 * (high - low);
		double x = zipf_place(area, skew), k = fmin(fmax(floor(x + 0.5), 1), (double)bound);

		if (argument->order != OWN_AS_MADE ||
			area >= zipf_area(k + 0.5, skew) - pow(k, -skew))
			return (uint64_t)k - 1;
	}
}

/* Returns a random value of an array. */
static struct own_value random_value(const struct own_argument *argument, uint64_t fraction,
	uint64_t bound, struct random *random)
{
	/* The fraction of a floating-point value has 24 random bits, because a float then never
	 * rounds up to the bound. */
	double share = (double)(fraction >> 40) * 0x1p-24;

	switch (argument->content) {
	case OWN_RANGE:
		return (struct own_value){
			argument->first.real + share * (argument->last.real - argument->first.real),
			argument->first.whole +
				below(fraction, argument->last.whole - argument->first.whole + 1)
		};
	case OWN_ZIPF: return whole_value(zipf(argument, fraction, bound, random));
	case OWN_SHARE: return whole_value(share >= 1 - argument->share);
	default: return (struct own_value){ share * (double)bound, below(fraction, bound) };
	}
}

static void make_array(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n),
		 bound = argument->bound.over ? (uint64_t)own_count(&argument->bound, n) : 0;
	enum own_type type = argument->type;
	bool cycle = argument->content == OWN_PERMUTATION && argument->order != OWN_AS_MADE;

	for (uint64_t i = 0; i < count; i++) {
		struct own_value value = argument->first;

		if (argument->content == OWN_INDEX || argument->content == OWN_PERMUTATION)
			value = whole_value(argument->order == OWN_REVERSED ? count - 1 - i
					    : cycle			    ? (i + 1) % count
									    : i);
		else if (argument->content != OWN_NUMBER)
			value = random_value(
				argument, draw(argument, i, count, random), bound, random);
		else if (value.whole == 0 && value.real == 0 && !signbit(value.real))
			return; /* the memory is zeroed */
		put(memory, type, i, &value);
	}
	if (argument->content == OWN_PERMUTATION && !cycle)
		shuffle(memory, own_types[type].bytes, count, random);
}

/* Whether the values of an argument are random. A random order of a linked list's nodes does not
 * count as random values. */
static bool is_drawn(const struct own_argument *argument)
{
	switch (argument->content) {
	case OWN_RANDOM:
	case OWN_RANGE:
	case OWN_ZIPF:
	case OWN_SHARE:
	case OWN_STRINGS: return true;
	case OWN_PERMUTATION: return argument->order == OWN_AS_MADE;
	default: return false;
	}
}

/* Makes pointers to strings of small letters. The strings of an array lie one after another in
 * memory, after the pointers to them. */
static void make_strings(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n),
		 lengths = (uint64_t)(argument->longest - argument->shortest) + 1;
	unsigned char **pointer = (unsigned char **)(void *)memory,
		      *at = memory + count * sizeof(void *);

	for (uint64_t i = 0; i < count; i++) {
		uint64_t length = (uint64_t)argument->shortest + random_below(random, lengths);

		pointer[i] = at;
		for (uint64_t k = 0; k < length; k++)
			*at++ = (unsigned char)('a' + random_below(random, 26));
		*at++ = '\0';
	}
}

static void make_values(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	if (argument->content == OWN_STRINGS)
		make_strings(memory, argument, n, random);
	else
		make_array(memory, argument, n, random);
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

/* Finds the node of list `i` that is the last one for the shorter n. */
static void cut_list(struct own_data *data, const struct own_argument *argument, int which, int i,
	int64_t n, int64_t shorter)
{
	int64_t kept = shorter ? own_count(&argument->count, shorter) : 0;

	if (kept == 0 || kept == own_count(&argument->count, n))
		return;
	data->cut[which][i] = data->argument[i];
	for (int64_t node = 1; node < kept; node++)
		data->cut[which][i] = *data->cut[which][i];
	data->next[which][i] = *data->cut[which][i];
}

void own_data_cut(struct own_data *data, const struct own_description *description, int64_t n,
	int which, int64_t shorter)
{
	for (int i = 0; i < data->lists; i++)
		if (description->argument[i].content == OWN_LIST)
			cut_list(data, &description->argument[i], which - 1, i, n, shorter);
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

		if (argument->content == OWN_NOTHING)
			continue;
		end = place(description, end, i);
		at = (unsigned char *)memory + end;
		end += own_argument_bytes(argument, n);
		data->argument[i] = at;
		if (argument->content != OWN_LIST) {
			make_values(at, argument, n, &random);
			continue;
		}
		make_list(at, argument, n, &random);
		data->lists = i + 1;
		cut_list(data, argument, 0, i, n, shorter);
	}
}

bool own_data_draws(const struct own_description *description)
{
	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (is_drawn(&description->argument[i]))
			return true;
	return false;
}

void own_data_draw(struct own_data *data, const struct own_description *description, int64_t n,
	struct random *random)
{
	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (is_drawn(&description->argument[i]))
			make_values(data->argument[i], &description->argument[i], n, random);
}
