/* The kernel indirect sums values through an array of offsets, with two loads per value. If the
 * load ports are the limit, a wide load of two offsets helps. The loop then makes three loads for
 * two values, but needs instructions that split the offsets. */
#include "kernels/features.h"
#include "kernels/ring.h"

enum { SIZE, FORM, ORDER, PAGES };
enum { FORM_FOUR, FORM_WIDE, FORM_WIDE_LEAN, FORM_GATHER, FORMS };
enum { ORDER_RANDOM, ORDER_SEQUENTIAL };

static const char *const form_names[] = { "four", "wide", "wide-lean", "gather", NULL };
static const char *const order_names[] = { "random", "sequential", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of values and offsets together", 16384),
	[FORM] = KNOB_ROW_CHOICE("form", "4 loads per 2 values, 2 offsets in 1 load, or a gather",
		form_names, .role = KNOB_FORM),
	[ORDER] = KNOB_ROW_CHOICE("order", "the order of the offsets", order_names),
	[PAGES] = KNOB_ROW_PAGES,
};

struct indirect {
	const uint32_t *data, *offsets;
	struct ring ring;
	uint32_t sum;
};

/* Each loop counts down from the end of a contiguous piece of the array of offsets, because x86-64
 * then counts and compares in one operation. On x86-64, i is an index. On AArch64, i is an address,
 * because AArch64 has no address with an index and a displacement. */
#if defined(__x86_64__)
#define BEHIND(offsets, count) (count)
#else
#define BEHIND(offsets, count) ((uint64_t)((offsets) + (count)))
#endif

/* clang-format off */
#define FORM(name, code)                                                                                \
KERNEL_LOOP static void name(struct indirect *walk)                                                     \
{                                                                                                       \
	uint32_t sum1 = 0, sum2 = 0;                                                                    \
	uint64_t turns, from;                                                                           \
                                                                                                        \
	while ((turns = ring_piece(&walk->ring, &from))) {                                              \
		const uint32_t *offsets = walk->offsets + 2 * from;                                     \
		uint64_t i = BEHIND(offsets, 2 * turns), x, y;                                          \
                                                                                                        \
		__asm__ volatile("	.p2align 6\n" code                                              \
			: [i] "+r"(i), [sum1] "+r"(sum1), [sum2] "+r"(sum2), [x] "=&r"(x), [y] "=&r"(y) \
			: [data] "r"(walk->data), [offsets] "r"(offsets)                                \
			: "cc", "memory");                                                              \
	}                                                                                               \
	walk->sum = sum1 + sum2;                                                                        \
}

#if defined(__x86_64__)
#define ADD_BOTH                                            \
	"	addl	(%[data],%[x],4), %[sum1]	\n" \
	"	addl	(%[data],%[y],4), %[sum2]	\n"
#define NEXT                                                \
	"	subq	$2, %[i]			\n" \
	"	jne	1b				\n"
#define FOUR                                                \
	"1:	movl	-4(%[offsets],%[i],4), %k[x]	\n" \
	"	addl	(%[data],%[x],4), %[sum1]	\n" \
	"	movl	-8(%[offsets],%[i],4), %k[x]	\n" \
	"	addl	(%[data],%[x],4), %[sum2]	\n" NEXT
#define WIDE                                                \
	"1:	movq	-8(%[offsets],%[i],4), %[x]	\n" \
	"	movq	%[x], %[y]			\n" \
	"	movl	%k[x], %k[x]			\n" \
	"	shrq	$32, %[y]			\n" ADD_BOTH NEXT
#define WIDE_LEAN                                           \
	"1:	movq	-8(%[offsets],%[i],4), %[y]	\n" \
	"	movl	%k[y], %k[x]			\n" \
	"	shrq	$32, %[y]			\n" ADD_BOTH NEXT
#else
#define ADD_BOTH                                            \
	"	ldr	%w[x], [%[data], %[x], lsl 2]	\n" \
	"	ldr	%w[y], [%[data], %[y], lsl 2]	\n" \
	"	add	%w[sum1], %w[sum1], %w[x]	\n" \
	"	add	%w[sum2], %w[sum2], %w[y]	\n"
#define NEXT                                                \
	"	cmp	%[i], %[offsets]		\n" \
	"	b.ne	1b				\n"
#define FOUR                                                \
	"1:	ldr	%w[x], [%[i], -4]		\n" \
	"	ldr	%w[x], [%[data], %w[x], uxtw 2]	\n" \
	"	add	%w[sum1], %w[sum1], %w[x]	\n" \
	"	ldr	%w[x], [%[i], -8]!		\n" \
	"	ldr	%w[x], [%[data], %w[x], uxtw 2]	\n" \
	"	add	%w[sum2], %w[sum2], %w[x]	\n" NEXT
#define WIDE                                                \
	"1:	ldr	%[x], [%[i], -8]!		\n" \
	"	mov	%[y], %[x]			\n" \
	"	mov	%w[x], %w[x]			\n" \
	"	lsr	%[y], %[y], 32			\n" ADD_BOTH NEXT
#define WIDE_LEAN                                           \
	"1:	ldr	%[y], [%[i], -8]!		\n" \
	"	mov	%w[x], %w[y]			\n" \
	"	lsr	%[y], %[y], 32			\n" ADD_BOTH NEXT
#endif
/* clang-format on */

/* form=four loads each offset and each value separately: four loads for two values, five
 * operations.
 *
 * sum1 += data[offsets[i - 1]]; sum2 += data[offsets[i - 2]]; i -= 2; while (i) */
FORM(indirect_four, FOUR)

/* One load fetches two offsets of 4 bytes. The loop copies both, extends the lower offset and
 * shifts the upper offset. Two values need three loads and seven operations.
 *
 * x = offsets[i - 2] and offsets[i - 1]; y = x; x = (uint32_t)x; y >>= 32; sum1 += data[x]; sum2 +=
 * data[y]; i -= 2; while (i) */
FORM(indirect_wide, WIDE)

/* The copy instruction also extends the lower offset, so two values need only six operations.
 *
 * y = offsets[i - 2] and offsets[i - 1]; x = (uint32_t)y; y >>= 32; sum1 += data[x]; sum2 +=
 * data[y]; i -= 2; while (i) */
FORM(indirect_wide_lean, WIDE_LEAN)

#if defined(__x86_64__)

typedef uint32_t eight __attribute__((vector_size(32)));

/* The loop loads eight offsets at once, and eight values by one gather instruction, which still
 * makes eight loads. A gather clears its mask, so the loop sets the mask again. A gather also keeps
 * the target lanes that its mask does not select. The loop clears the target register, so a gather
 * does not wait for the previous gather. */
__attribute__((target("avx2"))) KERNEL_LOOP static void indirect_gather(struct indirect *walk)
{
	eight sums = { 0 };
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *offsets = walk->offsets + 8 * from;
		uint64_t i = 8 * turns;
		eight x, lanes, values;

		/* in each lane: x = offsets[i - 8 + lane]; sums += data[x]; and once: i -= 8; while
		 * (i) */
		__asm__ volatile("	.p2align 6				\n"
				 "1:	vmovdqu	-32(%[offsets],%[i],4), %[x]	\n"
				 "	vpcmpeqd %[lanes], %[lanes], %[lanes]	\n"
				 "	vpxor	%[values], %[values], %[values]	\n"
				 "	vpgatherdd %[lanes], (%[data],%[x],4), %[values] \n"
				 "	vpaddd	%[values], %[sums], %[sums]	\n"
				 "	subq	$8, %[i]			\n"
				 "	jne	1b				\n"
				 : [i] "+r"(i), [sums] "+x"(sums), [x] "=&x"(x),
				 [lanes] "=&x"(lanes), [values] "=&x"(values)
				 : [data] "r"(walk->data), [offsets] "r"(offsets)
				 : "cc", "memory");
	}
	walk->sum = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

#else
#define indirect_gather NULL
#endif

typedef void indirect_loop(struct indirect *walk);

static const struct {
	const char *function;
	indirect_loop *loop;
	uint64_t granule;
} forms[FORMS] = {
	[FORM_FOUR] = { "indirect_four", indirect_four, 2 },
	[FORM_WIDE] = { "indirect_wide", indirect_wide, 2 },
	[FORM_WIDE_LEAN] = { "indirect_wide_lean", indirect_wide_lean, 2 },
	[FORM_GATHER] = { "indirect_gather", indirect_gather, 8 },
};

static struct status indirect_check(const int64_t *v)
{
	return v[FORM] == FORM_GATHER ? features_need(FEATURE_AVX2, "form=gather") : status_ok();
}

/* Memory holds the values, then the same number of offsets. An offset may select any value, so the
 * offsets are generated again for each size. */
static uint64_t indirect_layout(const int64_t *v)
{
	return (uint64_t)v[SIZE] << 1 | (uint64_t)v[ORDER];
}

static uint64_t count_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / 64 * 8;
}

static uint32_t offset_of(const struct kernel_run *run, uint64_t i)
{
	struct random random = { run->seed + i };

	return run->v[ORDER] == ORDER_RANDOM ? (uint32_t)random_below(&random, count_of(run->v))
					     : (uint32_t)i;
}

static uint32_t value_of(const struct kernel_run *run, uint64_t i)
{
	return (uint32_t)ring_bits(~run->seed, i);
}

static void indirect_describe(const int64_t *v, struct kernel_walk *walk)
{
	/* In random order, each value is in another cache line. The loop reads the offsets in the
	 * order of memory. */
	walk->scattered = v[ORDER] == ORDER_RANDOM;
	walk->lines = walk->scattered ? 1 : 8.0 / 64;
	walk->range = walk->scattered ? 4.0 * (double)count_of(v) : 0;
}

static void put(struct kernel_run *run, uint64_t i)
{
	uint32_t *data = (uint32_t *)(void *)run->memory;

	data[i] = value_of(run, i);
	data[count_of(run->v) + i] = offset_of(run, i);
}

static struct status indirect_prepare(struct kernel_run *run)
{
	uint64_t count = count_of(run->v);

	run->granule = forms[run->v[FORM]].granule;
	run->ring = count;
	run->bytes = 8;
	run->code.start = (const void *)forms[run->v[FORM]].loop;
	run->code.name = forms[run->v[FORM]].function;
	return ring_lay_out(run, count, 8, put);
}

static void indirect_call(struct kernel_run *run, uint64_t elements)
{
	const uint32_t *data = (const uint32_t *)(const void *)run->memory;
	struct indirect walk = { .data = data, .offsets = data + run->ring };

	RING_WALK(run, elements, &walk);
	run->result = walk.sum;
}

static uint64_t indirect_expected(const struct kernel_run *run, uint64_t elements)
{
	uint32_t sum = 0;

	for (uint64_t i = 0; i < elements; i++)
		sum += value_of(run, offset_of(run, i % run->ring));
	return sum;
}

const struct kernel kernel_indirect = {
	.name = "indirect",
	.title = "sum through an array of offsets",
	.look_for = "Five operations for two values, but four of them load: the loads are the "
		    "limit. Set form=wide: one load fetches two offsets, so more operations take "
		    "no more cycles, or fewer. A gather saves instructions, but no loads.",
	.document = "Downs, Performance Speed Limits, \"Load Throughput Limit\"",
	.element = "value summed",
	.limit = "loads",
	.hint = "Down to form, then +: one load for two offsets",
	KERNEL_KNOBS(knobs),
	.check = indirect_check,
	.layout = indirect_layout,
	.prepare = indirect_prepare,
	.describe = indirect_describe,
	.call = indirect_call,
	.expected = indirect_expected,
};
