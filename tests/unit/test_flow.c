/* The lengths and the flow of instructions: single ones, and all code of this program next to the
 * decoder library. */
#include "check.h"

#include "model/code/decode.h"
#include "model/code/flow.h"
#include "model/program/program.h"

#if defined(__x86_64__)
static const struct {
	const char *bytes;
	size_t size;
	int length;
	enum insn_flow kind;
	int64_t target; /* from the instruction's address; 0: none */
} rows[] = {
#define ROW(bytes, ...)                               \
	{                                             \
		bytes, sizeof(bytes) - 1, __VA_ARGS__ \
	}
	ROW("\xc3", 1, FLOW_RETURN, 0),
	ROW("\xf3\xc3", 2, FLOW_RETURN, 0),
	ROW("\x75\xf6", 2, FLOW_BRANCH, -8),
	ROW("\xe2\xfe", 2, FLOW_BRANCH, 0),
	ROW("\x0f\x84\x10\x00\x00\x00", 6, FLOW_BRANCH, 22),
	ROW("\xe9\xfb\xff\xff\xff", 5, FLOW_JUMP, 0),
	ROW("\xeb\x10", 2, FLOW_JUMP, 18),
	ROW("\xe8\x00\x01\x00\x00", 5, FLOW_CALL, 261),
	ROW("\xff\xe0", 2, FLOW_INDIRECT, 0),
	ROW("\x3e\xff\xe0", 3, FLOW_INDIRECT, 0),
	ROW("\xff\xd0", 2, FLOW_CALL, 0),
	ROW("\x0f\x0b", 2, FLOW_OTHER, 0),
	ROW("\xf4", 1, FLOW_OTHER, 0),
	ROW("\xcc", 1, FLOW_OTHER, 0),
	ROW("\x0f\x05", 2, FLOW_NONE, 0),
	ROW("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, FLOW_NONE, 0), /* mov rax, imm */
	ROW("\x66\xb8\x01\x02", 4, FLOW_NONE, 0),
	ROW("\x66\x48\x05\x01\x02\x03\x04", 7, FLOW_NONE, 0),
	ROW("\xf7\xc0\x01\x02\x03\x04", 6, FLOW_NONE, 0), /* test eax, imm */
	ROW("\xf7\xd8", 2, FLOW_NONE, 0),		  /* neg eax */
	ROW("\xf6\x07\x01", 3, FLOW_NONE, 0),
	ROW("\x48\x8b\x44\x24\x08", 5, FLOW_NONE, 0),
	ROW("\x8b\x04\x25\x01\x02\x03\x04", 7, FLOW_NONE, 0),
	ROW("\x48\x8d\x05\x01\x02\x03\x04", 7, FLOW_NONE, 0),
	ROW("\xc8\x01\x02\x03", 4, FLOW_NONE, 0), /* enter */
	ROW("\xc5\xf8\x77", 3, FLOW_NONE, 0),	  /* vzeroupper */
	ROW("\xc5\xfc\x58\x44\x24\x20", 6, FLOW_NONE, 0),
	ROW("\xc4\xe3\x7d\x19\xc1\x01", 6, FLOW_NONE, 0), /* vextractf128 */
	ROW("\x62\xf1\x7c\x48\x58\x40\x01", 7, FLOW_NONE, 0),
	ROW("\x62\xf3\x6d\x48\x25\xcb\xff", 7, FLOW_NONE, 0), /* vpternlogd */
	ROW("\x8f\xe9\x78\x01\xc8", 5, FLOW_NONE, 0),	      /* XOP */
	ROW("\x66\x0f\x3a\x0f\xc1\x08", 6, FLOW_NONE, 0),     /* palignr */
	ROW("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10, FLOW_NONE, 0),
	ROW("\x48", 0, FLOW_NONE, 0),		  /* cut off */
	ROW("\x0f\x84\x10\x00", 0, FLOW_NONE, 0), /* cut off */
	ROW("\x06", 0, FLOW_NONE, 0),		  /* not in 64-bit mode */
	ROW("\xf0\x75\xfb", 0, FLOW_NONE, 0),	  /* a jump with the prefix lock */
	ROW("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 0, FLOW_NONE, 0),
};

TEST(reads_single_instructions)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct flow flow = flow_read((const uint8_t *)rows[i].bytes, rows[i].size, 0x10000);

		if (flow.length != rows[i].length || flow.kind != rows[i].kind ||
			((flow.kind == FLOW_BRANCH || flow.kind == FLOW_JUMP) &&
				(int64_t)(flow.target - 0x10000) != rows[i].target) ||
			(flow.kind == FLOW_CALL && rows[i].target &&
				flow.target != (uint64_t)(0x10000 + rows[i].target)))
			fail_msg("row %zu: length %d, flow %d, target %lld", i, flow.length,
				flow.kind, (long long)(flow.target - 0x10000));
	}
}

TEST(finds_addresses_of_tables)
{
	struct flow flow = flow_read((const uint8_t *)"\x48\x8d\x15\x00\x01\x00\x00", 7, 0x1000);

	assert_int_equal(flow.entry, 4);
	assert_int_equal(flow.target, 0x1107);
	flow = flow_read((const uint8_t *)"\xff\x24\xc5\x00\x20\x40\x00", 7, 0x1000);
	assert_int_equal(flow.entry, 8);
	assert_int_equal(flow.target, 0x402000);
	assert_true(flow.table);
	flow = flow_read((const uint8_t *)"\xff\x25\x00\x20\x40\x00", 6, 0x1000);
	assert_false(flow.table);
}
#endif

/* Compares both decoders on one function. Returns the number of instructions that the library
 * knows. */
static int compare(const uint8_t *code, size_t size, uint64_t address)
{
	int known = 0;
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.length) {
		struct flow flow = flow_read(code + at, size - at, address + at);

		decode_insn(code + at, size - at, address + at, &insn);
		if (!insn.known)
			continue;
		known++;
		if (flow.length != insn.length)
			fail_msg("%s: length %d, not %d", insn.text, flow.length, insn.length);
		if (flow.kind != insn.flow &&
			!(insn.flow == FLOW_OTHER && decode_is(insn.mnemonic, "syscall svc")))
			fail_msg("%s: flow %d, not %d", insn.text, flow.kind, insn.flow);
		if (insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP || insn.flow == FLOW_CALL)
			assert_int_equal(flow.target, insn.target);
	}
	return known;
}

/* The functions of this test, read from its file. */
TEST(agrees_with_the_decoder)
{
	const struct program_function *function;
	struct program *program;
	int known = 0;
	size_t count;

	check_ok(program_open("/proc/self/exe", &program));
	function = program_functions(program, &count);
	for (size_t i = 0; i < count && known < CHECK_REPEATS(100000, 10000); i++) {
		size_t left;
		const uint8_t *code = program_bytes(program, function[i].address, &left);

		assert_true(code && left >= function[i].size);
		known += compare(code, function[i].size, function[i].address);
	}
	assert_true(known > 1000);
	program_close(program);
}

RUN_TESTS()
