/* Encodes x86-64 instructions from lines in Intel's syntax, with the encoder of the library Zydis:
 * see assemble.h. */
#include "kernels/assemble.h"

#include <ctype.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "kernels/assemble_read.h"

/* ---- Names */

enum { NAME_LONGEST = 24 };

static struct hsearch_data mnemonics, registers;
static pthread_once_t named = PTHREAD_ONCE_INIT;

static void enter(struct hsearch_data *table, const char *text, unsigned value)
{
	ENTRY *entry;

	if (text)
		hsearch_r((ENTRY){ (char *)text, (void *)(uintptr_t)value }, ENTER, &entry, table);
}

static void enter_all(void)
{
	hcreate_r(2 * ZYDIS_MNEMONIC_MAX_VALUE, &mnemonics);
	hcreate_r(2 * ZYDIS_REGISTER_MAX_VALUE, &registers);
	for (unsigned i = ZYDIS_MNEMONIC_INVALID + 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		enter(&mnemonics, ZydisMnemonicGetString((ZydisMnemonic)i), i);
	for (unsigned i = ZYDIS_REGISTER_NONE + 1; i <= ZYDIS_REGISTER_MAX_VALUE; i++)
		enter(&registers, ZydisRegisterGetString((ZydisRegister)i), i);
}

/* Looks a name up in a table. Returns 0 if the table lacks the name. */
static unsigned look_up(struct hsearch_data *table, const char *text, size_t length)
{
	char key[NAME_LONGEST] = "";
	ENTRY *entry;

	if (length == 0 || length >= sizeof(key))
		return 0;
	pthread_once(&named, enter_all);
	memcpy(key, text, length);
	return hsearch_r((ENTRY){ .key = key }, FIND, &entry, table) ? (uintptr_t)entry->data : 0;
}

static bool is_word(const char *at, size_t length, const char *word)
{
	return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* Returns the mnemonic with a name. Conditions of jumps have several spellings, but Zydis knows
 * only one spelling for each. */
static ZydisMnemonic mnemonic_of(const char *text, size_t length)
{
	static const char *const spelling[][2] = { { "e", "z" }, { "ne", "nz" }, { "c", "b" },
		{ "nae", "b" }, { "nc", "nb" }, { "ae", "nb" }, { "na", "be" }, { "a", "nbe" },
		{ "nge", "l" }, { "ge", "nl" }, { "ng", "le" }, { "g", "nle" }, { "pe", "p" },
		{ "po", "np" } };
	static const char *const before[] = { "j", "cmov", "set" };
	unsigned found = look_up(&mnemonics, text, length);

	for (size_t i = 0; !found && i < sizeof(before) / sizeof(*before); i++) {
		size_t stem = strlen(before[i]);

		if (length <= stem || strncmp(text, before[i], stem) != 0)
			continue;
		for (size_t k = 0; !found && k < sizeof(spelling) / sizeof(*spelling); k++) {
			char other[NAME_LONGEST];

			if (!is_word(text + stem, length - stem, spelling[k][0]))
				continue;
			snprintf(other, sizeof(other), "%s%s", before[i], spelling[k][1]);
			found = look_up(&mnemonics, other, strlen(other));
		}
	}
	return (ZydisMnemonic)found;
}

static ZydisRegister register_of(const char *text, size_t length)
{
	return (ZydisRegister)look_up(&registers, text, length);
}

static ZyanU16 register_bytes(ZydisRegister reg)
{
	return (ZyanU16)(ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg) / 8);
}

/* ---- Lines */

struct line {
	const char *whole, *at; /* the whole line, and the position up to which the line was read */
	char why[96];		/* the text of the error; empty: no error so far */
	bool sized;		/* the memory operand states its size */
	int memory; /* index of the memory operand; -1: the line has no memory operand */
	bool zeroed;
	bool evex;	    /* the line begins with {evex}: no shorter encoding is allowed */
	ZydisRegister mask; /* the mask register; 0: the line has no mask */
};

static bool wrong_at(struct line *line, const char *what, const char *at, size_t length)
{
	if (!line->why[0])
		snprintf(line->why, sizeof(line->why), "%s \"%.*s\"", what,
			(int)(length < 40 ? length : 40), at);
	return false;
}

static bool wrong(struct line *line, const char *what)
{
	return wrong_at(line, what, line->whole, strlen(line->whole));
}

static size_t word(const char *at)
{
	size_t length = 0;

	while (isalnum((unsigned char)at[length]) || at[length] == '_')
		length++;
	return length;
}

static bool take(struct line *line, char c)
{
	return encode_take(&line->at, c);
}

/* Skips the word `text` and the blanks after it. Returns false if the line has another word there.
 */
static bool take_word(struct line *line, const char *text)
{
	size_t length = word(line->at);

	if (!is_word(line->at, length, text))
		return false;
	line->at += length;
	take(line, 0);
	return true;
}

static bool number(struct line *line, int64_t *value)
{
	if (encode_number(&line->at, value))
		return true;
	return isdigit((unsigned char)*line->at)
		       ? wrong_at(line, "no number:", line->at, word(line->at))
		       : wrong_at(line, "neither a register nor a number:", line->at,
				 strcspn(line->at, ",]"));
}

/* Reads one term of an address, between two plus signs. */
static bool term(struct line *line, ZydisEncoderOperand *operand, bool minus)
{
	size_t length;
	ZydisRegister reg;
	int64_t value;

	take(line, 0);
	length = word(line->at);
	reg = register_of(line->at, length);
	if (!reg) {
		if (!number(line, &value))
			return false;
		if (value > INT32_MAX || value < INT32_MIN)
			return wrong(line, "an address further away than 2 GiB:");
		operand->mem.displacement += minus ? -value : value;
		return true;
	}
	line->at += length;
	if (minus)
		return wrong_at(
			line, "a register cannot be subtracted:", line->at - length, length);
	if (take(line, '*')) {
		if (!number(line, &value))
			return false;
		if (operand->mem.index || (value != 1 && value != 2 && value != 4 && value != 8))
			return wrong(line, "one register times 1, 2, 4 or 8, and no more:");
		operand->mem.index = reg;
		operand->mem.scale = (ZyanU8)value;
		return true;
	}
	if (!operand->mem.base && register_bytes(reg) <= 8) {
		operand->mem.base = reg;
		return true;
	}
	if (operand->mem.index)
		return wrong(line, "three registers in");
	operand->mem.index = reg;
	operand->mem.scale = 1;
	return true;
}

/* Reads an address such as "[rax+rcx*4-16]", after its opening bracket. */
static bool address(struct line *line, ZydisEncoderOperand *operand)
{
	bool minus = false;

	operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
	do {
		if (!term(line, operand, minus))
			return false;
		take(line, 0);
		minus = *line->at == '-';
	} while ((*line->at == '+' || *line->at == '-') && line->at++);
	return take(line, ']') || wrong(line, "no closing bracket in");
}

/* Skips words such as "dword ptr" and returns the size that they state, in bytes. Returns 0 if the
 * line has no such words there. */
static ZyanU16 size_word(struct line *line)
{
	static const struct {
		const char *word;
		ZyanU16 bytes;
	} sizes[] = { { "byte", 1 }, { "word", 2 }, { "dword", 4 }, { "qword", 8 },
		{ "xmmword", 16 }, { "ymmword", 32 }, { "zmmword", 64 } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (take_word(line, sizes[i].word)) {
			take_word(line, "ptr");
			return sizes[i].bytes;
		}
	return 0;
}

/* Reads the mask "{k1}" and the zeroing mark "{z}" after an operand. */
static bool braces(struct line *line)
{
	while (take(line, '{')) {
		size_t length = word(line->at);
		ZydisRegister reg = register_of(line->at, length);

		if (length == 1 && *line->at == 'z')
			line->zeroed = true;
		else if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_MASK)
			line->mask = reg;
		else
			return wrong_at(line, "no mask:", line->at, strcspn(line->at, "},"));
		line->at += length;
		if (!take(line, '}'))
			return wrong(line, "no closing brace in");
	}
	return true;
}

static bool operand_of(struct line *line, ZydisEncoderRequest *request)
{
	ZydisEncoderOperand *operand = &request->operands[request->operand_count];
	size_t length;
	ZyanU16 bytes;

	if (request->operand_count >= ZYDIS_ENCODER_MAX_OPERANDS - 1)
		return wrong(line, "too many operands:");
	take(line, 0);
	bytes = size_word(line);
	if (take(line, '[')) {
		if (line->memory >= 0)
			return wrong(line, "two operands in memory:");
		line->memory = request->operand_count;
		line->sized = bytes != 0;
		operand->mem.size = bytes;
		request->operand_count++;
		return address(line, operand) && braces(line);
	}
	if (bytes)
		return wrong(line, "expected memory after the size:");
	length = word(line->at);
	operand->reg.value = register_of(line->at, length);
	request->operand_count++;
	if (operand->reg.value) {
		operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
		line->at += length;
		return braces(line);
	}
	operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
	return number(line, &operand->imm.s);
}

static bool mnemonic(struct line *line, ZydisEncoderRequest *request)
{
	static const char evex[] = "{evex}";
	static const struct {
		const char *word;
		ZydisInstructionAttributes attribute;
	} prefixes[] = { { "lock", ZYDIS_ATTRIB_HAS_LOCK }, { "rep", ZYDIS_ATTRIB_HAS_REP },
		{ "repe", ZYDIS_ATTRIB_HAS_REPE }, { "repne", ZYDIS_ATTRIB_HAS_REPNE } };
	size_t length;

	take(line, 0);
	if (!strncmp(line->at, evex, strlen(evex))) {
		line->evex = true;
		line->at += strlen(evex);
		take(line, 0);
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes) && !request->prefixes; i++)
		if (take_word(line, prefixes[i].word))
			request->prefixes = prefixes[i].attribute;
	length = word(line->at);
	request->mnemonic = mnemonic_of(line->at, length);
	if (!request->mnemonic)
		return wrong_at(line, "no instruction is called", line->at,
			length ? length : strlen(line->at));
	line->at += length;
	return true;
}

static bool parse(struct line *line, ZydisEncoderRequest *request)
{
	if (!mnemonic(line, request))
		return false;
	take(line, 0);
	if (*line->at)
		do {
			if (!operand_of(line, request))
				return false;
		} while (take(line, ','));
	take(line, 0);
	return !*line->at ||
	       wrong_at(line, "more than an instruction:", line->at, strlen(line->at));
}

/* ---- Encoding */

/* Gives a nop with a memory operand the opcode that the vendors recommend. Zydis takes the opcode
 * of a hint (0f 18 /4), which takes 4 cycles on Golden Cove. */
static void mend_nop(unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i + 2 < length; i++)
		if (bytes[i] == 0x0f && bytes[i + 1] >= 0x18 && bytes[i + 1] <= 0x1e) {
			bytes[i + 1] = 0x1f;
			bytes[i + 2] &= 0xc7; /* /0 */
			return;
		}
}

static bool encode_request(const ZydisEncoderRequest *request, unsigned char *bytes, size_t *length)
{
	ZyanUSize room = ASSEMBLE_LONGEST - 1;

	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, bytes, &room)))
		return false;
	*length = room;
	if (request->mnemonic == ZYDIS_MNEMONIC_NOP)
		mend_nop(bytes, *length);
	return true;
}

/* Tries to encode a request with and without a mask operand. In Zydis, the mask is one of the
 * operands, and k0 means no mask. A request with a mask operand has an EVEX encoding. */
static bool any_mask(const struct line *line, const ZydisEncoderRequest *request,
	unsigned char *bytes, size_t *length)
{
	ZydisEncoderRequest masked = *request, immediate = *request;

	if (!line->mask && !line->zeroed && !line->evex && encode_request(request, bytes, length))
		return true;
	if (!request->operand_count)
		return false;
	masked.operand_count++;
	memmove(&masked.operands[2], &masked.operands[1],
		(ZYDIS_ENCODER_MAX_OPERANDS - 2) * sizeof(masked.operands[0]));
	masked.operands[1] = (ZydisEncoderOperand){ .type = ZYDIS_OPERAND_TYPE_REGISTER,
		.reg.value = line->mask ? line->mask : ZYDIS_REGISTER_K0 };
	masked.evex.zeroing_mask = line->zeroed;
	if (encode_request(&masked, bytes, length))
		return true;
	/* Some instructions encode the last register like an immediate. */
	immediate.operands[3].reg.is4 = ZYAN_TRUE;
	return request->operand_count == 4 && !line->mask &&
	       encode_request(&immediate, bytes, length);
}

/* Tries to encode a request with different forms of the immediate. Zydis expects signed immediates:
 * for a 32-bit register, 0xffffffff must be -1. */
static bool any_immediate(const struct line *line, const ZydisEncoderRequest *request,
	unsigned char *bytes, size_t *length)
{
	ZydisEncoderRequest signed_request = *request;
	ZydisEncoderOperand *first = &signed_request.operands[0],
			    *last = first +
				    (request->operand_count ? request->operand_count - 1 : 0);
	unsigned bits =
		8u * (first->type == ZYDIS_OPERAND_TYPE_MEMORY ? first->mem.size
							       : register_bytes(first->reg.value));

	if (any_mask(line, request, bytes, length))
		return true;
	if (last == first || last->type != ZYDIS_OPERAND_TYPE_IMMEDIATE || bits == 0 || bits > 32 ||
		last->imm.s <= 0 || (uint64_t)last->imm.s >> (bits - 1) != 1)
		return false;
	last->imm.s -= (int64_t)1 << bits;
	return any_mask(line, &signed_request, bytes, length);
}

/* Returns the bytes of the widest register operand, which is also the size of the memory operand.
 * Ignores the register cl, because cl is a shift count. */
static ZyanU16 widest_register(const ZydisEncoderRequest *request)
{
	ZyanU16 most = 0;

	for (int i = 0; i < request->operand_count; i++) {
		ZydisRegister reg = request->operands[i].reg.value;

		if (request->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			reg != ZYDIS_REGISTER_CL && register_bytes(reg) > most)
			most = register_bytes(reg);
	}
	return most;
}

static bool any_size(
	struct line *line, ZydisEncoderRequest *request, unsigned char *bytes, size_t *length)
{
	ZyanU16 *size;
	int found = 0;

	if (line->memory < 0 || line->sized)
		return any_immediate(line, request, bytes, length);
	size = &request->operands[line->memory].mem.size;
	*size = request->mnemonic == ZYDIS_MNEMONIC_JMP || request->mnemonic == ZYDIS_MNEMONIC_CALL
			? 8
			: widest_register(request);
	if (*size && any_immediate(line, request, bytes, length))
		return true;
	/* The loop tries all sizes of the memory operand. A failed attempt does not change *bytes
	 * and *length. */
	for (*size = 1; *size <= 64; *size = (ZyanU16)(*size * 2))
		found += any_immediate(line, request, bytes, length);
	return found == 1 ||
	       (found > 1 && wrong(line, "the size of the operand in memory is missing:"));
}

struct status encode_line(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	struct line line = { .whole = text, .at = text, .memory = -1 };
	ZydisEncoderRequest request = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64 };

	if (!parse(&line, &request) || !any_size(&line, &request, bytes, length))
		return status_failed("\"%.100s\" cannot be assembled: %s", text,
			line.why[0] ? line.why : "no such instruction takes these operands");
	return status_ok();
}

/* ---- Jumps: a jump has one or two bytes of opcode, then a 32-bit distance from the end of the
 * instruction */

struct status encode_jump(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	ZydisEncoderRequest request = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
		.mnemonic = mnemonic_of(text, strlen(text)),
		.branch_type = ZYDIS_BRANCH_TYPE_NEAR,
		.branch_width = ZYDIS_BRANCH_WIDTH_32,
		.operand_count = 1,
		.operands = { { .type = ZYDIS_OPERAND_TYPE_IMMEDIATE } } };

	if (!request.mnemonic || (text[0] != 'j' && request.mnemonic != ZYDIS_MNEMONIC_CALL) ||
		!encode_request(&request, bytes, length))
		return status_failed("\"%.40s\" is not a jump that reaches every address", text);
	return status_ok();
}

struct status encode_address(const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	ZydisEncoderRequest request = { .machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
		.mnemonic = ZYDIS_MNEMONIC_LEA,
		.operand_count = 2,
		.operands = { { .type = ZYDIS_OPERAND_TYPE_REGISTER,
				      .reg.value = register_of(reg, strlen(reg)) },
			{ .type = ZYDIS_OPERAND_TYPE_MEMORY,
				.mem = { .base = ZYDIS_REGISTER_RIP, .size = 8 } } } };

	if (ZydisRegisterGetClass(request.operands[0].reg.value) != ZYDIS_REGCLASS_GPR64 ||
		!encode_request(&request, bytes, length))
		return status_failed("\"%.40s\" is not a register for an address", reg);
	return status_ok();
}

bool encode_distance(unsigned char *at, const unsigned char *target)
{
	size_t length =
		at[0] == 0xe8 || at[0] == 0xe9 ? 5
		: at[0] == 0x0f
			? 6
			: 7; /* lengths of call and jmp: 5; of conditional jumps: 6; of lea: 7 */
	int64_t distance = target - (at + length);
	int32_t narrow = (int32_t)distance;

	memcpy(at + length - sizeof(narrow), &narrow, sizeof(narrow));
	return narrow == distance;
}

bool encode_nops(unsigned char *at, size_t bytes)
{
	return bytes == 0 || ZYAN_SUCCESS(ZydisEncoderNopFill(at, bytes));
}
