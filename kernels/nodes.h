/* Nodes that point to each other, for walks in which each load waits for the previous one: random
 * cycles, cycles that go forward or backward through memory, and cycles of pairs.
 *
 * An item is a node, or a pair of nodes that are visited in succession. Random cycles grow by one
 * item at a time. Each item is inserted after a random earlier item, so all orders are equally
 * likely. The seed and the number of an item determine its place. So the last items can be removed
 * again, which restores the earlier cycle. A curve over many sizes costs little more than one
 * layout of the largest size. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
	struct node *next;
	uint64_t zero; /* always 0: an address that includes it depends on the load of this node */
};

enum nodes_order {
	NODES_RANDOM,	/* random cycles of single nodes, `stride` bytes apart */
	NODES_BACKWARD, /* one cycle of single nodes, from the last to the first and over again */
	NODES_PAIRS,   /* random cycles of pairs of nodes, `stride` bytes apart; the first node of a
			  pair is random, too */
	NODES_FORWARD, /* one cycle of single nodes, in the order of memory */
};

struct nodes {
	unsigned char *memory; /* aligned to nodes_alignment() */
	uint64_t stride;       /* bytes, a multiple of 16 */
	enum nodes_order order;
	unsigned cycles; /* number of cycles (> 0) of equal length. Successive items belong to
			    different cycles. One in backward order. */
	uint64_t seed;
	atomic_uint *progress; /* progress in thousandths; NULL: no reader */
};

/* The number of items that fit in `bytes` of memory, a multiple of `cycles`. 0: too few bytes. */
uint64_t nodes_fit(const struct nodes *nodes, uint64_t bytes);

/* The smallest number of bytes that holds `items` items. */
uint64_t nodes_bytes(const struct nodes *nodes, uint64_t items);

/* Bytes of an item, including the gap to the next. */
uint64_t nodes_item(const struct nodes *nodes);

/* Required alignment of the memory in bytes. It keeps a pair within one line if its stride is
 * smaller than a line. */
uint64_t nodes_alignment(const struct nodes *nodes);

/* Number of nodes of an item: 1 or 2. */
unsigned nodes_each(const struct nodes *nodes);

/* Changes the layout from `have` items (0: none exist) to `count` items (> 0, a multiple of
 * `cycles`). Stops early when *cancel is set. Returns the number of items laid out. It can exceed
 * `count` in backward order or after a stop; it is smaller only after a stop. */
uint64_t nodes_lay_out(
	const struct nodes *nodes, uint64_t have, uint64_t count, const atomic_bool *cancel);

/* The first node of chain number `chain` of `chains`. Each chain has its own cycle; in backward
 * order, the chains start at evenly spaced nodes of `count`. share (0…1): the walk begins this part
 * of the memory later. */
const struct node *nodes_start(
	const struct nodes *nodes, uint64_t count, unsigned chain, unsigned chains, double share);

/* Returns the node `steps` after `from`. The pointers may be wrong: if one leads outside low …
 * high-1, returns NULL. *closed: the number of steps after which the walk first returned to `from`,
 * or 0. */
const struct node *nodes_follow(const struct node *from, uint64_t steps, const unsigned char *low,
	const unsigned char *high, uint64_t *closed);
