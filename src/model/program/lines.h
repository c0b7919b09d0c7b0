/* Source lines of machine code, from the line tables of DWARF 2 to 5 (section .debug_line). A line
 * table alone tells which source line of which file each address belongs to. So only the line
 * tables of the debug information are decompressed and searched.
 *
 * Source: DWARF Debugging Information Format, version 5, section 6.2. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "model/program/elf.h"

/* A line of a source file. */
struct source_line {
	const char *file; /* name of the source file, no directories; NULL: unknown line */
	int line;	  /* number of the source line, from 1 */
	bool library;	  /* whether the file is a header of the system or of the Rust library */
};

/* Fills `found` with the source line of each address. The addresses must be ascending. Several
 * source lines may begin at an address: `begins` chooses the first of them, as for a function, not
 * the last. A function may begin with inlined code of a library: `begins` then chooses the first
 * line before the next address that is not of a library, if there is one. The names of source files
 * stay valid while the ELF file is open. Returns false if the file has no line tables. */
bool lines_of(struct elf *elf, const uint64_t *addresses, size_t count, bool begins,
	struct source_line *found);

/* Lists the addresses at which code of a source line begins, at most `most`, ascending and without
 * duplicates. `file` is a file's name, with as many of its directories as the caller knows. Returns
 * the number of addresses. */
size_t lines_addresses(
	struct elf *elf, const char *file, int line, uint64_t *addresses, size_t most);

/* Returns the source line of a file at which code begins and that is nearest to `line`. Of two
 * lines at the same distance it returns the later one. 0: the file has no code. */
int lines_nearest(struct elf *elf, const char *file, int line);
