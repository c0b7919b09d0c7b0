/* Machine code made at run time from lines of assembly, for kernels with loops that are not known
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
 * The build contains one of two encoders. assemble_x86.c uses Zydis' encoder, and no other file
 * uses it. assemble_arm64.c has its own table of instruction forms, because no packaged encoder
 * library exists; a test decodes each form. The output depends only on the lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { ASSEMBLE_LABELS = 4096 };

struct assembly {
	unsigned char *begin, *at, *end; /* at: the address of the next instruction */
	struct status status;		 /* the first failure; later calls do nothing */
	int label_count;
	unsigned char *label[ASSEMBLE_LABELS]; /* NULL: not bound yet */
	int pending_count;
	struct {
		unsigned char *at; /* address of the jump */
		int label;
	} pending[ASSEMBLE_LABELS];
};

void assemble_begin(struct assembly *as, unsigned char *room, size_t bytes);

/* Assembles one instruction; arguments as in printf(). Intel's syntax on x86-64 ("vaddps ymm0,
 * ymm1, ymm2", "mov [rsp+8], rax", "lea rax, [rbx+rcx*4+16]"), Arm's syntax on AArch64 ("add x0,
 * x1, x2", "ldr x0, [x1, #8]"). STATUS_FAILED names the line and its error, or says that the
 * buffer is full. */
void assemble(struct assembly *as, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Copies the code since `from` `times` more times. Jumps in it must stay within it, and their
 * labels must be bound. */
void assemble_again(struct assembly *as, const unsigned char *from, unsigned times);

/* assemble_here(): makes a label here. assemble_label(): makes a label to bind later.
 * assemble_bind(): binds it to this place. */
int assemble_here(struct assembly *as);
int assemble_label(struct assembly *as);
void assemble_bind(struct assembly *as, int label);

/* Frees that label and all later ones, for long code that is made in parts. They must be bound. */
void assemble_forget(struct assembly *as, int label);

/* assemble_jump(): a jump, branch or call to a label, by its mnemonic ("jmp", "jnz", "call"; "b",
 * "b.ne", "bl"), always in the long form. assemble_address(): its address in a register ("lea",
 * "adr"). */
void assemble_jump(struct assembly *as, const char *mnemonic, int label);
void assemble_address(struct assembly *as, const char *reg, int label);

/* Pads to a multiple of `bytes` bytes (a power of two) with as few nops as possible. */
void assemble_align(struct assembly *as, size_t bytes);

/* Fills in the jumps, and returns the first failure, or success. A label without a place is an
 * error. */
struct status assemble_end(struct assembly *as);

/* ---- The encoder: assemble_x86.c or assemble_arm64.c; in the program of `make portable`
 * src/portable/encoder.c. Only assemble.c calls it. */

enum { ASSEMBLE_LONGEST = 16 }; /* maximum bytes of an instruction */

/* Encodes one line: fills in the bytes of the instruction and their number. */
struct status encode_line(const char *line, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);

/* Encode a jump to a place, or its address. encode_distance() fills in the distance. */
struct status encode_jump(
	const char *mnemonic, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);
struct status encode_address(
	const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length);

/* Makes the instruction at `at` (from encode_jump() or encode_address()) refer to `target`. False:
 * out of range. */
bool encode_distance(unsigned char *at, const unsigned char *target);

/* Writes `bytes` bytes of nops, as few nops as possible. False: no sequence of nops has this
 * length. */
bool encode_nops(unsigned char *at, size_t bytes);
