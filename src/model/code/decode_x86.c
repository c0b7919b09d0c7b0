/* x86-64 instructions, by Zydis, with corrections where the hardware differs.
 * tests/unit/test_decode.c has a row for each correction. */
#include "model/code/decode.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

/* State while decode_insn() fills in one instruction. */
struct source {
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand all[ZYDIS_MAX_OPERAND_COUNT];
	const ZydisDecodedOperand
		*visible[ZYDIS_MAX_OPERAND_COUNT]; /* the operands in the order of the text, without
						      the mask in braces */
	int visible_count;
	bool no_reads; /* an idiom: its result does not depend on its register operands */
};

static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static ZydisDecoder decoder;
static ZydisFormatter plain, sized; /* sized always prints "dword ptr"; plain prints it only if no
				       register shows the size */

static void prepare_formatter(ZydisFormatter *formatter, bool size)
{
	ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, size);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE);
	ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(
		formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(
		formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(
		formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(
		formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
}

static void prepare(void)
{
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	prepare_formatter(&plain, false);
	prepare_formatter(&sized, true);
}

/* ---- Registers */

static bool is_general(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	return class == ZYDIS_REGCLASS_GPR8 || class == ZYDIS_REGCLASS_GPR16 ||
	       class == ZYDIS_REGCLASS_GPR32 || class == ZYDIS_REGCLASS_GPR64;
}

static bool is_vector(ZydisRegister reg)
{
	ZydisRegisterClass class = ZydisRegisterGetClass(reg);

	return class == ZYDIS_REGCLASS_XMM || class == ZYDIS_REGCLASS_YMM ||
	       class == ZYDIS_REGCLASS_ZMM;
}

static uint8_t number(ZydisRegister reg)
{
	if (is_general(reg)) {
		ZydisRegister whole =
			ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

		return (uint8_t)(REG_GENERAL + ZydisRegisterGetId(whole));
	}
	if (is_vector(reg))
		return (uint8_t)(REG_VECTOR + ZydisRegisterGetId(reg));
	if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_MASK)
		return (uint8_t)(REG_MASK + ZydisRegisterGetId(reg));
	return REG_NONE;
}

/* ---- Names */

/* Zydis has its own spelling of some conditions. Returns the spelling of compilers and manuals. */
static const char *condition(const char *zydis)
{
	static const char *const spelling[][2] = {
		{ "z", "e" },
		{ "nz", "ne" },
		{ "nb", "ae" },
		{ "nbe", "a" },
		{ "nl", "ge" },
		{ "nle", "g" },
	};

	for (size_t i = 0; i < sizeof(spelling) / sizeof(spelling[0]); i++)
		if (strcmp(zydis, spelling[i][0]) == 0)
			return spelling[i][1];
	return zydis;
}

/* The number of letters before the condition: 1 in "jnz", 4 in "cmovnz", 3 in "setnz"; 0: no
 * condition. */
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
		sizes &= source->visible[i]->type != ZYDIS_OPERAND_TYPE_REGISTER;
	snprintf(insn->mnemonic, sizeof(insn->mnemonic), "%.*s%s", kept ? (int)kept : 19, name,
		kept ? condition(name + kept) : "");
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
	/* An index with scale 1 is shown without "*1". */
	for (one = insn->text; (one = strstr(one, "*1"));)
		memmove(one, one + 2, strlen(one + 2) + 1);
}

static void shape_letter(
	const struct source *source, const ZydisDecodedOperand *operand, char *letter)
{
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		strcpy(letter, operand->imm.is_relative ? "t" : "i");
		return;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		strcpy(letter, "m");
		if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN &&
			source->decoded.mnemonic == ZYDIS_MNEMONIC_LEA)
			snprintf(letter, 6, "[%s%s%s]",
				operand->mem.base != ZYDIS_REGISTER_NONE &&
						operand->mem.base != ZYDIS_REGISTER_RIP &&
						operand->mem.base != ZYDIS_REGISTER_EIP
					? "b"
					: "",
				operand->mem.index == ZYDIS_REGISTER_NONE ? ""
				: operand->mem.scale > 1		  ? "s"
									  : "i",
				operand->mem.disp.has_displacement ? "d" : "");
		return;
	case ZYDIS_OPERAND_TYPE_REGISTER: break;
	default: strcpy(letter, "o"); return;
	}
	if (operand->reg.value == ZYDIS_REGISTER_CL &&
		operand->visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT)
		strcpy(letter, "c");
	else if (is_general(operand->reg.value))
		strcpy(letter, "r");
	else if (is_vector(operand->reg.value))
		strcpy(letter, "v");
	else
		strcpy(letter, ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_MASK
				       ? "k"
				       : "o");
}

static void fill_shape(const struct source *source, struct insn *insn)
{
	for (int i = 0; i < source->visible_count; i++) {
		char letter[8];
		size_t length = strlen(insn->shape);

		shape_letter(source, source->visible[i], letter);
		snprintf(insn->shape + length, sizeof(insn->shape) - length, "%s%s", i ? "," : "",
			letter);
	}
}

/* ---- Idioms */

static bool same_registers(const struct source *source)
{
	const ZydisDecodedOperand *const *operand = source->visible;
	int first = source->visible_count - 2;

	return (source->visible_count == 2 || source->visible_count == 3) &&
	       operand[first]->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand[first + 1]->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand[first]->reg.value == operand[first + 1]->reg.value;
}

/* Finds idioms that do not wait for their operands. Zeroing idioms make 0 (Intel Optimization
 * Reference Manual, "Dependency-Breaking Idioms"). A comparison of a vector register with itself
 * makes all ones. sbb of a register with itself depends only on the carry. */
static void find_idioms(struct source *source, struct insn *insn)
{
	const ZydisDecodedOperand *first = source->visible_count ? source->visible[0] : NULL;
	const char *name = insn->mnemonic;

	if (insn->masked || !same_registers(source) || first->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return;
	if (is_general(first->reg.value)) {
		if (first->size < 32 || source->visible_count != 2)
			return;
		insn->zeroing = source->decoded.mnemonic == ZYDIS_MNEMONIC_XOR ||
				source->decoded.mnemonic == ZYDIS_MNEMONIC_SUB;
		source->no_reads = insn->zeroing || source->decoded.mnemonic == ZYDIS_MNEMONIC_SBB;
	} else if (is_vector(first->reg.value)) {
		name += name[0] == 'v';
		insn->zeroing = decode_starts(name, "pxor") || decode_starts(name, "xorp") ||
				decode_starts(name, "psub") || decode_starts(name, "pcmpgt");
		source->no_reads = insn->zeroing || decode_starts(name, "pcmpeq");
	}
}

static bool is_move(const struct source *source, const struct insn *insn)
{
	const ZydisDecodedOperand *const *operand = source->visible;
	const char *name = insn->mnemonic;

	if (source->visible_count != 2 || insn->masked ||
		operand[0]->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		operand[1]->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	if (is_general(operand[0]->reg.value))
		return source->decoded.mnemonic == ZYDIS_MNEMONIC_MOV && operand[0]->size >= 32 &&
		       is_general(operand[1]->reg.value);
	name += name[0] == 'v';
	return is_vector(operand[0]->reg.value) && is_vector(operand[1]->reg.value) &&
	       (decode_starts(name, "movap") || decode_starts(name, "movup") ||
		       decode_starts(name, "movdqa") || decode_starts(name, "movdqu"));
}

/* The addend is the second operand of vfmadd132, the third of vfmadd213, and the first of
 * vfmadd231. Dot products and integer multiply-adds add to the first operand. */
static uint8_t accumulator(const struct source *source, const struct insn *insn)
{
	const char *name = insn->mnemonic;
	int addend = -1;

	if ((decode_starts(name, "vfm") || decode_starts(name, "vfnm")) && strpbrk(name, "123"))
		addend = strstr(name, "132") ? 1 : strstr(name, "213") ? 2 : 0;
	else if (decode_starts(name, "vpdp") || decode_starts(name, "vdpbf16") ||
		 decode_starts(name, "vpmadd52"))
		addend = 0;
	if (addend < 0 || addend >= source->visible_count ||
		source->visible[addend]->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return REG_NONE;
	return number(source->visible[addend]->reg.value);
}

/* ---- Operands */

static void fill_register(
	const struct source *source, const ZydisDecodedOperand *operand, struct insn *insn)
{
	uint8_t reg = number(operand->reg.value);
	bool reads = operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	     writes = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	bool whole = !is_general(operand->reg.value) || operand->size >= 32;

	if (reg == REG_NONE || (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK && !insn->masked))
		return;
	/* push, pop, call and ret change rsp: see writeback. */
	if (insn->writeback && hidden && reg == number(ZYDIS_REGISTER_RSP))
		return;
	insn->vector |= is_vector(operand->reg.value);
	/* Legacy SSE scalar instructions keep the rest of the register (sqrtsd, movsd x,x, movlps,
	 * …). Zydis shows this only by the operand's size. */
	if (is_vector(operand->reg.value) && operand->size < 128 &&
		source->decoded.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		whole = false;
	/* If the source of bsf or bsr is 0, the target keeps its value (AMD APM volume 3; Intel
	 * SDM). */
	if (writes && (source->decoded.mnemonic == ZYDIS_MNEMONIC_BSF ||
			      source->decoded.mnemonic == ZYDIS_MNEMONIC_BSR))
		whole = false;
	if ((operand->actions & ZYDIS_OPERAND_ACTION_CONDWRITE) || (writes && !whole))
		reads = true;
	if (reads && (!source->no_reads || hidden))
		decode_add_read(insn, reg);
	if (writes)
		decode_add_write(insn, reg);
}

/* Fills in the elements of a gather or scatter. The data and the index register may hold different
 * numbers of elements: the smaller number counts. The name shows the element sizes: vgatherDPS,
 * vpscatterQD. */
static void fill_elements(const struct source *source, const ZydisDecodedOperand *operand,
	struct insn *insn, struct insn_memory *memory)
{
	const char *name = strstr(insn->mnemonic, "gather");
	int data = 512,
	    index = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->mem.index),
	    bits = operand->size;
	int count;

	name = name				   ? name + 6
	       : strstr(insn->mnemonic, "scatter") ? strstr(insn->mnemonic, "scatter") + 7
						   : "d";
	for (int i = 0; i < source->visible_count; i++)
		if (source->visible[i]->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			is_vector(source->visible[i]->reg.value)) {
			data = source->visible[i]->size;
			break;
		}
	if (decode_starts(name, "pf") && name[2]) /* a gather prefetch, for example "pf0dps" */
		name += 3;
	count = bits > 0 && bits <= 64 ? data / bits : 1;
	if (index / (name[0] == 'q' ? 64 : 32) < count)
		count = index / (name[0] == 'q' ? 64 : 32);
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
	memory->store = operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
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

/* push, pop, call, ret: the stack operand becomes memory[0]. */
static void find_stack(const struct source *source, struct insn *insn)
{
	bool moves = false;
	const ZydisDecodedOperand *stack = NULL;

	for (int i = 0; i < source->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &source->all[i];

		if (operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			continue;
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
			number(operand->reg.value) == number(ZYDIS_REGISTER_RSP) &&
			(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			moves = true;
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			operand->mem.base == ZYDIS_REGISTER_RSP)
			stack = operand;
	}
	if (!moves || !stack || source->decoded.mnemonic == ZYDIS_MNEMONIC_ENTER)
		return;
	insn->writeback = true;
	fill_memory(source, stack, insn);
	insn->step = stack->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? -(stack->size / 8)
								      : stack->size / 8;
	if (insn->step < 0)
		insn->memory[0].disp = insn->step;
}

static void fill_operands(const struct source *source, struct insn *insn)
{
	find_stack(source, insn);
	for (int i = 0; i < source->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &source->all[i];
		bool hidden = operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;

		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER)
			fill_register(source, operand, insn);
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && !(insn->writeback && hidden))
			fill_memory(source, operand, insn);
		if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative)
			insn->target = insn->address + insn->length + operand->imm.value.u;
		if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand->imm.is_relative &&
			!hidden) {
			insn->immediate = true;
			insn->value = operand->imm.value.s;
		}
	}
	if (insn->flow == FLOW_RETURN)
		insn->step += (int32_t)insn->value;
	/* String instructions change their pointers. Zydis does not report this for scas and outs.
	 */
	if (source->decoded.meta.category != ZYDIS_CATEGORY_STRINGOP &&
		source->decoded.meta.category != ZYDIS_CATEGORY_IOSTRINGOP)
		return;
	for (int i = 0; i < insn->memory_count; i++) {
		decode_add_read(insn, insn->memory[i].base);
		decode_add_write(insn, insn->memory[i].base);
	}
}

/* Fills in the flags: CF alone, and the other flags together. Undefined flags count as unchanged.
 */
static void fill_flags(const struct source *source, struct insn *insn)
{
	static const uint32_t others = ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF |
				       ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF;
	const ZydisAccessedFlags *flags = source->decoded.cpu_flags;
	uint32_t written;
	bool kept = strchr(insn->shape, 'c') != NULL; /* a shift by CL keeps the flags if CL is 0 */

	if (!flags)
		return;
	written = flags->modified | flags->set_0 | flags->set_1;
	if ((flags->tested & ZYDIS_CPUFLAG_CF) || (kept && (written & ZYDIS_CPUFLAG_CF)))
		decode_add_read(insn, REG_CARRY);
	if ((flags->tested & others) || (kept && (written & others)))
		decode_add_read(insn, REG_FLAGS);
	if (written & ZYDIS_CPUFLAG_CF)
		decode_add_write(insn, REG_CARRY);
	if (written & others)
		decode_add_write(insn, REG_FLAGS);
}

static enum insn_flow flow(const struct source *source)
{
	switch (source->decoded.mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
		return source->all[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? FLOW_JUMP
									   : FLOW_INDIRECT;
	case ZYDIS_MNEMONIC_CALL: return FLOW_CALL;
	case ZYDIS_MNEMONIC_RET: return FLOW_RETURN;
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND: return FLOW_OTHER;
	default: break;
	}
	switch (source->decoded.meta.category) {
	case ZYDIS_CATEGORY_COND_BR: return FLOW_BRANCH;
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_UNCOND_BR: return FLOW_OTHER;
	default: return FLOW_NONE;
	}
}

/* The bits of the widest vector register. Without one: of the first general register, usually the
 * target. Without one: of an implied register (cqo, div [m]) other than rsp. */
static uint16_t width(const struct source *source)
{
	int vector = 0, general = 0, implied = 0;

	for (int i = 0; i < source->decoded.operand_count; i++) {
		const ZydisDecodedOperand *operand = &source->all[i];
		ZydisRegister reg = operand->reg.value;
		int bits;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);
		if (is_vector(reg) && bits > vector)
			vector = bits;
		if (!is_general(reg))
			continue;
		if (operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			general = general ? general : bits;
		else if (number(reg) != number(ZYDIS_REGISTER_RSP))
			implied = implied ? implied : bits;
	}
	return (uint16_t)(vector ? vector : general ? general : implied);
}

static bool extends_sign(const struct source *source, const struct insn *insn)
{
	return (source->decoded.mnemonic == ZYDIS_MNEMONIC_MOVSX ||
		       source->decoded.mnemonic == ZYDIS_MNEMONIC_MOVSXD) &&
	       insn->memory_count;
}

void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn)
{
	struct source source;

	pthread_once(&prepared, prepare);
	memset(insn, 0, sizeof(*insn));
	insn->address = address;
	insn->length = 1;
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
	fill_shape(&source, insn);
	find_idioms(&source, insn);
	fill_operands(&source, insn);
	fill_flags(&source, insn);
	insn->accumulator = accumulator(&source, insn);
	insn->move = is_move(&source, insn);
	insn->width = width(&source);
	insn->load_extends = extends_sign(&source, insn);
}
