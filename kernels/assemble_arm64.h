/* The instruction forms that assemble_arm64.c encodes: the shape of the operands, and for each
 * mnemonic the bits that remain when all operands are zero. Source: the Arm architecture (DDI 0487,
 * chapter C6). tests/unit/assemble_arm64.h decodes each form again.
 *
 * An operand is a letter for its kind and a letter for its field. Kinds:
 *
 * - r: a general register, x or w, the same width in the whole line (bit 31)
 * - s: like r, but register 31 is the stack pointer
 * - x w: a general register of that width; p: an address
 * - f: a scalar, s or d, the same in the whole line (bit 22); S D Q: a scalar of that width
 * - v i j l: a vector of any arrangement of its instructions, the same in the whole line
 *   (v floating point; i integers; j integers of up to 32 bits; l bits)
 * - B F T: .16b .4s .2d
 *
 * Fields: d t at bit 0, n at 5, u a at 10, m at 16, b both n and m.
 *
 * #X is a number as number_bits() reads it, =N the number N, L "lsl", ? a condition, ~ its
 * opposite, / an optional shift to the left. @ % * & are addresses (`addresses` in
 * assemble_arm64.c) in the unit of the next letter. 'word' and all other characters stand for
 * themselves. */
#pragma once

#include <stdint.h>

enum { FORM_MNEMONICS = 14 };

struct form {
	const char *operands;
	struct {
		const char *name; /* NULL: the end of the list */
		uint32_t bits;
	} mnemonic[FORM_MNEMONICS];
};

/* Forms of one mnemonic are tried in this order. */
static const struct form forms[] = {
	/* No operands, and other forms */
	{ "", { { "nop", 0xd503201f }, { "ret", 0xd65f03c0 }, { "isb", 0xd5033fdf } } },
	{ "xn", { { "ret", 0xd65f0000 }, { "br", 0xd61f0000 }, { "blr", 0xd63f0000 } } },
	{ "'ish'", { { "dmb", 0xd5033bbf }, { "dsb", 0xd5033b9f } } },
	/* Whole numbers */
	{ "rd,rn,rm/", { { "add", 0x0b000000 }, { "sub", 0x4b000000 }, { "adds", 0x2b000000 },
			       { "subs", 0x6b000000 }, { "and", 0x0a000000 }, { "orr", 0x2a000000 },
			       { "eor", 0x4a000000 }, { "ands", 0x6a000000 }, { "bic", 0x0a200000 },
			       { "orn", 0x2a200000 }, { "eon", 0x4a200000 } } },
	{ "sd,sn,#a", { { "add", 0x11000000 }, { "sub", 0x51000000 } } },
	{ "rd,sn,#a", { { "adds", 0x31000000 }, { "subs", 0x71000000 } } },
	{ "rn,rm", { { "cmp", 0x6b00001f }, { "cmn", 0x2b00001f }, { "tst", 0x6a00001f } } },
	{ "sn,#a", { { "cmp", 0x7100001f }, { "cmn", 0x3100001f } } },
	{ "sd,rn,#b", { { "and", 0x12000000 }, { "orr", 0x32000000 }, { "eor", 0x52000000 } } },
	{ "rd,rn,#b", { { "ands", 0x72000000 } } }, { "rn,#b", { { "tst", 0x7200001f } } },
	{ "rd,rm", { { "mvn", 0x2a2003e0 }, { "neg", 0x4b0003e0 }, { "mov", 0x2a0003e0 } } },
	{ "sd,sn", { { "mov", 0x11000000 } } }, { "rd,#W", { { "mov", 0x52800000 } } },
	{ "rd,#M", { { "mov", 0x12800000 } } }, { "sd,#b", { { "mov", 0x320003e0 } } },
	{ "rd,#h", { { "movz", 0x52800000 }, { "movn", 0x12800000 }, { "movk", 0x72800000 } } },
	{ "rd,#h,L#q", { { "movz", 0x52800000 }, { "movn", 0x12800000 }, { "movk", 0x72800000 } } },
	{ "rd,rn,rm", { { "adc", 0x1a000000 }, { "sbc", 0x5a000000 }, { "mul", 0x1b007c00 },
			      { "mneg", 0x1b00fc00 }, { "sdiv", 0x1ac00c00 },
			      { "udiv", 0x1ac00800 }, { "lsl", 0x1ac02000 }, { "lsr", 0x1ac02400 },
			      { "asr", 0x1ac02800 }, { "ror", 0x1ac02c00 } } },
	{ "rd,rn,rm,ra", { { "madd", 0x1b000000 }, { "msub", 0x1b008000 } } },
	{ "xd,xn,xm", { { "smulh", 0x9b407c00 }, { "umulh", 0x9bc07c00 } } },
	{ "xd,wn,wm", { { "smull", 0x9b207c00 }, { "umull", 0x9ba07c00 } } },
	{ "xd,wn,wm,xa", { { "smaddl", 0x9b200000 }, { "umaddl", 0x9ba00000 } } },
	{ "rd,rn,#l", { { "lsl", 0x53000000 } } },
	{ "rd,rn,#r", { { "lsr", 0x53000000 }, { "asr", 0x13000000 } } },
	{ "rd,rb,#e", { { "ror", 0x13800000 } } }, { "rd,rn,rm,#e", { { "extr", 0x13800000 } } },
	{ "rd,rn,#x,#y", { { "ubfx", 0x53000000 }, { "sbfx", 0x13000000 } } },
	{ "rd,rn", { { "clz", 0x5ac01000 }, { "cls", 0x5ac01400 }, { "rbit", 0x5ac00000 } } },
	{ "wd,wn", { { "rev", 0x5ac00800 }, { "uxtb", 0x53001c00 }, { "uxth", 0x53003c00 } } },
	{ "xd,xn", { { "rev", 0xdac00c00 } } }, { "xd,wn", { { "sxtw", 0x93407c00 } } },
	{ "wd,wn,xm", { { "crc32x", 0x9ac04c00 }, { "crc32cx", 0x9ac05c00 } } },
	{ "rd,rn,rm,?", { { "csel", 0x1a800000 }, { "csinc", 0x1a800400 }, { "csinv", 0x5a800000 },
				{ "csneg", 0x5a800400 } } },
	{ "rd,~", { { "cset", 0x1a9f07e0 } } }, { "rn,rm,#c,?", { { "ccmp", 0x7a400000 } } },
	/* Memory */
	{ "xt,@8", { { "ldr", 0xf8400000 }, { "str", 0xf8000000 } } },
	{ "wt,@4", { { "ldr", 0xb8400000 }, { "str", 0xb8000000 } } },
	{ "Qt,@g", { { "ldr", 0x3cc00000 }, { "str", 0x3c800000 } } },
	{ "Dt,@8", { { "ldr", 0xfc400000 }, { "str", 0xfc000000 } } },
	{ "St,@4", { { "ldr", 0xbc400000 }, { "str", 0xbc000000 } } },
	{ "wt,%1", { { "ldrb", 0x38400000 }, { "strb", 0x38000000 } } },
	{ "wt,@2", { { "ldrh", 0x78400000 }, { "strh", 0x78000000 } } },
	{ "xt,@4", { { "ldrsw", 0xb8800000 } } },
	{ "xt,[pn,#s]", { { "ldur", 0xf8400000 }, { "stur", 0xf8000000 } } },
	{ "wt,[pn,#s]", { { "ldur", 0xb8400000 }, { "stur", 0xb8000000 } } },
	{ "Qt,[pn,#s]", { { "ldur", 0x3cc00000 }, { "stur", 0x3c800000 } } },
	{ "Dt,[pn,#s]", { { "ldur", 0xfc400000 }, { "stur", 0xfc000000 } } },
	{ "xt,xu,&P", { { "ldp", 0xa8400000 }, { "stp", 0xa8000000 } } },
	{ "wt,wu,&p", { { "ldp", 0x28400000 }, { "stp", 0x28000000 } } },
	{ "Qt,Qu,&R", { { "ldp", 0xac400000 }, { "stp", 0xac000000 } } },
	{ "Dt,Du,&P", { { "ldp", 0x6c400000 }, { "stp", 0x6c000000 } } },
	{ "'pldl1keep',*8", { { "prfm", 0xf8800000 } } },
	{ "'pldl1strm',*8", { { "prfm", 0xf8800001 } } },
	{ "'pldl2keep',*8", { { "prfm", 0xf8800002 } } },
	{ "'pldl3keep',*8", { { "prfm", 0xf8800004 } } },
	{ "'pstl1keep',*8", { { "prfm", 0xf8800010 } } },
	/* Floating point */
	{ "fd,fn,fm", { { "fadd", 0x1e202800 }, { "fsub", 0x1e203800 }, { "fmul", 0x1e200800 },
			      { "fdiv", 0x1e201800 }, { "fnmul", 0x1e208800 },
			      { "fmax", 0x1e204800 }, { "fmin", 0x1e205800 },
			      { "fmaxnm", 0x1e206800 }, { "fminnm", 0x1e207800 } } },
	{ "fd,fn,fm,fa", { { "fmadd", 0x1f000000 }, { "fmsub", 0x1f008000 },
				 { "fnmadd", 0x1f200000 }, { "fnmsub", 0x1f208000 } } },
	{ "fd,fn", { { "fsqrt", 0x1e21c000 }, { "fabs", 0x1e20c000 }, { "fneg", 0x1e214000 },
			   { "fmov", 0x1e204000 }, { "frintz", 0x1e25c000 } } },
	{ "fn,fm", { { "fcmp", 0x1e202000 } } }, { "fd,fn,fm,?", { { "fcsel", 0x1e200c00 } } },
	{ "xd,Dn", { { "fmov", 0x9e660000 } } }, { "Dd,xn", { { "fmov", 0x9e670000 } } },
	{ "wd,Sn", { { "fmov", 0x1e260000 } } }, { "Sd,wn", { { "fmov", 0x1e270000 } } },
	{ "fd,rn", { { "scvtf", 0x1e220000 }, { "ucvtf", 0x1e230000 } } },
	{ "rd,fn", { { "fcvtzs", 0x1e380000 }, { "fcvtzu", 0x1e390000 } } },
	{ "Dd,Sn", { { "fcvt", 0x1e22c000 } } }, { "Sd,Dn", { { "fcvt", 0x1e624000 } } },
	/* Vectors */
	{ "vd,vn,vm",
		{ { "fadd", 0x0e20d400 }, { "fsub", 0x0ea0d400 }, { "fmul", 0x2e20dc00 },
			{ "fdiv", 0x2e20fc00 }, { "fmla", 0x0e20cc00 }, { "fmls", 0x0ea0cc00 },
			{ "fmax", 0x0e20f400 }, { "fmin", 0x0ea0f400 }, { "faddp", 0x2e20d400 } } },
	{ "vd,vn", { { "fsqrt", 0x2ea1f800 }, { "fabs", 0x0ea0f800 }, { "fneg", 0x2ea0f800 },
			   { "scvtf", 0x0e21d800 }, { "fcvtzs", 0x0ea1b800 } } },
	{ "id,in,im",
		{ { "add", 0x0e208400 }, { "sub", 0x2e208400 }, { "cmeq", 0x2e208c00 },
			{ "cmgt", 0x0e203400 }, { "cmhi", 0x2e203400 }, { "sshl", 0x0e204400 },
			{ "ushl", 0x2e204400 }, { "addp", 0x0e20bc00 }, { "zip1", 0x0e003800 },
			{ "zip2", 0x0e007800 }, { "uzp1", 0x0e001800 }, { "uzp2", 0x0e005800 },
			{ "trn1", 0x0e002800 }, { "trn2", 0x0e006800 } } },
	{ "jd,jn,jm",
		{ { "mul", 0x0e209c00 }, { "mla", 0x0e209400 }, { "smax", 0x0e206400 },
			{ "smin", 0x0e206c00 }, { "umax", 0x2e206400 }, { "umin", 0x2e206c00 } } },
	{ "id,in", { { "abs", 0x0e20b800 }, { "neg", 0x2e20b800 } } },
	{ "ld,ln,lm", { { "and", 0x0e201c00 }, { "orr", 0x0ea01c00 }, { "eor", 0x2e201c00 },
			      { "bic", 0x0e601c00 }, { "bsl", 0x2e601c00 } } },
	{ "ld,ln", { { "cnt", 0x0e205800 }, { "mvn", 0x2e205800 } } },
	{ "ld,lb", { { "mov", 0x0ea01c00 } } }, { "Bd,{Bn},Bm", { { "tbl", 0x4e000000 } } },
	{ "Sd,Fn", { { "addv", 0x4eb1b800 } } }, { "Fd,Fn,#t", { { "shl", 0x4f005400 } } },
	{ "Td,Tn,#T", { { "shl", 0x4f005400 } } },
	{ "Fd,Fn,#u", { { "ushr", 0x6f000400 }, { "sshr", 0x4f000400 } } },
	{ "Td,Tn,#U", { { "ushr", 0x6f000400 }, { "sshr", 0x4f000400 } } },
	{ "Fd,wn", { { "dup", 0x4e040c00 } } }, { "Td,xn", { { "dup", 0x4e080c00 } } },
	{ "Td,#z", { { "movi", 0x6f00e400 } } }
};
