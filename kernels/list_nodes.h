/* A linked list over an array of nodes, in an order that can be turned from perfect to random:
 * where every node is follows from the numbers below without looking at memory, so that the list is
 * written from one end of the array to the other, and a walk can begin anywhere.
 *
 * Nodes stand in groups that stay together. The list goes through the groups by rank. Of misplaced
 * ones, drawn at random, two each have changed places; all others stand where their rank is.
 * Deleted ones are still in the array, and the list passes them over. */
#ifndef SLX_KERNELS_LIST_NODES_H
#define SLX_KERNELS_LIST_NODES_H

#include "kernels/kernel.h"
#include "kernels/shuffle.h"

/* 24 bytes, as the article's are. */
struct list_node {
	const struct list_node *next; /* LIST_DELETED: unlinked; NULL: the last */
	int32_t value;
	int32_t rest[3]; /* what a node has besides */
};

#define LIST_DELETED ((const struct list_node *)(intptr_t)-1)

/* So many nodes at most: each has an even value of its own. */
#define LIST_NODES_MOST ((uint64_t)1 << 30)

struct list {
	struct list_node *nodes; /* all, by their place in memory */
	uint64_t count;		 /* of nodes: groups * group */
	uint64_t groups, group;
	uint64_t misplaced, deleted; /* groups */
	uint64_t linked;	     /* nodes that the list goes through */
	uint32_t *before[2]; /* groups that are linked before each LIST_BLOCK-th, by rank and by
				place */
	struct shuffle places, deletions;
};

enum { LIST_BLOCK = 256 };
enum { LIST_BY_RANK, LIST_BY_PLACE };

/* The list of at most so many nodes (at least `group`), of which shares in percent are misplaced
 * and deleted; at least one group is linked. memory may be NULL to ask for what needs none. */
struct list list_of(unsigned char *memory, uint64_t nodes, uint64_t group, int misplaced,
	int deleted, uint64_t seed);

/* Bytes that it takes. */
uint64_t list_bytes(const struct list *list);

/* Writes it. False: run->work.cancel said so. of: what is to be laid out in all, in groups, for the
 * progress. */
bool list_write(const struct list *list, struct kernel_run *run, uint64_t of);

/* Where the group of that rank is; and the rank of the group at that place: one undoes the other,
 * since they are the same. */
uint64_t list_place(const struct list *list, uint64_t rank);
bool list_deleted(const struct list *list, uint64_t rank);

/* The value of that node, by rank: even. */
static inline int32_t list_value(uint64_t rank)
{
	return (int32_t)((rank * 0x2c9277b5 & (LIST_NODES_MOST - 1)) << 1);
}

/* Of the list, written: how many linked groups there are before that rank or place; and the rank or
 * place of the index-th linked one (index below their number). */
uint64_t list_before(const struct list *list, int by, uint64_t at);
uint64_t list_linked(const struct list *list, int by, uint64_t index);

/* Of the list, written: its index-th node (index below linked). */
const struct list_node *list_at(const struct list *list, uint64_t index);

#endif
