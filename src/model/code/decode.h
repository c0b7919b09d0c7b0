/* Machine code → instructions. decode_x86.c (Zydis) and decode_arm64.c (Capstone) are the only
 * files that know a decoder library; one of them is built in, for this machine's instruction set.
 */
#ifndef SLX_MODEL_CODE_DECODE_H
#define SLX_MODEL_CODE_DECODE_H

#include <stddef.h>

#include "base/status.h"
#include "model/code/loop.h"

/* Longest instruction in bytes, and the most bytes of a function that are looked through for its
 * loop. */
enum { DECODE_LENGTH = 15, DECODE_FUNCTION = 512 << 10 };

/* Decodes the instruction at the start of `size` bytes (> 0) that stand at `address` when they run.
 * Never fails: what it does not know comes back with known unset. Corrects what the libraries get
 * wrong (see tests/unit/test_decode.c). */
void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn);

/* Reads a function (its first byte at `code`, at most `size` bytes looked at) up to its end, finds
 * its innermost loop, and fills `loop` (initialised by the caller; emptied first) with the
 * instructions from the loop's first to its closing branch, and a path of one turn, growing it
 * where there is no room, to LOOP_MOST. elements: that one iteration covers (> 0). Of several
 * innermost loops the one with most instructions is taken. STATUS_FAILED when there is none, or it
 * does not fit. */
struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop);

#endif
