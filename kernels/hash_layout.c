/* How hash-lookup's tables are laid out: see hash.h. */
#include "kernels/hash.h"

/* How many keys or buckets between two looks at whether to go on, and how many places are fetched
 * ahead of what is written there. */
enum { LOOK_EVERY = 4096, AHEAD = 32 };

/* The content of a bucket before its pointer. */
typedef uint64_t __attribute__((may_alias)) bucket_count;

static uint64_t slot_bytes(const int64_t *v)
{
	return v[HASH_LOAD] <= HASH_OPEN_MOST ? sizeof(struct hash_slot) : 0;
}

uint64_t hash_keys(const int64_t *v)
{
	return hash_buckets(v) * (uint64_t)v[HASH_LOAD] / 100;
}

/* As many as fit with their keys. */
uint64_t hash_buckets(const int64_t *v)
{
	uint64_t each = (sizeof(struct hash_node *) + slot_bytes(v)) * 100 +
			sizeof(struct hash_node) * (uint64_t)v[HASH_LOAD];

	return (uint64_t)v[HASH_SIZE] * 100 / each;
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

/* ---- Laying out, in passes over the buckets and over the keys */

/* A key's place is anywhere, buckets follow each other: so much longer a key takes. */
enum { KEY_WORTH = 4 };

/* How far all passes together are. */
struct passes {
	struct kernel_run *run;
	uint64_t done, of;
};

/* Asked for each of a pass's items, from 0 on. */
static bool goes_on(struct passes *passes, uint64_t i, uint64_t worth)
{
	if (i % LOOK_EVERY)
		return true;
	passes->done += i > 0 ? LOOK_EVERY * worth : 0;
	return kernel_goes_on(passes->run, passes->done, passes->of);
}

static uint64_t place_of(const struct hash *hash, uint64_t rank)
{
	return hash_place(asked_present(rank), hash->buckets);
}

static bool clear_buckets(const struct hash *hash, struct passes *passes)
{
	for (uint64_t i = 0; i < hash->buckets; i++) {
		if (!goes_on(passes, i, 1))
			return false;
		hash->bucket[i] = NULL;
	}
	return true;
}

/* In the order of memory, which is a random one of the keys: each becomes the first of its bucket.
 */
static bool chain_random(const struct hash *hash, struct passes *passes)
{
	uint64_t ranks[AHEAD], places[AHEAD];

	for (uint64_t i = 0; i < hash->keys + AHEAD; i++) {
		uint64_t turn = i % AHEAD;

		if (!goes_on(passes, i, KEY_WORTH))
			return false;
		if (i >= AHEAD) {
			struct hash_node *node = &hash->node[i - AHEAD];

			*node = (struct hash_node){ asked_present(ranks[turn]),
				hash_value(ranks[turn]), hash->bucket[places[turn]] };
			hash->bucket[places[turn]] = node;
		}
		if (i < hash->keys) {
			ranks[turn] = shuffle_from(&hash->places, i);
			places[turn] = place_of(hash, ranks[turn]);
			__builtin_prefetch(&hash->bucket[places[turn]], 1);
		}
	}
	return true;
}

/* Its bucket is soon to be met. */
static void fetch_ahead(const struct hash *hash, uint64_t rank)
{
	__builtin_prefetch(&hash->bucket[place_of(hash, rank + AHEAD)], 1);
}

/* Bucket by bucket: counted, then put where the buckets before end, then chained. */
static bool chain_buckets(const struct hash *hash, struct passes *passes)
{
	bucket_count *ends = (bucket_count *)(void *)hash->bucket;
	uint64_t begin = 0;

	for (uint64_t i = 0; i < hash->keys; i++) {
		if (!goes_on(passes, i, KEY_WORTH))
			return false;
		fetch_ahead(hash, i);
		ends[place_of(hash, i)]++;
	}
	for (uint64_t i = 0; i < hash->buckets; i++) {
		uint64_t count = ends[i];

		if (!goes_on(passes, i, 1))
			return false;
		ends[i] = begin;
		begin += count;
	}
	for (uint64_t i = 0; i < hash->keys; i++) {
		if (!goes_on(passes, i, KEY_WORTH))
			return false;
		fetch_ahead(hash, i);
		hash->node[ends[place_of(hash, i)]++] =
			(struct hash_node){ .key = asked_present(i), .value = hash_value(i) };
	}
	begin = 0;
	for (uint64_t i = 0; i < hash->buckets; i++) {
		uint64_t end = ends[i];

		if (!goes_on(passes, i, 1))
			return false;
		for (uint64_t k = begin; k < end; k++)
			hash->node[k].next = k + 1 < end ? &hash->node[k + 1] : NULL;
		hash->bucket[i] = begin < end ? &hash->node[begin] : NULL;
		begin = end;
	}
	return true;
}

/* Keys go in in random order as well: none that are neighbours meet more often than others. */
static bool fill_slots(const struct hash *hash, struct passes *passes)
{
	uint64_t ranks[AHEAD], places[AHEAD];

	for (uint64_t i = 0; i < hash->buckets; i++) {
		if (!goes_on(passes, i, 1))
			return false;
		hash->slot[i] = (struct hash_slot){ .key = HASH_FREE };
	}
	for (uint64_t i = 0; i < hash->keys + AHEAD; i++) {
		uint64_t turn = i % AHEAD, at;

		if (!goes_on(passes, i, KEY_WORTH))
			return false;
		if (i >= AHEAD) {
			for (at = places[turn]; hash->slot[at].key != HASH_FREE;)
				at = at + 1 < hash->buckets ? at + 1 : 0;
			hash->slot[at] = (struct hash_slot){ asked_present(ranks[turn]),
				hash_value(ranks[turn]) };
		}
		if (i < hash->keys) {
			ranks[turn] = shuffle_from(&hash->places, i);
			places[turn] = place_of(hash, ranks[turn]);
			__builtin_prefetch(&hash->slot[places[turn]], 1);
		}
	}
	return true;
}

bool hash_lay_out(const struct hash *hash, struct kernel_run *run)
{
	bool random = hash->order == ORDER_RANDOM;
	uint64_t over_keys = (random ? 1 : 2) + hash->open,
		 over_buckets = (random ? 1 : 3) + hash->open;
	struct passes passes = { .run = run,
		.of = KEY_WORTH * over_keys * hash->keys + over_buckets * hash->buckets };

	if (!clear_buckets(hash, &passes) ||
		!(random ? chain_random(hash, &passes) : chain_buckets(hash, &passes)))
		return false;
	return !hash->open || fill_slots(hash, &passes);
}

/* Knuth, The Art of Computer Programming, vol. 3, 6.4: chains have Poisson's lengths; linear
 * probing meets clusters. */
double hash_steps(enum hash_table table, double load, bool found)
{
	if (table == TABLE_CHAINED)
		return found ? 1 + load / 2 : load;
	return found ? (1 + 1 / (1 - load)) / 2 : (1 + 1 / ((1 - load) * (1 - load))) / 2;
}
