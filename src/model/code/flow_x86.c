/* The lengths of x86-64 instructions. Source of the tables: Intel 64 and IA-32 Architectures
 * Software Developer's Manual, volume 2, appendix A. Source for XOP: AMD64 Architecture
 * Programmer's Manual, volume 6. */
#include "model/code/flow.h"

#include <string.h>

enum { LONGEST = 15 };

/* The bytes that follow the opcode: a ModRM byte, and an immediate operand. */
enum {
	MODRM = 1,
	IMM8 = 2,
	IMM16 = 4,
	IMM_Z = 8,   /* 4 bytes, or 2 with the operand-size prefix */
	REL32 = 16,  /* 4 bytes always */
	WIDE = 32,   /* mov reg, imm: 8 bytes with REX.W, else as IMM_Z */
	OFFSET = 64, /* an address: 8 bytes, or 4 with the address-size prefix */
	BAD = 128
};

/* One-byte opcodes from 0x40, in rows of 16. Below 0x40, the opcodes of eight arithmetic operations
 * have the same pattern. */
static const uint8_t one_byte[12][16] = {
	{ BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD }, /* 40 */
	{ 0 },										    /* 50 */
	{ BAD, BAD, BAD, MODRM, BAD, BAD, BAD, BAD, IMM_Z, MODRM | IMM_Z, IMM8, MODRM | IMM8, 0, 0,
		0, 0 }, /* 60 */
	{ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
		IMM8 }, /* 70 */
	{ MODRM | IMM8, MODRM | IMM_Z, BAD, MODRM | IMM8, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM,
		MODRM, MODRM, MODRM, MODRM, MODRM, MODRM },			       /* 80 */
	{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BAD, 0, 0, 0, 0, 0 },			       /* 90 */
	{ OFFSET, OFFSET, OFFSET, OFFSET, 0, 0, 0, 0, IMM8, IMM_Z, 0, 0, 0, 0, 0, 0 }, /* a0 */
	{ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, WIDE, WIDE, WIDE, WIDE, WIDE, WIDE, WIDE,
		WIDE }, /* b0 */
	{ MODRM | IMM8, MODRM | IMM8, IMM16, 0, BAD, BAD, MODRM | IMM8, MODRM | IMM_Z, IMM16 | IMM8,
		0, IMM16, 0, 0, IMM8, BAD, 0 }, /* c0 */
	{ MODRM, MODRM, MODRM, MODRM, BAD, BAD, BAD, 0, MODRM, MODRM, MODRM, MODRM, MODRM, MODRM,
		MODRM, MODRM }, /* d0 */
	{ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, REL32, REL32, BAD, IMM8, 0, 0, 0,
		0 },								  /* e0 */
	{ BAD, 0, BAD, BAD, 0, 0, MODRM, MODRM, 0, 0, 0, 0, 0, 0, MODRM, MODRM }, /* f0 */
};

static uint8_t one_byte_form(uint8_t opcode)
{
	static const uint8_t low[8] = { MODRM, MODRM, MODRM, MODRM, IMM8, IMM_Z, BAD, BAD };

	return opcode < 0x40 ? low[opcode & 7] : one_byte[(opcode >> 4) - 4][opcode & 15];
}

/* Opcodes after 0f, also those in VEX and EVEX encodings of map 1. */
static uint8_t two_byte_form(uint8_t opcode)
{
	if ((opcode & 0xf0) == 0x80)
		return REL32;
	if ((opcode & 0xf8) == 0xc8 || (opcode & 0xf8) == 0x30 || opcode == 0x77)
		return 0;
	switch (opcode) {
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x0b:
	case 0x0e:
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa8:
	case 0xa9:
	case 0xaa: return 0;
	case 0x0f:
	case 0x70:
	case 0x71:
	case 0x72:
	case 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4:
	case 0xc5:
	case 0xc6: return MODRM | IMM8;
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x24:
	case 0x25:
	case 0x26:
	case 0x27: return BAD;
	default: return MODRM;
	}
}

static uint8_t map_form(unsigned map, uint8_t opcode)
{
	switch (map) {
	case 1: return two_byte_form(opcode);
	case 2:
	case 5:
	case 6:
	case 9: return MODRM;
	case 3:
	case 8: return MODRM | IMM8;
	case 10: return MODRM | REL32; /* XOP: an immediate operand of 4 bytes */
	default: return BAD;
	}
}

/* Returns the length of a ModRM byte with its SIB byte and displacement. `left` bytes are readable
 * (> 0). */
static size_t modrm_bytes(const uint8_t *at, size_t left)
{
	unsigned mod = at[0] >> 6, rm = at[0] & 7;
	size_t bytes = 1;

	if (mod == 3)
		return bytes;
	if (rm == 4) {
		if (left < 2)
			return 2;
		if (mod == 0 && (at[1] & 7) == 5)
			bytes += 4;
		bytes++;
	} else if (mod == 0 && rm == 5) {
		bytes += 4;
	}
	return bytes + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Returns where execution goes after an instruction with a one-byte opcode. `modrm` is its ModRM
 * byte. */
static enum insn_flow one_byte_flow(uint8_t opcode, uint8_t modrm)
{
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		return FLOW_BRANCH;
	switch (opcode) {
	case 0xe8: return FLOW_CALL;
	case 0xe9:
	case 0xeb: return FLOW_JUMP;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf: return FLOW_RETURN;
	case 0xcc:
	case 0xcd:
	case 0xf1:
	case 0xf4: return FLOW_OTHER;
	case 0xff:
		return (modrm >> 3 & 7) == 4 || (modrm >> 3 & 7) == 5	? FLOW_INDIRECT
		       : (modrm >> 3 & 7) == 2 || (modrm >> 3 & 7) == 3 ? FLOW_CALL
									: FLOW_NONE;
	default: return FLOW_NONE;
	}
}

static int64_t little(const uint8_t *at, size_t bytes)
{
	int32_t value;

	if (bytes == 1)
		return (int8_t)at[0];
	memcpy(&value, at, sizeof(value));
	return value;
}

/* An instruction that is being read: `at` is the next byte. */
struct reading {
	const uint8_t *bytes;
	size_t size, at;
	bool narrow, short_address, wide, locked; /* prefixes 66 and 67; REX.W; lock */
	unsigned map; /* the table of the opcode; 0: opcodes of one byte */
	uint8_t opcode, form, modrm;
	size_t modrm_at; /* 0: no ModRM byte */
};

/* Whether a byte is a prefix, a bit for each byte: 26 2e 36 3e, 40 to 4f and 64 to 67, f0 f2 f3. */
static bool is_prefix(uint8_t byte)
{
	static const uint64_t prefixes[4] = { 0x4040404000000000, 0x000000f00000ffff, 0,
		0x000d000000000000 };

	return prefixes[byte >> 6] >> (byte & 63) & 1;
}

/* Reads prefixes and opcode. Returns false if the bytes end before the opcode. */
static bool read_opcode(struct reading *to)
{
	const uint8_t *bytes = to->bytes;
	size_t left;

	/* A REX prefix counts only directly before the opcode. */
	for (; to->at < to->size && is_prefix(bytes[to->at]); to->at++) {
		to->narrow |= bytes[to->at] == 0x66;
		to->short_address |= bytes[to->at] == 0x67;
		to->locked |= bytes[to->at] == 0xf0;
		to->wide = (bytes[to->at] & 0xf8) == 0x48;
	}
	if (to->at >= to->size)
		return false;
	to->opcode = bytes[to->at++];
	left = to->size - to->at;
	if (to->opcode == 0x0f && left >= 1) {
		to->map = 1;
		if (bytes[to->at] == 0x38 || bytes[to->at] == 0x3a)
			to->map = bytes[to->at++] == 0x38 ? 2 : 3;
	} else if (to->opcode == 0xc5 && left >= 2) { /* VEX */
		to->map = 1;
		to->at++;
	} else if (to->opcode == 0xc4 && left >= 3) { /* VEX */
		to->map = bytes[to->at] & 31;
		to->at += 2;
	} else if (to->opcode == 0x62 && left >= 4) { /* EVEX */
		to->map = bytes[to->at] & 7;
		to->at += 3;
	} else if (to->opcode == 0x8f && left >= 3 && (bytes[to->at] & 31) >= 8) { /* XOP */
		to->map = bytes[to->at] & 31;
		to->at += 2;
	}
	if (!to->map)
		return true;
	if (to->at >= to->size)
		return false;
	to->opcode = bytes[to->at++];
	return true;
}

/* Reads the ModRM byte of an instruction, and its SIB byte and displacement. Returns false if the
 * bytes of the instruction end too early. */
static bool read_modrm(struct reading *to)
{
	if (to->at >= to->size)
		return false;
	to->modrm_at = to->at;
	to->modrm = to->bytes[to->at];
	to->at += modrm_bytes(to->bytes + to->at, to->size - to->at);
	if (!to->map && (to->opcode & 0xfe) == 0xf6 && (to->modrm & 0x30) == 0) /* test r/m, imm */
		to->form |= to->opcode == 0xf6 ? IMM8 : IMM_Z;
	return true;
}

static size_t immediate_bytes(const struct reading *from)
{
	size_t narrow = from->narrow && !from->wide ? 2 : 4;

	return (from->form & IMM8 ? 1 : 0) + (from->form & IMM16 ? 2 : 0) +
	       (from->form & REL32 ? 4 : 0) + (from->form & IMM_Z ? narrow : 0) +
	       (from->form & WIDE ? (from->wide ? 8 : narrow) : 0) +
	       (from->form & OFFSET ? (from->short_address ? 4 : 8) : 0);
}

static enum insn_flow flow_kind(const struct reading *from)
{
	uint8_t opcode = from->opcode;

	if (!from->map && ((opcode & 0xf0) == 0x70 || opcode >= 0xc2))
		return one_byte_flow(opcode, from->modrm);
	if (from->map != 1)
		return FLOW_NONE;
	if ((opcode & 0xf0) == 0x80)
		return FLOW_BRANCH;
	return opcode == 0x0b || opcode == 0xb9 || opcode == 0xff ? FLOW_OTHER : FLOW_NONE; /* ud */
}

/* Finds the address that an instruction names. An instruction names an address in "lea register,
 * [rip + distance]", or in [index * 8 + address] without a base register. `at` is the place of the
 * ModRM byte.
 */
static void find_entry(
	const uint8_t *bytes, size_t at, uint8_t opcode, uint64_t address, struct flow *flow)
{
	uint8_t modrm = bytes[at];

	if (opcode == 0x8d && (modrm & 0xc7) == 5) {
		flow->entry = 4;
		flow->target = address + flow->length + (uint64_t)little(bytes + at + 1, 4);
	} else if ((opcode == 0x8b || flow->kind == FLOW_INDIRECT) && (modrm & 0xc7) == 4 &&
		   (bytes[at + 1] & 0xc7) == 0xc5) {
		flow->entry = 8;
		flow->target = (uint64_t)little(bytes + at + 2, 4);
	}
}

/* Reads an instruction that has no prefix but REX, and a common opcode of one byte. LONGEST bytes
 * are readable. Returns false for other instructions. Most instructions of a program are such ones,
 * so this way saves a third of the time that listing a program's functions takes. */
static bool read_common(const uint8_t *bytes, uint64_t address, struct flow *flow)
{
	size_t at = (bytes[0] & 0xf0) == 0x40, modrm_at, immediate;
	bool wide = at && (bytes[0] & 8);
	uint8_t opcode = bytes[at++], form;

	if (opcode == 0x8f || (opcode >= 0xc0 && opcode != 0xc3 && opcode != 0xe8 &&
				      opcode != 0xe9 && opcode != 0xeb))
		return false;
	form = one_byte_form(opcode);
	if (form & BAD)
		return false;
	modrm_at = at;
	if (form & MODRM)
		at += modrm_bytes(bytes + at, LONGEST - at);
	immediate = form & IMM8		     ? 1
		    : form & (IMM_Z | REL32) ? 4
		    : form & WIDE	     ? (wide ? 8 : 4)
		    : form & OFFSET	     ? 8
					     : 0;
	*flow = (struct flow){ .length = (uint8_t)(at + immediate), .nop = opcode == 0x90 };
	if (opcode >= 0xc0 || (opcode & 0xf0) == 0x70) {
		flow->kind = (uint8_t)one_byte_flow(opcode, 0);
		if (immediate)
			flow->target =
				address + flow->length + (uint64_t)little(bytes + at, immediate);
	} else if (opcode == 0x8d || opcode == 0x8b) {
		find_entry(bytes, modrm_at, opcode, address, flow);
	}
	return true;
}

struct flow flow_read(const uint8_t *bytes, size_t size, uint64_t address)
{
	struct reading from = { .bytes = bytes, .size = size < LONGEST ? size : LONGEST };
	struct flow flow = { 0 };
	size_t immediate = 0;

	if (size >= LONGEST && read_common(bytes, address, &flow))
		return flow;
	if (!read_opcode(&from))
		return flow;
	from.form = from.map ? map_form(from.map, from.opcode) : one_byte_form(from.opcode);
	if ((from.form & BAD) || ((from.form & MODRM) && !read_modrm(&from)))
		return flow;
	if (from.form & ~MODRM)
		immediate = immediate_bytes(&from);
	if (from.at + immediate > from.size)
		return flow;
	/* No jump, call or return may have the prefix lock. */
	if (from.locked && flow_kind(&from) != FLOW_NONE)
		return flow;
	flow.length = (uint8_t)(from.at + immediate);
	flow.kind = (uint8_t)flow_kind(&from);
	flow.nop = (!from.map && from.opcode == 0x90) || (from.map == 1 && from.opcode == 0x1f);
	if (immediate &&
		(flow.kind == FLOW_BRANCH || flow.kind == FLOW_JUMP || flow.kind == FLOW_CALL))
		flow.target = address + flow.length + (uint64_t)little(bytes + from.at, immediate);
	if (!from.map && from.modrm_at)
		find_entry(bytes, from.modrm_at, from.opcode, address, &flow);
	/* The operand is a register, or memory with an index register. */
	flow.table =
		flow.kind == FLOW_INDIRECT && ((from.modrm >> 6) == 3 || (from.modrm & 7) == 4);
	return flow;
}
