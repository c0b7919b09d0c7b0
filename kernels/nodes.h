/* Nodes that point to each other, for walks in which each load waits for the previous one: random
 * cycles, cycles that go forward or backward through memory, and cycles of pairs.
 *
 * An item is a node, or a pair of nodes that are visited one right after the other. Random cycles
 * grow by one item at a time, each inserted after a random earlier item: all orders are equally
 * likely. The seed and the number of an item give its place, so the last items can be removed
 * again, which leaves the cycle as it was. A curve over many sizes costs little more than one build
 * of the largest. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct node {
	struct node *next;
	uint64_t zero; /* always 0: an address that it is part of waits for this node */
};

enum nodes_order {
	NODES_RANDOM,	/* random cycles of single nodes, `stride` bytes apart */
	NODES_BACKWARD, /* one cycle of them, from the last to the first and over again */
	NODES_PAIRS,   /* random cycles of pairs, whose two nodes are `stride` bytes apart; which is
			  first is random too */
	NODES_FORWARD, /* one cycle of single nodes, in the order of memory */
};

struct nodes {
	unsigned char *memory; /* aligned to nodes_alignment() */
	uint64_t stride;       /* bytes, a multiple of 16 */
	enum nodes_order order;
	unsigned cycles; /* how many (> 0) of equal length: so many successive items belong to one
			    each. One when backward. */
	uint64_t seed;
	atomic_uint *progress; /* thousandths laid out; NULL: nobody reads them */
};

/* Of `bytes` of memory: how many items they hold, the same number for each cycle. 0: too few bytes.
 */
uint64_t nodes_fit(const struct nodes *nodes, uint64_t bytes);

/* The fewest bytes that hold so many items. */
uint64_t nodes_bytes(const struct nodes *nodes, uint64_t items);

/* Bytes that an item takes, what lies between included. */
uint64_t nodes_item(const struct nodes *nodes);

/* What the memory must be aligned to, bytes: so that no pair lies in two lines when its stride is
 * smaller than a line. */
uint64_t nodes_alignment(const struct nodes *nodes);

/* Nodes of an item: 1 or 2. */
unsigned nodes_each(const struct nodes *nodes);

/* Turns `have` items laid out earlier (0: none) into `count` (> 0), a multiple of `cycles`. Stops
 * early when *cancel is set. Returns the items laid out: in backward order they may be more than
 * `count`; fewer only after a stop. */
uint64_t nodes_lay_out(
	const struct nodes *nodes, uint64_t have, uint64_t count, const atomic_bool *cancel);

/* The first node of walk number `chain` of `chains`: in a cycle of its own; backward, at evenly
 * spaced nodes of `count`. share (0…1): the walk begins that part of the memory later. */
const struct node *nodes_start(
	const struct nodes *nodes, uint64_t count, unsigned chain, unsigned chains, double share);

/* Follows pointers that may be wrong: returns the node `steps` after `from`, or NULL where one
 * leads out of low … high-1. *closed: the steps after which the walk first came back to `from`, or
 * 0. */
const struct node *nodes_follow(const struct node *from, uint64_t steps, const unsigned char *low,
	const unsigned char *high, uint64_t *closed);
