/* From steps to a loop: which loop is the hot one, and which part of the run represents it. Pure.
 */
#pragma once

#include "base/status.h"
#include "model/code/loop.h"

struct step_trace {
	const struct insn *insn; /* each address once, in any order */
	int insn_count;
	const struct loop_step *seen; /* in the order of execution; without `taken` */
	int seen_count;
};

/* Fills `loop` (initialised; emptied here) from a trace. insns_per_element: exact (> 0). The head
 * is the most frequent target of backward jumps. A loop that runs fewer than STEP_TURNS_FEW turns
 * on average gives way to the enclosing one, if a whole turn of that one fits. The path takes up to
 * STEP_TURNS_MOST turns from the middle of the run, in at most STEP_PATH steps unless even
 * STEP_TURNS_WANTED turns need more. STATUS_FAILED: nothing repeats, or one turn does not fit. */
struct status step_path(
	const struct step_trace *trace, double insns_per_element, struct loop *loop);

enum { STEP_TURNS_FEW = 8, STEP_TURNS_WANTED = 64, STEP_TURNS_MOST = 256, STEP_PATH = 2048 };
