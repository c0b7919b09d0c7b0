/* The kernel atomic shows the cost of atomic operations on memory: alone, and while other cores use
 * the same line. It compares operations that need no lock with a lock. */
#include "kernels/knob_rows.h"

enum { OP, LINES, CORES };
enum { OP_ADD, OP_CAS, OP_EXCHANGE, OP_LOCK, OPS };
enum { LINES_ONE, LINES_OWN };

static const char *const op_names[] = { "add", "cas", "exchange", "lock", NULL };
static const char *const lines_names[] = { "one", "own", NULL };

static const struct knob knobs[] = {
	[OP] = KNOB_ROW_CHOICE("op", "add, compare and swap, exchange, or add under a lock",
		op_names, .role = KNOB_DATA),
	[LINES] = KNOB_ROW_CHOICE(
		"lines", "all cores use one cache line, or each its own", lines_names),
	[CORES] = KNOB_ROW_COUNT("cores", "cores that do the operation at once", 1, KNOB_MAX_CORES,
		1, .asks = ASKS_CORES),
};

/* Iterations in one pass. */
enum { PASS = 1024 };

/* The words in a line. The lock and the value that it protects share a line, as in most programs.
 */
struct atomic_words {
	uint64_t value, lock;
};

struct atomic_walk {
	struct atomic_words *words;
	uint64_t turns, last;
};

#if defined(__x86_64__)

/* One iteration does one operation. In atomic_cas, an iteration whose exchange fails continues with
 * the value that it found, and does not count: `done` is 1 only after a success, and is subtracted
 * from the turns. */
KERNEL_LOOP static void atomic_add(struct atomic_walk *walk)
{
	uint64_t turns = walk->turns, x;

	__asm__ volatile("	.p2align 6\n"
			 "1:	movl	$1, %k[x]\n"
			 "	lock xaddq	%[x], (%[words])\n"
			 "	subq	$1, %[turns]\n"
			 "	jne	1b\n"
			 : [turns] "+r"(turns), [x] "=&r"(x)
			 : [words] "r"(walk->words)
			 : "cc", "memory");
	walk->last = x;
}

KERNEL_LOOP static void atomic_cas(struct atomic_walk *walk)
{
	uint64_t turns = walk->turns, seen = walk->words->value, next, done = 0;

	__asm__ volatile(
		"	.p2align 6\n"
		"1:	leaq	1(%[seen]), %[next]\n"
		"	lock cmpxchgq	%[next], (%[words])\n"
		"	cmoveq	%[next], %[seen]\n"
		"	sete	%b[done]\n"
		"	subq	%[done], %[turns]\n"
		"	jne	1b\n"
		: [turns] "+r"(turns), [seen] "+a"(seen), [next] "=&r"(next), [done] "+r"(done)
		: [words] "r"(walk->words)
		: "cc", "memory");
	walk->last = seen;
}

KERNEL_LOOP static void atomic_exchange_words(struct atomic_walk *walk)
{
	uint64_t turns = walk->turns, x = walk->last;

	__asm__ volatile("	.p2align 6\n"
			 "1:	xchgq	%[x], (%[words])\n"
			 "	subq	$1, %[turns]\n"
			 "	jne	1b\n"
			 : [turns] "+r"(turns), [x] "+r"(x)
			 : [words] "r"(walk->words)
			 : "cc", "memory");
	walk->last = x;
}

#define UNREAD_ALL NULL

static inline void rest(void)
{
	__builtin_ia32_pause();
}

#else

KERNEL_LOOP static void atomic_add(struct atomic_walk *walk)
{
	for (uint64_t i = 0; i < walk->turns; i++)
		walk->last = __atomic_fetch_add(&walk->words->value, 1, __ATOMIC_SEQ_CST);
}

KERNEL_LOOP static void atomic_cas(struct atomic_walk *walk)
{
	uint64_t seen = walk->words->value;

	for (uint64_t i = 0; i < walk->turns; i++)
		while (!__atomic_compare_exchange_n(&walk->words->value, &seen, seen + 1, false,
			__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
	walk->last = seen;
}

KERNEL_LOOP static void atomic_exchange_words(struct atomic_walk *walk)
{
	for (uint64_t i = 0; i < walk->turns; i++)
		walk->last = __atomic_exchange_n(&walk->words->value, walk->last, __ATOMIC_SEQ_CST);
}

#define UNREAD_ALL                                                                                 \
	"the processor's own atomic instructions, or a loop that repeats until no other core has " \
	"changed the line, are chosen when the program runs"

static inline void rest(void)
{
	__asm__ volatile("yield");
}

#endif

/* A core that finds the lock taken only reads the lock until it is free, so that the line stays
 * with the core that has the lock. */
KERNEL_LOOP static void atomic_lock(struct atomic_walk *walk)
{
	struct atomic_words *words = walk->words;

	for (uint64_t i = 0; i < walk->turns; i++) {
		while (__atomic_exchange_n(&words->lock, 1, __ATOMIC_ACQUIRE))
			while (__atomic_load_n(&words->lock, __ATOMIC_RELAXED))
				rest();
		walk->last = words->value;
		words->value = walk->last + 1;
		__atomic_store_n(&words->lock, 0, __ATOMIC_RELEASE);
	}
}

typedef void atomic_loop(struct atomic_walk *walk);

static const struct {
	atomic_loop *loop;
	const char *name, *unread;
} loops[OPS] = {
	[OP_ADD] = { atomic_add, "atomic_add", UNREAD_ALL },
	[OP_CAS] = { atomic_cas, "atomic_cas", UNREAD_ALL },
	[OP_EXCHANGE] = { atomic_exchange_words, "atomic_exchange_words", UNREAD_ALL },
	[OP_LOCK] = { atomic_lock, "atomic_lock",
		"the innermost loop only waits for the lock: limits are those of the waiting "
		"core" },
};

static uint64_t atomic_footprint(const int64_t *v)
{
	(void)v;
	return 4096;
}

static struct status atomic_prepare(struct kernel_run *run)
{
	int64_t op = run->v[OP];

	*(struct atomic_words *)(void *)run->memory = (struct atomic_words){ 0 };
	run->granule = 1;
	run->ring = PASS;
	run->bytes = 16;
	run->code.start = (const void *)loops[op].loop;
	run->code.name = loops[op].name;
	run->code.unread = loops[op].unread;
	return status_ok();
}

static struct atomic_words *words_of_run(const struct kernel_run *run)
{
	unsigned char *memory = run->shared ? run->shared : run->memory;

	if (run->shared && run->v[LINES] == LINES_OWN)
		memory += run->member * (uint64_t)KERNEL_SHARED_EACH;
	return (struct atomic_words *)(void *)memory;
}

static void atomic_call(struct kernel_run *run, uint64_t elements)
{
	struct atomic_walk walk = {
		.words = words_of_run(run), .turns = elements, .last = run->member + 1
	};

	((atomic_loop *)run->code.start)(&walk);
	run->result = walk.last;
}

/* Checks the operations in this core's own memory, where no other core works. */
static struct status atomic_verify(struct kernel_run *run)
{
	struct atomic_words *words = (struct atomic_words *)(void *)run->memory;
	unsigned char *shared = run->shared;
	bool exchange = run->v[OP] == OP_EXCHANGE, right;
	uint64_t left;

	run->shared = NULL;
	*words = (struct atomic_words){ .value = 40 };
	/* An odd number of exchanges swaps the value in memory and walk.last. */
	atomic_call(run, 101);
	left = words->value;
	right = words->lock == 0 &&
		(exchange ? left == run->member + 1 && run->result == 40 : left == 141);
	*words = (struct atomic_words){ 0 };
	run->shared = shared;
	return right ? status_ok()
		     : status_failed("op=%s left %llu in memory", op_names[run->v[OP]],
			       (unsigned long long)left);
}

static bool atomic_shares_line(const int64_t *v)
{
	return v[CORES] > 1 && v[LINES] == LINES_ONE;
}

static const char *atomic_remark(const int64_t *v)
{
	if (atomic_shares_line(v))
		return v[OP] == OP_LOCK ? "The lock's line moves from core to core, and cores also "
					  "wait while another core has the lock."
					: "The line moves from core to core with every few "
					  "operations.";
	return NULL;
}

const struct kernel kernel_atomic = {
	.name = "atomic",
	.title = "atomic operations, on one core and on several",
	.look_for =
		"On one core, an atomic operation waits until all earlier stores are visible: "
		"compare op=add with the latency of a plain addition in memory. Raise cores: "
		"all cores use one line, which moves from core to core, so more cores do no "
		"more work. With lines=own, more cores do more work. op=lock needs an exchange and "
		"two stores for an addition, and waits while another core has the lock.",
	.document = "Schweizer, Besta and Hoefler, Evaluating the Cost of Atomic Operations on "
		    "Modern Architectures",
	.element = "operation",
	.hint = "Down to cores, then +; then op",
	.answer = "curves",
	KERNEL_KNOBS(knobs),
	.footprint = atomic_footprint,
	.seamless = true,
	.prepare = atomic_prepare,
	.call = atomic_call,
	.verify = atomic_verify,
	.shares_line = atomic_shares_line,
	.remark = atomic_remark,
	.plot_cpe = true,
};
