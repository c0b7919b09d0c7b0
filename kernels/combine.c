/* The kernel combine reduces an array to one number, with any unrolling and any number of
 * accumulators.
 *
 * The script combine_loops.awk generates the loops. Values are +1 and -1, so sums stay small and
 * products stay 1 or -1. All results are exact in every type, without overflow and denormals. */
#include "kernels/combine.h"

#include <stdio.h>

#include "kernels/ring.h"

enum { OP, TYPE, UNROLL, ACC, SHAPE, SIZE, STRIDE };
enum { TYPE_I32, TYPE_I64, TYPE_F32, TYPE_F64 };
enum { SHAPE_SEPARATE, SHAPE_REASSOCIATED };

static const char *const op_names[] = { "add", "mul", NULL };
static const char *const type_names[] = { "i32", "i64", "f32", "f64", NULL };
static const char *const shape_names[] = { "separate", "reassociated", NULL };
static const int64_t type_bytes[] = { 4, 8, 4, 8 };

static const struct knob knobs[] = {
	[OP] = KNOB_ROW_CHOICE(
		"op", "the operation that combines", op_names, .initial = 1, .role = KNOB_DATA),
	[TYPE] = KNOB_ROW_CHOICE("type", "the type of the elements", type_names,
		.initial = TYPE_F64, .role = KNOB_DATA),
	[UNROLL] = KNOB_ROW_COUNT("unroll", "elements in one iteration of the loop", 1,
		COMBINE_UNROLL, 4, .role = KNOB_FORM),
	[ACC] = KNOB_ROW_COUNT(
		"acc", "accumulators: independent chains", 1, COMBINE_UNROLL, 1, .role = KNOB_FORM),
	[SHAPE] = KNOB_ROW_CHOICE("shape",
		"separate accumulators, or elements of an iteration combined first", shape_names,
		.role = KNOB_FORM),
	[SIZE] = KNOB_ROW_BYTES("size", "bytes of the array", 64, KNOB_MAX_MEMORY, 16384,
		.axis = AXIS_SIZE, .multiple = KNOB_WORD, .factor = 2),
	[STRIDE] = KNOB_ROW_COUNT(
		"stride", "elements from one read to the next", 1, 64, 1, .axis = AXIS_STRIDE),
};

/* Returns the number of elements read in one pass: every stride-th element of the array, rounded
 * down to whole iterations. */
static int64_t ring_elements(const int64_t *v)
{
	int64_t count = v[SIZE] / (type_bytes[v[TYPE]] * v[STRIDE]);

	return count / v[UNROLL] * v[UNROLL];
}

static const struct knob_rule rules[] = {
	{ { ACC, 2, COMBINE_UNROLL }, { SHAPE, SHAPE_SEPARATE, SHAPE_SEPARATE }, SHAPE_SEPARATE, 1,
		"one accumulator goes with shape=reassociated, and several with shape=separate" },
};

static struct status combine_check(const int64_t *v)
{
	if (v[ACC] > v[UNROLL])
		return status_usage("acc=%lld needs unroll=%lld or more, not unroll=%lld",
			(long long)v[ACC], (long long)v[ACC], (long long)v[UNROLL]);
	if (ring_elements(v) < 1)
		return status_usage(
			"size=%lld holds fewer than unroll=%lld elements of %lld bytes at "
			"stride=%lld: use %lld or more",
			(long long)v[SIZE], (long long)v[UNROLL], (long long)type_bytes[v[TYPE]],
			(long long)v[STRIDE],
			(long long)(v[UNROLL] * v[STRIDE] * type_bytes[v[TYPE]]));
	return status_ok();
}

static void combine_fit(int64_t *v, int changed)
{
	if (v[ACC] > v[UNROLL]) {
		if (changed == ACC)
			v[UNROLL] = v[ACC];
		else
			v[ACC] = v[UNROLL];
	}
	if (ring_elements(v) < 1) {
		int64_t need = v[UNROLL] * type_bytes[v[TYPE]];

		if (changed == SIZE) {
			/* If the user made the array smaller, one unrolled iteration may read more
			 * elements than the array has. If the array is too small, the code reduces
			 * the stride first, then the unrolling. */
			v[STRIDE] = v[SIZE] / need > 1 ? v[SIZE] / need : 1;
			if (v[SIZE] < need) {
				v[UNROLL] = v[SIZE] / type_bytes[v[TYPE]];
				v[ACC] = v[ACC] < v[UNROLL] ? v[ACC] : v[UNROLL];
			}
		} else {
			while (ring_elements(v) < 1)
				v[SIZE] *= 2;
		}
	}
}

static uint64_t combine_layout(const int64_t *v)
{
	return (uint64_t)v[TYPE];
}

/* Returns the value of element `index`: +1 or -1. The value depends on the seed, but not on the
 * size of the array. */
static int sign_of(uint64_t seed, uint64_t index)
{
	return ring_bits(seed, index / 64) >> index % 64 & 1 ? 1 : -1;
}

/* Returns the index, in the tables of loop functions, of the loop for the knobs `unroll`, `acc` and
 * `shape`. */
static int64_t shape_of(const int64_t *v)
{
	if (v[SHAPE] == SHAPE_REASSOCIATED && v[UNROLL] > 1)
		return COMBINE_SEPARATE + v[UNROLL] - 2;
	return v[UNROLL] * (v[UNROLL] - 1) / 2 + v[ACC] - 1;
}

static const struct combine_row *row_of(const int64_t *v)
{
	static const struct combine_row(*const loops[])[2][COMBINE_SHAPES] = { combine_i32_loops,
		combine_i64_loops, combine_f32_loops, combine_f64_loops };

	return &loops[v[TYPE]][v[OP]][v[STRIDE] > 1][shape_of(v)];
}

static void combine_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->step = (double)(v[STRIDE] * type_bytes[v[TYPE]]);
	walk->lines = walk->step < 64 ? walk->step / 64 : 1;
	walk->access = "read";
}

static void put(struct kernel_run *run, uint64_t i)
{
	int sign = sign_of(run->seed, i);

	switch (run->v[TYPE]) {
	case TYPE_I32: ((int32_t *)(void *)run->memory)[i] = sign; break;
	case TYPE_I64: ((int64_t *)(void *)run->memory)[i] = sign; break;
	case TYPE_F32: ((float *)(void *)run->memory)[i] = (float)sign; break;
	default: ((double *)(void *)run->memory)[i] = sign; break;
	}
}

static struct status combine_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t count = (uint64_t)(v[SIZE] / type_bytes[v[TYPE]]);

	run->ring = (uint64_t)ring_elements(v);
	run->granule = (uint64_t)v[UNROLL];
	run->bytes = (uint64_t)type_bytes[v[TYPE]];
	run->code.start = (const void *)row_of(v)->loop;
	run->code.name = row_of(v)->name;
	return ring_lay_out(run, count, (uint64_t)type_bytes[v[TYPE]], put);
}

/* In this kernel run->position counts iterations: the loops count iterations, and a division would
 * slow down the timed call. */
static void combine_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t ring = run->ring / run->granule;
	struct combine_walk walk = {
		.at = run->cursor,
		.room = ring - run->position,
		.left = elements / run->granule,
		.base = run->memory,
		.ring = ring,
		.stride = run->v[STRIDE] * (int64_t)run->bytes,
	};

	((combine_loop *)run->code.start)(&walk);
	run->cursor = walk.at;
	run->position = ring - walk.room;
	run->result = run->v[TYPE] == TYPE_I32	 ? (uint64_t)(int64_t)walk.result.i32
		      : run->v[TYPE] == TYPE_I64 ? (uint64_t)walk.result.i64
		      : run->v[TYPE] == TYPE_F32 ? (uint64_t)(int64_t)walk.result.f32
						 : (uint64_t)(int64_t)walk.result.f64;
}

static void combine_rewind(struct kernel_run *run)
{
	run->cursor = run->memory;
	run->position = 0;
}

static uint64_t combine_expected(const struct kernel_run *run, uint64_t elements)
{
	int64_t sum = 0, product = 1;

	for (uint64_t i = 0; i < elements; i++) {
		int sign = sign_of(run->seed, i % run->ring * (uint64_t)run->v[STRIDE]);

		sum += sign;
		product *= sign;
	}
	return (uint64_t)(run->v[OP] ? product : sum);
}

static const char *combine_remark(const int64_t *v)
{
	extern const unsigned char combine_stack_accesses[4][2][2][COMBINE_SHAPES];

	if (v[SHAPE] == SHAPE_SEPARATE &&
		combine_stack_accesses[v[TYPE]][v[OP]][v[STRIDE] > 1][shape_of(v)])
		return "More accumulators than registers: this loop also uses the stack, as "
		       "compiled code does.";
	return NULL;
}

const struct kernel kernel_combine = {
	.name = "combine",
	.title = "reduce an array",
	.look_for =
		"With one accumulator each operation waits for the previous one: CPE is the "
		"latency of the operation at any size. Raise unroll and acc together: CPE falls "
		"until a port or the loads become the limit. Then grow size past each cache.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, ch. 5 "
		    "(combining, unrolling, accumulators)",
	.element = "array element read",
	.limit = "latency",
	.hint = "Down to acc, then +: watch the cycles fall",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.check = combine_check,
	.fit = combine_fit,
	.layout = combine_layout,
	.layout_nests = true,
	.prepare = combine_prepare,
	.describe = combine_describe,
	.call = combine_call,
	.rewind = combine_rewind,
	.expected = combine_expected,
	.remark = combine_remark,
};
