/* Finds the store that each load of a loop reads from. Pure. deps.c converts the result to
 * dependences.
 *
 * Addresses of a stepped loop are known and are compared directly. Other addresses are compared
 * only if both use the same registers plus constants. */
#pragma once

#include "model/code/loop.h"

struct forward {
	int step, operand; /* the store; step -1: the load reads from memory */
	int distance;	   /* how many paths earlier the store ran; 0: in this path */
	bool inside;	   /* the store wrote all bytes that are loaded */
	bool same_start;   /* store and load begin at the same byte */
};

/* Fills one entry for each operand that loads, in the order of the path and its operands.
 * `forwards` has room for INSN_MEMORY entries per step. stack: the stack pointer's register. Stack
 * slots never overlap other memory. Returns true if a store may overlap a load, but the code does
 * not prove it. Such pairs count as not overlapping. */
bool forwards_find(const struct loop *loop, int stack, struct forward *forwards);

/* Counts 4 KiB aliases per path: loads that overlap one of the previous `window` stores only in the
 * low 12 bits of the address. A core that compares only these bits first treats the load as
 * dependent on the store. Returns 0 for a loop that was not stepped. */
int forwards_aliases(const struct loop *loop, int window);

/* ---- Addresses of a loop that was not stepped. An address is known as registers at the start of
 * the path, plus constants. */

/* A register's value: the value of `root` plus a constant. */
struct address_value {
	int root; /* below REG_COUNT: the value of this register when the path began; otherwise a
		     value computed in the path */
	int64_t offset;
};

/* An address: base + scale × index + constant. base and index are roots. */
struct address {
	int base, index; /* 0: no register */
	int scale;
	bool known; /* false: the address depends on values that are not tracked (vector indices) */
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

/* Lists every memory operand that a path reads or writes, in order. `list` has room for INSN_MEMORY
 * entries per step. Returns the number of entries. walk receives the register values at the end of
 * the path. */
int address_list(const struct loop *loop, struct address_walk *walk, struct address_access *list);

/* Whether two addresses of the same path differ only by their constants. */
bool address_comparable(const struct address *a, const struct address *b);

/* Whether two addresses that cannot be compared are assumed not to overlap: exactly one of them is
 * a stack slot (addressed by the register `stack`). */
bool address_apart(const struct address *a, const struct address *b, int stack);

/* Computes how much the address grows from one path to the next. walk: as address_list() filled it.
 * Returns false if the address does not grow by a constant. */
bool address_growth(
	const struct address_walk *walk, const struct address *address, int64_t *growth);
