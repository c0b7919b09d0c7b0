/* The kernel sum-arrays computes d[i] = a[i] + b[i] for three arrays of 4-byte integers, with three
 * ways to form the addresses.
 *
 * One index for all arrays needs no extra instructions, but makes all addresses complex, including
 * the address of the store. One pointer per array makes all addresses simple, but needs two more
 * additions. With addresses relative to the pointer of the store, only the store has a simple
 * address, and the loop needs one addition. */
#include "kernels/ring.h"

enum { SIZE, FORM, UNROLL, ALIAS };
enum { FORM_INDEXED, FORM_RELATIVE, FORM_POINTERS, FORMS };
/* RECENT: number of stores that can still be in a store queue. */
enum { UNROLL_MAX = 8, PAGE = 4096, RECENT = 64 };

static const char *const form_names[] = { "indexed", "relative", "pointers", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of all three arrays", 16384),
	[FORM] = KNOB_ROW_CHOICE("form",
		"one index, relative to the store's pointer, or one pointer each", form_names,
		.role = KNOB_FORM),
	[UNROLL] = KNOB_ROW_COUNT("unroll", "elements in one iteration of the loop", 1, UNROLL_MAX,
		1, .factor = 2, .role = KNOB_FORM),
	[ALIAS] = KNOB_ROW_COUNT("alias",
		"bytes that sums lie behind numbers, modulo 4 KiB; 0: arrays touch", 0, PAGE - 4, 0,
		.multiple = 4),
};

struct sum_walk {
	struct ring ring;
	const uint32_t *a, *b;
	uint32_t *d;
};

typedef void sum_loop(struct sum_walk *walk);

/* The loops for both instruction sets. An iteration computes `unroll` sums of the elements at b
 * and a, and stores them in d. */
/* clang-format off */
#if defined(__x86_64__)
#define SUM(b, a, d)                        \
	".irp k,0,1,2,3,4,5,6,7\n"          \
	".if \\k < %c[unroll]\n"            \
	"	movl \\k*4(" b "), %k[t]\n" \
	"	addl \\k*4(" a "), %k[t]\n" \
	"	movl %k[t], \\k*4(" d ")\n" \
	".endif\n"                          \
	".endr\n"
#define NEXT(pointer)                          \
	"	cmpq %[" pointer "], %[end]\n" \
	"	jne 1b\n"
#define ADVANCE(pointer) "	addq $4*%c[unroll], %[" pointer "]\n"
#define INDEXED	 SUM("%[b],%[i],4", "%[a],%[i],4", "%[d],%[i],4") "	addq $%c[unroll], %[i]\n" NEXT("i")
#define RELATIVE SUM("%[d],%[b]", "%[d],%[a]", "%[d]") ADVANCE("d") NEXT("d")
#define POINTERS SUM("%[b]", "%[a]", "%[d]") ADVANCE("b") ADVANCE("a") ADVANCE("d") NEXT("d")
#define CLOBBERS "memory", "cc"
#else
#define SUM(b, a, d)                     \
	"	ldr %w[t], [" b "]\n"    \
	"	ldr w16, [" a "]\n"      \
	"	add %w[t], %w[t], w16\n" \
	"	str %w[t], [" d "\n"
#define NEXT(pointer)                         \
	"	cmp %[" pointer "], %[end]\n" \
	"	b.ne 1b\n"
#define ADVANCE(pointer) "	add %[" pointer "], %[" pointer "], #4*%c[unroll]\n"
/* AArch64 has no address with an index and a displacement, so the loop increments the index after
 * each element. */
#define INDEXED                                                                                     \
	".rept %c[unroll]\n" SUM("%[b], %[i], lsl #2", "%[a], %[i], lsl #2", "%[d], %[i], lsl #2]") \
	"	add %[i], %[i], #1\n" ".endr\n" NEXT("i")
#define RELATIVE \
	".rept %c[unroll]\n" SUM("%[d], %[b]", "%[d], %[a]", "%[d]], #4") ".endr\n" NEXT("d")
#define POINTERS                                                                      \
	".irp k,0,1,2,3,4,5,6,7\n"                                                    \
	".if \\k < %c[unroll]\n" SUM("%[b], #\\k*4", "%[a], #\\k*4", "%[d], #\\k*4]") \
	".endif\n"                                                                    \
	".endr\n" ADVANCE("b") ADVANCE("a") ADVANCE("d") NEXT("d")
#define CLOBBERS "memory", "cc", "x16"
#endif
#define LOOP ".p2align 6\n1:\n"
/* clang-format on */

/* for (; i != end; i++)
 *     d[i] = a[i] + b[i]; */
KERNEL_BODY void sum_indexed(struct sum_walk *walk, const int unroll)
{
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		uint64_t i = from * (uint64_t)unroll, end = i + turns * (uint64_t)unroll, t;

		__asm__ volatile(LOOP INDEXED
				 : [i] "+r"(i), [t] "=&r"(t)
				 : [a] "r"(walk->a), [b] "r"(walk->b), [d] "r"(walk->d),
				 [end] "r"(end), [unroll] "i"(unroll)
				 : CLOBBERS);
	}
}

/* for (; d != end; d++)
 *     *d = *(d + (b - d at the start)) + *(d + (a - d at the start)); */
KERNEL_BODY void sum_relative(struct sum_walk *walk, const int unroll)
{
	uint64_t to_a = (uintptr_t)walk->a - (uintptr_t)walk->d,
		 to_b = (uintptr_t)walk->b - (uintptr_t)walk->d;
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		uint32_t *d = walk->d + from * (uint64_t)unroll,
			 *end = d + turns * (uint64_t)unroll;
		uint64_t t;

		__asm__ volatile(
			LOOP RELATIVE
			: [d] "+r"(d), [t] "=&r"(t)
			: [a] "r"(to_a), [b] "r"(to_b), [end] "r"(end), [unroll] "i"(unroll)
			: CLOBBERS);
	}
}

/* for (; d != end; a++, b++, d++)
 *     *d = *b + *a; */
KERNEL_BODY void sum_pointers(struct sum_walk *walk, const int unroll)
{
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *a = walk->a + from * (uint64_t)unroll,
			       *b = walk->b + from * (uint64_t)unroll;
		uint32_t *d = walk->d + from * (uint64_t)unroll,
			 *end = d + turns * (uint64_t)unroll;
		uint64_t t;

		__asm__ volatile(LOOP POINTERS
				 : [a] "+r"(a), [b] "+r"(b), [d] "+r"(d), [t] "=&r"(t)
				 : [end] "r"(end), [unroll] "i"(unroll)
				 : CLOBBERS);
	}
}

KERNEL_UNROLLED(sum_indexed, struct sum_walk, sum_indexed)
KERNEL_UNROLLED(sum_relative, struct sum_walk, sum_relative)
KERNEL_UNROLLED(sum_pointers, struct sum_walk, sum_pointers)

static sum_loop *const loops[FORMS][UNROLL_MAX] = {
	{ KERNEL_UNROLLED_NAMES(sum_indexed) },
	{ KERNEL_UNROLLED_NAMES(sum_relative) },
	{ KERNEL_UNROLLED_NAMES(sum_pointers) },
};
static const char *const functions[FORMS] = { "sum_indexed", "sum_relative", "sum_pointers" };

/* Returns the number of elements of each array. Each array gets a third of the memory, in whole
 * cache lines. */
static uint64_t part_of(const int64_t *v)
{
	return (uint64_t)v[SIZE] / 3 / 64 * 16;
}

/* Returns the bytes from the start of the memory to the array of sums: after the two input
 * arrays; with alias > 0, at the next address that is `alias` bytes after a multiple of 4 KiB. */
static uint64_t sums_at(const int64_t *v)
{
	uint64_t end = part_of(v) * 8, page = end / PAGE * PAGE, alias = (uint64_t)v[ALIAS];

	return alias == 0 ? end : page + alias + (page + alias < end ? PAGE : 0);
}

static uint64_t sum_footprint(const int64_t *v)
{
	return sums_at(v) + part_of(v) * 4;
}

/* All settings with arrays of the same length share the numbers. */
static uint64_t sum_layout(const int64_t *v)
{
	return part_of(v);
}

static uint32_t value_of(uint64_t seed, uint64_t index)
{
	return (uint32_t)ring_bits(seed, index);
}

/* Writes an element of a, b or d. The array d may start with any values. */
static void put(struct kernel_run *run, uint64_t i)
{
	((uint32_t *)(void *)run->memory)[i] = i < part_of(run->v) * 2 ? value_of(run->seed, i) : 0;
}

static struct status sum_prepare(struct kernel_run *run)
{
	uint64_t part = part_of(run->v), unroll = (uint64_t)run->v[UNROLL];

	run->granule = unroll;
	run->ring = part / unroll * unroll;
	run->bytes = 12;
	run->walk.lines = 12 / 64.0;
	/* The load of a comes after the store of the sum that lies alias / 4 elements before. */
	run->walk.aliases = run->v[ALIAS] > 0 && run->v[ALIAS] <= RECENT * 4;
	run->code.start = (const void *)loops[run->v[FORM]][unroll - 1];
	run->code.name = functions[run->v[FORM]];
	return ring_lay_out(run, sum_footprint(run->v) / 4, 4, put);
}

static void sum_call(struct kernel_run *run, uint64_t elements)
{
	uint32_t *memory = (uint32_t *)(void *)run->memory;
	uint64_t part = part_of(run->v);
	struct sum_walk walk = {
		.a = memory,
		.b = memory + part,
		.d = memory + sums_at(run->v) / 4,
	};

	RING_WALK(run, elements, &walk);
}

static struct status sum_verify(struct kernel_run *run)
{
	uint64_t part = part_of(run->v),
		 count = run->ring < 4096 ? run->ring : 4096 / run->granule * run->granule;
	uint32_t *d = (uint32_t *)(void *)run->memory + sums_at(run->v) / 4;

	/* The check starts near the end of the arrays and continues at their start, because such a
	 * call has two parts. */
	run->position = (run->ring - count / 2 / run->granule * run->granule) / run->granule %
			(run->ring / run->granule);
	for (uint64_t i = 0, at = run->position * run->granule; i < count;
		i++, at = (at + 1) % run->ring)
		d[at] = ~(value_of(run->seed, at) + value_of(run->seed, part + at));
	sum_call(run, count);
	for (uint64_t i = 0, at = run->ring - count / 2 / run->granule * run->granule; i < count;
		i++, at++) {
		uint64_t k = at % run->ring;
		uint32_t right = value_of(run->seed, k) + value_of(run->seed, part + k);

		if (d[k] != right)
			return status_failed("sum-arrays stored %lu in element %llu, not %lu",
				(unsigned long)d[k], (unsigned long long)k, (unsigned long)right);
	}
	return status_ok();
}

const struct kernel kernel_sum_arrays = {
	.name = "sum-arrays",
	.title = "add two arrays into a third",
	.look_for = "form=indexed has one index, but on Haswell to Skylake its store takes the "
		    "address unit of a load port: 1.5 cycles. form=pointers has two more "
		    "additions, form=relative one. With alias=4 a load has the low 12 address bits "
		    "of the last store, and may wait for it.",
	.document = "Downs, Performance Speed Limits, Complex Addressing Limit",
	.element = "sum stored",
	.hint = "Down to form, then +; then unroll",
	.limit = "complex-addressing",
	KERNEL_KNOBS(knobs),
	.footprint = sum_footprint,
	.layout = sum_layout,
	.prepare = sum_prepare,
	.call = sum_call,
	.verify = sum_verify,
};
