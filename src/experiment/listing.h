/* The C source of a kernel's loop. The build embeds the source file of each kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

struct listing {
	char file[64]; /* "kernels/list-length.c" */
	char function[64];
	bool generated; /* the text has only the function, which the build generated; line numbers
			   start at its first line */
	char *text;	/* the lines, each ended by '\0' */
	int line_count;
	const char **line;
	int first, last;	   /* lines of the function, from 0; first < 0: not found */
	int loop_first, loop_last; /* the innermost loop, with braces and condition; -1: no loop was
				      found */
};

/* Finds the source of a kernel's function (NULL: unknown): embedded, or read from kernel->file.
 * Returns NULL if there is no source or the source lacks the function. The caller frees the
 * listing. */
struct listing *listing_find(const struct kernel *kernel, const char *function);
void listing_free(struct listing *listing);

/* Finds the function in a text. */
struct listing *listing_parse(const char *file, const char *text, const char *function);

/* Returns one function of a packed file (kernels/pack.awk) as C text, or NULL. A packed name
 * contains a placeholder for one word of the function's name. The caller frees the text. */
char *listing_unpack(const char *packed, const char *function);
