/* AArch64 instructions from lines in Arm's syntax. See assemble_arch.h. */
#include "kernels/assemble_arch.h"

#include <stdint.h>
#include <string.h>

static const unsigned char nop[4] = { 0x1f, 0x20, 0x03, 0xd5 };

struct status encode_line(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	if (strcmp(text, "nop") != 0)
		return status_make(STATUS_FAILED, "\"%.100s\" cannot be assembled: no instruction is called \"%.*s\"", text,
			(int)strcspn(text, " "), text);
	memcpy(bytes, nop, sizeof(nop));
	*length = sizeof(nop);
	return status_ok();
}

struct status encode_jump(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	(void)bytes;
	*length = 0;
	return status_make(STATUS_FAILED, "\"%.40s\" is no jump that reaches any place", text);
}

struct status encode_address(const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	(void)bytes;
	*length = 0;
	return status_make(STATUS_FAILED, "\"%.40s\" is no register for an address", reg);
}

bool encode_distance(unsigned char *at, const unsigned char *target)
{
	(void)at;
	(void)target;
	return false;
}

bool encode_nops(unsigned char *at, size_t bytes)
{
	for (; bytes >= sizeof(nop); bytes -= sizeof(nop), at += sizeof(nop))
		memcpy(at, nop, sizeof(nop));
	return bytes == 0;
}
