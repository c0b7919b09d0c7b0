/* The way through straight code that calls and jumps by registers, found by following it: no branch
 * of it depends on data but the one that closes it. For code made at run time, whose first
 * instruction is known. */
#ifndef SLX_MODEL_CODE_FOLLOW_H
#define SLX_MODEL_CODE_FOLLOW_H

#include <stddef.h>

#include "base/status.h"
#include "model/code/loop.h"

/* Follows the code from `top`, the loop's first instruction, until it comes back there, and fills
 * `loop` as decode_loop() does. Branches are not taken, but the one that leads to `top`; calls and
 * returns pair up; a jump by a register goes to the address that an instruction of the loop put
 * there. code, size: all that may be followed. STATUS_FAILED where the way leads elsewhere, or on
 * for too long. */
struct status follow_loop(
	const void *code, size_t size, const void *top, double elements, struct loop *loop);

#endif
