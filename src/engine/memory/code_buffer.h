/* Memory for code that kernels generate. Memory for generated code is writable while the kernel
 * writes the code, and executable afterwards, but never both at once. Callers of a kernel use
 * code_buffer_prepare() instead of kernel->prepare(), so that kernels can generate code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "kernels/kernel.h"

struct code_place;

/* A zeroed buffer is empty. Each code_buffer_prepare() replaces the code. */
struct code_buffer {
	unsigned char *memory; /* memory for generated code; NULL: not allocated yet */
	size_t bytes;
	size_t data; /* bytes after the code that stay writable, for changed code; 0: none */
};

/* A change of the machine code of a kernel's loop. Layers above the engine make changes, because
 * the engine cannot decode machine code. */
struct code_change {
	size_t bytes; /* maximum number of bytes of the changed code */
	/* Writes the changed code. write() runs in the thread or child process that measures. NULL:
	 * the code is not changed. */
	struct status (*write)(const struct code_change *change, const struct code_place *place,
		const void **start);
	/* Two numbers that describe the change of the code, such as kind and count of added
	 * instructions; only write() uses them. */
	unsigned what, count;
	bool computes_other; /* true: the changed loop computes other values than the original loop,
				so its values are not checked */
};

/* The code to change, and the memory for the changed code. */
struct code_place {
	const void *code; /* the function with the loop */
	size_t size;	  /* number of bytes that can be read at `code` */
	unsigned char *to;
	size_t bytes;	     /* number of bytes at `to` */
	unsigned char *data; /* CODE_DATA bytes, page-aligned, that the changed code may use */
};

enum { CODE_DATA = 4096 };

/* Calls kernel_prepare(run) and returns its status. Provides a code buffer if run's kernel
 * generates code. The status is STATUS_FAILED if the system refuses memory for the code, or refuses
 * to make the memory executable. */
struct status code_buffer_prepare(struct code_buffer *room, struct kernel_run *run);

/* Changes the loop of a prepared run, then checks that the changed loop computes correctly
 * (kernel_verify()), unless the change says that it computes other values. The result of the user's
 * own loops is not checked, because no expected result is known. `made` is the buffer of the
 * kernel's own generated code; it may be empty. The changed code is in `room`, near enough to the
 * original code for 32-bit distances. STATUS_FAILED: the code cannot be changed, the text gives the
 * reason; or the system refuses the memory. */
struct status code_buffer_change(struct code_buffer *room, const struct code_buffer *made,
	const struct code_change *change, struct kernel_run *run);

/* Bytes from `code` to the buffer's end; 0: `code` is not in the buffer. */
size_t code_buffer_left(const struct code_buffer *room, const void *code);

void code_buffer_free(struct code_buffer *room);
