/* What the parts of list-lookup share: its knobs' values, what its loops are called with, and where
 * the walk through the lookups is. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/shuffle.h"

/* ---- The list (list_nodes.c)
 *
 * A linked list over an array of nodes, in an order that can be turned from perfect to random:
 * where every node is follows from the numbers below without looking at memory, so that the list is
 * written from one end of the array to the other, and a walk can begin anywhere.
 *
 * Nodes lie in groups that stay together. The list goes through the groups by rank. Of misplaced
 * ones, drawn at random, two each have changed places; all others lie at their rank.
 * Deleted ones are still in the array, and the list passes them over. */

/* 24 bytes, as the article's are. */
struct list_node {
	const struct list_node *next; /* LIST_DELETED: unlinked; NULL: the last */
	int32_t value;
	int32_t rest[3]; /* the rest of a node */
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
} __attribute__((may_alias));

enum { LIST_BLOCK = 256, LIST_GROUP_MOST = 16 };
enum { LIST_BY_RANK, LIST_BY_PLACE };

/* The list of at most so many nodes (at least `group`), of which shares in percent are misplaced
 * and deleted; at least one group is linked. memory may be NULL to ask for what needs none. */
struct list list_of(unsigned char *memory, uint64_t nodes, uint64_t group, int misplaced,
	int deleted, uint64_t seed);

/* Bytes that it takes. */
uint64_t list_bytes(const struct list *list);

/* Writes it. False: run->work.cancel is set. of: all groups to lay out, for the progress. */
bool list_write(const struct list *list, struct kernel_run *run, uint64_t of);

/* The nodes of the group of that rank, as they are written. */
void list_group(const struct list *list, uint64_t rank, struct list_node *nodes);

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

/* ---- The lookups (list_lookup_walk.c) */

/* The knobs, in the kernel's order, and the values of its choices. */
enum {
	LOOKUP_SIZE,
	LOOKUP_FORM,
	LOOKUP_INNER,
	LOOKUP_VALUES,
	LOOKUP_FOUND,
	LOOKUP_MISPLACED,
	LOOKUP_DELETED,
	LOOKUP_GROUP,
	LOOKUP_WHOLE,
	LOOKUP_PAGES
};
enum { FORM_SIMPLE, FORM_INTERLEAVED, FORM_ARRAY, FORM_INDEX, FORM_UNROLLED, FORMS };
enum { INNER_SCALAR, INNER_VECTOR, INNER_ANY, INNERS };
enum { GROUP_CHOICES = 5 }; /* 1, 2, 4, 8, 16 */

enum { LOOKUP_VALUES_MOST = 1024, LOOKUP_LANES = 4, LOOKUP_WRONG = 2 };

/* What a loop goes on from, and leaves behind. */
struct lookup_walk {
	const struct list_node *node;
	const struct list_node *const *at; /* its place in the index, where there is one */
	uint64_t left;	/* comparisons to make with one value, groups of them, or nodes to compare
			   with all values */
	int32_t wanted; /* the one value */
	const int32_t *values; /* all, filled up to whole vectors */
	int32_t *found;	       /* by value: not 0 where it is in the list */
	uint64_t count;	       /* of values */
};

/* Whether the one value was found: the walk is at its node then, which `left` still counts. */
typedef bool lookup_loop(struct lookup_walk *walk);

/* Beside the nodes: what is looked up, and what comes out. */
struct lookup_tables {
	int32_t values[LOOKUP_VALUES_MOST];
	int32_t found[LOOKUP_VALUES_MOST]; /* 0: not found; LOOKUP_WRONG: found where it is not */
	uint64_t begin[LOOKUP_VALUES_MOST + 1]; /* comparisons before the walk for each value, where
						   it has one of its own; in all */
};

/* The list of a setting; memory may be NULL. */
struct list lookup_list_of(const int64_t *v, unsigned char *memory, uint64_t seed);

/* The list of a prepared run. */
const struct list *lookup_list(const struct kernel_run *run);

/* Where the tables and the index are, and where they end: bytes from the beginning. */
uint64_t lookup_tables_at(const struct list *list);
uint64_t lookup_index_at(const struct list *list);
uint64_t lookup_end(const struct list *list);
struct lookup_tables *lookup_tables(const struct kernel_run *run);
const struct list_node **lookup_index(const struct kernel_run *run);

/* Values that are in the list, of all that are looked up; whether the k-th is, and at which of the
 * list's nodes. */
uint64_t lookup_hits(const int64_t *v);
bool lookup_hit(const struct kernel_run *run, uint64_t k, uint64_t *index);

/* Fills the tables and run->ring. */
void lookup_fill(struct kernel_run *run);

/* kernel->call, rewind, begin_at, verify and proof. */
void lookup_call(struct kernel_run *run, uint64_t elements);
void lookup_rewind(struct kernel_run *run);
void lookup_begin_at(struct kernel_run *run, double share);
struct status lookup_verify(struct kernel_run *run);
struct status lookup_proof(struct kernel_run *run);
