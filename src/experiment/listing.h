/* The C source of a kernel's loop: the kernel's own file as it was compiled, embedded at build
 * time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

struct listing {
	char file[64]; /* "kernels/list-length.c" */
	char function[64];
	bool generated; /* the function alone, as the build writes it; line numbers count from its
			   first */
	char *text;	/* its lines, each ended by '\0' */
	int line_count;
	const char **line;
	int first, last;	   /* lines of the function, from 0; first < 0: not found */
	int loop_first, loop_last; /* of its innermost loop, braces and condition included; -1: none
				      was found */
};

/* The source of that function (NULL: unknown) of the kernel: embedded, or kernel->file as it is on
 * disk. NULL when there is none or the function is not in it. The caller frees. */
struct listing *listing_find(const struct kernel *kernel, const char *function);
void listing_free(struct listing *listing);

/* The same from a text. */
struct listing *listing_parse(const char *file, const char *text, const char *function);

/* One function of a packed file (kernels/pack.awk) as C text, or NULL. The packed placeholder
 * may be any of the names that fit. The caller frees. */
char *listing_unpack(const char *packed, const char *function);
