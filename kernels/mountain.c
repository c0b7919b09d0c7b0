/* The kernel mountain is the read test of the cited textbook, unrolled 4 x 4. Each iteration adds
 * four elements to four accumulators. The loop reads every stride-th element of an array of 8-byte
 * integers. The plot of throughput over size and stride is the memory mountain. The strided
 * operations of kernels/stream.h also have memory mountains. */
#include "kernels/ring.h"
#include "kernels/stream.h"

enum { SIZE, STRIDE, OP, PAGES };
enum { OP_RD, OP_WR, OP_RDWR, OP_CP, OPS };
enum { ELEMENT = 8, LINE = 64 };

static const char *const op_names[] = { "rd", "wr", "rdwr", "cp", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of the array; op=cp: of both arrays", 16384),
	[STRIDE] = KNOB_ROW_COUNT("stride", "elements of 8 bytes from one access to the next", 1,
		64, 1, .axis = AXIS_STRIDE),
	[OP] = KNOB_ROW_CHOICE("op", "read and sum, write, both, or copy", op_names,
		.initial = OP_RD, .role = KNOB_DATA),
	[PAGES] = KNOB_ROW_PAGES,
};

struct mountain_walk {
	struct ring ring;
	const int64_t *data;
	int64_t stride; /* number of elements from one read to the next */
	int64_t sum;
};

KERNEL_CALLS(mountain_write, struct stream_walk, stream_write(walk, ELEMENT, true, false))
KERNEL_CALLS(mountain_update, struct stream_walk, stream_update(walk, ELEMENT, true))
KERNEL_CALLS(mountain_copy, struct stream_walk, stream_copy(walk, ELEMENT, true, false))

KERNEL_LOOP static void mountain_read(struct mountain_walk *walk)
{
	int64_t stride = walk->stride, stride4 = stride * 4;
	const int64_t *data0 = walk->data, *data1 = data0 + stride, *data2 = data1 + stride,
		      *data3 = data2 + stride;
	int64_t acc0 = 0, acc1 = 0, acc2 = 0, acc3 = 0;
	uint64_t turns, from;

	/* Four base addresses share one index, as in compiled code of the textbook's test.
	 * KERNEL_KEEP() hides from the compiler how the addresses are related. A compiler that
	 * knows the relation could compute each address from the previous address. The chain of
	 * additions would then be the binding limit. */
	KERNEL_KEEP(data1);
	KERNEL_KEEP(data2);
	KERNEL_KEEP(data3);
	KERNEL_KEEP(stride4);
	while ((turns = ring_piece(&walk->ring, &from))) {
		int64_t i = (int64_t)from * stride4, limit = i + (int64_t)turns * stride4;

		do {
			acc0 += data0[i];
			KERNEL_KEEP(acc0);
			acc1 += data1[i];
			KERNEL_KEEP(acc1);
			acc2 += data2[i];
			KERNEL_KEEP(acc2);
			acc3 += data3[i];
			KERNEL_KEEP(acc3);
			i += stride4;
			KERNEL_KEEP(i);
		} while (i < limit);
		KERNEL_KEEP(acc0);
		KERNEL_KEEP(acc1);
		KERNEL_KEEP(acc2);
		KERNEL_KEEP(acc3);
	}
	walk->sum = acc0 + acc1 + acc2 + acc3;
}

static const struct op {
	const void *code;
	const char *function, *access;
	bool reads, writes, copies;
} ops[OPS] = {
	[OP_RD] = { (const void *)mountain_read, "mountain_read", "read", .reads = true },
	[OP_WR] = { (const void *)mountain_write, "stream_write", "write", .writes = true },
	[OP_RDWR] = { (const void *)mountain_update, "stream_update", "update", true, true },
	[OP_CP] = { (const void *)mountain_copy, "stream_copy", "copy", true, true, true },
};

static struct stream_plan plan_of(const int64_t *v)
{
	const struct op *op = &ops[v[OP]];
	uint64_t distance = (uint64_t)v[STRIDE] * ELEMENT;

	return (struct stream_plan){ .width = ELEMENT,
		.distance = distance,
		.turn = STREAM_UNROLL * distance,
		.part = ((uint64_t)v[SIZE] >> op->copies) / LINE * LINE,
		.reads = op->reads,
		.writes = op->writes,
		.copies = op->copies };
}

static struct status mountain_check(const int64_t *v)
{
	struct stream_plan plan = plan_of(v);

	if (plan.part < plan.turn)
		return status_usage(
			"size=%lld is too small for op=%s at stride=%lld: use %llu or more",
			(long long)v[SIZE], op_names[v[OP]], (long long)v[STRIDE],
			(unsigned long long)(plan.turn << plan.copies));
	return status_ok();
}

static void mountain_fit(int64_t *v, int changed)
{
	struct stream_plan plan = plan_of(v);

	if (plan.part >= plan.turn)
		return;
	if (changed == SIZE)
		v[STRIDE] = (int64_t)(plan.part / STREAM_UNROLL / ELEMENT);
	else
		v[SIZE] = (int64_t)(plan.turn << plan.copies);
}

static uint64_t mountain_footprint(const int64_t *v)
{
	return v[OP] == OP_RD ? (uint64_t)v[SIZE] : plan_of(v).part << ops[v[OP]].copies;
}

/* Settings with equal layout numbers can share data. Returns the number: 0 for data that the loop
 * only reads, 1 for data that the loop overwrites. */
static uint64_t mountain_layout(const int64_t *v)
{
	return v[OP] != OP_RD;
}

static int64_t value_of(uint64_t seed, uint64_t index)
{
	return (int64_t)(ring_bits(seed, index) >> 48);
}

static void mountain_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->step = (double)plan_of(v).distance;
	walk->lines = (walk->step < LINE ? walk->step / LINE : 1) * (1 + ops[v[OP]].copies);
	walk->access = ops[v[OP]].access;
}

static void put(struct kernel_run *run, uint64_t i)
{
	((int64_t *)(void *)run->memory)[i] = value_of(run->seed, i);
}

static struct status mountain_prepare(struct kernel_run *run)
{
	const struct op *op = &ops[run->v[OP]];
	uint64_t count = mountain_footprint(run->v) / ELEMENT, stride = (uint64_t)run->v[STRIDE],
		 part = run->v[OP] == OP_RD ? count : plan_of(run->v).part / ELEMENT;

	run->granule = run->v[OP] == OP_RD ? 4 : STREAM_UNROLL;
	run->ring = part / stride / run->granule * run->granule;
	run->bytes = ELEMENT * (uint64_t)(op->reads + op->writes);
	*stream_plan(run) = plan_of(run->v);
	run->code.start = op->code;
	run->code.name = op->function;
	return ring_lay_out(run, count, ELEMENT, put);
}

static void mountain_call(struct kernel_run *run, uint64_t elements)
{
	struct mountain_walk walk = { .data = (const int64_t *)(const void *)run->memory,
		.stride = run->v[STRIDE] };

	if (run->v[OP] != OP_RD) {
		stream_call(run, elements);
		return;
	}
	RING_WALK(run, elements, &walk);
	run->result = (uint64_t)walk.sum;
}

static void mountain_begin_at(struct kernel_run *run, double share)
{
	stream_begin_at(run, share);
	if (run->v[OP] == OP_RD)
		run->position /= stream_plan(run)->turn;
}

static uint64_t mountain_expected(const struct kernel_run *run, uint64_t elements)
{
	uint64_t sum = 0, first = run->layout.base / ELEMENT;

	for (uint64_t i = 0; i < elements; i++)
		sum += (uint64_t)value_of(
			run->seed, first + i % run->ring * (uint64_t)run->v[STRIDE]);
	return sum;
}

static struct status mountain_verify(struct kernel_run *run)
{
	return run->v[OP] == OP_RD ? kernel_compare(run) : stream_verify(run);
}

const struct kernel kernel_mountain = {
	.name = "mountain",
	.title = "read, write or copy with a stride",
	.look_for = "Throughput over size shows temporal locality: a ridge for each cache, and a "
		    "drop where the array outgrows it. Throughput over stride shows spatial "
		    "locality: it falls until each read touches another line, at stride 8. Where "
		    "the prefetcher follows, small strides stay fast even from memory. Writes and "
		    "copies have lower mountains: a core fetches each line before it writes to it, "
		    "and writes it back later.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, sec. 6.6 "
		    "(the memory mountain)",
	.answer = "mountain",
	.element = "array element",
	.limit = "loads",
	KERNEL_KNOBS(knobs),
	.check = mountain_check,
	.fit = mountain_fit,
	.footprint = mountain_footprint,
	.layout = mountain_layout,
	.layout_nests = true,
	.movable = true,
	.prepare = mountain_prepare,
	.describe = mountain_describe,
	.call = mountain_call,
	.begin_at = mountain_begin_at,
	.expected = mountain_expected,
	.verify = mountain_verify,
};
