/* From steps to a loop: which of the loops that ran is the hot one, and which stretch of the run
 * stands for it. Pure; shared by step.c and tests. */
#ifndef SLX_MODEL_CODE_STEP_PATH_H
#define SLX_MODEL_CODE_STEP_PATH_H

#include "base/status.h"
#include "model/code/loop.h"

/* One instruction that ran. */
struct step_seen {
	uint32_t insn;		       /* index into the trace's instructions */
	uint64_t address[INSN_MEMORY]; /* of its memory operands; 0: unknown */
};

struct step_trace {
	const struct insn *insn; /* each address once, in any order */
	int insn_count;
	const struct step_seen *seen; /* in the order of execution */
	int seen_count;
};

/* Fills `loop` (initialised, emptied here) from a trace. insns_per_element: exact (> 0). The head
 * is the address that is jumped back to most often; a loop that is left after fewer than
 * STEP_TURNS_FEW turns on average gives way to the one around it, as far as a whole turn of that
 * one fits. From the middle of the run the path takes up to STEP_TURNS_MOST turns, in at most
 * STEP_PATH steps unless even STEP_TURNS_WANTED turns need more. STATUS_FAILED when nothing repeats
 * or one turn does not fit. */
struct status step_path(
	const struct step_trace *trace, double insns_per_element, struct loop *loop);

enum { STEP_TURNS_FEW = 8, STEP_TURNS_WANTED = 64, STEP_TURNS_MOST = 256, STEP_PATH = 2048 };

#endif
