/* The hot loop: its instructions, and the path that the processor executes.
 *
 * There are two kinds of path. The path of a decoded loop (decode.h) is assumed: one iteration, in
 * order. The path of a stepped loop (step.h) has the instructions that really ran: several
 * iterations, with branches and addresses. Values that are computed from a loop are "per path": for
 * one pass through all executed instructions that the path contains. Divided by `turns` (iterations
 * in the path), a value per path becomes a value per iteration; divided by `elements`, a value per
 * data element. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "model/code/insn.h"

/* LOOP_INSNS and LOOP_PATH: initial numbers of instructions and steps of a loop. LOOP_MOST: the
 * largest number of instructions of a decoded loop. */
enum { LOOP_INSNS = 1024, LOOP_PATH = 4096, LOOP_MOST = 32768 };

/* An executed conditional branch, or an indirect jump or call. */
struct loop_branch {
	uint64_t address, target; /* `target` is the address of the next executed instruction */
	bool taken, indirect;
};

/* The executed branches of several calls of a loop, each with new random data. */
struct loop_branches {
	struct loop_branch *branch;
	int count;
	int first; /* number of branches in the first call of the loop; 0: the first call was not
		      single-stepped to its end */
	double elements; /* number of data elements that the loop processed while these branches
			    were executed */
};

struct loop_step {
	uint16_t insn; /* index of the instruction in loop->insn */
	bool taken;    /* the executed instruction is a jump, or a branch that was taken */
	bool misses; /* the instruction loads from a line in random order, which may be in no cache
		      */
	bool wrong;  /* a branch predictor that sees the data for the first time predicts this
			branch wrongly */
	uint64_t address[INSN_MEMORY]; /* addresses of the instruction's memory operands; 0: unknown
					*/
};

struct loop {
	int insn_count, insn_room;
	struct insn *insn; /* instructions of the loop, in ascending order of address */
	int path_count, path_room;
	struct loop_step *path; /* executed instructions (steps) in the order of execution; after
				   the last step, the first step follows again */
	int turns; /* number of loop iterations in the path (the executed instructions), >= 1 */
	double elements; /* number of data elements that the path (the executed instructions)
			    processes, > 0 */
	bool stepped; /* true: the path was observed by single-stepping, so its addresses are known
		       */
	bool varies;  /* true for a stepped loop if a branch was taken in one iteration and not in
			 another. If branches vary, values per element hold only for the data of this
			 run */
	/* Number of mispredictions per element on fresh data, and if the same data come again and
	 * again. A number of mispredictions that is unknown is negative. */
	double fresh, learnt;
	/* The spread (±, distance to the quartiles) of both numbers: few of the loop's branches
	 * were counted. */
	double fresh_spread, learnt_spread;
	double branches; /* number of conditional branches and indirect jumps that a call executes;
			    -1: some go both ways, but no run showed their directions */
	int forks; /* if the path is assumed, not observed: number of conditional branches inside
		      the loop. Each conditional branch counts as not taken if execution can then
		      stay in the loop */
	double insns_per_element; /* instructions per element. In a single-stepped loop, the number
				     is exact, from two runs of different length; in a decoded loop,
				     it is path_count ÷ elements */
	int unknown;		  /* number of instructions of the loop that could not be decoded */
};

/* Makes an empty loop with memory for `insns` instructions and `path` steps. loop_free() frees this
 * memory. */
void loop_init(struct loop *loop, int insns, int path);
void loop_clear(
	struct loop *loop); /* Empties the loop, but keeps its memory for instructions and steps. */
void loop_free(struct loop *loop);
/* Makes room for at least `insns` instructions and `path` steps. The content of the loop stays. */
void loop_reserve(struct loop *loop, int insns, int path);

/* Replaces the content of a loop by a copy of another loop. */
void loop_copy(struct loop *to, const struct loop *from);

/* Fills an empty loop from an executed path. `steps` contains indices into `insns`. `insns` has
 * each address once, in any order. The loop receives only the instructions that ran. */
void loop_fill(struct loop *loop, const struct insn *insns, int insn_count,
	const struct loop_step *steps, int step_count);

/* The text of an instruction. The target of a jump is shown as its distance in bytes from the
 * loop's first instruction ("jne 0x0"). The text of an instruction therefore does not depend on the
 * code's address. */
void loop_insn_text(const struct loop *loop, const struct insn *insn, struct text *text);
