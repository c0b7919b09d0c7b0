/* Registers and addresses of x86-64, for step.c. */
#include "model/code/step_arch.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

bool step_registers(pid_t child, struct step_registers *registers)
{
	struct user_regs_struct r;
	struct iovec room = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &room) != 0)
		return false;
	*registers = (struct step_registers){
		.at = r.rip,
		.general = { r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9,
			r.r10, r.r11, r.r12, r.r13, r.r14, r.r15 },
	};
	return true;
}

static bool general(uint8_t reg, const struct step_registers *registers, uint64_t *value)
{
	*value = 0;
	if (reg == REG_NONE)
		return true;
	if (reg < REG_GENERAL || reg >= REG_GENERAL + 16)
		return false;
	*value = registers->general[reg - REG_GENERAL];
	return true;
}

uint64_t step_address(const struct insn *insn, int index, const uint8_t *bytes,
	const struct step_registers *registers)
{
	const struct insn_memory *memory = &insn->memory[index];
	uint64_t base, offset, address;
	bool narrow = false;

	/* Legacy prefixes come first, also of VEX and EVEX instructions. The bases of fs and gs are
	 * not read. */
	for (int i = 0; i < insn->length; i++) {
		if (bytes[i] == 0x64 || bytes[i] == 0x65)
			return 0;
		if (bytes[i] == 0x67)
			narrow = true;
		else if (bytes[i] != 0x66 && bytes[i] != 0xf2 && bytes[i] != 0xf3 &&
			 bytes[i] != 0xf0 && bytes[i] != 0x2e && bytes[i] != 0x36 &&
			 bytes[i] != 0x3e && bytes[i] != 0x26)
			break;
	}
	if (memory->relative)
		return (uint64_t)memory->disp;
	if (memory->vector_index || !general(memory->base, registers, &base) ||
		!general(memory->index, registers, &offset))
		return 0;
	address = base + offset * memory->scale + (uint64_t)memory->disp;
	return narrow ? (uint32_t)address : address;
}
