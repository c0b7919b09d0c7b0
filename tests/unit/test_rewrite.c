/* Functions written anew with more instructions in their loops: they compute as before, and the
 * instructions run exactly as often as they were asked for. */
#include "laid.h"

#include <sys/mman.h>

#include "model/code/rewrite.h"

#if defined(__x86_64__)

/* A counter that inserted code adds to, without flags and without registers of the loop. */
static uint64_t counter;

/* ---- Functions with loops of several shapes. */

KERNEL_LOOP static double sum(const double *from, uint64_t count)
{
	double total = 0.125;

	for (uint64_t i = 0; i < count; i++)
		total += from[i] * 1.75;
	return total;
}

/* A loop in a loop: the inner one begins anew in each turn of the outer one. */
KERNEL_LOOP static double rows(const double *from, uint64_t count)
{
	double total = 0;

	for (uint64_t row = 0; row < 4; row++) {
		uint64_t i = 0;

		do {
			total += from[i];
			__asm__("" : "+x"(total));
		} while (++i < count);
	}
	return total;
}

KERNEL_LOOP static double until(const double *from, uint64_t count)
{
	uint64_t i = 0;

	for (; i < count; i++)
		if (from[i] > 40)
			break;
	return (double)i;
}

static double other(double x)
{
	__asm__("" : "+x"(x));
	return x + 1;
}

KERNEL_LOOP static double calling(const double *from, uint64_t count)
{
	double (*volatile call)(double) = other;
	double total = 0;

	for (uint64_t i = 0; i < count; i++)
		total += call(from[i]);
	return total;
}

typedef double loop_function(const double *from, uint64_t count);

enum { COUNT = 100 };

static double values[COUNT];

/* `inc qword [counter]`, which changes flags, or a store of 7 to the counter, which does not. */
static struct code_line line_of(bool flags)
{
	struct code_line line = { .bytes = { 0x48, 0xff, 0x05 }, .length = 7, .distance_at = 3 };

	line.target = (uint64_t)(uintptr_t)&counter;
	if (!flags)
		line = (struct code_line){ .bytes = { 0xc7, 0x05, 0, 0, 0, 0, 7 },
			.length = 10,
			.distance_at = 2,
			.target = (uint64_t)(uintptr_t)&counter };
	return line;
}

/* What the change of a test inserts. */
static struct code_line inserted;
static bool inserted_flags;

static struct status write_inserted(
	const struct code_change *change, const struct code_place *place, const void **start)
{
	struct rewrite rewrite = { .filler = &inserted,
		.filler_count = 1,
		.inserted = (int)change->count,
		.flags = inserted_flags };
	struct decoded_function function;
	struct status status = decode_function(place->code,
		place->size < DECODE_FUNCTION ? place->size : DECODE_FUNCTION, &function);

	if (status_is_ok(&status))
		status = rewrite_function(&function, &rewrite, place->to, place->bytes, start);
	decode_function_free(&function);
	return status;
}

/* A kernel for code_buffer_change(), whose checks always succeed. */
static struct status no_verify(struct kernel_run *run)
{
	return status_ok();
}

static const struct kernel plain = { .name = "plain", .verify = no_verify };
static struct code_buffer room;

static struct status change(loop_function *function, unsigned count, bool flags, loop_function **to)
{
	static const struct code_buffer none;
	struct kernel_run run = { .kernel = &plain, .code.start = (const void *)function };
	const struct code_change change = {
		.bytes = 64 << 10, .write = write_inserted, .count = count
	};
	struct status status;

	inserted = line_of(flags);
	inserted_flags = flags;
	status = code_buffer_change(&room, &none, &change, &run);
	*to = (loop_function *)run.code.start;
	return status;
}

TEST(loops_compute_as_before_and_run_each_instruction_as_often_as_asked)
{
	static const struct {
		loop_function *function;
		uint64_t turns; /* of the innermost loop */
	} rows_of[] = { { sum, COUNT }, { rows, 4 * COUNT }, { until, 41 } };
	static const unsigned counts[] = { 0, 1, 2, 5, 17, 200 };

	for (int i = 0; i < COUNT; i++)
		values[i] = i + 0.5;
	for (size_t i = 0; i < sizeof(rows_of) / sizeof(*rows_of); i++)
		for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
			double expected = rows_of[i].function(values, COUNT);
			loop_function *changed;

			counter = 0;
			check_ok(change(rows_of[i].function, counts[k], true, &changed));
			assert_ptr_not_equal(changed, rows_of[i].function);
			assert_true(changed(values, COUNT) == expected);
			assert_int_equal(counter, counts[k] * rows_of[i].turns);
		}
}

/* The distances of branches decide how a core predicts them. */
__attribute__((naked)) static double apart(const double *from, uint64_t count)
{
	__asm__("	.p2align 6		\n"
		"1:	jmp 2f			\n"
		"	.p2align 4		\n"
		"2:	jmp 3f			\n"
		"	.skip 45, 0xcc		\n"
		"3:	sub $1, %rsi		\n"
		"	jne 1b			\n"
		"	ret			\n");
}

TEST(branches_keep_their_distances)
{
	struct decoded_function before, after;
	loop_function *changed;

	check_ok(decode_function((const void *)apart, 4096, &before));
	check_ok(change(apart, 0, false, &changed));
	check_ok(decode_function((const void *)changed, 4096, &after));
	assert_int_equal(after.count, before.count);
	for (int i = 0; i < before.count; i++)
		assert_int_equal(after.insn[i].address - after.insn[0].address,
			before.insn[i].address - before.insn[0].address);
	changed(values, COUNT);
	decode_function_free(&before);
	decode_function_free(&after);
}

TEST(the_first_instruction_of_the_loop_keeps_its_place_in_the_line)
{
	struct decoded_function before, after;
	loop_function *changed;

	check_ok(decode_function((const void *)sum, 4096, &before));
	check_ok(change(sum, 9, true, &changed));
	check_ok(decode_function((const void *)changed, 4096, &after));
	assert_int_equal(
		before.insn[before.first].address % 64, after.insn[after.first].address % 64);
	assert_int_equal(after.last - after.first, before.last - before.first + 9);
	decode_function_free(&before);
	decode_function_free(&after);
}

TEST(code_that_cannot_be_written_anew_is_named)
{
	loop_function *changed;
	struct status status = change(calling, 1, true, &changed);

	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "the loop calls a function");
}

/* A shift moves the loop within its line of code, and nothing else changes. */
TEST(shifted_code_computes_the_same)
{
	struct decoded_function function, moved;
	struct kernel_run run = { .kernel = &plain, .code.start = (const void *)sum };
	loop_function *changed;
	const void *start;

	check_ok(change(sum, 0, true, &changed));
	check_ok(decode_function(run.code.start, 4096, &function));
	for (unsigned shift = 0; shift < 64; shift += 7) {
		const struct rewrite rewrite = { .shift = shift };

		assert_int_equal(mprotect(room.memory, room.bytes, PROT_READ | PROT_WRITE), 0);
		check_ok(rewrite_function(&function, &rewrite, room.memory, room.bytes, &start));
		assert_int_equal(mprotect(room.memory, room.bytes, PROT_READ | PROT_EXEC), 0);
		check_ok(decode_function(start, 4096, &moved));
		assert_int_equal(
			(moved.insn[moved.first].address - function.insn[function.first].address) %
				64,
			shift);
		decode_function_free(&moved);
		changed = (loop_function *)start;
		assert_true(changed(values, COUNT) == sum(values, COUNT));
	}
	decode_function_free(&function);
}

/* Instructions before and after the loop run once for each time that execution enters it. */
TEST(instructions_around_the_loop_run_once_a_visit)
{
	struct code_line line = line_of(true);
	struct rewrite rewrite = {
		.before = &line, .before_count = 1, .after = &line, .after_count = 1
	};
	struct decoded_function function;
	struct kernel_run run = { .kernel = &plain, .code.start = (const void *)rows };
	loop_function *changed;
	const void *start;

	/* Memory that can be written and executed in turn, from a change that does nothing. */
	check_ok(change(rows, 0, true, &changed));
	assert_int_equal(mprotect(room.memory, room.bytes, PROT_READ | PROT_WRITE), 0);
	check_ok(decode_function(run.code.start, 4096, &function));
	check_ok(rewrite_function(&function, &rewrite, room.memory, room.bytes, &start));
	decode_function_free(&function);
	assert_int_equal(mprotect(room.memory, room.bytes, PROT_READ | PROT_EXEC), 0);
	counter = 0;
	changed = (loop_function *)start;
	assert_true(changed(values, COUNT) == rows(values, COUNT));
	assert_int_equal(counter, 2 * 4);
}

/* Every kernel runs the code that its run names, so that changed code is really measured, or its
 * code cannot be changed. Changed code is checked like the kernel's own. */
TEST(every_kernel_runs_changed_code)
{
	int changed = 0;

	for (int i = 0; kernel_registry[i]; i++) {
		const struct kernel *kernel = kernel_registry[i];
		const struct code_change more = {
			.bytes = 256 << 10, .write = write_inserted, .count = 3
		};
		struct kernel_run run;
		int64_t v[KNOBS_MAX];
		struct status status;

		laid_initial(kernel, v);
		status = kernel_check(kernel, v);
		if (!status_is_ok(&status) || kernel_footprint(kernel, v) > MEMORY)
			continue;
		laid_at(kernel, v, &run);
		inserted = line_of(false);
		inserted_flags = false;
		counter = 0;
		status = code_buffer_change(&room, &laid_room, &more, &run);
		if (!status_is_ok(&status)) {
			assert_false(strstr(status.text, kernel->name));
			continue;
		}
		run.kernel->call(&run, run.granule);
		if (counter != 7)
			fail_msg("%s does not run the changed code", kernel->name);
		changed++;
	}
	assert_true(changed > 15);
	code_buffer_free(&room);
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)

#else

TEST(code_of_this_processor_is_not_written_anew)
{
	skip();
}

RUN_TESTS()

#endif
