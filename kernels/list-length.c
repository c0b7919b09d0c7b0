/* The kernel list-length walks a linked list and counts its nodes. Each load returns the address of
 * the next load, so loads cannot overlap. A node costs the load-to-use latency of the cache level
 * or memory that holds the node.
 *
 * The last node of the list points to the first node (kernels/nodes.h), so a call may walk any
 * number of nodes. */
#include "kernels/knob_rows.h"
#include "kernels/nodes.h"

enum { SIZE, SPACING, ORDER };
enum { ORDER_SEQUENTIAL, ORDER_RANDOM };

static const char *const order_names[] = { "sequential", "random", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size", "bytes of all nodes and the gaps between them", 16,
		KNOB_MAX_MEMORY, 16384, .axis = AXIS_SIZE, .multiple = 16, .factor = 2),
	[SPACING] = KNOB_ROW_COUNT("spacing", "bytes from one node to the next in memory", 16, 256,
		16, .multiple = 16, .factor = 2),
	[ORDER] = KNOB_ROW_CHOICE("order", "the order of the list in memory", order_names),
};

static uint64_t node_count(const int64_t *v)
{
	return (uint64_t)(v[SIZE] / v[SPACING]);
}

static struct status list_check(const int64_t *v)
{
	if (v[SIZE] < v[SPACING])
		return status_usage("size=%lld holds no node at spacing=%lld: use %lld or more",
			(long long)v[SIZE], (long long)v[SPACING], (long long)v[SPACING]);
	return status_ok();
}

static void list_fit(int64_t *v, int changed)
{
	if (v[SIZE] >= v[SPACING])
		return;
	if (changed == SIZE)
		v[SPACING] = v[SIZE];
	else
		v[SIZE] = v[SPACING];
}

static uint64_t list_footprint(const int64_t *v)
{
	return node_count(v) * (uint64_t)v[SPACING];
}

static uint64_t list_layout(const int64_t *v)
{
	return (uint64_t)(v[SPACING] << 1 | v[ORDER]);
}

static struct nodes nodes_of(const struct kernel_run *run)
{
	return (struct nodes){ .memory = run->memory,
		.stride = (uint64_t)run->v[SPACING],
		.order = run->v[ORDER] == ORDER_RANDOM ? NODES_RANDOM : NODES_FORWARD,
		.cycles = 1,
		.seed = run->seed,
		.progress = run->work.progress };
}

static void list_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->step = (double)v[SPACING];
	walk->scattered = v[ORDER] == ORDER_RANDOM;
	/* In random order the next node lies in another cache line, even if a line holds several
	 * nodes. */
	walk->lines = walk->step < 64 && !walk->scattered ? walk->step / 64 : 1;
	walk->access = "node";
}

KERNEL_LOOP static const struct node *list_length(const struct node *node, uint64_t count)
{
	uint64_t length = 0;

	do {
		length++;
		KERNEL_KEEP(length);
		node = node->next;
		KERNEL_KEEP(node);
	} while (length != count);
	return node;
}

static struct status list_prepare(struct kernel_run *run)
{
	struct nodes nodes = nodes_of(run);
	uint64_t count = node_count(run->v),
		 have = nodes_lay_out(
			 &nodes, run->layout.prepared / nodes.stride, count, run->work.cancel);

	run->layout.laid_out = have * nodes.stride;
	run->ring = count;
	run->granule = 1;
	run->bytes = sizeof(struct node *);
	run->code.start = (const void *)list_length;
	run->code.name = "list_length";
	return have == count ? status_ok()
			     : status_make(STATUS_CANCELLED, "stopped while the list was built");
}

static void list_call(struct kernel_run *run, uint64_t elements)
{
	run->cursor = list_length(run->cursor, elements);
}

static void list_rewind(struct kernel_run *run)
{
	run->cursor = run->memory;
}

/* Checks that the list returns to its first node after all nodes, and not earlier. In a long list
 * the check follows only some nodes. */
static struct status list_verify(struct kernel_run *run)
{
	uint64_t limit = run->ring < 6144 ? run->ring : 6144, closed;
	const struct node *end = nodes_follow((const struct node *)(const void *)run->memory, limit,
		run->memory, run->memory + list_footprint(run->v), &closed);

	if (!end)
		return status_failed("list-length: a node points outside the list");
	if (closed != (limit == run->ring ? limit : 0))
		return status_failed("list-length: the ring closes after %llu of %llu nodes",
			(unsigned long long)closed, (unsigned long long)run->ring);
	list_call(run, limit);
	if (run->cursor != (const void *)end)
		return status_failed("list-length walked to another node than its pointers say");
	return status_ok();
}

const struct kernel kernel_list_length = {
	.name = "list-length",
	.title = "walk a linked list",
	.look_for = "Each load needs the pointer that the previous load fetched: CPE is the "
		    "load-to-use latency. Grow size: CPE rises at each cache. Then set "
		    "order=random to see the latency that prefetchers hide.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, ch. 5 "
		    "(load performance)",
	.element = "list node",
	.limit = "latency",
	KERNEL_KNOBS(knobs),
	.check = list_check,
	.fit = list_fit,
	.footprint = list_footprint,
	.layout = list_layout,
	.seamless = true,
	.plot_cpe = true,
	.prepare = list_prepare,
	.describe = list_describe,
	.call = list_call,
	.rewind = list_rewind,
	.verify = list_verify,
};
