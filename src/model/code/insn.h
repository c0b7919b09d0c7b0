/* One decoded machine instruction, the same for every instruction set. Plain data.
 *
 * decode.h fills it; everything above it (core models, dependence graph, limits, panels) reads this
 * and no decoder library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Registers, one number for each that is renamed as a whole: parts (al, eax, w0, xmm0, d0) carry
 * their whole's number. */
enum {
	REG_NONE = 0,
	REG_GENERAL = 1, /* 32: rax rcx rdx rbx rsp rbp rsi rdi r8…r15 · x0…x30, sp as 31 */
	REG_VECTOR = 33, /* 32: zmm0…31 · v0…31 */
	REG_MASK = 65,	 /* 8: k0…k7 */
	REG_CARRY = 73,	 /* x86: CF */
	REG_FLAGS = 74,	 /* x86: the other arithmetic flags · AArch64: NZCV */
	REG_COUNT = 75
};

enum { INSN_READS = 10, INSN_WRITES = 8, INSN_MEMORY = 2 };

/* What an address extends before it is used. */
enum insn_extend {
	EXTEND_NONE,
	EXTEND_UNSIGNED, /* the index: a word (AArch64: uxtw) */
	EXTEND_SIGNED,	 /* the index: a word with its sign (sxtw) */
	EXTEND_ADDRESS,	 /* the whole address: a word (x86: prefix 67) */
};

/* One memory operand. Its registers are listed here, not among the instruction's reads. */
struct insn_memory {
	bool load, store;    /* both: read, changed and written back */
	bool relative;	     /* to the instruction: disp is the address itself */
	bool vector_index;   /* gather, scatter: index is a vector register */
	bool elsewhere;	     /* from the base of a segment (fs, gs), which is not known */
	uint8_t extend;	     /* enum insn_extend */
	uint8_t base, index; /* REG_NONE: none */
	uint8_t scale;	     /* 1, 2, 4, 8; AArch64: 1 << shift */
	uint8_t accesses; /* memory accesses made: elements of a gather or scatter, registers of a
			     pair or an AArch64 structure (ld1 … st4), else 1 */
	uint16_t size;	  /* bytes in all */
	int64_t disp;
};

enum insn_flow {
	FLOW_NONE,
	FLOW_BRANCH,   /* conditional, to target */
	FLOW_JUMP,     /* always, to target */
	FLOW_INDIRECT, /* always, to where a register or memory says */
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_OTHER, /* system calls, traps: ends any loop */
};

struct insn {
	uint64_t address;
	uint8_t length; /* bytes */
	bool known;	/* false: the bytes are no instruction that the decoder knows; the rest is
			   empty, the length 1 (AArch64: 4) */
	char mnemonic[20]; /* lower case, as in the core models' tables: "vaddsd", "jne", "b.ne" */
	char shape[24];	   /* its explicit operands, see data/uarch/README.md: "r,m", "v,v,i",
			      "r,[bsd]" */
	char text[88];	   /* as shown: Intel syntax · Arm's */

	/* Registers that the result depends on, and that change: implicit ones too, without those
	 * of addresses. A register that is partly written (cvtsi2sd, merging masks, byte registers)
	 * counts as read too. */
	uint8_t read_count, write_count;
	uint8_t reads[INSN_READS], writes[INSN_WRITES];
	uint8_t accumulator; /* of a fused multiply-add: the addend's register; REG_NONE: none */

	uint8_t memory_count;
	struct insn_memory memory[INSN_MEMORY];
	bool writeback; /* it changes memory[0].base: AArch64's pre- and post-indexed forms; push,
			   pop, call and ret with rsp. reads and writes do not list the base for
			   that */
	int32_t step; /* by how much, in bytes; memory[0] is where the base as it was before leads.
			 0: by a register's value */
	bool load_extends; /* a load that extends the sign: movsx, movsxd, ldrsw */

	uint16_t width; /* bits of its widest vector register (x86: 128 or more; AArch64: as named,
			   d0 64), else of its first general register, the target as a rule; 0: none
			 */
	bool vector;	/* works on vector registers */
	bool masked;	/* under a mask other than k0 */
	bool move;	/* a plain copy from register to register, of 32 bits or more */
	bool zeroing;	/* a zeroing idiom: the result depends on nothing (reads are left out) */
	bool address_only; /* lea: memory[0] is computed, not accessed (load and store unset) */
	bool immediate;	   /* has an immediate operand */
	int64_t value;	   /* that operand; the last one when there are two */

	enum insn_flow flow;
	char condition[4]; /* FLOW_BRANCH: x86 without the j: "ne", "b", "ae", always in one
			      spelling (z and nz are "e" and "ne", c and nc "b" and "ae", nbe "a",
			      na "be", nge "l" …) · AArch64: "ne", "hs"; cbz: "" */
	uint64_t target;   /* FLOW_BRANCH, FLOW_JUMP, FLOW_CALL when known, else 0 */
};

/* Whether a memory operand is read or written (an address that is only computed is neither). */
static inline bool insn_loads(const struct insn *insn, int operand)
{
	return insn->known && operand < insn->memory_count && insn->memory[operand].load &&
	       !insn->address_only;
}

static inline bool insn_stores(const struct insn *insn, int operand)
{
	return insn->known && operand < insn->memory_count && insn->memory[operand].store &&
	       !insn->address_only;
}

/* A plain load: its result depends on memory and the address alone. */
static inline bool insn_fetches(const struct insn *insn)
{
	return insn->memory_count > 0 && insn->memory[0].load && !insn->memory[0].store &&
	       insn->read_count == 0;
}
