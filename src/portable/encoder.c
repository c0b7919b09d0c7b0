/* What stands in for the encoder in the statically linked program, on x86-64: Debian builds no
 * archive of Zydis. It takes the place of assemble_x86.c; kernels that make their code at run time
 * then say why they cannot. */
#include "kernels/assemble.h"

static struct status no_encoder(void)
{
	return status_failed("this program was linked without an encoder; one built "
			     "with make, not make portable, makes code at run time");
}

struct status encode_line(const char *line, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	(void)line;
	(void)bytes;
	*length = 0;
	return no_encoder();
}

struct status encode_jump(
	const char *mnemonic, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	(void)mnemonic;
	(void)bytes;
	*length = 0;
	return no_encoder();
}

struct status encode_address(const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	(void)reg;
	(void)bytes;
	*length = 0;
	return no_encoder();
}

bool encode_distance(unsigned char *at, const unsigned char *target)
{
	(void)at;
	(void)target;
	return false;
}

/* Alignment alone fails no program: what comes after it does, and says why. */
bool encode_nops(unsigned char *at, size_t bytes)
{
	(void)at;
	(void)bytes;
	return true;
}
