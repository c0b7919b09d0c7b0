/* Machine code → instructions. decode_x86.c (Zydis) and decode_arm64.c (Capstone) are the only
 * files that know a decoder library; one of them is built in, for this machine's instruction set.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "model/code/loop.h"

/* The most bytes of a function that are searched for its loop. */
enum { DECODE_FUNCTION = 512 << 10 };

/* Decodes the instruction at the start of `size` bytes (> 0) that run at `address`. Never fails: an
 * unknown instruction has `known` unset. Corrects errors of the libraries (see
 * tests/unit/test_decode.c). */
void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn);

/* Reads a function (its first byte at `code`, at most `size` bytes) to its end, finds its innermost
 * loop, and fills `loop` (initialised by the caller; emptied first): the instructions from the
 * loop's first to its closing branch, and a path of one turn. The loop grows up to LOOP_MOST
 * instructions. elements: of one iteration (> 0). Of several innermost loops the one with most
 * instructions counts. STATUS_FAILED: there is no loop, or it is too long. */
struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop);

/* For generated code, whose first instruction is known, and where no branch but the closing one
 * depends on data: follows the code from `top`, the loop's first instruction, until it returns
 * there, and fills `loop` as decode_loop() does. Branches to other places are not taken; calls and
 * returns pair up; a jump by a register goes to the address that an instruction of the loop put
 * there. code, size: all code that may be followed. STATUS_FAILED: the path leaves the code, or is
 * too long. */
struct status follow_loop(
	const void *code, size_t size, const void *top, double elements, struct loop *loop);

/* ---- For decode_x86.c and decode_arm64.c */

static inline void decode_add(uint8_t *list, uint8_t *count, int room, uint8_t reg)
{
	if (reg != REG_NONE && *count < room && !memchr(list, reg, *count))
		list[(*count)++] = reg;
}

static inline void decode_add_read(struct insn *insn, uint8_t reg)
{
	decode_add(insn->reads, &insn->read_count, INSN_READS, reg);
}

static inline void decode_add_write(struct insn *insn, uint8_t reg)
{
	decode_add(insn->writes, &insn->write_count, INSN_WRITES, reg);
}

static inline bool decode_starts(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}
