/* The kernel chains has three loops that add, each with a longer loop-carried chain. The loop of
 * chain=none has no chain: c[i] = a[i] + b[i]. The loop of chain=sum has a chain through the sum:
 * sum += a[i]. The loop of chain=load has a chain through the loads: sum += node->value, node =
 * node->next. All loops are scalar and unrolled eight times, so only the chain differs. */
#include "kernels/kernel.h"
#include "kernels/ring.h"
#include "kernels/shuffle.h"

enum { SIZE, CHAIN, TYPE, ACC, ORDER, PAGES };
enum { CHAIN_NONE, CHAIN_SUM, CHAIN_LOAD, CHAINS };
enum { TYPE_I64, TYPE_F64, TYPES };
enum { ORDER_SEQUENTIAL, ORDER_RANDOM };
enum { ACC_CHOICES = 4 }; /* number of choices of the knob `acc`: 1, 2, 4 or 8 accumulators */

/* UNROLL: number of additions per iteration. NUMBER: bytes of a number. LINE: bytes of a cache
 * line. */
enum { UNROLL = 8, NUMBER = 8, LINE = 64 };

static const char *const chain_names[] = { "none", "sum", "load", NULL };
static const char *const type_names[] = { "i64", "f64", NULL };
static const char *const acc_names[] = { "1", "2", "4", "8", NULL };
static const char *const order_names[] = { "sequential", "random", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of all arrays, or of all nodes", 32768),
	[CHAIN] = KNOB_ROW_CHOICE("chain",
		"what an addition waits for: nothing, the last sum, or a load", chain_names),
	[TYPE] = KNOB_ROW_CHOICE("type", "the type of the numbers", type_names),
	[ACC] = KNOB_ROW_CHOICE(
		"acc", "independent sums, for chain=sum", acc_names, .role = KNOB_FORM),
	[ORDER] = KNOB_ROW_CHOICE("order", "the order of the list in memory", order_names),
	[PAGES] = KNOB_ROW_PAGES,
};

/* A node of the list, 16 bytes long. */
struct node {
	const struct node *next;
	uint64_t value; /* the bits of a value of type i64 or f64 */
};

/* The state of the loop during one call. */
struct chains_walk {
	struct ring ring;
	const uint64_t *a, *b;
	uint64_t *c;
	const struct node *node;
	uint64_t sum[UNROLL]; /* the sums, as bits of type i64 or f64; with one accumulator, the
				 loop uses only sum[0] */
};

typedef void chains_loop(struct chains_walk *walk);

/* ---- Loops */

/* The instructions of the loops on x86-64 and AArch64. k is the number of the element within the
 * iteration. j is the number of the register that holds the accumulator. FOR_F64() counts j from 0
 * for vector registers; FOR_I64() counts j from 8 for general registers. */
/* clang-format off */
#if defined(__x86_64__)
#define ADD_F64                              \
	"	movsd \\k*8(%[a]), %%xmm0\n" \
	"	addsd \\k*8(%[b]), %%xmm0\n" \
	"	movsd %%xmm0, \\k*8(%[c])\n"
#define ADD_I64                           \
	"	movq \\k*8(%[a]), %[t]\n" \
	"	addq \\k*8(%[b]), %[t]\n" \
	"	movq %[t], \\k*8(%[c])\n"
#define LOAD_F64 "	movsd \\j*8(%[sum]), %%xmm\\j\n"
#define LOAD_I64 "	movq (\\j-8)*8(%[sum]), %%r\\j\n"
#define SUM_F64  "	addsd \\k*8(%[a]), %%xmm\\j\n"
#define SUM_I64  "	addq \\k*8(%[a]), %%r\\j\n"
#define SAVE_F64 "	movsd %%xmm\\j, \\j*8(%[sum])\n"
#define SAVE_I64 "	movq %%r\\j, (\\j-8)*8(%[sum])\n"
#define ZERO     "	xorl %%r8d, %%r8d\n	xorps %%xmm0, %%xmm0\n"
#define NODE_F64 "	addsd 8(%[node]), %%xmm0\n"
#define NODE_I64 "	addq 8(%[node]), %%r8\n"
#define FOLLOW   "	movq (%[node]), %[node]\n"
#define ADVANCE(pointer) "	addq $64, %[" pointer "]\n"
#define TURN     "	decq %[turns]\n	jnz 1b\n"
#define CLOBBERS                                                                                      \
	"memory", "cc", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", \
	"xmm3", "xmm4", "xmm5", "xmm6", "xmm7"
#define CLOBBERS_NONE "memory", "cc", "xmm0"
#define CLOBBERS_LOAD "memory", "cc", "r8", "xmm0"
#else
#define ADD_F64                           \
	"	ldr d0, [%[a], #\\k*8]\n" \
	"	ldr d1, [%[b], #\\k*8]\n" \
	"	fadd d0, d0, d1\n"        \
	"	str d0, [%[c], #\\k*8]\n"
#define ADD_I64                             \
	"	ldr %[t], [%[a], #\\k*8]\n" \
	"	ldr x16, [%[b], #\\k*8]\n"  \
	"	add %[t], %[t], x16\n"      \
	"	str %[t], [%[c], #\\k*8]\n"
#define LOAD_F64 "	ldr d\\j, [%[sum], #\\j*8]\n"
#define LOAD_I64 "	ldr x\\j, [%[sum], #(\\j-8)*8]\n"
#define SUM_F64  "	ldr d16, [%[a], #\\k*8]\n	fadd d\\j, d\\j, d16\n"
#define SUM_I64  "	ldr x16, [%[a], #\\k*8]\n	add x\\j, x\\j, x16\n"
#define SAVE_F64 "	str d\\j, [%[sum], #\\j*8]\n"
#define SAVE_I64 "	str x\\j, [%[sum], #(\\j-8)*8]\n"
#define ZERO     "	mov x8, #0\n	fmov d0, xzr\n"
#define NODE_F64 "	ldr d16, [%[node], #8]\n	fadd d0, d0, d16\n"
#define NODE_I64 "	ldr x16, [%[node], #8]\n	add x8, x8, x16\n"
#define FOLLOW   "	ldr %[node], [%[node]]\n"
#define ADVANCE(pointer) "	add %[" pointer "], %[" pointer "], #64\n"
#define TURN     "	subs %[turns], %[turns], #1\n	b.ne 1b\n"
#define CLOBBERS                                                                                       \
	"memory", "cc", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "d0", "d1", "d2", \
	"d3", "d4", "d5", "d6", "d7", "d16"
#define CLOBBERS_NONE "memory", "cc", "x16", "d0", "d1"
#define CLOBBERS_LOAD "memory", "cc", "x8", "x16", "d0", "d16"
#endif
/* FOR_F64() and FOR_I64() repeat instructions for each accumulator. BY_TYPE() selects the
 * instructions of a data type. */
#define FOR_F64(each) ".irp j,0,1,2,3,4,5,6,7\n" each ".endr\n"
#define FOR_I64(each) ".irp j,8,9,10,11,12,13,14,15\n" each ".endr\n"
#define BY_TYPE(f64, i64) ".if %c[type]\n" f64 ".else\n" i64 ".endif\n"
#define LOOP ".p2align 6\n" "1:\n"
#define EACH ".irp k,0,1,2,3,4,5,6,7\n"

/* for (; i != end; i++)
 *     c[i] = a[i] + b[i]; */
KERNEL_BODY void chains_none(struct chains_walk *walk, const int type)
{
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint64_t *a = walk->a + from * UNROLL, *b = walk->b + from * UNROLL;
		uint64_t *c = walk->c + from * UNROLL, t;

		__asm__ volatile(LOOP EACH BY_TYPE(ADD_F64, ADD_I64) ".endr\n"
			ADVANCE("a") ADVANCE("b") ADVANCE("c") TURN
			: [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [t] "=&r"(t), [turns] "+r"(turns)
			: [type] "i"(type)
			: CLOBBERS_NONE);
	}
}

/*     for (; a != end; a++)
 *         sum += *a;
 *
 * With several accumulators, the elements use the accumulators in turn. */
KERNEL_BODY void chains_sum(struct chains_walk *walk, const int type, const int acc)
{
	uint64_t turns, from, *sum = walk->sum;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint64_t *a = walk->a + from * UNROLL;

		__asm__ volatile(FOR_F64(LOAD_F64) FOR_I64(LOAD_I64) LOOP EACH
			FOR_I64(".if %c[type] == 0 && \\j-8 == \\k-\\k/%c[acc]*%c[acc]\n" SUM_I64 ".endif\n")
			FOR_F64(".if %c[type] && \\j == \\k-\\k/%c[acc]*%c[acc]\n" SUM_F64 ".endif\n")
			".endr\n" ADVANCE("a") TURN
			BY_TYPE(FOR_F64(SAVE_F64), FOR_I64(SAVE_I64))
			: [a] "+r"(a), [turns] "+r"(turns)
			: [sum] "r"(sum), [type] "i"(type), [acc] "i"(acc)
			: CLOBBERS);
	}
}

/* for (; turns--; node = node->next)
 *     sum += node->value; */
KERNEL_BODY void chains_load(struct chains_walk *walk, const int type)
{
	const struct node *node = walk->node;
	uint64_t turns = walk->ring.left, *sum = walk->sum;

	__asm__ volatile(ZERO LOOP ".rept 8\n" BY_TYPE(NODE_F64, NODE_I64) FOLLOW ".endr\n" TURN
		BY_TYPE(".irp j,0\n" SAVE_F64 ".endr\n", ".irp j,8\n" SAVE_I64 ".endr\n")
		: [node] "+r"(node), [turns] "+r"(turns)
		: [sum] "r"(sum), [type] "i"(type)
		: CLOBBERS_LOAD);
	walk->node = node;
	walk->ring.left = 0;
}
/* clang-format on */

#define LOOPS(type)                                                                 \
	KERNEL_CALLS(none_##type, struct chains_walk, chains_none(walk, type))      \
	KERNEL_CALLS(load_##type, struct chains_walk, chains_load(walk, type))      \
	KERNEL_CALLS(sum_##type##_1, struct chains_walk, chains_sum(walk, type, 1)) \
	KERNEL_CALLS(sum_##type##_2, struct chains_walk, chains_sum(walk, type, 2)) \
	KERNEL_CALLS(sum_##type##_4, struct chains_walk, chains_sum(walk, type, 4)) \
	KERNEL_CALLS(sum_##type##_8, struct chains_walk, chains_sum(walk, type, 8))

LOOPS(0)
LOOPS(1)

static chains_loop *const loops[CHAINS][TYPES][ACC_CHOICES] = {
	[CHAIN_NONE] = { { none_0 }, { none_1 } },
	[CHAIN_LOAD] = { { load_0 }, { load_1 } },
	[CHAIN_SUM] = { { sum_0_1, sum_0_2, sum_0_4, sum_0_8 },
		{ sum_1_1, sum_1_2, sum_1_4, sum_1_8 } },
};

/* ---- Valid combinations of values */

static const struct knob_rule rules[] = {
	{ { ACC, 1, ACC_CHOICES - 1 }, { CHAIN, CHAIN_SUM, CHAIN_SUM }, CHAIN_SUM, 0,
		"only chain=sum has a chain through a sum" },
	{ { ORDER, ORDER_RANDOM, ORDER_RANDOM }, { CHAIN, CHAIN_LOAD, CHAIN_LOAD }, CHAIN_LOAD,
		ORDER_SEQUENTIAL, "only chain=load walks a list, and the others walk arrays" },
};

/* ---- Data */

static const uint64_t bytes_each[CHAINS] = {
	[CHAIN_NONE] = 3 * NUMBER, [CHAIN_SUM] = NUMBER, [CHAIN_LOAD] = sizeof(struct node)
};

/* Returns the number of elements per array, or the number of nodes, for whole iterations. */
static uint64_t count_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / bytes_each[v[CHAIN]] / UNROLL * UNROLL;
}

static uint64_t chains_footprint(const int64_t *v)
{
	return count_of(v) * bytes_each[v[CHAIN]];
}

static uint64_t chains_layout(const int64_t *v)
{
	return count_of(v) << 4 | (uint64_t)v[CHAIN] << 2 | (uint64_t)v[TYPE] << 1 |
	       (uint64_t)v[ORDER];
}

/* Returns the value of an element. Values are small whole numbers, so sums are exact in both types
 * and in every order. */
static int value_of(uint64_t seed, uint64_t index)
{
	struct random random = { seed + index };

	return (int)(random_next(&random) >> 60) + 1; /* 1 … 16 */
}

union number {
	double real;
	uint64_t bits;
};

static uint64_t bits_of(const int64_t *v, int64_t value)
{
	union number number = { .bits = (uint64_t)value };

	if (v[TYPE] == TYPE_F64)
		number.real = (double)value;
	return number.bits;
}

/* Returns the sum of all accumulators. */
static uint64_t total(const int64_t *v, const uint64_t sum[UNROLL])
{
	union number all = { .bits = sum[0] };

	for (int i = 1; i < UNROLL; i++) {
		union number number = { .bits = sum[i] };

		if (v[TYPE] == TYPE_F64)
			all.real += number.real;
		else
			all.bits += number.bits;
	}
	return all.bits;
}

/* Writes a node. The list visits the nodes in the order of the permutation, or in the order of
 * memory. */
static void put(
	struct kernel_run *run, const struct shuffle *shuffle, uint64_t count, uint64_t index)
{
	uint64_t *words = (uint64_t *)(void *)run->memory;
	struct node *nodes = (struct node *)(void *)run->memory;
	uint64_t bits = bits_of(run->v, value_of(run->seed, index)), after = index;

	if (run->v[CHAIN] != CHAIN_LOAD) {
		words[index] = bits;
		if (run->v[CHAIN] == CHAIN_NONE) {
			words[count + index] = bits_of(run->v, value_of(run->seed, count + index));
			words[2 * count + index] = 0;
		}
		return;
	}
	if (run->v[ORDER] == ORDER_RANDOM)
		after = shuffle_from(shuffle, index);
	after = after + 1 == count ? 0 : after + 1;
	if (run->v[ORDER] == ORDER_RANDOM)
		after = shuffle_to(shuffle, after);
	nodes[index] = (struct node){ nodes + after, bits };
}

static void chains_describe(const int64_t *v, struct kernel_walk *walk)
{
	bool list = v[CHAIN] == CHAIN_LOAD;

	walk->scattered = v[ORDER] == ORDER_RANDOM;
	walk->lines = walk->scattered ? 1 : (double)bytes_each[v[CHAIN]] / LINE;
	walk->visits = walk->scattered ? LINE / (double)bytes_each[v[CHAIN]] : 0;
	walk->access = list ? "node" : "addition";
	walk->waits = list ? "the next node's address is in this node"
			   : "nothing, because its address is known";
}

static void chains_rewind(struct kernel_run *run)
{
	run->position = 0;
	run->cursor = run->memory;
}

static struct status chains_prepare(struct kernel_run *run)
{
	static const char *const functions[CHAINS] = { "chains_none", "chains_sum", "chains_load" };
	const int64_t *v = run->v;
	uint64_t count = count_of(v);
	struct shuffle shuffle = shuffle_make(count, run->seed);

	for (uint64_t i = run->layout.prepared < chains_footprint(v) ? 0 : count; i < count; i++) {
		if (i % 65536 == 0 && !kernel_goes_on(run, i, count))
			return status_make(
				STATUS_CANCELLED, "stopped while the data were prepared");
		put(run, &shuffle, count, i);
	}
	run->layout.laid_out = chains_footprint(v);
	run->granule = UNROLL;
	run->ring = count;
	run->bytes = bytes_each[v[CHAIN]];
	run->code.start = (const void *)loops[v[CHAIN]][v[TYPE]][v[ACC]];
	run->code.name = functions[v[CHAIN]];
	return status_ok();
}

static void chains_call(struct kernel_run *run, uint64_t elements)
{
	uint64_t *words = (uint64_t *)(void *)run->memory, count = count_of(run->v);
	struct chains_walk walk = {
		.a = words,
		.b = words + count,
		.c = words + 2 * count,
		.node = run->cursor,
	};

	RING_WALK(run, elements, &walk);
	run->cursor = walk.node;
	run->result = total(run->v, walk.sum);
}

/* ---- Checks */

static struct status compare(uint64_t have, uint64_t right)
{
	if (have == right)
		return status_ok();
	return status_failed("chains computed %llx, not %llx", (unsigned long long)have,
		(unsigned long long)right);
}

/* Checks the loops over arrays. The checked call starts near the end of the array or list, and
 * continues at the start. */
static struct status verify_arrays(struct kernel_run *run)
{
	uint64_t count = run->ring, some = (count < 4096 ? count : 4096) / UNROLL * UNROLL,
		 from = (count - some / 2) / UNROLL * UNROLL;
	uint64_t *c = (uint64_t *)(void *)run->memory + 2 * count;
	int64_t sum = 0;

	run->position = from / UNROLL;
	for (uint64_t i = 0; i < some; i++) {
		sum += value_of(run->seed, (from + i) % count);
		if (run->v[CHAIN] == CHAIN_NONE)
			c[(from + i) % count] = ~(uint64_t)0;
	}
	chains_call(run, some);
	if (run->v[CHAIN] == CHAIN_SUM)
		return compare(run->result, bits_of(run->v, sum));
	for (uint64_t i = 0; i < some; i++) {
		uint64_t at = (from + i) % count;
		struct status status = compare(c[at],
			bits_of(run->v, value_of(run->seed, at) + value_of(run->seed, count + at)));

		if (!status_is_ok(&status))
			return status;
	}
	return status_ok();
}

/* Checks the list: the list must return to its first node after all of its nodes, and not earlier.
 * In a long list the check follows only some nodes, which must not include the first node again. */
static struct status verify_list(struct kernel_run *run)
{
	const struct node *first = (const struct node *)(void *)run->memory, *node = first;
	uint64_t count = run->ring, some = (count < 4096 ? count : 4096) / UNROLL * UNROLL;
	int64_t sum = 0;

	for (uint64_t i = 1; i <= some; i++) {
		uintptr_t from = (uintptr_t)node->next - (uintptr_t)first;

		sum += value_of(run->seed, (uint64_t)(node - first));
		if (from >= count * sizeof(*node) || from % sizeof(*node))
			return status_failed("chains: a node points outside the list");
		node = node->next;
		if ((node == first) != (i == count))
			return status_failed("chains: the list ends after %llu of %llu nodes",
				(unsigned long long)i, (unsigned long long)count);
	}
	chains_call(run, some);
	if (run->cursor != (const void *)node)
		return status_failed("the loop of chains ended at a wrong node");
	return compare(run->result, bits_of(run->v, sum));
}

static struct status chains_verify(struct kernel_run *run)
{
	return run->v[CHAIN] == CHAIN_LOAD ? verify_list(run) : verify_arrays(run);
}

static const char *chains_remark(const int64_t *v)
{
	if (v[CHAIN] == CHAIN_NONE)
		return "No addition waits for another: the issue width, the loads and stores, or "
		       "memory is the limit.";
	if (v[CHAIN] == CHAIN_LOAD)
		return "The last load supplies the address of the next one: everything after it "
		       "waits, whichever cache holds the node.";
	if (v[ACC] == 0)
		return "Each addition waits for the last one, but no load does: loads run ahead, "
		       "and the chain costs the latency of the addition.";
	return "Independent sums wait only for themselves: acc sums make the chain acc times "
	       "shorter.";
}

const struct kernel kernel_chains = {
	.name = "chains",
	.title = "three loops that add, and their dependency chains",
	.look_for = "The same addition without a chain, with a chain through the sum, and with a "
		    "chain through the load of a list's next node: change chain and compare CPE. "
		    "acc breaks the chain through the sum; type=f64 makes it longer. Then grow "
		    "size: independent loads run ahead and hide the caches; loads of the list do "
		    "not, least of all with order=random.",
	.document = "Johnny's Software Lab, Instruction-level parallelism in practice",
	.element = "addition",
	.hint = "Down to chain, then +: none, sum, load; then grow size",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.footprint = chains_footprint,
	.layout = chains_layout,
	.prepare = chains_prepare,
	.describe = chains_describe,
	.call = chains_call,
	.rewind = chains_rewind,
	.verify = chains_verify,
	.plot_cpe = true,
	.remark = chains_remark,
};
