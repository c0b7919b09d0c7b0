/* The C source of a kernel's loop. The build embeds the source file of each kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

struct listing {
	char file[64]; /* file name, such as "kernels/list-length.c" */
	char function[64];
	bool generated; /* true if the build generated the kernel's function; the text then has only
			   this function, and line numbers start at its first line */
	char *text;	/* the text of all lines; each line is ended by '\0' */
	int line_count;
	const char **line;
	int first, last; /* first and last line of the function, counted from 0; first < 0: the
			    function was not found */
	int loop_first, loop_last; /* first and last line of the innermost loop, with its braces and
				      condition; -1: no loop was found */
};

/* Finds the source of a kernel's function in the embedded sources or in the file kernel->file.
 * `function` is NULL if its name is unknown. Returns NULL if there is no source text or it lacks
 * the function. The caller frees the listing. */
struct listing *listing_find(const struct kernel *kernel, const char *function);
void listing_free(struct listing *listing);

/* Finds the kernel's function in a source text. */
struct listing *listing_parse(const char *file, const char *text, const char *function);

/* Returns one function of a packed file (kernels/pack.awk) as C text, or NULL. A packed name
 * contains a placeholder for one word of the function's name. The caller frees the text. */
char *listing_unpack(const char *packed, const char *function);
