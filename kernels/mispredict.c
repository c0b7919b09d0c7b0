/* The kernel mispredict adds x for every outcome that is 1: by a branch for each outcome, without a
 * branch, or by one indirect jump for four outcomes. The knob `random` sets how random the outcomes
 * are.
 *
 * An outcome is one bit, so two million outcomes fit into a small cache. The kernel needs so many
 * outcomes because branch predictors can learn tens of thousands of outcomes. */
#include "kernels/ring.h"

enum { SIZE, RANDOM, PERIOD, FORM };
enum { FORM_BRANCH, FORM_CMOV, FORM_JUMP, FORMS };
static const char *const form_names[] = { "branch", "cmov", "jump", NULL };
/* The choices of the knob `period`: "none", then 1 << index of the choice. */
static const char *const period_names[] = { "none", "2", "4", "8", "16", "32", "64", "128", "256",
	"512", "1024", "2048", "4096", "8192", "16384", "32768", "65536", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size", "bytes of outcomes, eight per byte", 64, KNOB_MAX_MEMORY,
		262144, .axis = AXIS_SIZE, .factor = 2),
	[RANDOM] = KNOB_ROW_COUNT("random", "percent of outcomes that are random; the others are 1",
		0, 100, 100, .multiple = 5),
	[PERIOD] = KNOB_ROW_CHOICE(
		"period", "outcomes after which the sequence repeats", period_names),
	[FORM] = KNOB_ROW_CHOICE("form",
		"a branch, a conditional move, or one indirect jump for four outcomes", form_names,
		.role = KNOB_FORM),
};

struct mispredict_walk {
	struct ring ring;
	const uint8_t *bits;
	uint64_t x, sum;
};

/* The instructions of the loops. LOAD loads the next byte. BRANCH and CMOV process the k-th outcome
 * of a byte. TARGET computes the target for the four outcomes from the k-th on, and jumps there.
 * JUMP has 16 targets, one for each value of four outcomes, 32 bytes apart. A target has
 * one addition for each outcome that is 1. The macro NEXT is the code at the end of the loop. */
#if defined(__x86_64__)
#define BYTE "q" /* a register with a name for its lowest byte */
#define LOAD "	movzbl (%[bits]), %k[byte]\n"
#define BRANCH                       \
	"	testb $1<<\\k, %b[byte]\n" \
	"	jz 2f\n"                   \
	"	addq %[x], %[sum]\n"       \
	"2:\n"
#define CMOV                         \
	"	xorl %k[add], %k[add]\n"   \
	"	testb $1<<\\k, %b[byte]\n" \
	"	cmovnzq %[x], %[add]\n"    \
	"	addq %[add], %[sum]\n"
#define TARGET                          \
	"	movl %k[byte], %k[add]\n"     \
	"	shrl $\\k, %k[add]\n"         \
	"	andl $15, %k[add]\n"          \
	"	shll $5, %k[add]\n"           \
	"	leaq 2f(%%rip), %q[target]\n" \
	"	addq %q[add], %q[target]\n"   \
	"	jmp *%q[target]\n"
#define ADD  "	addq %[x], %[sum]\n"
#define AWAY "	jmp 3f\n"
#define NEXT                      \
	"	addq $1, %[bits]\n"     \
	"	cmpq %[bits], %[end]\n" \
	"	jne 1b\n"
#else
#define BYTE "r"
#define LOAD "	ldrb %w[byte], [%[bits]], #1\n"
#define BRANCH                        \
	"	tbz %w[byte], #\\k, 2f\n"   \
	"	add %[sum], %[sum], %[x]\n" \
	"2:\n"
#define CMOV                            \
	"	tst %w[byte], #1<<\\k\n"      \
	"	csel %[add], %[x], xzr, ne\n" \
	"	add %[sum], %[sum], %[add]\n"
#define TARGET                                        \
	"	ubfx %w[add], %w[byte], #\\k, #4\n"         \
	"	adr %[target], 2f\n"                        \
	"	add %[target], %[target], %[add], lsl #5\n" \
	"	br %[target]\n"
#define ADD  "	add %[sum], %[sum], %[x]\n"
#define AWAY "	b 3f\n"
#define NEXT                     \
	"	cmp %[bits], %[end]\n" \
	"	b.ne 1b\n"
#endif

#define JUMP                                                                                   \
	TARGET ".p2align 5\n"                                                                  \
	       "2:\n"                                                                          \
	       ".irp v,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"                                \
	       ".p2align 5\n"                                                                  \
	       ".rept (\\v&1)+(\\v>>1&1)+(\\v>>2&1)+(\\v>>3&1)\n" ADD ".endr\n" AWAY ".endr\n" \
	       "3:\n"

#define FORM(name, at, outcome)                                                               \
	KERNEL_LOOP static void name(struct mispredict_walk *walk)                            \
	{                                                                                     \
		uint64_t turns, from, sum = 0;                                                \
                                                                                              \
		while ((turns = ring_piece(&walk->ring, &from))) {                            \
			const uint8_t *bits = walk->bits + from, *end = bits + turns;         \
			uint64_t byte, add, target;                                           \
                                                                                              \
			__asm__ volatile(                                                     \
				".p2align 6\n"                                                \
				"1:\n" LOAD ".irp k," at "\n" outcome ".endr\n" NEXT          \
				: [bits] "+r"(bits), [sum] "+r"(sum), [byte] "=&" BYTE(byte), \
				[add] "=&r"(add), [target] "=&r"(target)                      \
				: [end] "r"(end), [x] "r"(walk->x)                            \
				: "memory", "cc");                                            \
		}                                                                             \
		walk->sum = sum;                                                              \
	}

/* for (; bits != end; bits++)
 *     for (int k = 0; k < 8; k++)
 *         if (*bits & 1 << k)
 *         	sum += x; */
FORM(mispredict_branch, "0,1,2,3,4,5,6,7", BRANCH)

/* for (; bits != end; bits++)
 *     for (int k = 0; k < 8; k++)
 *         sum += *bits & 1 << k ? x : 0; */
FORM(mispredict_cmov, "0,1,2,3,4,5,6,7", CMOV)

/* for (; bits != end; bits++)
 *     for (int k = 0; k < 8; k += 4)
 *         switch (*bits >> k & 15) {
 *         case 0: break;
 *         case 1: sum += x; break;
 *         …
 *         case 15: sum += x, sum += x, sum += x, sum += x;
 *         } */
FORM(mispredict_jump, "0,4", JUMP)

static const struct {
	void (*loop)(struct mispredict_walk *walk);
	const char *name;
} forms[FORMS] = {
	[FORM_BRANCH] = { mispredict_branch, "mispredict_branch" },
	[FORM_CMOV] = { mispredict_cmov, "mispredict_cmov" },
	[FORM_JUMP] = { mispredict_jump, "mispredict_jump" },
};

static uint64_t mispredict_layout(const int64_t *v)
{
	return (uint64_t)(v[RANDOM] * 32 + v[PERIOD]);
}

static unsigned outcome_of(const struct kernel_run *run, uint64_t index)
{
	uint64_t period = (uint64_t)1 << run->v[PERIOD];
	struct random random = { run->seed + (run->v[PERIOD] ? index % period : index) };

	if (random_below(&random, 100) >= (uint64_t)run->v[RANDOM])
		return 1;
	return (unsigned)(random_next(&random) >> 63);
}

static void mispredict_describe(const int64_t *v, struct kernel_walk *walk)
{
	uint64_t count = (uint64_t)v[SIZE] * 8,
		 period = v[PERIOD] ? (uint64_t)1 << v[PERIOD] : count;
	double likely = 1 - (double)v[RANDOM] / 200,
	       same = likely * likely + (1 - likely) * (1 - likely);

	walk->lines = 1 / 512.0;
	if (v[FORM] == FORM_CMOV)
		return;
	/* A jump goes to the target of the jump before it if the four outcomes are the same; such
	 * targets are predicted. */
	walk->jumps = v[FORM] == FORM_JUMP;
	walk->mispredicts =
		walk->jumps ? (1 - same * same * same * same) / 4 : kernel_mispredicted(likely);
	walk->repeated = (double)(period < count ? period : count) * walk->mispredicts;
}

static void put(struct kernel_run *run, uint64_t i)
{
	unsigned byte = 0;

	for (unsigned k = 0; k < 8; k++)
		byte |= outcome_of(run, i * 8 + k) << k;
	run->memory[i] = (uint8_t)byte;
}

static struct status mispredict_prepare(struct kernel_run *run)
{
	uint64_t size = (uint64_t)run->v[SIZE];

	run->granule = 8;
	run->ring = size * 8;
	run->bytes =
		0; /* an element is an eighth of a byte, which is not a whole number of bytes */
	run->code.start = (const void *)forms[run->v[FORM]].loop;
	run->code.name = forms[run->v[FORM]].name;
	return ring_lay_out(run, size, 1, put);
}

static void mispredict_call(struct kernel_run *run, uint64_t elements)
{
	struct mispredict_walk walk = { .bits = run->memory, .x = 3 };

	RING_WALK(run, elements, &walk);
	run->result = walk.sum;
}

static uint64_t mispredict_expected(const struct kernel_run *run, uint64_t elements)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < elements; i++)
		sum += 3 * outcome_of(run, i % run->ring);
	return sum;
}

const struct kernel kernel_mispredict = {
	.name = "mispredict",
	.title = "a branch that depends on data",
	.look_for = "Half of all random outcomes are mispredicted, at about fifteen cycles each. "
		    "Lower random, or find the longest period that the predictor learns. form=cmov "
		    "costs the same for all outcomes. form=jump makes one indirect jump of four "
		    "branches: half the mispredictions.",
	.document = "Downs, Performance Speed Limits, Branches in Flight (its remedies are those "
		    "against mispredictions)",
	.element = "outcome",
	.hint = "Down to form, then +: the same sum without a branch",
	.limit = "misprediction",
	KERNEL_KNOBS(knobs),
	.layout = mispredict_layout,
	.layout_nests = true,
	.stepped = true,
	.prepare = mispredict_prepare,
	.describe = mispredict_describe,
	.call = mispredict_call,
	.expected = mispredict_expected,
};
