/* The functions of a program that contain loops. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "model/program/program.h"

struct listed_function {
	struct program_function function;
	char *name;		 /* demangled, or the address */
	int loops;		 /* number of innermost loops */
	struct source_line line; /* the source line at which the function begins */
};

struct function_list {
	size_t all;			  /* number of functions of the program */
	struct listed_function *function; /* those with loops, in ascending order of address */
	size_t count;
};

/* How far a thread is that lists functions. Another thread may set `cancel`. */
struct function_list_progress {
	atomic_size_t done, all; /* numbers of functions */
	atomic_bool cancel;
};

/* Lists the functions with loops. The caller frees the list with function_list_free(). If the
 * search is cancelled, the list is not complete. `progress` may be NULL. */
void function_list_find(struct program *program, struct function_list *list,
	struct function_list_progress *progress);
void function_list_free(struct function_list *list);

/* The index of the function at an address; -1: the list has no function that begins there. */
int function_list_index(const struct function_list *list, uint64_t address);
