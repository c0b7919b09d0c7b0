/* The kernel latency: each load gets its address from the previous load, so loads cannot overlap.
 * CPE is the load-to-use latency of the cache level that holds the nodes. With several chains in
 * one loop, loads of different chains overlap and show the memory-level parallelism.
 *
 * order=random: each of n chains is a separate cycle of every n-th node. Together the chains walk
 * the whole working set. order=backward: all nodes form one cycle, and the chains start at evenly
 * spaced nodes.
 *
 * If the knob `far` is below 100, a small set of `near` bytes lies next to the large set. One chain
 * of loads then alternates between the two sets. Each node holds a zero next to its pointer. If the
 * chain changes to the other set, the address of the next node includes the zero of the present
 * node. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"
#include "kernels/nodes.h"

enum { SIZE, STRIDE, ORDER, CHAINS, NEAR, FAR, PAGES, NODE, CORES, STREAMS };
enum { ORDER_RANDOM, ORDER_BACKWARD, ORDER_PAIRS };

/* Bytes of a cache line, as kernel->describe() assumes, and of a page. Each node of the small set
 * has its own cache line. */
enum { LINE = 64, PAGE = 4096 };

/* STEPS: number of loads of each chain in an iteration. MIX: number of accesses in an iteration
 * that mixes two sets. */
#define STEPS(chains) ((chains) == 1 ? 16 : (chains) == 2 ? 8 : (chains) <= 4 ? 4 : 2)
enum { MIX = 20 };

static const char *const order_names[] = { "random", "backward", "pairs", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size", "bytes of all nodes and the gaps between them", 64,
		KNOB_MAX_MEMORY, 16384, .axis = AXIS_SIZE, .multiple = 16, .factor = 2),
	[STRIDE] = KNOB_ROW_COUNT("stride",
		"bytes from one node to the next; pairs: between its two nodes", 16, 65536, 64,
		.axis = AXIS_STRIDE, .multiple = 16, .factor = 2),
	[ORDER] = KNOB_ROW_CHOICE("order", "the order of the nodes in memory", order_names),
	[CHAINS] = KNOB_ROW_COUNT("chains", "independent chains of loads", 1, KERNEL_CHAINS, 1),
	[NEAR] = KNOB_ROW_BYTES("near", "bytes of the small set, which gets the other accesses",
		LINE, KNOB_MAX_MEMORY, 16384, .multiple = LINE, .factor = 2),
	[FAR] = KNOB_ROW_COUNT("far", "percent of accesses that go to the large set (size)", 0, 100,
		100, .multiple = 100 / MIX),
	[PAGES] = KNOB_ROW_PAGES,
	[NODE] = KNOB_ROW_NODE,
	[CORES] = KNOB_ROW_CORES,
	[STREAMS] = KNOB_ROW_STREAMS,
};

/* ---- Loops */

/* Each chain has its own register. If there are more chains than registers, the remaining chains
 * keep their pointers in memory. EACH() writes the instruction for each register r that holds chain
 * number .Lk. */
#define EACH(instruction)                                                     \
	".set .Lk, 0\n.irp r, " HELD "\n.if .Lk < .Lheld\n	" instruction \
	"\n.endif\n.set .Lk, .Lk + 1\n.endr\n"
#if defined(__x86_64__)
#define REGISTERS 12
#define AT	  "rdi"
#define TURNS	  "rsi"
#define HELD	  "rax, rbx, rcx, rdx, r8, r9, r10, r11, r12, r13, r14, r15"
#define CLOBBERS  "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
#define BEGIN	  EACH("movq	8*.Lk(%[at]), %%\\r")
#define LOAD	  EACH("movq	(%%\\r), %%\\r")
#define END	  EACH("movq	%%\\r, 8*.Lk(%[at])")
#define KEPT                              \
	"	movq	8*.Lkept(%[at]), %%r15	\n" \
	"	movq	(%%r15), %%r15		\n"        \
	"	movq	%%r15, 8*.Lkept(%[at])	\n"
#define NEXT                  \
	"	decq	%[turns]			\n" \
	"	jnz	1b				\n"
#else
#define REGISTERS 25
#define AT	  "x0"
#define TURNS	  "x1"
#define HELD                                                                                \
	"x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x19, x20," \
	"x21, x22, x23, x24, x25, x26, x27"
#define CLOBBERS                                                                                  \
	"x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", \
		"x16", "x17", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27"
#define BEGIN EACH("ldr	\\r, [%[at], 8*.Lk]")
#define LOAD  EACH("ldr	\\r, [\\r]")
#define END   EACH("str	\\r, [%[at], 8*.Lk]")
#define KEPT                             \
	"	ldr	x27, [%[at], 8*.Lkept]	\n" \
	"	ldr	x27, [x27]		\n"            \
	"	str	x27, [%[at], 8*.Lkept]	\n"
#define NEXT                               \
	"	subs	%[turns], %[turns], #1		\n" \
	"	b.ne	1b				\n"
#endif

/* An iteration makes `steps` loads for each chain: at[0] = at[0]->next; at[1] = at[1]->next; … */
KERNEL_BODY void latency_chase(const void **at, uint64_t turns, const int chains, const int steps)
{
	register const void **base __asm__(AT) = at;
	register uint64_t left __asm__(TURNS) = turns;

	__asm__ volatile(
		".if %c[chains] > %c[registers]	\n"
		"	.set .Lheld, %c[registers] - 1 \n"
		".else				\n"
		"	.set .Lheld, %c[chains]	\n"
		".endif				\n" BEGIN ".p2align 6			\n"
		"1:				\n"
		"	.rept %c[steps]		\n" LOAD "	.set .Lkept, .Lheld	\n"
		"	.rept %c[chains] - .Lheld \n" KEPT "	.set .Lkept, .Lkept + 1	\n"
		"	.endr			\n"
		"	.endr			\n" NEXT END
		: [turns] "+r"(left)
		:
		[at] "r"(base), [chains] "i"(chains), [steps] "i"(steps), [registers] "i"(REGISTERS)
		: "cc", "memory", CLOBBERS);
}

/* One access to a set of nodes; the register `at` holds the address of the current node of this
 * set. */
#if defined(__x86_64__)
#define ACCESS(at)                                        \
	"	.if .Lturns			\n"                               \
	"	movq	8(%[" at "],%[zero]), %[zero] \n" \
	"	.endif				\n"                                   \
	"	movq	(%[" at "],%[zero]), %[" at "] \n"
#else
/* An arm64 address cannot have both an index and an offset. If the previous access loaded a zero,
 * the code adds the offset to the pointer before the zero arrives. */
#define ACCESS(at)                                   \
	"	.if .Lturns && .Lturned		\n"               \
	"	add	%[t], %[" at "], #8	\n"      \
	"	ldr	%[zero], [%[t], %[zero]] \n"           \
	"	.elseif .Lturns			\n"                      \
	"	ldr	%[zero], [%[" at "], #8] \n" \
	"	.endif				\n"                              \
	"	ldr	%[" at "], [%[" at "], %[zero]] \n"
#endif

/* An iteration makes 20 accesses, and `share` of the 20 accesses go to the large set, evenly
 * spread. If the next access goes to the same set of nodes, an access loads only the pointer of the
 * node. If the next access goes to the other set of nodes, an access first loads the zero of its
 * node. The address of the next access depends on the loaded zero. The load of the pointer then
 * hits the same line, and the next access does not wait for the pointer:
 *
 * at = at[zero].next	or	zero = at[zero].zero, at = at[zero].next */
KERNEL_BODY void latency_mix(const void **at, uint64_t turns, const int share)
{
	const void *far = at[0], *near = at[1];
	uint64_t zero = 0, t = 0;

	__asm__ volatile(
		".p2align 6			\n"
		"1:				\n"
		"	.set .Lsum, 0		\n"
		"	.set .Lturned, 1	\n"
		"	.rept %c[mix]		\n"
		"	.set .Lsum, .Lsum + %c[share] \n"
		"	.if .Lsum >= %c[mix]	\n"
		"	.set .Lsum, .Lsum - %c[mix] \n"
		"	.set .Lturns, .Lsum + %c[share] < %c[mix] \n" ACCESS(
			"far") "	.else			\n"
			       "	.set .Lturns, .Lsum + %c[share] >= %c[mix] \n" ACCESS(
				       "near") "	.endif			\n"
					       "	.set .Lturned, .Lturns	\n"
					       "	.endr			\n" NEXT
		: [turns] "+r"(turns), [far] "+r"(far), [near] "+r"(near), [zero] "+r"(zero),
		[t] "+r"(t)
		: [share] "i"(share), [mix] "i"(MIX)
		: "cc", "memory");
	at[0] = far;
	at[1] = near;
}

#define CHASE(n)                                                           \
	KERNEL_LOOP static void chase_##n(const void **at, uint64_t turns) \
	{                                                                  \
		latency_chase(at, turns, n, STEPS(n));                     \
	}
#define CHASE_NAME(n) chase_##n,
#define MIXED(n)                                                         \
	KERNEL_LOOP static void mix_##n(const void **at, uint64_t turns) \
	{                                                                \
		latency_mix(at, turns, n);                               \
	}
#define MIXED_NAME(n) mix_##n,
#define TO_NINETEEN(each)                                                                        \
	KERNEL_EIGHT(each)                                                                       \
	each(9) each(10) each(11) each(12) each(13) each(14) each(15) each(16) each(17) each(18) \
		each(19)
#define TO_THIRTY_TWO(each)                                                                       \
	TO_NINETEEN(each)                                                                         \
	each(20) each(21) each(22) each(23) each(24) each(25) each(26) each(27) each(28) each(29) \
		each(30) each(31) each(32)
TO_THIRTY_TWO(CHASE)
MIXED(0)
TO_NINETEEN(MIXED)

typedef void latency_loop(const void **at, uint64_t turns);

static latency_loop *const chases[KERNEL_CHAINS] = { TO_THIRTY_TWO(CHASE_NAME) };
static latency_loop *const mixes[MIX] = { MIXED_NAME(0) TO_NINETEEN(MIXED_NAME) };

/* ---- Data */

static bool is_mixed(const int64_t *v)
{
	return v[FAR] < 100;
}

/* Returns the number of accesses to the large set, out of MIX. */
static int far_of(const int64_t *v)
{
	return (int)(v[FAR] * MIX / 100);
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the description of the large set of nodes, without its memory address. */
static struct nodes far_shape(const int64_t *v)
{
	static const enum nodes_order orders[] = { NODES_RANDOM, NODES_BACKWARD, NODES_PAIRS };

	return (struct nodes){ .stride = (uint64_t)v[STRIDE],
		.order = orders[v[ORDER]],
		.cycles = v[ORDER] == ORDER_BACKWARD ? 1 : (unsigned)v[CHAINS] };
}

/* Returns the byte offset of the large set. The large set of nodes lies after the small set in
 * memory, so the large set can grow. */
static uint64_t far_offset(const int64_t *v)
{
	struct nodes nodes = far_shape(v);

	return is_mixed(v) ? round_up((uint64_t)v[NEAR], max_of(nodes_alignment(&nodes), PAGE)) : 0;
}

static struct nodes far_nodes(const struct kernel_run *run)
{
	struct nodes nodes = far_shape(run->v);

	nodes.memory = run->memory + far_offset(run->v);
	nodes.seed = run->seed;
	nodes.progress = run->work.progress;
	return nodes;
}

static struct nodes near_nodes(const struct kernel_run *run)
{
	return (struct nodes){ .memory = run->memory,
		.stride = LINE,
		.order = NODES_RANDOM,
		.cycles = 1,
		.seed = run->seed + 1 };
}

/* Returns the number of items (nodes or pairs of nodes) in the large set. Each chain has the same
 * number of items. */
static uint64_t far_count(const int64_t *v)
{
	struct nodes nodes = far_shape(v);

	return nodes_fit(&nodes, (uint64_t)v[SIZE]) / (uint64_t)v[CHAINS] * (uint64_t)v[CHAINS];
}

static uint64_t least_bytes(const int64_t *v)
{
	struct nodes nodes = far_shape(v);

	return nodes_bytes(&nodes, (uint64_t)v[CHAINS]);
}

static const struct knob_rule rules[] = {
	{ { CHAINS, 2, KERNEL_CHAINS }, { FAR, 100, 100 }, 100, 1,
		"a mix of near and far has one chain, so use far=100 with more chains" },
};

static struct status latency_check(const int64_t *v)
{
	if (far_count(v) == 0)
		return status_usage(
			"size=%lld is too small for stride=%lld, order=%s and chains=%lld: use "
			"%llu or more",
			(long long)v[SIZE], (long long)v[STRIDE], order_names[v[ORDER]],
			(long long)v[CHAINS], (unsigned long long)least_bytes(v));
	return status_ok();
}

static void latency_fit(int64_t *v, int changed)
{
	if (far_count(v) > 0)
		return;
	if (changed != SIZE) {
		v[SIZE] = (int64_t)least_bytes(v);
		return;
	}
	while (v[CHAINS] > 1 && far_count(v) == 0)
		v[CHAINS]--;
	while (v[STRIDE] > 16 && far_count(v) == 0)
		v[STRIDE] = max_of((uint64_t)v[STRIDE] / 2 / 16, 1) * 16;
}

static uint64_t latency_footprint(const int64_t *v)
{
	struct nodes nodes = far_shape(v);

	return far_offset(v) + nodes_bytes(&nodes, far_count(v));
}

/* The number that identifies the layout of the data does not include the offset of the large set of
 * nodes, because the offset follows from near, order and stride. */
static uint64_t latency_layout(const int64_t *v)
{
	unsigned cycles = far_shape(v).cycles;

	return (is_mixed(v) ? (uint64_t)v[NEAR] / LINE << 19 : 0) | (uint64_t)v[ORDER] << 17 |
	       (uint64_t)v[STRIDE] / 16 % 4096 << 5 | (cycles - 1);
}

/* Returns the number of distinct cache lines that hold nodes, per node. A line may hold several
 * nodes, or both nodes of a pair. */
static double lines_of(const int64_t *v)
{
	struct nodes nodes = far_shape(v);
	uint64_t item = nodes_item(&nodes);

	if (v[ORDER] == ORDER_PAIRS)
		return v[STRIDE] >= LINE ? 1 : item < LINE ? (double)item / LINE / 2 : 0.5;
	return item < LINE ? (double)item / LINE : 1;
}

/* Returns the number of cache lines that an access touches for the first time. In random order the
 * next node or pair lies in another line, even if a line holds several nodes. */
static double lines_anew(const int64_t *v)
{
	if (v[ORDER] == ORDER_PAIRS)
		return v[STRIDE] < LINE ? 0.5 : 1;
	return v[ORDER] == ORDER_RANDOM ? 1 : lines_of(v);
}

static void latency_describe(const int64_t *v, struct kernel_walk *walk)
{
	struct nodes nodes = far_shape(v);
	double far = is_mixed(v) ? (double)far_of(v) / MIX : 1;

	walk->access = "load";
	walk->scattered = v[ORDER] != ORDER_BACKWARD;
	walk->visits = v[ORDER] == ORDER_RANDOM && !is_mixed(v)
			       ? fmax((double)LINE / (double)v[STRIDE], 1)
			       : v[ORDER] == ORDER_PAIRS && v[STRIDE] >= LINE && !is_mixed(v);
	walk->lines = lines_anew(v) * far;
	walk->step = v[ORDER] == ORDER_BACKWARD && !is_mixed(v) ? (double)v[STRIDE] : 0;
	walk->spacing = v[ORDER] == ORDER_PAIRS || is_mixed(v) ? 0 : (double)v[STRIDE];
	walk->foreseen = walk->step > 0;
	/* If the distance between nodes is larger than a cache line, most lines of the working set
	 * are never touched. */
	walk->range = (double)(far_count(v) * nodes_each(&nodes)) * lines_of(v) * LINE;
	/* A prefetcher of adjacent lines also fetches the second node of a pair. Every second load,
	 * the load of the second node of a pair, then does not wait for memory. */
	walk->chains =
		(double)v[CHAINS] *
		(v[ORDER] == ORDER_PAIRS && v[STRIDE] >= LINE && v[STRIDE] < 2 * LINE ? 2 : 1);
	if (far_of(v) == 0) {
		walk->scattered = true;
		walk->lines = 1;
		walk->range = (double)v[NEAR];
	}
}

static struct status latency_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct nodes far = far_nodes(run), near = near_nodes(run);
	uint64_t offset = far_offset(v), item = nodes_item(&far), count = far_count(v);
	uint64_t have = run->layout.prepared > offset ? (run->layout.prepared - offset) / item : 0,
		 granule = MIX, pass;

	if (is_mixed(v) && run->layout.prepared < offset &&
		nodes_lay_out(&near, 0, (uint64_t)v[NEAR] / LINE, run->work.cancel) <
			(uint64_t)v[NEAR] / LINE)
		return status_make(STATUS_CANCELLED, "stopped while the small set was laid out");
	have = nodes_lay_out(&far, have, count, run->work.cancel);
	run->layout.laid_out = offset + have * item;
	pass = count * nodes_each(&far);
	if (is_mixed(v)) {
		run->code.start = (const void *)mixes[far_of(v)];
		run->code.name = "latency_mix";
		pass = far_of(v) ? pass * MIX / (uint64_t)far_of(v) : (uint64_t)v[NEAR] / LINE;
	} else {
		run->code.start = (const void *)chases[v[CHAINS] - 1];
		run->code.name = "latency_chase";
		granule = (uint64_t)(v[CHAINS] * STEPS(v[CHAINS]));
	}
	/* The nodes form a cycle, so a pass may end up to one iteration after its first node is
	 * reached again. */
	run->ring = round_up(pass, granule);
	run->granule = granule;
	run->bytes = sizeof(void *);
	kernel_rewind(run);
	if (have < count || (have > count && v[ORDER] != ORDER_BACKWARD))
		return status_make(STATUS_CANCELLED, "stopped while the data were prepared");
	return status_ok();
}

/* For single-stepping, reduces the set of `near` bytes to one node, because this set may be larger
 * than the reduced set of `size` bytes. */
static void latency_shrink(int64_t *v)
{
	v[NEAR] = LINE;
}

static void latency_call(struct kernel_run *run, uint64_t elements)
{
	((latency_loop *)run->code.start)(run->chain, elements / run->granule);
}

static void latency_begin_at(struct kernel_run *run, double share)
{
	struct nodes far = far_nodes(run), near = near_nodes(run);
	unsigned chains = (unsigned)run->v[CHAINS];

	for (unsigned i = 0; i < chains; i++)
		run->chain[i] = nodes_start(&far, far_count(run->v), i, chains, share);
	if (is_mixed(run->v))
		run->chain[1] = nodes_start(&near, (uint64_t)run->v[NEAR] / LINE, 0, 1, share);
}

/* ---- Checks */

enum { VERIFIED = 2048 };

/* Checks the pointers: following them must lead back to the first node after all nodes of the
 * cycle, and not earlier. In a long cycle, the check follows only some nodes, which must not
 * include the start again. After the check of the pointers, a call of the loop must end at the
 * nodes to which the pointers lead. The check starts at half of the nodes, because it loads nodes
 * into the caches, and trials begin at other nodes. */
static struct status latency_verify(struct kernel_run *run)
{
	const int64_t *v = run->v;
	struct nodes far = far_nodes(run);
	uint64_t chains = is_mixed(v) ? 2 : (uint64_t)v[CHAINS],
		 turns = max_of(VERIFIED / run->granule, 1);
	uint64_t far_steps = far_count(v) * nodes_each(&far) /
			     (v[ORDER] == ORDER_BACKWARD ? 1 : (uint64_t)v[CHAINS]);
	const struct node *ends[KERNEL_CHAINS];

	latency_begin_at(run, 0.5);
	for (uint64_t i = 0; i < chains; i++) {
		bool near = is_mixed(v) && i == 1;
		const unsigned char *low = near ? run->memory : far.memory;
		const unsigned char *high =
			near ? low + v[NEAR] : low + nodes_bytes(&far, far_count(v));
		uint64_t whole = near ? (uint64_t)v[NEAR] / LINE : far_steps, closed;
		uint64_t steps = turns * run->granule / chains, look;

		if (is_mixed(v))
			steps = turns * (uint64_t)(near ? MIX - far_of(v) : far_of(v));
		look = whole < VERIFIED ? whole : VERIFIED / chains;
		if (!nodes_follow(run->chain[i], look, low, high, &closed))
			return status_failed(
				"latency: a pointer of chain %llu leads out of its nodes",
				(unsigned long long)i);
		if (closed != (look == whole ? whole : 0))
			return status_failed(
				"latency: chain %llu closes after %llu nodes where it has %llu",
				(unsigned long long)i, (unsigned long long)closed,
				(unsigned long long)whole);
		ends[i] = nodes_follow(run->chain[i], steps, low, high, &closed);
	}
	latency_call(run, turns * run->granule);
	for (uint64_t i = 0; i < chains; i++)
		if (!ends[i] || run->chain[i] != (const void *)ends[i])
			return status_failed(
				"latency walked chain %llu to another node than its pointers say",
				(unsigned long long)i);
	return status_ok();
}

static const char *latency_remark(const int64_t *v)
{
	if (is_mixed(v))
		return "CPE is the mean over both sets; far percent of the accesses go to the "
		       "large one.";
	if (v[ORDER] == ORDER_BACKWARD)
		return "The prefetcher follows this order: beyond the caches CPE shows bandwidth. "
		       "Use order=random for the latency.";
	if (v[ORDER] == ORDER_PAIRS)
		return "Every other load hits the line that the previous load fetched, while "
		       "stride is below the line size.";
	if (v[STRIDE] % PAGE == 0)
		return "Nodes a multiple of 4096 bytes apart share few sets of each cache: "
		       "stride=4160 spreads them, one line per page.";
	if (v[CHAINS] > REGISTERS)
		return "More chains than registers: the loop keeps the other pointers in memory, "
		       "in the first cache.";
	return NULL;
}

const struct kernel kernel_latency = {
	.name = "latency",
	.title = "load latency of each cache and of memory",
	.look_for = "Each load waits for the previous one. Grow size: CPE is flat within each "
		    "cache and rises where the nodes outgrow it. order=backward, the classic "
		    "strided walk, shows bandwidth: the prefetcher fetches ahead. Raise chains: "
		    "that many misses overlap. stride=4096 puts all nodes into one set of the "
		    "first cache; stride=4160 spreads them.",
	.document = "Maxwell & Cameron, Optimizing Application Performance: A Case Study Using "
		    "LMBench (memory latency)",
	.answer = "curves",
	.element = "load",
	.hint = "+ on size, past each cache; then order=backward",
	.limit = "latency",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.check = latency_check,
	.fit = latency_fit,
	.footprint = latency_footprint,
	.layout = latency_layout,
	.seamless = true,
	.plot_cpe = true,
	.prepare = latency_prepare,
	.describe = latency_describe,
	.shrink = latency_shrink,
	.call = latency_call,
	.begin_at = latency_begin_at,
	.verify = latency_verify,
	.remark = latency_remark,
};
