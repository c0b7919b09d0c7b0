/* Machine code made at run time is what its lines say, as the decoder reads it; what cannot be made
 * says why. The tables (assemble_x86.h, assemble_arm64.h) are of this machine's instruction set. */
#include "check.h"

#include "kernels/assemble.h"
#include "model/code/decode.h"

struct spelled {
	const char *line, *decoded;
};

struct refused {
	const char *line, *why;
};

#if defined(__x86_64__)
#include "assemble_x86.h"
#elif defined(__aarch64__)
#include "assemble_arm64.h"
#endif

enum {
	COUNT_ALIKE = sizeof(alike) / sizeof(*alike),
	COUNT_LINES = COUNT_ALIKE + sizeof(spelled) / sizeof(*spelled),
	COUNT_JUMPS = sizeof(jumps) / sizeof(*jumps),
	COUNT_OPERANDS = sizeof(operands_refused) / sizeof(*operands_refused),
	COUNT_REFUSED = COUNT_OPERANDS + sizeof(refused) / sizeof(*refused)
};

/* Instructions are encoded here, each aligned to what the instruction set asks for. */
static unsigned char room[4096] __attribute__((aligned(64)));
static struct assembly as;

static struct insn decoded(const unsigned char *at)
{
	struct insn insn;

	decode_insn(at, (size_t)(room + sizeof(room) - at), (uint64_t)(uintptr_t)at, &insn);
	return insn;
}

static void begin(void)
{
	assemble_begin(&as, room, sizeof(room));
}

static struct spelled line_at(int i)
{
	return i < COUNT_ALIKE ? (struct spelled){ alike[i], alike[i] } : spelled[i - COUNT_ALIKE];
}

TEST(the_decoder_reads_what_was_written)
{
	int differ = 0;

	for (int i = 0; i < COUNT_LINES; i++) {
		struct spelled line = line_at(i);
		struct insn insn;

		memset(room, 0xff, sizeof(room));
		begin();
		assemble(&as, "%s", line.line);
		insn = decoded(room);
		if (assemble_end(&as).code == STATUS_OK && insn.known &&
			strcmp(insn.text, line.decoded) == 0 && insn.length == as.at - as.begin)
			continue;
		print_error("\"%s\" reads \"%s\", not \"%s\" %s\n", line.line, insn.text,
			line.decoded, assemble_end(&as).text);
		differ++;
	}
	assert_int_equal(differ, 0);
}

#ifdef __x86_64__
/* Other opcodes are hints, which some cores execute slowly. */
TEST(a_nop_with_an_operand_has_the_recommended_opcode)
{
	static const unsigned char expected[] = { 0x0f, 0x1f, 0x40, 0x08, 0x0f, 0x1f, 0x00 };

	begin();
	assemble(&as, "nop dword ptr [rax+8]");
	assemble(&as, "nop dword ptr [rax]");
	assert_int_equal(assemble_end(&as).code, STATUS_OK);
	assert_int_equal(as.at - as.begin, sizeof(expected));
	assert_memory_equal(room, expected, sizeof(expected));
}
#endif

TEST(what_cannot_be_made_says_why)
{
	for (int i = 0; i < COUNT_REFUSED; i++) {
		struct refused row = i < COUNT_OPERANDS ? (struct refused){ operands_refused[i],
			"no such instruction takes these operands" }
							: refused[i - COUNT_OPERANDS];
		char why[200];

		begin();
		assemble(&as, "%s", row.line);
		assert_ptr_equal(as.at, room);
		assert_int_equal(assemble_end(&as).code, STATUS_FAILED);
		snprintf(why, sizeof(why), "\"%s\" cannot be assembled: %s", row.line, row.why);
		assert_string_equal(assemble_end(&as).text, why);
	}
}

#if defined(__x86_64__)
/* Some cores have only one of two encodings of an instruction. */
TEST(a_line_may_ask_for_an_evex_encoding)
{
	begin();
	assemble(&as, "vpaddd ymm0, ymm1, ymm2");
	assert_int_not_equal(room[0], 0x62);
	begin();
	assemble(&as, "{evex} vpaddd ymm0, ymm1, ymm2");
	check_ok(assemble_end(&as));
	assert_int_equal(room[0], 0x62);
	assert_string_equal(decoded(room).text, "vpaddd ymm0, ymm1, ymm2");
}
#endif

TEST(the_first_failure_stays)
{
	struct status status;
	unsigned char *stopped;

	begin();
	assemble(&as, "nop");
	assemble(&as, "frobnicate");
	stopped = as.at;
	assemble(&as, "otherwise");
	assemble(&as, "nop");
	assemble_again(&as, room, 5);
	assemble_align(&as, 64);
	assemble_jump(&as, jump_always, assemble_here(&as));
	assert_ptr_equal(as.at, stopped);
	status = assemble_end(&as);
	check_contains(status.text, "frobnicate");
}

TEST(the_same_lines_make_the_same_code)
{
	static unsigned char other[sizeof(room)] __attribute__((aligned(64)));
	size_t length = 0;

	for (int pass = 0; pass < 2; pass++) {
		assemble_begin(&as, pass ? other : room, sizeof(room));
		for (int i = 0; i < COUNT_LINES; i++)
			assemble(&as, "%s", line_at(i).line);
		check_ok(assemble_end(&as));
		length = (size_t)(as.at - as.begin);
	}
	assert_memory_equal(room, other, length);
}

TEST(jumps_lead_to_their_labels)
{
	for (int i = 0; i < COUNT_JUMPS; i++) {
		int before, after;
		unsigned char *backward, *forward, *target;

		begin();
		assemble(&as, "nop");
		before = assemble_here(&as);
		target = as.at;
		after = assemble_label(&as);
		assemble(&as, "nop");
		backward = as.at;
		assemble_jump(&as, jumps[i], before);
		forward = as.at;
		assemble_jump(&as, jumps[i], after);
		for (int n = 0; n < 300; n++)
			assemble(&as, "nop");
		assemble_bind(&as, after);
		check_ok(assemble_end(&as));
		assert_int_equal(decoded(backward).target, (uintptr_t)target);
		assert_int_equal(decoded(forward).target, (uintptr_t)as.at);
		/* Whatever it spans, a jump is of one length. */
		assert_int_equal(decoded(forward).length, decoded(backward).length);
		assert_int_not_equal(decoded(forward).flow, FLOW_NONE);
	}
}

TEST(a_jump_that_was_bound_may_be_repeated)
{
	int label;
	unsigned char *piece, *at;
	size_t length;

	begin();
	piece = as.at;
	label = assemble_label(&as);
	assemble_jump(&as, jump_always, label);
	assemble(&as, "nop");
	assemble_bind(&as, label);
	length = (size_t)(as.at - piece);
	assemble_again(&as, piece, 9);
	check_ok(assemble_end(&as));
	assert_int_equal(as.at - piece, 10 * length);
	for (at = piece; at < as.at; at += length)
		assert_int_equal(decoded(at).target, (uintptr_t)(at + length));
}

TEST(an_address_is_that_of_its_label)
{
	int label;
	unsigned char *at;
	struct insn insn;

	begin();
	label = assemble_label(&as);
	at = as.at;
	assemble_address(&as, address_into, label);
	for (int n = 0; n < 100; n++)
		assemble(&as, "nop");
	assemble_bind(&as, label);
	check_ok(assemble_end(&as));
	insn = decoded(at);
#if defined(__x86_64__)
	assert_int_equal(insn.memory[0].disp, (uintptr_t)as.at);
#else
	assert_int_equal(insn.value, (uintptr_t)as.at);
#endif
	begin();
	assemble_address(&as, "nowhere", assemble_here(&as));
	check_contains(assemble_end(&as).text, "\"nowhere\" is not a register for an address");
}

TEST(a_label_must_be_bound_once)
{
	int label;

	begin();
	assemble_label(&as);
	label = assemble_label(&as);
	assemble_jump(&as, jump_always, label);
	assert_string_equal(assemble_end(&as).text, "a jump to label 1, which has no address");

	begin();
	label = assemble_here(&as);
	assemble_bind(&as, label);
	assert_string_equal(assemble_end(&as).text, "label 0 gets an address twice");

	begin();
	assemble_jump(&as, jump_always, 7);
	assert_string_equal(assemble_end(&as).text, "no label 7: the generated code has 0 labels");

	begin();
	assemble_jump(&as, "nop", assemble_here(&as));
	assert_string_equal(
		assemble_end(&as).text, "\"nop\" is not a jump that reaches every address");

	begin();
	for (int i = 0; i <= ASSEMBLE_LABELS; i++)
		assemble_label(&as);
	assert_string_equal(
		assemble_end(&as).text, "over 4096 labels in machine code made at run time");
}

TEST(forgotten_labels_make_room)
{
	int label;

	begin();
	assemble_here(&as);
	for (int i = 0; i < 3 * ASSEMBLE_LABELS; i++) {
		label = assemble_label(&as);
		assemble_jump(&as, jump_always, label);
		assemble_bind(&as, label);
		assemble_forget(&as, label);
		as.at = room;
	}
	check_ok(assemble_end(&as));
	assert_int_equal(as.label_count, 1);
	assemble_forget(&as, assemble_label(&as));
	assert_string_equal(assemble_end(&as).text, "label 1 is freed before it has an address");
}

TEST(nothing_is_written_beyond_the_room)
{
	for (size_t bytes = 0; bytes <= 40; bytes++) {
		memset(room, 0xa5, sizeof(room));
		assemble_begin(&as, room, bytes);
		for (int i = 0; i < 50; i++)
			assemble(&as, "nop");
		assert_true(as.at <= as.end);
		assert_string_equal(assemble_end(&as).text + strcspn(assemble_end(&as).text, ","),
			", the most that fits");
		for (size_t i = bytes; i < sizeof(room); i++)
			assert_int_equal(room[i], 0xa5);
	}
	assemble_begin(&as, room, 40);
	assemble(&as, "nop");
	assemble_again(&as, room, UINT32_MAX);
	assert_string_equal(assemble_end(&as).text,
		"the machine code is longer than 40 bytes, the most that fits");
	assemble_begin(&as, room, 16);
	assemble(&as, "nop");
	assemble_align(&as, 64);
	assert_string_equal(assemble_end(&as).text,
		"the machine code is longer than 16 bytes, the most that fits");
	for (size_t i = 40; i < sizeof(room); i++)
		assert_int_equal(room[i], 0xa5);
}

TEST(alignment_is_nops)
{
	for (int before = 0; before < 64; before++) {
		unsigned char *at;
		int count = 0;

		begin();
		for (int i = 0; i < before; i++)
			assemble(&as, "nop");
		at = as.at;
		assemble_align(&as, 64);
		check_ok(assemble_end(&as));
		assert_int_equal((uintptr_t)as.at % 64, 0);
		assert_true(as.at - at < 64);
		for (; at < as.at; at += decoded(at).length, count++)
			assert_string_equal(decoded(at).mnemonic, "nop");
		assert_ptr_equal(at, as.at);
#if defined(__x86_64__)
		assert_true(count <= 8);
#endif
	}
}

TEST(a_line_that_is_too_long_is_refused)
{
	char line[400];

	memset(line, 'n', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	begin();
	assemble(&as, "%s", line);
	check_contains(assemble_end(&as).text, "a line of assembly of over 159 characters");
}

RUN_TESTS()
