/* The kernel tree-lookup looks keys up in a search tree: one by one or several at a time, with or
 * without branches, by pointers or by computed places. All forms search the same tree. In some
 * forms the next load waits for the previous load; in other forms it waits only for a branch
 * prediction. tree_loops.h has the loops; tree_layout.c lays out the trees. */
#include "kernels/knob_rows.h"
#include "kernels/tree_loops.h"

#include <math.h>

static const char *const order_names[] = { "random", "level", "sorted", NULL };
static const char *const keys_names[] = { "1", "3", "7", "15", NULL };
static const char *const child_names[] = { "pointer", "computed", NULL };
static const char *const form_names[] = { "branching", "branch-free", NULL };

enum { LINE = 64 };

static const struct knob knobs[] = {
	[TREE_SIZE] =
		KNOB_ROW_BYTES("size", "bytes of all nodes: 24 each with one key and pointers",
			1536, (int64_t)24 << 30, 1536 << 10, .axis = AXIS_SIZE, .factor = 2),
	[TREE_ORDER] = KNOB_ROW_CHOICE("order", "the order of the nodes in memory", order_names),
	[TREE_KEYS] =
		KNOB_ROW_CHOICE("keys", "keys per node; a node has one child more", keys_names),
	[TREE_BALANCED] =
		KNOB_ROW_COUNT("balanced", "0: a tree grown from keys in random order", 0, 1, 1),
	[TREE_BARE] = KNOB_ROW_COUNT("bare", "1: nodes without pointers", 0, 1, 0),
	[TREE_CHILD] = KNOB_ROW_CHOICE(
		"child", "how the place of the next node is found", child_names, .role = KNOB_FORM),
	[TREE_FORM] = KNOB_ROW_CHOICE("form", "one branch per comparison, or conditional moves",
		form_names, .role = KNOB_FORM),
	[TREE_LOOKUPS] = KNOB_ROW_COUNT("lookups", "lookups at once, level by level", 1,
		TREE_LOOKUPS_MOST, 1, .factor = 2, .role = KNOB_FORM),
	[TREE_FOUND] = KNOB_ROW_COUNT(
		"found", "percent of lookups whose key is in the tree", 0, 100, 100, .multiple = 5),
	[TREE_WHOLE] = KNOB_ROW_COUNT(
		"whole", "1: each trial is 16 M lookups, which are checked", 0, 1, 0),
	[TREE_PAGES] = KNOB_ROW_PAGES,
};

/* ---- Loops: for each form, a loop for one key at a time and a loop for several keys at a time */

static const char *const functions[FORMS][2] = { { "branching", "branching_interleaved" },
	{ "branch_free", "branch_free_interleaved" } };

struct loops {
	tree_loop *loop[FORMS][2];
};

#define CALLS(name, body, ...) \
	KERNEL_CALLS(name##_##body, struct tree_walk, body(walk, (struct tree_kind){ __VA_ARGS__ }))
#define KIND(name, ...)                                 \
	CALLS(name, branching, __VA_ARGS__)             \
	CALLS(name, branching_interleaved, __VA_ARGS__) \
	CALLS(name, branch_free, __VA_ARGS__)           \
	CALLS(name, branch_free_interleaved, __VA_ARGS__)
#define ROW(name)                                                                  \
	{                                                                          \
		{                                                                  \
			{ name##_branching, name##_branching_interleaved },        \
			{                                                          \
				name##_branch_free, name##_branch_free_interleaved \
			}                                                          \
		}                                                                  \
	}

/* The kinds of trees. The arguments after the name are the fields of struct tree_kind: computed,
 * sorted, keys, words. */
KIND(pointer, false, false, 1, 3)
KIND(many_3, false, false, 3, 7)
KIND(many_7, false, false, 7, 15)
KIND(many_15, false, false, 15, 31)
KIND(level_3, true, false, 1, 3)
KIND(level_1, true, false, 1, 1)
KIND(level_of_3, true, false, 3, 7)
KIND(level_of_7, true, false, 7, 15)
KIND(level_of_15, true, false, 15, 31)
KIND(bare_of_3, true, false, 3, 3)
KIND(bare_of_7, true, false, 7, 7)
KIND(bare_of_15, true, false, 15, 15)
KIND(sorted_3, true, true, 1, 3)
KIND(sorted_1, true, true, 1, 1)

static const struct loops pointers[KEYS_CHOICES] = { ROW(pointer), ROW(many_3), ROW(many_7),
	ROW(many_15) };
static const struct loops levels[2][KEYS_CHOICES] = {
	{ ROW(level_3), ROW(level_of_3), ROW(level_of_7), ROW(level_of_15) },
	{ ROW(level_1), ROW(bare_of_3), ROW(bare_of_7), ROW(bare_of_15) },
};
static const struct loops middles[2] = { ROW(sorted_3), ROW(sorted_1) };

static const struct loops *loops_of(const int64_t *v)
{
	if (v[TREE_CHILD] == CHILD_POINTER)
		return &pointers[v[TREE_KEYS]];
	return v[TREE_ORDER] == ORDER_SORTED ? &middles[v[TREE_BARE]]
					     : &levels[v[TREE_BARE]][v[TREE_KEYS]];
}

/* ---- Valid combinations of values */

/* If two knobs conflict, kernel_fit() changes the knob `order` first. */
static const struct knob_rule rules[] = {
	{ { TREE_BARE, 1, 1 }, { TREE_CHILD, CHILD_COMPUTED, CHILD_COMPUTED }, CHILD_COMPUTED, 0,
		"bare nodes have no pointers" },
	{ { TREE_ORDER, ORDER_RANDOM, ORDER_RANDOM }, { TREE_CHILD, CHILD_POINTER, CHILD_POINTER },
		CHILD_POINTER, ORDER_LEVEL, "places can be computed with order=level or sorted" },
	{ { TREE_BALANCED, 0, 0 }, { TREE_CHILD, CHILD_POINTER, CHILD_POINTER }, CHILD_POINTER, 1,
		"child=computed needs balanced=1, because other trees have gaps where a child is "
		"missing" },
	{ { TREE_KEYS, 1, KEYS_CHOICES - 1 }, { TREE_BALANCED, 1, 1 }, 1, 0,
		"trees with more keys in a node stay balanced, so use keys=1" },
	{ { TREE_ORDER, ORDER_LEVEL, ORDER_LEVEL }, { TREE_BALANCED, 1, 1 }, 1, ORDER_RANDOM,
		"balanced=0 needs order=random or sorted" },
	{ { TREE_ORDER, ORDER_SORTED, ORDER_SORTED }, { TREE_KEYS, 0, 0 }, 0, ORDER_LEVEL,
		"keys of other nodes lie between those of one node, so use keys=1" },
};

/* ---- Memory */

static uint64_t tree_footprint(const int64_t *v)
{
	return (tree_nodes(v) + 1) * tree_node_bytes(v);
}

/* The number that identifies the layout of the data includes the number of nodes, because the
 * addresses in the nodes depend on it. */
static uint64_t tree_layout(const int64_t *v)
{
	return tree_nodes(v) << 8 | (uint64_t)v[TREE_ORDER] << 4 | (uint64_t)v[TREE_KEYS] << 2 |
	       (uint64_t)v[TREE_BALANCED] << 1 | (uint64_t)v[TREE_BARE];
}

/* ---- Facts that the machine code does not show */

/* Returns the bytes of all cache lines that hold `nodes` nodes of the tree. */
static double range_of(const struct tree *tree, double nodes)
{
	double all = (double)(tree->nodes * tree->words * 8), lines = all / LINE;

	if (tree->order == ORDER_LEVEL)
		return nodes * (double)tree->words * 8;
	return tree->order == ORDER_SORTED ? fmin(nodes * LINE, all)
					   : all * (1 - exp(-nodes / lines));
}

/* Returns the number of cache lines of a node that a search touches. A search waits for the first
 * line of a node only. A search with branches compares half of the keys of a node on average. */
static double lines_of(const struct tree *tree, const int64_t *v)
{
	double bytes = 8 * (v[TREE_FORM] == FORM_BRANCHING ? (tree->keys + 1) / 2.0 : tree->keys);

	/* The pointer to the child may be in another cache line than the keys. */
	if (!tree->bare && v[TREE_CHILD] == CHILD_POINTER)
		bytes = tree->keys == 1 ? v[TREE_FORM] == FORM_BRANCHING ? 20 : 24
					: bytes + fmin(8.0 * tree->keys, LINE);
	return 1 + (bytes - 8) / LINE;
}

/* Adds an entry to walk->reach (memory accesses by part of the data) for each level of a balanced
 * tree. Returns the average number of nodes that a search visits. A search for a key in the tree
 * ends at the level of the key. Searches for missing keys reach the last level, where some nodes
 * are missing. */
static double balanced_reaches(
	const int64_t *v, const struct tree *tree, enum reach_way way, struct kernel_walk *walk)
{
	double found = (double)v[TREE_FOUND] / 100, all = (double)tree->nodes, above = 0, width = 1,
	       visited = 0;

	for (unsigned level = 0; level < tree->levels; level++, width *= tree->keys + 1) {
		double nodes = fmin(width, all - above),
		       below = (tree->keys + 1) * nodes / (all * tree->keys + 1);
		double missing = level + 1 < tree->levels ? 1 : below;
		double share = found * (1 - above / all) + (1 - found) * missing;

		above += nodes;
		visited += share;
		walk->reach[walk->reaches++] =
			(struct kernel_reach){ share, range_of(tree, above), way };
	}
	return visited;
}

/* Adds entries to walk->reach (memory accesses by part of the data) for an unbalanced tree. Returns
 * the average number of nodes that a search visits. The t-th inserted node is on the path to any
 * key with a probability of 2 / (t + 1). On average, a search for a key in the tree ends one node
 * earlier than a search for a missing key. */
static double unbalanced_reaches(
	const int64_t *v, const struct tree *tree, enum reach_way way, struct kernel_walk *walk)
{
	double all = (double)tree->nodes, visited = 0;

	for (double from = 0, to = 1; from < all && walk->reaches < KERNEL_REACHES;
		from = to, to *= 2) {
		double end = fmin(to, all), share = 2 * log((end + 1.5) / (from + 1.5));

		if (to >= all)
			share = fmax(share - (double)v[TREE_FOUND] / 100, 0);
		visited += share;
		walk->reach[walk->reaches++] =
			(struct kernel_reach){ share, range_of(tree, end), way };
	}
	return visited;
}

static const char *waits_of(const int64_t *v)
{
	static const char *const clauses[2][FORMS] = {
		[CHILD_POINTER] = {
			[FORM_BRANCHING] = "the child's address is in this node; which child it is, is predicted, and half of the predictions are wrong",
			[FORM_BRANCH_FREE] = "the children's addresses are in this node; the choice waits for the comparison",
		},
		[CHILD_COMPUTED] = {
			[FORM_BRANCHING] = "only the comparison, which is predicted: half of the next nodes are fetched before this node's key arrives",
			[FORM_BRANCH_FREE] = "the comparison, which picks one of two places: only the key is loaded for it",
		},
	};

	return clauses[v[TREE_CHILD]][v[TREE_FORM]];
}

static void tree_describe(const int64_t *v, struct kernel_walk *walk)
{
	struct tree tree = tree_make(v, 0);
	/* With child=computed and form=branching, only the comparison with the key selects the next
	 * node. If the branch is predicted correctly, the next load does not wait. */
	enum reach_way way = v[TREE_CHILD] == CHILD_COMPUTED && v[TREE_FORM] == FORM_BRANCHING
				     ? REACH_GUESSED
				     : REACH_CHAINED;
	double visited;

	visited = tree.balanced ? balanced_reaches(v, &tree, way, walk)
				: unbalanced_reaches(v, &tree, way, walk);
	walk->lines = visited * lines_of(&tree, v);
	walk->access = "lookup";
	walk->scattered = true;
	walk->chains = (double)v[TREE_LOOKUPS];
	walk->restart = (double)v[TREE_LOOKUPS];
	walk->waits = waits_of(v);
	/* All children of a node are equally likely, so a predictor can only guess the child. */
	if (v[TREE_FORM] == FORM_BRANCHING)
		walk->mispredicts = visited * tree.keys / (tree.keys + 1.0);
}

/* ---- The kernel */

/* The data that prepare() stores in run->kept for later calls. */
struct kept {
	struct asked asked;
	struct tree tree;
	const uint64_t *root;
	uint64_t height;
} __attribute__((may_alias));

_Static_assert(sizeof(struct kept) <= sizeof(((struct kernel_run *)0)->kept),
	"a run has room for what is kept");

static struct kept *kept_in(const struct kernel_run *run)
{
	return (struct kept *)(void *)(uintptr_t)run->kept;
}

static const struct tree *tree_of(const struct kernel_run *run)
{
	return &kept_in(run)->tree;
}

static uint64_t place_of(const struct kernel_run *run, uint64_t rank)
{
	return tree_place(tree_of(run), rank);
}

/* Returns whether the search for a key ends. The function follows pointers that may be wrong, and
 * stops if a pointer leads out of the tree. */
static bool search_ends(const struct kernel_run *run, uint64_t key)
{
	const struct tree *tree = tree_of(run);
	uint64_t bytes = tree->words * 8, base = (uintptr_t)run->memory,
		 nothing = base + tree->nodes * bytes, at = (uintptr_t)tree_root(tree, run->memory);

	if (run->v[TREE_CHILD] != CHILD_POINTER)
		return true;
	for (uint64_t steps = tree_height(tree, run->memory); at != nothing; steps--) {
		const uint64_t *here = (const uint64_t *)(uintptr_t)at;
		unsigned slot = tree_slot(tree, here, key);

		if (slot < tree->keys && key == here[slot])
			return true;
		/* The search loads all pointers of the node, but follows only the pointer in
		 * `slot`. */
		at = here[tree->keys + slot];
		if (at < base || at > nothing || (at - base) % bytes || steps == 0)
			return false;
	}
	return true;
}

static const struct asked_kind kind = { "places", place_of, search_ends };

static struct status tree_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct tree *tree = &kept_in(run)->tree;
	bool several = v[TREE_LOOKUPS] > 1;
	uint64_t bytes, have;

	*tree = tree_make(v, run->seed);
	bytes = tree->words * 8;
	have = tree->nodes;
	asked_prepare(run, &kind, tree_keys(tree), v[TREE_FOUND], v[TREE_LOOKUPS], v[TREE_WHOLE]);
	if (run->layout.sample && tree->balanced)
		tree_lay_out_sample(tree, run, asked_of(run));
	else if (run->layout.prepared < tree_footprint(v))
		have = tree_lay_out(tree, run, run->layout.prepared / bytes);
	kept_in(run)->root = tree_root(tree, run->memory);
	kept_in(run)->height = tree_height(tree, run->memory);
	/* The node after the last node of the tree is the node "nothing", where searches for
	 * missing keys end. */
	run->layout.laid_out = (have < tree->nodes ? have : tree->nodes + 1) * bytes;
	run->code.start = (const void *)loops_of(v)->loop[v[TREE_FORM]][several];
	run->code.name = functions[v[TREE_FORM]][several];
	return have < tree->nodes
		       ? status_make(STATUS_CANCELLED, "stopped while the data were prepared")
		       : status_ok();
}

/* An unbalanced tree cannot be laid out in part. The model therefore reads the executed code from
 * searches in a small tree, although a smaller tree is less deep. */
static void tree_shrink(int64_t *v)
{
	const int64_t most = 3 << 20;

	v[TREE_WHOLE] = 0;
	v[TREE_LOOKUPS] = v[TREE_LOOKUPS] < 8 ? v[TREE_LOOKUPS] : 8;
	if (!v[TREE_BALANCED] && v[TREE_SIZE] > most)
		v[TREE_SIZE] = most;
}

/* The model steps through few lookups: a step over one instruction takes about 20 microseconds, and
 * a lookup needs hundreds of instructions. */
static unsigned tree_few(const int64_t *v)
{
	return v[TREE_KEYS] > 1 && v[TREE_FORM] == FORM_BRANCH_FREE ? 6 : 12;
}

static void tree_call(struct kernel_run *run, uint64_t elements)
{
	const struct tree *tree = tree_of(run);
	const uint64_t *nodes = (const uint64_t *)(const void *)run->memory;
	uint64_t keys[ASKED_BATCH];
	struct tree_walk walk = {
		.asked = keys,
		.lookups = run->granule,
		.nodes = nodes,
		.number = tree->nodes,
		.root = kept_in(run)->root,
		.nothing = nodes + tree->nodes * tree->words,
		.levels = kept_in(run)->height,
	};

	while ((walk.count = asked_next(run, keys, &elements)) > 0)
		((tree_loop *)run->code.start)(&walk);
	if (run->v[TREE_CHILD] == CHILD_POINTER)
		walk.sum = (walk.sum - walk.found * (uintptr_t)nodes) / (tree->words * 8);
	run->result = asked_result(walk.found, walk.sum);
}

/* Times of a lookup on a Granite Rapids, in cycles. 16 M nodes in level order with computed places:
 * 1,430 with branches, 2,620 without branches. 16 M nodes in level order with pointers: 4,250 with
 * branches, 2,620 without branches. 8 K nodes, all forms: 220 to 280 with branches, 35 to 72
 * without branches. */
static const char *tree_remark(const int64_t *v)
{
	bool branching = v[TREE_FORM] == FORM_BRANCHING, several = v[TREE_LOOKUPS] > 1;

	if (!v[TREE_BALANCED] && !branching)
		return "Each lookup takes as many steps as the tree is deep, twice the average "
		       "depth of a key; after the key it stays in place.";
	if (!v[TREE_BALANCED] && several)
		return "Lookups that have ended wait for the deepest one.";
	if (several && branching)
		return "Misses of several lookups overlap, mispredictions do not: a tree that fits "
		       "the caches gains only from form=branch-free.";
	if (branching && v[TREE_CHILD] == CHILD_COMPUTED)
		return "A correct prediction fetches the next node before this node's key arrives, "
		       "so half of the misses overlap.";
	if (!branching && !several && v[TREE_CHILD] == CHILD_COMPUTED)
		return "Nothing is predicted, so nothing is fetched early: beyond the caches "
		       "form=branching is faster, and more lookups at once are faster still.";
	if (branching)
		return "A misprediction shows only when its node arrives, and work begun after it "
		       "is lost: no two misses overlap.";
	if (v[TREE_ORDER] == ORDER_SORTED)
		return "The upper levels lie powers of two apart, and share few sets of each "
		       "cache.";
	return NULL;
}

const struct kernel kernel_tree_lookup = {
	.name = "tree-lookup",
	.title = "look keys up in a search tree",
	.look_for =
		"Each level waits for the level above: beyond the caches one miss per level, while "
		"the core idles. Raise lookups: several searches run side by side and their misses "
		"overlap, at the cost of more instructions. form=branch-free never mispredicts. "
		"With order=level child=computed a correct prediction fetches the next node early.",
	.document = "Johnny's Software Lab, Instruction-level parallelism in practice: speeding up "
		    "memory-bound programs with low ILP",
	.answer = "curves",
	.element = "lookup",
	.hint = "+ on size beyond the caches; then Down to lookups, +: several at a time",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.footprint = tree_footprint,
	.layout = tree_layout,
	.seamless = true,
	.stepped = true,
	.deep = true,
	.few = tree_few,
	.batch = ASKED_TURN,
	.plot_cpe = true,
	.prepare = tree_prepare,
	.describe = tree_describe,
	.shrink = tree_shrink,
	.call = tree_call,
	.begin_at = asked_begin_at,
	.verify = asked_verify,
	.proof = asked_proof,
	.file = "kernels/tree_loops.h",
	.remark = tree_remark,
};
