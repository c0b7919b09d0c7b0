/* Which store each load of a loop takes its value from. Pure; deps.c makes dependences of them.
 *
 * Seen addresses (of a stepped loop) are compared directly; others where both are the same
 * registers plus constants. */
#pragma once

#include "model/code/loop.h"

struct forward {
	int step, operand; /* the store's; step -1: the load takes its value from memory */
	int distance;	   /* paths that the store was before; 0: this one */
	bool inside;	   /* the store wrote all that is loaded */
	bool same_start;   /* and both begin at the same byte */
};

/* Fills one entry for each operand that loads, in the order of the path (and of operands):
 * `forwards` has room for INSN_MEMORY times the path. stack: the stack pointer's register, whose
 * slots are apart from all else. Returns whether some load may also read what some store wrote,
 * which nothing tells: they are taken as apart. */
bool forwards_find(const struct loop *loop, int stack, struct forward *forwards);

/* Loads per path that begin within the 4 KiB remainder of one of the `window` stores before them,
 * at another address: a core that compares the low 12 bits first takes them for the same. Stepped
 * loops only; 0 for others. */
int forwards_aliases(const struct loop *loop, int window);
