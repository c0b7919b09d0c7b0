#include "model/program/program_inside.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "model/program/demangle.h"

/* ---- The file with debug information */

/* Whether a file has the debug information of the program. The build IDs of a program and of its
 * file with debug information are equal. Without build IDs, the file with debug information must
 * have the checksum that the program states. */
static bool belongs(struct program *program, struct elf *debug, uint32_t checksum)
{
	uint8_t id[64], other[64], bytes[4096];
	size_t length = elf_build_id(&program->elf, id);
	uint64_t at = 0;
	uLong sum = crc32(0, NULL, 0);

	if (length > 0)
		return elf_build_id(debug, other) == length && memcmp(id, other, length) == 0;
	for (ssize_t got; (got = pread(debug->fd, bytes, sizeof(bytes), (off_t)at)) > 0;
		at += (uint64_t)got)
		sum = crc32(sum, bytes, (uInt)got);
	return sum == checksum;
}

static bool try_debug_file(struct program *program, const char *path, uint32_t checksum)
{
	struct status status;

	if (!elf_is_file(path))
		return false;
	status = elf_open(path, &program->debug);
	if (!status_is_ok(&status)) {
		program->debug.fd = -1;
		return false;
	}
	if (belongs(program, &program->debug, checksum))
		return true;
	elf_close(&program->debug);
	return false;
}

/* Searches the file with debug information where debuggers search it. Source: Debugging with GDB,
 * "Debugging information in separate files". */
static void find_debug_file(struct program *program, const char *path)
{
	struct elf_section *link = elf_find(&program->elf, ".gnu_debuglink");
	char *real = realpath(path, NULL), *name, *slash;
	uint32_t checksum = 0;
	uint8_t id[64];
	size_t length = elf_build_id(&program->elf, id);
	struct text file = { 0 };

	for (size_t i = 0; i < length; i++)
		text_addf(&file, "%s%02x%s", i == 0 ? "/usr/lib/debug/.build-id/" : "", id[i],
			i == 0 ? "/" : "");
	text_add(&file, ".debug");
	if ((length > 1 && try_debug_file(program, text_string(&file), 0)) || !real || !link ||
		!elf_read(&program->elf, link) || link->length < 8)
		goto done;
	name = (char *)link->bytes;
	slash = strrchr(real, '/');
	memcpy(&checksum, link->bytes + link->length / 4 * 4 - 4, sizeof(checksum));
	if (slash)
		*slash = '\0';
	if (strchr(name, '/') || !*name)
		goto done;
	for (int i = 0; i < 3; i++) {
		static const char *const form[3][2] = { { "", "" }, { "", "/.debug" },
			{ "/usr/lib/debug", "" } };

		text_clear(&file);
		text_addf(&file, "%s%s%s/%s", form[i][0], real, form[i][1], name);
		if (try_debug_file(program, text_string(&file), checksum))
			break;
	}
done:
	text_free(&file);
	free(real);
}

/* ---- Functions */

static void add_symbol(struct program *program, const struct program_function *function, int rank)
{
	program->symbol =
		memory_grow(program->symbol, program->symbol_count, sizeof(*program->symbol));
	program->symbol[program->symbol_count++] = (struct symbol){ *function, rank };
}

/* The section of the program with code at an address. A linker's table of jumps (.plt) holds no
 * functions. */
static const struct elf_section *code_section(const struct program *program, uint64_t address)
{
	const struct elf_section *section = elf_section_at(&program->elf, address);

	return section && elf_is_code(section) && strncmp(section->name, ".plt", 4) != 0 ? section
											 : NULL;
}

/* Reads the functions in a symbol table of the program or of its debug file. */
static bool read_symbols(struct program *program, struct elf *elf, uint32_t type)
{
	struct elf_section *table = NULL, *names;
	Elf64_Sym symbol;

	for (int i = 0; i < elf->count && !table; i++)
		if (elf->section[i].type == type)
			table = &elf->section[i];
	if (!table || table->link >= (uint32_t)elf->count)
		return false;
	names = &elf->section[table->link];
	if (!elf_read(elf, table) || !elf_read(elf, names))
		return false;
	for (size_t i = 0; i < table->length / sizeof(symbol); i++) {
		unsigned kind;
		uint64_t address;

		memcpy(&symbol, table->bytes + i * sizeof(symbol), sizeof(symbol));
		kind = ELF64_ST_TYPE(symbol.st_info);
		if ((kind != STT_FUNC && kind != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
			symbol.st_name >= names->length || !names->bytes[symbol.st_name])
			continue;
		address = symbol.st_value;
		if (elf->relocatable && symbol.st_shndx < elf->count)
			address += elf->section[symbol.st_shndx].address;
		if (code_section(program, address))
			add_symbol(program,
				&(struct program_function){ address, symbol.st_size,
					(const char *)names->bytes + symbol.st_name,
					kind == STT_GNU_IFUNC },
				ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL ? 0
				: ELF64_ST_BIND(symbol.st_info) == STB_WEAK ? 1
									    : 2);
	}
	return program->symbol_count > 0;
}

/* How the unwind table must be encoded: relative to itself, 4 bytes a value. Linkers write no other
 * form. Source: Linux Standard Base, "Exception frames". */
static const uint8_t unwind_form[4] = { 1, 0x1b, 0x03, 0x3b };
enum { UNWIND_HEADER = 12, UNWIND_ENTRY = 8 };

/* The bytes of the function whose unwind information is at an address; 0: unknown. */
static uint64_t unwind_size(struct program *program, uint64_t address)
{
	size_t left;
	const uint8_t *entry = elf_at(&program->elf, address, &left);
	uint32_t range = 0;

	/* The function's size follows the length of the unwind entry, the distance to its common
	 * part, and the function's address. */
	if (entry && left >= 16)
		memcpy(&range, entry + 12, sizeof(range));
	return range;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *left = a, *right = b;
	uint64_t from = left->function.address, to = right->function.address;

	if (from != to)
		return from < to ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank - right->rank;
	return left->function.symbol && right->function.symbol
		       ? strcmp(left->function.symbol, right->function.symbol)
		       : 0;
}

/* The index of the last symbol at or before an address, among the first `count` symbols. The first
 * `count` symbols are sorted by address. -1: no symbol is at or before the address. */
static ptrdiff_t symbol_before(const struct program *program, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (program->symbol[middle].function.address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (ptrdiff_t)low - 1;
}

/* Adds the functions of the unwind table that no symbol covers. The symbols are sorted. */
static void read_unwind_table(struct program *program)
{
	struct elf_section *table = elf_find(&program->elf, ".eh_frame_hdr");
	size_t named = program->symbol_count;
	uint32_t count;

	if (!table || !elf_read(&program->elf, table) || table->length < UNWIND_HEADER ||
		memcmp(table->bytes, unwind_form, sizeof(unwind_form)) != 0)
		return;
	memcpy(&count, table->bytes + 8, sizeof(count));
	for (size_t i = 0; i < count && (i + 1) * UNWIND_ENTRY + UNWIND_HEADER <= table->length;
		i++) {
		int32_t entry[2];
		uint64_t address, size;
		ptrdiff_t before;

		memcpy(entry, table->bytes + UNWIND_HEADER + i * UNWIND_ENTRY, sizeof(entry));
		address = table->address + (uint64_t)(int64_t)entry[0];
		before = symbol_before(program, named, address);
		if (!code_section(program, address) ||
			(before >= 0 && address - program->symbol[before].function.address <
						program->symbol[before].function.size +
							(program->symbol[before].function.address ==
								address)))
			continue;
		size = unwind_size(program, table->address + (uint64_t)(int64_t)entry[1]);
		add_symbol(program, &(struct program_function){ address, size, NULL, false }, 3);
	}
}

/* A symbol inside a function is listed as a function, too. Symbols of a damaged file may give
 * every function the size of the program. A function therefore ends where the eighth function after
 * it begins, at the latest. */
enum { ENTRIES = 8 };

/* Lists each function once, with a size that ends at its section's end at the latest. */
static void list_functions(struct program *program)
{
	program->function = memory_new(program->symbol_count + 1, sizeof(*program->function));
	for (size_t i = 0; i < program->symbol_count; i++) {
		struct program_function *function = &program->symbol[i].function;
		const struct elf_section *section = code_section(program, function->address);
		uint64_t most = section->address + section->size - function->address;
		size_t next = i + 1;

		while (next < program->symbol_count &&
			program->symbol[next].function.address == function->address)
			next++;
		if (function->size == 0 && next < program->symbol_count &&
			program->symbol[next].function.address - function->address < most)
			most = program->symbol[next].function.address - function->address;
		if (function->size == 0 || function->size > most)
			function->size = most;
		if (program->function_count == 0 ||
			program->function[program->function_count - 1].address != function->address)
			program->function[program->function_count++] = *function;
	}
	for (size_t i = 0; i + ENTRIES < program->function_count; i++) {
		struct program_function *function = &program->function[i];
		uint64_t most = function[ENTRIES].address - function->address;

		if (function->size > most)
			function->size = most;
	}
}

static void read_functions(struct program *program)
{
	struct elf *debug = &program->debug;

	if (!read_symbols(program, &program->elf, SHT_SYMTAB) &&
		!(debug->fd >= 0 && read_symbols(program, debug, SHT_SYMTAB)))
		read_symbols(program, &program->elf, SHT_DYNSYM);
	if (program->symbol_count > 0)
		qsort(program->symbol, program->symbol_count, sizeof(*program->symbol), by_address);
	read_unwind_table(program);
	if (program->symbol_count > 0)
		qsort(program->symbol, program->symbol_count, sizeof(*program->symbol), by_address);
	list_functions(program);
}

static struct status finish_open(
	struct program *made, struct status status, const char *path, struct program **program)
{
	made->debug.fd = -1;
	*program = NULL;
	if (!status_is_ok(&status)) {
		free(made);
		return status;
	}
	if (path)
		find_debug_file(made, path);
	read_functions(made);
	*program = made;
	return status;
}

struct status program_open(const char *path, struct program **program)
{
	struct program *made = memory_new(1, sizeof(*made));

	return finish_open(made, elf_open(path, &made->elf), path, program);
}

struct status program_open_descriptor(int fd, const char *path, struct program **program)
{
	struct program *made = memory_new(1, sizeof(*made));

	return finish_open(made, elf_open_descriptor(fd, path, &made->elf), NULL, program);
}

void program_close(struct program *program)
{
	if (!program)
		return;
	elf_close(&program->elf);
	if (program->debug.fd >= 0)
		elf_close(&program->debug);
	free(program->symbol);
	free(program->function);
	free(program->returns);
	free(program);
}

const struct program_function *program_functions(const struct program *program, size_t *count)
{
	*count = program->function_count;
	return program->function;
}

void program_add_name(const struct program_function *function, struct text *text)
{
	struct text name = { 0 };

	if (!function->symbol) {
		text_addf(text, "0x%" PRIx64, function->address);
		return;
	}
	demangle(function->symbol, &name);
	/* The symbols of a shared library's debug file end in a version: "memcpy@@GLIBC_2.14". */
	text_add_clean(text, text_string(&name), strcspn(text_string(&name), "@"));
	text_free(&name);
}

const uint8_t *program_bytes(struct program *program, uint64_t address, size_t *left)
{
	return elf_at(&program->elf, address, left);
}

bool program_lines(struct program *program, const uint64_t *addresses, size_t count, bool begins,
	struct source_line *found)
{
	return lines_of(&program->elf, addresses, count, begins, found) ||
	       (program->debug.fd >= 0 &&
		       lines_of(&program->debug, addresses, count, begins, found));
}

const struct program_function *program_function_at(const struct program *program, uint64_t address)
{
	size_t low = 0, high = program->function_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (program->function[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 ||
		address - program->function[low - 1].address >= program->function[low - 1].size)
		return NULL;
	return &program->function[low - 1];
}
