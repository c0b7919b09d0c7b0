/* Nops of a given length, for kernels whose speed depends on the length of instructions. The
 * encoders of kernels/assemble.h only write nops of up to nine bytes. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

enum { NOP_SHORTEST = 1, NOP_LONGEST = 15 };

/* Writes a nop of `length` bytes, and returns the address after it. The encodings of nops of 1, 2,
 * … bytes: 90 · 66 90 · 0f 1f 00 · 0f 1f 40 + 1 byte · 0f 1f 44 + 2 bytes · 66 and the 5-byte nop ·
 * 0f 1f 80 + 4 bytes · 0f 1f 84 + 5 bytes · one to seven prefixes 66 and the 8-byte nop. Manuals
 * recommend the encodings of up to nine bytes. */
static inline unsigned char *write_nop(unsigned char *at, size_t length)
{
	static const unsigned char operand[] = { 0, 0, 0, 0x00, 0x40, 0x44, 0x44, 0x80, 0x84 };
	size_t prefixes = length > 8 ? length - 8 : length == 2 || length == 6,
	       longest = length < 8 ? length : 8;
	unsigned char *end = at + length;

	memset(at, 0, length);
	memset(at, 0x66, prefixes);
	at += prefixes;
	if (length <= 2)
		*at = 0x90;
	else
		memcpy(at, (unsigned char[]){ 0x0f, 0x1f, operand[longest] }, 3);
	return end;
}

#else

enum { NOP_SHORTEST = 4, NOP_LONGEST = 4 };

static inline unsigned char *write_nop(unsigned char *at, size_t length)
{
	memcpy(at, &(uint32_t){ 0xd503201f }, sizeof(uint32_t));
	return at + length;
}

#endif
