/* What machine instructions read, write and touch: tests/data/decode-x86 and decode-arm64
 * hold the decoder libraries to what the hardware does, most of all where they say something else.
 */
#include "table.h"

#include <pthread.h>

#include "base/text.h"
#include "engine/memory/code_buffer.h"
#include "kernels/kernel.h"
#include "model/code/decode.h"

#if defined(__x86_64__)
#define TABLES "decode-x86"
enum { unknown_length = 1 };
static const char *const general_names[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
#elif defined(__aarch64__)
#define TABLES "decode-arm64"
enum { unknown_length = 4 };
static const char *const general_names[] = { "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
	"x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp" };
#endif

static size_t from_hex(const char *hex, uint8_t *bytes, size_t room)
{
	size_t size = 0;
	unsigned value;
	int used;

	while (sscanf(hex, " %2x%n", &value, &used) == 1) {
		assert_true(size < room);
		bytes[size++] = (uint8_t)value;
		hex += used;
	}
	return size;
}

/* The next row of a section, with its bytes. */
static bool next_bytes(struct table *table, int fields, int at, uint8_t bytes[256], size_t *size)
{
	bool more = table_next(table, fields);

	if (more)
		*size = from_hex(table->field[at], bytes, 256);
	return more;
}

static void add_register(struct text *text, int reg)
{
	if (reg == REG_CARRY)
		text_add(text, "cf");
	else if (reg == REG_FLAGS)
		text_add(text, "flags");
	else if (reg >= REG_MASK)
		text_addf(text, "k%d", reg - REG_MASK);
	else if (reg >= REG_VECTOR)
		text_addf(text, "v%d", reg - REG_VECTOR);
	else
		text_add(text, general_names[reg - REG_GENERAL]);
}

/* In the order of their numbers: which operand comes first does not matter. */
static void add_registers(struct text *text, const uint8_t *list, int count)
{
	for (int reg = REG_NONE + 1; reg < REG_COUNT; reg++)
		if (memchr(list, reg, (size_t)count)) {
			text_add(text, " ");
			add_register(text, reg);
		}
}

static void add_memory(struct text *text, const struct insn *insn, const struct insn_memory *memory)
{
	const char *plus = "";

	text_addf(text, "; %s%s%s ", memory->load ? "load" : "", memory->store ? "store" : "",
		insn->address_only ? "address" : "");
	if (memory->accesses != 1)
		text_addf(text, "%d in ", memory->accesses);
	text_addf(text, "%d [", memory->size);
	if (memory->relative)
		text_add(text, "at ");
	if (memory->base) {
		add_register(text, memory->base);
		plus = "+";
	}
	if (memory->index) {
		text_add(text, plus);
		add_register(text, memory->index);
		text_addf(text, "*%d", memory->scale);
		assert_int_equal(memory->vector_index, memory->index >= REG_VECTOR);
	}
	if (memory->disp || memory->relative)
		text_addf(text, "%+lld", (long long)memory->disp);
	text_add(text, "]");
}

static const char *describe(const struct insn *insn, struct text *text)
{
	static const char *const flows[] = { "", "branch", "jump", "indirect", "call", "return",
		"other" };

	text_clear(text);
	text_addf(text, "%s%s%s %d:", insn->mnemonic, insn->shape[0] ? " " : "", insn->shape,
		insn->width);
	add_registers(text, insn->reads, insn->read_count);
	text_add(text, " >");
	add_registers(text, insn->writes, insn->write_count);
	for (int i = 0; i < insn->memory_count; i++)
		add_memory(text, insn, &insn->memory[i]);
	if (insn->accumulator) {
		text_add(text, "; adds to ");
		add_register(text, insn->accumulator);
	}
	if (insn->kept) {
		text_add(text, "; keeps ");
		add_register(text, insn->kept);
	}
	if (insn->writeback)
		text_addf(text, "; moves %d", insn->step);
	if (insn->flow)
		text_addf(text, "; %s", flows[insn->flow]);
	if (insn->condition[0])
		text_addf(text, " if %s", insn->condition);
	if (insn->target)
		text_addf(text, " to %llx", (unsigned long long)insn->target);
	if (insn->immediate)
		text_addf(text, "; value %lld", (long long)insn->value);
	text_addf(text, "%s%s%s%s%s", insn->vector ? "; vector" : "",
		insn->masked ? "; masked" : "", insn->move ? "; move" : "",
		insn->zeroing ? "; zeroing" : "", insn->load_extends ? "; extends" : "");
	return text_string(text);
}

TEST(instructions_are_read_right)
{
	struct text text = { 0 };
	struct table table;
	uint8_t bytes[256];
	size_t size;

	table_open(&table, TABLES, "instructions");
	while (next_bytes(&table, 3, 0, bytes, &size)) {
		struct insn insn;

		decode_insn(bytes, size, 0x1000, &insn);
		assert_int_equal(insn.address, 0x1000);
		table_expect(&table, insn.known ? insn.text : "unknown", table.field[1]);
		table_expect(&table, describe(&insn, &text), table.field[2]);
		if (insn.length != size)
			table_fail(&table, "has %d bytes", insn.length);
	}
	text_free(&text);
}

static void *decode_all(void *wrong)
{
	for (int round = 0; round < 50; round++) {
		struct table table;
		uint8_t bytes[256];
		size_t size;

		table_open(&table, TABLES, "instructions");
		while (next_bytes(&table, 3, 0, bytes, &size)) {
			struct insn insn;

			decode_insn(bytes, size, 0x1000, &insn);
			*(int *)wrong += strcmp(insn.text, table.field[1]) != 0;
		}
	}
	return NULL;
}

TEST(threads_may_decode_at_once)
{
	int wrong[2] = { 0 };
	pthread_t other;

	assert_int_equal(pthread_create(&other, NULL, decode_all, &wrong[1]), 0);
	decode_all(&wrong[0]);
	pthread_join(other, NULL);
	assert_int_equal(wrong[0] + wrong[1], 0);
}

/* Whatever is cut off or no instruction says so, and is stepped over. */
TEST(what_is_no_instruction_is_unknown)
{
	struct table table;
	uint8_t bytes[256];
	struct insn insn;
	size_t size;

	table_open(&table, TABLES, "instructions");
	while (next_bytes(&table, 3, 0, bytes, &size)) {
		/* Without its last byte x86 code may be another instruction, but never one that
		 * reaches beyond. */
		if (size == 1)
			continue;
		decode_insn(bytes, size - 1, 0x1000, &insn);
		assert_true(insn.length >= 1 && insn.length <= size - 1);
	}
	table_open(&table, TABLES, "no instructions");
	while (next_bytes(&table, 1, 0, bytes, &size)) {
		memset(&insn, 0xff, sizeof(insn));
		decode_insn(bytes, size, 0x1000, &insn);
		assert_false(insn.known);
		assert_int_equal(insn.length, unknown_length);
		assert_int_equal(insn.address, 0x1000);
		assert_true(
			insn.mnemonic[0] == '\0' && insn.text[0] == '\0' && insn.shape[0] == '\0');
		assert_int_equal(
			insn.read_count + insn.write_count + insn.memory_count + insn.flow, 0);
	}
}

/* ---- Loops */

TEST(loops_are_found)
{
	struct loop loop;
	struct text text = { 0 };
	struct table table;
	uint8_t bytes[256];
	size_t size;

	loop_init(&loop, 16, 16);
	table_open(&table, TABLES, "loops");
	while (next_bytes(&table, 3, 1, bytes, &size)) {
		struct status status = decode_loop(bytes, size, 2, &loop);

		text_clear(&text);
		if (status.code == STATUS_OK) {
			uint64_t base = (uint64_t)(uintptr_t)bytes;
			const struct insn *last = &loop.insn[loop.insn_count - 1];

			text_addf(&text, "%d-%d %d path", (int)(loop.insn[0].address - base),
				(int)(last->address - base), loop.insn_count);
			for (int k = 0; k < loop.path_count; k++)
				text_addf(&text, " %d%s", loop.path[k].insn,
					loop.path[k].taken ? "t" : "");
			text_addf(&text, " forks %d unknown %d", loop.forks, loop.unknown);
			check_near(loop.elements, 2, 0);
			check_near(loop.insns_per_element, loop.path_count / 2.0, 1e-9);
			assert_int_equal(loop.turns, 1);
			assert_false(loop.stepped);
			assert_true(last->target == loop.insn[0].address);
		} else {
			assert_int_equal(status.code, STATUS_FAILED);
			text_add(&text, status.text);
		}
		table_expect(&table, text_string(&text), table.field[2]);
	}
	text_free(&text);
	loop_free(&loop);
}

/* A loop found again after a failure, or after another, holds nothing of before. */
TEST(loops_are_emptied_first)
{
	uint8_t bytes[256] = { 0 };
	struct table table;
	struct loop loop;
	size_t size;

	table_open(&table, TABLES, "loops");
	assert_true(next_bytes(&table, 3, 1, bytes, &size));
	loop_init(&loop, 16, 16);
	for (int i = 0; i < 2; i++) {
		check_ok(decode_loop(bytes, sizeof(bytes), 1, &loop));
		assert_int_equal(loop.path_count, loop.insn_count);
	}
	assert_int_equal(decode_loop(bytes, 0, 1, &loop).code, STATUS_FAILED);
	assert_int_equal(loop.path_count + loop.insn_count, 0);
	loop_free(&loop);
	table_close(&table);
	loop_init(&loop, 1, 1);
	check_ok(decode_loop(bytes, sizeof(bytes), 1, &loop));
	assert_true(loop.insn_count > 1 && loop.insn_room >= loop.insn_count &&
		    loop.path_room >= loop.path_count);
	loop_free(&loop);
}

/* ---- The kernels' own code */

static atomic_bool no_cancel;
static struct code_buffer room;

enum { MEMORY = 4 << 20 };

/* Prepares a kernel at its initial setting, with `value` for `knob` (NULL: as it is), in little
 * memory. */
static void prepare(const struct kernel *kernel, const char *knob, int64_t value,
	unsigned char *memory, struct kernel_run *run)
{
	int size = kernel_knob(kernel, "size");

	*run = (struct kernel_run){
		.kernel = kernel, .memory = memory, .seed = 7, .work.cancel = &no_cancel
	};
	for (int i = 0; i < kernel->knob_count; i++)
		run->v[i] = kernel->knobs[i].initial;
	if (size >= 0 && run->v[size] > MEMORY / 4 && kernel->knobs[size].min <= MEMORY / 4)
		run->v[size] = MEMORY / 4;
	if (kernel->shrink)
		kernel->shrink(run->v);
	if (knob)
		run->v[kernel_knob(kernel, knob)] = value;
	assert_true(kernel_footprint(kernel, run->v) <= MEMORY);
	check_ok(code_buffer_prepare(&room, run));
}

static int loads(const struct loop *loop)
{
	int count = 0;

	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = &loop->insn[loop->path[i].insn];

		for (int k = 0; k < insn->memory_count; k++)
			count += insn->memory[k].load ? insn->memory[k].accesses : 0;
	}
	return count;
}

TEST(every_kernel_has_a_loop)
{
	unsigned char *memory = aligned_alloc(2 << 20, MEMORY);
	struct loop loop;

	loop_init(&loop, LOOP_INSNS, LOOP_PATH);
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];
		struct kernel_run run;
		struct status status;

		prepare(kernel, NULL, 0, memory, &run);
		status = decode_loop(run.code.start, DECODE_FUNCTION,
			(double)(run.iteration ? run.iteration : run.granule), &loop);
		if (kernel->stepped && status.code != STATUS_OK)
			continue;
		if (status.code != STATUS_OK)
			fail_msg("%s: %s", kernel->name, status.text);
		if (loop.unknown)
			fail_msg("%s: %d unknown instructions", kernel->name, loop.unknown);
		assert_int_equal(loop.insn[loop.insn_count - 1].target, loop.insn[0].address);
		for (int i = 0; i < loop.insn_count; i++)
			assert_true(loop.insn[i].length > 0 && loop.insn[i].text[0]);
	}
	loop_free(&loop);
	free(memory);
}

TEST(combine_loads_as_often_as_it_is_unrolled)
{
	const struct kernel *combine = kernel_find("combine");
	unsigned char *memory = aligned_alloc(2 << 20, MEMORY);
	struct kernel_run run;
	struct loop loop;

	loop_init(&loop, LOOP_INSNS, LOOP_PATH);
	for (int64_t unroll = 1; unroll <= 16; unroll++) {
		prepare(combine, "unroll", unroll, memory, &run);
		check_ok(decode_loop(run.code.start, DECODE_FUNCTION, (double)run.granule, &loop));
		assert_int_equal(run.granule, unroll);
		assert_int_equal(loads(&loop), unroll);
		assert_int_equal(loop.forks, 0);
		check_near(loop.insns_per_element * (double)unroll, loop.insn_count, 1e-9);
	}
	prepare(kernel_find("list-length"), NULL, 0, memory, &run);
	check_ok(decode_loop(run.code.start, DECODE_FUNCTION, 1, &loop));
	assert_int_equal(loads(&loop), 1);
	prepare(kernel_find("mountain"), NULL, 0, memory, &run);
	check_ok(decode_loop(run.code.start, DECODE_FUNCTION, 4, &loop));
	assert_int_equal(loads(&loop), 4);
	loop_free(&loop);
	free(memory);
}

RUN_TESTS()
