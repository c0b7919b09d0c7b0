/* bandwidth: bytes a second between a core and each cache or memory, by nine operations: reading,
 * writing, updating and copying places a stride apart, reading, writing and copying every place,
 * and what the C library has for filling with zeros and for copying blocks.
 *
 * What is credited is what the code itself reads and writes. A strided walk brings whole lines to
 * the core and uses a part of them, and a plain store to a line that is not in the cache fetches
 * the line first: that traffic is not credited, but said. */
#include <string.h>

#include "kernels/features.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"
#include "kernels/stream.h"

enum { OP, SIZE, STRIDE, WIDTH, STORES, PAGES, NODE, CORES };
enum { OP_RD, OP_WR, OP_RDWR, OP_CP, OP_FRD, OP_FWR, OP_FCP, OP_BZERO, OP_BCOPY, OPS };
enum { STORES_PLAIN, STORES_BYPASS };
enum { WIDTHS = 4, LINE = 64, PAGE = 4096 };

/* What the C library is asked for at a time, at most. */
enum { BLOCK = 64 << 10 };

static const char *const op_names[] = { "rd", "wr", "rdwr", "cp", "frd", "fwr", "fcp", "bzero",
	"bcopy", NULL };
static const char *const width_names[] = { "8", "16", "32", "64", NULL };
static const char *const store_names[] = { "plain", "bypass", NULL };

static const struct op {
	bool strided, reads, writes, copies;
	bool library;  /* the C library does it */
	bool bypasses; /* can do so */
} ops[OPS] = {
	[OP_RD] = { .strided = true, .reads = true },
	[OP_WR] = { .strided = true, .writes = true },
	[OP_RDWR] = { .strided = true, .reads = true, .writes = true },
	[OP_CP] = { .strided = true, .reads = true, .writes = true, .copies = true },
	[OP_FRD] = { .reads = true },
	[OP_FWR] = { .writes = true, .bypasses = true },
	[OP_FCP] = { .reads = true, .writes = true, .copies = true, .bypasses = true },
	[OP_BZERO] = { .writes = true, .library = true },
	[OP_BCOPY] = { .reads = true, .writes = true, .copies = true, .library = true },
};

static const struct knob knobs[] = {
	[OP] = KNOB_ROW_CHOICE("op",
		"read, write, update or copy: strided, each place, or by the library", op_names,
		.initial = OP_FRD),
	[SIZE] = KNOB_ROW_SIZE("bytes of the array; copies: of both arrays", 16384),
	[STRIDE] = KNOB_ROW_COUNT("stride",
		"places of width bytes from one to the next; rd, wr, rdwr, cp", 1, 64, 4,
		.axis = AXIS_STRIDE),
	[WIDTH] = KNOB_ROW_CHOICE("width", "bytes of an access", width_names, .role = KNOB_FORM),
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

/* An iteration is a block of `stride` bytes. */
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

LOOPS(8)
LOOPS(16)
#if defined(__x86_64__)
LOOPS(32)
LOOPS(64)
#define WIDER(each) each(32) each(64)
#else
#define WIDER(each)
#endif

static stream_loop *const loops[WIDTHS][OPS][2] = { NAMES(8) NAMES(16) WIDER(NAMES) };

static const char *const functions[OPS] = {
	[OP_RD] = "stream_read",
	[OP_WR] = "stream_write",
	[OP_RDWR] = "stream_update",
	[OP_CP] = "stream_copy",
	[OP_FRD] = "stream_read",
	[OP_FWR] = "stream_write",
	[OP_FCP] = "stream_copy",
	[OP_BZERO] = "library_fill",
	[OP_BCOPY] = "library_copy",
};

/* ---- Settings */

static uint64_t width_of(const int64_t *v)
{
	return (uint64_t)8 << v[WIDTH];
}

/* Bytes of one array, in whole lines. */
static uint64_t part_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / (op_of(v)->copies ? 2 : 1) / LINE * LINE;
}

/* Bytes from one place to the next. */
static uint64_t distance_of(const int64_t *v)
{
	return width_of(v) * (op_of(v)->strided ? (uint64_t)v[STRIDE] : 1);
}

/* Of the library: bytes of a block. They are alike, and of a small array one is all of it. */
static uint64_t block_of(const int64_t *v)
{
	uint64_t part = part_of(v);

	return part / ((part + BLOCK - 1) / BLOCK) / LINE * LINE;
}

static uint64_t turn_bytes(const int64_t *v)
{
	return op_of(v)->library ? block_of(v) : STREAM_UNROLL * distance_of(v);
}

static uint64_t least_bytes(const int64_t *v)
{
	return STREAM_UNROLL * distance_of(v) * (op_of(v)->copies ? 2 : 1);
}

static struct status bandwidth_check(const int64_t *v)
{
	static const enum feature needs[WIDTHS] = { FEATURE_COUNT, FEATURE_COUNT, FEATURE_AVX,
		FEATURE_AVX512 };
	char what[24] = "width=";

	if (v[STORES] == STORES_BYPASS && !op_of(v)->bypasses)
		return status_usage("stores=bypass goes with op=fwr and op=fcp, not with op=%s",
			op_names[v[OP]]);
	if (!op_of(v)->library && part_of(v) < STREAM_UNROLL * distance_of(v))
		return status_usage(
			"size=%lld is too small for op=%s at stride=%lld and width=%s: use %llu or "
			"more",
			(long long)v[SIZE], op_names[v[OP]], (long long)v[STRIDE],
			width_names[v[WIDTH]], (unsigned long long)least_bytes(v));
	strcat(what, width_names[v[WIDTH]]);
	return needs[v[WIDTH]] == FEATURE_COUNT ? status_ok()
						: features_need(needs[v[WIDTH]], what);
}

static void bandwidth_fit(int64_t *v, int changed)
{
	if (v[STORES] == STORES_BYPASS && !op_of(v)->bypasses) {
		if (changed == STORES)
			v[OP] = op_of(v)->copies ? OP_FCP : OP_FWR;
		else
			v[STORES] = STORES_PLAIN;
	}
	if (op_of(v)->library || part_of(v) >= STREAM_UNROLL * distance_of(v))
		return;
	if (changed != SIZE)
		v[SIZE] = (int64_t)least_bytes(v);
	else if (op_of(v)->strided)
		v[STRIDE] = (int64_t)(part_of(v) / STREAM_UNROLL / width_of(v));
}

/* Bytes between what is copied and where to. Processors fetch the first lines of the page behind
 * one that is read to its end, and a store past the caches to a line that is in one takes longer:
 * of small sets, met again and again, up to a fifth. */
static uint64_t gap_of(const int64_t *v)
{
	return op_of(v)->copies && v[STORES] == STORES_BYPASS ? PAGE : 0;
}

static uint64_t bandwidth_footprint(const int64_t *v)
{
	return part_of(v) * (op_of(v)->copies ? 2 : 1) + gap_of(v);
}

/* What is read alone; what is copied, which lies before what is overwritten; and what is
 * overwritten, which may hold anything. */
static uint64_t bandwidth_layout(const int64_t *v)
{
	return op_of(v)->copies ? 2 : op_of(v)->writes ? 1 : 0;
}

/* ---- Data */

/* The words of an array that is read: all different. */
static uint64_t word_of(uint64_t seed, uint64_t index)
{
	return (index + 1) * (2 * seed + 0x9e3779b97f4a7c15u);
}

static struct status fill(struct kernel_run *run, uint64_t bytes)
{
	uint64_t *words = (uint64_t *)(void *)run->memory;

	for (uint64_t i = run->layout.prepared / 8; i < bytes / 8; i++) {
		if (i % 65536 == 0 && !kernel_goes_on(run, i, bytes / 8)) {
			run->layout.laid_out = i * 8;
			return status_make(STATUS_CANCELLED, "stopped while the array was filled");
		}
		words[i] = word_of(run->seed, i);
	}
	run->layout.laid_out = bytes;
	/* Only copies overwrite the bytes after these. */
	if (!op_of(run->v)->copies && run->layout.prepared > bytes)
		run->layout.laid_out = run->layout.prepared;
	return status_ok();
}

static void bandwidth_describe(const int64_t *v, struct kernel_walk *walk)
{
	double lines = distance_of(v) < LINE ? (double)distance_of(v) / LINE : 1;

	walk->step = op_of(v)->library ? 0 : (double)distance_of(v);
	walk->access = op_of(v)->copies			     ? "copy"
		       : op_of(v)->reads && op_of(v)->writes ? "update"
		       : op_of(v)->reads		     ? "read"
							     : "write";
	/* What is stored past the caches comes from nowhere. */
	walk->lines = v[STORES] == STORES_BYPASS ? (op_of(v)->reads ? lines : 0)
		      : op_of(v)->copies	 ? 2 * lines
						 : lines;
}

static struct status bandwidth_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct status status = status_ok();

	if (bandwidth_layout(v) == 1)
		run->layout.laid_out = part_of(v);
	else
		status = fill(run, part_of(v));
	run->granule = op_of(v)->library ? turn_bytes(v) / width_of(v) : STREAM_UNROLL;
	run->ring = part_of(v) / turn_bytes(v) * run->granule;
	run->bytes = width_of(v) * (uint64_t)(op_of(v)->reads + op_of(v)->writes);
	run->code.start = (const void *)loops[v[WIDTH]][v[OP]][v[STORES]];
	run->code.name = functions[v[OP]];
	if (op_of(v)->library)
		run->code.unread =
			"the C library does the work in its own code: this loop only calls it";
	return status;
}

enum { VALUE = 0x5a };

/* position: bytes into the array. */
static inline void bandwidth_walk(
	struct kernel_run *run, uint64_t elements, struct stream_walk *walk)
{
	uint64_t turn = turn_bytes(run->v);

	walk->a = run->memory;
	walk->b = run->memory + part_of(run->v) + gap_of(run->v);
	walk->stride = op_of(run->v)->library ? turn : distance_of(run->v);
	walk->turns = elements / run->granule;
	walk->at = run->position;
	walk->last = (run->ring / run->granule - 1) * turn;
	memset(walk->value, VALUE, sizeof(walk->value));
	((stream_loop *)run->code.start)(walk);
	run->position = walk->at;
}

static void bandwidth_call(struct kernel_run *run, uint64_t elements)
{
	struct stream_walk walk;

	bandwidth_walk(run, elements, &walk);
}

static void bandwidth_begin_at(struct kernel_run *run, double share)
{
	uint64_t turns = run->ring / run->granule;

	run->position = (uint64_t)(share * (double)turns) % turns * turn_bytes(run->v);
}

/* ---- Checks */

enum { VERIFIED = 48, MARK = 0x33 };

static struct status wrong(const int64_t *v, const char *what, uint64_t place)
{
	return status_failed("bandwidth op=%s %s at place %llu", op_names[v[OP]], what,
		(unsigned long long)place);
}

/* Whether `bytes` holds the data `offset` bytes into an array that is read. */
static bool holds(
	const struct kernel_run *run, const unsigned char *bytes, uint64_t offset, uint64_t count)
{
	for (uint64_t i = 0; i < count; i += 8) {
		uint64_t word = word_of(run->seed, (offset + i) / 8);

		if (memcmp(bytes + i, &word, 8) != 0)
			return false;
	}
	return true;
}

/* An iteration a call, since only the last one's loads leave a trace: over the ring's end where it
 * is short. Whatever an update may find is laid out for it. */
static struct status verify_reads(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t width = width_of(v), ring = run->ring / STREAM_UNROLL,
		 turns = ring < VERIFIED ? ring + ring / 2 : VERIFIED;
	uint64_t first =
		width == 8 ? STREAM_UNROLL / 2 : 0; /* of the narrow ones see struct stream_walk */
	struct stream_walk walk;

	for (uint64_t turn = 0; turn < turns; turn++) {
		if (op_of(v)->writes)
			for (uint64_t k = 0; k < STREAM_UNROLL; k++) {
				uint64_t offset =
					(turn % ring * STREAM_UNROLL + k) * distance_of(v);

				for (uint64_t i = offset; i < offset + width; i += 8)
					((uint64_t *)(void *)run->memory)[i / 8] =
						word_of(run->seed, i / 8);
			}
		memset(walk.found, 0, sizeof(walk.found));
		bandwidth_walk(run, STREAM_UNROLL, &walk);
		for (uint64_t k = 0; k < STREAM_UNROLL; k++) {
			uint64_t place = turn % ring * STREAM_UNROLL + k,
				 offset = place * distance_of(v);

			if (k >= first && !holds(run, walk.found[k], offset, width))
				return wrong(v, "read a wrong value", place);
			if (!op_of(v)->writes && !holds(run, run->memory + offset, offset, width))
				return wrong(v, "wrote instead of reading", place);
		}
	}
	return status_ok();
}

/* Every place that a call is to write holds what it should then, and what lies between does not. */
static struct status verify_writes(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t turn = turn_bytes(v), turns = run->ring / run->granule,
		 between = distance_of(v) - width_of(v);
	unsigned char *array = run->memory + (op_of(v)->copies ? part_of(v) + gap_of(v) : 0);
	unsigned char written[STREAM_WIDEST];
	uint64_t width = width_of(v), count;

	/* The library's blocks are long. */
	turns = op_of(v)->library ? 1 : turns < VERIFIED ? turns : VERIFIED;
	count = turns * run->granule;
	memset(written, op_of(v)->library ? 0 : VALUE, sizeof(written));
	memset(array, MARK, turns * turn);
	bandwidth_call(run, count);
	for (uint64_t place = 0; place < count; place++) {
		const unsigned char *bytes = array + place * distance_of(v);
		static const unsigned char marks[8] = { [0 ... 7] = MARK };

		if (op_of(v)->copies ? !holds(run, bytes, place * distance_of(v), width)
				     : memcmp(bytes, written, width) != 0)
			return wrong(v, "left a wrong value", place);
		if (between && memcmp(bytes + width, marks, 8) != 0)
			return wrong(v, "wrote too much", place);
	}
	return status_ok();
}

static struct status bandwidth_verify(struct kernel_run *run)
{
	struct status status = status_ok();

	kernel_rewind(run);
	if (op_of(run->v)->reads && !op_of(run->v)->copies)
		status = verify_reads(run);
	kernel_rewind(run);
	if (status_is_ok(&status) && op_of(run->v)->writes)
		status = verify_writes(run);
	kernel_rewind(run);
	return status;
}

static const char *bandwidth_remark(const int64_t *v)
{
	if (op_of(v)->library)
		return "The C library copies or fills 64 KiB at a time in its own way; width is "
		       "only the size of one element.";
	if (v[STORES] == STORES_BYPASS)
		return "Stores past the caches fetch no line first; afterwards the data are in "
		       "memory, not in a cache.";
	if (op_of(v)->strided && distance_of(v) > width_of(v))
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
	.element = "access",
	.hint = "Down to width, then +; then grow size",
	.limit = "loads",
	KERNEL_KNOBS(knobs),
	.check = bandwidth_check,
	.fit = bandwidth_fit,
	.footprint = bandwidth_footprint,
	.layout = bandwidth_layout,
	.prepare = bandwidth_prepare,
	.describe = bandwidth_describe,
	.call = bandwidth_call,
	.begin_at = bandwidth_begin_at,
	.verify = bandwidth_verify,
	.remark = bandwidth_remark,
};
