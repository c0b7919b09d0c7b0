/* Kernels that are generated at run time from lines of assembly. No list of kernels contains them.
 * They have no knobs, and the engine measures them like other kernels.
 *
 * A loop's body is one element. It consists of parts, with several instances of each part, evenly
 * mixed. ';' separates the lines of a part. The instances of a part use registers in turn. These
 * placeholders name the register of an instance:
 *
 * - %n: the number of a vector register: "V%n" (x86), "v%n.4s", "d%n" (AArch64)
 * - %k: the number of a mask register
 * - %r %e %h %b: a general register, of 64, 32, 16, 8 bits (x86)
 * - %g: the number of a general register (AArch64)
 * - %o: an offset in bytes, 0 to 2047, adjacent to the offset of the previous instance
 * - >: a jump's target: the instruction after the jump
 * - align N: no instruction: pads to a multiple of N bytes
 * - V: on x86 the letter of the part's width (xmm, ymm, zmm)
 *
 * Registers with a fixed value, on x86 and AArch64:
 *
 * - rcx x10: 1
 * - r11 x11: 0
 * - r12 x12: the address of 4 KiB for stores
 * - r14 x14: the address of 4 KiB of data, all ones. At -4 KiB: words that hold their own address.
 * At +8,384: 256 zero bytes
 * - r15 x15: used by the loop
 * - vector registers 15 31: 1, in the type of the values
 * - vector registers 14 30: 1.7
 * - vector registers 13 29: 0
 * - vector registers 12 28: all bits set
 * - mask register k1: all bits set
 *
 * Registers that instances use in turn start as 1 (general), all bits set (mask), or 1.3 (vector).
 * rax, rdx and x9, x8 are not among them: lines may name them, and they start as 1. */
#pragma once

#include <stdbool.h>

#include "kernels/kernel.h"

enum { GENERATED_PARTS = 6, GENERATED_LINES = 256 };

enum made_values { GENERATED_F64, GENERATED_F32 };

struct generated_part {
	char lines[GENERATED_LINES]; /* of one instance */
	unsigned bits;		     /* of its vectors; 0: it has none */
	unsigned times;		     /* instances in a body */
	unsigned registers; /* number of registers of each kind that the instances use in turn; 1:
			       the instances form a chain; 0: an equal share for each part */
};

struct generated_loop {
	char setup[GENERATED_LINES]; /* lines before the loop */
	enum made_values values;
	bool clean;	 /* clear the upper halves of vector registers, for SSE code */
	unsigned bodies; /* in an iteration; 0: so many that the loop's own instructions cost almost
			    nothing */
	int part_count;
	struct generated_part part[GENERATED_PARTS];
};

/* Returns the kernel of a loop; equal loops have the same kernel. Kernels are never freed, because
 * results refer to them. Only one thread may call this. */
const struct kernel *generated_kernel(const struct generated_loop *loop);

/* Returns the loop of a generated kernel; NULL: the kernel is not a generated one. */
const struct generated_loop *generated_loop_of(const struct kernel *kernel);

/* Returns the number of registers that all parts together use in turn: vector registers of that
 * width; 0 bits: general registers. */
unsigned generated_registers(unsigned bits);
