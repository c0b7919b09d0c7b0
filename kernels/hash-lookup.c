/* hash-lookup: look keys up in a hash table whose keys hang in chains from their buckets, or in
 * one that keeps them in place and goes on to the next when a place is taken. Both tables of the
 * same keys are in memory; what differs is what the next load waits for. */
#include "kernels/hash.h"
#include "kernels/knob_rows.h"

#include <string.h>

enum { LINE = 64 };

static const char *const table_names[] = { "chained", "open", NULL };
static const char *const order_names[] = { "random", "bucket", NULL };

static const struct knob knobs[] = {
	[HASH_SIZE] = KNOB_ROW_BYTES("size", "bytes of both tables: buckets, nodes and slots",
		16384, (int64_t)64 << 30, 1536 << 10, .axis = AXIS_SIZE, .factor = 2),
	[HASH_LOAD] = KNOB_ROW_COUNT(
		"load", "keys per hundred buckets or slots", 5, 1000, 75, .multiple = 5),
	[HASH_TABLE] =
		KNOB_ROW_CHOICE("table", "colliding keys in chains, or in the next free slot",
			table_names, .role = KNOB_FORM),
	[HASH_ORDER] =
		KNOB_ROW_CHOICE("order", "the order of the chains' nodes in memory", order_names),
	[HASH_LOOKUPS] = KNOB_ROW_COUNT("lookups", "lookups at once, step by step", 1,
		HASH_LOOKUPS_MOST, 1, .factor = 2, .role = KNOB_FORM),
	[HASH_FOUND] = KNOB_ROW_COUNT("found", "percent of lookups whose key is in the table", 0,
		100, 100, .multiple = 5),
	[HASH_WHOLE] = KNOB_ROW_COUNT(
		"whole", "1: each trial is 16 M lookups, which are checked", 0, 1, 0),
	[HASH_PAGES] = KNOB_ROW_PAGES,
};

/* ---- Loops */

KERNEL_LOOP static void hash_chained(struct hash_walk *walk)
{
	const struct hash_node *const *bucket = walk->bucket;
	uint64_t buckets = walk->buckets, found = 0, sum = 0;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked;

		for (const struct hash_node *node = bucket[hash_place(key, buckets)]; node;
			node = node->next)
			if (node->key == key) {
				found++;
				sum += node->value;
				break;
			}
	}
	walk->found += found;
	walk->sum += sum;
}

/* Behind the last comes the first again, which hardly ever happens. */
KERNEL_BODY const struct hash_slot *next_slot(
	const struct hash_slot *slot, const struct hash_slot *slots, const struct hash_slot *last)
{
	if (__builtin_expect(slot == last, 0)) {
		slot = slots - 1;
		KERNEL_KEEP(slot);
	}
	return slot + 1;
}

KERNEL_LOOP static void hash_open(struct hash_walk *walk)
{
	const struct hash_slot *slots = walk->slots, *last = slots + walk->buckets - 1;
	uint64_t buckets = walk->buckets, found = 0, sum = 0;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked;

		for (const struct hash_slot *slot = slots + hash_place(key, buckets);
			slot->key != HASH_FREE; slot = next_slot(slot, slots, last))
			if (slot->key == key) {
				found++;
				sum += slot->value;
				break;
			}
	}
	walk->found += found;
	walk->sum += sum;
}

/* All buckets first, then a node of each chain in turn. Those that are through are passed over. */
KERNEL_LOOP static void hash_chained_interleaved(struct hash_walk *walk)
{
	const struct hash_node *const *bucket = walk->bucket, **at = walk->node;
	uint64_t buckets = walk->buckets, lookups = walk->lookups, found = 0, sum = 0, active;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		for (uint64_t i = 0; i < lookups; i++)
			at[i] = bucket[hash_place(asked[i], buckets)];
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				const struct hash_node *node = at[i];

				if (!node)
					continue;
				if (node->key == asked[i]) {
					found++;
					sum += node->value;
					node = NULL;
				} else {
					node = node->next;
					KERNEL_KEEP(node);
				}
				at[i] = node;
				active++;
			}
		} while (active > 0);
	}
	walk->found += found;
	walk->sum += sum;
}

/* Likewise. */
KERNEL_LOOP static void hash_open_interleaved(struct hash_walk *walk)
{
	const struct hash_slot *slots = walk->slots, *last = slots + walk->buckets - 1,
			       **at = walk->slot;
	uint64_t buckets = walk->buckets, lookups = walk->lookups, found = 0, sum = 0, active;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		for (uint64_t i = 0; i < lookups; i++)
			at[i] = slots + hash_place(asked[i], buckets);
		do {
			active = 0;
			for (uint64_t i = 0; i < lookups; i++) {
				const struct hash_slot *slot = at[i];

				if (!slot)
					continue;
				if (slot->key == asked[i]) {
					found++;
					sum += slot->value;
					slot = NULL;
				} else if (slot->key == HASH_FREE) {
					slot = NULL;
				} else {
					slot = next_slot(slot, slots, last);
				}
				at[i] = slot;
				active++;
			}
		} while (active > 0);
	}
	walk->found += found;
	walk->sum += sum;
}

static const struct {
	const char *function;
	hash_loop *loop;
} loops[TABLES][2] = {
	[TABLE_CHAINED] = { { "hash_chained", hash_chained },
		{ "hash_chained_interleaved", hash_chained_interleaved } },
	[TABLE_OPEN] = { { "hash_open", hash_open },
		{ "hash_open_interleaved", hash_open_interleaved } },
};

/* ---- The kernel */

static struct status hash_check(const int64_t *v)
{
	if (v[HASH_TABLE] == TABLE_OPEN && v[HASH_LOAD] > HASH_OPEN_MOST)
		return status_usage(
			"load=%lld is too much for table=open, which has one slot per key: up to "
			"%d, or table=chained",
			(long long)v[HASH_LOAD], HASH_OPEN_MOST);
	return status_ok();
}

static void hash_fit(int64_t *v, int changed)
{
	if (v[HASH_TABLE] == TABLE_CHAINED || v[HASH_LOAD] <= HASH_OPEN_MOST)
		return;
	if (changed == HASH_TABLE)
		v[HASH_LOAD] = HASH_OPEN_MOST;
	else
		v[HASH_TABLE] = TABLE_CHAINED;
}

static uint64_t hash_layout(const int64_t *v)
{
	return hash_buckets(v) << 12 | (uint64_t)v[HASH_LOAD] << 1 | (uint64_t)v[HASH_ORDER];
}

/* Steps of a lookup that are expected, all kinds of them together. */
static double steps_of(const int64_t *v)
{
	double found = (double)v[HASH_FOUND] / 100,
	       load = (double)hash_keys(v) / (double)hash_buckets(v);

	return found * hash_steps(v[HASH_TABLE], load, true) +
	       (1 - found) * hash_steps(v[HASH_TABLE], load, false);
}

static void hash_describe(const int64_t *v, struct kernel_walk *walk)
{
	double steps = steps_of(v), buckets = (double)hash_buckets(v),
	       nodes = (double)hash_keys(v) * sizeof(struct hash_node), first, more;

	if (v[HASH_TABLE] == TABLE_CHAINED) {
		/* A quarter of all nodes lie across two lines, whose second half is loaded beside
		 * the first. */
		first = v[HASH_ORDER] == ORDER_RANDOM ? steps
			: steps < 1		      ? steps
				    : 1 + (steps - 1) * sizeof(struct hash_node) / LINE;
		walk->reach[walk->reaches++] = (struct kernel_reach){ 1,
			buckets * sizeof(struct hash_node *), REACH_CHAINED };
		walk->reach[walk->reaches++] = (struct kernel_reach){ first,
			buckets * sizeof(struct hash_node *) + nodes, REACH_CHAINED };
		walk->lines = 1 + first * 1.25;
		walk->waits = "the first node's address is in the bucket, each later one's in the "
			      "node before it";
	} else {
		more = (steps - 1) * sizeof(struct hash_slot) / LINE;
		walk->reach[walk->reaches++] = (struct kernel_reach){ 1 + more,
			buckets * sizeof(struct hash_slot), REACH_GUESSED };
		walk->lines = 1 + more;
		walk->waits = "the key alone gives the first slot, and the next slot follows it; "
			      "whether the search goes on is predicted";
	}
	walk->access = "lookup";
	walk->scattered = true;
	walk->chains = (double)v[HASH_LOOKUPS];
	walk->restart = (double)v[HASH_LOOKUPS];
	/* When it ends nobody knows, unless nearly all end at the first step: of one more step in
	 * so many lookups each is a surprise. */
	walk->mispredicts = steps < 1 ? steps : steps - 1 < 1 ? steps - 1 : 1;
}

/* What calls need, worked out once. */
struct kept {
	struct hash hash;
	struct asked asked;
};

_Static_assert(sizeof(struct kept) <= sizeof(((struct kernel_run *)0)->kept),
	"a run has room for what is kept");

static struct kept kept_in(const struct kernel_run *run)
{
	struct kept kept;

	memcpy(&kept, run->kept, sizeof(kept));
	return kept;
}

static struct status hash_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct kept kept = { hash_make(v, run->seed, run->memory),
		asked_make(run->seed, hash_keys(v), v[HASH_FOUND]) };
	bool there = run->layout.prepared >= hash_bytes(v) || hash_lay_out(&kept.hash, run),
	     several = v[HASH_LOOKUPS] > 1;

	run->layout.laid_out = there ? hash_bytes(v) : 0;
	asked_lay(run, &kept.asked, (uint64_t)v[HASH_LOOKUPS], v[HASH_WHOLE]);
	memcpy(run->kept, &kept, sizeof(kept));
	run->code.start = (const void *)loops[v[HASH_TABLE]][several].loop;
	run->code.name = loops[v[HASH_TABLE]][several].function;
	if (!there)
		return status_make(STATUS_CANCELLED, "stopped while the tables were laid out");
	return status_ok();
}

static void hash_shrink(int64_t *v)
{
	int64_t most = steps_of(v) > 8 ? 2 : 8;

	v[HASH_WHOLE] = 0;
	v[HASH_LOOKUPS] = v[HASH_LOOKUPS] < most ? v[HASH_LOOKUPS] : most;
}

/* Fewer where each goes on for long. */
static unsigned hash_few(const int64_t *v)
{
	return 4 + (unsigned)(100 / (5 + steps_of(v)));
}

static void hash_call(struct kernel_run *run, uint64_t elements)
{
	struct kept kept = kept_in(run);
	uint64_t keys[ASKED_BATCH];
	struct hash_walk walk = { .asked = keys,
		.lookups = run->granule,
		.buckets = kept.hash.buckets,
		.bucket = kept.hash.bucket,
		.slots = kept.hash.slot };

	while ((walk.count = asked_next(run, &kept.asked, keys, &elements)) > 0)
		((hash_loop *)run->code.start)(&walk);
	run->result = asked_result(walk.found, walk.sum);
}

/* ---- Whether it is right: values follow from the keys alone. */

static uint64_t value_of(const void *in, uint64_t rank)
{
	(void)in;
	return hash_value(rank);
}

static const struct asked_sum values = { .of = "values", .value = value_of };

/* Follows pointers that may be wrong. */
static bool chain_ends(const struct hash *hash, uint64_t key)
{
	uint64_t base = (uintptr_t)hash->node, steps = hash->keys;
	const struct hash_node *node = hash->bucket[hash_place(key, hash->buckets)];

	for (; node; node = node->next) {
		uint64_t offset = (uintptr_t)node - base;

		if (offset >= hash->keys * sizeof(*node) || offset % sizeof(*node) || steps-- == 0)
			return false;
		if (node->key == key)
			return true;
	}
	return true;
}

/* Whether there is a slot that ends every search. */
static bool one_is_free(const struct hash *hash)
{
	for (uint64_t i = 0; i < hash->buckets; i++)
		if (hash->slot[i].key == HASH_FREE)
			return true;
	return false;
}

static struct status hash_verify(struct kernel_run *run)
{
	struct kept kept = kept_in(run);
	uint64_t from, count = asked_verified(run, &from);
	bool open = run->v[HASH_TABLE] == TABLE_OPEN;

	for (uint64_t i = 0; i < count && !open; i++)
		if (!chain_ends(&kept.hash, asked_key(&kept.asked, (from + i) % run->ring)))
			return status_failed(
				"hash-lookup: a pointer leads to no node, or never to an end");
	if (open && !one_is_free(&kept.hash))
		return status_failed("hash-lookup: no slot is free, and nothing ends a search");
	return asked_verify(run, &kept.asked, &values);
}

static struct status hash_proof(struct kernel_run *run)
{
	struct kept kept = kept_in(run);

	return asked_proof(run, &kept.asked, &values);
}

/* Measured on a Granite Rapids, of 384 MB: keys that are there take 40 ns in chains and 27 in slots
 * at load 50, 50 and 97 at 90; others 31 and 55, 45 and 302. By 16 at a time chains take 1.0 to 1.2
 * times that, and 0.4 of it at load 1,000. */
static const char *hash_remark(const int64_t *v)
{
	double steps = steps_of(v);
	int64_t chained[HASH_KNOBS];

	for (int i = 0; i < HASH_KNOBS; i++)
		chained[i] = v[i];
	chained[HASH_TABLE] = TABLE_CHAINED;
	if (v[HASH_LOOKUPS] > 1 && steps < 4)
		return "Short searches overlap in the reorder buffer without help: to interleave "
		       "them costs instructions and saves little.";
	if (v[HASH_TABLE] == TABLE_OPEN && steps > steps_of(chained) + 1)
		return "At this load a search reads more slots than a chain has nodes, and its end "
		       "is mispredicted more often.";
	if (v[HASH_TABLE] == TABLE_CHAINED && v[HASH_ORDER] == ORDER_BUCKET)
		return "The nodes of a chain lie side by side: a line holds two or three, but the "
		       "search still waits for each node.";
	if (v[HASH_TABLE] == TABLE_CHAINED && steps >= 4)
		return "Each node of a chain is a miss, one after another: raise lookups, or lower "
		       "load.";
	return NULL;
}

const struct kernel kernel_hash_lookup = {
	.name = "hash-lookup",
	.title = "look keys up in a hash table",
	.look_for = "In a chain each node waits for the previous one, and the nodes lie far apart. "
		    "With table=open a key that collides lies in one of the next slots, mostly in "
		    "the same line, without a load to find it: faster while slots are free. Raise "
		    "load: a full table searches more slots than chains have nodes. Where chains "
		    "are long, raise lookups.",
	.document = "Johnny's Software Lab, Instruction-level parallelism in practice: speeding up "
		    "memory-bound programs with low ILP",
	.element = "lookup",
	.hint = "+ on size beyond the caches; then table=open",
	KERNEL_KNOBS(knobs),
	.check = hash_check,
	.fit = hash_fit,
	.footprint = hash_bytes,
	.layout = hash_layout,
	.seamless = true,
	.stepped = true,
	.few = hash_few,
	.batch = ASKED_TURN,
	.plot_cpe = true,
	.prepare = hash_prepare,
	.describe = hash_describe,
	.shrink = hash_shrink,
	.call = hash_call,
	.begin_at = asked_begin_at,
	.verify = hash_verify,
	.proof = hash_proof,
	.remark = hash_remark,
};
