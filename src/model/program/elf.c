#include "model/program/elf.h"

#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#define MACHINE_NAME "x86-64"
#else
enum { MACHINE = EM_AARCH64 };
#define MACHINE_NAME "AArch64"
#endif

/* No section may be larger than MOST_BYTES, also after decompression. DEFLATE makes at most
 * MOST_RATIO bytes from one (RFC 1951: 258 bytes from 2 bits). */
static const uint64_t MOST_BYTES = (uint64_t)1 << 30;
enum { MOST_RATIO = 1032, MOST_SECTIONS = 1 << 20 };

/* Reads `size` bytes at an offset of the file into new memory, with a NUL after them. Returns NULL
 * if the ELF file ends before these bytes. */
static uint8_t *read_bytes(struct elf *elf, uint64_t offset, uint64_t size)
{
	uint8_t *bytes;
	size_t done = 0;

	if (offset > elf->file_size || size > elf->file_size - offset || size > MOST_BYTES ||
		elf->bytes_read > 2 * elf->file_size)
		return NULL;
	elf->bytes_read += size;
	bytes = memory_resize(NULL, (size_t)size + 1, 1);
	while (done < size) {
		ssize_t got =
			pread(elf->fd, bytes + done, (size_t)size - done, (off_t)(offset + done));

		if (got <= 0 && !(got < 0 && errno == EINTR)) {
			free(bytes);
			return NULL;
		}
		done += got > 0 ? (size_t)got : 0;
	}
	bytes[size] = 0;
	return bytes;
}

/* Whether a file begins with this text. */
static bool begins_with(const char *path, const char *text)
{
	char magic[SARMAG] = "";
	ssize_t length = (ssize_t)strlen(text);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && pread(fd, magic, (size_t)length, 0) == length &&
		  memcmp(magic, text, (size_t)length) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

bool elf_is_file(const char *path)
{
	return begins_with(path, ELFMAG);
}

bool elf_is_archive(const char *path)
{
	return begins_with(path, ARMAG);
}

/* Returns an error message if the ELF header is that of another machine or kind of file. */
static struct status check_header(const char *path, const Elf64_Ehdr *header)
{
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return status_failed("%.150s is not an ELF file", path);
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
		header->e_machine != MACHINE)
		return status_failed("%.150s is an ELF file of another instruction set: this "
				     "program decodes " MACHINE_NAME " code",
			path);
	if (header->e_type != ET_REL && header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return status_failed("%.150s is no executable, shared library or relocatable "
				     "object",
			path);
	if (header->e_shoff == 0)
		return status_failed("%.150s has no section headers, so its functions are not "
				     "found",
			path);
	if (header->e_shentsize != sizeof(Elf64_Shdr))
		return status_failed("%.150s is damaged: its section headers have %d bytes, not %d",
			path, header->e_shentsize, (int)sizeof(Elf64_Shdr));
	return status_ok();
}

/* Gives the sections of a relocatable object addresses: code first, in the order of the file. */
static void lay_out(struct elf *elf)
{
	uint64_t next = 0;

	for (int code = 1; code >= 0; code--)
		for (int i = 0; i < elf->count; i++) {
			struct elf_section *section = &elf->section[i];

			if (!(section->flags & SHF_ALLOC) || elf_is_code(section) != code)
				continue;
			section->address = next;
			if (section->size < MOST_BYTES)
				next += (section->size + 63) / 64 * 64;
		}
}

/* Copies the section headers. `raw` has room for elf->count headers of the file. */
static void copy_headers(struct elf *elf, const uint8_t *raw, const char *names, size_t names_size)
{
	for (int i = 0; i < elf->count; i++) {
		Elf64_Shdr header;

		memcpy(&header, raw + (size_t)i * sizeof(header), sizeof(header));
		elf->section[i] = (struct elf_section){
			.name = header.sh_name < names_size ? names + header.sh_name : "",
			.type = header.sh_type,
			.link = header.sh_link,
			.info = header.sh_info,
			.flags = header.sh_flags,
			.offset = header.sh_offset,
			.address = header.sh_addr,
			.size = header.sh_size,
		};
	}
	elf->section[0].type = SHT_NULL;
	for (int i = 1; i < elf->count; i++)
		if (elf->section[i].type == SHT_RELA && elf->section[i].info < (uint32_t)elf->count)
			elf->section[elf->section[i].info].relocations = (uint32_t)i;
	if (elf->relocatable)
		lay_out(elf);
}

static int by_address(const void *a, const void *b)
{
	const struct elf_section *left = *(struct elf_section *const *)a,
				 *right = *(struct elf_section *const *)b;

	return left->address < right->address ? -1 : left->address > right->address;
}

static void list_placed(struct elf *elf)
{
	elf->placed = memory_new((size_t)elf->count, sizeof(struct elf_section *));
	for (int i = 0; i < elf->count; i++)
		if ((elf->section[i].flags & SHF_ALLOC) && !(elf->section[i].flags & SHF_TLS) &&
			elf->section[i].size > 0)
			elf->placed[elf->placed_count++] = &elf->section[i];
	qsort(elf->placed, (size_t)elf->placed_count, sizeof(struct elf_section *), by_address);
}

static struct status read_sections(struct elf *elf, const char *path, const Elf64_Ehdr *header)
{
	uint64_t count = header->e_shnum, names = header->e_shstrndx;
	uint8_t *raw = read_bytes(elf, header->e_shoff, sizeof(Elf64_Shdr));
	Elf64_Shdr first;

	if (raw) { /* the first header holds numbers that do not fit the file's header */
		memcpy(&first, raw, sizeof(first));
		free(raw);
		if (count == 0)
			count = first.sh_size;
		if (names == SHN_XINDEX)
			names = first.sh_link;
		raw = count > 0 && count <= MOST_SECTIONS
			      ? read_bytes(elf, header->e_shoff, count * sizeof(first))
			      : NULL;
	}
	if (!raw)
		return status_failed("%.150s is damaged or cut off: its section headers do not lie "
				     "in the file",
			path);
	elf->count = (int)count;
	elf->section = memory_new(count, sizeof(*elf->section));
	if (names < count) {
		memcpy(&first, raw + names * sizeof(first), sizeof(first));
		elf->names = (char *)read_bytes(elf, first.sh_offset, first.sh_size);
	}
	copy_headers(elf, raw, elf->names, elf->names ? first.sh_size : 0);
	list_placed(elf);
	free(raw);
	return status_ok();
}

struct status elf_open_descriptor(int fd, const char *path, struct elf *elf)
{
	Elf64_Ehdr header;
	struct status status;
	struct stat facts;

	*elf = (struct elf){ .fd = fd };
	if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode))
		elf->file_size = (uint64_t)facts.st_size;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header))
		status = status_failed("%.150s is cut off: it is shorter than an ELF header", path);
	else
		status = check_header(path, &header);
	elf->relocatable = header.e_type == ET_REL;
	if (status_is_ok(&status))
		status = read_sections(elf, path, &header);
	if (!status_is_ok(&status))
		elf_close(elf);
	return status;
}

struct status elf_open(const char *path, struct elf *elf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return status_unopened(path, errno);
	return elf_open_descriptor(fd, path, elf);
}

void elf_close(struct elf *elf)
{
	for (int i = 0; i < elf->count; i++)
		free(elf->section[i].bytes);
	free(elf->section);
	free(elf->names);
	free(elf->placed);
	close(elf->fd);
	*elf = (struct elf){ .fd = -1 };
}

struct elf_section *elf_find(const struct elf *elf, const char *name)
{
	for (int i = 0; i < elf->count; i++)
		if (strcmp(elf->section[i].name, name) == 0)
			return &elf->section[i];
	return NULL;
}

bool elf_is_code(const struct elf_section *section)
{
	const uint64_t both = SHF_ALLOC | SHF_EXECINSTR;

	return section->type == SHT_PROGBITS && (section->flags & both) == both;
}

/* ---- Contents */

static uint8_t *inflate_section(
	struct elf *elf, const uint8_t *raw, uint64_t size, uint64_t *length)
{
	Elf64_Chdr header;
	uint8_t *bytes;
	uLongf made;

	if (size < sizeof(header))
		return NULL;
	memcpy(&header, raw, sizeof(header));
	size -= sizeof(header);
	if (header.ch_type != ELFCOMPRESS_ZLIB || header.ch_size > MOST_BYTES ||
		header.ch_size / MOST_RATIO > size || elf->bytes_made > MOST_BYTES)
		return NULL;
	made = header.ch_size;
	elf->bytes_made += made;
	bytes = memory_resize(NULL, header.ch_size + 1, 1);
	if (uncompress(bytes, &made, raw + sizeof(header), size) != Z_OK) {
		free(bytes);
		return NULL;
	}
	bytes[made] = 0;
	*length = made;
	return bytes;
}

/* The kinds of relocations that occur in code and in line tables. */
enum relocation { KEEP, ABSOLUTE_64, ABSOLUTE_32, RELATIVE_32, BRANCH_26 };

static enum relocation relocation_kind(uint32_t type)
{
#if defined(__x86_64__)
	switch (type) {
	case R_X86_64_64: return ABSOLUTE_64;
	case R_X86_64_32:
	case R_X86_64_32S: return ABSOLUTE_32;
	case R_X86_64_PC32:
	case R_X86_64_PLT32: return RELATIVE_32;
	default: return KEEP;
	}
#else
	switch (type) {
	case R_AARCH64_ABS64: return ABSOLUTE_64;
	case R_AARCH64_ABS32: return ABSOLUTE_32;
	case R_AARCH64_PREL32: return RELATIVE_32;
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26: return BRANCH_26;
	default: return KEEP;
	}
#endif
}

/* The value of a symbol. A symbol of another file gets an address outside this file's code. A jump
 * to a symbol of another file is therefore a jump out of the function. */
static uint64_t symbol_value(
	const struct elf *elf, const struct elf_section *symbols, uint64_t index)
{
	Elf64_Sym symbol;

	if (index >= symbols->length / sizeof(symbol))
		return MOST_BYTES;
	memcpy(&symbol, symbols->bytes + index * sizeof(symbol), sizeof(symbol));
	if (symbol.st_shndx == SHN_ABS)
		return symbol.st_value;
	if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= elf->count)
		return MOST_BYTES;
	return elf->section[symbol.st_shndx].address + symbol.st_value;
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	memcpy(at, &value, bytes); /* both instruction sets are little-endian */
}

static void relocate_one(struct elf *elf, struct elf_section *section,
	const struct elf_section *symbols, const Elf64_Rela *entry)
{
	enum relocation kind = relocation_kind(ELF64_R_TYPE(entry->r_info));
	size_t bytes = kind == ABSOLUTE_64 ? 8 : 4;
	uint64_t value =
		symbol_value(elf, symbols, ELF64_R_SYM(entry->r_info)) + (uint64_t)entry->r_addend;
	uint64_t place = section->address + entry->r_offset;
	uint32_t word;

	if (kind == KEEP || entry->r_offset > section->length ||
		section->length - entry->r_offset < bytes)
		return;
	if (kind == RELATIVE_32)
		value -= place;
	if (kind == BRANCH_26) {
		memcpy(&word, section->bytes + entry->r_offset, sizeof(word));
		value = (word & 0xfc000000) | ((value - place) >> 2 & 0x03ffffff);
	}
	put(section->bytes + entry->r_offset, value, bytes);
}

static void relocate(struct elf *elf, struct elf_section *section)
{
	struct elf_section *list = &elf->section[section->relocations], *symbols;
	Elf64_Rela entry;

	if (list->type != SHT_RELA || list->link >= (uint32_t)elf->count)
		return;
	symbols = &elf->section[list->link];
	if (symbols->type != SHT_SYMTAB || !elf_read(elf, symbols) || !elf_read(elf, list))
		return;
	for (size_t k = 0; k < list->length / sizeof(entry); k++) {
		memcpy(&entry, list->bytes + k * sizeof(entry), sizeof(entry));
		relocate_one(elf, section, symbols, &entry);
	}
}

bool elf_read(struct elf *elf, struct elf_section *section)
{
	uint64_t length = section->size;
	uint8_t *raw;

	if (section->bytes)
		return true;
	if (section->type == SHT_NULL || section->type == SHT_NOBITS || section->damaged)
		return false;
	raw = read_bytes(elf, section->offset, section->size);
	if (raw && (section->flags & SHF_COMPRESSED)) {
		section->bytes = inflate_section(elf, raw, section->size, &length);
		free(raw);
	} else {
		section->bytes = raw;
	}
	if (!section->bytes) {
		section->damaged = true;
		return false;
	}
	section->length = (size_t)length;
	if (elf->relocatable && section->type == SHT_PROGBITS)
		relocate(elf, section);
	return true;
}

struct elf_section *elf_section_at(const struct elf *elf, uint64_t address)
{
	int low = 0, high = elf->placed_count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (elf->placed[middle]->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - elf->placed[low - 1]->address >= elf->placed[low - 1]->size)
		return NULL;
	return elf->placed[low - 1];
}

const uint8_t *elf_at(struct elf *elf, uint64_t address, size_t *left)
{
	struct elf_section *section = elf_section_at(elf, address);
	uint64_t offset = section ? address - section->address : 0;

	if (!section || !elf_read(elf, section) || offset >= section->length)
		return NULL;
	*left = section->length - (size_t)offset;
	return section->bytes + offset;
}

size_t elf_build_id(struct elf *elf, uint8_t id[64])
{
	struct elf_section *section = elf_find(elf, ".note.gnu.build-id");
	Elf64_Nhdr note;

	if (!section || !elf_read(elf, section) || section->length < sizeof(note) + 4)
		return 0;
	memcpy(&note, section->bytes, sizeof(note));
	if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz > 64 ||
		note.n_descsz > section->length - sizeof(note) - 4)
		return 0;
	memcpy(id, section->bytes + sizeof(note) + 4, note.n_descsz);
	return note.n_descsz;
}
