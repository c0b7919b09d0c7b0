/* What the kernels' documents say binds, binds; and what only a kernel knows of itself (restarts,
 * ranges) reaches the limits. */
#include "check.h"

#include <stdio.h>
#include <sys/sysinfo.h>

#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

/* The core that the article of most kernels measured on. Its numbers are in the tree, so all that
 * is asked for is known. */
static struct uarch_choice core;
static struct explanation *explanation;

static void initial(const struct kernel *kernel, int64_t *v)
{
	memset(v, 0, KNOBS_MAX * sizeof(*v));
	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
}

static struct status ask(const struct kernel *kernel, const int64_t *v)
{
	struct explain_question question = {
		.kernel = kernel, .v = v, .seed = 1, .uarch = core.uarch, .foreign = true
	};

	explain(&question, explanation);
	return explanation->status;
}

/* "KERNEL knob=value …" */
static void ask_at(const char *words)
{
	struct setting setting;

	assert_true(setting_read(&setting, words));
	check_ok(ask(setting.kernel, setting.v));
}

static const struct limit *limit_of(enum limit_kind kind)
{
	for (int i = 0; i < explanation->limits.limit_count; i++)
		if (explanation->limits.limit[i].kind == kind)
			return &explanation->limits.limit[i];
	return NULL;
}

/* Explains a setting for Zen 5, or skips the test on another instruction set. */
static void ask_zen5(const char *words)
{
	struct uarch *uarch, *before = core.uarch;

	if (!before)
		skip();
	check_ok(uarch_load("zen5", "x86_64", &uarch));
	core.uarch = uarch;
	ask_at(words);
	core.uarch = before;
	uarch_free(uarch);
}

/* Measured on Zen 5 at 4 to 16 KiB: 0.75 to 0.92 cycles where a store in random order shares a
 * recent line as often as by the mean of all orders. */
TEST(stores_in_random_order_share_lines_by_chance_so_their_limit_is_soft)
{
	ask_zen5("scatter-stores size=16k");
	assert_false(limit_of(LIMIT_STORE_LINES)->hard);
	assert_string_equal(
		limit_rows[explanation->limits.limit[explanation->limits.binding].kind].name,
		"stores");
}

/* Stores that bypass the caches write to memory, also if the data fits the first cache. */
TEST(bypassing_stores_have_the_bandwidth_of_memory)
{
	const struct limit *past;
	struct setting setting;
	struct explain_question question = { .seed = 1 };

	ask_at("bandwidth op=fwr size=16k width=8 stores=bypass");
	past = limit_of(LIMIT_PAST);
	assert_non_null(past);
	assert_false(past->known);
	assert_true(setting_read(&setting, "bandwidth op=fwr size=16k width=8 stores=bypass"));
	question.kernel = setting.kernel;
	question.v = setting.v;
	question.uarch = core.uarch;
	question.measured.past_lines = 0.1;
	explain(&question, explanation);
	past = limit_of(LIMIT_PAST);
	assert_true(past && past->known && !past->hard);
	check_near(past->cpe, 8 / 64.0 / 0.1, 1e-9);
	check_contains(past->cause, "64 bytes stored to memory, past the caches, 6.4 a cycle");
	ask_at("bandwidth op=fwr size=16k width=8 stores=plain");
	assert_null(limit_of(LIMIT_PAST));
}

/* The end of a search in a long list is a misprediction, which adds 0.3 % to a chain of loads: it
 * does not name the prediction, and its remedy would not help. */
TEST(the_ends_of_long_lists_do_not_name_the_prediction)
{
	ask_zen5("list-lookup");
	assert_string_equal(
		limit_rows[explanation->limits.limit[explanation->limits.predicted_by].kind].name,
		"latency");
}

TEST(every_kernel_names_a_limit_that_exists)
{
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];

		if (kernel->limit && limit_find(kernel->limit) == LIMIT_COUNT)
			fail_msg("%s names the limit %s, which there is not", kernel->name,
				kernel->limit);
	}
}

/* Lines that a stride leaves out do not come: 128 KiB at stride 24 are 43 KiB of lines, and L1
 * holds them. */
TEST(lines_left_out_cost_nothing)
{
	if (!core.uarch)
		skip();
	ask_at("mountain size=128k stride=8");
	assert_true(limit_of(LIMIT_MEMORY_LINES) && limit_of(LIMIT_MEMORY_LINES)->cpe > 0);
	ask_at("mountain size=128k stride=40");
	assert_null(limit_of(LIMIT_MEMORY_LINES));
	/* And so the misses of the explanation. */
	assert_true(explanation->misses.known && explanation->misses.level[0].fits);
	check_near(explanation->misses.level[0].held, 128 * 1024 / 5.0, 1);
}

/* Nodes 4 KiB apart share a set of the first cache, in any order; a line more, and each has its
 * own.
 */
TEST(lines_of_one_set_crowd_each_other_out)
{
	if (!core.uarch)
		skip();
	ask_at("latency size=128k stride=4096");
	assert_true(limit_of(LIMIT_MEMORY_LATENCY) && limit_of(LIMIT_MEMORY_LATENCY)->cpe > 5);
	ask_at("latency size=128k stride=4160");
	assert_null(limit_of(LIMIT_MEMORY_LATENCY));
	ask_at("latency size=16k stride=4096");
	assert_null(limit_of(LIMIT_MEMORY_LATENCY));
	/* Rows of 1 KiB, gone down by the innermost loop; and of 8 bytes more. */
	ask_at("matmul n=128");
	assert_true(explanation->limits.beyond[0] > 1.5);
	ask_at("matmul n=128 pad=1");
	assert_true(explanation->limits.beyond[0] < 0.5);
}

/* The instructions between two passes over 84 vectors are not stores. With a sanitizer's checks
 * they are too many to tell them from the loop. */
TEST(code_between_passes_is_not_in_the_limits_of_a_stepped_loop)
{
	if (!core.uarch || CHECK_REPEATS(false, true))
		skip();
	ask_at("stores form=copied width=32");
	check_near(limit_of(LIMIT_STORES)->cpe, 1, 1e-9);
	assert_true(explanation->loop.insns_per_element > 11 / 4.0);
}

/* Hard ones bind; a soft one (misprediction) stands above what binds and is what is predicted. */
TEST(default_settings_bind_as_their_documents_say)
{
	if (!core.uarch)
		skip();
	for (int k = 0; kernel_registry[k]; k++) {
		const struct kernel *kernel = kernel_registry[k];
		const struct limits *limits = &explanation->limits;
		enum limit_kind kind = kernel->limit ? limit_find(kernel->limit) : LIMIT_COUNT;
		int64_t v[KNOBS_MAX];
		struct status status;
		int found;

		initial(kernel, v);
		status = ask(kernel, v);
		/* Where nothing may be traced, nothing can be stepped. */
		if (!status_is_ok(&status) && kernel->stepped)
			continue;
		check_ok(status);
		assert_int_equal(limits->unknown, 0);
		if (!kernel->limit)
			continue;
		found = limit_rows[kind].hard ? limits->binding : limits->predicted_by;
		assert_true(found >= 0);
		if (limits->limit[found].kind != kind)
			fail_msg("%s: %s, where its document says %s", kernel->name,
				limit_rows[limits->limit[found].kind].name, kernel->limit);
	}
}

/* 224 micro-ops of 3 each to an element: 74.7 elements of the next product overlap with the last of
 * this one. */
TEST(chains_that_begin_anew_overlap)
{
	if (!core.uarch)
		skip();
	ask_at("mul-chain restart=0");
	check_near(explanation->limits.bound, 3, 1e-9);
	ask_at("mul-chain restart=4096");
	check_near(explanation->limits.bound, 3 * (1 - 224 / 3.0 / 4096), 1e-9);
	check_contains(limit_of(LIMIT_LATENCY)->cause, "every 4096 elements, and up to 74 elements "
						       "overlap, so 4022 of 4096 elements wait");
	ask_at("mul-chain restart=256");
	check_near(explanation->limits.bound, 3 * (1 - 224 / 3.0 / 256), 1e-9);
	/* Where it overlaps by more than half, the one after the next still waits for the whole of
	 * this one. */
	ask_at("mul-chain restart=100");
	check_near(explanation->limits.bound, 1.5, 1e-9);
	/* Several at once: another limit is the higher one. */
	ask_at("mul-chain restart=16");
	check_near(explanation->limits.bound, 1, 1e-9);
	assert_true(limit_of(LIMIT_LATENCY)->cpe <= 3 / 6.0 + 1e-9);
}

/* Half of gather's memory is indices, read in order: values of 32 KiB fit the cache, though both
 * together do not. */
TEST(only_the_range_of_scattered_accesses_counts)
{
	if (!core.uarch)
		skip();
	ask_at("gather size=64k");
	assert_null(limit_of(LIMIT_MEMORY_LINES));
	ask_at("gather size=128k");
	assert_non_null(limit_of(LIMIT_MEMORY_LINES));
}

/* At random each node waits for its own line, however many nodes lie in one; in order they share
 * it. Small nodes find their line in L1 if a neighbour came shortly before: pow(0.75, 0.75) of four
 * do not. */
TEST(small_nodes_at_random_all_wait_for_their_lines)
{
	static const struct {
		const char *wide, *least;
		double share;
	} cases[] = {
		{ "list-length size=128k order=random spacing=64",
			"list-length size=128k order=random spacing=16", 0.805927449 },
		{ "latency size=128k stride=64", "latency size=128k stride=16", 0.805927449 },
		/* The second of a pair lies next to the first. */
		{ "latency size=128k order=pairs stride=64",
			"latency size=128k order=pairs stride=16", 0.375 },
		{ "latency size=128k order=pairs stride=64",
			"latency size=128k order=pairs stride=32", 0.375 },
	};

	if (!core.uarch)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double wide;

		ask_at(cases[i].wide);
		wide = explanation->limits.beyond[0];
		ask_at(cases[i].least);
		check_near(explanation->limits.beyond[0], cases[i].share * wide, 1e-9);
		assert_true(
			limit_of(LIMIT_MEMORY_LATENCY) && limit_of(LIMIT_MEMORY_LATENCY)->cpe > 5);
	}
}

/* The second line of a pair may have come with the first: its load is no wait that is sure. */
TEST(lines_beside_each_other_are_one_wait_for_sure)
{
	double apart, lines;

	if (!core.uarch)
		skip();
	ask_at("latency size=128k");
	/* A cache may keep a part of a repeated walk that is larger than it. */
	assert_false(limit_of(LIMIT_MEMORY_LATENCY)->hard);
	apart = limit_of(LIMIT_MEMORY_LATENCY)->cpe;
	lines = explanation->limits.beyond[0];
	ask_at("latency size=128k order=pairs");
	assert_true(limit_of(LIMIT_MEMORY_LATENCY)->cpe < 0.9 * apart);
	check_near(explanation->limits.beyond[0], lines, 1e-9);
}

/* The small copy that the code is read from would be learnt by heart. */
TEST(figures_are_those_of_the_size_asked_about)
{
	const struct kernel *kernel = kernel_find("mispredict");
	int64_t v[KNOBS_MAX];
	struct status status;
	double many, slow;

	if (!core.uarch)
		skip();
	initial(kernel, v);
	status = ask(kernel, v);
	if (!status_is_ok(&status))
		skip();
	assert_true(limit_of(LIMIT_MISPREDICTION) && limit_of(LIMIT_MISPREDICTION)->known);
	many = explanation->place.walk.mispredicts;
	slow = explanation->limits.predicted;
	check_near(many, 0.5, 0.01);
	assert_int_equal(explanation->limits.limit[explanation->limits.predicted_by].kind,
		LIMIT_MISPREDICTION);
	/* 32,768 random outcomes are not learnt, 256 are. */
	v[kernel_knob(kernel, "size")] = 8 << 10;
	check_ok(ask(kernel, v));
	assert_true(explanation->place.walk.mispredicts > 0.01);
	v[kernel_knob(kernel, "size")] = 64;
	check_ok(ask(kernel, v));
	assert_true(explanation->place.walk.mispredicts < 1e-6);
	assert_true(explanation->limits.predicted < 0.5 * slow);
}

/* Of sixteen equally likely targets, one jump for four outcomes misses fifteen times; four branches
 * miss twice. */
TEST(one_jump_mispredicts_less_than_four_branches)
{
	const struct kernel *kernel = kernel_find("mispredict");
	int form = kernel_knob(kernel, "form"), random = kernel_knob(kernel, "random");
	struct kernel_walk branch, jump;
	int64_t v[KNOBS_MAX];

	initial(kernel, v);
	assert_true(kernel_describe(kernel, v, &branch));
	v[form] = 2;
	assert_true(kernel_describe(kernel, v, &jump));
	check_near(branch.mispredicts * 4, 2, 1e-9);
	check_near(jump.mispredicts * 4, 15 / 16.0, 1e-9);
	v[random] = 0;
	assert_true(kernel_describe(kernel, v, &jump));
	check_near(jump.mispredicts, 0, 1e-9);
}

/* Twice what this machine has; and what no machine has. */
static uint64_t beyond_memory(const int64_t *v)
{
	struct sysinfo info;

	assert_int_equal(sysinfo(&info), 0);
	return 2 * (uint64_t)info.mem_unit * (info.totalram + info.totalswap);
}

static uint64_t beyond_reason(const int64_t *v)
{
	return UINT64_C(1) << 60;
}

/* Memory is promised in full where the system is strict about it. */
static bool is_strict(void)
{
	FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
	int mode = file ? fgetc(file) : '0';

	if (file)
		fclose(file);
	return mode == '2';
}

/* A few nodes of many are laid out, and memory for those is enough. */
TEST(code_is_read_without_memory_for_the_data)
{
	struct kernel kernel = *kernel_find("tree-lookup");
	int64_t v[KNOBS_MAX];
	struct status status;

	if (!core.uarch)
		skip();
	initial(&kernel, v);
	kernel.footprint = beyond_memory;
	status = ask(&kernel, v);
	/* Where nothing may be traced, that is what it fails of. */
	if (!is_strict() && !status_is_ok(&status))
		assert_null(strstr(status.text, "reading the code of"));
	kernel.footprint = beyond_reason;
	status = ask(&kernel, v);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "reading the code of tree-lookup");
}

static uint64_t least_asked;

static uint64_t notes_least(const int64_t *v)
{
	uint64_t bytes = kernel_find("latency")->footprint(v);

	least_asked = bytes < least_asked ? bytes : least_asked;
	return bytes;
}

/* Of latency's two sets both are small where only the code is wanted, and that is laid out in one
 * go. */
TEST(code_is_read_in_a_small_copy_of_all_sets)
{
	struct kernel kernel = *kernel_find("latency");
	int64_t v[KNOBS_MAX];

	if (!core.uarch)
		skip();
	initial(&kernel, v);
	v[kernel_knob(&kernel, "near")] = 64 << 20;
	v[kernel_knob(&kernel, "far")] = 50;
	kernel.footprint = notes_least;
	least_asked = UINT64_MAX;
	check_ok(ask(&kernel, v));
	assert_true(least_asked <= 64 << 10);
}

TEST(the_longest_loops_are_read)
{
	if (!core.uarch)
		skip();
	ask_at("alignment count=16384");
	assert_int_equal(explanation->loop.insn_count, 16384 + 2);
	assert_int_equal(explanation->limits.insn_count, 16384 + 2);
	check_near(limit_of(LIMIT_WIDTH)->cpe, 16385 / 4.0 / 16384, 1e-9);
}

TEST(nops_have_the_offset_length_and_branches_of_the_setting)
{
	const struct loop *loop = &explanation->loop;
	unsigned lengths = 0;

	if (!core.uarch)
		skip();
	ask_at("alignment offset=60 length=9 count=8 branches=jump16");
	/* A jump follows every second nop. The loop's own two instructions come last. */
	assert_int_equal(loop->insn_count, 8 + 4 + 2);
	assert_int_equal(loop->insn[0].address % 64, 60);
	for (int i = 0; i < 12; i++) {
		assert_int_equal(loop->insn[i].length, i % 3 == 2 ? 2 : 9);
		assert_int_equal(loop->insn[i].flow, i % 3 == 2 ? FLOW_JUMP : FLOW_NONE);
		lengths += loop->insn[i].length;
	}
	assert_int_equal(loop->insn[12].address - loop->insn[0].address, lengths);
	assert_int_equal(loop->insn[13].target, loop->insn[0].address);
	ask_at("alignment length=15 count=4 branches=untaken16");
	assert_int_equal(loop->insn_count, 4 + 2 + 2);
	assert_int_equal(loop->insn[0].address % 64, 0);
	assert_int_equal(loop->insn[1].length, 15);
	assert_int_equal(loop->insn[2].flow, FLOW_BRANCH);
	assert_string_equal(loop->insn[2].condition, "b");
	ask_at("alignment length=15 count=16384 branches=jump16");
	assert_int_equal(loop->insn_count, 16384 + 8192 + 2);
	ask_at("alignment length=1 count=32 branches=jump32");
	assert_int_equal(loop->insn_count, 32 + 1 + 2);
	assert_int_equal(loop->insn[32].flow, FLOW_JUMP);
}

static int begin(void **state)
{
	static struct machine machine = { .cpu = -1 };
	struct status status;

	machine_identify(&machine);
	status = uarch_choose("skylake", &machine, &core);
	/* Not a core of this instruction set. */
	if (!status_is_ok(&status))
		core.uarch = NULL;
	explanation = explanation_new();
	return 0;
}

static int end(void **state)
{
	explanation_free(explanation);
	if (core.uarch)
		uarch_choice_free(&core);
	return 0;
}

RUN_TESTS(.set_up = begin, .tear_down = end)
