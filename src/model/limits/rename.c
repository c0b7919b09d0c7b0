/* Which instructions rename takes together in one cycle.
 *
 * Measured on Golden Cove, which renames 6 slots per cycle, with 34 loops of nops and instructions
 * that rename splits in two: such an instruction must be among the first three slots of its cycle,
 * counted before the split, and a cycle takes two of them at most. All 34 times are within 0.5 % of
 * this rule: one such instruction and 12 to 15 nops take 3.0 cycles with the branch. */
#include "model/limits/rename.h"

#include <math.h>

/* Passes through the path until the groups of instructions have come into step, and further passes
 * that are counted. */
enum { ROUNDS_BEFORE = 8, ROUNDS_COUNTED = 60 };

/* Less than this part of a slot does not count. */
#define SLIVER 1e-9

static bool is_below(double value, double most)
{
	return !uarch_known(most) || value < most - SLIVER;
}

bool rename_takes(
	const struct uarch *uarch, const struct rename_cycle *cycle, double slots, double split)
{
	if (cycle->slots > 0 && cycle->slots + slots > uarch->width + SLIVER)
		return false;
	return !(split > 0) || (is_below(cycle->before, uarch->fact[SIZE_SPLIT_SLOTS]) &&
				       is_below(cycle->splits, uarch->fact[CAP_SPLITS]));
}

void rename_add(struct rename_cycle *cycle, double slots, double split)
{
	cycle->slots += slots;
	cycle->before += slots - split;
	cycle->splits += split > 0;
}

double rename_cycles(const struct tally *tally)
{
	const struct loop *loop = tally->loop;
	const struct uarch *uarch = tally->uarch;
	struct rename_cycle cycle = { 0 };
	double cycles = 0, from = 0;

	if (!(uarch->width > 0))
		return 0;
	for (int round = 0; round < ROUNDS_BEFORE + ROUNDS_COUNTED; round++) {
		if (round == ROUNDS_BEFORE)
			from = cycles + cycle.slots / uarch->width;
		for (int s = 0; s < loop->path_count; s++) {
			int number = loop->path[s].insn;
			const struct insn_tally *insn = &tally->insn[number];
			const struct uarch_insn *facts = &tally->facts[number];

			if (insn->second > 0 || insn->joins)
				continue;
			if (!rename_takes(uarch, &cycle, facts->slots, facts->unlaminated)) {
				cycles++;
				cycle = (struct rename_cycle){ 0 };
			}
			rename_add(&cycle, facts->slots, facts->unlaminated);
			/* An instruction with more slots than a cycle has fills whole cycles. */
			if (cycle.slots > uarch->width) {
				cycles += ceil(cycle.slots / uarch->width);
				cycle = (struct rename_cycle){ 0 };
			}
		}
	}
	return (cycles + cycle.slots / uarch->width - from) / ROUNDS_COUNTED;
}
