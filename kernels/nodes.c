/* Lays out cycles of nodes that point to each other: see nodes.h. */
#include "kernels/nodes.h"

#include <stddef.h>

#include "base/random.h"

/* Distance in bytes from one pair of nodes to the next, in a block that holds several pairs. If the
 * stride is large, a block interleaves several pairs. 128 bytes are two cache lines on most
 * processors, and one line on processors with 128-byte lines. */
enum { PAIR_APART = 128 };

/* AHEAD: number of insertions for which the node to change is prefetched, because this node is at a
 * random place. CANCEL_EVERY: number of items between two checks of *cancel. */
enum { AHEAD = 16, CANCEL_EVERY = 4096 };

static uint64_t power_from(uint64_t value)
{
	uint64_t power = 16;

	while (power < value)
		power *= 2;
	return power;
}

/* Returns the bytes of a block of memory that holds several pairs of nodes. The lower half of a
 * block, or its lower `stride` bytes, holds the first nodes of pairs. The upper half of a block
 * holds the second nodes of pairs. */
static uint64_t block_bytes(const struct nodes *nodes)
{
	return 2 * power_from(nodes->stride);
}

/* Returns the number of pairs of nodes in a block of memory. The number of pairs is a power of two,
 * so the pairs divide a block evenly. */
static uint64_t block_pairs(const struct nodes *nodes)
{
	uint64_t pairs = 1;

	while (pairs * 2 * PAIR_APART <= nodes->stride)
		pairs *= 2;
	return pairs;
}

uint64_t nodes_item(const struct nodes *nodes)
{
	return nodes->order == NODES_PAIRS ? block_bytes(nodes) / block_pairs(nodes)
					   : nodes->stride;
}

uint64_t nodes_alignment(const struct nodes *nodes)
{
	return nodes->order == NODES_PAIRS ? block_bytes(nodes) : 16;
}

unsigned nodes_each(const struct nodes *nodes)
{
	return nodes->order == NODES_PAIRS ? 2 : 1;
}

uint64_t nodes_fit(const struct nodes *nodes, uint64_t bytes)
{
	uint64_t items = bytes / nodes->stride;

	if (nodes->order == NODES_PAIRS)
		items = bytes / block_bytes(nodes) * block_pairs(nodes);
	return items / nodes->cycles * nodes->cycles;
}

uint64_t nodes_bytes(const struct nodes *nodes, uint64_t items)
{
	if (nodes->order == NODES_PAIRS)
		return (items + block_pairs(nodes) - 1) / block_pairs(nodes) * block_bytes(nodes);
	return items * nodes->stride;
}

/* The two ends of an item (a node or a pair of nodes): a cycle enters the item at the node `in`,
 * and leaves the item from the node `out`. */
struct item {
	struct node *in, *out;
};

/* Values that are the same for all items (nodes or pairs of nodes) in the memory. */
struct layout {
	const struct nodes *nodes;
	uint64_t pairs,
		block; /* for NODES_PAIRS: number of pairs in a block, and bytes of a block */
	bool paired;
};

static struct layout layout_of(const struct nodes *nodes)
{
	bool paired = nodes->order == NODES_PAIRS;

	return (struct layout){ .nodes = nodes,
		.paired = paired,
		.pairs = paired ? block_pairs(nodes) : 1,
		.block = paired ? block_bytes(nodes) : nodes->stride };
}

static struct item item_at(const struct layout *layout, uint64_t index)
{
	const struct nodes *nodes = layout->nodes;
	struct random side = { ~nodes->seed + index };
	struct node *low, *high;

	if (!layout->paired) {
		low = (struct node *)(void *)(nodes->memory + index * layout->block);
		return (struct item){ low, low };
	}
	low = (struct node *)(void *)(nodes->memory + index / layout->pairs * layout->block +
				      index % layout->pairs * PAIR_APART);
	high = (struct node *)(void *)((unsigned char *)low + nodes->stride);
	return random_next(&side) >> 63 ? (struct item){ high, low } : (struct item){ low, high };
}

/* Successive items in memory form groups with one item of each cycle. turn_of() returns by how many
 * places the items of a group are rotated. Because of the rotation, the items of a cycle have
 * different places in their cache lines. */
static uint64_t turn_of(const struct nodes *nodes, uint64_t group)
{
	struct random random = { (nodes->seed ^ 0x5bd1e995) + group };

	return group ? random_below(&random, nodes->cycles) : 0;
}

/* Returns the earlier item after which item number `index` is inserted into its cycle. The earlier
 * item belongs to the same cycle. Item number `index` must not be the first item of its cycle. */
static uint64_t before(const struct nodes *nodes, uint64_t index)
{
	uint64_t cycles = nodes->cycles, group, other, cycle;
	struct random random = { nodes->seed + index };

	if (cycles == 1)
		return random_below(&random, index);
	group = index / cycles;
	other = random_below(&random, group);
	cycle = index % cycles + turn_of(nodes, group);
	return other * cycles + (cycle + cycles - turn_of(nodes, other)) % cycles;
}

static struct node *leaving(const struct layout *layout, uint64_t index)
{
	return item_at(layout, before(layout->nodes, index)).out;
}

static bool cancelled(
	const struct nodes *nodes, const atomic_bool *cancel, uint64_t index, uint64_t count)
{
	if (index % CANCEL_EVERY != 0)
		return false;
	if (nodes->progress && index <= count)
		atomic_store_explicit(
			nodes->progress, (unsigned)(index * 1000 / count), memory_order_relaxed);
	return atomic_load_explicit(cancel, memory_order_relaxed);
}

/* Inserts the items with numbers `have` to `count` - 1 into their cycles. Returns the new number of
 * items. */
static uint64_t grow(
	const struct layout *layout, uint64_t have, uint64_t count, const atomic_bool *cancel)
{
	struct node *ahead[AHEAD];
	uint64_t first = layout->nodes->cycles;

	/* The first item of each cycle points to itself. */
	for (; have < first; have++) {
		struct item item = item_at(layout, have);

		*item.out = (struct node){ item.in, 0 };
		if (layout->paired)
			*item.in = (struct node){ item.out, 0 };
	}
	for (uint64_t i = have; i < have + AHEAD && i < count; i++) {
		ahead[i % AHEAD] = leaving(layout, i);
		__builtin_prefetch(ahead[i % AHEAD], 1);
	}
	for (; have < count; have++) {
		struct node *after = ahead[have % AHEAD];
		struct item item = item_at(layout, have);

		if (cancelled(layout->nodes, cancel, have, count))
			break;
		if (layout->paired)
			*item.in = (struct node){ item.out, 0 };
		*item.out = (struct node){ after->next, 0 };
		after->next = item.in;
		if (have + AHEAD < count) {
			ahead[have % AHEAD] = leaving(layout, have + AHEAD);
			__builtin_prefetch(ahead[have % AHEAD], 1);
		}
	}
	return have;
}

/* Removes the items with numbers `have` - 1 down to `count` from their cycles. The last inserted
 * item is removed first, so each item still follows the node after which it was inserted. */
static uint64_t take_back(
	const struct layout *layout, uint64_t have, uint64_t count, const atomic_bool *cancel)
{
	struct node *ahead[AHEAD];

	for (uint64_t i = have; i > count && have - i < AHEAD; i--) {
		ahead[(i - 1) % AHEAD] = leaving(layout, i - 1);
		__builtin_prefetch(ahead[(i - 1) % AHEAD], 1);
	}
	for (; have > count; have--) {
		struct item item = item_at(layout, have - 1);

		if (cancelled(layout->nodes, cancel, have, count))
			break;
		ahead[(have - 1) % AHEAD]->next = item.out->next;
		if (have > count + AHEAD) {
			ahead[(have - 1) % AHEAD] = leaving(layout, have - 1 - AHEAD);
			__builtin_prefetch(ahead[(have - 1) % AHEAD], 1);
		}
	}
	return have;
}

static uint64_t lay_backward(
	const struct layout *layout, uint64_t have, uint64_t count, const atomic_bool *cancel)
{
	if (have == 0)
		have = 1;
	for (; have < count && !cancelled(layout->nodes, cancel, have, count); have++)
		*item_at(layout, have).in = (struct node){ item_at(layout, have - 1).in, 0 };
	/* The code does not change nodes after the first `count` nodes, because a later, larger
	 * setting needs these nodes again. */
	*item_at(layout, 0).in =
		(struct node){ item_at(layout, (have < count ? have : count) - 1).in, 0 };
	return have;
}

uint64_t nodes_lay_out(
	const struct nodes *nodes, uint64_t have, uint64_t count, const atomic_bool *cancel)
{
	struct layout layout = layout_of(nodes);

	if (nodes->order == NODES_BACKWARD)
		return lay_backward(&layout, have, count, cancel);
	if (have > count && have - count <= count)
		return take_back(&layout, have, count, cancel);
	return grow(&layout, have > count ? 0 : have, count, cancel);
}

const struct node *nodes_start(
	const struct nodes *nodes, uint64_t count, unsigned chain, unsigned chains, double share)
{
	struct layout layout = layout_of(nodes);
	uint64_t cycles = nodes->cycles, groups = count / cycles,
		 group = (uint64_t)(share * (double)groups) % groups;

	if (nodes->order == NODES_BACKWARD)
		return item_at(&layout, (count / chains * (chain + 1) - 1 + group) % count).in;
	return item_at(&layout, group * cycles + (chain + cycles - turn_of(nodes, group)) % cycles)
		.in;
}

const struct node *nodes_follow(const struct node *from, uint64_t steps, const unsigned char *low,
	const unsigned char *high, uint64_t *closed)
{
	const struct node *node = from;

	*closed = 0;
	for (uint64_t i = 1; i <= steps; i++) {
		const struct node *next = node->next;

		if ((uintptr_t)next < (uintptr_t)low || (uintptr_t)next >= (uintptr_t)high ||
			(uintptr_t)next % 16 != 0 || node->zero)
			return NULL;
		node = next;
		if (node == from && *closed == 0)
			*closed = i;
	}
	return node;
}
