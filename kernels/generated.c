/* See made.h. */
#include "kernels/generated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/assemble.h"
#include "kernels/features.h"
#include "kernels/generated_arch.h"

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

/* ---- the body */

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
