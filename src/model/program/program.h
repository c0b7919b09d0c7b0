/* A program file (executable or library): its functions, their names, code and source lines. The
 * opened program is never executed.
 *
 * The functions come from the symbol table, or from the symbols that a shared library exports. The
 * unwind table (section .eh_frame_hdr) adds functions without a name. If symbols and line tables
 * are in a file of their own (Debian's packages NAME-dbgsym), that file is used. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "model/program/lines.h"

struct program;

struct program_function {
	uint64_t address, size;
	const char *symbol; /* name in the symbol table; NULL: no name is known */
	bool chooses; /* a resolver: it only chooses one of several versions of the named function,
			 for the processor on which a program starts (symbol type IFUNC) */
};

/* Opens a program. STATUS_FAILED: see elf_open(). The caller closes the program. */
struct status program_open(const char *path, struct program **program);
/* Opens the program file of a descriptor, which the struct then owns. Files with debug information
 * next to `path` are not searched. */
struct status program_open_descriptor(int fd, const char *path, struct program **program);
void program_close(struct program *program);

/* The functions in ascending order of address. Functions with several names are listed once. */
const struct program_function *program_functions(const struct program *program, size_t *count);

/* Adds a function's name, demangled, or its address if it has no name. */
void program_add_name(const struct program_function *function, struct text *text);

/* The function and address that a user means. */
struct program_place {
	struct program_function function;
	/* The addresses inside the function that the user gave; without addresses, the user means
	 * the whole function. */
	uint64_t address[16];
	size_t address_count;
};

/* Lists up to `most` addresses of the versions among which a resolver chooses: the code addresses
 * that it puts into registers. Returns their number. */
size_t program_versions(struct program *program, const struct program_function *resolver,
	uint64_t *address, size_t most);

/* Finds the function that a user means by a name, an address such as 0x1234, or FILE:LINE.
 * STATUS_USAGE: no function fits the given name, or several functions do, or it has several
 * versions; the message then lists their addresses. */
struct status program_find(struct program *program, const char *given, struct program_place *place);

/* Whether a call of the function at an address may return. The result is false for abort() and
 * other known functions of libraries. The result is also false for functions of the program whose
 * code has no return.
 */
bool program_call_returns(struct program *program, uint64_t target);

/* Returns the bytes at an address of the program; *left receives the number of bytes to the end of
 * the section. NULL: the file has no bytes at the address. */
const uint8_t *program_bytes(struct program *program, uint64_t address, size_t *left);

/* Fills the source lines of ascending addresses: see lines_of(). */
bool program_lines(struct program *program, const uint64_t *addresses, size_t count, bool begins,
	struct source_line *found);
