/* Made loops on AArch64: see made_arch.h. Only registers that a function may change are used: 0 to
 * 15 of general ones, of vectors 0 to 7 and 16 to 31. */
#include "kernels/generated_arch.h"

#include <stdio.h>

enum { LOW = 8, HIGH_FROM = 16, VECTORS = 20 };

unsigned generated_arch_vectors(unsigned bits)
{
	(void)bits;
	return VECTORS;
}

static unsigned vector(unsigned at)
{
	return at < LOW ? at : at - LOW + HIGH_FROM;
}

size_t generated_arch_register(char kind, unsigned at, char *text, size_t size)
{
	switch (kind) {
	case 'n':
		return (size_t)snprintf(text, size, "%u", vector(at));
	case 'g':
		return (size_t)snprintf(text, size, "%u", at % GENERATED_GENERAL);
	default:
		return (size_t)snprintf(text, size, "%%%c", kind);
	}
}

size_t generated_arch_vector(unsigned bits, char *text, size_t size)
{
	(void)bits;
	return (size_t)snprintf(text, size, "v");
}

void generated_arch_begin(struct assembly *as, const struct generated_offsets *offsets, bool clean)
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

void generated_arch_end(struct assembly *as, int top)
{
	assemble(as, "subs x15, x15, #1");
	assemble_jump(as, "b.ne", top);
	assemble(as, "ret");
}
