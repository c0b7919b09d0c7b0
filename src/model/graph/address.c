#include "model/graph/address.h"

#include <string.h>

static bool general(int reg)
{
	return reg >= REG_GENERAL && reg < REG_VECTOR;
}

static struct address_value fresh(struct address_walk *walk)
{
	return (struct address_value){ .root = walk->next_root++ };
}

/* Sums may wrap around, as in the processor. */
static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The address of a memory operand of the instruction that comes next. */
static struct address address_of(
	const struct address_walk *walk, const struct insn *insn, int operand)
{
	const struct insn_memory *memory = &insn->memory[operand];
	struct address address = { .scale = 1, .known = true, .constant = memory->disp };

	if (memory->vector_index || memory->base >= REG_COUNT || memory->index >= REG_COUNT)
		return (struct address){ .known = false };
	if (memory->base != REG_NONE) {
		address.base = walk->value[memory->base].root;
		address.constant = add(address.constant, walk->value[memory->base].offset);
	}
	if (memory->index != REG_NONE) {
		address.index = walk->value[memory->index].root;
		address.scale = memory->scale ? memory->scale : 1;
		address.constant = add(
			address.constant, times(walk->value[memory->index].offset, address.scale));
	}
	if (address.scale == 1 && address.index &&
		address.index < address.base) { /* one order for both */
		int base = address.base;

		address.base = address.index;
		address.index = base;
	}
	return address;
}

/* The one general register that is read, to which an instruction may add a constant. */
static int only_source(const struct insn *insn)
{
	int source = REG_NONE, count = 0;

	for (int i = 0; i < insn->read_count; i++)
		if (general(insn->reads[i])) {
			source = insn->reads[i];
			count++;
		}
	return count == 1 ? source : REG_NONE;
}

/* The result of the instruction, where it is a register plus a constant. */
static bool sum(
	const struct address_walk *walk, const struct insn *insn, struct address_value *value)
{
	const struct insn_memory *memory = &insn->memory[0];
	const char *name = insn->mnemonic;
	int source = only_source(insn);
	int64_t constant;

	if (insn->address_only && insn->memory_count == 1) {
		if (memory->base == REG_NONE || memory->base >= REG_COUNT ||
			memory->index != REG_NONE || memory->relative || insn->width < 64)
			return false;
		*value = walk->value[memory->base];
		value->offset = add(value->offset, memory->disp);
		return true;
	}
	if (insn->memory_count || insn->vector || source == REG_NONE)
		return false;
	if (insn->move) { /* a copy of 32 bits clears the upper half */
		*value = walk->value[source];
		return insn->width == 64;
	}
	if (strstr(insn->text, "lsl")) /* AArch64: the constant is a shifted one */
		return false;
	if (insn->immediate && (!strcmp(name, "add") || !strcmp(name, "adds")))
		constant = insn->value;
	else if (insn->immediate && (!strcmp(name, "sub") || !strcmp(name, "subs")))
		constant = times(insn->value, -1);
	else if (!strcmp(name, "inc") || !strcmp(name, "dec"))
		constant = name[0] == 'i' ? 1 : -1;
	else
		return false;
	*value = walk->value[source];
	value->offset = add(value->offset, constant);
	return true;
}

/* Passes by the instruction. */
static void pass(struct address_walk *walk, const struct insn *insn)
{
	const struct insn_memory *memory = &insn->memory[0];
	struct address_value value, base = { 0 };
	bool moved = insn->writeback && insn->memory_count > 0 && general(memory->base);
	bool summed = sum(walk, insn, &value);

	if (moved)
		base = walk->value[memory->base];
	for (int i = 0; i < insn->write_count; i++)
		if (general(insn->writes[i]))
			walk->value[insn->writes[i]] = summed ? value : fresh(walk);
	if (!moved)
		return;
	base.offset = add(base.offset, insn->step);
	if (!insn->step) /* by a register */
		base = fresh(walk);
	walk->value[memory->base] = base;
}

int address_list(const struct loop *loop, struct address_walk *walk, struct address_access *list)
{
	int count = 0;

	for (int reg = 0; reg < REG_COUNT; reg++)
		walk->value[reg] = (struct address_value){ .root = reg };
	walk->next_root = REG_COUNT;
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++)
			if (insn_loads(insn, k) || insn_stores(insn, k))
				list[count++] = (struct address_access){ .step = s,
					.operand = k,
					.size = insn->memory[k].size,
					.load = insn_loads(insn, k),
					.store = insn_stores(insn, k),
					.address = address_of(walk, insn, k) };
		pass(walk, insn);
	}
	return count;
}

bool address_comparable(const struct address *a, const struct address *b)
{
	return a->known && b->known && a->base == b->base && a->index == b->index &&
	       a->scale == b->scale;
}

bool address_apart(const struct address *a, const struct address *b, int stack)
{
	return a->known && b->known && (a->base == stack) != (b->base == stack);
}

/* By how much a register that comes into a path is larger in the next. */
static bool growth_of(const struct address_walk *walk, int root, int64_t *growth)
{
	if (root >= REG_COUNT || walk->value[root].root != root)
		return false;
	*growth = walk->value[root].offset;
	return true;
}

bool address_growth(const struct address_walk *walk, const struct address *address, int64_t *growth)
{
	int64_t base = 0, index = 0;

	if ((address->base && !growth_of(walk, address->base, &base)) ||
		(address->index && !growth_of(walk, address->index, &index)))
		return false;
	*growth = add(base, times(index, address->scale));
	return true;
}
