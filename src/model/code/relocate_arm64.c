/* Moves instructions of AArch64: see relocate.h. Source of the encodings: the Arm architecture (DDI
 * 0487, chapter C4). */
#include "model/code/relocate.h"

#include <string.h>

#include "model/code/rewrite.h"

enum { WORD = 4, PAGE_BITS = 12 };

/* An encoding that holds a distance in units of 4 bytes. */
struct distance_field {
	uint32_t mask, bits; /* an instruction word has this encoding if (word & mask) == bits */
	int width, at;	     /* number of bits of the distance, and its lowest bit */
	uint32_t inverts;    /* bits that change to make the opposite condition; 0: no condition */
};

static const struct distance_field jumps[] = {
	{ 0x7c000000, 0x14000000, 26, 0, 0 },	       /* b, bl */
	{ 0xff000000, 0x54000000, 19, 5, 1 },	       /* b.cond */
	{ 0x7e000000, 0x34000000, 19, 5, 0x01000000 }, /* cbz, cbnz */
	{ 0x7e000000, 0x36000000, 14, 5, 0x01000000 }, /* tbz, tbnz */
};

#define ADDRESS_MASK 0x9f000000u
#define ADR	     0x10000000u
#define ADRP	     0x90000000u

static uint32_t read_word(uint64_t address)
{
	uint32_t word;

	memcpy(&word, (const void *)(uintptr_t)address, WORD);
	return word;
}

static void write_word(uint8_t *to, uint32_t word)
{
	memcpy(to, &word, WORD);
}

static const struct distance_field *jump_of(uint32_t word)
{
	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++)
		if ((word & jumps[i].mask) == jumps[i].bits)
			return &jumps[i];
	return NULL;
}

static bool fits(int64_t value, int width)
{
	return value >= -((int64_t)1 << (width - 1)) && value < (int64_t)1 << (width - 1);
}

/* A load relative to the instruction (ldr x0, 1f) reaches only 1 MiB, and copies are farther away.
 */
bool relocate_possible(const struct insn *insn)
{
	return (read_word(insn->address) & 0x3b000000) != 0x18000000;
}

bool relocate_reaches(const struct insn *insn, uint64_t from, uint64_t target)
{
	const struct distance_field *jump = jump_of(read_word(insn->address));

	return !jump || !jump->inverts || fits((int64_t)(target - from) / WORD, jump->width);
}

/* The longer form of a conditional branch is a jump to the target, and the opposite branch, which
 * skips the jump. Each adr becomes adrp and add, because its target is far from a copy. */
size_t relocate_length(const struct insn *insn, bool longer)
{
	uint32_t word = read_word(insn->address);
	const struct distance_field *jump = jump_of(word);

	if ((word & ADDRESS_MASK) == ADR)
		return 2 * WORD;
	return !longer ? insn->length : jump && jump->inverts ? 2 * WORD : 0;
}

static bool write_jump(uint8_t *to, uint32_t word, uint64_t target)
{
	const struct distance_field *jump = jump_of(word);
	int64_t units = (int64_t)(target - (uint64_t)(uintptr_t)to) / WORD;
	uint32_t ones = (UINT32_C(1) << jump->width) - 1;

	write_word(to, (word & ~(ones << jump->at)) | ((uint32_t)units & ones) << jump->at);
	return fits(units, jump->width);
}

/* Writes the distance of an adr in bytes, or of an adrp in pages. Returns false if the distance is
 * too large. */
static bool write_address(uint8_t *to, uint32_t word, int64_t distance)
{
	uint32_t units = (uint32_t)distance & 0x1fffff;

	write_word(to, (word & 0x9f00001f) | (units & 3) << 29 | units >> 2 << 5);
	return fits(distance, 21);
}

/* Returns the distance in an instruction: bytes for an adr, pages for an adrp. */
static int64_t address_distance(uint32_t word)
{
	int64_t units = (int64_t)((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3));

	return units >= 1 << 20 ? units - (1 << 21) : units;
}

static int64_t page_of(uint64_t address)
{
	return (int64_t)(address >> PAGE_BITS);
}

bool relocate_insn(const struct insn *insn, bool longer, uint8_t *to, uint64_t target)
{
	uint32_t word = read_word(insn->address);
	const struct distance_field *jump = jump_of(word);
	int64_t here = page_of((uint64_t)(uintptr_t)to);

	if (jump && longer) {
		write_word(to, word ^ jump->inverts);
		write_jump(to, word ^ jump->inverts, (uint64_t)(uintptr_t)(to + 2 * WORD));
		return write_jump(to + WORD, 0x14000000, target);
	}
	if (jump)
		return write_jump(to, word, target);
	if ((word & ADDRESS_MASK) == ADRP)
		return write_address(
			to, word, page_of(insn->address) + address_distance(word) - here);
	if ((word & ADDRESS_MASK) == ADR) {
		uint64_t address = insn->address + (uint64_t)address_distance(word);
		uint32_t low = (uint32_t)address & ((1u << PAGE_BITS) - 1), reg = word & 31;

		write_word(to + WORD, 0x91000000 | low << 10 | reg << 5 | reg);
		return write_address(to, ADRP | reg, page_of(address) - here);
	}
	write_word(to, word);
	return true;
}

/* The first instruction of a line with a distance is an adr or a jump. */
bool relocate_line(const struct code_line *line, uint8_t *to)
{
	uint32_t word;

	memcpy(to, line->bytes, line->length);
	if (!line->distance_at)
		return true;
	memcpy(&word, to, WORD);
	if (jump_of(word))
		return write_jump(to, word, line->target);
	return write_address(to, word, (int64_t)(line->target - (uint64_t)(uintptr_t)to));
}

/* Bytes that never run are traps (brk #0). */
void relocate_skip(uint8_t *to, size_t length, size_t bytes)
{
	uint32_t word;

	memcpy(&word, to, WORD);
	write_jump(to, word, (uint64_t)(uintptr_t)(to + length + bytes));
	for (size_t i = 0; i + WORD <= bytes; i += WORD)
		write_word(to + length + i, 0xd4200000);
}
