/* AArch64 instructions, by Capstone. Capstone also lists what an instruction reads and writes. Only
 * the flags are read from these lists. For registers and memory, the lists are often wrong (cmp
 * writes, str loads, ret reads nothing). tests/unit/test_decode.c has a row for each correction. */
#include "model/code/decode.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

enum { SYSTEM_NZCV = 0xda10 }; /* op0 3, op1 3, CRn 4, CRm 2, op2 0: Arm ARM, C5.2 */

/* Capstone changes its handle while it decodes, so only one thread may use it at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static csh handle;
static cs_insn *buffer;

/* State while decode_insn() fills in one instruction. */
struct source {
	const char *name;
	const char *operands; /* the operands as text */
	cs_arm64 decoded;
	bool reads_flags, writes_flags;
	int memory; /* index of the memory operand, -1: none */
};

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

/* ---- Registers */

/* A range of consecutive registers. number: the number of the first one. bits: the bits of each; 0:
 * see bits(). */
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

static bool is_zero(arm64_reg reg)
{
	return reg == ARM64_REG_XZR || reg == ARM64_REG_WZR;
}

static bool is_stack(arm64_reg reg)
{
	return reg == ARM64_REG_SP || reg == ARM64_REG_WSP;
}

/* The bits of a register operand. */
static int bits(const struct source *source, const cs_arm64_op *operand)
{
	static const int arranged[] = { 0, 64, 128, 64, 128, 64, 128, 64, 128,
		128 }; /* by enum arm64_vas */
	int bits = range_of(operand->reg)->bits;

	if (bits)
		return bits;
	if (operand->vas > ARM64_VAS_INVALID && operand->vas <= ARM64_VAS_1Q)
		return arranged[operand->vas];
	/* Capstone reports no arrangement for mov v0.8b, v1.8b: use the text. */
	return operand->vector_index < 0 && strstr(source->operands, ".8b") ? 64 : 128;
}

/* ---- Operands read and written */

static bool is_load(const struct source *source)
{
	return decode_starts(source->name, "ld");
}

static bool is_store(const struct source *source)
{
	return decode_starts(source->name, "st");
}

static bool is_prefetch(const struct source *source)
{
	return decode_starts(source->name, "prf");
}

/* How many operands, counted from the first, the instruction writes. */
static int targets(const struct source *source)
{
	static const char *const none[] = { "cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp", "fcmpe",
		"fccmp", "fccmpe", "b", "br", "bl", "blr", "ret", "cbz", "cbnz", "tbz", "tbnz",
		"msr", "dc", "ic", "at", "tlbi", "sys", NULL };
	int count = 0;

	if (is_load(source)) {
		while (count < source->decoded.op_count &&
			source->decoded.operands[count].type == ARM64_OP_REG)
			count++;
		return count;
	}
	if (is_store(source)) /* exclusive stores write their success to the first operand */
		return decode_starts(source->name, "stx") || decode_starts(source->name, "stlx")
			       ? 1
			       : 0;
	return is_prefetch(source) || is_one_of(source->name, none) ? 0 : 1;
}

/* Whether the instruction also reads its target: it keeps some bits, or adds to it. */
static bool keeps_target(const struct source *source)
{
	static const char *const names[] = { "movk", "bfi", "bfxil", "bfc", "bfm", "fmla", "fmls",
		"mla", "mls", "ssra", "usra", "srsra", "ursra", "sri", "sli", "tbx", "bsl", "bit",
		"bif", "suqadd", "usqadd", "aese", "aesd", "ins", NULL };
	const char *name = source->name;
	size_t length = strlen(name);

	if (source->decoded.operands[0].vector_index >= 0 &&
		source->decoded.operands[0].type == ARM64_OP_REG &&
		is_vector(source->decoded.operands[0].reg) && !is_store(source))
		return true; /* it writes one lane and keeps the others */
	if (is_one_of(name, names) || strstr(name, "mlal") || strstr(name, "mlsl") ||
		decode_starts(name, "saba") || decode_starts(name, "uaba") ||
		decode_starts(name, "sadalp") || decode_starts(name, "uadalp"))
		return true;
	if (decode_starts(name, "sha") && strcmp(name, "sha1h") != 0)
		return decode_starts(name, "sha1") || decode_starts(name, "sha256"); /* not shadd */
	/* Instructions that write the upper half: xtn2, addhn2, … */
	if (length > 3 && strcmp(name + length - 2, "n2") == 0 && strcmp(name, "trn2") != 0)
		return true;
	return (strcmp(name, "orr") == 0 || strcmp(name, "bic") == 0) &&
	       source->decoded.op_count == 2 && source->decoded.operands[1].type == ARM64_OP_IMM;
}

static enum insn_flow flow(const struct source *source)
{
	static const char *const branches[] = { "cbz", "cbnz", "tbz", "tbnz", NULL };
	static const char *const traps[] = { "svc", "hvc", "smc", "brk", "hlt", "dcps1", "dcps2",
		"dcps3", "drps", "udf", NULL };
	const char *name = source->name;

	if (decode_starts(name, "b.") || is_one_of(name, branches))
		return FLOW_BRANCH;
	if (strcmp(name, "b") == 0)
		return FLOW_JUMP;
	if (strcmp(name, "br") == 0)
		return FLOW_INDIRECT;
	if (strcmp(name, "bl") == 0 || strcmp(name, "blr") == 0)
		return FLOW_CALL;
	if (strcmp(name, "ret") == 0 || strcmp(name, "eret") == 0)
		return FLOW_RETURN;
	return is_one_of(name, traps) ? FLOW_OTHER : FLOW_NONE;
}

/* ---- Filling in */

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
	if (insn->flow == FLOW_RETURN && source->decoded.op_count == 0 &&
		strcmp(source->name, "ret") == 0)
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

/* Fills in the bytes of all accesses, and their number. */
static void fill_size(const struct source *source, struct insn_memory *memory)
{
	static const int element[] = { 0, 1, 2, 4, 8 }; /* by enum arm64_vess */
	const char *name = source->name;
	size_t length = strlen(name);
	int data = decode_starts(name, "stx") || decode_starts(name, "stlx") ? 1 : 0, registers = 0,
	    bytes;
	const cs_arm64_op *operand = &source->decoded.operands[data];

	memory->accesses = 1;
	if (operand->type != ARM64_OP_REG) /* a prefetch */
		return;
	bytes = bits(source, operand) / 8;
	if (length > 2 && name[2] >= '1' && name[2] <= '4') {
		while (registers < source->decoded.op_count &&
			source->decoded.operands[registers].type == ARM64_OP_REG)
			registers++;
		if (operand->vector_index >= 0) {
			bytes = element[operand->vess <= ARM64_VESS_D ? operand->vess : 0];
		} else if (name[3] == 'r') {
			static const int lanes[] = { 1, 8, 16, 4, 8, 2, 4, 1, 2,
				1 }; /* by enum arm64_vas */

			bytes /= lanes[operand->vas <= ARM64_VAS_1Q ? operand->vas : 0];
		} else {
			memory->accesses = (uint8_t)registers;
		}
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
	const cs_arm64_op *operand = source->memory >= 0 ? &source->decoded.operands[source->memory]
							 : NULL,
			  *next;
	struct insn_memory *memory = &insn->memory[0];

	if (!operand)
		return;
	insn->memory_count = 1;
	memory->load = !is_store(source);
	memory->store = is_store(source);
	memory->scale = 1;
	fill_size(source, memory);
	if (operand->type == ARM64_OP_IMM) { /* ldr x0, label */
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

static void shape_letter(
	const struct source *source, const struct insn *insn, int index, char *letter)
{
	const cs_arm64_op *operand = &source->decoded.operands[index];

	if (index == source->memory) {
		strcpy(letter, "m");
		return;
	}
	switch (operand->type) {
	case ARM64_OP_REG:
		if (operand->shift.type == ARM64_SFT_INVALID && operand->ext == ARM64_EXT_INVALID)
			strcpy(letter, is_vector(operand->reg) ? "v" : "r");
		else
			strcpy(letter, (operand->shift.type == ARM64_SFT_LSL ||
					       operand->shift.type == ARM64_SFT_INVALID) &&
						       operand->shift.value <= 4
					       ? "r<s"
					       : "r<l");
		return;
	case ARM64_OP_IMM:
		strcpy(letter, insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER &&
					       index == source->decoded.op_count - 1
				       ? "t"
				       : "i");
		return;
	case ARM64_OP_FP: strcpy(letter, "i"); return;
	default: strcpy(letter, "o");
	}
}

/* The shape omits the type of a prefetch and the offset of a post-indexed access. */
static bool in_shape(const struct source *source, int index)
{
	return source->decoded.operands[index].type != ARM64_OP_PREFETCH &&
	       (source->memory < 0 || index <= source->memory);
}

static void fill_shape(const struct source *source, struct insn *insn)
{
	for (int i = 0; i < source->decoded.op_count; i++) {
		size_t length = strlen(insn->shape);
		char letter[8];

		if (!in_shape(source, i))
			continue;
		shape_letter(source, insn, i, letter);
		snprintf(insn->shape + length, sizeof(insn->shape) - length, "%s%s",
			length ? "," : "", letter);
		if (letter[0] == 't')
			insn->target = (uint64_t)source->decoded.operands[i].imm;
		if (letter[0] == 'i') {
			const cs_arm64_op *operand = &source->decoded.operands[i];

			insn->immediate = true;
			insn->value = operand->type == ARM64_OP_IMM ? operand->imm : 0;
			if (operand->shift.type == ARM64_SFT_LSL)
				insn->value = (int64_t)((uint64_t)insn->value
							<< (operand->shift.value & 63));
		}
	}
}

/* The addend: the fourth operand of scalar instructions, the target of vector instructions. */
static uint8_t accumulator(const struct source *source)
{
	const char *name = source->name;
	int addend = -1;

	if (source->decoded.op_count == 4 && (strstr(name, "madd") || strstr(name, "msub")))
		addend = 3;
	else if (decode_starts(name, "fmla") || decode_starts(name, "fmls") ||
		 strcmp(name, "mla") == 0 || strcmp(name, "mls") == 0 || strstr(name, "mlal") ||
		 strstr(name, "mlsl"))
		addend = 0;
	if (addend < 0 || source->decoded.operands[addend].type != ARM64_OP_REG)
		return REG_NONE;
	return number(source->decoded.operands[addend].reg);
}

/* Whether the instruction copies a whole register. Copies to or from the stack pointer (encoded as
 * additions) and copies of the zero register do not count. */
static bool is_move(const struct source *source)
{
	const cs_arm64_op *to = &source->decoded.operands[0], *from = &source->decoded.operands[1];

	if ((strcmp(source->name, "mov") != 0 && strcmp(source->name, "fmov") != 0) ||
		source->decoded.op_count != 2 || to->type != ARM64_OP_REG ||
		from->type != ARM64_OP_REG || is_zero(from->reg) || is_stack(from->reg) ||
		is_zero(to->reg) || is_stack(to->reg) || to->vector_index >= 0 ||
		from->vector_index >= 0)
		return false;
	return is_vector(to->reg) == is_vector(from->reg) &&
	       bits(source, to) == bits(source, from) && bits(source, to) >= 32;
}

/* The name of the operation. Capstone prints four unrelated instructions as mov. movz and movn are
 * a mov of a constant. */
static const char *operation(const struct source *source)
{
	const cs_arm64_op *to = &source->decoded.operands[0], *from = &source->decoded.operands[1];

	if (strcmp(source->name, "movz") == 0 || strcmp(source->name, "movn") == 0)
		return "mov";
	if (strcmp(source->name, "mov") != 0 || from->type != ARM64_OP_REG)
		return source->name;
	if (to->vector_index >= 0)
		return "ins";
	if (from->vector_index >= 0)
		return is_vector(to->reg) ? "dup" : "umov";
	return "mov";
}

static void fill_text(const struct source *source, struct insn *insn)
{
	char *mark;

	snprintf(insn->mnemonic, sizeof(insn->mnemonic), "%.19s", operation(source));
	snprintf(insn->text, sizeof(insn->text), "%.19s%s%.60s", source->name,
		source->operands[0] ? " " : "", source->operands);
	if (decode_starts(source->name, "movz") || decode_starts(source->name, "movn"))
		snprintf(insn->text, sizeof(insn->text), "mov %.*s #0x%llx",
			(int)strcspn(source->operands, ",") + 1, source->operands,
			(unsigned long long)insn->value);
	if (insn->flow == FLOW_BRANCH && decode_starts(source->name, "b."))
		snprintf(insn->condition, sizeof(insn->condition), "%.3s", source->name + 2);
	/* Write "b.ne 0x400": an address has no #. */
	if (insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER &&
		(mark = strrchr(insn->text, '#')))
		memmove(mark, mark + 1, strlen(mark));
}

static void fill(const struct source *source, struct insn *insn)
{
	insn->known = true;
	insn->flow = flow(source);
	fill_shape(source, insn);
	if (strcmp(source->name, "movn") == 0)
		insn->value = ~insn->value;
	if (insn->immediate && source->decoded.operands[0].type == ARM64_OP_REG &&
		!is_vector(source->decoded.operands[0].reg) &&
		range_of(source->decoded.operands[0].reg)->bits == 32 &&
		decode_starts(source->name, "mov"))
		insn->value &= UINT32_MAX;
	fill_text(source, insn);
	fill_registers(source, insn);
	fill_memory(source, insn);
	fill_width(source, insn);
	insn->accumulator = accumulator(source);
	insn->move = is_move(source);
	insn->zeroing = strcmp(source->name, "movi") == 0 && insn->value == 0;
	insn->load_extends =
		decode_starts(source->name, "ldr") ? source->name[3] == 's'
		: decode_starts(source->name, "ldur") || decode_starts(source->name, "ldtr")
			? source->name[4] == 's'
			: strcmp(source->name, "ldpsw") == 0;
}

static bool has(const uint16_t *list, int count, arm64_reg reg)
{
	for (int i = 0; i < count; i++)
		if (list[i] == reg)
			return true;
	return false;
}

/* Decodes into `source`. Its texts stay valid until the next call. The caller holds the lock. */
static bool decode_source(
	const uint8_t *bytes, size_t size, uint64_t address, struct source *source)
{
	const cs_detail *detail;

	if (!buffer && cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle) == CS_ERR_OK) {
		cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
		buffer = cs_malloc(handle);
	}
	if (!buffer || size < 4)
		return false;
	size = 4;
	if (!cs_disasm_iter(handle, &bytes, &size, &address, buffer))
		return false;
	detail = buffer->detail;
	source->name = buffer->mnemonic;
	source->operands = buffer->op_str;
	source->decoded = detail->arm64;
	source->reads_flags = has(detail->regs_read, detail->regs_read_count, ARM64_REG_NZCV);
	source->writes_flags = has(detail->regs_write, detail->regs_write_count, ARM64_REG_NZCV);
	source->memory = -1;
	for (int i = 0; i < source->decoded.op_count; i++)
		if (source->decoded.operands[i].type == ARM64_OP_MEM ||
			(source->decoded.operands[i].type == ARM64_OP_IMM &&
				(is_load(source) || is_prefetch(source)) && source->memory < 0))
			source->memory = i;
	return true;
}

void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn)
{
	struct source source;

	memset(insn, 0, sizeof(*insn));
	insn->address = address;
	insn->length = size < 4 ? (uint8_t)size : 4;
	pthread_mutex_lock(&lock);
	if (decode_source(bytes, size, address, &source))
		fill(&source, insn);
	pthread_mutex_unlock(&lock);
}
