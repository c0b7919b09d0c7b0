/* The kernel bandwidth measures bytes per second between a core and each cache or memory, for nine
 * operations. Four operations read, write, update or copy places at a stride. Three operations
 * read, write or copy every place of the array. Two operations use the C library to fill with zeros
 * and to copy blocks.
 *
 * The result counts only bytes that the code itself reads and writes. An operation with a stride
 * fetches whole cache lines but uses only a part of each line. A plain store to a line that is not
 * in the cache fetches the line first. The result does not count such additional traffic, but a
 * remark reports the additional traffic. */
#include <string.h>

#include "kernels/features.h"
#include "kernels/ring.h"
#include "kernels/stream.h"

enum { OP, SIZE, STRIDE, WIDTH, STORES, PAGES, NODE, CORES };
enum { OP_RD, OP_WR, OP_RDWR, OP_CP, OP_FRD, OP_FWR, OP_FCP, OP_BZERO, OP_BCOPY, OPS };
enum { STORES_PLAIN, STORES_BYPASS };
enum { WIDTHS = 5, LINE = 64, PAGE = 4096 };

/* Maximum bytes per call of the C library. */
enum { BLOCK = 64 << 10 };

static const char *const op_names[] = { "rd", "wr", "rdwr", "cp", "frd", "fwr", "fcp", "bzero",
	"bcopy", NULL };
static const char *const width_names[] = { "4", "8", "16", "32", "64", NULL };
static const char *const store_names[] = { "plain", "bypass", NULL };

static const struct op {
	const char *function, *access;
	bool strided, reads, writes, copies;
	bool library;  /* The operation, such as a copy, is a function of the C library. */
	bool bypasses; /* The operation (fwr, for example) has a variant whose stores bypass the
			  caches. */
} ops[OPS] = {
	[OP_RD] = { "stream_read", "read", .strided = true, .reads = true },
	[OP_WR] = { "stream_write", "write", .strided = true, .writes = true },
	[OP_RDWR] = { "stream_update", "update", .strided = true, .reads = true, .writes = true },
	[OP_CP] = { "stream_copy", "copy", .strided = true, .reads = true, .writes = true,
		.copies = true },
	[OP_FRD] = { "stream_read", "read", .reads = true },
	[OP_FWR] = { "stream_write", "write", .writes = true, .bypasses = true },
	[OP_FCP] = { "stream_copy", "copy", .reads = true, .writes = true, .copies = true,
		.bypasses = true },
	[OP_BZERO] = { "library_fill", "write", .writes = true, .library = true },
	[OP_BCOPY] = { "library_copy", "copy", .reads = true, .writes = true, .copies = true,
		.library = true },
};

static const struct knob knobs[] = {
	[OP] = KNOB_ROW_CHOICE("op",
		"read, write, update or copy: strided, each place, or by the library", op_names,
		.initial = OP_FRD, .role = KNOB_DATA),
	[SIZE] = KNOB_ROW_SIZE("bytes of the array; copies: of both arrays", 16384),
	[STRIDE] = KNOB_ROW_COUNT("stride",
		"only for rd, wr, rdwr, cp; places of width bytes from one to the next", 1, 64, 4,
		.axis = AXIS_STRIDE),
	[WIDTH] = KNOB_ROW_CHOICE(
		"width", "bytes of an access", width_names, .initial = 1, .role = KNOB_DATA),
	[STORES] = KNOB_ROW_CHOICE("stores", "through the caches or past them; fwr, fcp",
		store_names, .role = KNOB_FORM),
	[PAGES] = KNOB_ROW_PAGES,
	[NODE] = KNOB_ROW_NODE,
	[CORES] = KNOB_ROW_CORES,
};

static const struct op *op_of(const int64_t *v)
{
	return &ops[v[OP]];
}

/* ---- Loops */

#define LOOP(name, ...) KERNEL_CALLS(name, struct stream_walk, __VA_ARGS__)
#define LOOPS(w)                                                 \
	LOOP(rd_##w, stream_read(walk, w, true))                 \
	LOOP(wr_##w, stream_write(walk, w, true, false))         \
	LOOP(rdwr_##w, stream_update(walk, w, true))             \
	LOOP(cp_##w, stream_copy(walk, w, true, false))          \
	LOOP(frd_##w, stream_read(walk, w, false))               \
	LOOP(fwr_##w, stream_write(walk, w, false, false))       \
	LOOP(fcp_##w, stream_copy(walk, w, false, false))        \
	LOOP(fwr_bypass_##w, stream_write(walk, w, false, true)) \
	LOOP(fcp_bypass_##w, stream_copy(walk, w, false, true))
#define NAMES(w)                                        \
	{ [OP_RD] = { rd_##w },                         \
		[OP_WR] = { wr_##w },                   \
		[OP_RDWR] = { rdwr_##w },               \
		[OP_CP] = { cp_##w },                   \
		[OP_FRD] = { frd_##w },                 \
		[OP_FWR] = { fwr_##w, fwr_bypass_##w }, \
		[OP_FCP] = { fcp_##w, fcp_bypass_##w }, \
		[OP_BZERO] = { library_fill },          \
		[OP_BCOPY] = { library_copy } },

/* In each iteration, the C library fills or copies a block of walk->stride bytes. */
KERNEL_LOOP static void library_fill(struct stream_walk *walk)
{
	for (uint64_t turn = 0; turn < walk->turns; turn++) {
		memset(walk->a + walk->at, 0, walk->stride);
		walk->at = walk->at == walk->last ? 0 : walk->at + walk->stride;
	}
}

KERNEL_LOOP static void library_copy(struct stream_walk *walk)
{
	for (uint64_t turn = 0; turn < walk->turns; turn++) {
		memcpy(walk->b + walk->at, walk->a + walk->at, walk->stride);
		walk->at = walk->at == walk->last ? 0 : walk->at + walk->stride;
	}
}

LOOPS(4)
LOOPS(8)
LOOPS(16)
#if defined(__x86_64__)
LOOPS(32)
LOOPS(64)
#define WIDER(each) each(32) each(64)
#else
#define WIDER(each)
#endif

static stream_loop *const loops[WIDTHS][OPS][2] = { NAMES(4) NAMES(8) NAMES(16) WIDER(NAMES) };

/* ---- Settings */

static uint64_t width_of(const int64_t *v)
{
	return (uint64_t)4 << v[WIDTH];
}

/* Returns the memory places that the loop accesses at the knob values v. An array is a whole number
 * of cache lines. All blocks for the C library have equal length; a small array is a single block.
 *
 * gap: the page between the two arrays of a copy keeps lines of the destination out of the caches.
 * A processor that reads a page to its end prefetches the first lines of the next page. A store
 * that bypasses the caches takes up to a fifth longer if its line is in a cache. */
static struct stream_plan plan_of(const int64_t *v)
{
	const struct op *op = op_of(v);
	uint64_t part = ((uint64_t)v[SIZE] >> op->copies) / LINE * LINE,
		 distance = width_of(v) * (op->strided ? (uint64_t)v[STRIDE] : 1);

	return (struct stream_plan){ .width = width_of(v),
		.distance = distance,
		.turn = op->library ? part / ((part + BLOCK - 1) / BLOCK) / LINE * LINE
				    : STREAM_UNROLL * distance,
		.part = part,
		.gap = op->copies && v[STORES] == STORES_BYPASS ? PAGE : 0,
		.reads = op->reads,
		.writes = op->writes,
		.copies = op->copies,
		.library = op->library };
}

static bool too_small(const struct stream_plan *plan)
{
	return !plan->library && plan->part < plan->turn;
}

static struct status bandwidth_check(const int64_t *v)
{
	struct stream_plan plan = plan_of(v);

	if (v[STORES] == STORES_BYPASS && !op_of(v)->bypasses)
		return status_usage("stores=bypass goes with op=fwr and op=fcp, not with op=%s",
			op_names[v[OP]]);
	if (too_small(&plan))
		return status_usage(
			"size=%lld is too small for op=%s at stride=%lld and width=%s: use %llu or "
			"more",
			(long long)v[SIZE], op_names[v[OP]], (long long)v[STRIDE],
			width_names[v[WIDTH]], (unsigned long long)(plan.turn << plan.copies));
	return features_need_width(width_of(v));
}

static void bandwidth_fit(int64_t *v, int changed)
{
	struct stream_plan plan;

	if (v[STORES] == STORES_BYPASS && !op_of(v)->bypasses) {
		if (changed == STORES)
			v[OP] = op_of(v)->copies ? OP_FCP : OP_FWR;
		else
			v[STORES] = STORES_PLAIN;
	}
	plan = plan_of(v);
	if (!too_small(&plan))
		return;
	if (changed != SIZE)
		v[SIZE] = (int64_t)(plan.turn << plan.copies);
	else if (op_of(v)->strided)
		v[STRIDE] = (int64_t)(plan.part / STREAM_UNROLL / width_of(v));
}

static uint64_t bandwidth_footprint(const int64_t *v)
{
	struct stream_plan plan = plan_of(v);

	return (plan.part << plan.copies) + plan.gap;
}

/* Returns a number for the state of the data in memory, so that settings can share data. 0: the
 * loop only reads the data. 1: the loop overwrites the data. 2: the loop copies the data, and the
 * copy lies after the data. */
static uint64_t bandwidth_layout(const int64_t *v)
{
	return op_of(v)->copies ? 2 : op_of(v)->writes ? 1 : 0;
}

/* ---- Data */

static void put(struct kernel_run *run, uint64_t index)
{
	((uint64_t *)(void *)run->memory)[index] = stream_word(run->seed, index);
}

static void bandwidth_describe(const int64_t *v, struct kernel_walk *walk)
{
	double distance = (double)plan_of(v).distance,
	       lines = distance < LINE ? distance / LINE : 1;

	walk->step = op_of(v)->library ? 0 : distance;
	walk->access = op_of(v)->access;
	/* Stores that bypass the caches do not fetch cache lines. */
	walk->lines = v[STORES] == STORES_BYPASS ? (op_of(v)->reads ? lines : 0)
		      : op_of(v)->copies	 ? 2 * lines
						 : lines;
}

/* Stores that bypass the caches reach memory from data of any size. */
static uint64_t bandwidth_reach(const int64_t *v)
{
	return v[STORES] == STORES_BYPASS ? KERNEL_REACH_PAST : bandwidth_footprint(v);
}

static struct status bandwidth_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct stream_plan plan = plan_of(v);
	bool any = bandwidth_layout(v) == 1;
	struct status status = ring_lay_out(run, any ? 0 : plan.part / 8, 8, put);

	*stream_plan(run) = plan;
	/* Only copies overwrite the memory after the prepared data. After other operations, data
	 * that an earlier, larger setting prepared are still valid.
	 */
	if (any || (!plan.copies && run->layout.prepared > run->layout.laid_out))
		run->layout.laid_out = any ? plan.part : run->layout.prepared;
	run->granule = plan.library ? plan.turn / plan.width : STREAM_UNROLL;
	run->ring = plan.part / plan.turn * run->granule;
	run->bytes = plan.width * (uint64_t)(plan.reads + plan.writes);
	run->code.start = (const void *)loops[v[WIDTH]][v[OP]][v[STORES]];
	run->code.name = op_of(v)->function;
	if (plan.library)
		run->code.unread =
			"the C library does the work in its own code: this loop only calls it";
	return status;
}

static const char *bandwidth_remark(const int64_t *v)
{
	if (!op_of(v)->strided && v[STRIDE] != knobs[STRIDE].initial)
		return "stride has no effect here: only op=rd, wr, rdwr and cp leave gaps.";
	if (op_of(v)->library)
		return "The C library copies or fills 64 KiB at a time in its own way; width is "
		       "only the size of one element.";
	if (v[STORES] == STORES_BYPASS)
		return "Stores past the caches fetch no line first; afterwards the data are in "
		       "memory, not in a cache.";
	if (op_of(v)->strided && v[STRIDE] > 1)
		return op_of(v)->writes
			       ? "Whole lines move to the core and back; only the bytes accessed "
				 "count."
			       : "Whole lines move to the core; only the bytes read count.";
	if (op_of(v)->writes && !op_of(v)->reads)
		return "Beyond the caches each line is fetched before it is written, and written "
		       "back later: twice the counted bytes move.";
	if (op_of(v)->copies)
		return "Beyond the caches lines are also fetched before they are written: 1.5 "
		       "times the counted bytes move.";
	return NULL;
}

const struct kernel kernel_bandwidth = {
	.name = "bandwidth",
	.title = "bandwidth of each cache and of memory",
	.look_for = "Raise width: a core starts a fixed number of accesses per cycle, and wider "
		    "accesses move more bytes. Grow size: beyond the first cache, lines per cycle "
		    "are the limit at any width. Only bytes that the code reads or writes count, "
		    "not whole lines that a strided walk fetches, nor lines fetched before a "
		    "store. lmbench also counts bytes that it never loads.",
	.document = "Maxwell & Cameron, Optimizing Application Performance: A Case Study Using "
		    "LMBench (memory bandwidth)",
	.answer = "curves",
	.element = "access",
	.hint = "Down to width, then +; then grow size",
	.limit = "loads",
	KERNEL_KNOBS(knobs),
	.check = bandwidth_check,
	.fit = bandwidth_fit,
	.footprint = bandwidth_footprint,
	.reach = bandwidth_reach,
	.layout = bandwidth_layout,
	.prepare = bandwidth_prepare,
	.describe = bandwidth_describe,
	.call = stream_call,
	.begin_at = stream_begin_at,
	.verify = stream_verify,
	.remark = bandwidth_remark,
};
