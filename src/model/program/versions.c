/* The versions of a function that a program chooses for its processor when it starts. */
#include <elf.h>
#include <string.h>

#include "model/code/decode.h"
#include "model/program/program_inside.h"

/* Bytes of the resolver that are read at most. Those of glibc 2.36 and 2.41 have under 600. */
enum { RESOLVER_MOST = 4096 };

/* Returns the code address that an instruction puts into a register; 0: none. `page` has, for each
 * register, the page that AArch64's adrp put into it. */
static uint64_t address_made(const struct insn *insn, uint64_t page[REG_COUNT])
{
	uint64_t base = insn->read_count == 1 ? page[insn->reads[0]] : 0;

	for (int i = 0; i < insn->write_count; i++)
		page[insn->writes[i]] = 0;
	if (insn->address_only && insn->memory_count && insn->memory[0].relative)
		return (uint64_t)insn->memory[0].disp;
	if (strcmp(insn->mnemonic, "adr") == 0)
		return (uint64_t)insn->value;
	if (strcmp(insn->mnemonic, "adrp") == 0 && insn->write_count == 1)
		page[insn->writes[0]] = (uint64_t)insn->value;
	if (strcmp(insn->mnemonic, "add") == 0 && insn->immediate && base)
		return base + (uint64_t)insn->value;
	return 0;
}

size_t program_versions(struct program *program, const struct program_function *resolver,
	uint64_t *address, size_t most)
{
	uint64_t page[REG_COUNT] = { 0 };
	size_t left, count = 0;
	const uint8_t *code = elf_at(&program->elf, resolver->address, &left);

	if (!code)
		return 0;
	if (left > resolver->size)
		left = (size_t)resolver->size;
	if (left > RESOLVER_MOST)
		left = RESOLVER_MOST;
	for (uint64_t at = resolver->address; left > 0;) {
		struct insn insn;
		uint64_t made;
		size_t known = 0;

		decode_insn(code, left, at, &insn);
		made = address_made(&insn, page);
		while (known < count && address[known] != made)
			known++;
		if (made && known == count && count < most && program_function_at(program, made))
			address[count++] = made;
		if (insn.length == 0 || insn.length > left)
			break;
		at += insn.length;
		code += insn.length;
		left -= insn.length;
	}
	return count;
}
