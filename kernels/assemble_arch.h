/* What assemble.c asks of the instruction set: assemble_x86.c and assemble_arm64.c, of which one is
 * built in. In the program of `make portable` a stand-in takes the former's place. Nobody else
 * includes this. */
#ifndef SLX_KERNELS_ASSEMBLE_ARCH_H
#define SLX_KERNELS_ASSEMBLE_ARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { ASSEMBLE_LONGEST = 16 }; /* bytes of an instruction, at most */

/* One instruction from its line: its bytes and how many. */
struct status encode_line(const char *line, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);

/* A jump to, or the address of, a place that encode_distance() fills in. */
struct status encode_jump(
	const char *mnemonic, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);
struct status encode_address(
	const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);

/* Makes the instruction at `at`, of encode_jump() or encode_address(), lead to `target`. False: it
 * does not reach that far. */
bool encode_distance(unsigned char *at, const unsigned char *target);

/* So many bytes of nops, as few as can be. False: no nops are that long together. */
bool encode_nops(unsigned char *at, size_t bytes);

#endif
