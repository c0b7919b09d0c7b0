#include "model/code/reach.h"

#include <string.h>

/* The registers and flags whose values depend on the result. */
struct reached {
	bool reg[REG_COUNT];
};

static bool depends(const struct reached *reached, const struct insn *insn)
{
	for (int i = 0; i < insn->read_count; i++)
		if (reached->reg[insn->reads[i]])
			return true;
	return false;
}

static bool has_address(const struct reached *reached, const struct insn *insn)
{
	for (int i = 0; i < insn->memory_count; i++)
		if (reached->reg[insn->memory[i].base] || reached->reg[insn->memory[i].index])
			return true;
	return false;
}

/* Follows the values through one instruction. If `certain` is true, the instruction always runs, so
 * registers that it sets to other values no longer depend on the result. */
static enum reach follow(
	struct reached *reached, const struct insn *insn, bool certain, bool stores_matter)
{
	bool address = has_address(reached, insn), value = depends(reached, insn);

	if (address && !insn->address_only)
		return REACH_ADDRESS;
	if (value && (insn->flow != FLOW_NONE || insn->writeback))
		return REACH_CONTROL;
	if (value && decode_is(insn->mnemonic, "div idiv"))
		return REACH_DIVISION;
	for (int i = 0; i < insn->memory_count; i++)
		if (value && stores_matter && insn_stores(insn, i))
			return REACH_MEMORY;
	for (int i = 0; i < insn->write_count; i++)
		if (value || address || certain)
			reached->reg[insn->writes[i]] = value || address;
	return REACH_NOTHING;
}

/* Whether the instructions first…last run in order, without jumps among them. A jump at the end is
 * allowed. */
static bool is_straight(const struct decoded_function *function, int first, int last)
{
	for (int i = 0; i < function->count; i++) {
		const struct insn *insn = &function->insn[i];
		bool jumps = insn->flow != FLOW_NONE && insn->flow != FLOW_CALL,
		     inside = i >= first && i <= last;

		if (inside && i < last && jumps)
			return false;
		if (jumps && insn->target > function->insn[first].address &&
			insn->target <= function->insn[last].address)
			return false;
	}
	return true;
}

/* Follows the values through the code outside the loop: first the code after the loop, where the
 * function usually ends, then, if a jump leads back, the code before it. */
static enum reach follow_outside(const struct decoded_function *function, struct reached *reached)
{
	int last = function->last, count = function->count;
	bool certain = last + 1 < count && is_straight(function, last + 1, count - 1);
	struct reached before;
	enum reach reach = REACH_NOTHING;

	do {
		before = *reached;
		for (int i = last + 1; i < count && reach == REACH_NOTHING; i++)
			reach = follow(reached, &function->insn[i], certain, false);
		for (int i = 0; i < function->first && !certain && reach == REACH_NOTHING; i++)
			reach = follow(reached, &function->insn[i], false, false);
	} while (!certain && reach == REACH_NOTHING &&
		 memcmp(&before, reached, sizeof(before)) != 0);
	return reach;
}

/* Adds the registers of one set to another set. */
static void add(struct reached *reached, const struct reached *more)
{
	for (int i = 0; i < REG_COUNT; i++)
		reached->reg[i] |= more->reg[i];
}

enum reach reach_find(const struct decoded_function *function, int from)
{
	const struct insn *origin = &function->insn[from];
	int first = function->first, count = function->last - first + 1;
	bool straight = is_straight(function, first, function->last);
	struct reached reached = { { false } }, before, leaving = { { false } };
	enum reach reach = REACH_NOTHING;

	do {
		before = reached;
		for (int i = 0; i < origin->write_count; i++)
			reached.reg[origin->writes[i]] = true;
		for (int i = 1; i <= count && reach == REACH_NOTHING; i++) {
			int next = first + (from - first + i) % count;

			if (next == first || !straight)
				add(&leaving, &reached);
			if (next != from)
				reach = follow(&reached, &function->insn[next], straight, true);
		}
	} while (reach == REACH_NOTHING && memcmp(&before, &reached, sizeof(before)) != 0);
	return reach == REACH_NOTHING ? follow_outside(function, &leaving) : reach;
}
