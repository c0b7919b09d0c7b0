/* The path through straight code that calls and jumps by registers, where no branch but the closing
 * one depends on data. For generated code, whose first instruction is known. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "model/code/loop.h"

/* Follows the code from `top`, the loop's first instruction, until it returns there, and fills
 * `loop` as decode_loop() does. Branches to other places are not taken; calls and returns pair up;
 * a jump by a register goes to the address that an instruction of the loop put there. code, size:
 * all code that may be followed. STATUS_FAILED: the path leaves the code, or is too long. */
struct status follow_loop(
	const void *code, size_t size, const void *top, double elements, struct loop *loop);
