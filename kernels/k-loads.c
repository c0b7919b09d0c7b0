/* The kernel k-loads makes k loads per element and nothing else. The loop discards the loaded
 * values, because additions could become the limit.
 *
 * The k words of an element are far apart in one array. Loads of the same cycle therefore access
 * different lines and different banks of the first-level cache. For every k, the array has the same
 * number of elements, so results for different k can be compared. */
#include "kernels/ring.h"

enum { SIZE, K, UNROLL };

/* Bytes from one word of an element to the next word: four and a quarter cache lines. */
#define APART 272

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of the array", 16384),
	[K] = KNOB_ROW_COUNT("k", "loads per element", 1, 4, 2),
	[UNROLL] = KNOB_ROW_COUNT(
		"unroll", "elements in one iteration of the loop", 1, 8, 8, .role = KNOB_FORM),
};

struct loads_walk {
	const uint32_t *data;
	struct ring ring;
	uint32_t last[4]; /* the k words that the loads of the last element returned; the other
			     words are 0 */
};

/* LOAD() makes load number n of the element at offset .Lat, if n < k. */
#if defined(__x86_64__)
#define LOAD(n)                                                          \
	"	.if %c[k] > " #n "			\n"                                 \
	"	movl	.Lat + " #n "*%c[apart](%[data]), %[x" #n "] \n" \
	"	.endif					\n"
#define NEXT                         \
	"	addq	%[step], %[data]		\n" \
	"	cmpq	%[end], %[data]			\n" \
	"	jne	1b				\n"
#else
#define LOAD(n)                                                             \
	"	.if %c[k] > " #n "			\n"                                    \
	"	ldr	%w[x" #n "], [%[data], .Lat + " #n "*%c[apart]] \n" \
	"	.endif					\n"
#define NEXT                                \
	"	add	%[data], %[data], %[step]	\n" \
	"	cmp	%[data], %[end]			\n"         \
	"	b.ne	1b				\n"
#endif

KERNEL_BODY void loads_read(struct loads_walk *walk, const int k, const int unroll)
{
	uint32_t x0 = 0, x1 = 0, x2 = 0, x3 = 0;
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *data = walk->data + from * (uint64_t)unroll,
			       *end = data + turns * (uint64_t)unroll;

		/* x0 = data[i]; x1 = data[i + 68]; x2 = data[i + 136]; x3 = data[i + 204]; The code
		 * makes only the first k of these loads. */
		__asm__ volatile("	.p2align 6		\n"
				 "1:				\n"
				 "	.set .Lat, 0		\n"
				 "	.rept %c[unroll]	\n" LOAD(0) LOAD(1) LOAD(2)
					 LOAD(3) "	.set .Lat, .Lat + 4	\n"
						 "	.endr			\n" NEXT
				 : [data] "+r"(data), [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2),
				 [x3] "+r"(x3)
				 : [end] "r"(end), [k] "i"(k), [unroll] "i"(unroll),
				 [step] "i"(4 * unroll), [apart] "i"(APART)
				 : "cc", "memory");
	}
	walk->last[0] = x0;
	walk->last[1] = x1;
	walk->last[2] = x2;
	walk->last[3] = x3;
}

#define ONE(walk, n)   loads_read(walk, 1, n)
#define TWO(walk, n)   loads_read(walk, 2, n)
#define THREE(walk, n) loads_read(walk, 3, n)
#define FOUR(walk, n)  loads_read(walk, 4, n)
KERNEL_UNROLLED(one, struct loads_walk, ONE)
KERNEL_UNROLLED(two, struct loads_walk, TWO)
KERNEL_UNROLLED(three, struct loads_walk, THREE)
KERNEL_UNROLLED(four, struct loads_walk, FOUR)

typedef void loads_loop(struct loads_walk *walk);

static loads_loop *const loops[4][8] = {
	{ KERNEL_UNROLLED_NAMES(one) },
	{ KERNEL_UNROLLED_NAMES(two) },
	{ KERNEL_UNROLLED_NAMES(three) },
	{ KERNEL_UNROLLED_NAMES(four) },
};

static struct status loads_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;

	run->granule = (uint64_t)v[UNROLL];
	run->ring = ((uint64_t)v[SIZE] - 3 * APART) / 4 / run->granule * run->granule;
	run->bytes = (uint64_t)v[K] * 4;
	run->walk.lines = 4.0 / 64;
	run->code.start = (const void *)loops[v[K] - 1][v[UNROLL] - 1];
	run->code.name = "loads_read";
	return ring_lay_out(run, (uint64_t)v[SIZE] / 4, 4, ring_put_word);
}

/* Returns a checksum of four words that depends on the order of the words. */
static uint64_t mixed(const uint32_t *x)
{
	return x[0] + 3 * (uint64_t)x[1] + 5 * (uint64_t)x[2] + 7 * (uint64_t)x[3];
}

static void loads_call(struct kernel_run *run, uint64_t elements)
{
	struct loads_walk walk = { .data = (const uint32_t *)(const void *)run->memory };

	RING_WALK(run, elements, &walk);
	run->result = mixed(walk.last);
}

/* A call of the loop returns only the loaded words of its last element, so the check makes one call
 * per iteration. */
static struct status loads_verify(struct kernel_run *run)
{
	uint64_t turns = run->ring / run->granule;

	turns = turns < 1024 ? turns + turns / 2 : 1536;
	for (uint64_t turn = 1; turn <= turns; turn++) {
		uint64_t last = (turn * run->granule - 1) % run->ring;
		uint32_t x[4] = { 0 };

		for (int64_t n = 0; n < run->v[K]; n++)
			x[n] = ring_word(run->seed, last + (uint64_t)n * APART / 4);
		loads_call(run, run->granule);
		if (run->result != mixed(x))
			return status_failed("k-loads did not load the value at element %llu",
				(unsigned long long)last);
	}
	return status_ok();
}

const struct kernel kernel_k_loads = {
	.name = "k-loads",
	.title = "k loads per element",
	.look_for = "Nothing is computed: an element takes k divided by the loads per cycle. "
		    "Change k and read the loads per cycle from CPE. Lower unroll to see the cost "
		    "of the loop's own operations and of its taken branch.",
	.document = "Downs, Performance Speed Limits, \"Load Throughput Limit\"",
	.element = "element of k loads",
	.limit = "loads",
	.hint = "Down to k, then + and -: cycles go in steps of one load",
	KERNEL_KNOBS(knobs),
	.layout_nests = true,
	.prepare = loads_prepare,
	.call = loads_call,
	.verify = loads_verify,
};
