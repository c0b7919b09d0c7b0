/* The kernel split-loads shows that a load counts twice if it crosses from one cache line into the
 * next. The loop makes one load per cache line. The loads have the same offset in every line, or
 * all offsets equally often in shuffled order.
 *
 * The loaded values are discarded. */
#include <string.h>

#include "kernels/features.h"
#include "kernels/ring.h"

enum { SIZE, WIDTH, ORDER, OFFSET };
enum { WIDTH_2, WIDTH_4, WIDTH_8, WIDTH_16, WIDTH_32, WIDTH_64, WIDTHS };
enum { ORDER_FIXED, ORDER_RANDOM };

static const char *const width_names[] = { "2", "4", "8", "16", "32", "64", NULL };
static const char *const order_names[] = { "fixed", "random", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes walked, in whole blocks of 4k", 16384),
	[WIDTH] = KNOB_ROW_CHOICE(
		"width", "bytes of one load", width_names, .initial = WIDTH_8, .role = KNOB_DATA),
	[ORDER] = KNOB_ROW_CHOICE(
		"order", "all loads at one offset, or at each offset in turn", order_names),
	[OFFSET] = KNOB_ROW_COUNT("offset",
		"bytes from the start of a line to its load; only order=fixed", 0, 63, 60,
		.role = KNOB_FORM),
};

/* An iteration of the loop makes PASSES passes over its bytes, with one load per cache line. With a
 * fixed offset, an iteration makes no load in the last line of each 1,024 bytes. The load in the
 * line before may cross into that last line. With shuffled offsets, the load in the last line has
 * offset 0 and does not cross a line. Several passes keep the cost of the loop's own instructions
 * small. */
enum { PASSES = 4, FIXED_LOADS = 15, FIXED_BYTES = 1024, RANDOM_LOADS = 64, RANDOM_BYTES = 4096 };

struct split_walk {
	const unsigned char *data;
	struct ring ring;
	unsigned char last[64]; /* the bytes that the last load returned */
};

/* LOAD() is a load of `width` bytes at data + `place`. The other macros are the end of the loop and
 * a store of the last loaded bytes. */
/* clang-format off */
#if defined(__x86_64__)
#define LOAD(place)                                                                   \
	"	.if %c[width] == 2\n	movzwl	" place "(%[data]), %k[x]\n"          \
	"	.elseif %c[width] == 4\n	movl	" place "(%[data]), %k[x]\n"  \
	"	.elseif %c[width] == 8\n	movq	" place "(%[data]), %[x]\n"   \
	"	.elseif %c[width] == 16\n	movups	" place "(%[data]), %%xmm0\n" \
	"	.elseif %c[width] == 32\n	vmovups	" place "(%[data]), %%ymm0\n" \
	"	.else\n	vmovups	" place "(%[data]), %%zmm0\n"                         \
	"	.endif\n"
#define NEXT "	addq	%[step], %[data]\n	cmpq	%[end], %[data]\n	jne	1b\n"
#define KEEP                                                                                  \
	"	.if %c[width] <= 8\n	movq	%[x], (%[last])\n"                            \
	"	.elseif %c[width] == 16\n	movups	%%xmm0, (%[last])\n"                  \
	"	.elseif %c[width] == 32\n	vmovups	%%ymm0, (%[last])\n	vzeroupper\n" \
	"	.else\n	vmovups	%%zmm0, (%[last])\n	vzeroupper\n"                         \
	"	.endif\n"
#define VECTOR_CLOBBER "xmm0"
#else
/* An AArch64 address can hold a displacement that is a multiple of the width. For other
 * displacements, the code first adds the displacement to the address. The widest registers of
 * AArch64 have 16 bytes. */
#define LOAD(place)                                                          \
	"	.if (" place ") %% %c[width] == 0\n" READ("%[data], " place) \
	"	.else\n	add	%[x], %[data], " place "\n" READ("%[x]") "	.endif\n"
#define READ(address)                                                           \
	"	.if %c[width] == 2\n	ldrh	%w[x], [" address "]\n"         \
	"	.elseif %c[width] == 4\n	ldr	%w[x], [" address "]\n" \
	"	.elseif %c[width] == 8\n	ldr	%[x], [" address "]\n"  \
	"	.else\n	ldr	q0, [" address "]\n"                            \
	"	.endif\n"
#define NEXT "	add	%[data], %[data], %[step]\n	cmp	%[data], %[end]\n	b.ne	1b\n"
#define KEEP                                                       \
	"	.if %c[width] <= 8\n	str	%[x], [%[last]]\n" \
	"	.else\n	str	q0, [%[last]]\n"                   \
	"	.endif\n"
#define VECTOR_CLOBBER "v0"
#endif

/* Defines a loop with four passes of `lines` loads. `place`: offset of the load in line .Lline. */
#define WALK(name, bytes, lines, place)                                                                 \
KERNEL_BODY void name(struct split_walk *walk, const int width)                                         \
{                                                                                                       \
	uint64_t turns, from, x;                                                                        \
                                                                                                        \
	while ((turns = ring_piece(&walk->ring, &from))) {                                              \
		const unsigned char *data = walk->data + from * bytes, *end = data + turns * bytes;     \
                                                                                                        \
		__asm__ volatile("	.p2align 6\n"                                                   \
			"1:\n"                                                                          \
			"	.rept 4\n"                                                              \
			"	.set .Lline, 0\n"                                                       \
			"	.rept " lines "\n"                                                      \
			"	.set .Lplace, " place "\n" LOAD(".Lplace")                              \
			"	.set .Lline, .Lline + 1\n"                                              \
			"	.endr\n"                                                                \
			"	.endr\n" NEXT KEEP                                                      \
			: [data] "+r"(data), [x] "=&r"(x)                                               \
			: [end] "r"(end), [last] "r"(walk->last), [width] "i"(width), [step] "i"(bytes) \
			: "cc", "memory", VECTOR_CLOBBER);                                              \
	}                                                                                               \
}
/* clang-format on */

/* Fixed offsets: fifteen loads in sixteen lines, four times.
 * four times: for (line = 0; line < 15; line++) x = the bytes at data + 64 * line; and then: data
 * += 1024; */
WALK(split_fixed, FIXED_BYTES, "15", ".Lline * 64")

/* Shuffled offsets: one load in each of 64 lines, four times. The offset of the load moves by 37
 * bytes from line to line, so each offset occurs once.
 *
 * four times: for (line = 0; line < 64; line++) x = the bytes at data + 64 * line + 37 * (line + 1)
 * % 64; and then: data += 4096; */
WALK(split_random, RANDOM_BYTES, "64", ".Lline * 64 + ((.Lline + 1) * 37 & 63)")

#define LOOPS(width)                                                             \
	KERNEL_CALLS(fixed_##width, struct split_walk, split_fixed(walk, width)) \
	KERNEL_CALLS(random_##width, struct split_walk, split_random(walk, width))
LOOPS(2)
LOOPS(4)
LOOPS(8)
LOOPS(16)
LOOPS(32)
LOOPS(64)

typedef void split_loop(struct split_walk *walk);

static split_loop *const loops[2][WIDTHS] = {
	{ fixed_2, fixed_4, fixed_8, fixed_16, fixed_32, fixed_64 },
	{ random_2, random_4, random_8, random_16, random_32, random_64 },
};

static uint64_t width_of(const int64_t *v)
{
	return (uint64_t)2 << v[WIDTH];
}

static struct status split_check(const int64_t *v)
{
	return features_need_width(width_of(v));
}

static uint64_t split_footprint(const int64_t *v)
{
	return (uint64_t)v[SIZE] / 4096 * 4096;
}

static struct status split_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t bytes = split_footprint(v);
	bool random = v[ORDER] == ORDER_RANDOM, crosses = (uint64_t)v[OFFSET] + width_of(v) > 64;

	run->granule = PASSES * (random ? RANDOM_LOADS : FIXED_LOADS);
	run->ring = bytes / (random ? RANDOM_BYTES : FIXED_BYTES) * run->granule;
	run->bytes = width_of(v);
	run->walk.splits = random ? (double)(width_of(v) - 1) / 64 : crosses;
	run->walk.lines = (random || !crosses ? 1 : 16.0 / 15) / PASSES;
	run->code.start = (const void *)loops[v[ORDER]][v[WIDTH]];
	run->code.name = random ? "split_random" : "split_fixed";
	return ring_lay_out(run, bytes / 4, 4, ring_put_word);
}

static uint64_t mixed(const uint64_t words[8])
{
	uint64_t all = 0;

	for (int i = 0; i < 8; i++)
		all ^= words[i];
	return all;
}

static void split_call(struct kernel_run *run, uint64_t elements)
{
	struct split_walk walk = {
		.data = run->memory + (run->v[ORDER] == ORDER_FIXED ? run->v[OFFSET] : 0),
	};
	uint64_t words[8];

	RING_WALK(run, elements, &walk);
	memcpy(words, walk.last, sizeof(words));
	run->result = mixed(words);
}

/* Checks the last load of each iteration, because other loads leave no result. Each call therefore
 * makes one iteration. The check covers one and a half passes over the data, or a part of large
 * data. */
static struct status split_verify(struct kernel_run *run)
{
	bool fixed = run->v[ORDER] == ORDER_FIXED;
	uint64_t turns = run->ring / run->granule, step = fixed ? FIXED_BYTES : RANDOM_BYTES;
	uint64_t last = fixed ? 14 * 64 + (uint64_t)run->v[OFFSET] : 63 * 64;
	uint64_t count = turns < 256 ? turns + turns / 2 : 384;

	for (uint64_t turn = 0; turn < count; turn++) {
		uint64_t words[8] = { 0 };

		for (uint64_t i = 0; i < width_of(run->v); i++) {
			uint64_t at = turn % turns * step + last + i;

			words[i / 8] |=
				(uint64_t)(ring_word(run->seed, at / 4) >> at % 4 * 8 & 0xff)
				<< i % 8 * 8;
		}
		split_call(run, run->granule);
		if (run->result != mixed(words))
			return status_failed("split-loads did not load the value at byte %llu",
				(unsigned long long)(turn % turns * step + last));
	}
	return status_ok();
}

static const char *split_remark(const int64_t *v)
{
	if (v[ORDER] == ORDER_FIXED && v[OFFSET] + (int64_t)width_of(v) <= 64)
		return "All loads have the same offset in their lines: a core whose cache has "
		       "banks may start fewer per cycle.";
	return NULL;
}

const struct kernel kernel_split_loads = {
	.name = "split-loads",
	.title = "loads that cross cache lines",
	.look_for =
		"A load that begins in one cache line and ends in the next counts as two. Change "
		"offset until the load fits its line: twice as fast. With order=random a load of N "
		"bytes crosses a line with probability (N - 1)/64: only wide loads suffer.",
	.document = "Downs, Performance Speed Limits, \"Split Cache Lines\"",
	.element = "load",
	.limit = "split-lines",
	.hint = "Down to offset, then -: until no load crosses a line",
	KERNEL_KNOBS(knobs),
	.check = split_check,
	.footprint = split_footprint,
	.layout_nests = true,
	.prepare = split_prepare,
	.call = split_call,
	.verify = split_verify,
	.remark = split_remark,
};
