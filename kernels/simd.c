/* simd: the same work with wider registers: the sum of an array, or the dot product of two. Two
 * more operations have a choice of instructions that use different ports. op=merge combines halves
 * of two vectors by shuffles or by blends. op=broadcast copies one element to all lanes, from a
 * register or directly from memory.
 *
 * Elements are small whole numbers, so that sums of several thousand elements are exact in every
 * type. */
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
	[OP] = KNOB_ROW_CHOICE("op", "the operation", op_names),
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
	_Alignas(64) unsigned char x[ACC_MAX][64]; /* the accumulators at the end of the call */
};

typedef void simd_loop(struct simd_walk *walk);

typedef uint64_t scalar;
typedef float v128 __attribute__((vector_size(16)));
typedef float v256 __attribute__((vector_size(32)));
typedef float v512 __attribute__((vector_size(64)));

/* Defines a function name(walk, acc). An iteration processes `step` bytes of each array for each
 * of acc accumulators x0…. They are in registers of the given names. An iteration is TEXT, then
 * NEXT. */
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
	BUILD(name, attributes, 1)                                                              \
	BUILD(name, attributes, 2)                                                              \
	BUILD(name, attributes, 3)                                                              \
	BUILD(name, attributes, 4)                                                              \
	BUILD(name, attributes, 5)                                                              \
	BUILD(name, attributes, 6) BUILD(name, attributes, 7) BUILD(name, attributes, 8)
#define BUILD(name, attributes, acc)                                            \
	attributes KERNEL_LOOP static void name##_##acc(struct simd_walk *walk) \
	{                                                                       \
		name(walk, acc);                                                \
	}
#define ZERO_VECTOR \
	{           \
		0   \
	}

/* TEXT of an iteration: LINES for each accumulator, with its number as \k. The numbers of general
 * registers start at 8. */
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
XMM(dot_f32_scalar, 4,
	EACH("vmovss \\k*4(%[a]), %%xmm8\n"
	     "vfmadd231ss \\k*4(%[b]), %%xmm8, %%xmm\\k\n"),
	NEXT_AB)
XMM(dot_f64_scalar, 8,
	EACH("vmovsd \\k*8(%[a]), %%xmm8\n"
	     "vfmadd231sd \\k*8(%[b]), %%xmm8, %%xmm\\k\n"),
	NEXT_AB)
XMM(dot_i32_128, 16,
	EACH("movdqu \\k*16(%[a]), %%xmm8\n"
	     "pmulld \\k*16(%[b]), %%xmm8\n"
	     "paddd %%xmm8, %%xmm\\k\n"),
	NEXT_AB)
XMM(dot_f32_128, 16,
	EACH("vmovups \\k*16(%[a]), %%xmm8\n"
	     "vfmadd231ps \\k*16(%[b]), %%xmm8, %%xmm\\k\n"),
	NEXT_AB)
XMM(dot_f64_128, 16,
	EACH("vmovupd \\k*16(%[a]), %%xmm8\n"
	     "vfmadd231pd \\k*16(%[b]), %%xmm8, %%xmm\\k\n"),
	NEXT_AB)
YMM(dot_i32_256, 32,
	EACH("vmovdqu \\k*32(%[a]), %%ymm8\n"
	     "vpmulld \\k*32(%[b]), %%ymm8, %%ymm8\n"
	     "vpaddd %%ymm8, %%ymm\\k, %%ymm\\k\n"),
	NEXT_AB)
YMM(dot_f32_256, 32,
	EACH("vmovups \\k*32(%[a]), %%ymm8\n"
	     "vfmadd231ps \\k*32(%[b]), %%ymm8, %%ymm\\k\n"),
	NEXT_AB)
YMM(dot_f64_256, 32,
	EACH("vmovupd \\k*32(%[a]), %%ymm8\n"
	     "vfmadd231pd \\k*32(%[b]), %%ymm8, %%ymm\\k\n"),
	NEXT_AB)
ZMM(dot_i32_512, 64,
	EACH("vmovdqu32 \\k*64(%[a]), %%zmm8\n"
	     "vpmulld \\k*64(%[b]), %%zmm8, %%zmm8\n"
	     "vpaddd %%zmm8, %%zmm\\k, %%zmm\\k\n"),
	NEXT_AB)
ZMM(dot_f32_512, 64,
	EACH("vmovups \\k*64(%[a]), %%zmm8\n"
	     "vfmadd231ps \\k*64(%[b]), %%zmm8, %%zmm\\k\n"),
	NEXT_AB)
ZMM(dot_f64_512, 64,
	EACH("vmovupd \\k*64(%[a]), %%zmm8\n"
	     "vfmadd231pd \\k*64(%[b]), %%zmm8, %%zmm\\k\n"),
	NEXT_AB)

/* x += { low half of a, high half of b } + { low half of b, high half of a }
 * Shuffles have one or two ports on Intel; blends have the same number of ports as an addition. */
XMM(merge_shuffle_128, 16,
	EACH("vmovdqu \\k*16(%[a]), %%xmm8\n"
	     "vmovdqu \\k*16(%[b]), %%xmm9\n"
	     "vshufps $0xe4, %%xmm9, %%xmm8, %%xmm10\n"
	     "vshufps $0xe4, %%xmm8, %%xmm9, %%xmm11\n"
	     "vpaddd %%xmm11, %%xmm10, %%xmm10\n"
	     "vpaddd %%xmm10, %%xmm\\k, %%xmm\\k\n"),
	NEXT_AB)
YMM(merge_shuffle_256, 32,
	EACH("vmovdqu \\k*32(%[a]), %%ymm8\n"
	     "vmovdqu \\k*32(%[b]), %%ymm9\n"
	     "vperm2i128 $0x30, %%ymm9, %%ymm8, %%ymm10\n"
	     "vperm2i128 $0x30, %%ymm8, %%ymm9, %%ymm11\n"
	     "vpaddd %%ymm11, %%ymm10, %%ymm10\n"
	     "vpaddd %%ymm10, %%ymm\\k, %%ymm\\k\n"),
	NEXT_AB)
ZMM(merge_shuffle_512, 64,
	EACH("vmovdqu32 \\k*64(%[a]), %%zmm8\n"
	     "vmovdqu32 \\k*64(%[b]), %%zmm9\n"
	     "vshufi32x4 $0xe4, %%zmm9, %%zmm8, %%zmm10\n"
	     "vshufi32x4 $0xe4, %%zmm8, %%zmm9, %%zmm11\n"
	     "vpaddd %%zmm11, %%zmm10, %%zmm10\n"
	     "vpaddd %%zmm10, %%zmm\\k, %%zmm\\k\n"),
	NEXT_AB)
XMM(merge_blend_128, 16,
	EACH("vmovdqu \\k*16(%[a]), %%xmm8\n"
	     "vmovdqu \\k*16(%[b]), %%xmm9\n"
	     "vpblendd $0x0c, %%xmm9, %%xmm8, %%xmm10\n"
	     "vpblendd $0x0c, %%xmm8, %%xmm9, %%xmm11\n"
	     "vpaddd %%xmm11, %%xmm10, %%xmm10\n"
	     "vpaddd %%xmm10, %%xmm\\k, %%xmm\\k\n"),
	NEXT_AB)
YMM(merge_blend_256, 32,
	EACH("vmovdqu \\k*32(%[a]), %%ymm8\n"
	     "vmovdqu \\k*32(%[b]), %%ymm9\n"
	     "vpblendd $0xf0, %%ymm9, %%ymm8, %%ymm10\n"
	     "vpblendd $0xf0, %%ymm8, %%ymm9, %%ymm11\n"
	     "vpaddd %%ymm11, %%ymm10, %%ymm10\n"
	     "vpaddd %%ymm10, %%ymm\\k, %%ymm\\k\n"),
	NEXT_AB)
VECTOR(merge_blend_512, AVX512, v512, "zmm", 64,
	"movl $0xff00, %%ecx\n"
	"kmovw %%ecx, %%k1\n",
	EACH("vmovdqu32 \\k*64(%[a]), %%zmm8\n"
	     "vmovdqu32 \\k*64(%[b]), %%zmm9\n"
	     "vpblendmd %%zmm9, %%zmm8, %%zmm10%{%%k1%}\n"
	     "vpblendmd %%zmm8, %%zmm9, %%zmm11%{%%k1%}\n"
	     "vpaddd %%zmm11, %%zmm10, %%zmm10\n"
	     "vpaddd %%zmm10, %%zmm\\k, %%zmm\\k\n"),
	NEXT_AB)

/* x0 += { a[0], a[0], … }, x1 += { a[1], a[1], … }, …
 * Through a register the copy needs a shuffle; directly from memory the load makes the copy. */
XMM(broadcast_register_128, 4,
	EACH("vmovd \\k*4(%[a]), %%xmm8\n"
	     "vpbroadcastd %%xmm8, %%xmm8\n"
	     "vpaddd %%xmm8, %%xmm\\k, %%xmm\\k\n"),
	NEXT_A)
YMM(broadcast_register_256, 4,
	EACH("vmovd \\k*4(%[a]), %%xmm8\n"
	     "vpbroadcastd %%xmm8, %%ymm8\n"
	     "vpaddd %%ymm8, %%ymm\\k, %%ymm\\k\n"),
	NEXT_A)
ZMM(broadcast_register_512, 4,
	EACH("vmovd \\k*4(%[a]), %%xmm8\n"
	     "vpbroadcastd %%xmm8, %%zmm8\n"
	     "vpaddd %%zmm8, %%zmm\\k, %%zmm\\k\n"),
	NEXT_A)
XMM(broadcast_memory_128, 4,
	EACH("vpbroadcastd \\k*4(%[a]), %%xmm8\n"
	     "vpaddd %%xmm8, %%xmm\\k, %%xmm\\k\n"),
	NEXT_A)
YMM(broadcast_memory_256, 4,
	EACH("vpbroadcastd \\k*4(%[a]), %%ymm8\n"
	     "vpaddd %%ymm8, %%ymm\\k, %%ymm\\k\n"),
	NEXT_A)
ZMM(broadcast_memory_512, 4,
	EACH("vpbroadcastd \\k*4(%[a]), %%zmm8\n"
	     "vpaddd %%zmm8, %%zmm\\k, %%zmm\\k\n"),
	NEXT_A)
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
VECTOR(sum_f32_scalar, 4,
	EACH("ldr s16, [%[a], #\\k*4]\n"
	     "fadd s\\k, s\\k, s16\n"),
	NEXT_A)
VECTOR(sum_f64_scalar, 8,
	EACH("ldr d16, [%[a], #\\k*8]\n"
	     "fadd d\\k, d\\k, d16\n"),
	NEXT_A)
VECTOR(sum_i32_128, 16,
	EACH("ldr q16, [%[a], #\\k*16]\n"
	     "add v\\k\\().4s, v\\k\\().4s, v16.4s\n"),
	NEXT_A)
VECTOR(sum_f32_128, 16,
	EACH("ldr q16, [%[a], #\\k*16]\n"
	     "fadd v\\k\\().4s, v\\k\\().4s, v16.4s\n"),
	NEXT_A)
VECTOR(sum_f64_128, 16,
	EACH("ldr q16, [%[a], #\\k*16]\n"
	     "fadd v\\k\\().2d, v\\k\\().2d, v16.2d\n"),
	NEXT_A)

/* x0 += a[0] * b[0], x1 += a[1] * b[1], … */
GENERAL(dot_i32_scalar, 4,
	EACH_GENERAL("ldr w16, [%[a], #(\\k-8)*4]\n"
		     "ldr w17, [%[b], #(\\k-8)*4]\n"
		     "madd w\\k, w16, w17, w\\k\n"),
	NEXT_AB)
VECTOR(dot_f32_scalar, 4,
	EACH("ldr s16, [%[a], #\\k*4]\n"
	     "ldr s17, [%[b], #\\k*4]\n"
	     "fmadd s\\k, s16, s17, s\\k\n"),
	NEXT_AB)
VECTOR(dot_f64_scalar, 8,
	EACH("ldr d16, [%[a], #\\k*8]\n"
	     "ldr d17, [%[b], #\\k*8]\n"
	     "fmadd d\\k, d16, d17, d\\k\n"),
	NEXT_AB)
VECTOR(dot_i32_128, 16,
	EACH("ldr q16, [%[a], #\\k*16]\n"
	     "ldr q17, [%[b], #\\k*16]\n"
	     "mla v\\k\\().4s, v16.4s, v17.4s\n"),
	NEXT_AB)
VECTOR(dot_f32_128, 16,
	EACH("ldr q16, [%[a], #\\k*16]\n"
	     "ldr q17, [%[b], #\\k*16]\n"
	     "fmla v\\k\\().4s, v16.4s, v17.4s\n"),
	NEXT_AB)
VECTOR(dot_f64_128, 16,
	EACH("ldr q16, [%[a], #\\k*16]\n"
	     "ldr q17, [%[b], #\\k*16]\n"
	     "fmla v\\k\\().2d, v16.2d, v17.2d\n"),
	NEXT_AB)

/* x0 += { a[0], a[0], … }, x1 += { a[1], a[1], … }, …
 * Through a register, or directly from memory. */
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

/* The name of a loop's function in this file, and the loops for each number of accumulators. */
struct simd_loops {
	const char *function;
	simd_loop *loop[ACC_MAX];
};

#define LOOPS(name)                                                                           \
	{                                                                                     \
#name,                                                                        \
		{                                                                             \
			name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7, \
				name##_8                                                      \
		}                                                                             \
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

/* The operation of a form. The plain form belongs to two operations. */
static int64_t op_of_form(int64_t form)
{
	return form == FORM_PLAIN ? OP_SUM : form <= FORM_BLEND ? OP_MERGE : OP_BROADCAST;
}

static bool op_has_form(int64_t op, int64_t form)
{
	return op_of_form(form) == op || (op == OP_DOT && form == FORM_PLAIN);
}

/* Checks that the processor has the instructions of the setting. */
static struct status simd_features(const int64_t *v)
{
	bool dot = v[OP] == OP_DOT, forms = v[OP] == OP_MERGE || v[OP] == OP_BROADCAST;
	struct status status = status_ok();

	if (v[WIDTH] == WIDTH_512)
		return features_need(FEATURE_AVX512, "width=512");
	if (v[WIDTH] == WIDTH_256)
		status = features_need(FEATURE_AVX2, "width=256");
#if defined(__x86_64__)
	if (status_is_ok(&status) && forms)
		status = features_need(
			FEATURE_AVX2, v[OP] == OP_MERGE ? "op=merge" : "op=broadcast");
	if (status_is_ok(&status) && dot && v[TYPE] != TYPE_I32)
		status = features_need(FEATURE_FMA,
			v[TYPE] == TYPE_F32 ? "op=dot with type=f32" : "op=dot with type=f64");
	if (status_is_ok(&status) && dot && v[TYPE] == TYPE_I32 && v[WIDTH] == WIDTH_128)
		status = features_need(FEATURE_SSE4, "op=dot with type=i32 and width=128");
#else
	(void)dot;
	(void)forms;
	if (status_is_ok(&status) && v[OP] == OP_MERGE)
		status = features_need(FEATURE_AVX2, "op=merge");
#endif
	return status;
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
	bool plain = v[FORM] == FORM_PLAIN;

	if (!op_has_form(v[OP], v[FORM])) {
		if (changed == FORM)
			v[OP] = op_of_form(v[FORM]);
		else
			v[FORM] = v[OP] == OP_MERGE	  ? FORM_SHUFFLE
				  : v[OP] == OP_BROADCAST ? FORM_REGISTER
							  : FORM_PLAIN;
		plain = v[FORM] == FORM_PLAIN;
	}
	if (!plain && ((changed == TYPE && v[TYPE] != TYPE_I32) ||
			      (changed == WIDTH && v[WIDTH] == WIDTH_SCALAR))) {
		v[OP] = OP_SUM;
		v[FORM] = FORM_PLAIN;
		plain = true;
	}
	if (!plain) {
		v[TYPE] = TYPE_I32;
		if (v[WIDTH] == WIDTH_SCALAR)
			v[WIDTH] = WIDTH_128;
	}
}

static bool two_arrays(const int64_t *v)
{
	return v[OP] == OP_DOT || v[OP] == OP_MERGE;
}

/* Bytes of each array, in whole lines. */
static uint64_t part_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / (two_arrays(v) ? 2 : 1) / 64 * 64;
}

/* Bytes of each array that one accumulator processes per iteration, and the number of elements in
 * them. */
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

/* The value of the element at that index in memory. It does not depend on the division into
 * arrays. */
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

/* The sum of all lanes of all accumulators. */
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
	walk->ring = ring_begin(run, elements);
	walk->a = run->memory;
	walk->b = run->memory + part_of(run->v);
	((simd_loop *)run->code.start)(walk);
	ring_end(run, &walk->ring);
}

/* The timed code does not include the sum over the accumulators. */
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
	kernel_rewind(run);
	simd_run(run, count, &walk);
	kernel_rewind(run);
	run->result = reduce(&walk, v);
	if (run->result != sum)
		return status_failed("simd computed %llu where %llu is right",
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
