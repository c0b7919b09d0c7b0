/* A few lines of x86 assembly → instructions, as decode.h would make of their bytes: for tests of
 * what needs instructions and must run on every machine. Knows just what such tests use. */
#pragma once

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/loop.h"

struct operand {
	char kind; /* r v m i t */
	int reg, bits;
	int64_t value;
	struct insn_memory memory;
	bool based, indexed, scaled, displaced;
};

static inline int assembly_register(const char *name, int *bits)
{
	static const char *const old[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };
	size_t length = strlen(name);

	if (length > 3 && strchr("xyz", name[0]) && !strncmp(name + 1, "mm", 2)) {
		*bits = name[0] == 'x' ? 128 : name[0] == 'y' ? 256 : 512;
		return REG_VECTOR + atoi(name + 3);
	}
	for (int i = 0; i < 8; i++)
		if (length == 3 && !strcmp(name + 1, old[i])) {
			*bits = name[0] == 'r' ? 64 : 32;
			return REG_GENERAL + i;
		}
	if (length == 2 && name[1] == 'l') {
		*bits = 8;
		return REG_GENERAL + (int)strcspn("acdb", (char[]){ name[0], '\0' });
	}
	if (name[0] == 'r' && isdigit((unsigned char)name[1])) {
		*bits = name[length - 1] == 'd' ? 32 : 64;
		return REG_GENERAL + atoi(name + 1);
	}
	return REG_NONE;
}

static inline void assembly_memory(char *inside, struct operand *operand)
{
	static char sign;

	operand->kind = 'm';
	operand->memory.accesses = 1;
	operand->memory.scale = 1;
	sign = '+';
	while (*inside) {
		size_t length = strcspn(inside, "+-");
		char part[32] = "", *star, next = inside[length];
		int bits, reg;

		memcpy(part, inside, length);
		if ((star = strchr(part, '*')))
			*star = '\0';
		reg = assembly_register(part, &bits);
		if (reg && (star || operand->memory.base)) {
			operand->memory.index = (uint8_t)reg;
			operand->memory.vector_index = reg >= REG_VECTOR;
			operand->memory.scale = star ? (uint8_t)atoi(star + 1) : 1;
			operand->indexed = true;
			operand->scaled = operand->memory.scale > 1;
		} else if (reg) {
			operand->memory.base = (uint8_t)reg;
			operand->based = true;
		} else {
			operand->memory.disp += strtol(part, NULL, 0) * (sign == '-' ? -1 : 1);
			operand->displaced = true;
		}
		sign = next;
		inside += length + (next != '\0');
	}
}

/* "dword [rdi+rcx*4]", "rax", "17", "top". */
static inline struct operand assembly_operand(char *text)
{
	static const struct {
		const char *word;
		int bytes;
	} sizes[] = { { "byte", 1 }, { "word", 2 }, { "dword", 4 }, { "qword", 8 },
		{ "xmmword", 16 }, { "ymmword", 32 }, { "zmmword", 64 } };
	struct operand operand = { 0 };
	char *bracket = strchr(text, '[');

	if (bracket) {
		*strchr(bracket, ']') = '\0';
		assembly_memory(bracket + 1, &operand);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
			if (!strncmp(text, sizes[i].word, strlen(sizes[i].word)))
				operand.memory.size = (uint16_t)sizes[i].bytes;
		return operand;
	}
	operand.reg = assembly_register(text, &operand.bits);
	if (operand.reg)
		operand.kind = operand.reg >= REG_VECTOR ? 'v' : 'r';
	else if (isdigit((unsigned char)text[0]) || text[0] == '-')
		operand.kind = 'i', operand.value = strtol(text, NULL, 0);
	else
		operand.kind = 't';
	return operand;
}

static inline bool assembly_among(const char *name, const char *list)
{
	char wanted[32];

	snprintf(wanted, sizeof(wanted), " %s ", name);
	return strstr(list, wanted) != NULL;
}

static inline void assembly_read(struct insn *insn, int reg)
{
	insn->reads[insn->read_count++] = (uint8_t)reg;
}

static inline void assembly_write(struct insn *insn, int reg)
{
	insn->writes[insn->write_count++] = (uint8_t)reg;
}

static inline void assembly_flags(struct insn *insn)
{
	const char *name = insn->mnemonic;

	if (assembly_among(name, " adc sbb jb jae cmovb "))
		assembly_read(insn, REG_CARRY);
	if (!strcmp(name, "seta"))
		assembly_read(insn, REG_CARRY);
	if ((insn->flow == FLOW_BRANCH || !strncmp(name, "cmov", 4) || !strncmp(name, "set", 3)) &&
		!assembly_among(name, " jb jae cmovb "))
		assembly_read(insn, REG_FLAGS);
	if (assembly_among(name,
		    " add sub and or xor cmp test imul shl shr sar adc sbb neg popcnt inc dec ")) {
		assembly_write(insn, REG_FLAGS);
		if (!assembly_among(name, " inc dec "))
			assembly_write(insn, REG_CARRY);
	}
}

/* mul reads rax and writes rax and rdx; div reads both and writes both; mulx reads rdx and writes
 * its first two operands. */
static inline bool assembly_multiplies(struct insn *insn, const struct operand *operand, int count)
{
	enum { RAX = REG_GENERAL, RDX = REG_GENERAL + 2 };
	bool copy = !strcmp(insn->mnemonic, "mulx");

	if (!copy && strcmp(insn->mnemonic, "mul") && (strcmp(insn->mnemonic, "div") || count > 1))
		return false;
	assembly_read(insn, copy ? RDX : RAX);
	if (!strcmp(insn->mnemonic, "div"))
		assembly_read(insn, RDX);
	assembly_read(insn, operand[count - 1].reg);
	assembly_write(insn, copy ? operand[0].reg : RAX);
	assembly_write(insn, copy ? operand[1].reg : RDX);
	return true;
}

/* What of the explicit operands is read and written. */
static inline void assembly_operands(struct insn *insn, const struct operand *operand, int count)
{
	const char *name = insn->mnemonic;
	bool compares = assembly_among(name, " cmp test push ") || insn->flow != FLOW_NONE;
	bool fresh = assembly_among(name, " mov movzx movsx movsxd lea pop popcnt vmovq vmovd "
					  "vmovsd vmovapd vmovupd vmovups "
					  "vbroadcastsd movaps movsd sqrtsd cvtsi2sd ") ||
		     (count == 3 && strncmp(name, "vfmadd", 6));

	if (assembly_multiplies(insn, operand, count))
		return;
	for (int i = 0; i < count; i++) {
		bool wrote = (i == 0 && !compares) || !strcmp(name, "xchg"),
		     read = i > 0 || !wrote || !fresh;

		if (operand[i].kind == 'm') {
			struct insn_memory *memory = &insn->memory[insn->memory_count++];

			*memory = operand[i].memory;
			insn->address_only = !strcmp(name, "lea");
			memory->load = read && !insn->address_only;
			memory->store = wrote;
			if (!memory->size)
				memory->size = insn->vector ? insn->width / 8
							    : (insn->width ? insn->width : 64) / 8;
		} else if (operand[i].reg) {
			if (read)
				assembly_read(insn, operand[i].reg);
			if (wrote)
				assembly_write(insn, operand[i].reg);
		}
	}
	if (!strncmp(name, "set", 3) && operand[0].reg) {
		assembly_read(insn, operand[0].reg);
		insn->kept = (uint8_t)operand[0].reg;
	}
	if (!strncmp(name, "vfmadd231", 9))
		insn->accumulator = (uint8_t)operand[0].reg;
	if (!strcmp(name, "mov") || !strcmp(name, "movaps") || !strcmp(name, "vmovapd"))
		insn->move = count == 2 && operand[0].kind == operand[1].kind && operand[0].reg;
	if (count >= 2 && operand[count - 1].reg == operand[count - 2].reg &&
		operand[count - 1].reg && assembly_among(name, " xor xorps vpxor vxorpd ")) {
		insn->zeroing = true;
		insn->read_count = 0;
	}
	insn->load_extends = insn->memory_count && assembly_among(name, " movsx movsxd ");
}

/* The stack's operand of push and pop, which stands first. */
static inline void assembly_stack(struct insn *insn)
{
	bool push = !strcmp(insn->mnemonic, "push");

	if (!push && strcmp(insn->mnemonic, "pop"))
		return;
	insn->memory[0] = (struct insn_memory){ .load = !push,
		.store = push,
		.base = REG_GENERAL + 4,
		.scale = 1,
		.accesses = 1,
		.size = 8,
		.disp = push ? -8 : 0 };
	insn->memory_count = 1;
	insn->writeback = true;
	insn->step = push ? -8 : 8;
}

static inline struct insn assembly_insn(const char *line)
{
	struct insn insn = { .known = true, .length = 4 };
	struct operand operand[4];
	char text[96], *rest, *part, *kept;
	int count = 0;

	snprintf(insn.text, sizeof(insn.text), "%s", line);
	snprintf(text, sizeof(text), "%s", line);
	rest = strchr(text, ' ');
	if (rest)
		*rest++ = '\0';
	snprintf(insn.mnemonic, sizeof(insn.mnemonic), "%.19s", text);
	if (text[0] == 'j') {
		insn.flow = strcmp(text, "jmp") ? FLOW_BRANCH : FLOW_JUMP;
		if (insn.flow == FLOW_BRANCH)
			snprintf(insn.condition, sizeof(insn.condition), "%.3s", text + 1);
	}
	if (assembly_among(text, " call ret "))
		insn.flow = text[0] == 'c' ? FLOW_CALL : FLOW_RETURN;
	for (part = rest ? strtok_r(rest, ",", &kept) : NULL; part && count < 4;
		part = strtok_r(NULL, ",", &kept)) {
		while (*part == ' ')
			part++;
		operand[count] = assembly_operand(part);
		insn.vector |= operand[count].kind == 'v';
		count++;
	}
	for (int i = 0; i < count; i++) {
		const struct operand *o = &operand[i];
		size_t end = strlen(insn.shape);

		if (o->bits > insn.width && (o->kind == 'v') == insn.vector)
			insn.width = (uint16_t)o->bits;
		if (o->kind == 'i') {
			insn.immediate = true;
			insn.value = o->value;
		}
		if (o->kind == 'm' && !strcmp(insn.mnemonic, "lea"))
			snprintf(insn.shape + end, sizeof(insn.shape) - end, "%s[%s%s%s]",
				i ? "," : "", o->based ? "b" : "",
				o->scaled    ? "s"
				: o->indexed ? "i"
					     : "",
				o->displaced ? "d" : "");
		else
			snprintf(insn.shape + end, sizeof(insn.shape) - end, "%s%c", i ? "," : "",
				o->kind);
	}
	assembly_operands(&insn, operand, count);
	assembly_flags(&insn);
	assembly_stack(&insn);
	return insn;
}

/* Lines parted by ';' → a loop of one turn, whose last instruction is its closing branch. loop is
 * initialised here, to be freed with loop_free(). */
static inline void assembly_loop(const char *source, struct loop *loop)
{
	char text[4096], *kept;

	loop_init(loop, LOOP_INSNS, LOOP_PATH);
	snprintf(text, sizeof(text), "%s", source);
	for (char *line = strtok_r(text, ";", &kept); line; line = strtok_r(NULL, ";", &kept)) {
		while (*line == ' ')
			line++;
		if (!*line)
			continue;
		loop->insn[loop->insn_count] = assembly_insn(line);
		loop->insn[loop->insn_count].address = 0x1000 + 4 * (uint64_t)loop->insn_count;
		loop->path[loop->path_count++] =
			(struct loop_step){ .insn = (uint16_t)loop->insn_count++ };
	}
	if (loop->insn_count && loop->insn[loop->insn_count - 1].flow == FLOW_BRANCH) {
		loop->insn[loop->insn_count - 1].target = loop->insn[0].address;
		loop->path[loop->path_count - 1].taken = true;
	}
}

/* Its path as several turns, stepped: register_at gives the address of a step's operand. */
static inline void assembly_step(
	struct loop *loop, int turns, uint64_t (*address)(int turn, int insn, int operand))
{
	loop->path_count = 0;
	for (int turn = 0; turn < turns; turn++)
		for (int i = 0; i < loop->insn_count; i++) {
			struct loop_step *step = &loop->path[loop->path_count++];

			*step = (struct loop_step){ .insn = (uint16_t)i,
				.taken = loop->insn[i].flow != FLOW_NONE };
			for (int k = 0; k < loop->insn[i].memory_count; k++)
				step->address[k] = address(turn, i, k);
		}
	loop->turns = turns;
	loop->elements = turns;
	loop->stepped = true;
}
