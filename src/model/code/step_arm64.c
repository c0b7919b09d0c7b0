/* Registers and addresses of AArch64, for step.c. */
#include "model/code/step_arch.h"

#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

bool step_registers(pid_t child, struct step_registers *registers)
{
	struct user_regs_struct r;
	struct iovec room = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &room) != 0)
		return false;
	registers->at = r.pc;
	memcpy(registers->general, r.regs, sizeof(r.regs));
	registers->general[31] = r.sp;
	return true;
}

/* The index of the form [base, index, extend #scale]: option, bits 15:13, is 010 for a word without
 * and 110 with its sign. */
static uint64_t extended(uint32_t word, uint64_t index)
{
	if ((word & 0x3b200c00) != 0x38200800)
		return index;
	switch (word >> 13 & 7) {
	case 2: return (uint32_t)index;
	case 6: return (uint64_t)(int64_t)(int32_t)index;
	default: return index;
	}
}

uint64_t step_address(const struct insn *insn, int index, const uint8_t *bytes,
	const struct step_registers *registers)
{
	const struct insn_memory *memory = &insn->memory[index];
	uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			(uint32_t)bytes[3] << 24;
	uint64_t address;

	if (memory->relative)
		return (uint64_t)memory->disp;
	if (memory->vector_index || memory->base < REG_GENERAL || memory->base >= REG_GENERAL + 32)
		return 0;
	address = registers->general[memory->base - REG_GENERAL];
	if (memory->index != REG_NONE) {
		if (memory->index < REG_GENERAL || memory->index >= REG_GENERAL + 32)
			return 0;
		address += extended(word, registers->general[memory->index - REG_GENERAL]) *
			   memory->scale;
	}
	return address + (uint64_t)memory->disp;
}
