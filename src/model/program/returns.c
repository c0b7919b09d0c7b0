/* Which functions never return. Execution never reaches the code after a call of a function that
 * never returns. An edge from a call that never returns to the code after it would make false
 * loops. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/flow.h"
#include "model/program/program_inside.h"

/* The values of program->returns: whether a function returns. */
enum { UNKNOWN, IN_PROGRESS, RETURNS, NEVER };

/* Nested calls are followed to this depth; deeper calls are assumed to return. */
enum { DEEPEST = 6 };

/* Functions of the C and C++ libraries that never return. Source: their documentation. */
static const char *const never[] = { "abort", "exit", "_exit", "_Exit", "quick_exit",
	"__stack_chk_fail", "__fortify_fail", "__chk_fail", "__assert_fail", "__assert_perror_fail",
	"__assert", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__longjmp",
	"pthread_exit", "thrd_exit", "err", "errx", "verr", "verrx", "__cxa_throw", "__cxa_rethrow",
	"__cxa_bad_cast", "__cxa_bad_typeid", "__cxa_throw_bad_array_new_length",
	"__cxa_call_unexpected", "__cxa_pure_virtual", "_Unwind_Resume", "_ZSt9terminatev",
	"__clang_call_terminate", "__libc_fatal" };

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (strcmp(name, never[i]) == 0)
			return true;
	/* std::__throw_length_error(char const*) and its kin */
	return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_");
}

/* The bytes of an entry of the table of jumps (.plt), and of the code before its first entry. */
#if defined(__x86_64__)
enum { STUB = 16, STUBS_BEGIN = 16 };
#else
enum { STUB = 16, STUBS_BEGIN = 32 };
#endif

/* Finds the symbol of the function to which the linker's table of jumps leads from an address.
 * Returns false if the address is not in the linker's table of jumps (.plt). Entry i of the
 * linker's table of jumps (.plt) belongs to relocation i.
 */
static bool stub_symbol(
	struct program *program, uint64_t address, Elf64_Sym *symbol, const char **name)
{
	struct elf *elf = &program->elf;
	struct elf_section *table = elf_section_at(elf, address),
			   *list = elf_find(elf, ".rela.plt"), *symbols, *names;
	bool second = table && strcmp(table->name, ".plt.sec") == 0;
	uint64_t offset = table ? address - table->address : 0, begin = second ? 0 : STUBS_BEGIN,
		 index;
	Elf64_Rela entry;

	if (!table || !list || (!second && strcmp(table->name, ".plt") != 0) || offset < begin ||
		!elf_read(elf, list) || list->link >= (uint32_t)elf->count)
		return false;
	index = (offset - begin) / STUB;
	symbols = &elf->section[list->link];
	if (index >= list->length / sizeof(entry) || !elf_read(elf, symbols) ||
		symbols->link >= (uint32_t)elf->count)
		return false;
	memcpy(&entry, list->bytes + index * sizeof(entry), sizeof(entry));
	index = ELF64_R_SYM(entry.r_info);
	names = &elf->section[symbols->link];
	if (index >= symbols->length / sizeof(*symbol) || !elf_read(elf, names))
		return false;
	memcpy(symbol, symbols->bytes + index * sizeof(*symbol), sizeof(*symbol));
	if (symbol->st_name >= names->length)
		return false;
	*name = (const char *)names->bytes + symbol->st_name;
	return true;
}

static bool may_return(struct program *program, uint64_t target, int depth);

/* Whether execution can reach a return, or leaves the function by a jump. The offsets of code from
 * which execution must still be followed are on a stack. */
static bool reaches_return(
	struct program *program, const struct program_function *function, int depth)
{
	size_t left, count = 1, room = 64;
	const uint8_t *code = program_bytes(program, function->address, &left);
	size_t size = left < function->size ? left : (size_t)function->size;
	uint32_t *places;
	uint8_t *seen;
	bool found = false;

	if (!code || size > INT32_MAX)
		return true;
	places = memory_new(room, sizeof(*places));
	seen = memory_new(size / 8 + 1, 1);
	while (count > 0 && !found) {
		uint32_t place = places[--count];

		while (!found && !(seen[place / 8] >> place % 8 & 1)) {
			struct flow flow =
				flow_read(code + place, size - place, function->address + place);
			uint64_t next = (uint64_t)place + flow.length,
				 to = flow.target - function->address;
			bool jumps = flow.kind == FLOW_BRANCH || flow.kind == FLOW_JUMP;

			seen[place / 8] |= (uint8_t)(1 << place % 8);
			found = flow.kind == FLOW_RETURN || flow.kind == FLOW_INDIRECT ||
				(jumps && to >= size);
			if (jumps && to < size && !found) {
				if (count == room) {
					room *= 2;
					places = memory_resize(places, room, sizeof(*places));
				}
				places[count++] = (uint32_t)to;
			}
			if (!flow.length || flow_ends(&flow) || next >= size ||
				(flow.kind == FLOW_CALL && flow.target &&
					!may_return(program, flow.target, depth + 1)))
				break;
			place = (uint32_t)next;
		}
	}
	free(places);
	free(seen);
	return found;
}

static bool may_return(struct program *program, uint64_t target, int depth)
{
	const struct program_function *function = program_function_at(program, target);
	const char *name;
	Elf64_Sym symbol;
	uint8_t *known;

	if (stub_symbol(program, target, &symbol, &name)) {
		if (is_known(name))
			return false;
		function = symbol.st_shndx == SHN_UNDEF
				   ? NULL
				   : program_function_at(program, symbol.st_value);
		target = symbol.st_value;
	}
	if (!function || function->address != target || depth > DEEPEST)
		return true;
	if (!program->returns)
		program->returns = memory_new(program->function_count, 1);
	known = &program->returns[function - program->function];
	if (*known == UNKNOWN) {
		*known = IN_PROGRESS;
		*known = (!function->symbol || !is_known(function->symbol)) &&
					 reaches_return(program, function, depth)
				 ? RETURNS
				 : NEVER;
	}
	return *known != NEVER;
}

bool program_call_returns(struct program *program, uint64_t target)
{
	return may_return(program, target, 0);
}
