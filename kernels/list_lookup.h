/* Shared by the files of list-lookup: the values of its knobs, the arguments of its loops, and the
 * walk through the lookups. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/shuffle.h"

/* ---- The list (list_nodes.c)
 *
 * A linked list over an array of nodes. Its order ranges from perfect to random. The numbers below
 * determine the place of each node. So the list can be written from one end of the array to the
 * other, and a walk can begin anywhere.
 *
 * The array consists of groups of nodes. Nodes of a group stay together. The list visits the groups
 * by rank. A group normally lies at the place of its rank; random pairs of misplaced groups have
 * exchanged their places. Deleted nodes are still in the array, but the list skips them. */

/* 24 bytes, the size of a node in the article. */
struct list_node {
	const struct list_node *next; /* LIST_DELETED: unlinked; NULL: the last node */
	int32_t value;
	int32_t rest[3]; /* the unused rest of a node */
};

#define LIST_DELETED ((const struct list_node *)(intptr_t)-1)

/* The largest number of nodes: each node has a different even value. */
#define LIST_NODES_MOST ((uint64_t)1 << 30)

struct list {
	struct list_node *nodes; /* all nodes, by their place in memory */
	uint64_t count;		 /* number of nodes: groups * group */
	uint64_t groups, group;
	uint64_t misplaced, deleted; /* numbers of groups */
	uint64_t linked;	     /* number of nodes that the list visits */
	uint32_t *before[2]; /* for each LIST_BLOCK-th rank or place: the number of linked groups
				before it */
	struct shuffle places, deletions;
} __attribute__((may_alias));

enum { LIST_BLOCK = 256, LIST_GROUP_MOST = 16 };
enum { LIST_BY_RANK, LIST_BY_PLACE };

/* Makes the description of a list with at most `nodes` nodes (at least `group`). misplaced and
 * deleted are percentages. At least one group is linked. memory may be NULL for functions that do
 * not use it. */
struct list list_of(unsigned char *memory, uint64_t nodes, uint64_t group, int misplaced,
	int deleted, uint64_t seed);

/* Bytes that the list needs. */
uint64_t list_bytes(const struct list *list);

/* Writes the list. False: run->work.cancel is set. of: number of groups to lay out, for the
 * progress. */
bool list_write(const struct list *list, struct kernel_run *run, uint64_t of);

/* Fills in the nodes of the group of that rank, as list_write() writes them. */
void list_group(const struct list *list, uint64_t rank, struct list_node *nodes);

/* The rank of the index-th node of a written list (index < linked). */
uint64_t list_rank(const struct list *list, uint64_t index);

/* The place of the group of that rank, and also the rank of the group at that place: pairs of
 * groups exchange places, so both mappings are equal. */
uint64_t list_place(const struct list *list, uint64_t rank);
bool list_deleted(const struct list *list, uint64_t rank);

/* The value of the node of that rank, always even. */
static inline int32_t list_value(uint64_t rank)
{
	return (int32_t)((rank * 0x2c9277b5 & (LIST_NODES_MOST - 1)) << 1);
}

/* Both need a written list. list_before(): the number of linked groups before that rank or place.
 * list_linked(): the rank or place of the index-th linked group (index is below their number). */
uint64_t list_before(const struct list *list, int by, uint64_t at);
uint64_t list_linked(const struct list *list, int by, uint64_t index);

/* The index-th node of a written list (index < linked). */
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
enum { GROUP_CHOICES = 5 }; /* group sizes 1, 2, 4, 8, 16 */

enum { LOOKUP_VALUES_MOST = 1024, LOOKUP_LANES = 4, LOOKUP_WRONG = 2 };

/* The state of a loop: it starts from here and updates it. */
struct lookup_walk {
	const void *cursor; /* the node, or the position in the index if the form has one */
	uint64_t left; /* remaining comparisons, groups of comparisons, or nodes to compare with all
			  values */
	int32_t wanted;	       /* the value to find, if the loop looks up one value */
	const int32_t *values; /* all values, padded to whole vectors */
	int32_t *found;	       /* per value: not 0 if it is in the list */
	uint64_t count;	       /* number of values */
};

/* Returns whether the one value was found. The walk then stays at its node, and `left` still counts
 * that node. */
typedef bool lookup_loop(struct lookup_walk *walk);

/* The values to look up and their results, stored after the nodes. */
struct lookup_tables {
	int32_t values[LOOKUP_VALUES_MOST];
	int32_t found[LOOKUP_VALUES_MOST]; /* 0: not found; LOOKUP_WRONG: found at a wrong node */
	uint64_t begin[LOOKUP_VALUES_MOST +
		       1]; /* comparisons before the walk for each value, if each value has its own
			      walk; the last entry is the total */
};

/* The list of a setting; memory may be NULL. */
struct list lookup_list_of(const int64_t *v, unsigned char *memory, uint64_t seed);

/* The list of a prepared run. */
const struct list *lookup_list(const struct kernel_run *run);

/* Byte offsets of the tables and of the index, and the end of both. */
uint64_t lookup_tables_at(const struct list *list);
uint64_t lookup_index_at(const struct list *list);
uint64_t lookup_end(const struct list *list);
struct lookup_tables *lookup_tables(const struct kernel_run *run);
const struct list_node **lookup_index(const struct kernel_run *run);

/* lookup_hits(): number of values that are in the list. lookup_hit(): whether the k-th value is in
 * the list, and the index of its node. */
uint64_t lookup_hits(const int64_t *v);
bool lookup_hit(const struct kernel_run *run, uint64_t k, uint64_t *index);

/* Fills the tables and run->ring. */
void lookup_fill(struct kernel_run *run);

/* Callbacks of the kernel: call, rewind, begin_at, verify and proof. */
void lookup_call(struct kernel_run *run, uint64_t elements);
void lookup_rewind(struct kernel_run *run);
void lookup_begin_at(struct kernel_run *run, double share);
struct status lookup_verify(struct kernel_run *run);
struct status lookup_proof(struct kernel_run *run);
