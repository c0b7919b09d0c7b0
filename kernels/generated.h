/* Loops that are made at run time of lines of assembly, as kernels: code that nobody knew of when
 * the program was built. They are in no list of kernels, have no knobs, and go through the engine's
 * ordinary requests.
 *
 * A loop consists of parts, so many instances of each, well mixed: that is its body, and an
 * element. In a part's lines, which ';' separates, the instances of a part take turns at registers,
 * and these stand for the one whose turn it is:
 *
 * - %n: the number of a vector register: "V%n" (x86), "v%n.4s", "d%n" (AArch64)
 * - %k: the number of a mask register
 * - %r %e %h %b: a general register, of 64, 32, 16, 8 bits (x86)
 * - %g: the number of a general register (AArch64)
 * - %o: bytes, 0 to 2047, next to those of the instance before
 * - >: as a jump's target: right after it
 * - align N: no instruction: fills up to a multiple of N bytes
 *
 * and V on x86 is the letter of the part's width (xmm, ymm, zmm). Around the loop there are, on x86
 * and AArch64:
 *
 * - rcx x10: 1
 * - r11 x11: 0
 * - r12 x12: where stores go, 4 KiB
 * - r14 x14: data, 4 KiB of the one; 4 KiB before, words that hold their own address; 8,384 bytes
 * behind, 256 of 0
 * - r15 x15: the loop's own
 * - 15 31: vector registers of the one: 1, as the values are
 * - 14 30: likewise 1.7: the odd one
 * - 13 29: likewise 0
 * - 12 28: likewise all bits set
 * - k1: of mask registers: all bits set
 *
 * What takes turns begins as 1 in general registers, all bits set in mask registers, 1.3 in vector
 * registers. rax, rdx and x9, x8 take no part in that: they are for lines that name them, and begin
 * as 1. */
#pragma once

#include <stdbool.h>

#include "kernels/kernel.h"

enum { GENERATED_PARTS = 6, GENERATED_LINES = 256 };

enum made_values { GENERATED_F64, GENERATED_F32 };

struct generated_part {
	char lines[GENERATED_LINES]; /* of one instance */
	unsigned bits;		     /* of its vectors; 0: it has none */
	unsigned times;		     /* instances in a body */
	unsigned registers; /* that its instances take turns at, of each kind; 0: its share of those
			       there are. 1 makes a chain of them */
};

struct generated_loop {
	char setup[GENERATED_LINES]; /* lines before the loop */
	enum made_values values;
	bool clean; /* upper halves of vector registers are clean: for code that does not know of
		       them */
	unsigned bodies; /* in an iteration; 0: as many as make the loop's own instructions vanish
			    beside them */
	int part_count;
	struct generated_part part[GENERATED_PARTS];
};

/* The kernel of that loop. It lasts as long as the program, since results name their kernel; the
 * same loop is always the same kernel. To be called by one thread. */
const struct kernel *generated_kernel(const struct generated_loop *loop);

/* The loop of a made kernel; NULL: it is none. */
const struct generated_loop *generated_loop_of(const struct kernel *kernel);

/* Registers that parts with such vectors take turns at, all parts together; of vectors of 0 bits:
 * general ones. */
unsigned generated_registers(unsigned bits);
