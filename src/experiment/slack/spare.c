#include "experiment/slack/spare.h"

#include "kernels/assemble.h"

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

int spare_choose(const struct spare_usage *usage, const struct spare_order *order, int wanted,
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

void spare_frame_add(const struct spare_frame *frame, struct rewrite *rewrite)
{
	rewrite->before = frame->before;
	rewrite->before_count = frame->before_count;
	rewrite->after = frame->after;
	rewrite->after_count = frame->after_count;
}
