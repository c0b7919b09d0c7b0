/* Fillers: instructions to add to a loop. Only one resource of the core executes a filler, and a
 * filler needs no result of the loop. The results of fillers go to registers that the loop never
 * names, or to separate memory. For the modules of this folder only. */
#pragma once

#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "experiment/slack/slack.h"
#include "experiment/slack/spare.h"
#include "model/code/insn.h"

enum filler_use {
	FILLS_WIDTH,
	FILLS_PORTS,
	FILLS_LOADS,
	FILLS_VECTOR_LOADS,
	FILLS_STORES,
	FILLS_VECTOR_STORES,
	FILLS_TAKEN
};

/* A filler (an instruction to add) as a line of assembly. The line names operands as follows:
 *
 * - %r, %e: a general register of 64 or 32 bits that the filler writes
 * - %p, %q: a general register of 64 or 32 bits that the filler only reads
 * - %j, %k: general registers that keep a value until the end of the filler
 * - %n: number of a vector register that the filler writes
 * - %m: number of a vector register with normal floating-point numbers
 * - %l, %s: memory to load from or to store to
 *
 * The line "nop" is a nop of 8 bytes (4 on AArch64), "jump" a jump to the next instruction, and
 * "pass" a conditional branch that is never taken.
 *
 * If several fillers use the same ports, the first of them is tried first. Fillers that do not
 * change flags come first. */
struct filler {
	enum filler_use use;
	const char *line, *needs; /* needs: a processor feature that the instruction needs, by its
				     word for features_word(); NULL: none */
	/* Further instructions before and after the line, separated by ";"; NULL: none. They set
	 * the operands of the line, and save and restore the registers that it changes. */
	const char *before, *after;
};

/* The fillers of this instruction set. A table must not have more than FILLERS_MOST rows. */
enum { FILLERS_MOST = 64 };
extern const struct filler fillers[];
extern const unsigned filler_count;

/* FILLER_TURNS: number of copies of a filler instruction, with different registers and addresses,
 * that are used in turn. FILLER_GENERAL: number of general registers for a filler instruction that
 * also reads its result register. FILLER_KEPT: number of general registers in which a filler saves
 * the values of other registers. */
enum { FILLER_TURNS = 8, FILLER_GENERAL = 4, FILLER_KEPT = 2 };

/* Offsets in the data memory of the added instructions: FILLER_LOADED, cache lines to load from;
 * FILLER_STORED, a line to store to; FILLER_NUMBERS, normal numbers for a vector register;
 * FILLER_SAVED, saved registers. */
enum {
	FILLER_LINE = 64,
	FILLER_LOADED = 0,
	FILLER_LOADED_LINES = 4,
	FILLER_STORED = 1024,
	FILLER_NUMBERS = 2048,
	FILLER_SAVED = 3072
};

/* The registers and the memory that the added instructions use. */
struct filler_places {
	int general[FILLER_GENERAL], general_count; /* numbers of the general registers that the
						       added instructions write */
	int source;	     /* number of the general register that the added instructions read */
	int vector, numbers; /* numbers of the vector register that the added instructions write,
				and of the one that they read */
	int base; /* AArch64: number of the general register with the address of the data memory */
	uint64_t data; /* address of the data memory for the added instructions */
};

/* ---- What differs between instruction sets (fillers_x86.c, fillers_arm64.c) */

/* Chooses a register for the address of the data memory, if this instruction set needs one, and
 * adds code to *frame that sets it. */
struct status filler_find_data(
	struct spare_usage *usage, struct filler_places *places, struct spare_frame *frame);

/* Appends the inside of a memory operand, between the brackets: `offset` bytes from the start of
 * the data memory. *target receives the address if the operand is relative to the instruction. */
void filler_address(
	const struct filler_places *places, int offset, struct text *text, uint64_t *target);

/* Write the jump and the branch that the lines "jump" and "pass" stand for. */
void filler_jump(struct code_line *line);
void filler_pass(struct code_line *line);

/* The instruction that loads normal numbers (%v) into the vector register %m. */
extern const char filler_load_numbers[];

/* ---- One filler as machine code (filler_code.c) */

/* Assembles and decodes a filler with arbitrary registers, to find its class and the registers and
 * flags that it needs. Returns false if the program cannot assemble or decode it. */
bool filler_decode(unsigned number, struct insn *insn);

/* Whether a filler can be mixed with another: it is one instruction that does not read its own
 * earlier result. In a mixture, both fillers write the same registers. */
bool filler_mixes(unsigned number);

/* Whether this processor has the filler's instruction. */
bool filler_is_possible(unsigned number);

/* Return the number (slack_filler.number) of one filler of the table, or of a mixture of two
 * fillers. Of each FILLER_TURNS fillers of a mixture, `share` are the second one. filler_numbers()
 * stores the indices of a number's fillers in filler[], and returns how many they are. */
unsigned filler_only(unsigned filler);
unsigned filler_mix(unsigned filler, unsigned second, unsigned share);
int filler_numbers(unsigned number, unsigned filler[2]);
