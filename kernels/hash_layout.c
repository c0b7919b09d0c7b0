/* The tables of the kernel hash-lookup in memory: their sizes, and how they are filled. */
#include "kernels/hash.h"

/* CANCEL_EVERY: number of keys or buckets between two checks of run->work.cancel. AHEAD: number of
 * table entries that are prefetched before the code writes them. */
enum { CANCEL_EVERY = 4096, AHEAD = 32 };

static uint64_t slot_bytes(const int64_t *v)
{
	return v[HASH_LOAD] <= OPEN_MOST ? sizeof(struct hash_slot) : 0;
}

/* Returns the number of buckets that fit into the working set together with their keys. */
uint64_t hash_buckets(const int64_t *v)
{
	uint64_t each = (sizeof(struct hash_node *) + slot_bytes(v)) * 100 +
			sizeof(struct hash_node) * (uint64_t)v[HASH_LOAD];

	return (uint64_t)v[HASH_SIZE] * 100 / each;
}

uint64_t hash_keys(const int64_t *v)
{
	return hash_buckets(v) * (uint64_t)v[HASH_LOAD] / 100;
}

uint64_t hash_bytes(const int64_t *v)
{
	return hash_buckets(v) * (sizeof(struct hash_node *) + slot_bytes(v)) +
	       hash_keys(v) * sizeof(struct hash_node);
}

struct hash hash_make(const int64_t *v, uint64_t seed, unsigned char *memory)
{
	struct hash hash = { .buckets = hash_buckets(v),
		.keys = hash_keys(v),
		.open = slot_bytes(v) > 0,
		.order = (enum hash_order)v[HASH_ORDER],
		.places = shuffle_make(hash_keys(v), seed) };

	if (!memory)
		return hash;
	hash.bucket = (const struct hash_node **)(void *)memory;
	hash.node = (struct hash_node *)(void *)(memory + hash.buckets * sizeof(*hash.bucket));
	hash.slot = (struct hash_slot *)(void *)(hash.node + hash.keys);
	return hash;
}

/* ---- Layout, in passes over the buckets and over the keys */

/* The type of a bucket while chain_buckets() counts and places the nodes of buckets. */
typedef uint64_t __attribute__((may_alias)) bucket_count;

/* The weight of a key in the report of progress: writing the data of one key takes as long as
 * writing KEY_WORTH buckets. Keys go to random places in memory, but buckets are written in
 * order. */
enum { KEY_WORTH = 4 };

/* The progress of all passes that write the hash tables together. Once the run is cancelled, every
 * pass over the buckets or keys ends at once. */
struct passes {
	struct kernel_run *run;
	uint64_t done, of;
	bool cancelled;
};

/* Reports the progress of writing the tables, and returns false if the work must stop. A loop over
 * buckets or keys must call goes_on() for each item, starting with item 0. */
static bool goes_on(struct passes *passes, uint64_t i, uint64_t worth)
{
	if (i % CANCEL_EVERY)
		return true;
	passes->done += i > 0 ? CANCEL_EVERY * worth : 0;
	passes->cancelled =
		passes->cancelled || !kernel_goes_on(passes->run, passes->done, passes->of);
	return !passes->cancelled;
}

/* Calls put() for each key, with the key's index, its rank among all keys, and its place in the
 * table. Before the call, put_keys() prefetches the table entry, which is `bytes` bytes long. */
static inline void put_keys(const struct hash *hash, struct passes *passes, bool random,
	const void *table, size_t bytes,
	void (*put)(const struct hash *hash, uint64_t i, uint64_t rank, uint64_t place))
{
	uint64_t ranks[AHEAD], places[AHEAD];

	for (uint64_t i = 0; i < hash->keys + AHEAD && goes_on(passes, i, KEY_WORTH); i++) {
		uint64_t turn = i % AHEAD;

		if (i >= AHEAD)
			put(hash, i - AHEAD, ranks[turn], places[turn]);
		if (i >= hash->keys)
			continue;
		ranks[turn] = random ? shuffle_from(&hash->places, i) : i;
		places[turn] = hash_place(asked_present(ranks[turn]), hash->buckets);
		__builtin_prefetch((const char *)table + places[turn] * bytes, 1);
	}
}

static struct hash_slot slot_of(uint64_t rank)
{
	return (struct hash_slot){ asked_present(rank), hash_value(rank) };
}

/* Writes the node of a key, and makes the node the first node of its bucket. Nodes lie in memory in
 * the order of the calls of chain_node(). */
static void chain_node(const struct hash *hash, uint64_t i, uint64_t rank, uint64_t place)
{
	hash->node[i] = (struct hash_node){ slot_of(rank), hash->bucket[place] };
	hash->bucket[place] = &hash->node[i];
}

static void count_node(const struct hash *hash, uint64_t i, uint64_t rank, uint64_t place)
{
	(void)i, (void)rank;
	((bucket_count *)(void *)hash->bucket)[place]++;
}

static void place_node(const struct hash *hash, uint64_t i, uint64_t rank, uint64_t place)
{
	(void)i;
	hash->node[((bucket_count *)(void *)hash->bucket)[place]++] =
		(struct hash_node){ .slot = slot_of(rank) };
}

static void fill_slot(const struct hash *hash, uint64_t i, uint64_t rank, uint64_t place)
{
	(void)i;
	while (hash->slot[place].key != HASH_FREE)
		place = place + 1 < hash->buckets ? place + 1 : 0;
	hash->slot[place] = slot_of(rank);
}

/* Lays the nodes out bucket by bucket. First, the function counts the nodes of each bucket. Then
 * the function places the nodes of a bucket after the nodes of earlier buckets, and links the
 * nodes. */
static void chain_buckets(const struct hash *hash, struct passes *passes)
{
	bucket_count *ends = (bucket_count *)(void *)hash->bucket;
	uint64_t begin = 0;

	put_keys(hash, passes, false, ends, sizeof(*ends), count_node);
	for (uint64_t i = 0, count; i < hash->buckets && goes_on(passes, i, 1);
		i++, begin += count) {
		count = ends[i];
		ends[i] = begin;
	}
	put_keys(hash, passes, false, ends, sizeof(*ends), place_node);
	begin = 0;
	for (uint64_t i = 0, end; i < hash->buckets && goes_on(passes, i, 1); i++, begin = end) {
		end = ends[i];
		for (uint64_t k = begin; k < end; k++)
			hash->node[k].next = k + 1 < end ? &hash->node[k + 1] : NULL;
		hash->bucket[i] = begin < end ? &hash->node[begin] : NULL;
	}
}

/* Slots are filled in random order, because otherwise adjacent keys would collide more often than
 * other keys. */
bool hash_lay_out(const struct hash *hash, struct kernel_run *run)
{
	bool random = hash->order == ORDER_RANDOM;
	struct passes passes = { .run = run,
		.of = KEY_WORTH * ((random ? 1 : 2) + hash->open) * hash->keys +
		      ((random ? 1 : 3) + hash->open) * hash->buckets };

	for (uint64_t i = 0; i < hash->buckets && goes_on(&passes, i, 1); i++)
		hash->bucket[i] = NULL;
	if (random)
		put_keys(hash, &passes, true, hash->bucket, sizeof(*hash->bucket), chain_node);
	else
		chain_buckets(hash, &passes);
	if (!hash->open)
		return !passes.cancelled;
	for (uint64_t i = 0; i < hash->buckets && goes_on(&passes, i, 1); i++)
		hash->slot[i] = (struct hash_slot){ .key = HASH_FREE };
	put_keys(hash, &passes, true, hash->slot, sizeof(*hash->slot), fill_slot);
	return !passes.cancelled;
}
