/* The changes of a loop for the cost of an instruction: loops with each change compute as before.
 */
#include "laid.h"

#include "experiment/changed.h"
#include "experiment/cost/cost.h"
#include "kernels/assemble.h"
#include "kernels/features.h"
#include "model/code/decode.h"

#if defined(__x86_64__)

static void refuse(const char *line, struct cost_insn *row)
{
	unsigned char bytes[ASSEMBLE_LONGEST];
	struct insn insn;
	size_t length;

	check_ok(encode_line(line, bytes, &length));
	decode_insn(bytes, length, 0, &insn);
	cost_refuse(&insn, row);
}

TEST(an_instruction_that_cannot_be_changed_says_why)
{
	static const struct {
		const char *line, *twice, *later, *saved;
		bool moves;
	} rows[] = {
		{ "add rax, rbx", "", "", "", true },
		{ "vaddsd xmm0, xmm1, [rdi]", "", "", "", false },
		{ "cmp rax, rbx", "", "writes no register", "", false },
		{ "mov [rdi], rax", "", "in memory", "memory would hold", false },
		{ "add [rdi], rax", "change memory again", "in memory", "memory would", false },
		{ "adc rax, rbx", "reads and changes flags", "", "", false },
		{ "inc rax", "", "", "", true },
		{ "mul rcx", "several registers", "several registers", "several", false },
		{ "push rax", "moves a pointer", "moves a pointer", "moves a pointer", false },
		{ "ret", "a jump", "a jump", "a jump", false },
		{ "add rsp, 8", "", "cannot be delayed", "", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cost_insn row = { .offset = 0 };

		refuse(rows[i].line, &row);
		if (!strstr(row.why_twice, rows[i].twice) ||
			!row.why_twice[0] != !rows[i].twice[0] ||
			!strstr(row.why_later, rows[i].later) ||
			!row.why_later[0] != !rows[i].later[0] ||
			!strstr(row.why_saved, rows[i].saved) ||
			!row.why_saved[0] != !rows[i].saved[0] || row.moves != rows[i].moves)
			fail_msg("%s: \"%s\", \"%s\", \"%s\", %d", rows[i].line, row.why_twice,
				row.why_later, row.why_saved, row.moves);
	}
}

/* ---- Changed kernels */

/* Makes each change of each instruction of a kernel's loop. The engine checks that the changed loop
 * computes as before. A loop without an instruction computes other values, but it must end, and
 * access only its own memory. Returns the number of changes made. */
static int change_all(const struct kernel *kernel, const int64_t *v, struct code_buffer *room)
{
	struct loop loop;
	struct kernel_run run;
	const void *start;
	int made = 0;

	laid_at(kernel, v, &run);
	start = run.code.start;
	loop_init(&loop, LOOP_INSNS, LOOP_PATH);
	if (run.code.unread || run.code.entry ||
		decode_loop(start, DECODE_FUNCTION, 1, &loop).code != STATUS_OK)
		loop.insn_count = 0;
	if (loop.insn_count) {
		const struct code_change nops = cost_nops(5);
		struct status status;

		run.code.start = start;
		status = code_buffer_change(room, &laid_room, &nops, &run);
		if (strstr(status.text, kernel->name))
			fail_msg("%s: %s", kernel->name, status.text);
		made += status_is_ok(&status);
	}
	for (int i = 0; i < loop.insn_count && i < COST_INSNS; i++) {
		struct cost_insn row = { .latency = 3,
			.delay = 1,
			.slots = 1 + i % 2,
			.from_top = loop.insn[i].address - loop.insn[0].address };

		snprintf(row.mnemonic, sizeof(row.mnemonic), "%s", loop.insn[i].mnemonic);
		cost_refuse(&loop.insn[i], &row);
		for (int kind = COST_PLAIN; kind < COST_CHANGES; kind++) {
			const struct code_change change = cost_change(kind, &row);
			uint64_t offset;
			struct status status;
			int delay;

			if (kind != COST_PLAIN && (kind <= COST_TWICE		? row.why_twice
							  : kind < COST_WITHOUT ? row.why_later
										: row.why_saved)[0])
				continue;
			assert_int_equal(cost_change_of(&change, &offset, &delay), kind);
			run.code.start = start;
			status = code_buffer_change(room, &laid_room, &change, &run);
			if (strstr(status.text, kernel->name))
				fail_msg("%s: %s", loop.insn[i].text, status.text);
			if (kind == COST_WITHOUT && status_is_ok(&status))
				kernel->call(&run, run.granule);
			made += status_is_ok(&status);
		}
	}
	loop_free(&loop);
	return made;
}

TEST(kernels_compute_as_before_with_each_change)
{
	struct code_buffer room = { 0 };
	int made = 0;

	for (int i = 0; kernel_registry[i]; i++) {
		int64_t v[KNOBS_MAX];
		struct status status;

		laid_initial(kernel_registry[i], v);
		status = kernel_check(kernel_registry[i], v);
		if (status_is_ok(&status) && kernel_footprint(kernel_registry[i], v) <= MEMORY)
			made += change_all(kernel_registry[i], v, &room);
	}
	assert_true(made > 600);
	code_buffer_free(&room);
}

/* Instructions that delay nothing are no chain of their own: if they were, eight of them would take
 * longer than an iteration of a loop whose instruction has a long latency. */
TEST(added_instructions_beside_the_result_do_not_wait_for_each_other)
{
	static const char *const settings[] = { "combine op=add type=f64 unroll=4 acc=4",
		"combine op=add type=i64 unroll=4 acc=4" };
	struct code_buffer room = { 0 };
	bool known;

	if (!features_word("avx", &known) || !features_word("bmi2", &known))
		skip();
	for (int i = 0; i < 2; i++) {
		struct setting setting = laid_setting(settings[i]);
		struct cost_insn row = { .latency = 8, .delay = 1, .slots = 1 };
		struct code_change change;
		struct loop loop;
		struct kernel_run run;
		int added = 0;

		laid_at(setting.kernel, setting.v, &run);
		loop_init(&loop, LOOP_INSNS, LOOP_PATH);
		check_ok(decode_loop(run.code.start, DECODE_FUNCTION, 1, &loop));
		snprintf(row.mnemonic, sizeof(row.mnemonic), "%s", loop.insn[0].mnemonic);
		change = cost_change(COST_HELD_LONG, &row);
		check_ok(code_buffer_change(&room, &laid_room, &change, &run));
		check_ok(decode_loop(run.code.start, DECODE_FUNCTION, 1, &loop));
		for (int k = 0; k < loop.insn_count; k++) {
			const struct insn *insn = &loop.insn[k];

			if (strcmp(insn->mnemonic, "rorx") != 0 &&
				strcmp(insn->mnemonic, "vorps") != 0)
				continue;
			added++;
			for (int r = 0; r < insn->read_count; r++)
				assert_false(insn_writes(insn, insn->reads[r]));
		}
		assert_int_equal(added, 8);
		loop_free(&loop);
	}
	code_buffer_free(&room);
}

/* A value that passes between integer and floating-point operations may take a cycle each way. */
TEST(a_delay_is_an_operation_of_the_kind_of_the_delayed_one)
{
	static const struct {
		const char *name, * or ;
		uint16_t width;
	} rows[] = { { "vpaddq", "por", 256 }, { "pshufd", "por", 128 }, { "vmovdqu", "por", 256 },
		{ "vmovq", "por", 128 }, { "vaddpd", "orps", 256 }, { "movsd", "orps", 128 },
		{ "vpaddq", "orps", 512 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct insn insn = { .width = rows[i].width };

		snprintf(insn.mnemonic, sizeof(insn.mnemonic), "%s", rows[i].name);
		assert_string_equal(cost_or(&insn), rows[i].or);
	}
}

#else

TEST(loops_are_changed_on_x86_64_only)
{
	skip();
}

#endif

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
