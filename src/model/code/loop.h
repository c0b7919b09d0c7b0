/* The hot loop: its instructions, and the way that the processor takes through them.
 *
 * Read from memory (decode.h), the path is every instruction once, in order. Stepped (step.h), it
 * has the instructions that ran: some turns of the loop, branches and addresses included. All that
 * is computed from a loop is "per path"; divided by turns or by elements it is per iteration or per
 * element. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "model/code/insn.h"

/* Instructions and path at first, and the most that a loop read from memory may have. */
enum { LOOP_INSNS = 1024, LOOP_PATH = 4096, LOOP_MOST = 32768 };

struct loop_step {
	uint16_t insn;		       /* index into the loop's instructions */
	bool taken;		       /* a branch that jumped */
	uint64_t address[INSN_MEMORY]; /* of its memory operands; 0: unknown */
};

struct loop {
	int insn_count, insn_room;
	struct insn *insn; /* ascending addresses */
	int path_count, path_room;
	struct loop_step
		*path;	 /* in the order of execution; after the last step comes the first again */
	int turns;	 /* times round the loop that the path holds, >= 1 */
	double elements; /* elements that the path covers, > 0 */
	bool stepped;	 /* the path was seen, not assumed: addresses are filled in */
	bool varies; /* stepped: some branch of the path went both ways, so that values per element
			hold for a sample */
	int forks;   /* of an assumed path: conditional branches inside the loop, taken to fall
			through */
	double insns_per_element; /* stepped: exact, from two runs of different length; else
				     path_count ÷ elements */
	int unknown;		  /* instructions that could not be decoded */
};

/* An empty loop with memory for these numbers; loop_free() frees it. */
void loop_init(struct loop *loop, int insns, int path);
void loop_clear(struct loop *loop); /* empty again; the memory stays */
void loop_free(struct loop *loop);
/* Reserves memory for that many at least, and keeps the content. */
void loop_reserve(struct loop *loop, int insns, int path);

/* Fills an empty loop from an executed path. `steps` refer to `insns`, which has each address once,
 * in any order. Keeps the instructions that ran. */
void loop_fill(struct loop *loop, const struct insn *insns, int insn_count,
	const struct loop_step *steps, int step_count);

/* An instruction's text, the target of a jump as its distance in bytes from the loop's first
 * instruction ("jne 0x0"): the same wherever the code was loaded. */
void loop_insn_text(const struct loop *loop, const struct insn *insn, struct text *text);
