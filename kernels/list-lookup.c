/* The kernel list-lookup finds out which of several values are in a linked list. All forms search
 * the same memory. form=simple searches the list once per value. form=interleaved compares each
 * node with all values. form=array searches the array that holds the nodes. form=index first builds
 * an index of the nodes. form=unrolled searches groups of nodes, as in an unrolled list. This file
 * has the loops. kernels/list_nodes.c lays out the list; kernels/list_lookup_walk.c runs the loops
 * over all lookups. */
#include "kernels/knob_rows.h"
#include "kernels/list_lookup.h"

#include <math.h>

/* Bytes of a cache line, of an 8-byte word, and of a node, to compute the memory accesses of the
 * loops. */
enum { LINE = 64, WORD = 8, NODE = sizeof(struct list_node) };

/* Maximum number of looked-up values while the model single-steps the loop. An interleaved loop
 * then needs a few thousand instructions. */
enum { STEPPED_VALUES = 128 };

/* The smallest number of deleted nodes whose pattern in the array no branch predictor can learn. */
enum { BEYOND_LEARNING = 65536 };
/* Predictors know the last iteration of a search of fewer nodes. */
enum { SEARCH_LONG = 64 };

static const char *const form_names[] = { "simple", "interleaved", "array", "index", "unrolled",
	NULL };
static const char *const inner_names[] = { "scalar", "vector", "any-of", NULL };
static const char *const group_names[] = { "1", "2", "4", "8", "16", NULL };

static const struct knob knobs[] = {
	[LOOKUP_SIZE] = KNOB_ROW_BYTES("size", "bytes of all nodes, 24 each: 384m holds 16 M nodes",
		512 * NODE, (int64_t)LIST_NODES_MOST *NODE, 65536 * NODE, .axis = AXIS_SIZE,
		.factor = 2),
	[LOOKUP_FORM] =
		KNOB_ROW_CHOICE("form", "how the list is walked", form_names, .role = KNOB_FORM),
	[LOOKUP_INNER] =
		KNOB_ROW_CHOICE("inner", "how form=interleaved compares a node with all values",
			inner_names, .role = KNOB_FORM),
	[LOOKUP_VALUES] = KNOB_ROW_COUNT(
		"values", "values to look up", 1, LOOKUP_VALUES_MOST, 128, .factor = 2),
	[LOOKUP_FOUND] = KNOB_ROW_COUNT(
		"found", "percent of the values that are in the list", 0, 100, 50, .multiple = 5),
	[LOOKUP_MISPLACED] = KNOB_ROW_COUNT("misplaced",
		"percent of nodes at random places; 0: all in order", 0, 100, 0, .multiple = 5),
	[LOOKUP_DELETED] = KNOB_ROW_COUNT("deleted",
		"percent of nodes in the array that are not in the list", 0, 75, 0, .multiple = 5),
	[LOOKUP_GROUP] =
		KNOB_ROW_CHOICE("group", "nodes that stay together in memory", group_names),
	[LOOKUP_WHOLE] = KNOB_ROW_COUNT(
		"whole", "1: each trial looks up all values and checks the result", 0, 1, 0),
	[LOOKUP_PAGES] = KNOB_ROW_PAGES,
};

/* ---- Loops for one value: a loop ends if the value is found or no comparisons are left */

#define LOOKUP(name, ...)                                      \
	KERNEL_LOOP static bool name(struct lookup_walk *walk) \
	{                                                      \
		return __VA_ARGS__;                            \
	}

KERNEL_BODY bool lookup_one(struct lookup_walk *walk, const int form)
{
	const struct list_node *node = walk->cursor, *const *at = walk->cursor;
	uint64_t left = walk->left;
	int32_t wanted = walk->wanted;

	do {
		while (form == FORM_ARRAY && node->next == LIST_DELETED)
			node++;
		if ((form == FORM_INDEX ? *at : node)->value == wanted)
			break;
		if (form == FORM_INDEX) {
			at++;
			KERNEL_KEEP(at);
		} else {
			node = form == FORM_ARRAY ? node + 1 : node->next;
			KERNEL_KEEP(node);
		}
	} while (--left);
	walk->cursor = form == FORM_INDEX ? (const void *)at : node;
	walk->left = left;
	return left > 0;
}

LOOKUP(lookup_simple, lookup_one(walk, FORM_SIMPLE))
LOOKUP(lookup_array, lookup_one(walk, FORM_ARRAY))
LOOKUP(lookup_index_array, lookup_one(walk, FORM_INDEX))

/* The address of a group determines the addresses of all loads in the group. The loads of the nodes
 * of a group therefore do not wait for each other. */
KERNEL_BODY bool lookup_unrolled(struct lookup_walk *walk, const int group)
{
	const struct list_node *node = walk->cursor;
	uint64_t left = walk->left;
	int32_t wanted = walk->wanted;

	do {
		const struct list_node *next = node[group - 1].next;

		KERNEL_KEEP(next);
		KERNEL_UNROLL
		for (int i = 0; i < group; i++)
			if (node[i].value == wanted)
				goto found;
		node = next;
	} while (--left);
found:
	walk->cursor = node;
	walk->left = left;
	return left > 0;
}

LOOKUP(unrolled_2, lookup_unrolled(walk, 2))
LOOKUP(unrolled_4, lookup_unrolled(walk, 4))
LOOKUP(unrolled_8, lookup_unrolled(walk, 8))
LOOKUP(unrolled_16, lookup_unrolled(walk, 16))

/* ---- Loops for all values at each node */

KERNEL_LOOP static bool lookup_interleaved(struct lookup_walk *walk)
{
	const struct list_node *node = walk->cursor;
	const int32_t *values = walk->values;
	int32_t *found = walk->found;
	uint64_t count = walk->count;

	for (uint64_t left = walk->left; left > 0; left--) {
		int32_t value = node->value;

		for (uint64_t i = 0; i < count; i++) {
			if (__builtin_expect(values[i] == value, 0))
				found[i] = 1;
			KERNEL_KEEP(i);
		}
		node = node->next;
		KERNEL_KEEP(node);
	}
	walk->cursor = node;
	return false;
}

/* A vector of values. A vector comparison yields -1 or 0 in each lane. */
typedef int32_t lanes __attribute__((vector_size(4 * LOOKUP_LANES), may_alias));

/* Marks each value in walk->values that equals `value`, the value of a node. */
static __attribute__((noinline, KERNEL_UNWATCHED)) void mark(
	const struct lookup_walk *walk, int32_t value)
{
	for (uint64_t i = 0; i < walk->count; i++)
		if (walk->values[i] == value)
			walk->found[i] = 1;
}

/* Compares each node with all values by vectors. any: the loop first tests whether the node's value
 * equals any of the values, and calls mark() only if so. Few nodes match, so mark() is seldom
 * called. If `any` is false, the loop records the result of each comparison in walk->found. */
KERNEL_BODY bool lookup_lanes(struct lookup_walk *walk, const bool any)
{
	typedef int64_t halves __attribute__((vector_size(16)));
	const struct list_node *node = walk->cursor;
	const lanes *first = (const lanes *)(const void *)walk->values,
		    *end = first + (walk->count + LOOKUP_LANES - 1) / LOOKUP_LANES;

	for (uint64_t left = walk->left; left > 0; left--) {
		const lanes *values = first;
		lanes *found = (lanes *)(void *)walk->found;
		lanes value = (lanes){ 0 } + node->value, seen = { 0 };

		do {
			if (any)
				seen |= *values == value;
			else
				*found++ |= *values == value;
			values++;
			KERNEL_KEEP(values);
		} while (values != end);
		if (any && (((halves)seen)[0] | ((halves)seen)[1]))
			mark(walk, node->value);
		node = node->next;
		KERNEL_KEEP(node);
	}
	walk->cursor = node;
	return false;
}

LOOKUP(lookup_vector, lookup_lanes(walk, false))
LOOKUP(lookup_any_of, lookup_lanes(walk, true))

static const struct form {
	lookup_loop *loop;
	const char *function;
} forms[FORMS] = {
	[FORM_SIMPLE] = { lookup_simple, "lookup_one" },
	[FORM_ARRAY] = { lookup_array, "lookup_one" },
	[FORM_INDEX] = { lookup_index_array, "lookup_one" },
}, inners[INNERS] = {
	[INNER_SCALAR] = { lookup_interleaved, "lookup_interleaved" },
	[INNER_VECTOR] = { lookup_vector, "lookup_lanes" },
	[INNER_ANY] = { lookup_any_of, "lookup_lanes" },
}, groups[GROUP_CHOICES] = {
	{ NULL, NULL },
	{ unrolled_2, "lookup_unrolled" },
	{ unrolled_4, "lookup_unrolled" },
	{ unrolled_8, "lookup_unrolled" },
	{ unrolled_16, "lookup_unrolled" },
};

static const struct form *form_of(const int64_t *v)
{
	return v[LOOKUP_FORM] == FORM_INTERLEAVED ? &inners[v[LOOKUP_INNER]]
	       : v[LOOKUP_FORM] == FORM_UNROLLED  ? &groups[v[LOOKUP_GROUP]]
						  : &forms[v[LOOKUP_FORM]];
}

/* ---- Valid combinations of values */

static const struct knob_rule rules[] = {
	{ { LOOKUP_INNER, INNER_VECTOR, INNER_ANY },
		{ LOOKUP_FORM, FORM_INTERLEAVED, FORM_INTERLEAVED }, FORM_INTERLEAVED, INNER_SCALAR,
		"only form=interleaved compares a node with several values" },
	{ { LOOKUP_GROUP, 0, 0 }, { LOOKUP_FORM, FORM_SIMPLE, FORM_INDEX }, FORM_SIMPLE, 2,
		"form=unrolled needs groups of nodes: group=2, 4, 8 or 16" },
};

/* ---- Memory: the nodes, the tables, and the index if the form has one */

static uint64_t lookup_footprint(const int64_t *v)
{
	struct list list = lookup_list_of(v, NULL, 0);

	return v[LOOKUP_FORM] == FORM_INDEX ? lookup_end(&list) : lookup_index_at(&list);
}

/* The number that identifies the layout of the data does not include the knob `form`, because all
 * forms have the same layout. */
static uint64_t lookup_layout(const int64_t *v)
{
	uint64_t nodes = (uint64_t)v[LOOKUP_SIZE] / NODE;

	return nodes << 20 | (uint64_t)v[LOOKUP_GROUP] << 16 | (uint64_t)v[LOOKUP_MISPLACED] << 8 |
	       (uint64_t)v[LOOKUP_DELETED];
}

/* Writes the index: an array with the addresses of all nodes of the list. The function computes
 * where each group of nodes lies in memory, because following the links of the list would take
 * longer. */
static bool write_index(struct kernel_run *run)
{
	const struct list *list = lookup_list(run);
	const struct list_node **at = lookup_index(run);

	for (uint64_t rank = 0; rank < list->groups; rank++) {
		if (rank % 4096 == 0 && !kernel_goes_on(run, list->groups + rank, 2 * list->groups))
			return false;
		if (list_deleted(list, rank))
			continue;
		for (uint64_t i = 0; i < list->group; i++)
			*at++ = list->nodes + list_place(list, rank) * list->group + i;
	}
	return true;
}

/* For each choice of the knob `form`, texts that explain its speed. waits: the text of
 * kernel_walk.waits. best: the remark for an ordered list, or for an array without deleted nodes.
 * otherwise: the remark for all other lists. */
static const struct {
	const char *waits, *best, *otherwise;
} form_words[FORMS] = {
	[FORM_SIMPLE] = { "the next node's address is in this node",
		"In order the next node is in this line or in a prefetched one: the chain costs "
		"the latency of a cache, if memory keeps up.",
		"The chain waits for each misplaced node, and no other miss overlaps with it." },
	[FORM_INTERLEAVED] = { "the next node's address is in this node; at the same time, this "
			       "node is compared with all values",
		"Nodes come in order and comparisons four at a time: the loop over the values, "
		"started once per node, is the remaining cost.",
		"Faster comparisons hide less: once they take less time than a miss, the chain of "
		"nodes is the limit again. More values hide it." },
	[FORM_ARRAY] = { "nothing, because the next node follows this one in memory",
		"The walk follows memory, not the list: prefetchers run ahead, and misplaced "
		"changes nothing.",
		"The loop reads deleted nodes and skips them. Among many nodes no predictor knows "
		"which are deleted: each costs a misprediction." },
	[FORM_INDEX] = { "nothing, because the index holds the next node's address",
		"In order an index gains nothing: prefetchers bring the nodes in time, and the "
		"index is a third more data to read.",
		"The index holds all addresses, so as many misses overlap as the core can track. "
		"Their number stays: forms that walk memory in order have fewer." },
	[FORM_UNROLLED] = { "the next group's address is in this group: one wait for all its nodes",
		"One load of the chain per group: the chain is group times shorter, and a "
		"misplaced group is one miss.",
		"One load of the chain per group: the chain is group times shorter, and a "
		"misplaced group is one miss." },
};

/* Numbers of cache lines that the loop loads per element: scattered lines, and lines in address
 * order. A misplaced group of nodes (a group that lies at another place in the array than its place
 * in the list) costs one scattered load, which waits for the previous load. The remaining cache
 * lines of a misplaced group of nodes, and the lines of all other groups, are loaded in address
 * order. */
struct lines {
	double scattered, ordered;
};

static struct lines lines_of(const int64_t *v)
{
	double misplaced = (double)v[LOOKUP_MISPLACED] / 100,
	       deleted = (double)v[LOOKUP_DELETED] / 100, group = (double)(1 << v[LOOKUP_GROUP]);
	/* Loads in address order skip a cache line if all groups of nodes in the line are misplaced
	 * or deleted. A cache line holds about 64 / 24 nodes. */
	double passed = pow(deleted + (1 - deleted) * misplaced, 1 + LINE / (NODE * group));
	/* A misplaced group of nodes may start anywhere in a cache line. `words` is the number of
	 * 8-byte words from the start of the group to the end of the value in its last node. */
	double words = (NODE * (group - 1) + WORD + 4) / WORD;

	return (struct lines){ .scattered = misplaced / group,
		.ordered = (double)NODE / LINE * (1 - passed) / (1 - deleted) +
			   misplaced / group * floor(words) * WORD / LINE };
}

/* Returns the average number of nodes that the search for one value compares with the value. */
static double walk_of(const int64_t *v, double linked)
{
	return linked * (1 - (double)lookup_hits(v) / (double)v[LOOKUP_VALUES] / 2);
}

/* Returns the bytes of the cache lines with the pointers to the next group, in groups of nodes that
 * do not lie in list order. */
static double scattered_bytes(const int64_t *v, const struct list *list)
{
	double share = (double)v[LOOKUP_MISPLACED] / 100 * (1 - (double)v[LOOKUP_DELETED] / 100),
	       each = (double)LINE / (double)(NODE * list->group);

	return each < 1 ? share * (double)list->groups * LINE
			: (double)list->count * NODE * (1 - pow(1 - share, each));
}

static void add_reach(
	struct kernel_walk *walk, enum reach_way way, double lines, double range, double least)
{
	if (lines <= 0)
		return;
	walk->reach[walk->reaches++] =
		(struct kernel_reach){ .lines = lines, .range = range, .way = way, .least = least };
}

static void lookup_describe(const int64_t *v, struct kernel_walk *walk)
{
	struct list list = lookup_list_of(v, NULL, 0);
	struct lines lines = lines_of(v);
	double bytes = (double)list.count * NODE, nodes = (double)list.linked,
	       values = (double)v[LOOKUP_VALUES], visited = walk_of(v, nodes), least;

	walk->access = "comparison";
	walk->range = bytes;
	walk->waits = form_words[v[LOOKUP_FORM]].waits;
	if (v[LOOKUP_FORM] == FORM_INTERLEAVED) {
		lines.scattered /= values;
		lines.ordered /= values;
		walk->restart = nodes * values;
	} else if (v[LOOKUP_FORM] == FORM_ARRAY) {
		lines.scattered = 0;
		lines.ordered = (double)list.count / nodes * NODE / LINE;
		if (list.count >= BEYOND_LEARNING)
			walk->mispredicts =
				fmin((double)list.deleted, (double)(list.groups - list.deleted)) /
				(double)(list.groups - list.deleted) / (double)list.group;
	} else if (v[LOOKUP_FORM] != FORM_INDEX) {
		walk->restart = visited;
		/* No predictor knows in which iteration a search ends. */
		if (visited >= SEARCH_LONG) {
			walk->mispredicts = 1 / visited;
			walk->ends = true;
		}
	}
	walk->lines = lines.scattered + lines.ordered;
	if (lines.scattered <= 0)
		return;
	walk->scattered = true;
	least = scattered_bytes(v, &list);
	if (v[LOOKUP_FORM] == FORM_INDEX) {
		add_reach(walk, REACH_FREE, lines.scattered, bytes, least);
		add_reach(walk, REACH_CHAINED, lines.scattered / visited / values * nodes, bytes,
			least);
		lines.ordered += (double)WORD / LINE;
	} else {
		add_reach(walk, REACH_CHAINED, lines.scattered, bytes, least);
	}
	add_reach(walk, REACH_ORDERED, lines.ordered, bytes, 0);
}

static struct status lookup_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	bool indexed = v[LOOKUP_FORM] == FORM_INDEX;
	struct list *list = (struct list *)(void *)run->kept;
	uint64_t bytes;

	*list = lookup_list_of(v, run->memory, run->seed);
	bytes = list_bytes(list);
	if (run->layout.prepared < bytes &&
		!list_write(list, run, (indexed ? 2 : 1) * list->groups))
		return status_make(STATUS_CANCELLED, "stopped while the list was written");
	run->layout.laid_out = run->layout.prepared < bytes ? bytes : run->layout.prepared;
	if (indexed && run->layout.prepared < lookup_end(list)) {
		if (!write_index(run))
			return status_make(STATUS_CANCELLED, "stopped while the index was written");
		run->layout.laid_out = lookup_end(list);
	}
	lookup_fill(run);
	run->granule = v[LOOKUP_FORM] == FORM_INTERLEAVED ? (uint64_t)v[LOOKUP_VALUES]
		       : v[LOOKUP_FORM] == FORM_UNROLLED  ? list->group
							  : 1;
	run->iteration = v[LOOKUP_FORM] != FORM_INTERLEAVED ? 0
			 : v[LOOKUP_INNER] == INNER_SCALAR  ? 1
							    : LOOKUP_LANES;
	run->period = run->granule;
	run->complete = v[LOOKUP_WHOLE];
	run->bytes = v[LOOKUP_FORM] == FORM_INTERLEAVED ? sizeof(int32_t)
		     : v[LOOKUP_FORM] == FORM_UNROLLED	? 4 + WORD / list->group
							: WORD + 4;
	run->code.start = (const void *)form_of(v)->loop;
	run->code.name = form_of(v)->function;
	return status_ok();
}

/* Limits the number of looked-up values, because the model single-steps the loop. With fewer values
 * to look up, the loop executes the same code. None of the looked-up values is in the list, because
 * in a short list hits would be too frequent. */
static void lookup_shrink(int64_t *v)
{
	v[LOOKUP_WHOLE] = v[LOOKUP_FOUND] = 0;
	if (v[LOOKUP_VALUES] > STEPPED_VALUES)
		v[LOOKUP_VALUES] = STEPPED_VALUES;
}

static const char *lookup_remark(const int64_t *v)
{
	bool best =
		v[LOOKUP_FORM] == FORM_ARRAY ? v[LOOKUP_DELETED] == 0 : lines_of(v).scattered <= 0;

	if (v[LOOKUP_FORM] == FORM_INTERLEAVED && v[LOOKUP_INNER] == INNER_SCALAR)
		return "One load of the chain per node, and as many comparisons as values: "
		       "the load is hidden while the comparisons take longer than a miss.";
	return best ? form_words[v[LOOKUP_FORM]].best : form_words[v[LOOKUP_FORM]].otherwise;
}

const struct kernel kernel_list_lookup = {
	.name = "list-lookup",
	.title = "which of many values are in a linked list",
	.look_for = "Five ways through the same memory. Grow size, set misplaced=25, and change "
		    "form. form=simple waits for each node. form=interleaved compares each node "
		    "with all values, so they share the wait. form=unrolled waits once per group. "
		    "form=array and form=index do not wait.",
	.document = "Johnny's Software Lab, Instruction-level parallelism in practice",
	.answer = "curves",
	.element = "node compared",
	.hint = "Type size=24m misplaced=25, then + on form",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.footprint = lookup_footprint,
	.layout = lookup_layout,
	.prepare = lookup_prepare,
	.describe = lookup_describe,
	.shrink = lookup_shrink,
	.call = lookup_call,
	.rewind = lookup_rewind,
	.begin_at = lookup_begin_at,
	.verify = lookup_verify,
	.proof = lookup_proof,
	.stepped = true,
	.plot_cpe = true,
	.remark = lookup_remark,
};
