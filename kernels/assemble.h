/* Machine code made at run time from lines of assembly, for kernels whose loop is not known when
 * the program is built.
 *
 *     struct assembly as; (large: 96 KiB)
 *     assemble_begin(&as, run->code.buffer, run->code.buffer_bytes);
 *     int top = assemble_here(&as);
 *     assemble(&as, "mov rax, [rax]");
 *     assemble(&as, "dec rsi");
 *     assemble_jump(&as, "jnz", top);
 *     assemble(&as, "ret");
 *     status = assemble_end(&as);
 *
 * assemble_x86.c (Zydis' encoder, the only file that knows it) or assemble_arm64.c (no encoder
 * library is packaged for it: a table of its forms, each tested against the decoder) is built in.
 * What they write depends on nothing but the lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { ASSEMBLE_LABELS = 4096 };

struct assembly {
	unsigned char *begin, *at, *end; /* where the next instruction goes */
	struct status status; /* the first thing that went wrong; what follows it is ignored */
	int label_count;
	unsigned char *label[ASSEMBLE_LABELS]; /* NULL: not bound yet */
	int pending_count;
	struct {
		unsigned char *at; /* of the jump */
		int label;
	} pending[ASSEMBLE_LABELS];
};

void assemble_begin(struct assembly *as, unsigned char *room, size_t bytes);

/* One instruction, printf-like: Intel's syntax on x86-64 ("vaddps ymm0, ymm1, ymm2", "mov [rsp+8],
 * rax", "lea rax, [rbx+rcx*4+16]"), Arm's on AArch64 ("add x0, x1, x2", "ldr x0, [x1, #8]").
 * STATUS_FAILED names the line and what is wrong with it, or that the room is full. */
void assemble(struct assembly *as, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* So many times more what was written since `from`. Jumps in it must stay within it, their labels
 * bound by now. */
void assemble_again(struct assembly *as, const unsigned char *from, unsigned times);

/* A label here; a label bound later; and binding it to here. */
int assemble_here(struct assembly *as);
int assemble_label(struct assembly *as);
void assemble_bind(struct assembly *as, int label);

/* That label and all later ones are no longer needed: of long code made piece by piece. They must
 * be bound. */
void assemble_forget(struct assembly *as, int label);

/* A jump, branch or call to a label, by its mnemonic ("jmp", "jnz", "call"; "b", "b.ne", "bl"),
 * always in the form that reaches far; and its address into a register ("lea", "adr"). */
void assemble_jump(struct assembly *as, const char *mnemonic, int label);
void assemble_address(struct assembly *as, const char *reg, int label);

/* Fills up to a multiple of so many bytes (a power of two) with as few nops as can be. */
void assemble_align(struct assembly *as, size_t bytes);

/* Fills in the jumps; what went wrong, if anything did. A label that was never bound is an error.
 */
struct status assemble_end(struct assembly *as);

/* ---- The instruction set: assemble_x86.c or assemble_arm64.c, of which one is built in; in the
 * program of `make portable` src/portable/encoder.c. Only assemble.c calls it. */

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
