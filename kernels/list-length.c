/* list-length: walk a linked list and count its nodes. Each load's address is what the load before
 * returned, so nothing overlaps: a node costs the load-to-use latency of wherever it lives.
 *
 * The list is a ring, so that a call may walk any number of nodes. A random order is a single cycle
 * grown node by node: node n goes in after a random earlier one, which makes every cycle equally
 * likely and lets a list of n nodes become one of more without starting again. */
#include "base/random.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

enum { SIZE, SPACING, ORDER };
enum { ORDER_SEQUENTIAL, ORDER_RANDOM };

struct node {
	struct node *next;
	int64_t value;
};

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

static struct node *node_at(const struct kernel_run *run, uint64_t index)
{
	return (struct node *)(void *)(run->memory + index * (uint64_t)run->v[SPACING]);
}

/* Stops between nodes, so that what is laid out is always a whole ring. */
static bool list_cancelled(struct kernel_run *run, uint64_t index)
{
	return index % 65536 == 0 && !kernel_goes_on(run, index, node_count(run->v));
}

static void list_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->step = (double)v[SPACING];
	walk->scattered = v[ORDER] == ORDER_RANDOM;
	/* At random the next node lies in another line than this one, however many a line holds. */
	walk->lines = walk->step < 64 && !walk->scattered ? walk->step / 64 : 1;
	walk->access = "node";
}

static struct status list_prepare(struct kernel_run *run)
{
	uint64_t count = node_count(run->v);
	uint64_t have = run->layout.prepared / (uint64_t)run->v[SPACING];
	bool cancelled = false;

	/* A longer random ring cannot be shortened. */
	if (have > count && run->v[ORDER] == ORDER_RANDOM)
		have = 0;
	if (have == 0) {
		*node_at(run, 0) = (struct node){ node_at(run, 0), 1 };
		have = 1;
	}
	for (; have < count && !cancelled; have++) {
		struct random random = { run->seed + have }; /* whatever steps it grew in */
		struct node *node = node_at(run, have);
		struct node *before = node_at(run,
			run->v[ORDER] == ORDER_RANDOM ? random_below(&random, have) : have - 1);

		node->value = 1;
		node->next = before->next;
		before->next = node;
		cancelled = list_cancelled(run, have);
	}
	if (run->v[ORDER] == ORDER_SEQUENTIAL && have > count) {
		node_at(run, count - 1)->next = node_at(run, 0);
		have = count;
	}
	run->layout.laid_out = have * (uint64_t)run->v[SPACING];
	run->ring = count;
	run->granule = 1;
	run->bytes = sizeof(struct node *);
	run->cursor = run->memory;
	if (cancelled && have < count)
		return status_make(STATUS_CANCELLED, "stopped while the list was built");
	return status_ok();
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

static void list_call(struct kernel_run *run, uint64_t elements)
{
	run->cursor = list_length(run->cursor, elements);
}

static void list_rewind(struct kernel_run *run)
{
	run->cursor = run->memory;
}

/* One whole ring comes back to its start and not before; of a large one, a piece of nodes that lie
 * in it. */
static struct status list_verify(struct kernel_run *run)
{
	const struct node *node = node_at(run, 0);
	uint64_t limit = run->ring < 6144 ? run->ring : 6144;

	for (uint64_t i = 0; i < limit; i++) {
		uint64_t offset;

		node = node->next;
		offset = (uint64_t)((const unsigned char *)node - run->memory);
		if (offset >= run->ring * (uint64_t)run->v[SPACING] ||
			offset % (uint64_t)run->v[SPACING])
			return status_failed("list-length: node %llu points outside the list",
				(unsigned long long)i);
		if ((node == node_at(run, 0)) != (i + 1 == run->ring))
			return status_failed(
				"list-length: the ring closes after %llu of %llu nodes",
				(unsigned long long)i + 1, (unsigned long long)run->ring);
	}
	list_rewind(run);
	list_call(run, limit);
	if (run->cursor != (const void *)node)
		return status_failed("list-length walked to another node than its pointers say");
	list_rewind(run);
	return status_ok();
}

static struct status list_prepare_code(struct kernel_run *run)
{
	run->code.start = (const void *)list_length;
	run->code.name = "list_length";
	return list_prepare(run);
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
	.prepare = list_prepare_code,
	.describe = list_describe,
	.call = list_call,
	.rewind = list_rewind,
	.verify = list_verify,
};
