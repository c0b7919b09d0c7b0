/* Generated kernels: kernels that are made at run time from lines of assembly. No list of kernels
 * contains generated kernels. A generated kernel has no knobs, and the engine measures it like
 * other kernels.
 *
 * The body of a generated loop is one element. The body of a generated loop consists of parts, such
 * as one instruction, and has several copies (instances) of each part, evenly mixed. The character
 * ';' separates the assembly lines of a part. The instances (copies) of a part of the loop use
 * registers in turn. A line may contain the following placeholders for the register of an instance,
 * among others:
 *
 * - %n: the number of the vector register of the instance: "V%n" (x86), "v%n.4s", "d%n" (AArch64)
 * - %k: the number of the mask register of the instance
 * - %r %e %h %b: the general register of the instance, as 64, 32, 16 or 8 bits (x86)
 * - %g: the number of the general register of the instance (AArch64)
 * - %o: an offset in bytes, 0 to 2047, adjacent to the offset of the previous instance
 * - >: the target of a jump, which is the instruction after the jump
 * - align N: instead of an instruction, pads the code to a multiple of N bytes
 * - nop N: a nop of N bytes
 * - V: on x86, the prefix of vector registers with the width of the part (xmm, ymm, zmm)
 *
 * Registers with a fixed value. Each item lists the x86 register, the AArch64 register, and the
 * value:
 *
 * - rcx x10: 1
 * - r11 x11: 0
 * - r12 x12: the address of 4 KiB for stores
 * - r14 x14: the address of 4 KiB of data, all ones. At offset -4 KiB are words that hold their own
 * address. At offset +8,384 are 256 zero bytes
 * - r15 x15: the counter of the loop, which lines must not use
 * - vector registers 15 31: 1, in the type of the values
 * - vector registers 14 30: 1.7
 * - vector registers 13 29: 0
 * - vector registers 12 28: all bits set
 * - mask register k1: all bits set
 *
 * Registers that instances use in turn start as 1 (general), all bits set (mask), or 1.3 (vector).
 * Instances do not use rax and rdx (x86) or x8 and x9 (AArch64) in turn. Lines may name rax, rdx,
 * x8 and x9, which start as 1. */
#pragma once

#include <stdbool.h>

#include "kernels/kernel.h"

enum { GENERATED_PARTS = 6, GENERATED_LINES = 256 };

enum made_values { GENERATED_F64, GENERATED_F32 };

struct generated_part {
	char lines[GENERATED_LINES]; /* the assembly lines of one copy of this part of the loop */
	unsigned bits;	/* width of the vectors of the part in bits; 0: the part uses no vectors */
	unsigned times; /* number of copies (instances) of this part in a loop body */
	unsigned registers; /* Number of registers of each kind that the copies (instances) of this
			       part use in turn. 1: the copies form a dependency chain. 0: all parts
			       with the value 0 share the remaining registers equally. */
};

struct generated_loop {
	char setup[GENERATED_LINES]; /* assembly lines that run once, before the loop */
	enum made_values values;
	bool clean; /* The code before the loop clears the upper halves of vector registers. SSE
		       code is slow unless the upper halves of vector registers are cleared. */
	unsigned bodies; /* Number of bodies in an iteration; a number above 256 is rounded up to
			    whole blocks. 0: enough bodies to make the cost of the counter and the
			    branch of the loop negligible. */
	bool isolated;	 /* The lines come from a file of the user: only a child process calls the
			    loop. */
	int part_count;
	struct generated_part part[GENERATED_PARTS];
};

/* Returns the kernel for a loop that is generated from lines of assembly. Equal loops have the same
 * kernel. Generated kernels are never freed, because results refer to them. Only one thread may
 * call generated_kernel(). */
const struct kernel *generated_kernel(const struct generated_loop *loop);

/* Returns the loop of a generated kernel; NULL: the kernel is not generated. */
const struct generated_loop *generated_loop_of(const struct kernel *kernel);

/* Returns the number of registers that are available for the copied instructions of a generated
 * loop. bits: the width of vector registers; 0: the function counts general registers. */
unsigned generated_registers(unsigned bits);
