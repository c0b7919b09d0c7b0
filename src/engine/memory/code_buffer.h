/* Memory for code that kernels generate. Memory for generated code is writable while the kernel
 * writes the code, and executable afterwards, but never both at once. Callers of a kernel use
 * code_buffer_prepare() instead of kernel->prepare(), so that kernels can generate code. */
#pragma once

#include <stddef.h>

#include "base/status.h"
#include "kernels/kernel.h"

/* A zeroed buffer is empty. Each code_buffer_prepare() replaces the code. */
struct code_buffer {
	unsigned char *memory; /* memory for generated code; NULL: not allocated yet */
	size_t bytes;
};

/* Calls kernel_prepare(run) and returns its status. Provides a code buffer if run's kernel
 * generates code. The status is STATUS_FAILED if the system refuses memory for the code, or refuses
 * to make the memory executable. */
struct status code_buffer_prepare(struct code_buffer *room, struct kernel_run *run);

/* Bytes from `code` to the buffer's end; 0: `code` is not in the buffer. */
size_t code_buffer_left(const struct code_buffer *room, const void *code);

void code_buffer_free(struct code_buffer *room);
