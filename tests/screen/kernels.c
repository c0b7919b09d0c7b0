/* Kernels that screens are drawn with, whatever others there will be: knobs and words like those of
 * the shipped ones, and no code. They stand in the place of the generated registry. */
#include "canned.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

enum { OP, TYPE, UNROLL, ACC, SHAPE, SIZE, STRIDE };

static const char *const op_names[] = { "add", "mul", NULL };
static const char *const type_names[] = { "i32", "i64", "f32", "f64", NULL };
static const char *const shape_names[] = { "separate", "reassociated", NULL };
static const char *const order_names[] = { "sequential", "random", NULL };

static const struct knob combine_knobs[] = {
	[OP] = KNOB_ROW_CHOICE("op", "the operation that combines", op_names, .initial = 1),
	[TYPE] = KNOB_ROW_CHOICE("type", "the type of the elements", type_names, .initial = 3),
	[UNROLL] = KNOB_ROW_COUNT(
		"unroll", "elements in one iteration of the loop", 1, 16, 1, .role = KNOB_FORM),
	[ACC] = KNOB_ROW_COUNT(
		"acc", "accumulators: chains that run side by side", 1, 16, 1, .role = KNOB_FORM),
	[SHAPE] = KNOB_ROW_CHOICE("shape",
		"accumulators apart, or an iteration's elements combined first", shape_names,
		.role = KNOB_FORM),
	[SIZE] = KNOB_ROW_BYTES("size", "bytes of the array", 64, KNOB_MAX_MEMORY, 32768,
		.axis = AXIS_SIZE, .factor = 2),
	[STRIDE] = KNOB_ROW_COUNT(
		"stride", "elements from one read to the next", 1, 64, 1, .axis = AXIS_STRIDE),
};

static const struct knob list_knobs[] = {
	KNOB_ROW_BYTES("size", "bytes of all nodes with their spacing", 16, KNOB_MAX_MEMORY, 32768,
		.axis = AXIS_SIZE, .multiple = 16, .factor = 2),
	KNOB_ROW_COUNT("spacing", "bytes from one node to the next in memory", 16, 256, 16,
		.multiple = 16, .factor = 2),
	KNOB_ROW_CHOICE("order", "how the list goes through memory", order_names),
};

static const struct knob mountain_knobs[] = {
	KNOB_ROW_SIZE("bytes of the array", 32768),
	KNOB_ROW_COUNT("stride", "elements of 8 bytes from one read to the next", 1, 64, 1,
		.axis = AXIS_STRIDE),
};

static struct status combine_check(const int64_t *v)
{
	if (v[ACC] > v[UNROLL])
		return status_usage("acc=%lld needs unroll=%lld or more, and unroll is %lld",
			(long long)v[ACC], (long long)v[ACC], (long long)v[UNROLL]);
	return status_ok();
}

static void combine_fit(int64_t *v, int changed)
{
	if (v[ACC] > v[UNROLL])
		v[changed == ACC ? UNROLL : ACC] = v[changed == ACC ? ACC : UNROLL];
}

static const char *combine_remark(const int64_t *v)
{
	return v[ACC] == 16 ? "More accumulators than registers: this loop also uses the stack, as "
			      "compiled "
			      "code does."
			    : NULL;
}

static uint64_t first_footprint(const int64_t *v)
{
	return (uint64_t)v[0];
}

static const struct kernel combine = {
	.name = "combine",
	.title = "reduce an array",
	.answer = "curves",
	.look_for = "With one accumulator every operation waits for the one before: CPE is the "
		    "operation's latency, "
		    "whatever the size. Turn up unroll and acc together and CPE falls until "
		    "another limit, a port or the "
		    "loads, takes over. Then grow size past each cache.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, ch. 5",
	.element = "array element read",
	.knobs = combine_knobs,
	.knob_count = 7,
	.check = combine_check,
	.fit = combine_fit,
	.remark = combine_remark,
	.hint = "Down to acc, then +: watch the cycles fall",
};

static const struct kernel list_length = {
	.name = "list-length",
	.title = "walk a linked list and count",
	.answer = "curves",
	.look_for = "Every load waits for the pointer that the one before it fetched: CPE is the "
		    "load-to-use latency. "
		    "Grow size and watch it step up at each cache; then set order=random.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, ch. 5",
	.element = "list node",
	.knobs = list_knobs,
	.knob_count = 3,
	.footprint = first_footprint,
	.plot_cpe = true,
};

static void mountain_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->step = 8 * (double)v[1];
	walk->lines = walk->step < 64 ? walk->step / 64 : 1;
	walk->access = "read";
}

static const struct kernel mountain = {
	.name = "mountain",
	.title = "read throughput over size and stride",
	.answer = "mountain",
	.look_for = "Throughput over size shows temporal locality: a ridge for each cache, and a "
		    "fall where the array "
		    "outgrows it. Throughput over stride shows spatial locality.",
	.document = "Bryant & O'Hallaron, Computer Systems: A Programmer's Perspective, sec. 6.6",
	.element = "array element read",
	.knobs = mountain_knobs,
	.knob_count = 2,
	.footprint = first_footprint,
	.describe = mountain_describe,
};

static const char *const window_names[] = { "nop", "add", "load", "store", "wait", "wait-load",
	"branch", NULL };
static const char *const remedies[] = { "none", "prefetch", NULL };

static const struct knob window_knobs[] = {
	KNOB_ROW_SIZE("bytes that the nodes of all chains are scattered over", 64 << 20),
	KNOB_ROW_COUNT("fillers", "N, instructions between one miss and the next", 0, 2000, 100),
	KNOB_ROW_CHOICE("filler", "what they are, which says what they fill", window_names),
	KNOB_ROW_CHOICE("remedy", "what is done so that misses overlap again", remedies),
};

/* On no list: a script starts with it. */
const struct kernel canned_window = {
	.name = "window",
	.title = "how far the core looks ahead",
	.answer = "windows",
	.look_for = "Two misses with N instructions between them overlap while both are in the "
		    "core's window.",
	.document = "Downs, Performance Speed Limits",
	.element = "iteration",
	.knobs = window_knobs,
	.knob_count = 4,
	.footprint = first_footprint,
};

const struct kernel *const kernel_registry[] = { &combine, &list_length, &mountain, NULL };
