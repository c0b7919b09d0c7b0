/* Registers of x86-64 that a loop leaves free: see spare.h. */
#include <stdio.h>

#include "experiment/slack/spare.h"

enum { VECTORS = 16 };

const char *const spare_general_names[SPARE_GENERALS][2] = { { "rax", "eax" }, { "rcx", "ecx" },
	{ "rdx", "edx" }, { "rbx", "ebx" }, { "rsp", "esp" }, { "rbp", "ebp" }, { "rsi", "esi" },
	{ "rdi", "edi" }, { "r8", "r8d" }, { "r9", "r9d" }, { "r10", "r10d" }, { "r11", "r11d" },
	{ "r12", "r12d" }, { "r13", "r13d" }, { "r14", "r14d" }, { "r15", "r15d" } };

/* Adds instructions that save a register to memory before the loop, and restore it after the loop.
 */
static struct status save(
	struct spare_frame *frame, const char *move, const char *reg, uint64_t memory)
{
	struct status status;
	char line[48];

	snprintf(line, sizeof(line), "%s [rip+0], %s", move, reg);
	status = spare_assemble(line, memory, &frame->before[frame->before_count++]);
	if (!status_is_ok(&status))
		return status;
	snprintf(line, sizeof(line), "%s %s, [rip+0]", move, reg);
	return spare_assemble(line, memory, &frame->after[frame->after_count++]);
}

struct status spare_general(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame)
{
	static const struct spare_order order = { REG_GENERAL, 7, 9, 15,
		{ 9, 8, 7, 6, 2, 1, 0, 11, 10, 3, 5, 12, 13, 14, 15 } };
	unsigned saves;
	int count = spare_choose(usage, &order, wanted, found, &saves);
	struct status status = status_ok();

	if (count < wanted)
		return status_failed("the loop leaves %d general register%s free, but added "
				     "instructions need %d",
			count, count == 1 ? "" : "s", wanted);
	for (int i = 0; i < count && status_is_ok(&status); i++)
		if (saves >> i & 1)
			status = save(frame, "mov", spare_general_names[found[i]][0],
				saved + (uint64_t)i * 8);
	return status;
}

struct status spare_vectors(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame)
{
	static const struct spare_order order = { REG_VECTOR, 8, VECTORS, VECTORS,
		{ 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8 } };
	unsigned saves;
	int count = spare_choose(usage, &order, wanted, found, &saves);
	struct status status = status_ok();
	char text[12];

	if (count < wanted)
		return status_failed(
			"the loop leaves %d vector register%s free, but added instructions need %d",
			count, count == 1 ? "" : "s", wanted);
	/* Writing the lower 128 bits of a vector register clears its upper part, which save() does
	 * not save. */
	if (saves && usage->wide)
		return status_failed(
			"the function uses all vector registers, so added instructions have none");
	for (int i = 0; i < count && status_is_ok(&status); i++) {
		snprintf(text, sizeof(text), "xmm%d", found[i]);
		if (saves >> i & 1)
			status = save(frame, "vmovupd", text, saved + (uint64_t)i * 64);
	}
	return status;
}
