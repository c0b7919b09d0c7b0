/* The flow of control of one machine instruction: its length and where execution goes next.
 *
 * flow_read() reads only what a control flow graph needs, so flow_read() is about ten times faster
 * than decode_insn(). The file flow_x86.c has its own table of instruction lengths;
 * tests/unit/test_flow.c compares both decoders. */
#pragma once

#include <stddef.h>

#include "model/code/insn.h"

struct flow {
	uint8_t length; /* length of the instruction in bytes; 0: the bytes are no instruction */
	uint8_t kind;	/* a value of enum insn_flow */
	bool table; /* a FLOW_INDIRECT jump that may select one of several places of its function.
		       A jump through a fixed memory address leaves the function, so it does not
		       count as FLOW_INDIRECT. */
	bool nop;
	/* 4 or 8: the instruction names an address, `target`, which may be a table of jumps. The
	 * number 4 or 8 is the size of the table's entries in bytes. 0: the instruction names no
	 * such address. Entries of 4 bytes in a jump table are distances from the table, entries of
	 * 8 bytes are addresses. */
	uint8_t entry;
	uint64_t target; /* address of the target of a branch, jump or call, or the address that
			    the instruction names; 0: unknown */
};

/* Reads the instruction at the start of `bytes`, as if it ran at `address`. `size` is the number of
 * bytes (> 0). An instruction that does not fit into the given bytes has length 0. */
struct flow flow_read(const uint8_t *bytes, size_t size, uint64_t address);

/* Whether execution never continues with the instruction after this one. */
static inline bool flow_ends(const struct flow *flow)
{
	return flow->kind == FLOW_JUMP || flow->kind == FLOW_INDIRECT ||
	       flow->kind == FLOW_RETURN || flow->kind == FLOW_OTHER;
}
