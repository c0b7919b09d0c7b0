#include "model/code/reach.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The registers and flags whose values depend on the result, before an instruction. */
struct reached {
	bool met; /* execution can get from the instruction `from` to this instruction */
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

static bool stores(const struct insn *insn)
{
	for (int i = 0; i < insn->memory_count; i++)
		if (insn_stores(insn, i))
			return true;
	return false;
}

/* The called code may use any general register as an address. */
static bool passes_general(const struct reached *reached, const struct insn *insn)
{
	return insn->flow == FLOW_CALL && memchr(reached->reg + REG_GENERAL, true, 32);
}

/* Follows values that depend on the result through one instruction; *reached has their registers
 * before it, and then after it. */
static enum reach follow(struct reached *reached, const struct insn *insn, bool in_loop)
{
	bool address = has_address(reached, insn), value = depends(reached, insn);

	if (address && !insn->address_only)
		return REACH_ADDRESS;
	if (passes_general(reached, insn) ||
		(value && (insn->flow != FLOW_NONE || insn->writeback)))
		return REACH_CONTROL;
	if (value && decode_is(insn->mnemonic, "div idiv"))
		return REACH_DIVISION;
	if (value && in_loop && stores(insn))
		return REACH_MEMORY;
	for (int i = 0; i < insn->write_count; i++)
		reached->reg[insn->writes[i]] = value || address;
	return REACH_NOTHING;
}

/* Adds the registers that depend on the result on one path to an instruction. Returns whether
 * values are new. */
static bool add(struct reached *to, const struct reached *more)
{
	bool changed = !to->met;

	to->met = true;
	for (int i = 0; i < REG_COUNT; i++) {
		changed |= more->reg[i] && !to->reg[i];
		to->reg[i] |= more->reg[i];
	}
	return changed;
}

/* Returns the index of the instruction at an address; -1: the function has none there. */
static int find(const struct decoded_function *function, uint64_t address)
{
	for (int i = 0; i < function->count; i++)
		if (function->insn[i].address == address)
			return i;
	return -1;
}

/* Passes the set of dependent registers on to the instructions that may run next. Returns whether
 * values are new. */
static bool pass_on(const struct decoded_function *function, int index, const struct reached *after,
	struct reached *before)
{
	const struct insn *insn = &function->insn[index];
	int target = insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP
			     ? find(function, insn->target)
			     : -1;
	bool falls = insn->flow == FLOW_NONE || insn->flow == FLOW_BRANCH ||
		     insn->flow == FLOW_CALL,
	     changed = false;

	if (falls && index + 1 < function->count)
		changed |= add(&before[index + 1], after);
	if (target >= 0)
		changed |= add(&before[target], after);
	return changed;
}

/* Removes the instruction `from`: registers that it wrote keep other values than before. */
static void remove_insn(struct reached *reached, const struct insn *insn)
{
	for (int i = 0; i < insn->write_count; i++)
		reached->reg[insn->writes[i]] = true;
}

enum reach reach_find(const struct decoded_function *function, int from)
{
	struct reached *before = memory_new((size_t)function->count + 1, sizeof(*before));
	enum reach reach = REACH_NOTHING;
	bool changed = true;

	before[from].met = true;
	while (changed && reach == REACH_NOTHING) {
		changed = false;
		for (int i = 0; i < function->count && reach == REACH_NOTHING; i++) {
			struct reached after = before[i];

			if (!after.met)
				continue;
			if (i == from)
				remove_insn(&after, &function->insn[i]);
			else
				reach = follow(&after, &function->insn[i],
					i >= function->first && i <= function->last);
			if (reach == REACH_NOTHING)
				changed |= pass_on(function, i, &after, before);
		}
	}
	free(before);
	return reach;
}
