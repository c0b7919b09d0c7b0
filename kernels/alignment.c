/* The kernel alignment is a loop of nops. The core only fetches, decodes and retires nops. Four
 * properties of the loop decide its speed: its start address, the length of its instructions, their
 * number, and the branches between them.
 *
 * write_loop() writes the loop at run time. The jumps are the short forms of two bytes, which
 * kernels/assemble.h does not write, so this file has its own encodings. */
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/knob_rows.h"
#include "kernels/nops.h"

enum { OFFSET, LENGTH, COUNT, BRANCHES };
/* LONGEST: bytes of the longest instruction of any processor. LINE: bytes of a cache line. */
enum { LONGEST = 15, LINE = 64 };

static const char *const count_names[] = { "4", "8", "16", "32", "64", "128", "256", "512", "1024",
	"2048", "4096", "8192", "16384", NULL };

/* For each choice of the knob `branches`: a branch follows each `every` bytes of nops. */
static const char *const branch_names[] = { "none", "untaken16", "jump32", "jump16", NULL };
static const struct {
	size_t every; /* 0: no branch */
	bool jumps;
} branch_kinds[] = { { 0, false }, { 16, false }, { 32, true }, { 16, true } };

static const struct knob knobs[] = {
	[OFFSET] =
		KNOB_ROW_COUNT("offset", "bytes from the start of a line to the start of the loop",
			0, LINE - 1, 0, .role = KNOB_FORM),
	[LENGTH] = KNOB_ROW_COUNT("length", "bytes of each nop", 1, LONGEST, 4, .role = KNOB_FORM),
	[COUNT] = KNOB_ROW_CHOICE("count",
		"nops in an iteration, next to the loop's own two instructions", count_names,
		.initial = 2, .role = KNOB_FORM),
	[BRANCHES] = KNOB_ROW_CHOICE("branches",
		"branches to the next instruction, after 16 or 32 bytes of nops", branch_names,
		.role = KNOB_FORM),
};

/* ---- The code */

#if defined(__x86_64__)

enum { BRANCH_BYTES = 2 };

/* Copies the argument to the counter, which is rax. The carry flag is clear, so that jc is not
 * taken. */
static const unsigned char entry_code[] = { 0x48, 0x89, 0xf8, 0xf8 };
static const unsigned char untaken_code[BRANCH_BYTES] = { 0x72, 0x00 }; /* jc to the next */
static const unsigned char jump_code[BRANCH_BYTES] = { 0xeb, 0x00 };	/* jmp to the next */
static const unsigned char exit_code[] = { 0xc3 };

/* Writes "sub rax, 1" and "jnz top". */
static unsigned char *write_turn(unsigned char *at, const unsigned char *top)
{
	static const unsigned char code[] = { 0x48, 0x83, 0xe8, 0x01, 0x0f, 0x85 };
	int32_t distance;

	memcpy(at, code, sizeof(code));
	at += sizeof(code);
	distance = (int32_t)(top - (at + sizeof(distance)));
	memcpy(at, &distance, sizeof(distance));
	return at + sizeof(distance);
}

#else

enum { BRANCH_BYTES = 4 };

/* cmp x0, x0, which sets the carry flag, so that b.lo is not taken. */
static const uint32_t entry_code[] = { 0xeb00001f };
static const uint32_t untaken_code[] = { 0x54000023 }; /* b.lo to the next instruction */
static const uint32_t jump_code[] = { 0x14000001 };    /* b to the next instruction */
static const uint32_t exit_code[] = { 0xd65f03c0 };    /* ret */

/* Writes "subs x0, x0, #1" and "b.ne top". */
static unsigned char *write_turn(unsigned char *at, const unsigned char *top)
{
	uint32_t distance = (uint32_t)((top - (at + NOP_SHORTEST)) / NOP_SHORTEST),
		 code[] = { 0xf1000400, 0x54000001 | (distance & 0x7ffff) << 5 };

	memcpy(at, code, sizeof(code));
	return at + sizeof(code);
}

#endif

static int64_t nops_of(const int64_t *v)
{
	return (int64_t)4 << v[COUNT];
}

static size_t code_bytes(const int64_t *v)
{
	return 4 * LINE + (size_t)nops_of(v) * (size_t)(v[LENGTH] + BRANCH_BYTES);
}

/* do {
 *     nop;      count times, with branches between them
 * } while (--turns); */
static void write_loop(const int64_t *v, unsigned char *at, struct kernel_code *code)
{
	const unsigned char *start, *top, *since;
	size_t every = branch_kinds[v[BRANCHES]].every;
	size_t before = (sizeof(entry_code) + LINE - 1) / LINE * LINE + (size_t)v[OFFSET];

	start = at;
	memcpy(at, entry_code, sizeof(entry_code));
	for (at += sizeof(entry_code); at < start + before;)
		at = write_nop(at, NOP_SHORTEST);
	top = since = at;
	for (int64_t i = 0; i < nops_of(v); i++) {
		at = write_nop(at, (size_t)v[LENGTH]);
		if (!every || (size_t)(at - since) < every)
			continue;
		memcpy(at, branch_kinds[v[BRANCHES]].jumps ? jump_code : untaken_code,
			BRANCH_BYTES);
		since = at += BRANCH_BYTES;
	}
	at = write_turn(at, top);
	memcpy(at, exit_code, sizeof(exit_code));
	code->start = start;
	code->entry = top;
}

static struct status alignment_check(const int64_t *v)
{
	(void)v;
#if !defined(__x86_64__)
	if (v[LENGTH] != NOP_SHORTEST)
		return status_failed("length=%lld: each instruction of this processor has 4 bytes",
			(long long)v[LENGTH]);
	if (v[OFFSET] % NOP_SHORTEST)
		return status_failed(
			"offset=%lld: instructions of this processor start at multiples of 4",
			(long long)v[OFFSET]);
#endif
	return status_ok();
}

static struct status alignment_prepare(struct kernel_run *run)
{
	if (code_bytes(run->v) > run->code.buffer_bytes)
		return status_failed("the code needs %zu bytes", code_bytes(run->v));
	run->granule = (uint64_t)nops_of(run->v);
	run->ring = run->granule * 64;
	write_loop(run->v, run->code.buffer, &run->code);
	run->code.name = "write_loop";
	return status_ok();
}

const struct kernel kernel_alignment = {
	.name = "alignment",
	.title = "code alignment and code size",
	.look_for = "Each instruction is a nop: the issue width is the limit, unless the front end "
		    "falls behind. The op cache supplies a window of 32 or 64 bytes a cycle: "
		    "change offset, length and branches. Raise count past the op cache: length "
		    "then shows the bytes a cycle of the decoders.",
	.document = "Downs, Performance Speed Limits, Front End Effects",
	.element = "nop",
	.hint = "+ on offset; or count=16384, then length=8",
	.limit = "width",
	KERNEL_KNOBS(knobs),
	.check = alignment_check,
	.layout_nests = true,
	.seamless = true,
	.code_bytes = code_bytes,
	.prepare = alignment_prepare,
	.call = countdown_call,
	.expected = countdown_expected,
};
