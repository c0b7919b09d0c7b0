/* What the files of list-lookup share: the list, its knobs, and the walk of its loops. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/shuffle.h"

/* ---- The list
 *
 * A linked list over an array of nodes, in any order from perfect to random. The fields of struct
 * list give the place of each node without a look at memory. So the list is written from one end of
 * the array to the other, and a walk can begin anywhere.
 *
 * Nodes lie in groups that stay together. The list goes through the groups by rank. Misplaced
 * groups, drawn at random, change places in pairs; all others lie at their rank. Deleted groups
 * stay in the array, but are not in the list. */

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

/* Its bytes. */
uint64_t list_bytes(const struct list *list);

/* Writes it. False: run->work.cancel is set. of: all groups to lay out, for the progress. */
bool list_write(const struct list *list, struct kernel_run *run, uint64_t of);

/* The nodes of the group of that rank, as they are written. */
void list_group(const struct list *list, uint64_t rank, struct list_node *nodes);

/* The place of the group of that rank; and the rank of the group at that place: they are the same
 * function, since groups change places in pairs. */
uint64_t list_place(const struct list *list, uint64_t rank);
bool list_deleted(const struct list *list, uint64_t rank);

/* The value of that node, by rank: even. */
static inline int32_t list_value(uint64_t rank)
{
	return (int32_t)((rank * 0x2c9277b5 & (LIST_NODES_MOST - 1)) << 1);
}

/* In a written list: the linked groups before that rank or place; and the rank or place of the
 * index-th linked group. */
uint64_t list_before(const struct list *list, int by, uint64_t at);
uint64_t list_linked(const struct list *list, int by, uint64_t index);

/* The index-th node of a written list (index below linked). */
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

/* The state of a walk before and after a loop. */
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

/* Returns whether the one value was found. Then the walk is at its node, which `left` still counts.
 */
typedef bool lookup_loop(struct lookup_walk *walk);

/* Data after the nodes: the values to look up, and the results. */
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

/* The places of the tables and of the index, and the end of the index: bytes from the beginning. */
uint64_t lookup_tables_at(const struct list *list);
uint64_t lookup_index_at(const struct list *list);
uint64_t lookup_end(const struct list *list);
struct lookup_tables *lookup_tables(const struct kernel_run *run);
const struct list_node **lookup_index(const struct kernel_run *run);

/* The number of values that are in the list; whether the k-th value is, and its node's index. */
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
