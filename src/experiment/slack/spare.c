#include "experiment/slack/spare.h"

#include <stdio.h>

#include "kernels/assemble.h"

enum { VECTORS = 16 };

const char *const spare_general_names[SPARE_GENERALS][2] = { { "rax", "eax" }, { "rcx", "ecx" },
	{ "rdx", "edx" }, { "rbx", "ebx" }, { "rsp", "esp" }, { "rbp", "ebp" }, { "rsi", "esi" },
	{ "rdi", "edi" }, { "r8", "r8d" }, { "r9", "r9d" }, { "r10", "r10d" }, { "r11", "r11d" },
	{ "r12", "r12d" }, { "r13", "r13d" }, { "r14", "r14d" }, { "r15", "r15d" } };

void spare_usage(const struct decoded_function *function, struct spare_usage *usage)
{
	uint64_t first = function->insn[0].address,
		 last = function->insn[function->count - 1].address;

	*usage = (struct spare_usage){ .calls = false };
	rewrite_used(function, function->first, function->last, usage->loop);
	rewrite_used(function, 0, function->count - 1, usage->function);
	for (int i = 0; i < function->count; i++) {
		const struct insn *insn = &function->insn[i];

		usage->calls |= insn->flow == FLOW_CALL ||
				((insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH) &&
					(insn->target < first || insn->target > last));
		usage->wide |= insn->vector && insn->width > 128;
	}
}

struct status spare_assemble(const char *text, uint64_t target, struct code_line *line)
{
	size_t length = 0;
	struct status status = encode_line(text, line->bytes, &length);
	struct insn insn;

	if (!status_is_ok(&status))
		return status;
	decode_insn(line->bytes, length, 0, &insn);
	line->length = (uint8_t)length;
	line->distance_at = insn.distance_bytes == 4 ? insn.distance_at : 0;
	line->target = target;
	return status;
}

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

/* A list of registers, in the order in which added instructions may use them. */
struct order {
	int first;  /* number of the first general or vector register: REG_GENERAL or REG_VECTOR */
	int passed; /* the registers of the list before this index may hold arguments of a call */
	int kept;   /* a caller expects the registers of the list from this index on to be unchanged
		     */
	int count, reg[SPARE_GENERALS];
};

/* Chooses `wanted` registers that the loop does not use. Registers that need not be saved, because
 * no other code needs them, are chosen first. Returns the number of registers found. Sets a bit of
 * *saved for each chosen register that must be saved. */
static int choose(const struct spare_usage *usage, const struct order *order, int wanted,
	int *found, unsigned *saved)
{
	int count = 0;

	*saved = 0;
	for (int needed = 0; needed < 2; needed++)
		for (int i = 0; i < order->count && count < wanted; i++) {
			int reg = order->first + order->reg[i];
			bool needs = usage->function[reg] || i >= order->kept ||
				     (usage->calls && i < order->passed);

			if (usage->loop[reg] || needs != needed)
				continue;
			*saved |= needs ? 1u << count : 0;
			found[count++] = order->reg[i];
		}
	return count;
}

struct status spare_general(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame)
{
	static const struct order order = { REG_GENERAL, 7, 9, 15,
		{ 9, 8, 7, 6, 2, 1, 0, 11, 10, 3, 5, 12, 13, 14, 15 } };
	unsigned saves;
	int count = choose(usage, &order, wanted, found, &saves);
	struct status status = status_ok();

	if (count < wanted)
		return status_failed("the loop leaves %d general register%s free, and added "
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
	static const struct order order = { REG_VECTOR, 8, VECTORS, VECTORS,
		{ 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8 } };
	unsigned saves;
	int count = choose(usage, &order, wanted, found, &saves);
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

void spare_frame_add(const struct spare_frame *frame, struct rewrite *rewrite)
{
	rewrite->before = frame->before;
	rewrite->before_count = frame->before_count;
	rewrite->after = frame->after;
	rewrite->after_count = frame->after_count;
}
