/* Declarations shared by the kernel hash-lookup and its test: the knobs, and the tables in memory.
 */
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
/* A slot of the open table. A key lies in the slot of its hash value, or in the first free slot
 * after that slot. */
struct hash_slot {
	uint64_t key, value;
};

/* A node of a chain, with one key. The bucket or the previous node points to the node. */
struct hash_node {
	struct hash_slot slot;
	const struct hash_node *next; /* NULL: the last node */
};

#define HASH_FREE UINT64_MAX

/* The chained table and the open table, with the same keys. In memory, buckets and nodes come
 * first, then slots. The number of slots equals the number of buckets. The slots exist only if the
 * knob `load` leaves some slots free. */
struct hash {
	uint64_t buckets, keys;
	bool open; /* the open table also exists */
	enum hash_order order;
	struct shuffle
		places; /* random permutation that gives the place of each node, for order=random */
	const struct hash_node **bucket;
	struct hash_node *node;
	struct hash_slot *slot;
};

/* Maximum load of the open table in percent. Searches in a fuller open table visit too many slots.
 */
enum { OPEN_MOST = 90 };

/* hash_make() describes the tables of a setting. memory: the start of the tables, which need not be
 * laid out yet. hash_buckets() and hash_keys() return the numbers of buckets and of keys.
 * hash_bytes() returns the bytes of both tables. */
struct hash hash_make(const int64_t *v, uint64_t seed, unsigned char *memory);
uint64_t hash_buckets(const int64_t *v);
uint64_t hash_keys(const int64_t *v);
uint64_t hash_bytes(const int64_t *v);

/* Lays both tables out. Returns false if the run was cancelled; both tables are then unusable. */
bool hash_lay_out(const struct hash *hash, struct kernel_run *run);

/* Returns the value of the key with rank `rank`. */
static inline uint64_t hash_value(uint64_t rank)
{
	return rank * 0x9e3779b97f4a7c15u >> 40;
}

/* Returns the bucket of a key, 0…buckets-1 (buckets < 2^32). All buckets are equally likely. */
KERNEL_BODY uint64_t hash_place(uint64_t key, uint64_t buckets)
{
	key *= 0x9e3779b97f4a7c15u;
	key = (key ^ key >> 32) * 0xbf58476d1ce4e5b9u;
	return (key >> 32) * buckets >> 32;
}

/* Returns the average number of steps of a search in a table. load: keys per bucket. A step of a
 * search visits a node or a slot, including the free slot at the end of a search. */
double hash_steps(enum hash_table table, double load, bool found);
