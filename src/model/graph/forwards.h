/* Finds the store that each load of a loop reads from. The functions do no input or output and keep
 * no state. deps.c converts the stores that are found to dependences.
 *
 * Addresses of a stepped loop are known and are compared directly. Unknown addresses are compared
 * only if both addresses use the same registers plus constants. */
#pragma once

#include "model/code/loop.h"

struct forward {
	int step, operand; /* step and operand of the store; a step of -1 means that no store of the
			      loop wrote the loaded value */
	int distance; /* number of passes through the path from the store to the load; 0: both run
			 in the same pass */
	bool inside;  /* the store wrote all bytes that the load reads */
	bool same_start; /* store and load begin at the same byte */
};

/* Fills one entry for each memory operand that loads, in the order of the path and of the operands
 * in a step. `forwards` has room for INSN_MEMORY entries per step. `stack` is the register of the
 * stack pointer: stack slots are assumed never to overlap other memory. Returns true if a store may
 * overlap a load, but the code does not prove it. A store and a load that may overlap count as not
 * overlapping. */
bool forwards_find(const struct loop *loop, int stack, struct forward *forwards);

/* Counts 4 KiB aliases per path: loads that overlap one of the previous `window` stores (a number)
 * only in the low 12 bits of the address. In a 4 KiB alias, a core that first compares only the low
 * 12 bits treats the load as dependent on the store. forwards_aliases() returns 0 for a loop that
 * was not stepped. */
int forwards_aliases(const struct loop *loop, int window);

/* ---- Addresses of a loop that was not stepped. In a loop that was not stepped, an address is
 * registers at the start of the path, plus constants. */

/* A register's value: the value of `root` plus a constant. */
struct address_value {
	int root; /* number of the root value, from which the register's value was computed. Below
		     REG_COUNT, the root is the value of this register at the start of the path;
		     otherwise a value that the path computes */
	int64_t offset;
};

/* An address: base + scale × index + constant. `base` and `index` are numbers of roots: a root is a
 * register value at the start of the path, or a value computed in the path. */
struct address {
	int base, index; /* numbers of the values (roots) that base and index start from; 0: no
			    register */
	int scale;
	bool known; /* false: the address depends on values that address_list() does not track, for
		       example vector indices */
	int64_t constant;
};

struct address_walk {
	struct address_value value[REG_COUNT];
	int next_root;
};

/* One memory operand of a step (instruction) of the path. */
struct address_access {
	int step, operand, size;
	bool load, store;
	struct address address;
};

/* Lists every memory operand that a path reads or writes, in order. `list` has room for INSN_MEMORY
 * entries per step. Returns the number of entries in `list`. `walk` receives the register values at
 * the end of the path. */
int address_list(const struct loop *loop, struct address_walk *walk, struct address_access *list);

/* Whether two memory addresses of the same path differ only by their constants. */
bool address_comparable(const struct address *a, const struct address *b);

/* Whether two addresses that cannot be compared are assumed not to overlap, because exactly one of
 * them is in the stack. An address is in the stack if its base is the register `stack`. */
bool address_apart(const struct address *a, const struct address *b, int stack);

/* Computes how much the address grows from one path to the next. `walk` has the register values
 * that address_list() wrote. Returns false if the address does not grow by a constant. */
bool address_growth(
	const struct address_walk *walk, const struct address *address, int64_t *growth);
