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
 * slots are apart from all else. Returns whether a load may also read bytes of a store, without
 * a proof either way: such a pair counts as apart. */
bool forwards_find(const struct loop *loop, int stack, struct forward *forwards);

/* Loads per path that begin within the 4 KiB remainder of one of the `window` stores before them,
 * at another address: a core that compares the low 12 bits first takes them for the same. Stepped
 * loops only; 0 for others. */
int forwards_aliases(const struct loop *loop, int window);

/* ---- Addresses of a loop that was not stepped, as far as the code shows them: registers at the
 * start of a path, plus constants. */

/* A register's value: that of `root`, plus a constant. */
struct address_value {
	int root; /* below REG_COUNT: that register as the path began; else a value that the path
		     made */
	int64_t offset;
};

/* An address: base + scale × index + constant, of roots alone. */
struct address {
	int base, index; /* roots; 0: none */
	int scale;
	bool known; /* false: it depends on values that are not followed (vector indices) */
	int64_t constant;
};

struct address_walk {
	struct address_value value[REG_COUNT];
	int next_root;
};

/* One memory operand of a path. */
struct address_access {
	int step, operand, size;
	bool load, store;
	struct address address;
};

/* Every memory operand that a path reads or writes, in order; `list` has room for INSN_MEMORY times
 * the path. Returns how many; walk: as the path ends. */
int address_list(const struct loop *loop, struct address_walk *walk, struct address_access *list);

/* Whether the difference of two addresses, of the same path, is that of their constants. */
bool address_comparable(const struct address *a, const struct address *b);

/* Whether two addresses that cannot be compared are apart by convention: a slot on the stack (by
 * the register `stack`), and memory elsewhere. */
bool address_apart(const struct address *a, const struct address *b, int stack);

/* By how much the address is larger in the next path; walk: as address_list() left it. False: not
 * by a constant. */
bool address_growth(
	const struct address_walk *walk, const struct address *address, int64_t *growth);
