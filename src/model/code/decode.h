/* Machine code → instructions. decode_x86.c (Zydis) and decode_arm64.c (Capstone) are the only
 * files that know a decoder library; one of them is built in, for this machine's instruction set.
 */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "model/code/loop.h"

/* Longest instruction in bytes, and the most bytes of a function that are looked through for its
 * loop. */
enum { DECODE_LENGTH = 15, DECODE_FUNCTION = 512 << 10 };

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
