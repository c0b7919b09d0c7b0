/* Which neighbours rename takes as one slot. */
#include "model/core/uarch_read.h"

#include <string.h>

bool uarch_fuses(const struct uarch *uarch, const struct insn *first, const struct insn *branch)
{
	const struct insn_memory *memory = first->memory_count > 0 ? &first->memory[0] : NULL;
	unsigned has = 0;

	if (branch->flow != FLOW_BRANCH || !branch->condition[0] || first->flow != FLOW_NONE ||
		!first->known)
		return false;
	if (memory)
		has |= FUSE_MEMORY;
	if (memory && first->immediate)
		has |= FUSE_MEMORY_IMMEDIATE;
	if (memory && memory->relative && first->immediate)
		has |= FUSE_RELATIVE;
	if (memory && memory->store)
		has |= FUSE_STORE;
	if (first->immediate)
		has |= FUSE_IMMEDIATE;
	for (int i = 0; i < uarch->fusion_count; i++) {
		const struct uarch_fusion *fusion = &uarch->fusion[i];

		if (fusion->kind != FUSION_BRANCH || strcmp(fusion->mnemonic, first->mnemonic) != 0)
			continue;
		if (fusion->unless & has)
			return false;
		for (int k = 0; k < fusion->condition_count; k++)
			if (strcmp(fusion->condition[k], branch->condition) == 0)
				return true;
		return fusion->all;
	}
	return false;
}

/* Whether an operation changes the very register that the one before it wrote, and nothing but it
 * and flags. */
static bool changes(const struct insn *operation, uint8_t reg)
{
	bool reads = false, writes = false;

	for (int i = 0; i < operation->read_count && i < INSN_READS; i++)
		reads = reads || operation->reads[i] == reg;
	for (int i = 0; i < operation->write_count && i < INSN_WRITES; i++) {
		if (operation->writes[i] < REG_CARRY && operation->writes[i] != reg)
			return false;
		writes = writes || operation->writes[i] == reg;
	}
	return reads && writes;
}

bool uarch_fuses_behind(
	const struct uarch *uarch, const struct insn *first, const struct insn *operation)
{
	bool load = !first->move && first->memory_count == 1 && first->memory[0].load &&
		    !first->memory[0].store && first->memory[0].index == REG_NONE &&
		    !first->vector && strcmp(first->mnemonic, "mov") == 0;
	enum fusion_kind kind = load ? FUSION_LOAD : FUSION_COPY;

	if (!first->known || !operation->known || (!load && !first->move) ||
		first->write_count < 1 || operation->memory_count > 0 ||
		operation->width != first->width || operation->vector != first->vector ||
		strchr(operation->shape, 'c') || !changes(operation, first->writes[0]))
		return false;
	if (load && operation->immediate)
		return false;
	for (int i = 0; i < uarch->fusion_count; i++)
		if (uarch->fusion[i].kind == kind &&
			strcmp(uarch->fusion[i].mnemonic, operation->mnemonic) == 0)
			return true;
	return false;
}
