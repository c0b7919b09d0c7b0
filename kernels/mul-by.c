/* The kernel mul-by makes several multiplications per element. The multiplications of different
 * elements are independent. The issue width is not the limit, because only one or two ports can
 * execute multiplications. */
#include "kernels/ring.h"

enum { SIZE, M, FORM };
enum { FORM_PLAIN, FORM_HOISTED, FORM_SQUARES, FORMS };

static const char *const form_names[] = { "plain", "hoisted", "squares", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of the array", 16384),
	[M] = KNOB_ROW_COUNT("m", "the factor m; its value does not change the speed", 0,
		UINT32_MAX, 7, .factor = 10),
	[FORM] = KNOB_ROW_CHOICE("form",
		"4 multiplications, m hoisted out (3), squares by addition (2)", form_names,
		.role = KNOB_FORM),
};

struct mul_walk {
	const uint32_t *data; /* the numbers to multiply; after the last number lies one more
				 number, because the loop also reads data[i + 1] */
	struct ring ring;
	uint32_t m;
	uint32_t sum;
};

/* LOOP() is the code of a form that multiplies by the index i. x is data[i] and y is data[i + 1].
 * The loop computes product = y * i * i * x. In form=plain, product also includes the factor m. The
 * loop then adds product to sum, and copies y to x. */
/* clang-format off */
#if defined(__x86_64__)
#define LOOP(m_times)                               \
	"	.p2align 6			\n" \
	"1:	movl	4(%[data],%[i],4), %k[y]\n" \
	"	movl	%k[y], %k[product]	\n" \
	"	imull	%k[i], %k[product]	\n" \
	m_times                                     \
	"	imull	%k[i], %k[product]	\n" \
	"	addq	$1, %[i]		\n" \
	"	imull	%[x], %k[product]	\n" \
	"	movl	%k[y], %[x]		\n" \
	"	addl	%k[product], %[sum]	\n" \
	"	cmpq	%[end], %[i]		\n" \
	"	jne	1b			\n"
#define TIMES_M "	imull	%[m], %k[product]	\n"
#else
#define LOOP(m_times)                                      \
	"	.p2align 6			\n"        \
	"1:	ldr	%w[y], [%[data4], %[i], lsl 2]\n"  \
	"	mul	%w[product], %w[y], %w[i]\n"       \
	m_times                                            \
	"	mul	%w[product], %w[product], %w[i]\n" \
	"	add	%[i], %[i], 1		\n"        \
	"	mul	%w[product], %w[product], %w[x]\n" \
	"	mov	%w[x], %w[y]		\n"        \
	"	add	%w[sum], %w[sum], %w[product]\n"   \
	"	cmp	%[i], %[end]		\n"        \
	"	b.ne	1b			\n"
#define TIMES_M "	mul	%w[product], %w[product], %w[m]\n"
#endif

#define BY_INDEX(name, m_times, factor, ...)                                                                \
KERNEL_LOOP static void name(struct mul_walk *walk)                                                         \
{                                                                                                           \
	uint32_t m = walk->m, sum = 0;                                                                      \
	uint64_t turns, i;                                                                                  \
                                                                                                            \
	while ((turns = ring_piece(&walk->ring, &i))) {                                                     \
		uint64_t end = i + turns, product, y;                                                       \
		uint32_t x = walk->data[i];                                                                 \
                                                                                                            \
		__asm__ volatile(LOOP(m_times)                                                              \
			: [i] "+r"(i), [x] "+r"(x), [sum] "+r"(sum), [y] "=&r"(y), [product] "=&r"(product) \
			: [data] "r"(walk->data), [data4] "r"(walk->data + 1), [end] "r"(end) __VA_ARGS__   \
			: "cc", "memory");                                                                  \
	}                                                                                                   \
	(void)m;                                                                                                    \
	walk->sum = sum * (factor);                                                                                 \
}
/* clang-format on */

/* Makes four multiplications per element, as in the cited article. */
BY_INDEX(mul_plain, TIMES_M, 1, , [m] "r"(m))

/* The factor m is the same for all elements, so the code multiplies the sum by m once, at the end.
 */
BY_INDEX(mul_hoisted, , walk->m)

/* Computes the squares of indices by addition: (i + 1)² = i² + (2i + 1). The two additions use
 * other ports than multiplications. */
KERNEL_LOOP static void mul_squares(struct mul_walk *walk)
{
	uint32_t sum = 0;
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *data = walk->data + from + 1, *end = data + turns;
		uint32_t x = data[-1], square = (uint32_t)(from * from),
			 odd = (uint32_t)(2 * from + 1);
		uint64_t y;

		/* y = data[i + 1]; sum += x * y * square; square += odd; odd += 2; x = y; */
		__asm__ volatile(
#if defined(__x86_64__)
			"	.p2align 6			\n"
			"1:	movl	(%[data]), %k[y]	\n"
			"	imull	%k[y], %[x]		\n"
			"	imull	%[square], %[x]		\n"
			"	addl	%[odd], %[square]	\n"
			"	addl	$2, %[odd]		\n"
			"	addq	$4, %[data]		\n"
			"	addl	%[x], %[sum]		\n"
			"	movl	%k[y], %[x]		\n"
			"	cmpq	%[end], %[data]		\n"
			"	jne	1b			\n"
#else
			"	.p2align 6			\n"
			"1:	ldr	%w[y], [%[data]], 4	\n"
			"	mul	%w[x], %w[x], %w[y]	\n"
			"	mul	%w[x], %w[x], %w[square]\n"
			"	add	%w[square], %w[square], %w[odd]\n"
			"	add	%w[odd], %w[odd], 2	\n"
			"	add	%w[sum], %w[sum], %w[x]	\n"
			"	mov	%w[x], %w[y]		\n"
			"	cmp	%[data], %[end]		\n"
			"	b.ne	1b			\n"
#endif
			: [data] "+r"(data), [x] "+r"(x), [sum] "+r"(sum), [square] "+r"(square),
			[odd] "+r"(odd), [y] "=&r"(y)
			: [end] "r"(end)
			: "cc", "memory");
	}
	walk->sum = sum * walk->m;
}

typedef void mul_loop(struct mul_walk *walk);

static const struct {
	const char *function;
	mul_loop *loop;
} forms[FORMS] = {
	[FORM_PLAIN] = { "mul_plain", mul_plain },
	[FORM_HOISTED] = { "mul_hoisted", mul_hoisted },
	[FORM_SQUARES] = { "mul_squares", mul_squares },
};

static struct status mul_prepare(struct kernel_run *run)
{
	uint64_t count = (uint64_t)run->v[SIZE] / 4;

	run->granule = 1;
	run->ring = count - 1;
	run->bytes = 4;
	run->walk.lines = 4.0 / 64;
	run->code.start = (const void *)forms[run->v[FORM]].loop;
	run->code.name = forms[run->v[FORM]].function;
	return ring_lay_out(run, count, 4, ring_put_word);
}

static void mul_call(struct kernel_run *run, uint64_t elements)
{
	struct mul_walk walk = { .data = (const uint32_t *)(const void *)run->memory,
		.m = (uint32_t)run->v[M] };

	RING_WALK(run, elements, &walk);
	run->result = walk.sum;
}

static uint64_t mul_expected(const struct kernel_run *run, uint64_t elements)
{
	uint32_t sum = 0;

	for (uint64_t k = 0; k < elements; k++) {
		uint64_t i = k % run->ring;

		sum += ring_word(run->seed, i) * ring_word(run->seed, i + 1) * (uint32_t)run->v[M] *
		       (uint32_t)(i * i);
	}
	return sum;
}

const struct kernel kernel_mul_by = {
	.name = "mul-by",
	.title = "four multiplications per element",
	.look_for = "Ten operations per element are few, yet an element takes four cycles where "
		    "only one port multiplies: that port is busy in each cycle, and the others "
		    "idle. Change form: there, a multiplication removed saves a cycle, unless the "
		    "additions in its place are sent to the same port.",
	.document = "Downs, Performance Speed Limits, \"Port/Execution Unit Limits\"",
	.element = "number",
	.limit = "ports",
	.hint = "Down to form, then +: one multiplication fewer",
	KERNEL_KNOBS(knobs),
	.layout_nests = true,
	.prepare = mul_prepare,
	.call = mul_call,
	.expected = mul_expected,
};
