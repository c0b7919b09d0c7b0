/* The members of an opened program file, for the source files that fill them. Private to
 * src/model/program. */
#pragma once

#include "model/program/elf.h"
#include "model/program/program.h"

/* A symbol of a function. Several symbols of a program may name one function. */
struct symbol {
	struct program_function function;
	int rank; /* of several names of one function, the name of the lowest rank is shown */
};

struct program {
	struct elf elf;
	struct elf debug;      /* the program's separate file with debug information; descriptor -1:
				  there is none */
	struct symbol *symbol; /* in ascending order of address */
	size_t symbol_count;
	struct program_function *function;
	size_t function_count;
	uint8_t *returns; /* for each function, whether it returns: see returns.c; NULL: not known
			     yet */
};

/* Returns the function that contains an address; NULL: none does. */
const struct program_function *program_function_at(const struct program *program, uint64_t address);
