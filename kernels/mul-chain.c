/* The kernel mul-chain multiplies all elements of an array. Each multiplication waits for the
 * previous multiplication of its product. Independent products do not wait for each other. With the
 * knob `restart`, a new product starts regularly, and its first multiplications overlap with the
 * end of the old product. */
#include "kernels/ring.h"

enum { SIZE, ACC, RESTART };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of the array", 16384),
	[ACC] = KNOB_ROW_COUNT("acc", "independent products", 1, 8, 1, .role = KNOB_FORM),
	[RESTART] = KNOB_ROW_COUNT("restart", "elements after which new products begin; 0: never",
		0, 1 << 20, 0, .factor = 2),
};

struct chain_walk {
	const uint32_t *data;
	struct ring ring;
	uint64_t restart; /* number of iterations of one product, > 0 */
	uint32_t sum;	  /* sum of all products */
};

/* MULTIPLY() multiplies product number n by the next element. JOIN() adds product number n to the
 * sum, and sets the product back to 1. On x86-64 the multiplication has a memory operand, and the
 * scratch variable x stays in memory, so that the sum has a register. */
#if defined(__x86_64__)
#define SCRATCH "m"
#define MULTIPLY(n)                                       \
	"	.if %c[acc] > " #n "			\n"                \
	"	imull	4*" #n "(%[data]), %[p" #n "]	\n" \
	"	.endif					\n"
#define NEXT                         \
	"	addq	%[step], %[data]		\n" \
	"	cmpq	%[end], %[data]			\n" \
	"	jne	1b				\n"
#define JOIN(n)                                 \
	"	.if %c[acc] > " #n "			\n"      \
	"	addl	%[p" #n "], %[sum]		\n" \
	"	movl	$1, %[p" #n "]			\n"    \
	"	.endif					\n"
#define LAST                      \
	"	subq	$1, %[count]			\n" \
	"	je	2f				\n"
#define AGAIN                        \
	"	addq	%[span], %[end]			\n" \
	"	jmp	1b				\n"
#else
#define SCRATCH "&r"
#define MULTIPLY(n)                                         \
	"	.if %c[acc] > " #n "			\n"                  \
	"	ldr	%w[x], [%[data], 4*" #n "]	\n"      \
	"	mul	%w[p" #n "], %w[p" #n "], %w[x]	\n" \
	"	.endif					\n"
#define NEXT                                \
	"	add	%[data], %[data], %[step]	\n" \
	"	cmp	%[data], %[end]			\n"         \
	"	b.ne	1b				\n"
#define JOIN(n)                                           \
	"	.if %c[acc] > " #n "			\n"                \
	"	add	%w[sum], %w[sum], %w[p" #n "]	\n" \
	"	mov	%w[p" #n "], 1			\n"              \
	"	.endif					\n"
#define LAST                              \
	"	subs	%[count], %[count], 1		\n" \
	"	b.eq	2f				\n"
#define AGAIN                              \
	"	add	%[end], %[end], %[span]		\n" \
	"	b	1b				\n"
#endif

/* JOINED is the sum of the `acc` products; RESET() sets one product back to 1, where a new product
 * begins. */
#define USED(n)	 (acc > n ? p##n : 0)
#define RESET(n) (p##n = acc > n ? 1 : p##n)
#define JOINED	 (p0 + USED(1) + USED(2) + USED(3) + USED(4) + USED(5) + USED(6) + USED(7))

/* Makes one multiplication per element. The elements go to the `acc` products in turn. The code
 * that starts new products has few instructions and no multiplication, because more work would
 * delay the products. */
KERNEL_BODY void chain_multiply(struct chain_walk *walk, const int acc)
{
	uint32_t sum = 0, p0 = 1, p1 = 1, p2 = 1, p3 = 1, p4 = 1, p5 = 1, p6 = 1, p7 = 1;
	uint64_t turns, from, left = walk->restart;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *data = walk->data + from * (uint64_t)acc;

		while (turns > 0) {
			uint64_t stretch = left < turns ? left : turns, x;
			/* The number of products that end in the part of the array that
			 * ring_piece() returned. */
			uint64_t count = 1 + (turns - stretch) / walk->restart;
			uint64_t span = walk->restart * 4 * (uint64_t)acc;
			const uint32_t *end = data + stretch * (uint64_t)acc;

			turns -= stretch + (count - 1) * walk->restart;
			/* p0 *= data[i]; p1 *= data[i + 1]; … */
			__asm__ volatile("	.p2align 6		\n"
					 "1:				\n" MULTIPLY(0) MULTIPLY(
						 1) MULTIPLY(2) MULTIPLY(3) MULTIPLY(4) MULTIPLY(5)
						 MULTIPLY(6) MULTIPLY(7) NEXT LAST JOIN(0) JOIN(1)
							 JOIN(2) JOIN(3) JOIN(4) JOIN(5) JOIN(6)
								 JOIN(7) AGAIN
					 "2:				\n"
					 : [data] "+r"(data), [p0] "+r"(p0), [p1] "+r"(p1),
					 [p2] "+r"(p2), [p3] "+r"(p3), [p4] "+r"(p4), [p5] "+r"(p5),
					 [p6] "+r"(p6), [p7] "+r"(p7), [x] "=" SCRATCH(x),
					 [sum] "+r"(sum), [count] "+r"(count), [end] "+r"(end)
					 : [acc] "i"(acc), [step] "i"(4 * acc), [span] "r"(span)
					 : "cc", "memory");
			if (stretch < left) {
				left -= stretch;
				continue;
			}
			sum += JOINED;
			p0 = 1;
			RESET(1), RESET(2), RESET(3), RESET(4), RESET(5), RESET(6), RESET(7);
			left = walk->restart;
		}
	}
	walk->sum = sum + JOINED;
}

KERNEL_UNROLLED(chain, struct chain_walk, chain_multiply)

typedef void chain_loop(struct chain_walk *walk);

static chain_loop *const loops[] = { KERNEL_UNROLLED_NAMES(chain) };

/* Returns the number of iterations of one product. */
static uint64_t product_turns(const int64_t *v)
{
	return v[RESTART] ? (uint64_t)((v[RESTART] + v[ACC] - 1) / v[ACC]) : UINT64_MAX;
}

/* Branch predictors predict the end of a product that takes at most so many iterations. Measured on
 * Zen 4: products of 44 iterations mostly end without a misprediction, products of 48 iterations
 * with one. */
enum { PREDICTED = 44 };

/* Writes an element. All elements are odd, so their products never become 0. */
static void put(struct kernel_run *run, uint64_t index)
{
	((uint32_t *)(void *)run->memory)[index] = ring_word(run->seed, index) | 1;
}

static struct status chain_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t count = (uint64_t)v[SIZE] / 4;

	run->granule = (uint64_t)v[ACC];
	run->ring = count / run->granule * run->granule;
	run->bytes = 4;
	run->walk.lines = 4.0 / 64;
	run->walk.restart = v[RESTART] ? (double)(product_turns(v) * run->granule) : 0;
	if (v[RESTART] && product_turns(v) > PREDICTED)
		run->walk.mispredicts = 1 / run->walk.restart;
	run->code.start = (const void *)loops[v[ACC] - 1];
	run->code.name = "chain_multiply";
	return ring_lay_out(run, count, 4, put);
}

/* Processes `elements` elements. Each call starts new products. */
static void chain_call(struct kernel_run *run, uint64_t elements)
{
	struct chain_walk walk = { .data = (const uint32_t *)(const void *)run->memory,
		.restart = product_turns(run->v) };

	RING_WALK(run, elements, &walk);
	run->result = walk.sum;
}

/* Element i belongs to product i modulo `acc`. The expected sum also includes the products that
 * begin last, even if no element was multiplied into them. A product without factors is 1. */
static uint64_t chain_expected(const struct kernel_run *run, uint64_t elements)
{
	uint64_t last = run->v[RESTART] ? product_turns(run->v) * run->granule : UINT64_MAX;
	uint64_t acc = run->granule;
	uint32_t sum = 0, product[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

	for (uint64_t i = 0; i < elements; i++) {
		product[i % acc] *= ring_word(run->seed, i % run->ring) | 1;
		for (uint64_t k = 0; k < acc && (i + 1) % last == 0; k++) {
			sum += product[k];
			product[k] = 1;
		}
	}
	for (uint64_t k = 0; k < acc; k++)
		sum += product[k];
	return sum;
}

const struct kernel kernel_mul_chain = {
	.name = "mul-chain",
	.title = "multiply all elements of an array",
	.look_for =
		"One multiplication per element, and a port that could start one each cycle. But "
		"each multiplication waits for the previous product, so an element takes the "
		"latency. Raise acc until the port is the limit. Then set restart: each new "
		"product overlaps with the end of the old one, and CPE falls below the latency.",
	.document = "Downs, Performance Speed Limits, \"Carried Dependency Chains\"",
	.element = "number",
	.limit = "latency",
	.hint = "Down to acc, then +: products side by side",
	KERNEL_KNOBS(knobs),
	.layout_nests = true,
	.seamless = true,
	.prepare = chain_prepare,
	.call = chain_call,
	.expected = chain_expected,
};
