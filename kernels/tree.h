/* Shared by the files of tree-lookup: the knobs, the shape of the tree, the places of its nodes,
 * and the walk of its loops. */
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
enum { KEYS_CHOICES = 4 }; /* 1, 3, 7 or 15 keys: one less than a power of two */
enum { CHILD_POINTER, CHILD_COMPUTED };
enum { FORM_BRANCHING, FORM_BRANCH_FREE, FORMS };
enum { TREE_LOOKUPS_MOST = 64 };

/* A tree of a setting. A node is an array of words: its keys in ascending order, then the addresses
 * of its children (one more than keys). A bare node has no addresses. After the last node lies the
 * node "nothing", where all searches for missing keys end. It points to itself, and its keys are
 * the largest. */
struct tree {
	enum tree_order order;
	bool balanced, bare;
	unsigned keys;	       /* keys of a node */
	unsigned spread;       /* a node has 2^spread children: keys + 1 */
	uint64_t words;	       /* 8-byte words of a node */
	uint64_t nodes;	       /* number of nodes without "nothing"; > 0 */
	unsigned levels;       /* levels of a balanced tree with this number of nodes */
	uint64_t above;	       /* nodes above the last level */
	struct shuffle places; /* places of nodes in random order */
	struct shuffle turns;  /* the insertion order of keys, for an unbalanced tree */
};

struct tree tree_make(const int64_t *v, uint64_t seed);

/* Bytes of a node, and the number of nodes of a setting. */
uint64_t tree_node_bytes(const int64_t *v);
uint64_t tree_nodes(const int64_t *v);

/* Keys in the whole tree. */
uint64_t tree_keys(const struct tree *tree);

/* Nodes of balanced trees are numbered in level order: the children of i are (keys + 1) * i + 1 and
 * the following nodes. tree_rank() is the rank of a key among all keys; tree_node_of() finds the
 * node and slot of a rank. */
uint64_t tree_rank(const struct tree *tree, uint64_t node, unsigned slot);
uint64_t tree_node_of(const struct tree *tree, uint64_t rank, unsigned *slot);

/* The place of the node that has the key of that rank, counted in nodes. */
uint64_t tree_place(const struct tree *tree, uint64_t rank);

/* Lays the tree out at run->memory, where `have` nodes already exist. Returns the number of nodes
 * laid out, which is smaller than `nodes` if *cancel is set. For a balanced tree, a later call can
 * continue from there. */
uint64_t tree_lay_out(const struct tree *tree, struct kernel_run *run, uint64_t have);

/* Lays out only the nodes that the first run->layout.sample lookups visit. The tree must be
 * balanced. */
void tree_lay_out_sample(
	const struct tree *tree, struct kernel_run *run, const struct asked *asked);

/* Height of the laid-out tree in nodes, from the root to the deepest node. */
uint64_t tree_height(const struct tree *tree, const void *memory);

/* The slot of the first key in the node that is not smaller than `key`. tree->keys: all keys are
 * smaller. */
static inline unsigned tree_slot(const struct tree *tree, const uint64_t *node, uint64_t key)
{
	unsigned slot = 0;

	while (slot < tree->keys && key > node[slot])
		slot++;
	return slot;
}

/* The address of the root. */
const uint64_t *tree_root(const struct tree *tree, const void *memory);

/* The lookups of one call, and their results. */
struct tree_walk {
	const uint64_t *asked; /* keys to look up */
	uint64_t count;	       /* number of keys, a multiple of `lookups` */
	uint64_t lookups;      /* number of lookups at a time */
	const uint64_t *nodes; /* the first word of the first node */
	uint64_t number;       /* number of nodes, and also the number of the node "nothing" */
	const void *root, *nothing;
	uint64_t levels;
	uint64_t found;
	uint64_t sum; /* sum of the places of found nodes, or of their addresses if children are
			 pointers */
	/* The position of each lookup, if there are several. */
	uint64_t at[TREE_LOOKUPS_MOST], to[TREE_LOOKUPS_MOST];
};

typedef void tree_loop(struct tree_walk *walk);
