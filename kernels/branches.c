/* The kernel branches is a loop of branches that always go the same way, so the core predicts every
 * branch. The limit is the number of branches that the front end can follow. The closing branch of
 * the loop counts, too.
 *
 * A taken branch jumps over a gap to the next branch. After a branch that is not taken, the gap
 * contains nops, and the core executes these nops. */
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

enum { WAY, COUNT, SPACING };
enum { WAY_JUMP, WAY_TAKEN, WAY_UNTAKEN, WAY_MIXED, WAYS };
enum { COUNTS = 12, SPACINGS = 5 };

static const char *const way_names[] = { "jump", "taken", "untaken", "mixed", NULL };
static const int counts[COUNTS] = { 1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 256 };
static const char *const count_names[] = { "1", "2", "3", "4", "6", "8", "12", "16", "32", "64",
	"128", "256", NULL };
static const char *const spacing_names[] = { "4", "8", "16", "32", "64", NULL };

static const struct knob knobs[] = {
	[WAY] = KNOB_ROW_CHOICE("way", "jumps, or branches: all taken, none, or every other one",
		way_names, .initial = WAY_TAKEN),
	[COUNT] = KNOB_ROW_CHOICE("count", "branches in an iteration, including the loop's own",
		count_names, .initial = 7, .role = KNOB_FORM),
	[SPACING] = KNOB_ROW_CHOICE("spacing", "bytes from one branch to the next", spacing_names,
		.initial = 2, .role = KNOB_FORM),
};

/* The macro BEGIN sets the processor's flags to "not zero". The countdown at the end of the loop
 * also sets the flags to "not zero". */
#if defined(__x86_64__)
#define BEGIN                         \
	"	testq %[turns], %[turns]\n" \
	".p2align 6\n"                \
	"1:\n"
#define JUMP	"	jmp 2f\n"
#define TAKEN	"	jnz 2f\n"
#define UNTAKEN "	jz 2f\n"
#define END                    \
	"	subq $1, %[turns]\n" \
	"	jnz 1b\n"
#else
#define BEGIN                 \
	"	cmp %[turns], #0\n" \
	".p2align 6\n"        \
	"1:\n"
#define JUMP	"	b 2f\n"
#define TAKEN	"	b.ne 2f\n"
#define UNTAKEN "	b.eq 2f\n"
#define END                              \
	"	subs %[turns], %[turns], #1\n" \
	"	b.ne 1b\n"
#endif
#define GAP                  \
	".p2align %c[gap]\n" \
	"2:\n"

#define BODY(name, text)                                                          \
	KERNEL_BODY uint64_t name(uint64_t turns, const int count, const int gap) \
	{                                                                         \
		__asm__ volatile(BEGIN text END                                   \
				 : [turns] "+r"(turns)                            \
				 : [count] "i"(count), [gap] "i"(gap)             \
				 : "cc");                                         \
		return turns;                                                     \
	}

/* do {
 *     goto next; next:      count - 1 times
 * } while (--turns); */
BODY(branches_jump, ".rept %c[count]-1\n" JUMP GAP ".endr\n")

/* do {
 *     if (true) goto next; next:      count - 1 times
 * } while (--turns); */
BODY(branches_taken, ".rept %c[count]-1\n" TAKEN GAP ".endr\n")

/* do {
 *     if (false) goto next; next:      count - 1 times
 * } while (--turns); */
BODY(branches_untaken, ".rept %c[count]-1\n" UNTAKEN GAP ".endr\n")

/* do {
 *     if (false) goto next; next:
 *     if (true) goto next; next:      count - 1 of both together
 * } while (--turns); */
BODY(branches_mixed, ".rept (%c[count]-1)/2\n" UNTAKEN GAP TAKEN GAP ".endr\n"
		     ".rept (%c[count]-1)%%2\n" UNTAKEN GAP ".endr\n")

/* clang-format off */
/* gap: the binary logarithm of the distance between two branches in bytes. */
#define LOOP(way, count, gap) \
	KERNEL_LOOP static uint64_t way##_##count##_##gap(uint64_t turns) { return way(turns, count, gap); }
#define LOOP_GAPS(way, count) \
	LOOP(way, count, 2) LOOP(way, count, 3) LOOP(way, count, 4) LOOP(way, count, 5) LOOP(way, count, 6)
#define LOOPS(way) \
	LOOP_GAPS(way, 1) LOOP_GAPS(way, 2) LOOP_GAPS(way, 3) LOOP_GAPS(way, 4) LOOP_GAPS(way, 6) LOOP_GAPS(way, 8) \
	LOOP_GAPS(way, 12) LOOP_GAPS(way, 16) LOOP_GAPS(way, 32) LOOP_GAPS(way, 64) LOOP_GAPS(way, 128) LOOP_GAPS(way, 256)

LOOPS(branches_jump)
LOOPS(branches_taken)
LOOPS(branches_untaken)
LOOPS(branches_mixed)

#define NAMES_GAPS(way, count) \
	{ way##_##count##_2, way##_##count##_3, way##_##count##_4, way##_##count##_5, way##_##count##_6 }
#define NAMES(way) { \
	NAMES_GAPS(way, 1), NAMES_GAPS(way, 2), NAMES_GAPS(way, 3), NAMES_GAPS(way, 4), NAMES_GAPS(way, 6), \
	NAMES_GAPS(way, 8), NAMES_GAPS(way, 12), NAMES_GAPS(way, 16), NAMES_GAPS(way, 32), NAMES_GAPS(way, 64), \
	NAMES_GAPS(way, 128), NAMES_GAPS(way, 256) }

static const struct {
	kernel_countdown *loop[COUNTS][SPACINGS];
	const char *function;
} ways[WAYS] = {
	{ NAMES(branches_jump), "branches_jump" }, { NAMES(branches_taken), "branches_taken" },
	{ NAMES(branches_untaken), "branches_untaken" }, { NAMES(branches_mixed), "branches_mixed" },
};
/* clang-format on */

static struct status branches_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;

	run->granule = (uint64_t)counts[v[COUNT]];
	run->ring = run->granule * 1024;
	run->code.start = (const void *)ways[v[WAY]].loop[v[COUNT]][v[SPACING]];
	run->code.name = ways[v[WAY]].function;
	return status_ok();
}

const struct kernel kernel_branches = {
	.name = "branches",
	.title = "branches one after another",
	.look_for =
		"A taken branch ends the fetch of that cycle: one per two cycles on older cores "
		"unless the loop is tiny, one or two per cycle on newer cores. Set way=untaken: "
		"the branches use only their slots and ports. Lower spacing: predictors hold few "
		"branches per line, and then each branch costs several cycles.",
	.document = "Downs, Performance Speed Limits, Taken Branches",
	.element = "branch",
	.hint = "Down to spacing, then -: dense jumps; then way=untaken",
	.limit = "taken-branches",
	KERNEL_KNOBS(knobs),
	.layout_nests = true,
	.seamless = true,
	.stepped = true,
	.prepare = branches_prepare,
	.call = countdown_call,
	.expected = countdown_expected,
};
