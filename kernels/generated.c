/* Generates the machine code of kernels at run time from lines of assembly: see generated.h. */
#include "kernels/generated.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/assemble.h"
#include "kernels/features.h"
#include "kernels/nops.h"

/* LOOP: minimum number of instructions of a loop. In a loop of LOOP instructions, the counter and
 * the branch cost 0.3 % of the time if the issue width is the limit. LOOP instructions still fit
 * the smallest op cache. BLOCK: minimum number of instructions that are assembled one by one; all
 * other instructions are copies. */
enum { LOOP = 384, BLOCK = 60, BLOCKS_TRIED = 48 };

/* If a kernel requests at most this number of copies of the loop body, each copy is assembled
 * separately. */
enum { SINGLY = 256 };

enum { CODE_BYTES = 64 << 10, MEMORY = 16 << 10, VECTOR = 64 };

/* Byte offsets of the parts of the memory that generated code accesses. The memory has words that
 * hold their own address, data, space for stores, and a vector for each initial register value. */
enum {
	SELF = 0,
	DATA = 4 << 10,
	STORES = 8 << 10,
	BEGIN = 12 << 10, /* initial value of the registers that copies of an instruction use in
			     turn */
	ONE = BEGIN + VECTOR,
	ODD = ONE + VECTOR,
	ZERO = ODD + VECTOR,
	SET = ZERO + 4 * VECTOR /* a vector with all bits set */
};

struct generated {
	struct kernel kernel;
	struct generated_loop loop;
	struct generated *next;
};

/* Number of general registers that copies of an instruction use in turn. */
enum { GENERAL_REGISTERS = 8 };

/* ---- The instruction set: the registers that copies of an instruction use in turn, and the code
 * before and after the loop. The arguments of a generated function are the number of iterations and
 * the address of the memory. */

#if defined(__x86_64__)

/* Vector registers 16 to 31 need AVX-512. */
enum { VECTORS = 12, MORE_FROM = 16, MORE = 16 };

static const char *const saved[] = { "rbx", "rbp", "r12", "r13", "r14", "r15" };

static const char general_kinds[] = "rehb";
static const char *const general[GENERAL_REGISTERS][4] = {
	{ "rbx", "ebx", "bx", "bl" },
	{ "rsi", "esi", "si", "sil" },
	{ "rdi", "edi", "di", "dil" },
	{ "rbp", "ebp", "bp", "bpl" },
	{ "r8", "r8d", "r8w", "r8b" },
	{ "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10d", "r10w", "r10b" },
	{ "r13", "r13d", "r13w", "r13b" },
};

unsigned generated_registers(unsigned bits)
{
	return bits == 0 ? GENERAL_REGISTERS : bits > 256 ? VECTORS + MORE : VECTORS;
}

static void add_register(struct text *line, char kind, unsigned at)
{
	const char *column = strchr(general_kinds, kind);

	if (kind == 'n')
		text_addf(line, "%u", at < VECTORS ? at : at - VECTORS + MORE_FROM);
	else if (kind == 'k')
		text_addf(line, "%u", 2 + at % 6);
	else if (column)
		text_add(line, general[at % GENERAL_REGISTERS][column - general_kinds]);
	else
		text_addf(line, "%%%c", kind);
}

static const char *vector_letter(unsigned bits)
{
	return bits > 256 ? "zmm" : bits > 128 ? "ymm" : "xmm";
}

/* Loads all vector registers, and sets all bits of mask registers. */
static void write_vectors(struct assembly *as, bool clean)
{
	static const unsigned last[] = { SET, ZERO, ODD, ONE };
	bool wide = !clean && features_have(FEATURE_AVX512), avx = features_have(FEATURE_AVX);
	const char *move = wide ? "vmovups zmm" : avx && !clean ? "vmovups ymm" : "movups xmm";

	if (clean && avx)
		assemble(as, "vzeroupper");
	for (unsigned i = 0; i < (wide ? 32u : 16u); i++)
		assemble(as, "%s%u, [rsi+%u]", move, i,
			i >= 12 && i < 16 ? last[i - 12] : (unsigned)BEGIN);
	for (int i = 0; i < 8 && wide; i++)
		assemble(as, "kxnorq k%d, k%d, k%d", i, i, i);
}

static void write_entry(struct assembly *as, bool clean)
{
	static const char *const values[] = { "mov eax, 1", "mov edx, 1", "mov ecx, 1",
		"mov r11d, 0" };

	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++)
		assemble(as, "push %s", saved[i]);
	assemble(as, "mov r15, rdi");
	assemble(as, "lea r14, [rsi+%u]", (unsigned)DATA);
	assemble(as, "lea r12, [rsi+%u]", (unsigned)STORES);
	write_vectors(as, clean);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assemble(as, "%s", values[i]);
	for (int i = 0; i < GENERAL_REGISTERS; i++)
		assemble(as, "mov %s, 1", general[i][1]);
}

static void write_exit(struct assembly *as, int top)
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

/* On AArch64, generated code uses only caller-saved registers: general registers 0 to 15, vector
 * registers 0 to 7 and 16 to 31. */
enum { LOW = 8, HIGH_FROM = 16, VECTORS = 20 };

unsigned generated_registers(unsigned bits)
{
	return bits == 0 ? GENERAL_REGISTERS : VECTORS;
}

static unsigned vector(unsigned at)
{
	return at < LOW ? at : at - LOW + HIGH_FROM;
}

static void add_register(struct text *line, char kind, unsigned at)
{
	if (kind == 'n' || kind == 'g')
		text_addf(line, "%u", kind == 'n' ? vector(at) : at % GENERAL_REGISTERS);
	else
		text_addf(line, "%%%c", kind);
}

static const char *vector_letter(unsigned bits)
{
	(void)bits;
	return "v";
}

static void write_entry(struct assembly *as, bool clean)
{
	static const unsigned last[] = { SET, ZERO, ODD, ONE };

	(void)clean;
	assemble(as, "mov x15, x0");
	assemble(as, "add x14, x1, #%u", (unsigned)DATA);
	assemble(as, "add x12, x1, #%u", (unsigned)STORES);
	assemble(as, "add x9, x1, #%u", (unsigned)BEGIN);
	for (unsigned i = 0; i < VECTORS; i++)
		assemble(as, "ldr q%u, [x9, #0]", vector(i));
	for (unsigned i = 0; i < 4; i++)
		assemble(as, "ldr q%u, [x9, #%u]", 28 + i, last[i] - BEGIN);
	for (unsigned i = 0; i < 12; i++)
		assemble(as, "mov x%u, #%d", i, i != 11);
}

static void write_exit(struct assembly *as, int top)
{
	assemble(as, "subs x15, x15, #1");
	assemble_jump(as, "b.ne", top);
	assemble(as, "ret");
}

#endif

/* ---- The body */

/* The registers of a part of the loop body (some assembly lines, repeated), and the number of its
 * next copy. */
struct turn {
	const struct generated_part *part;
	unsigned first, registers; /* the first register of this part of the loop body, and the
				      number of registers that its copies use in turn */
	unsigned instance;
};

static void add_nop(struct assembly *as, size_t length)
{
	if (status_is_ok(&as->status) && (length < NOP_SHORTEST || length > NOP_LONGEST ||
						 length > (size_t)(as->end - as->at)))
		as->status = status_failed("no nop of %zu bytes", length);
	if (status_is_ok(&as->status))
		as->at = write_nop(as->at, length);
}

/* Assembles one line after replacing its placeholders. The assembler rejects lines that are too
 * long. */
static void substitute(
	struct assembly *as, const char *from, size_t length, const struct turn *turn)
{
	unsigned at = turn->first + turn->instance % turn->registers;
	unsigned bytes = turn->part->bits ? turn->part->bits / 8 : 8;
	struct text line = { 0 };

	for (size_t i = 0; i < length; i++) {
		if (from[i] == '%' && i + 1 < length && from[i + 1] == 'o')
			i++, text_addf(&line, "%u", turn->instance * bytes % 2048);
		else if (from[i] == '%' && i + 1 < length)
			add_register(&line, from[++i], at);
		else if (from[i] == 'V' && turn->part->bits)
			text_add(&line, vector_letter(turn->part->bits));
		else
			text_addn(&line, &from[i], 1);
	}
	if (line.length > 2 && line.bytes[line.length - 1] == '>') {
		int after = assemble_label(as);

		line.bytes[strcspn(line.bytes, " ")] = '\0';
		assemble_jump(as, line.bytes, after);
		assemble_bind(as, after);
	} else if (strncmp(text_string(&line), "nop ", 4) == 0 &&
		   isdigit((unsigned char)line.bytes[4])) {
		add_nop(as, strtoul(line.bytes + 4, NULL, 10));
	} else if (strncmp(text_string(&line), "align ", 6) == 0) {
		assemble_align(as, strtoul(line.bytes + 6, NULL, 10));
	} else {
		assemble(as, "%s", text_string(&line));
	}
	text_free(&line);
}

/* Counts the assembly lines in `lines`, and assembles each line if `as` is not NULL. The character
 * ';' separates lines; leading blanks are skipped. Returns the number of lines. */
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

/* The kind of registers that a part of the loop body uses: general, vectors of at most 256 bits, or
 * wider vectors. Parts of the loop body that use the same kind of registers share one set of
 * registers. */
enum kind { GENERAL, NARROW, WIDE };

static enum kind kind_of(const struct generated_part *part)
{
	return part->bits == 0 ? GENERAL : part->bits <= 256 ? NARROW : WIDE;
}

/* Divides the registers with the numbers `from` to `to` - 1 among those parts of the loop body that
 * use one kind of registers. A part of the loop body gets the number of registers that it requests,
 * if possible. Parts without a requested number share the remaining registers equally. */
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

/* Returns the number of loop bodies to assemble one by one, which together have at least BLOCK
 * instructions. If possible, the number of loop bodies is chosen so that each part uses each of its
 * registers equally often. */
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

/* Writes one loop body, in which copies of the different parts are evenly mixed. The next copy
 * always comes from the part that lacks most of the copies due so far. */
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

/* ---- The kernel */

static const struct generated *made_of(const struct kernel_run *run)
{
	return (const struct generated *)run->kernel;
}

static uint64_t made_footprint(const int64_t *v)
{
	(void)v;
	return MEMORY;
}

static size_t made_code_bytes(const int64_t *v)
{
	(void)v;
	return CODE_BYTES;
}

static void fill(unsigned char *to, size_t bytes, enum made_values values, double value)
{
	float narrow[] = { (float)value, (float)value };

	for (size_t i = 0; i < bytes; i += 8)
		memcpy(to + i, values == GENERATED_F64 ? (void *)&value : narrow, 8);
}

static void lay_out(enum made_values values, unsigned char *memory)
{
	for (size_t i = SELF; i < DATA; i += 8) {
		uint64_t self = (uint64_t)(uintptr_t)(memory + i);

		memcpy(memory + i, &self, 8);
	}
	fill(memory + DATA, STORES - DATA, values, 1);
	memset(memory + STORES, 0, MEMORY - STORES);
	fill(memory + BEGIN, VECTOR, values, 1.3);
	fill(memory + ONE, VECTOR, values, 1);
	fill(memory + ODD, VECTOR, values, 1.7);
	memset(memory + SET, 255, VECTOR);
}

static struct status made_prepare(struct kernel_run *run)
{
	const struct generated_loop *loop = &made_of(run)->loop;
	struct turn turns[GENERATED_PARTS];
	struct assembly *as = memory_new(1, sizeof(*as));
	unsigned count, copies, length = instructions(loop);
	unsigned char *block;
	struct status status;
	int top;

	lay_out(loop->values, run->memory);
	share(loop, turns);
	/* A loop of many bodies consists of copies of a block. */
	if (loop->bodies > 0 && loop->bodies <= SINGLY) {
		count = loop->bodies;
		copies = 1;
	} else {
		count = bodies(loop, turns);
		copies = ((loop->bodies ? loop->bodies * length : LOOP) + count * length - 1) /
			 (count * length);
	}
	assemble_begin(as, run->code.buffer, run->code.buffer_bytes);
	write_entry(as, loop->clean);
	each_line(as, loop->setup, &(struct turn){ .part = &loop->part[0], .registers = 1 });
	assemble_align(as, 64);
	top = assemble_here(as);
	block = as->at;
	for (unsigned i = 0; i < count; i++)
		body(as, loop, turns);
	assemble_again(as, block, copies - 1);
	write_exit(as, top);
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

/* ---- All generated kernels */

static struct generated *all;

static bool same(const struct generated_loop *a, const struct generated_loop *b)
{
	if (a->part_count != b->part_count || a->values != b->values || a->clean != b->clean ||
		a->bodies != b->bodies || a->isolated != b->isolated ||
		strcmp(a->setup, b->setup) != 0)
		return false;
	for (int i = 0; i < a->part_count; i++)
		if (a->part[i].bits != b->part[i].bits || a->part[i].times != b->part[i].times ||
			a->part[i].registers != b->part[i].registers ||
			strcmp(a->part[i].lines, b->part[i].lines) != 0)
			return false;
	return true;
}

static const struct kernel kernel_made = {
	.name = "made",
	.title = "a loop made at run time",
	.look_for = "",
	.document = "",
	.element = "body",
	.footprint = made_footprint,
	.seamless = true,
	.code_bytes = made_code_bytes,
	.prepare = made_prepare,
	.call = made_call,
};

const struct kernel *generated_kernel(const struct generated_loop *loop)
{
	struct generated **at = &all;

	while (*at && !same(&(*at)->loop, loop))
		at = &(*at)->next;
	if (!*at) {
		*at = memory_new(1, sizeof(**at));
		(*at)->kernel = kernel_made;
		(*at)->kernel.isolated = loop->isolated;
		(*at)->loop = *loop;
	}
	return &(*at)->kernel;
}

const struct generated_loop *generated_loop_of(const struct kernel *kernel)
{
	return kernel->prepare == made_prepare ? &((const struct generated *)kernel)->loop : NULL;
}
