/* Chooses the hot loop from a trace of executed instructions (steps), and the steps that represent
 * the loop. The functions do no input or output and keep no state. */
#pragma once

#include "base/status.h"
#include "model/code/loop.h"

struct step_trace {
	const struct insn *insn; /* decoded instructions: each address once, in any order */
	int insn_count;
	const struct loop_step *seen; /* steps in the order of execution; `taken` is not set */
	int seen_count;
	const int *before; /* number of executions of each instruction in a run over half as many
			      elements; NULL: there was no such run */
};

/* Reasons of failures (status.reason) for which another number of elements may help. */
enum step_reason {
	STEP_NOT_ENDED = 1, /* the run needs too many instructions */
	STEP_TOO_LONG,	    /* the time was over */
	STEP_NO_REPEAT,	    /* no instruction repeats */
	STEP_SAME_WORK	    /* twice as many elements take as many instructions */
};

/* Fills `loop` from a trace. The caller initialises `loop`; step_path() discards the old content of
 * `loop`. insns_per_element is the exact number of instructions per element (> 0). The loop head is
 * the target of backward jumps that runs most often; the number of executions in a run over half as
 * many elements is subtracted, so that a loop over a small table is not the hot loop. If a loop
 * runs fewer than STEP_TURNS_FEW iterations on average each time it is entered, the loop that
 * encloses it is used, if one iteration of that loop fits into `loop`. The path that represents the
 * loop has up to STEP_TURNS_MOST iterations from the middle of the run. The path that represents
 * the loop has at most STEP_PATH steps, or more if STEP_TURNS_WANTED iterations need more.
 * STATUS_FAILED: no instruction repeats (STEP_NO_REPEAT), or one iteration does not fit into
 * `loop`. */
struct status step_path(
	const struct step_trace *trace, double insns_per_element, struct loop *loop);

enum { STEP_TURNS_FEW = 8, STEP_TURNS_WANTED = 64, STEP_TURNS_MOST = 256, STEP_PATH = 2048 };
