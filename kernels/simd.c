/* The kernel simd does the same work with registers of different widths: the sum of an array, or
 * the dot product of two arrays. For two more operations, a knob selects instructions that use
 * different ports. op=merge combines halves of two vectors by shuffles or by blends. op=broadcast
 * copies one element to all lanes, from a register or directly from memory.
 *
 * Elements are small whole numbers, so sums of several thousand elements are exact in every type.
 */
#include "kernels/features.h"
#include "kernels/ring.h"

enum { SIZE, OP, TYPE, WIDTH, ACC, FORM };
enum { OP_SUM, OP_DOT, OP_MERGE, OP_BROADCAST };
enum { TYPE_F32, TYPE_F64, TYPE_I32, TYPES };
enum { WIDTH_SCALAR, WIDTH_128, WIDTH_256, WIDTH_512, WIDTHS };
enum { FORM_PLAIN, FORM_SHUFFLE, FORM_BLEND, FORM_REGISTER, FORM_MEMORY };
enum { ACC_MAX = 8 };

static const char *const op_names[] = { "sum", "dot", "merge", "broadcast", NULL };
static const char *const type_names[] = { "f32", "f64", "i32", NULL };
static const char *const width_names[] = { "scalar", "128", "256", "512", NULL };
static const char *const form_names[] = { "plain", "shuffle", "blend", "register", "memory", NULL };
static const uint64_t type_bytes[TYPES] = { 4, 8, 4 };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of all arrays: one or two", 16384),
	[OP] = KNOB_ROW_CHOICE("op", "the operation", op_names, .role = KNOB_DATA),
	[TYPE] = KNOB_ROW_CHOICE("type", "the type of the elements", type_names),
	[WIDTH] = KNOB_ROW_CHOICE("width", "bits of a register", width_names, .role = KNOB_FORM),
	[ACC] = KNOB_ROW_COUNT(
		"acc", "accumulators: independent chains", 1, ACC_MAX, 1, .role = KNOB_FORM),
	[FORM] = KNOB_ROW_CHOICE("form",
		"merge by shuffle or blend, broadcast from register or memory", form_names,
		.role = KNOB_FORM),
};

struct simd_walk {
	struct ring ring;
	const unsigned char *a, *b;
	_Alignas(64) unsigned char x[ACC_MAX]
				    [64]; /* values of the accumulators at the end of the call */
};

typedef void simd_loop(struct simd_walk *walk);

typedef uint64_t scalar;
typedef float v128 __attribute__((vector_size(16)));
typedef float v256 __attribute__((vector_size(32)));
typedef float v512 __attribute__((vector_size(64)));

/* Defines a function name(walk, acc). An iteration processes `bytes` bytes of each array for each
 * of `acc` accumulators. The accumulators x0, x1 … are in the registers r0, r1 …. The machine code
 * of an iteration is the argument TEXT, followed by NEXT. */
#define WALK(name, attributes, vector, constraint, zero, r0, r1, r2, r3, r4, r5, r6, r7, bytes, \
	BEFORE, TEXT, NEXT, ...)                                                                \
	attributes KERNEL_BODY void name(struct simd_walk *walk, const int acc)                 \
	{                                                                                       \
		register vector x0 __asm__(r0) = zero, x1 __asm__(r1) = zero,                   \
				   x2 __asm__(r2) = zero;                                       \
		register vector x3 __asm__(r3) = zero, x4 __asm__(r4) = zero,                   \
				   x5 __asm__(r5) = zero;                                       \
		register vector x6 __asm__(r6) = zero, x7 __asm__(r7) = zero;                   \
		uint64_t turns, from;                                                           \
                                                                                                \
		while ((turns = ring_piece(&walk->ring, &from))) {                              \
			const unsigned char *a = walk->a + from * (bytes) * (uint64_t)acc;      \
			const unsigned char *b = walk->b + from * (bytes) * (uint64_t)acc;      \
			const unsigned char *end = a + turns * (bytes) * (uint64_t)acc;         \
                                                                                                \
			__asm__ volatile(BEFORE ".p2align 6\n"                                  \
						"1:\n" TEXT NEXT                                \
					 : [a] "+r"(a), [b] "+r"(b), constraint(x0),            \
					 constraint(x1), constraint(x2), constraint(x3),        \
					 constraint(x4), constraint(x5), constraint(x6),        \
					 constraint(x7)                                         \
					 : [end] "r"(end), [acc] "i"(acc), [step] "i"(bytes)    \
					 : "cc", "memory", __VA_ARGS__);                        \
		}                                                                               \
		*(vector *)(void *)walk->x[0] = x0;                                             \
		*(vector *)(void *)walk->x[1] = x1;                                             \
		*(vector *)(void *)walk->x[2] = x2;                                             \
		*(vector *)(void *)walk->x[3] = x3;                                             \
		*(vector *)(void *)walk->x[4] = x4;                                             \
		*(vector *)(void *)walk->x[5] = x5;                                             \
		*(vector *)(void *)walk->x[6] = x6;                                             \
		*(vector *)(void *)walk->x[7] = x7;                                             \
	}                                                                                       \
	KERNEL_UNROLLED_AS(attributes, name, struct simd_walk, name)
#define ZERO_VECTOR \
	{           \
		0   \
	}

/* The argument TEXT of WALK(): repeats LINES for each accumulator. \k in LINES stands for the
 * number of the accumulator. EACH_GENERAL() counts \k from 8, because the accumulators are the
 * general registers from number 8. */
#define EACH(LINES)                            \
	".irp k,0,1,2,3,4,5,6,7\n"             \
	".if \\k < %c[acc]\n" LINES ".endif\n" \
	".endr\n"
#define EACH_GENERAL(LINES)                        \
	".irp k,8,9,10,11,12,13,14,15\n"           \
	".if \\k - 8 < %c[acc]\n" LINES ".endif\n" \
	".endr\n"

#if defined(__x86_64__)
#define AVX2   __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f")))
#define GENERAL(name, step, TEXT, NEXT)                                                           \
	WALK(name, , scalar, "+r", 0, "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", step, \
		"", TEXT, NEXT, "ecx")
#define VECTOR(name, attributes, vector, r, step, BEFORE, TEXT, NEXT)                          \
	WALK(name, attributes, vector, "+x", ZERO_VECTOR, r "0", r "1", r "2", r "3", r "4",   \
		r "5", r "6", r "7", step, BEFORE, TEXT, NEXT, "ecx", "xmm8", "xmm9", "xmm10", \
		"xmm11")
#define XMM(name, step, TEXT, NEXT) VECTOR(name, , v128, "xmm", step, "", TEXT, NEXT)
#define YMM(name, step, TEXT, NEXT) VECTOR(name, AVX2, v256, "ymm", step, "", TEXT, NEXT)
#define ZMM(name, step, TEXT, NEXT) VECTOR(name, AVX512, v512, "zmm", step, "", TEXT, NEXT)
#define NEXT_A                            \
	"	addq $%c[acc]*%c[step], %[a]\n" \
	"	cmpq %[a], %[end]\n"            \
	"	jne 1b\n"
#define NEXT_AB "	addq $%c[acc]*%c[step], %[b]\n" NEXT_A

/* x0 += a[0], x1 += a[1], … */
GENERAL(sum_i32_scalar, 4, EACH_GENERAL("addl (\\k-8)*4(%[a]), %%r\\k\\()d\n"), NEXT_A)
XMM(sum_f32_scalar, 4, EACH("addss \\k*4(%[a]), %%xmm\\k\n"), NEXT_A)
XMM(sum_f64_scalar, 8, EACH("addsd \\k*8(%[a]), %%xmm\\k\n"), NEXT_A)
XMM(sum_i32_128, 16, EACH("paddd \\k*16(%[a]), %%xmm\\k\n"), NEXT_A)
XMM(sum_f32_128, 16, EACH("addps \\k*16(%[a]), %%xmm\\k\n"), NEXT_A)
XMM(sum_f64_128, 16, EACH("addpd \\k*16(%[a]), %%xmm\\k\n"), NEXT_A)
YMM(sum_i32_256, 32, EACH("vpaddd \\k*32(%[a]), %%ymm\\k, %%ymm\\k\n"), NEXT_A)
YMM(sum_f32_256, 32, EACH("vaddps \\k*32(%[a]), %%ymm\\k, %%ymm\\k\n"), NEXT_A)
YMM(sum_f64_256, 32, EACH("vaddpd \\k*32(%[a]), %%ymm\\k, %%ymm\\k\n"), NEXT_A)
ZMM(sum_i32_512, 64, EACH("vpaddd \\k*64(%[a]), %%zmm\\k, %%zmm\\k\n"), NEXT_A)
ZMM(sum_f32_512, 64, EACH("vaddps \\k*64(%[a]), %%zmm\\k, %%zmm\\k\n"), NEXT_A)
ZMM(sum_f64_512, 64, EACH("vaddpd \\k*64(%[a]), %%zmm\\k, %%zmm\\k\n"), NEXT_A)

/* x0 += a[0] * b[0], x1 += a[1] * b[1], … */
GENERAL(dot_i32_scalar, 4,
	EACH_GENERAL("movl (\\k-8)*4(%[a]), %%ecx\n"
		     "imull (\\k-8)*4(%[b]), %%ecx\n"
		     "addl %%ecx, %%r\\k\\()d\n"),
	NEXT_AB)
#define DOT(registers, name, r, step, load, fma)                                              \
	registers(name, step,                                                                 \
		EACH(load " \\k*" #step "(%[a]), %%" r "8\n" fma " \\k*" #step "(%[b]), %%" r \
			  "8, %%" r "\\k\n"),                                                 \
		NEXT_AB)
DOT(XMM, dot_f32_scalar, "xmm", 4, "vmovss", "vfmadd231ss")
DOT(XMM, dot_f64_scalar, "xmm", 8, "vmovsd", "vfmadd231sd")
DOT(XMM, dot_f32_128, "xmm", 16, "vmovups", "vfmadd231ps")
DOT(XMM, dot_f64_128, "xmm", 16, "vmovupd", "vfmadd231pd")
DOT(YMM, dot_f32_256, "ymm", 32, "vmovups", "vfmadd231ps")
DOT(YMM, dot_f64_256, "ymm", 32, "vmovupd", "vfmadd231pd")
DOT(ZMM, dot_f32_512, "zmm", 64, "vmovups", "vfmadd231ps")
DOT(ZMM, dot_f64_512, "zmm", 64, "vmovupd", "vfmadd231pd")
XMM(dot_i32_128, 16,
	EACH("movdqu \\k*16(%[a]), %%xmm8\n"
	     "pmulld \\k*16(%[b]), %%xmm8\n"
	     "paddd %%xmm8, %%xmm\\k\n"),
	NEXT_AB)
YMM(dot_i32_256, 32,
	EACH("vmovdqu \\k*32(%[a]), %%ymm8\n"
	     "vpmulld \\k*32(%[b]), %%ymm8, %%ymm8\n"
	     "vpaddd %%ymm8, %%ymm\\k, %%ymm\\k\n"),
	NEXT_AB)
ZMM(dot_i32_512, 64,
	EACH("vmovdqu32 \\k*64(%[a]), %%zmm8\n"
	     "vpmulld \\k*64(%[b]), %%zmm8, %%zmm8\n"
	     "vpaddd %%zmm8, %%zmm\\k, %%zmm\\k\n"),
	NEXT_AB)

/* x += { low half of a, high half of b } + { low half of b, high half of a } Intel's cores have one
 * or two ports for shuffles. Blends can use as many ports as additions. */
#define MERGE(r, step, load, combine, mask)                                                \
	EACH(load " \\k*" #step "(%[a]), %%" r "8\n" load " \\k*" #step "(%[b]), %%" r     \
		  "9\n" combine " %%" r "9, %%" r "8, %%" r "10" mask "\n" combine " %%" r \
		  "8, %%" r "9, %%" r "11" mask "\n"                                       \
		  "vpaddd %%" r "11, %%" r "10, %%" r "10\n"                               \
		  "vpaddd %%" r "10, %%" r "\\k, %%" r "\\k\n")
XMM(merge_shuffle_128, 16, MERGE("xmm", 16, "vmovdqu", "vshufps $0xe4,", ""), NEXT_AB)
YMM(merge_shuffle_256, 32, MERGE("ymm", 32, "vmovdqu", "vperm2i128 $0x30,", ""), NEXT_AB)
ZMM(merge_shuffle_512, 64, MERGE("zmm", 64, "vmovdqu32", "vshufi32x4 $0xe4,", ""), NEXT_AB)
XMM(merge_blend_128, 16, MERGE("xmm", 16, "vmovdqu", "vpblendd $0x0c,", ""), NEXT_AB)
YMM(merge_blend_256, 32, MERGE("ymm", 32, "vmovdqu", "vpblendd $0xf0,", ""), NEXT_AB)
VECTOR(merge_blend_512, AVX512, v512, "zmm", 64,
	"movl $0xff00, %%ecx\n"
	"kmovw %%ecx, %%k1\n",
	MERGE("zmm", 64, "vmovdqu32", "vpblendmd", "%{%%k1%}"), NEXT_AB)

/* x0 += { a[0], a[0], … }, x1 += { a[1], a[1], … }, …
 *
 * A copy from a register needs a shuffle. A copy directly from memory needs only the load. */
#define COPIES(r, text) EACH(text "vpaddd %%" r "8, %%" r "\\k, %%" r "\\k\n")
#define BY_REGISTER(r)	COPIES(r, "vmovd \\k*4(%[a]), %%xmm8\nvpbroadcastd %%xmm8, %%" r "8\n")
#define BY_MEMORY(r)	COPIES(r, "vpbroadcastd \\k*4(%[a]), %%" r "8\n")
XMM(broadcast_register_128, 4, BY_REGISTER("xmm"), NEXT_A)
YMM(broadcast_register_256, 4, BY_REGISTER("ymm"), NEXT_A)
ZMM(broadcast_register_512, 4, BY_REGISTER("zmm"), NEXT_A)
XMM(broadcast_memory_128, 4, BY_MEMORY("xmm"), NEXT_A)
YMM(broadcast_memory_256, 4, BY_MEMORY("ymm"), NEXT_A)
ZMM(broadcast_memory_512, 4, BY_MEMORY("zmm"), NEXT_A)
#else
#define GENERAL(name, step, TEXT, NEXT)                                                           \
	WALK(name, , scalar, "+r", 0, "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", step, \
		"", TEXT, NEXT, "x16", "x17")
#define VECTOR(name, step, TEXT, NEXT)                                                        \
	WALK(name, , v128, "+w", ZERO_VECTOR, "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", \
		step, "", TEXT, NEXT, "v16", "v17")
#define NEXT_NONE             \
	"	cmp %[a], %[end]\n" \
	"	b.ne 1b\n"
#define NEXT_A	"	add %[a], %[a], #%c[acc]*%c[step]\n" NEXT_NONE
#define NEXT_AB "	add %[b], %[b], #%c[acc]*%c[step]\n" NEXT_A

/* x0 += a[0], x1 += a[1], … */
GENERAL(sum_i32_scalar, 4,
	EACH_GENERAL("ldr w16, [%[a], #(\\k-8)*4]\n"
		     "add w\\k, w\\k, w16\n"),
	NEXT_A)
#define SUM(name, r, step, add, x)                                  \
	VECTOR(name, step,                                          \
		EACH("ldr " r "16, [%[a], #\\k*" #step "]\n" add    \
		     " " x("\\k") ", " x("\\k") ", " x("16") "\n"), \
		NEXT_A)
#define SINGLE(k) "s" k
#define DOUBLE(k) "d" k
#define FOUR(k)	  "v" k "\\().4s"
#define TWO(k)	  "v" k "\\().2d"
SUM(sum_f32_scalar, "s", 4, "fadd", SINGLE)
SUM(sum_f64_scalar, "d", 8, "fadd", DOUBLE)
SUM(sum_i32_128, "q", 16, "add", FOUR)
SUM(sum_f32_128, "q", 16, "fadd", FOUR)
SUM(sum_f64_128, "q", 16, "fadd", TWO)

/* x0 += a[0] * b[0], x1 += a[1] * b[1], … */
GENERAL(dot_i32_scalar, 4,
	EACH_GENERAL("ldr w16, [%[a], #(\\k-8)*4]\n"
		     "ldr w17, [%[b], #(\\k-8)*4]\n"
		     "madd w\\k, w16, w17, w\\k\n"),
	NEXT_AB)
#define DOT(name, r, step, text)                                         \
	VECTOR(name, step,                                               \
		EACH("ldr " r "16, [%[a], #\\k*" #step "]\n"             \
		     "ldr " r "17, [%[b], #\\k*" #step "]\n" text "\n"), \
		NEXT_AB)
DOT(dot_f32_scalar, "s", 4, "fmadd s\\k, s16, s17, s\\k")
DOT(dot_f64_scalar, "d", 8, "fmadd d\\k, d16, d17, d\\k")
DOT(dot_i32_128, "q", 16, "mla v\\k\\().4s, v16.4s, v17.4s")
DOT(dot_f32_128, "q", 16, "fmla v\\k\\().4s, v16.4s, v17.4s")
DOT(dot_f64_128, "q", 16, "fmla v\\k\\().2d, v16.2d, v17.2d")

/* x0 += { a[0], a[0], … }, x1 += { a[1], a[1], … }, …
 *
 * The copy is made from a register, or directly from memory. */
VECTOR(broadcast_register_128, 4,
	EACH("ldr s16, [%[a], #\\k*4]\n"
	     "dup v16.4s, v16.s[0]\n"
	     "add v\\k\\().4s, v\\k\\().4s, v16.4s\n"),
	NEXT_A)
VECTOR(broadcast_memory_128, 4,
	EACH("ld1r {v16.4s}, [%[a]], #4\n"
	     "add v\\k\\().4s, v\\k\\().4s, v16.4s\n"),
	NEXT_NONE)
#endif

/* The name of a loop's function in this file, and the loop for each number of accumulators. */
struct simd_loops {
	const char *function;
	simd_loop *loop[ACC_MAX];
};

#define LOOPS(name)                                 \
	{                                           \
#name,                              \
		{                                   \
			KERNEL_UNROLLED_NAMES(name) \
		}                                   \
	}
#if defined(__x86_64__)
#define WIDE(name) , LOOPS(name##_256), LOOPS(name##_512)
#else
#define WIDE(name)
#endif
#define ALL_WIDTHS(name)                                           \
	{                                                          \
		LOOPS(name##_scalar), LOOPS(name##_128) WIDE(name) \
	}
#define VECTOR_WIDTHS(name)                                      \
	{                                                        \
		{ NULL, { NULL } }, LOOPS(name##_128) WIDE(name) \
	}

static const struct simd_loops plain_loops[2][TYPES][WIDTHS] = {
	{ ALL_WIDTHS(sum_f32), ALL_WIDTHS(sum_f64), ALL_WIDTHS(sum_i32) },
	{ ALL_WIDTHS(dot_f32), ALL_WIDTHS(dot_f64), ALL_WIDTHS(dot_i32) },
};
static const struct simd_loops form_loops[][WIDTHS] = {
#if defined(__x86_64__)
	[FORM_SHUFFLE] = VECTOR_WIDTHS(merge_shuffle),
	[FORM_BLEND] = VECTOR_WIDTHS(merge_blend),
#endif
	[FORM_REGISTER] = VECTOR_WIDTHS(broadcast_register),
	[FORM_MEMORY] = VECTOR_WIDTHS(broadcast_memory),
};

static const struct simd_loops *loops_of(const int64_t *v)
{
	return v[FORM] == FORM_PLAIN ? &plain_loops[v[OP]][v[TYPE]][v[WIDTH]]
				     : &form_loops[v[FORM]][v[WIDTH]];
}

/* Returns the operation to which a form belongs. The plain form belongs to two operations, sum and
 * dot. */
static int64_t op_of_form(int64_t form)
{
	return form == FORM_PLAIN ? OP_SUM : form <= FORM_BLEND ? OP_MERGE : OP_BROADCAST;
}

static bool op_has_form(int64_t op, int64_t form)
{
	return op_of_form(form) == op || (op == OP_DOT && form == FORM_PLAIN);
}

/* Checks that this processor has the instructions that the setting needs. */
static struct status simd_features(const int64_t *v)
{
	const struct {
		bool used;
		enum feature feature;
		const char *what;
	} needs[] = {
		{ v[WIDTH] == WIDTH_512, FEATURE_AVX512, "width=512" },
		{ v[WIDTH] == WIDTH_256, FEATURE_AVX2, "width=256" },
		{ v[OP] == OP_MERGE, FEATURE_AVX2, "op=merge" },
#if defined(__x86_64__)
		{ v[OP] == OP_BROADCAST, FEATURE_AVX2, "op=broadcast" },
		{ v[OP] == OP_DOT && v[TYPE] == TYPE_F32, FEATURE_FMA, "op=dot with type=f32" },
		{ v[OP] == OP_DOT && v[TYPE] == TYPE_F64, FEATURE_FMA, "op=dot with type=f64" },
		{ v[OP] == OP_DOT && v[TYPE] == TYPE_I32 && v[WIDTH] == WIDTH_128, FEATURE_SSE4,
			"op=dot with type=i32 and width=128" },
#endif
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (needs[i].used && !features_have(needs[i].feature))
			return features_need(needs[i].feature, needs[i].what);
	return status_ok();
}

static struct status simd_check(const int64_t *v)
{
	const char *op = op_names[v[OP]];

	if (!op_has_form(v[OP], v[FORM]))
		return status_usage("form=%s does not fit op=%s: use %s", form_names[v[FORM]], op,
			v[OP] == OP_MERGE	? "shuffle or blend"
			: v[OP] == OP_BROADCAST ? "register or memory"
						: "plain");
	if (v[FORM] != FORM_PLAIN && v[TYPE] != TYPE_I32)
		return status_usage("op=%s needs type=i32", op);
	if (v[FORM] != FORM_PLAIN && v[WIDTH] == WIDTH_SCALAR)
		return status_usage("op=%s needs vectors: width=128, 256 or 512", op);
	return simd_features(v);
}

static void simd_fit(int64_t *v, int changed)
{
	static const int64_t first_form[] = { FORM_PLAIN, FORM_PLAIN, FORM_SHUFFLE, FORM_REGISTER };

	if (!op_has_form(v[OP], v[FORM])) {
		if (changed == FORM)
			v[OP] = op_of_form(v[FORM]);
		else
			v[FORM] = first_form[v[OP]];
	}
	if (v[FORM] == FORM_PLAIN)
		return;
	if ((changed == TYPE && v[TYPE] != TYPE_I32) ||
		(changed == WIDTH && v[WIDTH] == WIDTH_SCALAR)) {
		v[OP] = OP_SUM;
		v[FORM] = FORM_PLAIN;
		return;
	}
	v[TYPE] = TYPE_I32;
	if (v[WIDTH] == WIDTH_SCALAR)
		v[WIDTH] = WIDTH_128;
}

static bool two_arrays(const int64_t *v)
{
	return v[OP] == OP_DOT || v[OP] == OP_MERGE;
}

/* Returns the bytes of each array, a multiple of the cache line. */
static uint64_t part_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / (two_arrays(v) ? 2 : 1) / 64 * 64;
}

/* Returns the bytes of each array that one accumulator processes per iteration. */
static uint64_t step_of(const int64_t *v)
{
	return v[WIDTH] == WIDTH_SCALAR || v[OP] == OP_BROADCAST ? type_bytes[v[TYPE]]
								 : (uint64_t)8 << v[WIDTH];
}

static uint64_t simd_footprint(const int64_t *v)
{
	return part_of(v) * (two_arrays(v) ? 2 : 1);
}

static uint64_t simd_layout(const int64_t *v)
{
	return (uint64_t)v[TYPE];
}

/* Returns the value of the element at `index` in memory. The value of an element does not depend on
 * the number of arrays. */
static unsigned value_of(uint64_t seed, uint64_t index)
{
	return (unsigned)(ring_bits(seed, index) >> 60);
}

static void put(struct kernel_run *run, uint64_t i)
{
	unsigned value = value_of(run->seed, i);

	if (run->v[TYPE] == TYPE_I32)
		((uint32_t *)(void *)run->memory)[i] = value;
	else if (run->v[TYPE] == TYPE_F32)
		((float *)(void *)run->memory)[i] = (float)value;
	else
		((double *)(void *)run->memory)[i] = value;
}

static struct status simd_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t bytes = type_bytes[v[TYPE]], count = simd_footprint(v) / bytes;
	uint64_t turn = step_of(v) * (uint64_t)v[ACC];

	run->granule = turn / bytes;
	run->ring = part_of(v) / turn * run->granule;
	run->bytes = two_arrays(v) ? 2 * bytes : bytes;
	run->walk.lines = (double)run->bytes / 64;
	run->code.start = (const void *)loops_of(v)->loop[v[ACC] - 1];
	run->code.name = loops_of(v)->function;
	return ring_lay_out(run, count, bytes, put);
}

/* Returns the sum of all lanes of all accumulators. */
static uint64_t reduce(const struct simd_walk *walk, const int64_t *v)
{
	uint64_t bytes = v[WIDTH] == WIDTH_SCALAR ? type_bytes[v[TYPE]] : (uint64_t)8 << v[WIDTH];
	uint64_t whole = 0;
	double sum = 0;

	for (int k = 0; k < v[ACC]; k++)
		for (uint64_t at = 0; at < bytes; at += type_bytes[v[TYPE]]) {
			const void *x = walk->x[k] + at;

			if (v[TYPE] == TYPE_I32)
				whole += *(const uint32_t *)x;
			else
				sum += v[TYPE] == TYPE_F32 ? (double)*(const float *)x
							   : *(const double *)x;
		}
	return v[TYPE] == TYPE_I32 ? whole : (uint64_t)sum;
}

static inline void simd_run(struct kernel_run *run, uint64_t elements, struct simd_walk *walk)
{
	walk->a = run->memory;
	walk->b = run->memory + part_of(run->v);
	RING_WALK(run, elements, walk);
}

/* The timed call does not compute the sum over all accumulators; only the check computes this sum.
 */
static void simd_call(struct kernel_run *run, uint64_t elements)
{
	struct simd_walk walk;

	simd_run(run, elements, &walk);
}

static struct status simd_verify(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t count = (run->ring < 2048 ? run->ring + run->ring / 2 : 3072) / run->granule *
			 run->granule,
		 sum = 0;
	uint64_t half = part_of(v) / type_bytes[v[TYPE]];
	struct simd_walk walk;

	if (count == 0)
		count = run->granule;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = i % run->ring, a = value_of(run->seed, at),
			 b = two_arrays(v) ? value_of(run->seed, half + at) : 0;

		sum += v[OP] == OP_DOT ? a * b : a + b;
	}
	if (v[OP] == OP_BROADCAST)
		sum *= ((uint64_t)8 << v[WIDTH]) / type_bytes[v[TYPE]];
	simd_run(run, count, &walk);
	run->result = reduce(&walk, v);
	if (run->result != sum)
		return status_failed("simd computed %llu, not %llu",
			(unsigned long long)run->result, (unsigned long long)sum);
	return status_ok();
}

const struct kernel kernel_simd = {
	.name = "simd",
	.title = "wider registers",
	.look_for = "Raise width: each instruction processes more elements, and CPE falls as much. "
		    "Raise acc until the chains are no longer the limit; then the loads are. "
		    "op=merge works by shuffles, which have few ports, or by blends. op=broadcast "
		    "needs no shuffle when it reads memory.",
	.document = "Downs, Performance Speed Limits, Pipeline Width and Port/Execution Unit "
		    "Limits (their remedies)",
	.element = "element or pair",
	.hint = "Down to width, then +; then acc",
	.limit = "latency",
	KERNEL_KNOBS(knobs),
	.check = simd_check,
	.fit = simd_fit,
	.footprint = simd_footprint,
	.layout = simd_layout,
	.layout_nests = true,
	.prepare = simd_prepare,
	.call = simd_call,
	.verify = simd_verify,
};
