/* Makes machine code at run time from lines of assembly, for kernels with loops that are not known
 * at build time.
 *
 *     struct assembly as;                    (large: 96 KiB)
 *     assemble_begin(&as, run->code.buffer, run->code.buffer_bytes);
 *     int top = assemble_here(&as);
 *     assemble(&as, "mov rax, [rax]");
 *     assemble(&as, "dec rsi");
 *     assemble_jump(&as, "jnz", top);
 *     assemble(&as, "ret");
 *     status = assemble_end(&as);
 *
 * The build contains one of two encoders. Only assemble_x86.c uses the encoder of the library
 * Zydis. assemble_arm64.c has its own table of instruction forms, because no packaged encoder
 * library exists; a test decodes each form. The machine code depends only on the lines of assembly.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { ASSEMBLE_LABELS = 4096 };

struct assembly {
	unsigned char *begin, *at,
		*end; /* the code buffer and its end; at: the address of the next instruction */
	struct status status; /* the first failure; after a failure, later calls do nothing */
	int label_count;
	unsigned char *label[ASSEMBLE_LABELS]; /* address of each label; NULL: the label is not
						  bound yet */
	int pending_count;
	struct {
		unsigned char *at; /* address of the jump */
		int label;
	} pending[ASSEMBLE_LABELS];
};

void assemble_begin(struct assembly *as, unsigned char *room, size_t bytes);

/* Assembles one instruction. The arguments after `as` are as in printf(): a format for the line,
 * and its values. The line has Intel's syntax on x86-64 ("vaddps ymm0, ymm1, ymm2", "mov [rsp+8],
 * rax", "lea rax, [rbx+rcx*4+16]"), and Arm's syntax on AArch64 ("add x0, x1, x2", "ldr x0, [x1,
 * #8]"). A failure sets as->status to STATUS_FAILED, with the line and its error, or a message that
 * the buffer is full. */
void assemble(struct assembly *as, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends `times` copies of the code from `from` to the end. Jumps in the copied code must stay
 * within that code, and their labels must be bound. */
void assemble_again(struct assembly *as, const unsigned char *from, unsigned times);

/* assemble_here() makes a label at the address of the next instruction. assemble_label() makes a
 * label that has no address yet. assemble_bind() binds a label to the address of the next
 * instruction. */
int assemble_here(struct assembly *as);
int assemble_label(struct assembly *as);
void assemble_bind(struct assembly *as, int label);

/* Frees the label `label` and all later labels. Long code that is made in parts can then reuse the
 * labels. The labels must be bound. */
void assemble_forget(struct assembly *as, int label);

/* assemble_jump() assembles a jump, branch or call to a label, by its mnemonic ("jmp", "jnz",
 * "call"; "b", "b.ne", "bl"), always in the long form. assemble_address() assembles an instruction
 * that puts the address of a label into a register ("lea", "adr"). */
void assemble_jump(struct assembly *as, const char *mnemonic, int label);
void assemble_address(struct assembly *as, const char *reg, int label);

/* Pads the code to a multiple of `bytes` bytes (a power of two) with as few nops as possible. */
void assemble_align(struct assembly *as, size_t bytes);

/* Fills in the distances of the jumps. assemble_end() returns the first failure while the code was
 * assembled, or success. A label that is not bound is an error. */
struct status assemble_end(struct assembly *as);

/* ---- The encoder, in assemble_x86.c or assemble_arm64.c. Only assemble.c calls the encoder. */

enum { ASSEMBLE_LONGEST = 16 }; /* maximum length of an instruction in bytes */

/* Encodes one line of assembly: stores the instruction in bytes[] and its length in *length. */
struct status encode_line(const char *line, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);

/* encode_jump() encodes a jump, and encode_address() an instruction that computes an address. Both
 * functions leave the distance open; encode_distance() fills in the distance. */
struct status encode_jump(
	const char *mnemonic, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);
struct status encode_address(
	const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);

/* Makes the instruction at `at` refer to the address `target`. The instruction is from
 * encode_jump() or encode_address(). Returns false if the target is out of range. */
bool encode_distance(unsigned char *at, const unsigned char *target);

/* Writes `bytes` bytes of nops, with as few nops as possible. Returns false if no sequence of nops
 * has this length. */
bool encode_nops(unsigned char *at, size_t bytes);
