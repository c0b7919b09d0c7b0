/* Copies of machine instructions that write another register. A copy of an instruction has the same
 * mnemonic as its original. If the original also reads the register that it writes, the copy reads
 * and writes the other register. Registers in the addresses of memory operands stay the same in the
 * copy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number of bytes of a machine instruction. */
enum { REDIRECT_LONGEST = 15 };

/* Writes to `copy` the instruction at the start of `bytes`, with the register `to` in place of the
 * register `from` that the instruction writes. `size` is the number of bytes (> 0). `from` and `to`
 * are numbers as in insn.h, both of general, of vector or of mask registers. The distance of a
 * relative memory operand is copied unchanged. Returns the length of the copy in bytes. 0: no copy
 * exists, because the encoding fixes the register, or the instruction set is not x86-64. */
size_t redirect_insn(
	const uint8_t *bytes, size_t size, int from, int to, uint8_t copy[REDIRECT_LONGEST]);
