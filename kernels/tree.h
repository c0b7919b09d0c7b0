/* What the files of tree-lookup share: the knobs, the shape of a tree and the places of its nodes,
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
enum { KEYS_CHOICES = 4 }; /* 1, 3, 7, 15: one less than a power of two */
enum { CHILD_POINTER, CHILD_COMPUTED };
enum { FORM_BRANCHING, FORM_BRANCH_FREE, FORMS };
enum { TREE_LOOKUPS_MOST = 64 };

/* A tree of a setting. A node is an array of words: its keys, ascending, then the addresses of its
 * children, one more than keys, unless it is bare. After the last node lies the node "nothing",
 * where all searches end that find no key. It leads to itself, and its keys are the largest. */
struct tree {
	enum tree_order order;
	bool balanced, bare;
	unsigned keys;	       /* of a node */
	unsigned spread;       /* a node has 2^spread children: keys + 1 */
	uint64_t words;	       /* 8-byte words of a node */
	uint64_t nodes;	       /* without nothing; > 0 */
	unsigned levels;       /* of the balanced tree with so many nodes */
	uint64_t above;	       /* nodes above its last level */
	struct shuffle places; /* of nodes, where they lie in random order */
	struct shuffle turns;  /* which key went in when, where the tree is not balanced */
};

struct tree tree_make(const int64_t *v, uint64_t seed);

/* Bytes of a node; nodes of a setting. */
uint64_t tree_node_bytes(const int64_t *v);
uint64_t tree_nodes(const int64_t *v);

/* Keys in the whole tree. */
uint64_t tree_keys(const struct tree *tree);

/* Nodes of balanced trees are numbered in level order: the children of i are (keys + 1) * i + 1 and
 * the following nodes. tree_rank() is the rank of a key among all keys; tree_node_of() finds the
 * node and slot of a rank. */
uint64_t tree_rank(const struct tree *tree, uint64_t node, unsigned slot);
uint64_t tree_node_of(const struct tree *tree, uint64_t rank, unsigned *slot);

/* The place in memory, in nodes, of the node that has the key of that rank. */
uint64_t tree_place(const struct tree *tree, uint64_t rank);

/* Lays the tree out at run->memory, where `have` nodes exist. Returns the nodes laid out: fewer
 * than all once *cancel is set. A balanced tree continues from there later. */
uint64_t tree_lay_out(const struct tree *tree, struct kernel_run *run, uint64_t have);

/* Lays out the nodes that the first run->layout.sample lookups visit, in a balanced tree. */
void tree_lay_out_sample(
	const struct tree *tree, struct kernel_run *run, const struct asked *asked);

/* Nodes from the root of the laid-out tree down to the deepest, both included. */
uint64_t tree_height(const struct tree *tree, const void *memory);

/* The first key of that node that is not smaller than `key`; tree->keys: all are smaller. */
static inline unsigned tree_slot(const struct tree *tree, const uint64_t *node, uint64_t key)
{
	unsigned slot = 0;

	while (slot < tree->keys && key > node[slot])
		slot++;
	return slot;
}

/* The position of the root. */
const uint64_t *tree_root(const struct tree *tree, const void *memory);

/* A binary node with pointers. */
struct tree_node {
	uint64_t key;
	const struct tree_node *left, *right;
};

/* The lookups of one call, and their results. */
struct tree_walk {
	const uint64_t *asked; /* keys */
	uint64_t count;	       /* of them: a multiple of `lookups` */
	uint64_t lookups;      /* at once */
	const uint64_t *nodes; /* the first word of the first node */
	uint64_t number;       /* of nodes: that of nothing, which is none */
	const void *root, *nothing;
	uint64_t levels;
	uint64_t found;
	uint64_t sum; /* of what was found: the places, or addresses where children are pointers */
	/* The position of each of several lookups. */
	uint64_t at[TREE_LOOKUPS_MOST], to[TREE_LOOKUPS_MOST];
	const struct tree_node *node[TREE_LOOKUPS_MOST];
};

typedef void tree_loop(struct tree_walk *walk);
