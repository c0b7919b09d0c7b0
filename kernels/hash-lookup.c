/* The kernel hash-lookup looks keys up in one of two hash tables. In the chained table, each bucket
 * points to a chain of nodes. The open table keeps keys in slots; if a slot is occupied, the key
 * goes to the next free slot. Both tables hold the same keys. In a chain, the next load waits for
 * the previous load; in the open table, the next load waits only for a branch prediction. */
#include <math.h>

#include "kernels/hash.h"
#include "kernels/knob_rows.h"

enum { LINE = 64, LOOKUPS_MOST = 64 };

/* STEPS_MOST: largest number of chain nodes of a search whose mispredictions are computed. */
enum { STEPS_MOST = 64 };

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
	[HASH_LOOKUPS] = KNOB_ROW_COUNT("lookups", "lookups at once, step by step", 1, LOOKUPS_MOST,
		1, .factor = 2, .role = KNOB_FORM),
	[HASH_FOUND] = KNOB_ROW_COUNT("found", "percent of lookups whose key is in the table", 0,
		100, 100, .multiple = 5),
	[HASH_WHOLE] = KNOB_ROW_COUNT(
		"whole", "1: each trial is 16 M lookups, which are checked", 0, 1, 0),
	[HASH_PAGES] = KNOB_ROW_PAGES,
};

/* ---- Loops */

/* The lookups of one call, and their results. */
struct hash_walk {
	const uint64_t *asked;
	uint64_t count;	  /* number of keys, a multiple of `lookups` */
	uint64_t lookups; /* number of lookups that the loop interleaves */
	uint64_t buckets;
	const struct hash_node *const *bucket;
	const struct hash_slot *slots;
	uint64_t found, sum; /* number of found keys, and the sum of their values */
	const struct hash_slot *at[LOOKUPS_MOST]; /* the position of each lookup */
};

typedef void hash_loop(struct hash_walk *walk);

/* Returns the first slot of a search: a slot of the open table, or the slot in the first node of
 * the bucket's chain. */
KERNEL_BODY const struct hash_slot *first_slot(
	const struct hash_walk *walk, uint64_t key, const bool open)
{
	uint64_t place = hash_place(key, walk->buckets);

	return open ? walk->slots + place : (const void *)walk->bucket[place];
}

/* Returns the next slot of a search. After the last slot of the open table, the search wraps to the
 * first slot. The wrap is rare. */
KERNEL_BODY const struct hash_slot *next_slot(
	const struct hash_walk *walk, const struct hash_slot *slot, const bool open)
{
	if (!open)
		return (const void *)((const struct hash_node *)(const void *)slot)->next;
	if (__builtin_expect(slot == walk->slots + walk->buckets - 1, 0)) {
		slot = walk->slots - 1;
		KERNEL_KEEP(slot);
	}
	return slot + 1;
}

KERNEL_BODY bool is_end(const struct hash_slot *slot, const bool open)
{
	return open ? slot->key == HASH_FREE : !slot;
}

KERNEL_BODY void hash_search(struct hash_walk *walk, const bool open)
{
	uint64_t found = 0, sum = 0;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked++) {
		uint64_t key = *asked;

		for (const struct hash_slot *slot = first_slot(walk, key, open);
			!is_end(slot, open); slot = next_slot(walk, slot, open))
			if (slot->key == key) {
				found++;
				sum += slot->value;
				break;
			}
	}
	walk->found += found;
	walk->sum += sum;
}

/* Interleaves several searches. The loop first loads the buckets or first slots of all searches,
 * then the next node or slot of each search in turn. The loop skips searches that have ended. */
KERNEL_BODY void hash_search_interleaved(struct hash_walk *walk, const bool open)
{
	const struct hash_slot **at = walk->at;
	uint64_t lookups = walk->lookups, found = 0, sum = 0, active;

	for (const uint64_t *asked = walk->asked, *end = asked + walk->count; asked < end;
		asked += lookups) {
		for (uint64_t i = 0; i < lookups; i++)
			at[i] = first_slot(walk, asked[i], open);
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
				} else if (open && slot->key == HASH_FREE) {
					slot = NULL;
				} else {
					slot = next_slot(walk, slot, open);
					KERNEL_KEEP(slot);
				}
				at[i] = slot;
				active++;
			}
		} while (active > 0);
	}
	walk->found += found;
	walk->sum += sum;
}

KERNEL_CALLS(hash_chained, struct hash_walk, hash_search(walk, false))
KERNEL_CALLS(hash_chained_interleaved, struct hash_walk, hash_search_interleaved(walk, false))
KERNEL_CALLS(hash_open, struct hash_walk, hash_search(walk, true))
KERNEL_CALLS(hash_open_interleaved, struct hash_walk, hash_search_interleaved(walk, true))

static const char *const functions[2] = { "hash_search", "hash_search_interleaved" };
static hash_loop *const loops[TABLES][2] = {
	[TABLE_CHAINED] = { hash_chained, hash_chained_interleaved },
	[TABLE_OPEN] = { hash_open, hash_open_interleaved },
};

/* The formulas for the expected number of search steps are from Knuth, The Art of Computer
 * Programming, vol. 3, section 6.4. Chain lengths follow a Poisson distribution.
 * Linear probing forms clusters. */
double hash_steps(enum hash_table table, double load, bool found)
{
	if (table == TABLE_CHAINED)
		return found ? 1 + load / 2 : load;
	return found ? (1 + 1 / (1 - load)) / 2 : (1 + 1 / ((1 - load) * (1 - load))) / 2;
}

/* ---- The kernel */

static const struct knob_rule rules[] = {
	{ { HASH_TABLE, TABLE_OPEN, TABLE_OPEN }, { HASH_LOAD, 0, OPEN_MOST }, OPEN_MOST,
		TABLE_CHAINED,
		"table=open has one slot per key, so use load=90 or less, or table=chained" },
};

static uint64_t hash_layout(const int64_t *v)
{
	return hash_buckets(v) << 12 | (uint64_t)v[HASH_LOAD] << 1 | (uint64_t)v[HASH_ORDER];
}

/* Returns the expected number of steps of a lookup, averaged over found and missing keys. */
static double steps_in(enum hash_table table, const int64_t *v)
{
	double found = (double)v[HASH_FOUND] / 100,
	       load = (double)hash_keys(v) / (double)hash_buckets(v);

	return found * hash_steps(table, load, true) + (1 - found) * hash_steps(table, load, false);
}

static double steps_of(const int64_t *v)
{
	return steps_in((enum hash_table)v[HASH_TABLE], v);
}

/* Returns the expected number of mispredictions of a search in a chain. At each node of a bucket's
 * chain, one branch tests whether the chain has ended, and one whether the key matches. Each branch
 * of a search is mispredicted as often as it goes in its less frequent direction. The number of
 * keys in a bucket has a Poisson distribution (Knuth, volume 3, section 6.4). */
static double mispredicts_of(const int64_t *v)
{
	double found = (double)v[HASH_FOUND] / 100,
	       load = (double)hash_keys(v) / (double)hash_buckets(v), exactly = exp(-load),
	       longer = 1, before = 0, sum = 0;

	/* In the loop over k, `longer` is the share of the hash table's buckets with k keys or
	 * more; `before` is the share of keys with fewer than k keys before them in their bucket.
	 */
	for (int k = 0; k < STEPS_MOST && longer > 1e-6; k++) {
		double here = found * (1 - before) + (1 - found) * longer,
		       end = (1 - found) * exactly, match;

		longer -= exactly;
		match = load > 0 ? found * longer / load : 0;
		sum += fmin(end, here - end) + fmin(match, fmax(here - end - match, 0));
		before += load > 0 ? longer / load : 0;
		exactly *= load / (k + 1);
	}
	return sum;
}

static void hash_describe(const int64_t *v, struct kernel_walk *walk)
{
	double steps = steps_of(v), buckets = (double)hash_buckets(v),
	       nodes = (double)hash_keys(v) * sizeof(struct hash_node), first, more;

	if (v[HASH_TABLE] == TABLE_CHAINED) {
		/* A quarter of all nodes cross a cache-line boundary. The core loads both lines of
		 * such a node in parallel. */
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
		walk->waits = "nothing, because the key alone gives the first slot, and the next "
			      "slot follows it; "
			      "whether the search goes on is predicted";
	}
	walk->access = "lookup";
	walk->scattered = true;
	walk->chains = (double)v[HASH_LOOKUPS];
	walk->restart = (double)v[HASH_LOOKUPS];
	/* The branch at the end of a search is unpredictable. If nearly all searches end at the
	 * first step, each further step of a search is mispredicted. */
	walk->mispredicts = v[HASH_TABLE] == TABLE_CHAINED ? mispredicts_of(v)
			    : steps < 1			   ? steps
			    : steps - 1 < 1		   ? steps - 1
							   : 1;
	/* Searches that are interleaved step by step have a second unpredictable branch: whether a
	 * search has ended when its next step is due. */
	if (v[HASH_LOOKUPS] > 1)
		walk->mispredicts *= 2;
	/* After a misprediction, the core already executes the next search. The number of keys in a
	 * bucket has a Poisson distribution (Knuth, The Art of Computer Programming, volume 3,
	 * section 6.4). A search for a key in the table reads at least one node. */
	if (v[HASH_TABLE] == TABLE_CHAINED)
		walk->further = steps - (double)v[HASH_FOUND] / 100;
}

/* The data that prepare() stores in run->kept for later calls. */
struct kept {
	struct asked asked;
	struct hash hash;
} __attribute__((may_alias));

_Static_assert(sizeof(struct kept) <= sizeof(((struct kernel_run *)0)->kept),
	"a run has room for what is kept");

static const struct hash *hash_of(const struct kernel_run *run)
{
	return &((const struct kept *)(const void *)run->kept)->hash;
}

/* Checks that the search in a chain ends, by following pointers that may be wrong. */
static bool chain_ends(const struct hash *hash, uint64_t key)
{
	uint64_t base = (uintptr_t)hash->node, steps = hash->keys;
	const struct hash_node *node = hash->bucket[hash_place(key, hash->buckets)];

	for (; node; node = node->next) {
		uint64_t offset = (uintptr_t)node - base;

		if (offset >= hash->keys * sizeof(*node) || offset % sizeof(*node) || steps-- == 0)
			return false;
		if (node->slot.key == key)
			return true;
	}
	return true;
}

static bool search_ends(const struct kernel_run *run, uint64_t key)
{
	const struct hash *hash = hash_of(run);
	uint64_t at = hash_place(key, hash->buckets), steps = hash->buckets;

	if (run->v[HASH_TABLE] == TABLE_CHAINED)
		return chain_ends(hash, key);
	while (steps-- > 0 && hash->slot[at].key != key && hash->slot[at].key != HASH_FREE)
		at = at + 1 < hash->buckets ? at + 1 : 0;
	return steps != UINT64_MAX;
}

/* The value that a table stores for a key depends only on the key. */
static uint64_t value_of(const struct kernel_run *run, uint64_t rank)
{
	(void)run;
	return hash_value(rank);
}

/* Returns the number of nodes or slots that the search for a key reads. */
static double steps_to(const struct hash *hash, enum hash_table table, uint64_t key)
{
	uint64_t at = hash_place(key, hash->buckets);
	double steps = 0;

	if (table == TABLE_CHAINED) {
		const struct hash_node *node = hash->bucket[at];

		for (; node; node = node->next) {
			steps++;
			if (node->slot.key == key)
				break;
		}
		return steps;
	}
	for (;; at = at + 1 < hash->buckets ? at + 1 : 0) {
		steps++;
		if (hash->slot[at].key == key || hash->slot[at].key == HASH_FREE)
			return steps;
	}
}

static unsigned hash_few(const int64_t *v);

/* Number of series of lookups among which choose_typical() chooses. */
enum { SERIES = 400 };

/* The model single-steps a few lookups, but searches have very different lengths: at load 90, the
 * search for a missing key reads 1 to about 300 slots. So the model steps a series of lookups whose
 * mean length is near the expected one. The model subtracts the first third of the lookups from all
 * lookups, so this third and the rest must both be typical. */
static void choose_typical(struct kernel_run *run, struct asked *asked, const struct hash *hash)
{
	struct random random = { asked->seed };
	uint64_t best = asked->seed, few = hash_few(run->v), unit = run->granule, third, all;
	double wanted = steps_of(run->v), least = INFINITY;

	while (unit % ASKED_TURN != 0)
		unit *= 2;
	third = (few / 3 + unit - 1) / unit * unit;
	all = (few + unit - 1) / unit * unit;
	if (all <= third)
		all = 2 * third;
	for (int i = 0; i < SERIES; i++) {
		double first = 0, rest = 0, off;
		uint64_t found = 0;

		for (uint64_t k = 0; k < all; k++) {
			uint64_t key = asked_key(asked, k);

			*(k < third ? &first : &rest) +=
				steps_to(hash, (enum hash_table)run->v[HASH_TABLE], key);
			found += (uint64_t)asked_is_there(key);
		}
		off = fabs(rest / (double)(all - third) - wanted) +
		      fabs(first / (double)third - wanted) +
		      fabs((double)found / (double)all - (double)run->v[HASH_FOUND] / 100);
		if (off < least) {
			least = off;
			best = asked->seed;
		}
		asked->seed = random_next(&random);
	}
	asked->seed = best;
}

static const struct asked_kind kind = { "values", value_of, search_ends };

static struct status hash_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct kept *kept = (struct kept *)(void *)run->kept;
	bool several = v[HASH_LOOKUPS] > 1;

	kept->hash = hash_make(v, run->seed, run->memory);
	asked_prepare(run, &kind, hash_keys(v), v[HASH_FOUND], v[HASH_LOOKUPS], v[HASH_WHOLE]);
	run->code.start = (const void *)loops[v[HASH_TABLE]][several];
	run->code.name = functions[several];
	run->layout.laid_out =
		run->layout.prepared >= hash_bytes(v) || hash_lay_out(&kept->hash, run)
			? hash_bytes(v)
			: 0;
	if (run->layout.laid_out == 0)
		return status_make(STATUS_CANCELLED, "stopped while the data were prepared");
	if (run->layout.sample)
		choose_typical(run, &kept->asked, &kept->hash);
	return status_ok();
}

static void hash_shrink(int64_t *v)
{
	int64_t most = steps_of(v) > 8 ? 2 : 8;

	v[HASH_WHOLE] = 0;
	v[HASH_LOOKUPS] = v[HASH_LOOKUPS] < most ? v[HASH_LOOKUPS] : most;
}

/* To read the executed code, the model single-steps some lookups: fewer if each lookup visits many
 * nodes or slots. */
static unsigned hash_few(const int64_t *v)
{
	return 4 + (unsigned)(100 / (5 + steps_of(v)));
}

static void hash_call(struct kernel_run *run, uint64_t elements)
{
	const struct hash *hash = hash_of(run);
	uint64_t keys[ASKED_BATCH];
	struct hash_walk walk = { .asked = keys,
		.lookups = run->granule,
		.buckets = hash->buckets,
		.bucket = hash->bucket,
		.slots = hash->slot };

	while ((walk.count = asked_next(run, keys, &elements)) > 0)
		((hash_loop *)run->code.start)(&walk);
	run->result = asked_result(walk.found, walk.sum);
}

/* Times of a lookup on a Granite Rapids with 384 MB of data, in ns, as chained table / open table.
 * Keys in the table: 40 / 27 at load 50, 50 / 97 at load 90. Missing keys: 31 / 55 at load 50, 45 /
 * 302 at load 90. With 16 interleaved lookups, the times for the chained table change by a factor
 * of 1.0 to 1.2, but of 0.4 at load 1,000. */
static const char *hash_remark(const int64_t *v)
{
	double steps = steps_of(v);

	if (v[HASH_LOOKUPS] > 1 && steps < 4)
		return "Short searches overlap in the reorder buffer without help: to interleave "
		       "them costs instructions and saves little.";
	if (v[HASH_TABLE] == TABLE_OPEN && steps > steps_in(TABLE_CHAINED, v) + 1)
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
	.answer = "curves",
	.element = "lookup",
	.hint = "+ on size beyond the caches; then table=open",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
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
	.verify = asked_verify,
	.proof = asked_proof,
	.remark = hash_remark,
};
