/* The hot loop: its instructions, and the path that the processor executes.
 *
 * There are two kinds of path. A decoded loop (decode.h) has an assumed path: one iteration, in
 * order. A stepped loop (step.h) has the instructions that really ran: several iterations, with
 * branches and addresses. Values that are computed from a loop are "per path". Divide them by
 * `turns` for values per iteration, by `elements` for values per element. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "model/code/insn.h"

/* Initial numbers of instructions and steps, and the largest loop that can be decoded. */
enum { LOOP_INSNS = 1024, LOOP_PATH = 4096, LOOP_MOST = 32768 };

struct loop_step {
	uint16_t insn;		       /* index into the loop's instructions */
	bool taken;		       /* a jump, or a branch that was taken */
	uint64_t address[INSN_MEMORY]; /* addresses of the memory operands; 0: unknown */
};

struct loop {
	int insn_count, insn_room;
	struct insn *insn; /* in ascending order of address */
	int path_count, path_room;
	struct loop_step *path; /* in the order of execution; after the last step, the first one
				   follows again */
	int turns;		/* iterations in the path, >= 1 */
	double elements;	/* elements that the path processes, > 0 */
	bool stepped;		/* the path was observed, not assumed: its addresses are known */
	bool varies; /* stepped: some branch was taken in one iteration and not in another. So
			values per element hold only for this sample */
	int forks;   /* assumed path: the number of conditional branches inside the loop; they count
			as not taken where possible */
	double insns_per_element; /* stepped: exact, from two runs of different length; else
				     path_count ÷ elements */
	int unknown;		  /* number of instructions that could not be decoded */
};

/* Makes an empty loop with memory for this many instructions and steps. loop_free() frees it. */
void loop_init(struct loop *loop, int insns, int path);
void loop_clear(struct loop *loop); /* empties the loop and keeps its memory */
void loop_free(struct loop *loop);
/* Reserves memory for at least this many instructions and steps. The content stays. */
void loop_reserve(struct loop *loop, int insns, int path);

/* Fills an empty loop from an executed path. `steps` contains indices into `insns`. `insns` has
 * each address once, in any order. Only instructions that ran are kept. */
void loop_fill(struct loop *loop, const struct insn *insns, int insn_count,
	const struct loop_step *steps, int step_count);

/* The text of an instruction. The target of a jump is shown as its distance in bytes from the
 * loop's first instruction ("jne 0x0"). So the text does not depend on the code's address. */
void loop_insn_text(const struct loop *loop, const struct insn *insn, struct text *text);
