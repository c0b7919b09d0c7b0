/* One decoded machine instruction, in the same form for every instruction set. Plain data.
 *
 * decode.h fills it. All other code (core models, dependence graph, limits, panels) reads this
 * struct and uses no decoder library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Registers. The processor renames a register as a whole. So its parts (al, eax, w0, xmm0, d0) have
 * the number of the whole register. */
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

/* How an address computation extends a 32-bit value. */
enum insn_extend {
	EXTEND_NONE,
	EXTEND_UNSIGNED, /* the index is zero-extended (AArch64: uxtw) */
	EXTEND_SIGNED,	 /* the index is sign-extended (sxtw) */
	EXTEND_ADDRESS,	 /* the whole address has 32 bits (x86: prefix 67) */
};

/* One memory operand. The instruction's `reads` do not list its registers. */
struct insn_memory {
	bool load, store;    /* both: the instruction reads, changes and writes back the value */
	bool relative;	     /* relative to the instruction: disp is the address itself */
	bool vector_index;   /* gather, scatter: index is a vector register */
	bool elsewhere;	     /* relative to a segment base (fs, gs), which is not known */
	uint8_t extend;	     /* enum insn_extend */
	uint8_t base, index; /* REG_NONE: no register */
	uint8_t scale;	     /* 1, 2, 4, 8; AArch64: 1 << shift */
	uint8_t accesses; /* number of memory accesses: elements of a gather or scatter; registers
			     of a pair or of an AArch64 structure (ld1 … st4); else 1 */
	uint16_t size;	  /* bytes of all accesses */
	int64_t disp;
};

enum insn_flow {
	FLOW_NONE,
	FLOW_BRANCH,   /* conditional branch to target */
	FLOW_JUMP,     /* unconditional jump to target */
	FLOW_INDIRECT, /* unconditional jump to an address in a register or in memory */
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_OTHER, /* system calls and traps: they end any loop */
};

struct insn {
	uint64_t address;
	uint8_t length; /* bytes */
	bool known;	/* false: the decoder does not know these bytes; other fields are empty, the
			   length is 1 (AArch64: 4) */
	char mnemonic[20]; /* in lower case, as in the core models' tables: "vaddsd", "jne", "b.ne"
			    */
	char shape[24];	   /* the explicit operands, see data/uarch/README.md: "r,m", "v,v,i",
			      "r,[bsd]" */
	char text[88];	   /* text for the user, in Intel's or Arm's syntax */

	/* Registers that the result depends on, and registers that change. Implicit registers are
	 * listed too. Registers of addresses are not. A partly written register (cvtsi2sd, merging
	 * masks, byte registers) is also listed as read. */
	uint8_t read_count, write_count;
	uint8_t reads[INSN_READS], writes[INSN_WRITES];
	uint8_t accumulator; /* the register of a fused multiply-add's addend; REG_NONE: no addend
			      */

	uint8_t memory_count;
	struct insn_memory memory[INSN_MEMORY];
	bool writeback; /* the access changes memory[0].base: AArch64's pre- and post-indexed forms;
			   push, pop, call and ret with rsp. `reads` and `writes` do not list the
			   base for this */
	int32_t step;	/* bytes that writeback adds to the base; the address of memory[0] uses the
			   old base. 0: the step is in a register */
	bool load_extends; /* a load with sign extension: movsx, movsxd, ldrsw */

	uint16_t width; /* bits of the widest vector register (x86: 128 or more; AArch64: as named,
			   d0 64); else of the first general register, usually the target; 0: no
			   register */
	bool vector;	/* uses vector registers */
	bool masked;	/* uses a mask other than k0 */
	bool move;	/* a plain register copy of 32 bits or more */
	bool zeroing; /* a zeroing idiom: the result depends on no register, so `reads` is empty */
	bool address_only; /* lea: the address of memory[0] is computed but not accessed (load and
			      store are false) */
	bool immediate;	   /* has an immediate operand */
	int64_t value;	   /* the immediate operand; the last of two */

	enum insn_flow flow;
	char condition[4]; /* FLOW_BRANCH: the condition. x86: without the j, always in one
			      spelling: "ne", "b", "ae" (z is "e", nz "ne", c "b", nc "ae", nbe "a",
			      na "be", nge "l" …) · AArch64: "ne", "hs"; cbz: "" */
	uint64_t target;   /* FLOW_BRANCH, FLOW_JUMP, FLOW_CALL: the target's address; 0: unknown */
};

/* Whether the instruction reads or writes the memory operand. An address that is only computed
 * (lea) is not accessed. */
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

/* Whether this is a plain load: its result depends only on memory and the address. */
static inline bool insn_fetches(const struct insn *insn)
{
	return insn->memory_count > 0 && insn->memory[0].load && !insn->memory[0].store &&
	       insn->read_count == 0;
}
