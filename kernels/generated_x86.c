/* Made loops on x86-64: see made_arch.h. */
#include "kernels/generated_arch.h"

#include <stdio.h>

#include "kernels/features.h"

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

unsigned generated_arch_vectors(unsigned bits)
{
	return bits > 256 ? VECTORS + MORE : VECTORS;
}

size_t generated_arch_register(char kind, unsigned at, char *text, size_t size)
{
	switch (kind) {
	case 'n':
		return (size_t)snprintf(
			text, size, "%u", at < VECTORS ? at : at - VECTORS + MORE_FROM);
	case 'k':
		return (size_t)snprintf(text, size, "%u", 2 + at % 6);
	case 'r':
		return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][0]);
	case 'e':
		return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][1]);
	case 'h':
		return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][2]);
	case 'b':
		return (size_t)snprintf(text, size, "%s", general[at % GENERATED_GENERAL][3]);
	default:
		return (size_t)snprintf(text, size, "%%%c", kind);
	}
}

size_t generated_arch_vector(unsigned bits, char *text, size_t size)
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

void generated_arch_begin(struct assembly *as, const struct generated_offsets *offsets, bool clean)
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

void generated_arch_end(struct assembly *as, int top)
{
	assemble(as, "dec r15");
	assemble_jump(as, "jnz", top);
	if (features_have(FEATURE_AVX))
		assemble(as, "vzeroupper");
	for (size_t i = sizeof(saved) / sizeof(*saved); i > 0; i--)
		assemble(as, "pop %s", saved[i - 1]);
	assemble(as, "ret");
}
