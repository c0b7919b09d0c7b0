/* The kernel list-length counts the nodes of a linked list that ends with NULL. Each load returns
 * the address of the next load, so loads cannot overlap. A node costs the load-to-use latency of
 * the cache level or memory that holds the node.
 *
 * A call may end at any node: call() cuts the list after that node, and joins it again afterwards.
 * The branch at the end of a list is mispredicted once per call. A trial subtracts the time of half
 * a list from the time of a whole list, so the cost of the misprediction cancels. */
#include <math.h>

#include "kernels/knob_rows.h"
#include "kernels/shuffle.h"

enum { SIZE, SPACING, ORDER, PAGES };
enum { ORDER_SEQUENTIAL, ORDER_RANDOM };
/* LEAST: smallest number of nodes of a list; with fewer nodes, a call itself takes longer than the
 * list. VERIFIED: largest number of nodes that verify() follows. */
enum { LEAST = 16, VERIFIED = 6144 };

struct node {
	struct node *next;
	int64_t data;
};

static const char *const order_names[] = { "sequential", "random", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size", "bytes of all nodes and the gaps between them", 256,
		KNOB_MAX_MEMORY, 16384, .axis = AXIS_SIZE, .multiple = 16, .factor = 2),
	[SPACING] = KNOB_ROW_COUNT("spacing", "bytes from one node to the next in memory", 16, 256,
		16, .multiple = 16, .factor = 2),
	[ORDER] = KNOB_ROW_CHOICE("order", "the order of the list in memory", order_names),
	[PAGES] = KNOB_ROW_PAGES,
};

static uint64_t node_count(const int64_t *v)
{
	return (uint64_t)(v[SIZE] / v[SPACING]);
}

static struct status list_check(const int64_t *v)
{
	if (v[SIZE] < LEAST * v[SPACING])
		return status_usage(
			"size=%lld holds fewer than 16 nodes at spacing=%lld: use %lld or more",
			(long long)v[SIZE], (long long)v[SPACING], (long long)(LEAST * v[SPACING]));
	return status_ok();
}

static void list_fit(int64_t *v, int changed)
{
	if (v[SIZE] >= LEAST * v[SPACING])
		return;
	if (changed == SIZE)
		v[SPACING] = v[SIZE] / (16 * LEAST) * 16;
	else
		v[SIZE] = LEAST * v[SPACING];
}

static uint64_t list_footprint(const int64_t *v)
{
	return node_count(v) * (uint64_t)v[SPACING];
}

/* In sequential order, a longer list starts with each shorter list. */
static uint64_t list_layout(const int64_t *v)
{
	return (v[ORDER] == ORDER_RANDOM ? node_count(v) : 0) << 9 | (uint64_t)v[SPACING];
}

static void list_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->step = (double)v[SPACING];
	walk->scattered = v[ORDER] == ORDER_RANDOM;
	walk->visits = walk->scattered ? fmax(64 / walk->step, 1) : 0;
	/* In random order the next node lies in another cache line, even if a line holds several
	 * nodes. */
	walk->lines = walk->step < 64 && !walk->scattered ? walk->step / 64 : 1;
	walk->access = "node";
}

KERNEL_LOOP static uint64_t list_length(const struct node *node)
{
	uint64_t length = 0;

	while (node) {
		length++;
		/* The load of the next node then comes after the addition to the length, as in the
		 * book's machine code. */
		__asm__("" : "+r"(length), "+r"(node));
		node = node->next;
	}
	/* The end of the list, NULL, is a part of the result: what follows waits for it. */
	__asm__("" : "+r"(node));
	return length + (uint64_t)(uintptr_t)node;
}

typedef uint64_t list_function(const struct node *node);

/* Returns the order of the nodes, which prepare() keeps in the run for the calls. */
static struct shuffle *order_of(struct kernel_run *run)
{
	_Static_assert(sizeof(struct shuffle) <= sizeof(run->kept), "no room for the order");
	return (struct shuffle *)(void *)run->kept;
}

static struct node *place(const struct kernel_run *run, uint64_t index)
{
	return (struct node *)(void *)(run->memory + index * (uint64_t)run->v[SPACING]);
}

/* Returns node number `index` of the list, index < run->ring. */
static struct node *node_at(struct kernel_run *run, uint64_t index)
{
	return place(run, run->v[ORDER] == ORDER_RANDOM ? shuffle_to(order_of(run), index) : index);
}

/* Writes the nodes in the order of memory, so a list in random order is laid out as fast as a
 * sequential list. */
static struct status list_prepare(struct kernel_run *run)
{
	uint64_t spacing = (uint64_t)run->v[SPACING], count = node_count(run->v),
		 i = run->layout.prepared / spacing;

	*order_of(run) = shuffle_make(count, run->seed);
	run->ring = count;
	run->granule = 1;
	run->bytes = sizeof(struct node *);
	run->code.start = (const void *)list_length;
	run->code.name = "list_length";
	/* The last node of a shorter list in memory holds NULL, so this loop writes that node
	 * again. */
	for (i = i < count ? i : count, i -= i > 0; i < count; i++) {
		uint64_t at = run->v[ORDER] == ORDER_RANDOM ? shuffle_from(order_of(run), i) : i;

		if (i % 65536 == 0 && !kernel_goes_on(run, i, count))
			break;
		*place(run, i) =
			(struct node){ .next = at + 1 < count ? node_at(run, at + 1) : NULL };
	}
	run->layout.laid_out = i * spacing;
	return i == count ? status_ok()
			  : status_make(STATUS_CANCELLED, "stopped while the list was built");
}

/* Each walk begins after the end of the one before, also if the core foresees the end of a short
 * list: the address of its first node is added to a part of the result that is always 0, also if
 * the loop has been changed to measure costs. */
static void list_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t none = 0;

	__asm__("" : "+r"(none));
	run->result = 0;
	while (elements > 0) {
		uint64_t room = run->ring - run->position,
			 piece = elements < room ? elements : room;
		struct node *last = node_at(run, run->position + piece - 1), *next = last->next;
		const char *first =
			(const char *)node_at(run, run->position) + (run->result & none);

		last->next = NULL;
		run->result += ((list_function *)run->code.start)((const struct node *)first);
		last->next = next;
		run->position = (run->position + piece) % run->ring;
		elements -= piece;
	}
}

static void list_begin_at(struct kernel_run *run, double share)
{
	run->position = (uint64_t)(share * (double)run->ring) % run->ring;
}

/* Checks the pointers of the first nodes of the list, at most VERIFIED of them. The loop must count
 * as many nodes as were checked. */
static struct status list_verify(struct kernel_run *run)
{
	uint64_t limit = run->ring < VERIFIED ? run->ring : VERIFIED;
	for (uint64_t i = 0; i < limit; i++) {
		const struct node *next = node_at(run, i)->next;

		if (next != (i + 1 < run->ring ? node_at(run, i + 1) : NULL))
			return status_failed(
				"list-length: node %llu of %llu points to a wrong node",
				(unsigned long long)i, (unsigned long long)run->ring);
	}
	list_call(run, limit);
	if (run->result != limit)
		return status_failed("list-length counted %llu of %llu nodes",
			(unsigned long long)run->result, (unsigned long long)limit);
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
	.answer = "curves",
	.element = "list node",
	.limit = "latency",
	KERNEL_KNOBS(knobs),
	.check = list_check,
	.fit = list_fit,
	.footprint = list_footprint,
	.layout = list_layout,
	.halved = true,
	.plot_cpe = true,
	.prepare = list_prepare,
	.describe = list_describe,
	.call = list_call,
	.begin_at = list_begin_at,
	.verify = list_verify,
};
