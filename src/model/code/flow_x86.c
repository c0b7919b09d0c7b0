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

/* One-byte opcodes from 0x40, in rows of 16. Below 0x40, eight operations have the same pattern. */
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

/* The bytes of a ModRM byte with what belongs to it: SIB byte and displacement. `left` bytes are
 * readable (> 0). */
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

/* The flow of a one-byte opcode. `modrm` is its ModRM byte. */
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

static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3: return true;
	default: return (byte & 0xf0) == 0x40; /* REX */
	}
}

/* Finds the address that an instruction names. The forms are "lea register, [rip + distance]", and
 * an access to [index * 8 + address] without a base register. `at` is the place of the ModRM byte.
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

struct flow flow_read(const uint8_t *bytes, size_t size, uint64_t address)
{
	static const struct flow none = { 0 };
	struct flow flow = { 0 };
	bool narrow = false, short_address = false, wide = false;
	uint8_t form, opcode, modrm = 0;
	size_t at = 0, immediate = 0, modrm_at = 0;
	unsigned map = 0;

	if (size > LONGEST)
		size = LONGEST;
	for (; at < size; at++) { /* prefixes; REX counts only directly before the opcode */
		if (!is_prefix(bytes[at]))
			break;
		narrow |= bytes[at] == 0x66;
		short_address |= bytes[at] == 0x67;
		wide = (bytes[at] & 0xf8) == 0x48;
	}
	if (at >= size)
		return none;
	opcode = bytes[at++];
	if (opcode == 0xc5 && at + 2 <= size) {
		map = 1;
		at++;
	} else if (opcode == 0xc4 && at + 3 <= size) {
		map = bytes[at] & 31;
		at += 2;
	} else if (opcode == 0x62 && at + 4 <= size) {
		map = bytes[at] & 7;
		at += 3;
	} else if (opcode == 0x8f && at + 3 <= size && (bytes[at] & 31) >= 8) {
		map = bytes[at] & 31;
		at += 2;
	} else if (opcode == 0x0f && at < size) {
		map = 1;
		if (bytes[at] == 0x38 || bytes[at] == 0x3a)
			map = bytes[at++] == 0x38 ? 2 : 3;
	}
	if (map) {
		if (at >= size)
			return none;
		opcode = bytes[at++];
	}
	form = map ? map_form(map, opcode) : one_byte_form(opcode);
	if (form & BAD)
		return none;
	if (form & MODRM) {
		if (at >= size)
			return none;
		modrm_at = at;
		modrm = bytes[at];
		at += modrm_bytes(bytes + at, size - at);
		if (!map && (opcode & 0xfe) == 0xf6 && (modrm & 0x30) == 0) /* test r/m, imm */
			form |= opcode == 0xf6 ? IMM8 : IMM_Z;
	}
	immediate = (form & IMM8 ? 1 : 0) + (form & IMM16 ? 2 : 0) + (form & REL32 ? 4 : 0) +
		    (form & IMM_Z ? (narrow && !wide ? 2 : 4) : 0) +
		    (form & WIDE ? (wide	    ? 8
					   : narrow ? 2
						    : 4)
				 : 0) +
		    (form & OFFSET ? (short_address ? 4 : 8) : 0);
	at += immediate;
	if (at > size)
		return none;
	flow.length = (uint8_t)at;
	if (!map)
		flow.kind = (uint8_t)one_byte_flow(opcode, modrm);
	else if (map == 1 && (opcode & 0xf0) == 0x80)
		flow.kind = FLOW_BRANCH;
	else if (map == 1 && (opcode == 0x0b || opcode == 0xb9 || opcode == 0xff)) /* ud2 ud1 ud0 */
		flow.kind = FLOW_OTHER;
	if ((flow.kind == FLOW_BRANCH || flow.kind == FLOW_JUMP || flow.kind == FLOW_CALL) &&
		immediate)
		flow.target = address + at + (uint64_t)little(bytes + at - immediate, immediate);
	flow.nop = (!map && opcode == 0x90) || (map == 1 && opcode == 0x1f);
	if (!map && modrm_at)
		find_entry(bytes, modrm_at, opcode, address, &flow);
	/* A register, or memory with an index register. */
	flow.table = flow.kind == FLOW_INDIRECT && ((modrm >> 6) == 3 || (modrm & 7) == 4);
	return flow;
}
