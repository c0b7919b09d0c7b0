/* Shared by hash-lookup and its test: the knobs, and the tables in memory. */
#pragma once

#include "kernels/asked.h"
#include "kernels/kernel.h"
#include "kernels/shuffle.h"

enum {
	HASH_SIZE,
	HASH_LOAD,
	HASH_TABLE,
	HASH_ORDER,
	HASH_LOOKUPS,
	HASH_FOUND,
	HASH_WHOLE,
	HASH_PAGES
};
enum hash_table { TABLE_CHAINED, TABLE_OPEN, TABLES };
enum hash_order { ORDER_RANDOM, ORDER_BUCKET };
/* A key in its slot, or in the first free slot after it. */
struct hash_slot {
	uint64_t key, value;
};

/* A key in a chain. Its bucket or the previous node points to it. */
struct hash_node {
	struct hash_slot slot;
	const struct hash_node *next; /* NULL: the last node */
};

#define HASH_FREE UINT64_MAX

/* Both tables of the same keys: buckets and nodes, then slots. There are as many slots as buckets.
 * The slots exist only if the load leaves some of them free. */
struct hash {
	uint64_t buckets, keys;
	bool open; /* the open table exists, too */
	enum hash_order order;
	struct shuffle places; /* places of nodes in random order */
	const struct hash_node **bucket;
	struct hash_node *node;
	struct hash_slot *slot;
};

/* memory: the start of the tables, which need not be laid out yet. */
struct hash hash_make(const int64_t *v, uint64_t seed, unsigned char *memory);
uint64_t hash_keys(const int64_t *v);
uint64_t hash_bytes(const int64_t *v);

/* The value of the key of that rank. */
static inline uint64_t hash_value(uint64_t rank)
{
	return rank * 0x9e3779b97f4a7c15u >> 40;
}

/* The key's bucket, 0…buckets-1 (buckets < 2^32): all buckets are equally likely. */
KERNEL_BODY uint64_t hash_place(uint64_t key, uint64_t buckets)
{
	key *= 0x9e3779b97f4a7c15u;
	key = (key ^ key >> 32) * 0xbf58476d1ce4e5b9u;
	return (key >> 32) * buckets >> 32;
}

/* Average steps of a search in that table at that load (keys per bucket). A step is a node or a
 * slot, including the free slot at the end. */
double hash_steps(enum hash_table table, double load, bool found);
