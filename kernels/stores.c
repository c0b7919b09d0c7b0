/* The kernel stores fills an array, with one store per element. The stores have any width, and any
 * offset from the start of a cache line.
 *
 * form=copied stores values that it loads from another array. form=checked compares values with the
 * stored elements first, and stores only values that differ. Two arrays of values take turns, pass
 * by pass. The two arrays differ in `changed` percent of their elements. */
#include <string.h>

#include "base/random.h"
#include "kernels/features.h"
#include "kernels/kernel.h"
#include "kernels/knob_rows.h"
#include "kernels/ring.h"

enum { SIZE, WIDTH, FORM, CHANGED, OFFSET };
enum { FORM_PLAIN, FORM_COPIED, FORM_CHECKED, FORMS };
enum { WIDTHS = 7, UNROLL = 4, LINE = 64 };

static const char *const width_names[] = { "1", "2", "4", "8", "16", "32", "64", NULL };
static const char *const form_names[] = { "plain", "copied", "checked", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of all arrays: one for form=plain, else three", 16384),
	[WIDTH] = KNOB_ROW_CHOICE(
		"width", "bytes of a store", width_names, .initial = 2, .role = KNOB_DATA),
	[FORM] = KNOB_ROW_CHOICE(
		"form", "one value, the values of an array, or only those that differ", form_names),
	[CHANGED] = KNOB_ROW_COUNT("changed", "percent of values that differ from the stored ones",
		0, 100, 0, .multiple = 5),
	[OFFSET] = KNOB_ROW_COUNT("offset", "bytes from the start of a line to the first store", 0,
		LINE - 1, 0, .role = KNOB_FORM),
};

struct stores_walk {
	struct ring ring;
	unsigned char *to;
	const unsigned char *from[2]; /* the arrays of values for this pass and for the next pass */
	const unsigned char *value;   /* 64 equal bytes, the value that form=plain stores */
};

typedef void stores_loop(struct stores_walk *walk);

static uint64_t width_of(const int64_t *v)
{
	return (uint64_t)1 << v[WIDTH];
}

/* The instructions of the loops on both instruction sets. `k` is the number of the element within
 * the iteration. `t` stands for the register of the loaded value: on x86-64 a register that the
 * compiler chooses, on AArch64 the register x16. */
/* clang-format off */
#define NARROW(w1, w2, w4, w8)                                  \
	".if %c[width] == 1\n" w1 ".elseif %c[width] == 2\n" w2 \
	".elseif %c[width] == 4\n" w4 ".elseif %c[width] == 8\n" w8
#define EACH ".irp k,0,1,2,3\n"

#if defined(__x86_64__)
#define VECTOR(w16, w32, w64)                                             \
	".elseif %c[width] == 16\n" w16 ".elseif %c[width] == 32\n" w32 \
	".elseif %c[width] == 64\n" w64 ".endif\n"
#define STORE(value)                                       \
	NARROW("	movb %b[" value "], \\k(%[to])\n", \
	"	movw %w[" value "], \\k*2(%[to])\n",       \
	"	movl %k[" value "], \\k*4(%[to])\n",       \
	"	movq %q[" value "], \\k*8(%[to])\n")       \
	VECTOR("	movups %%xmm0, \\k*16(%[to])\n",           \
	"	vmovups %%ymm0, \\k*32(%[to])\n",          \
	"	vmovups %%zmm0, \\k*64(%[to])\n")
#define STORE_VALUE STORE("value")
#define STORE_T     STORE("t")
#define LOAD_T                                                 \
	NARROW("	movzbl \\k(%[to],%[values]), %k[t]\n", \
	"	movzwl \\k*2(%[to],%[values]), %k[t]\n",       \
	"	movl \\k*4(%[to],%[values]), %k[t]\n",         \
	"	movq \\k*8(%[to],%[values]), %q[t]\n")         \
	VECTOR("	movups \\k*16(%[to],%[values]), %%xmm0\n",     \
	"	vmovups \\k*32(%[to],%[values]), %%ymm0\n",    \
	"	vmovups \\k*64(%[to],%[values]), %%zmm0\n")
#define BRANCH_UNLESS_EQUAL                        \
	NARROW("	cmpb %b[t], \\k(%[to])\n", \
	"	cmpw %w[t], \\k*2(%[to])\n",       \
	"	cmpl %k[t], \\k*4(%[to])\n",       \
	"	cmpq %q[t], \\k*8(%[to])\n")       \
	".endif\n	jne"
#define BEGIN_PLAIN                             \
	NARROW(, , , )                          \
	VECTOR("	movups (%[vector]), %%xmm0\n",  \
	"	vmovups (%[vector]), %%ymm0\n", \
	"	vmovups (%[vector]), %%zmm0\n")
#define BEGIN_COPIED ""
#define NEXT_T	     ""
#define NEXT                                \
	"	addq $4*%c[width], %[to]\n" \
	"	cmpq %[to], %[end]\n"       \
	"	jne 1b\n"
#define JUMP "	jmp"
#define END  ".if %c[width] > 16\n	vzeroupper\n.endif\n"
#define CLOBBERS "xmm0"
#else
#define VECTOR(w16) ".else\n" w16 ".endif\n"
#define STORE(w, x)                                   \
	NARROW("	strb " w ", [%[to], #\\k]\n", \
	"	strh " w ", [%[to], #\\k*2]\n",       \
	"	str " w ", [%[to], #\\k*4]\n",        \
	"	str " x ", [%[to], #\\k*8]\n")        \
	VECTOR("	str q0, [%[to], #\\k*16]\n")
#define STORE_VALUE STORE("%w[value]", "%x[value]")
#define STORE_T     STORE("w16", "x16")
#define LOAD(n, from)                                        \
	NARROW("	ldrb w" n ", [%[" from "], #\\k]\n", \
	"	ldrh w" n ", [%[" from "], #\\k*2]\n",       \
	"	ldr w" n ", [%[" from "], #\\k*4]\n",        \
	"	ldr x" n ", [%[" from "], #\\k*8]\n")        \
	VECTOR("	ldr q0, [%[" from "], #\\k*16]\n")
#define LOAD_T LOAD("16", "t")
#define BRANCH_UNLESS_EQUAL LOAD("17", "to") "	cmp x16, x17\n	b.ne"
#define BEGIN_PLAIN "	ldr q0, [%[vector]]\n"
/* AArch64 has no address with an index and a displacement, so the array of values needs its own
 * pointer. */
#define BEGIN_COPIED "	add %[t], %[to], %[values]\n"
#define NEXT_T "	add %[t], %[t], #4*%c[width]\n"
#define NEXT                                      \
	"	add %[to], %[to], #4*%c[width]\n" \
	"	cmp %[to], %[end]\n"              \
	"	b.ne 1b\n"
#define JUMP "	b"
#define END  ""
#define CLOBBERS "v0", "x16", "x17"
#endif
/* clang-format on */

/*     for (; to != end; to += width)
 *     *to = value; */
KERNEL_BODY void stores_plain(struct stores_walk *walk, const int width)
{
	uint64_t value, turns, from;

	memcpy(&value, walk->value, sizeof(value));
	while ((turns = ring_piece(&walk->ring, &from))) {
		unsigned char *to = walk->to + from * (uint64_t)width * UNROLL;
		unsigned char *end = to + turns * (uint64_t)width * UNROLL;

		__asm__ volatile(BEGIN_PLAIN ".p2align 6\n"
					     "1:\n" EACH STORE_VALUE ".endr\n" NEXT END
				 : [to] "+r"(to)
				 : [end] "r"(end), [value] "r"(value), [vector] "r"(walk->value),
				 [width] "i"(width)
				 : "memory", "cc", CLOBBERS);
	}
}

/* Returns the distance in bytes from the elements to the array of values that this pass stores. At
 * the end of a pass, swaps the two arrays of values. */
static inline uint64_t values_of(struct stores_walk *walk)
{
	uint64_t delta = (uintptr_t)walk->from[0] - (uintptr_t)walk->to;

	if (walk->ring.room == walk->ring.turns) {
		const unsigned char *next = walk->from[1];

		walk->from[1] = walk->from[0];
		walk->from[0] = next;
	}
	return delta;
}

#define WITH_VALUES(name, text)                                                            \
	KERNEL_BODY void name(struct stores_walk *walk, const int width)                   \
	{                                                                                  \
		uint64_t turns, from;                                                      \
                                                                                           \
		while ((turns = ring_piece(&walk->ring, &from))) {                         \
			unsigned char *to = walk->to + from * (uint64_t)width * UNROLL;    \
			unsigned char *end = to + turns * (uint64_t)width * UNROLL;        \
			uint64_t values = values_of(walk), t;                              \
                                                                                           \
			__asm__ volatile(                                                  \
				BEGIN_COPIED ".p2align 6\n"                                \
					     "1:\n" text                                   \
				: [to] "+r"(to), [t] "=&r"(t)                              \
				: [end] "r"(end), [values] "r"(values), [width] "i"(width) \
				: "memory", "cc", CLOBBERS);                               \
		}                                                                          \
	}

/*     for (; to != end; to += width)
 *     *to = *(to + (values - array)); */
WITH_VALUES(stores_copied, EACH LOAD_T STORE_T ".endr\n" NEXT_T NEXT END)

/*     for (; to != end; to += width)
 *     if (*to != *(to + (values - array)))
 *     	*to = *(to + (values - array));
 *
 * The code of the stores is after the loop. If all values equal the stored elements, the loop takes
 * only its closing branch. */
WITH_VALUES(stores_checked, EACH LOAD_T BRANCH_UNLESS_EQUAL " 3\\k\\()f\n"
							    "2\\k:\n"
							    ".endr\n" NEXT_T NEXT JUMP " 4f\n" EACH
							    "3\\k:\n" STORE_T JUMP " 2\\k\\()b\n"
							    ".endr\n"
							    "4:\n")

#define LOOP(form, width) KERNEL_CALLS(form##_##width, struct stores_walk, form(walk, width))

/* clang-format off */
LOOP(stores_plain, 1) LOOP(stores_plain, 2) LOOP(stores_plain, 4) LOOP(stores_plain, 8) LOOP(stores_plain, 16)
LOOP(stores_copied, 1) LOOP(stores_copied, 2) LOOP(stores_copied, 4) LOOP(stores_copied, 8) LOOP(stores_copied, 16)
LOOP(stores_checked, 1) LOOP(stores_checked, 2) LOOP(stores_checked, 4) LOOP(stores_checked, 8)
#if defined(__x86_64__)
LOOP(stores_plain, 32) LOOP(stores_plain, 64)
LOOP(stores_copied, 32) LOOP(stores_copied, 64)
#define WIDE(form) , form##_32, form##_64
#else
#define WIDE(form)
#endif

static stores_loop *const loops[FORMS][WIDTHS] = {
	{ stores_plain_1, stores_plain_2, stores_plain_4, stores_plain_8, stores_plain_16 WIDE(stores_plain) },
	{ stores_copied_1, stores_copied_2, stores_copied_4, stores_copied_8, stores_copied_16 WIDE(stores_copied) },
	{ stores_checked_1, stores_checked_2, stores_checked_4, stores_checked_8 },
};
/* clang-format on */

static const char *const functions[FORMS] = { "stores_plain", "stores_copied", "stores_checked" };

static const struct knob_rule rules[] = {
	{ { WIDTH, 4, WIDTHS - 1 }, { FORM, FORM_PLAIN, FORM_COPIED }, FORM_COPIED, 3,
		"form=checked compares in general registers, so use width=8 or less" },
};

static struct status stores_check(const int64_t *v)
{
	return features_need_width(width_of(v));
}

/* Returns the bytes of each array, a multiple of the cache line. */
static uint64_t part_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / (v[FORM] == FORM_PLAIN ? 1 : 3) / LINE * LINE;
}

static uint64_t stores_footprint(const int64_t *v)
{
	return part_of(v) * (v[FORM] == FORM_PLAIN ? 1 : 3);
}

/* Returns the address of the first element. The elements lie at the start of the memory, or after
 * the two arrays of values. */
static unsigned char *elements_in(const struct kernel_run *run)
{
	return run->memory + (run->v[FORM] == FORM_PLAIN ? 0 : part_of(run->v) * 2) +
	       run->v[OFFSET];
}

/* Returns the number that identifies the layout of the data in memory. A value has the same place
 * in its array as the element to which it is stored. A setting with elements at other places
 * therefore needs another layout. */
static uint64_t stores_layout(const int64_t *v)
{
	if (v[FORM] == FORM_PLAIN)
		return 0;
	return 1 +
	       (((part_of(v) * WIDTHS + (uint64_t)v[WIDTH]) * 101 + (uint64_t)v[CHANGED]) * LINE +
		       (uint64_t)v[OFFSET]) *
		       2;
}

static uint64_t elements_of(const int64_t *v)
{
	uint64_t granule = width_of(v) * UNROLL;

	return (part_of(v) - (v[OFFSET] ? LINE : 0)) / granule * UNROLL;
}

/* Returns the value that a pass stores to element `index`; `which` is the number (0 or 1) of the
 * array of values. The two arrays differ in `changed` percent of the elements. */
static uint64_t value_of(const struct kernel_run *run, uint64_t index, int which)
{
	struct random random = { run->seed + index };
	uint64_t value = random_next(&random);

	if (random_below(&random, 100) < (uint64_t)run->v[CHANGED] && which)
		value = ~value;
	return value;
}

/* Writes the `width` bytes of an element. Wide elements hold copies of the value; narrow elements
 * hold the first bytes of the value. */
static void write_value(unsigned char *to, uint64_t value, uint64_t width)
{
	for (uint64_t i = 0; i < width; i += 8)
		memcpy(to + i, &value, width < 8 ? width : 8);
}

static void stores_describe(const int64_t *v, struct kernel_walk *walk)
{
	uint64_t width = width_of(v), count = elements_of(v);
	bool plain = v[FORM] == FORM_PLAIN;
	double surprises;

	walk->lines = (double)(plain ? width : 2 * width) / LINE;
	/* If stores are not aligned, one store per cache line crosses the end of the line. In
	 * form=checked, the two loads at the same places cross the line end, too. */
	if ((uint64_t)v[OFFSET] % width)
		walk->splits = (double)width / LINE *
			       (plain				? 1
				       : v[FORM] == FORM_COPIED ? 2
								: 2 + (double)v[CHANGED] / 100);
	/* `surprises` is the probability that the outcome of the comparison in form=checked is not
	 * the frequent outcome. A branch predictor learns these outcomes only if the array has few
	 * elements: today's predictors learn tens of thousands of rare outcomes. */
	surprises = v[FORM] != FORM_CHECKED
			    ? 0
			    : (double)(v[CHANGED] < 50 ? v[CHANGED] : 100 - v[CHANGED]) / 100;
	if (surprises * (double)count >= 65536)
		walk->mispredicts = surprises;
}

static struct status stores_prepare(struct kernel_run *run)
{
	const int64_t *v = run->v;
	uint64_t part = part_of(v), width = width_of(v), count = elements_of(v),
		 footprint = stores_footprint(v);
	bool plain = v[FORM] == FORM_PLAIN;

	for (uint64_t i = run->layout.prepared >= footprint ? count : 0; i < count; i++) {
		unsigned char *values = run->memory + v[OFFSET] + i * width;

		if (i % 65536 == 0 && !kernel_goes_on(run, i, count))
			return status_make(
				STATUS_CANCELLED, "stopped while the data were prepared");
		if (!plain) {
			write_value(values, value_of(run, i, 0), width);
			write_value(values + part, value_of(run, i, 1), width);
		}
		write_value(elements_in(run) + i * width, plain ? 0 : value_of(run, i, 0), width);
	}
	run->layout.laid_out =
		footprint > run->layout.prepared || !plain ? footprint : run->layout.prepared;
	run->granule = UNROLL;
	run->ring = count;
	run->bytes = v[FORM] == FORM_PLAIN ? width : 2 * width;
	run->code.start = (const void *)loops[v[FORM]][v[WIDTH]];
	run->code.name = functions[v[FORM]];
	run->position = 0;
	run->result = 0;
	return status_ok();
}

/* Sets run->result to the number of the array that supplied the last value. The two arrays take
 * turns, pass by pass. */
static void stores_call(struct kernel_run *run, uint64_t elements)
{
	static const uint64_t value[8] = { [0 ... 7] = 0x5a5a5a5a5a5a5a5a };
	uint64_t part = part_of(run->v), which = run->result ^ (run->position == 0);
	const unsigned char *values = run->memory + run->v[OFFSET];
	struct stores_walk walk = {
		.to = elements_in(run),
		.value = (const unsigned char *)value,
		.from = { values + part * which, values + part * !which },
	};

	RING_WALK(run, elements, &walk);
	run->result = (uint64_t)(walk.from[0] != values) ^ (run->position == 0);
}

static struct status stores_verify(struct kernel_run *run)
{
	uint64_t width = width_of(run->v), limit = run->ring < 4096 ? run->ring : 4096;
	unsigned char *to = elements_in(run), right[LINE];
	bool plain = run->v[FORM] == FORM_PLAIN;

	/* The check makes two passes, one with each array of values. The second pass ends earlier
	 * than the first pass, so the last elements keep the values of the first pass. */
	for (int pass = 0; pass < 2; pass++) {
		uint64_t count = pass ? limit / 2 / UNROLL * UNROLL : limit;
		int which;

		if (plain)
			memset(to, pass, limit * width);
		kernel_rewind(run);
		stores_call(run, count);
		which = (int)run->result;
		for (uint64_t i = 0; i < limit; i++) {
			bool stored = i < count;

			if (plain)
				memset(right, stored ? 0x5a : pass, sizeof(right));
			else
				write_value(
					right, value_of(run, i, stored ? which : !which), width);
			if (memcmp(to + i * width, right, width) != 0)
				return status_failed("stores left a wrong value in element %llu",
					(unsigned long long)i);
		}
	}
	return status_ok();
}

const struct kernel kernel_stores = {
	.name = "stores",
	.title = "store to an array",
	.look_for = "A store takes one slot however narrow it is: one store per cycle, two on "
		    "newer cores. Raise width: the same cycles store more bytes. Change offset: "
		    "stores that cross a line count twice. form=checked replaces stores by loads: "
		    "faster while few values change and the branch predictor predicts the changes.",
	.document = "Downs, Performance Speed Limits, Stores",
	.element = "element stored",
	.hint = "Down to width, then +: the same cycles, more bytes",
	.limit = "stores",
	KERNEL_KNOBS(knobs),
	.check = stores_check,
	KERNEL_RULES(rules),
	.footprint = stores_footprint,
	.layout = stores_layout,
	.prepare = stores_prepare,
	.describe = stores_describe,
	.call = stores_call,
	.verify = stores_verify,
	.stepped = true,
};
