/* Decodes x86-64 instructions with the library Zydis, and corrects its output where the hardware
 * differs. tests/unit/test_decode.c has a row for each correction. */
#include "model/code/decode.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* The state of decode_insn() while it fills in one instruction. */
struct source {
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand all[ZYDIS_MAX_OPERAND_COUNT];
	const ZydisDecodedOperand
		*visible[ZYDIS_MAX_OPERAND_COUNT]; /* operands in the order of the instruction's
						      text, without the AVX-512 mask register in
						      braces */
	int visible_count;
	bool no_reads; /* the instruction is an idiom whose result does not depend on its register
			  operands */
};

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static ZydisDecoder decoder;
static ZydisFormatter plain,
	sized; /* `sized` always prints the size of a memory operand ("dword ptr"); `plain` prints
		  the size only if no register shows it */

static void prepare_formatter(ZydisFormatter *formatter, bool size)
{
	const struct {
		ZydisFormatterProperty property;
		ZyanUPointer value;
	} rows[] = {
		{ ZYDIS_FORMATTER_PROP_FORCE_SIZE, size },
		{ ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE },
		{ ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE },
		{ ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED },
	};

	ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ZydisFormatterSetProperty(formatter, rows[i].property, rows[i].value);
}

static void prepare(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	prepare_formatter(&plain, false);
	prepare_formatter(&sized, true);
}

/* ---- Registers */

/* is_general() and is_vector() rely on Zydis: the register classes that they compare have
 * consecutive numbers. */
static bool is_general(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	return class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64;
}

static bool is_vector(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	return class >= ZYDIS_REGCLASS_XMM && class <= ZYDIS_REGCLASS_ZMM;
}

static bool is_mask(ZydisRegister reg)
{
	return ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_MASK;
}

static uint8_t number(ZydisRegister reg)
{
	int first = is_general(reg) ? REG_GENERAL : is_vector(reg) ? REG_VECTOR : REG_MASK;

	if (is_general(reg))
		reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	else if (!is_vector(reg) && !is_mask(reg))
		return REG_NONE;
	return (uint8_t)(first + ZydisRegisterGetId(reg));
}

/* The operand's register; ZYDIS_REGISTER_NONE: the operand is not a register. */
static ZydisRegister register_of(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? operand->reg.value
							    : ZYDIS_REGISTER_NONE;
}

static bool is_hidden(const ZydisDecodedOperand *operand)
{
	return operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
}

static bool is_written(const ZydisDecodedOperand *operand)
{
	return operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

/* ---- Mnemonics and conditions */

/* Returns the spelling of a condition in compilers and manuals, because Zydis spells some
 * conditions differently. */
static const char *condition(const char *zydis)
{
	static const char *const spelling[][2] = { { "z", "e" }, { "nz", "ne" }, { "nb", "ae" },
		{ "nbe", "a" }, { "nl", "ge" }, { "nle", "g" } };

	for (size_t i = 0; i < sizeof(spelling) / sizeof(spelling[0]); i++)
		if (strcmp(zydis, spelling[i][0]) == 0)
			return spelling[i][1];
	return zydis;
}

/* The number of letters before the condition in a mnemonic: 1 in "jnz", 4 in "cmovnz". 0: the
 * mnemonic has no condition. */
static size_t before_condition(const struct source *source, const char *name)
{
	switch (source->decoded.meta.category) {
	case ZYDIS_CATEGORY_CMOV: return 4;
	case ZYDIS_CATEGORY_SETCC: return 3;
	case ZYDIS_CATEGORY_COND_BR: return name[0] == 'j' && !strstr(name, "cxz") ? 1 : 0;
	default: return 0;
	}
}

static void fill_names(const struct source *source, struct insn *insn)
{
	const char *name = ZydisMnemonicGetString(source->decoded.mnemonic);
	size_t kept = before_condition(source, name);
	char text[160], *begin, *one;
	bool sizes = source->visible_count > 0;

	for (int i = 0; i < source->visible_count; i++)
		sizes &= register_of(source->visible[i]) == ZYDIS_REGISTER_NONE;
	snprintf(insn->mnemonic, sizeof(insn->mnemonic), "%s%.*s%s",
		source->decoded.attributes & ZYDIS_ATTRIB_HAS_LOCK  ? "lock "
		: source->decoded.attributes & ZYDIS_ATTRIB_HAS_REP ? "rep "
								    : "",
		kept ? (int)kept : 19, name, kept ? condition(name + kept) : "");
	if (kept == 1)
		snprintf(insn->condition, sizeof(insn->condition), "%s", insn->mnemonic + 1);
	if (source->decoded.mnemonic == ZYDIS_MNEMONIC_NOP ||
		!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(sizes ? &sized : &plain,
			&source->decoded, source->all, source->decoded.operand_count_visible, text,
			sizeof(text), insn->address, NULL))) {
		snprintf(insn->text, sizeof(insn->text), "%s", insn->mnemonic);
		return;
	}
	begin = kept ? strstr(text, name) : NULL;
	if (begin)
		snprintf(insn->text, sizeof(insn->text), "%.*s%s%s", (int)(begin - text), text,
			insn->mnemonic, begin + strlen(name));
	else
		snprintf(insn->text, sizeof(insn->text), "%.*s", (int)sizeof(insn->text) - 1, text);
	/* The text shows an index with scale 1 without "*1". */
	for (one = insn->text; (one = strstr(one, "*1"));)
		memmove(one, one + 2, strlen(one + 2) + 1);
}

/* Whether an instruction has two operands, and both are (parts of) the same register. */
static bool copies_itself(const struct source *source)
{
	uint8_t to =
		source->visible_count == 2 ? number(register_of(source->visible[0])) : REG_NONE;

	return to != REG_NONE && to == number(register_of(source->visible[1]));
}

static bool is_high_byte(ZydisRegister reg)
{
	return reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH;
}

/* The letter of a general register that an instruction writes: an operation on a high byte, and a
 * copy to a part of a register, combine their result with the rest of the register. */
static const char *written_letter(
	const struct source *source, const ZydisDecodedOperand *operand, ZydisRegister reg)
{
	return is_high_byte(reg)						      ? "h"
	       : operand->size < 32 && source->decoded.mnemonic == ZYDIS_MNEMONIC_MOV ? "b"
										      : "r";
}

/* The letter of the source of a copy: cores treat words and high bytes differently, and copies of
 * a register to itself. */
static const char *copy_letter(const struct source *source, ZydisRegister reg)
{
	bool extends = source->decoded.mnemonic == ZYDIS_MNEMONIC_MOVZX;

	return extends && is_high_byte(reg)				       ? "h"
	       : copies_itself(source)					       ? "="
	       : extends && ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_GPR16 ? "w"
									       : "r";
}

static void add_shape(
	const struct source *source, const ZydisDecodedOperand *operand, struct insn *insn)
{
	ZydisRegister reg = register_of(operand);
	const char *letter = "o";
	char address[8];

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		letter = operand->imm.is_relative ? "t" : "i";
	} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		snprintf(address, sizeof(address), "[%s%s%s]", number(operand->mem.base) ? "b" : "",
			operand->mem.index == ZYDIS_REGISTER_NONE ? ""
			: operand->mem.scale > 1		  ? "s"
								  : "i",
			operand->mem.disp.has_displacement ? "d" : "");
		letter = source->decoded.mnemonic == ZYDIS_MNEMONIC_LEA ? address : "m";
	} else if (reg == ZYDIS_REGISTER_CL &&
		   operand->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT) {
		letter = "c";
	} else if (number(reg) != REG_NONE) {
		bool copied = operand == source->visible[1] &&
			      (source->decoded.mnemonic == ZYDIS_MNEMONIC_MOV ||
				      source->decoded.mnemonic == ZYDIS_MNEMONIC_MOVZX);

		letter = is_vector(reg)	       ? "v"
			 : !is_general(reg)    ? "k"
			 : copied	       ? copy_letter(source, reg)
			 : is_written(operand) ? written_letter(source, operand, reg)
					       : "r";
	}
	decode_add_shape(insn, letter);
}

/* ---- Idioms */

static bool same_registers(const struct source *source)
{
	int last = source->visible_count - 1;

	return (last == 1 || last == 2) &&
	       register_of(source->visible[last]) != ZYDIS_REGISTER_NONE &&
	       register_of(source->visible[last]) == register_of(source->visible[last - 1]);
}

/* Finds idioms: instructions that do not wait for their operands. Zeroing idioms make 0 (Intel
 * Optimization Reference Manual, "Dependency-Breaking Idioms"). A comparison of a vector register
 * with itself makes all ones. sbb of a register with itself depends only on the carry. */
static void find_idioms(struct source *source, struct insn *insn)
{
	const char *name = insn->mnemonic;
	ZydisRegister reg;

	if (insn->masked || !same_registers(source))
		return;
	reg = register_of(source->visible[0]);
	if (is_general(reg) && source->visible[0]->size >= 32 && source->visible_count == 2) {
		insn->zeroing = decode_is(name, "xor sub");
		source->no_reads = insn->zeroing || decode_is(name, "sbb");
	} else if (is_vector(reg)) {
		name += name[0] == 'v';
		insn->zeroing = decode_is(name, "pxor* xorp* psub* pcmpgt*");
		source->no_reads = insn->zeroing || decode_is(name, "pcmpeq*");
	}
}

static bool is_move(const struct source *source, const struct insn *insn)
{
	const char *name = insn->mnemonic;
	ZydisRegister to, from;

	if (source->visible_count != 2 || insn->masked)
		return false;
	to = register_of(source->visible[0]);
	from = register_of(source->visible[1]);
	/* No core eliminates a copy of a register to itself. */
	if (to == from)
		return false;
	if (is_general(to))
		return is_general(from) && source->visible[0]->size >= 32 && decode_is(name, "mov");
	return is_vector(to) && is_vector(from) &&
	       decode_is(name + (name[0] == 'v'), "movap* movup* movdqa* movdqu*");
}

/* The addend of a fused multiply-add is the second operand of vfmadd132, the third of vfmadd213,
 * and the first of vfmadd231. Dot products and integer multiply-adds add to the first operand. */
static uint8_t accumulator(const struct source *source, const struct insn *insn)
{
	const char *name = insn->mnemonic;
	int addend = -1;

	if (decode_is(name, "vfm* vfnm*") && strpbrk(name, "123"))
		addend = strstr(name, "132") ? 1 : strstr(name, "213") ? 2 : 0;
	else if (decode_is(name, "vpdp* vdpbf16* vpmadd52*"))
		addend = 0;
	return addend < 0 || addend >= source->visible_count
		       ? REG_NONE
		       : number(register_of(source->visible[addend]));
}

/* Some cores wait for the target of a compression although its zeroing mask replaces the whole
 * register. setcc keeps the rest of its register. */
static uint8_t kept(const struct source *source, const struct insn *insn)
{
	return insn->write_count > 0 && source->visible_count > 0 &&
			       decode_is(insn->mnemonic,
				       "vpgather* vgather* vpcompress* vcompress* vpexpand* "
				       "vexpand* set*")
		       ? number(register_of(source->visible[0]))
		       : REG_NONE;
}

/* ---- Operands */

static void fill_register(
	const struct source *source, const ZydisDecodedOperand *operand, struct insn *insn)
{
	uint8_t reg = number(operand->reg.value);
	bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	/* If the source of bsf or bsr is 0, the target keeps its value (AMD APM volume 3; Intel
	 * SDM). */
	bool whole = (!is_general(operand->reg.value) || operand->size >= 32) &&
		     !decode_is(insn->mnemonic, "bsf bsr");

	if (reg == REG_NONE || (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK && !insn->masked))
		return;
	/* push, pop, call and ret change rsp; the field `writeback` records this change. */
	if (insn->writeback && is_hidden(operand) && reg == number(ZYDIS_REGISTER_RSP))
		return;
	insn->vector |= is_vector(operand->reg.value);
	/* Legacy SSE scalar instructions (sqrtsd, movsd x,x, movlps, …) keep the upper part of the
	 * target register. In Zydis, only the operand's size shows that the upper part stays. */
	if (is_vector(operand->reg.value) && operand->size < 128 &&
		source->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		whole = false;
	if ((operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) || (is_written(operand) && !whole))
		reads = true;
	if (reads && (!source->no_reads || is_hidden(operand)))
		decode_add_read(insn, reg);
	if (is_written(operand))
		decode_add_write(insn, reg);
}

/* Fills in the number and size of the elements of a gather or scatter. The data register and the
 * index register may hold different numbers of elements: the smaller number counts. A letter in the
 * mnemonic shows the size of the indices: vgatherDPS, vpscatterQD, vgatherpf0QPS. */
static void fill_elements(const struct source *source, const ZydisDecodedOperand *operand,
	struct insn *insn, struct insn_memory *memory)
{
	const char *name = insn->mnemonic;
	bool wide = strstr(name, "erq") || strstr(name, "pf0q") || strstr(name, "pf1q");
	int indices = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->mem.index) /
		      (wide ? 64 : 32);
	int data = 512, bits = operand->size, count;

	for (int i = source->visible_count - 1; i >= 0; i--)
		if (is_vector(register_of(source->visible[i])))
			data = source->visible[i]->size;
	count = bits > 0 && bits <= 64 ? data / bits : 1;
	if (indices < count)
		count = indices;
	memory->vector_index = true;
	memory->accesses = (uint8_t)(count > 0 ? count : 1);
	memory->size = (uint16_t)(memory->accesses * (bits / 8));
}

static void fill_memory(
	const struct source *source, const ZydisDecodedOperand *operand, struct insn *insn)
{
	struct insn_memory *memory = &insn->memory[insn->memory_count];
	bool relative =
		operand->mem.base == ZYDIS_REGISTER_RIP || operand->mem.base == ZYDIS_REGISTER_EIP;

	if (insn->memory_count == INSN_MEMORY || operand->mem.type == ZYDIS_MEMOP_TYPE_MIB)
		return;
	insn->memory_count++;
	memory->load = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	memory->store = is_written(operand);
	memory->relative = relative;
	memory->elsewhere = operand->mem.segment == ZYDIS_REGISTER_FS ||
			    operand->mem.segment == ZYDIS_REGISTER_GS;
	memory->extend = source->decoded.address_width == 32 ? EXTEND_ADDRESS : EXTEND_NONE;
	memory->base = relative ? REG_NONE : number(operand->mem.base);
	memory->index = number(operand->mem.index);
	memory->scale = operand->mem.scale ? operand->mem.scale : 1;
	memory->disp = operand->mem.disp.value;
	if (relative)
		memory->disp =
			(int64_t)(insn->address + insn->length + (uint64_t)operand->mem.disp.value);
	memory->accesses = 1;
	memory->size = operand->size / 8;
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
		fill_elements(source, operand, insn, memory);
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
		memory->load = memory->store = false;
		insn->address_only = true;
	}
}

/* For push, pop, call and ret, the stack operand becomes memory[0]. */
static void find_stack(const struct source *source, struct insn *insn)
{
	bool moves = false;
	const ZydisDecodedOperand *stack = NULL;

	for (int i = 0; i < source->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &source->all[i];

		if (is_hidden(operand) && operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			operand->mem.base == ZYDIS_REGISTER_RSP)
			stack = operand;
		moves |= is_hidden(operand) && is_written(operand) &&
			 number(register_of(operand)) == number(ZYDIS_REGISTER_RSP);
	}
	if (!moves || !stack || decode_is(insn->mnemonic, "enter"))
		return;
	insn->writeback = true;
	fill_memory(source, stack, insn);
	insn->step = is_written(stack) ? -(stack->size / 8) : stack->size / 8;
	if (insn->step < 0)
		insn->memory[0].disp = insn->step;
}

static void fill_operands(const struct source *source, struct insn *insn)
{
	find_stack(source, insn);
	for (int i = 0; i < source->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &source->all[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
			fill_register(source, operand, insn);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			if (!insn->writeback || !is_hidden(operand))
				fill_memory(source, operand, insn);
		} else if (operand->type != ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			continue;
		} else if (operand->imm.is_relative) {
			insn->target = insn->address + insn->length + operand->imm.value.u;
		} else if (!is_hidden(operand)) {
			insn->immediate = true;
			insn->value = operand->imm.value.s;
		}
	}
	if (insn->flow == FLOW_RETURN)
		insn->step += (int32_t)insn->value;
	/* String instructions change their pointers. Zydis does not report that the string
	 * instructions scas and outs change their pointer registers. */
	if (source->decoded.meta.category != ZYDIS_CATEGORY_STRINGOP &&
		source->decoded.meta.category != ZYDIS_CATEGORY_IOSTRINGOP)
		return;
	for (int i = 0; i < insn->memory_count; i++) {
		decode_add_read(insn, insn->memory[i].base);
		decode_add_write(insn, insn->memory[i].base);
	}
}

/* Fills in the flags that the instruction reads and writes: CF alone, and all other flags together.
 * Undefined flags count as unchanged. */
static void fill_flags(const struct source *source, struct insn *insn)
{
	static const struct {
		uint32_t flags;
		uint8_t reg;
	} parts[] = { { ZYDIS_CPUFLAG_CF, REG_CARRY },
		{ ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF |
				ZYDIS_CPUFLAG_OF,
			REG_FLAGS } };
	const ZydisAccessedFlags *flags = source->decoded.cpu_flags;
	bool kept = strchr(insn->shape, 'c') != NULL; /* a shift by CL keeps the flags if CL is 0 */

	for (int i = 0; flags && i < 2; i++) {
		uint32_t written = (flags->modified | flags->set_0 | flags->set_1) & parts[i].flags;

		if ((flags->tested & parts[i].flags) || (kept && written))
			decode_add_read(insn, parts[i].reg);
		if (written)
			decode_add_write(insn, parts[i].reg);
	}
}

/* Fills in the place of the distance in the bytes of a relative jump or memory operand. */
static void fill_distance(const struct source *source, struct insn *insn)
{
	const ZydisDecodedInstruction *decoded = &source->decoded;
	bool relative = false;

	for (int i = 0; i < insn->memory_count; i++)
		relative |= insn->memory[i].relative;
	if (decoded->raw.imm[0].is_relative) {
		insn->distance_at = decoded->raw.imm[0].offset;
		insn->distance_bytes = decoded->raw.imm[0].size / 8;
	} else if (relative) {
		insn->distance_at = decoded->raw.disp.offset;
		insn->distance_bytes = decoded->raw.disp.size / 8;
	}
}

static enum insn_flow flow(const struct source *source)
{
	const char *name = ZydisMnemonicGetString(source->decoded.mnemonic);
	ZydisInstructionCategory category = source->decoded.meta.category;

	if (decode_is(name, "jmp"))
		return source->all[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? FLOW_JUMP
									   : FLOW_INDIRECT;
	if (decode_is(name, "call"))
		return FLOW_CALL;
	if (decode_is(name, "ret"))
		return FLOW_RETURN;
	if (decode_is(name, "hlt ud0 ud1 ud2 xbegin xabort xend") ||
		category == ZYDIS_CATEGORY_INTERRUPT || category == ZYDIS_CATEGORY_SYSCALL ||
		category == ZYDIS_CATEGORY_SYSRET || category == ZYDIS_CATEGORY_RET ||
		category == ZYDIS_CATEGORY_UNCOND_BR)
		return FLOW_OTHER;
	return category == ZYDIS_CATEGORY_COND_BR ? FLOW_BRANCH : FLOW_NONE;
}

/* The width of an instruction: the bits of its widest vector register. Without vector registers:
 * the bits of the first general register, usually the target. Without register operands: the bits
 * of an implied register (cqo, div [m]) other than rsp. */
static uint16_t width(const struct source *source)
{
	int vector = 0, general = 0, implied = 0;

	for (int i = 0; i < source->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &source->all[i];
		ZydisRegister reg = register_of(operand);
		int bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);

		if (is_vector(reg) && bits > vector)
			vector = bits;
		else if (is_general(reg) && !is_hidden(operand) && !general)
			general = bits;
		else if (is_general(reg) && is_hidden(operand) && !implied &&
			 number(reg) != number(ZYDIS_REGISTER_RSP))
			implied = bits;
	}
	return (uint16_t)(vector ? vector : general ? general : implied);
}

void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn)
{
	struct source source;

	pthread_once(&prepared, prepare);
	*insn = (struct insn){ .address = address, .length = 1 };
	source.visible_count = 0;
	source.no_reads = false;
	if (!ZYAN_SUCCESS(
		    ZydisDecoderDecodeFull(&decoder, bytes, size, &source.decoded, source.all)))
		return;
	for (int i = 0; i < source.decoded.operand_count_visible; i++)
		if (source.all[i].encoding != ZYDIS_OPERAND_ENCODING_MASK)
			source.visible[source.visible_count++] = &source.all[i];
	insn->known = true;
	insn->length = source.decoded.length;
	insn->flow = flow(&source);
	fill_names(&source, insn);
	/* A multi-byte nop names operands but does not access them. */
	if (source.decoded.mnemonic == ZYDIS_MNEMONIC_NOP)
		return;
	insn->masked = source.decoded.avx.mask.reg != ZYDIS_REGISTER_NONE &&
		       source.decoded.avx.mask.reg != ZYDIS_REGISTER_K0;
	for (int i = 0; i < source.visible_count; i++)
		add_shape(&source, source.visible[i], insn);
	find_idioms(&source, insn);
	fill_operands(&source, insn);
	fill_distance(&source, insn);
	fill_flags(&source, insn);
	insn->accumulator = accumulator(&source, insn);
	insn->kept = kept(&source, insn);
	insn->move = is_move(&source, insn);
	insn->width = width(&source);
	insn->load_extends = insn->memory_count && decode_is(insn->mnemonic, "movsx movsxd");
}
