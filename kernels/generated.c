/* See made.h. */
#include "kernels/generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/assemble.h"
#include "kernels/features.h"

/* Instructions of a loop: so many that its own two weigh nothing (0.3 % where the width binds), and
 * so few that the smallest op cache holds them, however it is divided. Of them so many are
 * assembled one by one; the rest are copies. */
enum { LOOP = 384, BLOCK = 60, BLOCKS_TRIED = 48 };

enum { ROOM = 64 << 10, MEMORY = 16 << 10, GENERATED_BINS = 1024 };

/* Where it begins in memory. */
enum {
	SELF = 0,
	DATA = 4 << 10,
	STORES = 8 << 10,
	CONSTANTS = 12 << 10,
	CONSTANT = 64,
	ZEROS = 3 * CONSTANT
};

struct generated {
	struct kernel kernel;
	struct generated_loop loop;
	struct generated *next; /* of the same bin */
};

/* General registers that instances take in turn. */
enum { GENERATED_GENERAL = 8 };

/* Places in the run's memory: data, where stores go, and a vector each of what takes turns, the
 * one, the odd one, zeros, and set bits. */
struct generated_offsets {
	unsigned data, stores, begin, one, odd, zero, set;
};

/* ---- The instruction set: registers that instances take in turn, and the function around the
 * loop, whose arguments are iterations and memory. */

#if defined(__x86_64__)

/* Of 32 vector registers 16 and up need AVX-512 instructions, which not everything has. */
enum { VECTORS = 12, MORE_FROM = 16, MORE = 16 };

static const char *const saved[] = { "rbx", "rbp", "r12", "r13", "r14", "r15" };

static const char *const general[GENERATED_GENERAL][4] = {
	{ "rbx", "ebx", "bx", "bl" },
	{ "rsi", "esi", "si", "sil" },
	{ "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" },
	{ "r8", "r8d", "r8w", "r8b" },
	{ "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10d", "r10w", "r10b" },
	{ "r13", "r13d", "r13w", "r13b" },
};

static unsigned generated_arch_vectors(unsigned bits)
{
	return bits > 256 ? VECTORS + MORE : VECTORS;
}

static size_t generated_arch_register(char kind, unsigned at, char *text, size_t size)
{
	switch (kind) {
	case 'n':
		return (size_t)snprintf(
			text, size, "%u", at < VECTORS ? at : at - VECTORS + MORE_FROM);
	case 'k': return (size_t)snprintf(text, size, "%u", 2 + at % 6);
	case 'r': return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][0]);
	case 'e': return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][1]);
	case 'h': return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][2]);
	case 'b': return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][3]);
	default: return (size_t)snprintf(text, size, "%%%c", kind);
	}
}

static size_t generated_arch_vector(unsigned bits, char *text, size_t size)
{
	return (size_t)snprintf(text, size, "%s", bits > 256 ? "zmm" : bits > 128 ? "ymm" : "xmm");
}

/* All vector registers; of masks, all bits. */
static void vectors(struct assembly *as, const struct generated_offsets *offsets, bool clean)
{
	bool wide = !clean && features_have(FEATURE_AVX512), avx = features_have(FEATURE_AVX);
	const unsigned last[] = { offsets->set, offsets->zero, offsets->odd, offsets->one };
	const char *move = wide ? "vmovups zmm" : avx && !clean ? "vmovups ymm" : "movups xmm";

	if (clean && avx)
		assemble(as, "vzeroupper");
	for (unsigned i = 0; i < (wide ? 32u : 16u); i++)
		assemble(as, "%s%u, [rsi+%u]", move, i,
			i >= 12 && i < 16 ? last[i - 12] : offsets->begin);
	for (int i = 0; i < 8 && wide; i++)
		assemble(as, "kxnorq k%d, k%d, k%d", i, i, i);
}

static void generated_arch_begin(
	struct assembly *as, const struct generated_offsets *offsets, bool clean)
{
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++)
		assemble(as, "push %s", saved[i]);
	assemble(as, "mov r15, rdi");
	assemble(as, "lea r14, [rsi+%u]", offsets->data);
	assemble(as, "lea r12, [rsi+%u]", offsets->stores);
	vectors(as, offsets, clean);
	assemble(as, "mov eax, 1");
	assemble(as, "mov edx, 1");
	assemble(as, "mov ecx, 1");
	assemble(as, "mov r11d, 0");
	for (int i = 0; i < GENERATED_GENERAL; i++)
		assemble(as, "mov %s, 1", general[i][1]);
}

static void generated_arch_end(struct assembly *as, int top)
{
	assemble(as, "dec r15");
	assemble_jump(as, "jnz", top);
	if (features_have(FEATURE_AVX))
		assemble(as, "vzeroupper");
	for (size_t i = sizeof(saved) / sizeof(*saved); i > 0; i--)
		assemble(as, "pop %s", saved[i - 1]);
	assemble(as, "ret");
}

#else

/* Only registers that a function may change: of general ones 0 to 15, of vectors 0 to 7 and 16 to
 * 31. */
enum { LOW = 8, HIGH_FROM = 16, VECTORS = 20 };

static unsigned generated_arch_vectors(unsigned bits)
{
	(void)bits;
	return VECTORS;
}

static unsigned vector(unsigned at)
{
	return at < LOW ? at : at - LOW + HIGH_FROM;
}

static size_t generated_arch_register(char kind, unsigned at, char *text, size_t size)
{
	switch (kind) {
	case 'n': return (size_t)snprintf(text, size, "%u", vector(at));
	case 'g': return (size_t)snprintf(text, size, "%u", at % GENERATED_GENERAL);
	default: return (size_t)snprintf(text, size, "%%%c", kind);
	}
}

static size_t generated_arch_vector(unsigned bits, char *text, size_t size)
{
	(void)bits;
	return (size_t)snprintf(text, size, "v");
}

static void generated_arch_begin(
	struct assembly *as, const struct generated_offsets *offsets, bool clean)
{
	const struct {
		unsigned vector, offset;
	} last[] = { { 28, offsets->set }, { 29, offsets->zero }, { 30, offsets->odd },
		{ 31, offsets->one } };

	(void)clean;
	assemble(as, "mov x15, x0");
	assemble(as, "add x14, x1, #%u", offsets->data);
	assemble(as, "add x12, x1, #%u", offsets->stores);
	assemble(as, "add x9, x1, #%u", offsets->begin & ~0xfffu);
	for (unsigned i = 0; i < VECTORS; i++)
		assemble(as, "ldr q%u, [x9, #%u]", vector(i), offsets->begin & 0xfff);
	for (unsigned i = 0; i < sizeof(last) / sizeof(*last); i++)
		assemble(as, "ldr q%u, [x9, #%u]", last[i].vector, last[i].offset & 0xfff);
	for (unsigned i = 0; i < GENERATED_GENERAL; i++)
		assemble(as, "mov x%u, #1", i);
	assemble(as, "mov x8, #1");
	assemble(as, "mov x9, #1");
	assemble(as, "mov x10, #1");
	assemble(as, "mov x11, #0");
}

static void generated_arch_end(struct assembly *as, int top)
{
	assemble(as, "subs x15, x15, #1");
	assemble_jump(as, "b.ne", top);
	assemble(as, "ret");
}

#endif

/* ---- The body */

/* An instance of a part: which one. */
struct turn {
	const struct generated_part *part;
	unsigned first, registers; /* of those that all parts take turns at, where the part's begin,
				      and how many */
	unsigned instance;
};

/* What two characters stand for is no longer than this: a place of 2047 bytes. */
enum { STANDS_FOR = 4 };

/* One line, with what stands in it for other text. What is too long for an instruction the
 * assembler refuses. */
static void substitute(
	struct assembly *as, const char *line, size_t length, const struct turn *turn)
{
	char text[GENERATED_LINES * STANDS_FOR + 1];
	size_t used = 0;
	unsigned at = turn->first + turn->instance % turn->registers;
	unsigned bytes = turn->part->bits ? turn->part->bits / 8 : 8;

	for (size_t i = 0; i < length; i++) {
		if (line[i] == '%' && i + 1 < length) {
			i++;
			if (line[i] == 'o')
				used += (size_t)snprintf(text + used, sizeof(text) - used, "%u",
					turn->instance * bytes % 2048);
			else
				used += generated_arch_register(
					line[i], at, text + used, sizeof(text) - used);
		} else if (line[i] == 'V' && turn->part->bits) {
			used += generated_arch_vector(
				turn->part->bits, text + used, sizeof(text) - used);
		} else {
			text[used++] = line[i];
		}
	}
	text[used] = '\0';
	if (used > 2 && text[used - 1] == '>') {
		int behind = assemble_label(as);

		text[strcspn(text, " ")] = '\0';
		assemble_jump(as, text, behind);
		assemble_bind(as, behind);
	} else if (strncmp(text, "align ", 6) == 0) {
		assemble_align(as, strtoul(text + 6, NULL, 10));
	} else {
		assemble(as, "%s", text);
	}
}

/* Calls for each line: ';' and blanks separate them. Returns how many there are. */
static unsigned each_line(struct assembly *as, const char *lines, const struct turn *turn)
{
	unsigned count = 0;

	while (*lines) {
		size_t length = strcspn(lines, ";"), blank = strspn(lines, " ");

		if (blank < length) {
			if (as)
				substitute(as, lines + blank, length - blank, turn);
			count++;
		}
		lines += length;
		lines += *lines == ';';
	}
	return count;
}

static unsigned instructions(const struct generated_loop *loop)
{
	unsigned count = 0;

	for (int i = 0; i < loop->part_count; i++)
		count += loop->part[i].times * each_line(NULL, loop->part[i].lines, NULL);
	return count ? count : 1;
}

/* What takes turns at the same registers. */
enum kind { GENERAL, NARROW, WIDE };

static enum kind kind_of(const struct generated_part *part)
{
	return part->bits == 0 ? GENERAL : part->bits <= 256 ? NARROW : WIDE;
}

/* What the parts of a kind get of its registers, from … to - 1: what they ask for where that can be
 * had, and the rest of them even shares. */
static void share_out(const struct generated_loop *loop, enum kind kind, unsigned from, unsigned to,
	struct turn turns[GENERATED_PARTS])
{
	unsigned wanted = 0, open = 0, parts = 0, at = from;

	for (int i = 0; i < loop->part_count; i++)
		if (kind_of(&loop->part[i]) == kind) {
			wanted += loop->part[i].registers;
			open += loop->part[i].registers == 0;
			parts++;
		}
	for (int i = 0; i < loop->part_count; i++) {
		const struct generated_part *part = &loop->part[i];
		unsigned registers = part->registers, there = to - from;

		if (kind_of(part) != kind)
			continue;
		if (registers == 0)
			registers = wanted < there ? (there - wanted) / open : there / parts;
		else if (parts > 1 && wanted + open > there)
			registers = registers * (there - open) / wanted;
		registers = registers == 0 ? 1 : registers > there ? there : registers;
		if (at + registers > to)
			at = from;
		turns[i] = (struct turn){ .part = part, .first = at, .registers = registers };
		at += registers;
	}
}

static void share(const struct generated_loop *loop, struct turn turns[GENERATED_PARTS])
{
	unsigned few = generated_registers(128), many = generated_registers(512);
	bool narrow = false;

	for (int i = 0; i < loop->part_count; i++)
		narrow = narrow || kind_of(&loop->part[i]) == NARROW;
	share_out(loop, GENERAL, 0, generated_registers(0), turns);
	share_out(loop, NARROW, 0, few, turns);
	share_out(loop, WIDE, narrow && few < many ? few : 0, many, turns);
}

/* Bodies that are assembled one by one: enough, and such that every part has then been round its
 * registers a whole number of times, where that can be had. */
static unsigned bodies(const struct generated_loop *loop, const struct turn turns[GENERATED_PARTS])
{
	unsigned least = (BLOCK + instructions(loop) - 1) / instructions(loop);

	for (unsigned count = least;
		count < least + BLOCKS_TRIED && count * instructions(loop) <= LOOP; count++) {
		bool whole = true;

		for (int i = 0; i < loop->part_count; i++)
			whole = whole && loop->part[i].times * count % turns[i].registers == 0;
		if (whole)
			return count;
	}
	return least;
}

/* One body: whichever part is furthest behind comes next. */
static void body(
	struct assembly *as, const struct generated_loop *loop, struct turn turns[GENERATED_PARTS])
{
	unsigned made[GENERATED_PARTS] = { 0 }, all = 0;

	for (int i = 0; i < loop->part_count; i++)
		all += loop->part[i].times;
	for (unsigned step = 0; step < all; step++) {
		int next = 0;
		double behind = -1;

		for (int i = 0; i < loop->part_count; i++) {
			double due = (double)loop->part[i].times * (step + 1) / all - made[i];

			if (made[i] < loop->part[i].times && due > behind) {
				behind = due;
				next = i;
			}
		}
		each_line(as, loop->part[next].lines, &turns[next]);
		turns[next].instance++;
		made[next]++;
	}
}

/* ---- the kernel */

static const struct generated *made_of(const struct kernel_run *run)
{
	return (const struct generated *)run->kernel;
}

static uint64_t made_footprint(const int64_t *v)
{
	(void)v;
	return MEMORY;
}

static size_t made_room(const int64_t *v)
{
	(void)v;
	return ROOM;
}

static void fill(unsigned char *to, size_t bytes, enum made_values values, double value)
{
	float narrow = (float)value;

	for (size_t i = 0; i < bytes; i += 8)
		if (values == GENERATED_F64) {
			memcpy(to + i, &value, 8);
		} else {
			memcpy(to + i, &narrow, 4);
			memcpy(to + i + 4, &narrow, 4);
		}
}

static void lay_out(const struct generated *made, unsigned char *memory)
{
	enum made_values values = made->loop.values;

	for (size_t i = SELF; i < DATA; i += 8) {
		uint64_t self = (uint64_t)(uintptr_t)(memory + i);

		memcpy(memory + i, &self, 8);
	}
	fill(memory + DATA, STORES - DATA, values, 1);
	memset(memory + STORES, 0, MEMORY - STORES);
	fill(memory + CONSTANTS, CONSTANT, values, 1.3);
	fill(memory + CONSTANTS + CONSTANT, CONSTANT, values, 1);
	fill(memory + CONSTANTS + 2 * CONSTANT, CONSTANT, values, 1.7);
	memset(memory + CONSTANTS + ZEROS + 4 * CONSTANT, 255, CONSTANT);
}

static struct status made_prepare(struct kernel_run *run)
{
	const struct generated *made = made_of(run);
	const struct generated_loop *loop = &made->loop;
	struct turn turns[GENERATED_PARTS];
	struct assembly *as = memory_new(1, sizeof(*as));
	const struct generated_offsets offsets = { DATA, STORES, CONSTANTS, CONSTANTS + CONSTANT,
		CONSTANTS + 2 * CONSTANT, CONSTANTS + ZEROS, CONSTANTS + ZEROS + 4 * CONSTANT };
	unsigned count, copies;
	unsigned char *block;
	struct status status;
	int top;

	lay_out(made, run->memory);
	share(loop, turns);
	count = bodies(loop, turns);
	copies = (LOOP + count * instructions(loop) - 1) / (count * instructions(loop));
	if (loop->bodies) {
		count = loop->bodies;
		copies = 1;
	}
	assemble_begin(as, run->code.buffer, run->code.buffer_bytes);
	generated_arch_begin(as, &offsets, loop->clean);
	each_line(as, loop->setup, &(struct turn){ .part = &loop->part[0], .registers = 1 });
	assemble_align(as, 64);
	top = assemble_here(as);
	block = as->at;
	for (unsigned i = 0; i < count; i++)
		body(as, loop, turns);
	assemble_again(as, block, copies - 1);
	generated_arch_end(as, top);
	status = assemble_end(as);
	free(as);
	run->granule = run->ring = (uint64_t)count * copies;
	run->code.start = run->code.buffer;
	return status;
}

typedef void made_function(uint64_t turns, unsigned char *memory);

static KERNEL_LOOP void made_call(struct kernel_run *run, uint64_t elements)
{
	union {
		const void *code;
		made_function *function;
	} made = { .code = run->code.start };

	made.function(elements / run->granule, run->memory);
}

/* ---- all there are */

static struct generated *bins[GENERATED_BINS];

static bool same(const struct generated_loop *a, const struct generated_loop *b)
{
	if (a->part_count != b->part_count || a->values != b->values || a->clean != b->clean ||
		a->bodies != b->bodies || strcmp(a->setup, b->setup) != 0)
		return false;
	for (int i = 0; i < a->part_count; i++)
		if (a->part[i].bits != b->part[i].bits || a->part[i].times != b->part[i].times ||
			a->part[i].registers != b->part[i].registers ||
			strcmp(a->part[i].lines, b->part[i].lines) != 0)
			return false;
	return true;
}

/* FNV-1a of what differs most. */
static unsigned bin_of(const struct generated_loop *loop)
{
	uint32_t hash = 2166136261u;

	for (int i = 0; i < loop->part_count; i++) {
		for (const char *at = loop->part[i].lines; *at; at++)
			hash = (hash ^ (unsigned char)*at) * 16777619u;
		hash = (hash ^ loop->part[i].times) * 16777619u;
		hash = (hash ^ loop->part[i].registers << 10 ^ loop->part[i].bits) * 16777619u;
	}
	return (hash ^ hash >> 16) % GENERATED_BINS;
}

static const struct kernel kernel_made = {
	.name = "made",
	.title = "a loop made at run time",
	.look_for = "",
	.document = "",
	.element = "body",
	.footprint = made_footprint,
	.seamless = true,
	.code_bytes = made_room,
	.prepare = made_prepare,
	.call = made_call,
};

const struct kernel *generated_kernel(const struct generated_loop *loop)
{
	struct generated **at = &bins[bin_of(loop)];

	while (*at && !same(&(*at)->loop, loop))
		at = &(*at)->next;
	if (!*at) {
		*at = memory_new(1, sizeof(**at));
		(*at)->kernel = kernel_made;
		(*at)->loop = *loop;
	}
	return &(*at)->kernel;
}

const struct generated_loop *generated_loop_of(const struct kernel *kernel)
{
	return kernel->prepare == made_prepare ? &((const struct generated *)kernel)->loop : NULL;
}

unsigned generated_registers(unsigned bits)
{
	return bits ? generated_arch_vectors(bits) : GENERATED_GENERAL;
}
