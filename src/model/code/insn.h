/* One decoded machine instruction, in the same form for every instruction set. The struct contains
 * no pointers.
 *
 * decode.h fills it. All other code (core models, dependence graph, limits, panels) reads this
 * struct and uses no decoder library. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The numbers of registers. The processor renames whole registers. A part of a register (al, eax,
 * w0, xmm0, d0) therefore has the number of the whole register. */
enum {
	REG_NONE = 0,
	REG_GENERAL = 1, /* the first of 32 general registers. x86: rax rcx rdx rbx rsp rbp rsi rdi
			    r8…r15 · AArch64: x0…x30, then sp */
	REG_VECTOR = 33, /* the first of 32 vector registers. x86: zmm0…31 · AArch64: v0…31 */
	REG_MASK = 65,	 /* the first of 8 mask registers of x86: k0…k7 */
	REG_CARRY = 73,	 /* the carry flag CF of x86 */
	REG_FLAGS = 74,	 /* x86: all arithmetic flags except CF, together · AArch64: the four flags
			    NZCV, together */
	REG_COUNT = 75
};

enum { INSN_READS = 10, INSN_WRITES = 8, INSN_MEMORY = 2 };

/* How an address computation extends a 32-bit value. */
enum insn_extend {
	EXTEND_NONE,
	EXTEND_UNSIGNED, /* the index is zero-extended (AArch64: uxtw) */
	EXTEND_SIGNED,	 /* the index is sign-extended (sxtw) */
	EXTEND_ADDRESS, /* the processor computes the whole address with 32 bits (x86: prefix 67) */
};

/* One memory operand. The list `reads` of an instruction does not contain the registers of a memory
 * operand's address. */
struct insn_memory {
	bool load, store;  /* whether the instruction loads or stores the operand; if both are true,
			      it reads, changes and writes back the value */
	bool relative;	   /* the address is relative to the instruction; `disp` is then the whole
			      address */
	bool vector_index; /* the index is a vector register, as in a gather or scatter */
	bool elsewhere; /* the address is relative to a segment base (fs, gs), which is not known */
	uint8_t extend; /* how the processor extends a 32-bit index or address: a value of enum
			   insn_extend */
	uint8_t base, index; /* numbers of the base and index registers; REG_NONE: no register */
	uint8_t scale;	     /* factor of the index: 1, 2, 4 or 8; on AArch64, 1 << shift */
	uint8_t accesses; /* number of memory accesses: elements of a gather or scatter; registers
			     of a pair or AArch64 structure (ld1 … st4); otherwise 1 */
	uint16_t size;	  /* bytes of all accesses together */
	int64_t disp;
};

enum insn_flow {
	FLOW_NONE,
	FLOW_BRANCH,   /* conditional branch to the address `target` */
	FLOW_JUMP,     /* unconditional jump to the address `target` */
	FLOW_INDIRECT, /* unconditional jump to an address in a register or in memory */
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_OTHER, /* system call or trap, which ends any loop */
};

struct insn {
	uint64_t address;
	uint8_t length; /* length of the instruction in bytes */
	bool known;	/* false: the bytes are no instruction that the decoder knows; the length is
			   then 1 (AArch64: 4), and other fields are empty */
	char mnemonic[25]; /* mnemonic in lower case, as in the instruction tables of core models:
			      "vaddsd", "jne", "b.ne" */
	char shape[24]; /* kinds of the explicit operands, see data/uarch/README.md: "r,m", "v,v,i",
			   "r,[bsd]" */
	char text[88];	/* text of the instruction for the user, in Intel's or Arm's syntax */

	/* `reads` lists the registers that the result depends on; `writes` lists the registers that
	 * change. The lists `reads` and `writes` include implicit registers, but not the registers
	 * of addresses. A partly written register (cvtsi2sd, merging masks, byte registers) is also
	 * listed as read. */
	uint8_t read_count, write_count;
	uint8_t reads[INSN_READS], writes[INSN_WRITES];
	uint8_t accumulator; /* register that holds the addend of a fused multiply-add; REG_NONE: no
				addend */

	uint8_t kept; /* register that keeps some of its elements, or would with another mask: the
			 target of a gather, compression or expansion; REG_NONE: no such register */

	uint8_t memory_count;
	struct insn_memory memory[INSN_MEMORY];
	bool writeback; /* the access changes the register memory[0].base: AArch64's pre- and
			   post-indexed forms; push, pop, call and ret with rsp. `reads` and
			   `writes` do not list the base register for this change */
	int32_t step; /* bytes that `writeback` adds to the base register; the address of memory[0]
			 uses the old base. 0: a register holds the step */
	bool load_extends; /* the load extends the sign: movsx, movsxd, ldrsw */

	uint16_t width; /* bits of the widest vector register (x86: 128 or more; AArch64: as the
			   name says, for example 64 for d0). Without a vector register: bits of the
			   first general register, usually the target; 0: no register */
	bool vector;	/* the instruction uses vector registers */
	bool masked;	/* the instruction uses a mask register other than k0 */
	bool move;	/* the instruction only copies a register of 32 bits or more */
	bool zeroing;	/* the instruction is a zeroing idiom: the result depends on no register, so
			   `reads` is empty */
	bool address_only; /* the instruction computes the address of memory[0] but does not access
			      it (lea); `load` and `store` are false */
	bool immediate;	   /* the instruction has an immediate operand */
	int64_t value; /* value of the immediate operand; if there are two, the value of the last */

	enum insn_flow flow;
	char condition[4]; /* condition of a FLOW_BRANCH: "ne", "b", "hs"; cbz of AArch64 has "".
			      Each x86 condition has one spelling: z is "e", nz "ne", c "b", nc
			      "ae", nbe "a", na "be", nge "l" … */
	uint64_t target;   /* address of the target of a FLOW_BRANCH, FLOW_JUMP or FLOW_CALL; 0:
			      unknown */
	/* Where the encoding holds the distance to `target`, or to a relative memory operand: the
	 * offset of the distance in the instruction, and its number of bytes. 0 bytes: the encoding
	 * holds no distance, or the instruction set is not x86. */
	uint8_t distance_at, distance_bytes;
};

/* Whether the instruction reads or writes the memory operand. lea computes an address but does not
 * access the memory there. */
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

/* Whether the operand is stored past the caches, straight to memory (x86: movnt…; AArch64: stnp).
 */
static inline bool insn_stores_past(const struct insn *insn, int operand)
{
	return insn_stores(insn, operand) && (strncmp(insn->mnemonic, "movnt", 5) == 0 ||
						     strncmp(insn->mnemonic, "vmovnt", 6) == 0 ||
						     strcmp(insn->mnemonic, "stnp") == 0);
}

/* Whether the instruction writes the register; a flag counts as a register. */
static inline bool insn_writes(const struct insn *insn, int reg)
{
	return memchr(insn->writes, reg, insn->write_count) != NULL;
}

/* Returns the number of vector operands that the instruction reads. A memory operand is one of
 * them.
 */
static inline int insn_vector_sources(const struct insn *insn)
{
	int count = insn->vector && insn_loads(insn, 0);

	for (int i = 0; i < insn->read_count; i++)
		count += insn->reads[i] >= REG_VECTOR && insn->reads[i] < REG_MASK;
	/* `reads` lists each register once, and a multiply-add can square a register. */
	return insn->accumulator != REG_NONE ? 3 : count;
}

/* Whether the instruction is a plain load: its result depends only on memory and the address. */
static inline bool insn_fetches(const struct insn *insn)
{
	return insn->memory_count > 0 && insn->memory[0].load && !insn->memory[0].store &&
	       insn->read_count == 0;
}
