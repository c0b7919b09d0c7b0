#include "engine/own/own_data.h"

#include <inttypes.h>
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

		if (argument->content == OWN_RANDOM && !is_float(argument->type))
			most = own_count(&argument->bound, n) - 1;
		else if (argument->content == OWN_PERMUTATION)
			most = own_count(&argument->count, n) - 1;
		else
			continue;
		if (most > 0 && (uint64_t)most > own_types[argument->type].high)
			return status_usage("%.80s: at n=%" PRId64
					    " %c holds numbers up to %" PRId64
					    ", and %s only up to %" PRIu64,
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

	memcpy(memory + index * own_types[type].bytes, from, own_types[type].bytes);
}

/* Stores a whole number as an array element. A stored whole number wraps if the element type is too
 * narrow: an 8-bit index counts to 255 and restarts at 0. */
static void put_whole(unsigned char *memory, enum own_type type, uint64_t index, uint64_t number)
{
	if (is_float(type))
		put(memory, type, index, (double)number);
	else
		memcpy(memory + index * own_types[type].bytes, &number, own_types[type].bytes);
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
		shuffle(memory, own_types[type].bytes, count, random);
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
		data->lists = i + 1;
		kept = shorter ? own_count(&argument->count, shorter) : 0;
		if (kept == 0 || kept == own_count(&argument->count, n))
			continue;
		data->cut[i] = (void **)(void *)at;
		for (int64_t node = 1; node < kept; node++)
			data->cut[i] = *data->cut[i];
		data->next[0][i] = *data->cut[i];
	}
}
