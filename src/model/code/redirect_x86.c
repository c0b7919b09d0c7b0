/* Copies of x86-64 instructions that write another register, by decoder and encoder of the library
 * Zydis. */
#include "model/code/redirect.h"

#include <Zydis/Zydis.h>

#include "model/code/insn.h"

/* Zydis numbers byte registers in this order: al cl dl bl ah ch dh bh spl bpl sil dil r8b … r15b.
 */
enum { HIGH_FIRST = 4, HIGHS = 4 };

static ZydisRegisterClass class_of(ZydisRegister reg)
{
	return ZydisRegisterGetClass(reg);
}

/* Returns the register `to` (numbered as in insn.h) of the same class and width as `like`. 0: there
 * is no such register. */
static ZydisRegister sibling(ZydisRegister like, int to)
{
	ZydisRegisterClass class = class_of(like);

	switch (class) {
	case ZYDIS_REGCLASS_GPR8:
		to -= REG_GENERAL;
		return ZydisRegisterEncode(class, (ZyanU8)(to < HIGH_FIRST ? to : to + HIGHS));
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64: return ZydisRegisterEncode(class, (ZyanU8)(to - REG_GENERAL));
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM: return ZydisRegisterEncode(class, (ZyanU8)(to - REG_VECTOR));
	case ZYDIS_REGCLASS_MASK: return ZydisRegisterEncode(class, (ZyanU8)(to - REG_MASK));
	default: return ZYDIS_REGISTER_NONE;
	}
}

/* Whether a register of Zydis is the register with the number `from`, or its low part. */
static bool is_part(ZydisRegister reg, int from)
{
	return reg != ZYDIS_REGISTER_NONE && sibling(reg, from) == reg;
}

/* Whether an operand names the register as a whole operand, not as part of an address. */
static bool names(const ZydisDecodedOperand *operand, int from)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER && is_part(operand->reg.value, from);
}

size_t redirect_insn(
	const uint8_t *bytes, size_t size, int from, int to, uint8_t copy[REDIRECT_LONGEST])
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisEncoderRequest request;
	ZyanUSize length = REDIRECT_LONGEST;
	bool replaced = false;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &decoded, operand)) ||
		!ZYAN_SUCCESS(ZydisEncoderDecodedInstructionToEncoderRequest(
			&decoded, operand, decoded.operand_count_visible, &request)))
		return 0;
	for (int i = 0; i < decoded.operand_count; i++) {
		if (!names(&operand[i], from))
			continue;
		if (i >= request.operand_count ||
			operand[i].visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
			return 0;
		request.operands[i].reg.value = sibling(operand[i].reg.value, to);
		replaced |= (operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
	}
	if (!replaced || !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, copy, &length)))
		return 0;
	return length;
}
