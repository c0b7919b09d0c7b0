/* Cycles of nodes that point to each other, for walks in which each load waits for the previous
 * load. A cycle visits single nodes in random order, pairs of nodes in random order, or nodes
 * backward through memory.
 *
 * An item is a node, or a pair of nodes that are visited in succession. A random cycle of nodes is
 * built by inserting one item at a time. Each item is inserted after a random earlier item, so all
 * orders are equally likely. The seed and the number of an item determine where the item is
 * inserted in the cycle. Removing the last inserted item restores the previous cycle. A curve over
 * many sizes therefore costs little more than one layout of the largest size. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
	struct node *next;
	uint64_t zero; /* always 0; if this zero is added to an address, the address depends on the
			  load of this node */
};

enum nodes_order {
	NODES_RANDOM,	/* random cycles of single nodes, `stride` bytes apart */
	NODES_BACKWARD, /* one cycle of single nodes, from the last to the first and over again */
	NODES_PAIRS, /* random cycles of pairs of nodes, `stride` bytes apart; the first node of a
			pair is random, too */
};

struct nodes {
	unsigned char *memory; /* aligned to nodes_alignment() */
	uint64_t stride;       /* bytes from one item to the next, a multiple of 16 */
	enum nodes_order order;
	unsigned cycles; /* Number of cycles (> 0), all of equal length. Successive items belong to
			    different cycles. The number of cycles is 1 in backward order. */
	uint64_t seed;
	atomic_uint *progress; /* progress of the layout in thousandths; NULL: nothing reads the
				  progress */
};

/* Returns the number of items that fit in `bytes` bytes of memory, a multiple of `cycles`. 0: the
 * memory is too small. */
uint64_t nodes_fit(const struct nodes *nodes, uint64_t bytes);

/* Returns the smallest number of bytes that holds `items` items. */
uint64_t nodes_bytes(const struct nodes *nodes, uint64_t items);

/* Returns the bytes of an item, including the gap to the next item. */
uint64_t nodes_item(const struct nodes *nodes);

/* Returns the required alignment of the memory in bytes. The alignment keeps a pair of nodes within
 * one cache line if the stride is smaller than a line. */
uint64_t nodes_alignment(const struct nodes *nodes);

/* Returns the number of nodes of an item: 1, or 2 if items are pairs. */
unsigned nodes_each(const struct nodes *nodes);

/* Changes the number of laid-out items in memory from `have` (0: none exist) to `count` (> 0, a
 * multiple of `cycles`). nodes_lay_out() stops early if *cancel is set. Returns the number of items
 * laid out. The number of items laid out can exceed `count` in backward order or after a stop.
 * nodes_lay_out() returns a number smaller than `count` only if *cancel stopped it. */
uint64_t nodes_lay_out(
	const struct nodes *nodes, uint64_t have, uint64_t count, const atomic_bool *cancel);

/* Returns the first node of chain number `chain` of `chains`. Each chain has its own cycle. In
 * backward order, the chains instead start at evenly spaced nodes of the `count` nodes. share
 * (0…1): the distance of the returned node from the start of the memory, as a share of the
 * memory. */
const struct node *nodes_start(
	const struct nodes *nodes, uint64_t count, unsigned chain, unsigned chains, double share);

/* Returns the node `steps` after `from`. The pointers in the nodes may be wrong. If a pointer leads
 * outside low … high-1, nodes_follow() returns NULL. *closed: the number of steps after which the
 * pointers first led back to `from`; 0: the pointers did not lead back. */
const struct node *nodes_follow(const struct node *from, uint64_t steps, const unsigned char *low,
	const unsigned char *high, uint64_t *closed);
