/* An ELF file made in memory, for this machine's instruction set, with symbols and a line table.
 * Its functions are sum (one loop), nest (two loops) and two functions called same. The function
 * never does not return. The function guard would have a loop if never returned. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#if defined(__x86_64__)
enum { MADE_MACHINE = EM_X86_64, MADE_ABSOLUTE = R_X86_64_64 };
enum {
	SUM = 0,
	SUM_LOOP = 2,
	NEST = 16,
	NEST_LOOP = 18,
	SAME = 32,
	SAME_2 = 36,
	NEVER = 40,
	GUARD = 42,
	CODE_END = 54
};
static const uint8_t made_code[CODE_END] = {
	/* sum:  xor eax, eax; 1: add eax, [rdi]; add rdi, 4; dec esi; jne 1b; ret; nop */
	0x31, 0xc0, 0x03, 0x07, 0x48, 0x83, 0xc7, 0x04, 0xff, 0xce, 0x75, 0xf6, 0xc3, 0x0f, 0x1f,
	0x00,
	/* nest: 1: mov ecx, edx; 2: add eax, [rdi]; dec ecx; jne 2b; dec esi; jne 1b; ret; nop */
	0x89, 0xd1, 0x03, 0x07, 0xff, 0xc9, 0x75, 0xfa, 0xff, 0xce, 0x75, 0xf4, 0xc3, 0x0f, 0x1f,
	0x00,
	/* same: xor eax, eax; ret; nop, twice */
	0x31, 0xc0, 0xc3, 0x90, 0x31, 0xc0, 0xc3, 0x90,
	/* never: ud2 */
	0x0f, 0x0b,
	/* guard: jmp 2f; 1: call never; 2: dec esi; js 1b; ret */
	0xeb, 0x05, 0xe8, 0xf7, 0xff, 0xff, 0xff, 0xff, 0xce, 0x78, 0xf7, 0xc3
};
#else
enum { MADE_MACHINE = EM_AARCH64, MADE_ABSOLUTE = R_AARCH64_ABS64 };
enum {
	SUM = 0,
	SUM_LOOP = 4,
	NEST = 24,
	NEST_LOOP = 28,
	SAME = 52,
	SAME_2 = 60,
	NEVER = 68,
	GUARD = 72,
	CODE_END = 92
};
static const uint32_t made_code[CODE_END / 4] = {
	/* sum:  mov w3, 0; 1: ldr w4, [x0], 4; add w3, w3, w4; subs w1, w1, 1; b.ne 1b; ret */
	0x52800003, 0xb8404404, 0x0b040063, 0x71000421, 0x54ffffa1, 0xd65f03c0,
	/* nest: 1: mov w5, w2; 2: ldr w4, [x0]; subs w5, w5, 1; b.ne 2b; subs w1, w1, 1; b.ne 1b */
	0x2a0203e5, 0xb9400004, 0x710004a5, 0x54ffffc1, 0x71000421, 0x54ffff61, 0xd65f03c0,
	/* same: mov w0, 0; ret, twice */
	0x52800000, 0xd65f03c0, 0x52800000, 0xd65f03c0,
	/* never: brk 0 */
	0xd4200000,
	/* guard: b 2f; 1: bl never; 2: subs w1, w1, 1; b.mi 1b; ret */
	0x14000002, 0x97fffffe, 0x71000421, 0x54ffffc4, 0xd65f03c0
};
#endif

enum { MADE_MOST = 4096, MADE_SECTIONS = 8, MADE_BASE = 0x1000 };

/* The lines of made.c on which functions and loops begin. */
enum { LINE_SUM = 10, LINE_SUM_LOOP = 12, LINE_NEST = 20, LINE_NEST_LOOP = 22, LINE_SAME = 30 };

struct made_elf {
	uint8_t bytes[MADE_MOST];
	size_t size;
	Elf64_Shdr section[MADE_SECTIONS];
	int count;
	char names[256];
	size_t names_size;
};

static inline void made_append(struct made_elf *made, const void *bytes, size_t size)
{
	if (made->size + size > MADE_MOST)
		abort();
	memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

/* Adds a section, and returns its number. */
static inline int made_section(
	struct made_elf *made, const char *name, Elf64_Shdr header, const void *bytes, size_t size)
{
	header.sh_name = (Elf64_Word)made->names_size;
	header.sh_offset = made->size;
	header.sh_size = size;
	memcpy(made->names + made->names_size, name, strlen(name) + 1);
	made->names_size += strlen(name) + 1;
	made_append(made, bytes, size);
	made->section[made->count] = header;
	return made->count++;
}

/* Adds a section compressed by zlib. */
static inline int made_compressed(
	struct made_elf *made, const char *name, Elf64_Shdr header, const void *bytes, size_t size)
{
	uint8_t packed[512 + sizeof(Elf64_Chdr)];
	Elf64_Chdr chdr = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = 1 };
	uLongf length = 512;

	memcpy(packed, &chdr, sizeof(chdr));
	if (compress(packed + sizeof(chdr), &length, bytes, size) != Z_OK)
		abort();
	header.sh_flags |= SHF_COMPRESSED;
	return made_section(made, name, header, packed, sizeof(chdr) + length);
}

/* A line table of version 5. *address receives the place of its first address. */
static inline size_t made_lines(uint8_t *table, uint64_t base, size_t *address)
{
	static const uint8_t header[] = { 0, 0, 0, 0, 5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13,
		0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,   /* the operands of opcodes 1 to 12 */
		1, 1, 0x08, 1, '/', 's', 'r', 'c', 0, /* one directory: its path, a string */
		2, 1, 0x08, 2, 0x0b, 2, /* two files: a path, and the number of the directory */
		'm', 'a', 'd', 'e', '.', 'c', 0, 0, 'm', 'a', 'd', 'e', '.', 'c', 0, 0 };
	static const struct {
		int place, line;
	} rows[] = { { SUM, LINE_SUM }, { SUM_LOOP, LINE_SUM_LOOP }, { NEST, LINE_NEST },
		{ NEST_LOOP, LINE_NEST_LOOP }, { SAME, LINE_SAME }, { SAME_2, LINE_SAME } };
	size_t size = sizeof(header);
	uint32_t length;
	int line = 1, place = SUM;

	memcpy(table, header, sizeof(header));
	length = sizeof(header) - 12;
	memcpy(table + 8, &length, sizeof(length));
	memcpy(table + size, "\0\x09\x02", 3); /* set_address */
	*address = size += 3;
	memcpy(table + size, &base, 8);
	size += 8;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		table[size++] = 2; /* advance_pc */
		table[size++] = (uint8_t)(rows[i].place - place);
		table[size++] = 3; /* advance_line */
		table[size++] = (uint8_t)(rows[i].line - line);
		table[size++] = 1; /* copy */
		place = rows[i].place;
		line = rows[i].line;
	}
	table[size++] = 2;
	table[size++] = (uint8_t)(CODE_END - place);
	memcpy(table + size, "\0\x01\x01", 3); /* end_sequence */
	size += 3;
	length = (uint32_t)size - 4;
	memcpy(table, &length, sizeof(length));
	return size;
}

enum made_kind { MADE_LIBRARY, MADE_COMPRESSED, MADE_OBJECT, MADE_STRIPPED, MADE_KINDS };

/* Makes a file. MADE_OBJECT: a relocatable object, whose line table has a relocation.
 * MADE_STRIPPED: an unwind table takes the place of symbols and lines. The file then names
 * made.debug, with this checksum, as its file with debug information. */
static inline void made_file(struct made_elf *made, enum made_kind kind, uint32_t checksum)
{
	static const char strings[] = "\0sum\0nest\0same\0_ZN5shape4areaEi\0never\0guard";
	static const struct {
		int name, place, size;
	} functions[] = { { 1, SUM, NEST - SUM }, { 5, NEST, SAME - NEST },
		{ 10, SAME, SAME_2 - SAME }, { 10, SAME_2, NEVER - SAME_2 },
		{ 32, NEVER, GUARD - NEVER }, { 38, GUARD, CODE_END - GUARD },
		{ 15, NEST, SAME - NEST } };
	uint64_t base = kind == MADE_OBJECT ? 0 : MADE_BASE;
	Elf64_Sym symbol[9] = { { .st_name = 0 } };
	Elf64_Ehdr header = { .e_type = kind == MADE_OBJECT ? ET_REL : ET_DYN,
		.e_machine = MADE_MACHINE,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr) };
	uint8_t lines[512];
	size_t address, size = made_lines(lines, base, &address);
	int code, names, symbols;

	memset(made, 0, sizeof(*made));
	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = ELFCLASS64;
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	/* The section headers come first: what fuzz targets insert after them leaves them alone. */
	header.e_shoff = sizeof(header);
	made->size = sizeof(header) + sizeof(made->section);
	made_section(made, "", (Elf64_Shdr){ .sh_type = SHT_NULL }, "", 0);
	code = made_section(made, ".text",
		(Elf64_Shdr){ .sh_type = SHT_PROGBITS,
			.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_addr = base },
		made_code, sizeof(made_code));
	if (kind == MADE_STRIPPED) {
		/* Version and encodings; the place of .eh_frame; 2 functions; the table. */
		static const uint8_t form[4] = { 1, 0x1b, 0x03, 0x3b };
		int32_t unwind[] = { 0, 0, 2, MADE_BASE + SUM - 0x2000, 0,
			MADE_BASE + NEST - 0x2000, 0 };

		memcpy(unwind, form, sizeof(form));
		made_section(made, ".eh_frame_hdr",
			(Elf64_Shdr){
				.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addr = 0x2000 },
			unwind, sizeof(unwind));
		memcpy(lines, "made.debug\0\0", 12);
		memcpy(lines + 12, &checksum, sizeof(checksum));
		made_section(
			made, ".gnu_debuglink", (Elf64_Shdr){ .sh_type = SHT_PROGBITS }, lines, 16);
	} else {
		for (int i = 0; i < 7; i++)
			symbol[i + 1] = (Elf64_Sym){ .st_name = (Elf64_Word)functions[i].name,
				.st_info = ELF64_ST_INFO(i < 6 ? STB_GLOBAL : STB_WEAK, STT_FUNC),
				.st_shndx = (Elf64_Section)code,
				.st_value = base + (uint64_t)functions[i].place,
				.st_size = (Elf64_Xword)functions[i].size };
		symbol[8] = (Elf64_Sym){ .st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION),
			.st_shndx = (Elf64_Section)code };
		names = made_section(made, ".strtab", (Elf64_Shdr){ .sh_type = SHT_STRTAB },
			strings, sizeof(strings));
		symbols = made_section(made, ".symtab",
			(Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_link = (Elf64_Word)names }, symbol,
			sizeof(symbol));
		if (kind == MADE_OBJECT) { /* the address comes from the relocation */
			Elf64_Rela entry = { .r_offset = address,
				.r_info = ELF64_R_INFO((uint64_t)8, MADE_ABSOLUTE),
				.r_addend = SUM };

			memset(lines + address, 0xee, 8);
			made_section(made, ".rela.debug_line",
				(Elf64_Shdr){ .sh_type = SHT_RELA,
					.sh_link = (Elf64_Word)symbols,
					.sh_info = (Elf64_Word)made->count + 1 },
				&entry, sizeof(entry));
		}
		(kind == MADE_COMPRESSED ? made_compressed : made_section)(
			made, ".debug_line", (Elf64_Shdr){ .sh_type = SHT_PROGBITS }, lines, size);
	}
	header.e_shstrndx = (Elf64_Half)made->count;
	memcpy(made->names + made->names_size, ".shstrtab", 10);
	made->names_size += 10;
	made->section[made->count++] = (Elf64_Shdr){ .sh_name = (Elf64_Word)made->names_size - 10,
		.sh_type = SHT_STRTAB,
		.sh_offset = made->size,
		.sh_size = made->names_size };
	made_append(made, made->names, made->names_size);
	header.e_shnum = (Elf64_Half)made->count;
	memcpy(made->bytes, &header, sizeof(header));
	memcpy(made->bytes + header.e_shoff, made->section, sizeof(made->section));
}

/* A file in memory that holds the bytes; the caller closes the descriptor. */
static inline int made_descriptor(const void *bytes, size_t size)
{
	int fd = memfd_create("made", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	return fd;
}
