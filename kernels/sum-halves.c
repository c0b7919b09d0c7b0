/* The kernel sum-halves sums the upper and the lower halves of 32-bit numbers separately. The loop
 * needs many simple operations, so the issue width is the limit.
 *
 * All forms add to two pairs of sums in turn, because otherwise the chain of additions would be the
 * limit. */
#include "kernels/features.h"
#include "kernels/ring.h"

enum { SIZE, UNROLL, FORM };
enum { FORM_COPIES, FORM_LEAN, FORM_FOLDED, FORM_VECTOR128, FORM_VECTOR256, FORMS };

static const char *const form_names[] = { "copies", "lean", "folded", "vector128", "vector256",
	NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of the array", 16384),
	[UNROLL] = KNOB_ROW_COUNT("unroll",
		"numbers, or vectors of them, in one iteration of the loop", 1, 8, 2,
		.role = KNOB_FORM),
	[FORM] = KNOB_ROW_CHOICE("form",
		"with redundant moves, without, extending loads, or vectors", form_names,
		.role = KNOB_FORM),
};

struct halves {
	const uint32_t *data;
	struct ring ring;
	uint32_t top, bottom;
};

/* The following macros are the instructions of each form. Each macro adds the lower and the upper
 * half of one number to one pair of sums. */
#if defined(__x86_64__)

#define COPIES(at, top, bottom)                     \
	"	movl	" at "(%[data]), %k[x]		\n" \
	"	movl	%k[x], %k[y]			\n"                   \
	"	movzwl	%w[x], %k[x]			\n"                 \
	"	shrl	$16, %k[y]			\n"                     \
	"	addl	%k[x], %[" bottom "]		\n"   \
	"	addl	%k[y], %[" top "]		\n"
#define LEAN(at, top, bottom)                       \
	"	movl	" at "(%[data]), %k[y]		\n" \
	"	movzwl	%w[y], %k[x]			\n"                 \
	"	shrl	$16, %k[y]			\n"                     \
	"	addl	%k[x], %[" bottom "]		\n"   \
	"	addl	%k[y], %[" top "]		\n"
#define FOLDED(at, top, bottom)                      \
	"	movzwl	" at "(%[data]), %k[x]		\n"  \
	"	movzwl	" at "+2(%[data]), %k[y]	\n" \
	"	addl	%k[x], %[" bottom "]		\n"    \
	"	addl	%k[y], %[" top "]		\n"
#define VECTOR128(at, top, bottom)                 \
	"	movdqu	" at "(%[data]), %[x]		\n" \
	"	movdqa	%[x], %[y]			\n"                  \
	"	pand	%[mask], %[x]			\n"                 \
	"	psrld	$16, %[y]			\n"                    \
	"	paddd	%[x], %[" bottom "]		\n"   \
	"	paddd	%[y], %[" top "]		\n"
#define VECTOR256(at, top, bottom)                             \
	"	vmovdqu	" at "(%[data]), %[y]		\n"             \
	"	vpand	%[mask], %[y], %[x]		\n"                       \
	"	vpsrld	$16, %[y], %[y]			\n"                         \
	"	vpaddd	%[x], %[" bottom "], %[" bottom "] \n" \
	"	vpaddd	%[y], %[" top "], %[" top "]	\n"
#define NEXT                         \
	"	addq	%[step], %[data]		\n" \
	"	cmpq	%[end], %[data]			\n" \
	"	jb	1b				\n"
#define IN_VECTOR "x"

#else

#define COPIES(at, top, bottom)                                   \
	"	ldr	%w[x], [%[data], " at "]	\n"              \
	"	mov	%w[y], %w[x]			\n"                                  \
	"	uxth	%w[x], %w[x]			\n"                                 \
	"	lsr	%w[y], %w[y], 16		\n"                               \
	"	add	%w[" bottom "], %w[" bottom "], %w[x] \n" \
	"	add	%w[" top "], %w[" top "], %w[y]	\n"
#define LEAN(at, top, bottom)                                     \
	"	ldr	%w[y], [%[data], " at "]	\n"              \
	"	uxth	%w[x], %w[y]			\n"                                 \
	"	lsr	%w[y], %w[y], 16		\n"                               \
	"	add	%w[" bottom "], %w[" bottom "], %w[x] \n" \
	"	add	%w[" top "], %w[" top "], %w[y]	\n"
#define FOLDED(at, top, bottom)                                   \
	"	ldrh	%w[x], [%[data], " at "]	\n"              \
	"	ldrh	%w[y], [%[data], " at "+2]	\n"            \
	"	add	%w[" bottom "], %w[" bottom "], %w[x] \n" \
	"	add	%w[" top "], %w[" top "], %w[y]	\n"
#define VECTOR128(at, top, bottom)                                      \
	"	ldr	%q[y], [%[data], " at "]	\n"                    \
	"	and	%[x].16b, %[y].16b, %[mask].16b	\n"                       \
	"	ushr	%[y].4s, %[y].4s, 16		\n"                                \
	"	add	%[" bottom "].4s, %[" bottom "].4s, %[x].4s \n" \
	"	add	%[" top "].4s, %[" top "].4s, %[y].4s \n"
#define NEXT                                \
	"	add	%[data], %[data], %[step]	\n" \
	"	cmp	%[data], %[end]			\n"         \
	"	b.lo	1b				\n"
#define IN_VECTOR "w"

#endif

/* LOOP() is the code of a loop. An iteration adds `unroll` numbers or vectors of `bytes` bytes to
 * the first and the second pair of sums in turn. */
#define LOOP(number, bytes)                                                                        \
	"	.p2align 6				\n"                                                                        \
	"1:						\n"                                                                               \
	"	.set .Lat, 0				\n"                                                                      \
	"	.rept (%c[unroll] + 1) / 2		\n" number(".Lat", "top0",                 \
		"bottom0") "	.set .Lat, .Lat + " bytes "		\n"                                   \
			   "	.if .Lat < %c[step]			\n" number(".Lat", "top1", \
				   "bottom1") "	.set .Lat, .Lat + " bytes "		\n"                   \
					      "	.endif					\n"                                     \
					      "	.endr					\n" NEXT

#define SUM_4(v) ((v)[0] + (v)[1] + (v)[2] + (v)[3])
#define SUM_8(v) (SUM_4(v) + (v)[4] + (v)[5] + (v)[6] + (v)[7])

/* clang-format off */
#define SCALAR(name, number)                                                                                         \
KERNEL_BODY void name(struct halves *walk, const int unroll)                                                         \
{                                                                                                                    \
	uint32_t top0 = 0, bottom0 = 0, top1 = 0, bottom1 = 0;                                                       \
	uint64_t turns, from, x, y;                                                                                  \
                                                                                                                     \
	while ((turns = ring_piece(&walk->ring, &from))) {                                                           \
		const uint32_t *data = walk->data + from * (uint64_t)unroll, *end = data + turns * (uint64_t)unroll; \
                                                                                                                     \
		__asm__ volatile(LOOP(number, "4")                                                                   \
			: [data] "+r"(data), [top0] "+r"(top0), [bottom0] "+r"(bottom0), [top1] "+r"(top1),          \
			[bottom1] "+r"(bottom1), [x] "=&r"(x), [y] "=&r"(y)                                          \
			: [end] "r"(end), [unroll] "i"(unroll), [step] "i"(4 * unroll)                               \
			: "cc", "memory");                                                                           \
	}                                                                                                            \
	walk->top = top0 + top1;                                                                                     \
	walk->bottom = bottom0 + bottom1;                                                                            \
}

#define VECTOR(attribute, name, type, number, lanes, bytes, total)                                                     \
attribute KERNEL_BODY void name(struct halves *walk, const int unroll)                                                 \
{                                                                                                                      \
	const type mask = (type){ 0 } + 0xffff;                                                                        \
	type top0 = { 0 }, bottom0 = { 0 }, top1 = { 0 }, bottom1 = { 0 }, x, y;                                       \
	uint64_t turns, from;                                                                                          \
                                                                                                                       \
	while ((turns = ring_piece(&walk->ring, &from))) {                                                             \
		const uint32_t *data = walk->data + from * lanes * (uint64_t)unroll,                                   \
			       *end = data + turns * lanes * (uint64_t)unroll;                                         \
                                                                                                                       \
		__asm__ volatile(LOOP(number, bytes)                                                                   \
			: [data] "+r"(data), [top0] "+" IN_VECTOR(top0), [bottom0] "+" IN_VECTOR(bottom0),             \
			[top1] "+" IN_VECTOR(top1), [bottom1] "+" IN_VECTOR(bottom1), [x] "=&" IN_VECTOR(x),           \
			[y] "=&" IN_VECTOR(y)                                                                          \
			: [mask] IN_VECTOR(mask), [end] "r"(end), [unroll] "i"(unroll), [step] "i"(4 * lanes * unroll) \
			: "cc", "memory");                                                                             \
	}                                                                                                              \
	top0 += top1;                                                                                                  \
	bottom0 += bottom1;                                                                                            \
	walk->top = total(top0);                                                                                       \
	walk->bottom = total(bottom0);                                                                                 \
}
/* clang-format on */

/* form=copies includes the copy instruction that compilers often leave in. The loop needs six
 * operations per number, and two operations per iteration.
 *
 * x = data[i]; y = x; bottom += x & 0xffff; top += y >> 16; */
SCALAR(halves_copies, COPIES)

/* form=lean extends the lower half into a separate register, without a copy: five operations per
 * number.
 *
 * y = data[i]; bottom += y & 0xffff; top += y >> 16; */
SCALAR(halves_lean, LEAN)

/* form=folded loads and extends each half separately: four operations per number.
 *
 * bottom += ((uint16_t *)data)[2 * i]; top += ((uint16_t *)data)[2 * i + 1]; */
SCALAR(halves_folded, FOLDED)

typedef uint32_t four __attribute__((vector_size(16)));

/* A vector of four numbers. SSE2 overwrites an operand and therefore needs a copy: six operations
 * per vector. NEON needs five operations per vector.
 *
 * in each lane: y = data[i]; bottom += y & mask; top += y >> 16; */
VECTOR(, halves_vector128, four, VECTOR128, 4, "16", SUM_4)

KERNEL_UNROLLED(copies, struct halves, halves_copies)
KERNEL_UNROLLED(lean, struct halves, halves_lean)
KERNEL_UNROLLED(folded, struct halves, halves_folded)
KERNEL_UNROLLED(vector128, struct halves, halves_vector128)

#if defined(__x86_64__)

typedef uint32_t eight __attribute__((vector_size(32)));

/* A vector of eight numbers: five operations per vector, because AVX2 has a separate result
 * register.
 *
 * in each lane: y = data[i]; bottom += y & mask; top += y >> 16; */
VECTOR(__attribute__((target("avx2"))), halves_vector256, eight, VECTOR256, 8, "32", SUM_8)

KERNEL_UNROLLED_AS(__attribute__((target("avx2"))), vector256, struct halves, halves_vector256)
#define VECTOR256_NAMES KERNEL_UNROLLED_NAMES(vector256)

#else

#define VECTOR256_NAMES NULL

#endif

typedef void halves_loop(struct halves *walk);

static const struct {
	const char *function;
	int64_t lanes;
	halves_loop *loops[8];
} forms[FORMS] = {
	[FORM_COPIES] = { "halves_copies", 1, { KERNEL_UNROLLED_NAMES(copies) } },
	[FORM_LEAN] = { "halves_lean", 1, { KERNEL_UNROLLED_NAMES(lean) } },
	[FORM_FOLDED] = { "halves_folded", 1, { KERNEL_UNROLLED_NAMES(folded) } },
	[FORM_VECTOR128] = { "halves_vector128", 4, { KERNEL_UNROLLED_NAMES(vector128) } },
	[FORM_VECTOR256] = { "halves_vector256", 8, { VECTOR256_NAMES } },
};

static struct status halves_check(const int64_t *v)
{
	return v[FORM] == FORM_VECTOR256 ? features_need(FEATURE_AVX2, "form=vector256")
					 : status_ok();
}

static struct status halves_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t count = (uint64_t)v[SIZE] / 4;

	run->granule = (uint64_t)(v[UNROLL] * forms[v[FORM]].lanes);
	run->ring = count / run->granule * run->granule;
	run->bytes = 4;
	run->walk.lines = 4.0 / 64;
	run->code.start = (const void *)forms[v[FORM]].loops[v[UNROLL] - 1];
	run->code.name = forms[v[FORM]].function;
	return ring_lay_out(run, count, 4, ring_put_word);
}

static void halves_call(struct kernel_run *run, uint64_t elements)
{
	struct halves walk = { .data = (const uint32_t *)(const void *)run->memory };

	RING_WALK(run, elements, &walk);
	run->result = (uint64_t)walk.top << 32 | walk.bottom;
}

static uint64_t halves_expected(const struct kernel_run *run, uint64_t elements)
{
	uint32_t top = 0, bottom = 0;

	for (uint64_t i = 0; i < elements; i++) {
		uint32_t value = ring_word(run->seed, i % run->ring);

		top += value >> 16;
		bottom += value & 0xffff;
	}
	return (uint64_t)top << 32 | bottom;
}

const struct kernel kernel_sum_halves = {
	.name = "sum-halves",
	.title = "sum the halves of 32-bit numbers",
	.look_for = "Many cheap operations and no dependency chain: the issue width is the limit. "
		    "Change form from copies to lean to folded and count the instructions saved. "
		    "Raise unroll: more numbers share the loop's own instructions. Vectors process "
		    "four or eight numbers at once.",
	.document = "Downs, Performance Speed Limits, \"Pipeline Width\"",
	.element = "number",
	.limit = "width",
	.hint = "Down to form, then +: the same sums, fewer operations",
	KERNEL_KNOBS(knobs),
	.check = halves_check,
	.layout_nests = true,
	.prepare = halves_prepare,
	.call = halves_call,
	.expected = halves_expected,
};
