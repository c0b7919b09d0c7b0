/* Memory for code that kernels generate: writable while they write it, executable afterwards, never
 * both. Callers use code_buffer_prepare() instead of kernel->prepare(). */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "kernels/kernel.h"

/* Zeroed: empty. Each code_buffer_prepare() replaces the code. */
struct code_buffer {
	unsigned char *memory; /* NULL: none yet */
	size_t bytes;
};

/* kernel_prepare(run), with room where run's kernel makes code; returns what it did.
 * STATUS_FAILED: the system gives no such memory, or does not let it be executed. */
struct status code_buffer_prepare(struct code_buffer *room, struct kernel_run *run);

/* The bytes from `code` to the room's end; 0: it lies elsewhere. */
size_t code_buffer_left(const struct code_buffer *room, const void *code);

void code_buffer_free(struct code_buffer *room);
