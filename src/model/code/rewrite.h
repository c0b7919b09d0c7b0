/* Writes a copy of a function's machine code, with more instructions in its innermost loop. The new
 * instructions, the fillers, are spread evenly over one iteration of the loop, or all added at one
 * place. Fillers (added instructions) that are spread over the loop run exactly once per iteration.
 * The new code may run at another address: jumps and relative addresses are changed to reach the
 * same targets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/code/decode.h"

/* One machine instruction to insert into a loop, or several instructions that must stay together.
 */
struct code_line {
	uint8_t bytes[24], length;
	/* Offset, in the instruction's bytes, of its 32-bit distance to `target`. 0: the
	 * instruction's bytes are the same at every address. AArch64: any other value says that the
	 * first instruction (adr or a jump) has the distance to `target`. */
	uint8_t distance_at;
	uint64_t target;
	/* The instruction is a jump over the rest of its line of 64 bytes. Some cores fetch one
	 * line or one taken branch per cycle, so two added jumps must not share a line.
	 */
	bool skips;
};

struct rewrite {
	const struct code_line *filler; /* the fillers, inserted in turn */
	int filler_count;
	int inserted; /* number of fillers in one iteration; 0: no filler */
	bool flags; /* true: a filler changes flags, so fillers are added only where no instruction
		       needs the flags */
	unsigned shift; /* bytes by which the loop's first instruction moves within its line of 64
			   bytes */
	/* true: all fillers are added next to the instruction with index `place` of the function,
	 * in the order of the array, and run whenever that instruction runs: the last `after_place`
	 * of them after it, the others before it. `flags` is then not used. */
	bool together;
	int place, after_place;
	/* true: nops of equal length replace the instruction with index `removed` of the function.
	 */
	bool removes;
	int removed;
	/* Instructions to add, which run when execution enters the loop and when it leaves the
	 * loop. They must not change flags. */
	const struct code_line *before, *after;
	int before_count, after_count;
};

/* Writes the changed function to the memory `to`, where it will run. The loop's first instruction
 * keeps its offset within a line of 64 bytes, plus `shift`. *start receives the address of the new
 * function. STATUS_FAILED: the code cannot be copied so (the text gives the reason), or `bytes`
 * bytes are too few. */
struct status rewrite_function(const struct decoded_function *function,
	const struct rewrite *change, uint8_t *to, size_t bytes, const void **start);

/* Whether an instruction of the loop needs the value that a flag register has before instruction
 * `from`. The search follows the instructions once around the loop. */
bool rewrite_needs(const struct decoded_function *function, int from, int reg);

/* Marks the registers that the instructions `first` to `last` of the function name. */
void rewrite_used(
	const struct decoded_function *function, int first, int last, bool used[REG_COUNT]);
