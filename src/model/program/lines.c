#include "model/program/lines.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A read position in bytes of a file that is not trusted. After a read beyond the end, `at` is NULL
 * and each further read returns 0. */
struct cursor {
	const uint8_t *at, *end;
};

static const uint8_t *take(struct cursor *cursor, uint64_t bytes)
{
	const uint8_t *at = cursor->at;

	if (!at || (uint64_t)(cursor->end - at) < bytes) {
		cursor->at = NULL;
		return NULL;
	}
	cursor->at += bytes;
	return at;
}

static uint64_t take_number(struct cursor *cursor, size_t bytes)
{
	const uint8_t *at = bytes <= 8 ? take(cursor, bytes) : NULL;
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, bytes);
	return value;
}

static uint64_t take_leb(struct cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	int shift = 0;

	while (cursor->at && cursor->at < cursor->end) {
		uint8_t byte = *cursor->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (byte & 128)
			continue;
		if (is_signed && (byte & 64) && shift < 64)
			value |= ~(uint64_t)0 << shift;
		return value;
	}
	cursor->at = NULL;
	return 0;
}

static const char *take_string(struct cursor *cursor)
{
	const uint8_t *at = cursor->at;
	const uint8_t *end = at ? memchr(at, 0, (size_t)(cursor->end - at)) : NULL;

	cursor->at = end ? end + 1 : NULL;
	return end ? (const char *)at : NULL;
}

/* The line tables of one ELF file, and the line table that is being read. */
struct tables {
	struct cursor all;
	const char *strings, *line_strings; /* sections .debug_str and .debug_line_str */
	size_t string_bytes, line_string_bytes;
};

enum { STANDARD_OPCODES = 256 };

struct program_header {
	int version;
	size_t offset_bytes; /* 4 or 8: the size of offsets in this table */
	unsigned least_length, line_range, opcode_base;
	int line_base;
	uint8_t operands[STANDARD_OPCODES]; /* operands of each standard opcode */
	struct cursor names; /* where the names of directories and files begin in the line table's
				header */
	struct cursor code;
	const char **file, **directory; /* names of files or directories by their numbers in the
					   line table; an entry may be NULL */
	size_t *file_directory;
	size_t file_count, directory_count;
	bool named;
};

/* ---- Names */

static const char *string_at(const char *strings, size_t bytes, uint64_t offset)
{
	return strings && offset < bytes ? strings + offset : NULL;
}

/* Forms of values in the tables of names. */
enum {
	FORM_BLOCK = 0x09,
	FORM_DATA1 = 0x0b,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_DATA16 = 0x1e,
	FORM_STRING = 0x08,
	FORM_STRP = 0x0e,
	FORM_LINE_STRP = 0x1f,
	FORM_UDATA = 0x0f
};

/* Reads one value. *text receives a string, or NULL; the result is a number, or 0. */
static uint64_t take_form(const struct tables *tables, const struct program_header *header,
	struct cursor *cursor, uint64_t form, const char **text)
{
	*text = NULL;
	switch (form) {
	case FORM_STRING: *text = take_string(cursor); return 0;
	case FORM_STRP:
		*text = string_at(tables->strings, tables->string_bytes,
			take_number(cursor, header->offset_bytes));
		return 0;
	case FORM_LINE_STRP:
		*text = string_at(tables->line_strings, tables->line_string_bytes,
			take_number(cursor, header->offset_bytes));
		return 0;
	case FORM_UDATA: return take_leb(cursor, false);
	case FORM_DATA1: return take_number(cursor, 1);
	case FORM_DATA2: return take_number(cursor, 2);
	case FORM_DATA4: return take_number(cursor, 4);
	case FORM_DATA8: return take_number(cursor, 8);
	case FORM_DATA16: (void)take(cursor, 16); return 0;
	case FORM_BLOCK: (void)take(cursor, take_leb(cursor, false)); return 0;
	default: cursor->at = NULL; return 0; /* the size of the value is unknown */
	}
}

static void add_directory(struct program_header *header, const char *name)
{
	header->directory =
		memory_grow(header->directory, header->directory_count, sizeof(*header->directory));
	header->directory[header->directory_count++] = name;
}

static void add_file(struct program_header *header, const char *name, uint64_t directory)
{
	header->file = memory_grow(header->file, header->file_count, sizeof(*header->file));
	header->file_directory = memory_grow(
		header->file_directory, header->file_count, sizeof(*header->file_directory));
	header->file_directory[header->file_count] = (size_t)directory;
	header->file[header->file_count++] = name;
}

/* Reads a table of names of version 5: the format of an entry, then the entries. */
static void read_entries(const struct tables *tables, struct program_header *header,
	struct cursor *cursor, bool files)
{
	uint64_t formats = take_number(cursor, 1), content[255], form[255], count;

	for (uint64_t i = 0; i < formats; i++) {
		content[i] = take_leb(cursor, false);
		form[i] = take_leb(cursor, false);
	}
	count = take_leb(cursor, false);
	for (uint64_t i = 0; i < count && cursor->at && formats > 0; i++) {
		const uint8_t *before = cursor->at;
		const char *name = NULL, *text;
		uint64_t directory = 0;

		for (uint64_t k = 0; k < formats; k++) {
			uint64_t number = take_form(tables, header, cursor, form[k], &text);

			if (content[k] == 1) /* DW_LNCT_path */
				name = text;
			else if (content[k] == 2) /* DW_LNCT_directory_index */
				directory = number;
		}
		if (!cursor->at || cursor->at == before)
			return;
		if (files)
			add_file(header, name, directory);
		else
			add_directory(header, name);
	}
}

static void read_names(const struct tables *tables, struct program_header *header)
{
	struct cursor cursor = header->names;

	header->named = true;
	if (header->version >= 5) {
		read_entries(tables, header, &cursor, false);
		read_entries(tables, header, &cursor, true);
		return;
	}
	add_directory(header, NULL); /* the directory of the compiler: not in the table */
	add_file(header, NULL, 0);   /* numbers begin at 1 */
	for (const char *name; (name = take_string(&cursor)) && *name;)
		add_directory(header, name);
	for (const char *name; (name = take_string(&cursor)) && *name;) {
		uint64_t directory = take_leb(&cursor, false);

		(void)take_leb(&cursor, false); /* time of the last change */
		(void)take_leb(&cursor, false); /* bytes of the file */
		add_file(header, name, directory);
	}
}

static void forget_names(struct program_header *header)
{
	free(header->file);
	free(header->directory);
	free(header->file_directory);
	header->file = header->directory = NULL;
	header->file_directory = NULL;
	header->file_count = header->directory_count = 0;
	header->named = false;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static const char *file_name(
	const struct tables *tables, struct program_header *header, uint64_t file)
{
	if (!header->named)
		read_names(tables, header);
	return file < header->file_count ? base_name(header->file[file]) : NULL;
}

/* Whether a file belongs to the headers of the system or to the Rust library, as compilers install
 * or name them. */
static bool is_library(const struct program_header *header, uint64_t file)
{
	static const char *const directories[] = { "/usr/include", "/usr/lib", "/usr/local/include",
		"/rustc" };
	const char *path = header->file[file];

	if (path && *path != '/' && header->file_directory[file] < header->directory_count)
		path = header->directory[header->file_directory[file]];
	if (path && *path != '/' && header->directory_count > 0)
		path = header->directory[0];
	for (size_t i = 0; path && i < sizeof(directories) / sizeof(*directories); i++) {
		size_t length = strlen(directories[i]);

		if (strncmp(path, directories[i], length) == 0 &&
			(path[length] == '/' || !path[length]))
			return true;
	}
	return path && strstr(path, "/rustlib/") != NULL;
}

/* Whether the last parts of the file's path are `name`. */
static bool file_matches(
	const struct tables *tables, struct program_header *header, uint64_t file, const char *name)
{
	const char *base = file_name(tables, header, file), *directory = NULL;
	struct words path;
	size_t length, wanted = strlen(name);

	if (!base || strcmp(base, base_name(name)) != 0)
		return false;
	if (header->file_directory[file] < header->directory_count)
		directory = header->directory[header->file_directory[file]];
	path = words_of("/%s/%s", directory ? directory : "", header->file[file]);
	length = strlen(path.text);
	return length > wanted && strcmp(path.text + length - wanted, name) == 0 &&
	       (path.text[length - wanted - 1] == '/' || *name == '/');
}

/* ---- Rows */

/* Reads the header of the next table, and moves `all` behind the table. Returns false at the end of
 * the section. A damaged line table counts as one without line instructions. */
static bool next_table(struct tables *tables, struct program_header *header)
{
	struct cursor *all = &tables->all, cursor;
	uint64_t length = take_number(all, 4);
	uint64_t header_length;
	const uint8_t *begin;

	forget_names(header);
	*header = (struct program_header){ .offset_bytes = 4 };
	if (length == 0xffffffff) {
		length = take_number(all, 8);
		header->offset_bytes = 8;
	}
	begin = take(all, length);
	if (!begin)
		return false;
	cursor = (struct cursor){ begin, begin + length };
	header->version = (int)take_number(&cursor, 2);
	if (header->version < 2 || header->version > 5)
		return true;
	if (header->version >= 5)
		(void)take(&cursor, 2); /* size of addresses and of segments */
	header_length = take_number(&cursor, header->offset_bytes);
	if (!cursor.at || header_length > (uint64_t)(cursor.end - cursor.at))
		return true;
	header->code = (struct cursor){ cursor.at + header_length, cursor.end };
	cursor.end = header->code.at;
	header->least_length = (unsigned)take_number(&cursor, 1);
	if (header->version >= 4)
		(void)take_number(&cursor, 1); /* operations of an instruction: always 1 here */
	(void)take_number(&cursor, 1);	       /* initial flag: a row begins a statement */
	header->line_base = (int8_t)take_number(&cursor, 1);
	header->line_range = (unsigned)take_number(&cursor, 1);
	header->opcode_base = (unsigned)take_number(&cursor, 1);
	for (unsigned i = 1; i < header->opcode_base; i++)
		header->operands[i] = (uint8_t)take_number(&cursor, 1);
	header->names = cursor;
	if (!cursor.at || header->line_range == 0 || header->opcode_base == 0)
		header->code.at = NULL;
	return true;
}

/* A row of the line table: code from its address to the next row's address belongs to its source
 * line. */
struct row {
	uint64_t address, file;
	int64_t line;
	bool ends; /* this row of the line table ends a sequence of rows with ascending addresses */
};

/* Executes the instructions of a line table up to its next row. Returns false at the end of the
 * line table. */
static bool next_row(struct program_header *header, struct row *row)
{
	static const struct row first = { .file = 1, .line = 1 };
	struct cursor *code = &header->code;

	if (row->ends)
		*row = first;
	while (code->at && code->at < code->end) {
		unsigned opcode = *code->at++;
		struct cursor extended;
		uint64_t length;

		if (opcode >= header->opcode_base) {
			opcode -= header->opcode_base;
			row->address +=
				(uint64_t)(opcode / header->line_range) * header->least_length;
			row->line += header->line_base + (int)(opcode % header->line_range);
			return true;
		}
		switch (opcode) {
		case 1: return true; /* copy */
		case 2: row->address += take_leb(code, false) * header->least_length; break;
		case 3: row->line = (int64_t)((uint64_t)row->line + take_leb(code, true)); break;
		case 4: row->file = take_leb(code, false); break;
		case 8: /* const_add_pc */
			row->address +=
				(uint64_t)((255 - header->opcode_base) / header->line_range) *
				header->least_length;
			break;
		case 9: row->address += take_number(code, 2); break;
		case 0:
			length = take_leb(code, false);
			extended.at = take(code, length);
			if (!extended.at || length == 0)
				return false;
			extended.end = extended.at + length;
			opcode = (unsigned)take_number(&extended, 1);
			if (opcode == 1) {
				row->ends = true;
				return true;
			}
			if (opcode == 2)
				row->address = take_number(
					&extended, (size_t)(extended.end - extended.at));
			break;
		default:
			for (int i = 0; i < header->operands[opcode]; i++)
				(void)take_leb(code, false);
		}
	}
	return false;
}

static bool open_tables(struct elf *elf, struct tables *tables)
{
	struct elf_section *table = elf_find(elf, ".debug_line");
	struct elf_section *strings = elf_find(elf, ".debug_str"),
			   *line_strings = elf_find(elf, ".debug_line_str");

	*tables = (struct tables){ .strings = NULL };
	if (!table || !elf_read(elf, table))
		return false;
	tables->all = (struct cursor){ table->bytes, table->bytes + table->length };
	if (line_strings && elf_read(elf, line_strings)) {
		tables->line_strings = (const char *)line_strings->bytes;
		tables->line_string_bytes = line_strings->length;
	} else if (strings && elf_read(elf, strings)) {
		tables->strings = (const char *)strings->bytes;
		tables->string_bytes = strings->length;
	}
	return true;
}

/* Returns the index of the first address in the list that is not below `address`. */
static size_t first_from(const uint64_t *addresses, size_t count, uint64_t address)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = (low + count) / 2;

		if (addresses[middle] < address)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Sets the source line of an address to that of a row of the line table, unless the line is known
 * already. */
static void set_line(const struct tables *tables, struct program_header *header,
	const struct row *row, struct source_line *line)
{
	const char *file;

	if (line->file || row->line < 1 || row->line > INT_MAX)
		return;
	file = file_name(tables, header, row->file);
	if (file)
		*line = (struct source_line){ file, (int)row->line, is_library(header, row->file) };
}

/* Replaces the line of a library at which a function begins by the line of this row, unless that is
 * a line of a library, too. */
static void leave_library(const struct tables *tables, struct program_header *header,
	const struct row *row, struct source_line *line)
{
	struct source_line own = { 0 };

	if (!line->library || row->ends)
		return;
	set_line(tables, header, row, &own);
	if (own.file && !own.library)
		*line = own;
}

bool lines_of(struct elf *elf, const uint64_t *addresses, size_t count, bool begins,
	struct source_line *found)
{
	struct program_header header = { 0 };
	struct tables tables;
	/* In a damaged file, many sequences may cover the same addresses. */
	size_t work = 16 * count + 1000000;

	for (size_t i = 0; i < count; i++)
		found[i] = (struct source_line){ 0 };
	if (!open_tables(elf, &tables))
		return false;
	while (next_table(&tables, &header)) {
		struct row row = { .ends = true }, before = { .ends = true };
		size_t next = 0, begun = count;

		for (; next_row(&header, &row); before = row) {
			if (before.ends || row.address < before.address) {
				next = first_from(addresses, count, row.address);
				begun = count;
			}
			for (; !before.ends && next < count && addresses[next] < row.address &&
				work > 0;
				next++, work--)
				set_line(&tables, &header, &before, &found[next]);
			if (!begins)
				continue;
			if (next < count && addresses[next] <= row.address)
				begun = next;
			if (begun < count && !row.ends && addresses[begun] == row.address)
				set_line(&tables, &header, &row, &found[begun]);
			if (begun < count)
				leave_library(&tables, &header, &row, &found[begun]);
		}
	}
	forget_names(&header);
	return true;
}

static int by_address(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

size_t lines_addresses(
	struct elf *elf, const char *file, int line, uint64_t *addresses, size_t most)
{
	struct program_header header = { 0 };
	struct tables tables;
	size_t count = 0, kept = 0;

	if (!open_tables(elf, &tables))
		return 0;
	while (next_table(&tables, &header)) {
		struct row row = { .ends = true };

		while (next_row(&header, &row))
			if (row.line == line && !row.ends && count < most &&
				file_matches(&tables, &header, row.file, file))
				addresses[count++] = row.address;
	}
	forget_names(&header);
	qsort(addresses, count, sizeof(*addresses), by_address);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || addresses[kept - 1] != addresses[i])
			addresses[kept++] = addresses[i];
	return kept;
}

int lines_nearest(struct elf *elf, const char *file, int line)
{
	struct program_header header = { 0 };
	struct tables tables;
	int64_t nearest = 0;

	if (!open_tables(elf, &tables))
		return 0;
	while (next_table(&tables, &header)) {
		struct row row = { .ends = true };
		uint64_t known = UINT64_MAX; /* number of the file of the last row */
		bool fits = false;

		while (next_row(&header, &row)) {
			int64_t far = row.line < line ? line - row.line : row.line - line,
				best = nearest < line ? line - nearest : nearest - line;

			if (row.ends || row.line < 1 || row.line > INT_MAX)
				continue;
			if (row.file != known)
				fits = file_matches(&tables, &header, row.file, file);
			known = row.file;
			if (fits &&
				(nearest == 0 || far < best || (far == best && row.line > nearest)))
				nearest = row.line;
		}
	}
	forget_names(&header);
	return (int)nearest;
}
