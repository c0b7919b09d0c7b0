/* The instructions that rename takes in one cycle. */
#pragma once

#include "model/limits/tally.h"

/* What rename has taken in a cycle so far. All zero: nothing. */
struct rename_cycle {
	double slots;  /* rename slots */
	double before; /* the same, before instructions were split (un-lamination) */
	int splits;    /* instructions that were split */
};

/* Whether rename can take a further instruction in the cycle: it needs `slots` rename slots,
 * `split` of them because it is split. Rename does not divide the slots of an instruction between
 * cycles. An instruction with more slots than the core has per cycle is taken at the beginning of a
 * cycle. */
bool rename_takes(
	const struct uarch *uarch, const struct rename_cycle *cycle, double slots, double split);

/* Adds an instruction to what rename has taken in the cycle. */
void rename_add(struct rename_cycle *cycle, double slots, double split);

/* Returns the cycles that rename needs for a path, if it never waits for the back end. */
double rename_cycles(const struct tally *tally);
