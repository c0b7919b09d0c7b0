/* The kernel mispredict adds x for every outcome that is 1, with or without a branch. The knob
 * `random` sets how random the outcomes are.
 *
 * An outcome is one bit, so two million outcomes fit into a small cache. The kernel needs so many
 * outcomes because branch predictors can learn tens of thousands of outcomes. */
#include "kernels/ring.h"

enum { SIZE, RANDOM, PERIOD, FORM };
enum { FORM_BRANCH, FORM_CMOV };
/* The smallest number of rare outcomes (surprises) in one pass over the data that no branch
 * predictor can learn. If the data have fewer surprises, a predictor learns some of them, although
 * they are random. */
enum { BEYOND_LEARNING = 65536 };

static const char *const form_names[] = { "branch", "cmov", NULL };
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
	[FORM] = KNOB_ROW_CHOICE("form", "a branch around the addition, or a conditional move",
		form_names, .role = KNOB_FORM),
};

struct mispredict_walk {
	struct ring ring;
	const uint8_t *bits;
	uint64_t x, sum;
};

/* The instructions of the loops. LOAD loads the next byte. BRANCH and CMOV process the k-th outcome
 * of a byte. NEXT is the end of the loop. */
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
#define NEXT                     \
	"	cmp %[bits], %[end]\n" \
	"	b.ne 1b\n"
#endif

#define FORM(name, outcome)                                                             \
	KERNEL_LOOP static void name(struct mispredict_walk *walk)                      \
	{                                                                               \
		uint64_t turns, from, sum = 0;                                          \
                                                                                        \
		while ((turns = ring_piece(&walk->ring, &from))) {                      \
			const uint8_t *bits = walk->bits + from, *end = bits + turns;   \
			uint64_t byte, add;                                             \
                                                                                        \
			__asm__ volatile(".p2align 6\n"                                 \
					 "1:\n" LOAD ".irp k,0,1,2,3,4,5,6,7\n" outcome \
					 ".endr\n" NEXT                                 \
					 : [bits] "+r"(bits), [sum] "+r"(sum),          \
					 [byte] "=&" BYTE(byte), [add] "=&r"(add)       \
					 : [end] "r"(end), [x] "r"(walk->x)             \
					 : "memory", "cc");                             \
		}                                                                       \
		walk->sum = sum;                                                        \
	}

/* for (; bits != end; bits++)
 *     for (int k = 0; k < 8; k++)
 *         if (*bits & 1 << k)
 *         	sum += x; */
FORM(mispredict_branch, BRANCH)

/* for (; bits != end; bits++)
 *     for (int k = 0; k < 8; k++)
 *         sum += *bits & 1 << k ? x : 0; */
FORM(mispredict_cmov, CMOV)

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
	uint64_t surprises = (period < count ? period : count) * (uint64_t)v[RANDOM] / 200;

	walk->lines = 1 / 512.0;
	if (v[FORM] == FORM_BRANCH && surprises >= BEYOND_LEARNING)
		walk->mispredicts = (double)v[RANDOM] / 200;
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
	run->code.start =
		(const void *)(run->v[FORM] == FORM_BRANCH ? mispredict_branch : mispredict_cmov);
	run->code.name = run->v[FORM] == FORM_BRANCH ? "mispredict_branch" : "mispredict_cmov";
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
	.look_for = "The predictor guesses half of all random outcomes wrong, and a misprediction "
		    "costs about fifteen cycles. Lower random, or set a period that the predictor "
		    "can learn: the longest such period shows how much it remembers. form=cmov "
		    "costs the same for all outcomes.",
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
