/* Moves single machine instructions to other addresses. An instruction that holds a distance, such
 * as a jump, gets the new distance to its target. If the target is too far away for the encoding, a
 * longer form of the instruction replaces it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/code/insn.h"

struct code_line;

/* Whether the instruction can run at another address. */
bool relocate_possible(const struct insn *insn);

/* Whether the instruction, in its short form and at the address `from`, reaches `target`. Both
 * addresses may be offsets within the same code. */
bool relocate_reaches(const struct insn *insn, uint64_t from, uint64_t target);

/* Returns the bytes of the moved instruction, in its short or its longer form. 0: it has no longer
 * form. */
size_t relocate_length(const struct insn *insn, bool longer);

/* Writes the instruction at the address `to`, with the target `target`: the target of a jump, or
 * the address of a relative memory operand. Returns false if the target is too far away. */
bool relocate_insn(const struct insn *insn, bool longer, uint8_t *to, uint64_t target);

/* Writes an added instruction at the address `to`, with the distance to its own target. Returns
 * false if the target is too far away. */
bool relocate_line(const struct code_line *line, uint8_t *to);

/* Changes the jump at `to`, an instruction of `length` bytes, so that it jumps over the next
 * `bytes` bytes, and fills these bytes. */
void relocate_skip(uint8_t *to, size_t length, size_t bytes);
