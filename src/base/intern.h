/* A table of different strings: each string has a number, from 0 in the order of their first
 * addition. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins zeroed; ends with intern_free(). */
struct intern {
	int count;
	int slot_count; /* number of slots in the hash table: a power of two, or 0 */
	int *slot;	/* number of the string in this slot plus 1; 0: the slot is free */
	uint64_t *hash; /* hash of each string */
	char **string;	/* the strings, in the order of their numbers; NULL in a table that keeps
			   only hashes */
};

/* Returns the number of a string, which is added if it is new. */
int intern_add(struct intern *intern, const char *string);

/* Adds a hash to a table that keeps hashes without their strings. Returns whether the hash is new
 * in the table. */
bool intern_add_hash(struct intern *intern, uint64_t hash);

/* Returns a hash of bytes, which is different for different values of `seed`. */
uint64_t intern_hash(uint64_t seed, const void *bytes, size_t length);

void intern_free(struct intern *intern);
