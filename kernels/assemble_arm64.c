/* Encodes AArch64 instructions from lines in Arm's syntax: see assemble.h. A table has the forms of
 * instructions; the encoder matches the operands of a line against each form. */
#include "kernels/assemble.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/assemble_read.h"

/* The forms of each mnemonic. bits: the instruction word if all operands are zero.
 * kernels/arm64.forms describes the text of `operands`. */
static const struct {
	const char *operands, *name;
	uint32_t bits;
} forms[] = {
#include "kernels/arm64_forms.inc"
};

enum { FORMS = sizeof(forms) / sizeof(*forms), WORD = 4 };

static const char *const conditions[16] = { "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi",
	"ls", "ge", "lt", "gt", "le", "al", "nv" };

/* The state of matching a line against one form. */
struct match {
	const char *at;
	uint32_t bits;
	int wide;  /* width of the general registers: 1 for x registers, 0 for w registers; -1: not
		      known yet */
	int twice; /* width of the scalar registers: 1 for d registers, 0 for s registers; -1: not
		      known yet */
	char arrangement[4]; /* arrangement of the vector registers, such as "4s"; empty: not known
				yet */
	unsigned shift;	     /* the first number of ubfx, which is the lowest bit */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool take_word(struct match *match, const char *word, size_t length)
{
	encode_take(&match->at, 0);
	if (strncmp(match->at, word, length) != 0 || is_word(match->at[length]))
		return false;
	match->at += length;
	return true;
}

static bool take(struct match *match, char c)
{
	return encode_take(&match->at, c);
}

/* Reads a number such as "#8", "-16" or "#0xff". */
static bool take_number(struct match *match, int64_t *value)
{
	take(match, '#');
	return encode_number(&match->at, value);
}

/* ---- Registers */

/* Reads a register such as "x17": stores its letter and its number. */
static bool take_register(struct match *match, char *letter, unsigned *reg)
{
	/* For each name of register 31, such as sp or xzr, a letter. A capital letter means the
	 * stack pointer; a small letter means the zero register. */
	static const struct {
		const char *name;
		char letter;
	} last[] = { { "wsp", 'W' }, { "sp", 'X' }, { "xzr", 'x' }, { "wzr", 'w' } };
	const char *at;
	char *end;

	*reg = 31;
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++) {
		*letter = last[i].letter;
		if (take_word(match, last[i].name, strlen(last[i].name)))
			return true;
	}
	at = match->at;
	*letter = *at;
	if (!*at || !strchr("xwsdqv", *at) || !isdigit((unsigned char)at[1]) ||
		(at[1] == '0' && isdigit((unsigned char)at[2])))
		return false;
	*reg = (unsigned)strtoul(at + 1, &end, 10);
	if (is_word(*end) || end - at > 3 || *reg > (*at == 'x' || *at == 'w' ? 30 : 31))
		return false;
	match->at = end;
	return true;
}

/* If *kept is negative, stores `seen` in *kept and returns true. Otherwise returns whether `seen`
 * equals *kept, so that all registers of a line have the same width. */
static bool alike(int *kept, int seen)
{
	if (*kept < 0)
		*kept = seen;
	return *kept == seen;
}

/* Reads an arrangement such as ".4s" after a vector register. Checks that the kind of operand
 * allows the arrangement, and sets the bits that encode the arrangement. */
static bool take_arrangement(struct match *match, char kind)
{
	/* For each arrangement: the bit Q, the size field of integers, the bit sz of floating
	 * point, and the kinds of operands that allow the arrangement. */
	static const struct {
		const char *name;
		uint32_t q, size, sz;
		const char *kinds;
	} arrangements[] = { { "8b", 0, 0, 0, "ijl" }, { "16b", 1, 0, 0, "ijlB" },
		{ "4h", 0, 1, 0, "ij" }, { "8h", 1, 1, 0, "ij" }, { "2s", 0, 2, 0, "ijv" },
		{ "4s", 1, 2, 0, "ijvF" }, { "2d", 1, 3, 1, "ivT" } };

	if (*match->at != '.')
		return false;
	match->at++;
	for (size_t i = 0; i < sizeof(arrangements) / sizeof(*arrangements); i++) {
		if (!strchr(arrangements[i].kinds, kind) ||
			!take_word(match, arrangements[i].name, strlen(arrangements[i].name)))
			continue;
		if (strchr("BFT", kind))
			return true; /* the instruction word in the table already includes the bits
					of the vector arrangement */
		if (match->arrangement[0])
			return strcmp(match->arrangement, arrangements[i].name) == 0;
		strcpy(match->arrangement, arrangements[i].name);
		match->bits |= arrangements[i].q << 30;
		if (kind == 'i' || kind == 'j')
			match->bits |= arrangements[i].size << 22;
		else if (kind == 'v')
			match->bits |= arrangements[i].sz << 22;
		return true;
	}
	return false;
}

static bool is_of_kind(struct match *match, char kind, char letter, unsigned reg)
{
	bool stack = letter == 'X' || letter == 'W';
	bool zero = reg == 31 && !stack;

	switch (kind) {
	case 'r': return (letter == 'x' || letter == 'w') && alike(&match->wide, letter == 'x');
	case 's':
		return (stack || ((letter == 'x' || letter == 'w') && !zero)) &&
		       alike(&match->wide, tolower((unsigned char)letter) == 'x');
	case 'x': return letter == 'x';
	case 'w': return letter == 'w';
	case 'p': return letter == 'X' || (letter == 'x' && !zero);
	case 'f': return (letter == 's' || letter == 'd') && alike(&match->twice, letter == 'd');
	case 'S': return letter == 's';
	case 'D': return letter == 'd';
	case 'Q': return letter == 'q';
	default: return letter == 'v' && take_arrangement(match, kind);
	}
}

static bool match_register(struct match *match, char kind, char field)
{
	char letter;
	unsigned reg;

	if (!take_register(match, &letter, &reg) || !is_of_kind(match, kind, letter, reg))
		return false;
	if (strchr("nb", field))
		match->bits |= reg << 5;
	if (strchr("mb", field))
		match->bits |= reg << 16;
	if (strchr("ua", field))
		match->bits |= reg << 10;
	if (strchr("dt", field))
		match->bits |= reg;
	return true;
}

/* ---- Numbers */

static uint64_t ones(unsigned count)
{
	return count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* Encodes a logical immediate at bit 10 (N, immr, imms). A logical immediate is a repeated pattern
 * of 2 … 64 bits, and each pattern is a rotated run of ones. Returns false if the value is not a
 * logical immediate. */
static bool pattern_bits(uint64_t value, bool wide, uint32_t *bits)
{
	unsigned size = wide ? 64 : 32, count, rotate;

	if (!wide) {
		if (value >> 32 && value >> 31 != ones(33))
			return false;
		value &= ones(32);
		value |= value << 32;
	}
	while (size > 2 && (value & ones(size / 2)) == (value >> size / 2 & ones(size / 2)))
		size /= 2;
	value &= ones(size);
	count = (unsigned)__builtin_popcountll(value);
	if (count == 0 || count == size)
		return false;
	for (rotate = 0; rotate < size; rotate++) {
		uint64_t turned =
			rotate ? (value << rotate | value >> (size - rotate)) & ones(size) : value;

		if (turned == ones(count))
			break;
	}
	if (rotate == size)
		return false;
	*bits = (uint32_t)(size == 64) << 22 | rotate << 16 |
		((~(size * 2 - 1) & 0x3f) | (count - 1)) << 10;
	return true;
}

/* Encodes a value with one nonzero 16-bit quarter: the 16 bits and the position of the quarter.
 * Returns false if other bits of the value are not zero. */
static bool quarter_bits(uint64_t value, bool wide, uint32_t *bits)
{
	for (unsigned quarter = 0; quarter < (wide ? 4u : 2u); quarter++)
		if (value == (value & (uint64_t)0xffff << 16 * quarter)) {
			*bits = quarter << 21 | (uint32_t)(value >> 16 * quarter) << 5;
			return true;
		}
	return false;
}

/* Encodes a multiple of `unit` as a number of units, in `width` bits. Returns false if the value
 * does not fit. */
static bool scaled(int64_t value, int64_t unit, unsigned width, bool has_sign, uint32_t *units)
{
	int64_t least = has_sign ? -((int64_t)1 << (width - 1)) : 0,
		most = has_sign ? -least - 1 : (int64_t)ones(width);

	if (value % unit != 0 || value / unit < least || value / unit > most)
		return false;
	*units = (uint32_t)(value / unit) & (uint32_t)ones(width);
	return true;
}

/* The kinds of numbers that are encoded as multiples of a unit, and the width and position of their
 * fields. */
static const struct scaled_field {
	char kind;
	unsigned unit, width, at;
	bool has_sign;
} scaled_fields[] = {
	{ 'h', 1, 16, 5, false },
	{ 'c', 1, 4, 0, false },
	{ '1', 1, 12, 10, false },
	{ '2', 2, 12, 10, false },
	{ '4', 4, 12, 10, false },
	{ '8', 8, 12, 10, false },
	{ 'g', 16, 12, 10, false },
	{ 's', 1, 9, 12, true },
	{ 'p', 4, 7, 15, true },
	{ 'P', 8, 7, 15, true },
	{ 'R', 16, 7, 15, true },
};

static const struct scaled_field *scaled_field(char kind)
{
	for (size_t i = 0; i < sizeof(scaled_fields) / sizeof(*scaled_fields); i++)
		if (scaled_fields[i].kind == kind)
			return &scaled_fields[i];
	return NULL;
}

static bool number_bits(struct match *match, char kind, int64_t value, uint32_t *bits)
{
	bool wide = match->wide > 0;
	int64_t size = wide ? 64 : 32;
	uint32_t sf = (uint32_t)wide << 22, units = 0;
	const struct scaled_field *field = scaled_field(kind);
	bool fits = true;

	if (!strchr("bWM", kind) && (value > INT32_MAX || value < INT32_MIN))
		return false; /* only operands of the kinds b, W and M may be numbers of more than
				 32 bits */
	if (field) {
		fits = scaled(value, field->unit, field->width, field->has_sign, &units);
		*bits = units << field->at;
		return fits;
	}
	switch (kind) {
	case 'a': /* operand kind a: a number of 12 bits, optionally shifted left by 12 */
		if (scaled(value, 1, 12, false, &units))
			*bits = units << 10;
		else if ((fits = scaled(value, 4096, 12, false, &units)))
			*bits = 1u << 22 | units << 10;
		return fits;
	case 'b': return pattern_bits((uint64_t)value, wide, bits);
	case 'W':
		return quarter_bits(
			(uint64_t)value & (value >> 31 == -1 && !wide ? ones(32) : UINT64_MAX),
			wide, bits);
	case 'M':
		return quarter_bits(~(uint64_t)value & ones((unsigned)size), wide, bits) &&
		       (wide || value >> 32 == 0 || value >> 31 == -1);
	case 'q':
		fits = scaled(value, 16, 2, false, &units) && value < size;
		*bits = units << 21;
		return fits;
	case '6':
		fits = value >= 0 && value < size;
		*bits = (uint32_t)value << 10;
		return fits;
	case 'l':
		*bits = sf | (uint32_t)(-value & (size - 1)) << 16 |
			(uint32_t)((size - 1 - value) & 63) << 10;
		return value >= 0 && value < size;
	case 'r':
		*bits = sf | (uint32_t)(value & 63) << 16 | (uint32_t)(size - 1) << 10;
		return value >= 0 && value < size;
	case 'e': *bits = sf | (uint32_t)(value & 63) << 10; return value >= 0 && value < size;
	case 'x':
		match->shift = (unsigned)(value & 63);
		*bits = sf | match->shift << 16;
		return value >= 0 && value < size;
	case 'y':
		*bits = (uint32_t)(match->shift + value - 1) << 10;
		return value >= 1 && value <= size - match->shift;
	case 't': *bits = (uint32_t)(32 + (value & 31)) << 16; return value >= 0 && value < 32;
	case 'T': *bits = (uint32_t)(64 + (value & 63)) << 16; return value >= 0 && value < 64;
	case 'u': *bits = (uint32_t)(64 - value) << 16; return value >= 1 && value <= 32;
	case 'U': *bits = (uint32_t)(128 - value) << 16; return value >= 1 && value <= 64;
	default: *bits = 0; return value == 0; /* operand kind z: only the number 0 */
	}
}

static bool match_number(struct match *match, char kind)
{
	uint32_t bits = 0;
	int64_t value;

	if (!take_number(match, &value) || !number_bits(match, kind, value, &bits))
		return false;
	match->bits |= bits;
	return true;
}

static int condition_of(const char *text, size_t length)
{
	if (length == 2 && (strncmp(text, "cs", 2) == 0 || strncmp(text, "cc", 2) == 0))
		return text[1] == 's' ? 2 : 3;
	for (int i = 0; i < 16; i++)
		if (length == 2 && strncmp(text, conditions[i], 2) == 0)
			return i;
	return -1;
}

static bool match_condition(struct match *match, bool opposite)
{
	int found;

	encode_take(&match->at, 0);
	found = condition_of(match->at, strnlen(match->at, 2));
	if (found < 0 || is_word(match->at[2]))
		return false;
	match->at += 2;
	match->bits |= (uint32_t)(found ^ opposite) << 12;
	return true;
}

/* ---- Lines */

/* The syntaxes of addresses. kinds: the kinds of operands that use a syntax. bits: the bits of the
 * syntax in the instruction word. In the pattern `operands`, @ stands for the size of the memory
 * access, as a kind of number and as a shift. */
static const struct {
	const char *kinds, *operands;
	uint32_t bits;
} addresses[] = {
	{ "@%*&", "[pn]", 0x1000000 },
	{ "@%*&", "[pn,#@]", 0x1000000 },
	{ "@%", "[pn,#s]!", 0xc00 },
	{ "@%", "[pn],#s", 0x400 },
	{ "@%*", "[pn,xm]", 0x206800 },
	{ "@*", "[pn,xm,L=@]", 0x207800 },
	{ "&", "[pn,#@]!", 0x1800000 },
	{ "&", "[pn],#@", 0x800000 },
};

static bool match_address(struct match *match, char kind, char unit);

/* Compares the rest of the line with the operands of an instruction form. unit: the unit of the
 * offset, if the operands are the parts of an address. */
static bool match_operands(struct match *match, const char *pattern, char unit)
{
	int64_t value;
	bool same = true;

	while (*pattern && same) {
		char c = *pattern++;

		if (c == '/') {
			encode_take(&match->at, 0);
			pattern = *match->at ? ",L#6" : "";
		} else if (c == '#') {
			same = match_number(match, *pattern == '@' ? unit : *pattern);
			pattern++;
		} else if (c == '=') {
			same = take_number(match, &value) &&
			       value == __builtin_ctz(scaled_field(unit)->unit);
			pattern++;
		} else if (strchr("@%*&", c)) {
			return match_address(match, c, *pattern);
		} else if (c == 'L') {
			same = take_word(match, "lsl", 3);
		} else if (c == '?' || c == '~') {
			same = match_condition(match, c == '~');
		} else if (c == '\'') {
			same = take_word(match, pattern, strcspn(pattern, "'"));
			pattern += strcspn(pattern, "'") + 1;
		} else if (isalpha((unsigned char)c)) {
			same = match_register(match, c, *pattern++);
		} else {
			same = take(match, c);
		}
	}
	encode_take(&match->at, 0);
	return same && !*match->at;
}

static bool match_address(struct match *match, char kind, char unit)
{
	for (size_t i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		struct match attempt = *match;

		attempt.bits |= addresses[i].bits;
		if (!strchr(addresses[i].kinds, kind) ||
			!match_operands(&attempt, addresses[i].operands, unit))
			continue;
		*match = attempt;
		return true;
	}
	return false;
}

static bool match_line(
	struct match *match, const char *operands_at, const char *operands, uint32_t bits)
{
	*match = (struct match){ .at = operands_at, .bits = bits, .wide = -1, .twice = -1 };
	if (!match_operands(match, operands, 0))
		return false;
	/* Bit 31 encodes the width of general registers, except in loads and stores. Loads and
	 * stores use another bit or have separate forms. */
	if (match->wide > 0)
		match->bits |= 1u << 31;
	if (match->twice > 0)
		match->bits |= 1u << 22;
	return true;
}

static void write_word(unsigned char *bytes, uint32_t word)
{
	for (int i = 0; i < WORD; i++)
		bytes[i] = (unsigned char)(word >> 8 * i);
}

static uint32_t read_word(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

struct status encode_line(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	const char *name = text + strspn(text, " \t");
	size_t letters = strcspn(name, " \t");
	bool known = false;

	for (int i = 0; i < FORMS; i++) {
		struct match match;

		if (strlen(forms[i].name) != letters || strncmp(forms[i].name, name, letters) != 0)
			continue;
		known = true;
		if (!match_line(&match, name + letters, forms[i].operands, forms[i].bits))
			continue;
		write_word(bytes, match.bits);
		*length = WORD;
		return status_ok();
	}
	if (known)
		return status_failed(
			"\"%.100s\" cannot be assembled: no such instruction takes these operands",
			text);
	return status_failed("\"%.100s\" cannot be assembled: there is no instruction \"%.*s\"",
		text, (int)(letters < 40 ? letters : 40), name);
}

/* ---- Jumps: b, bl, b.CONDITION, cbz and cbnz with a register ("cbz x0"), and adr for addresses */

struct status encode_jump(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	static const struct {
		const char *name, *operands;
		uint32_t bits;
	} jumps[] = { { "b", "", 0x14000000 }, { "bl", "", 0x94000000 },
		{ "cbz", "rt", 0x34000000 }, { "cbnz", "rt", 0x35000000 } };
	struct match match = { .bits = 0x54000000 };
	size_t letters = strcspn(text, " ");
	int condition = strncmp(text, "b.", 2) == 0 ? condition_of(text + 2, strlen(text + 2)) : -1;
	bool known = condition >= 0;

	if (known)
		match.bits |= (uint32_t)condition;
	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps) && !known; i++)
		known = strlen(jumps[i].name) == letters &&
			strncmp(text, jumps[i].name, letters) == 0 &&
			match_line(&match, text + letters, jumps[i].operands, jumps[i].bits);
	if (!known)
		return status_failed("\"%.40s\" is not a jump that reaches every address", text);
	write_word(bytes, match.bits);
	*length = WORD;
	return status_ok();
}

struct status encode_address(const char *reg, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	struct match match;

	if (!match_line(&match, reg, "xd", 0x10000000))
		return status_failed("\"%.40s\" is not a register for an address", reg);
	write_word(bytes, match.bits);
	*length = WORD;
	return status_ok();
}

/* The instructions b and bl reach targets up to 128 MiB away. All other jumps reach 1 MiB, which is
 * more than the size of a code buffer. */
bool encode_distance(unsigned char *at, const unsigned char *target)
{
	uint32_t word = read_word(at), units = 0;
	int64_t distance = target - at;
	bool fits;

	if ((word & 0x9f000000) == 0x10000000) {
		fits = scaled(distance, 1, 21, true, &units);
		write_word(at, (word & 0x9f00001f) | (units & 3) << 29 | units >> 2 << 5);
	} else if ((word & 0x7c000000) == 0x14000000) {
		fits = scaled(distance, WORD, 26, true, &units);
		write_word(at, (word & 0xfc000000) | units);
	} else {
		fits = scaled(distance, WORD, 19, true, &units);
		write_word(at, (word & 0xff00001f) | units << 5);
	}
	return fits;
}

bool encode_nops(unsigned char *at, size_t bytes)
{
	for (; bytes >= WORD; bytes -= WORD, at += WORD)
		write_word(at, 0xd503201f);
	return bytes == 0;
}
