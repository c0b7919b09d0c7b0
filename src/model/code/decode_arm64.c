/* Decodes AArch64 instructions with the library Capstone. Capstone lists the registers, flags and
 * memory that an instruction reads and writes. decode_arm64.c takes only the flags from Capstone's
 * lists. For registers and memory, Capstone's lists are often wrong (cmp writes, str loads, ret
 * reads nothing). tests/unit/test_decode.c has a row for each correction. */
#include "model/code/decode.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

enum {
	SYSTEM_NZCV = 0xda10
}; /* encoding of the system register NZCV: op0 3, op1 3, CRn 4, CRm 2, op2 0 (Arm ARM, C5.2) */

/* Capstone changes its handle while it decodes, so only one thread may use the handle at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static csh handle;
static cs_insn *buffer;

/* The state of decode_insn() while it fills in one instruction. */
struct source {
	const char *name;
	const char *operands; /* text of the instruction's operands */
	cs_arm64 decoded;
	bool reads_flags, writes_flags;
	int memory; /* index of the memory operand; -1: the instruction has none */
};

/* ---- Registers */

/* A range of consecutive registers. `number` is the number of the first register. `bits` is the
 * size of each register in bits; 0: bits() finds the size. */
struct range {
	arm64_reg first, last;
	uint8_t number, bits;
};

static const struct range *range_of(arm64_reg reg)
{
	static const struct range ranges[] = {
		{ ARM64_REG_X0, ARM64_REG_X28, REG_GENERAL, 64 },
		{ ARM64_REG_X29, ARM64_REG_X30, REG_GENERAL + 29, 64 },
		{ ARM64_REG_W0, ARM64_REG_W30, REG_GENERAL, 32 },
		{ ARM64_REG_SP, ARM64_REG_SP, REG_GENERAL + 31, 64 },
		{ ARM64_REG_WSP, ARM64_REG_WSP, REG_GENERAL + 31, 32 },
		{ ARM64_REG_WZR, ARM64_REG_WZR, REG_NONE, 32 },
		{ ARM64_REG_V0, ARM64_REG_V31, REG_VECTOR, 0 },
		{ ARM64_REG_Q0, ARM64_REG_Q31, REG_VECTOR, 128 },
		{ ARM64_REG_D0, ARM64_REG_D31, REG_VECTOR, 64 },
		{ ARM64_REG_S0, ARM64_REG_S31, REG_VECTOR, 32 },
		{ ARM64_REG_H0, ARM64_REG_H31, REG_VECTOR, 16 },
		{ ARM64_REG_B0, ARM64_REG_B31, REG_VECTOR, 8 },
	};
	static const struct range other = { .number = REG_NONE, .bits = 64 };

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (reg >= ranges[i].first && reg <= ranges[i].last)
			return &ranges[i];
	return &other;
}

static uint8_t number(arm64_reg reg)
{
	const struct range *range = range_of(reg);

	return range->number == REG_NONE ? REG_NONE
					 : (uint8_t)(range->number + (reg - range->first));
}

static bool is_vector(arm64_reg reg)
{
	return range_of(reg)->number == REG_VECTOR;
}

/* The operand's register; ARM64_REG_INVALID: the operand is not a register. */
static arm64_reg register_of(const cs_arm64_op *operand)
{
	return operand->type == ARM64_OP_REG ? operand->reg : ARM64_REG_INVALID;
}

/* Bits and lanes of each vector arrangement (8b, 16b, 4h …), in the order of Capstone's enum
 * arm64_vas. */
static const struct {
	uint8_t bits, lanes;
} arrangements[] = { { 0, 1 }, { 64, 8 }, { 128, 16 }, { 64, 4 }, { 128, 8 }, { 64, 2 }, { 128, 4 },
	{ 64, 1 }, { 128, 2 }, { 128, 1 } };

static int arrangement(const cs_arm64_op *operand)
{
	return operand->vas <= ARM64_VAS_1Q ? (int)operand->vas : ARM64_VAS_INVALID;
}

/* The size of a register operand in bits. */
static int bits(const struct source *source, const cs_arm64_op *operand)
{
	int bits = range_of(operand->reg)->bits;

	if (bits == 0)
		bits = arrangements[arrangement(operand)].bits;
	if (bits)
		return bits;
	/* For mov v0.8b, v1.8b, Capstone reports no arrangement, so bits() searches the text. */
	return operand->vector_index < 0 && strstr(source->operands, ".8b") ? 64 : 128;
}

/* ---- Operands read and written */

static bool is_store(const struct source *source)
{
	return decode_is(source->name, "st*");
}

/* Whether the instruction is an exclusive store, which writes its success to the first operand. */
static bool is_exclusive_store(const struct source *source)
{
	return decode_is(source->name, "stx* stlx*");
}

/* The number of register operands before the first other operand. */
static int leading_registers(const struct source *source)
{
	int count = 0;

	while (count < source->decoded.op_count &&
		source->decoded.operands[count].type == ARM64_OP_REG)
		count++;
	return count;
}

/* The number of operands that the instruction writes. Written operands come first. */
static int targets(const struct source *source)
{
	if (decode_is(source->name, "ld*"))
		return leading_registers(source);
	if (is_store(source))
		return is_exclusive_store(source);
	return !decode_is(source->name,
		"prf* cmp cmn tst ccmp ccmn fcmp fcmpe fccmp fccmpe b br bl blr ret cbz cbnz tbz "
		"tbnz msr dc ic at tlbi sys");
}

/* Whether the instruction also reads its target: it keeps some bits, or adds to it. */
static bool keeps_target(const struct source *source)
{
	const cs_arm64_op *operand = source->decoded.operands;
	const char *name = source->name;
	size_t length = strlen(name);

	if (operand->vector_index >= 0 && is_vector(register_of(operand)) && !is_store(source))
		return true; /* an instruction that writes one lane keeps the other lanes */
	if (decode_is(name,
		    "movk bfi bfxil bfc bfm fmla fmls mla mls ssra usra srsra ursra sri sli tbx "
		    "bsl bit bif suqadd usqadd aese aesd ins saba* uaba* sadalp* uadalp* sha1c "
		    "sha1m sha1p sha1su* sha256*") ||
		strstr(name, "mlal") || strstr(name, "mlsl"))
		return true;
	/* Instructions that write only the upper half of the target, such as xtn2 and addhn2, keep
	 * the lower half. */
	if (length > 3 && strcmp(name + length - 2, "n2") == 0 && !decode_is(name, "trn2"))
		return true;
	return decode_is(name, "orr bic") && source->decoded.op_count == 2 &&
	       operand[1].type == ARM64_OP_IMM;
}

static enum insn_flow flow(const struct source *source)
{
	static const struct {
		const char *names;
		enum insn_flow flow;
	} rows[] = { { "b.* cbz cbnz tbz tbnz", FLOW_BRANCH }, { "b", FLOW_JUMP },
		{ "br", FLOW_INDIRECT }, { "bl blr", FLOW_CALL }, { "ret eret", FLOW_RETURN },
		{ "svc hvc smc brk hlt dcps1 dcps2 dcps3 drps udf", FLOW_OTHER } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (decode_is(source->name, rows[i].names))
			return rows[i].flow;
	return FLOW_NONE;
}

/* Whether the instruction is a branch, jump, call or return, so its last operand can be a code
 * address. */
static bool has_target(const struct insn *insn)
{
	return insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER;
}

/* ---- Filling in struct insn */

static void fill_registers(const struct source *source, struct insn *insn)
{
	int written = targets(source);

	for (int i = 0; i < source->decoded.op_count; i++) {
		const cs_arm64_op *operand = &source->decoded.operands[i];
		bool target = i < written;

		if (operand->type == ARM64_OP_REG_MRS && (unsigned)operand->reg == SYSTEM_NZCV)
			decode_add_read(insn, REG_FLAGS);
		if (operand->type == ARM64_OP_REG_MSR && (unsigned)operand->reg == SYSTEM_NZCV)
			decode_add_write(insn, REG_FLAGS);
		if (operand->type != ARM64_OP_REG)
			continue;
		insn->vector |= is_vector(operand->reg);
		if (target)
			decode_add_write(insn, number(operand->reg));
		if (!target || keeps_target(source))
			decode_add_read(insn, number(operand->reg));
	}
	if (source->decoded.op_count == 0 && decode_is(source->name, "ret"))
		decode_add_read(insn, REG_GENERAL + 30);
	if (insn->flow == FLOW_CALL)
		decode_add_write(insn, REG_GENERAL + 30);
	if (source->reads_flags)
		decode_add_read(insn, REG_FLAGS);
	if (source->writes_flags)
		decode_add_write(insn, REG_FLAGS);
}

static void fill_width(const struct source *source, struct insn *insn)
{
	int vector = 0, general = 0;

	for (int i = 0; i < source->decoded.op_count; i++) {
		const cs_arm64_op *operand = &source->decoded.operands[i];
		int size;

		if (operand->type != ARM64_OP_REG)
			continue;
		size = bits(source, operand);
		if (!is_vector(operand->reg))
			general = general ? general : size;
		else if (size > vector)
			vector = size;
	}
	insn->width = (uint16_t)(vector ? vector : general);
}

/* Fills in the number of memory accesses, and the bytes of all accesses together. */
static void fill_size(const struct source *source, struct insn_memory *memory)
{
	const char *name = source->name;
	size_t length = strlen(name);
	const cs_arm64_op *operand = &source->decoded.operands[is_exclusive_store(source)];
	int bytes;

	memory->accesses = 1;
	if (operand->type != ARM64_OP_REG) /* a prefetch has no data register */
		return;
	bytes = bits(source, operand) / 8;
	if (name[2] >= '1' && name[2] <= '4') {
		int registers = leading_registers(source);

		if (operand->vector_index >= 0)
			bytes = operand->vess <= ARM64_VESS_D ? 1 << operand->vess >> 1 : 0;
		else if (name[3] == 'r')
			bytes /= arrangements[arrangement(operand)].lanes;
		else
			memory->accesses = (uint8_t)registers;
		memory->size = (uint16_t)(bytes * registers);
		return;
	}
	if (name[length - 1] == 'b')
		bytes = 1;
	else if (name[length - 1] == 'h')
		bytes = 2;
	else if (length > 2 && strcmp(name + length - 2, "sw") == 0)
		bytes = 4;
	if (strchr(name, 'p'))
		memory->accesses = 2;
	memory->size = (uint16_t)(bytes * memory->accesses);
}

static void fill_memory(const struct source *source, struct insn *insn)
{
	const cs_arm64_op *operand = &source->decoded.operands[source->memory], *next;
	struct insn_memory *memory = &insn->memory[0];

	insn->memory_count = 1;
	memory->load = !is_store(source);
	memory->store = is_store(source);
	memory->scale = 1;
	fill_size(source, memory);
	if (operand->type == ARM64_OP_IMM) { /* the address is a label: ldr x0, label */
		memory->relative = true;
		memory->disp = operand->imm;
		return;
	}
	memory->base = number(operand->mem.base);
	memory->index = number(operand->mem.index);
	memory->disp = operand->mem.disp;
	memory->extend = operand->ext == ARM64_EXT_UXTW	  ? EXTEND_UNSIGNED
			 : operand->ext == ARM64_EXT_SXTW ? EXTEND_SIGNED
							  : EXTEND_NONE;
	if (operand->shift.type == ARM64_SFT_LSL)
		memory->scale = (uint8_t)(1u << (operand->shift.value & 7));
	if (!source->decoded.writeback)
		return;
	insn->writeback = true;
	next = source->memory + 1 < source->decoded.op_count ? operand + 1 : NULL;
	if (!next)
		insn->step = (int32_t)memory->disp;
	else if (next->type == ARM64_OP_IMM)
		insn->step = (int32_t)next->imm;
}

static const char *shape_letter(
	const struct source *source, const struct insn *insn, const cs_arm64_op *operand)
{
	bool left =
		operand->shift.type == ARM64_SFT_LSL || operand->shift.type == ARM64_SFT_INVALID;

	if (source->memory >= 0 && operand == &source->decoded.operands[source->memory])
		return "m";
	switch (operand->type) {
	case ARM64_OP_REG:
		if (operand->shift.type == ARM64_SFT_INVALID && operand->ext == ARM64_EXT_INVALID)
			return is_vector(operand->reg) ? "v" : "r";
		return left && operand->shift.value <= 4 ? "r<s" : "r<l";
	case ARM64_OP_IMM:
		return has_target(insn) &&
				       operand == &source->decoded
							   .operands[source->decoded.op_count - 1]
			       ? "t"
			       : "i";
	case ARM64_OP_FP: return "i";
	default: return "o";
	}
}

/* Fills in the instruction's shape: the kinds of its operands as a text such as "r,r,i". The text
 * of the operand kinds omits the type of a prefetch and the offset of a post-indexed access. */
static void fill_shape(const struct source *source, struct insn *insn)
{
	int last = source->memory >= 0 ? source->memory : source->decoded.op_count - 1;

	for (int i = 0; i <= last; i++) {
		const cs_arm64_op *operand = &source->decoded.operands[i];
		const char *letter = shape_letter(source, insn, operand);

		if (operand->type == ARM64_OP_PREFETCH)
			continue;
		decode_add_shape(insn, letter);
		if (letter[0] == 't')
			insn->target = (uint64_t)operand->imm;
		if (letter[0] != 'i')
			continue;
		insn->immediate = true;
		insn->value = operand->type == ARM64_OP_IMM ? operand->imm : 0;
		if (operand->shift.type == ARM64_SFT_LSL)
			insn->value =
				(int64_t)((uint64_t)insn->value << (operand->shift.value & 63));
	}
}

/* The register of a multiply-add's addend: the fourth operand of scalar instructions, the target of
 * vector instructions. */
static uint8_t accumulator(const struct source *source)
{
	const char *name = source->name;
	int addend = -1;

	if (source->decoded.op_count == 4 && (strstr(name, "madd") || strstr(name, "msub")))
		addend = 3;
	else if (decode_is(name, "fmla* fmls* mla mls") || strstr(name, "mlal") ||
		 strstr(name, "mlsl"))
		addend = 0;
	return addend < 0 ? REG_NONE : number(register_of(&source->decoded.operands[addend]));
}

/* Whether the operand is a whole register, but not the zero register or the stack pointer. */
static bool is_whole(const cs_arm64_op *operand)
{
	uint8_t reg = number(register_of(operand));

	return reg != REG_NONE && reg != REG_GENERAL + 31 && operand->vector_index < 0;
}

/* Whether the instruction copies a whole register. Copies to or from the stack pointer (encoded as
 * additions) and copies of the zero register do not count. */
static bool is_move(const struct source *source)
{
	const cs_arm64_op *to = &source->decoded.operands[0], *from = &source->decoded.operands[1];

	return decode_is(source->name, "mov fmov") && source->decoded.op_count == 2 &&
	       is_whole(to) && is_whole(from) && is_vector(to->reg) == is_vector(from->reg) &&
	       bits(source, to) == bits(source, from) && bits(source, to) >= 32;
}

/* The name of the operation. Capstone prints the four instructions mov, ins, dup and umov as "mov".
 * movz and movn count as a mov of a constant. */
static const char *operation(const struct source *source)
{
	const cs_arm64_op *to = &source->decoded.operands[0], *from = &source->decoded.operands[1];

	if (!decode_is(source->name, "mov movz movn"))
		return source->name;
	if (!decode_is(source->name, "mov") || from->type != ARM64_OP_REG)
		return "mov";
	if (to->vector_index >= 0)
		return "ins";
	return from->vector_index < 0 ? "mov" : is_vector(to->reg) ? "dup" : "umov";
}

static void fill_text(const struct source *source, struct insn *insn)
{
	char *mark;

	snprintf(insn->mnemonic, sizeof(insn->mnemonic), "%.19s", operation(source));
	snprintf(insn->text, sizeof(insn->text), "%.19s%s%.60s", source->name,
		source->operands[0] ? " " : "", source->operands);
	if (decode_is(source->name, "movz movn"))
		snprintf(insn->text, sizeof(insn->text), "mov %.*s #0x%llx",
			(int)strcspn(source->operands, ",") + 1, source->operands,
			(unsigned long long)insn->value);
	if (decode_is(source->name, "b.*"))
		snprintf(insn->condition, sizeof(insn->condition), "%.3s", source->name + 2);
	/* Remove the # before a code address, so that the text is "b.ne 0x400". */
	mark = has_target(insn) ? strrchr(insn->text, '#') : NULL;
	if (mark)
		memmove(mark, mark + 1, strlen(mark));
}

static void fill(const struct source *source, struct insn *insn)
{
	const struct range *first = range_of(register_of(&source->decoded.operands[0]));

	insn->known = true;
	insn->flow = flow(source);
	fill_shape(source, insn);
	if (decode_is(source->name, "movn"))
		insn->value = ~insn->value;
	if (insn->immediate && first->number != REG_VECTOR && first->bits == 32 &&
		decode_is(source->name, "mov*"))
		insn->value &= UINT32_MAX;
	fill_text(source, insn);
	fill_registers(source, insn);
	if (source->memory >= 0)
		fill_memory(source, insn);
	fill_width(source, insn);
	insn->accumulator = accumulator(source);
	insn->move = is_move(source);
	insn->zeroing = decode_is(source->name, "movi") && insn->value == 0;
	insn->load_extends = decode_is(source->name, "ldrs* ldurs* ldtrs* ldpsw");
}

/* Decodes an instruction into `source`. The texts of the decoded instruction in `source` stay valid
 * until the next call of decode_source(). The caller holds the lock. */
static bool decode_source(
	const uint8_t *bytes, size_t size, uint64_t address, struct source *source)
{
	if (!buffer && cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle) == CS_ERR_OK) {
		cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
		buffer = cs_malloc(handle);
	}
	if (!buffer || size < 4)
		return false;
	size = 4;
	if (!cs_disasm_iter(handle, &bytes, &size, &address, buffer))
		return false;
	source->name = buffer->mnemonic;
	source->operands = buffer->op_str;
	source->decoded = buffer->detail->arm64;
	source->reads_flags = cs_reg_read(handle, buffer, ARM64_REG_NZCV);
	source->writes_flags = cs_reg_write(handle, buffer, ARM64_REG_NZCV);
	source->memory = -1;
	for (int i = 0; i < source->decoded.op_count; i++)
		if (source->decoded.operands[i].type == ARM64_OP_MEM ||
			(source->decoded.operands[i].type == ARM64_OP_IMM &&
				decode_is(source->name, "ld* prf*") && source->memory < 0))
			source->memory = i;
	return true;
}

void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn)
{
	struct source source;

	*insn = (struct insn){ .address = address, .length = size < 4 ? (uint8_t)size : 4 };
	pthread_mutex_lock(&lock);
	if (decode_source(bytes, size, address, &source))
		fill(&source, insn);
	pthread_mutex_unlock(&lock);
}
