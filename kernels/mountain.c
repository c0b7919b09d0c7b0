/* mountain: the textbook's read test, 4 x 4 unrolled: four elements an iteration into four accumulators, every
 * stride-th element of an array of 8-byte integers. Over size and stride its throughput is the memory mountain. */
#include "base/random.h"
#include "kernels/kernel.h"

enum { SIZE, STRIDE };

static const struct knob knobs[] = {
	[SIZE] = { .name = "size", .help = "bytes of the array", .kind = KNOB_BYTES, .axis = AXIS_SIZE,
		.min = 4096, .max = KNOB_MAX_MEMORY, .initial = 16384, .factor = 2 },
	[STRIDE] = { .name = "stride", .help = "elements of 8 bytes from one read to the next",
		.kind = KNOB_COUNT, .axis = AXIS_STRIDE, .min = 1, .max = 64, .initial = 1 },
};

struct mountain_walk {
	const int64_t *data;
	int64_t stride;      /* elements */
	int64_t end;         /* index behind the last element of the ring */
	int64_t at;          /* index of the next element */
	uint64_t left;       /* iterations to make */
	uint64_t room;       /* iterations to the end of the ring */
	uint64_t ring;       /* iterations in the ring */
	int64_t sum;
};

static uint64_t mountain_footprint(const int64_t *v)
{
	return (uint64_t)v[SIZE];
}

static uint64_t mountain_layout(const int64_t *v)
{
	(void)v;
	return 0;
}

KERNEL_LOOP static void mountain_read(struct mountain_walk *walk)
{
	int64_t stride = walk->stride, stride4 = stride * 4;
	const int64_t *data0 = walk->data, *data1 = data0 + stride, *data2 = data1 + stride, *data3 = data2 + stride;
	int64_t i = walk->at, acc0 = 0, acc1 = 0, acc2 = 0, acc3 = 0;
	uint64_t left = walk->left, room = walk->room;

	/* Four bases with one index, as compilers make of the textbook's test: one that sees how the four are related
	 * may walk from one to the next instead, and that chain of additions would be what is measured. */
	KERNEL_KEEP(data1);
	KERNEL_KEEP(data2);
	KERNEL_KEEP(data3);
	KERNEL_KEEP(stride4);
	for (;;) {
		uint64_t turn = left < room ? left : room;
		int64_t limit = i + (int64_t)turn * stride4;

		left -= turn;
		room -= turn;
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
		if (room == 0) {
			i = 0;
			room = walk->ring;
		}
		if (left == 0)
			break;
	}
	walk->at = i;
	walk->room = room;
	walk->sum = acc0 + acc1 + acc2 + acc3;
}

static int64_t value_of(uint64_t seed, uint64_t index)
{
	struct random random = { seed + index };

	return (int64_t)(random_next(&random) >> 48);
}

static void mountain_figures(struct kernel_run *run)
{
	run->step = 8 * (double)run->v[STRIDE];
	run->lines = run->step < 64 ? run->step / 64 : 1;
	run->access = "read";
}

static struct status mountain_prepare(struct kernel_run *run)
{
	uint64_t count = (uint64_t)run->v[SIZE] / 8;

	for (uint64_t i = run->prepared / 8; i < count; i++) {
		if (i % 65536 == 0 && atomic_load_explicit(run->cancel, memory_order_relaxed))
			return status_make(STATUS_CANCELLED, "stopped while the array was filled");
		((int64_t *)(void *)run->memory)[i] = value_of(run->seed, i);
	}
	run->laid_out = count * 8 > run->prepared ? count * 8 : run->prepared;
	run->granule = 4;
	run->ring = count / (uint64_t)run->v[STRIDE] / 4 * 4;
	run->bytes = 8;
	run->code = (const void *)mountain_read;
	run->function = "mountain_read";
	run->position = 0;
	mountain_figures(run);
	return status_ok();
}

/* position counts iterations: a call must not divide. */
static void mountain_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t ring = run->ring / 4;
	struct mountain_walk walk = {
		.data = (const int64_t *)(const void *)run->memory, .stride = run->v[STRIDE],
		.at = (int64_t)run->position * 4 * run->v[STRIDE], .left = elements / 4,
		.room = ring - run->position, .ring = ring,
	};

	mountain_read(&walk);
	run->position = ring - walk.room;
	run->result = (uint64_t)walk.sum;
}

static void mountain_rewind(struct kernel_run *run)
{
	run->position = 0;
}

static void mountain_begin_at(struct kernel_run *run, double share)
{
	run->position = (uint64_t)(share * (double)(run->ring / 4)) % (run->ring / 4);
}

static struct status mountain_verify(struct kernel_run *run)
{
	uint64_t count = run->ring < 4096 ? run->ring + run->ring / 2 : 6144;
	uint64_t sum = 0, first = run->base / 8;

	count = count / 4 * 4;
	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)value_of(run->seed, first + i % run->ring * (uint64_t)run->v[STRIDE]);
	mountain_rewind(run);
	mountain_call(run, count);
	mountain_rewind(run);
	if (run->result != sum)
		return status_make(STATUS_FAILED, "mountain summed to %llu where %llu is right",
			(unsigned long long)run->result, (unsigned long long)sum);
	return status_ok();
}

const struct kernel kernel_mountain = {
	.name = "mountain",
	.title = "read with a stride",
	.look_for = "Throughput over size shows temporal locality: a ridge for each cache, and a fall where the array "
		"outgrows it. Throughput over stride shows spatial locality: it falls until every read takes a line of "
		"its own, at stride 8. Where the prefetcher follows, small strides stay fast even from memory.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, sec. 6.6 (the memory mountain)",
	.element = "array element read",
	.limit = "loads",
	.knobs = knobs,
	.knob_count = sizeof(knobs) / sizeof(knobs[0]),
	.footprint = mountain_footprint,
	.layout = mountain_layout,
	.layout_nests = true,
	.movable = true,
	.prepare = mountain_prepare,
	.figures = mountain_figures,
	.call = mountain_call,
	.rewind = mountain_rewind,
	.begin_at = mountain_begin_at,
	.verify = mountain_verify,
};
