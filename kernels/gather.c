/* The kernel gather fetches values through an array of indices, by scalar loads or by gather
 * instructions for 2 to 16 values. A gather instruction saves instructions, but still makes one
 * load per value. */
#include <stdio.h>
#include <string.h>

#include "kernels/features.h"
#include "kernels/ring.h"

enum { SIZE, TYPE, FORM, ORDER, PAGES };
enum { TYPE_I32, TYPE_I64, TYPES };
enum { FORM_SCALAR, FORM_GATHER128, FORM_GATHER256, FORM_GATHER512, FORMS };
enum { ORDER_RANDOM, ORDER_SEQUENTIAL };

static const char *const type_names[] = { "i32", "i64", NULL };
static const char *const form_names[] = { "scalar", "gather128", "gather256", "gather512", NULL };
static const char *const order_names[] = { "random", "sequential", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of values and indices together", 16384),
	[TYPE] =
		KNOB_ROW_CHOICE("type", "the type of the values; an index has 4 bytes", type_names),
	[FORM] = KNOB_ROW_CHOICE("form", "one load per value, or a gather of so many bits",
		form_names, .role = KNOB_FORM),
	[ORDER] = KNOB_ROW_CHOICE("order", "the order of the indices", order_names),
	[PAGES] = KNOB_ROW_PAGES,
};

struct gather_walk {
	const void *data;
	const uint32_t *indices;
	struct ring ring;
	uint64_t sum; /* the sum of all values; for values of type i32, only the lower half is valid
		       */
};

/* FETCH() loads index number n and its value, and adds the value to a sum. */
#if defined(__x86_64__)
#define FETCH(n, sum)                                     \
	"	movl	4*" #n "(%[indices]), %k[x]	\n"   \
	"	.if %c[bytes] == 4			\n"                        \
	"	addl	(%[data],%[x],4), %k[" sum "]	\n" \
	"	.else					\n"                                   \
	"	addq	(%[data],%[x],8), %[" sum "]	\n"  \
	"	.endif					\n"
#define NEXT                            \
	"	addq	%[step], %[indices]		\n" \
	"	cmpq	%[end], %[indices]		\n"  \
	"	jne	1b				\n"
#else
#define FETCH(n, sum)                                     \
	"	ldr	%w[x], [%[indices], 4*" #n "]	\n" \
	"	.if %c[bytes] == 4			\n"                        \
	"	ldr	%w[x], [%[data], %[x], lsl 2]	\n"           \
	"	.else					\n"                                   \
	"	ldr	%[x], [%[data], %[x], lsl 3]	\n"            \
	"	.endif					\n"                                  \
	"	add	%[" sum "], %[" sum "], %[x]	\n"
#define NEXT                                      \
	"	add	%[indices], %[indices], %[step]	\n" \
	"	cmp	%[indices], %[end]		\n"             \
	"	b.ne	1b				\n"
#endif

/* Fetches each value by two loads. An iteration reads eight values, so the cost of the loop's own
 * instructions is small. */
KERNEL_BODY void gather_scalar(struct gather_walk *walk, const int bytes)
{
	uint64_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0, turns, from, x;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *indices = walk->indices + 8 * from, *end = indices + 8 * turns;

		/* sum0 += data[indices[i]]; sum1 += data[indices[i + 1]]; … */
		__asm__ volatile(
			"	.p2align 6		\n"
			"1:				\n" FETCH(0, "sum0") FETCH(1, "sum1")
				FETCH(2, "sum2") FETCH(3, "sum3") FETCH(4, "sum0") FETCH(5, "sum1")
					FETCH(6, "sum2") FETCH(7, "sum3") NEXT
			: [indices] "+r"(indices), [sum0] "+r"(sum0), [sum1] "+r"(sum1),
			[sum2] "+r"(sum2), [sum3] "+r"(sum3), [x] "=&r"(x)
			: [data] "r"(walk->data), [end] "r"(end), [bytes] "i"(bytes), [step] "i"(32)
			: "cc", "memory");
	}
	walk->sum = sum0 + sum1 + sum2 + sum3;
}

KERNEL_CALLS(scalar_4, struct gather_walk, gather_scalar(walk, 4))
KERNEL_CALLS(scalar_8, struct gather_walk, gather_scalar(walk, 8))
#if defined(__x86_64__)

/* Returns the sum of the elements in a vector of `words` 8-byte words. lanes_sum() is a separate
 * function, because it contains a loop. */
KERNEL_LOOP static uint64_t lanes_sum(const void *sums, int words, int bytes)
{
	uint64_t sum = 0;

	for (int i = 0; i < words * 8 / bytes; i++)
		sum += bytes == 4 ? ((const uint32_t *)sums)[i] : ((const uint64_t *)sums)[i];
	return sum;
}

/* The mask of a gather selects the lanes to fetch. A gather clears its mask, so the loop sets the
 * mask for each gather. A lane that the mask does not select keeps the old value of the target
 * register. The loop clears the target register first; otherwise each gather would wait for the
 * previous gather. */
typedef uint64_t bits256 __attribute__((vector_size(32)));
typedef uint64_t bits512 __attribute__((vector_size(64)));

/* w: the operand letter of the vector registers: x for xmm registers, t for ymm registers. */
#define GATHER_AVX2(w, load8)                                                                   \
	__asm__ volatile("	.p2align 6				\n"                                                    \
			 "1:						\n"                                                           \
			 "	vpxor	%" w "[values], %" w "[values], %" w "[values] \n"      \
			 "	vpcmpeqd %" w "[lanes], %" w "[lanes], %" w "[lanes] \n"        \
			 "	.if %c[bytes] == 4			\n"                                             \
			 "	vmovdqu	(%[indices]), %" w "[x]	\n"                             \
			 "	vpgatherdd %" w "[lanes], (%[data],%" w "[x],4), %" w           \
			 "[values] \n"                                                          \
			 "	vpaddd	%" w "[values], %" w "[sums], %" w "[sums] \n"          \
			 "	.else					\n"                                                        \
			 "	" load8 "	(%[indices]), %x[x]	\n"                               \
			 "	vpgatherdq %" w "[lanes], (%[data],%x[x],8), %" w "[values] \n" \
			 "	vpaddq	%" w "[values], %" w "[sums], %" w "[sums] \n"          \
			 "	.endif					\n" NEXT                \
			 : [indices] "+r"(indices), [sums] "+x"(sums), [x] "=&x"(x),            \
			 [values] "=&x"(values), [lanes] "=&x"(lanes)                           \
			 : [data] "r"(walk->data), [end] "r"(end), [bytes] "i"(bytes),          \
			 [step] "i"(width * 4 / bytes)                                          \
			 : "cc", "memory")

/* Fetches a vector of 16 or 32 bytes by one gather instruction. */
__attribute__((target("avx2"))) KERNEL_BODY void gather_avx2(
	struct gather_walk *walk, const int width, const int bytes)
{
	bits256 sums = { 0 };
	uint64_t turns, from, step = (uint64_t)(width * 4 / bytes);

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *indices = walk->indices + from * step / 4,
			       *end = indices + turns * step / 4;
		bits256 x, values, lanes;

		/* in each lane: x = indices[i + lane]; sums += data[x]; */
		if (width == 16)
			GATHER_AVX2("x", "vmovq");
		else
			GATHER_AVX2("t", "vmovdqu");
	}
	walk->sum = lanes_sum(&sums, width / 8, bytes);
}

/* Fetches 16 values of 4 bytes, or 8 values of 8 bytes, by one gather instruction. */
__attribute__((target("avx512f"))) KERNEL_BODY void gather_512(
	struct gather_walk *walk, const int bytes)
{
	bits512 sums = { 0 };
	uint64_t turns, from, step = 64 * 4 / (uint64_t)bytes;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *indices = walk->indices + from * step / 4,
			       *end = indices + turns * step / 4;
		bits512 x, values;

		/* in each lane: x = indices[i + lane]; sums += data[x]; */
		__asm__ volatile("	.p2align 6				\n"
				 "1:						\n"
				 "	vpxord	%g[values], %g[values], %g[values] \n"
				 "	kxnorw	%%k1, %%k1, %%k1		\n"
				 "	.if %c[bytes] == 4			\n"
				 "	vmovdqu32	(%[indices]), %g[x]	\n"
				 "	vpgatherdd (%[data],%g[x],4), %g[values]%{%%k1%} \n"
				 "	vpaddd	%g[values], %g[sums], %g[sums] \n"
				 "	.else					\n"
				 "	vmovdqu	(%[indices]), %t[x]	\n"
				 "	vpgatherdq (%[data],%t[x],8), %g[values]%{%%k1%} \n"
				 "	vpaddq	%g[values], %g[sums], %g[sums] \n"
				 "	.endif					\n" NEXT
				 : [indices] "+r"(indices), [sums] "+v"(sums), [x] "=&v"(x),
				 [values] "=&v"(values)
				 : [data] "r"(walk->data), [end] "r"(end), [bytes] "i"(bytes),
				 [step] "i"(64 * 4 / bytes)
				 : "cc", "memory", "k1");
	}
	walk->sum = lanes_sum(&sums, 8, bytes);
}

/* clang-format off */
#define AVX2 __attribute__((target("avx2")))
AVX2 KERNEL_CALLS(gather128_4, struct gather_walk, gather_avx2(walk, 16, 4))
AVX2 KERNEL_CALLS(gather128_8, struct gather_walk, gather_avx2(walk, 16, 8))
AVX2 KERNEL_CALLS(gather256_4, struct gather_walk, gather_avx2(walk, 32, 4))
AVX2 KERNEL_CALLS(gather256_8, struct gather_walk, gather_avx2(walk, 32, 8))
#define AVX512 __attribute__((target("avx512f")))
AVX512 KERNEL_CALLS(gather512_4, struct gather_walk, gather_512(walk, 4))
AVX512 KERNEL_CALLS(gather512_8, struct gather_walk, gather_512(walk, 8))
/* clang-format on */
#else
#define gather128_4 NULL
#define gather128_8 NULL
#define gather256_4 NULL
#define gather256_8 NULL
#define gather512_4 NULL
#define gather512_8 NULL
#endif

		typedef void gather_loop(struct gather_walk *walk);

static const struct {
	const char *function;
	gather_loop *loops[TYPES];
	uint64_t values[TYPES]; /* number of values per iteration, for each type */
	enum feature needs;
} forms[FORMS] = {
	[FORM_SCALAR] = { "gather_scalar", { scalar_4, scalar_8 }, { 8, 8 } },
	[FORM_GATHER128] = { "gather_avx2", { gather128_4, gather128_8 }, { 4, 2 }, FEATURE_AVX2 },
	[FORM_GATHER256] = { "gather_avx2", { gather256_4, gather256_8 }, { 8, 4 }, FEATURE_AVX2 },
	[FORM_GATHER512] = { "gather_512", { gather512_4, gather512_8 }, { 16, 8 },
		FEATURE_AVX512 },
};

static struct status gather_check(const int64_t *v)
{
	char what[32];

	if (v[FORM] == FORM_SCALAR)
		return status_ok();
	snprintf(what, sizeof(what), "form=%s", form_names[v[FORM]]);
	return features_need(forms[v[FORM]].needs, what);
}

/* Memory holds the values, then the same number of indices. An index may select any value, so the
 * indices are generated again for each size. */
static uint64_t gather_layout(const int64_t *v)
{
	return (uint64_t)v[SIZE] << 2 | (uint64_t)v[TYPE] << 1 | (uint64_t)v[ORDER];
}

static uint64_t value_bytes(const int64_t *v)
{
	return v[TYPE] == TYPE_I64 ? 8 : 4;
}

/* Returns the number of values: a multiple of the iteration of every form, limited by the range of
 * a signed index. */
static uint64_t count_of(const int64_t *v)
{
	uint64_t count = (uint64_t)v[SIZE] / (value_bytes(v) + 4) / 16 * 16;

	return count < (uint64_t)1 << 31 ? count : (uint64_t)1 << 31;
}

static uint32_t index_of(const struct kernel_run *run, uint64_t i)
{
	struct random random = { run->seed + i };

	return run->v[ORDER] == ORDER_RANDOM ? (uint32_t)random_below(&random, count_of(run->v))
					     : (uint32_t)i;
}

static uint64_t value_of(const struct kernel_run *run, uint64_t i)
{
	uint64_t value = ring_bits(~run->seed, i);

	return run->v[TYPE] == TYPE_I64 ? value : (uint32_t)value;
}

static uint32_t *indices_of(const struct kernel_run *run)
{
	return (uint32_t *)(void *)(run->memory + count_of(run->v) * value_bytes(run->v));
}

static void gather_describe(const int64_t *v, struct kernel_walk *walk)
{
	walk->scattered = v[ORDER] == ORDER_RANDOM;
	/* In random order, each value is in another cache line. The loop reads the indices in the
	 * order of memory. */
	walk->lines = walk->scattered ? 1 : (double)(value_bytes(v) + 4) / 64;
	walk->range = walk->scattered ? (double)(value_bytes(v) * count_of(v)) : 0;
}

static void put(struct kernel_run *run, uint64_t i)
{
	uint64_t value = value_of(run, i), bytes = value_bytes(run->v);

	memcpy(run->memory + i * bytes, &value, bytes);
	indices_of(run)[i] = index_of(run, i);
}

static struct status gather_prepare(struct kernel_run *run)
{
	uint64_t count = count_of(run->v), bytes = value_bytes(run->v);

	run->granule = forms[run->v[FORM]].values[run->v[TYPE]];
	run->ring = count;
	run->bytes = bytes + 4;
	run->code.start = (const void *)forms[run->v[FORM]].loops[run->v[TYPE]];
	run->code.name = forms[run->v[FORM]].function;
	run->cursor = indices_of(run);
	return ring_lay_out(run, count, bytes + 4, put);
}

static void gather_call(struct kernel_run *run, uint64_t elements)
{
	struct gather_walk walk = { .data = run->memory, .indices = run->cursor };

	RING_WALK(run, elements, &walk);
	run->result = run->v[TYPE] == TYPE_I64 ? walk.sum : (uint32_t)walk.sum;
}

static uint64_t gather_expected(const struct kernel_run *run, uint64_t elements)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < elements; i++)
		sum += value_of(run, index_of(run, i % run->ring));
	return run->v[TYPE] == TYPE_I32 ? (uint32_t)sum : sum;
}

const struct kernel kernel_gather = {
	.name = "gather",
	.title = "gather against scalar loads",
	.look_for =
		"A gather fetches up to 16 values with one instruction, but still makes one load "
		"per value: it can only save the other instructions. Change form to see whether "
		"this core gains. Then let order and size scatter the values beyond the caches.",
	.document = "Downs, Performance Speed Limits, \"Load Throughput Limit\" (gathers)",
	.element = "value fetched",
	.limit = "loads",
	.hint = "Down to form, then +: the same loads in fewer instructions",
	KERNEL_KNOBS(knobs),
	.check = gather_check,
	.layout = gather_layout,
	.prepare = gather_prepare,
	.describe = gather_describe,
	.call = gather_call,
	.expected = gather_expected,
};
