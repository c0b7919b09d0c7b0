/* Decodes machine code to instructions. Only decode_x86.c (Zydis) and decode_arm64.c (Capstone) use
 * a decoder library. The build includes the file for this machine's instruction set. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "model/code/loop.h"

/* DECODE_FUNCTION: decode_loop() searches at most this many bytes of a function. */
enum { DECODE_FUNCTION = 512 << 10 };

/* Decodes the instruction at the start of `bytes`, as if it ran at `address`. `size` is the number
 * of bytes (> 0). decode_insn() never fails: if the bytes are no instruction, insn->known is false.
 * decode_insn() also corrects errors of the decoder libraries (see tests/unit/test_decode.c). */
void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn);

/* Finds the innermost loop of a function and fills `loop`. The function begins at `code` and has at
 * most `size` bytes. The caller initialises `loop`; decode_loop() discards the old content of
 * `loop`. `loop` receives the instructions from the loop's first to its closing branch, and a path
 * of one iteration. `elements` is the number of elements that one iteration processes (> 0). Among
 * several innermost loops, the loop with the most instructions wins. STATUS_FAILED: the function
 * has no loop, or the loop has more than LOOP_MOST instructions. */
struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop);

/* All instructions of a function that execution can reach, and its innermost loop. */
struct decoded_function {
	int count;
	struct insn *insn; /* in ascending order of address; the first is the function's entry */
	int first, last;   /* indices of the first instruction and of the closing branch of the
			      innermost loop, the loop that decode_loop() finds */
};

/* Decodes a whole function. The parameters and failures are those of decode_loop().
 * decode_function_free() frees the instructions, also after a failure. */
struct status decode_function(const void *code, size_t size, struct decoded_function *decoded);
void decode_function_free(struct decoded_function *decoded);

/* Follows generated code from `top`, the loop's first instruction, until execution returns to
 * `top`. Fills `loop` as decode_loop() does. Only the loop's closing branch may depend on data:
 * other branches count as not taken. A return instruction leads back to the instruction after its
 * call. A jump through a register goes to the address that an instruction of the loop put into the
 * register. The executed path may use only the `size` bytes of code at `code`. STATUS_FAILED: the
 * executed path leaves the code, or is too long. */
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

/* Appends the letter of an operand to the instruction's shape: a text such as "r,m" for a register
 * and a memory operand. */
static inline void decode_add_shape(struct insn *insn, const char *letter)
{
	size_t length = strlen(insn->shape);

	snprintf(insn->shape + length, sizeof(insn->shape) - length, "%s%s", length ? "," : "",
		letter);
}

/* Whether a name is in a list of words that are separated by blanks. The word "mov*" in the list
 * fits each name that begins with "mov". */
static inline bool decode_is(const char *name, const char *words)
{
	for (size_t length; *words; words += length + strspn(words + length, "* ")) {
		length = strcspn(words, "* ");
		if (strncmp(name, words, length) == 0 && (words[length] == '*' || !name[length]))
			return true;
	}
	return false;
}
