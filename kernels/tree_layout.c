/* Lays out the trees of the kernel tree-lookup in memory: see tree.h. */
#include "kernels/tree.h"

/* Number of nodes between two checks of run->work.cancel. */
enum { CANCEL_EVERY = 4096 };

/* ---- The shape */

static unsigned spread_of(const int64_t *v)
{
	return (unsigned)v[TREE_KEYS] + 1;
}

static uint64_t words_of(const int64_t *v)
{
	uint64_t children = (uint64_t)1 << spread_of(v);

	return v[TREE_BARE] ? children - 1 : 2 * children - 1;
}

uint64_t tree_node_bytes(const int64_t *v)
{
	return words_of(v) * 8;
}

/* Returns the number of nodes that fit in the working set, without the node "nothing". A search
 * that reaches the node "nothing" has found no key. */
uint64_t tree_nodes(const int64_t *v)
{
	uint64_t most = (uint64_t)v[TREE_SIZE] / tree_node_bytes(v);

	return most > 1 ? most - 1 : 1;
}

/* Returns the number of nodes in `levels` full levels. */
static uint64_t full(const struct tree *tree, unsigned levels)
{
	return (((uint64_t)1 << tree->spread * levels) - 1) / tree->keys;
}

struct tree tree_make(const int64_t *v, uint64_t seed)
{
	struct tree tree = {
		.order = (enum tree_order)v[TREE_ORDER],
		.balanced = v[TREE_BALANCED],
		.bare = v[TREE_BARE],
		.spread = spread_of(v),
		.keys = (1u << spread_of(v)) - 1,
		.words = words_of(v),
		.nodes = tree_nodes(v),
	};

	while (full(&tree, tree.levels) < tree.nodes)
		tree.levels++;
	tree.above = full(&tree, tree.levels - 1);
	tree.places = shuffle_make(tree.nodes, seed);
	tree.turns = shuffle_make(tree.nodes, ~seed);
	return tree;
}

uint64_t tree_keys(const struct tree *tree)
{
	return tree->nodes * tree->keys;
}

/* If the last level of the tree is full, the rank of a key among all keys is
 * position * children^height + (slot + 1) * children^(height - 1) - 1. If the last level of the
 * tree is not full, the function subtracts from the rank of a key the number of smaller keys that
 * are missing in the last level. */
uint64_t tree_rank(const struct tree *tree, uint64_t node, unsigned slot)
{
	unsigned level = (63 - (unsigned)__builtin_clzll(node * tree->keys + 1)) / tree->spread,
		 height = tree->levels - level;
	uint64_t position = node - full(tree, level),
		 last = (tree->nodes - tree->above) * tree->keys;
	uint64_t rank = (position << tree->spread * height) +
			((uint64_t)(slot + 1) << tree->spread * (height - 1)) - 1;
	uint64_t lower =
		rank - (rank >> tree->spread); /* number of keys in the last level that are smaller
						  than this key, if the last level is full */

	return lower > last ? rank - (lower - last) : rank;
}

uint64_t tree_node_of(const struct tree *tree, uint64_t rank, unsigned *slot)
{
	uint64_t there = (tree->nodes - tree->above) << tree->spread, next;
	unsigned height;

	if (rank >= there)
		rank = there + ((rank - there + 1) << tree->spread) - 1;
	next = rank + 1;
	height = (unsigned)__builtin_ctzll(next) / tree->spread;
	*slot = (unsigned)(next >> tree->spread * height & tree->keys) - 1;
	return full(tree, tree->levels - 1 - height) + (next >> tree->spread * (height + 1));
}

/* ---- Places */

static uint64_t place_of_node(const struct tree *tree, uint64_t node)
{
	if (tree->order == ORDER_RANDOM)
		return shuffle_to(&tree->places, node);
	return tree->order == ORDER_LEVEL ? node : tree_rank(tree, node, 0);
}

static uint64_t node_at_place(const struct tree *tree, uint64_t place)
{
	unsigned slot;

	if (tree->order == ORDER_RANDOM)
		return shuffle_from(&tree->places, place);
	return tree->order == ORDER_LEVEL ? place : tree_node_of(tree, place, &slot);
}

/* Returns the place of a node in an unbalanced tree. Nodes of an unbalanced tree have one key each,
 * and are numbered by the rank of this key. */
static uint64_t place_of_rank(const struct tree *tree, uint64_t rank)
{
	return tree->order == ORDER_RANDOM ? shuffle_to(&tree->places, rank) : rank;
}

uint64_t tree_place(const struct tree *tree, uint64_t rank)
{
	unsigned slot;

	return tree->balanced ? place_of_node(tree, tree_node_of(tree, rank, &slot))
			      : place_of_rank(tree, rank);
}

const uint64_t *tree_root(const struct tree *tree, const void *memory)
{
	uint64_t place = tree->balanced ? place_of_node(tree, 0)
					: place_of_rank(tree, shuffle_from(&tree->turns, 0));

	return (const uint64_t *)memory + place * tree->words;
}

/* ---- Layout */

static uint64_t *node_at(const struct tree *tree, unsigned char *memory, uint64_t place)
{
	return (uint64_t *)(void *)memory + place * tree->words;
}

static uint64_t address_of(const uint64_t *node)
{
	return (uint64_t)(uintptr_t)node;
}

static void lay_nothing(const struct tree *tree, unsigned char *memory, uint64_t height)
{
	uint64_t *nothing = node_at(tree, memory, tree->nodes);

	for (uint64_t i = 0; i < tree->words; i++)
		nothing[i] = i < tree->keys ? UINT64_MAX - height : address_of(nothing);
}

uint64_t tree_height(const struct tree *tree, const void *memory)
{
	const uint64_t *nothing = (const uint64_t *)memory + tree->nodes * tree->words;
	uint64_t height = UINT64_MAX - *nothing;

	if (tree->balanced)
		return tree->levels;
	/* The height of the tree is stored in memory that may be overwritten, so the returned
	 * height is limited. */
	return height < tree->nodes ? height : tree->nodes;
}

static void lay_node(const struct tree *tree, unsigned char *memory, uint64_t node, uint64_t *at)
{
	uint64_t child = (node << tree->spread) + 1;

	for (unsigned slot = 0; slot < tree->keys; slot++)
		at[slot] = asked_present(tree_rank(tree, node, slot));
	for (unsigned i = 0; !tree->bare && i <= tree->keys; i++, child++)
		at[tree->keys + i] = address_of(node_at(tree, memory,
			child < tree->nodes ? place_of_node(tree, child) : tree->nodes));
}

static void lay_place(const struct tree *tree, unsigned char *memory, uint64_t place)
{
	lay_node(tree, memory, node_at_place(tree, place), node_at(tree, memory, place));
}

/* Writes the nodes in the order of memory. */
static uint64_t lay_balanced(const struct tree *tree, struct kernel_run *run, uint64_t have)
{
	for (; have < tree->nodes; have++) {
		if (have % CANCEL_EVERY == 0 && !kernel_goes_on(run, have, tree->nodes))
			return have;
		lay_place(tree, run->memory, have);
	}
	lay_nothing(tree, run->memory, tree->levels);
	return have;
}

/* A node of the unbalanced tree under construction whose right subtree can still change. */
struct open {
	uint64_t turn, rank, left, height; /* height: number of levels of the left subtree */
};

/* Maximum number of open nodes. Random keys never reach OPEN_MOST open nodes: n keys have about as
 * many open nodes as the n-th harmonic number. An open node is a node whose right subtree can still
 * change. If OPEN_MOST nodes are open, the newest one is closed early, so that its right subtree no
 * longer changes; the tree still has the same keys. */
enum { OPEN_MOST = 256 };

/* Builds the tree in which keys are inserted one by one. Keys are inserted into the unbalanced tree
 * in random order; the turn of a key is its number in this order. Insertion puts each key below
 * keys that were inserted earlier, so the tree can be built in ascending order of its keys. Each
 * key becomes the right child of the last open key (its right subtree can still change) that was
 * inserted earlier. The former right subtree of that open key becomes the left subtree of the new
 * key. */
static uint64_t lay_unbalanced(const struct tree *tree, struct kernel_run *run)
{
	struct open open[OPEN_MOST];
	uint64_t nothing = address_of(node_at(tree, run->memory, tree->nodes)), height = 0;
	unsigned count = 0;

	for (uint64_t rank = 0; rank <= tree->nodes; rank++) {
		uint64_t turn = rank < tree->nodes ? shuffle_to(&tree->turns, rank) : 0,
			 below = nothing;

		if (rank % CANCEL_EVERY == 0 && !kernel_goes_on(run, rank, tree->nodes))
			return 0;
		for (height = 0; count > 0 && (rank == tree->nodes || open[count - 1].turn > turn ||
						      count == OPEN_MOST);) {
			const struct open *top = &open[--count];
			uint64_t *node = node_at(tree, run->memory, place_of_rank(tree, top->rank));

			node[0] = asked_present(top->rank);
			node[1] = top->left;
			node[2] = below;
			height = 1 + (top->height > height ? top->height : height);
			below = address_of(node);
		}
		open[count++] = (struct open){ turn, rank, below, height };
	}
	lay_nothing(tree, run->memory, height);
	return tree->nodes;
}

uint64_t tree_lay_out(const struct tree *tree, struct kernel_run *run, uint64_t have)
{
	if (have >= tree->nodes)
		return tree->nodes;
	return tree->balanced ? lay_balanced(tree, run, have) : lay_unbalanced(tree, run);
}

/* With order=sorted, a search visits the node in the middle of the remaining range of nodes. The
 * middle nodes differ slightly from the nodes on the path in the balanced tree. This function
 * writes the middle nodes that searches with and without branches visit. */
static void lay_middles(const struct tree *tree, struct kernel_run *run, uint64_t key)
{
	for (uint64_t from = 0, to = tree->nodes, at; from < to;) {
		at = (from + to) / 2;
		lay_place(tree, run->memory, at);
		if (key > asked_present(at))
			from = at + 1;
		else
			to = at;
	}
	for (uint64_t left = tree->nodes, from = 0, at; left > 0; left -= left > 1 ? left / 2 : 1) {
		at = from + left / 2;
		lay_place(tree, run->memory, at);
		from = key >= asked_present(at) ? at : from;
	}
}

static void lay_path(const struct tree *tree, struct kernel_run *run, uint64_t key)
{
	for (uint64_t node = 0; node < tree->nodes;) {
		uint64_t *at = node_at(tree, run->memory, place_of_node(tree, node));
		unsigned slot;

		lay_node(tree, run->memory, node, at);
		slot = tree_slot(tree, at, key);
		if (slot < tree->keys && key == at[slot])
			return;
		node = (node << tree->spread) + 1 + slot;
	}
}

void tree_lay_out_sample(const struct tree *tree, struct kernel_run *run, const struct asked *asked)
{
	for (uint64_t i = 0; i < run->layout.sample; i++) {
		lay_path(tree, run, asked_key(asked, i));
		if (tree->order == ORDER_SORTED)
			lay_middles(tree, run, asked_key(asked, i));
	}
	lay_nothing(tree, run->memory, tree->levels);
}
