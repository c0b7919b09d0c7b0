#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Mixes eight bytes at a time with the finalisation of splitmix64 (base/random.h). */
uint64_t intern_hash(uint64_t seed, const void *bytes, size_t length)
{
	uint64_t hash = seed ^ length * 0x9e3779b97f4a7c15u;
	const char *at = bytes;

	while (length) {
		uint64_t word = 0;
		size_t part = length < sizeof(word) ? length : sizeof(word);

		memcpy(&word, at, part);
		at += part;
		length -= part;
		hash = (hash ^ word) * 0xbf58476d1ce4e5b9u;
		hash ^= hash >> 31;
	}
	hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
	return hash ^ (hash >> 31);
}

/* Returns the slot of an entry with this hash and string, or the free slot where it belongs. */
static int *find_slot(const struct intern *intern, uint64_t hash, const char *string)
{
	unsigned mask = (unsigned)intern->slot_count - 1, place = (unsigned)hash & mask;

	for (;; place = (place + 1) & mask) {
		int *slot = &intern->slot[place];

		if (!*slot || (intern->hash[*slot - 1] == hash &&
				      (!string || strcmp(intern->string[*slot - 1], string) == 0)))
			return slot;
	}
}

static void enlarge(struct intern *intern)
{
	free(intern->slot);
	intern->slot_count = intern->slot_count ? intern->slot_count * 2 : 64;
	intern->slot = memory_new((size_t)intern->slot_count, sizeof(*intern->slot));
	for (int i = 0; i < intern->count; i++)
		*find_slot(intern, intern->hash[i], intern->string ? intern->string[i] : NULL) =
			i + 1;
}

/* Returns the number of the entry, and whether it is new. */
static int add(struct intern *intern, uint64_t hash, const char *string, bool *is_new)
{
	int *slot;

	if (2 * intern->count >= intern->slot_count)
		enlarge(intern);
	slot = find_slot(intern, hash, string);
	*is_new = !*slot;
	if (*is_new) {
		size_t count = (size_t)intern->count;

		intern->hash = memory_grow(intern->hash, count, sizeof(*intern->hash));
		intern->hash[count] = hash;
		if (string) {
			intern->string =
				memory_grow(intern->string, count, sizeof(*intern->string));
			intern->string[count] = memory_string(string);
		}
		*slot = ++intern->count;
	}
	return *slot - 1;
}

int intern_add(struct intern *intern, const char *string)
{
	bool is_new;

	return add(intern, intern_hash(0, string, strlen(string)), string, &is_new);
}

bool intern_add_hash(struct intern *intern, uint64_t hash)
{
	bool is_new;

	add(intern, hash, NULL, &is_new);
	return is_new;
}

void intern_free(struct intern *intern)
{
	for (int i = 0; intern->string && i < intern->count; i++)
		free(intern->string[i]);
	free(intern->string);
	free(intern->hash);
	free(intern->slot);
	*intern = (struct intern){ 0 };
}
