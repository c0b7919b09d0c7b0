/* Registers and addresses of an instruction set, for step*.c: step_x86.c or step_arm64.c. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "model/code/insn.h"

struct step_registers {
	uint64_t at;	      /* the instruction that comes next */
	uint64_t general[32]; /* in the order of REG_GENERAL; [31] of AArch64: sp */
};

/* Reads the registers of a stopped child. Returns false when it is gone. */
bool step_registers(pid_t child, struct step_registers *registers);

/* The address of an instruction's memory operand `index`, before it runs; 0: unknown (a vector of
 * addresses, a segment). `bytes` are the instruction's. */
uint64_t step_address(const struct insn *insn, int index, const uint8_t *bytes,
	const struct step_registers *registers);
