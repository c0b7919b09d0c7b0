/* The kernel alignment is a loop of nops. The core only fetches, decodes and retires nops. Three
 * properties of the loop decide its speed: its start address, the length of its instructions, and
 * the number of its instructions.
 *
 * To limit the size of the program, the build contains only some combinations: any start for short
 * loops, any length for medium loops, and any number of instructions for two lengths. */
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"

enum { OFFSET, LENGTH, COUNT };
/* COUNTS: number of choices of the knob `count`, which are 4 << 0 … 4 << 12. */
enum { COUNTS = 13, LENGTHS = 15, LINE = 64, COUNTS_ANY_OFFSET = 4, COUNTS_ANY_LENGTH = 7 };

static const char *const count_names[] = { "4", "8", "16", "32", "64", "128", "256", "512", "1024",
	"2048", "4096", "8192", "16384", NULL };
_Static_assert(sizeof(count_names) / sizeof(*count_names) == COUNTS + 1, "a name for each count");

static const struct knob knobs[] = {
	[OFFSET] =
		KNOB_ROW_COUNT("offset", "bytes from the start of a line to the start of the loop",
			0, LINE - 1, 0, .role = KNOB_FORM),
	[LENGTH] = KNOB_ROW_COUNT(
		"length", "bytes of each instruction", 1, LENGTHS, 4, .role = KNOB_FORM),
	[COUNT] = KNOB_ROW_CHOICE("count",
		"nops in an iteration, next to the loop's own two instructions", count_names,
		.initial = 2, .role = KNOB_FORM),
};

/* do {
 *     nop;      count times
 * } while (--turns); */
KERNEL_BODY uint64_t alignment_loop(
	uint64_t turns, const int offset, const int length, const int count)
{
#if defined(__x86_64__)
	/* The encodings of nops of 1, 2, … bytes: 90 · 66 90 · 0f 1f 00 · 0f 1f 40 + 1 byte · 0f 1f
	 * 44 + 2 bytes · 66 and the 5-byte nop · 0f 1f 80 + 4 bytes · 0f 1f 84 + 5 bytes · one to
	 * seven prefixes 66 and the 8-byte nop. Manuals recommend the encodings of up to nine
	 * bytes. */
	const int longest = length >= 8,
		  prefixes = longest ? length - 8 : length == 2 || length == 6;
	const int operand = longest	  ? 0x84
			    : length == 7 ? 0x80
			    : length >= 5 ? 0x44
			    : length == 4 ? 0x40
					  : 0x00;
	const int rest = longest ? 5 : length == 7 ? 4 : length >= 5 ? 2 : length == 4;

	__asm__ volatile(".p2align 6\n"
			 ".rept %c[offset]\n"
			 "	nop\n"
			 ".endr\n"
			 "1:\n"
			 ".rept %c[count]\n"
			 ".rept %c[prefixes]\n"
			 "	.byte 0x66\n"
			 ".endr\n"
			 ".if %c[length] <= 2\n"
			 "	.byte 0x90\n"
			 ".else\n"
			 "	.byte 0x0f, 0x1f, %c[operand]\n"
			 ".rept %c[rest]\n"
			 "	.byte 0\n"
			 ".endr\n"
			 ".endif\n"
			 ".endr\n"
			 "	subq $1, %[turns]\n"
			 "	jnz 1b\n"
			 : [turns] "+r"(turns)
			 : [offset] "i"(offset), [count] "i"(count), [length] "i"(length),
			 [prefixes] "i"(prefixes), [operand] "i"(operand), [rest] "i"(rest)
			 : "cc");
#else
	(void)length;
	__asm__ volatile(".p2align 6\n"
			 ".rept %c[offset]/4\n"
			 "	nop\n"
			 ".endr\n"
			 "1:\n"
			 ".rept %c[count]\n"
			 "	nop\n"
			 ".endr\n"
			 "	subs %[turns], %[turns], #1\n"
			 "	b.ne 1b\n"
			 : [turns] "+r"(turns)
			 : [offset] "i"(offset), [count] "i"(count)
			 : "cc");
#endif
	return turns;
}

/* The argument X of the following macros is LOOP to define functions, or LISTED to list the
 * functions in a table. */
#define NAME(offset, length, count) alignment_##offset##_##length##_##count
#define LOOP(offset, length, count)                                             \
	KERNEL_LOOP static uint64_t NAME(offset, length, count)(uint64_t turns) \
	{                                                                       \
		return alignment_loop(turns, offset, length, count);            \
	}
#define LISTED(offset, length, count) NAME(offset, length, count),

#define OFFSETS_8(X, a, b, c, d, e, f, g, h, length, count) \
	X(a, length, count)                                 \
	X(b, length, count)                                 \
	X(c, length, count)                                 \
	X(d, length, count)                                 \
	X(e, length, count) X(f, length, count) X(g, length, count) X(h, length, count)
#if defined(__x86_64__)
#define OFFSETS(X, length, count)                                   \
	OFFSETS_8(X, 0, 1, 2, 3, 4, 5, 6, 7, length, count)         \
	OFFSETS_8(X, 8, 9, 10, 11, 12, 13, 14, 15, length, count)   \
	OFFSETS_8(X, 16, 17, 18, 19, 20, 21, 22, 23, length, count) \
	OFFSETS_8(X, 24, 25, 26, 27, 28, 29, 30, 31, length, count) \
	OFFSETS_8(X, 32, 33, 34, 35, 36, 37, 38, 39, length, count) \
	OFFSETS_8(X, 40, 41, 42, 43, 44, 45, 46, 47, length, count) \
	OFFSETS_8(X, 48, 49, 50, 51, 52, 53, 54, 55, length, count) \
	OFFSETS_8(X, 56, 57, 58, 59, 60, 61, 62, 63, length, count)
enum { OFFSET_UNIT = 1 };
#else
#define OFFSETS(X, length, count)                                \
	OFFSETS_8(X, 0, 4, 8, 12, 16, 20, 24, 28, length, count) \
	OFFSETS_8(X, 32, 36, 40, 44, 48, 52, 56, 60, length, count)
enum { OFFSET_UNIT = 4 };
#endif
/* clang-format off */
OFFSETS(LOOP, 4, 4)
OFFSETS(LOOP, 4, 8)
OFFSETS(LOOP, 4, 16)
OFFSETS(LOOP, 4, 32)
static kernel_countdown *const by_offset[COUNTS_ANY_OFFSET][LINE / OFFSET_UNIT] = {
	{ OFFSETS(LISTED, 4, 4) }, { OFFSETS(LISTED, 4, 8) }, { OFFSETS(LISTED, 4, 16) }, { OFFSETS(LISTED, 4, 32) },
};

#define COUNTS_LARGE(X, length) \
	X(0, length, 512) X(0, length, 1024) X(0, length, 2048) X(0, length, 4096) X(0, length, 8192) X(0, length, 16384)
#define COUNTS_MIDDLE(X, length) X(0, length, 64) X(0, length, 128) X(0, length, 256)
#define COUNTS_SMALL(X, length) X(0, length, 4) X(0, length, 8) X(0, length, 16) X(0, length, 32)
COUNTS_MIDDLE(LOOP, 4)
COUNTS_LARGE(LOOP, 4)
#if defined(__x86_64__)
#define LOOPS(length) COUNTS_SMALL(LOOP, length) COUNTS_MIDDLE(LOOP, length)
LOOPS(1) LOOPS(2) LOOPS(3) LOOPS(5) LOOPS(6) LOOPS(7) LOOPS(8)
LOOPS(9) LOOPS(10) LOOPS(11) LOOPS(12) LOOPS(13) LOOPS(14) LOOPS(15)
COUNTS_LARGE(LOOP, 8)
#define NAMES(length) [length - 1] = { COUNTS_SMALL(LISTED, length) COUNTS_MIDDLE(LISTED, length)
static kernel_countdown *const by_length[LENGTHS][COUNTS] = {
	NAMES(1) }, NAMES(2) }, NAMES(3) }, NAMES(5) }, NAMES(6) }, NAMES(7) }, NAMES(9) }, NAMES(10) }, NAMES(11) },
	NAMES(12) }, NAMES(13) }, NAMES(14) }, NAMES(15) },
	NAMES(4) COUNTS_LARGE(LISTED, 4) }, NAMES(8) COUNTS_LARGE(LISTED, 8) },
};
#else
static kernel_countdown *const by_length[LENGTHS][COUNTS] = {
	[3] = { COUNTS_SMALL(LISTED, 4) COUNTS_MIDDLE(LISTED, 4) COUNTS_LARGE(LISTED, 4) },
};
#endif
/* clang-format on */

static int64_t nops_of(const int64_t *v)
{
	return (int64_t)4 << v[COUNT];
}

#define LARGE_NEEDS "count above 256 needs length=4 or 8"

static const struct knob_rule rules[] = {
	{ { OFFSET, 1, LINE - 1 }, { LENGTH, 4, 4 }, 4, 0,
		"an offset needs length=4 and count up to 32" },
	{ { OFFSET, 1, LINE - 1 }, { COUNT, 0, COUNTS_ANY_OFFSET - 1 }, COUNTS_ANY_OFFSET - 1, 0,
		"an offset needs length=4 and count up to 32" },
	{ { LENGTH, 1, 3 }, { COUNT, 0, COUNTS_ANY_LENGTH - 1 }, COUNTS_ANY_LENGTH - 1, 4,
		LARGE_NEEDS },
	{ { LENGTH, 5, 7 }, { COUNT, 0, COUNTS_ANY_LENGTH - 1 }, COUNTS_ANY_LENGTH - 1, 4,
		LARGE_NEEDS },
	{ { LENGTH, 9, LENGTHS }, { COUNT, 0, COUNTS_ANY_LENGTH - 1 }, COUNTS_ANY_LENGTH - 1, 4,
		LARGE_NEEDS },
};

static struct status alignment_check(const int64_t *v)
{
	(void)v;
#if !defined(__x86_64__)
	if (v[LENGTH] != 4)
		return status_failed("length=%lld: each instruction of this processor has 4 bytes",
			(long long)v[LENGTH]);
	if (v[OFFSET] % OFFSET_UNIT)
		return status_failed(
			"offset=%lld: instructions of this processor start at multiples of 4",
			(long long)v[OFFSET]);
#endif
	return status_ok();
}

static struct status alignment_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;

	run->granule = (uint64_t)nops_of(v);
	run->ring = run->granule * 64;
	run->code.start = (const void *)(v[OFFSET] ? by_offset[v[COUNT]][v[OFFSET] / OFFSET_UNIT]
						   : by_length[v[LENGTH] - 1][v[COUNT]]);
	run->code.name = "alignment_loop";
	return status_ok();
}

const struct kernel kernel_alignment = {
	.name = "alignment",
	.title = "code alignment and code size",
	.look_for = "Each instruction is a nop: the issue width is the limit, unless the front end "
		    "falls behind. Change offset: cycles change in steps of 16, 32 or 64 bytes. "
		    "Raise count past the capacity of the op cache: length then shows how many "
		    "bytes the decoders take per cycle.",
	.document = "Downs, Performance Speed Limits, Front End Effects",
	.element = "nop",
	.hint = "+ on offset; or count=16384, then length=8",
	.limit = "width",
	KERNEL_KNOBS(knobs),
	KERNEL_RULES(rules),
	.check = alignment_check,
	.layout_nests = true,
	.seamless = true,
	.prepare = alignment_prepare,
	.call = countdown_call,
	.expected = countdown_expected,
};
