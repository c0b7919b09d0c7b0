/* The kernel scatter-stores stores to random places, given by an array of indices. An instruction
 * makes one store or sixteen stores.
 *
 * Memory holds n indices of 4 bytes, then the n elements of 4 bytes that the indices select. */
#include "kernels/features.h"
#include "kernels/ring.h"

enum { SIZE, FORM, PAGES };
enum { FORM_SCALAR, FORM_SCATTER };
enum { STORED = 0x5a5a5a5a };
/* Largest working set in bytes for which both lengths of a trial are whole passes. */
enum { WHOLE_PASSES = 256 << 10 };

static const char *const form_names[] = { "scalar", "scatter", NULL };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_SIZE("bytes of indices and elements, half each", 16384),
	[FORM] = KNOB_ROW_CHOICE("form", "one store per element, or a scatter of sixteen (AVX-512)",
		form_names, .role = KNOB_FORM),
	[PAGES] = KNOB_ROW_PAGES,
};

struct scatter_walk {
	struct ring ring;
	const uint32_t *index;
	uint32_t *to;
};

/* for (; index != end; index += 4)
 *     to[index[0]] = to[index[1]] = to[index[2]] = to[index[3]] = value; */
KERNEL_LOOP static void scatter_scalar(struct scatter_walk *walk)
{
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *index = walk->index + from * 4, *end = index + turns * 4;
		uint64_t t;

		__asm__ volatile(".p2align 6\n"
				 "1:\n"
				 "	.irp at, 0, 4, 8, 12\n"
#if defined(__x86_64__)
				 "	movl \\at(%[index]), %k[t]\n"
				 "	movl %k[value], (%[to],%q[t],4)\n"
				 "	.endr\n"
				 "	addq $16, %[index]\n"
				 "	cmpq %[index], %[end]\n"
				 "	jne 1b\n"
#else
				 "	ldr %w[t], [%[index], #\\at]\n"
				 "	str %w[value], [%[to], %[t], lsl #2]\n"
				 "	.endr\n"
				 "	add %[index], %[index], #16\n"
				 "	cmp %[index], %[end]\n"
				 "	b.ne 1b\n"
#endif
				 : [index] "+r"(index), [t] "=&r"(t)
				 : [to] "r"(walk->to), [end] "r"(end), [value] "r"(STORED)
				 : "memory", "cc");
	}
}

#if defined(__x86_64__)
/* for (; index != end; index += 16)
 *     to[index[0…15]] = value; */
KERNEL_LOOP static void scatter_vector(struct scatter_walk *walk)
{
	uint64_t turns, from;

	while ((turns = ring_piece(&walk->ring, &from))) {
		const uint32_t *index = walk->index + from * 16, *end = index + turns * 16;

		__asm__ volatile("	vpbroadcastd %k[value], %%zmm0\n"
				 ".p2align 6\n"
				 "1:\n"
				 "	vmovdqu32 (%[index]), %%zmm1\n"
				 "	kxnorw %%k1, %%k1, %%k1\n"
				 "	vpscatterdd %%zmm0, (%[to],%%zmm1,4)%{%%k1%}\n"
				 "	addq $64, %[index]\n"
				 "	cmpq %[index], %[end]\n"
				 "	jne 1b\n"
				 "	vzeroupper\n"
				 : [index] "+r"(index)
				 : [to] "r"(walk->to), [end] "r"(end), [value] "r"(STORED)
				 : "memory", "cc", "xmm0", "xmm1");
	}
}
#else
/* scatter_vector() never runs on AArch64, because check() rejects form=scatter there. */
#define scatter_vector scatter_scalar
#endif

static struct status scatter_check(const int64_t *v)
{
	return v[FORM] == FORM_SCATTER ? features_need(FEATURE_AVX512, "form=scatter")
				       : status_ok();
}

static uint64_t count_of(const int64_t *v)
{
	uint64_t count = (uint64_t)v[SIZE] / 8 / 16 * 16;

	/* The indices of a scatter instruction are signed. */
	return count < 1ull << 31 ? count : 1ull << 31;
}

static uint64_t scatter_footprint(const int64_t *v)
{
	return count_of(v) * 8;
}

static uint32_t index_of(uint64_t seed, uint64_t count, uint64_t at)
{
	struct random random = { seed + at };

	return (uint32_t)random_below(&random, count);
}

static void scatter_describe(const int64_t *v, struct kernel_walk *walk)
{
	/* Each store goes to another cache line. The loop reads the indices in the order of memory.
	 */
	walk->lines = 1;
	walk->scattered = true;
	walk->range = 4.0 * (double)count_of(v);
}

static void put(struct kernel_run *run, uint64_t i)
{
	uint64_t count = count_of(run->v);
	uint32_t *index = (uint32_t *)(void *)run->memory;

	index[i] = index_of(run->seed, count, i);
	index[count + i] = 0;
}

static struct status scatter_prepare(struct kernel_run *run)
{
	uint64_t count = count_of(run->v);

	run->granule = run->v[FORM] == FORM_SCATTER ? 16 : 4;
	run->ring = count;
	/* A load of an index may have to wait for an earlier store if their addresses differ by a
	 * multiple of 4 KiB. The number of waits for earlier stores differs between parts of a pass
	 * over the data. A half pass may therefore take longer than half of a whole pass. If a
	 * trial compared a whole with a half pass over the data, their difference could then be too
	 * small. */
	run->passes = true;
	run->period = count * 8 <= WHOLE_PASSES ? count : 0;
	run->bytes = 8;
	run->code.start =
		(const void *)(run->v[FORM] == FORM_SCATTER ? scatter_vector : scatter_scalar);
	run->code.name = run->v[FORM] == FORM_SCATTER ? "scatter_vector" : "scatter_scalar";
	return ring_lay_out(run, count, 8, put);
}

static void scatter_call(struct kernel_run *run, uint64_t elements)
{
	uint32_t *memory = (uint32_t *)(void *)run->memory;
	struct scatter_walk walk = {
		.index = memory,
		.to = memory + count_of(run->v),
	};

	RING_WALK(run, elements, &walk);
}

static struct status scatter_verify(struct kernel_run *run)
{
	uint64_t count = count_of(run->v),
		 walked = run->ring / 2 < 4096 ? run->ring / 2 / 16 * 16 : 4096;
	uint32_t *to = (uint32_t *)(void *)run->memory + count;
	uint64_t others = count < 4096 ? count : 4096;

	/* The check clears all elements to which the checked stores go, and the start of the array.
	 * After the checked stores, these elements must hold STORED, and the other cleared elements
	 * must not. */
	for (uint64_t i = 0; i < others; i++)
		to[i] = 0;
	for (uint64_t i = 0; i < walked; i++)
		to[index_of(run->seed, count, i)] = 0;
	scatter_call(run, walked);
	for (uint64_t i = 0; i < walked; i++) {
		uint32_t *place = &to[index_of(run->seed, count, i)];

		if (*place != STORED && *place != STORED + 1)
			return status_failed("scatter-stores did not store to place %llu",
				(unsigned long long)(place - to));
		*place = STORED + 1; /* marks the place as checked */
	}
	for (uint64_t i = 0; i < others; i++)
		if (to[i] == STORED)
			return status_failed(
				"scatter-stores stored to place %llu, which is in no index",
				(unsigned long long)i);
	return status_ok();
}

const struct kernel kernel_scatter_stores = {
	.name = "scatter-stores",
	.title = "store to random places",
	.look_for = "A scatter is one instruction, but makes one store per element: form=scatter "
		    "does not beat the limit on stores. Grow size past each cache: each random "
		    "store touches another line, and no prefetcher helps.",
	.document = "Downs, Performance Speed Limits, Stores",
	.element = "element stored",
	.hint = "Down to form, then +; then grow size",
	.limit = "stores",
	KERNEL_KNOBS(knobs),
	.check = scatter_check,
	.footprint = scatter_footprint,
	.prepare = scatter_prepare,
	.describe = scatter_describe,
	.call = scatter_call,
	.verify = scatter_verify,
};
