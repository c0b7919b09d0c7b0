/* Fillers of x86-64: see fillers.h. */
#include "experiment/slack/fillers.h"
#include "experiment/slack/spare.h"

const struct filler fillers[] = {
	{ FILLS_WIDTH, "nop", NULL, NULL, NULL },
	{ FILLS_WIDTH, "mov %r, %p", NULL, NULL, NULL },
	{ FILLS_LOADS, "mov %r, [%l]", NULL, NULL, NULL },
	{ FILLS_VECTOR_LOADS, "vmovsd xmm%n, [%l]", "avx", NULL, NULL },
	{ FILLS_STORES, "mov [%s], %p", NULL, NULL, NULL },
	{ FILLS_VECTOR_STORES, "vmovsd [%s], xmm%m", "avx", NULL, NULL },
	{ FILLS_TAKEN, "jump", NULL, NULL, NULL },
	{ FILLS_PORTS, "movsxd %r, %q", NULL, NULL, NULL },
	{ FILLS_PORTS, "lea %r, [%p+1]", NULL, NULL, NULL },
	{ FILLS_PORTS, "rorx %r, %p, 5", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "sarx %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "pdep %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "imul %r, %p, 3", NULL, NULL, NULL },
	{ FILLS_PORTS, "popcnt %r, %p", "sse4", NULL, NULL },
	{ FILLS_PORTS, "lzcnt %r, %p", "lzcnt", NULL, NULL },
	{ FILLS_PORTS, "andn %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "bzhi %r, %p, %p", "bmi2", NULL, NULL },
	{ FILLS_PORTS, "shl %r, 3", NULL, NULL, NULL },
	{ FILLS_PORTS, "pass", NULL, "cmp %p, %p", NULL },
	{ FILLS_PORTS, "vpaddd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vaddpd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vmulpd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpslld xmm%n, xmm%m, 3", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpshufb xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpmullw xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpabsd xmm%n, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vpavgb xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	/* Of 128 bits: an instruction of 256 bits slows down later SSE code. */
	{ FILLS_PORTS, "vpalignr xmm%n, xmm%m, xmm%m, 1", "avx", NULL, NULL },
	{ FILLS_PORTS, "vextracti128 xmm%n, ymm%m, 1", "avx2", NULL, NULL },
	{ FILLS_PORTS, "vucomisd xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "vdivpd xmm%n, xmm%m, xmm%m", "avx", NULL, NULL },
	{ FILLS_PORTS, "div eax", NULL, "mov %j, rax;mov %k, rdx;mov eax, 3;xor edx, edx",
		"mov rax, %j;mov rdx, %k" },
};
const unsigned filler_count = sizeof(fillers) / sizeof(*fillers);
_Static_assert(sizeof(fillers) / sizeof(*fillers) <= FILLERS_MOST, "too many fillers");

/* Addresses are relative to the instruction. */
struct status filler_find_data(
	struct spare_usage *usage, struct filler_places *places, struct spare_frame *frame)
{
	(void)usage, (void)places, (void)frame;
	return status_ok();
}

void filler_address(
	const struct filler_places *places, int offset, struct text *text, uint64_t *target)
{
	text_add(text, "rip+0");
	*target = places->data + (uint64_t)offset;
}

void filler_jump(struct code_line *line)
{
	*line = (struct code_line){ .bytes = { 0xeb, 0 }, .length = 2, .skips = true };
}

/* jne, after a comparison of a register with itself. */
void filler_pass(struct code_line *line)
{
	*line = (struct code_line){ .bytes = { 0x75, 0 }, .length = 2 };
}

const char filler_load_numbers[] = "vmovupd xmm%m, [%v]";
