/* Fillers in the code of kernels. The loop has exactly as many fillers as asked for, runs each
 * filler once per iteration, and computes the same result. */
#include "laid.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "experiment/slack/fillers.h"

static const char *const settings[] = { "k-loads", "combine op=add type=f64 unroll=4 acc=2" };

static struct code_buffer room;

enum { ITERATIONS = 64 };

/* Writes the kernel's code with fillers into `room`, and returns a run of it. */
static struct kernel_run change(const char *words, unsigned number, unsigned count)
{
	const struct code_change change = fillers_change(number, count);
	struct kernel_run run = laid(words);
	struct status status = code_buffer_change(&room, &laid_room, &change, &run);

	if (!status_is_ok(&status))
		fail_msg("%s, \"%s\": %s", words, fillers[number & 0xff].line, status.text);
	return run;
}

/* Instructions of the run's loop. */
static int loop_length(const struct kernel_run *run)
{
	struct decoded_function function;
	int length;

	check_ok(decode_function(run->code.start, 64 << 10, &function));
	length = function.last - function.first + 1;
	decode_function_free(&function);
	return length;
}

static bool is_wanted(unsigned number)
{
	struct insn insn;

	return filler_is_possible(number) && filler_decode(number, &insn);
}

static int insns_of(const char *words, unsigned number)
{
	struct kernel_run without = change(words, number, 0);
	int before = loop_length(&without);
	struct kernel_run one = change(words, number, 1);

	return loop_length(&one) - before;
}

TEST(a_loop_has_as_many_fillers_as_were_asked_for)
{
	int kinds = 0;

	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++)
		for (unsigned i = 0; i < filler_count; i++) {
			struct kernel_run run;
			int each, before;

			if (!is_wanted(i))
				continue;
			kinds++;
			each = insns_of(settings[k], filler_only(i));
			assert_true(each >= 1 && each <= 7);
			run = change(settings[k], filler_only(i), 0);
			before = loop_length(&run);
			run = change(settings[k], filler_only(i), 53);
			assert_int_equal(loop_length(&run) - before, 53 * each);
		}
	assert_true(kinds > 40);
}

#if defined(__x86_64__)
/* Some fillers set registers before their line, and a division leaves all flags undefined. The loop
 * of this setting never ends if such a filler comes between its comparison and sete. */
TEST(no_filler_comes_between_a_comparison_and_the_flags_reader)
{
	int tried = 0;

	for (unsigned i = 0; i < filler_count; i++) {
		struct code_change added = fillers_change(filler_only(i), 40);
		struct kernel_run run;
		struct decoded_function function;

		if (!fillers[i].before || !is_wanted(i))
			continue;
		added.computes_other =
			true; /* the changed loop is only read, because it may not end */
		run = laid("atomic op=cas");
		check_ok(code_buffer_change(&room, &laid_room, &added, &run));
		check_ok(decode_function(run.code.start, 64 << 10, &function));
		for (int k = function.first; k <= function.last; k++)
			if (strstr(function.insn[k].mnemonic, "cmpxchg")) {
				assert_non_null(strstr(function.insn[k + 1].mnemonic, "cmov"));
				assert_non_null(strstr(function.insn[k + 2].mnemonic, "set"));
				tried++;
			}
		decode_function_free(&function);
	}
	assert_true(tried > 0);
}

/* A division changes rax and rdx. This loop leaves rdx free, but fillers must not keep the value of
 * rax there. change() fails if the changed loop does not compute the same result. */
TEST(fillers_keep_values_in_registers_that_their_line_does_not_change)
{
	int tried = 0;

	for (unsigned i = 0; i < filler_count; i++)
		if (fillers[i].after && is_wanted(i)) {
			change("combine op=mul type=f32 unroll=10 acc=10", filler_only(i), 2);
			tried++;
		}
	assert_true(tried > 0);
}
#endif

/* Of each FILLER_TURNS fillers of a mixture, `share` fillers are the second one. */
TEST(a_mixture_has_the_share_that_was_asked_for)
{
	const char *words = settings[0];
	unsigned one = 0, other = 0;

	while (strcmp(fillers[one].line, "nop") != 0)
		one++;
	while (fillers[other].use != FILLS_LOADS)
		other++;
	for (unsigned share = 0; share <= FILLER_TURNS; share += 2) {
		struct kernel_run run = change(words, filler_mix(one, other, share), 80);
		struct decoded_function function;
		unsigned nops = 0;

		check_ok(decode_function(run.code.start, 64 << 10, &function));
		for (int i = function.first; i <= function.last; i++)
			nops += strcmp(function.insn[i].mnemonic, "nop") == 0;
		decode_function_free(&function);
		assert_int_equal(nops, 80 - 10 * share);
	}
}

/* ---- executed instructions, on machines that can count them exactly */

static int open_counter(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static int64_t instructions(int counter, struct kernel_run *run)
{
	int64_t value = 0;

	ioctl(counter, PERF_EVENT_IOC_RESET, 0);
	ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
	run->kernel->call(run, ITERATIONS * run->granule);
	ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(read(counter, &value, sizeof(value)), sizeof(value));
	return value;
}

/* Instructions before the loop, which set registers, cancel out in the difference of two counts. */
TEST(each_filler_runs_once_an_iteration)
{
	int counter = open_counter();
	const unsigned few = 1, many = 40;

	if (counter < 0)
		skip();
	for (size_t k = 0; k < sizeof(settings) / sizeof(*settings); k++)
		for (unsigned i = 0; i < filler_count; i++) {
			struct kernel_run run;
			int64_t less, more, each;

			if (!is_wanted(i))
				continue;
			each = insns_of(settings[k], filler_only(i));
			run = change(settings[k], filler_only(i), few);
			less = instructions(counter, &run);
			run = change(settings[k], filler_only(i), many);
			more = instructions(counter, &run);
			if (more - less != ITERATIONS * each * (many - few))
				fail_msg("%s, \"%s\": %lld more instructions, not %lld",
					settings[k], fillers[i].line, (long long)(more - less),
					(long long)(ITERATIONS * each * (many - few)));
		}
	close(counter);
}

#if defined(__x86_64__)
/* Where two taken branches in a block of code are late, added jumps show nothing. */
TEST(jumps_are_no_fillers_where_each_would_be_late)
{
	static const char *const cores[] = { "zen4", "golden-cove" };
	struct limits_work work = { .slots = 4, .taken = 1 };
	bool taken[2] = { false };

	for (int i = 0; i < 2; i++) {
		struct slack_report *report = memory_new(1, sizeof(*report));
		struct uarch *uarch = NULL;

		check_ok(uarch_load(cores[i], "x86_64", &uarch));
		fillers_find(report, uarch, &work);
		for (int k = 0; k < report->count; k++)
			taken[i] |= strcmp(report->resource[k].name, "taken") == 0;
		uarch_free(uarch);
		free(report);
	}
	assert_true(taken[0]);
	assert_false(taken[1]);
}
#endif

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
