/* Declarations shared by the files of the kernel list-lookup: the values of its knobs, the
 * arguments of its loops, and the functions that make all lookups. */
#pragma once

#include "kernels/kernel.h"
#include "kernels/shuffle.h"

/* ---- The list (list_nodes.c)
 *
 * A linked list over an array of nodes. The order of the list in memory ranges from perfect to
 * random. The fields of struct list determine the place of each node. The list can therefore be
 * written from one end of the array to the other, and a search can begin at any node.
 *
 * The array consists of groups of nodes. Nodes of a group are adjacent in memory. The rank of a
 * group is its number in list order. Most groups of nodes lie in the array in the order of their
 * ranks. Misplaced groups of nodes have exchanged their places in random pairs. A deleted node is
 * still in the array, but no pointer of the list leads to it. */

/* A node of the list. A node has 24 bytes, as in the cited article. */
struct list_node {
	const struct list_node *next; /* LIST_DELETED: this node is not in the list; NULL: this node
					 is the last node */
	int32_t value;
	int32_t rest[3]; /* filler data that the loops do not read */
};

#define LIST_DELETED ((const struct list_node *)(intptr_t)-1)

/* The largest number of nodes. Each node needs a different even value. */
#define LIST_NODES_MOST ((uint64_t)1 << 30)

struct list {
	struct list_node *nodes; /* array of all nodes, in the order of their places in memory */
	uint64_t count;		 /* number of all nodes: groups * group */
	uint64_t groups, group;
	uint64_t misplaced, deleted; /* number of misplaced groups and of deleted groups */
	uint64_t linked;	     /* number of nodes that the list visits */
	uint32_t *before[2]; /* the number of groups of nodes that are in the list, counted before
				each LIST_BLOCK-th group in list order (LIST_BY_RANK) or in array
				order (LIST_BY_PLACE) */
	struct shuffle places, deletions;
} __attribute__((may_alias));

enum { LIST_BLOCK = 256, LIST_GROUP_MOST = 16 };
enum { LIST_BY_RANK, LIST_BY_PLACE };

/* Returns the description of a list with at most `nodes` nodes, but at least `group` nodes.
 * misplaced and deleted are percentages of all groups. At least one group is linked. memory may be
 * NULL if the caller does not access nodes. */
struct list list_of(unsigned char *memory, uint64_t nodes, uint64_t group, int misplaced,
	int deleted, uint64_t seed);

/* Returns the bytes of memory that the list needs. */
uint64_t list_bytes(const struct list *list);

/* Writes the list to memory. list_write() returns false if run->work.cancel is set. of: number of
 * groups to lay out, for the report of progress. */
bool list_write(const struct list *list, struct kernel_run *run, uint64_t of);

/* Fills nodes[] with the nodes of the group with rank `rank`, as list_write() writes these nodes.
 */
void list_group(const struct list *list, uint64_t rank, struct list_node *nodes);

/* Returns the rank (number in list order, with deleted nodes) of the node at position `index` of a
 * written list (index < linked). */
uint64_t list_rank(const struct list *list, uint64_t index);

/* list_place() returns the place in the array of the group with a given rank (number in list
 * order). Applied to a place, list_place() returns the rank of the group there, because pairs of
 * groups have exchanged places. list_deleted() returns whether the group with a given rank is
 * deleted. */
uint64_t list_place(const struct list *list, uint64_t rank);
bool list_deleted(const struct list *list, uint64_t rank);

/* Returns the value of the node with rank `rank`. The value is always even. */
static inline int32_t list_value(uint64_t rank)
{
	return (int32_t)((rank * 0x2c9277b5 & (LIST_NODES_MOST - 1)) << 1);
}

/* list_before() returns how many groups of nodes before a rank (list order) or place (array order)
 * are in the list. list_linked() returns the rank or place of group number `index` among the groups
 * in the list. list_before() and list_linked() need a list that list_write() has written. */
uint64_t list_before(const struct list *list, int by, uint64_t at);
uint64_t list_linked(const struct list *list, int by, uint64_t index);

/* Returns the node at position `index` of a written list (index < linked). */
const struct list_node *list_at(const struct list *list, uint64_t index);

/* ---- The lookups (list_lookup_walk.c) */

/* The indices of the kernel's knobs in their order, and the values of the knobs that are choices.
 */
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
enum { GROUP_CHOICES = 5 }; /* number of choices of the group size: 1, 2, 4, 8 or 16 nodes */

enum { LOOKUP_VALUES_MOST = 1024, LOOKUP_LANES = 4, LOOKUP_WRONG = 2 };

/* The state of a search loop: where the loop starts, and, after the call, where it stopped. */
struct lookup_walk {
	const void *cursor; /* the next node to compare, or, with form=index, the next entry of the
			       index */
	uint64_t left;	/* number of remaining comparisons, of groups of comparisons, or of nodes to
			   compare with all values */
	int32_t wanted; /* the value to find, if the loop looks up one value at a time */
	const int32_t *values; /* all values to look up, padded to whole vectors */
	int32_t *found; /* for each value, a number that is not 0 if the value is in the list */
	uint64_t count; /* number of values */
};

/* A loop that looks up one value returns whether it found the value. After a successful search,
 * walk->cursor is the address of the found node, and walk->left still counts that node. */
typedef bool lookup_loop(struct lookup_walk *walk);

/* The values to look up and their results, stored after the nodes. */
struct lookup_tables {
	int32_t values[LOOKUP_VALUES_MOST];
	int32_t found[LOOKUP_VALUES_MOST]; /* the result for each value; 0: not found; LOOKUP_WRONG:
					      found at a wrong node */
	uint64_t begin[LOOKUP_VALUES_MOST +
		       1]; /* If the list is searched once for each value: the number of comparisons
			      made before the search for value number k. The last entry of begin[]
			      is the total number of comparisons. */
};

/* Returns the description of the list of a setting. memory may be NULL. */
struct list lookup_list_of(const int64_t *v, unsigned char *memory, uint64_t seed);

/* Returns the list of a prepared run. */
const struct list *lookup_list(const struct kernel_run *run);

/* Return byte offsets in the working set: of the tables of looked-up values, of the index of nodes,
 * and of the end of both. */
uint64_t lookup_tables_at(const struct list *list);
uint64_t lookup_index_at(const struct list *list);
uint64_t lookup_end(const struct list *list);
struct lookup_tables *lookup_tables(const struct kernel_run *run);
const struct list_node **lookup_index(const struct kernel_run *run);

/* lookup_hits() returns the number of values that are in the list. lookup_hit() returns whether the
 * k-th value is in the list, and stores the position of its node in *index. */
uint64_t lookup_hits(const int64_t *v);
bool lookup_hit(const struct kernel_run *run, uint64_t k, uint64_t *index);

/* Fills the tables of looked-up values and of results, and sets run->ring, the number of
 * comparisons of all lookups. */
void lookup_fill(struct kernel_run *run);

/* The callbacks call(), rewind(), begin_at(), verify() and proof() of the kernel list-lookup. */
void lookup_call(struct kernel_run *run, uint64_t elements);
void lookup_rewind(struct kernel_run *run);
void lookup_begin_at(struct kernel_run *run, double share);
struct status lookup_verify(struct kernel_run *run);
struct status lookup_proof(struct kernel_run *run);
