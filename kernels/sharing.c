/* The kernel sharing shows false sharing. Each core adds 1 to a counter of its own, again and
 * again. No core reads another core's counter. But if two counters lie in one cache line, each core
 * needs the whole line for its stores, and the line moves from core to core. */
#include "kernels/knob_rows.h"

enum { PADDING, COUNTER, CORES };
enum { COUNTER_PLAIN, COUNTER_ATOMIC, COUNTER_LOCAL, COUNTERS };

/* Additions in one iteration of the loop, and iterations in one pass. */
enum { UNROLL = 4, PASS = 1024, LINE = 64 };

static const char *const counter_names[] = { "plain", "atomic", "local", NULL };

static const struct knob knobs[] = {
	[PADDING] = KNOB_ROW_BYTES("padding", "bytes from one core's counter to the next", 8,
		KERNEL_SHARED_EACH, 8, .multiple = 8, .factor = 2, .role = KNOB_FORM),
	[COUNTER] = KNOB_ROW_CHOICE("counter",
		"add in memory, add with a locked instruction, or sum in a register", counter_names,
		.role = KNOB_FORM),
	[CORES] = KNOB_ROW_COUNT("cores", "cores that count at once, each its own counter", 1,
		KNOB_MAX_CORES, 1, .asks = ASKS_CORES),
};

struct sharing_walk {
	uint64_t *counter, turns;
};

/* One addition to a counter, for each value of the knob counter; NEXT ends an iteration. */
#if defined(__x86_64__)
#define ADD_PLAIN  "	addq	$1, (%[counter])\n"
#define ADD_ATOMIC "	movl	$1, %k[x]\n	lock xaddq	%[x], (%[counter])\n"
#define ADD_LOCAL  "	addq	$1, %[sum]\n"
#define NEXT	   "	subq	$1, %[turns]\n	jne	1b\n"
#else
#define ADD_PLAIN                                                  \
	"	ldr	%[x], [%[counter]]\n	add	%[x], %[x], 1\n	str	%[x], " \
	"[%[counter]]\n"
#define ADD_ATOMIC                                          \
	"2:	ldaxr	%[x], [%[counter]]\n	add	%[x], %[x], 1\n" \
	"	stlxr	%w[failed], %[x], [%[counter]]\n	cbnz	%w[failed], 2b\n"
#define ADD_LOCAL "	add	%[sum], %[sum], 1\n"
#define NEXT	  "	subs	%[turns], %[turns], 1\n	b.ne	1b\n"
#endif

/* A loop of UNROLL additions. */
#define COUNT(add)                                                                           \
	uint64_t turns = walk->turns, sum = 0, x = 0, failed = 0;                            \
                                                                                             \
	__asm__ volatile(                                                                    \
		"	.p2align 6\n1:\n" add add add add NEXT                               \
		: [turns] "+r"(turns), [sum] "+r"(sum), [x] "+&r"(x), [failed] "+&r"(failed) \
		: [counter] "r"(walk->counter)                                               \
		: "cc", "memory");                                                           \
	walk->turns = sum

KERNEL_LOOP static void sharing_plain(struct sharing_walk *walk)
{
	/* while (turns--) four times: *counter += 1; */
	COUNT(ADD_PLAIN);
}

KERNEL_LOOP static void sharing_atomic(struct sharing_walk *walk)
{
	/* while (turns--) four times: atomic_fetch_add(counter, 1); */
	COUNT(ADD_ATOMIC);
}

KERNEL_LOOP static void sharing_local(struct sharing_walk *walk)
{
	/* while (turns--) four times: sum += 1; and after the loop: *counter += sum; */
	COUNT(ADD_LOCAL);
}

typedef void sharing_loop(struct sharing_walk *walk);

static const struct {
	sharing_loop *loop;
	const char *name;
} loops[COUNTERS] = {
	[COUNTER_PLAIN] = { sharing_plain, "sharing_plain" },
	[COUNTER_ATOMIC] = { sharing_atomic, "sharing_atomic" },
	[COUNTER_LOCAL] = { sharing_local, "sharing_local" },
};

static uint64_t sharing_footprint(const int64_t *v)
{
	(void)v;
	return 4096;
}

static struct status sharing_prepare(struct kernel_run *run)
{
	int64_t counter = run->v[COUNTER];

	run->granule = UNROLL;
	run->ring = UNROLL * PASS;
	run->bytes = counter == COUNTER_LOCAL ? 8 : 16;
	run->code.start = (const void *)loops[counter].loop;
	run->code.name = loops[counter].name;
#if !defined(__x86_64__)
	if (counter == COUNTER_ATOMIC)
		run->code.unread = "each addition is a loop of its own, which repeats until no "
				   "other core has changed the line";
#endif
	return status_ok();
}

/* Returns the counter of this core. A core alone uses its own memory. */
static uint64_t *counter_of(const struct kernel_run *run)
{
	unsigned char *at = run->memory;

	if (run->shared)
		at = run->shared + run->member * (uint64_t)run->v[PADDING];
	return (uint64_t *)(void *)at;
}

static void sharing_call(struct kernel_run *run, uint64_t elements)
{
	struct sharing_walk walk = { .counter = counter_of(run), .turns = elements / UNROLL };

	((sharing_loop *)run->code.start)(&walk);
	*walk.counter += walk.turns;
	run->result = *walk.counter;
}

/* Checks the additions in this core's own memory, so that the check does not depend on other cores.
 */
static struct status sharing_verify(struct kernel_run *run)
{
	unsigned char *shared = run->shared;
	uint64_t before, elements = UNROLL * PASS;

	run->shared = NULL;
	before = *counter_of(run);
	sharing_call(run, elements);
	run->shared = shared;
	return run->result - before == elements
		       ? status_ok()
		       : status_failed("sharing counted %llu additions, not %llu",
				 (unsigned long long)(run->result - before),
				 (unsigned long long)elements);
}

/* With counter=local, a core writes to its line once a pass, so the line hardly moves. */
static bool sharing_shares_line(const int64_t *v)
{
	return v[CORES] > 1 && v[PADDING] < LINE && v[COUNTER] != COUNTER_LOCAL;
}

static const char *sharing_remark(const int64_t *v)
{
	if (v[CORES] == 1)
		return "One core keeps its line: padding changes nothing. Raise cores to 2.";
	if (sharing_shares_line(v))
		return "Several counters lie in one cache line, and the line moves from core to "
		       "core, although no core reads another core's counter.";
	return NULL;
}

const struct kernel kernel_sharing = {
	.name = "sharing",
	.title = "false sharing: counters of several cores in one cache line",
	.look_for = "Raise cores to 2: each core adds to its own counter, but both counters lie in "
		    "one cache line, which moves from core to core. Raise padding to 64: each "
		    "counter has its own line, and an addition takes as long as on one core. Some "
		    "processors fetch pairs of lines, so that 128 is better still. With "
		    "counter=local, each core sums in a register, and padding does not matter.",
	.document = "Bolosky and Scott, False Sharing and its Effect on Shared Memory Performance",
	.element = "addition",
	.hint = "Down to cores, then +; then grow padding",
	.answer = "curves",
	KERNEL_KNOBS(knobs),
	.footprint = sharing_footprint,
	.seamless = true,
	.prepare = sharing_prepare,
	.call = sharing_call,
	.verify = sharing_verify,
	.shares_line = sharing_shares_line,
	.remark = sharing_remark,
	.plot_cpe = true,
};
