/* Nodes that point to each other, for walks in which each load waits for the one before: random
 * cycles, a cycle that goes backward through memory, and cycles of pairs.
 *
 * An item is a node, or a pair of nodes of which the second is always visited right after the
 * first. Random cycles grow item by item, each going in after a random earlier one, which makes
 * every order equally likely; and since where an item went follows from the seed and its number
 * alone, they can also be taken back in reverse, which leaves exactly what was there before. So a
 * curve over many sizes, in any order, costs hardly more than one build of the largest. */
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
	NODES_PAIRS, /* random cycles of pairs, whose two nodes are `stride` bytes apart; which is
			first is random too */
};

struct nodes {
	unsigned char *memory; /* aligned to nodes_alignment() */
	uint64_t stride;       /* bytes, a multiple of 16 */
	enum nodes_order order;
	unsigned cycles; /* how many (> 0) of equal length: so many successive items belong to one
			    each. One when backward. */
	uint64_t seed;
	atomic_uint *progress; /* where laying out leaves how far it is, in thousandths; NULL:
				  nobody asks */
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

/* Makes `have` items laid out earlier (0: none) `count` (> 0), a multiple of `cycles`: by going on,
 * by taking back, or anew. Stops early when *cancel is set. Returns how many there are then: of a
 * random order as many as the cycles hold; of the backward one at least `count` unless it was
 * stopped. */
uint64_t nodes_lay_out(
	const struct nodes *nodes, uint64_t have, uint64_t count, const atomic_bool *cancel);

/* Where the walk number `chain` of `chains` begins: in a cycle of its own; in the backward one at
 * evenly spaced nodes of `count`. With a share (0…1) of the memory further on, round its end: in a
 * random order anywhere else. */
const struct node *nodes_start(
	const struct nodes *nodes, uint64_t count, unsigned chain, unsigned chains, double share);
