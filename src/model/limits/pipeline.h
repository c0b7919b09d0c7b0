/* A loop run through an idealised pipeline: so many slots renamed a cycle, each micro-op bound to a
 * port when it is renamed, the oldest ready one first on each port, and only so many in flight.
 * Pure.
 *
 * The limits know the best assignment of micro-ops to ports; a core has to choose at rename, before
 * it knows when each will be ready, and the choice can be worse. The rule is the one that Abel &
 * Reineke found in Intel cores ("uiCA", 2022): the port with the fewest micro-ops waiting, counted
 * as of the cycle before, and for every second slot of a cycle the next best. */
#pragma once

#include <stdbool.h>

#include "model/code/loop.h"
#include "model/core/uarch.h"

/* What the pipeline needs of the tally, by instruction. */
struct pipeline_insn {
	double slots;	   /* renamed; 0 for the second half of a fused pair */
	bool fused_first;  /* executes as the branch behind it does */
	bool fused_second; /* and this is that branch */
	bool materialised; /* eliminated at rename, and executed as well */
};

/* Cycles per path in the steady state; 0: unknown (a core of unknown width, an empty path). facts:
 * one for each instruction. */
double pipeline_run(const struct loop *loop, const struct uarch *uarch,
	const struct uarch_insn *facts, const struct pipeline_insn *insns);
