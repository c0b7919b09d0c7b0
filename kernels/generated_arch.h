/* What made loops need of an instruction set: made_x86.c or made_arm64.c is built in. */
#ifndef SLX_KERNELS_GENERATED_ARCH_H
#define SLX_KERNELS_GENERATED_ARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/assemble.h"

/* General registers that instances take turns at. */
enum { GENERATED_GENERAL = 8 };

/* Likewise vector registers, for vectors of so many bits. */
unsigned generated_arch_vectors(unsigned bits);

/* Writes what %KIND stands for in the at-th of them ('n': "17", 'e': "esi"); returns its length. */
size_t generated_arch_register(char kind, unsigned at, char *text, size_t size);

/* Writes what V stands for ("ymm"); returns its length. */
size_t generated_arch_vector(unsigned bits, char *text, size_t size);

/* Places in the run's memory: data, where stores go, and a vector each of what takes turns, the
 * one, the odd one, zeros, and set bits. */
struct generated_offsets {
	unsigned data, stores, begin, one, odd, zero, set;
};

/* The function's beginning, up to the loop's setup; and the loop's own end, to `top`, with what
 * follows. Its arguments are iterations and memory. */
void generated_arch_begin(struct assembly *as, const struct generated_offsets *offsets, bool clean);
void generated_arch_end(struct assembly *as, int top);

#endif
