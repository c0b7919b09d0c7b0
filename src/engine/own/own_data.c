/* See own_data.h. */
#include "engine/own/own_data.h"

#include <string.h>

#include "base/random.h"

/* Arguments start at different places within a page, 17 lines apart: loads and stores a few
 * elements away from each other in two arrays then never agree in their low 12 bits, which would
 * make them wait for each other. */
enum { PAGE = 4096, LINE = 64, APART = 17 * LINE };

/* Where argument `index` begins when the ones before end at `end`. */
static uint64_t place(uint64_t end, int index)
{
	uint64_t at = (end + LINE - 1) / LINE * LINE;

	return at + (((uint64_t)index * APART - at) % PAGE + PAGE) % PAGE;
}

uint64_t own_data_bytes(const struct own_description *description, int64_t n)
{
	uint64_t end = 0;

	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (description->argument[i].content != OWN_NOTHING)
			end = place(end, i) + own_argument_bytes(&description->argument[i], n);
	return end;
}

static void put(unsigned char *memory, enum own_type type, uint64_t index, double number)
{
	/* Each type's own conversion; numbers were checked against what it holds. */
	switch (type) {
	case OWN_I8: ((int8_t *)memory)[index] = (int8_t)number; break;
	case OWN_U8: memory[index] = (uint8_t)number; break;
	case OWN_I16: ((int16_t *)(void *)memory)[index] = (int16_t)number; break;
	case OWN_U16: ((uint16_t *)(void *)memory)[index] = (uint16_t)number; break;
	case OWN_I32: ((int32_t *)(void *)memory)[index] = (int32_t)number; break;
	case OWN_U32: ((uint32_t *)(void *)memory)[index] = (uint32_t)number; break;
	case OWN_I64: ((int64_t *)(void *)memory)[index] = (int64_t)number; break;
	case OWN_U64: ((uint64_t *)(void *)memory)[index] = (uint64_t)number; break;
	case OWN_F32: ((float *)(void *)memory)[index] = (float)number; break;
	default: ((double *)(void *)memory)[index] = number; break;
	}
}

/* Whole numbers wrap round where the type is too narrow: an index into 8 bits counts to 255 and
 * begins again. */
static void put_whole(unsigned char *memory, enum own_type type, uint64_t index, uint64_t number)
{
	unsigned bytes = own_type_bytes(type);

	if (type == OWN_F32 || type == OWN_F64)
		put(memory, type, index, (double)number);
	else /* little-endian, as x86-64 and AArch64 Linux are */
		memcpy(memory + index * bytes, &number, bytes);
}

static uint64_t get_whole(const unsigned char *memory, unsigned bytes, uint64_t index)
{
	uint64_t number = 0;

	memcpy(&number, memory + index * bytes, bytes);
	return number;
}

/* Sattolo's shuffle: one cycle through all, each with the same chance. */
static void make_permutation(
	unsigned char *memory, enum own_type type, uint64_t count, struct random *random)
{
	unsigned bytes = own_type_bytes(type);

	for (uint64_t i = 0; i < count; i++)
		put_whole(memory, type, i, i);
	for (uint64_t i = count; i-- > 1;) {
		uint64_t other = random_below(random, i), mine = get_whole(memory, bytes, i);

		put_whole(memory, type, i, get_whole(memory, bytes, other));
		put_whole(memory, type, other, mine);
	}
}

static void make_array(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n);
	uint64_t bound =
		argument->content == OWN_RANDOM ? (uint64_t)own_count(&argument->bound, n) : 0;
	bool floating = argument->type == OWN_F32 || argument->type == OWN_F64;

	switch (argument->content) {
	case OWN_NUMBER:
		for (uint64_t i = 0; argument->number != 0 && i < count; i++)
			put(memory, argument->type, i, argument->number);
		break;
	case OWN_RANDOM:
		for (uint64_t i = 0; i < count; i++)
			if (floating) /* 24 bits, so that a float does not round up to the bound */
				put(memory, argument->type, i,
					(double)(random_next(random) >> 40) * 0x1p-24 *
						(double)bound);
			else
				put_whole(memory, argument->type, i, random_below(random, bound));
		break;
	case OWN_INDEX:
		for (uint64_t i = 0; i < count; i++)
			put_whole(memory, argument->type, i, i);
		break;
	default: make_permutation(memory, argument->type, count, random); break;
	}
}

/* Nodes go in after a random earlier one, which makes every order equally likely; the first node in
 * memory stays the first. */
static void make_list(unsigned char *memory, const struct own_argument *argument, int64_t n,
	struct random *random)
{
	uint64_t count = (uint64_t)own_count(&argument->count, n),
		 spacing = (uint64_t)argument->spacing;

	*(void **)(void *)memory = NULL;
	for (uint64_t i = 1; i < count; i++) {
		void **before =
			(void **)(void *)(memory +
					  (argument->sequential ? i - 1 : random_below(random, i)) *
						  spacing);
		void **node = (void **)(void *)(memory + i * spacing);

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
		end = place(end, i);
		at = (unsigned char *)memory + end;
		end += own_argument_bytes(argument, n);
		data->argument[i] = at;
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
