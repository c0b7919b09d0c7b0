/* Reads the sections of an ELF file: an executable, a shared library or a relocatable object. The
 * ELF file must be a 64-bit file of this machine's instruction set. The code in the ELF file is
 * never executed. The ELF file is not trusted, so each offset and size in it is checked. A section
 * is read only when it is needed.
 *
 * Sources: System V Application Binary Interface, chapters 4 and 5; the supplements for AMD64 and
 * AArch64, for relocations. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* One section. */
struct elf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, offset;
	/* The address of the section. The sections of a relocatable object have no addresses. The
	 * first section with code of a relocatable object is put at address 0, and the other
	 * sections follow. */
	uint64_t address;
	uint64_t size;	      /* size of the section in the file, before decompression, in bytes */
	uint32_t relocations; /* index of the section that has the relocations of this section; 0:
				 none */
	uint8_t *bytes; /* the contents of the section, with a NUL after them; NULL: not read yet */
	size_t length;	/* bytes of the contents */
	bool damaged;	/* the contents cannot be read */
};

struct elf {
	int fd;
	uint64_t file_size;
	/* Number of bytes that were read from the ELF file so far, and number of bytes that
	 * decompression made. Sections of a damaged ELF file may overlap; limits on the sums of
	 * read and decompressed bytes then bound the work. */
	uint64_t bytes_read, bytes_made;
	bool relocatable;
	int count;
	struct elf_section *section;
	char *names;
	/* The sections that belong to the loaded program, in ascending order of address. */
	struct elf_section **placed;
	int placed_count;
};

/* Whether a file begins with the magic number of ELF files. */
bool elf_is_file(const char *path);
/* Whether a file is a static library: an archive of relocatable objects. */
bool elf_is_archive(const char *path);

/* Opens an ELF file, whose descriptor the struct then owns. `path` is for messages. STATUS_FAILED:
 * the file is no ELF file of this machine, or is damaged. Call elf_close() only after success. */
struct status elf_open(const char *path, struct elf *elf);
struct status elf_open_descriptor(int fd, const char *path, struct elf *elf);
void elf_close(struct elf *elf);

/* Returns the section of this name; NULL: there is none. */
struct elf_section *elf_find(const struct elf *elf, const char *name);

/* Returns whether the section holds machine code. */
bool elf_is_code(const struct elf_section *section);

/* Returns the section of the loaded program that contains an address; NULL: none does. */
struct elf_section *elf_section_at(const struct elf *elf, uint64_t address);

/* Reads the contents of a section, decompresses them, and relocates those of a relocatable object.
 * Returns false if the section has no contents in the file, or if its contents are damaged. */
bool elf_read(struct elf *elf, struct elf_section *section);

/* Returns the contents at an address of the loaded program. *left receives the number of bytes to
 * the end of the section. NULL: no section has contents at the address. */
const uint8_t *elf_at(struct elf *elf, uint64_t address, size_t *left);

/* Copies the build ID, which two files of one build share. Returns the length of the build ID in
 * bytes; 0: no build ID. */
size_t elf_build_id(struct elf *elf, uint8_t id[64]);
