/* Declarations shared by the files of the kernel tree-lookup: the knobs, the shape of the tree, the
 * places of its nodes, and the state of its loops. */
#pragma once

#include "kernels/asked.h"
#include "kernels/kernel.h"
#include "kernels/shuffle.h"

enum {
	TREE_SIZE,
	TREE_ORDER,
	TREE_KEYS,
	TREE_BALANCED,
	TREE_BARE,
	TREE_CHILD,
	TREE_FORM,
	TREE_LOOKUPS,
	TREE_FOUND,
	TREE_WHOLE,
	TREE_PAGES,
	TREE_KNOBS
};
enum tree_order { ORDER_RANDOM, ORDER_LEVEL, ORDER_SORTED };
enum {
	KEYS_CHOICES = 4
}; /* number of choices of the knob `keys`: 1, 3, 7 or 15 keys per node, one less than a power of
      two */
enum { CHILD_POINTER, CHILD_COMPUTED };
enum { FORM_BRANCHING, FORM_BRANCH_FREE, FORMS };
enum { TREE_LOOKUPS_MOST = 64 };

/* The tree of a setting. A node is an array of words: its keys in ascending order, then the
 * addresses of its children. A node has one child more than keys. A bare node holds only keys, and
 * no addresses of children. After the last node lies the node "nothing", where all searches for
 * missing keys end. The node "nothing" points to itself, and its keys are larger than all other
 * keys. */
struct tree {
	enum tree_order order;
	bool balanced, bare;
	unsigned keys;	 /* number of keys of a node */
	unsigned spread; /* binary logarithm of the number of children of a node: 2^spread = keys +
			    1 */
	uint64_t words;	 /* number of 8-byte words of a node */
	uint64_t nodes;	 /* number of nodes (> 0), not counting the node "nothing" */
	unsigned levels; /* number of levels of a balanced tree with `nodes` nodes */
	uint64_t above;	 /* number of nodes above the last level */
	struct shuffle places; /* the places of the nodes in memory, if their order is random */
	struct shuffle turns;  /* the order in which an unbalanced tree inserts its keys */
};

struct tree tree_make(const int64_t *v, uint64_t seed);

/* tree_node_bytes() returns the bytes of a node. tree_nodes() returns the number of nodes at the
 * setting v. */
uint64_t tree_node_bytes(const int64_t *v);
uint64_t tree_nodes(const int64_t *v);

/* Returns the number of keys in the whole tree. */
uint64_t tree_keys(const struct tree *tree);

/* Nodes of balanced trees are numbered in level order: the children of node i are node (keys + 1) *
 * i + 1 and the following nodes. tree_rank() returns the rank of the key in a slot of a node, among
 * all keys. tree_node_of() returns the node of the key with a given rank, and stores the slot in
 * *slot. */
uint64_t tree_rank(const struct tree *tree, uint64_t node, unsigned slot);
uint64_t tree_node_of(const struct tree *tree, uint64_t rank, unsigned *slot);

/* Returns the place of the node that holds the key with rank `rank`. Places are counted in nodes.
 */
uint64_t tree_place(const struct tree *tree, uint64_t rank);

/* Lays the tree out at run->memory, where `have` nodes already exist. Returns the number of nodes
 * laid out. The number of nodes laid out is smaller than tree->nodes if run->work.cancel is set.
 * For a balanced tree, a later call can lay out the remaining nodes. */
uint64_t tree_lay_out(const struct tree *tree, struct kernel_run *run, uint64_t have);

/* Lays out only the nodes that the first run->layout.sample lookups visit. The tree must be
 * balanced. */
void tree_lay_out_sample(
	const struct tree *tree, struct kernel_run *run, const struct asked *asked);

/* Returns the height of the laid-out tree: the number of nodes from the root to the deepest node.
 */
uint64_t tree_height(const struct tree *tree, const void *memory);

/* Returns the slot of the first key in the node that is not smaller than `key`. Returns tree->keys
 * if all keys of the node are smaller. */
static inline unsigned tree_slot(const struct tree *tree, const uint64_t *node, uint64_t key)
{
	unsigned slot = 0;

	while (slot < tree->keys && key > node[slot])
		slot++;
	return slot;
}

/* Returns the address of the root node. */
const uint64_t *tree_root(const struct tree *tree, const void *memory);

/* The lookups of one call, and their results. */
struct tree_walk {
	const uint64_t *asked; /* keys to look up */
	uint64_t count;	       /* number of keys to look up, a multiple of `lookups` */
	uint64_t lookups;      /* number of lookups that the loop interleaves */
	const uint64_t *nodes; /* the first word of the first node */
	uint64_t number;       /* number of nodes, and also the number of the node "nothing" */
	const void *root, *nothing;
	uint64_t levels;
	uint64_t found;
	uint64_t sum; /* sum of the places of found nodes; with pointers to children, sum of the
			 addresses of found nodes */
	/* The next node of each search, if the loop interleaves several lookups. */
	uint64_t at[TREE_LOOKUPS_MOST], to[TREE_LOOKUPS_MOST];
};

typedef void tree_loop(struct tree_walk *walk);
