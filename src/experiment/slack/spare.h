/* Registers that a loop leaves free, for instructions to add to the loop. Registers that other code
 * needs are saved before the loop, and restored after the loop. */
#pragma once

#include "model/code/decode.h"
#include "model/code/rewrite.h"

/* SPARE_MOST: largest number of registers to choose for one change of a loop. SPARE_SAVED: number
 * of bytes of memory in which the saved registers lie. */
enum {
#if defined(__x86_64__)
	SPARE_GENERALS = 16,
#else
	SPARE_GENERALS = 31,
#endif
	SPARE_MOST = 6,
	SPARE_SAVED = 512
};

/* Names of the general registers of 64 and of 32 bits. */
extern const char *const spare_general_names[SPARE_GENERALS][2];

/* The registers that the loop uses, and the registers that the whole function uses. */
struct spare_usage {
	bool loop[REG_COUNT], function[REG_COUNT];
	/* true: the function calls or jumps to other code. If the function calls other code, a
	 * register that the function itself does not use may hold an argument of the called
	 * function. */
	bool calls;
	bool wide; /* the function uses vectors of more than 128 bits */
};
void spare_usage(const struct decoded_function *function, struct spare_usage *usage);

/* Instructions to add before and after the loop, which save and restore registers. */
struct spare_frame {
	struct code_line before[2 * SPARE_MOST + 2], after[2 * SPARE_MOST];
	int before_count, after_count;
};

/* Assembles one line of assembly. If the assembly line has a memory operand, its address is written
 * "[rip+0]" and becomes `target`. */
struct status spare_assemble(const char *text, uint64_t target, struct code_line *line);

/* A list of registers, in the order in which added instructions may use them. */
struct spare_order {
	int first;  /* number of the first general or vector register: REG_GENERAL or REG_VECTOR */
	int passed; /* the registers of the list before this index may hold arguments of a call */
	int kept;   /* a caller expects the registers of the list from this index on to be unchanged
		     */
	int count, reg[SPARE_GENERALS];
};

/* Chooses `wanted` registers that the loop does not use. Registers that need not be saved, because
 * no other code needs them, are chosen first. Returns the number of registers found. Sets bit i of
 * *saved if register found[i] must be saved. */
int spare_choose(const struct spare_usage *usage, const struct spare_order *order, int wanted,
	int *found, unsigned *saved);

/* ---- What differs between instruction sets (spare_x86.c, spare_arm64.c) */

/* Choose `wanted` general or vector registers that the loop does not use, and add code to *frame
 * that saves them in SPARE_SAVED bytes at the address `saved`, if needed. found[] receives the
 * numbers of the registers, from 0. STATUS_FAILED: the loop leaves fewer registers free. */
struct status spare_general(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame);
struct status spare_vectors(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame);

/* Adds the instructions of *frame to a change of the function. *frame must stay valid until the
 * change is written. */
void spare_frame_add(const struct spare_frame *frame, struct rewrite *rewrite);
